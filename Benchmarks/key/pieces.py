#!/usr/bin/env python3
"""Collects existing music in known keys: tunes and chorales from music21, and songs in MMA styles.

  pieces.py OUTPUT_DIRECTORY tunes|chorales|songs

Writes NAME.pickle, a list of pieces (compose.py). Tunes are from the collections of O'Neill (1850), Ryan and Aird. Their
key is the K: field; tunes that do not end on its tonic are left out. Some get chords. Chorales are by Bach. Their key
is that of the key signature whose tonic is the last bass note; others are left out. MMA plays songs over chords from
harmony.py. Needs abcmidi, mma, music21 and numpy.
"""
import glob, os, pickle, re, struct, subprocess, sys, tempfile, warnings, zlib
import numpy as np
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, '..', 'tempo'))
import compose, grooves, harmony, midi
warnings.simplefilter('ignore')

LETTERS = {'C': 0, 'D': 2, 'E': 4, 'F': 5, 'G': 7, 'A': 9, 'B': 11}
BOOKS = 'oneills1850', 'ryansMammoth', 'airdsAirs'


def notes_of(data):
    """Rows (onset, length, pitch, velocity, voice), -1 for drums, and the program of each voice."""
    division, tempi, _, _ = midi.read(data)
    seconds = midi.clock(tempi, division)
    programs, sounding, found, voices = {}, {}, [], {}
    for tick, status, value in sorted(midi.messages(data), key=lambda m: (m[0], m[1] >> 4 == 9)):
        channel = status & 15
        if status == 0xFF: continue
        if status >> 4 == 0xC: programs[channel] = value[0]
        if status >> 4 not in (8, 9): continue
        start = sounding.pop((channel, value[0]), None)
        if start is not None and tick > start[0]:
            voice = -1 if channel == 9 else voices.setdefault((channel, programs.get(channel, 0)), len(voices))
            found.append((start[0], tick, value[0], start[1], voice))
        if status >> 4 == 9 and value[1] > 0: sounding[channel, value[0]] = tick, value[1]
    notes = np.array(sorted(found), float).reshape(-1, 5)
    notes[:, 0], end = seconds(notes[:, 0]), seconds(notes[:, 1])
    notes[:, 1] = end - notes[:, 0]
    return notes, [program for _, program in voices]


def piece(notes, programs, tonic, mode, kind, source):
    end = float((notes[:, 0] + notes[:, 1]).max())
    return dict(notes=notes.astype(np.float32), programs=programs, regions=[(0.0, end, tonic, mode)], kind=kind, source=source)


def accompanied(notes, tonic, mode, beat, rng):
    """Chords for a tune, one for each two beats: the one that holds most of it, home first and last."""
    words = ['i', 'iv', 'V', 'VII', 'III', 'VI'] if mode else ['I', 'IV', 'V7', 'vi', 'ii']
    chords = [harmony.chord(word, mode) for word in words]
    prior = np.array([.5, .2, .3, 0, -.2, -.2] if mode else [.5, .3, .3, -.1, -.1])
    width, end = 2 * beat, (notes[:, 0] + notes[:, 1]).max()
    voice, name = 1, rng.choice(['march', 'strum', 'quarters', 'held', 'oompah', 'eighths', 'arpeggio'])
    sheet, before, count = compose.Sheet(rng), None, int(np.ceil(end / width - .1))
    for bar in range(count):
        inside = notes[(notes[:, 0] + notes[:, 1] > bar * width + .01) & (notes[:, 0] < (bar + 1) * width - .01)]
        score = prior + .15 * rng.normal(size=len(chords))
        for index, (_, tones, _) in enumerate(chords):
            score[index] += 1.5 * sum(min(n[1], width) / width for n in inside if (n[2] - tonic) % 12 in tones)
        if bar in (0, count - 1): score[0] += 1
        root, tones, bass = chords[int(np.argmax(score))]
        before = harmony.voicing([(t + tonic) % 12 for t in tones], 48, 66, 3, before, rng)
        low = 40 + (bass + tonic - 40) % 12
        pitches = [low] + [p for p in before if p > low]
        compose.figure(sheet, voice, name, 2 * bar, 2, pitches, rng.uniform(55, 80))
    added = np.array(sheet.notes)
    added[:, :2] *= beat
    return np.vstack([notes, added])


