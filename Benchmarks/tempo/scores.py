#!/usr/bin/env python3
"""Renders scores as if played by people: classical and folk music with known beats and a steady, drifting or breathing tempo.

  scores.py OUTPUT_DIRECTORY [--soundfonts FILE …] [--seconds 32]

The scores come with music21 (fiddle tunes, airs, chorales, madrigals, string quartets, piano pieces; see the licenses
in its `corpus` directory). A beat follows the meter: a quarter, a half in alla breve, a dotted quarter in 6/8. Tunes get chords, drums or
no accompaniment. For each clip NAME.f32 (mono, 22,050 Hz, floats), NAME.txt (beats) and a row of manifest.csv.
Everything is random from fixed seeds. Needs fluidsynth, music21 and numpy.
"""
import argparse, os, warnings, zlib
from concurrent.futures import ProcessPoolExecutor
import numpy as np
import midi
import synthesize
warnings.simplefilter('ignore')

RATE = midi.RATE
FONTS = midi.FONTS + ['/usr/share/sounds/sf3/MuseScore_General_Lite.sf3']
# Pieces of each collection.
COLLECTIONS = {'ryansMammoth': 90, 'airdsAirs': 24, 'oneills1850': 24, 'nottingham-dataset': 2, 'monteverdi': 24, 'bach': 48,
               'beethoven': 7, 'mozart': 12, 'haydn': 8, 'schumann_robert': 4, 'schumann_clara': 4}
TUNES = {'ryansMammoth', 'airdsAirs', 'oneills1850', 'nottingham-dataset'}
VOICES = {'bach', 'monteverdi'}
SOLO = [40, 40, 73, 72, 21, 22, 105, 24, 25, 0, 46, 109, 71, 65, 110, 15]
ENSEMBLES = [[40, 40, 41, 42], [48] * 4, [0] * 4, [0] * 4, [0] * 4, [73, 68, 71, 70], [6] * 4, [19] * 4]
CHOIRS = [[52] * 4, [53] * 4, [19] * 4, [0] * 4, [48] * 4, [56, 56, 60, 57], [16] * 4, [24] * 4]
MAJOR = {0: (0, 4, 7), 5: (5, 9, 12), 7: (7, 11, 14), 9: (9, 12, 16)}


def pieces(collection, count, rng):
    """Streams of music21, some of the collection."""
    import music21
    folder = os.path.join(os.path.dirname(music21.__file__), 'corpus', collection)
    paths = sorted(os.path.join(d, f) for d, _, names in os.walk(folder) for f in names if f.endswith(('mxl', 'xml', 'abc', 'krn')))
    if collection == 'beethoven': paths = [p for p in paths if p.endswith('mxl')]
    paths = [paths[i] for i in rng.permutation(len(paths))]
    found = 0
    for path in paths:
        try:
            parsed = music21.converter.parse(path)
        except Exception:
            continue
        scores = list(parsed.scores) if hasattr(parsed, 'scores') else [parsed]
        for score in [scores[i] for i in rng.permutation(len(scores))][:6 if len(scores) > 1 else 1]:
            yield score
            found += 1
            if found >= count * 1.3: return


def notes_of(score, longest=140):
    """(onset, length, pitch, part) in quarters, the length of a beat, of a bar, and the first downbeat; None if it cannot be told."""
    from music21 import harmony, meter
    metres = [m for m in score.recurse().getElementsByClass(meter.TimeSignature)]
    if not metres or len({m.ratioString for m in metres}) > 1: return None
    metre = metres[0]
    beat, bar = float(metre.beatDuration.quarterLength), float(metre.barDuration.quarterLength)
    if metre.beatCount < 2: return None
    measures = list(score.parts[0].getElementsByClass('Measure')) if score.parts else []
    if len(measures) < 6: return None
    first = float(measures[0].duration.quarterLength)
    down = first % bar if first < bar - 1e-6 else 0.0
    found = []
    for number, part in enumerate(score.parts):
        for item in part.flatten().notes:
            if isinstance(item, harmony.ChordSymbol) or float(item.duration.quarterLength) <= 0: continue
            if item.tie is not None and item.tie.type in ('stop', 'continue'): continue
            at = float(item.offset)
            if at < longest:
                for pitch in item.pitches: found.append((at, float(item.duration.quarterLength), pitch.midi, number))
    return (sorted(found), beat, bar, down) if len(found) > 40 else None


