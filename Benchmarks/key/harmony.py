"""Chord progressions and melodies in a key, for compose.py and pieces.py.

A chord is (root, pitch classes, bass); pitch classes count from the tonic of the piece. Chord names are scale degrees:
upper case for major, lower for minor, o diminished, + augmented, 7 and M7 for sevenths, b or # before the degree; /V
means in the key of V, :3 the third in the bass. Minor degrees are those of natural minor, except V and viio.
"""
import re
import numpy as np

MAJOR, MINOR = (0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10)
DEGREES = {'i': 0, 'ii': 1, 'iii': 2, 'iv': 3, 'v': 4, 'vi': 5, 'vii': 6}

# Loops of pop songs, for four bars or eight.
LOOPS = [
    """I V vi IV|I vi IV V|I IV V I|vi IV I V|IV V iii vi|I iii IV V|I V vi iii IV I IV V|ii V I I|I bVII IV I|I IV I V|I ii IV V|
    IV I V vi|I IV vi V|I I IV V|I V IV IV|IV V I vi|I vi ii V|IM7 vi7 ii7 V7|I I7 IV iv|I V/vi vi IV|IV IV I V|I IV ii V|I V:7 vi I:5|
    IVM7 V7 iii7 vi7 ii7 V7 I I|I IV|I V|I I IV IV|I vi|I bVII|I7 I7 I7 I7 IV7 IV7 I7 I7 V7 IV7 I7 V7|I V/V IV V|I IV V IV|vi V IV V I|
    I iii vi IV|I V ii IV|I ii7 V7 I|I io7 ii V7|Iadd IVadd V IV|IM7 IVM7|iii vi ii V I I""",
    """i VI III VII|i VII VI V|i VII VI VII|i iv VII III|i iv V i|i VI iv V|i v VI iv|VI VII i i|iv VII III VI iio V i i|i III VII VI|i i iv V|
    VI iv i V|i VI VII i|i iv i V7|i V i V|i VII|i VI|i iv|i i VI VII|i7 iv7|i v iv v|i iv v i|i III iv VI|i VII iv VI|i VI III V|
    i i7 iv7 iv7 VI7 V7 i i|i7 i7 i7 i7 iv7 iv7 i7 i7 VI7 V7 i7 V7|i bII i V|i bII|i i i i|i III IV VI|i IV|VI V i i|iv i V i|
    iv V i VI|i VI iv VII|i VIM7 iv7 V7|i v VI VII|i iio V7 i|i V/iv iv V"""]
LOOPS = [[loop.split() for loop in text.replace('\n', '').split('|')] for text in LOOPS]

# What follows a chord in music of the 18th and 19th centuries, and how often.
NEXT = [
    {'I': 'I:3 2 IV 4 V 3 V7 3 vi 3 ii 2 ii:3 2 V:3 2 viio:3 1 iii .5 V/vi .7 V/V .7 V7/IV 1 viio/V .3 I:5 .5 iv .3 V7/ii .5',
     'ii': 'V 4 V7 5 I:5 1.5 viio:3 1 V/V 1 ii:3 1', 'iii': 'vi 3 IV 3 ii 1', 'IV': 'V 3 V7 3 I 3 ii 2 I:5 1 viio .7 I:3 1 iv .3',
     'V': 'I 6 vi 1.2 V7 2 I:3 1.5 V:3 1 IV:3 .4', 'vi': 'ii 3 IV 3 V 1.5 iii .5 I:3 1 V/V 1 ii:3 1 V7/ii .7',
     'vii': 'I 5 I:3 2 V7 1', 'iv': 'V 2 I 2 I:5 1', 'I:5': 'V7 5 V 3'},
    {'i': 'i:3 2 iv 4 V 4 V7 4 VI 3 iio:3 2 iio .7 V:3 2 viio:3 1 viio7 1 VII .7 III .7 V7/iv .8 bII:3 .3 i:5 .5 v:3 .4',
     'ii': 'V 4 V7 5 i:5 1.5 viio7 1', 'III': 'VI 3 iv 2 iio .7 VII 1', 'iv': 'V 4 V7 3 i 2 iio 1 i:5 1.5 viio7 .7 VII .5',
     'V': 'i 6 VI 1.5 V7 2 i:3 1.5 V:3 1 iv:3 .3', 'VI': 'iio 2 iv 3 V 1.5 III .7 iio:3 1 V/V .5 bII:3 .3',
     'VII': 'III 3 VI 1 i 1', 'vii': 'i 5 i:3 2 V7 1', 'bII': 'V7 3 V 2 i:5 1', 'v': 'VI 2 iv 1', 'i:5': 'V7 5 V 3'}]
CADENCES = [['ii:3 V7 I', 'IV V7 I', 'I:5 V7 I', 'ii V I', 'IV I:5 V7 I', 'V7 I', 'viio/V V I', 'V7 I I'],
            ['iio:3 V7 i', 'iv V7 i', 'i:5 V7 i', 'iv V i', 'VI iv V7 i', 'V7 i', 'viio7 V i', 'bII:3 V7 i', 'V7 i i']]
