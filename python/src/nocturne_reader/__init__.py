"""Reads the databases of Nocturne's ``analyze``.

>>> from nocturne_reader import Library
>>> with Library("library.sqlite") as library:
...     frame = library.tracks()
...     beats = library.beats("/music/song.flac").times
"""

from importlib.metadata import PackageNotFoundError, version

from .errors import AnalysisFailed, AnalyzeNotFound, DatabaseError, LibraryBusy, LibraryError, NotAnalyzed
from .findings import Beats, Key, Section, Waveform
from .library import Library

try:
    __version__ = version("nocturne-reader")
except PackageNotFoundError:  # not installed, only on the path
    __version__ = "unknown"

__all__ = [
    "AnalysisFailed",
    "AnalyzeNotFound",
    "Beats",
    "DatabaseError",
    "Key",
    "Library",
    "LibraryBusy",
    "LibraryError",
    "NotAnalyzed",
    "Section",
    "Waveform",
]
