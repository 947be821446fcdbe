#!/usr/bin/env python3
"""Makes degraded clips for fitting the confidence, like those for network.py, but from other tracks.

usage: clips.py OUTPUT_DIRECTORY MATERIAL MANIFEST [--count N] [--seed S] [--parted] [--jobs 2]

MATERIAL   the output of material.py for MANIFEST's tracks
OUTPUT_DIRECTORY   gets ID.raw, of 3 to 15 s, and queries.csv for `recognition-kit evidence`: id, track or NONE, path. Two of five clips are from
           tracks outside the catalog, if there are any.
--parted   clips of 5 s or more in which the track begins or ends; the rest is a track outside the catalog, voices, noise or
           silence
"""
import argparse, csv, os
import numpy as np
from concurrent.futures import ProcessPoolExecutor
import degradations
import excerpts

LENGTHS, SHARES = [3, 5, 10, 15], [.3, .35, .25, .1]
MUSIC = excerpts.KINDS.index("music")


def other(material, rng, count, outside):
    """What is heard where the track is not, at 8 kHz; `outside` are the shares of the tracks that are not in the catalog, if any."""
    kind = rng.choice(["music", "voices", "noise", "silence"][outside is None:])
    if kind == "music":
        own, material.shares = material.shares, outside
        x = excerpts.clip(material, rng, count / degradations.RATE * 2)[0]
        material.shares = own
        return x[:count]
    if kind == "silence":
        return np.zeros(count)
    x = (degradations.voices(material, rng, 2 * count) if kind == "voices" else degradations.colored(rng, 2 * count))[::2]
    return x * (rng.uniform(0.05, 0.7) / (np.abs(x).max() + 1e-9))


def some(job):
    output, folder, manifest, seed, numbers, parted = job
    rng = np.random.default_rng([seed, numbers[0]])
    material = excerpts.Material(folder, [os.path.basename(os.path.dirname(os.path.abspath(manifest)))])
    inside = {r["id"] for r in csv.DictReader(open(manifest, newline="")) if r["split"] == "in"}
    is_in = np.array([name in inside for name in material.names])
    shares = [material.shares * (is_in == known) for known in (False, True)]
    shares = [share / share.sum() if share.sum() else None for share in shares]
    lines = []
    for number in numbers:
        known = bool(rng.random() < 0.6) or shares[0] is None
        material.shares = shares[known]
        kind = MUSIC
        # Where two tracks are heard, either is right.
        while kind % 4 == MUSIC:
            length = rng.choice(LENGTHS[1:]) if parted else rng.choice(LENGTHS, p=SHARES)
            x, track, _, _, kind, _ = excerpts.clip(material, rng, float(length))
        if parted:
            count = int(len(x) * rng.uniform(0.2, 0.6))
            x[slice(0, count) if rng.random() < 0.5 else slice(len(x) - count, None)] = other(material, rng, count, shares[0])
        path = os.path.join(os.path.abspath(output), "c%05d.raw" % number)
        np.clip(np.round(x * 32767), -32768, 32767).astype("<i2").tofile(path)
        lines.append("c%05d,%s,%s\n" % (number, material.names[track] if known else "NONE", path))
    return lines


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("output"); ap.add_argument("material"); ap.add_argument("manifest")
    ap.add_argument("--count", type=int, default=2000); ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--jobs", type=int, default=2); ap.add_argument("--parted", action="store_true")
    a = ap.parse_args()
    os.makedirs(a.output, exist_ok=True)
    jobs = [(a.output, a.material, a.manifest, a.seed, range(i, min(i + 100, a.count)), a.parted) for i in range(0, a.count, 100)]
    with ProcessPoolExecutor(a.jobs) as pool, open(os.path.join(a.output, "queries.csv"), "w") as f:
        for lines in pool.map(some, jobs):
            f.writelines(lines)


if __name__ == "__main__":
    main()
