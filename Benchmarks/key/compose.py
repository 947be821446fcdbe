"""Composes pieces in known keys: piano and chamber music, songs, bands, electronic music.

A piece is a dictionary. `notes` is an array of (onset and length in seconds, pitch, velocity, voice); voice -1 is drums.
`programs` has the General MIDI program of each voice. `regions` has rows of (start, end, tonic, mode): C is 0, major is
0; it is empty for music without a clear key. `kind` and `source` name where the piece is from.
"""
import numpy as np
import harmony

LEADS = [40, 73, 68, 71, 65, 66, 52, 53, 54, 22, 21, 56, 60, 75, 79, 0, 11, 24, 80, 81, 82, 85, 26, 27, 64, 41, 42, 46,
         12, 110, 78]
KEYS = [0, 0, 0, 1, 2, 4, 5, 6, 16, 19, 11, 24, 46, 8, 21]
ROMANTIC = [0, 0, 0, 1, 6, 11, 24]
STRINGS = [[40, 40, 41, 42], [48] * 4, [40, 41, 42, 42], [49] * 4, [45] * 4]
WINDS = [[73, 68, 71, 70], [68, 71, 60, 70], [56, 56, 57, 58], [19] * 4, [73, 19, 19, 68], [52] * 4, [61] * 4,
         [64, 65, 66, 67]]
PADS = [48, 49, 50, 51, 52, 88, 89, 90, 91, 92, 93, 94, 95, 16, 18, 81]
BASSES = [32, 33, 33, 34, 35, 36, 38, 38, 39, 39, 43, 58, 87]
GUITARS = [24, 25, 25, 26, 27, 28, 29, 30, 30, 105, 106]
SYNTHS = [38, 39, 62, 63, 80, 81, 81, 82, 84, 86, 87, 90, 93, 5, 98, 102]
# Programs of the chords, where they are not those of KEYS.
CHORDS = {'band': GUITARS + KEYS + PADS[:6], 'electronic': SYNTHS + PADS, 'ballad': KEYS + [24, 25, 48, 89],
          'orchestra': [48, 49, 50, 52, 60, 61, 56, 46, 89, 91, 45], 'folk': [21, 24, 25, 0, 105, 46, 15, 22]}
KICK, SNARE, CLAP, HAT, OPEN, RIDE, CRASH, TOM, SHAKER = 36, 38, 39, 42, 46, 51, 49, 45, 70
BEATS = [
    {KICK: 'x.......x.x.....', SNARE: '....x.......x...', HAT: 'x.x.x.x.x.x.x.x.'},
    {KICK: 'x...x...x...x...', CLAP: '....x.......x...', OPEN: '..x...x...x...x.'},
    {KICK: 'x.....x.x.......', SNARE: '....x.......x..x', HAT: 'xxxxxxxxxxxxxxxx'},
    {KICK: 'x.........x.....', SNARE: '........x.......', RIDE: 'x...x.x.x...x.x.'},
    {KICK: 'x..x..x...x.....', CLAP: '....x.......x...', SHAKER: 'x.xxx.xxx.xxx.xx'},
    {KICK: 'x.x.....x.......', SNARE: '....x..x.x..x...', HAT: 'x.xxx.x.x.xxx.x.'},
    {TOM: 'x...x.x.x...x.x.', KICK: 'x.......x.......'}, {KICK: 'x...x...x...x...', HAT: '..x...x...x...x.'},
    {HAT: 'x...x...x...x...', RIDE: '..x...x...x...x.'}]

# Beats per minute, harmony, figures of the chords, figures of the bass, chance of drums, chance of a melody.
MANNERS = {
    'piano': ((60, 150), 'functional', 'alberti alberti16 arpeggio quarters held oompah triplets eighths',
              'held fifths double none', 0, 1),
    'romantic': ((50, 120), 'functional', 'arpeggio oompah held triplets quarters tremolo alberti', 'held fifths double',
                 0, .95),
    'quartet': ((60, 140), 'functional', '', '', 0, 1),
    'counterpoint': ((60, 120), 'functional', '', '', 0, 1),
    'song': ((60, 120), 'functional', 'eighths arpeggio triplets quarters held oompah tremolo', 'held fifths double', 0, 1),
    'band': ((70, 150), 'looped', 'strum quarters held eighths arpeggio stab power off', 'held eighths octaves fifths walk',
             .9, .85),
    'electronic': ((95, 150), 'looped', 'arp16 stab held off arpeggio eighths arp16',
                   'eighths off sixteenths octaves held', .9, .6),
    'ballad': ((55, 95), 'looped', 'arpeggio held quarters strum alberti', 'held fifths double', .4, .9),
    'orchestra': ((50, 130), 'either', 'held tremolo quarters triplets march', 'held octaves double eighths', .4, .8),
    'folk': ((80, 140), 'simple', 'march strum oompah quarters held', 'fifths held none', .2, 1),
    'single': ((70, 150), 'either', 'none', 'none', .05, 1),
}


class Sheet:
    """Notes in beats, by voice."""
    def __init__(self, rng):
        self.notes, self.programs, self.rng = [], [], rng

    def voice(self, program):
        self.programs.append(int(program))
        return len(self.programs) - 1

    def add(self, voice, onset, length, pitch, velocity):
        self.notes.append((onset, length, pitch, velocity * (1 + .08 * self.rng.normal()), voice))


def figure(sheet, voice, name, at, beats, pitches, velocity):
    """Plays a chord over some beats, broken as an accompaniment does."""
    if not pitches: return
    steps = lambda width: np.arange(0, beats, width)
    broken = lambda width, length, order: [(k, length, [order[i % len(order)]]) for i, k in enumerate(steps(width))]
    low, rest = pitches[:1], pitches[1:] or pitches
    alberti = [(3 * pitches)[k] for k in (0, 2, 1, 2)]
    spots = {
        'held': lambda: [(0, beats, pitches)],
        'quarters': lambda: [(k, .9, pitches) for k in steps(1)],
        'eighths': lambda: [(k, .45, pitches) for k in steps(.5)],
        'off': lambda: [(k + .5, .3, pitches) for k in steps(1)],
        'tremolo': lambda: [(k, .2, pitches) for k in steps(.25)],
        'stab': lambda: [(k, .25, pitches) for k in (0, .75, 1.5, 2.5, 3.25)],
        'strum': lambda: [(k, .6, pitches) for k in (0, 1, 1.5, 2.5, 3, 3.5)],
        'alberti': lambda: broken(.5, .5, alberti),
        'alberti16': lambda: broken(.25, .25, alberti),
        'arpeggio': lambda: broken(.5, 1, pitches + [p + 12 for p in pitches]),
        'arp16': lambda: broken(.25, .25, pitches + [pitches[0] + 12]),
        'triplets': lambda: broken(1 / 3, .33, pitches),
        'oompah': lambda: [(0, .8, low)] + [(k, .5, rest) for k in steps(1)[1:]],
        'march': lambda: [(k, .4, rest if i % 2 else low) for i, k in enumerate(steps(.5))],
        'power': lambda: [(k, .45, [pitches[0], pitches[0] + 7, pitches[0] + 12]) for k in steps(.5)],
    }[name]()
    for onset, length, chord in spots:
        if onset >= beats - 1e-6: continue
        for pitch in chord: sheet.add(voice, at + onset, min(length, beats - onset), pitch, velocity)


def bass_line(sheet, voice, name, at, beats, root, bass, velocity):
    """Plays the bass of a chord over some beats."""
    low = 36 + (bass - 36) % 12
    if low > 43 and sheet.rng.random() < .5: low -= 12
    other = low + 7 if root == bass else low
    steps = lambda width: np.arange(0, beats, width)
    spots = {
        'held': [(0, beats, low)], 'double': [(0, beats, low), (0, beats, low - 12)],
        'octaves': [(k, .5, low + 12 * (k % 1 > 0)) for k in steps(.5)],
        'eighths': [(k, .45, low) for k in steps(.5)], 'off': [(k + .5, .4, low) for k in steps(1)],
        'sixteenths': [(k, .22, low) for k in steps(.25) if k % 1],
        'fifths': [(0, 1, low)] + [(beats / 2, 1, other)] * (beats > 1),
        'walk': [(k, .9, low + (0, 4, 7, 9)[int(k) % 4] if k % 2 or k == 0 else other) for k in steps(1)],
    }[name]
    for onset, length, pitch in spots:
        if onset < beats: sheet.add(voice, at + onset, min(length, beats - onset), pitch, velocity)


