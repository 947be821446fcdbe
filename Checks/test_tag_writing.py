"""`analyze write-tags`, with readers of tags that others wrote (mutagen, TagLib, ffprobe), with ffmpeg, with other programs that change the
same files, and with kill -9.

A small library of all formats has pictures, chapters, private frames and whatever else must survive. Once tags are written, each reader must
find what was to be written, and everything that it found before; the audio must decode to the same; a second time nothing may change; and
--undo must bring back the old bytes. Then two commands with two databases, a program that replaces files and one that writes into them change
the same files: what was reported as written, and what they wrote, must be there in the end. After that the program is killed (--kills), each
time at another moment, and each file must be the old or the new one, byte for byte.
"""
import base64
import concurrent.futures
import contextlib
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import mutagen
import mutagen.aiff
import mutagen.apev2
import mutagen.asf
import mutagen.flac
import mutagen.id3
import mutagen.mp4
import mutagen.oggopus
import mutagen.oggvorbis
import mutagen.wave
import pytest
import taglib
from sounds import encode, picture

FIELDS = ["bpm", "initialkey", "replaygain", "acoustid_fingerprint"]
WRITTEN = {
    "bpm", "initialkey", "replaygain_track_gain", "replaygain_track_peak", "replaygain_album_gain",
    "replaygain_album_peak", "r128_track_gain", "r128_album_gain", "acoustid_fingerprint",
}
# Names of the formats that are not those of the fields.
NAMES = {
    "tbpm": "bpm", "tkey": "initialkey", "tmpo": "bpm", "wm/beatsperminute": "bpm", "wm/initialkey": "initialkey",
    "acoustid fingerprint": "acoustid_fingerprint", "acoustid/fingerprint": "acoustid_fingerprint", "key": "initialkey",
    "tbp": "bpm", "tke": "initialkey",
}
# Tags that a program does not read.
UNSEEN = {("only-v2.wv", "mutagen"), ("a.wav", "ffprobe"), ("only-info.wav", "ffprobe"), ("only-v1.wv", "ffprobe")}

SOUND = "aevalsrc='0.5*sin(2*PI*440*t)*exp(-8*mod(t,0.5))':s=22050:d=5"
TAGS = {"title": "Tïtle", "artist": "Näme", "album": "One"}
NO_ID3, BARE = ["-id3v2_version", "0"], ["-map_metadata", "-1"]
FILES = {
    "v22.mp3": [*NO_ID3, "-b:a", "48k"], "v23.mp3": [*NO_ID3, "-b:a", "56k"], "v24.mp3": [*NO_ID3, "-b:a", "64k"],
    "ape.mp3": [*NO_ID3, "-b:a", "72k"], "bare.mp3": [*NO_ID3, "-b:a", "80k", *BARE],
    "a.flac": [], "bare.flac": BARE, "a.ogg": ["-c:a", "libvorbis"], "a.opus": ["-c:a", "libopus", "-b:a", "64k"],
    "a.oga": ["-c:a", "flac"], "end.m4a": ["-c:a", "aac"], "start.m4a": ["-c:a", "aac", "-movflags", "+faststart"],
    "a.wav": [], "a.aiff": [], "a.wv": ["-c:a", "wavpack"], "a.wma": ["-c:a", "wmav2"],
    # Tags of other kinds alone: ID3v1, APE with ID3v1, RIFF INFO, text chunks, ID3v2 and ID3v1 beside formats with their own.
    "only-v1.mp3": [*NO_ID3, "-b:a", "96k"], "only-ape.mp3": [*NO_ID3, "-b:a", "112k"],
    "only-info.wav": ["-metadata", "genre=Dub", "-metadata", "date=1999", "-ar", "16000"], "only-text.aiff": ["-ar", "16000"],
    "only-v1.wv": [*BARE, "-c:a", "wavpack", "-ar", "16000"], "only-v2.wv": [*BARE, "-c:a", "wavpack", "-ar", "12000"],
    "only-v2.flac": [*BARE, "-ar", "16000"],
}


