#!/usr/bin/env python3
"""Plays tracker modules at seven speeds, so that the key network learns to answer the same at each.

  speeds.py OUTPUT.npz PACKAGES_DIRECTORY [--each 3]

PACKAGES_DIRECTORY has a directory for each unpacked package, with modules (.mod, .s3m, .xm, .it) anywhere below. Their keys are
not known. The output has for each excerpt of 30 s: `levels` (7 speeds, 60 frames, 222 bins, half decibels above -100; from 3
semitones lower to 3 higher), `length` of each in frames, and `source`. Needs libopenmpt (Debian: libopenmpt0), numpy and scipy.
"""
import argparse, os, re, sys
from fractions import Fraction
import numpy as np
from scipy.signal import resample_poly
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tempo'))
import modules, spectra

SECONDS, FRAMES, SPEEDS = 30, 60, range(-3, 4)


def sound(module, start):
    module.set_position_seconds(start)
    samples = np.zeros(SECONDS * modules.RATE, np.float32)
    return samples[:module.read_float_mono(modules.RATE, len(samples), samples.ctypes.data)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('packages')
    parser.add_argument('--each', type=int, default=3)
    options = parser.parse_args()
    paths = sorted(os.path.join(d, f) for d, _, files in os.walk(options.packages) for f in files)
    levels, lengths, sources, seen = [], [], [], set()
    for path in paths:
        if not re.search(r'\.(mod|s3m|xm|it)$', path, re.I): continue
        with open(path, 'rb') as file: data = file.read()
        if data in seen: continue
        seen.add(data)
        try:
            module = modules.Module(data)
        except ValueError:
            continue
        length = module.get_duration_seconds()
        for start in np.linspace(0, max(0, length - SECONDS), options.each if length > 2 * SECONDS else 1):
            samples = sound(module, float(start))
            if len(samples) < 10 * modules.RATE or samples.std() < 1e-3: continue
            rows, counts = np.zeros((len(SPEEDS), FRAMES, spectra.BINS), np.uint8), []
            for index, semitones in enumerate(SPEEDS):
                ratio = Fraction(spectra.RATE / modules.RATE / 2 ** (semitones / 12)).limit_denominator(400)
                found, _, _ = spectra.analyze(resample_poly(samples, ratio.numerator, ratio.denominator))
                counts.append(min(FRAMES, len(found)))
                rows[index, :counts[-1]] = np.clip(2 * (found[:FRAMES] - spectra.FLOOR), 0, 255)
            levels.append(rows)
            lengths.append(counts)
            sources.append('modules-' + os.path.relpath(path, options.packages).split(os.sep)[0])
        module.close()
    np.savez(options.output, levels=np.stack(levels), length=np.array(lengths), source=np.array(sources))
    print(len(levels), 'excerpts of', len(seen), 'modules')


if __name__ == '__main__':
    main()
