#!/usr/bin/env python3
"""Measures recognition in radio hours: tracks found, tracks missed, and tracks told that were not played (ghosts).

usage: radio.py make MANIFEST FOLDER --seeds N ... [--half 0|1] [--speech FOLDER ...] [--minutes 60]
       radio.py score FOLDER --catalog CATALOG [--analyze PATH] [--listen] [--same NAME=NAME ...] --seeds N ...

MANIFEST   CSV with columns id, split and path (relative to the manifest); tracks whose split is "in" are in the catalog
FOLDER     gets SEED.mp3 or SEED.opus, and SEED.csv: what is played from when to when
--half     use one half of the tracks, voices and recordings only, so that hours to develop with and to judge by share nothing
--speech   recordings of voices (Ogg, WAVE, FLAC, MP3 or G.722) besides those of espeak-ng and flite
CATALOG    made by `analyze catalog add` from the tracks of the manifest
--listen   ask `analyze listen` instead of `analyze match`
--same     two files of the same recording, one of them in the catalog: where the other is played, it may be told

An hour consists of tracks of the catalog (20 s to the whole track, from their start or a random place, at other levels, some
2% fast or slow), unknown music, speech alone or over quiet unknown music, and jingles: a station's own ident again and again,
stings, time signals, whooshes, hits and short excerpts of unknown music. Neighbors are cut together, faded into each other, or
separated by silence; speakers talk over starts and ends. All is compressed and limited as by a transmitter, then encoded.

A track is found if it is told, or a track of which the catalog says that it is the same recording, while it is played. A ghost
is any other track told. Needs ffmpeg, espeak-ng, flite and numpy.
"""
import argparse, csv, functools, glob, json, os, random, subprocess, zlib
import numpy as np

RATE = 22050
LANGUAGES = "en-us en-gb en-gb-scotland de fr-fr es it pt-br nl pl cs sv hu ru".split()
SPEAKERS = "awb kal rms slt".split()
# Texts that every Debian has.
TEXTS = sorted(glob.glob("/usr/share/common-licenses/*"))
RECORDINGS = (".ogg", ".wav", ".flac", ".mp3", ".g722")
# As stations have it: quiet is raised, loud is held.
TRANSMITTER = "acompressor=threshold=-20dB:ratio=3:attack=8:release=200:makeup=2.5,alimiter=limit=0.9:level=false"
LOUDNESS = 0.12
# How often each kind of block comes, in two kinds of program: of four seeds in a row, two get each.
MUSIC = {"track": 10, "unknown": 3, "speech": 4, "news": 2, "jingle": 7}
TALK = {"track": 5, "unknown": 6, "speech": 10, "news": 5, "jingle": 14}


def half_of(name): return zlib.crc32(name.encode()) % 2


def decode(path, start=0.0, seconds=None, speed=1.0):
    form = ["-f", "g722"] if path.endswith(".g722") else []
    length = ["-t", str(seconds * speed)] if seconds else []
    pcm = subprocess.run(
        ["ffmpeg", "-v", "quiet", "-nostdin", *form, "-ss", str(start), *length, "-i", path, "-af",
         f"aresample=44100,asetrate={int(44100 * speed)},aresample={RATE}", "-ac", "1", "-f", "f32le", "-"],
        capture_output=True).stdout
    return np.frombuffer(pcm, np.float32).copy()


def leveled(samples, level=LOUDNESS):
    return samples / (np.sqrt((samples ** 2).mean()) + 1e-6) * level if len(samples) else samples


def decibels(value): return 10 ** (value / 20)