def tunes():
    import music21
    corpus = os.path.join(os.path.dirname(music21.__file__), 'corpus')
    found = []
    for book in BOOKS:
        for path in sorted(glob.glob(os.path.join(corpus, book, '*.abc'))):
            text = open(path, encoding='latin-1').read()
            for number, part in enumerate(re.split(r'(?m)^(?=X:)', text)[1:]):
                keys = re.findall(r'(?m)^\s*K:\s*([A-G])([#b]?)\s*(\w*)', part)
                if len(keys) != 1 or '[K:' in part: continue
                if not re.fullmatch('(m|min|minor|maj|major)?', keys[0][2], re.I): continue
                tonic = (LETTERS[keys[0][0]] + {'#': 1, 'b': -1, '': 0}[keys[0][1]]) % 12
                mode = int(bool(re.fullmatch('m|min|minor', keys[0][2], re.I)) and keys[0][2] != 'M')
                part = re.sub(r'"[^"]*"', '', part)
                with tempfile.TemporaryDirectory() as folder:
                    stem = os.path.join(folder, 'tune')
                    with open(stem + '.abc', 'w') as file: file.write('X:1\n' + part.split('\n', 1)[1])
                    subprocess.run(['abc2midi', stem + '.abc', '1', '-o', stem + '.mid', '-Q', '110'], capture_output=True)
                    if not os.path.exists(stem + '.mid'): continue
                    data = open(stem + '.mid', 'rb').read()
                try:
                    notes, _ = notes_of(data)
                    _, tempi, _, _ = midi.read(data)
                except (ValueError, IndexError, struct.error):
                    continue
                if len(notes) < 30 or int(notes[-1, 2]) % 12 != tonic or not tempi: continue
                notes[:, 4], beat = 0, tempi[0][1]
                notes[:, 0] -= notes[0, 0]
                rng = np.random.default_rng([3, zlib.crc32(f'{path}{number}'.encode())])
                found.append(piece(notes, [73], tonic, mode, 'tune', book))
                if rng.random() < .6:
                    notes = accompanied(notes, tonic, mode, beat, rng)
                    found.append(piece(notes, [73, 24], tonic, mode, 'harmonized', book))
    return found


def chorale(path):
    import music21
    try:
        score = music21.converter.parse(path)
        signature = score.recurse().getElementsByClass(music21.key.KeySignature)[0].sharps
        rows = []
        for number, part in enumerate(score.parts):
            for item in part.flatten().notes:
                if isinstance(item, music21.harmony.ChordSymbol) or item.duration.quarterLength <= 0: continue
                for pitch in item.pitches:
                    rows.append((float(item.offset), float(item.duration.quarterLength), pitch.midi, 90, number))
    except Exception:
        return None
    if len(rows) < 60: return None
    notes = np.array(sorted(rows), float)
    last = notes[notes[:, 0] + notes[:, 1] > (notes[:, 0] + notes[:, 1]).max() - .1]
    bass, major = int(last[:, 2].min()) % 12, signature * 7 % 12
    if bass not in (major, (major + 9) % 12): return None
    notes[:, :2] *= 60 / 80
    return piece(notes, [19] * int(notes[:, 4].max() + 1), bass, int(bass != major), 'chorale', 'bach-chorales')


def chorales():
    import music21
    folder = os.path.join(os.path.dirname(music21.__file__), 'corpus', 'bach')
    paths = [p for p in sorted(glob.glob(folder + '/*')) if re.search(r'bwv[\d.]+[a-z-]*\.(mxl|xml|krn)$', p)]
    paths = [p for p in paths if not 772 <= int(re.search(r'bwv(\d+)', p).group(1)) <= 1080]
    return [found for found in map(chorale, paths) if found]


