#!/usr/bin/env python3
"""Makes the training excerpts for the key network.

  clips.py OUTPUT.npz TIMBRES PIECES [--composed 500] [--songs 10] [--tunes 4200] [--chorales 6] [--drums 400]
           [--wandering 1400] [--seed 0]

TIMBRES comes from timbres.py, PIECES from pieces.py. --composed counts the pieces of each manner, --songs and --chorales
the excerpts of each piece; the others count excerpts. The output has for each clip: `levels` (60 frames, 222 bins, half
decibels above -100), `length` (frames with music), `key` of each frame (tonic, plus 12 for minor; -1 for none), `whole`
(true if the key is known only for the piece as a whole), `source` and `kind`. Major tunes also appear in minor.
"""
import argparse, os, pickle
import numpy as np
import compose, render, spectra

FRAMES = 60
ENSEMBLES = compose.STRINGS + compose.WINDS + [[p] * 4 for p in (0, 6, 16, 19, 21, 24, 11)]


def in_minor(piece, rng):
    """The same tune with the third, the sixth and mostly the seventh of minor."""
    tonic = piece['regions'][0][2]
    notes = piece['notes'].copy()
    degree = (notes[:, 2] - tonic) % 12
    lowered = (degree == 4) | (degree == 9) | ((degree == 11) & (rng.random() < .5))
    notes[lowered, 2] -= 1
    return {**piece, 'notes': notes, 'regions': [(start, end, tonic, 1) for start, end, *_ in piece['regions']]}


def one(piece, bank, rng, programs=None, anchored=False):
    """A row of the set: a stretch of the piece in any key and a little faster or slower."""
    factor = np.exp(.12 * rng.normal())
    notes = piece['notes'].copy()
    notes[:, :2] *= factor
    end = float((notes[:, 0] + notes[:, 1]).max())
    last = max(0.0, end - FRAMES * spectra.FRAME)
    start = rng.choice([-.3 * rng.random(), last]) if anchored else rng.uniform(-.3, max(last, .01))
    transposed = int(rng.integers(-6, 6))
    levels = render.clip({**piece, 'notes': notes}, bank, start, FRAMES, transposed, rng, programs)
    middle = (start + (np.arange(FRAMES) + .5) * spectra.FRAME) / factor
    key = np.full(FRAMES, -1)
    for begin, stop, tonic, mode in piece['regions']:
        key[(middle >= begin) & (middle < stop)] = (tonic + transposed) % 12 + 12 * mode
    length = int(np.clip(np.ceil((end - start) / spectra.FRAME), 1, FRAMES))
    return dict(levels=np.clip(2 * (levels - spectra.FLOOR), 0, 255).astype(np.uint8), length=length, key=key,
                whole=anchored, source=piece['source'], kind=piece['kind'])


def other_programs(piece, rng):
    count = len(piece['programs'])
    if piece['kind'] == 'chorale': return [int(p) for p in np.resize(ENSEMBLES[rng.integers(len(ENSEMBLES))], count)]
    if piece['kind'] in ('tune', 'harmonized'):
        under = int(rng.choice(compose.KEYS + compose.GUITARS[:5] + [21, 22, 48, 105, 46]))
        return [int(rng.choice(compose.LEADS))] + [under] * (count - 1)
    return [p if rng.random() < .8 else int(rng.integers(0, 112)) for p in piece['programs']]


def rows(options):
    bank = render.Bank(options.timbres)
    load = lambda name: pickle.load(open(os.path.join(options.pieces, name + '.pickle'), 'rb'))
    rng = np.random.default_rng([31, options.seed])
    for manner in compose.MANNERS:
        for number in range(options.composed):
            made = compose.piece(manner, number % 2, rng.uniform(34, 80), rng)
            if rng.random() < .15: made['programs'] = [int(rng.integers(0, 112)) for _ in made['programs']]
            yield one(made, bank, rng)
    for number in range(options.wandering):
        manner = list(compose.MANNERS)[number % len(compose.MANNERS)]
        yield one(compose.piece(manner, 0, rng.uniform(34, 60), rng, wanders=True), bank, rng)
    if options.songs:
        for song in load('songs'):
            for _ in range(options.songs): yield one(song, bank, rng, other_programs(song, rng))
    if options.chorales:
        for chorale in load('chorales'):
            for _ in range(options.chorales):
                yield one(chorale, bank, rng, other_programs(chorale, rng), anchored=True)
    if options.tunes:
        tunes = load('tunes')
        minor = [tune for tune in tunes if tune['regions'][0][3]]
        for number in range(options.tunes):
            tune = tunes[rng.integers(len(tunes))]
            if number % 2 and rng.random() < .4: tune = minor[rng.integers(len(minor))]
            elif number % 2 and not tune['regions'][0][3]: tune = in_minor(tune, rng)
            yield one(tune, bank, rng, other_programs(tune, rng))
    for _ in range(options.drums):
        sheet = compose.Sheet(rng)
        compose.drums(sheet, 40, 4, 100)
        notes = np.array(sheet.notes)
        notes[:, :2] *= 60 / rng.uniform(70, 180)
        if rng.random() < .5:  # other drums in place of the usual ones
            notes[:, 2] = rng.integers(35, 82, 47)[notes[:, 2].astype(int) - 35]
        yield one(dict(notes=notes, programs=[], regions=[], kind='drums', source='drums'), bank, rng)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('output', 'timbres', 'pieces'): parser.add_argument(name)
    for name, default in (('composed', 500), ('songs', 10), ('tunes', 4200), ('chorales', 6), ('drums', 400),
                          ('wandering', 1400), ('seed', 0)):
        parser.add_argument('--' + name, type=int, default=default)
    made = list(rows(parser.parse_args()))
    np.savez(parser.parse_args().output, **{name: np.array([row[name] for row in made]) for name in made[0]})
    print(len(made), 'clips')


if __name__ == '__main__':
    main()
