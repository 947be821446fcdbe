"""Composes pieces in known keys: piano and chamber music, songs, bands, electronic music.

A piece is a dictionary. `notes` is an array of (onset and length in seconds, pitch, velocity, voice); voice -1 is drums.
`programs` has the General MIDI program of each voice. `regions` has rows of (start, end, tonic, mode): C is 0, major is
0; it is empty for music without a clear key. `kind` and `source` name where the piece is from.
"""
import numpy as np
import harmony

LEADS = [40, 73, 68, 71, 65, 66, 52, 53, 54, 22, 21, 56, 60, 75, 79, 0, 11, 24, 80, 81, 82, 85, 26, 27, 64, 41, 42, 46, 12, 110, 78]
KEYS = [0, 0, 0, 1, 2, 4, 5, 6, 16, 19, 11, 24, 46, 8, 21]
STRINGS, WINDS = [[40, 40, 41, 42], [48, 48, 48, 48], [40, 41, 42, 42], [49] * 4, [45] * 4], [[73, 68, 71, 70], [68, 71, 60, 70], [56, 56, 57, 58],
          [19, 19, 19, 19], [73, 19, 19, 68], [52] * 4, [61] * 4, [64, 65, 66, 67]]
PADS = [48, 49, 50, 51, 52, 88, 89, 90, 91, 92, 93, 94, 95, 16, 18, 81]
BASSES = [32, 33, 33, 34, 35, 36, 38, 38, 39, 39, 43, 58, 87]
GUITARS = [24, 25, 25, 26, 27, 28, 29, 30, 30, 105, 106]
SYNTHS = [38, 39, 62, 63, 80, 81, 81, 82, 84, 86, 87, 90, 93, 5, 98, 102]
KICK, SNARE, CLAP, HAT, OPEN, RIDE, CRASH, TOM, SHAKER = 36, 38, 39, 42, 46, 51, 49, 45, 70
BEATS = [{KICK: 'x.......x.x.....', SNARE: '....x.......x...', HAT: 'x.x.x.x.x.x.x.x.'}, {KICK: 'x...x...x...x...', CLAP: '....x.......x...', OPEN: '..x...x...x...x.'},
         {KICK: 'x.....x.x.......', SNARE: '....x.......x..x', HAT: 'xxxxxxxxxxxxxxxx'}, {KICK: 'x.........x.....', SNARE: '........x.......', RIDE: 'x...x.x.x...x.x.'},
         {KICK: 'x..x..x...x.....', CLAP: '....x.......x...', SHAKER: 'x.xxx.xxx.xxx.xx'}, {KICK: 'x.x.....x.......', SNARE: '....x..x.x..x...', HAT: 'x.xxx.x.x.xxx.x.'},
         {TOM: 'x...x.x.x...x.x.', KICK: 'x.......x.......'}, {KICK: 'x...x...x...x...', HAT: '..x...x...x...x.'}, {HAT: 'x...x...x...x...', RIDE: '..x...x...x...x.'}]


class Sheet:
    """Notes in beats, by voice."""
    def __init__(self, rng):
        self.notes, self.programs, self.rng = [], [], rng
    def voice(self, program):
        self.programs.append(int(program))
        return len(self.programs) - 1
    def add(self, voice, onset, length, pitch, velocity):
        self.notes.append((onset, length, pitch, velocity * (1 + .08 * self.rng.normal()), voice))


