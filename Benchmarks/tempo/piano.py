#!/usr/bin/env python3
"""Renders piano music whose beats are known: pop as it is accompanied, and classical music that breathes.

  piano.py OUTPUT_DIRECTORY FILE.mid|FILE.wad … [--library /usr/share/mma/lib] [--more-soundfonts FILE …] [--each 90]

Pop, to a click or nearly: songs made from patterns, the slower styles of MMA without their drums, and the given songs reduced to tune, chords
and bass (those of midi.py, and of freedink-data). With rubato: pieces made from patterns, and scores of music21. A beat is
what is written: a quarter, or a dotted one in compound metres, however fast the notes are. For each clip NAME.f32 (mono, 22,050 Hz, floats, 16 to
45 s), NAME.txt (beats), NAME.json (metre and first beats of bars) and a row of manifest.csv, whose sources are called as those of
midi.py, grooves.py and scores.py, so that the same music is never on both sides. Everything is random from fixed seeds. Needs
mma, fluidsynth, music21, numpy and scipy.
"""
import argparse, os, re, struct, subprocess, tempfile, zlib
import numpy as np
import grooves
import midi
import scores
from pianist import LOW, MIDDLE, TOP, Music, perform

# A bar each: 0 to 4 are root, fifth, root, third and fifth from below, O is the bass in octaves, B a chord. As many steps as letters; a
# note lasts until the next of its layer.
POP = {
    4: [['01234321'], ['0123....'], ['0123432101234321'], ['0124212401242124'], ['0.123...0.123...'], ['O...', 'BBBB'], ['O.O.', 'BBBB'],
        ['O.......', 'BBBBBBBB'], ['O...O...', '.B.B.B.B'], ['O.......', '..B.B.B.'], ['0..0..0.', 'B..B..B.'], ['O...', 'B...'],
        ['0.1.', 'B.B.'], ['O.....O.O.......', '....B.......B...'], ['O.......O.......', 'B..B..B.B..B..B.'], ['O..O..O.', '.BB.BB.B'],
        ['O...............', '..2342342.234234'], ['0...1...', '.234.234'], ['O.......0.......', '2.3.4.3.2.3.4.3.'], ['O...0.O.', '..BB..B.']],
    3: [['012343'], ['O..', '.BB'], ['0.....', '..3434'], ['012343212343'], ['O..', 'B..']],
    2: [['012343'], ['012321'], ['0.....', '.BB.BB'], ['0..0..', '..B..B'], ['O.....', 'B.....'], ['O..O..', 'BBBBBB']]}
CLASSICAL = {
    4: [['24342434'], ['2434243424342434'], ['0..2342342342..234234234'], ['O...........', '234234234234'], ['0.......0.......', '..234234..234234'],
        ['0123', 'BBBB'], ['0.1.', 'B.B.'], ['2345432123454321'], ['0...0...', '.343.343.343.343'], ['O...', 'BBBBBBBBBBBB'], ['O.O.', '.B.B'],
        ['012343210123'], ['O.......', '.BBB.BBB'], ['0...', 'B...'], ['01234321'], ['0.2.3.4.', '....BB..']],
    3: [['0..', '.BB'], ['O..', '.BB'], ['0.....', '..3434'], ['012343'], ['012', 'BBB'], ['234323432343'], ['O..', '.B.']],
    2: [['012343'], ['012321'], ['0..0..', '.BB.BB'], ['O.....', 'BBBBBB'], ['012343212343'], ['0.....', '.B..B.']]}
# How a beat of the tune may begin notes; what begins with a dot is tied over.
CELLS = {'slow': ['x.x.', 'x.x.', 'xxxx', 'x..x', '.x.x', 'x.xx', 'xx.x', 'x...', '..x.', '.xx.', 'xxx.', '....'], 'fast': ['x.', 'xx', 'xx', '.x', '..'],
         'free': ['x.', 'x.', 'xx', 'x..x', 'xxxx', 'x.xx', '..', 'x.x', 'xxx', '.x'], 'compound': ['x..', 'x.x', 'xxx', 'x..', '...', 'x..x.x', 'x.xxxx']}
CHORDS = {'C': (0, 4, 7), 'Dm': (2, 5, 9), 'Em': (4, 7, 11), 'F': (5, 9, 12), 'G': (7, 11, 14), 'Am': (9, 12, 16), 'Fm': (5, 8, 12), 'E': (4, 8, 11),
          'D': (2, 6, 9), 'Bb': (10, 14, 17), 'A': (9, 13, 16), 'G7': (7, 11, 17), 'B°': (11, 14, 17)}
