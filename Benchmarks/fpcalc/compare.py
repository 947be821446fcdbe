#!/usr/bin/env python3
"""Compares the output of `fpcalc` with that of Chromaprint's own program, file by file, and the time that both take.

    Benchmarks/fpcalc/compare.py FPCALC FOLDER [--options "-json -length 60"] [--database FILE]

FPCALC is a link to `analyze` of that name. With a database, known files are not decoded. Prints how many files end how,
lists those whose output differs, and compares the times for the first file, and the first ten, that both can read.
"""

import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import time

OTHER = "/usr/bin/fpcalc"
PATIENCE = 25


def run(words, environment):
    try:
        done = subprocess.run(words, capture_output=True, timeout=PATIENCE, env=environment)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return "hangs", b""


def fingerprint(output):
    return [line for line in output.splitlines() if not line.startswith(b"DURATION")]


def seconds(words, environment):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run(words, environment)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fpcalc")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--options", default="", help="of both programs")
    parser.add_argument("--database", default="", help="where files may be known from")
    arguments = parser.parse_args()
    environment = dict(os.environ, NOCTURNE_DATABASE=arguments.database)
    options = arguments.options.split()
    counts = collections.Counter()
    both = []
    for path in sorted(path for path in arguments.folder.rglob("*") if path.is_file()):
        (status, theirs), (own, ours) = (
            run([program, *options, path], environment) for program in (OTHER, arguments.fpcalc)
        )
        same = (
            "same output"
            if theirs == ours
            else "same fingerprint" if fingerprint(theirs) == fingerprint(ours) else "differs"
        )
        counts[f"{same}; status {status} there, {own} here"] += 1
        if same == "differs":
            print(
                os.fsencode(path).decode(errors="replace"),
                f"{len(theirs)} and {len(ours)} bytes, status {status} and {own}",
                sep=": ",
            )
        elif ours:
            both.append(path)
    for what, count in sorted(counts.items()):
        print(count, what)
    for name, files in ("one file", both[:1]), ("ten files", both[:10]):
        # Theirs must be started for each: it ends with the first that it does not like.
        start = time.perf_counter()
        for path in files:
            run([OTHER, *options, path], environment)
        theirs = time.perf_counter() - start
        ours = seconds([arguments.fpcalc, *options, *files], environment)
        print(f"{name}: {theirs:.3f} s there, {ours:.3f} s here, {theirs / ours:.1f} times as fast")


if __name__ == "__main__":
    main()
