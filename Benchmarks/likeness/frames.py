#!/usr/bin/env python3
"""Writes the frames that descriptors are made of: bands of spectra, as the analyzer has them.

  frames.py WORK_DIRECTORY [--versions]

For each track of tracks.tsv writes WORK_DIRECTORY/frames/ID.npz: `bands` (logarithms of the mean powers of 32 bands, one row per
frame) and `tones` (flatness and change of bins in 12 ranges), 25 frames a second, of the first 120 s (90 s of
tracks to fit to), and for the test split `plain`, what evaluate.py needs for its baselines. --versions also encodes a part of the tracks as MP3 and Opus: ID.mp3-64.npz and so on.
Needs numpy, scipy, ffmpeg.
"""
import argparse, os, subprocess, sys
from concurrent.futures import ProcessPoolExecutor
import numpy as np, scipy.fft

RATE, WINDOW, HOP = 22050, 1024, 880
BANDS, HIGHEST = 32, 9500
# Of the bins: half octaves from 172 Hz to 8.8 kHz.
RANGES = (8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 330, 410)
VERSIONS = {'mp3-64': ('mp3', '-b:a', '64k'), 'mp3-128': ('mp3', '-b:a', '128k'), 'opus-48': ('opus', '-b:a', '48k'),
            'gain': ('wav', '-af', 'volume=-12dB')}


def filter_bank():
    """DSP/FilterBank.swift."""
    mel = lambda hertz: 2595 * np.log10(1 + hertz / 700)
    edges = 700 * (10 ** (np.linspace(0, mel(HIGHEST), BANDS + 2) / 2595) - 1)
    bins = np.arange(WINDOW // 2 + 1) * RATE / WINDOW
    bank = np.array([np.maximum(0, np.minimum((bins - low) / (center - low), (high - bins) / (high - center)))
                     for low, center, high in zip(edges, edges[1:], edges[2:])])
    return (bank / bank.sum(1, keepdims=True)).astype(np.float32)


BANK = filter_bank()
HANN = np.sin(np.pi * np.arange(WINDOW) / WINDOW).astype(np.float32) ** 2


def decode(path, seconds):
    command = ['ffmpeg', '-v', 'error', '-threads', '1', '-i', path, '-t', str(seconds), '-ac', '1', '-ar', str(RATE), '-f', 'f32le', '-']
    return np.frombuffer(subprocess.run(command, capture_output=True).stdout, np.float32)


def spectrum(signal):
    """Powers, one row per frame; frame c is centered on c · HOP."""
    padded = np.concatenate([np.zeros(WINDOW // 2, np.float32), signal, np.zeros(WINDOW, np.float32)])
    count = -(-len(signal) // HOP)
    frames = np.lib.stride_tricks.as_strided(padded, (count, WINDOW), (4 * HOP, 4))
    return np.abs(scipy.fft.rfft(frames * HANN, axis=1)) ** 2


def frames(signal):
    """Logarithms of the powers of bands; flatness of each range, and how its bins change from the frame before."""
    power = spectrum(signal)
    tones, changes = [], []
    for low, high in zip(RANGES, RANGES[1:]):
        part = power[:, low:high]
        logs = np.log(part / (part.mean(1, keepdims=True) + 1e-20) + 1e-3)
        tones.append(logs.mean(1))
        changes.append(np.abs(np.diff(logs, axis=0, prepend=logs[:1])).mean(1))
    return np.log(power @ BANK.T + 1e-10).astype(np.float32), np.stack(tones + changes, 1).astype(np.float32)


def plain(signal):
    """The numbers of a vector after bliss-rs's list: rate of zero crossings, centroid, rolloff, flatness, loudness (mean and
    deviation), ten statistics of intervals in the chroma. Tempo is added by evaluate.py."""
    count = len(signal) // 512
    blocks = signal[:count * 512].reshape(count, 512)
    power = spectrum(signal)[:, 1:]
    bins = np.arange(1, power.shape[1] + 1) * RATE / WINDOW
    total = power.sum(1) + 1e-9
    magnitude = np.sqrt(power)
    rolloff = bins[np.argmax(np.cumsum(power, 1) >= 0.95 * total[:, None], 1)]
    values = [(np.diff(np.signbit(blocks), axis=1) != 0).mean(1), (magnitude @ bins) / (magnitude.sum(1) + 1e-9), rolloff,
              np.exp(np.log(power + 1e-9).mean(1)) / (power.mean(1) + 1e-9), 10 * np.log10((blocks ** 2).mean(1) + 1e-9)]
    numbers = [f(value) for value in values for f in (np.mean, np.std)]
    size, hop = 8192, 2205
    count = max((len(signal) - size) // hop, 0)
    if count < 4: return np.array(numbers + [0] * 10)
    long = np.lib.stride_tricks.as_strided(signal, (count, size), (4 * hop, 4))
    heights = np.abs(scipy.fft.rfft(long * np.hanning(size).astype(np.float32), axis=1))
    hertz = np.arange(1, heights.shape[1]) * RATE / size
    classes = np.round(12 * np.log2(hertz / 440)).astype(int) % 12
    low = (hertz > 80) & (hertz < 4000)
    chroma = np.stack([heights[:, 1:][:, low & (classes == pitch)].sum(1) for pitch in range(12)], 1)
    chroma = np.exp(15 * chroma / (chroma.max(1, keepdims=True) + 1e-9))
    chroma /= chroma.sum(1, keepdims=True)
    patterns = [(0, k) for k in range(1, 7)] + [(0, 4, 7), (0, 3, 7), (0, 3, 6), (0, 4, 8)]
    tone = [np.sum([np.prod([chroma[:, (root + step) % 12] for step in pattern], 0) for root in range(12)], 0).mean()
            ** (1 / len(pattern)) for pattern in patterns]
    return np.array(numbers + tone)


def write(job):
    path, split, version, target = job
    if os.path.exists(target): return
    if version:
        form, *options = VERSIONS[version]
        encoded = subprocess.run(['ffmpeg', '-v', 'error', '-i', path, '-t', '90', '-map_metadata', '-1', '-vn', *options, '-f', form,
                                  '-y', target + '.' + form], capture_output=True)
        signal = decode(target + '.' + form, 90)
        os.unlink(target + '.' + form)
    else:
        signal = decode(path, 120 if split == 'test' else 90)
    if len(signal) < 20 * RATE: return print('no sound:', path, file=sys.stderr)
    bands, tones = frames(signal)
    more = {'plain': plain(signal)} if split == 'test' else {}
    np.savez(target, bands=bands.astype(np.float16), tones=tones.astype(np.float16), **more)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('--versions', action='store_true')
    arguments = parser.parse_args()
    os.makedirs(os.path.join(arguments.work, 'frames'), exist_ok=True)
    jobs = []
    for line in open(os.path.join(arguments.work, 'tracks.tsv')):
        name, split, *_, path = line.rstrip('\n').split('\t')
        versions = ([None] if not arguments.versions else
                    list(VERSIONS) if int(name[:2], 16) < (96 if split == 'test' else 64) else [])
        jobs += [(path, split, version, os.path.join(arguments.work, 'frames', name + ('.' + version if version else '') + '.npz'))
                 for version in versions]
    with ProcessPoolExecutor(3) as pool:
        for _ in pool.map(write, jobs): pass


if __name__ == '__main__': main()