def make_library(folder, music):
    sound, image = folder / "sound.wav", folder / "picture.png"
    encode(SOUND, sound)
    picture(image, "nullsrc=s=200x200,geq=random(1)*255:128:128")
    for name, options in FILES.items():
        encode(sound, music / name, "-bitexact", *options, **TAGS)
    image = image.read_bytes()
    add_id3(music, image)
    add_old_id3(music)
    add_lonely_tags(music)
    for name in ["ape.mp3", "a.wv", "only-ape.mp3"]:
        tag = mutagen.apev2.APEv2()
        tag.update({"Title": "Tïtle", "Artist": ["Näme", "Other"], "Album": "One"})
        tag["Cover Art (Front)"] = mutagen.apev2.APEValue(b"front.png\0" + image, mutagen.apev2.BINARY)
        tag.save(music / name)
    add_comments(music, image)
    add_items(music, image)


def add_frames(tag, frames):
    for frame in frames:
        tag.add(frame)


def add_id3(music, image):
    def frames(version):
        id3, text = mutagen.id3, {"encoding": 1 if version == 3 else 3}
        chapter = {"start_time": 0, "end_time": 2000, "start_offset": 0xFFFFFFFF, "end_offset": 0xFFFFFFFF}
        return [
            id3.TIT2(**text, text="Tïtle"), id3.TPE1(**text, text=["Näme"]), id3.TALB(**text, text="One"), id3.TMOO(encoding=0, text="sad"),
            id3.TXXX(**text, desc="MIXED case", text=["ä", "b"]), id3.COMM(**text, lang="eng", desc="", text="comment"),
            id3.APIC(encoding=0, mime="image/png", type=3, desc="front", data=image), id3.PRIV(owner="someone", data=b"\xff\xe0\x00\xff"),
            id3.GEOB(encoding=0, mime="a/b", filename="f", desc="d", data=b"\x00\xff\xfb"), id3.UFID(owner="http://musicbrainz.org", data=b"id"),
            id3.POPM(email="me", rating=200, count=7), id3.USLT(**text, lang="eng", desc="", text="la"),
            id3.CHAP(element_id="c1", **chapter, sub_frames=[id3.TIT2(**text, text="chäpter")]),
            id3.CTOC(element_id="toc", flags=3, child_element_ids=["c1"], sub_frames=[]),
        ]

    for name, version in [("v23.mp3", 3), ("v24.mp3", 4)]:
        tag = mutagen.id3.ID3()
        add_frames(tag, frames(version))
        tag.save(music / name, v2_version=version, v1=2)
    for kind, name in [(mutagen.wave.WAVE, "a.wav"), (mutagen.aiff.AIFF, "a.aiff")]:
        file = kind(music / name)
        if file.tags is None:
            file.add_tags()
        add_frames(file.tags, frames(4))
        file.save()


def id3_header(version, flags, body):
    return b"ID3" + bytes([version, 0, flags]) + bytes(len(body) >> shift & 127 for shift in (21, 14, 7, 0))


def add_old_id3(music):
    """Frames that later versions dropped, under a tag of 2.3 that is unsynchronized; and a tag of 2.2."""
    path = music / "v23.mp3"
    data = path.read_bytes()
    end = 10 + sum(byte << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0)))
    old = b"".join(
        name + struct.pack(">IH", len(text) + 1, 0) + b"\0" + text
        for name, text in [(b"TSIZ", b"123456"), (b"TRDA", b"May"), (b"TDAT", b"0102"), (b"TYER", b"1999")])
    body = re.sub(rb"\xff(?=[\x00\xe0-\xff])", b"\xff\x00", old + data[10:end])
    path.write_bytes(id3_header(3, 0x80, body) + body + data[end:])
    path = music / "v22.mp3"
    body = b"".join(
        name + struct.pack(">I", len(text) + 1)[1:] + b"\0" + text
        for name, text in [(b"TT2", b"Title"), (b"TP1", b"Name"), (b"TAL", b"One"), (b"TXX", b"own\0text")])
    path.write_bytes(id3_header(2, 0, body) + body + path.read_bytes())


