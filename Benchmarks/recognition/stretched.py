#!/usr/bin/env python3
"""Makes clips that are played too fast or too slow, at another tempo or at another pitch, for evaluate.py.

usage: stretched.py MANIFEST OUT [--seed S] [--each N] [--seconds 10]

MANIFEST   CSV with columns id, split and path (relative to the manifest); tracks whose split is "in" are in the catalog
OUT        gets q/QUERY.wav (16 kHz, mono) and truth.csv: query,id,offset,condition,length,speed,tempo,pitch,src, as the scorer of
           the recognition kit reads it. id is NONE for clips of tracks that are not in the catalog, as many as of the others.

Needs ffmpeg with librubberband, and numpy.
"""
import argparse, csv, os, subprocess
import numpy as np
from concurrent.futures import ThreadPoolExecutor

RATE = 16000
CONDITIONS = (["speed%+g%%" % percent for percent in (6, -6, 7, 8, -8, -10, 12)] + ["tempo%+g%%" % percent for percent in (8, -8, -10, 12)]
              + ["pitch%+gst" % semitones for semitones in (2, -2, -2.5, 3)])
# Seconds that are decoded around a clip, since stretching begins and ends unclean.
MARGIN = 1.0


def factor(condition):
    """By how much it is faster, or higher."""
    kind, amount = condition[:5], float(condition[5:].rstrip("%st"))
    return kind, 2 ** (amount / 12) if kind == "pitch" else 1 + amount / 100


def decode(path, start, seconds, filters="anull"):
    pcm = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-ss", "%.6f" % start, "-t", "%.6f" % seconds, "-i", path, "-ac", "1",
                          "-af", "aresample=44100," + filters + ",aresample=%d" % RATE, "-f", "s16le", "-"],
                         capture_output=True, check=True).stdout
    return np.frombuffer(pcm, "<i2")


def make(job):
    name, path, start, condition, seconds = job
    kind, amount = factor(condition)
    pace = 1 if kind == "pitch" else amount
    filters = {"speed": "asetrate=%d" % round(44100 * amount), "tempo": "rubberband=tempo=%.6f" % amount,
               "pitch": "rubberband=pitch=%.6f" % amount}[kind]
    sound = decode(path, start - MARGIN, seconds * pace + 2 * MARGIN, filters)
    first = round(MARGIN / pace * RATE)
    sound = sound[first:first + round(seconds * RATE)].astype(float)
    samples = np.round(0.7 * 32767 * sound / max(1, np.abs(sound).max())).astype("<i2")
    subprocess.run(["ffmpeg", "-v", "error", "-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-y", name], input=samples.tobytes(),
                   check=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("manifest"); ap.add_argument("out")
    ap.add_argument("--seed", type=int, default=1); ap.add_argument("--each", type=int, default=8)
    ap.add_argument("--seconds", type=float, default=10)
    a = ap.parse_args()
    os.makedirs(os.path.join(a.out, "q"), exist_ok=True)
    top, rng = os.path.dirname(os.path.abspath(a.manifest)), np.random.default_rng(a.seed)
    tracks = {"in": [], "out": []}
    for row in csv.DictReader(open(a.manifest, newline="")): tracks[row["split"]].append((row["id"], os.path.join(top, row["path"])))
    lengths, rows, jobs = {}, [], []
    for split in ("in", "out"):
        for condition in CONDITIONS:
            for _ in range(a.each):
                kind, amount = factor(condition)
                need = a.seconds * (1 if kind == "pitch" else amount) + 2 * MARGIN + 0.5
                while True:
                    track, path = tracks[split][rng.integers(len(tracks[split]))]
                    if path not in lengths:
                        lengths[path] = float(subprocess.run(
                            ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path],
                            capture_output=True, text=True).stdout)
                    if lengths[path] < need: continue
                    start = round(float(rng.uniform(MARGIN, lengths[path] - need + MARGIN)), 3)
                    if decode(path, start, a.seconds).std() > 150: break
                query = "s%04d" % len(rows)
                factors = {"speed": 1, "tempo": 1, "pitch": 1, kind: amount}
                rows.append([query, track if split == "in" else "NONE", start, condition, "%g" % a.seconds]
                            + ["%.5f" % factors[name] for name in ("speed", "tempo", "pitch")] + [track])
                jobs.append((os.path.join(a.out, "q", query + ".wav"), path, start, condition, a.seconds))
    with ThreadPoolExecutor(os.cpu_count()) as pool: list(pool.map(make, jobs))
    with open(os.path.join(a.out, "truth.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow("query id offset condition length speed tempo pitch src".split()); writer.writerows(rows)
    print(len(rows), "queries")


if __name__ == "__main__":
    main()
