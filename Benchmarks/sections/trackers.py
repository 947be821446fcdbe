#!/usr/bin/env python3
"""Renders tracker modules whose form their own order list tells: music by people, with repeats that are exact.

  trackers.py OUTPUT_DIRECTORY PACKAGES_DIRECTORY

PACKAGES_DIRECTORY has a directory for each package (Debian's games, such as tecnoballz-data, pekka-kana-2-data and
ironseed-data), with modules (.mod, .s3m, .xm, .it) anywhere below. A module is a list of patterns, each some seconds long,
that is played in order. Patterns that share half of their notes (row, channel, note) count as the same. Patterns that only
ever come together, in the same order, are one part; a part ends early where more than half of the instruments change. A part
that follows itself is not told apart from one long part. Modules where this does not give four to twenty-four sections with
at least one that comes back, or of 8 s to 60 s in the median, are left out: their form cannot be told from the list. For each
module NAME.wav (mono, 22,050 Hz), NAME.lab (start, end, label; seconds) and a line in list.csv (name, package). Needs
libopenmpt (Debian: libopenmpt0), numpy and scipy.
"""
import argparse, csv, os, sys
import numpy as np
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tempo'))
import forms, modules

LONGEST = 360


def content(module, pattern, channels):
    """The notes of a pattern: {(row, channel, note)}, and its instruments {(channel, instrument)}."""
    notes, instruments = set(), set()
    for row in range(module.get_pattern_num_rows(pattern)):
        for channel in range(channels):
            note = module.get_pattern_row_channel_command(pattern, row, channel, 0)
            if not 0 < note <= modules.NOTES: continue
            notes.add((row, channel, note))
            instruments.add((channel, module.get_pattern_row_channel_command(pattern, row, channel, 1)))
    return notes, instruments


def alike(a, b):
    return len(a & b) / max(1, len(a | b))


def form(played):
    """Sections of a list of (start, pattern class, instruments): [(start, label)]."""
    names = [name for _, name, _ in played]
    after = {n: {b for a, b in zip(names, names[1:] + [None]) if a == n} for n in names}
    before = {n: {a for a, b in zip([None] + names, names) if b == n} for n in names}
    found = []
    for k, (start, name, instruments) in enumerate(played):
        goes_on = k > 0 and names[k - 1] != name and after[names[k - 1]] == {name} and before[name] == {names[k - 1]}
        if goes_on and alike(instruments, played[k - 1][2]) >= .5: found[-1][1].append(name)
        else: found.append((start, [name]))
    parts = []
    for start, part in found:
        if not parts or parts[-1][1] != part: parts.append((start, part))
    return [(start, '-'.join(map(str, part))) for start, part in parts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('packages')
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    rows = []
    for name, package, module in modules.found_in(options.packages):
        if name in [row[0] for row in rows]: continue
        length = module.get_duration_seconds()
        if not 50 <= length <= LONGEST: continue
        channels = module.get_num_channels()
        sound, played, last = np.zeros(int(length * modules.RATE) // 256 * 256, np.float32), [], None
        for at in range(0, len(sound), 256):
            if not module.read_float_mono(modules.RATE, 256, sound[at:].ctypes.data): break
            now = module.get_current_order(), module.get_current_pattern()
            if now != last: played.append(((at + 128) / modules.RATE, now[1]))
            last = now
        contents = {pattern: content(module, pattern, channels) for _, pattern in played}
        module.close()
        kinds = {}
        for pattern, (notes, _) in contents.items():
            kinds[pattern] = next((k for p, k in kinds.items() if alike(contents[p][0], notes) >= .5), pattern)
        sections = form([(start, kinds[pattern], contents[pattern][1]) for start, pattern in played])
        lengths = np.diff([start for start, _ in sections] + [length])
        labels = [label for _, label in sections]
        if not 4 <= len(sections) <= 24 or len(set(labels)) == len(labels) or not 8 <= np.median(lengths) <= 60: continue
        if abs(sound).max() < .01: continue
        letters = {label: chr(65 + k) for k, label in enumerate(dict.fromkeys(labels))}
        edges = [0] + [start for start, _ in sections[1:]] + [length]
        forms.write(os.path.join(options.output, name), sound, edges, [letters[label] for label in labels])
        rows.append([name, package])
        print(name, ' '.join(letters[label] for label in labels), f'{np.median(lengths):.0f} s')
    with open(os.path.join(options.output, 'list.csv'), 'w', newline='') as file: csv.writer(file).writerows(rows)
    print(f'{len(rows)} modules')


if __name__ == '__main__':
    main()
