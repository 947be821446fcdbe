"""The numbers that the projection starts from, as Sources/Sound/Likeness/SoundStatistics.swift has them; docs/likeness.md lists them."""
import numpy as np

BLOCK = 256
LEAST = 64
CEPSTRA = 13
GROUPS = (0, 4, 8, 13, 19, 25, 32)
# Of the bins of a transform of a block: 0.3 to 12.5 Hz.
PULSES = (3, 5, 8, 12, 18, 27, 40, 60, 90, 128)
FLOOR = 1e-5
DCT = np.sqrt(2 / 32) * np.cos(np.pi * np.outer(np.arange(CEPSTRA), np.arange(32) + 0.5) / 32)
HANN = np.sin(np.pi * np.arange(BLOCK) / BLOCK) ** 2


def block_statistics(bands, tones):
    """Numbers of one block, and its weight.

    bands: natural logarithms of powers, frames × 32; tones: of flatness and change, frames × 24."""
    power = np.exp(bands.astype(np.float64))
    mean = power.mean()
    if mean < 1e-9: return None, 0
    levels = np.log(power / mean + FLOOR)
    cepstra = levels @ DCT.T
    change = np.diff(levels, axis=0)
    rises = np.maximum(change, 0)
    covariance = np.cov(cepstra.T, bias=True)
    deviation = np.sqrt(np.diag(covariance)) + 0.05
    groups = np.stack([rises[:, low:high].mean(1) for low, high in zip(GROUPS, GROUPS[1:])], 1)
    flux = groups.mean(0)
    course = np.zeros((BLOCK, len(flux)))
    course[:len(groups)] = groups - flux
    pulses = np.abs(np.fft.rfft(course * HANN[:, None], axis=0)) ** 2
    pulses = np.stack([pulses[low:high].sum(0) for low, high in zip(PULSES, PULSES[1:])], 0)
    pulses = np.log(pulses / (pulses.sum(0) + 1e-9) + 1e-3)
    numbers = np.concatenate([
        levels.mean(0), levels.std(0), (covariance / np.outer(deviation, deviation))[np.triu_indices(CEPSTRA, 1)],
        np.log(deviation), np.abs(change).mean(0), np.log(flux + 1e-2), pulses.T.ravel(), tones.mean(0), tones.std(0)])
    return numbers, len(bands) * mean ** 0.25


def block_list(bands, tones):
    """Of all blocks that are not silent: numbers, one row for each, and weights."""
    bands, tones = bands.astype(np.float32), tones.astype(np.float32)
    blocks = [(start, min(start + BLOCK, len(bands))) for start in range(0, len(bands), BLOCK)]
    if len(blocks) > 1 and blocks[-1][1] - blocks[-1][0] < LEAST: blocks.pop()
    found = [block_statistics(bands[low:high], tones[low:high]) for low, high in blocks]
    found = [(numbers, weight) for numbers, weight in found if weight > 0]
    return np.array([numbers for numbers, _ in found]), np.array([weight for _, weight in found])


def mean(numbers, weights):
    return weights @ numbers / weights.sum()


def excerpts(numbers, weights, count):
    """Of so many parts of a track."""
    parts = np.array_split(np.arange(len(weights)), min(count, len(weights)))
    return np.array([mean(numbers[part], weights[part]) for part in parts])