class Material:
    """Tracks, unknown music and voices of one half."""

    def __init__(self, options):
        wanted = (lambda name: True) if options.half is None else (lambda name: half_of(name) == options.half)
        top = os.path.dirname(os.path.abspath(options.manifest))
        rows = list(csv.DictReader(open(options.manifest, newline="")))
        for row in rows: row["path"] = os.path.join(top, row["path"])
        self.known = [r for r in rows if r["split"] == "in" and wanted(r["id"])]
        self.unknown = [r for r in rows if r["split"] == "out" and wanted(r["id"])]
        self.recordings = []
        for folder in options.speech:
            files = sorted(p for p in glob.glob(os.path.join(folder, "**", "*"), recursive=True) if p.endswith(RECORDINGS))
            files = [p for p in files if wanted(os.path.basename(p))]
            # As many as a station's speakers say again and again; each is decoded once.
            if files: self.recordings.append(random.Random(0).sample(files, min(80, len(files))))
        self.recording = functools.cache(lambda path: leveled(decode(path)))
        self.languages = [v for v in LANGUAGES if wanted(v)]
        self.speakers = [v for v in SPEAKERS if wanted(v + " ")]

    def music(self, rng, seconds):
        row = rng.choice(self.unknown)
        duration = float(row["duration"])
        start = rng.choice([0, rng.uniform(0, max(0, duration - seconds))])
        return row["path"], leveled(decode(row["path"], start, min(seconds, duration - start)))

    def speech(self, rng, seconds):
        kind = rng.choice(["espeak", "flite"] + ["recording"] * 2 * bool(self.recordings))
        if kind == "recording":
            files, parts, length = rng.choice(self.recordings), [], 0
            while length < seconds * RATE:
                part = self.recording(rng.choice(files))
                parts += [part, np.zeros(int(RATE * rng.uniform(0.1, 0.8)), np.float32)]
                length += len(parts[-2]) + len(parts[-1])
            return np.concatenate(parts)[:int(seconds * RATE)]
        text = " ".join(open(rng.choice(TEXTS), errors="replace").read().split())
        first = rng.randrange(max(1, len(text) - 4000))
        text = text[first:first + int(seconds * 20) + 100]
        if kind == "espeak":
            command = ["espeak-ng", "-v", rng.choice(self.languages) + rng.choice(["", "+f2", "+m3", "+f4", "+m7"]), "-s",
                       str(rng.randrange(130, 210)), "-p", str(rng.randrange(20, 80)), "--stdout", text]
        else:
            command = ["flite", "-voice", rng.choice(self.speakers), "--setf", f"duration_stretch={rng.uniform(0.8, 1.3):.2f}",
                       "-t", text, "-o", "/dev/stdout"]
        sound = subprocess.run(command, capture_output=True).stdout
        pcm = subprocess.run(["ffmpeg", "-v", "quiet", "-i", "-", "-t", str(seconds), "-ac", "1", "-ar", str(RATE), "-f", "f32le", "-"],
                             input=sound, capture_output=True).stdout
        return leveled(np.frombuffer(pcm, np.float32).copy())


def times(seconds): return np.arange(int(seconds * RATE), dtype=np.float32) / RATE


def sting(rng):
    """Some chords of a synthesizer, and a bell or none."""
    root, parts = rng.choice([48, 50, 53, 55, 57]), []
    for _ in range(rng.randint(2, 6)):
        t = times(rng.choice([0.18, 0.25, 0.4, 0.8]))
        chord = [root + rng.choice([0, 2, 5, 7, 12]) + step for step in (0, 4, 7, 12)]
        hertz = [440 * 2 ** ((note - 69) / 12) for note in chord]
        wave = sum(sum(np.sin(2 * np.pi * f * k * t) / k for k in range(1, rng.choice([3, 6, 10]))) for f in hertz)
        parts.append(wave * np.exp(-t * rng.uniform(1, 5)))
    return leveled(np.concatenate(parts).astype(np.float32))


def whoosh(rng):
    t = times(rng.uniform(0.6, 2.0))
    noise = np.random.default_rng(rng.randrange(1 << 30)).normal(size=len(t))
    width = np.linspace(*rng.choice([(60, 3), (3, 60)]), len(t)).astype(int)
    sums = np.cumsum(np.concatenate([[0], noise]))
    low = sums[np.minimum(np.arange(len(t)) + width, len(t))] - sums[:-1]
    return leveled((low / width * np.sin(np.pi * t / t[-1])).astype(np.float32))


def pips(rng):
    pip = np.sin(2 * np.pi * rng.choice([800, 1000, 1760]) * times(0.1)).astype(np.float32)
    return leveled(np.concatenate([np.concatenate([pip, np.zeros(int(0.9 * RATE), np.float32)]) for _ in range(rng.randint(3, 6))]))


def hit(rng):
    t = times(rng.uniform(0.5, 1.5))
    drum = np.sin(2 * np.pi * (120 * np.exp(-t * 12) + 45) * t) * np.exp(-t * 5)
    noise = np.random.default_rng(rng.randrange(1 << 30)).normal(size=len(t)) * np.exp(-t * 18)
    return leveled((drum + 0.4 * noise).astype(np.float32))


