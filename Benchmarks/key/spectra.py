"""Spectra for the key network: from sound, 222 bins of a third of a semitone.

A frame is 0.512 s: the mean of two STFT columns at 8,000 Hz (Hann 4,096, hop 2,048, columns centered). The bins cover
MIDI pitches 33 to 106. Levels are decibels; a full-scale sine has 0.
"""
import os, subprocess
import numpy as np

RATE, WINDOW, HOP = 8000, 4096, 2048
LOWEST, SEMITONES = 33, 74
BINS = 3 * SEMITONES
FRAME = 2 * HOP / RATE
PITCHES = LOWEST + (np.arange(BINS) - 1) / 3
FLOOR = -100.0


def triangles():
    """(2049, BINS): triangles a third of a semitone to each side, at least one bin of the STFT."""
    width = RATE / WINDOW
    frequency = 440 * 2 ** ((PITCHES - 69) / 12)
    half = np.maximum(frequency * (2 ** (1 / 36) - 1), width)
    return np.maximum(0, 1 - abs(np.arange(WINDOW // 2 + 1)[:, None] * width - frequency) / half).astype(np.float32)


TRIANGLES = triangles()
HANN = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


def read(path):
    """Samples of a file, mono, 8,000 Hz."""
    run = subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-i', path, '-ac', '1', '-ar', str(RATE), '-f', 'f32le', '-'],
                         stdout=subprocess.PIPE, check=True)
    return np.frombuffer(run.stdout, np.float32)


def powers(samples, hop=HOP):
    """(columns, 2049): powers of the STFT; a sine of amplitude 1 has 1 at its bin."""
    columns = max(1, -(-len(samples) // hop))
    padded = np.pad(np.asarray(samples, np.float32), (WINDOW // 2, WINDOW))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::hop][:columns]
    return abs(np.fft.rfft(frames * HANN).astype(np.complex64)) ** 2 * np.float32(16 / WINDOW ** 2)


def tuning(power):
    """Cents above 440 Hz (-50 to 50), from the peaks between 100 and 2,000 Hz, and their clarity (0 to 1)."""
    low, high = int(100 * WINDOW / RATE), int(2000 * WINDOW / RATE)
    middle, left, right = power[:, low:high], power[:, low - 1:high - 1], power[:, low + 1:high + 1]
    peak = (middle > left) & (middle >= right) & (middle > 1e-3 * power.max(1, keepdims=True)) & (middle > 1e-9)
    column, bin = np.nonzero(peak)
    if not len(bin): return 0.0, 0.0
    a, b, c = (np.log(part[column, bin] + 1e-20) for part in (left, middle, right))
    frequency = (bin + low + .5 * (a - c) / (a - 2 * b + c - 1e-9)) * RATE / WINDOW
    weight = np.sqrt(np.sqrt(middle[column, bin] / power.max(1)[column]))
    turn = np.sum(weight * np.exp(2j * np.pi * 12 * np.log2(frequency / 440))) / weight.sum()
    return float(np.angle(turn) / (2 * np.pi) * 100), float(abs(turn))


def decibels(power):
    return 10 * np.log10(power + 10 ** (FLOOR / 10))


def frames(power):
    """(frames, BINS) in decibels from (columns, 2049)."""
    bands = power @ TRIANGLES
    if len(bands) % 2: bands = np.vstack([bands, bands[-1:]])
    return decibels(bands.reshape(-1, 2, BINS).mean(1))


def tuned(levels, cents):
    """The same as if the sound were tuned to 440 Hz: moved by up to half a semitone."""
    place = np.arange(BINS) + cents * .03
    low = np.clip(np.floor(place).astype(int), 0, BINS - 2)
    part = np.clip(place - low, 0, 1).astype(np.float32)
    return levels[:, low] * (1 - part) + levels[:, low + 1] * part


def analyze(samples):
    """(frames, BINS) in decibels as if tuned to 440 Hz, the tuning in cents, and its clarity."""
    power = powers(samples)
    cents, sure = tuning(power)
    return tuned(frames(power), cents).astype(np.float32), cents, sure
