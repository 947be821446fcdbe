#!/usr/bin/env python3
"""A year of nights: a run each night over a library that grows and changes. The database must stay small, and each run
quick.

    Benchmarks/soak/year.py BINARY [--nights 365] [--files 2000] [--seed 1] [--work FOLDER]
"""
import argparse
import os
import shutil
import sys
import tempfile
import time

from library import Library
from trial import Trial, Wrong, check

DAY = 86_400
FIRST_NIGHT = 1_700_000_000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--nights", type=int, default=365)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work")
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="nocturne-year-")
    os.makedirs(work, exist_ok=True)
    try:
        year(os.path.abspath(options.binary), work, options)
    except Wrong as wrong:
        print(f"BROKEN PROMISE: {wrong}\nwhat is left: {work} (seed {options.seed})", file=sys.stderr)
        sys.exit(1)
    if not options.work:
        shutil.rmtree(work)


def year(binary, work, options):
    library = Library(os.path.join(work, "library"), options.seed)
    os.makedirs(library.root, exist_ok=True)
    library.add(options.files, modified=FIRST_NIGHT - DAY)
    trial = Trial(binary, library.root, work)
    times = []
    for night in range(options.nights):
        now = FIRST_NIGHT + night * DAY
        if night:
            # Typical changes to a library: new albums, corrected tags, moved files, deleted files.
            rnd = library.rnd
            if rnd.random() < 0.4:
                library.add(rnd.randrange(1, 25), modified=now)
            for _ in range(rnd.randrange(4)):
                rnd.choice([library.retag, library.change])(modified=now)
            for _ in range(rnd.randrange(3)):
                rnd.choice([library.move, library.remove])()
        start = time.monotonic()
        trial.run()
        times.append(time.monotonic() - start)
        if night % 60 == 0 or night == options.nights - 1:
            print(
                f"  night {night + 1}: {len(library.names)} files, {times[-1]:.2f} s, database "
                f"{os.path.getsize(trial.database) / 1e6:.2f} MB, peak memory {trial.memory[-1]:.0f} MB", flush=True)
    trial.no_leftovers()
    trial.doctor()
    records = trial.records()
    check(len(records) == len(library.names), f"{len(records)} records of {len(library.names)} files")
    fresh = Trial(binary, library.root, os.path.join(work, "fresh"))
    fresh.run()
    wrong = [path for path, record in fresh.records().items() if records.get(path) != record]
    check(not wrong, f"{len(wrong)} results differ from those of a fresh run, first {wrong[:3]}")
    size, fresh_size = os.path.getsize(trial.database), os.path.getsize(fresh.database)
    check(size < 2 * fresh_size, f"the database has {size} bytes, one of a fresh run {fresh_size}")
    nights = sorted(times[1:])
    print(
        f"{options.nights} nights, {len(records)} files at the end: first night {times[0]:.1f} s, the others "
        f"{nights[len(nights) // 2]:.2f} s (median), {nights[-1]:.2f} s (slowest); database {size / 1e6:.2f} MB, of a fresh "
        f"run {fresh_size / 1e6:.2f} MB; records equal to those of a fresh run")
    peaks = trial.memory[1:]
    check(max(peaks) < 1.5 * max(min(peaks), 40), f"memory of a run grows: {min(peaks):.0f} to {max(peaks):.0f} MB")


main()
