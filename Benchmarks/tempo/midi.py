#!/usr/bin/env python3
"""Renders MIDI files and writes their beats: music by many people in many styles with exactly known tempo.

  midi.py OUTPUT_DIRECTORY FILE.mid|FILE.wad … [--soundfonts FILE.sf2 …] [--seconds 60]

Debian's packages openttd-openmsx, simutrans-data (songs in the style of jazz, blues, country, rock) and freedoom (rock; the songs
are taken out of its WAD files) hold more than 100. A beat is a quarter note, or a dotted one in 6/8, 9/8 and 12/8. For each song NAME.f32 (mono,
22,050 Hz, floats, an excerpt from its middle), NAME.txt (beats), NAME.json (meter and first beats of bars) and a row of
manifest.csv. Songs mostly off their own grid are left out: they were recorded without a click. Needs
fluidsynth and numpy.
"""
import argparse, csv, json, os, struct, subprocess
import numpy as np

RATE = 22050
FONTS = ['/usr/share/sounds/sf2/FluidR3_GM.sf2', '/usr/share/sounds/sf2/TimGM6mb.sf2']


def variable(data, at):
    value = 0
    while True:
        byte = data[at]
        at += 1
        value = value << 7 | byte & 127
        if byte < 128: return value, at


def messages(data):
    """The events of all tracks: (tick, status, data), with status 0xFF and the kind before the data for those that are not MIDI."""
    if data[:4] != b'MThd': raise ValueError('not a MIDI file')
    at = 8 + struct.unpack('>I', data[4:8])[0]
    while at + 8 <= len(data):
        name, length = data[at:at + 4], struct.unpack('>I', data[at + 4:at + 8])[0]
        at, end = at + 8, at + 8 + length
        if name != b'MTrk':
            at = end
            continue
        tick = status = 0
        while at < min(end, len(data)):
            step, at = variable(data, at)
            tick += step
            if data[at] >= 0x80:
                status = data[at]
                at += 1
            if status == 0xFF:
                kind = data[at:at + 1]
                length, at = variable(data, at + 1)
                yield tick, status, kind + data[at:at + length]
                at += length
            elif status in (0xF0, 0xF7):
                length, at = variable(data, at)
                at += length
            else:
                length = 1 if status >> 4 in (0xC, 0xD) else 2
                yield tick, status, data[at:at + length]
                at += length
        at = end


def read(data):
    """Division, tempo changes (tick, seconds per quarter), meters (tick, numerator, denominator) and ticks of notes."""
    tempi, metres, notes = [], [], []
    for tick, status, value in messages(data):
        if status == 0xFF and value[0] == 0x51: tempi.append((tick, int.from_bytes(value[1:], 'big') / 1e6))
        if status == 0xFF and value[0] == 0x58: metres.append((tick, value[1], 1 << value[2]))
        if status >> 4 == 9 and value[1] > 0: notes.append(tick)
    division = struct.unpack('>H', data[12:14])[0]
    if division & 0x8000: raise ValueError('in frames, not in beats')
    return division, sorted(tempi), sorted(metres), np.sort(notes)


def voices(data):
    """The notes of each channel but the drums': (tick, length in ticks, pitch)."""
    found, sounding = {}, {}
    for tick, status, value in sorted(messages(data), key=lambda m: (m[0], m[1] >> 4 == 9)):
        channel = status & 15
        if status >> 4 not in (8, 9) or channel == 9: continue
        start = sounding.pop((channel, value[0]), None)
        if start is not None and tick > start: found.setdefault(channel, []).append((start, tick - start, value[0]))
        if status >> 4 == 9 and value[1] > 0: sounding[channel, value[0]] = tick
    return {channel: sorted(notes) for channel, notes in found.items()}


def on_grid(notes, division):
    """Whether most notes are within a 24th of a beat of a quarter of the beat or a third: the rest was played in without a click."""
    place = notes / division
    off = np.minimum(abs(place * 4 - np.round(place * 4)) / 4, abs(place * 3 - np.round(place * 3)) / 3)
    return np.mean(off < 1 / 24) >= 0.7


