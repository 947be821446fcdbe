"""Observed runs of `analyze`, with checks after each."""
import ctypes
import json
import os
import resource
import signal
import subprocess
import time
import uuid

PR_SET_CHILD_SUBREAPER = 36


class Wrong(Exception):
    """A promise that was not kept."""


def check(condition, message):
    if not condition:
        raise Wrong(message)


class Trial:
    """One database, its reports, and the program that works on them. Each process it starts, directly or not, has a
    mark in its environment and becomes a child of this process when its parent dies, so none can escape."""

    def __init__(self, binary, library, work, jobs=2):
        self.binary, self.library, self.work, self.jobs = binary, library, work, jobs
        self.store = os.path.join(work, "store")
        self.temporary = os.path.join(work, "tmp")
        for folder in (self.store, self.temporary, os.path.join(work, "home")):
            os.makedirs(folder, exist_ok=True)
        self.mark = f"SOAK={uuid.uuid4()}"
        self.database = os.path.join(self.store, "library.sqlite")
        self.memory = []
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, *options, file_limit=None):
        name, value = self.mark.split("=")
        environment = {
            "PATH": os.environ["PATH"], "HOME": os.path.join(self.work, "home"), "TMPDIR": self.temporary, name: value}
        command = [
            self.binary, self.library, "--database", self.database, "--jobs", str(self.jobs), "--report", "json",
            "--report", "ndjson", "--output", self.store, "--metrics", os.path.join(self.store, "nocturne.prom"),
            *options]
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))) if file_limit else None
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit)

    def end(self, process, statuses, limit=1800):
        """Waits for the end of a run.  Returns its standard error."""
        peak = 0
        deadline = time.monotonic() + limit
        while process.poll() is None:
            peak = max(peak, peak_memory(process.pid))
            check(time.monotonic() < deadline, "a run did not come to its end")
            time.sleep(0.02)
        errors = process.stderr.read().decode(errors="replace")
        process.stderr.close()
        check(process.returncode in statuses, f"exit status {process.returncode}, not {statuses}: {errors[-2000:]}")
        self.nothing_runs()
        if process.returncode in (0, 3):
            self.memory.append(peak)
            self.totals_add_up()
        return errors

    def run(self, *options, statuses=(0, 3)):
        return self.end(self.start(*options), statuses)

    # What must hold.

    def nothing_runs(self):
        deadline = time.monotonic() + 10
        while True:
            while True:
                try:
                    if os.waitpid(-1, os.WNOHANG)[0] == 0:
                        break
                except ChildProcessError:
                    break
            alive = [pid for pid in processes() if self.mark in environment_of(pid)]
            children = children_of(os.getpid())
            if not alive and not children:
                return
            check(time.monotonic() < deadline, f"processes are left: {alive + children}")
            time.sleep(0.02)

    def totals_add_up(self):
        with open(os.path.join(self.store, "report.json")) as file:
            report = json.load(file)
        totals = report["run"]["totals"]
        parts = sum(totals[name] for name in ("analyzed", "partial", "cached", "failed", "skipped", "vanished"))
        check(totals["seen"] == parts, f"totals do not add up: {totals}")
        return totals

    def no_leftovers(self):
        allowed = {
            "library.sqlite", "library.sqlite.lock", "report.json", "report.ndjson", "nocturne.prom"}
        found = set(os.listdir(self.store))
        check(found <= allowed, f"left in the folder of the database: {sorted(found - allowed)}")
        check(not os.listdir(self.temporary), f"temporary files are left: {os.listdir(self.temporary)[:5]}")

    def records(self):
        with open(os.path.join(self.store, "report.ndjson")) as file:
            records = {record["path"]: record for record in map(json.loads, file)}
        for record in records.values():
            del record["analyzed_at"]
        return records

    def doctor(self):
        outcome = subprocess.run(
            [self.binary, "doctor", "--check", "--database", self.database], capture_output=True, text=True)
        check(outcome.returncode == 0, "doctor: " + outcome.stdout[-2000:])


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def environment_of(pid):
    return read(f"/proc/{pid}/environ")


def children_of(pid):
    return [
        int(child) for thread in listing(f"/proc/{pid}/task")
        for child in read(f"/proc/{pid}/task/{thread}/children").split()]


def listing(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def peak_memory(pid):
    """Megabytes."""
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
