"""The exports for DJ programs, annotations and players, read by programs that others wrote: pyrekordbox, traktor-nml-utils, jams, mir_eval,
beets, MPD and Mixxx. What these read is compared with what `analyze report` says of a small library."""
import contextlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.parse
from pathlib import PurePath

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


def make_track(place, name, tempi, names):
    path = os.path.join(os.fsencode(place.music), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    inputs = []
    for bpm in tempi:
        clicks = place.folder / f"{bpm}.wav"
        place.analyze("metronome", "--bpm", bpm, "--duration", 40, "--output", clicks)
        inputs += ["-i", clicks]
    # A chord of A minor below the clicks, so that there is a key.
    chord, count = "+".join(f"0.05*sin(2*PI*{hertz}*t)" for hertz in (220, 261.63, 329.63, 440)), max(len(tempi), 1)
    joined = "".join(f"[{i}]" for i in range(count)) + f"concat=n={count}:v=0:a=1[c]"
    mixed = f";aevalsrc={chord}:s=44100:d={40 * count}[k];[c][k]amix=2:normalize=0" if tempi else ";[c]anull"
    silence = ["-f", "lavfi", "-t", "40", "-i", "anullsrc=r=44100"]
    ffmpeg(*(inputs or silence), "-filter_complex", joined + mixed, *tags(names), path)


@pytest.fixture(scope="module")
def report(place):
    """The records of the library by path."""
    for track in TRACKS:
        make_track(place, *track)
    place.analyze("run", place.music, "--progress", "none")
    place.analyze("set", place.music / "Steady/corrected.flac", "--bpm", "60")
    records = place.report("--include", "beats", status=0)
    report = {path_of(record["uri"]): record for record in records if "file_id" in record}
    assert len(report) == len(TRACKS), "all files are analyzed"
    return report


@pytest.fixture(scope="module")
def export(place, report):
    def run(format, output, *options):
        place.analyze("export", format, "--output", output, *(part for option in options for part in ("--option", option)))
        return output

    return run


def path_of(uri):
    return urllib.parse.unquote_to_bytes(uri.removeprefix("file://"))


def is_named(path):
    """Not all programs know names that are no UTF-8."""
    return b"\xe9" not in path


def beats_of(record):
    return (record["tempo"] or {}).get("beats_s") or []


def check_grid(anchors, record, delay=0):
    """Anchors (seconds, bpm) lead to all beats."""
    for beat in beats_of(record):
        start, bpm = max((a for a in anchors if a[0] <= beat + delay + 0.001), default=anchors[0])
        off = (beat + delay - start) / (60 / bpm)
        assert abs(off - round(off)) * 60 / bpm < 0.0065, f"{record['path']}: the grid leads past the beat at {beat}"


# DJ programs


def test_rekordbox(folder, report, export):
    xml = RekordboxXml(export("rekordbox", folder / "rekordbox.xml"))
    tracks = {urllib.parse.unquote_to_bytes(track._element.attrib["Location"].removeprefix("file://localhost")): track for track in xml.get_tracks()}
    assert xml.num_tracks == len(xml.get_tracks()) == len(report)
    assert tracks.keys() == report.keys()
    for path, track in tracks.items():
        record = report[path]
        if not beats_of(record):
            assert not track.tempos, f"{path} has no grid"
            continue
        check_grid([(tempo.Inizio, tempo.Bpm) for tempo in track.tempos], record)
        downbeats = record["tempo"]["downbeats_s"]
        for tempo in track.tempos:
            assert (tempo.Battito is None) == (downbeats is None), f"{path}: bars"
            if downbeats and tempo.Battito == 1:
                assert min(abs(tempo.Inizio - downbeat) for downbeat in downbeats) < 0.001, f"{path}: the downbeat"
        assert abs(track.AverageBpm - record["tempo"]["bpm"]) < 0.006, f"{path}: the tempo"
        assert track.Name == (record["tags"]["title"] or PurePath(os.fsdecode(path)).stem), f"{path}: title"
        marks, expected = {mark.Name: mark.Start for mark in track.marks}, record["cues"]["mix_in_start_s"]
        assert expected is None or abs(marks["Mix in"] - expected) < 0.001, f"{path}: cues"


def test_traktor(folder, report, export):
    entries = TraktorCollection(export("traktor", folder / "collection.nml")).nml.collection.entry
    named = {path: record for path, record in report.items() if is_named(path)}
    assert len(entries) == len(named)
    for entry in entries:
        path = os.fsencode(entry.location.dir.replace("/:", "/") + entry.location.file)
        assert path in named
        record, markers = named[path], [(cue.start / 1000, cue.grid.bpm) for cue in entry.cue_v2 if cue.type == 4]
        if not beats_of(record):
            assert not markers and entry.tempo is None, f"{path} has no grid"
            continue
        check_grid(markers, record, TRAKTOR_DELAY if path.endswith(b".mp3") else 0)
        assert abs(entry.tempo.bpm_quality - 100 * record["tempo"]["confidence"]) < 0.01, f"{path}: quality"
        assert abs(entry.loudness.perceived_db - (-14 - record["loudness"]["integrated_lufs"])) < 0.01, f"{path}: gain"
        if name := record["key"]["tonic"]:
            pitch = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}[name[0]] + name.count("#") - name.count("b")
            minor = 12 * (record["key"]["mode"] == "minor")
            assert entry.musical_key.value_attribute == pitch % 12 + minor, f"{path}: key"


