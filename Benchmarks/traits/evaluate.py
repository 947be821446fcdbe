#!/usr/bin/env python3
"""How traits rank groups of recordings, and how much they change with encoding and volume.

  evaluate.py groups MANIFEST.csv WORK [--analyze PATH]
  evaluate.py encodings MANIFEST.csv WORK [--analyze PATH] [--count 60] [--seconds 60]

MANIFEST has the columns path (relative to it) and group. `groups` prints the 10th, 50th and 90th percentile of each
trait, group by group, and how well speechiness separates the group named speech from the others. `encodings` takes
excerpts from the middle of so many recordings, evenly spread over the manifest, as FLAC, and prints how far the traits
of other encodings of the same excerpt are from its own. Needs ffmpeg, and only Python.
"""
import argparse, csv, json, os, subprocess, urllib.parse

TRAITS = ['energy', 'danceability', 'speechiness']
# Name, extension, options of ffmpeg.
VARIANTS = [
    ('MP3 128', 'mp3', ['-c:a', 'libmp3lame', '-b:a', '128k']),
    ('Opus 96', 'opus', ['-c:a', 'libopus', '-b:a', '96k']),
    ('AAC 96', 'm4a', ['-c:a', 'aac', '-b:a', '96k']),
    ('-20 dB', 'wav', ['-af', 'volume=-20dB', '-c:a', 'pcm_s16le']),
    ('+6 dB', 'wav', ['-af', 'volume=6dB', '-c:a', 'pcm_f32le']),
    ('mono 22 kHz', 'wav', ['-ac', '1', '-ar', '22050']),
]


def analyzed(analyze, work, paths):
    """The traits of each path that has some."""
    run = subprocess.run(
        [analyze, '--only', 'traits', '--report', 'ndjson', '--output', '-', '--force', '--database',
         os.path.join(work, 'evaluation.sqlite'), '--files-from', '-'],
        input='\n'.join(paths) + '\n', stdout=subprocess.PIPE, text=True)
    if run.returncode not in (0, 3): raise SystemExit(f'{analyze} ended with status {run.returncode}')
    found = {}
    for line in run.stdout.splitlines():
        record = json.loads(line)
        path = os.path.realpath(urllib.parse.unquote(urllib.parse.urlparse(record['uri']).path))
        traits = record.get('traits') or {}
        if traits.get('energy') is not None: found[path] = traits
    return found


def percentile(values, share):
    values = sorted(values)
    return values[min(int(share * len(values)), len(values) - 1)]


def ffmpeg(*options):
    subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-y', *options], check=True)


def groups(options, rows):
    found = analyzed(options.analyze, options.work, [row['path'] for row in rows])
    by = {}
    for row in rows:
        if row['path'] in found: by.setdefault(row['group'], []).append(found[row['path']])
    print(f'{"":24}     ' + ''.join(f'{trait:>20}' for trait in TRAITS))
    for name in sorted(by, key=lambda name: percentile([t['energy'] for t in by[name]], .5)):
        cells = []
        for trait in TRAITS:
            values = [traits[trait] for traits in by[name]]
            cells.append(' '.join('%.2f' % percentile(values, share) for share in (.1, .5, .9)))
        print(f'{name[:24]:24} {len(by[name]):4}' + ''.join(f'{cell:>20}' for cell in cells))
    speech = [t['speechiness'] for t in by.get('speech', [])]
    other = [t['speechiness'] for name in by if name != 'speech' for t in by[name]]
    if speech:
        pairs = sum((a > b) + .5 * (a == b) for a in speech for b in other)
        print(f'speech above 0.5: {sum(v > .5 for v in speech)} of {len(speech)}; others above 0.5: '
              f'{sum(v > .5 for v in other)} of {len(other)}; AUC {pairs / len(speech) / len(other):.4f}')


def encodings(options, rows):
    step = max(len(rows) // options.count, 1)
    originals, variants = [], {name: [] for name, _, _ in VARIANTS}
    for index, row in enumerate(rows[::step]):
        length = subprocess.run(
            ['ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', row['path']],
            stdout=subprocess.PIPE, text=True).stdout
        start = max(0, float(length or 0) / 2 - options.seconds / 2)
        base = os.path.join(os.path.realpath(options.work), str(index))
        ffmpeg('-ss', str(start), '-t', str(options.seconds), '-i', row['path'], '-vn', '-ar', '44100', '-ac', '2',
               '-sample_fmt', 's16', base + '.flac')
        originals.append(base + '.flac')
        for number, (name, extension, settings) in enumerate(VARIANTS):
            variants[name].append(f'{base}-{number}.{extension}')
            ffmpeg('-i', base + '.flac', *settings, variants[name][-1])
    found = analyzed(options.analyze, options.work, originals + sum(variants.values(), []))
    print(f'{"":14}' + ''.join(f'{trait:>26}' for trait in TRAITS) + '   (median, 90th percentile, largest)')
    for name in variants:
        pairs = [(found[a], found[b]) for a, b in zip(originals, variants[name]) if a in found and b in found]
        cells = []
        for trait in TRAITS:
            differences = [abs(a[trait] - b[trait]) for a, b in pairs]
            middle, high = (percentile(differences, share) for share in (.5, .9))
            cells.append('%.3f %.3f %.3f' % (middle, high, max(differences)))
        print(f'{name:14}' + ''.join(f'{cell:>26}' for cell in cells) + f'   {len(pairs)}')


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('what', choices=['groups', 'encodings'])
parser.add_argument('manifest')
parser.add_argument('work')
parser.add_argument('--analyze', default='analyze')
parser.add_argument('--count', type=int, default=60)
parser.add_argument('--seconds', type=float, default=60)
options = parser.parse_args()
base = os.path.dirname(os.path.abspath(options.manifest))
with open(options.manifest) as file:
    rows = [dict(row, path=os.path.realpath(os.path.join(base, row['path']))) for row in csv.DictReader(file)]
os.makedirs(options.work, exist_ok=True)
{'groups': groups, 'encodings': encodings}[options.what](options, rows)
