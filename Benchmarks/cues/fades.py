#!/usr/bin/env python3
"""How well `cues` finds fades of known length: excerpts of recordings, with and without a fade at either end.

  fades.py ANALYZE FOLDER [--seed N] FILE ...

ANALYZE is the program. From each FILE, three excerpts of 70 s go into FOLDER, as they are and with fades of 2 to 25 s and of
five shapes. Needs ffmpeg and numpy.
"""
import argparse, json, os, subprocess, wave
import numpy as np

RATE = 22050
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('analyze')
parser.add_argument('folder')
parser.add_argument('files', nargs='+')
parser.add_argument('--seed', type=int, default=1)
options = parser.parse_args()
program, folder, files = options.analyze, os.path.abspath(options.folder), options.files
# Gain over the share of the length; half of all fades are linear.
SHAPES = {
    'linear': lambda share: share,
    'quadratic': lambda share: share ** 2,
    'sine': lambda share: np.sin(np.pi / 2 * share),
    'S': lambda share: (1 - np.cos(np.pi * share)) / 2,
    'exponential': lambda share: np.where(share > 0, 10 ** (2.5 * (share - 1)), 0),
}
CHANCES = [0.5, 0.125, 0.125, 0.125, 0.125]
music = os.path.join(folder, 'music')
os.makedirs(music, exist_ok=True)
random = np.random.default_rng(options.seed)
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
        shapes = random.choice(list(SHAPES), 2, p=CHANCES)
        gains = [SHAPES[shape](np.minimum(1, order / length)) for shape, order, length in
                 zip(shapes, (times, times[::-1]), (start, end))]
        write(f'{number:03}-{take}-plain.wav', excerpt, (None, 0), (None, 0))
        write(f'{number:03}-{take}-fades.wav', excerpt * gains[0] * gains[1], (shapes[0], start), (shapes[1], end))

with open(os.path.join(folder, 'fades.yaml'), 'w') as file:
    file.write('analyzers:\n  cues:\n')
subprocess.run([program, 'run', music, '--pipeline', os.path.join(folder, 'fades.yaml'), '--database', os.path.join(folder, 'fades.sqlite'),
                '--report', 'ndjson', '--output', folder], check=True)
answers = []
for line in open(os.path.join(folder, 'report.ndjson')):
    record = json.loads(line)
    cues = record['cues']
    for found, (shape, length) in zip((cues['fade_in_s'], cues['fade_out_s']), truth[os.path.basename(record['path'])]):
        answers.append((shape, length, found))


def show(name, chosen):
    errors = np.array([abs(np.log(found / length)) for _, length, found in chosen if found])
    within = [f'{(errors < np.log(limit)).sum() / len(chosen):.1%} within {limit - 1:.0%}' for limit in (1.1, 1.25)]
    print(f'{name}: {len(chosen)} fades, {len(errors) / len(chosen):.1%} found, {", ".join(within)}')


faded = [answer for answer in answers if answer[0]]
show('all', faded)
show('6 to 15 s', [answer for answer in faded if 6 <= answer[1] <= 15])
for shape in SHAPES:
    show(shape, [answer for answer in faded if answer[0] == shape])
plain = [found for shape, _, found in answers if not shape]
print(f'{len(plain)} ends without a fade: {sum(found > 0 for found in plain)} have one')
