#!/usr/bin/env python3
"""Makes shorter excerpts of annotated recordings, at other speeds, so a fit does not learn their lengths and tempi.

  cut.py MANIFEST SAMPLES OUTPUT_DIRECTORY [--each 3]

SAMPLES holds ID.f32 (mono, 22,050 Hz, floats). Cuts are 12 to 30 s long and 0.8 to 1.25 times as fast (pitch changes as well).
Everything is random from fixed seeds. Needs numpy and scipy.
"""
import argparse, csv, os
from fractions import Fraction
import numpy as np
from scipy.signal import resample_poly

RATE = 22050

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('manifest')
parser.add_argument('samples')
parser.add_argument('output')
parser.add_argument('--each', type=int, default=3)
options = parser.parse_args()
base = os.path.dirname(os.path.abspath(options.manifest))
os.makedirs(options.output, exist_ok=True)
with open(os.path.join(options.output, 'manifest.csv'), 'w', newline='') as file:
    writer = csv.writer(file)
    writer.writerow(['id', 'bpm_true', 'constant', 'kind', 'source', 'beats_file'])
    for index, row in enumerate(csv.DictReader(open(options.manifest))):
        samples = np.fromfile(os.path.join(options.samples, row['id'] + '.f32'), np.float32)
        beats = None
        if row['beats_file']: beats = np.array([float(l.split()[0]) for l in open(os.path.join(base, row['beats_file'])) if l.strip()])
        for number in range(options.each):
            rng = np.random.default_rng([index, number])
            speed = Fraction(float(np.exp(rng.uniform(np.log(0.8), np.log(1.25))))).limit_denominator(40)
            length = min(rng.uniform(12, 30) * float(speed), len(samples) / RATE)
            start = rng.uniform(0, len(samples) / RATE - length)
            part = samples[int(start * RATE):int((start + length) * RATE)]
            bpm, beats_file, name = float(row['bpm_true']), '', f"{row['id']}-{number}"
            if beats is not None:
                inside = beats[(beats >= start) & (beats < start + length)]
                if len(inside) < 12: continue
                if row['constant'] != 'yes': bpm = 60 / np.median(np.diff(inside))
                beats_file = name + '.txt'
                np.savetxt(os.path.join(options.output, beats_file), (inside - start) / float(speed), fmt='%.4f')
            resample_poly(part, speed.denominator, speed.numerator).astype(np.float32).tofile(
                os.path.join(options.output, name + '.f32'))
            writer.writerow([name, '%.4f' % (bpm * float(speed)), row['constant'], 'cut', row['source'], beats_file])
