#!/usr/bin/env python3
"""How many annotated beats have a peak of the onset envelope of `waveform`.

  analyze report --report ndjson --include waveform --output - | onsets.py BEATS

BEATS/NAME.txt holds one beat per line, in seconds, for the file NAME.*. A peak is a local maximum above 0.2. Random
times of the same tracks are the comparison. Needs numpy.
"""
import json, os, sys
import numpy as np

rows = []
random = np.random.default_rng(0)
for line in sys.stdin:
    record = json.loads(line)
    name = os.path.splitext(os.path.basename(record['path']))[0]
    path, waveform = os.path.join(sys.argv[1], name + '.txt'), record['waveform']
    if not waveform or not waveform['onsets'] or not os.path.exists(path):
        continue
    step, onsets = waveform['onset_step_s'], np.array(waveform['onsets']) / 255
    inner = onsets[1:-1]
    peaks = np.flatnonzero((inner > onsets[:-2]) & (inner >= onsets[2:]) & (inner > 0.2)) + 1
    beats = (np.loadtxt(path, ndmin=2)[:, 0] / step).astype(int)
    beats = beats[(beats > 2) & (beats < len(onsets) - 3)]
    if len(beats) < 8 or not len(peaks):
        continue
    hits = lambda times, reach: np.mean([np.abs(peaks - time).min() <= reach for time in times])
    rows.append((hits(beats, 1), hits(beats, 2), hits(random.integers(3, len(onsets) - 3, 400), 1), len(peaks) / len(onsets) / step))
one, two, chance, rate = np.mean(rows, 0)
print(f'{len(rows)} tracks: {one:.1%} of beats have a peak within one step, {two:.1%} within two, {chance:.1%} of random times; '
      f'{rate:.1f} peaks per second')
