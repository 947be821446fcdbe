#!/usr/bin/env python3
"""Compares pairs that were found with the truth of material.py, and with a plain comparison of fingerprints.

  evaluate.py WORK PAIRS [--split test] [--peer DATABASE] [--list]

PAIRS is what `compare-sounds DATABASE` prints. Two files are duplicates if they hold one recording. Recall is counted over the
pairs of an original and a variant, and over the recordings within longer files; precision over all pairs that were found.
SAME.tsv beside the truth names recordings that are the same in several packages (id, tab, id), after somebody has listened.
"""
import argparse, collections, csv, os, sqlite3, subprocess, sys


def truth(work):
    with open(os.path.join(work, 'truth.tsv'), newline='') as file: rows = list(csv.DictReader(file, delimiter='\t'))
    return {row['path']: row for row in rows}


def holds(row):
    return {part.split('@')[0] for part in row['holds'].split()} or {row['id']}


def same(work):
    """The first id of those that name one recording."""
    path, root = os.path.join(work, 'SAME.tsv'), {}
    def find(name):
        while root.get(name, name) != name: name = root[name]
        return name
    if os.path.exists(path):
        for line in open(path):
            one, other = line.split()[:2]
            root[find(one)] = find(other)
    return find


def report(title, rows, found, split, find, listing):
    """`found`: pairs of paths."""
    rows = {path: row for path, row in rows.items() if row['split'] == split}
    sounds = {path: {find(name) for name in holds(row)} for path, row in rows.items()}
    found = {tuple(sorted(pair)) for pair in found if pair[0] in rows and pair[1] in rows}
    right = {pair for pair in found if sounds[pair[0]] & sounds[pair[1]]}
    print(f'{title}, {split}: {len(rows)} files, {len(found)} pairs found, {len(found - right)} wrong, '
          f'precision {len(right) / max(len(found), 1):.5f}')
    originals = {row['id']: path for path, row in rows.items() if row['kind'] == 'original'}
    counts = collections.defaultdict(lambda: [0, 0])
    missed = []
    def count(pair, *keys):
        hit = tuple(sorted(pair)) in found
        for key in keys:
            counts[key][0] += hit
            counts[key][1] += 1
        if not hit: missed.append((keys[0], *pair))
    for path, row in rows.items():
        if row['holds']:
            for part in holds(row):
                if part in originals: count((originals[part], path), row['kind'], 'within longer files')
        elif row['kind'] != 'original' and row['id'] in originals and row['kind'] not in NEGATIVE:
            rate = int(row['rate'])
            count((originals[row['id']], path), row['kind'], f"{row['codec']}", f'{rate:3} kbit/s', 'variants')
    for key, (hits, all) in sorted(counts.items()): print(f'  {key:22} {hits:5} of {all:5}  {hits / all:.4f}')
    if listing:
        for line in missed: print('missed', *line)
        for pair in sorted(found - right): print('wrong', *pair)


NEGATIVE = {'overdub', 'shuffled'}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('pairs')
    parser.add_argument('--split', default='fit')
    parser.add_argument('--list', action='store_true')
    arguments = parser.parse_args()
    rows, find = truth(arguments.work), same(arguments.work)
    found = []
    for line in open(arguments.pairs):
        cells = line.rstrip('\n').split('\t')
        if cells[4] != 'none': found.append((cells[0], cells[1]))
    report('analyze', rows, found, arguments.split, find, arguments.list)


if __name__ == '__main__': main()
