#!/usr/bin/env python3
"""Measures recognition in a large simulated catalog, and prints the tables of reports/recognition-scale-DATE.md.

    scale.py KIT CATALOG queries.csv TRUTH WORK [--parts 10] [--tracks 100000] [--seconds 40] [--every 1]

KIT          the program recognition-kit
CATALOG      the real tracks, of which the others are made up; all of them are in the first part
queries.csv  id,path of raw audio (16 bits, mono, 8 kHz), as evaluate.py writes it
TRUTH        CSV with columns query and id, which is NONE for what is in no catalog
WORK         parts go here, some 0.8 MB for an hour of music; what is there is used again
--every N    only each Nth query

A part is a folder with one segment. Folders of several parts are made of links to these segments. "Cold" is measured after the
system has dropped what it keeps of files, which needs root.
"""
import argparse
import csv
import json
import os
import pathlib
import resource
import statistics
import subprocess
import time


def run(*arguments):
    """Output of the kit, and the clock time and the largest memory that it took."""
    start = time.monotonic()
    text = subprocess.run([str(a) for a in arguments], check=True, capture_output=True, text=True).stdout
    return text, time.monotonic() - start


def make_parts(a):
    made = []
    for number in range(1, a.parts + 1):
        folder, log = a.work / f"part-{number}", a.work / f"part-{number}.json"
        if not log.exists():
            text, wall = run(a.kit, "part", a.catalog, folder, a.tracks, number, a.seconds)
            log.write_text(json.dumps(json.loads(text) | {"wall_s": wall}))
            print(f"part {number}: {log.read_text()}", flush=True)
        made.append(json.loads(log.read_text()))
    return made


def joined(a, count):
    """A folder whose catalog has the segments of the first parts."""
    folder = a.work / f"joined-{count}"
    if not (folder / "CATALOG").exists():
        folder.mkdir(exist_ok=True)
        for number in range(1, count + 1):
            segment, = (a.work / f"part-{number}").glob("*.segment")
            os.link(segment, folder / f"{number}.segment")
        run(a.kit, "segments", folder)
    return folder


def warm(folder):
    for segment in folder.glob("*.segment"):
        subprocess.run(["dd", f"if={segment}", "of=/dev/null", "bs=16M", "status=none"], check=True)


def drop_caches():
    subprocess.run(["sync"], check=True)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")


def costs(a, folder, queries, name):
    listed, output = a.work / f"{name}.queries.csv", a.work / f"{name}.csv"
    listed.write_text("".join(f"{q},{path}\n" for q, path in queries))
    text, wall = run(a.kit, "costs", folder, listed, output)
    return json.loads(text) | {"wall_s": wall}, list(csv.DictReader(output.open()))


def milliseconds(rows, column="cpu_ms"):
    values = sorted(float(row[column]) for row in rows)
    if not values:
        return "–"
    return f"{statistics.mean(values):.0f}, {statistics.median(values):.0f}, {values[int(0.95 * (len(values) - 1))]:.0f}"


def size(count):
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("kit", "catalog", "queries", "truth", "work"):
        ap.add_argument(name, type=pathlib.Path)
    ap.add_argument("--parts", type=int, default=10); ap.add_argument("--tracks", type=int, default=100_000)
    ap.add_argument("--seconds", type=int, default=40); ap.add_argument("--every", type=int, default=1)
    a = ap.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    truth = {row["query"]: row["id"] for row in csv.DictReader(a.truth.open(newline=""))}
    queries = [row for row in csv.reader(a.queries.open(newline=""))][:: a.every]
    known = {q for q, _ in queries if truth[q] != "NONE"}

    made = make_parts(a)
    total = {key: sum(part[key] for part in made) for key in made[0]}
    print(f"\n{total['tracks']:,} tracks, {total['hours']:,.0f} h, {total['landmarks'] / 1e6:,.0f} million landmarks, "
          f"{total['postings'] / 1e6:,.0f} million postings, {size(total['bytes'])} in {len(made)} parts")
    print(f"a part: {total['write_cpu_s'] / len(made):.0f} s of CPU to write (longest {max(p['write_cpu_s'] for p in made):.0f}), "
          f"at most {size(max(p['peak_rss_bytes'] for p in made))} resident; {total['wall_s'] / len(made):.0f} s with making up the tracks")

    print("\n| parts asked | tracks | hours | found: CPU ms (mean, median, 95%) | in no catalog | opening | anonymous memory | mapped pages |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    small, answers = costs(a, a.catalog, queries, "real")
    same = {row["query"]: (row["id"], row["offset"]) for row in answers}

    def report(name, tracks, hours, figures, rows):
        found = [row for row in rows if row["query"] in known and row["id"] != "NONE"]
        unknown = [row for row in rows if row["query"] not in known]
        print(f"| {name} | {tracks:,} | {hours:,.0f} | {milliseconds(found)} | {milliseconds(unknown)} | {figures['opened_wall_ms']:.0f} ms "
              f"| {size(figures['anonymous_bytes'])} | {size(figures['mapped_bytes'])} |", flush=True)

    report("the real tracks alone", 0, 0, small, answers)
    counts = sorted({1, max(1, a.parts // 2), a.parts})
    for count in counts:
        folder = joined(a, count)
        warm(folder)
        figures, rows = costs(a, folder, queries, f"joined-{count}")
        report(f"{count}, as one catalog", sum(p["tracks"] for p in made[:count]), sum(p["hours"] for p in made[:count]), figures, rows)
    right = sum(row["id"] == same[row["query"]][0] for row in rows)
    wrong = [(row["query"], same[row["query"]][0], row["id"], row["confidence"]) for row in rows if row["id"] != same[row["query"]][0]]
    print(f"\nanswers as with the real tracks alone: {right} of {len(rows)}; others: {wrong}")
    print(f"told of what is in no catalog: {sum(row['id'] != 'NONE' for row in rows if row['query'] not in known)}")

    apart = [costs(a, a.work / f"part-{number}", queries[::4], f"part-{number}")[1] for number in range(1, a.parts + 1)]
    print("\neach part alone, every fourth query, CPU ms (mean, median, 95%): the first",
          milliseconds([row for row in apart[0] if row["query"] in known]), "if in it,", end=" ")
    others = [row for rows in apart for row in rows if row["query"] not in known]
    print(f"{milliseconds(others)} if in none; the others", milliseconds([r for rows in apart[1:] for r in rows if r["query"] in known]),
          "for what is in the first")

    print("\n| after dropping caches | first query, ms | read | page faults | queries 2 to 20, ms (mean, median, 95%) | read by a query |")
    print("|---|---|---|---|---|---|")
    for name, chosen in (("found", [q for q in queries if q[0] in known][:: max(1, len(known) // 20)][:20]),
                         ("in no catalog", [q for q in queries if q[0] not in known][:20])):
        drop_caches()
        start = time.monotonic()
        figures, rows = costs(a, joined(a, a.parts), chosen, f"cold-{name.split()[0]}")
        rest = rows[1:]
        print(f"| {name} | {float(rows[0]['wall_ms']):,.0f} and {figures['opened_wall_ms']:.0f} to open | {size(int(rows[0]['read_bytes']))} "
              f"| {rows[0]['major_faults']} | {milliseconds(rest, 'wall_ms')} | {size(statistics.mean(int(r['read_bytes']) for r in rest))} |", flush=True)
    print(f"\nlargest memory of a child: {size(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)}")


main()