SUFFIXES = {(0, 4, 7): '', (0, 3, 7): 'm', (0, 3, 6): 'm7b5', (0, 4, 7, 10): '7', (0, 4, 7, 11): 'M7', (0, 3, 7, 10): 'm7',
            (0, 3, 6, 9): 'dim7', (0, 3, 6, 10): 'm7b5', (0, 4, 8): 'aug', (0, 3, 6, 11): 'dim7', (0, 3, 7, 11): 'm', (0, 2, 4, 7): '6'}
ROOTS = ['C', 'Db', 'D', 'Eb', 'E', 'F', 'Gb', 'G', 'Ab', 'A', 'Bb', 'B']


def symbol(chord):
    root, tones, bass = chord
    name = ROOTS[root] + SUFFIXES.get(tuple(sorted({(t - root) % 12 for t in tones})), '')
    return name if bass == root else name + '/' + ROOTS[bass]


def song(job):
    """A song of 64 s in a style of MMA."""
    path, groove, mode = job
    rng = np.random.default_rng([9, zlib.crc32(f'{path}{groove}{mode}'.encode())])
    name = os.path.basename(path)[:-4]
    _, quarters, _ = grooves.grooves(path)
    low, high = next((span for words, span in grooves.TEMPI if re.search(words, name)), (76, 150))
    beats = quarters if quarters in (3, 4) else 4
    bpm = float(round(np.exp(rng.uniform(np.log(low), np.log(high)))))
    if quarters == 6: bpm *= 2
    bars = (harmony.looped if rng.random() < .8 else harmony.functional)(mode, int(64 * bpm / 60 / quarters) + 1, rng)
    kind = os.path.relpath(path, os.path.dirname(os.path.dirname(path)))
    lines = [f'Tempo {bpm}', f'Groove {kind[:-4]}:{groove}']
    if quarters != 4: bars = [(chords[:1], tonic, local) for chords, tonic, local in bars]
    lines += [f'{number + 1} ' + ' / '.join(map(symbol, chords)) + ' /' * (len(chords) - 1)
              for number, (chords, *_) in enumerate(bars)]
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, 'song')
        with open(stem + '.mma', 'w') as file: file.write('\n'.join(lines) + '\n')
        subprocess.run(['mma', stem + '.mma', '-f', stem + '.mid'], capture_output=True)
        if not os.path.exists(stem + '.mid'): return None
        notes, programs = notes_of(open(stem + '.mid', 'rb').read())
    if len(notes) < 60: return None
    notes = notes[notes[:, 0] < 64]
    width = quarters * 60 / bpm
    if beats == quarters and rng.random() < .75:
        centre, voice = rng.integers(64, 80), len(programs)
        programs = programs + [int(rng.choice(compose.LEADS))]
        tune = [(onset * 60 / bpm, length * 60 / bpm, pitch, rng.uniform(85, 115), voice)
                for onset, length, pitch in harmony.tune(bars, beats, centre - 8, centre + 10, rng)]
        if tune: notes = np.vstack([notes, tune])
    found = piece(notes[np.argsort(notes[:, 0])], programs, 0, mode, 'song', 'mma-' + re.sub(r'\d+$', '', name))
    found['regions'] = [(first * width, last * width, *key) for first, last, *key in compose.regions_of(bars)]
    return found


def songs(library='/usr/share/mma/lib'):
    jobs = []
    for collection in grooves.COLLECTIONS:
        for path in sorted(glob.glob(os.path.join(library, collection, '*.mma'))):
            name = os.path.basename(path)
            if re.search('metronome|none|intro|ending|count', name): continue
            rng = np.random.default_rng([8, zlib.crc32(name.encode())])
            chosen = rng.choice(grooves.grooves(path)[0])
            jobs.append((path, str(chosen), len(jobs) % 2))
    return [found for found in map(song, jobs) if found]


def main():
    output, which = sys.argv[1:3]
    os.makedirs(output, exist_ok=True)
    found = {'tunes': tunes, 'chorales': chorales, 'songs': songs}[which]()
    with open(os.path.join(output, which + '.pickle'), 'wb') as file: pickle.dump(found, file)
    print(len(found), 'pieces,', sum(p['regions'][0][3] for p in found), 'in minor')


if __name__ == '__main__':
    main()
