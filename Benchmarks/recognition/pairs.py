#!/usr/bin/env python3
"""Measures how well two tracks in one clip are told apart.

usage: pairs.py MANIFEST SCRATCH [--count N] [--seed S] [--kit PROGRAM]

MANIFEST   CSV with columns id, split and path (relative to the manifest); tracks whose split is "in" make the catalog
SCRATCH    the folder of evaluate.py, with its decoded tracks and its catalog; clips go to pairs/ in it
--kit      another build of recognition-kit, for comparison

Clips of 6 to 30 s, each of parts of two tracks: cut together at 20 to 80% of the clip, faded over up to 4 s, or heard together
in the middle third. A fifth of the tracks are not in the catalog. Half of the clips are clean; the others are in pink noise, or
went through a telephone. Where a track begins or ends is the middle of the fade. Needs ffmpeg with libsoxr, numpy and scipy.
"""
import argparse, csv, os, subprocess
import numpy as np
from scipy import signal
from evaluate import HERE, decode

RATE = 8000
JOINTS, CONDITIONS = ["cut", "fade", "both"], ["clean", "clean", "clean", "pink+10", "pink+3", "phone"]
# A track counts only if it is heard alone for this long, in seconds.
LEAST = 3


def pink(rng, count):
    spectrum = np.fft.rfft(rng.normal(size=count))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    noise = np.fft.irfft(spectrum, count)
    return noise / np.sqrt((noise ** 2).mean())


def degraded(x, condition, rng):
    if condition.startswith("pink"):
        x = x + pink(rng, len(x)) * np.sqrt((x ** 2).mean()) * 10 ** (-float(condition[4:]) / 20)
    if condition == "phone":
        x = signal.sosfilt(signal.butter(4, [300, 3400], "bandpass", fs=RATE, output="sos"), x)
        loud = np.abs(x).max() + 1e-9
        # 8 bits, mu-law.
        x = np.sign(x) * np.log1p(255 * np.abs(x) / loud) / np.log(256)
        x = np.round(x * 127) / 127
        x = np.sign(x) * np.expm1(np.abs(x) * np.log(256)) / 255 * loud
    return x * min(1, 0.98 / (np.abs(x).max() + 1e-9))


def excerpt(path, rng, seconds):
    x = np.fromfile(path, "<i2")
    first = int(rng.integers(0, max(1, len(x) - int(seconds * RATE))))
    x = x[first:first + int(seconds * RATE)].astype(float)
    return x / (np.sqrt((x ** 2).mean()) + 1e-9) * 0.15, first / RATE


def make(rng, tracks, outside):
    """The samples of a clip, and id, start and end of its two tracks, with how they are joined."""
    while True:
        length, joint = rng.uniform(6, 30), rng.choice(JOINTS)
        middle = length * rng.uniform(0.2, 0.8)
        overlap = {"cut": 0, "fade": rng.uniform(0.2, 4), "both": length / 3}[joint]
        if joint == "both":
            middle = length / 2
        overlap = min(overlap, 2 * middle, 2 * (length - middle))
        ends = [middle + overlap / 2, length - (middle - overlap / 2)]
        ids = [str(rng.choice(outside if len(outside) and rng.random() < 0.2 else tracks)) for _ in range(2)]
        if ids[0] != ids[1]:
            break
    parts = [excerpt(os.path.join(SCRATCH, "tracks", name + ".raw"), rng, end)[0] for name, end in zip(ids, ends)]
    if any(len(part) < int(end * RATE) for part, end in zip(parts, ends)):
        return make(rng, tracks, outside)
    x, faded = np.zeros(int(length * RATE)), int(overlap * RATE)
    if joint == "fade":
        parts[0][-faded:] *= np.linspace(1, 0, faded)
        parts[1][:faded] *= np.linspace(0, 1, faded)
    x[:len(parts[0])] += parts[0]
    x[-len(parts[1]):] += parts[1]
    limits = [(0, middle), (middle, length)] if joint == "fade" else [(0, ends[0]), (length - ends[1], length)]
    return x, [(name, *limit) for name, limit in zip(ids, limits)], joint, overlap


