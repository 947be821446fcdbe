"""`analyze write-tags` with readers of tags that others wrote (mutagen, TagLib, ffprobe), with ffmpeg, with other programs that change
the same files, and with kill -9.

A small library of all formats has pictures, chapters, private frames and whatever else must survive. After tags are written, each reader
must find what was to be written, and everything that it found before; the audio must decode to the same; a second time nothing may
change; and --undo must bring back the old bytes. Two commands with two databases, a program that replaces files and one that writes into
them change the same files: what was reported as written, and what they wrote, must be there in the end. When the program is killed at
some moment, each file must be the old or the new one, byte for byte.
"""
import base64
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import time

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
from waiting import eventually

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


# The library

SOUND = "aevalsrc='0.5*sin(2*PI*440*t)*exp(-8*mod(t,0.5))':s=22050:d=5"
TAGS = {"title": "Tïtle", "artist": "Näme", "album": "One"}


def make_library(music):
    """Pieces of sound with tags of all kinds; what ffmpeg cannot write is added."""
    sound, cover = music.parent / "sound.wav", music.parent / "picture.png"
    encode(SOUND, sound)
    picture(cover, "nullsrc=s=200x200,geq=random(1)*255:128:128")
    options = {
        "v22.mp3": ["-id3v2_version", "0", "-b:a", "48k"], "v23.mp3": ["-id3v2_version", "0", "-b:a", "56k"],
        "v24.mp3": ["-id3v2_version", "0", "-b:a", "64k"], "ape.mp3": ["-id3v2_version", "0", "-b:a", "72k"],
        "bare.mp3": ["-id3v2_version", "0", "-b:a", "80k", "-map_metadata", "-1"],
        "a.flac": [], "bare.flac": ["-map_metadata", "-1"], "a.ogg": ["-c:a", "libvorbis"],
        "a.opus": ["-c:a", "libopus", "-b:a", "64k"], "a.oga": ["-c:a", "flac"], "end.m4a": ["-c:a", "aac"],
        "start.m4a": ["-c:a", "aac", "-movflags", "+faststart"], "a.wav": [], "a.aiff": [],
        "a.wv": ["-c:a", "wavpack"], "a.wma": ["-c:a", "wmav2"],
        # Tags of other kinds alone: ID3v1, APE with ID3v1, RIFF INFO, text chunks, ID3v2 and ID3v1 beside formats with their own.
        "only-v1.mp3": ["-id3v2_version", "0", "-b:a", "96k"],
        "only-ape.mp3": ["-id3v2_version", "0", "-b:a", "112k"],
        "only-info.wav": ["-metadata", "genre=Dub", "-metadata", "date=1999", "-ar", "16000"],
        "only-text.aiff": ["-ar", "16000"],
        "only-v1.wv": ["-map_metadata", "-1", "-c:a", "wavpack", "-ar", "16000"],
        "only-v2.wv": ["-map_metadata", "-1", "-c:a", "wavpack", "-ar", "12000"],
        "only-v2.flac": ["-map_metadata", "-1", "-ar", "16000"],
    }
    for name, codec in options.items():
        encode(sound, music / name, *codec, "-bitexact", **TAGS)
    add_what_must_survive(music, cover.read_bytes())