PROGRESSIONS = {'pop': ['C G Am F', 'Am F C G', 'F G Em Am', 'C Am F G', 'C Em F Fm', 'F G C Am', 'C G Am Em F C Dm G', 'Am Em F C F C Dm G', 'C F', 'Am G F E'],
                'classical': ['C G7 C F C G7 C C', 'C F G7 C Am Dm G7 C', 'Am E Am Dm Am E Am Am', 'C A Dm G7 C F G7 C', 'Am Dm G C F B° E Am', 'C C G7 G7 G7 G7 C C',
                              'C Bb F Fm C G7 C G', 'Am F Dm E Am Dm E Am', 'C D G G7 C F G C']}
SCALE = (0, 2, 4, 5, 7, 9, 11)
# Pieces of each collection and excerpts of each piece. Bach's are chorales: his preludes and fugues are left to be tested on.
COLLECTIONS = {'chopin': (1, 4), 'joplin': (1, 4), 'schumann_clara': (8, 4), 'schumann_robert': (6, 3), 'cpebach': (2, 4), 'corelli': (2, 2), 'schubert': (1, 4),
               'beach': (1, 3), 'liliuokalani': (1, 2), 'johnson_j_r': (1, 3), 'mozart': (16, 2), 'haydn': (9, 2), 'beethoven': (12, 2), 'bach': (24, 1)}
STYLES = ('ballad|pop|soft|slow|soul|folk|beat|hymn|lullaby|spiritual|serenade|arpeggio|bolero|r.?b|waltz|bald|34|128|68|desert|mellow|country|rock\\d?$|'
          'bossa|trio|evansish|showtune|ragtime|gospel|fusion')


