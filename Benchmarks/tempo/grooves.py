#!/usr/bin/env python3
"""Makes songs in the styles of MMA, Musical MIDI Accompaniment: rhythm sections by people who know their styles, with a tune.

  grooves.py OUTPUT_DIRECTORY [--library /usr/share/mma/lib] [--soundfonts FILE.sf2 …] [--seconds 32] [--seed NUMBER]

The Debian package mma holds some 280 files of styles (jazz, Latin, rock, dance, folk, marches, waltzes). Each gives one or two
songs: random chords and a random tune, tempi usual for the style, steady or drifting like those of players. A beat
is a quarter, or a dotted one in 6/8. For each song NAME.f32 (mono, 22,050 Hz, floats), NAME.txt (beats),
NAME.json (meter and first beats of bars) and a row of manifest.csv. Everything is random from fixed seeds. Needs mma, fluidsynth and numpy.
"""
import argparse, json, os, re, subprocess, zlib
from concurrent.futures import ThreadPoolExecutor
import numpy as np
import midi

COLLECTIONS = {'stdlib': 2, 'casio': 1, 'zoom': 1, 'yamaha': 1, 'kara': 1, 'pflib': 1, 'alexis': 1}
# What a name says about the tempo, in beats per minute; the first match counts.
TEMPI = [
    ('vienese', (150, 195)), ('fastwaltz|fastjazzwaltz', (165, 210)), ('frenchwaltz', (140, 190)), ('waltz|34|metronome3', (88, 170)),
    ('fast|quickstep|bebop|jive|charleston', (170, 225)), ('slow|ballad|lullaby|hymn|serenade|ambient|bolero', (56, 96)),
    ('dnb|drum', (160, 178)), ('trip', (70, 95)), ('hip', (80, 105)), ('r.?b|soul|desert', (68, 112)), ('reggae', (66, 96)),
    ('ska|punk|thr|mtl|metal|hrk', (130, 200)), ('house|techno|trance|rave|dance|disco', (115, 148)), ('bossa|rhumba|beguine|quando', (104, 150)),
    ('samba|merengue|mambo|salsa|son$', (88, 120)), ('cha', (108, 132)), ('tango', (58, 70)), ('march|polka|ragtime|dixie|zydeco', (92, 130)),
    ('68|128', (50, 88)), ('swing|jazz|bigband|combo|basie|trio|fox|showtune|broadway|gypsy|even', (96, 200)), ('blues|shuffle', (76, 136)),
    ('rock|twist|country|bluegrass|boog|beat|pop|funk|fus', (84, 148)),
]
CHORDS = [['C', 'Am', 'F', 'G'], ['C', 'F', 'G', 'C'], ['Am', 'G', 'F', 'E7'], ['Dm7', 'G7', 'CM7', 'A7'], ['Am', 'Dm', 'E7', 'Am'],
          ['C', 'C', 'F', 'G7'], ['Cm', 'Ab', 'Bb', 'Cm'], ['C7', 'C7', 'F7', 'C7'], ['Dm', 'C', 'Dm', 'Am'], ['C', 'Em', 'F', 'Fm']]
# Lengths of the notes of a bar of four quarters and of three.
TUNES = {4: ['4 4 4 4', '2 4 4', '8 8 8 8 4 4', '4. 8 2', '8 4 8 4 4', '2 2', '1', '8 8 4 8 8 4', '4 8 8 2', '8 8 8 8 8 8 8 8'],
         3: ['4 4 4', '2 4', '4. 8 4', '8 8 4 4', '2.', '8 8 8 8 8 8'], 6: ['4 8 4 8', '8 8 8 8 8 8', '4. 4.', '2.']}


def grooves(path):
    """The names of the grooves in a file, the meter and how many quarters of MIDI are a beat."""
    text = open(path, encoding='latin-1').read()
    names = re.findall(r'^\s*DefGroove\s+(\S+)', text, re.M | re.I)
    names = [n for n in names if not re.search('intro|end|fill|count|plain', n, re.I)] or names
    quarters = int((re.findall(r'^\s*Time\s+(\d+)', text, re.M | re.I) or ['4'])[0])
    signature = (re.findall(r'^\s*TimeSig\s+(\d+)\s*/?\s*(\d+)', text, re.M | re.I) or [(quarters, 4)])[0]
    return names, quarters, tuple(map(int, signature))


