from __future__ import annotations

import json
import os
import pathlib
import shutil
import sqlite3
import stat
import subprocess

import pytest
from conftest import BPM, beats, write_wave
from nocturne_reader import AnalysisFailed, AnalyzeNotFound, DatabaseError, Library, LibraryBusy, NotAnalyzed
from nocturne_reader.columns import COLUMNS


def test_tracks_are_rows_of_typed_values(library: Library, folder: pathlib.Path) -> None:
    rows = library.tracks("dicts")
    assert [row["path"] for row in rows] == [
        os.fspath(folder / f"{name}.wav") for name in ("beats", "broken", "silence")
    ]
    assert len(library) == 3
    assert library.paths() == [os.fsencode(row["path"]) for row in rows]
    found, broken, silence = rows
    assert found["tempo_bpm"] == pytest.approx(BPM, rel=0.005)
    assert found["duration_s"] == pytest.approx(20)
    assert found["lossless"] is True
    assert found["modified_at"].tzinfo is not None
    assert len(found["file_id"]) == 22
    assert broken["status"] == "failed" and broken["problem"]
    assert broken["tempo_bpm"] is None
    assert silence["status"] == "ok" and silence["tempo_bpm"] is None


def test_findings_are_called_as_in_the_csv_report(library: Library) -> None:
    schema = subprocess.run([os.environ["NOCTURNE_ANALYZE"], "schema", "csv"], check=True, capture_output=True).stdout
    reported = {field["name"] for field in json.loads(schema)["fields"]}
    findings = ("tempo", "key", "loudness", "traits", "sections", "cues", "fingerprint")
    found = [column.name for column in library.columns() if column.name.startswith(tuple(f"{name}_" for name in findings))]
    assert len(found) > 17 and set(found) <= reported


def test_pandas_and_polars_have_the_same_values(library: Library) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    rows = library.tracks("dicts")
    first = library.tracks("pandas")
    second = library.tracks("polars")
    names = [column.name for column in library.columns()]
    assert names[: len(COLUMNS)] == [column.name for column in COLUMNS] and len(set(names)) == len(names)
    assert list(first.columns) == names and second.columns == names
    assert first["tempo_bpm"].dtype == "Float64" and first["channels"].dtype == "Int64"
    assert str(first["modified_at"].dtype) == "datetime64[ns, UTC]"
    assert second["year"].dtype == polars.Int64 and second["genres"].dtype == polars.List(polars.String)
    assert second.to_dicts() == rows
    assert [None if pandas.isna(value) else value for value in first["tempo_bpm"]] == [row["tempo_bpm"] for row in rows]
    assert isinstance(library.tracks(), pandas.DataFrame)


def test_beats_lie_on_the_grid(library: Library, folder: pathlib.Path) -> None:
    found = library.beats(folder / "beats.wav")
    assert found.bpm == pytest.approx(BPM, rel=0.005)
    assert found.stable and not found.is_corrected and found.reason is None
    assert len(found.times) > 30
    assert hasattr(found.times, "dtype")
    period = 60 / BPM
    for time in found.times:
        assert abs((time + period / 2) % period - period / 2) < 0.03
    nothing = library.beats(folder / "silence.wav")
    assert nothing.bpm is None and nothing.reason and len(nothing.times) == 0


