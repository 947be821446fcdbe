#!/usr/bin/env python3
"""Makes clips of tracks in rooms and in clubs, of two tracks at once, and short ones, and scores the tracks found in them.

usage: crowded.py make MATERIAL MANIFEST OUTPUT [--half NAME] [--only CONDITION ...] [--count 8] [--seed S] [--jobs 2]
       crowded.py score OUTPUT NAME=TRACKS.csv [NAME=TRACKS.csv ...] [--list]

MATERIAL   the output of material.py for MANIFEST's tracks
MANIFEST   CSV with columns id and split; tracks whose split is "in" are in the catalog. If it has a column half, --half
           takes clips from the tracks of that half only
OUTPUT     gets ID.raw (8 kHz, 16 bits), queries.csv for `recognition-kit tracks`, evidence.csv for `recognition-kit evidence` (clips of
           one track), and truth.csv: query, condition, tracks, source
TRACKS.csv the output of `recognition-kit tracks`

Conditions, COUNT clips of 10 s each:
room       a room with one to four voices in it, 5 dB below the music
room-agc   the same, as loud as the music, with automatic gain control, as MP3 of 48 kbit/s
cafe       a café: a room, six voices and other music 15 dB below, as Opus of 16 kbit/s
club       a telephone in a club, twice COUNT: reverberation of up to 1.5 s, a crowd 3 dB below to 3 dB above the music, clipping, gain control
mash-0, mash-3, mash-speed   two tracks all the time: equally loud, one 3 dB below, one at up to 4% another speed
half-mash  a track of the catalog and one that is not in it
out-…      the same of tracks that are not in the catalog, COUNT of each
short-3, short-5   25 times COUNT clean clips of tracks that are not in the catalog
plain      twice COUNT clean clips, in which one track only is to be found
"""
import argparse, csv, os
import numpy as np
from concurrent.futures import ProcessPoolExecutor
from scipy import signal
import excerpts
from degradations import RATE, add, club, coded, gain_control, room_with_voices

SECONDS = 10


def degraded(x, condition, material, rng, outside):
    if condition == "room": return room_with_voices(x, material, rng, 5, 1)
    if condition == "room-agc": return coded(gain_control(room_with_voices(x, material, rng, 0, 1), rng), "libmp3lame", "48k")
    if condition == "cafe":
        x = room_with_voices(add(x, single(material, outside, rng, len(x) / RATE)[0], x, 15), material, rng, rng.uniform(0, 6), 2)
        return coded(x, "libopus", "16k")
    if condition == "club": return club(x, material, rng, rng.uniform(-3, 3))
    return x


def single(material, shares, rng, seconds, speed=1.0):
    own, material.shares = material.shares, shares
    x, track, first, _ = excerpts.stretch(material, rng, int(seconds * RATE), lambda: speed)
    material.shares = own
    count = int(seconds * RATE)
    if speed != 1:
        x = np.interp(np.arange(count) * speed * 2, np.arange(2 * len(x)), signal.resample_poly(x, 2, 1))
    return x[:count] / (x[:count].std() + 1e-9) * 0.1, material.names[track]


def some(job):
    output, folder, manifest, half, seed, number, condition, count = job
    rng = np.random.default_rng([seed, number])
    material = excerpts.Material(folder, [os.path.basename(os.path.dirname(os.path.abspath(manifest)))])
    rows = {r["id"]: r for r in csv.DictReader(open(manifest, newline=""))}
    def shares(split):
        wanted = np.array([rows[n]["split"] == split and (half is None or rows[n]["half"] == half) for n in material.names])
        return material.shares * wanted / (material.shares * wanted).sum()
    inside, outside = shares("in"), shares("out")
    lines = []
    for i in range(count):
        name = "%s-%03d" % (condition, i)
        kind = condition.removeprefix("out-")
        source = inside if kind == condition and not kind.startswith("short") else outside
        seconds = int(kind[6:]) if kind.startswith("short") else SECONDS
        x, first = single(material, source, rng, seconds)
        sources = [first]
        if "mash" in kind:
            while sources[-1] == first:
                speed = rng.uniform(0.96, 1.04) if kind == "mash-speed" else 1.0
                y, second = single(material, outside if kind == "half-mash" else source, rng, seconds, speed)
                sources = [first, second]
            x = x + y * 10 ** (-(3 if kind == "mash-3" else 0) / 20)
        x = degraded(x, kind, material, rng, outside)
        x = signal.resample_poly(x, 1, 2) * (0.7 / (np.abs(x).max() + 1e-9))
        path = os.path.join(os.path.abspath(output), name + ".raw")
        np.clip(np.round(x * 32767), -32768, 32767).astype("<i2").tofile(path)
        lines.append((name, condition, "+".join(n for n in sources if rows[n]["split"] == "in"), "+".join(sources), path))
    return lines