# Where music goes from its home: degrees in half tones, mode, how often.
ELSEWHERE = [[(7, 0, 5), (9, 1, 2), (5, 0, 2), (2, 1, 1), (4, 1, .7), (0, 1, .7), (8, 0, .3)],
             [(3, 0, 5), (7, 1, 2), (5, 1, 1.5), (8, 0, 1.5), (10, 0, .7), (0, 0, .7)]]


def chord(text, mode):
    """(root, pitch classes, bass) of a degree in a key of C."""
    text, _, turned = text.partition(':')
    text, _, of = text.partition('/')
    accidental, degree, quality = re.fullmatch(r'([b#]*)([ivIV]+)(.*)', text).groups()
    base = 0
    if of:
        base, inner, _ = chord(of, mode)
        mode = 0 if (base + 4) % 12 in inner else 1
    number = DEGREES[degree.lower()]
    root = (MINOR if mode else MAJOR)[number] + accidental.count('#') - accidental.count('b')
    if accidental == 'b' and not (mode == 1 and number == 1): root = MAJOR[number] - 1
    if mode and number == 6 and 'o' in quality: root = 11
    if mode and number == 3 and degree == 'IV': root = 5
    third, fifth = (4 if degree.isupper() else 3), 7
    if 'o' in quality: third, fifth = 3, 6
    if '+' in quality: fifth = 8
    tones = [0, third, fifth]
    if 'M7' in quality: tones.append(11)
    elif 'o7' in quality: tones.append(9)
    elif '7' in quality: tones.append(10)
    if 'add' in quality: tones.append(2)
    tones = [(base + root + tone) % 12 for tone in tones]
    bass = {'': tones[0], '3': tones[1], '5': tones[2], '7': tones[-1] if len(tones) > 3 else tones[1]}[turned]
    return (base + root) % 12, tones, bass


def weighted(text, rng):
    words = text.split()
    weights = np.array(words[1::2], float)
    return words[2 * rng.choice(len(weights), p=weights / weights.sum())]


def phrase(mode, count, rng):
    """Degrees of a phrase that begins at home, mostly, and ends in a cadence."""
    home = 'i' if mode else 'I'
    cadence = CADENCES[mode][rng.integers(len(CADENCES[mode]))].split() if rng.random() < .8 else ['V']
    found = [home] if rng.random() < .8 else [weighted(NEXT[mode][home], rng)]
    while len(found) < count - len(cadence):
        last = found[-1]
        if '/' in last:
            found.append(last.split('/')[1])
            continue
        bare = re.sub(r'7|o|M', '', last)
        row = NEXT[mode].get(bare) or NEXT[mode].get(bare.split(':')[0]) or NEXT[mode][home]
        found.append(weighted(row, rng))
    return (found + cadence)[:max(count, len(cadence))]


