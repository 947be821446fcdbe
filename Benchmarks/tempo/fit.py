#!/usr/bin/env python3
"""Fits Sources/Tempo/GridWeights.swift and prints what it is worth on sources it was not fitted to.

  fit.py MANIFEST:FEATURES:WEIGHT … [--write FILE.swift] [--l2 5] [--folds 7]

MANIFEST is a CSV with the columns id, bpm_true, kind, source, beats_file (one time in seconds per line, relative to the manifest);
FEATURES is the directory that `tempo-features` wrote for its recordings; WEIGHT is what one of them counts. Sources are kept
together in the folds. Needs numpy, scipy and mir_eval.

The model is a conditional logit over the hypotheses (tempo and phase) of a recording: the probability of the right ones is
maximised, with an L2 penalty on the weights of standardised features. A hypothesis is right if its tempo is within 4% and its beats
have at least 0.9 of the best F-measure that any hypothesis has. Features are those of Sources/Tempo/GridFeatures.swift, in its order.
"""
import argparse, csv, json, os, warnings
import numpy as np
from scipy.optimize import minimize
warnings.simplefilter('ignore')
import mir_eval

RATE = 22050 / 220     # columns per second
ONSET_DELAY = 0.008    # StretchReading.onsetDelay
PER_BEAT = 24          # BarProfile.positionsPerBeat
LEAST_BUSY = np.array([-2.5, 0, -1, 0, -3, 1.5, 1, 0])
MOST_BUSY = np.array([0.5, 2, 1.7, 2, 1.7, 3, 3.3, 3])
FACTORS = (1 / 3, 1 / 2, 1, 2, 3)


def smoothed(profile, period):
    sigma = 0.015 * PER_BEAT / period
    distance = np.minimum(np.arange(96), 96 - np.arange(96))
    kernel = np.exp(-0.5 * (distance / sigma) ** 2)
    spectrum = np.fft.fft(kernel / kernel.sum())[:, None]
    return np.maximum(np.real(np.fft.ifft(np.fft.fft(profile, axis=0) * spectrum, axis=0)), 0)


def phases(profile):
    curve = profile.reshape(4, PER_BEAT, 8).sum((0, 2))
    before, after = np.roll(curve, 1), np.roll(curve, -1)
    tops = [i for i in range(PER_BEAT) if curve[i] > before[i] and curve[i] >= after[i]]
    tops.sort(key=lambda i: -curve[i])
    for i in tops[:5]:
        bend = before[i] - 2 * curve[i] + after[i]
        yield (i + (0.5 * (before[i] - after[i]) / bend if bend < 0 else 0)) / PER_BEAT


def features(track, candidate, profile, phase):
    def mean(*offsets):
        position = (np.add.outer(np.array(offsets), np.arange(4)).ravel() + phase) * PER_BEAT % 96
        index = np.floor(position).astype(int)
        share = (position - index)[:, None]
        return (profile[index % 96] * (1 - share) + profile[(index + 1) % 96] * share).mean(0)
    log = lambda x: np.log(x + 0.2)
    first, last = mean(1 / 4), mean(3 / 4)
    octaves = np.log2(candidate['bpm'] / 120)
    busy = np.clip(np.log(np.array(track['activity']) + 0.1), LEAST_BUSY, MOST_BUSY)
    return np.concatenate([
        log(mean(0)), log(mean(1 / 2)), log((first + last) / 2), log(mean(1 / 3, 2 / 3)), log(first) - log(last),
        log(mean(1 / 6, 5 / 6)), log(mean(1 / 8, 3 / 8, 5 / 8, 7 / 8)), octaves ** np.arange(1, 5),
        np.log(np.array([candidate['comb'], candidate['whole'], candidate['local']]) + 0.1), octaves * busy[[0, 2, 4, 5, 6]]])


def read(manifest, directory, weight):
    for row in csv.DictReader(open(manifest)):
        path = os.path.join(directory, row['id'] + '.json')
        if not os.path.exists(path): continue
        track = json.load(open(path))
        truth = None
        if row['beats_file']:
            lines = open(os.path.join(os.path.dirname(os.path.abspath(manifest)), row['beats_file']))
            truth = mir_eval.beat.trim_beats(np.unique([float(line.split()[0]) for line in lines if line.strip()]))
            if len(truth) < 2: truth = None
        duration = track['columnCount'] / RATE
        vectors, tempi, scores, beats = [], [], [], []
        for candidate in track['candidates']:
            period = 60 / candidate['bpm']
            profile = smoothed(np.array(candidate['profile']).reshape(96, 8), period)
            grid = np.array(candidate['beats']) / RATE
            if candidate['isConstant']: grid = np.arange(0, duration / period + 1) * period
            for phase in phases(profile):
                k = np.arange(-1, len(grid) + 1)
                times = np.interp(k + phase, k, np.r_[2 * grid[0] - grid[1], grid, 2 * grid[-1] - grid[-2]]) + ONSET_DELAY
                times = np.unique(times[(times >= 0) & (times < duration)])
                vectors.append(features(track, candidate, profile, phase))
                tempi.append(candidate['bpm'])
                beats.append(times)
                found = mir_eval.beat.trim_beats(times)
                scores.append(np.nan if truth is None else mir_eval.beat.f_measure(truth, found) if len(found) > 1 else 0)
        if not vectors: continue
        true, tempi, scores = float(row['bpm_true']), np.array(tempi), np.array(scores)
        right = abs(tempi / true - 1) <= 0.04
        if truth is not None and scores.max() >= 0.35:
            near = scores >= 0.9 * scores.max()
            right = right & near if (right & near).any() else near
        yield dict(id=row['id'], kind=row['kind'], source=row['source'], true=true, truth=truth, X=np.array(vectors), right=right,
                   tempi=tempi, F=scores, beats=beats, weight=weight, moves=track['moves'], clarity=track['clarity'])


