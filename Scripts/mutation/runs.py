"""Runs tests with one mutant switched on, suite by suite, and says what noticed it."""
import importlib.machinery
import importlib.util
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

# Scripts/write-resources, which knows how scripts are joined and named by hashes.
LOADER = importlib.machinery.SourceFileLoader("resources", str(Path(__file__).resolve().parent.parent / "write-resources"))
resources = importlib.util.module_from_spec(importlib.util.spec_from_loader("resources", LOADER))
LOADER.exec_module(resources)

COLORS = re.compile(r"\x1b\[[0-9;]*m")
FAILED = re.compile(r'✘ Test "?(.+?)"? (?:with .*)?recorded an issue')
TIMED_OUT = re.compile(r"Time limit was exceeded")
# A mutant may make a test slower; one that takes this much longer hangs.
MIN_SECONDS, MAX_RATIO = 60, 8
# Suites that take less together run in one process.
BATCH_SECONDS = 3


@dataclass
class Suite:
    name: str  # as Module.Suite
    seconds: float = 0
    reached: set = field(default_factory=set)
    # Tests that fail without a mutant, because they look at sources or at the machine.
    failing: set = field(default_factory=set)

    @property
    def module(self):
        return self.name.split(".")[0]


@dataclass
class Outcome:
    # "failure", "trap", "hang", or None if all passed.
    kind: str = None
    by: str = ""


class Tests:
    """The tests of the copy with mutants."""

    def __init__(self, folder):
        self.folder = folder
        self.binary = folder / ".build/tests/debug/nocturnePackageTests.xctest"

    def suites(self):
        listed = subprocess.run([self.binary, "--testing-library", "swift-testing", "--list-tests"], cwd=self.folder, capture_output=True, text=True)
        names = re.findall(r"^(\w+\.[^/\n]+)/", COLORS.sub("", listed.stdout + listed.stderr), re.M)
        return [Suite(name) for name in dict.fromkeys(names)]

    def run(self, names, mutant=0, only=None, reached=None, failing=frozenset(), limit=1200):
        """Runs suites until one test fails; `only`: a test's name. Returns what noticed the mutant, the names of all
        tests that failed, and the seconds."""
        pattern = "|".join(re.escape(name) for name in names)
        pattern = f"^({pattern})/" + (f".*{re.escape(only.split('(')[0])}\\(" if only else "")
        environment = {**os.environ, "NOCTURNE_TESTS": "1", "NOCTURNE_MUTANT": str(mutant), "NO_COLOR": "1", "TERM": "dumb"}
        if reached:
            environment["NOCTURNE_REACHED"] = str(reached)
        folder = tempfile.mkdtemp(prefix="mutant-")
        # Some tests run programs as other users.
        os.chmod(folder, 0o1777)
        environment["TMPDIR"] = folder
        start, found, failed = time.monotonic(), Outcome(), set()
        process = subprocess.Popen(
            [self.binary, "--testing-library", "swift-testing", "--filter", pattern], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        is_late = threading.Event()
        timer = threading.Timer(limit, lambda: (is_late.set(), end(process)))
        timer.start()
        try:
            for line in process.stdout:
                line = COLORS.sub("", line)
                if match := FAILED.search(line):
                    failed.add(match[1])
                    if mutant and match[1] not in failing:
                        found = Outcome("hang" if TIMED_OUT.search(line) else "failure", match[1])
                        break
            if found.kind is None:
                status = process.wait()
                if is_late.is_set():
                    found = Outcome("hang", "time limit")
                elif status < 0:
                    found = Outcome("trap", signal.Signals(-status).name)
                elif status and not mutant and not failed:
                    found = Outcome("failure", f"status {status}")
        finally:
            timer.cancel()
            end(process)
            shutil.rmtree(folder, ignore_errors=True)
        return found, failed, time.monotonic() - start

    def measure(self, suite, count):
        """How long a suite takes, which mutants it reaches and what fails in it without one."""
        with tempfile.NamedTemporaryFile() as reached:
            reached.truncate(count + 1)
            found, failed, suite.seconds = self.run([suite.name], reached=reached.name)
            suite.reached = {number for number, byte in enumerate(Path(reached.name).read_bytes()) if byte}
            suite.failing = failed
            return found

    def put(self, number, suites, max_seconds=math.inf):
        """Runs the suites that reach a mutant, the fastest first, until one notices it. Returns what did, and the suite or None."""
        batches, seconds, total = [], BATCH_SECONDS, 0
        for suite in sorted(suites, key=lambda one: one.seconds):
            total += suite.seconds
            if total > max_seconds:
                break
            if seconds + suite.seconds > BATCH_SECONDS:
                batches.append([])
                seconds = 0
            batches[-1].append(suite)
            seconds += suite.seconds
        for batch in batches:
            failing = set().union(*(suite.failing for suite in batch))
            limit = max(MIN_SECONDS, MAX_RATIO * sum(suite.seconds for suite in batch))
            found, _, _ = self.run([suite.name for suite in batch], number, failing=failing, limit=limit)
            # A failure counts when it comes again.
            if found.kind == "failure":
                found, _, _ = self.run([suite.name for suite in batch], number, only=found.by, failing=failing, limit=limit)
            if found.kind:
                return found, "+".join(suite.name for suite in batch) if len(batch) < 3 else batch[0].module
        return Outcome(), None


def end(process):
    """Ends a process and those that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def switched_on(text, number):
    """The bytes of a script, or of a program with it, with the mutant's switch on."""
    return text.replace(f"/*M{number}*/0".encode(), f"/*M{number}*/1".encode())


class Pages:
    """The checks of the pages, with a mutant switched on in a copy of the program that has the scripts in it."""

    # Those that take the least time come first.
    SUBJECTS = ["page-scripts", "pages", "app"]

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / ".build/tests/debug/analyze"
        self.failing = set()

    def measure(self):
        _, self.failing, self.seconds = self.run(self.program, limit=1800)

    def put(self, number):
        """The switch is a byte of the script, so that nothing is compiled."""
        text = self.program.read_bytes()
        if f"/*M{number}*/0".encode() not in text:
            return Outcome()
        script = resources.File(self.folder / "Sources/Outputs/Pages/report/script.js.parts").data
        hashes = [resources.policy_hash(some).encode() for some in (script, switched_on(script, number))]
        new = switched_on(text, number).replace(*hashes)
        changed = self.program.with_name(f"analyze-{number}")
        changed.write_bytes(new)
        changed.chmod(0o755)
        try:
            return self.run(changed, limit=max(600, MAX_RATIO * self.seconds))[0]
        finally:
            changed.unlink()

    def run(self, program, limit):
        start = time.monotonic()
        # One failure is enough, if none is expected.
        stop = [] if program == self.program or self.failing else ["-x"]
        words = ["Scripts/run-checks", "--jobs", "1", *stop, "--analyze", program, *self.SUBJECTS]
        process = subprocess.Popen(
            words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
            failed = set(re.findall(r"^(?:FAILED|ERROR) \S*?(test_\S+)", output, re.M)) - self.failing
            kind, by = ("failure", sorted(failed)[0]) if failed else (None, "")
            if process.returncode and not failed and not self.failing:
                kind, by = "failure", f"status {process.returncode}"
        except subprocess.TimeoutExpired:
            kind, by, failed = "hang", "time limit", set()
        finally:
            end(process)
        return Outcome(kind, by), failed, time.monotonic() - start
