"""A folder with a home, music and a database of its own, and the program under test run in it."""
import json
import os
import socket
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Workplace:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.music, self.database, self.catalog = folder / "music", folder / "library.sqlite", folder / "catalog"
        self.music.mkdir(parents=True, exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ANALYZE_", "ACOUSTID_", "PYTEST_"))}
        folders = {f"XDG_{kind}_HOME": str(folder) for kind in ("CONFIG", "DATA", "STATE", "CACHE")}
        self.environment = {**inherited, **folders, "HOME": str(folder), "ANALYZE_DATABASE": str(self.database)}

    def run(self, *words, status=0, text=True, environment=None, **options):
        """Any program in this environment, here; `status`: what it must end with, a tuple for one of several, None for any."""
        options = {"cwd": self.folder, "timeout": 1200, "stdin": None if "input" in options else subprocess.DEVNULL, **options}
        if not {"stdout", "stderr"} & options.keys():
            options["capture_output"] = True
        done = subprocess.run(list(map(str, words)), text=text, env={**self.environment, **(environment or {})}, **options)
        wanted = status if isinstance(status, tuple) else (status,)
        assert status is None or done.returncode in wanted, f"{' '.join(map(str, words))[:500]}: status {done.returncode}\n{done.stdout}{done.stderr}"
        return done

    def analyze(self, *words, **options):
        """The program under test, with the database of this place unless the words name another."""
        return self.run(self.program, *words, **options)

    def analyze_music(self, *options, status=(0, 3)):
        return self.analyze("run", self.music, "--progress", "none", "--fail-on", "never", *options, status=status)

    def report(self, *options, database=None, status=(0, 3)):
        """The records of all files, as a report in NDJSON has them."""
        words = ["report", "--report", "ndjson", "--output", "-", "--database", database or self.database, *options]
        return [json.loads(line) for line in self.analyze(*words, status=status).stdout.splitlines()]
