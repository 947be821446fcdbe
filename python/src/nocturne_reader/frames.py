"""Tables of pandas and polars, with a type for each column whatever the values are."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .columns import Column, Kind

if TYPE_CHECKING:
    import pandas
    import polars

PANDAS_TYPES: dict[Kind, str] = {
    "text": "string",
    "integer": "Int64",
    "number": "Float64",
    "boolean": "boolean",
    "time": "datetime64[ns, UTC]",
    "texts": "object",
}


def installed() -> str | None:
    """The first of pandas and polars that is installed."""
    return next((name for name in ("pandas", "polars") if importlib.util.find_spec(name)), None)


def _lists(columns: Sequence[Column], rows: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    lists: dict[str, list[Any]] = {column.name: [] for column in columns}
    for row in rows:
        for name, values in lists.items():
            values.append(row[name])
    return lists


def pandas_frame(columns: Sequence[Column], rows: Iterable[dict[str, Any]]) -> pandas.DataFrame:
    """Types that know missing values: ``string``, ``Int64``, ``Float64``, ``boolean``; UTC times."""
    import pandas

    lists = _lists(columns, rows)
    frame: pandas.DataFrame = pandas.DataFrame(
        {column.name: pandas.Series(lists[column.name], dtype=PANDAS_TYPES[column.kind]) for column in columns}
    )
    return frame


def polars_frame(columns: Sequence[Column], rows: Iterable[dict[str, Any]]) -> polars.DataFrame:
    """Text, whole and floating-point numbers of 64 bits, UTC times in microseconds, lists of text."""
    import polars

    types: dict[Kind, Any] = {
        "text": polars.String,
        "integer": polars.Int64,
        "number": polars.Float64,
        "boolean": polars.Boolean,
        "time": polars.Datetime("us", "UTC"),
        "texts": polars.List(polars.String),
    }
    lists = _lists(columns, rows)
    return polars.DataFrame(
        [polars.Series(column.name, lists[column.name], dtype=types[column.kind]) for column in columns]
    )