def add_lonely_tags(music):
    for name in ["only-v1.wv", "only-v2.wv"]:
        mutagen.apev2.delete(music / name)
    old = [(b"T\xeftle", 30), (b"N\xe4me", 30), (b"One", 30), (b"1999", 4), (b"words", 28)]
    for name in ["only-v1.mp3", "only-ape.mp3", "only-v1.wv"]:
        with open(music / name, "ab") as file:
            file.write(b"TAG" + b"".join(text.ljust(size, b"\0") for text, size in old) + b"\0\x07\x11")
    for name in ["only-v2.wv", "only-v2.flac"]:
        tag = mutagen.id3.ID3()
        add_frames(tag, [
            mutagen.id3.TIT2(encoding=1, text="Tïtle"), mutagen.id3.TPE1(encoding=1, text=["Näme"]),
            mutagen.id3.TRCK(encoding=0, text="3/12"), mutagen.id3.TXXX(encoding=1, desc="Own", text=["ä"])])
        tag.save(music / name, v2_version=3)


def add_comments(music, image):
    file = mutagen.flac.FLAC(music / "a.flac")
    file["Mixed Case"] = ["2", "1"]
    cover = mutagen.flac.Picture()
    cover.type, cover.mime, cover.data = 3, "image/png", image
    file.add_picture(cover)
    file.metadata_blocks.append(mutagen.flac.MetadataBlock(b"TESTapplication"))
    file.metadata_blocks[-1].code = 2
    file.save()
    for kind, name in [(mutagen.oggvorbis.OggVorbis, "a.ogg"), (mutagen.oggopus.OggOpus, "a.opus")]:
        file = kind(music / name)
        # As long as makes the comment end just before the end of a page, so that more text needs one more page.
        file["metadata_block_picture"] = base64.b64encode(cover.write()).decode()
        file["filler"] = "x" * 20_000
        file.save()


def add_items(music, image):
    for name in ["end.m4a", "start.m4a"]:
        file = mutagen.mp4.MP4(music / name)
        file["covr"] = [mutagen.mp4.MP4Cover(image, mutagen.mp4.AtomDataType.PNG)]
        file["----:com.someone:data"] = [mutagen.mp4.MP4FreeForm(b"\0\1\2", mutagen.mp4.AtomDataType.IMPLICIT)]
        file["trkn"], file["cpil"], file["rtng"] = [(3, 12)], True, [4]
        file.save()
    file = mutagen.asf.ASF(music / "a.wma")
    file["WM/Picture"] = mutagen.asf.ASFByteArrayAttribute(
        b"\x03" + struct.pack("<I", len(image)) + "image/png\0".encode("utf-16-le") + b"\0\0" + image)
    file["Own"] = [mutagen.asf.ASFDWordAttribute(7), mutagen.asf.ASFBoolAttribute(True)]
    file.save()


# What is in a file


