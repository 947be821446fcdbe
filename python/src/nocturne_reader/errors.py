"""What can go wrong. Messages say what to do."""

from __future__ import annotations


class LibraryError(Exception):
    """Any of the errors below."""


class DatabaseError(LibraryError):
    """There is no database, it belongs to another program, or it cannot be read."""


class NotAnalyzed(LibraryError):
    """The database does not know a file, or has no such finding of it."""


class AnalyzeNotFound(LibraryError):
    """The program ``analyze`` is not installed."""


class LibraryBusy(LibraryError):
    """Another run is writing this database."""


class AnalysisFailed(LibraryError):
    """``analyze`` ended with an error."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        #: The exit status.
        self.status = status