def test_beats_of_all_tracks_are_one_frame(library: Library, folder: pathlib.Path) -> None:
    rows = library.all_beats("dicts")
    found = library.beats(folder / "beats.wav")
    assert [row["time_s"] for row in rows] == list(found.times)
    assert [row["beat"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["file_id"] for row in rows} == {library.tracks("dicts")[0]["file_id"]}
    bars = None if found.downbeats is None else set(found.downbeats)
    assert all(row["is_downbeat"] == (None if bars is None else row["time_s"] in bars) for row in rows)
    pandas = pytest.importorskip("pandas")
    frame = library.all_beats("pandas")
    assert list(frame.columns) == ["file_id", "beat", "time_s", "is_downbeat"] and len(frame) == len(rows)
    assert isinstance(frame, pandas.DataFrame) and frame["is_downbeat"].dtype == "boolean"


def test_the_standard_database_is_found(
    database: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("ANALYZE_DATABASE", raising=False)
    with pytest.raises(DatabaseError, match="nocturne/library.sqlite"):
        Library()
    (tmp_path / "nocturne").mkdir()
    shutil.copy(database, tmp_path / "nocturne" / "library.sqlite")
    assert len(Library()) == 3
    monkeypatch.setenv("ANALYZE_DATABASE", str(database))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert len(Library()) == 3


def test_corrections_count(database: pathlib.Path, folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "corrected.sqlite"
    shutil.copy(database, copy)
    os.system(f"'{os.environ['NOCTURNE_ANALYZE']}' set --half '{folder}/beats.wav' --database '{copy}' 2>/dev/null")
    found = Library(copy).beats(folder / "beats.wav")
    assert found.is_corrected and found.confidence == 1
    assert found.bpm == pytest.approx(BPM / 2, rel=0.005)
    assert 15 <= len(found.times) <= 21
    assert [row["time_s"] for row in Library(copy).all_beats("dicts")] == pytest.approx(list(found.times))


def test_other_findings(library: Library, folder: pathlib.Path) -> None:
    path = folder / "beats.wav"
    key = library.key(path)
    assert (key.tonic, key.mode) in {("A", "minor"), (None, None)}
    waveform = library.waveform(path)
    assert len(waveform.minima) == len(waveform.maxima) == len(waveform.rms) > 0
    assert waveform.step * len(waveform.rms) == pytest.approx(20, rel=0.01)
    sections = library.sections(path)
    assert all(section.start < section.end for section in sections)
    assert isinstance(library.tags(path), dict)


def test_what_is_not_known_is_an_error_that_says_so(library: Library, folder: pathlib.Path) -> None:
    with pytest.raises(NotAnalyzed, match="not in the database"):
        library.beats(folder / "missing.wav")
    with pytest.raises(NotAnalyzed, match="could not be analyzed"):
        library.beats(folder / "broken.wav")


def test_a_missing_file_is_analyzed_on_request(tmp_path: pathlib.Path) -> None:
    music = tmp_path / "a song.wav"
    write_wave(music, beats(12, 100))
    library = Library(tmp_path / "new.sqlite", analyze_missing=True)
    assert library.beats(music).bpm == pytest.approx(100, rel=0.005)
    assert len(library) == 1


def test_errors_of_the_program_are_told(tmp_path: pathlib.Path, database: pathlib.Path, folder: pathlib.Path) -> None:
    with pytest.raises(AnalyzeNotFound, match="Install Nocturne"):
        Library(database, program=tmp_path / "nothing").analyze(folder)
    with pytest.raises(AnalysisFailed, match="nowhere") as failure:
        Library(database).analyze(tmp_path / "nowhere")
    assert failure.value.status not in (0, 3)
    busy = tmp_path / "busy"
    busy.write_text("#!/bin/sh\nexit 11\n")
    busy.chmod(busy.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(LibraryBusy):
        Library(database, program=busy).analyze(folder)


def test_only_databases_of_analyze_are_opened(tmp_path: pathlib.Path, database: pathlib.Path) -> None:
    with pytest.raises(DatabaseError, match="There is no database"):
        Library(tmp_path / "nothing.sqlite")
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(DatabaseError, match="another program"):
        Library(other)
    text = tmp_path / "text.sqlite"
    text.write_text("no database " * 100)
    with pytest.raises(DatabaseError):
        Library(text)
    newer = tmp_path / "newer.sqlite"
    shutil.copy(database, newer)
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    with pytest.raises(DatabaseError, match="Update nocturne-reader"):
        Library(newer)


def test_findings_of_added_analyzers_are_columns(
    database: pathlib.Path, folder: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    copy = tmp_path / "library.sqlite"
    shutil.copy(database, copy)
    with sqlite3.connect(copy) as connection:
        connection.execute("CREATE TABLE clipping (file INTEGER PRIMARY KEY, clipped_samples INTEGER, peak REAL, list BLOB)")
        connection.execute(
            "INSERT INTO clipping SELECT id, 23, 0.5, NULL FROM file WHERE display_path LIKE '%/beats.wav'"
        )
        view = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'track'").fetchone()[0]
        shown = ", clipping.clipped_samples AS clipping_clipped_samples, clipping.peak AS clipping_peak\nFROM file f"
        connection.execute("DROP VIEW track")
        connection.execute(
            view.replace("\nFROM file f", shown).replace("\nWHERE", "\nLEFT JOIN clipping ON clipping.file = f.id\nWHERE")
        )
    library = Library(copy)
    kinds = {column.name: column.kind for column in library.columns()}
    assert kinds["clipping_clipped_samples"] == "integer" and kinds["clipping_peak"] == "number"
    rows = {os.path.basename(row["path"]): row for row in library.tracks("dicts")}
    assert (rows["beats.wav"]["clipping_clipped_samples"], rows["beats.wav"]["clipping_peak"]) == (23, 0.5)
    assert rows["silence.wav"]["clipping_peak"] is None


def test_reading_writes_nothing(database: pathlib.Path, tmp_path: pathlib.Path, folder: pathlib.Path) -> None:
    copy = tmp_path / "library.sqlite"
    shutil.copy(database, copy)
    before = copy.read_bytes()
    with Library(copy) as library:
        library.tracks("dicts")
        library.beats(folder / "beats.wav")
    assert copy.read_bytes() == before


def test_a_database_is_read_while_it_is_written(database: pathlib.Path, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "library.sqlite"
    shutil.copy(database, copy)
    writer = sqlite3.connect(copy, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE file SET size_bytes = 1")
    assert all(row["size_bytes"] != 1 for row in Library(copy).tracks("dicts"))
    writer.execute("COMMIT")
    assert all(row["size_bytes"] == 1 for row in Library(copy).tracks("dicts"))
    writer.close()