def add_what_must_survive(music, image):
    def frames(tag, version):
        text = {"encoding": 1 if version == 3 else 3}
        for frame in [
            mutagen.id3.TIT2(**text, text="Tïtle"), mutagen.id3.TPE1(**text, text=["Näme"]),
            mutagen.id3.TALB(**text, text="One"), mutagen.id3.TMOO(encoding=0, text="sad"),
            mutagen.id3.TXXX(**text, desc="MIXED case", text=["ä", "b"]),
            mutagen.id3.COMM(**text, lang="eng", desc="", text="comment"),
            mutagen.id3.APIC(encoding=0, mime="image/png", type=3, desc="front", data=image),
            mutagen.id3.PRIV(owner="someone", data=b"\xff\xe0\x00\xff"),
            mutagen.id3.GEOB(encoding=0, mime="a/b", filename="f", desc="d", data=b"\x00\xff\xfb"),
            mutagen.id3.UFID(owner="http://musicbrainz.org", data=b"id"),
            mutagen.id3.POPM(email="me", rating=200, count=7), mutagen.id3.USLT(**text, lang="eng", desc="", text="la"),
            mutagen.id3.CHAP(
                element_id="c1", start_time=0, end_time=2000, start_offset=0xFFFFFFFF, end_offset=0xFFFFFFFF,
                sub_frames=[mutagen.id3.TIT2(**text, text="chäpter")]),
            mutagen.id3.CTOC(element_id="toc", flags=3, child_element_ids=["c1"], sub_frames=[]),
        ]:
            tag.add(frame)

    for name, version in [("v23.mp3", 3), ("v24.mp3", 4)]:
        tag = mutagen.id3.ID3()
        frames(tag, version)
        tag.save(music / name, v2_version=version, v1=2)
    for kind, name in [(mutagen.wave.WAVE, "a.wav"), (mutagen.aiff.AIFF, "a.aiff")]:
        file = kind(music / name)
        if file.tags is None:
            file.add_tags()
        frames(file.tags, 4)
        file.save()
    # Frames that later versions dropped, under a tag of 2.3 that is unsynchronized; and a tag of 2.2.
    path = music / "v23.mp3"
    data = path.read_bytes()
    size = sum(byte << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0)))
    old = b"".join(
        name + struct.pack(">IH", len(text) + 1, 0) + b"\0" + text
        for name, text in [(b"TSIZ", b"123456"), (b"TRDA", b"May"), (b"TDAT", b"0102"), (b"TYER", b"1999")])
    body = re.sub(rb"\xff(?=[\x00\xe0-\xff])", b"\xff\x00", old + data[10:10 + size])
    length = bytes(len(body) >> shift & 127 for shift in (21, 14, 7, 0))
    path.write_bytes(b"ID3\x03\x00\x80" + length + body + data[10 + size:])
    path = music / "v22.mp3"
    body = b"".join(
        name + struct.pack(">I", len(text) + 1)[1:] + b"\0" + text
        for name, text in [(b"TT2", b"Title"), (b"TP1", b"Name"), (b"TAL", b"One"), (b"TXX", b"own\0text")])
    length = bytes(len(body) >> shift & 127 for shift in (21, 14, 7, 0))
    path.write_bytes(b"ID3\x02\x00\x00" + length + body + path.read_bytes())

    for name in ["only-v1.wv", "only-v2.wv"]:
        mutagen.apev2.delete(music / name)
    old = [(b"T\xeftle", 30), (b"N\xe4me", 30), (b"One", 30), (b"1999", 4), (b"words", 28)]
    for name in ["only-v1.mp3", "only-ape.mp3", "only-v1.wv"]:
        with open(music / name, "ab") as file:
            file.write(b"TAG" + b"".join(text.ljust(size, b"\0") for text, size in old) + b"\0\x07\x11")
    for name in ["only-v2.wv", "only-v2.flac"]:
        tag = mutagen.id3.ID3()
        for frame in [
            mutagen.id3.TIT2(encoding=1, text="Tïtle"), mutagen.id3.TPE1(encoding=1, text=["Näme"]),
            mutagen.id3.TRCK(encoding=0, text="3/12"), mutagen.id3.TXXX(encoding=1, desc="Own", text=["ä"]),
        ]:
            tag.add(frame)
        tag.save(music / name, v2_version=3)

    for name in ["ape.mp3", "a.wv", "only-ape.mp3"]:
        tag = mutagen.apev2.APEv2()
        tag.update({"Title": "Tïtle", "Artist": ["Näme", "Other"], "Album": "One"})
        tag["Cover Art (Front)"] = mutagen.apev2.APEValue(b"front.png\0" + image, mutagen.apev2.BINARY)
        tag.save(music / name)

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


