#!/usr/bin/env python3
"""How well `cues` finds fades of known length: excerpts of recordings, with and without a linear fade at either end.

  fades.py ANALYZE FOLDER FILE ...

ANALYZE is the program. From each FILE, three excerpts of 70 s go into FOLDER, as they are and with fades of 2 to 25 s.
Needs ffmpeg and numpy.
"""
import json, os, subprocess, sys, wave
import numpy as np

RATE = 22050
program, folder, files = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
music = os.path.join(folder, 'music')
os.makedirs(music, exist_ok=True)
random = np.random.default_rng(1)
truth = {}


def write(name, samples, start, end):
    truth[name] = (start, end)
    with wave.open(os.path.join(music, name), 'wb') as file:
        file.setparams((1, 2, RATE, 0, 'NONE', ''))
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype('<i2').tobytes())


for number, path in enumerate(files):
    sound = subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-i', path, '-ac', '1', '-ar', str(RATE), '-f', 'f32le', '-'],
                           stdout=subprocess.PIPE).stdout
    sound, length = np.frombuffer(sound, '<f4'), 70 * RATE
    # The beginnings and ends of recordings may have fades of their own.
    for take in range(3 if len(sound) > length + 60 * RATE else 0):
        first = random.integers(30 * RATE, len(sound) - length - 29 * RATE)
        excerpt, times = sound[first:first + length], np.arange(length) / RATE
        if np.abs(excerpt).max() == 0:
            continue
        start, end = np.exp(random.uniform(np.log(2), np.log(25), 2))
        write(f'{number:03}-{take}-plain.wav', excerpt, 0, 0)
        write(f'{number:03}-{take}-fades.wav', excerpt * np.minimum(1, times / start) * np.minimum(1, times[::-1] / end), start, end)

with open(os.path.join(folder, 'fades.yaml'), 'w') as file:
    file.write('analyzers:\n  cues:\n')
subprocess.run([program, 'run', music, '--pipeline', os.path.join(folder, 'fades.yaml'), '--database', os.path.join(folder, 'fades.sqlite'),
                '--report', 'ndjson', '--output', folder], check=True)
found, wrong, ratios = 0, 0, []
for line in open(os.path.join(folder, 'report.ndjson')):
    record = json.loads(line)
    cues = record['cues']
    for length, expected in zip((cues['fade_in_s'], cues['fade_out_s']), truth[os.path.basename(record['path'])]):
        if expected:
            found += length > 0
            if length:
                ratios.append(length / expected)
        else:
            wrong += length > 0
count = len(truth)
errors = np.abs(np.log(ratios))
print(f'{count} fades: {found / count:.1%} found, {np.mean(errors < np.log(1.1)):.1%} of these within 10%, '
      f'{np.mean(errors < np.log(1.25)):.1%} within 25%; {wrong / count:.1%} of {count} ends without a fade have one')
