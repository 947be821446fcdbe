#!/usr/bin/env python3
"""Writes the network's estimates for a scorer, without the program.

  evaluate.py MANIFEST.csv EST.csv [--weights FILE.f16] [--extra FOLDER] [--plain] [--threshold -2]

MANIFEST lists recordings (columns id, path); --extra adds the WAV files of a folder. EST.csv has id, tonic (C is 0),
mode, confidence, tuning in cents and its clarity; tonic and mode are empty if there is no key. --plain correlates the
mean spectrum with Temperley's profiles instead, as a baseline. Needs ffmpeg, numpy and PyTorch.
"""
import argparse, csv, glob, os, sys
import numpy as np
import torch
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import course, model_files, network, spectra

# Temperley, The Cognition of Basic Musical Structures (2001), chapter 7.
PROFILES = [[5, 2, 3.5, 2, 4.5, 4, 2, 4.5, 2, 3.5, 1.5, 4], [5, 2, 3.5, 4.5, 2, 4, 2, 4.5, 3.5, 2, 1.5, 4]]


def plain(levels):
    """The key whose profile agrees best with the spectrum: (key, correlation)."""
    semitones = 10 ** (levels[:, 1::3] / 20)
    around = np.stack([np.convolve(row, np.ones(13) / 13, 'same') for row in semitones])
    pitch = spectra.LOWEST + np.arange(spectra.SEMITONES)
    stand = np.log1p(2 * semitones / (around + 1e-3 * semitones.max() + 1e-9))
    stand *= np.exp(-.5 * ((pitch - 62) / 14) ** 2)
    chroma = np.array([stand[:, pitch % 12 == k].sum() for k in range(12)])
    if chroma.std() == 0: return 0, 0.0
    found = [np.corrcoef(np.roll(PROFILES[key // 12], key % 12), chroma)[0, 1] for key in range(24)]
    return int(np.argmax(found)), max(0.0, float(max(found)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('manifest')
    parser.add_argument('output')
    parser.add_argument('--weights', default=model_files.KEY_NETWORK)
    parser.add_argument('--extra')
    parser.add_argument('--plain', action='store_true')
    parser.add_argument('--threshold', type=float, default=-2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    net = network.Network().eval()
    if not options.plain: net.load(model_files.read_halves(options.weights))
    folder = os.path.dirname(os.path.abspath(options.manifest))
    files = [(row['id'], os.path.join(folder, row['path'])) for row in csv.DictReader(open(options.manifest))]
    if options.extra:
        files += [(os.path.basename(path)[:-4], path) for path in sorted(glob.glob(os.path.join(options.extra, '*.wav')))]
    with open(options.output, 'w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(['id', 'tonic', 'mode', 'confidence', 'cents', 'clarity'])
        for name, path in files:
            levels, cents, sure = spectra.analyze(spectra.read(path))
            if options.plain: key, confidence, some = *plain(levels), 0.0
            else: key, confidence, some, _ = course.answer(course.Heard(net, levels))
            answer = [key % 12, ('major', 'minor')[key // 12], '%.3f' % confidence]
            if some < options.threshold: answer = ['', '', 0]
            writer.writerow([name, *answer, '%.1f' % cents, '%.2f' % sure])


if __name__ == '__main__':
    main()
