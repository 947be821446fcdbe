"""The targets of Package.swift, with the rooms they lie in and what they depend on."""
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Target:
    def __init__(self, description, known):
        self.name = description["name"]
        # As SwiftPM says it: regular, executable, system or test.
        self.kind = description["type"]
        folder = {"test": "Tests"}.get(self.kind, "Sources")
        self.folder = ROOT / (description.get("path") or f"{folder}/{self.name}")
        names = [next(iter(dependency.values()))[0] for dependency in description["dependencies"]]
        self.own = [name for name in names if name in known]
        self.packages = [name for name in names if name not in known]

    @property
    def room(self):
        """The folder of Sources or Tests that it lies in; None for examples and benchmarks."""
        parts = self.folder.relative_to(ROOT).parts
        return parts[1] if parts[0] in ("Sources", "Tests") and len(parts) > 2 else None


def read(options=(), kind=Target):
    """All targets by their names, in the order of Package.swift. `options` go to SwiftPM."""
    text = subprocess.run(
        ["swift", "package", *options, "dump-package"], cwd=ROOT, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL
    ).stdout
    descriptions = json.loads(text)["targets"]
    known = {description["name"] for description in descriptions}
    return {description["name"]: kind(description, known) for description in descriptions}


def reachable(used, name):
    """The names that a name uses, directly or through others."""
    found, waiting = set(), [name]
    while waiting:
        for other in used[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found
