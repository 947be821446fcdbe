#!/usr/bin/env python3
"""Makes sound without a key: drums, noise, ambience and speech, as spectra for the key network.

  nokey.py OUTPUT.npz [--each 250]

Writes `levels` (clips, 60, 222) in half decibels above -100 (spectra.py), and the `kind` of each clip. Everything is
synthetic; espeak-ng reads Debian's license texts. Needs espeak-ng, numpy and scipy.
"""
import argparse, glob, os, re, subprocess, sys
import numpy as np
from scipy.signal import butter, lfilter, resample_poly, sosfilt
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tempo'))
import spectra, synthesize
from compose import BEATS

RATE, FRAMES = spectra.RATE, 60
LENGTH = int(FRAMES * spectra.FRAME * RATE)
VOICES = ['en-us', 'en-gb', 'de', 'fr-fr', 'es', 'it', 'pl', 'pt', 'ru', 'sv', 'tr', 'cs', 'nl', 'fi', 'el', 'hu', 'ro', 'da', 'cmn', 'hi', 'sw', 'id', 'vi']
VARIANTS = ['', '+m1', '+m2', '+m3', '+m4', '+m5', '+m7', '+f1', '+f2', '+f3', '+f4', '+f5', '+croak', '+whisper', '+klatt', '+klatt2', '+klatt4']


def coloured(count, slope, rng):
    """Noise whose power falls by so many decibels an octave."""
    spectrum = np.fft.rfft(rng.normal(size=count))
    frequency = np.maximum(20, np.fft.rfftfreq(count, 1 / RATE))
    return np.fft.irfft(spectrum * (frequency / 1000) ** (-slope / 6.02), count)


def band(samples, low, high):
    return sosfilt(butter(2, [max(20, low), min(3900, high)], 'band', fs=RATE, output='sos'), samples)


def slowly(count, rng, seconds):
    """A curve that moves within so many seconds, mean 0, deviation 1."""
    knots = rng.normal(size=int(count / RATE / seconds) + 4)
    return np.interp(np.linspace(1, len(knots) - 2, count), np.arange(len(knots)), knots)


def noise(rng):
    x = coloured(LENGTH, rng.choice([0, 3, 6, rng.uniform(-3, 9)]), rng)
    if rng.random() < .3: x = band(x, *(lambda f: (f, f * rng.uniform(1.6, 6)))(np.exp(rng.uniform(np.log(80), np.log(1500)))))
    if rng.random() < .4: x *= np.exp(slowly(LENGTH, rng, rng.choice([.1, .5, 3])) * rng.uniform(.2, 1.2))
    if rng.random() < .2: x = x * (rng.random(LENGTH) < 10 ** rng.uniform(-4, -1))
    if rng.random() < .15: x += .02 * x.std() * np.sin(2 * np.pi * rng.choice([50, 60]) * np.arange(LENGTH) / RATE)
    return x


def drumming(rng):
    """A drum machine of synthetic sounds, in patterns or at random, some of it through a room."""
    x, bpm, beats = np.zeros(LENGTH + RATE), rng.uniform(60, 180), BEATS[rng.integers(len(BEATS))]
    beats = {**beats, **(BEATS[rng.integers(len(BEATS))] if rng.random() < .5 else {})}
    step, kit = 60 / bpm / 4, {}
    for key in beats: kit[key] = resample_poly(synthesize.drum(key, rng), 160, 441) * rng.uniform(.3, 1)
    swing = rng.choice([0, 0, .3])
    for index in range(int(FRAMES * spectra.FRAME / step)):
        for key, steps in beats.items():
            if (steps[index % 16] == 'x') != (rng.random() < .05):
                at = int((index + swing * (index % 2)) * step * RATE)
                x[at:at + len(kit[key])] += kit[key][:len(x) - at] * rng.uniform(.6, 1)
    if rng.random() < .4:
        tail = rng.normal(size=int(RATE * rng.uniform(.3, 1.5)))
        tail *= np.exp(-np.arange(len(tail)) / len(tail) * 6.9) * .05
        x = x + np.convolve(x, tail)[:len(x)] if len(tail) < 4000 else x + np.fft.irfft(np.fft.rfft(x, 2 ** 19) * np.fft.rfft(tail, 2 ** 19))[:len(x)]
    if rng.random() < .3: x = np.tanh(x * rng.uniform(1, 6))
    return x[:LENGTH] + coloured(LENGTH, 3, rng) * 10 ** rng.uniform(-5, -2)