def song(path, name, groove, seconds, rng):
    """The text of a song, and how many quarters of MIDI are a beat and a bar."""
    names, quarters, signature = grooves(path)
    beat = 3 if signature == (6, 8) and quarters == 6 else 1
    low, high = next((span for words, span in TEMPI if re.search(words, name)), (76, 150))
    bpm = np.exp(rng.uniform(np.log(low), np.log(high)))
    drift = rng.choice([0, 0, .006, .012])
    bpm = bpm if drift else round(bpm)
    kind = os.path.relpath(path, os.path.dirname(os.path.dirname(path)))
    lines = [f'RndSeed {zlib.crc32(name.encode())}', f'Tempo {bpm * beat:.2f}', f'Groove {kind[:-4]}:{groove}', f'Transpose {rng.integers(-5, 7)}']
    tune = rng.random() < .75
    if tune: lines += [f'Solo Voice {rng.choice(["TenorSax", "Flute", "Violin", "Piano1", "Trumpet", "JazzGuitar", "Clarinet"])}', 'Solo Octave 5']
    chords, now = CHORDS[rng.integers(len(CHORDS))], bpm
    shapes = [rng.choice(TUNES.get(quarters, TUNES[4])) for _ in range(4)]
    for bar in range(int(seconds * bpm / 60 * beat / quarters) + 3):
        if drift:
            now *= np.exp(drift * rng.normal() + .1 * np.log(bpm / now))
            lines.append(f'Tempo {now * beat:.2f}')
        line = f'{bar + 1} {chords[bar % len(chords)]}'
        if tune and quarters in TUNES and rng.random() < .85:
            line += ' {' + ' '.join(f'{length}{rng.choice(list("cdega"))};' for length in shapes[bar % 4].split()) + '}'
        lines.append(line)
    return '\n'.join(lines) + '\n', beat, quarters, signature, drift == 0


def make(job):
    path, groove, number, options = job
    collection, name = os.path.basename(os.path.dirname(path)), os.path.basename(path)[:-4]
    clip = re.sub(r'\W', '_', f'{collection}-{name}-{number}')
    rng = np.random.default_rng([7, zlib.crc32(clip.encode()), *options.seed])
    text, beat, quarters, signature, steady = song(path, name, groove, options.seconds, rng)
    stem = os.path.join(options.output, clip)
    with open(stem + '.mma', 'w') as file: file.write(text)
    found = subprocess.run(['mma', stem + '.mma', '-f', stem + '.mid'], capture_output=True, text=True)
    if not os.path.exists(stem + '.mid'):
        print(f'{clip}: left out: {found.stdout.strip()[-160:]}')
        return None
    with open(stem + '.mid', 'rb') as file: division, tempi, _, notes = midi.read(file.read())
    beats = midi.clock(tempi, division)(np.arange(0, notes[-1] if len(notes) else 0, beat * division))
    samples = midi.render(stem, options.soundfonts[rng.integers(len(options.soundfonts))], 0, options.seconds)
    for end in '.mma', '.mid': os.remove(stem + end)
    beats = beats[beats < len(samples) / midi.RATE]
    if len(notes) < 50 or len(beats) < 12: return None
    samples.tofile(stem + '.f32')
    np.savetxt(stem + '.txt', beats, fmt='%.4f')
    with open(stem + '.json', 'w') as file:
        json.dump(dict(id=clip, metre='%d/%d' % signature, down=list(beats[::quarters // beat].round(4))), file)
    family = re.sub(r'\d+$', '', name)
    return [clip, '%.4f' % (60 / np.median(np.diff(beats))), 'yes' if steady else 'no', 'groove', 'synthetic:mma-' + family, clip + '.txt']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--library', default='/usr/share/mma/lib')
    parser.add_argument('--soundfonts', nargs='+', default=midi.FONTS)
    parser.add_argument('--seconds', type=float, default=32)
    parser.add_argument('--seed', type=int, nargs=1, default=[], help='other songs than those without it')
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    jobs = []
    for collection, count in COLLECTIONS.items():
        directory = os.path.join(options.library, collection)
        for name in sorted(os.listdir(directory)):
            if not name.endswith('.mma') or re.search('metronome|none|intro|ending|count', name): continue
            names = grooves(os.path.join(directory, name))[0]
            chosen = np.random.default_rng([8, zlib.crc32(name.encode()), *options.seed]).permutation(names)[:count]
            jobs += [(os.path.join(directory, name), str(groove), number, options) for number, groove in enumerate(chosen)]
    with ThreadPoolExecutor(2) as pool: rows = [row for row in pool.map(make, jobs) if row]
    midi.write_manifest(os.path.join(options.output, 'manifest.csv'), rows)
    print(f'{len(rows)} songs')


if __name__ == '__main__':
    main()
