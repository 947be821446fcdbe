#!/usr/bin/env python3
"""Stress test on a library of many small files: `kill -9` of workers and of the run, signals, a full disk, files that
change while they are read. Afterwards the results must be the same as without all that.

    Benchmarks/soak/soak.py BINARY [--files 20000] [--rounds 12] [--seed 1] [--work FOLDER]

Prints actions and results; exit status 1 if a promise was broken.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from library import Library
from trial import Trial, Wrong, check, children_of, kill


class Chaos(threading.Thread):
    """What happens to a run from outside until it ends."""

    def __init__(self, process, library, rnd, worker_kills, changes, ending):
        super().__init__()
        self.process, self.library, self.rnd = process, library, rnd
        self.worker_kills, self.changes, self.ending = worker_kills, changes, ending
        self.killed_workers = 0
        self.changed = 0

    def run(self):
        start = time.monotonic()
        while self.process.poll() is None:
            time.sleep(self.rnd.uniform(0.01, 0.2))
            if self.ending and time.monotonic() - start > self.ending[1]:
                kill(self.process.pid, self.ending[0])
                if self.ending[0] != signal.SIGKILL:
                    return
            if self.worker_kills and self.rnd.random() < self.worker_kills:
                workers = children_of(self.process.pid)
                if workers:
                    kill(self.rnd.choice(workers))
                    self.killed_workers += 1
            if self.changes and self.rnd.random() < self.changes:
                self.library.disturb()
                self.changed += 1


def full_disk(trial, rnd, files):
    """Fills the disk: a file system of its own if that can be mounted, otherwise a limit on file size. Results stored
    before are kept; the run says what is wrong."""
    room = os.path.getsize(trial.database) + rnd.randrange(50_000, 100_000 + 50 * files)
    folder = trial.store
    aside = folder + ".aside"
    os.rename(folder, aside)
    os.mkdir(folder)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={room}", "soak", folder], stderr=subprocess.DEVNULL).returncode == 0
    try:
        if mounted:
            shutil.copy(os.path.join(aside, "library.sqlite"), folder)
            errors = trial.end(trial.start("--force"), (1,))
            check("No space" in errors or "disk is full" in errors, f"a full disk is not named: {errors[-500:]}")
            shutil.copy(trial.database, aside)
            for name in ("library.sqlite-wal", "library.sqlite-shm"):
                if os.path.exists(os.path.join(folder, name)):
                    shutil.copy(os.path.join(folder, name), aside)
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)
        os.rename(aside, folder)
    if not mounted:
        trial.end(trial.start("--force", file_limit=room), (1,))
    return "full file system" if mounted else "limit on the size of files"


def differences(records, truth):
    """Where two reports differ, apart from the times of analysis."""
    paths = []
    for path in sorted(records.keys() | truth.keys()):
        if records.get(path) != truth.get(path):
            paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work")
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="nocturne-soak-")
    os.makedirs(work, exist_ok=True)
    began = time.monotonic()
    try:
        soak(os.path.abspath(options.binary), work, options)
    except Wrong as wrong:
        print(f"BROKEN PROMISE: {wrong}\nwhat is left: {work} (seed {options.seed})", file=sys.stderr)
        sys.exit(1)
    print(f"all promises kept, {time.monotonic() - began:.0f} s")
    if not options.work:
        shutil.rmtree(work)


def soak(binary, work, options):
    rnd = random.Random(options.seed)
    library = Library(os.path.join(work, "library"), options.seed)
    os.makedirs(library.root, exist_ok=True)
    library.add(options.files)
    print(f"{options.files} files, {options.rounds} rounds, seed {options.seed}", flush=True)
    trial = Trial(binary, library.root, work)
    workers = changed = killed_runs = 0
    for number in range(options.rounds):
        kind = ["kill -9", "SIGTERM", "workers", "changes", "disk", "everything"][number % 6]
        if kind == "disk":
            if not os.path.exists(trial.database):
                continue
            print(f"  {number + 1}: {full_disk(trial, rnd, options.files)}", flush=True)
            continue
        number_of_signal = {"kill -9": signal.SIGKILL, "everything": signal.SIGKILL, "SIGTERM": signal.SIGTERM}.get(kind)
        ending = (number_of_signal, rnd.uniform(1, 20)) if number_of_signal else None
        library.add(options.files // 100)
        process = trial.start(*(["--force"] if kind == "workers" and number > 6 else []))
        chaos = Chaos(
            process, library, rnd, 0.3 if kind in ("workers", "everything") else 0,
            0.5 if kind in ("changes", "everything") else 0, ending)
        chaos.start()
        trial.end(process, (0, 3, -9) if number_of_signal == signal.SIGKILL else (0, 3, 143) if ending else (0, 3))
        chaos.join()
        workers += chaos.killed_workers
        changed += chaos.changed
        killed_runs += process.returncode == -signal.SIGKILL
        print(
            f"  {number + 1}: {kind}, exit status {process.returncode}, {chaos.killed_workers} workers killed, "
            f"{chaos.changed} changes meanwhile", flush=True)

    print("the night after:", flush=True)
    trial.run("--retry-failed")
    totals = trial.totals_add_up()
    print(f"  {totals}")
    trial.run()
    totals = trial.totals_add_up()
    check(totals["analyzed"] == 0, f"files are analyzed again although nothing has changed: {totals}")
    trial.no_leftovers()
    trial.doctor()
    records = trial.records()
    on_disk = {library.path(name) for name in library.names}
    missing, extra = on_disk - records.keys(), records.keys() - on_disk
    check(not missing and not extra, f"{len(missing)} files are in no report, {len(extra)} are in one and gone")

    fresh = Trial(binary, library.root, os.path.join(work, "fresh"))
    fresh.run()
    wrong = differences(records, fresh.records())
    check(not wrong, f"{len(wrong)} results differ from those of a fresh run, first {wrong[:3]}")
    peaks = trial.memory
    check(max(peaks) < 1.5 * max(min(peaks), 40), f"memory of the run grows: {[round(x) for x in peaks]} MB")
    print(
        f"  {len(records)} records equal to those of a fresh run; {workers} workers and {killed_runs} runs killed, {changed} "
        f"changes meanwhile; database {os.path.getsize(trial.database) / 1e6:.1f} MB (fresh "
        f"{os.path.getsize(fresh.database) / 1e6:.1f} MB); peak memory of a run {min(peaks):.0f} to {max(peaks):.0f} MB")


main()