def text_of(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def plain_name(key):
    return str(key).lower().removeprefix("txxx:").removeprefix("----:com.apple.itunes:")


def dump(path):
    """All that mutagen finds, as pairs of a name and a value; and those that are written here, by field."""
    rest, found = [], {}

    def take(key, value, text):
        name = NAMES.get(plain_name(key), plain_name(key))
        if name in WRITTEN:
            found[name] = text
        else:
            rest.append((str(key), repr(value)))

    file = mutagen.File(path)
    tags = file.tags
    if isinstance(tags, mutagen.id3.ID3):
        if path.suffix == ".mp3":
            tags = mutagen.id3.ID3(path, translate=False)
            rest.append(("version", tags.version if tags.version < (2, 4) else (2, 4, 0)))
        for key, frame in tags.items():
            short = {"TBP": "TBPM", "TKE": "TKEY"}.get(key, key.replace("TXX:", "TXXX:"))
            take(short, frame, [str(text) for text in getattr(frame, "text", [])])
        rest.extend(("unknown", frame) for frame in tags.unknown_frames)
    elif tags is not None:
        for key in set(map(str, tags.keys())):
            value = tags[key]
            values = str(value).split("\0") if isinstance(tags, mutagen.apev2.APEv2) else value if isinstance(value, list) else [value]
            take(key, value, list(map(text_of, values)))
    if path.suffix == ".mp3":
        with contextlib.suppress(mutagen.apev2.APENoHeaderError):
            for key, value in mutagen.apev2.APEv2(path).items():
                take(key, value, str(value).split("\0"))
        data = path.read_bytes()
        rest.append(("id3v1", data[-128:] if data[-128:-125] == b"TAG" else None))
    if isinstance(file, mutagen.flac.FLAC):
        rest.extend((f"block {block.code}", block.write()) for block in file.metadata_blocks if block.code not in (1, 4))
    return sorted(rest, key=str), found


def output_of(*words):
    return subprocess.run(words, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def decoded(path):
    return output_of("ffmpeg", "-loglevel", "error", "-i", path, "-map", "0:a", "-f", "md5", "-")


def shown_by_mutagen(path):
    tags, shown = mutagen.File(path).tags, {}
    for key in set(map(str, tags.keys())) if tags is not None else ():
        value = tags[key]
        if isinstance(value, mutagen.id3.TCON):
            value = value.genres
        elif isinstance(value, mutagen.id3.Frame):
            value = getattr(value, "text", value)
        elif isinstance(tags, mutagen.apev2.APEv2):
            value = str(value).split("\0") if value.kind == 0 else bytes(value)
        shown[plain_name(key)] = list(map(text_of, value if isinstance(value, list) else [value]))
    return shown


def shown_by_taglib(path):
    with taglib.File(path) as file:
        return {**{key.lower(): list(values) for key, values in file.tags.items()}, "pictures": [str(len(file.pictures))]}


def shown_by_ffprobe(path):
    found, shown = json.loads(output_of(
        "ffprobe", "-v", "error", "-show_entries", "format_tags:stream_tags:stream=codec_type", "-of", "json", path)), {}
    for part in [found.get("format", {}), *found.get("streams", [])]:
        for key, value in part.get("tags", {}).items():
            shown.setdefault(key.lower(), []).append(value)
    shown["pictures"] = [str(sum(stream.get("codec_type") == "video" for stream in found.get("streams", [])))]
    return shown


PROGRAMS = {"mutagen": shown_by_mutagen, "TagLib": shown_by_taglib, "ffprobe": shown_by_ffprobe}


def shown(path):
    return {name: show(path) for name, show in PROGRAMS.items()}


def hidden(before, after):
    """What a program showed and does not show any more. ID3v1 cuts texts short, and has no encoding."""
    lost = []
    for program, old in before.items():
        for key, values in old.items():
            now = after[program].get(key, [])
            if NAMES.get(key, key) in WRITTEN or key == "pictures" and int(now[0]) >= int(values[0]):
                continue
            lost += [(program, key, value) for value in values
                     if not any("\ufffd" in value or other.startswith(value) for other in now)]
    return lost


# The program under test


def read(place, music, database=None):
    words = ["run", music, "--pipeline", place.folder / "pipeline.yaml", "--verbose", "--database", database or place.database]
    return place.analyze(*words).stderr


def write(place, *options):
    """The lines about each file."""
    return [json.loads(line) for line in place.analyze("write-tags", *options, "--json", "--database", place.database).stdout.splitlines()]


@pytest.fixture(scope="module")
def library(place):
    make_library(place.folder, place.music)
    (place.folder / "pipeline.yaml").write_text("analyzers:\n  tags:\n  tempo:\n  key:\n  loudness:\n  chromaprint:\n")
    read(place, place.music)
    place.paths = sorted(place.music.iterdir())
    return place


@pytest.fixture(scope="module")
def old(library):
    """What was in each file before anything was written."""
    return {path.name: SimpleNamespace(rest=dump(path)[0], audio=decoded(path), data=path.read_bytes(), shown=shown(path)) for path in library.paths}


def contents(paths):
    return {path.name: path.read_bytes() for path in paths}


def different(paths, wanted):
    """The names of files that have other bytes."""
    return [path.name for path in paths if path.read_bytes() != wanted[path.name]]


@pytest.fixture(scope="module")
def written(library, old):
    """What the program says of each file that it has written."""
    return {Path(line["path"]).name: line for line in write(library, *FIELDS, library.music, "--yes")}


def test_a_dry_run_changes_nothing(library, old):
    planned = write(library, *FIELDS, library.music)
    assert {line["status"] for line in planned} == {"planned"} and len(planned) == len(library.paths)
    assert not different(library.paths, {name: file.data for name, file in old.items()})


@pytest.mark.parametrize("name", FILES)
def test_readers_find_what_was_written_and_all_that_was_there(library, old, written, name):
    path, before, line = library.music / name, old[name], written[name]
    assert line["status"] == "written", line
    wanted = {change["field"]: change["after"] for change in line["changes"] or []}
    gain = "r128_track_gain" if path.suffix == ".opus" else "replaygain_track_gain"
    assert {"bpm", "initialkey", gain, "acoustid_fingerprint"} <= set(wanted)
    rest, found = dump(path)
    assert (name, "mutagen") in UNSEEN or found == wanted, "mutagen reads what was written"
    lost = [item for item in before.rest if item not in rest and item != ("id3v1", None)]
    new = [item for item in rest if item not in before.rest and item[0] != "version"]
    # A tag that is new begins with what the others say.
    takes_over = name.startswith("only-") or name == "ape.mp3"
    assert takes_over or not lost and not new, f"lost {str(lost)[:300]}, new {str(new)[:300]}"
    now = shown(path)
    assert not hidden(before.shown, now), "not shown any more"
    for program, values in now.items():
        # TagLib 2 has no common name for the gain of an album of Opus; where there is ID3v2 in front, mutagen.File takes
        # WavPack for something else; ffprobe does not show tmpo of MP4, ID3v2 beside INFO, and APE in front of ID3v1.
        if (name, program) in UNSEEN:
            continue
        values = {NAMES.get(key, key): value for key, value in values.items()}
        needed = {"initialkey"} if path.suffix == ".m4a" and program == "ffprobe" else {"bpm", "initialkey"}
        differing = {key: values[key] for key in wanted if key in values and values[key] != wanted[key]}
        assert not differing and needed <= set(values), f"{program} shows {differing or values}, not {wanted}"
    assert decoded(path) == before.audio, "the audio is the same"


def test_a_second_time_changes_nothing(library, written):
    before = contents(library.paths)
    again = write(library, *FIELDS, "--all", "--yes")
    assert {line["status"] for line in again} == {"unchanged"}, f"before a run: {again}"
    assert f"{len(library.paths)} with audio known before" in read(library, library.music), "the next run decodes nothing"
    again = write(library, *FIELDS, "--all", "--yes")
    assert {line["status"] for line in again} == {"unchanged"}, again
    assert not different(library.paths, before)


def test_undo_brings_back_the_old_bytes(library, old, written):
    journals = list(library.folder.glob("library-tags-*.ndjson"))
    assert len(journals) == 1, journals
    for status in ["written", "unchanged"]:
        undone = write(library, "--undo", journals[0])
        assert {line["status"] for line in undone} == {status}, undone
    assert not different(library.paths, {name: file.data for name, file in old.items()})


# Other programs that change the same files


def change_in_a_loop(paths, replaces, stop):
    """Another program that counts in a tag of each file, and does not look at locks."""
    counts = {path: 0 for path in paths}
    while not stop.exists():
        for path in paths:
            target = path.with_suffix(".other") if replaces else path
            if replaces:
                shutil.copy2(path, target)
            tag = mutagen.id3.ID3(target)
            tag["TXXX:COUNT"] = mutagen.id3.TXXX(encoding=0, desc="COUNT", text=[str(counts[path] + 1)])
            tag.save(target)
            if replaces:
                os.replace(target, path)
            counts[path] += 1
            time.sleep(0.001)
    return counts


@pytest.mark.parametrize("kind", ["two databases", "replaces files", "writes into files"])
def test_races(library, kind):
    """Nothing that was reported as written, and nothing that another program wrote, may be missing in the end."""
    folder = library.folder / kind
    (folder / "music").mkdir(parents=True)
    paths, stop = [folder / f"music/{number}.mp3" for number in range(60 if kind == "two databases" else 20)], folder / "stop"
    for path in paths:
        shutil.copy2(library.music / "v24.mp3", path)
    databases = [folder / f"{number}.sqlite" for number in range(2)]
    for database in databases:
        read(library, folder / "music", database)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        other = None if kind == "two databases" else pool.submit(change_in_a_loop, paths, kind == "replaces files", stop)
        commands = [pool.submit(library.analyze, "write-tags", field, "--all", "--yes", "--json", "--database", database, status=None)
                    for field, database in zip(["bpm", "initialkey"], databases)]
        outcomes = [command.result() for command in commands]
        stop.touch()
        counts = other.result() if other else {}
    missing = []
    for outcome, frame in zip(outcomes, ["TBPM", "TKEY"]):
        for line in map(json.loads, outcome.stdout.splitlines()):
            assert line["status"] == "written" or line.get("reason") in ("changed", "in_use"), line
            if line["status"] == "written" and frame not in mutagen.id3.ID3(line["path"]):
                missing.append((line["path"], frame))
    missing += [(path, count) for path, count in counts.items() if str(count) != str(mutagen.id3.ID3(path).get("TXXX:COUNT", 0))]
    assert not missing


# kill -9


class Killing:
    """Runs of the program over the files of the library that are killed."""

    def __init__(self, library):
        self.place, self.paths, self.journal = library, library.paths, library.folder / "kills.ndjson"
        self.spare = shutil.copytree(library.music, library.folder / "spare")
        self.old = contents(self.paths)
        began = time.monotonic()
        process = self.start_writing()
        while not self.journal.exists() and process.poll() is None:
            time.sleep(0.001)
        first = time.monotonic() - began
        process.wait()
        # How long all takes, and how long from the first change.
        self.whole = time.monotonic() - began
        self.changing = self.whole - first
        self.new = contents(self.paths)

    def restore(self):
        for path in self.paths:
            shutil.copy2(self.spare / path.name, path)
        self.journal.unlink(missing_ok=True)

    def command(self, *words):
        return list(map(str, [self.place.program, "write-tags", *words, "--database", self.place.database]))

    def start(self, *words):
        return subprocess.Popen(self.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.place.environment)

    def start_writing(self):
        return self.start(*FIELDS, "--all", "--yes", "--journal", self.journal)

    def kill(self, process, seconds):
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def leftovers(self):
        return set(self.place.music.iterdir()) - set(self.paths)

    def clear(self):
        for path in self.leftovers():
            path.unlink()


def test_kills(library, pytestconfig):
    """Each time at another moment; every file must be the old one or the new one."""
    read(library, library.music)
    killing, chance = Killing(library), random.Random(17)
    assert not [name for name, data in killing.new.items() if data == killing.old[name]], "all files were written"
    for number in range(pytestconfig.option.kills):
        killing.restore()
        process = killing.start_writing()
        # Mostly while files are written, however long it takes until then.
        while chance.random() < 0.999 and not killing.journal.exists() and process.poll() is None:
            time.sleep(0.001)
        killing.kill(process, chance.uniform(0, killing.changing))
        neither = [path.name for path in killing.paths if path.read_bytes() not in (killing.old[path.name], killing.new[path.name])]
        assert not neither, f"kill {number}"
        leftovers = killing.leftovers()
        assert len(leftovers) <= 1 and all(
            path.name.startswith(".nocturne-") and path.suffix == ".partial" for path in leftovers), f"kill {number}"
        killing.clear()
        if number % 5 == 0 and killing.journal.exists():
            # An undo that is killed, and then one that is not: nothing is left of what was written.
            killing.kill(killing.start("--undo", killing.journal), chance.uniform(0, killing.whole))
            library.run(*killing.command("--undo", killing.journal))
            assert not different(killing.paths, killing.old), f"kill {number}: something is left after --undo"
            killing.clear()