@pytest.fixture(scope="module")
def library(place):
    """Analyzed for what is written into tags, with a copy of the files beside."""
    make_library(place.music)
    (place.folder / "pipeline.yaml").write_text("analyzers:\n  tags:\n  tempo:\n  key:\n  loudness:\n  chromaprint:\n")
    read(place, place.music)
    shutil.copytree(place.music, place.folder / "spare")
    return place


@pytest.fixture
def paths(library):
    """The files as they were at first."""
    paths = sorted(path for path in (library.folder / "spare").iterdir())
    for path in paths:
        shutil.copy2(path, library.music)
    return [library.music / path.name for path in paths]


def read(library, music, database=None):
    return library.analyze("run", music, "--pipeline", library.folder / "pipeline.yaml", "--verbose", "--database", database or library.database)


def write(library, *options):
    return [json.loads(line) for line in library.analyze("write-tags", *options, "--json").stdout.splitlines()]


# What is in a file


def dump(path):
    """All that mutagen finds, as pairs of a name and a value; and those that are written here, by field."""

    rest, found = [], {}

    def take(key, value, text):
        name = str(key).lower().removeprefix("txxx:").removeprefix("----:com.apple.itunes:")
        name = NAMES.get(name, name)
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
            values = value if isinstance(value, list) else [value]
            if isinstance(tags, mutagen.apev2.APEv2):
                values = str(value).split("\0")
            take(key, value, [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in values])
    if path.suffix == ".mp3":
        with contextlib.suppress(mutagen.apev2.APENoHeaderError):
            for key, value in mutagen.apev2.APEv2(path).items():
                take(key, value, str(value).split("\0"))
        data = path.read_bytes()
        rest.append(("id3v1", data[-128:] if data[-128:-125] == b"TAG" else None))
    if isinstance(file, mutagen.flac.FLAC):
        for block in file.metadata_blocks:
            if block.code not in (1, 4):
                rest.append((f"block {block.code}", block.write()))
    return sorted(rest, key=str), found


def decoded(path):
    return subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-i", path, "-map", "0:a", "-f", "md5", "-"], capture_output=True, text=True,
        check=True).stdout


def shown_by_mutagen(path):
    tags = mutagen.File(path).tags
    shown = {}
    for key in set(map(str, tags.keys())) if tags is not None else ():
        value = tags[key]
        if isinstance(value, mutagen.id3.TCON):
            value = value.genres
        elif isinstance(value, mutagen.id3.Frame):
            value = getattr(value, "text", value)
        elif isinstance(tags, mutagen.apev2.APEv2):
            value = str(value).split("\0") if value.kind == 0 else bytes(value)
        values = value if isinstance(value, list) else [value]
        name = key.lower().removeprefix("txxx:").removeprefix("----:com.apple.itunes:")
        shown[name] = [v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in values]
    return shown


def shown_by_taglib(path):
    with taglib.File(path) as file:
        shown = {key.lower(): list(values) for key, values in file.tags.items()}
        shown["pictures"] = [str(len(file.pictures))]
    return shown


def shown_by_ffprobe(path):
    output = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format_tags:stream_tags:stream=codec_type", "-of", "json", path],
        capture_output=True, check=True).stdout
    found = json.loads(output.decode("utf-8", "replace"))
    shown = {}
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
    def is_same(old, new):
        return "\ufffd" in old or new.startswith(old)
    lost = []
    for program, old in before.items():
        for key, values in old.items():
            now = after[program].get(key, [])
            if NAMES.get(key, key) in WRITTEN or key == "pictures" and int(now[0]) >= int(values[0]):
                continue
            lost += [(program, key, value) for value in values if not any(is_same(value, other) for other in now)]
    return lost


# The checks


