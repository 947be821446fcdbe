#!/usr/bin/env python3
"""Runs the pipeline `health` over what material.py made, and compares its findings with the truth.

  evaluate.py WORK_DIRECTORY STEP... [--analyze PROGRAM] [--limit N] [--names]

STEP is honest, transcodes, recordings or faults. Prints, by class and split, how many there are and what was found: verdicts of
`origin` for honest and transcodes, kinds of `health` for honest, recordings and faults. Edges of excerpts are cut, so cut_start and
cut_end are not counted in what is untouched. With --limit, N files of a step, chosen by a hash. With --names, also the files that
were accused or missed.
"""
import argparse, collections, hashlib, json, os, subprocess, tempfile

ORIGIN, UNTOUCHED = {'honest', 'transcodes'}, {'honest', 'recordings'}


def findings(program, paths, work):
    """The records of the files, by path."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        for number, path in enumerate(paths): os.symlink(path, os.path.join(folder, f'{number:05d}.flac'))
        database = os.path.join(folder, 'results.sqlite')
        subprocess.run([program, 'run', folder, '--pipeline', 'health', '--database', database, '--quiet'], check=False)
        report = subprocess.run([program, 'report', '--report', 'ndjson', '--output', '-', '--database', database],
                                check=True, capture_output=True, text=True).stdout
    found = {}
    for line in report.splitlines():
        record = json.loads(line)
        name = os.path.basename(record.get('path') or '')
        if name.endswith('.flac'): found[paths[int(name[:-5])]] = record
    return found


def is_found(kind, truth, health):
    """Whether a fault was found, within 50 ms of its place."""
    kinds = {'dropout', 'silence'} if kind in ('dropout', 'silence') else {kind}
    places = [fault['start_s'] for fault in health.get('faults') or [] if fault['kind'] in kinds]
    if 'start' not in truth: return bool(places)
    return any(abs(place - truth['start'] / 44100) <= .05 for place in places)


def kinds_of(record):
    """Kinds of faults in an untouched file."""
    return {fault['kind'] for fault in (record.get('health') or {}).get('faults') or []} - {'cut_start', 'cut_end'}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('steps', nargs='+')
    parser.add_argument('--analyze', default='analyze')
    parser.add_argument('--limit', type=int)
    parser.add_argument('--names', action='store_true')
    arguments = parser.parse_args()
    for step in arguments.steps:
        with open(os.path.join(arguments.work, step + '.tsv')) as file:
            rows = [line.rstrip('\n').split('\t') for line in file]
        rows = sorted((row for row in rows if os.path.exists(row[0])), key=lambda row: hashlib.sha256(row[0].encode()).digest())
        rows = rows[:arguments.limit]
        records = findings(arguments.analyze, [row[0] for row in rows], arguments.work)
        table, named = collections.defaultdict(collections.Counter), []
        for path, split, kind, _, truth in rows:
            truth, record = json.loads(truth), records.get(path) or {}
            if step in ORIGIN:
                origin = record.get('origin') or {}
                answer = origin.get('verdict') or 'none'
                classes = [kind] if step == 'honest' else [f"{truth['codec']} {truth['rate']}", f"after {truth['after'] or 'nothing'}"]
                if answer == 'lossy' and step == 'transcodes' and origin['codec'] != truth['codec']: answer = 'lossy, other codec'
                for name in [*classes, 'all ' + split]: table[name][answer] += 1
                if (answer == 'lossy') == (step == 'honest'): named.append((answer, path, origin.get('frame_trace'), origin.get('wall_hz')))
            if step in UNTOUCHED:
                for name in kinds_of(record) or {'no fault'}:
                    table[f'health of {kind if step == "honest" else split}'][name] += 1
                    if name != 'no fault': named.append((name, path))
            if step == 'faults':
                found = is_found(kind, truth, record.get('health') or {})
                for name in [kind, f'all {split}']: table[name]['found' if found else 'missed'] += 1
                if not found: named.append((kind, path, json.dumps(truth)))
        print(f'{step}: {len(rows)} files')
        for name, counts in sorted(table.items()): print(f'  {name:24}', dict(counts.most_common()))
        if arguments.names:
            for names in sorted(named, key=str): print('   ', *names)


if __name__ == '__main__': main()