def ambience(rng):
    x, t = np.zeros(LENGTH), np.arange(LENGTH) / RATE
    for kind in rng.choice(['wind', 'rain', 'sea', 'birds', 'steps', 'bubbles', 'traffic', 'room', 'engine', 'crickets', 'impacts', 'sweeps'], rng.integers(1, 4), replace=False):
        if kind == 'wind':
            y = sum(band(coloured(LENGTH, 3, rng), f, f * 1.7) * np.exp(.8 * slowly(LENGTH, rng, 2)) for f in rng.uniform(80, 900, 4))
        elif kind == 'rain': y = coloured(LENGTH, rng.uniform(-2, 2), rng) + 4 * coloured(LENGTH, 0, rng) * (rng.random(LENGTH) < .002)
        elif kind == 'sea': y = coloured(LENGTH, 4, rng) * np.exp(1.2 * np.sin(2 * np.pi * t / rng.uniform(5, 12) + slowly(LENGTH, rng, 4)))
        elif kind == 'birds':
            y = np.zeros(LENGTH)
            for _ in range(int(rng.integers(10, 150))):
                n, at = int(RATE * rng.uniform(.04, .35)), int(rng.integers(0, LENGTH - RATE))
                s = np.linspace(0, 1, n)
                f = rng.uniform(1500, 3700) * (1 + rng.uniform(-.3, .3) * s + rng.uniform(0, .1) * np.sin(2 * np.pi * rng.uniform(2, 12) * s))
                y[at:at + n] += np.sin(2 * np.pi * np.cumsum(f) / RATE) * np.hanning(n) * rng.uniform(.1, 1)
        elif kind in ('steps', 'impacts'):
            y, at = np.zeros(LENGTH), 0.0
            while True:
                at += rng.uniform(.3, .7) if kind == 'steps' else rng.exponential(1) + .05
                n = int(RATE * rng.uniform(.03, .3))
                place = int(at * RATE)
                if place + n >= LENGTH: break
                y[place:place + n] += band(rng.normal(size=n), rng.uniform(60, 300), rng.uniform(500, 3500)) * np.exp(-np.linspace(0, 7, n)) * rng.uniform(.3, 1)
        elif kind == 'bubbles':
            y = np.zeros(LENGTH)
            for _ in range(int(rng.integers(100, 1500))):
                n, at = int(RATE * rng.uniform(.01, .08)), int(rng.integers(0, LENGTH - RATE))
                y[at:at + n] += np.sin(2 * np.pi * rng.uniform(250, 2500) * (1 + .4 * np.linspace(0, 1, n)) * np.arange(n) / RATE) * np.exp(-np.linspace(0, 5, n)) * rng.uniform(.1, 1)
        elif kind == 'traffic': y = coloured(LENGTH, 6, rng) * np.exp(slowly(LENGTH, rng, 3)) + .4 * coloured(LENGTH, 2, rng) * np.exp(1.5 * slowly(LENGTH, rng, 4))
        elif kind == 'room': y = coloured(LENGTH, 6, rng)
        elif kind == 'engine':
            phase = np.cumsum(rng.uniform(25, 90) * np.exp(.25 * slowly(LENGTH, rng, 3))) / RATE
            y = sum(np.sin(2 * np.pi * k * phase) / k ** rng.uniform(.3, 1) for k in range(1, 14)) + coloured(LENGTH, 3, rng) * rng.uniform(.5, 3)
        elif kind == 'crickets': y = band(rng.normal(size=LENGTH), 2800, 3600) * (np.sin(2 * np.pi * rng.uniform(3, 30) * t) > 0)
        else:
            y = np.zeros(LENGTH)
            for _ in range(int(rng.integers(2, 15))):
                n, at = int(RATE * rng.uniform(.5, 4)), int(rng.integers(0, LENGTH - 5 * RATE))
                f = np.exp(np.interp(np.linspace(0, 1, n), np.linspace(0, 1, 4), rng.uniform(np.log(80), np.log(3000), 4)))
                y[at:at + n] += np.sin(2 * np.pi * np.cumsum(f) / RATE) * np.hanning(n)
        x += y / (y.std() + 1e-9) * 10 ** rng.uniform(-.8, 0)
    return x + coloured(LENGTH, 3, rng) * 10 ** rng.uniform(-4, -1.5)


def voice(words, rng):
    text = ' '.join(words[k] for k in (rng.integers(0, len(words) - 150) + np.arange(150)))
    run = subprocess.run(['espeak-ng', '-v', str(rng.choice(VOICES)) + str(rng.choice(VARIANTS)), '-s', str(int(rng.uniform(120, 210))),
                          '-p', str(int(rng.uniform(10, 90))), '--stdout', text], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    x = np.frombuffer(run.stdout[44:len(run.stdout) // 2 * 2], np.int16).astype(np.float32) / 32768
    return np.resize(resample_poly(x, 160, 441), LENGTH) if len(x) > RATE else np.zeros(LENGTH)


def speech(words, rng):
    count = rng.choice([1, 1, 1, 2, 6])
    x = sum(voice(words, rng) * rng.uniform(.5, 1) for _ in range(count))
    if rng.random() < .4:
        tail = rng.normal(size=int(RATE * rng.uniform(.2, 1.2)))
        tail *= np.exp(-np.arange(len(tail)) / len(tail) * 6.9) * .04
        x = x + np.fft.irfft(np.fft.rfft(x, 2 ** 19) * np.fft.rfft(tail, 2 ** 19))[:len(x)]
    return x + coloured(LENGTH, rng.choice([0, 3, 6]), rng) * 10 ** rng.uniform(-5, -1.7)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--each', type=int, default=250)
    options = parser.parse_args()
    words = [w for path in sorted(glob.glob('/usr/share/common-licenses/*')) for w in re.findall(r"[A-Za-z',.;]+", open(path).read())]
    levels, kinds = [], []
    for number in range(options.each):
        for kind, make in (('noise', noise), ('drums', drumming), ('ambience', ambience), ('speech', lambda rng: speech(words, rng))):
            rng = np.random.default_rng([21, number, len(kind)])
            x = make(rng)
            x = x / (abs(x).max() + 1e-9) * 10 ** rng.uniform(-1.5, 0)
            found, _, _ = spectra.analyze(x)
            levels.append(np.clip(2 * (found[:FRAMES] - spectra.FLOOR), 0, 255).astype(np.uint8))
            kinds.append(kind)
    np.savez_compressed(options.output, levels=np.stack(levels), kind=np.array(kinds))


if __name__ == '__main__':
    main()
