#!/usr/bin/env python3
"""Makes songs of known form: verses, choruses, bridges, from the scripts' own harmony and the styles of MMA.

  songs.py OUTPUT_DIRECTORY styles|bands|phrases [--count 40]

A part of the form (A, B, ...) has chords, a tune and an arrangement of its own. They come again whenever the part does, the
tune with small changes. `styles` are played by the rhythm sections of the Debian package mma (GPL-2+), a part in one groove
of a style; `bands` are arranged by compose.py of the key benchmark. In half of the bands, all parts have the same
instruments. `phrases` are pop songs for a pianist and a voice whose parts are phrases of 4 to 10 bars, as people mark them in
pop songs (Dai, Zhang & Dannenberg, CSMC 2020): little but tune, chords and density tells them apart, and many come twice in a
row. For each song NAME.wav (mono, 22,050 Hz), NAME.lab (start, end, label; seconds) and a line in list.csv (name,
source). Everything is random from fixed seeds. Needs fluidsynth with two soundfonts (FluidR3, MIT; TimGM6mb,
GPL-2), mma, numpy and scipy.
"""
import argparse, csv, glob, os, re, struct, subprocess, sys, tempfile, zlib
from concurrent.futures import ThreadPoolExecutor
import numpy as np
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, '..', 'tempo'), os.path.join(HERE, '..', 'key')]
import compose, forms, grooves, harmony, midi, pieces

# I: introduction, O: ending, P: before the chorus. Every other letter is a part like any other.
FORMS = ['I A B A B C B O', 'A B A B C B', 'A A B A', 'A A B A C A', 'I A B A B B', 'A B A C A', 'I A P B A P B C B O',
         'I A A B A B O', 'A B A C A B A', 'A B C A B', 'I A B A B C A B O', 'A B C D A', 'A A B B A A', 'I A B C B D O']
BARS = {'I': (4, 8), 'O': (4, 8), 'P': (4, 8), 'A': (8, 16, 16), 'B': (8, 8, 16), 'C': (8, 16), 'D': (8, 16)}


def write_midi(path, notes, programs):
    """Rows of (onset, length, pitch, velocity, voice), in seconds; voice -1 is drums. Voices of one program share a channel."""
    distinct = sorted(set(programs))
    channels = [c for c in range(16) if c != 9]
    channel = lambda voice: 9 if voice < 0 else channels[distinct.index(programs[int(voice)]) % 15]
    events = [(0, 1, bytes([0xC0 | channels[k % 15], program])) for k, program in enumerate(distinct)]
    for onset, length, pitch, velocity, voice in notes:
        at, key = channel(voice), bytes([int(np.clip(pitch, 0, 127))])
        start = max(0, round(onset * 960))
        events.append((start, 2, bytes([0x90 | at]) + key + bytes([int(np.clip(velocity, 1, 127))])))
        events.append((max(start + 1, round((onset + length) * 960)), 0, bytes([0x80 | at]) + key + b'\0'))
    data, last = b'', 0
    for tick, _, message in sorted(events):
        step, digits = tick - last, b''
        while True:
            digits = bytes([step & 127 | (128 if digits else 0)]) + digits
            step >>= 7
            if not step: break
        data, last = data + digits + message, tick
    data += b'\0\xff\x2f\0'
    with open(path, 'wb') as file:
        file.write(b'MThd' + struct.pack('>IHHH', 6, 0, 1, 480) + b'MTrk' + struct.pack('>I', len(data)) + data)


def plan(rng, mode, beats, bpm):
    """The form, and bars, chords and tune of each part: about two to four and a half minutes."""
    for _ in range(50):
        form = str(rng.choice(FORMS)).split()
        parts = {}
        for name in dict.fromkeys(form):
            count = int(rng.choice(BARS[name]))
            bars = harmony.looped(mode, count, rng)
            if name in 'BCD' and rng.random() < .25: bars = [moved(bar, int(rng.choice([3, 5, 7, 9]))) for bar in bars]
            parts[name] = dict(bars=bars, tune=[])
        if 'I' in parts: parts['I']['bars'] = (parts['A']['bars'] * 2)[:len(parts['I']['bars'])]
        if 'O' in parts: parts['O']['bars'] = (parts['A']['bars'] * 2)[:len(parts['O']['bars'])]
        chords = {name: [tuple(c[1]) for bar in part['bars'] for c in bar[0]][:8] for name, part in parts.items()}
        inner = [chords[name] for name in parts if name not in 'IO']
        if any(a == b for k, a in enumerate(inner) for b in inner[:k]): continue
        if 100 < sum(len(parts[name]['bars']) for name in form) * beats * 60 / bpm < 290: break
    center = int(rng.integers(64, 78))
    for name, part in parts.items():
        if name not in 'IO' and rng.random() < .9:
            low = center - 8 + (int(rng.integers(0, 5)) if name == 'B' else 0)
            part['tune'] = harmony.tune(part['bars'], beats, low, low + 17, rng)
    return form, parts


