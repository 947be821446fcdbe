"""The columns of `Library.tracks` and where their values come from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

Kind = Literal["text", "integer", "number", "boolean", "time", "texts"]


@dataclass(frozen=True)
class Column:
    """A column: where its values come from, and what they are."""

    name: str
    kind: Kind
    sql: str
    #: The table, among those that are joined, without which there are no values.
    table: str = "file"


#: Those of findings have the names of the CSV report: the finding and its field.
COLUMNS: tuple[Column, ...] = (
    Column("file_id", "text", "song.track_id", "song"),
    Column("path", "text", "file.display_path"),
    Column("status", "text", "file.status"),
    Column("title", "text", "song.title", "song"),
    Column("artist", "text", "song.artist", "song"),
    Column("artists", "texts", "song.artists", "song"),
    Column("album", "text", "song.album", "song"),
    Column("album_artist", "text", "song.album_artist", "song"),
    Column("genres", "texts", "song.genres", "song"),
    Column("date", "text", "song.date", "song"),
    Column("year", "integer", "song.year", "song"),
    Column("track", "integer", "song.track", "song"),
    Column("disc", "integer", "song.disc", "song"),
    Column("compilation", "boolean", "song.compilation", "song"),
    Column("isrc", "text", "song.isrc", "song"),
    Column("recording_id", "text", "song.recording_id", "song"),
    Column("duration_s", "number", "format.duration_s", "format"),
    Column("container", "text", "format.container", "format"),
    Column("codec", "text", "format.codec", "format"),
    Column("sample_rate_hz", "integer", "format.sample_rate_hz", "format"),
    Column("channels", "integer", "format.channels", "format"),
    Column("bit_depth", "integer", "format.bit_depth", "format"),
    Column("bit_rate_bps", "integer", "format.bit_rate_bps", "format"),
    Column("lossless", "boolean", "format.lossless", "format"),
    Column("size_bytes", "integer", "file.size_bytes"),
    Column("modified_at", "time", "file.mtime_ns"),
    Column("tempo_bpm", "number", "iif(tempo_correction.content_id IS NULL, tempo.bpm, tempo_correction.bpm)", "tempo"),
    Column("tempo_confidence", "number", "iif(tempo_correction.content_id IS NULL, tempo.confidence, 1.0)", "tempo"),
    Column("tempo_locked", "boolean", "tempo_correction.content_id IS NOT NULL", "tempo"),
    Column("key_tonic", "text", "musical_key.tonic", "musical_key"),
    Column("key_mode", "text", "musical_key.mode", "musical_key"),
    Column("key_camelot", "text", "musical_key.camelot", "musical_key"),
    Column("key_confidence", "number", "musical_key.confidence", "musical_key"),
    Column("loudness_integrated_lufs", "number", "loudness.integrated_lufs", "loudness"),
    Column("loudness_range_lu", "number", "loudness.range_lu", "loudness"),
    Column("loudness_true_peak_dbtp", "number", "loudness.true_peak_dbtp", "loudness"),
    Column("loudness_track_gain_db", "number", "loudness.track_gain_db", "loudness"),
    Column("loudness_album_gain_db", "number", "loudness.album_gain_db", "loudness"),
    Column("traits_energy", "number", "traits.energy", "traits"),
    Column("traits_danceability", "number", "traits.danceability", "traits"),
    Column("traits_speechiness", "number", "traits.speechiness", "traits"),
    Column("sections_form", "text", "sections.form", "sections"),
    Column("fingerprint_value", "text", "fingerprint.value", "fingerprint"),
    Column("content_id", "text", "file.content_id"),
    Column("problem", "text", "failure.message", "failure"),
)

#: Those of `Library.all_beats`, as the table `beats` of Parquet has them.
BEAT_COLUMNS: tuple[Column, ...] = (
    Column("file_id", "text", ""),
    Column("beat", "integer", ""),
    Column("time_s", "number", ""),
    Column("is_downbeat", "boolean", ""),
)

#: How tables are joined that do not have the id of the file in their column `file`.
JOINS: dict[str, str] = {
    "song": "song.id = file.id",
    "tempo_correction": "tempo_correction.content_id = file.content_id",
}

#: What SQLite calls the types of single values.
SQL_KINDS: dict[str, Kind] = {"INTEGER": "integer", "REAL": "number", "TEXT": "text"}

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def _time(nanoseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=nanoseconds // 1000)


def _texts(text: str) -> list[str]:
    return [str(value) for value in json.loads(text)]


READERS: dict[Kind, Callable[[Any], Any]] = {
    "text": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "time": _time,
    "texts": _texts,
}


def of_findings(view: Iterable[str], tables: dict[str, dict[str, str]]) -> list[Column]:
    """What the view ``track`` has of findings and `COLUMNS` has not, such as those of an analyzer that was added.

    :param view: The columns of the view. It calls them as the table of the finding and its column.
    :param tables: The columns of each table, with their types.
    """
    shown = set(view) - {column.name for column in COLUMNS}
    return [
        Column(f"{table}_{name}", SQL_KINDS[kind], f'"{table}"."{name}"', table)
        for table, names in tables.items()
        for name, kind in names.items()
        if f"{table}_{name}" in shown and kind in SQL_KINDS
    ]


def select(columns: Sequence[Column], tables: Iterable[str]) -> str:
    """The statement for all files that are there, of a database with these tables."""
    present = set(tables)
    values = [column.sql if column.table in present else "NULL" for column in columns]
    # The columns of the tempo ask for its correction, too.
    wanted = {"tempo_correction", *(column.table for column in columns)} & present - {"file"}
    joins = [f'LEFT JOIN "{table}" ON ' + JOINS.get(table, f'"{table}".file = file.id') for table in sorted(wanted)]
    return (
        f"SELECT {', '.join(values)} FROM file {' '.join(joins)} "
        "WHERE file.vanished_run IS NULL AND file.status IS NOT NULL ORDER BY file.path"
    )


def read(columns: Sequence[Column], row: tuple[Any, ...]) -> dict[str, Any]:
    """A row of that statement, by the names of the columns."""
    return {
        column.name: None if value is None else READERS[column.kind](value)
        for column, value in zip(columns, row, strict=True)
    }
