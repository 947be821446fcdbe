#!/usr/bin/env python3
"""Makes degraded excerpts of tracks, as LandmarkSpectrum sees them, with the landmarks of the undisturbed tracks.

usage: excerpts.py OUTPUT.npz MATERIAL SET [SET ...] [--count N] [--seed S] [--seconds 5] [--crowded SHARE] [--jobs 2]

MATERIAL   the output of material.py; SET names a directory below its tracks
OUTPUT     levels   (N, columns, 138), int16, hundredths of a decibel
           marks    (N, columns, 138), uint8: 0, or the strength of a landmark plus 1
           kind     the degradation: noise, babble, music, crowd or none, and whether through a telephone or a microphone
           ratio    signal-to-noise ratio in dB, NaN without noise

Excerpts get any of these, or none: louder bands, a room, another speed; colored noise, one to six voices or other music at -8 to
15 dB; a telephone or a poor microphone. SHARE of them are heard among voices in a large room, instead. Needs numpy and
scipy.
"""
import argparse, glob, os
for variable in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
    os.environ[variable] = "1"
import numpy as np
from scipy import signal
from concurrent.futures import ProcessPoolExecutor
from degradations import RATE, add, colored, in_company, microphone, peaking, room, telephone, voices

WINDOW, HOP, BANDS, PER_OCTAVE, LOWEST = 2048, 256, 138, 36, 250.0   # of LandmarkSpectrum.swift, at 8 kHz
KINDS = "none noise babble music".split()
CROWD = 12   # after all kinds through all channels