def render(name, collection, found, fonts, output, seconds):
    notes, beat, bar, down = found
    rng = np.random.default_rng([5, zlib.crc32(name.encode())])
    onsets = np.unique([n[0] for n in notes])
    density = beat / np.median(np.diff(onsets))
    bpm = float(np.clip(100 * (2 / density) ** 0.35 * np.exp(rng.normal() * 0.22), 42, 190))
    live = rng.choice(4, p=[.2, .3, .25, .25])  # on a grid, steady players, phrases that breathe, freely
    drift, jitter = ((0, 0), (.005, .008), (.01, .012), (.02, .016))[live]
    arc, ritard = (0, 0, .06, .14)[live] * rng.uniform(.5, 1.4), (0, 0, .15, .35)[live]
    count = int(max(n[0] for n in notes) / beat) + 3
    place = np.arange(count)
    perBar, phrase = round(bar / beat), round(bar / beat) * rng.choice([2, 4, 4, 8])
    walk = np.cumsum(rng.normal(size=count)) * drift
    walk -= np.convolve(walk, np.ones(25) / 25)[12:12 + count] * .6
    at = (place - down / beat) % phrase
    walk += -arc * np.sin(np.pi * (at + .5) / phrase) + ritard * rng.uniform(0, 1) * np.clip(at - phrase + 2.5, 0, 2) / 2
    times = np.r_[0, np.cumsum(60 / bpm * np.exp(np.clip(walk, -.35, .5)))] + rng.uniform(0, .4)
    clock = lambda quarters: float(np.interp(quarters / beat, np.arange(count + 1), times))
    events, channels = [], {}
    def channel(part, program, volume=100):
        if part not in channels:
            channels[part] = len(channels) + (len(channels) >= 9)
            events.extend([(0, bytes([0xC0 | channels[part], program])), (0, bytes([0xB0 | channels[part], 7, volume]))])
        return channels[part]
    def play(ch, start, end, pitch, velocity):
        a = max(0, clock(start) + rng.normal() * jitter)
        b = max(a + .04, clock(end) - .01)
        events.extend([(a, bytes([0x90 | ch, int(pitch), int(np.clip(velocity, 10, 127))])), (b, bytes([0x80 | ch, int(pitch), 0]))])
    accent, legato, chordSpread = rng.uniform(0, 18), rng.uniform(.6, 1.05), rng.choice([0, 0, .01, .025])
    programs = [int(rng.choice(SOLO))] if collection in TUNES else (CHOIRS if collection in VOICES else ENSEMBLES)[rng.integers(8)]
    if collection == 'schumann_clara': programs = [0]
    if collection not in TUNES and len({n[3] for n in notes}) <= 2: programs = [int(rng.choice([0, 0, 0, 6]))] * 2
    swing = rng.choice([0, 0, .15, .3]) if collection in TUNES and beat == 1 and density < 3 else 0
    for onset, length, pitch, part in notes:
        swung = onset + (swing * .5 if swing and abs((onset - down) % 1 - .5) < 1e-3 else 0)
        strong = ((onset - down) % bar < 1e-3) + .6 * ((onset - down) % beat < 1e-3)
        play(channel(part, programs[min(part, len(programs) - 1)], int(rng.integers(75, 115))), swung + chordSpread * rng.uniform(0, 1),
             swung + length * legato, np.clip(pitch, 24, 104), 70 + accent * strong + 9 * rng.normal())
    if collection in TUNES:
        top = np.array([n[2] for n in notes])
        home = int(notes[-1][2]) % 12
        backing = rng.choice(['none', 'boomchuck', 'strum', 'drone', 'piano', 'drum', 'strum+drum', 'boomchuck+drum'])
        end, position = notes[-1][0] + notes[-1][1], down
        sub = 3 if abs(beat - 1.5) < 1e-6 else 2
        while position < end:
            for k in range(perBar):
                here = position + k * beat
                inside = [n[2] for n in notes if here - (k % 2) * beat <= n[0] < here - (k % 2) * beat + 2 * beat]
                chord = max(MAJOR.values(), key=lambda c: sum((p - home - d) % 12 == 0 for p in inside for d in c)) if inside else MAJOR[0]
                if 'boomchuck' in backing or backing == 'piano':
                    ch = channel('low', 0 if backing == 'piano' else 32, 95)
                    play(ch, here, here + .4 * beat, 36 + home + chord[0] % 12, 78)
                    ch = channel('high', 0 if backing == 'piano' else 24, 80)
                    for d in chord: play(ch, here + beat * (2 / 3 if sub == 3 else .5), here + beat * .9, 55 + (home + d) % 12, 62)
                if 'strum' in backing:
                    for step in range(sub):
                        if step and rng.random() < .3: continue
                        for i, d in enumerate(chord):
                            play(channel('high', 25, 90), here + step * beat / sub + .012 * i, here + (step + .9) * beat / sub,
                                 50 + (home + d) % 12, 70 if step == 0 else 50)
                if backing == 'drone' and k == 0: play(channel('low', 109, 60), here, here + bar, 36 + home, 60)
                if 'drum' in backing:
                    for step in range(sub):
                        if step == 0 or rng.random() < .7: play(9, here + step * beat / sub, here + step * beat / sub + .1, 41 if step == 0 else 45, 95 if step == 0 else 60)
            position += bar
    beats = np.array([clock(down % beat + k * beat) for k in range(int((notes[-1][0] - down % beat) / beat) + 1)])
    first = rng.uniform(0, max(0, beats[-1] - seconds)) if rng.random() < .5 else 0.0
    stem = os.path.join(output, name)
    synthesize.write_midi(stem + '.mid', events)
    font = fonts[rng.integers(len(fonts))]
    samples = midi.render(stem, font, first, seconds)
    os.remove(stem + '.mid')
    samples.tofile(stem + '.f32')
    inside = beats[(beats >= first) & (beats < first + len(samples) / RATE)] - first
    if len(inside) < 12: return None
    np.savetxt(stem + '.txt', inside, fmt='%.4f')
    return [name, '%.4f' % (60 / np.median(np.diff(inside))), 'yes' if live == 0 else 'no', 'score', 'synthetic:' + collection, name + '.txt']


def collection_rows(job):
    collection, count, fonts, output, seconds = job
    rng = np.random.default_rng([6, zlib.crc32(collection.encode())])
    rows = []
    for score in pieces(collection, count, rng):
        try:
            found = notes_of(score)
            row = found and render(f'{collection}-{len(rows):03d}', collection, found, fonts, output, seconds)
        except Exception as error:
            print(f'{collection}: a piece left out: {error!r}'[:200])
            continue
        if row: rows.append(row)
        if len(rows) == count: break
    print(f'{collection}: {len(rows)}', flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--soundfonts', nargs='+', default=FONTS)
    parser.add_argument('--seconds', type=float, default=32)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    jobs = [(name, count, options.soundfonts, options.output, options.seconds) for name, count in COLLECTIONS.items()]
    with ProcessPoolExecutor(2) as pool: tables = list(pool.map(collection_rows, jobs))
    midi.write_manifest(os.path.join(options.output, 'manifest.csv'), [row for rows in tables for row in rows])


if __name__ == '__main__':
    main()