def figure(sheet, voice, name, at, beats, pitches, velocity, rng):
    """A chord's notes over so many beats, broken as an accompaniment does."""
    if not pitches: return
    high = pitches[1:] or pitches
    if name == 'held': spots = [(0, beats, pitches)]
    elif name == 'quarters': spots = [(k, .9, pitches) for k in np.arange(0, beats, 1)]
    elif name == 'eighths': spots = [(k, .45, pitches) for k in np.arange(0, beats, .5)]
    elif name == 'off': spots = [(k + .5, .3, pitches) for k in np.arange(0, beats, 1)]
    elif name == 'stab': spots = [(k, .25, pitches) for k in (0, .75, 1.5, 2.5, 3.25) if k < beats]
    elif name == 'alberti': spots = [(k, .5, [(pitches + pitches)[[0, 2, 1, 2][i % 4] % len(pitches)]]) for i, k in enumerate(np.arange(0, beats, .5))]
    elif name == 'alberti16': spots = [(k, .25, [pitches[[0, 2, 1, 2][i % 4] % len(pitches)]]) for i, k in enumerate(np.arange(0, beats, .25))]
    elif name == 'arpeggio': spots = [(k, 1, [(pitches + [p + 12 for p in pitches])[i % (2 * len(pitches))]]) for i, k in enumerate(np.arange(0, beats, .5))]
    elif name == 'arp16': spots = [(k, .25, [(pitches + [pitches[0] + 12])[i % (len(pitches) + 1)]]) for i, k in enumerate(np.arange(0, beats, .25))]
    elif name == 'triplets': spots = [(k, .33, [pitches[i % len(pitches)]]) for i, k in enumerate(np.arange(0, beats, 1 / 3))]
    elif name == 'oompah': spots = [(0, .8, pitches[:1])] + [(k, .5, high) for k in np.arange(1, beats, 1)]
    elif name == 'march': spots = [(k, .4, pitches[:1] if i % 2 == 0 else high) for i, k in enumerate(np.arange(0, beats, .5))]
    elif name == 'strum': spots = [(k, .6, pitches) for k in (0, 1, 1.5, 2.5, 3, 3.5) if k < beats]
    elif name == 'tremolo': spots = [(k, .2, pitches) for k in np.arange(0, beats, .25)]
    elif name == 'power': spots = [(k, .45, [pitches[0], pitches[0] + 7, pitches[0] + 12]) for k in np.arange(0, beats, .5)]
    for onset, length, notes in spots:
        if onset >= beats - 1e-6: continue
        for note in notes: sheet.add(voice, at + onset, min(length, beats - onset), note, velocity)


def basses(sheet, voice, name, at, beats, root, bass, after, velocity, rng):
    low = 36 + (bass - 36) % 12
    if low > 43 and rng.random() < .5: low -= 12
    spots = {'held': [(0, beats, low)], 'octaves': [(k, .5, low + 12 * (k % 1 > 0)) for k in np.arange(0, beats, .5)],
             'eighths': [(k, .45, low) for k in np.arange(0, beats, .5)], 'off': [(k + .5, .4, low) for k in np.arange(0, beats, 1)],
             'fifths': [(0, 1, low)] + ([(beats / 2, 1, low + 7 if (root - bass) % 12 == 0 else low)] if beats > 1 else []),
             'walk': [(k, .9, low + [0, 4, 7, 9][int(k) % 4] if k == 0 or k % 2 else low + 7) for k in np.arange(0, beats, 1)],
             'sixteenths': [(k, .22, low) for k in np.arange(0, beats, .25) if k % 1], 'double': [(0, beats, low), (0, beats, low - 12)]}[name]
    for onset, length, pitch in spots:
        if onset < beats: sheet.add(voice, at + onset, min(length, beats - onset), pitch, velocity)