def jingle(rng, material, ident):
    kind = rng.choice(["ident"] * 3 + ["sting", "whoosh", "pips", "hit", "excerpt", "excerpt"])
    if kind == "ident": return ident
    if kind == "excerpt": return material.music(rng, rng.uniform(1.5, 6))[1]
    return {"sting": sting, "whoosh": whoosh, "pips": pips, "hit": hit}[kind](rng)


def mixed(bed, voice, first=0, duck=-10):
    """Speech over other sound, which is lowered meanwhile."""
    bed = bed.copy()
    end = min(len(bed), first + len(voice))
    gain = np.ones(len(bed), np.float32)
    gain[first:end] = decibels(duck)
    ramp = np.ones(RATE // 4, np.float32) / (RATE // 4)
    bed *= np.convolve(gain, ramp, "same")
    bed[first:end] += voice[:end - first]
    return bed


def blocks(rng, seed, material):
    """Endless blocks of a program: kind, file or nothing, samples."""
    ident = np.concatenate([whoosh(rng), sting(rng), material.speech(rng, 2.5)])
    order, shares = [], TALK if seed % 4 < 2 else MUSIC
    while True:
        kind = rng.choices(list(shares), list(shares.values()))[0]
        if kind == "track":
            order = order or rng.sample(material.known, len(material.known))
            row = order.pop()
            duration, speed = float(row["duration"]), rng.choice([1] * 8 + [1.02, 0.98])
            seconds = min(rng.choice([rng.uniform(20, 45), rng.uniform(45, 120), 300]), duration / speed)
            start = rng.choice([0, rng.uniform(0, duration - seconds * speed)])
            samples = leveled(decode(row["path"], start, seconds, speed), LOUDNESS * decibels(rng.uniform(-6, 3)))
            if rng.random() < 0.4 and len(samples) > 20 * RATE:
                voice = material.speech(rng, rng.uniform(3, 10))
                samples = mixed(samples, voice, rng.choice([0, len(samples) - len(voice)]))
            yield "track", row["path"], samples
        elif kind == "unknown": yield "unknown", *material.music(rng, rng.choice([rng.uniform(8, 40), rng.uniform(40, 200)]))
        elif kind == "speech": yield "speech", "", material.speech(rng, rng.uniform(8, 60))
        elif kind == "news":
            name, bed = material.music(rng, rng.uniform(15, 50))
            yield "news", name, mixed(bed * decibels(-12), material.speech(rng, len(bed) / RATE), 0, -2)
        else: yield "jingle", "", jingle(rng, material, ident)


def make(seed, options, material):
    rng = random.Random(seed)
    hour, truth = np.zeros(int((options.minutes * 60 + 400) * RATE), np.float32), []
    end, last = 0, "jingle"
    for kind, name, samples in blocks(rng, seed, material):
        if end >= options.minutes * 60 * RATE: break
        if len(samples) < RATE // 2: continue
        overlap = 0
        music = {"track", "unknown"}
        joint = rng.choice(["cut", "cut", "fade", "pause"])
        if joint == "fade":
            longest = min(len(samples), end - int(truth[-1]["start"] * RATE) if truth else 0) // 3
            overlap = min(int(RATE * (rng.uniform(2, 8) if kind in music and last in music else rng.uniform(0.2, 2))), longest)
            rise = np.linspace(0, 1, overlap, dtype=np.float32)
            hour[end - overlap:end] *= 1 - rise
            samples[:overlap] *= rise
        if joint == "pause": end += int(RATE * rng.uniform(0.2, 2.5))
        first = end - overlap
        hour[first:first + len(samples)] += samples
        end, last = first + len(samples), kind
        truth.append({"start": round(first / RATE, 3), "end": round(end / RATE, 3), "kind": kind, "path": name})
    target = os.path.join(options.folder, str(seed) + (".mp3" if seed % 2 else ".opus"))
    codec = ["-c:a", "libmp3lame"] if seed % 2 else ["-c:a", "libopus"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "f32le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-af", TRANSMITTER, "-ar",
                    "48000", *codec, "-b:a", rng.choice(["96k", "128k"]), target],
                   input=hour[:end].tobytes(), check=True)
    with open(os.path.join(options.folder, "%d.csv" % seed), "w", newline="") as file:
        writer = csv.DictWriter(file, ["start", "end", "kind", "path"])
        writer.writeheader()
        writer.writerows(truth)


