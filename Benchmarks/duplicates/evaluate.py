#!/usr/bin/env python3
"""Compares pairs that were found with the truth of material.py, and with a plain comparison of fingerprints.

  evaluate.py WORK DATABASE PAIRS [--split test] [--list] [--beets]

DATABASE is what `analyze run WORK/files` made, and PAIRS what `compare-sounds DATABASE` prints. Two files are duplicates if they hold one recording. Recall is counted over the
pairs of an original and a variant, and over the recordings within longer files; precision over all pairs that were found.
An overdub and a shuffled recording are no duplicates of the recording that they are made of. The peer compares the fingerprints that
fpcalc makes, as most scripts do: all pairs from the start on and shifted by up to 2 s, bit error rate below 0.15.
With --beets (run by a Python that has beets) its plug-in `duplicates` is asked, too: by its default keys, and by artist and title. Copies
have no tags here, so each is given those of its original: the best case for it.
same.tsv beside this script names recordings that are the same under several names (id, tab, id), as same-audio.py shows it.
"""
import argparse, base64, collections, csv, os, sqlite3, sys

import numpy


def truth(work):
    with open(os.path.join(work, 'truth.tsv'), newline='') as file: rows = list(csv.DictReader(file, delimiter='\t'))
    return {row['path']: row for row in rows}


def holds(row):
    return {part.split('@')[0] for part in row['holds'].split()} or {row['id']}


def same():
    """The first id of those that name one recording."""
    path, root = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'same.tsv'), {}
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
    for path, row in rows.items():
        if row['kind'] in NEGATIVE: sounds[path] = {path}
    found = {tuple(sorted(pair)) for pair in found if pair[0] in rows and pair[1] in rows}
    made = {pair for pair in found if any(rows[path]['kind'] in NEGATIVE for path in pair)}
    found -= made
    right = {pair for pair in found if sounds[pair[0]] & sounds[pair[1]]}
    print(f'{title}, {split}: {len(rows)} files, {len(found)} pairs found, {len(found - right)} wrong, '
          f'precision {len(right) / max(len(found), 1):.5f}')
    print(f'  overdubs and shuffled recordings in pairs: {len({path for pair in made for path in pair if rows[path]["kind"] in NEGATIVE})}'
          f' of {sum(row["kind"] in NEGATIVE for row in rows.values())}, {len(made)} pairs')
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


def items(text):
    """The items of a fingerprint as fpcalc prints it: distances between the bits in which an item differs from the one before, in
    three bits each, and five more for large ones at the end."""
    data = numpy.frombuffer(base64.urlsafe_b64decode(text + '=' * (-len(text) % 4)), numpy.uint8)
    count = int(data[1]) << 16 | int(data[2]) << 8 | int(data[3])
    bits = numpy.unpackbits(data[4:], bitorder='little')
    codes = bits[:len(bits) // 3 * 3].reshape(-1, 3) @ [1, 2, 4]
    ends = numpy.flatnonzero(codes == 0)[:count]
    codes = codes[:ends[-1] + 1].copy()
    large = numpy.flatnonzero(codes == 7)
    start = (3 * len(codes) + 7) // 8 * 8
    codes[large] += bits[start:start + 5 * len(large)].reshape(-1, 5) @ [1, 2, 4, 8, 16]
    result, value, place, last = [], 0, 0, 0
    for code in codes:
        if code == 0:
            last ^= value
            result.append(last)
            value, place = 0, 0
        else:
            place += int(code)
            value |= 1 << (place - 1)
    return numpy.array(result, numpy.uint32)


def plain_pairs(prints):
    paths = sorted(prints)
    for number, one in enumerate(paths):
        for other in paths[number + 1:]:
            a, b = prints[one], prints[other]
            best = 1.0
            for shift in range(-16, 17, 2):
                x, y = (a[shift:], b) if shift >= 0 else (a, b[-shift:])
                length = min(len(x), len(y))
                if length < 60: continue
                best = min(best, numpy.bitwise_count(x[:length] ^ y[:length]).mean() / 32)
            if best < 0.15: yield one, other


def beets_pairs(rows, keys):
    import beetsplug.duplicates
    from beets.library import Item
    items = {path: Item.from_path(path.encode()) for path in rows}
    originals = {row['id']: items[path] for path, row in rows.items() if row['kind'] == 'original'}
    for path, row in rows.items():
        if row['kind'] in NEGATIVE or row['holds'] or row['id'] not in originals: continue
        for name in ('artist', 'title', 'album', 'mb_trackid', 'mb_albumid'): items[path][name] = originals[row['id']][name]
    finder = beetsplug.duplicates.DuplicatesPlugin()
    groups = finder._duplicates(list(items.values()), keys=keys, full=True, strict=False, tiebreak={}, merge_func=None)
    for _, _, group in groups:
        paths = sorted(item.path.decode() for item in group)
        for number, one in enumerate(paths):
            for other in paths[number + 1:]: yield one, other


NEGATIVE = {'overdub', 'shuffled'}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('database')
    parser.add_argument('pairs')
    parser.add_argument('--split', default='fit')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--beets', action='store_true')
    arguments = parser.parse_args()
    rows, find = truth(arguments.work), same()
    prints = {path: text for path, text in sqlite3.connect(arguments.database).execute(
        'SELECT file.display_path, fingerprint.value FROM file JOIN fingerprint ON fingerprint.file = file.id')}
    rows = {path: row for path, row in rows.items() if path in prints}
    found = []
    for line in open(arguments.pairs):
        cells = line.rstrip('\n').split('\t')
        if cells[4] not in ('none', 'version'): found.append((cells[0], cells[1]))
    report('analyze', rows, found, arguments.split, find, arguments.list)
    chosen = {path: items(prints[path]) for path, row in rows.items() if row['split'] == arguments.split}
    report('fpcalc', rows, plain_pairs(chosen), arguments.split, find, False)
    if not arguments.beets: return
    chosen = {path: row for path, row in rows.items() if row['split'] == arguments.split}
    report('beets', rows, beets_pairs(chosen, ['mb_trackid', 'mb_albumid']), arguments.split, find, False)
    report('beets by artist and title', rows, beets_pairs(chosen, ['artist', 'title']), arguments.split, find, False)


if __name__ == '__main__': main()