def main():
    global SCRATCH
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("manifest"); ap.add_argument("scratch"); ap.add_argument("--count", type=int, default=200)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--kit", default=os.path.join(HERE, ".build", "release", "recognition-kit"))
    a = ap.parse_args()
    SCRATCH = a.scratch
    folder = os.path.join(SCRATCH, "pairs")
    os.makedirs(folder, exist_ok=True)
    rows = list(csv.DictReader(open(a.manifest, newline="")))
    top = os.path.dirname(os.path.abspath(a.manifest))
    for row in rows:
        decode((os.path.join(top, row["path"]), os.path.join(SCRATCH, "tracks", row["id"] + ".raw")))
    inside, outside = ([r["id"] for r in rows if r["split"] == split] for split in ("in", "out"))
    rng, truth = np.random.default_rng(a.seed), []
    with open(os.path.join(folder, "queries.csv"), "w") as f:
        for number in range(a.count):
            x, parts, joint, overlap = make(rng, inside, outside)
            condition = str(rng.choice(CONDITIONS))
            path = os.path.abspath(os.path.join(folder, "%d.raw" % number))
            np.round(degraded(x, condition, rng) * 32767).astype("<i2").tofile(path)
            f.write("%d,%s\n" % (number, path))
            truth.append((parts, joint, overlap, condition))
    answers = os.path.join(folder, "answers.csv")
    subprocess.run([a.kit, "tracks", os.path.join(SCRATCH, "kit.catalog"), os.path.join(folder, "queries.csv"), answers],
                   check=True)
    found = {}
    for row in csv.DictReader(open(answers, newline="")):
        found.setdefault(int(row["query"]), []).append((row["id"], float(row["start"]), float(row["end"])))
    report(truth, found, set(inside))


def report(truth, found, inside):
    known, cells, errors, wrong, alarms, silent, twice = set(inside), {}, {}, 0, 0, 0, 0
    for number, (parts, joint, overlap, condition) in enumerate(truth):
        left = list(found.get(number, []))
        alone = [part[2] - part[1] - (overlap if joint == "both" else overlap / 2) for part in parts]
        asked = [part for part, seconds in zip(parts, alone) if part[0] in known and seconds >= LEAST]
        hits = 0
        for name, start, end in [part for part in parts if part[0] in known]:
            right = [f for f in left if f[0] == name and f[1] < end and f[2] > start]
            if not right:
                continue
            left = [f for f in left if f not in right]
            twice += len(right) - 1
            hits += (name, start, end) in asked
            for edge, truth_at, said in (("start", start, right[0][1]), ("end", end, right[-1][2])):
                if 0.01 < truth_at < parts[1][2] - 0.01:
                    errors.setdefault((edge, joint), []).append(abs(said - truth_at))
        if all(part[0] not in known for part in parts):
            silent += 1
            alarms += len(left) > 0
        else:
            wrong += len(left)
        if left and os.environ.get("VERBOSE"):
            print("wrong", number, left, parts, joint, condition)
        if os.environ.get("VERBOSE") and hits < len(asked):
            print("missed", number, found.get(number), asked, joint, condition)
        for key in ((joint, "all"), ("all", condition), ("all", "all")):
            cell = cells.setdefault((len(asked),) + key, [0, 0, 0])
            cell[0] += 1
            cell[1] += hits == len(asked)
            cell[2] += hits
    for (count, joint, condition), (clips, all_found, hits) in sorted(cells.items(), reverse=True):
        if count:
            print("%d asked  %-5s %-8s %4d clips, all found in %4d, tracks found %4d of %4d" % (
                count, joint, condition, clips, all_found, hits, count * clips))
    print("wrong tracks %d, told twice %d, false alarms %d of %d clips without a known track" % (wrong, twice, alarms, silent))
    for (edge, joint), values in sorted(errors.items()):
        print("%-5s %-5s %4d  error: median %.2f s, 90%% %.1f s, within 1 s %d%%" % (
            edge, joint, len(values), np.median(values), np.percentile(values, 90), 100 * np.mean(np.array(values) < 1)))


if __name__ == "__main__":
    main()