class Mixxx:
    """Mixxx in a home of its own, without a screen and without sound."""

    def __init__(self, place):
        self.home, self.settings = place.folder / "mixxx", place.folder / "mixxx/.mixxx"
        self.environment = {**place.environment, "HOME": str(self.home), "QT_QPA_PLATFORM": "offscreen"}
        self.database = self.settings / "mixxxdb.sqlite"
        self.settings.mkdir(parents=True)
        # A device that plays nothing, and no questions at the start.
        (self.home / ".asoundrc").write_text("pcm.!default { type null }\nctl.!default { type null }\n")
        (self.settings / "mixxx.cfg").write_text("[Library]\nRescanOnStartup 1\n\n[Direct Rendering]\nWarned yes\n")

    def run(self, until, what):
        """Runs it until something is true. Mixxx may end by itself; it is started again."""
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline and not until():
            with open(self.home / "output", "ab") as log:
                process = subprocess.Popen(["mixxx"], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            with contextlib.suppress(AssertionError):
                eventually(lambda: process.poll() is not None or until(), what, 90, every=.2)
            process.kill()
            process.wait()
        assert until(), f"{what}:\n" + "\n".join((self.home / "output").read_text(errors="replace").splitlines()[-30:])

    def ask(self, query, database=None):
        """No rows if there is no such table yet."""
        if not self.database.exists():
            return []
        with contextlib.closing(sqlite3.connect(database or self.database)) as connection:
            try:
                return connection.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []


def test_mixxx(place, report, export):
    mixxx, count = Mixxx(place), len(report) - 1
    mixxx.run(lambda: mixxx.ask("SELECT count(*) FROM directories"), "Mixxx makes a database")
    with contextlib.closing(sqlite3.connect(mixxx.database)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO directories VALUES (?)", [str(place.music)])
    mixxx.run(lambda: len(mixxx.ask("SELECT id FROM library WHERE samplerate > 0")) >= count, "Mixxx scans the library")
    patched = export("mixxx", place.folder / "patched.sqlite", f"database={mixxx.database}")
    rows = mixxx.ask("SELECT track_locations.location, samplerate, bpm, beats_version, beats FROM library "
                     "JOIN track_locations ON track_locations.id = library.location", patched)
    for path, rate, bpm, version, blob in rows:
        record = report.get(os.fsencode(path))
        if record is None or not record["tempo"]["bpm"]:
            assert version is None, f"{path} has no beats"
            continue
        assert abs(bpm - record["tempo"]["bpm"]) < 0.01, path
        if path.endswith("Change.ogg"):
            assert version == "BeatMap-1.0", path
            frames = [beat.frame_position for beat in mixxx_message("BeatMap", blob).beat]
            assert frames == [round(beat * rate) for beat in beats_of(record)], path
        else:
            assert version == "BeatGrid-2.0", path
            grid = mixxx_message("BeatGrid", blob)
            check_grid([(grid.first_beat.frame_position / rate, grid.bpm.bpm)], record)


def mixxx_message(name, blob):
    """The message as Protocol Buffers read it, with the fields of Mixxx's beats.proto."""
    file, kinds = descriptor_pb2.FileDescriptorProto(name="beats.proto", package="check", syntax="proto2"), descriptor_pb2.FieldDescriptorProto
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


# Annotations


def test_jams(place, report, export):
    output = export("jams", place.folder / "jams", f"root={place.music}")
    files = list(output.rglob("*.jams"))
    assert len(files) == len(report)
    for path in files:
        document = jams.load(str(path), strict=True, validate=True)
        beats = [observation.time for annotation in document.search(namespace="beat") for observation in annotation.data]
        assert beats == beats_of(report[path_of(document.file_metadata.identifiers["uri"])]), path.name


def test_lab_and_csv(place, report, export):
    lab, tables = (export(format, place.folder / format, f"root={place.music}") for format in ("lab", "annotations-csv"))
    readers = {"beats": mir_eval.io.load_events, "downbeats": mir_eval.io.load_events, "tempo": mir_eval.io.load_tempo,
               "key": mir_eval.io.load_key, "sections": mir_eval.io.load_labeled_intervals}
    read = {str(path.relative_to(lab)): readers[path.suffixes[-2][1:]](str(path)) for path in lab.rglob("*.lab")}
    expected = beats_of(report[os.fsencode(place.music / "Steady/01 One & <Two>.flac")])
    beats = [mir_eval.beat.trim_beats(found) for found in (numpy.array(expected), read["Steady/01 One & %3CTwo%3E.flac.beats.lab"])]
    assert mir_eval.beat.evaluate(*beats)["F-measure"] == 1, "mir_eval finds the beats"
    assert not list(lab.glob("silence.wav.beats*")), "silence has no beats"
    assert (tables / "Change.ogg.tempo.csv").read_text().count("\n") >= 1, "a tempo map"


# Players


def test_beets(place, report):
    home = place.folder / "beets"
    home.mkdir()
    (home / "config.yaml").write_text(
        f"directory: {place.music}\nlibrary: {home}/library.db\npluginpath: {ROOT}/integrations/beets\nplugins: nocturne\n"
        f"nocturne:\n  analyze: {place.program}\n  database: {place.database}\nimport:\n  copy: no\n  write: no\n  autotag: no\n")

    def beet(*words):
        return place.run(sys.executable, "-m", "beets", *words, environment={"BEETSDIR": str(home), "HOME": str(home)}, text=False).stdout

    beet("import", "-q", "-A", "-C", place.music)
    assert b"bpm" in beet("nocturne", "--pretend"), "--pretend shows changes"
    template = "$path\t$bpm\t$initial_key\t$rg_track_gain\t$nocturne_tempo_bpm"
    assert b"\t0\t" in beet("list", "-f", template, "title:Corrected"), "--pretend makes none"
    beet("nocturne")
    lines = [line.split(b"\t") for line in beet("list", "-f", template).splitlines()]
    assert len(lines) >= len(report) - 1, "the number of tracks"
    for path, bpm, _, gain, exact in lines:
        record = report.get(path)
        if record is None or not record["tempo"]["bpm"]:
            continue
        assert int(bpm) == round(record["tempo"]["bpm"]), path
        assert abs(float(exact) - record["tempo"]["bpm"]) < 0.01, path
        assert abs(float(gain) - record["loudness"]["track_gain_db"]) < 0.051, path
    assert beet("nocturne") == b"", "a second time changes nothing"


@pytest.fixture(scope="module")
def mpd(place):
    """The address of MPD over the library; its playlists are in the folder of the address."""
    home = place.folder / "mpd"
    home.mkdir()
    address = home / "socket"
    (home / "mpd.conf").write_text(
        f'music_directory "{place.music}"\ndb_file "{home}/db"\nsticker_file "{home}/stickers.sqlite"\nplaylist_directory "{home}"\n'
        f'log_file "{home}/log"\nbind_to_address "{address}"\naudio_output {{\n type "null"\n name "null"\n}}\n')
    process = subprocess.Popen(["mpd", "--no-daemon", home / "mpd.conf"], stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: address.exists() or process.poll() is not None, "MPD starts", 30)
        yield address
    finally:
        process.terminate()
        process.wait()


def test_mpd(place, report, export, mpd):
    stickers = export("mpd", place.folder / "stickers.mpd", f"music={place.music}").read_bytes()
    shutil.copy(export("m3u8", place.folder / "mpd.m3u8", "paths=absolute"), mpd.parent / "all.m3u")

    def mpc(*words):
        return place.run("mpc", "--host", mpd, *words).stdout.splitlines()

    mpc("--wait", "update")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(mpd))
        connection.sendall(stickers)
        answers = b"".join(iter(lambda: connection.recv(65_536), b"")).splitlines()
    assert answers and all(line.startswith(b"OK") for line in answers), answers[:3]
    for path, record in report.items():
        if is_named(path):
            song, bpm = os.fsdecode(path).removeprefix(f"{place.music}/"), record["tempo"]["bpm"]
            found = dict(line.split("=", 1) for line in mpc("sticker", song, "list") if "=" in line)
            assert found.get("tempo_bpm") == (None if bpm is None else f"{bpm:.2f}"), song
    assert any("Change.ogg" in line for line in mpc("sticker", "", "find", "tempo_bpm")), "songs with a tempo are found"
    mpc("load", "all")
    assert len(mpc("playlist")) >= len(report) - 1, "MPD finds the tracks of a playlist"
