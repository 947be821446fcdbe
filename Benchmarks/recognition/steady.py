#!/usr/bin/env python3
"""Measures that steady sound is not recognized as music, and that music is recognized through it.

usage: steady.py MANIFEST SCRATCH [--count N] [--seed S] [--kit PROGRAM]

MANIFEST   CSV with columns id, split and path (relative to the manifest); tracks whose split is "in" make the catalog
SCRATCH    the folder of evaluate.py, with its decoded tracks and its catalog; clips go to steady/ in it
--kit      another build of recognition-kit, for comparison

Clips of 4 to 20 s: mains hum with harmonics, tones, sweeps, DTMF, organ chords, engines and fans, each alone or in noise; and as many
clips of tracks of the catalog with mains hum 10 dB below to 5 dB above the music. Needs numpy and scipy.
"""
import argparse, csv, os, subprocess
import numpy as np
from scipy import signal
from evaluate import HERE
from pairs import RATE, excerpt, pink

KINDS = ["hum", "hum", "hum", "tone", "tones", "dtmf", "organ", "engine", "fan", "beeps", "sweep"]


def harmonics(rng, time, base, fall, odd=False):
    x = np.zeros(len(time))
    for number in range(1, int(3900 / base) + 1):
        if odd and number % 2 == 0: continue
        level = number ** -fall * rng.uniform(0.2, 1)
        x += level * np.sin(2 * np.pi * base * number * time + rng.uniform(0, 2 * np.pi))
    return x


def hum(rng, time):
    base = float(rng.choice([50, 60])) * rng.uniform(0.998, 1.002)
    x = harmonics(rng, time, base, rng.uniform(0.3, 2), rng.random() < 0.3)
    if rng.random() < 0.4:
        # A buzz as from a dimmer or a bad ground, twice in each period.
        x += rng.uniform(0.5, 5) * np.abs(np.sin(2 * np.pi * base * time)) ** rng.uniform(10, 80)
    if rng.random() < 0.3:
        x *= 1 + rng.uniform(0.02, 0.3) * np.sin(2 * np.pi * rng.uniform(0.1, 2) * time)
    return x


def steady(rng, kind, time):
    if kind == "hum": return hum(rng, time)
    if kind == "tone": return np.sin(2 * np.pi * rng.uniform(100, 3500) * time)
    if kind == "tones": return sum(np.sin(2 * np.pi * rng.uniform(100, 3500) * time) for _ in range(rng.integers(2, 12)))
    if kind == "organ":
        root, x = 55 * 2 ** (rng.integers(12, 36) / 12), 0
        for step in rng.choice([[0, 4, 7], [0, 3, 7], [0, 7, 12], [0, 5, 9]]):
            for partial, level in ((1, 1), (2, 0.7), (3, 0.4), (4, 0.5), (6, 0.3), (8, 0.3)):
                f = root * 2 ** (step / 12) * partial
                if f < 3900: x = x + level * np.sin(2 * np.pi * f * time + rng.uniform(0, 6))
        return x * (1 + 0.1 * np.sin(2 * np.pi * 6 * time) * (rng.random() < 0.4))
    if kind == "engine":
        speed = rng.uniform(15, 60) * (1 + 0.02 * np.sin(2 * np.pi * rng.uniform(0.05, 0.5) * time))
        phase = np.cumsum(speed) / RATE
        return sum(rng.uniform(0.2, 1) / n ** 0.7 * np.sin(2 * np.pi * n * phase) for n in range(1, 60) if 60 * n < 3900)
    if kind == "fan":
        x = signal.sosfilt(signal.butter(2, [rng.uniform(80, 300), rng.uniform(400, 3000)], "bandpass", fs=RATE, output="sos"),
                           rng.normal(size=len(time)))
        return x / x.std() + 0.5 * harmonics(rng, time, rng.uniform(60, 250), 1)
    if kind == "dtmf":
        x, at = np.zeros(len(time)), 0
        low, high = [697, 770, 852, 941], [1209, 1336, 1477, 1633]
        while at < len(time):
            on, off = int(rng.uniform(0.05, 0.4) * RATE), int(rng.uniform(0.05, 0.5) * RATE)
            part = time[at:at + on]
            x[at:at + on] = np.sin(2 * np.pi * rng.choice(low) * part) + np.sin(2 * np.pi * rng.choice(high) * part)
            at += on + off
        return x
    if kind == "beeps":
        period, share, f = rng.uniform(0.3, 2), rng.uniform(0.1, 0.7), rng.uniform(300, 3000)
        return np.sin(2 * np.pi * f * time) * (time % period < share * period)
    return signal.chirp(time, rng.uniform(100, 500), time[-1], rng.uniform(1000, 3900), "logarithmic")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("manifest"); ap.add_argument("scratch"); ap.add_argument("--count", type=int, default=300)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--kit", default=os.path.join(HERE, ".build", "release", "recognition-kit"))
    a = ap.parse_args()
    folder = os.path.join(a.scratch, "steady")
    os.makedirs(folder, exist_ok=True)
    inside = [r["id"] for r in csv.DictReader(open(a.manifest, newline="")) if r["split"] == "in"]
    rng, truth = np.random.default_rng(a.seed), {}
    with open(os.path.join(folder, "queries.csv"), "w") as f:
        for number in range(2 * a.count):
            seconds = float(rng.choice([4, 6, 8, 10, 12, 20]))
            time = np.arange(int(seconds * RATE)) / RATE
            if number < a.count:
                kind = str(rng.choice(KINDS))
                x = steady(rng, kind, time)
                noise = rng.choice([None, 40, 30, 20, 10])
                if noise is not None:
                    x = x + pink(rng, len(x)) * x.std() * 10 ** (-float(noise) / 20)
                truth[str(number)] = (kind, None)
            else:
                name = str(rng.choice(inside))
                music = excerpt(os.path.join(a.scratch, "tracks", name + ".raw"), rng, seconds)[0]
                time = time[:len(music)]
                level = float(rng.choice([-10, -5, 0, 5]))
                x = hum(rng, time)
                x = music + x / x.std() * music.std() * 10 ** (level / 20)
                truth[str(number)] = ("music, hum %+d dB" % level, name)
            x = x / (np.abs(x).max() + 1e-9) * rng.uniform(0.05, 0.9)
            path = os.path.abspath(os.path.join(folder, "%d.raw" % number))
            np.round(x * 32767).astype("<i2").tofile(path)
            f.write("%d,%s\n" % (number, path))
    answers = os.path.join(folder, "answers.csv")
    subprocess.run([a.kit, "tracks", os.path.join(a.scratch, "kit.catalog"), os.path.join(folder, "queries.csv"), answers],
                   check=True)
    found = {}
    for row in csv.DictReader(open(answers, newline="")):
        found.setdefault(row["query"], []).append((row["id"], round(float(row["confidence"]), 2)))
    cells = {}
    for query, (kind, name) in truth.items():
        answer = found.get(query, [])
        cell = cells.setdefault(kind, [0, 0, 0])
        cell[0] += 1
        cell[1] += any(track == name for track, _ in answer)
        cell[2] += any(track != name for track, _ in answer)
        if os.environ.get("VERBOSE") and any(track != name for track, _ in answer):
            print(query, kind, name, answer)
    for kind, (count, right, wrong) in sorted(cells.items()):
        print("%-18s %3d clips, right %3d, wrong %3d" % (kind, count, right, wrong))


if __name__ == "__main__":
    main()