def test_values(library, paths):
    old = {path: (dump(path)[0], decoded(path), path.read_bytes(), shown(path)) for path in paths}
    planned = write(library, *FIELDS, library.music)
    assert {line["status"] for line in planned} == {"planned"} and len(planned) == len(paths), "a dry run plans nothing"
    assert all(path.read_bytes() == old[path][2] for path in paths), "a dry run changes a file"

    written = {pathlib.Path(line["path"]): line for line in write(library, *FIELDS, library.music, "--yes")}
    for path in paths:
        name = path.name
        line = written.get(path, {"status": "missing", "changes": []})
        assert line["status"] == "written", f"{name}: {line}"
        wanted = {change["field"]: change["after"] for change in line["changes"] or []}
        gain = "r128_track_gain" if path.suffix == ".opus" else "replaygain_track_gain"
        assert {"bpm", "initialkey", gain, "acoustid_fingerprint"} <= set(wanted), f"{name}: only {sorted(wanted)}"
        rest, found = dump(path)
        assert (name, "mutagen") in UNSEEN or found == wanted, f"{name}: mutagen reads {found}, not {wanted}"
        lost = [item for item in old[path][0] if item not in rest and item != ("id3v1", None)]
        new = [item for item in rest if item not in old[path][0] and item[0] != "version"]
        # A tag that is new begins with what the others say.
        takes_over = name.startswith("only-") or name == "ape.mp3"
        assert takes_over or not lost and not new, f"{name}: lost {str(lost)[:300]}, new {str(new)[:300]}"
        now = shown(path)
        missing = hidden(old[path][3], now)
        assert not missing, f"{name}: not shown any more: {missing[:5]}"
        for program, values in now.items():
            fields = {NAMES.get(key, key): value for key, value in values.items()}
            # TagLib 2 has no common name for the gain of an album of Opus; where there is ID3v2 in front, mutagen.File takes
            # WavPack for something else; ffprobe does not show tmpo of MP4, ID3v2 beside INFO, and APE in front of ID3v1.
            if (name, program) in UNSEEN:
                continue
            needed = {"initialkey"} if path.suffix == ".m4a" and program == "ffprobe" else {"bpm", "initialkey"}
            differing = {key: fields.get(key) for key in wanted if key in fields and fields[key] != wanted[key]}
            assert not differing and needed <= set(fields), f"{name}: {program} shows {differing or fields}, not {wanted}"
        assert decoded(path) == old[path][1], f"{name}: the audio is not the same"

    before = {path: path.read_bytes() for path in paths}
    again = write(library, *FIELDS, "--all", "--yes")
    assert {line["status"] for line in again} == {"unchanged"}, f"a second time, before a run: {again}"
    seen = read(library, library.music)
    assert f"{len(paths)} with audio known before" in seen.stderr, f"the next run decodes: {seen.stderr}"
    again = write(library, *FIELDS, "--all", "--yes")
    assert {line["status"] for line in again} == {"unchanged"}, f"a second time: {again}"
    assert all(path.read_bytes() == before[path] for path in paths), "a second time changes a file"

    journals = list(library.folder.glob("library-tags-*.ndjson"))
    assert len(journals) == 1, f"journals: {journals}"
    for status in ["written", "unchanged"]:
        undone = write(library, "--undo", journals[0])
        assert {line["status"] for line in undone} == {status}, f"undo: {undone}"
    for path in paths:
        assert path.read_bytes() == old[path][2], f"{path.name}: other bytes than before after --undo"


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
def test_races(library, paths, kind):
    """Nothing that was reported as written, and nothing that another program wrote, may be missing in the end."""
    music = library.folder / "race"
    shutil.rmtree(music, ignore_errors=True)
    music.mkdir()
    copies = [music / f"{number}.mp3" for number in range(60 if kind == "two databases" else 20)]
    for path in copies:
        shutil.copy2(library.music / "v24.mp3", path)
    databases = [library.folder / f"race{number}.sqlite" for number in range(2)]
    for database in databases:
        database.unlink(missing_ok=True)
        read(library, music, database)
    stop = library.folder / "stop"
    stop.unlink(missing_ok=True)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        other = None if kind == "two databases" else pool.submit(change_in_a_loop, copies, kind == "replaces files", stop)
        commands = [
            pool.submit(library.analyze, "write-tags", field, "--all", "--yes", "--json", "--database", database, status=None)
            for field, database in zip(["bpm", "initialkey"], databases)]
        outcomes = [command.result() for command in commands]
        stop.touch()
        counts = other.result() if other else {}
    missing, written = [], 0
    for outcome, frame in zip(outcomes, ["TBPM", "TKEY"]):
        for line in map(json.loads, outcome.stdout.splitlines()):
            written += line["status"] == "written"
            if line["status"] == "written" and frame not in mutagen.id3.ID3(line["path"]):
                missing.append((line["path"], frame))
            assert line["status"] == "written" or line.get("reason") in ("changed", "in_use"), f"{kind}: {line}"
    for path, count in counts.items():
        if str(count) != str(mutagen.id3.ID3(path).get("TXXX:COUNT", 0)):
            missing.append((path, count))
    assert not missing, f"{kind}: {len(missing)} values are missing: {missing[:3]}"
    print(f"{kind}: {written} written, {sum(counts.values())} by another program, {len(missing)} lost")