def moved(bar, step):
    chords, tonic, mode = bar
    return [((r + step) % 12, [(t + step) % 12 for t in tones], (b + step) % 12) for r, tones, b in chords], tonic + step, mode


def varied(tune, rng):
    """The tune as played another time."""
    change = rng.choice([0, .05, .15])
    return [(onset, length, pitch + (int(rng.choice([-2, -1, 1, 2])) if rng.random() < change else 0))
            for onset, length, pitch in tune if rng.random() > change / 2]


def leads(form, rng):
    one, two = (int(p) for p in rng.choice(compose.LEADS, 2))
    return {name: two if name in 'BC' and rng.random() < .5 else one for name in set(form)}


def sung(form, parts, beats, rng, early=0):
    """Tunes of the whole song: rows in beats, with voices; and the programs of the voices. Tunes may begin before their bar."""
    chosen, rows, at = leads(form, rng), [], 0
    programs = sorted(set(chosen.values()))
    for name in form:
        for onset, length, pitch in varied(parts[name]['tune'], rng):
            rows.append((max(0, at + onset - early), length * .9, pitch, rng.uniform(85, 110), programs.index(chosen[name])))
        at += len(parts[name]['bars']) * beats
    return rows, programs


def style(path, rng):
    """A song in the grooves of a file of MMA."""
    name = os.path.basename(path)[:-4]
    names, quarters, _ = grooves.grooves(path)
    if quarters not in (3, 4): return None
    low, high = next((span for words, span in grooves.TEMPI if re.search(words, name)), (76, 150))
    bpm = float(round(np.exp(rng.uniform(np.log(low), np.log(high)))))
    form, parts = plan(rng, int(rng.integers(2)), quarters, bpm)
    kind, order = os.path.relpath(path, os.path.dirname(os.path.dirname(path)))[:-4], [str(n) for n in rng.permutation(names)]
    groove = {part: order[min(k, len(order) - 1) if rng.random() < .7 else 0]
              for k, part in enumerate(p for p in dict.fromkeys(form) if p not in 'IO')}
    groove |= {part: groove['A'] for part in 'IO'}
    lines, number = [f'RndSeed {zlib.crc32(name.encode())}', f'Tempo {bpm}'], 0
    for part in form:
        lines.append(f'Groove {kind}:{groove[part]}')
        for chords, *_ in parts[part]['bars']:
            number += 1
            chords = chords if quarters == 4 else chords[:1]
            lines.append(f'{number} ' + ' / '.join(map(pieces.symbol, chords)) + ' /' * (len(chords) - 1))
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, 'song')
        with open(stem + '.mma', 'w') as file: file.write('\n'.join(lines) + '\n')
        subprocess.run(['mma', stem + '.mma', '-f', stem + '.mid'], capture_output=True)
        if not os.path.exists(stem + '.mid'): return None
        with open(stem + '.mid', 'rb') as file: notes, programs = pieces.notes_of(file.read())
    if len(notes) < 200: return None
    tune, more = sung(form, parts, quarters, rng)
    if tune:
        tune = np.array(tune)
        tune[:, :2] *= 60 / bpm
        tune[:, 4] += len(programs)
        notes = np.vstack([notes, tune])
    return notes, programs + more, form, parts, quarters * 60 / bpm


