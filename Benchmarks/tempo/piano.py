#!/usr/bin/env python3
"""Renders piano music with known beats: pop accompaniments, and classical music with rubato.

  piano.py OUTPUT_DIRECTORY FILE.mid|FILE.wad … [--library /usr/share/mma/lib] [--more-soundfonts FILE …] [--seed NUMBER]

Pop, to a click or nearly so: pieces made of patterns, the slower styles of MMA without their drums, and the given songs
reduced to tune, chords and bass (those of midi.py, and of Debian's freedink-data). With rubato: pieces made of patterns,
and the scores of music21. A beat is as written: a quarter, or a dotted one in compound meters, even with fast
notes. For each clip NAME.f32 (mono, 22,050 Hz, floats, 16 to 45 s), NAME.txt (beats), NAME.json (meter and first
beats of bars) and a row of manifest.csv. Sources have the same names as in midi.py, grooves.py and scores.py, so
the same music is never on both sides of a fold. Everything is random from fixed seeds. Needs mma, fluidsynth, music21, numpy and
scipy.
"""
import argparse, os, re, struct, subprocess, tempfile, zlib
import numpy as np
import grooves
import midi
import patterns
import scores
from pianist import LOW, MIDDLE, TOP, Music, perform

STYLES = ('ballad|pop|soft|slow|soul|folk|beat|hymn|lullaby|spiritual|serenade|arpeggio|bolero|r.?b|waltz|bald|34|128|68|'
          'desert|mellow|country|rock\\d?$|bossa|trio|evansish|showtune|ragtime|gospel|fusion')
SLOW = 'slow|ballad|hymn|lullaby|serenade|bolero|bald'
# Pieces of each collection and excerpts of each piece. Bach's are chorales.
COLLECTIONS = {'chopin': (1, 4), 'joplin': (1, 4), 'schumann_clara': (8, 4), 'schumann_robert': (6, 3), 'cpebach': (2, 4),
               'corelli': (2, 2), 'schubert': (1, 4), 'beach': (1, 3), 'liliuokalani': (1, 2), 'johnson_j_r': (1, 3),
               'mozart': (16, 2), 'haydn': (9, 2), 'beethoven': (12, 2), 'bach': (24, 1)}


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
    folders = [os.path.join(library, collection) for collection in ('stdlib', 'casio', 'zoom', 'kara', 'yamaha')]
    paths = [os.path.join(folder, name) for folder in folders for name in sorted(os.listdir(folder))]
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
        if re.search('68|128|' + SLOW, name): low, high = 46, 76
        else: low, high = (56, 95) if rng.random() < .5 else (80, 140)
        bpm = float(round(rng.uniform(low, high)))
        if notes:
            yield Music(name=re.sub(r'\W', '_', f'mma-{collection}-{name}'),
                        source='synthetic:mma-' + re.sub(r'\d+$', '', name), metre=f'{numerator}/{denominator}',
                        perBar=quarters // beat, notes=notes, bpm=bpm)


def songs(paths, rng):
    """The songs of MIDI files, a little slower or faster than they are."""
    for source, name, data in midi.songs(paths):
        try:
            division, tempi, metres, onsets = midi.read(data)
        except (ValueError, IndexError, struct.error) as error:
            print(f'{name}: left out: {error}')
            continue
        if len(onsets) < 200 or len({m[1:] for m in metres}) > 1 or not midi.on_grid(onsets, division): continue
        numerator, denominator = (metres or [(0, 4, 4)])[0][1:]
        compound = denominator == 8 and numerator in (6, 9, 12)
        if not compound and denominator != 4: continue
        beat = division * (1.5 if compound else 1)
        notes, seconds = reduced(midi.voices(data), beat), midi.clock(tempi, division)
        bpm = 60 * (onsets[-1] - onsets[0]) / beat / (seconds(onsets[-1]) - seconds(onsets[0]))
        bpm *= rng.uniform(.7, 1) if bpm > 100 else rng.uniform(.85, 1.1)
        if notes and 45 < bpm < 175:
            yield Music(name=re.sub(r'\W', '_', f'{source}-{name}'), source='synthetic:' + source,
                        metre=f'{numerator}/{denominator}',
                        perBar=numerator // 3 if compound else numerator, notes=notes, bpm=float(bpm))


def regular(score, bar, down):
    """Up to where the score's bars have the length of its meter (in quarters); a repeat may split a bar."""
    offsets = np.array([float(measure.offset) for measure in score.parts[0].getElementsByClass('Measure')])
    off = abs((offsets - down + bar / 2) % bar - bar / 2) > 1e-3
    off[0] = False
    return min(offsets[:-1][off[:-1] & off[1:]], default=np.inf)


def written(rng):
    """Scores of music21, their outer parts being the hands."""
    for collection, (count, each) in COLLECTIONS.items():
        for number, score in enumerate(scores.pieces(collection, count, rng)):
            found = scores.notes_of(score, np.inf)
            if not found: continue
            notes, beat, bar, down = found
            end = regular(score, bar, down)
            notes = [n for n in notes if down - 1e-3 <= n[0] < end]
            if not notes or notes[-1][0] < 60 * beat: continue
            voice = {max(n[3] for n in notes): LOW, 0: TOP}
            notes = [((n[0] - down) / beat, n[1] / beat, n[2], voice.get(n[3], MIDDLE)) for n in notes]
            density = 1 / np.median(np.diff(np.unique([n[0] for n in notes])))
            perBar = round(bar / beat)
            metre = f'{3 * perBar}/8' if beat == 1.5 else f'{perBar}/{round(4 / beat)}'
            for part in range(each):
                bpm = np.clip(88 * (2 / density) ** .5 * np.exp(.28 * rng.normal()), 38, 220)
                yield Music(name=f'{collection}-{number:02d}-{part}', source='synthetic:' + collection, metre=metre, perBar=perBar,
                            notes=notes, bpm=float(bpm))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('files', nargs='+')
    parser.add_argument('--library', default='/usr/share/mma/lib')
    parser.add_argument('--soundfonts', nargs='+', default=scores.FONTS)
    parser.add_argument('--more-soundfonts', nargs='+', default=[])
    parser.add_argument('--each', type=int, default=90, help='pieces of each kind that is made')
    parser.add_argument('--seed', type=int, nargs=1, default=[], help='other pieces than those without it')
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    seeded = lambda *words: np.random.default_rng([11, zlib.crc32(' '.join(words).encode()), *options.seed])
    made = lambda kind: (patterns.piece(kind, k, seeded(kind, str(k))) for k in range(options.each))
    fonts, rows = options.soundfonts + options.more_soundfonts, []
    for title, pieces, free in [('pop', made('pop'), False), ('classical', made('classical'), True),
                                ('styles', styles(options.library, options.each, seeded('styles')), False),
                                ('songs', songs(options.files, seeded('songs')), False),
                                ('scores', written(seeded('scores')), True)]:
        found = [perform(music, free, fonts, options.output, seeded('play', music.name)) for music in pieces]
        rows += [row for row in found if row]
        print(f'{title}: {sum(map(bool, found))} of {len(found)}', flush=True)
    midi.write_manifest(os.path.join(options.output, 'manifest.csv'), rows)


if __name__ == '__main__':
    main()