def make(a):
    os.makedirs(a.output, exist_ok=True)
    disturbed = [("room", 1), ("room-agc", 1), ("cafe", 1), ("club", 2)]
    mashes = [("mash-0", 2), ("mash-3", 1), ("mash-speed", 1)]
    plan = disturbed + mashes + [("half-mash", 1), ("plain", 2)]
    plan += [("out-" + kind, 1) for kind, _ in disturbed + mashes] + [("short-3", 25), ("short-5", 25)]
    plan = [entry for entry in plan if not a.only or entry[0] in a.only]
    jobs = [(a.output, a.material, a.manifest, a.half, a.seed, number, kind, share * a.count) for number, (kind, share) in enumerate(plan)]
    with ProcessPoolExecutor(a.jobs) as pool:
        lines = [line for part in pool.map(some, jobs) for line in part]
    with open(os.path.join(a.output, "queries.csv"), "w") as f:
        f.writelines("%s,%s\n" % (line[0], line[4]) for line in lines)
    with open(os.path.join(a.output, "evidence.csv"), "w") as f:
        f.writelines("%s,%s,%s\n" % (line[0], line[2] or "NONE", line[4]) for line in lines if "+" not in line[3])
    with open(os.path.join(a.output, "truth.csv"), "w", newline="") as f:
        out = csv.writer(f)
        out.writerow("query condition tracks source".split())
        out.writerows(line[:4] for line in lines)


def score(a):
    truth = list(csv.DictReader(open(os.path.join(a.output, "truth.csv"), newline="")))
    for entry in a.answers:
        name, path = entry.split("=", 1)
        found, cells = {}, {}
        for row in csv.DictReader(open(path, newline="")):
            found.setdefault(row["query"], []).append(row)
        for row in truth:
            told = {r["id"] for r in found.get(row["query"], [])}
            wanted = set(row["tracks"].split("+")) - {""}
            cell = cells.setdefault(row["condition"], [0, 0, 0, 0])
            cell[0] += 1
            cell[1] += bool(wanted) and wanted <= told
            cell[2] += bool(wanted & told)
            cell[3] += len(told - wanted)
            if a.list and told - wanted:
                for r in found[row["query"]]:
                    if r["id"] not in wanted: print("wrong", row["query"], row["source"], *r.values())
        print("%-14s %4s %5s %5s %6s   %s" % ("condition", "n", "all", "any", "wrong", name))
        for condition, cell in cells.items():
            print("%-14s %4d %5d %5d %6d" % (condition, *cell))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = ap.add_subparsers(required=True)
    m = commands.add_parser("make"); m.set_defaults(run=make)
    m.add_argument("material"); m.add_argument("manifest"); m.add_argument("output"); m.add_argument("--half"); m.add_argument("--only", nargs="+")
    m.add_argument("--count", type=int, default=8); m.add_argument("--seed", type=int, default=1); m.add_argument("--jobs", type=int, default=2)
    s = commands.add_parser("score"); s.set_defaults(run=score)
    s.add_argument("output"); s.add_argument("answers", nargs="+"); s.add_argument("--list", action="store_true")
    a = ap.parse_args()
    a.run(a)


if __name__ == "__main__":
    main()