def fit(tracks, l2):
    tracks = [t for t in tracks if t['right'].any()]
    X = np.concatenate([t['X'] for t in tracks])
    mean, deviation = X.mean(0), X.std(0) + 1e-9
    X = (X - mean) / deviation
    right = np.concatenate([t['right'] for t in tracks]).astype(float)
    sizes = [len(t['X']) for t in tracks]
    starts, owner = np.r_[0, np.cumsum(sizes)[:-1]], np.repeat(np.arange(len(sizes)), sizes)
    weights = np.array([t['weight'] for t in tracks])

    def loss(theta):
        score = X @ theta
        e = np.exp(score - np.maximum.reduceat(score, starts)[owner])
        whole, part = np.add.reduceat(e, starts), np.add.reduceat(e * right, starts) + 1e-300
        slope = (e / whole[owner] - e * right / part[owner]) * weights[owner]
        return (weights * np.log(whole / part)).sum() + l2 / 2 * theta @ theta, X.T @ slope + l2 * theta

    return minimize(loss, np.zeros(X.shape[1]), jac=True, method='L-BFGS-B', options=dict(maxiter=300)).x / deviation


def calibration_error(confidence, right, bins=10):
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    return sum((place == b).mean() * abs(confidence[place == b].mean() - right[place == b].mean()) for b in set(place))


def logit(p):
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return np.log(p / (1 - p))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sets', nargs='+')
    parser.add_argument('--write')
    parser.add_argument('--l2', type=float, default=5)
    parser.add_argument('--folds', type=int, default=7)
    options = parser.parse_args()
    tracks = []
    for text in options.sets:
        manifest, directory, weight = text.rsplit(':', 2)
        tracks += read(manifest, directory, float(weight))
    names, counts = np.unique([t['source'] for t in tracks], return_counts=True)
    fold, load = {}, [0] * options.folds
    for index in np.argsort(-counts, kind='stable'):
        fold[names[index]] = int(np.argmin(load))
        load[fold[names[index]]] += counts[index]
    rows = []
    for k in range(options.folds):
        theta = fit([t for t in tracks if fold[t['source']] != k], options.l2)
        for t in tracks:
            if fold[t['source']] != k: continue
            score = t['X'] @ theta
            p = np.exp(score - score.max())
            p /= p.sum()
            best = int(np.argmax(p))
            ratio = t['tempi'][best] / t['true']
            share = p[abs(t['tempi'] / t['tempi'][best] - 1) < 0.04].sum()
            C = A = np.nan
            if t['truth'] is not None:
                found = mir_eval.beat.trim_beats(t['beats'][best])
                if len(found) > 1: _, C, _, A = mir_eval.beat.continuity(t['truth'], found)
                else: C = A = 0.0
            rows.append((t['kind'], abs(ratio - 1) <= 0.04, any(abs(ratio / f - 1) <= 0.04 for f in FACTORS), t['F'][best],
                         C, A, share, t['moves'], t['clarity']))
    kinds = np.array([r[0] for r in rows])
    values = np.array([r[1:] for r in rows], float)
    Z = np.c_[np.ones(len(rows)), logit(values[:, 5]), values[:, 6], np.log(np.clip(values[:, 7], 0.3, 3))]
    sign = 2 * values[:, 0] - 1
    platt = minimize(lambda c: np.logaddexp(0, -sign * (Z @ c)).sum() + c @ c / 4, np.zeros(4)).x
    confidence = 1 / (1 + np.exp(-Z @ platt))
    print('kind            n   Acc1  Acc2     F  CMLt  AMLt   ECE')
    for kind in sorted(set(kinds)):
        m = kinds == kind
        print('%-12s %4d ' % (kind, m.sum()), *('%5.1f' % (100 * v) for v in np.nanmean(values[m, :5], 0)),
              ' %.3f' % calibration_error(confidence[m], values[m, 0]))
    print('TempoConfidence: constant %.2f, share %.2f, moving %.2f, clarity %.2f' % tuple(platt))
    if options.write:
        theta = fit(tracks, options.l2)
        old = open(options.write).read()
        comment = old[:old.index('enum ')]
        lines = ['    ' + ', '.join('%.5g' % v for v in theta[i:i + 8]) + ',' for i in range(0, len(theta), 8)]
        open(options.write, 'w').write(
            comment + 'enum GridWeights {\n  static let values: [Float] = [\n' + '\n'.join(lines) + '\n  ]\n}\n')


if __name__ == '__main__':
    main()
