#!/usr/bin/env python3
"""Fits the projection of statistics of sound to descriptors, and writes Sources/Sound/Likeness/Resources/projection.f16.

  fit.py WORK_DIRECTORY [--write]

A linear discriminant analysis (Fisher 1936; Rao 1948) of the tracks of the fit split: within a class are the parts and encodings of a
track, and the tracks of an artist in a package. What differs between encodings counts again. After material.py and frames.py, also with --versions. Needs numpy, scipy.
"""
import argparse, os, sys
import numpy as np
from scipy.linalg import eigh
import descriptor, tracks

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import model_files

COUNT = 128
LIMIT = 4
# How much of what is within a class is within tracks; how much is added of what differs between encodings, and of the identity;
# how much more the better directions count.
OF_TRACKS, OF_ENCODINGS, SHRINKAGE, POWER = 0.5, 0.5, 0.3, 0.25


def normal(rows, means, deviations):
    return np.clip((rows - means) / deviations, -LIMIT, LIMIT)


def within(rows, labels):
    """Covariance about the means of classes; a class counts as the root of its size."""
    _, index = np.unique(labels, return_inverse=True)
    sizes = np.bincount(index)
    means = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(means, index, rows)
    off = rows - (means / sizes[:, None])[index]
    weights = np.where(sizes > 1, 1 / np.sqrt(sizes), 0)[index]
    return (off * weights[:, None]).T @ off / weights.sum()


def fit(rows, track, kind, pairs):
    """Means, deviations and a matrix of COUNT rows.

    rows: parts of tracks; track, kind: of which track and class each is; pairs: encodings, and the tracks that they are of."""
    means, deviations = rows.mean(0), rows.std(0) + 1e-3
    rows = normal(rows, means, deviations)
    off = normal(pairs[0], means, deviations) - normal(pairs[1], means, deviations)
    total = np.cov(rows.T)
    inner = (OF_TRACKS * within(rows, track) + (1 - OF_TRACKS) * within(rows, kind)
             + OF_ENCODINGS * off.T @ off / (2 * len(off)) + SHRINKAGE * np.eye(len(total)) * np.trace(total) / len(total))
    ratios, directions = eigh(total, inner)
    best = np.argsort(-ratios)[:COUNT]
    matrix = (directions[:, best] * ratios[best] ** POWER).T
    return means, deviations, matrix / np.sqrt(((rows @ matrix.T) ** 2).mean())


def apply(projection, rows):
    """Descriptors, as SoundDescriptor.swift rounds them."""
    means, deviations, matrix = projection
    return np.clip(np.round(16 * normal(rows, means, deviations) @ matrix.T), -127, 127)


def shipped():
    """The projection of the program."""
    numbers = np.array(model_files.read_halves(model_files.SOUND_PROJECTION))
    size = numbers.size // (COUNT + 2)
    return numbers[:size], 1 / numbers[size:2 * size], numbers[2 * size:].reshape(COUNT, size)


def parts(found):
    """Of tracks.read: thirds of tracks, and their encodings; with the track and class of each."""
    rows, track, kind = [], [], []
    for each in found:
        own = [*descriptor.excerpts(each.numbers, each.weights, 3),
               *(descriptor.mean(numbers, weights) for version, (numbers, weights) in each.versions.items() if version != 'gain')]
        rows += own
        track += [each.id] * len(own)
        kind += [each.package + '|' + each.artist] * len(own)
    return np.array(rows), np.array(track), np.array(kind)


def pairs(found):
    """Encodings as MP3 and Opus, and the tracks that they are of."""
    both = [(descriptor.mean(numbers, weights), descriptor.mean(each.numbers, each.weights)) for each in found
            for version, (numbers, weights) in each.versions.items() if version != 'gain']
    return np.array(both).transpose(1, 0, 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('--write', action='store_true')
    arguments = parser.parse_args()
    found = tracks.read(arguments.work, 'fit')
    rows, track, kind = parts(found)
    print('%d tracks, %d classes, %d parts and encodings' % (len(found), len(set(kind)), len(rows)))
    means, deviations, matrix = fit(rows, track, kind, pairs(found))
    if arguments.write:
        model_files.write_halves(model_files.SOUND_PROJECTION, [*means, *1 / deviations, *matrix.ravel()])


if __name__ == '__main__': main()
