"""The exports for DJ programs, annotations and players, read by programs that others wrote, and compared with `analyze report`.

pyrekordbox, traktor-nml-utils, jams, mir_eval, beets and protobuf are PyPI's; MPD, mpc and Mixxx are Debian's.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.parse

import jams
import mir_eval
import numpy
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from pyrekordbox.rbxml import RekordboxXml
from sounds import ffmpeg, tags
from traktor_nml_utils import TraktorCollection
from waiting import eventually
from workplace import ROOT

# Name, tempi (a click track for each, one after the other), tags. Without tempi, silence.
TRACKS = [
    (b"Steady/01 One & <Two>.flac", [126], {"title": "One & <Two>", "artist": "Bjørk", "album": "Steady", "date": "1993"}),
    (b"Steady/\xc3\x9cn\xc3\xafcode %20 #2.mp3", [100], {"title": "\"Two\"", "artist": "Bjørk", "album": "Steady"}),
    (b"Steady/corrected.flac", [120], {"title": "Corrected", "artist": "Nobody"}),
    (b"Change.ogg", [100, 140], {"title": "Change", "artist": "Nobody"}),
    (b"latin \xe9.flac", [110], {}),
    (b"silence.wav", [], {}),
]
# Decoders of MP3 that do not cut the encoder's delay, and play ffmpeg's tag as a frame of 1152 samples.
TRAKTOR_DELAY = 1152 / 44_100


def make_library(place):
    for number, (name, tempi, names) in enumerate(TRACKS):
        path = os.path.join(os.fsencode(place.folder / "music"), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        inputs = []
        for index, bpm in enumerate(tempi):
            clicks = place.folder / f"{number}-{index}.wav"
            place.analyze("metronome", "--bpm", bpm, "--duration", "40", "--output", clicks)
            inputs += ["-i", clicks]
        if not inputs:
            inputs = ["-f", "lavfi", "-t", "40", "-i", "anullsrc=r=44100"]
        # A chord of A minor below the clicks, so that there is a key.
        chord = "+".join(f"0.05*sin(2*PI*{hertz}*t)" for hertz in (220, 261.63, 329.63, 440))
        count = max(len(tempi), 1)
        joined = "".join(f"[{i}]" for i in range(count)) + f"concat=n={count}:v=0:a=1[c]"
        mixed = f";aevalsrc={chord}:s=44100:d={40 * count}[k];[c][k]amix=2:normalize=0" if tempi else ";[c]anull"
        ffmpeg(*inputs, "-filter_complex", joined + mixed, *tags(names), path)


@pytest.fixture(scope="module")
def report(place):
    """The records of the library, by the bytes of their paths."""
    make_library(place)
    place.analyze_music(status=0)
    place.analyze("set", place.music / "Steady/corrected.flac", "--bpm", "60")
    found = {path_of(record): record for record in place.report("--include", "beats") if "file_id" in record}
    assert len(found) == len(TRACKS), "all files are analyzed"
    return found


@pytest.fixture(scope="module")
def export(place, report):
    def export(format, output, *options):
        place.analyze("export", format, "--output", output, *(part for option in options for part in ("--option", option)))
        return output

    return export


def path_of(record):
    return urllib.parse.unquote_to_bytes(record["uri"].removeprefix("file://"))


def beats_of(record):
    return (record["tempo"] or {}).get("beats_s") or []


def check_grid(anchors, record, delay, name):
    """That anchors (seconds, bpm) lead to all beats."""
    worst = 0
    for beat in beats_of(record):
        beat += delay
        start, bpm = max((a for a in anchors if a[0] <= beat + 0.001), default=anchors[0])
        off = (beat - start) / (60 / bpm)
        worst = max(worst, abs(off - round(off)) * 60 / bpm)
    assert worst < 0.0065, f"{name}: a beat is {worst * 1000:.1f} ms off"


def test_rekordbox(place, report, export):
    output = place.folder / "rekordbox.xml"
    export("rekordbox", output)
    xml = RekordboxXml(output)
    tracks = xml.get_tracks()
    assert xml.num_tracks == len(tracks) == len(report), "rekordbox: the number of tracks"
    for track in tracks:
        path = urllib.parse.unquote_to_bytes(track._element.attrib["Location"].removeprefix("file://localhost"))
        record = report.get(path)
        assert record is not None, f"rekordbox: {path} is a path of the library"
        if not beats_of(record):
            assert not track.tempos, f"rekordbox: {path} has no grid"
            continue
        check_grid([(t.Inizio, t.Bpm) for t in track.tempos], record, 0, f"rekordbox: {path}")
        downbeats = record["tempo"]["downbeats_s"]
        for tempo in track.tempos:
            assert (tempo.Battito is None) == (downbeats is None), f"rekordbox: {path}: bars"
            if downbeats and tempo.Battito == 1:
                assert min(abs(tempo.Inizio - d) for d in downbeats) < 0.001, f"rekordbox: {path}: the downbeat"
        assert abs(track.AverageBpm - record["tempo"]["bpm"]) < 0.006, f"rekordbox: {path}: the tempo"
        assert track.Name == (record["tags"]["title"] or pathlib.PurePath(os.fsdecode(path)).stem), f"rekordbox: {path}: title"
        marks = {mark.Name: mark.Start for mark in track.marks}
        expected = record["cues"]["mix_in_start_s"]
        assert expected is None or abs(marks["Mix in"] - expected) < 0.001, f"rekordbox: {path}: cues"


def test_traktor(place, report, export):
    output = place.folder / "collection.nml"
    export("traktor", output)
    entries = TraktorCollection(output).nml.collection.entry
    named = {p: r for p, r in report.items() if b"\xe9" not in p}
    assert len(entries) == len(named), "traktor: the number of tracks"
    for entry in entries:
        path = os.fsencode(entry.location.dir.replace("/:", "/") + entry.location.file)
        record = named.get(path)
        assert record is not None, f"traktor: {path} is a path of the library"
        markers = [(cue.start / 1000, cue.grid.bpm) for cue in entry.cue_v2 if cue.type == 4]
        if not beats_of(record):
            assert not markers and entry.tempo is None, f"traktor: {path} has no grid"
            continue
        check_grid(markers, record, TRAKTOR_DELAY if path.endswith(b".mp3") else 0, f"traktor: {path}")
        assert abs(entry.tempo.bpm_quality - 100 * record["tempo"]["confidence"]) < 0.01, f"traktor: {path}: quality"
        loudness = record["loudness"]["integrated_lufs"]
        assert abs(entry.loudness.perceived_db - (-14 - loudness)) < 0.01, f"traktor: {path}: gain"
        if record["key"]["tonic"]:
            tonics = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
            name, minor = record["key"]["tonic"], record["key"]["mode"] == "minor"
            pitch = tonics[name[0]] + name.count("#") - name.count("b")
            assert entry.musical_key.value_attribute == pitch % 12 + 12 * minor, f"traktor: {path}: key"


def test_annotations(place, report, export):
    for format in ("jams", "lab", "annotations-csv"):
        export(format, place.folder / format, f"root={place.folder}/music")
    count = 0
    for path in (place.folder / "jams").rglob("*.jams"):
        document = jams.load(str(path), strict=True, validate=True)
        record = report[urllib.parse.unquote_to_bytes(document.file_metadata.identifiers["uri"].removeprefix("file://"))]
        beats = document.search(namespace="beat")
        assert [o.time for b in beats for o in b.data] == beats_of(record), f"jams: {path.name}: beats"
        count += 1
    assert count == len(report), "jams: the number of files"
    readers = {
        "beats": mir_eval.io.load_events,
        "downbeats": mir_eval.io.load_events,
        "tempo": mir_eval.io.load_tempo,
        "key": mir_eval.io.load_key,
        "sections": mir_eval.io.load_labeled_intervals,
    }
    read = {p.relative_to(place.folder / "lab"): readers[p.suffixes[-2][1:]](str(p)) for p in (place.folder / "lab").rglob("*.lab")}
    beats = read[pathlib.Path("Steady/01 One & %3CTwo%3E.flac.beats.lab")]
    expected = beats_of(report[os.fsencode(place.folder / "music/Steady/01 One & <Two>.flac")])
    scores = mir_eval.beat.evaluate(mir_eval.beat.trim_beats(numpy.array(expected)), mir_eval.beat.trim_beats(beats))
    assert scores["F-measure"] == 1, "lab: mir_eval finds other beats"
    assert not list((place.folder / "lab").glob("silence.wav.beats*")), "lab: silence has no beats"
    assert (place.folder / "annotations-csv/Change.ogg.tempo.csv").read_text().count("\n") >= 1, "csv: tempo map"


def test_beets(place, report, clients):
    home = place.folder / "beets"
    home.mkdir()
    (home / "config.yaml").write_text(
        f"directory: {place.music}\nlibrary: {home}/library.db\npluginpath: {ROOT}/integrations/beets\nplugins: nocturne\n"
        f"nocturne:\n  analyze: {place.program}\n  database: {place.database}\nimport:\n  copy: no\n  write: no\n  autotag: no\n"
    )

    def beet(*arguments):
        return place.run(clients, "-m", "beets", *arguments, environment={"BEETSDIR": str(home), "HOME": str(home)}, text=False).stdout

    beet("import", "-q", "-A", "-C", place.music)
    assert b"bpm" in beet("nocturne", "--pretend"), "beets: --pretend shows changes"
    template = "$path\t$bpm\t$initial_key\t$rg_track_gain\t$nocturne_tempo_bpm"
    assert b"\t0\t" in beet("list", "-f", template, "title:Corrected"), "beets: --pretend makes none"
    beet("nocturne")
    lines = [line.split(b"\t") for line in beet("list", "-f", template).splitlines()]
    assert len(lines) >= len(report) - 1, "beets: the number of tracks"
    for path, bpm, key, gain, exact in lines:
        record = report.get(path)
        if record is None or not record["tempo"]["bpm"]:
            continue
        assert int(bpm) == round(record["tempo"]["bpm"]), f"beets: {path}: bpm {bpm}"
        assert abs(float(exact) - record["tempo"]["bpm"]) < 0.01, f"beets: {path}: nocturne_tempo_bpm {exact}"
        assert abs(float(gain) - record["loudness"]["track_gain_db"]) < 0.051, f"beets: {path}: gain {gain}"
    assert beet("nocturne") == b"", "beets: a second time changes nothing"


@contextlib.contextmanager
def mpd(place):
    home = place.folder / "mpd"
    home.mkdir()
    address = home / "socket"
    (home / "mpd.conf").write_text(
        f'music_directory "{place.music}"\ndb_file "{home}/db"\nsticker_file "{home}/stickers.sqlite"\n'
        f'playlist_directory "{home}"\nlog_file "{home}/log"\nbind_to_address "{address}"\n'
        'audio_output {\n type "null"\n name "null"\n}\n'
    )
    process = subprocess.Popen(["mpd", "--no-daemon", home / "mpd.conf"], stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: address.exists() or process.poll() is not None, "MPD starts", 30)
        yield address
    finally:
        process.terminate()
        process.wait()


def test_mpd(place, report, export):
    output = place.folder / "stickers.mpd"
    export("mpd", output, f"music={place.music}")
    export("m3u8", place.folder / "mpd.m3u8", "paths=absolute")
    with mpd(place) as address:
        mpc = lambda *words: place.run("mpc", "--host", address, *words).stdout
        mpc("--wait", "update")
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(address))
            connection.sendall(output.read_bytes())
            answers = b"".join(iter(lambda: connection.recv(65_536), b"")).splitlines()
        assert answers and all(line.startswith(b"OK") for line in answers), f"mpd: answers {answers[:3]}"
        for path, record in report.items():
            if b"\xe9" in path:
                continue
            song = os.fsdecode(path).removeprefix(f"{place.music}/")
            listed = mpc("sticker", song, "list").split("\n")
            stickers = dict(line.split("=", 1) for line in listed if "=" in line)
            bpm = record["tempo"]["bpm"]
            assert stickers.get("tempo_bpm") == (None if bpm is None else f"{bpm:.2f}"), f"mpd: {song}: {stickers}"
        found = mpc("sticker", "", "find", "tempo_bpm")
        assert "Change.ogg" in found, "mpd: songs with a tempo are found"
        shutil.copy(place.folder / "mpd.m3u8", place.folder / "mpd/all.m3u")
        mpc("load", "all")
        count = len(mpc("playlist").splitlines())
        assert count >= len(report) - 1, f"m3u8: MPD finds {count} tracks"


def mixxx(place, home, until):
    """Runs Mixxx without a screen and without sound until something is true. Mixxx may end by itself; it is started again."""
    environment = {**place.environment, "HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not until():
        with open(home / "output", "ab") as log:
            process = subprocess.Popen(["mixxx"], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            started = time.monotonic()
            with contextlib.suppress(AssertionError):
                eventually(lambda: process.poll() is not None or until(), "Mixxx has done it", min(90, deadline - started), .2)
        finally:
            process.kill()
            print(f"mixxx ran {time.monotonic() - started:.0f} s, ended with {process.wait()}")
    assert until(), "\n".join((home / "output").read_text(errors="replace").splitlines()[-30:])


def test_mixxx(place, report, export):
    home = place.folder / "mixxx"
    settings = home / ".mixxx"
    settings.mkdir(parents=True)
    # A device that plays nothing, and no questions at the start.
    (home / ".asoundrc").write_text("pcm.!default { type null }\nctl.!default { type null }\n")
    (settings / "mixxx.cfg").write_text("[Library]\nRescanOnStartup 1\n\n[Direct Rendering]\nWarned yes\n")
    database = settings / "mixxxdb.sqlite"

    def ask(query, database=database):
        with contextlib.closing(sqlite3.connect(database)) as connection:
            try:
                return connection.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []

    # It makes a database, and scans the library that the database names then.
    mixxx(place, home, until=lambda: database.exists() and ask("SELECT count(*) FROM directories"))
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO directories VALUES (?)", [f"{place.music}"])
    count = len(report) - 1
    mixxx(place, home, until=lambda: len(ask("SELECT id FROM library WHERE samplerate > 0")) >= count)
    patched = place.folder / "patched.sqlite"
    export("mixxx", patched, f"database={database}")
    for path, rate, bpm, version, blob in ask(
        "SELECT track_locations.location, samplerate, bpm, beats_version, beats FROM library "
        "JOIN track_locations ON track_locations.id = library.location",
        patched,
    ):
        record = report.get(os.fsencode(path))
        if record is None or not record["tempo"]["bpm"]:
            assert version is None, f"mixxx: {path} has no beats"
            continue
        assert abs(bpm - record["tempo"]["bpm"]) < 0.01, f"mixxx: {path}: bpm {bpm}"
        if path.endswith("Change.ogg"):
            assert version == "BeatMap-1.0", f"mixxx: {path}: {version}"
            frames = [beat.frame_position for beat in mixxx_message("BeatMap", blob).beat]
            assert frames == [round(beat * rate) for beat in beats_of(record)], f"mixxx: {path}: beats"
        else:
            assert version == "BeatGrid-2.0", f"mixxx: {path}: {version}"
            grid = mixxx_message("BeatGrid", blob)
            check_grid([(grid.first_beat.frame_position / rate, grid.bpm.bpm)], record, 0, f"mixxx: {path}")


def mixxx_message(name, blob):
    """What Protocol Buffers read, with the fields of Mixxx's beats.proto."""
    file = descriptor_pb2.FileDescriptorProto(name="beats.proto", package="check", syntax="proto2")
    kinds = descriptor_pb2.FieldDescriptorProto
    for message, fields in {
        "Beat": [("frame_position", kinds.TYPE_INT32, "")],
        "Bpm": [("bpm", kinds.TYPE_DOUBLE, "")],
        "BeatMap": [("beat", kinds.TYPE_MESSAGE, "Beat")],
        "BeatGrid": [("bpm", kinds.TYPE_MESSAGE, "Bpm"), ("first_beat", kinds.TYPE_MESSAGE, "Beat")],
    }.items():
        described = file.message_type.add(name=message)
        for number, (field, kind, type_name) in enumerate(fields, 1):
            label = kinds.LABEL_REPEATED if message == "BeatMap" else kinds.LABEL_OPTIONAL
            described.field.add(name=field, number=number, type=kind, label=label)
            if type_name:
                described.field[-1].type_name = f".check.{type_name}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"check.{name}")).FromString(blob)