def drums(sheet, bars, beats, rng, velocity):
    one, two = (BEATS[i] for i in rng.integers(0, len(BEATS), 2))
    start = rng.choice([0, 0, 0, 4])
    for bar in range(start, len(bars)):
        for key, steps in (one if bar // 8 % 2 == 0 else two).items():
            for step in range(4 * beats):
                if steps[step % 16] == 'x': sheet.add(-1, bar * beats + step / 4, .2, key, velocity)
        if bar % 8 == 0 and rng.random() < .5: sheet.add(-1, bar * beats, 1, CRASH, velocity)


# Kind: beats of a minute, harmony of loops or functional, figures, basses, chance of drums and of a tune, programs.
MANNERS = {
    'piano': ((60, 150), 'functional', 'alberti alberti16 arpeggio quarters held oompah triplets eighths octave', 'held fifths double none', 0, 1),
    'romantic': ((50, 120), 'functional', 'arpeggio oompah held triplets quarters tremolo alberti', 'held fifths double', 0, .95),
    'quartet': ((60, 140), 'functional', 'parts', 'none', 0, 1),
    'counterpoint': ((60, 120), 'functional', 'counterpoint', 'none', 0, 1),
    'song': ((60, 120), 'functional', 'eighths arpeggio triplets quarters held oompah tremolo', 'held fifths double', 0, 1),
    'band': ((70, 150), 'looped', 'strum quarters held eighths arpeggio stab power off', 'held eighths octaves fifths walk', .9, .85),
    'electronic': ((95, 150), 'looped', 'arp16 stab held off arpeggio eighths arp16', 'eighths off sixteenths octaves held', .9, .6),
    'ballad': ((55, 95), 'looped', 'arpeggio held quarters strum alberti', 'held fifths double', .4, .9),
    'orchestra': ((50, 130), 'either', 'held tremolo quarters triplets march', 'held octaves double eighths', .4, .8),
    'folk': ((80, 140), 'simple', 'march strum oompah quarters held', 'fifths held none', .2, 1),
    'single': ((70, 150), 'either', 'none', 'none', .05, 1),
}


def simple(mode, bars, rng):
    """Three chords and a few more, as folk tunes have them."""
    words = rng.permutation([['I', 'I', 'V7', 'I'], ['I', 'IV', 'V', 'I'], ['I', 'V', 'IV', 'V'], ['IV', 'I', 'V7', 'I'], ['I', 'vi', 'V', 'I'], ['V', 'I', 'V', 'I'],
                             ['I', 'ii', 'V7', 'I']] if mode == 0 else
                            [['i', 'i', 'V7', 'i'], ['i', 'iv', 'V', 'i'], ['i', 'VII', 'i', 'V'], ['i', 'VII', 'VI', 'V'], ['III', 'VII', 'i', 'V'], ['i', 'VII', 'V', 'i'],
                             ['iv', 'i', 'V7', 'i']])
    return [([harmony.chord(words[bar // 4 % 3 if bar % 8 < 4 else 0][bar % 4], mode)], 0, mode) for bar in range(bars)]


def piece(manner, mode, seconds, rng, wanders=False):
    (slow, fast), kind, figures, bass_figures, drummed, tuned = MANNERS[manner]
    figures, bass_figures = figures.split(), bass_figures.split()
    beats = 3 if rng.random() < (.3 if drummed < .5 else .05) else 4
    bpm = np.exp(rng.uniform(np.log(slow), np.log(fast)))
    count = int(seconds * bpm / 60 / beats) + 1
    if kind == 'either': kind = rng.choice(['functional', 'looped'])
    bars = harmony.wandering(mode, count, rng) if wanders else {
        'functional': harmony.functional, 'looped': harmony.looped, 'simple': simple}[kind](mode, count, rng)
    sheet = Sheet(rng)
    lead = sheet.voice(rng.choice(LEADS))
    keys = rng.choice(KEYS)
    centre = int(rng.integers(62, 80))
    has_tune = rng.random() < tuned
    if manner in ('piano', 'romantic', 'counterpoint'):
        if manner == 'romantic': keys = rng.choice([0, 0, 0, 1, 6, 11, 24])
        sheet.programs[lead] = int(keys)
    melody = harmony.tune(bars, beats, centre - 8, centre + 10, rng, rng.choice([1, 1, 2]) if manner not in ('orchestra', 'ballad') else 1) if has_tune else []
    doubled = rng.random() < .15
    for onset, length, pitch in melody:
        sheet.add(lead, onset, length * rng.uniform(.7, 1), pitch, rng.uniform(80, 110))
        if doubled: sheet.add(lead, onset, length, pitch - 12, 80)
    if figures[0] == 'parts':
        ensemble = (STRINGS + WINDS)[rng.integers(len(STRINGS) + len(WINDS))]
        if rng.random() < .3: ensemble = rng.permutation(ensemble)
        sheet.programs[lead] = int(ensemble[0])
        voices = [sheet.voice(p) for p in ensemble[1:]]
        pattern = [rng.choice(['held', 'quarters', 'eighths', 'held', 'off']) for _ in range(3)]
        before = None
        for number, (chords, *_) in enumerate(bars):
            width = beats / len(chords)
            for index, (root, tones, bass) in enumerate(chords):
                before = harmony.voicing(tones, 50, centre, 2, before, rng)
                at = number * beats + index * width
                for voice, pitch, name in zip(voices, before + [36 + (bass - 36) % 12], pattern):
                    figure(sheet, voice, name, at, width, [pitch], rng.uniform(60, 90), rng)
    elif figures[0] == 'counterpoint':
        under = sheet.voice(keys)
        for onset, length, pitch in harmony.tune(bars, beats, 40, 60, rng, rng.choice([1, 1, 2])):
            sheet.add(under, onset, length, pitch, rng.uniform(70, 95))
        if rng.random() < .5:
            for onset, length, pitch in harmony.tune(bars, beats, 52, 68, rng): sheet.add(under, onset, length, pitch, 75)
        for number, (chords, *_) in enumerate(bars):
            if rng.random() < .6: sheet.add(under, number * beats, beats / len(chords), 36 + chords[0][2], 80)
    else:
        layers = 1 if manner in ('piano', 'romantic', 'song', 'ballad', 'folk') else int(rng.integers(1, 4))
        sections = []
        for layer in range(layers):
            programs = {'band': GUITARS + KEYS + PADS[:6], 'electronic': SYNTHS + PADS, 'ballad': KEYS + [24, 25, 48, 89], 'orchestra': [48, 49, 50, 52, 60, 61, 56, 46, 89, 91, 45],
                        'folk': [21, 24, 25, 0, 105, 46, 15, 22]}.get(manner, [keys])
            voice = sheet.voice(rng.choice(programs))
            sections.append((voice, [n for n in [rng.choice(figures), rng.choice(figures)]], int(rng.integers(48, 66)), rng.integers(3, 5), rng.uniform(50, 95), rng.choice([0, 0, 0, 4, 8])))
        name = rng.choice(bass_figures)
        bass_voice = None if name == 'none' else sheet.voice(rng.choice(BASSES) if manner in ('band', 'electronic') else rng.choice([32, 43, 33]) if manner in ('folk', 'orchestra') and rng.random() < .8
                                                              else sheet.programs[1])
        before = [None] * layers
        for number, (chords, *_) in enumerate(bars):
            width = beats / len(chords)
            for index, (root, tones, bass) in enumerate(chords):
                at = number * beats + index * width
                for layer, (voice, names, low, size, velocity, start) in enumerate(sections):
                    if number < start and layer: continue
                    which = names[number // 8 % 2]
                    if which == 'octave': which = 'quarters'
                    if which == 'none': continue
                    before[layer] = harmony.voicing(tones, low - 7, low + 12, size, before[layer], rng)
                    pitches = sorted(before[layer])
                    if which in ('oompah', 'march', 'power'):
                        root_pitch = 40 + (bass - 40) % 12
                        pitches = [root_pitch] + [p for p in pitches if p > root_pitch]
                    figure(sheet, voice, which, at, width, pitches, velocity, rng)
                if bass_voice is not None: basses(sheet, bass_voice, name, at, width, root, bass, None, rng.uniform(75, 105), rng)
    if rng.random() < drummed: drums(sheet, bars, beats, rng, rng.uniform(70, 115))
    drift = np.cumsum(rng.normal(size=len(bars) * beats + 3)) * (0 if drummed > .5 else rng.choice([0, .005, .02]))
    clock = np.r_[0, np.cumsum(60 / bpm * np.exp(np.clip(drift, -.3, .3)))]
    seconds_at = lambda beat: np.interp(beat, np.arange(len(clock)), clock)
    notes = np.array(sheet.notes)
    end = seconds_at(notes[:, 0] + notes[:, 1])
    notes[:, 0] = seconds_at(notes[:, 0]) + abs(rng.normal(size=len(notes))) * rng.choice([0, .01, .02])
    notes[:, 1] = np.maximum(.05, end - notes[:, 0])
    regions = []
    for number, (_, tonic, local) in enumerate(bars):
        start, stop = seconds_at(number * beats), seconds_at((number + 1) * beats)
        if wanders: break
        if regions and regions[-1][2:] == (tonic, local): regions[-1] = (regions[-1][0], stop, tonic, local)
        else: regions.append((start, stop, tonic, local))
    return dict(notes=notes[np.argsort(notes[:, 0])].astype(np.float32), programs=sheet.programs, regions=regions, kind='wandering' if wanders else manner, source='composed:' + manner)