def answers(path, options):
    """What is told of an hour: each track with its start, end and confidence, and the files it was built from."""
    if not options.listen:
        text = subprocess.run([options.analyze, "match", path, "--catalog", options.catalog, "--json"],
                              capture_output=True, text=True, check=True).stdout
        tracks = json.loads(text)["tracks"] or []
    else:
        pcm = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "s16le", "-ar", "16000", "-ac", "1", "-"],
                             capture_output=True, check=True).stdout
        text = subprocess.run([options.analyze, "listen", "--rate", "16000", "--catalog", options.catalog, "--json"], input=pcm,
                              capture_output=True, check=True).stdout
        tracks = [event for event in map(json.loads, text.splitlines()) if event["event"] == "ended"]
    return [{**track, "paths": {t["properties"].get("path") for t in [track, *(track["alternatives"] or [])]}} for track in tracks]


def score(options):
    same = {frozenset(pair.split("=")) for pair in options.same}

    def holds(row, track):
        return any(row["path"] == path or frozenset(map(os.path.basename, (row["path"], path))) in same for path in track["paths"])

    total = {"tracks": 0, "found": 0, "ghosts": 0}
    wrong = missing = played = hours = 0.0
    starts, ends = [], []
    for seed in options.seeds:
        path = next(p for e in (".mp3", ".opus") if os.path.exists(p := os.path.join(options.folder, str(seed) + e)))
        rows = list(csv.DictReader(open(os.path.join(options.folder, "%d.csv" % seed), newline="")))
        told = answers(path, options)
        hours += float(rows[-1]["end"]) / 3600
        spans = [(float(r["start"]), float(r["end"]), r) for r in rows]
        for start, end, row in spans:
            if row["kind"] != "track": continue
            right = [t for t in told if holds(row, t) and t["start_s"] < end and t["end_s"] > start]
            total["tracks"] += 1
            total["found"] += bool(right)
            played += end - start
            missing += end - start - sum(min(end, t["end_s"]) - max(start, t["start_s"]) for t in right)
            if right:
                starts.append(abs(min(t["start_s"] for t in right) - start))
                ends.append(abs(max(t["end_s"] for t in right) - end))
            else: print("%s: missed %s, %.1f to %.1f" % (seed, row["path"], start, end))
        for track in told:
            covered = sum(max(0, min(end, track["end_s"]) - max(start, track["start_s"])) for start, end, row in spans
                          if row["path"] and holds(row, track))
            wrong += track["end_s"] - track["start_s"] - covered
            if covered: continue
            total["ghosts"] += 1
            under = [row["kind"] for start, end, row in spans if start < track["end_s"] and end > track["start_s"]]
            print("%s: ghost %.1f to %.1f, %.3f, %s, from %.1f of the track, over %s" % (
                seed, track["start_s"], track["end_s"], track["confidence"], " ".join(track["paths"]), track["track_offset_s"], ", ".join(under)))
    print("%.1f hours: %d of %d tracks found, %d ghosts; %.0f s wrong, %.0f of %.0f s of tracks missed" % (
        hours, total["found"], total["tracks"], total["ghosts"], wrong, missing, played))
    for edge, values in (("start", starts), ("end", ends)):
        if values: print("%s: median %.2f s off, 90%% within %.1f s" % (edge, np.median(values), np.percentile(values, 90)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    making, scoring = actions.add_parser("make"), actions.add_parser("score")
    making.add_argument("manifest"); making.add_argument("folder")
    making.add_argument("--half", type=int, choices=(0, 1)); making.add_argument("--speech", nargs="*", default=[])
    making.add_argument("--minutes", type=float, default=60)
    scoring.add_argument("folder"); scoring.add_argument("--catalog", required=True)
    scoring.add_argument("--analyze", default="analyze"); scoring.add_argument("--listen", action="store_true")
    scoring.add_argument("--same", nargs="*", default=[])
    for action in (making, scoring): action.add_argument("--seeds", type=int, nargs="+", required=True)
    options = parser.parse_args()
    if options.action == "score": return score(options)
    os.makedirs(options.folder, exist_ok=True)
    material = Material(options)
    for seed in options.seeds: make(seed, options, material)


if __name__ == "__main__":
    main()
