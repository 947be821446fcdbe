#!/usr/bin/env python3
"""Renders tracker modules and writes their beats: electronic music, rock and chip tunes with exact rows.

  modules.py OUTPUT_DIRECTORY PACKAGES_DIRECTORY [--seconds 45]

PACKAGES_DIRECTORY has a directory for each package, with modules (.mod, .s3m, .xm, .it) anywhere below. A beat is the
number of rows that gives 70 to 180 beats a minute and has most notes and the loud ones on the beats, counted from row 0 of
each pattern, which is the first beat of a bar. Modules without such a number are left out. For each module NAME.f32 (mono,
22,050 Hz, floats, an excerpt from its middle), NAME.txt (beats), NAME.json (meter and first beats of bars) and a row of
manifest.csv. Needs libopenmpt (Debian: libopenmpt0), numpy and scipy.
"""
import argparse, ctypes, json, os, re
import numpy as np
from scipy.signal import stft
import midi

RATE, BLOCK, NOTES = 22050, 32, 120
library = ctypes.CDLL('libopenmpt.so.0')
library.openmpt_module_create_from_memory2.restype = ctypes.c_void_p
library.openmpt_module_create_from_memory2.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_void_p] * 7]
library.openmpt_module_get_duration_seconds.restype = ctypes.c_double
library.openmpt_module_set_position_seconds.restype = ctypes.c_double
library.openmpt_module_set_position_seconds.argtypes = [ctypes.c_void_p, ctypes.c_double]
library.openmpt_module_read_float_mono.restype = ctypes.c_size_t
library.openmpt_module_read_float_mono.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_size_t, ctypes.c_void_p]


class Module:
    def __init__(self, data):
        self.handle = library.openmpt_module_create_from_memory2(data, len(data), *[None] * 7)
        if not self.handle: raise ValueError('not a module')

    def __getattr__(self, name):
        function = getattr(library, 'openmpt_module_' + name)
        return lambda *values: function(ctypes.c_void_p(self.handle), *values)

    def close(self): library.openmpt_module_destroy(ctypes.c_void_p(self.handle))

    def render(self, start, seconds):
        """The sound, and the rows: (time, row of its pattern, number of notes)."""
        self.set_position_seconds(start)
        sound, rows, last = np.zeros(int(seconds * RATE) // BLOCK * BLOCK, np.float32), [], None
        channels = self.get_num_channels()
        for at in range(0, len(sound), BLOCK):
            if not self.read_float_mono(RATE, BLOCK, sound[at:].ctypes.data): return sound[:at], rows
            now = self.get_current_order(), self.get_current_pattern(), self.get_current_row()
            if now == last: continue
            last = now
            notes = [self.get_pattern_row_channel_command(*now[1:], channel, 0) for channel in range(channels)]
            rows.append(((at + BLOCK / 2) / RATE, now[2], sum(0 < note <= NOTES for note in notes)))
        return sound, rows


def flux(sound):
    """How much louder it gets, below 150 Hz and above 1 kHz: functions of the time."""
    f, t, bins = stft(sound, RATE, nperseg=1024, noverlap=1024 - 110)
    level = np.log1p(100 * abs(bins) / abs(bins).max())
    rise = np.maximum(level[:, 2:] - level[:, :-2], 0)
    value = lambda times, band: np.max([np.interp(times + late, t[1:-1], band) for late in (0, .01, .02)], 0)
    return [lambda times, band=rise[part].sum(0): value(times, band) for part in (f < 150, f > 1000)]


def beat_of(rows, sound):
    """How many rows are a beat; if that is unclear, the reason."""
    times, place, notes = np.array(rows).T
    rate = 60 / np.median(np.diff(times))
    low, high = (band(times) for band in flux(sound))
    lift = lambda values, n: values[place % n == 0].mean() / max(1e-9, values[place % n != 0].mean())
    sizes = (3, 6, 12) if lift(notes, 3) > lift(notes, 4) else (4, 8, 16)
    possible = [n for n in sizes if 70 <= rate / n <= 180]
    found = [n for n in possible if lift(notes, n) > 1.5 and (notes[place % n == 0] > 0).mean() > .6
             and max(lift(low, n), lift(high, n)) > 1.3]
    if not found: return None, 'notes are on no grid'
    if len(possible) == 1: return possible[0], ''
    # Both of an octave may be beats: the right ones have the snare on every other one.
    back = [n for n in possible if high[place % (2 * n) == n].mean() > 1.25 * high[place % (2 * n) == 0].mean()]
    return (back[0], '') if len(back) == 1 and back[0] in found else (None, 'may be counted in two ways')


def found_in(packages):
    """Name, package and Module of each tracker module in a folder of unpacked packages; copies once."""
    seen = set()
    paths = sorted(os.path.join(d, f) for d, _, files in os.walk(packages) for f in files)
    for path in paths:
        if not re.search(r'\.(mod|s3m|xm|it)$', path, re.I): continue
        with open(path, 'rb') as file: data = file.read()
        package = os.path.relpath(path, packages).split(os.sep)[0]
        name = re.sub(r'\W', '_', f'{package}-{os.path.splitext(os.path.basename(path))[0]}')
        if data in seen: continue
        seen.add(data)
        try:
            yield name, package, Module(data)
        except ValueError as error:
            print(f'{name}: left out: {error}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('packages')
    parser.add_argument('--seconds', type=float, default=45)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    table = []
    for name, package, module in found_in(options.packages):
        if name in [row[0] for row in table]: continue
        length = module.get_duration_seconds()
        start = max(0, length / 2 - options.seconds / 2)
        sound, rows = module.render(start, min(options.seconds, length)) if length > 16 else (np.zeros(0), [])
        module.close()
        if len(rows) < 64 or abs(sound).max() < .01: continue
        rowsPerBeat, reason = beat_of(rows, sound)
        if reason:
            print(f'{name}: left out: {reason}')
            continue
        index = [k for k, row in enumerate(rows) if row[1] % rowsPerBeat == 0 and k > 0]
        beats, longest = np.array([rows[k][0] for k in index]), max(row[1] for row in rows) + 1
        if len(beats) < 12 or set(np.diff(index)) != {rowsPerBeat}:
            print(f'{name}: left out: patterns are not whole beats')
            continue
        perBar = 3 if longest % (4 * rowsPerBeat) and longest % (3 * rowsPerBeat) == 0 else 4
        slope, begin = np.polyfit(np.arange(len(beats)), beats, 1)
        constant = abs(beats - begin - slope * np.arange(len(beats))).max() < .006
        bpm = 60 / (slope if constant else np.median(np.diff(beats)))
        if not 70 <= bpm <= 180: continue
        sound.tofile(os.path.join(options.output, name + '.f32'))
        np.savetxt(os.path.join(options.output, name + '.txt'), beats, fmt='%.4f')
        down = [round(b, 4) for k, b in zip(index, beats) if rows[k][1] % (perBar * rowsPerBeat) == 0]
        with open(os.path.join(options.output, name + '.json'), 'w') as file:
            json.dump(dict(id=name, metre=f'{perBar}/4', down=down), file)
        table.append([name, '%.4f' % bpm, 'yes' if constant else 'no', 'module', 'synthetic:' + package, name + '.txt'])
    midi.write_manifest(os.path.join(options.output, 'manifest.csv'), table)
    print(f'{len(table)} modules')


if __name__ == '__main__':
    main()
