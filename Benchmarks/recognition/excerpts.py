#!/usr/bin/env python3
"""Makes degraded excerpts of tracks, as LandmarkSpectrum sees them, with the landmarks of the undisturbed tracks.

usage: excerpts.py OUTPUT.npz MATERIAL SET [SET ...] [--count N] [--seed S] [--seconds 5] [--jobs 2]

MATERIAL   the output of material.py; SET names a directory below its tracks
OUTPUT     levels   (N, columns, 138), int16, hundredths of a decibel
           marks    (N, columns, 138), uint8: 0, or the strength of a landmark plus 1
           kind     the degradation: noise, babble, music or none, and whether through a telephone or a microphone
           ratio    signal-to-noise ratio in dB, NaN without noise

Excerpts get any of these, or none: louder bands, a room, another speed; colored noise, one to six voices or other music at -8 to
15 dB; a telephone or a poor microphone. Needs numpy and scipy.
"""
import argparse, glob, os
for variable in "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS":
    os.environ[variable] = "1"
import numpy as np
from scipy import signal
from concurrent.futures import ProcessPoolExecutor

RATE = 16000
WINDOW, HOP, BANDS, PER_OCTAVE, LOWEST = 2048, 256, 138, 36, 250.0   # of LandmarkSpectrum.swift, at 8 kHz
KINDS = "none noise babble music".split()


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


def colored(rng, count):
    """Noise whose power falls by 0 to 6 dB per octave; pink in half of the cases."""
    slope = 1.0 if rng.random() < 0.5 else rng.uniform(0, 2)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    spectrum /= np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20) ** (slope / 2)
    return np.fft.irfft(spectrum, count)


def voices(material, rng, count):
    out = np.zeros(count)
    for _ in range(int(rng.choice([1, 2, 3, 4, 5, 6], p=[.2, .15, .15, .3, .1, .1]))):
        speech = material.speech[rng.integers(len(material.speech))]
        first = int(rng.integers(0, len(speech) - 1.2 * count))
        part = speech[first:first + int(1.2 * count)] / 32768.0
        part = np.interp(np.arange(count) * rng.uniform(0.85, 1.15), np.arange(len(part)), part)
        out += part / (part.std() + 1e-6) * 10 ** (rng.uniform(-4, 0) / 20)
    return out


def peaking(x, frequency, gain, q):
    a, w = 10 ** (gain / 40), 2 * np.pi * frequency / RATE
    alpha = np.sin(w) / (2 * q)
    return signal.lfilter([1 + alpha * a, -2 * np.cos(w), 1 - alpha * a], [1 + alpha / a, -2 * np.cos(w), 1 - alpha / a], x)


def room(x, rng):
    length = rng.uniform(0.1, 0.7)
    t = np.arange(int(length * RATE)) / RATE
    response = rng.standard_normal(len(t)) * 10 ** (-3 * t / length) * rng.uniform(0.01, 0.08)
    response[:int(0.004 * RATE)] = 0
    for _ in range(6):
        response[int(rng.uniform(0.002, 0.03) * RATE)] += rng.uniform(-0.6, 0.6)
    response[0] = 1
    return signal.fftconvolve(x, response)[:len(x)]


def telephone(x, rng):
    x = signal.sosfilt(signal.butter(4, [rng.uniform(200, 400), rng.uniform(2800, 3600)], "bandpass", fs=RATE, output="sos"), x)
    x = x / (np.abs(x).max() + 1e-9)
    coded = np.round(np.sign(x) * np.log1p(255 * np.abs(x)) / np.log(256) * 127) / 127
    return np.sign(coded) * (256 ** np.abs(coded) - 1) / 255


def microphone(x, rng):
    x = signal.sosfilt(signal.butter(2, rng.uniform(80, 300), "highpass", fs=RATE, output="sos"), x)
    x = peaking(peaking(x, rng.uniform(1500, 3500), 9, 1.2), rng.uniform(400, 1000), -6, 1.0)
    x = add(x, colored(rng, len(x)), x, 22)
    loud = np.quantile(np.abs(x), rng.uniform(0.95, 1)) + 1e-9
    return np.clip(x / loud, -1, 1)


def add(x, noise, reference, ratio):
    """x and noise, the latter so loud that `reference` is `ratio` dB above it."""
    return x + noise * (np.sqrt(np.mean(reference ** 2)) / (np.sqrt(np.mean(noise ** 2)) + 1e-9) * 10 ** (-ratio / 20))


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


def clip(material, rng, seconds):
    """A degraded part of a track that is not silent: samples at 8 kHz, number of the track, its sample of 16 kHz at the
    start, speed, kind and ratio."""
    count = int(seconds * RATE)
    def speed_of(): return float(rng.uniform(0.95, 1.05)) if rng.random() < 0.3 else 1.0
    x, track, first, speed = stretch(material, rng, count, speed_of)
    if speed != 1:
        # Band-limited: twice the rate first, for the interpolation to be good enough below 4 kHz.
        x = np.interp(np.arange(count) * speed * 2, np.arange(2 * len(x)), signal.resample_poly(x, 2, 1))
    x = x[:count]
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


def excerpt(material, rng, seconds):
    """Levels, landmarks, kind and ratio of a clip."""
    x, track, first, speed, kind, ratio = clip(material, rng, seconds)
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
    folder, sets, seed, count, seconds = job
    material, rng = Material(folder, sets), np.random.default_rng(seed)
    made = [excerpt(material, rng, seconds) for _ in range(count)]
    return (np.stack([np.clip(m[0] * 100, -32768, 32767).astype(np.int16) for m in made]), np.stack([m[1] for m in made]),
            np.array([m[2] for m in made], np.uint8), np.array([m[3] for m in made], np.float32))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("output"); ap.add_argument("material"); ap.add_argument("sets", nargs="+")
    ap.add_argument("--count", type=int, default=20000); ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--seconds", type=float, default=5.0); ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    per_job = 250
    jobs = [(a.material, a.sets, [a.seed, i], min(per_job, a.count - i), a.seconds) for i in range(0, a.count, per_job)]
    with ProcessPoolExecutor(a.jobs) as pool:
        parts = list(pool.map(some, jobs))
    np.savez(a.output, **{n: np.concatenate([p[i] for p in parts]) for i, n in enumerate("levels marks kind ratio".split())})


if __name__ == "__main__":
    main()