def band(rng):
    """A song for a band: each part has its own figures, bass and drums, and its own instruments or those of the song."""
    manner = str(rng.choice(['band', 'electronic', 'ballad', 'orchestra', 'folk']))
    (slow, fast), _, figures, basses, drummed, _ = compose.MANNERS[manner]
    bpm, beats = float(np.exp(rng.uniform(np.log(slow), np.log(fast)))), 3 if rng.random() < .1 else 4
    form, parts = plan(rng, int(rng.integers(2)), beats, bpm)
    sheet, shared, drum = compose.Sheet(rng), rng.random() < .5, rng.random() < drummed
    pool = [int(p) for p in compose.CHORDS[manner]]
    palette, bass = [int(p) for p in rng.choice(pool, 3)], int(rng.choice(compose.BASSES))
    figures, basses = figures.split(), [b for b in basses.split() if b != 'none']
    arrangements = {}
    for name in dict.fromkeys(form):
        thin = name in 'IO'
        arrangements[name] = dict(
            programs=palette if shared or thin else [int(p) for p in rng.choice(pool, 3)], figures=rng.choice(figures, 3),
            layers=1 if thin else int(rng.integers(1, 4)), bass=None if thin and rng.random() < .7 else str(rng.choice(basses)),
            drums=compose.BEATS[rng.integers(len(compose.BEATS))] if drum and not (thin and rng.random() < .6) else {},
            low=rng.integers(50, 64, 3), velocity=rng.uniform(60, 85))
    at, voices = 0, {}
    voice = lambda program: voices.setdefault(program, len(voices))
    for name in form:
        part, plays = parts[name], arrangements[name]
        before = [None] * 3
        for onset, width, (root, tones, low) in compose.chords_of(part['bars'], beats):
            for k in range(plays['layers']):
                pitches = harmony.voicing(tones, int(plays['low'][k]) - 7, int(plays['low'][k]) + 12, 3, before[k], rng)
                before[k] = pitches
                compose.figure(sheet, voice(plays['programs'][k]), plays['figures'][k], at + onset, width, sorted(pitches), plays['velocity'])
            if plays['bass']: compose.bass_line(sheet, voice(bass), plays['bass'], at + onset, width, root, low, 90)
        for bar in range(len(part['bars'])):
            last = bar == len(part['bars']) - 1
            for key, steps in plays['drums'].items():
                for step in range(4 * beats):
                    if steps[step % 16] == 'x': sheet.add(-1, at + bar * beats + step / 4, .2, key, 90)
            if plays['drums'] and last and rng.random() < .5:
                for step in range(4): sheet.add(-1, at + (bar + 1) * beats - 1 + step / 4, .2, compose.SNARE, 95)
        at += len(part['bars']) * beats
    tune, more = sung(form, parts, beats, rng)
    places = [voice(program) for program in more]
    notes = np.array(sheet.notes + [(o, l, p, v, places[int(w)]) for o, l, p, v, w in tune])
    notes[:, :2] *= 60 / bpm
    notes[:, 0] += abs(rng.normal(size=len(notes))) * rng.choice([0, .01])
    return notes, list(voices), form, parts, beats * 60 / bpm


def phrased(mode, beats, rng):
    """The form of a song in phrases, and the bars and tune of each: I intro, A and B verse, P before the chorus, C and D chorus,
    E bridge, X between, O ending."""
    verse, again = (str(rng.choice(['A', 'A A', 'A B', 'A A B', 'A B A B'])) for _ in range(2))
    chorus, before = str(rng.choice(['C', 'C C', 'C D', 'C C D', 'C D C D'])), str(rng.choice(['', '', 'P']))
    bridge = str(rng.choice(['', 'E', 'X', 'E X']))
    form = f'I {verse} {before} {chorus} X {again} {before} {chorus} {bridge} {chorus} O'.split()
    if rng.random() < .3: form.remove('X')
    count = {name: int(rng.choice([2, 4, 4, 8] if name in 'IXO' else [4, 8, 8, 8, 4, 6, 10], p=None if name in 'IXO' else
                                  [.25, .2, .2, .2, .05, .05, .05])) for name in 'IABPCDEXO'}
    bars = {name: harmony.looped(mode, count[name], rng) for name in 'ACPE'}
    for name in 'CPE':
        if rng.random() < .3: bars[name] = (bars['A'] * 3)[:count[name]]
    relative = lambda name, other: (bars[other] * 3)[:max(1, count[name] - 2)] + harmony.looped(mode, 2, rng)
    bars['B'] = relative('B', 'A') if rng.random() < .5 else harmony.looped(mode, count['B'], rng)
    bars['D'] = relative('D', 'C') if rng.random() < .5 else harmony.looped(mode, count['D'], rng)
    source = 'C' if rng.random() < .6 else 'A'
    for name in 'IXO': bars[name] = (bars[source] * 4)[:count[name]]
    center = int(rng.integers(64, 76))
    parts = {}
    for name in dict.fromkeys(form):
        low = center - 8 + (4 if name in 'CD' else 0)
        tune = [] if name in 'IXO' and rng.random() < .7 else harmony.tune(bars[name], beats, low, low + 15, rng)
        parts[name] = dict(bars=bars[name], tune=tune)
    return form, parts


