#!/usr/bin/env python3
"""Retrieval of album, artist and recording on packages that nothing was fitted to, beside two baselines.

  evaluate.py WORK_DIRECTORY

After material.py, frames.py (with and without --versions) and fit.py --write. It takes the projection that is in the program. A package
is an album; artists are those of tags. Needs numpy, scipy.

- album, artist: mean average precision; artist* leaves out tracks of the same package, with how many queries there are.
- gain, mp3-64, …: the share of encodings (90 s) that have the original (120 s) at rank 1 among all tracks; excerpt: of second halves
  that have the first half of the same track at rank 1 among all first halves.
- hub: of all tracks of both splits, the largest share of others that has one track among its ten nearest.

Baselines: one Gaussian of 19 MFCCs with symmetrized Kullback-Leibler divergence (Mandel and Ellis, ISMIR 2005), and a vector of 20
numbers after those of bliss-rs, each divided by its deviation.
"""
import argparse
import numpy as np
import descriptor, fit, tracks

FRAMES_PER_SECOND = 22050 / 880


# Similarities of queries (rows) and a collection (columns).

def ours(queries, collection):
    """SoundCollection.swift."""
    center = collection.sum(0) / (len(collection) + 200)
    unit = lambda rows: (rows - center) / np.linalg.norm(rows - center, axis=1, keepdims=True)
    collection, queries = unit(collection), unit(queries)
    sample = collection[np.arange(min(len(collection), 1024)) * len(collection) // min(len(collection), 1024)]
    count = max(10, len(sample) // 40)
    nearness = np.sort(collection @ sample.T, 1)[:, -count:].mean(1)
    return queries @ collection.T - 0.75 * nearness


def gaussians(all_bands):
    cosines = np.cos(np.pi * np.outer(np.arange(1, 20), np.arange(32) + 0.5) / 32) * np.sqrt(2 / 32)
    cepstra = [np.maximum(bands, -15) @ cosines.T for bands in all_bands]
    return [(each.mean(0), np.cov(each.T) + 1e-3 * np.eye(19)) for each in cepstra]


def divergence(queries, collection):
    inverse = lambda each: [np.linalg.inv(covariance) for _, covariance in each]
    first, second = inverse(queries), inverse(collection)
    result = np.zeros((len(queries), len(collection)))
    for row, (mean, covariance) in enumerate(queries):
        for column, (other, others) in enumerate(collection):
            off = mean - other
            result[row, column] = -(np.sum(covariance * second[column]) + np.sum(others * first[row])
                                    + off @ (first[row] + second[column]) @ off)
    return result


def tempo(bands):
    """Beats per minute: the peak of the autocorrelation of onsets, weighted towards 120."""
    onsets = np.maximum(np.diff(bands, axis=0), 0).mean(1)
    onsets -= onsets.mean()
    found = np.correlate(onsets, onsets, 'full')[len(onsets) - 1:]
    lags = np.arange(7, 38)
    bpm = 60 * FRAMES_PER_SECOND / lags
    return bpm[np.argmax(found[lags] * np.exp(-0.5 * (np.log2(bpm / 120) / 0.9) ** 2))]


def euclidean(queries, collection):
    means, deviations = collection.mean(0), collection.std(0) + 1e-9
    queries, collection = (queries - means) / deviations, (collection - means) / deviations
    return -np.sqrt(((queries[:, None] - collection[None]) ** 2).sum(2))


# Figures.

def precision(similarity, labels, allowed=None):
    """Mean average precision, and the number of queries that have something to find."""
    found = []
    for row in range(len(labels)):
        if not labels[row]: continue
        others = np.arange(len(labels)) != row
        if allowed is not None: others &= allowed[row]
        right = labels[others] == labels[row]
        if not right.any(): continue
        right = right[np.argsort(-similarity[row, others], kind='stable')]
        found.append((np.cumsum(right) / (np.arange(len(right)) + 1))[right].mean())
    return np.mean(found) if found else np.nan, len(found)


def hub(similarity):
    similarity = similarity.copy()
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.argsort(-similarity, 1)[:, :10]
    return np.bincount(nearest.ravel(), minlength=len(similarity)).max() / (len(similarity) - 1)


def row(name, similarity, found):
    packages, artists = np.array([each.package for each in found]), np.array([each.artist for each in found])
    album, albums = precision(similarity, packages)
    artist, queries = precision(similarity, artists)
    print('%-22s album %.3f (%d)  artist %.3f (%d)' % (name, album, albums, artist, queries))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    work = parser.parse_args().work
    found = tracks.read(work, 'test')
    projection = fit.shipped()
    describe = lambda each: fit.apply(projection, np.array(each))
    means = [descriptor.mean(each.numbers, each.weights) for each in found]
    described = describe(means)
    row('descriptor', ours(described, described), found)
    models = gaussians([each.bands for each in found])
    row('MFCC Gaussian, KL', divergence(models, models), found)
    vectors = np.array([[tempo(each.bands), *each.plain] for each in found])
    row('after bliss-rs', euclidean(vectors, vectors), found)
    plain = np.array(means)
    plain = (plain - plain.mean(0)) / plain.std(0)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    row('statistics, unfitted', plain @ plain.T, found)

    for version in tracks.VERSIONS:
        index = [at for at, each in enumerate(found) if version in each.versions]
        if not index: continue
        queries = describe([descriptor.mean(*found[at].versions[version]) for at in index])
        similarity = ours(queries, described)
        first = np.mean(similarity.argmax(1) == index)
        cosines = [np.corrcoef(query, described[at])[0, 1] for query, at in zip(queries, index)]
        print('%-22s %.1f%% at rank 1 of %d; correlation with the original: median %.3f, lowest %.3f'
              % (version, 100 * first, len(index), np.median(cosines), min(cosines)))
    halves = [descriptor.excerpts(each.numbers, each.weights, 2) for each in found]
    first, second = describe([each[0] for each in halves]), describe([each[1] for each in halves])
    half = [len(each.bands) // 2 for each in found]
    baseline = [gaussians([each.bands[part(at)] for each, at in zip(found, half)])
                for part in (lambda at: slice(at), lambda at: slice(at, None))]
    for name, similarity in (('excerpt', ours(second, first)), ('excerpt, KL', divergence(*baseline[::-1]))):
        print('%-22s %.1f%% at rank 1 of %d' % (name, 100 * np.mean(similarity.argmax(1) == np.arange(len(found))), len(found)))
    every = found + tracks.read(work, 'fit')
    described = describe([descriptor.mean(each.numbers, each.weights) for each in every])
    print('%-22s %.2f%% of %d; cosine alone %.2f%%' % (
        'hub', 100 * hub(ours(described, described)), len(every),
        100 * hub(np.corrcoef(described - described.mean(0)))))


if __name__ == '__main__': main()