def filter_bank():
    """The triangles of LandmarkSpectrum.swift, (1025, 138)."""
    width = 8000 / WINDOW
    frequencies = np.arange(WINDOW // 2 + 1) * width
    centers = LOWEST * 2 ** (np.arange(BANDS) / PER_OCTAVE)
    halves = np.maximum(width, centers * (2 ** (1 / PER_OCTAVE) - 1))
    bank = np.maximum(0, 1 - np.abs(frequencies[:, None] - centers) / halves)
    return (bank / bank.sum(0)).astype(np.float32)


BANK, HANN = filter_bank(), signal.get_window("hann", WINDOW).astype(np.float32)


def levels(x):
    """Columns of levels in dB of a signal at 8 kHz, (columns, 138); column c is centered on sample 256 c."""
    padded = np.pad(x.astype(np.float32), (WINDOW // 2, WINDOW // 2))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    spectrum = np.fft.rfft(frames * HANN, axis=1)
    return 10 * np.log10((spectrum.real ** 2 + spectrum.imag ** 2).astype(np.float32) @ BANK + 1e-7)


class Material:
    def __init__(self, folder, sets):
        self.tracks, self.names, self.landmark_paths, self.speech = [], [], [], []
        for name in sets:
            for path in sorted(glob.glob(os.path.join(folder, "tracks", name, "*.raw"))):
                landmarks = path[:-4] + ".landmarks"
                marks = np.fromfile(landmarks, np.int32).reshape(-1, 3)
                sound = np.memmap(path, np.int16, "r")
                if len(sound) > 20 * RATE and len(marks):
                    self.tracks.append((sound, marks))
                    self.names.append(os.path.basename(path)[:-4])
                    self.landmark_paths.append(os.path.abspath(landmarks))
        # A long track is not heard more often than one of five minutes.
        sizes = np.minimum([len(sound) for sound, _ in self.tracks], 300 * RATE).astype(float)
        self.shares = sizes / max(1, sizes.sum())
        for path in sorted(glob.glob(os.path.join(folder, "speech", "*.raw"))):
            self.speech.append(np.memmap(path, np.int16, "r"))

    def sound(self, rng, count):
        sound, _ = self.tracks[rng.choice(len(self.tracks), p=self.shares)]
        first = int(rng.integers(0, max(1, len(sound) - count)))
        return np.resize(sound[first:first + count], count) / 32768.0


def stretch(material, rng, count, speed_of=lambda: 1.0):
    """A part of a track that is not silent, long enough for `count` samples at its speed (16 kHz); number of the track,
    first sample of the part, speed."""
    while True:
        track = int(rng.choice(len(material.tracks), p=material.shares))
        sound, _ = material.tracks[track]
        speed = speed_of()
        length = int(count * speed) + 2
        first = int(rng.integers(0, max(1, len(sound) - length)))
        x = sound[first:first + length] / 32768.0
        if len(x) == length and np.sqrt(np.mean(x ** 2)) > 3e-3:
            return x, track, first, speed


def clip(material, rng, seconds, crowded=0):
    """A degraded part of a track that is not silent: samples at 8 kHz, number of the track, its sample of 16 kHz at the
    start, speed, kind and ratio."""
    count = int(seconds * RATE)
    def speed_of(): return float(rng.uniform(0.95, 1.05)) if rng.random() < 0.3 else 1.0
    x, track, first, speed = stretch(material, rng, count, speed_of)
    if speed != 1:
        # Band-limited: twice the rate first, for the interpolation to be good enough below 4 kHz.
        x = np.interp(np.arange(count) * speed * 2, np.arange(2 * len(x)), signal.resample_poly(x, 2, 1))
    x = x[:count]
    if crowded and rng.random() < crowded:
        x, ratio = in_company(x, material, rng)
        x = signal.resample_poly(x, 1, 2)
        return x * (0.7 / (np.abs(x).max() + 1e-9)), track, first, speed, CROWD, ratio
    if rng.random() < 0.3:
        for _ in range(2):
            x = peaking(x, 10 ** rng.uniform(2.3, 3.6), rng.uniform(-10, 10), rng.uniform(0.4, 1.5))
    in_room = rng.random() < 0.25
    if in_room:
        x = room(x, rng)
    kind = int(rng.choice(4, p=[.2, .35, .35, .1]))
    ratio = float(rng.uniform(-8, 15)) if kind else np.nan
    if kind == 1: x = add(x, colored(rng, count), x, ratio)
    if kind == 2: x = add(x, voices(material, rng, count), x, ratio)
    if kind == 3: x = add(x, material.sound(rng, count), x, max(ratio, -3))
    channel = int(rng.choice(3, p=[.7, .15, .15]))
    if channel == 1: x = telephone(room(x, rng) if not in_room else x, rng)
    if channel == 2: x = microphone(x, rng)
    x = x * (0.7 / (np.abs(x).max() + 1e-9))
    if rng.random() < 0.2: x = x * 10 ** (-rng.uniform(0, 40) / 20)
    return signal.resample_poly(x, 1, 2), track, first, speed, kind + 4 * channel, ratio


def excerpt(material, rng, seconds, crowded):
    """Levels, landmarks, kind and ratio of a clip."""
    x, track, first, speed, kind, ratio = clip(material, rng, seconds, crowded)
    marks = material.tracks[track][1]
    found = levels(x)
    columns = len(found)
    wanted = np.zeros((columns, BANDS), np.uint8)
    start = first / (2 * HOP)
    low, high = np.searchsorted(marks[:, 0], [start - 1, start + columns * speed + 1])
    at = np.round((marks[low:high, 0] - start) / speed).astype(int)
    band = marks[low:high, 1] + np.round(PER_OCTAVE * np.log2(speed)).astype(int)
    inside = (at >= 0) & (at < columns) & (band >= 0) & (band < BANDS)
    wanted[at[inside], band[inside]] = marks[low:high, 2][inside] + 1
    return found, wanted, kind, ratio


def some(job):
    folder, sets, seed, count, seconds, crowded = job
    material, rng = Material(folder, sets), np.random.default_rng(seed)
    made = [excerpt(material, rng, seconds, crowded) for _ in range(count)]
    return (np.stack([np.clip(m[0] * 100, -32768, 32767).astype(np.int16) for m in made]), np.stack([m[1] for m in made]),
            np.array([m[2] for m in made], np.uint8), np.array([m[3] for m in made], np.float32))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("output"); ap.add_argument("material"); ap.add_argument("sets", nargs="+")
    ap.add_argument("--count", type=int, default=20000); ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=5.0); ap.add_argument("--crowded", type=float, default=0); ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    per_job = 250
    jobs = [(a.material, a.sets, [a.seed, i], min(per_job, a.count - i), a.seconds, a.crowded) for i in range(0, a.count, per_job)]
    with ProcessPoolExecutor(a.jobs) as pool:
        parts = list(pool.map(some, jobs))
    np.savez(a.output, **{n: np.concatenate([p[i] for p in parts]) for i, n in enumerate("levels marks kind ratio".split())})


if __name__ == "__main__":
    main()
