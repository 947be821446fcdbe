#!/usr/bin/env python3
"""Makes sound without a key: drums, noise, ambience and speech, as spectra for the key network.

  nokey.py OUTPUT.npz [--each 130]

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
VOICES = ['en-us', 'en-gb', 'de', 'fr-fr', 'es', 'it', 'pl', 'pt', 'ru', 'sv', 'tr', 'cs', 'nl', 'fi', 'el', 'hu', 'ro', 'da', 'cmn', 'hi',
          'sw', 'id', 'vi']
VARIANTS = ['', '+m1', '+m2', '+m3', '+m4', '+m5', '+m7', '+f1', '+f2', '+f3', '+f4', '+f5',
            '+croak', '+whisper', '+klatt', '+klatt2', '+klatt4']


def colored(count, slope, rng):
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


def echoing(samples, rng):
    """In a room: with a tail of noise that fades by 60 dB."""
    tail = rng.normal(size=int(RATE * rng.uniform(.2, 1.5)))
    tail *= np.exp(-np.arange(len(tail)) / len(tail) * 6.9) * .05
    return samples + np.fft.irfft(np.fft.rfft(samples, 2 ** 19) * np.fft.rfft(tail, 2 ** 19))[:len(samples)]


def scattered(count, lengths, sound, rng):
    """So many short sounds at random times; `sound` makes one of some samples."""
    x = np.zeros(LENGTH)
    for _ in range(int(count)):
        n, at = int(RATE * rng.uniform(*lengths)), int(rng.integers(0, LENGTH - 5 * RATE))
        x[at:at + n] += sound(n) * rng.uniform(.1, 1)
    return x


def glide(frequencies):
    """A sine of a frequency for each sample."""
    return np.sin(2 * np.pi * np.cumsum(frequencies) / RATE)


def noise(rng):
    x = colored(LENGTH, rng.choice([0, 3, 6, rng.uniform(-3, 9)]), rng)
    if rng.random() < .3:
        low = np.exp(rng.uniform(np.log(80), np.log(1500)))
        x = band(x, low, low * rng.uniform(1.6, 6))
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
        x = echoing(x, rng)
    if rng.random() < .3: x = np.tanh(x * rng.uniform(1, 6))
    return x[:LENGTH] + colored(LENGTH, 3, rng) * 10 ** rng.uniform(-5, -2)


def wind(rng):
    return sum(band(colored(LENGTH, 3, rng), f, f * 1.7) * np.exp(.8 * slowly(LENGTH, rng, 2)) for f in rng.uniform(80, 900, 4))


def rain(rng):
    return colored(LENGTH, rng.uniform(-2, 2), rng) + 4 * colored(LENGTH, 0, rng) * (rng.random(LENGTH) < .002)


def sea(rng):
    waves = np.sin(2 * np.pi * np.arange(LENGTH) / RATE / rng.uniform(5, 12) + slowly(LENGTH, rng, 4))
    return colored(LENGTH, 4, rng) * np.exp(1.2 * waves)


def birds(rng):
    def chirp(n):
        s = np.linspace(0, 1, n)
        bend = 1 + rng.uniform(-.3, .3) * s + rng.uniform(0, .1) * np.sin(2 * np.pi * rng.uniform(2, 12) * s)
        return glide(rng.uniform(1500, 3700) * bend) * np.hanning(n)
    return scattered(rng.integers(10, 150), (.04, .35), chirp, rng)


def impacts(rng):
    hit = lambda n: band(rng.normal(size=n), rng.uniform(60, 300), rng.uniform(500, 3500)) * np.exp(-np.linspace(0, 7, n))
    return scattered(rng.integers(10, 80), (.03, .3), hit, rng)


def bubbles(rng):
    rise = lambda n: glide(rng.uniform(250, 2500) * (1 + .4 * np.linspace(0, 1, n))) * np.exp(-np.linspace(0, 5, n))
    return scattered(rng.integers(100, 1500), (.01, .08), rise, rng)


def traffic(rng):
    near = colored(LENGTH, 6, rng) * np.exp(slowly(LENGTH, rng, 3))
    return near + .4 * colored(LENGTH, 2, rng) * np.exp(1.5 * slowly(LENGTH, rng, 4))


def engine(rng):
    phase = np.cumsum(rng.uniform(25, 90) * np.exp(.25 * slowly(LENGTH, rng, 3))) / RATE
    hum = sum(np.sin(2 * np.pi * k * phase) / k ** rng.uniform(.3, 1) for k in range(1, 14))
    return hum + colored(LENGTH, 3, rng) * rng.uniform(.5, 3)


def crickets(rng):
    on = np.sin(2 * np.pi * rng.uniform(3, 30) * np.arange(LENGTH) / RATE) > 0
    return band(rng.normal(size=LENGTH), 2800, 3600) * on


def sweeps(rng):
    def sweep(n):
        logs = rng.uniform(np.log(80), np.log(3000), 4)
        return glide(np.exp(np.interp(np.linspace(0, 3, n), np.arange(4), logs))) * np.hanning(n)
    return scattered(rng.integers(2, 15), (.5, 4), sweep, rng)


def ambience(rng):
    x = colored(LENGTH, 3, rng) * 10 ** rng.uniform(-4, -1.5)
    for kind in rng.permutation([wind, rain, sea, birds, impacts, bubbles, traffic, engine, crickets, sweeps])[:rng.integers(1, 4)]:
        y = kind(rng)
        x += y / (y.std() + 1e-9) * 10 ** rng.uniform(-.8, 0)
    return x


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
        x = echoing(x, rng)
    return x + colored(LENGTH, rng.choice([0, 3, 6]), rng) * 10 ** rng.uniform(-5, -1.7)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--each', type=int, default=130)
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