def songs(paths):
    for path in paths:
        data, name = open(path, 'rb').read(), os.path.splitext(os.path.basename(path))[0]
        if data[:4] not in (b'IWAD', b'PWAD'):
            yield os.path.basename(os.path.dirname(path)) or 'midi', name, data
            continue
        count, directory = struct.unpack('<II', data[4:12])
        for index in range(count):
            start, size, lump = struct.unpack('<II8s', data[directory + 16 * index:directory + 16 * index + 16])
            if data[start:start + 4] == b'MThd': yield name, lump.rstrip(b'\0').decode('ascii'), data[start:start + size]


def clock(tempi, division):
    """From ticks to seconds."""
    points = [(0, 0.0)]
    period, last = 0.5, 0
    for tick, next_period in tempi:
        points.append((tick, points[-1][1] + (tick - last) * period / division))
        period, last = next_period, tick
    points.append((last + 10**7, points[-1][1] + 10**7 * period / division))
    return lambda ticks: np.interp(ticks, [p[0] for p in points], [p[1] for p in points])


def render(stem, font, start, seconds):
    """The sound of STEM.mid, mono."""
    subprocess.run(['fluidsynth', '-ni', '-q', '-g', '0.4', '-r', str(RATE), '-O', 'float', '-T', 'raw', '-F', stem + '.raw', font,
                    stem + '.mid'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    samples = np.fromfile(stem + '.raw', np.float32).reshape(-1, 2).mean(1)
    os.remove(stem + '.raw')
    return samples[int(start * RATE):int((start + seconds) * RATE)]


def write_manifest(path, rows):
    """The table of a set of clips, as fit.py reads it."""
    with open(path, 'w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(['id', 'bpm_true', 'constant', 'kind', 'source', 'beats_file'])
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('files', nargs='+')
    parser.add_argument('--soundfonts', nargs='+', default=FONTS)
    parser.add_argument('--seconds', type=float, default=60)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    rows, seen = [], set()
    for source, name, data in songs(options.files):
        if data in seen: continue
        seen.add(data)
        try:
            division, tempi, metres, notes = read(data)
        except (ValueError, IndexError, struct.error) as error:
            print(f'{name}: left out: {error}')
            continue
        if len(notes) < 50: continue
        name = ''.join(c if c.isalnum() else '_' for c in f'{source}-{name}')
        if not on_grid(notes, division):
            print(f'{name}: left out: not on its grid')
            continue
        seconds = clock(tempi, division)
        numerator, denominator = (metres or [(0, 4, 4)])[-1][1:]
        compound = denominator == 8 and numerator in (6, 9, 12)
        beat = division * (1.5 if compound else 1)
        ticks = np.arange(metres[-1][0] if metres else 0, notes[-1] + beat, beat)
        perBar = numerator // 3 if compound else max(1, numerator * 4 // denominator)
        beats = seconds(ticks)
        length = seconds(notes[-1])
        start = max(0.0, min(length / 2 - options.seconds / 2, length - options.seconds))
        inside = (beats >= start) & (beats < min(start + options.seconds, length))
        if inside.sum() < 12: continue
        stem = os.path.join(options.output, name)
        with open(stem + '.mid', 'wb') as file: file.write(data)
        font = options.soundfonts[len(rows) % len(options.soundfonts)]
        render(stem, font, start, options.seconds).tofile(stem + '.f32')
        os.remove(stem + '.mid')
        periods = np.diff(beats[inside])
        np.savetxt(stem + '.txt', beats[inside] - start, fmt='%.4f')
        down = np.arange(len(beats))[inside] % perBar == 0
        with open(stem + '.json', 'w') as file:
            json.dump(dict(id=name, metre=f'{numerator}/{denominator}', down=list((beats[inside] - start)[down].round(4))), file)
        constant = periods.max() - periods.min() < 1e-3
        rows.append([name, '%.4f' % (60 / np.median(periods)), 'yes' if constant else 'no', 'midi', 'synthetic:' + source, name + '.txt'])
    write_manifest(os.path.join(options.output, 'manifest.csv'), rows)
    print(f'{len(rows)} songs')


if __name__ == '__main__':
    main()
