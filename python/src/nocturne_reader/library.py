"""A library in a database of ``analyze``."""

from __future__ import annotations

import json
import os
import sqlite3
import urllib.parse
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

from . import columns, frames
from .arrays import floats, unsigned_bytes
from .columns import Column
from .errors import DatabaseError, LibraryError, NotAnalyzed
from .findings import Beats, Key, Section, Waveform
from .program import Program

if TYPE_CHECKING:
    import pandas
    import polars

PathLike = str | bytes | os.PathLike[str] | os.PathLike[bytes]

APPLICATION_ID = 0x4E4F4354
#: Schemas whose meaning is known here.
SCHEMAS = range(3, 9)


def standard_database() -> str:
    """``$ANALYZE_DATABASE``, else ``nocturne/library.sqlite`` in ``$XDG_DATA_HOME`` or ``~/.local/share``."""
    named = os.environ.get("ANALYZE_DATABASE")
    if named:
        return named
    data = os.environ.get("XDG_DATA_HOME", "")
    folder = data if os.path.isabs(data) else os.path.expanduser("~/.local/share")
    return os.path.join(folder, "nocturne", "library.sqlite")


class Library:
    """The tracks of a database, and what is known of each.

    The database is only read, also while a run writes it. All paths are made absolute. Methods for one track raise
    `NotAnalyzed` if the database does not know it; with `analyze_missing` they run ``analyze`` on it first.
    """

    def __init__(
        self, database: PathLike | None = None, *, analyze_missing: bool = False, program: str | os.PathLike[str] | None = None
    ) -> None:
        """
        :param database: The file, by default that of ``analyze``: `standard_database`; without `analyze_missing` it must be there.
        :param analyze_missing: Whether files that the database does not know are analyzed when they are asked for.
        :param program: ``analyze``; else ``$NOCTURNE_ANALYZE``, else the one in ``PATH``.
        """
        self._path = os.path.abspath(os.fsencode(standard_database() if database is None else database))
        self._analyze_missing = analyze_missing
        self._program = Program(program)
        self._connection: sqlite3.Connection | None = None
        if not analyze_missing:
            self._open()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database; it is opened again when something is asked for."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # -- The whole library

    def __len__(self) -> int:
        """How many tracks `tracks` has."""
        count: int = self._rows("SELECT count(*) FROM file WHERE vanished_run IS NULL AND status IS NOT NULL")[0][0]
        return count

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The tracks one after the other, in the order of their paths."""
        return self._read(self.columns())

    def _read(self, chosen: Sequence[Column]) -> Iterator[dict[str, Any]]:
        cursor = self._execute(columns.select(chosen, self._tables()))
        while rows := cursor.fetchmany(1000):
            for row in rows:
                yield columns.read(chosen, row)

    def columns(self) -> list[Column]:
        """The columns of `tracks`: `columns.COLUMNS`, and what the view ``track`` has of further findings."""
        view = [row[1] for row in self._rows("PRAGMA table_info(track)")]
        tables = {
            table: {row[1]: row[2] for row in self._rows(f'PRAGMA table_info("{table}")')} for table in self._tables()
        }
        return [*columns.COLUMNS, *columns.of_findings(view, tables)]

    def _frame(
        self, frame: str | None, chosen: Sequence[Column], rows: Iterable[dict[str, Any]]
    ) -> pandas.DataFrame | polars.DataFrame | list[dict[str, Any]]:
        kind = frame or frames.installed() or "dicts"
        if kind == "pandas":
            return frames.pandas_frame(chosen, rows)
        if kind == "polars":
            return frames.polars_frame(chosen, rows)
        if kind == "dicts":
            return list(rows)
        raise ValueError(f"frame must be 'pandas', 'polars' or 'dicts', not {frame!r}")

    @overload
    def tracks(self, frame: Literal["pandas"]) -> pandas.DataFrame: ...
    @overload
    def tracks(self, frame: Literal["polars"]) -> polars.DataFrame: ...
    @overload
    def tracks(self, frame: Literal["dicts"]) -> list[dict[str, Any]]: ...
    @overload
    def tracks(self, frame: None = None) -> Any: ...

    def tracks(self, frame: Literal["pandas", "polars", "dicts"] | None = None) -> Any:
        """All tracks, one row each, with the columns that `columns` names; unknown values are missing.

        :param frame: What to make; by default the first of pandas and polars that is installed, else dicts.
        """
        chosen = self.columns()
        return self._frame(frame, chosen, self._read(chosen))

    def all_beats(self, frame: Literal["pandas", "polars", "dicts"] | None = None) -> Any:
        """The beats of all tracks, one row each: ``file_id``, ``beat`` (from 1), ``time_s`` and ``is_downbeat``, which is missing
        where it is not known which beats begin a bar. Corrections are included.

        :param frame: As that of `tracks`.
        """
        return self._frame(frame, columns.BEAT_COLUMNS, self._beat_rows())

    def _beat_rows(self) -> Iterator[dict[str, Any]]:
        if not {"song", "beat_grid"} <= self._tables():
            return
        cursor = self._execute(
            "SELECT s.track_id, f.path, c.content_id IS NOT NULL AND c.bpm IS NOT NULL AND c.map IS NULL, "
            "iif(c.content_id IS NULL, g.beats_s, c.beats_s), iif(c.content_id IS NULL, g.downbeats_s, c.downbeats_s) "
            "FROM file f JOIN song s ON s.id = f.id LEFT JOIN beat_grid g ON g.file = f.id "
            "LEFT JOIN tempo_correction c ON c.content_id = f.content_id "
            "WHERE f.vanished_run IS NULL AND f.status IN ('ok', 'partial') ORDER BY f.path"
        )
        for track, path, follow, times, starts in cursor:
            if follow:
                laid = self.beats(path)
                beats, downbeats = laid.times, laid.downbeats
            else:
                beats = json.loads(times or "[]")
                downbeats = None if starts is None else json.loads(starts)
            bars = None if downbeats is None else set(downbeats)
            for number, time in enumerate(beats, 1):
                is_downbeat = None if bars is None else time in bars
                yield {"file_id": track, "beat": number, "time_s": float(time), "is_downbeat": is_downbeat}

    def paths(self) -> list[bytes]:
        """The paths of all tracks as they are on disk, in the order of `tracks`."""
        rows = self._rows("SELECT path FROM file WHERE vanished_run IS NULL AND status IS NOT NULL ORDER BY path")
        return [bytes(row[0]) for row in rows]

    def analyze(
        self, paths: Iterable[PathLike] | PathLike, *, pipeline: str | None = None, options: Sequence[str] = ()
    ) -> bool:
        """Runs ``analyze`` on files and folders, into this database, which is made if it is not there.

        :param pipeline: Such as ``tags-only``; by default that of the settings.
        :param options: More options of ``analyze run``.
        :returns: Whether all files could be read.
        :raises AnalyzeNotFound: if the program is missing.
        :raises LibraryBusy: if another run writes the database.
        :raises AnalysisFailed: if it ended with another error, with its message.
        """
        if isinstance(paths, (str, bytes, os.PathLike)):
            paths = [paths]
        names = [os.path.abspath(os.fsencode(path)) for path in paths]
        more = ["--pipeline", pipeline] if pipeline else []
        return self._program.run(self._path, names, [*more, *options]) == 0

    # -- One track

    def beats(self, path: PathLike) -> Beats:
        """Tempo and beats, corrections included."""
        file, content = self._file(path, "tempo")
        rows = self._rows(
            "SELECT t.bpm, t.confidence, t.stable, t.map, t.reason, g.beats_s, g.downbeats_s "
            "FROM tempo t LEFT JOIN beat_grid g ON g.file = t.file WHERE t.file = ?",
            file,
        )
        correction = self._rows(
            "SELECT bpm, 1.0, stable, map, NULL, beats_s, downbeats_s FROM tempo_correction WHERE content_id = ?",
            content,
        )
        if not rows and not correction:
            raise self._no_finding(path, "tempo")
        bpm, confidence, stable, tempo_map, reason, beats, downbeats = (correction or rows)[0]
        if correction and bpm is not None and tempo_map is None:
            # Set by a program that left it to readers how beats follow from those that were found.
            found = self._program.show(self._path, self._absolute(path))["tempo"]
            beats = json.dumps(found["beats_s"])
            downbeats = None if found["downbeats_s"] is None else json.dumps(found["downbeats_s"])
            tempo_map = json.dumps([[part["start_s"], part["bpm"]] for part in found["map"]])
        return Beats(
            times=floats(json.loads(beats) if beats else []),
            downbeats=floats(json.loads(downbeats)) if downbeats else None,
            bpm=bpm,
            confidence=confidence,
            stable=None if stable is None else bool(stable),
            tempo_map=[(start, value) for start, value in json.loads(tempo_map or "[]")],
            is_corrected=bool(correction),
            reason=reason,
        )

    def tags(self, path: PathLike) -> dict[str, list[str]]:
        """Tags under canonical names; what has none is under ``other:`` and the name that it has in the file."""
        file, _ = self._file(path)
        tags: dict[str, list[str]] = {}
        for name, value in self._rows("SELECT name, value FROM tag WHERE file = ? ORDER BY name, position", file):
            tags.setdefault(name, []).append(value)
        return tags

    def key(self, path: PathLike) -> Key:
        """The musical key."""
        file, _ = self._file(path, "musical_key")
        rows = self._rows("SELECT tonic, mode, camelot, confidence, map, reason FROM musical_key WHERE file = ?", file)
        if not rows:
            raise self._no_finding(path, "key")
        tonic, mode, camelot, confidence, key_map, reason = rows[0]
        return Key(tonic, mode, camelot, confidence, [(start, key) for start, key in json.loads(key_map)], reason)

    def sections(self, path: PathLike) -> list[Section]:
        """The parts of the track, in order; empty if none were found."""
        file, _ = self._file(path, "sections")
        rows = self._rows("SELECT map FROM sections WHERE file = ?", file)
        if not rows:
            raise self._no_finding(path, "sections")
        return [Section(start, end, label, level) for start, end, label, level in json.loads(rows[0][0])]

    def waveform(self, path: PathLike) -> Waveform:
        """What the track looks like over time."""
        file, _ = self._file(path, "waveform")
        rows = self._rows(
            "SELECT w.samples_per_point * 1.0 / w.sample_rate_hz, w.peak_dbfs, w.onset_step_s, p.minima, p.maxima, "
            "p.rms, p.low_peaks, p.mid_peaks, p.high_peaks, p.onsets "
            "FROM waveform w JOIN waveform_points p ON p.file = w.file WHERE w.file = ?",
            file,
        )
        if not rows:
            raise self._no_finding(path, "waveform")
        step, peak, onset_step, *lists = rows[0]
        minima, maxima, rms, low, mid, high, onsets = (unsigned_bytes(blob) for blob in lists)
        return Waveform(step, peak, minima, maxima, rms, low, mid, high, onset_step, onsets)

    # -- The database

    @staticmethod
    def _absolute(path: PathLike) -> bytes:
        return os.path.abspath(os.fsencode(path))

    def _file(self, path: PathLike, table: str | None = None) -> tuple[int, str | None]:
        """The row of a track, and the id of its audio."""
        name = self._absolute(path)
        found = self._look(name)
        if found is None and self._analyze_missing:
            self.analyze([name])
            self.close()
            found = self._look(name)
        shown = os.fsdecode(name)
        if found is None:
            raise NotAnalyzed(f"{shown} is not in the database. Run `analyze` on it, or Library.analyze([path]).")
        file, status, content, problem = found
        if status == "failed":
            raise NotAnalyzed(f"{shown} could not be analyzed: {problem or 'unknown problem'}")
        if table is not None and table not in self._tables():
            raise self._no_finding(path, table)
        return file, content

    def _look(self, name: bytes) -> tuple[int, str, str | None, str | None] | None:
        if self._analyze_missing and not os.path.exists(self._path):
            return None
        rows = self._rows(
            "SELECT f.id, f.status, f.content_id, e.message FROM file f LEFT JOIN failure e ON e.file = f.id "
            "WHERE f.path = ? AND f.vanished_run IS NULL AND f.status IS NOT NULL",
            name,
        )
        return rows[0] if rows else None

    def _no_finding(self, path: PathLike, what: str) -> NotAnalyzed:
        return NotAnalyzed(
            f"There is no {what} of {os.fsdecode(self._absolute(path))}: the analyzer was not in the pipeline, or it "
            "failed (`analyze show FILE` says which). Run `analyze` with a pipeline that has it, such as default."
        )

    def _tables(self) -> set[str]:
        return {row[0] for row in self._rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._execute(sql, *values).fetchall()
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        try:
            return (self._connection or self._open()).execute(sql, values)
        except sqlite3.Error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: sqlite3.Error) -> LibraryError:
        return DatabaseError(
            f"{os.fsdecode(self._path)} cannot be read: {error}. `analyze doctor --check` looks it over."
        )

    def _open(self) -> sqlite3.Connection:
        name = os.fsdecode(self._path)
        if not os.path.isfile(self._path):
            raise DatabaseError(f"There is no database {name}. Run `analyze FOLDER --database {name}` first.")
        uri = "file:" + urllib.parse.quote(self._path) + "?mode=ro"
        try:
            connection = self._opened(uri)
        except sqlite3.OperationalError as error:
            # In a folder that may not be written, SQLite reads what nobody is writing only if it is told so.
            log = self._path + b"-wal"
            if os.path.exists(log) and os.path.getsize(log) > 0:
                raise self._unreadable(error) from error
            try:
                connection = self._opened(uri + "&immutable=1")
            except sqlite3.Error as second:
                raise self._unreadable(second) from second
        except sqlite3.Error as error:
            raise self._unreadable(error) from error
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        schema = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != APPLICATION_ID:
            connection.close()
            raise DatabaseError(f"{name} is the database of another program.")
        if schema not in SCHEMAS:
            connection.close()
            advice = (
                "Update nocturne-reader." if schema >= SCHEMAS.stop else "Run `analyze report` to update the database."
            )
            raise DatabaseError(f"{name} has schema {schema}, which this version does not know. {advice}")
        self._connection = connection
        return connection

    @staticmethod
    def _opened(uri: str) -> sqlite3.Connection:
        connection = sqlite3.connect(uri, uri=True, timeout=10)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection
