"""Piano music made of patterns: accompaniments usual in pop and classical music, with a tune."""
import numpy as np
from pianist import LOW, MIDDLE, TOP, Music

# Layers of a bar of so many beats: 0 to 4 are root, fifth, root, third and fifth from below, O is the bass in octaves, B a
# chord. As many steps as letters; a note lasts until the next of its layer.
POP = {
    4: [['01234321'], ['0123....'], ['0123432101234321'], ['0124212401242124'], ['0.123...0.123...'], ['O...', 'BBBB'],
        ['O.O.', 'BBBB'], ['O.......', 'BBBBBBBB'], ['O...O...', '.B.B.B.B'], ['O.......', '..B.B.B.'],
        ['0..0..0.', 'B..B..B.'], ['O...', 'B...'], ['0.1.', 'B.B.'], ['O.....O.O.......', '....B.......B...'],
        ['O.......O.......', 'B..B..B.B..B..B.'], ['O..O..O.', '.BB.BB.B'], ['O...............', '..2342342.234234'],
        ['0...1...', '.234.234'], ['O.......0.......', '2.3.4.3.2.3.4.3.'], ['O...0.O.', '..BB..B.']],
    3: [['012343'], ['O..', '.BB'], ['0.....', '..3434'], ['012343212343'], ['O..', 'B..']],
    2: [['012343'], ['012321'], ['0.....', '.BB.BB'], ['0..0..', '..B..B'], ['O.....', 'B.....'], ['O..O..', 'BBBBBB']]}
CLASSICAL = {
    4: [['24342434'], ['2434243424342434'], ['0..2342342342..234234234'], ['O...........', '234234234234'],
        ['0.......0.......', '..234234..234234'], ['0123', 'BBBB'], ['0.1.', 'B.B.'], ['2345432123454321'],
        ['0...0...', '.343.343.343.343'], ['O...', 'BBBBBBBBBBBB'], ['O.O.', '.B.B'], ['012343210123'],
        ['O.......', '.BBB.BBB'], ['0...', 'B...'], ['01234321'], ['0.2.3.4.', '....BB..']],
    3: [['0..', '.BB'], ['O..', '.BB'], ['0.....', '..3434'], ['012343'], ['012', 'BBB'], ['234323432343'], ['O..', '.B.']],
    2: [['012343'], ['012321'], ['0..0..', '.BB.BB'], ['O.....', 'BBBBBB'], ['012343212343'], ['0.....', '.B..B.']]}
# How a beat of the tune may begin notes; what begins with a dot is tied over.
CELLS = {'slow': ['x.x.', 'x.x.', 'xxxx', 'x..x', '.x.x', 'x.xx', 'xx.x', 'x...', '..x.', '.xx.', 'xxx.', '....'],
         'fast': ['x.', 'xx', 'xx', '.x', '..'],
         'free': ['x.', 'x.', 'xx', 'x..x', 'xxxx', 'x.xx', '..', 'x.x', 'xxx', '.x'],
         'compound': ['x..', 'x.x', 'xxx', 'x..', '...', 'x..x.x', 'x.xxxx']}
CHORDS = {'C': (0, 4, 7), 'Dm': (2, 5, 9), 'Em': (4, 7, 11), 'F': (5, 9, 12), 'G': (7, 11, 14), 'Am': (9, 12, 16),
          'Fm': (5, 8, 12), 'E': (4, 8, 11), 'D': (2, 6, 9), 'Bb': (10, 14, 17), 'A': (9, 13, 16), 'G7': (7, 11, 17),
          'B°': (11, 14, 17)}
PROGRESSIONS = {
    'pop': ['C G Am F', 'Am F C G', 'F G Em Am', 'C Am F G', 'C Em F Fm', 'F G C Am', 'C G Am Em F C Dm G',
            'Am Em F C F C Dm G', 'C F', 'Am G F E'],
    'classical': ['C G7 C F C G7 C C', 'C F G7 C Am Dm G7 C', 'Am E Am Dm Am E Am Am', 'C A Dm G7 C F G7 C',
                  'Am Dm G C F B° E Am', 'C C G7 G7 G7 G7 C C', 'C Bb F Fm C G7 C G', 'Am F Dm E Am Dm E Am',
                  'C D G G7 C F G C']}
SCALE = (0, 2, 4, 5, 7, 9, 11)


def tune(bars, perBar, cells, chords, rng):
    """Onsets, lengths and pitches (semitones above the key) of a tune in phrases of four bars, and the bars left free."""
    busy = rng.uniform(.5, 1)
    motif = [[rng.choice(cells) for _ in range(perBar)] for _ in range(4)]
    degree, onsets, pitches, free = int(rng.integers(0, 7)), [], [], []
    for bar in range(bars):
        shape = motif[bar % 4 if rng.random() < .6 else bar % 2]
        if bar % 4 == 3 and rng.random() < .7:
            shape = ['x' + '.' * (len(shape[0]) - 1)] + ['.'] * (perBar - 1)
            free.append(bar)
        tones = [12 * octave + tone for octave in (-2, -1, 0, 1) for tone in chords[bar % len(chords)]]
        for beat, cell in enumerate(shape):
            if rng.random() < .12: cell = rng.choice(cells)
            for step, mark in enumerate(cell):
                if mark != 'x' or step and rng.random() > busy: continue
                degree += int(rng.choice([-2, -1, -1, 0, 1, 1, 2, 3, -3]))
                degree += (degree < -3) * 4 - (degree > 10) * 4
                pitch = 12 * (degree // 7) + SCALE[degree % 7]
                if step == 0: pitch = min(tones, key=lambda p: abs(p - pitch))  # on the beat a note of the chord
                onsets.append(bar * perBar + beat + step / len(cell))
                pitches.append(pitch)
    lengths = np.minimum(np.diff(np.r_[onsets, bars * perBar]), perBar)
    return onsets, lengths, pitches, free


def accompaniment(layers, bar, perBar, halves, key, high):
    """The notes of a bar, whose chords are those of its halves."""
    for layer in layers:
        starts = [k for k, mark in enumerate(layer) if mark != '.']
        for k, until in zip(starts, [*starts[1:], len(layer)]):
            root, third, fifth = halves[k * 2 // len(layer)]
            steps = [36 + root, 43 + root, 48 + root, 48 + third, 48 + fifth, 60 + root]
            if layer[k] == 'O': tones, voice = [steps[0] - 12, steps[0]], LOW
            elif layer[k] == 'B': tones, voice = [p + high for p in steps[2:5]], MIDDLE
            else: tones, voice = [steps[int(layer[k])] + high], LOW if layer[k] in '01' else MIDDLE
            place, length = (bar + k / len(layer)) * perBar, (until - k) * perBar / len(layer)
            for tone in tones: yield place, length, tone + key, voice


def piece(kind, number, rng):
    """A piece of more than a minute, pop or classical."""
    classical = kind == 'classical'
    table = CLASSICAL if classical else POP
    perBar = int(rng.choice([4, 3, 2], p=[.55, .25, .2] if classical else [.8, .08, .12]))
    slow = rng.random() < .75
    if classical: bpm = np.exp(rng.uniform(np.log(44), np.log({4: 160, 3: 220, 2: 110}[perBar])))
    elif perBar == 2: bpm = rng.uniform(44, 76)
    else: bpm = rng.uniform(50, 90) if slow else rng.uniform(85, 140)
    if not classical and rng.random() < .7: bpm = round(bpm)
    cells = CELLS['compound' if perBar == 2 else 'free' if classical else 'slow' if bpm < 95 else 'fast']
    chords = [CHORDS[name] for name in rng.choice(PROGRESSIONS[kind]).split()]
    bars, key, notes = int(bpm / perBar) + 8, int(rng.integers(-5, 7)), []
    # Slow pieces use mostly eighths and sixteenths, fast ones seldom more than triplets.
    steps = np.array([max(map(len, layers)) / perBar for layers in table[perBar]])
    if bpm < 80: likely = np.where(steps >= 2, 3, 1)
    else: likely = np.where(steps <= (2 if bpm > 150 else 3), 1, .02 if bpm > 110 else 1)
    which = rng.choice(len(steps), 2, p=likely / likely.sum())
    high = int(rng.choice([0, 0, 0, 12]))  # where the accompaniment lies
    perChord = rng.choice([1, 1, .5]) if perBar == 4 else 1
    if perChord == 1: chords = [chord for chord in chords for _ in range(2)]  # two for each bar
    for bar in range(bars):
        halves = [chords[(2 * bar + half) % len(chords)] for half in range(2)]
        notes += accompaniment(table[perBar][which[bar // 8 % 2]], bar, perBar, halves, key, high)
    if rng.random() < .9:
        begin = perBar * int(rng.choice([0, 0, 2, 4]))
        onsets, lengths, pitches, free = tune(bars, perBar, cells, chords[::2], rng)
        second = rng.choice([0, 0, 0, 4, 12])  # a voice below
        for onset, length, pitch in zip(onsets, lengths, pitches):
            if onset < begin: continue
            high = 72 + key + pitch
            notes.append((onset, length, high, TOP))
            if second == 12: notes.append((onset, length, high - 12, TOP))
            elif second and onset % 1 == 0: notes.append((onset, length, high - 4 + (pitch % 12 in (2, 4, 9, 11)), MIDDLE))
        for bar in free if rng.random() < .5 else []:  # the bridge: a run where the tune holds
            tones = chords[2 * bar % len(chords)]
            for k in range(perBar, 2 * perBar):
                notes.append((bar * perBar + k / 2, .5, 60 + key + tones[k % 3] + 12 * (k % 2), TOP))
    # Pieces with the same first accompaniment belong to one source.
    return Music(name=f'{kind}-{number:03d}', source=f'synthetic:piano-{kind}-{perBar}-{which[0]}',
                 metre={4: '4/4', 3: '3/4', 2: '6/8'}[perBar], perBar=perBar, notes=sorted(notes), bpm=float(bpm))
