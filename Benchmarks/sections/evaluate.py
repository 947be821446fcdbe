#!/usr/bin/env python3
"""Scores sections against songs of known form, beside two other ways to find them.

  evaluate.py SONGS_DIRECTORY REPORT.ndjson [--half test|development]

SONGS_DIRECTORY has a directory for each kind (songs.py, trackers.py); REPORT.ndjson is made by
`analyze run SONGS_DIRECTORY --report ndjson --output -`. Boundaries count as found within 3 s, or 0.5 s, of the true ones;
the start and the end of a song do not count (mir_eval.segment.detection, trim). Labels are scored by pairs of moments that are
in alike sections or not (mir_eval.segment.pairwise). Means over songs; the last line is the mean of the kinds. `foote` is
Foote's novelty (2000) on MFCC, with a kernel of 32 s; `sbic` is SBic of essentia on MFCC with its defaults; both in the same
run. Needs essentia, mir_eval, numpy and scipy.
"""
import argparse, csv, glob, json, os, warnings
import essentia.standard as es
import mir_eval
import numpy as np
from scipy.io import wavfile
import forms
warnings.simplefilter('ignore')


def mfcc(sound):
    """Rows of 13 coefficients, 21.5 a second."""
    window, spectrum = es.Windowing(type='hann'), es.Spectrum(size=2048)
    coefficients = es.MFCC(inputSize=1025, sampleRate=forms.RATE, highFrequencyBound=11000)
    frames = es.FrameGenerator(sound, frameSize=2048, hopSize=1024, startFromZero=False)
    return np.array([coefficients(spectrum(window(frame)))[1] for frame in frames])


def foote(features, step):
    """Peaks of novelty, half a deviation above the mean and 8 s apart, of means over half seconds."""
    size = int(.5 / step)
    rows = features[:len(features) // size * size].reshape(-1, size, features.shape[1]).mean(1)
    rows = (rows - rows.mean(0)) / (rows.std(0) + 1e-9)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9
    reach = 32
    place = np.arange(-reach, reach) + .5
    weight = np.sign(place) * np.exp(-.5 * (place / (.5 * reach)) ** 2)
    kernel, matrix = np.outer(weight, weight), np.pad(rows @ rows.T, reach)
    novelty = np.array([(matrix[k:k + 2 * reach, k:k + 2 * reach] * kernel).sum() for k in range(len(rows) + 1)])
    found = []
    for k in np.argsort(-novelty):
        if novelty[k] < novelty.mean() + .5 * novelty.std(): break
        if novelty[k] == novelty[max(0, k - 3):k + 4].max() and all(abs(k - other) >= 16 for other in found): found.append(k)
    return np.array(sorted(found)) * size * step


def sbic(features, step):
    return es.SBic()(np.ascontiguousarray(features.T))[1:-1] * step


def scores(intervals, labels, edges, found=None):
    """F at 3 s with precision and recall, F at 0.5 s, F of pairs, number of sections relative to the true one."""
    end = intervals[-1, 1]
    if found is None: edges = [0, *(edge for edge in edges if 0 < edge < end)]
    keep = [k for k, edge in enumerate(edges) if edge < end - .05]
    starts = [0.0] + [float(edges[k]) for k in keep[1:]]
    guess = np.array([[a, b] for a, b in zip(starts, starts[1:] + [end])])
    precision, recall, f3 = mir_eval.segment.detection(intervals, guess, window=3, trim=True)
    f05 = mir_eval.segment.detection(intervals, guess, window=.5, trim=True)[2]
    pairs = mir_eval.segment.pairwise(intervals, labels, guess, [found[k] for k in keep])[2] if found else np.nan
    return f3, precision, recall, f05, pairs, len(guess) / len(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('songs')
    parser.add_argument('report')
    parser.add_argument('--half', default='test', choices=['test', 'development'])
    options = parser.parse_args()
    with open(options.report) as file: records = [json.loads(line) for line in file]
    sections = {os.path.basename(r['path'])[:-4]: (r['sections'] or {}).get('map') or [] for r in records if 'path' in r}
    table = {}
    for path in sorted(glob.glob(os.path.join(options.songs, '*', 'list.csv'))):
        folder = os.path.dirname(path)
        with open(path) as file: rows = list(csv.reader(file))
        for name, source in rows:
            if forms.half(source) != options.half: continue
            intervals, labels = forms.read(os.path.join(folder, name))
            _, sound = wavfile.read(os.path.join(folder, name + '.wav'))
            features = mfcc(sound.astype(np.float32) / 32768)
            found = sections[name] or [dict(start_s=0, label='A')]
            kind = table.setdefault(os.path.basename(folder), {'nocturne': [], 'foote': [], 'sbic': []})
            kind['nocturne'].append(scores(intervals, labels, [s['start_s'] for s in found], [s['label'] for s in found]))
            kind['foote'].append(scores(intervals, labels, foote(features, 1024 / forms.RATE)))
            kind['sbic'].append(scores(intervals, labels, sbic(features, 1024 / forms.RATE)))
    print(f'{"":10}{"":10}songs  F at 3 s  precision  recall  F at 0.5 s  pairs  sections')
    for way in 'nocturne', 'foote', 'sbic':
        means = {kind: np.mean(ways[way], 0) for kind, ways in table.items()}
        means['mean'] = np.mean(list(means.values()), 0)
        for kind, m in means.items():
            count = len(table[kind][way]) if kind in table else sum(len(ways[way]) for ways in table.values())
            print(f'{way:10}{kind:10}{count:5}  {m[0]:8.3f}  {m[1]:9.3f}  {m[2]:6.3f}  {m[3]:10.3f}  {m[4]:5.3f}  {m[5]:8.2f}')


if __name__ == '__main__':
    main()
