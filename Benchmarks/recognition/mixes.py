#!/usr/bin/env python3
"""Measures how well `analyze match` says which tracks play when in a mix.

usage: mixes.py REPORT CATALOG SCRATCH [--analyze PATH] [--seeds N …]

REPORT   an NDJSON report of analyzed music
CATALOG  the catalog of the same music
SCRATCH  folder for the mixes

Each mix uses 30 to 90 s of each of 14 tracks longer than two minutes (the start, the end or a random part), at speed 1, 1.02 or
0.97. Tracks are cut together, faded over 4 s, or separated by 2 to 12 s of noise. Needs ffmpeg and numpy.
"""
import argparse, json, os, random, subprocess
import numpy as np

RATE = 22050
FADE = 4 * RATE


def part(path, start, seconds, speed):
    """A part of a track for a mix, at equal power."""
    pcm = subprocess.run(
        ["ffmpeg", "-v", "error", "-ss", str(start), "-t", str(seconds * speed), "-i", path, "-af",
         f"aresample=44100,asetrate={int(44100 * speed)},aresample={RATE}", "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"],
        capture_output=True, check=True).stdout
    samples = np.frombuffer(pcm, np.float32).copy()
    return samples / (np.sqrt((samples ** 2).mean()) + 1e-9) * 0.2


def make(tracks, seed, path):
    """Writes a mix; returns start, end, path and whether it fades for each track."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    mix, truth = np.zeros(0, np.float32), []
    for track in rng.sample(tracks, 14):
        duration, seconds, speed = track["format"]["duration_s"], rng.uniform(30, 90), rng.choice([1, 1, 1.02, 0.97])
        last = max(0, duration - seconds * speed)
        samples = part(track["path"], rng.choice([0, last, rng.uniform(0, last)]), seconds, speed)
        joint = rng.choice(["cut", "fade", "noise"])
        if joint == "noise":
            mix = np.concatenate([mix, noise.normal(size=int(RATE * rng.uniform(2, 12))).astype(np.float32) * 0.1])
        overlap = FADE if joint == "fade" and len(mix) > FADE else 0
        start = (len(mix) - overlap) / RATE
        if overlap:
            rise = np.linspace(0, 1, overlap, dtype=np.float32)
            mix[-overlap:] = mix[-overlap:] * (1 - rise) + samples[:overlap] * rise
        mix = np.concatenate([mix, samples[overlap:]])
        if overlap: truth[-1]["fades out"] = True
        truth.append({"start": start, "end": len(mix) / RATE, "path": track["path"], "fades in": bool(overlap), "fades out": False})
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "f32le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-b:a", "128k", path],
                   input=np.clip(mix, -1, 1).astype(np.float32).tobytes(), check=True)
    return truth


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report"); parser.add_argument("catalog"); parser.add_argument("scratch")
    parser.add_argument("--analyze", default="analyze"); parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    os.makedirs(options.scratch, exist_ok=True)
    records = (json.loads(line) for line in open(options.report))
    tracks = {r["id"]: r for r in records if r["status"] == "ok" and r["format"]["duration_s"] > 120}
    names = {r["path"]: r["id"] for r in tracks.values()}
    errors = {(edge, fades): [] for edge in ("start", "end") for fades in (False, True)}
    missed = extra = 0
    for seed in options.seeds:
        path = os.path.join(options.scratch, f"{seed}.mp3")
        truth = make(list(tracks.values()), seed, path)
        answer = subprocess.run([options.analyze, "match", path, "--catalog", options.catalog, "--json"],
                                capture_output=True, text=True, check=True).stdout
        cues = json.loads(answer)["tracks"] or []
        for track in truth:
            found = [c for c in cues if c["start_s"] < track["end"] and c["end_s"] > track["start"] and names[track["path"]] in
                     [c["reference"]] + [a["reference"] for a in c["alternatives"] or []]]
            if not found:
                missed += 1
                continue
            cues.remove(found[0])
            errors["start", track["fades in"]].append(abs(found[0]["start_s"] - track["start"]))
            errors["end", track["fades out"]].append(abs(found[0]["end_s"] - track["end"]))
        extra += len(cues)
    print(f"{14 * len(options.seeds)} tracks, {missed} missed, {extra} that are not there")
    for (edge, fades), values in errors.items():
        if values:
            print(f"{edge:5} {'faded' if fades else 'cut':5} {len(values):3}  median {np.median(values):.2f} s, 90% "
                  f"{np.percentile(values, 90):.1f} s, within 1 s {100 * np.mean(np.array(values) < 1):.0f}%")


if __name__ == "__main__":
    main()