def test_kills(library, paths, pytestconfig):
    """Killed at random moments, the program leaves each file as the old one or the new one."""
    spare = library.folder / "spare"
    read(library, library.music)
    old = {path: path.read_bytes() for path in paths}
    journal = library.folder / "kills.ndjson"

    def restore():
        for path in paths:
            shutil.copy2(spare / path.name, path)

    def start(*words):
        command = [library.program, "write-tags", *map(str, words)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=library.environment)

    def kill(process):
        process.send_signal(signal.SIGKILL)
        process.wait()

    restore()
    began = time.monotonic()
    process = start(*FIELDS, "--all", "--yes", "--journal", journal)
    eventually(lambda: journal.exists() or process.poll() is not None, "the first file is written", 60, .001)
    first = time.monotonic() - began
    process.wait()
    whole = time.monotonic() - began
    new = {path: path.read_bytes() for path in paths}
    assert all(new[path] != old[path] for path in paths), "not all files were written"
    chance, counts = random.Random(17), collections.Counter()
    for number in range(pytestconfig.option.kills):
        restore()
        journal.unlink(missing_ok=True)
        process = start(*FIELDS, "--all", "--yes", "--journal", journal)
        # Mostly while files are written, however long it takes until then.
        while chance.random() < 0.999 and not journal.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(chance.uniform(0, whole - first))
        kill(process)
        states = set()
        for path in paths:
            data = path.read_bytes()
            assert data in (old[path], new[path]), f"kill {number}: {path.name} is neither old nor new"
            states.add("new" if data == new[path] else "old")
        counts[states.pop() if len(states) == 1 else "mixed"] += 1
        leftovers = set(library.music.iterdir()) - set(paths)
        assert len(leftovers) <= 1 and all(path.name.startswith(".nocturne-") and path.suffix == ".partial" for path in leftovers), (
            f"kill {number}: {leftovers}")
        counts["partial"] += len(leftovers)
        for path in leftovers:
            path.unlink()
        if number % 5 == 0 and journal.exists():
            # An undo that is killed, and then one that is not: nothing is left of what was written.
            process = start("--undo", journal)
            time.sleep(chance.uniform(0, whole))
            kill(process)
            library.analyze("write-tags", "--undo", journal)
            assert all(path.read_bytes() == old[path] for path in paths), f"kill {number}: something is left after --undo"
            counts["undo"] += 1
            for path in set(library.music.iterdir()) - set(paths):
                path.unlink()
    print(f"kills: {dict(counts)}")
