"""The program ``analyze``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from .errors import AnalysisFailed, AnalyzeNotFound, LibraryBusy

# Exit statuses; see `analyze --help`.
FINE, FILES_FAILED, LOCKED = 0, 3, 11


class Program:
    """Runs ``analyze``, from `path`, ``$NOCTURNE_ANALYZE`` or ``PATH``."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = os.fspath(path) if path is not None else os.environ.get("NOCTURNE_ANALYZE")

    def _found(self) -> str:
        found = shutil.which(self._path or "analyze")
        if found is None:
            wanted = f"{self._path} cannot be run" if self._path else "the program analyze is not in PATH"
            raise AnalyzeNotFound(
                f"{wanted}. Install Nocturne (make install), or name the program: "
                "Library(..., program=...) or $NOCTURNE_ANALYZE."
            )
        return found

    def run(self, database: bytes, paths: Sequence[bytes], options: Sequence[str]) -> int:
        """Analyzes files and folders; the number of files that failed anew is not known, only whether there are any."""
        words: list[str | bytes] = [
            self._found(),
            "run",
            "--database",
            database,
            "--progress",
            "none",
            *options,
            "--",
            *paths,
        ]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        message = done.stderr.decode(errors="replace").strip()
        if done.returncode == LOCKED:
            raise LibraryBusy(message or "Another run is writing this database. Try again when it has ended.")
        if done.returncode not in (FINE, FILES_FAILED):
            raise AnalysisFailed(message or f"analyze ended with status {done.returncode}.", done.returncode)
        return done.returncode

    def show(self, database: bytes, path: bytes) -> dict[str, Any]:
        """The record of a file, with its beats."""
        words: list[str | bytes] = [
            self._found(),
            "show",
            "--json",
            "--include",
            "beats",
            "--database",
            database,
            "--",
            path,
        ]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != FINE:
            raise AnalysisFailed(done.stderr.decode(errors="replace").strip(), done.returncode)
        record: dict[str, Any] = json.loads(done.stdout)
        return record