def tune(bars, perBar, cells, chords, rng):
    """Onsets, lengths and degrees of the scale of a tune in phrases of four bars, and the bars that it leaves free."""
    busy = rng.uniform(.5, 1)
    motif = [[rng.choice(cells) for _ in range(perBar)] for _ in range(4)]
    degree, onsets, pitches, free = int(rng.integers(0, 7)), [], [], []
    for bar in range(bars):
        shape = motif[bar % 4 if rng.random() < .6 else bar % 2]
        if bar % 4 == 3 and rng.random() < .7:
            shape = ['x' + '.' * (len(shape[0]) - 1)] + ['.'] * (perBar - 1)
            free.append(bar)
        for beat, cell in enumerate(shape):
            if rng.random() < .12: cell = rng.choice(cells)
            for step, mark in enumerate(cell):
                if mark != 'x' or step and rng.random() > busy: continue
                degree += int(rng.choice([-2, -1, -1, 0, 1, 1, 2, 3, -3]))
                degree += (degree < -3) * 4 - (degree > 10) * 4
                pitch = 12 * (degree // 7) + SCALE[degree % 7]
                if step == 0:  # on the beat a note of the chord
                    pitch = min((12 * octave + tone for octave in (-2, -1, 0, 1) for tone in chords[bar % len(chords)]), key=lambda p: abs(p - pitch))
                onsets.append(bar * perBar + beat + step / len(cell))
                pitches.append(pitch)
    lengths = np.minimum(np.diff(np.r_[onsets, bars * perBar]), perBar)
    return onsets, lengths, pitches, free


def pattern(number, classical, rng):
    """A piece made from patterns."""
    table = CLASSICAL if classical else POP
    perBar = int(rng.choice([4, 3, 2], p=[.55, .25, .2] if classical else [.8, .08, .12]))
    slow = rng.random() < .75
    if classical: bpm = np.exp(rng.uniform(np.log(44), np.log({4: 160, 3: 220, 2: 110}[perBar])))
    elif perBar == 2: bpm = rng.uniform(44, 76)
    else: bpm = rng.uniform(50, 90) if slow else rng.uniform(85, 140)
    if not classical and rng.random() < .7: bpm = round(bpm)
    cells = CELLS['compound' if perBar == 2 else 'free' if classical else 'slow' if bpm < 95 else 'fast']
    names = rng.choice(PROGRESSIONS['classical' if classical else 'pop']).split()
    chords = [CHORDS[name] for name in names]
    bars = int(60 * bpm / 60 / perBar) + 8
    key, notes = int(rng.integers(-5, 7)), []
    # What is slow is mostly in eighths and sixteenths, what is fast seldom in more than triplets.
    steps = np.array([max(map(len, layers)) / perBar for layers in table[perBar]])
    likely = np.where(steps >= 2, 3, 1) if bpm < 80 else np.where(steps <= (2 if bpm > 150 else 3), 1, .02 if bpm > 110 else 1)
    which = rng.choice(len(steps), 2, p=likely / likely.sum())
    ladder = lambda c: [36 + c[0], 36 + c[0] + 7, 48 + c[0], 48 + c[1], 48 + c[2], 60 + c[0]]
    high = int(rng.choice([0, 0, 0, 12]))  # where the accompaniment lies
    perChord = rng.choice([1, 1, .5]) if perBar == 4 else 1
    for bar in range(bars):
        for layer in table[perBar][which[bar // 8 % 2]]:
            starts = [k for k, mark in enumerate(layer) if mark != '.']
            for k, until in zip(starts, [*starts[1:], len(layer)]):
                half = k * 2 // len(layer) if perChord == .5 else 0
                steps = ladder(chords[(int(bar / perChord) + half) % len(chords)])
                if layer[k] == 'O': tones, voice = [steps[0] - 12, steps[0]], LOW
                elif layer[k] == 'B': tones, voice = [p + high for p in steps[2:5]], MIDDLE
                else: tones, voice = [steps[int(layer[k])] + high], LOW if layer[k] in '01' else MIDDLE
                for tone in tones:
                    notes.append(((bar + k / len(layer)) * perBar, (until - k) * perBar / len(layer), tone + key, voice))
    if rng.random() < .9:
        begin = int(rng.choice([0, 0, 2, 4]))
        # Of two chords a bar the first tells the tune.
        onsets, lengths, pitches, free = tune(bars, perBar, cells, chords if perChord == 1 else chords[::2] if len(chords) % 2 == 0 else chords, rng)
        second = rng.choice([0, 0, 0, 4, 12])
        for onset, length, pitch in zip(onsets, lengths, pitches):
            if onset < begin * perBar: continue
            notes.append((onset, length, 72 + key + pitch, TOP))
            if second == 12: notes.append((onset, length, 60 + key + pitch, TOP))
            elif second and onset % 1 == 0: notes.append((onset, length, 72 + key + pitch - 4 + (pitch % 12 in (2, 4, 9, 11)), MIDDLE))
        for bar in free if rng.random() < .5 else []:  # the bridge: a run where the tune holds
            tones = chords[bar % len(chords)]
            for k in range(perBar, 2 * perBar): notes.append((bar * perBar + k / 2, .5, 60 + key + tones[k % 3] + 12 * (k % 2), TOP))
    kind = 'classical' if classical else 'pop'
    metre = {4: '4/4', 3: '3/4', 2: '6/8'}[perBar]
    # Pieces whose first accompaniment is the same are of one source.
    return Music(f'{kind}-{number:03d}', f'synthetic:piano-{kind}-{perBar}-{which[0]}', metre, perBar, sorted(notes), float(bpm))


def reduced(voices, unit):
    """Tune, chords and bass of a song for the piano: (onset, length, pitch, voice), in beats of so many ticks."""
    voices = [notes for notes in voices.values() if len(notes) > 20]
    if len(voices) < 2: return []
    height = [np.mean([n[2] for n in notes]) for notes in voices]
    alone = [len({n[0] for n in notes}) / len(notes) for notes in voices]
    bass = int(np.argmin(height))
    rest = [k for k in range(len(voices)) if k != bass]
    top = max(rest, key=lambda k: alone[k] * min(len(voices[k]), 200) * (1 if height[k] > 57 else .3))
    chords = sorted((k for k in rest if k != top), key=lambda k: -len(voices[k]) * (1.2 - alone[k]))[:2]
    found = set()
    for k, voice, low, high in [(bass, LOW, 30, 54), (top, TOP, 57, 90), *((k, MIDDLE, 45, 74) for k in chords)]:
        shift = 12 * round(((low + high) / 2 - height[k]) / 12)
        found |= {(n[0] / unit, n[1] / unit, n[2] + shift, voice) for n in voices[k]}
    return sorted(found)


def styles(library, count, rng):
    """Songs in the styles of MMA."""
    paths = [os.path.join(library, c, f) for c in ('stdlib', 'casio', 'zoom', 'kara', 'yamaha') for f in sorted(os.listdir(os.path.join(library, c)))]
    paths = [p for p in paths if p.endswith('.mma') and re.search(STYLES, os.path.basename(p)[:-4])]
    for path in [paths[i] for i in rng.permutation(len(paths))][:count]:
        collection, name = os.path.basename(os.path.dirname(path)), os.path.basename(path)[:-4]
        groove = str(rng.choice(grooves.grooves(path)[0]))
        text, beat, quarters, (numerator, denominator), _ = grooves.song(path, name, groove, 110, rng)
        text = re.sub(r'(?m)^Tempo .*\n', '', text)
        with tempfile.TemporaryDirectory() as folder:
            stem = os.path.join(folder, 'song')
            with open(stem + '.mma', 'w') as file: file.write(text)
            subprocess.run(['mma', stem + '.mma', '-f', stem + '.mid'], capture_output=True)
            if not os.path.exists(stem + '.mid'): continue
            with open(stem + '.mid', 'rb') as file: data = file.read()
        notes = reduced(midi.voices(data), struct.unpack('>H', data[12:14])[0] * beat)
        compound = re.search('68|128', name)
        low, high = (46, 76) if compound or re.search('slow|ballad|hymn|lullaby|serenade|bolero|bald', name) else (56, 95) if rng.random() < .5 else (80, 140)
        if notes: yield Music(re.sub(r'\W', '_', f'mma-{collection}-{name}'), 'synthetic:mma-' + re.sub(r'\d+$', '', name), f'{numerator}/{denominator}',
                              quarters // beat, notes, float(round(rng.uniform(low, high))))


def songs(paths, rng):
    """The songs of MIDI files, a little slower or faster than they are."""
    for source, name, data in midi.songs(paths):
        try:
            division, tempi, metres, onsets = midi.read(data)
        except (ValueError, IndexError, struct.error): continue
        if len(onsets) < 200 or len({m[1:] for m in metres}) > 1 or not midi.on_grid(onsets, division): continue
        numerator, denominator = (metres or [(0, 4, 4)])[0][1:]
        compound = denominator == 8 and numerator in (6, 9, 12)
        if not compound and denominator != 4: continue
        notes = reduced(midi.voices(data), division * (1.5 if compound else 1))
        seconds = midi.clock(tempi, division)
        bpm = 60 * (onsets[-1] - onsets[0]) / division / (seconds(onsets[-1]) - seconds(onsets[0])) / (1.5 if compound else 1)
        bpm *= rng.uniform(.7, 1) if bpm > 100 else rng.uniform(.85, 1.1)
        if notes and 45 < bpm < 175:
            yield Music(re.sub(r'\W', '_', f'{source}-{name}'), 'synthetic:' + source, f'{numerator}/{denominator}',
                        numerator // 3 if compound else numerator, notes, float(bpm))


def regular(score, bar, down):
    """Up to where the score's bars are as long as its metre says (in quarters); a bar may be parted by a repeat."""
    offsets = np.array([float(measure.offset) for measure in score.parts[0].getElementsByClass('Measure')])
    off = abs((offsets - down + bar / 2) % bar - bar / 2) > 1e-3
    off[0] = False
    return min(offsets[:-1][off[:-1] & off[1:]], default=np.inf)


def written(rng):
    """Scores of music21, in as many parts as a pianist has hands for."""
    for collection, (count, each) in COLLECTIONS.items():
        for number, score in enumerate(scores.pieces(collection, count, rng)):
            found = scores.notes_of(score, 1e9)
            if not found: continue
            notes, beat, bar, down = found
            end = regular(score, bar, down)
            notes = [n for n in notes if down - 1e-3 <= n[0] < end]
            if not notes or notes[-1][0] < 60 * beat: continue
            last = max(n[3] for n in notes)
            notes = [((n[0] - down) / beat, n[1] / beat, n[2], TOP if n[3] == 0 else LOW if n[3] == last else MIDDLE) for n in notes]
            density = 1 / np.median(np.diff(np.unique([n[0] for n in notes])))
            for part in range(each):
                bpm = np.clip(88 * (2 / density) ** .5 * np.exp(.28 * rng.normal()), 38, 220)
                yield Music(f'{collection}-{number:02d}-{part}', 'synthetic:' + collection, f'{round(bar / beat)} of {beat:g}', round(bar / beat), notes, float(bpm))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('files', nargs='+')
    parser.add_argument('--library', default='/usr/share/mma/lib')
    parser.add_argument('--soundfonts', nargs='+', default=scores.FONTS)
    parser.add_argument('--more-soundfonts', nargs='+', default=[])
    parser.add_argument('--each', type=int, default=90, help='pieces of each kind that is made')
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    seeded = lambda *words: np.random.default_rng([11, zlib.crc32(' '.join(words).encode())])
    patterns = lambda kind: (pattern(k, kind == 'classical', seeded(kind, str(k))) for k in range(options.each))
    fonts = options.soundfonts + options.more_soundfonts
    rows = []
    for title, pieces, free in [('pop', patterns('pop'), False), ('classical', patterns('classical'), True),
                                ('styles', styles(options.library, options.each, seeded('styles')), False),
                                ('songs', songs(options.files, seeded('songs')), False), ('scores', written(seeded('scores')), True)]:
        made = [perform(music, free, fonts, options.output, seeded('play', music.name)) for music in pieces]
        rows += [row for row in made if row]
        print(f'{title}: {sum(map(bool, made))} of {len(made)}', flush=True)
    midi.write_manifest(os.path.join(options.output, 'manifest.csv'), rows)


if __name__ == '__main__':
    main()
