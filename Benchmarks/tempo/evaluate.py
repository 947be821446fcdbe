#!/usr/bin/env python3
"""Runs `analyze` over the recordings of a manifest and writes estimates for a scorer.

  evaluate.py MANIFEST OUTPUT_DIRECTORY [--analyze PATH] [--split NAME]

MANIFEST is a CSV with the columns id and path (relative to the manifest). OUTPUT_DIRECTORY gets est.csv (id, bpm, beats_file,
confidence, octave_confidence, stable, reason) and one file of beat times per recording. Needs only Python.
"""
import argparse, csv, json, os, subprocess, urllib.parse

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('manifest')
parser.add_argument('output')
parser.add_argument('--analyze', default='analyze')
parser.add_argument('--split')
options = parser.parse_args()

base = os.path.dirname(os.path.abspath(options.manifest))
rows = [r for r in csv.DictReader(open(options.manifest)) if not options.split or r.get('split') == options.split]
ids = {os.path.realpath(os.path.join(base, r['path'])): r['id'] for r in rows}
os.makedirs(os.path.join(options.output, 'beats'), exist_ok=True)
run = subprocess.run(
    [options.analyze, '--only', 'tempo', '--report', 'ndjson', '--output', '-', '--include', 'beats', '--force',
     '--database', os.path.join(options.output, 'evaluation.sqlite'), '--files-from', '-'],
    input='\n'.join(ids) + '\n', stdout=subprocess.PIPE, text=True)
if run.returncode not in (0, 3): raise SystemExit(f'{options.analyze} ended with status {run.returncode}')

found = {}
for line in run.stdout.splitlines():
    record = json.loads(line)
    path = urllib.parse.unquote(urllib.parse.urlparse(record['uri']).path)
    name = ids.get(os.path.realpath(path))
    if name: found[name] = record.get('tempo') or {}

with open(os.path.join(options.output, 'est.csv'), 'w', newline='') as file:
    writer = csv.writer(file)
    writer.writerow(['id', 'bpm', 'beats_file', 'confidence', 'octave_confidence', 'stable', 'reason'])
    for row in rows:
        tempo = found.get(row['id'], {})
        beats = os.path.join('beats', row['id'] + '.txt')
        with open(os.path.join(options.output, beats), 'w') as text:
            text.writelines(f'{time}\n' for time in tempo.get('beats_s') or [])
        writer.writerow([row['id'], tempo.get('bpm') or 0, beats, tempo.get('confidence'), tempo.get('octave_confidence'),
                         tempo.get('stable'), tempo.get('reason') or ''])
print(f'{len(found)} of {len(rows)} recordings analyzed; estimates in {options.output}/est.csv')