def drums(sheet, bars, beats, velocity):
    rng = sheet.rng
    one, two = (BEATS[i] for i in rng.integers(0, len(BEATS), 2))
    for bar in range(rng.choice([0, 0, 0, 4]), bars):
        for key, steps in (one if bar // 8 % 2 == 0 else two).items():
            for step in range(4 * beats):
                if steps[step % 16] == 'x': sheet.add(-1, bar * beats + step / 4, .2, key, velocity)
        if bar % 8 == 0 and rng.random() < .5: sheet.add(-1, bar * beats, 1, CRASH, velocity)


def simple(mode, bars, rng):
    """Three chords and a few more, as in folk tunes."""
    lines = ['i i V7 i', 'i iv V i', 'i VII i V', 'i VII VI V', 'III VII i V', 'i VII V i', 'iv i V7 i'] if mode else [
        'I I V7 I', 'I IV V I', 'I V IV V', 'IV I V7 I', 'I vi V I', 'V I V I', 'I ii V7 I']
    lines = [line.split() for line in rng.permutation(lines)]
    return [([harmony.chord(lines[bar // 4 % 3 if bar % 8 < 4 else 0][bar % 4], mode)], 0, mode) for bar in range(bars)]


def chords_of(bars, beats):
    """(onset, beats, chord) of all chords."""
    for number, (chords, *_) in enumerate(bars):
        width = beats / len(chords)
        for index, chord in enumerate(chords): yield number * beats + index * width, width, chord


def ensemble(sheet, bars, beats, top):
    """Three parts below the melody, each with a figure of its own."""
    rng = sheet.rng
    programs = (STRINGS + WINDS)[rng.integers(len(STRINGS) + len(WINDS))]
    if rng.random() < .3: programs = rng.permutation(programs)
    sheet.programs[0] = int(programs[0])
    voices = [sheet.voice(program) for program in programs[1:]]
    names, before = rng.choice(['held', 'quarters', 'eighths', 'held', 'off'], 3), None
    for at, width, (_, tones, bass) in chords_of(bars, beats):
        before = harmony.voicing(tones, 50, top, 2, before, rng)
        for voice, pitch, name in zip(voices, before + [36 + (bass - 36) % 12], names):
            figure(sheet, voice, name, at, width, [pitch], rng.uniform(60, 90))


def counterpoint(sheet, bars, beats, program):
    """One or two more melodies, and some bass notes."""
    rng = sheet.rng
    voice = sheet.voice(program)
    lower = harmony.tune(bars, beats, 40, 60, rng, rng.choice([1, 1, 2]))
    middle = harmony.tune(bars, beats, 52, 68, rng) if rng.random() < .5 else []
    for onset, length, pitch in lower + middle: sheet.add(voice, onset, length, pitch, rng.uniform(70, 95))
    for number, (chords, *_) in enumerate(bars):
        if rng.random() < .6: sheet.add(voice, number * beats, beats / len(chords), 36 + chords[0][2], 80)


def accompaniment(sheet, bars, beats, manner, program):
    """One to three layers of chords, and a bass."""
    rng, (_, _, figures, basses, _, _) = sheet.rng, MANNERS[manner]
    figures, bass = figures.split(), rng.choice(basses.split())
    count = int(rng.integers(1, 4)) if manner in ('band', 'electronic', 'orchestra') else 1
    layers = []
    for _ in range(count if figures != ['none'] else 0):
        layers.append(dict(voice=sheet.voice(rng.choice(CHORDS.get(manner, [program]))), names=rng.choice(figures, 2),
                           low=int(rng.integers(48, 66)), size=rng.integers(3, 5), velocity=rng.uniform(50, 95),
                           start=rng.choice([0, 0, 0, 4, 8]) if layers else 0, before=None))
    if bass != 'none':
        programs = {'band': BASSES, 'electronic': BASSES, 'folk': [32, 43, 33], 'orchestra': [32, 43, 33]}
        bass_voice = sheet.voice(rng.choice(programs.get(manner, [sheet.programs[1]])))
    for at, width, (root, tones, low) in chords_of(bars, beats):
        bar = int(at / beats)
        for layer in layers:
            if bar < layer['start']: continue
            name = layer['names'][bar // 8 % 2]
            pitches = harmony.voicing(tones, layer['low'] - 7, layer['low'] + 12, layer['size'], layer['before'], rng)
            layer['before'] = pitches
            if name in ('oompah', 'march', 'power'):
                deep = 40 + (low - 40) % 12
                pitches = [deep] + [p for p in pitches if p > deep]
            figure(sheet, layer['voice'], name, at, width, sorted(pitches), layer['velocity'])
        if bass != 'none': bass_line(sheet, bass_voice, bass, at, width, root, low, rng.uniform(75, 105))


def performed(sheet, bars, beats, bpm, steady, regions):
    """Notes in seconds, in a tempo that may drift; and the regions of keys."""
    rng = sheet.rng
    drift = np.cumsum(rng.normal(size=len(bars) * beats + 3)) * (0 if steady else rng.choice([0, .005, .02]))
    clock = np.r_[0, np.cumsum(60 / bpm * np.exp(np.clip(drift, -.3, .3)))]
    seconds = lambda beat: np.interp(beat, np.arange(len(clock)), clock)
    notes = np.array(sheet.notes)
    end = seconds(notes[:, 0] + notes[:, 1])
    notes[:, 0] = seconds(notes[:, 0]) + abs(rng.normal(size=len(notes))) * rng.choice([0, .01, .02])
    notes[:, 1] = np.maximum(.05, end - notes[:, 0])
    return notes[np.argsort(notes[:, 0])].astype(np.float32), [
        (seconds(first * beats), seconds(last * beats), tonic, mode) for first, last, tonic, mode in regions]


def regions_of(bars):
    """Rows of (first bar, bar after the last, tonic, mode)."""
    found = []
    for number, (_, tonic, mode) in enumerate(bars):
        if found and found[-1][2:] == (tonic, mode): found[-1] = (found[-1][0], number + 1, tonic, mode)
        else: found.append((number, number + 1, tonic, mode))
    return found


def piece(manner, mode, seconds, rng, wanders=False):
    """A piece in C. A wandering one leaves its key open."""
    (slow, fast), kind, _, _, drummed, tuned = MANNERS[manner]
    beats = 3 if rng.random() < (.3 if drummed < .5 else .05) else 4
    bpm = np.exp(rng.uniform(np.log(slow), np.log(fast)))
    if kind == 'either': kind = rng.choice(['functional', 'looped'])
    if wanders: kind = 'wandering'
    progressions = dict(functional=harmony.functional, looped=harmony.looped, simple=simple, wandering=harmony.wandering)
    bars = progressions[kind](mode, int(seconds * bpm / 60 / beats) + 1, rng)
    sheet = Sheet(rng)
    keys = rng.choice(ROMANTIC if manner == 'romantic' else KEYS)
    lead = sheet.voice(keys if manner in ('piano', 'romantic', 'counterpoint') else rng.choice(LEADS))
    center, doubled = int(rng.integers(62, 80)), rng.random() < .15
    if rng.random() < tuned:
        pace = 1 if manner in ('orchestra', 'ballad') else rng.choice([1, 1, 2])
        for onset, length, pitch in harmony.tune(bars, beats, center - 8, center + 10, rng, pace):
            sheet.add(lead, onset, length * rng.uniform(.7, 1), pitch, rng.uniform(80, 110))
            if doubled: sheet.add(lead, onset, length, pitch - 12, 80)
    if manner == 'quartet': ensemble(sheet, bars, beats, center)
    elif manner == 'counterpoint': counterpoint(sheet, bars, beats, keys)
    else: accompaniment(sheet, bars, beats, manner, keys)
    if rng.random() < drummed or not sheet.notes: drums(sheet, len(bars), beats, rng.uniform(70, 115))
    notes, regions = performed(sheet, bars, beats, bpm, drummed > .5, [] if wanders else regions_of(bars))
    return dict(notes=notes, programs=sheet.programs, regions=regions, kind='wandering' if wanders else manner,
                source='composed:' + manner)
