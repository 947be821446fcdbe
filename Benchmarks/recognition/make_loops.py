#!/usr/bin/env python3
"""Makes tracks that share loops, and queries from them: no track may be mistaken for another.

usage: make_loops.py OUT [--seed 1] [--tracks 48] [--queries 6]

Everything is synthesized: each track uses some loops at a time from a bank of drum, bass and chord loops of two bars at one
tempo, and adds its own lead in three of four bars. A third of the tracks is not in
the catalog. OUT gets tracks/ and q/ (16 bits, mono), manifest.csv and truth.csv, which evaluate.py reads.
Needs numpy.
"""
import argparse, csv, os, wave
import numpy as np

RATE = 16000
BEAT = 60 / 112
BAR = 4 * BEAT
BARS = 72
LENGTHS = [3, 5, 10]
CONDITIONS = ["clean", "pink+5", "pink+0", "phone"]


def tone(pitch, seconds, decay, partials, rng):
    t = np.arange(int(seconds * RATE)) / RATE
    f = 440 * 2 ** ((pitch - 69) / 12)
    x = sum(a * np.sin(2 * np.pi * f * (k + 1) * t + rng.uniform(0, 2 * np.pi)) for k, a in enumerate(partials)
            if f * (k + 1) < RATE / 2)
    return x * np.exp(-decay * t) * np.minimum(1, t / 0.005)


def put(target, at, x):
    first = int(at * RATE)
    n = min(len(x), len(target) - first)
    if n > 0:
        target[first:first + n] += x[:n]


def drums(rng):
    x = np.zeros(int(2 * BAR * RATE))
    for step in range(32):
        at = step * BEAT / 4
        if rng.random() < (0.8 if step % 8 == 0 else 0.12):
            t = np.arange(int(0.2 * RATE)) / RATE
            put(x, at, np.sin(2 * np.pi * (50 * t + 8 * (1 - np.exp(-30 * t)))) * np.exp(-18 * t))
        if rng.random() < (0.9 if step % 8 == 4 else 0.08):
            noise = rng.standard_normal(int(0.15 * RATE))
            put(x, at, 0.5 * noise * np.exp(-25 * np.arange(len(noise)) / RATE) + tone(52, 0.15, 20, [1], rng))
        if rng.random() < 0.5:
            noise = np.diff(rng.standard_normal(int(0.06 * RATE)))
            put(x, at, 0.25 * noise * np.exp(-70 * np.arange(len(noise)) / RATE))
    return x


def notes(rng, pitches, count, voices, seconds, decay, partials, bars=2):
    x = np.zeros(int(bars * BAR * RATE))
    for step in sorted(rng.choice(bars * 16, count, replace=False)):
        for pitch in rng.choice(pitches, voices, replace=False):
            put(x, step * BEAT / 4, tone(pitch, seconds, decay, partials, rng))
    return x


SCALE = np.array([0, 2, 3, 5, 7, 8, 10])
def scale(low, octaves): return np.concatenate([low + 12 * o + SCALE for o in range(octaves)])
def level(x): return x / np.sqrt(np.mean(x ** 2))


def repeat(loop, bars): return np.resize(loop, int(bars * BAR * RATE))


def track(bank, rng):
    x = np.zeros(int(BARS * BAR * RATE))
    own = {kind: rng.choice(len(loops), 3, replace=False) for kind, loops in bank.items()}
    lead = [notes(rng, scale(69, 2), int(rng.integers(14, 22)), 1, 0.5, 5, [1, 0.5, 0.3, 0.2], 4) for _ in range(6)]
    for section in range(0, BARS, 8):
        part = np.zeros(int(8 * BAR * RATE))
        for kind, gain in (("drums", 1), ("bass", 0.8), ("chords", 0.6)):
            part += gain * repeat(bank[kind][own[kind][rng.integers(3)]], 8)[:len(part)]
        tune = np.concatenate([lead[rng.integers(6)] for _ in range(2)])
        silent = int(rng.integers(4)) * int(BAR * RATE)
        tune[silent:silent + int(BAR * RATE)] = 0
        put(part, 0, 0.8 * level(tune))
        put(x, section * BAR, part)
    return 0.5 * x / np.max(np.abs(x))


def pink(n, rng):
    spectrum = np.fft.rfft(rng.standard_normal(n)) / np.sqrt(np.maximum(np.fft.rfftfreq(n, 1 / RATE), 20))
    return level(np.fft.irfft(spectrum, n))


def degrade(x, condition, rng):
    if condition.startswith("pink"):
        return x + pink(len(x), rng) * np.sqrt(np.mean(x ** 2)) * 10 ** (-float(condition[4:]) / 20)
    if condition == "phone":
        spectrum = np.fft.rfft(x); f = np.fft.rfftfreq(len(x), 1 / RATE)
        y = np.fft.irfft(spectrum * ((f > 300) & (f < 3400)), len(x))
        y /= np.max(np.abs(y))
        y = np.round(np.sign(y) * np.log1p(255 * np.abs(y)) / np.log(256) * 127) / 127
        return np.sign(y) * (256 ** np.abs(y) - 1) / 255
    return x


def write(path, x):
    with wave.open(path, "wb") as f:
        f.setnchannels(1); f.setsampwidth(2); f.setframerate(RATE)
        f.writeframes(np.round(np.clip(0.7 * x / np.max(np.abs(x)), -1, 1) * 32767).astype("<i2").tobytes())


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out"); ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--tracks", type=int, default=48)
    ap.add_argument("--queries", type=int, default=6, help="of each length and condition, in the catalog and out of it")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed)
    os.makedirs(os.path.join(a.out, "tracks"), exist_ok=True); os.makedirs(os.path.join(a.out, "q"), exist_ok=True)
    bank = {"drums": [level(drums(rng)) for _ in range(8)],
            "bass": [level(notes(rng, scale(33, 2), 12, 1, 0.4, 4, [1, 0.6, 0.4, 0.3], 2)) for _ in range(8)],
            "chords": [level(notes(rng, scale(52, 2), 6, 3, 1.2, 2, [1, 0.4, 0.2], 2)) for _ in range(8)]}
    made, rows = [], []
    for index in range(a.tracks):
        x = track(bank, rng)
        name = "loop%02d" % index
        path = os.path.join("tracks", name + ".wav")
        write(os.path.join(a.out, path), x)
        made.append((name, "out" if index % 3 == 2 else "in", x))
        rows.append([name, made[-1][1], path])
    with open(os.path.join(a.out, "manifest.csv"), "w", newline="") as f:
        w = csv.writer(f); w.writerow(["id", "split", "path"]); w.writerows(rows)
    truth = []
    for split in ("in", "out"):
        tracks = [t for t in made if t[1] == split]
        for length in LENGTHS:
            for condition in CONDITIONS:
                for _ in range(a.queries):
                    name, _, x = tracks[rng.integers(len(tracks))]
                    first = int(rng.integers(0, len(x) - length * RATE))
                    query = "l%04d" % len(truth)
                    write(os.path.join(a.out, "q", query + ".wav"), degrade(x[first:first + length * RATE], condition, rng))
                    truth.append([query, name if split == "in" else "NONE", "%.3f" % (first / RATE), condition, length,
                                  "1.00", "1.00", "1.00000", name])
    with open(os.path.join(a.out, "truth.csv"), "w", newline="") as f:
        w = csv.writer(f)
        w.writerow("query id offset condition length speed tempo pitch src".split()); w.writerows(truth)


if __name__ == "__main__":
    main()