def pianist(rng):
    """A pop song for piano and voice, or for two pianos; sometimes with drums, sometimes higher at the end."""
    bpm, beats = float(np.exp(rng.uniform(np.log(62), np.log(135)))), 3 if rng.random() < .06 else 4
    form, parts = phrased(int(rng.integers(2)), beats, rng)
    sheet, keys, drum = compose.Sheet(rng), int(rng.choice([0, 0, 0, 0, 1, 4])), rng.random() < .25
    figures = 'arpeggio eighths quarters held strum alberti arp16'.split()
    manner = {name: (str(rng.choice(figures)), str(rng.choice(['held', 'octaves', 'fifths']))) for name in ('verse', 'chorus', 'rest')}
    if rng.random() < .4: manner['chorus'] = manner['verse']
    kind = lambda name: 'chorus' if name in 'CD' else 'verse' if name in 'ABP' else 'rest'
    loud = {'verse': 62, 'chorus': rng.uniform(62, 82), 'rest': 58}
    drums = compose.BEATS[rng.integers(len(compose.BEATS))] if drum else {}
    at, before, low = 0, None, int(rng.integers(50, 58))
    free = rng.choice([0, .1, .3])
    for name in form:
        figure, bass = manner[kind(name)]
        if rng.random() < free: figure = str(rng.choice(figures))
        for onset, width, (root, tones, lowest) in compose.chords_of(parts[name]['bars'], beats):
            if rng.random() < free / 2: figure = str(rng.choice(figures))
            before = harmony.voicing(tones, low, low + 15, 3, before, rng)
            compose.figure(sheet, 0, figure, at + onset, width, sorted(before), loud[kind(name)])
            compose.bass_line(sheet, 0, bass, at + onset, width, root, lowest, loud[kind(name)] + 5)
        for bar in range(len(parts[name]['bars'])):
            for key, steps in drums.items() if kind(name) != 'rest' else ():
                for step in range(4 * beats):
                    if steps[step % 16] == 'x': sheet.add(-1, at + bar * beats + step / 4, .2, key, 80)
        at += len(parts[name]['bars']) * beats
    tune, programs = sung(form, parts, beats, rng, early=rng.choice([0, 0, .5, 1, 1.5]))
    if rng.random() < .5: programs = [0] * len(programs)
    notes = np.array(sheet.notes + [(o, l, p, v, 1 + int(w)) for o, l, p, v, w in tune])
    if rng.random() < .15 and 'C' in form:
        # The last chorus is higher.
        last = max(k for k, name in enumerate(form) if name == 'C' and form[k - 1] not in 'CD')
        since = sum(len(parts[name]['bars']) for name in form[:last]) * beats
        notes[(notes[:, 0] >= since) & (notes[:, 4] >= 0), 2] += int(rng.integers(1, 3))
    notes[:, :2] *= 60 / bpm
    notes[:, 0] += abs(rng.normal(size=len(notes))) * rng.choice([0, .01, .02])
    return notes, [keys] + programs, form, parts, beats * 60 / bpm


def make(job):
    name, path, output = job
    rng = np.random.default_rng([21, zlib.crc32(name.encode())])
    made = style(path, rng) if path else pianist(rng) if name.startswith('phrase') else band(rng)
    if made is None: return None
    notes, programs, form, parts, bar = made
    stem = os.path.join(output, name)
    write_midi(stem + '.mid', notes[np.argsort(notes[:, 0])], programs)
    sound = midi.render(stem, midi.FONTS[rng.integers(len(midi.FONTS))], 0, 600)
    os.remove(stem + '.mid')
    edges = np.cumsum([0] + [len(parts[p]['bars']) * bar for p in form])
    if abs(sound).max() < .01 or len(sound) / midi.RATE < edges[-1] - 2: return None
    forms.write(stem, sound[:int((edges[-1] + 2) * midi.RATE)], edges, form)
    return name, re.sub(r'\d+$', '', os.path.basename(path)[:-4]) if path else name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('kind', choices=['styles', 'bands', 'phrases'])
    parser.add_argument('--count', type=int, default=40)
    parser.add_argument('--library', default='/usr/share/mma/lib')
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    paths = [p for p in sorted(glob.glob(options.library + '/*/*.mma'))
             if os.path.basename(os.path.dirname(p)) in grooves.COLLECTIONS
             and not re.search('metronome|none|intro|ending|count', os.path.basename(p))]
    paths = [str(p) for p in np.random.default_rng(22).permutation(paths)[:options.count]]
    jobs = [(f'style-{os.path.basename(p)[:-4]}', p, options.output) for p in paths]
    if options.kind != 'styles':
        jobs = [(f'{options.kind.removesuffix("s")}-{k:03}', None, options.output) for k in range(options.count)]
    with ThreadPoolExecutor(2) as pool: rows = [row for row in pool.map(make, jobs) if row]
    with open(os.path.join(options.output, 'list.csv'), 'w', newline='') as file: csv.writer(file).writerows(rows)
    print(f'{len(rows)} songs')


if __name__ == '__main__':
    main()