def functional(mode, bars, rng):
    """Bars of one or two chords with the keys they are in: [(chords, tonic, mode)], home taking most of it."""
    found, restless = [], rng.choice([0, .25, .5])
    length = int(rng.choice([4, 4, 8]))
    while len(found) < bars:
        tonic, local = 0, mode
        if found and rng.random() < restless:
            weights = np.array([w for *_, w in ELSEWHERE[mode]])
            tonic, local, _ = ELSEWHERE[mode][rng.choice(len(weights), p=weights / weights.sum())]
        density = rng.choice([1, 1, 2])
        degrees = phrase(local, length * density, rng)
        for bar in range(len(degrees) // density):
            chords = []
            for degree in degrees[bar * density:(bar + 1) * density]:
                root, tones, bass = chord(degree, local)
                chords.append(((root + tonic) % 12, [(t + tonic) % 12 for t in tones], (bass + tonic) % 12))
            found.append((chords, tonic, local))
    return found[:bars]


def looped(mode, bars, rng):
    """The same for pop: one loop or two by turns, a bar or half a bar for each chord."""
    loops = [LOOPS[mode][i] for i in rng.choice(len(LOOPS[mode]), 2, replace=False)]
    if rng.random() < .4: loops[1] = loops[0]
    sevenths, dense = rng.random() < .2, rng.random() < .2
    found = []
    while len(found) < bars:
        loop = [chord(d, mode) for d in loops[len(found) // 8 % 2]]
        if sevenths and rng.random() < .5:
            key = set(MINOR if mode else MAJOR)
            loop = [(r, t + [s for s in ((r + 10) % 12, (r + 11) % 12) if s in key][:1] if len(t) == 3 else t, b) for r, t, b in loop]
        width = 2 if dense and len(loop) % 2 == 0 else 1
        found += [(loop[k:k + width], 0, mode) for k in range(0, len(loop), width)]
    if rng.random() < .5:  # ends at home
        place = rng.integers(0, 8)
        for bar in range(7 - place, len(found), 8): found[bar] = ([chord('i' if mode else 'I', mode)], 0, mode)
    shift = int(rng.integers(0, 4)) if rng.random() < .3 else 0
    return found[shift:shift + bars] if len(found) >= shift + bars else found[:bars]


def wandering(mode, bars, rng):
    """Chords that leave open what the key is: of other modes, of two roots by turns, or far apart."""
    kind = rng.choice(['modes', 'vamp', 'far', 'fourths'])
    turn = [0, 2, 5, 7, 9][rng.integers(5)]
    roots = [(s - turn) % 12 for s in MAJOR]
    if kind == 'far': roots = list(rng.permutation(12)[:rng.integers(2, 5)])
    if kind == 'vamp': roots = list(rng.permutation(roots)[:2])
    in_scale = {(s - turn) % 12 for s in MAJOR}
    loop, found = [], []
    for root in rng.permutation(roots)[:rng.integers(1, 7)]:
        third = 4 if (root + 4) % 12 in in_scale else 3
        if kind == 'far': third = int(rng.choice([3, 4]))
        tones = [0, 5, 7] if kind == 'fourths' and rng.random() < .6 else [0, third, 7]
        loop.append((int(root), [int(root + t) % 12 for t in tones], int(root)))
    while len(found) < bars: found += [([c], int(-turn % 12), 0) for c in loop for _ in range(rng.choice([1, 1, 2]))]
    return found[:bars]


def scale(tonic, mode, tones):
    """The pitch classes of a key while a chord sounds: the sixth and the seventh of minor give way to the chord's."""
    classes = {(tonic + s) % 12 for s in (MINOR if mode else MAJOR)}
    for tone in tones:
        if tone not in classes:
            classes -= {(tone + 1) % 12, (tone - 1) % 12} - set(tones)
            classes.add(tone)
    return classes


RHYTHMS = {4: ['4', '22', '211', '1111', '31', '112', '1.5 .5 1 1', '.5 .5 1 2', '1 .5 .5 1 1', '.5 .5 .5 .5 1 1', '1 1 .5 .5 .5 .5',
               '.5 .5 .5 .5 .5 .5 .5 .5', '.5 1 .5 2', '1.5 1.5 1', '-1 1 1 1', '-.5 .5 .5 .5 1 1', '.25 .25 .25 .25 1 .5 .5 1', '-2 .5 .5 1'],
           3: ['3', '21', '111', '12', '1.5 .5 1', '.5 .5 1 1', '1 .5 .5 .5 .5', '.5 .5 .5 .5 .5 .5', '.75 .25 1 1', '-1 1 1']}


def rhythm(beats, rng):
    text = RHYTHMS[beats][rng.integers(len(RHYTHMS[beats]))]
    return [float(x) for x in (text.split() if ' ' in text or '.' in text or '-' in text else list(text))]


def tune(bars, beats, low, high, rng, fast=1.0):
    """Notes (onset, length, pitch) in beats over the chords: steps and leaps, tones of the chord on the beats, rests of phrases."""
    shapes = [rhythm(beats, rng) for _ in range(4)]
    leap, chromatic, rest = rng.uniform(.1, .5), rng.choice([0, 0, .03, .12]), rng.choice([0, .1, .3])
    pentatonic, strict = rng.random() < .25, rng.uniform(.5, .95)
    pitch, found = (low + high) / 2 + rng.uniform(-5, 5), []
    for number, (chords, tonic, mode) in enumerate(bars):
        at, end = 0.0, number % 4 == 3
        if rng.random() < rest and not end: continue
        lengths = shapes[number % 4] if rng.random() < .7 else rhythm(beats, rng)
        if fast > 1: lengths = [part for length in lengths for part in ([length / 2] * 2 if length > 0 else [length])]
        for length in lengths:
            if length < 0:
                at -= length
                continue
            root, tones, _ = chords[min(len(chords) - 1, int(at * len(chords) / beats))]
            allowed = scale(tonic, mode, tones)
            if pentatonic: allowed = {(tonic + s) % 12 for s in ((0, 3, 5, 7, 10) if mode else (0, 2, 4, 7, 9))} | set(tones[:1])
            if rng.random() < (strict if at % 1 == 0 else .35): allowed = set(tones)
            if end and at + length >= beats - .01 and rng.random() < .7: allowed = {tones[0], tones[0], tones[1]}
            step = rng.normal() * (2 + 5 * (rng.random() < leap)) - .12 * (pitch - (low + high) / 2)
            aim = pitch + step
            options = [p for p in range(int(low), int(high) + 1) if p % 12 in allowed]
            weights = np.exp(-abs(np.array(options) - aim) * 1.2)
            pitch = int(options[rng.choice(len(options), p=weights / weights.sum())])
            if rng.random() < chromatic and length <= .5: pitch += rng.choice([-1, 1])
            found.append((number * beats + at, length, pitch))
            at += length
    return found


def voicing(tones, low, high, count, before, rng):
    """Pitches of a chord, as near as can be to those before."""
    tones = [t for t in tones if rng.random() < .95] or tones
    options = [p for p in range(low, high + 1) if p % 12 in tones]
    if before is None: start = rng.integers(0, max(1, len(options) - count))
    else: start = int(np.argmin([abs(np.mean(options[s:s + count]) - np.mean(before)) for s in range(max(1, len(options) - count + 1))]))
    return options[start:start + count]
