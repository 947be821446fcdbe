#!/usr/bin/env python3
"""Makes songs of bands, many of them slow: hip hop, funk, R&B, ballads, dub, gospel, and fast kinds for comparison.

  bands.py OUTPUT_DIRECTORY [--count 300] [--first 0] [--soundfonts FILE.sf2 …] [--seconds 44]

A song has sections of eight bars with their own drums, players and chords, fills and cymbals between them, a tune in phrases of
four bars, and a bass that follows the kick. Chords last half a bar to two bars. The snare is on the second and fourth beat or
where the kind has it, so that bars and phrases tell the beat from its double. A beat is a quarter, or a dotted one in 6/8, 9/8
and 12/8. For each song NAME.f32 (mono, 22,050 Hz, floats), NAME.txt (beats), NAME.json (meter and first beats of bars) and a row
of manifest.csv. Everything is random from fixed seeds, one for each number. Needs fluidsynth and numpy.
"""
import argparse, json, os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import numpy as np
import midi
import synthesize
from synthesize import CL, CR, HH, K, OH, PH, RD, RIM, S, SHK, TM2, TOM

RATE = midi.RATE


@dataclass
class Kind:
    """How a kind of music goes: beats a minute, beats of a bar, steps of a beat, chances of the kick on each step of a bar, steps of
    the snare, what may keep time, how many steps apart, how late every other step may be (in steps), and the usual players."""
    bpm: tuple
    beats: int
    steps: int
    kick: dict
    snare: tuple
    drums: tuple
    timing: tuple
    apart: tuple
    late: tuple
    players: tuple
    share: float = 1


BACK = (4, 12)
KINDS = {
    'ballad': Kind((48, 82), 4, 4, {0: 1, 8: .7, 10: .4, 6: .2, 14: .2, 7: .1}, BACK, (S, RIM), (HH, RD, SHK), (2, 2, 1), (0,),
                   ('piano', 'pad', 'arpeggio', 'strum', 'strings'), 2.5),
    'hip-hop': Kind((68, 100), 4, 4, {0: 1, 10: .6, 3: .3, 7: .35, 6: .3, 11: .3, 14: .15, 8: .2}, BACK, (S, CL), (HH, HH, SHK), (2, 2, 1),
                    (0, .25, .45), ('keys', 'pad', 'stabs', 'arpeggio'), 2),
    'funk': Kind((74, 116), 4, 4, {0: 1, 3: .3, 6: .45, 7: .3, 10: .5, 11: .2, 14: .3, 15: .1}, BACK, (S,), (HH, HH, OH), (1, 1, 2), (0, 0, .2),
                 ('clav', 'stabs', 'brass', 'keys'), 1.5),
    'r-and-b': Kind((56, 96), 4, 4, {0: 1, 7: .3, 10: .5, 6: .3, 3: .2, 13: .2, 8: .3}, BACK, (CL, RIM, S), (HH, SHK, HH), (1, 2, 1), (0, .2, .4),
                    ('keys', 'pad', 'strings', 'arpeggio'), 2),
    'soul': Kind((62, 112), 4, 4, {0: 1, 8: .8, 10: .5, 6: .3, 2: .2}, BACK, (S,), (HH, RD), (2, 2, 4), (0, 0, .3), ('piano', 'organ', 'strum', 'brass'), 1),
    'dub': Kind((62, 90), 4, 4, {4: .8, 12: .8, 0: .35, 8: .35}, (4, 12), (RIM, S), (HH, HH), (2, 2, 1), (0, .3), ('skank', 'organ', 'bubble'), 1.5),
    'one-drop': Kind((66, 88), 4, 4, {8: 1, 0: .3}, (8,), (RIM, S), (HH, HH), (2, 1), (0, .3), ('skank', 'organ', 'bubble'), .5),
    'gospel': Kind((48, 80), 4, 3, {0: 1, 6: .8, 5: .3, 8: .3, 2: .15, 11: .3}, (3, 9), (S, RIM), (HH, RD, HH), (1, 1, 3), (0,),
                   ('organ', 'piano', 'triplets', 'strings'), 1.5),
    'six-eight': Kind((42, 78), 2, 3, {0: 1, 5: .3, 2: .2}, (3,), (S, RIM), (HH, RD), (1, 1, 3), (0,), ('triplets', 'strum', 'pad', 'piano'), 1.2),
    'nine-eight': Kind((48, 76), 3, 3, {0: 1, 5: .2}, (3, 6), (RIM, S), (HH, SHK), (1, 3), (0,), ('triplets', 'pad', 'strum'), .4),
    'slow-rock': Kind((62, 100), 4, 4, {0: 1, 8: .7, 10: .6, 6: .35, 2: .2, 14: .2}, BACK, (S,), (HH, RD, OH), (2, 2, 4), (0,), ('power', 'strum', 'organ', 'lead'), 1.3),
    'pop': Kind((84, 132), 4, 4, {0: 1, 8: .8, 6: .35, 10: .35, 14: .15}, BACK, (S, CL), (HH, SHK, HH), (2, 2, 1), (0,), ('piano', 'strum', 'pad', 'arpeggio', 'stabs'), 1.5),
    'rock': Kind((112, 176), 4, 4, {0: 1, 8: .8, 6: .4, 10: .5, 2: .2, 14: .15}, BACK, (S,), (HH, RD, OH), (2, 2, 4), (0,), ('power', 'strum', 'lead', 'organ'), 2),
    'punk': Kind((156, 212), 4, 4, {0: 1, 8: .9, 6: .3, 10: .5}, BACK, (S,), (HH, OH, CR), (2, 4), (0,), ('power', 'lead', 'strum'), 1.2),
    'metal': Kind((140, 215), 4, 4, {0: 1, 2: .6, 4: .5, 6: .6, 8: 1, 10: .6, 12: .4, 14: .6}, BACK, (S,), (RD, HH, CR), (4, 2), (0,), ('power', 'lead'), 1),
    'house': Kind((116, 134), 4, 4, {0: 1, 4: 1, 8: 1, 12: 1}, BACK, (CL, S), (OH, HH), (4,), (0,), ('stabs', 'pad', 'arpeggio', 'keys'), 1),
    'trance': Kind((128, 178), 4, 4, {0: 1, 4: 1, 8: 1, 12: 1}, BACK, (CL, S), (OH, HH), (4, 2), (0,), ('arpeggio', 'pad', 'stabs', 'lead'), 1.2),
    'jungle': Kind((158, 184), 4, 4, {0: 1, 10: .9, 2: .2, 3: .2}, BACK, (S,), (HH, RD), (2, 2, 1), (0,), ('pad', 'keys', 'stabs'), 1.2),
    'swing': Kind((104, 220), 4, 3, {0: .3, 6: .2}, (), (RIM,), (RD,), (3,), (0,), ('comp', 'piano', 'brass'), 1),
    'shuffle': Kind((84, 160), 4, 3, {0: 1, 6: .9, 5: .2, 8: .3}, (3, 9), (S,), (HH, RD), (1,), (0,), ('power', 'organ', 'piano'), .8),
    'waltz': Kind((76, 190), 3, 2, {0: 1}, (2, 4), (S, RIM, HH), (HH, RD), (1, 2), (0,), ('oompah', 'strum', 'strings', 'piano'), 1.5),
    'slow-three': Kind((60, 104), 3, 4, {0: 1, 6: .3, 10: .2}, (4, 8), (S, RIM), (HH, SHK, RD), (2, 1), (0,), ('piano', 'pad', 'arpeggio', 'strum'), 1),
    'latin': Kind((84, 132), 4, 4, {0: 1, 6: .7, 8: .7, 14: .7}, (3, 6, 10, 12), (RIM,), (SHK, HH), (1, 2), (0,), ('keys', 'strum', 'piano', 'brass'), 1),
}
PROGRAMS = {
    'piano': (0, 1, 2, 4), 'pad': (48, 49, 50, 89, 91, 52), 'arpeggio': (0, 4, 24, 25, 46, 81, 11), 'strum': (24, 25, 26, 27), 'strings': (48, 49, 51),
    'keys': (4, 5, 2, 16), 'stabs': (61, 62, 4, 16, 81), 'clav': (7, 27, 28), 'brass': (61, 62, 66), 'organ': (16, 17, 18, 19), 'skank': (27, 25, 0),
    'bubble': (16, 17), 'triplets': (0, 4, 24, 25, 26), 'power': (29, 30), 'lead': (80, 81, 29), 'comp': (0, 26, 4), 'oompah': (0, 21, 24, 60)}
TUNES = (73, 65, 66, 56, 40, 22, 53, 52, 80, 0, 4, 11, 68, 71, 75)
BASSES = (32, 33, 34, 35, 38, 39, 43)
# Degrees in semitones over the key, and whether the chord is minor.
CHORDS = {'I': (0, 0), 'ii': (2, 1), 'iii': (4, 1), 'IV': (5, 0), 'V': (7, 0), 'vi': (9, 1), 'iv': (5, 1), 'bVII': (10, 0), 'i': (0, 1), 'bVI': (8, 0),
          'bIII': (3, 0), 'v': (7, 1)}
PROGRESSIONS = ['I V vi IV', 'vi IV I V', 'I vi IV V', 'I IV', 'I iii IV iv', 'i bVI bIII bVII', 'i bVII bVI V', 'ii V I vi', 'i iv i V', 'I ii IV I',
                'I V vi iii IV I ii V', 'vi V IV V', 'I I IV I V IV I V', 'i i iv v', 'IV V iii vi', 'i', 'I bVII IV I', 'ii V I I']
SCALES = ((0, 2, 4, 7, 9), (0, 2, 4, 5, 7, 9, 11), (0, 3, 5, 7, 10), (0, 2, 3, 5, 7, 8, 10))


class Song:
    def __init__(self, number):
        rng = self.rng = np.random.default_rng([17, number])
        names = list(KINDS)
        shares = np.array([KINDS[name].share for name in names])
        self.name = names[rng.choice(len(names), p=shares / shares.sum())]
        kind = self.kind = KINDS[self.name]
        bpm = np.exp(rng.uniform(*np.log(kind.bpm)))
        self.live = rng.random() < .5
        self.bpm = bpm if self.live and rng.random() < .5 else round(bpm)
        self.drift = rng.choice([0, 0, .003, .006, .012]) if self.live else 0

    def chance(self, share): return self.rng.random() < share

    def pick(self, options): return options[self.rng.integers(len(options))]

    def play(self, seconds):
        kind, rng = self.kind, self.rng
        self.bar = kind.beats * kind.steps
        self.clip = synthesize.Clip(rng, self.bpm, kind.beats, self.drift, rng.uniform(.003, .011) if self.live else self.pick([0, .001]), seconds)
        self.late = self.pick(kind.late)
        self.root, minor = int(rng.integers(40, 52)), self.chance(.4)
        self.scale = SCALES[2 * minor + rng.integers(2)]
        players = list(rng.permutation(kind.players)[:rng.integers(1, 4)])
        self.channels = {}
        for player in players: self.enter(player, int(self.pick(PROGRAMS[player])), rng.integers(55, 105))
        self.enter('bass', self.pick(BASSES), rng.integers(80, 120))
        self.enter('tune', self.pick(TUNES), rng.integers(70, 115))
        # How many bars a chord lasts: slow music changes more often in its bars.
        odds = [.35, .45, .2] if self.bpm < 84 else [.25, .5, .25] if self.bpm < 130 else [.1, .5, .4]
        if kind.beats < 4: odds = [0, .65, .35]
        patterns = [self.pattern() for _ in range(3)]
        sections = [dict(drums=patterns[k % 3], chords=self.pick(PROGRESSIONS).split(), last=rng.choice([.5, 1, 2], p=odds), tune=self.motif(),
                         players=[p for p in players if self.chance(.75)] or players[:1], sings=self.chance(.65), bass=self.chance(.9),
                         beats=self.chance(.9)) for k in range(3)]
        drums, begins, form = self.chance(.88), rng.choice([0, 0, 0, 2, 4]), self.pick(['aabb', 'aabc', 'abab', 'aaba', 'abcb'])
        phrase = self.pick([4, 8, 8])
        for bar in range(int(self.clip.n / kind.beats) + 1):
            section = sections['abc'.index(form[bar // phrase % len(form)])]
            if drums and bar >= begins and section['beats']: self.drum(bar, section['drums'], phrase, first=bar == begins)
            self.harmony(bar, section)
            if section['sings']: self.sing(bar, section['tune'])

    def enter(self, player, program, volume):
        channel = len(self.channels) + (len(self.channels) >= 9)
        self.channels[player] = channel
        self.clip.prog(channel, int(program), int(volume))

    def note(self, player, step, pitch, velocity, steps, strum=0.0):
        """Steps count from the start; every other one is late."""
        late = self.late if self.kind.steps == 4 and step % 2 == 1 else 0
        channel = 9 if player is None else self.channels[player]
        self.clip.note(channel, (step + late) / self.kind.steps, pitch, velocity, steps / self.kind.steps, strum)

    def pattern(self):
        """What the drums play in a bar: (step, drum, velocity)."""
        kind, found = self.kind, []
        found += [(step, K, 108) for step, chance in kind.kick.items() if self.chance(chance)]
        snare = self.pick(kind.drums)
        found += [(step, snare, 105) for step in kind.snare]
        if kind.steps == 4 and self.chance(.3): found += [(step, S, 40) for step in (2, 5, 7, 9, 15) if self.chance(.3)]
        drum, apart, accents = self.pick(kind.timing), self.pick(kind.apart), self.chance(.5)
        offset = 2 if self.name in ('house', 'trance') and apart == 4 else 0
        if self.name == 'swing':
            found += [(step, RD, 85) for step in (0, 3, 5, 6, 9, 11)] + [(step, PH, 80) for step in (3, 9)]
        else:
            found += [(step, drum, 88 if accents and step % (2 * apart) == 0 else 70) for step in range(offset, self.bar, apart)]
        if apart > 1 and kind.steps == 4 and self.chance(.25): found += [(step, SHK, 50) for step in range(self.bar)]
        return found

    def drum(self, bar, pattern, phrase, first):
        fills = bar % 4 == 3 and self.chance(.35) or bar % phrase == phrase - 1 and self.chance(.6)
        until = self.bar - self.kind.steps * int(self.rng.integers(1, 3)) if fills else self.bar
        for step, drum, velocity in pattern:
            if step < until and not self.chance(.02): self.note(None, bar * self.bar + step, drum, velocity, 1)
        for step in range(until, self.bar):
            if self.chance(.75): self.note(None, bar * self.bar + step, self.pick([S, S, TOM, TM2]), 95, 1)
        if (bar % phrase == 0 or first) and self.chance(.7): self.note(None, bar * self.bar, CR, 100, 4)

    def harmony(self, bar, section):
        parts = 2 if section['last'] == .5 and self.kind.beats == 4 else 1
        for part in range(parts):
            place = 2 * bar + part if parts == 2 else bar // int(max(1, section['last']))
            degree, minor = CHORDS[section['chords'][place % len(section['chords'])]]
            steps, start = self.bar // parts, bar * self.bar + part * self.bar // parts
            low = self.root + degree - (12 if self.root + degree > 47 else 0)
            tones = [60 + (self.root + degree + tone) % 12 for tone in (0, 3 if minor else 4, 7)]
            for player in section['players']: self.accompany(player, start, steps, low, tones)
            if section['bass']: self.walk(start, steps, low, section['drums'])

    def walk(self, start, steps, low, pattern):
        """The bass: with the kick, on each beat, or held."""
        beat, kicks = self.kind.steps, sorted({step for step, drum, _ in pattern if drum == K})
        places = [k - start % self.bar for k in kicks if start % self.bar <= k < start % self.bar + steps]
        if self.name == 'swing': places = list(range(0, steps, beat))
        elif self.name in ('punk', 'metal', 'trance', 'rock') and self.root % 2: places = list(range(0, steps, 2))
        elif self.root % 5 == 0: places = [0]
        places = sorted({0, *places})
        for at, until in zip(places, [*places[1:], steps]):
            self.note('bass', start + at, low + int(self.pick([0, 0, 0, 7, 12]) if at else 0), 92, min(until - at, 2 * beat) * .9)

    def accompany(self, player, start, steps, low, tones):
        beat = self.kind.steps
        def chord(step, velocity, length, strum=.0):
            for k, tone in enumerate(tones): self.note(player, start + step, tone, velocity, length, strum * k)
        if player in ('pad', 'strings'): chord(0, 62, steps)
        elif player == 'organ': chord(0, 66, steps * .95)
        elif player in ('arpeggio', 'triplets'):
            apart = 1 if beat == 3 or self.bpm < 90 and self.root % 2 else max(1, beat // 2)
            order = [*tones, tones[1] + 12 * (self.root % 3 == 0)]
            for k, step in enumerate(range(0, steps, apart)): self.note(player, start + step, order[k % 4], 66 + 14 * (step % beat == 0), apart * 1.5)
        elif player == 'piano':
            apart = beat if self.root % 3 else max(1, beat // 2)
            for step in range(0, steps, apart): chord(step, 76 if step == 0 else 64, apart * .9)
            self.note(player, start, low + 12, 78, beat * 2)
        elif player in ('skank', 'bubble'):
            for step in range(beat // 2, steps, beat): chord(step, 84, 1)
            if player == 'bubble':
                for step in range(1, steps, 2): self.note(player, start + step, tones[0] - 12, 60, 1)
        elif player == 'oompah':
            self.note(player, start, low + 12, 86, beat)
            for step in range(beat, steps, beat): chord(step, 66, beat * .5)
        elif player == 'power':
            for step in range(0, steps, max(1, beat // 2)):
                if self.chance(.9):
                    for pitch in (low + 12, low + 19, low + 24): self.note(player, start + step, pitch, 84 + 12 * (step % beat == 0), beat * .45)
        elif player == 'strum':
            for step in range(0, steps, max(1, beat // 2)):
                if step % beat == 0 or self.chance(.6): chord(step, 84 - 18 * (step % beat > 0), beat * .6, .009)
        elif player in ('stabs', 'brass', 'keys', 'clav', 'comp'):
            rng = np.random.default_rng([int(self.root), len(player), start % (4 * self.bar)])
            likely = .16 if player == 'clav' else .1
            for step in range(steps):
                if step == 0 and player != 'brass' or rng.random() < likely * (1.8 if step % max(1, beat // 2) == 0 else .8): chord(step, 74, beat * .5)
        else:
            rng = np.random.default_rng([int(self.root), start % (2 * self.bar)])
            for step in range(0, steps, max(1, beat // 2)):
                if rng.random() < .5: self.note(player, start + step, tones[rng.integers(3)] + 12, 80, beat * .5)

    def motif(self):
        """A tune of four bars: (step, degree, length). Slow tunes move in half steps of the beat and faster."""
        beat, found, degree = self.kind.steps, [], int(self.rng.integers(3, 8))
        unit = 1 if self.bpm < 76 else max(1, beat // 2) if self.bpm < 150 else beat
        for bar in range(4):
            step = int(self.pick([0, 0, 0, unit, beat, -unit])) if bar != 3 or self.chance(.3) else 0
            end = self.bar if bar != 3 else self.bar // 2
            while step < end:
                length = int(self.pick([1, 1, 2, 2, 3, 4])) * unit
                if step % beat and length > 2 * unit: length = unit
                degree = int(np.clip(degree + self.pick([-2, -1, -1, 0, 1, 1, 2]), 0, 13))
                if self.chance(.85): found.append((bar * self.bar + step, degree, length))
                step += length
        return found

    def sing(self, bar, tune):
        for step, degree, length in tune:
            if not bar % 4 * self.bar <= step < (bar % 4 + 1) * self.bar: continue
            octave, place = divmod(degree, len(self.scale))
            self.note('tune', bar // 4 * 4 * self.bar + max(step, 0), self.root + 24 + 12 * octave - 12 * (self.root > 47) + self.scale[place], 92, length * .92)


def make(job):
    number, options = job
    song = Song(number)
    song.play(options.seconds)
    clip, kind = song.clip, song.kind
    name = f'{song.name}_{number:05d}'
    stem = os.path.join(options.output, name)
    synthesize.write_midi(stem + '.mid', clip.ev)
    samples = midi.render(stem, options.soundfonts[number % len(options.soundfonts)], 0, options.seconds)
    os.remove(stem + '.mid')
    onsets = np.array([time for time, message in clip.ev if message[0] >> 4 == 9])
    if len(onsets) < 60 or abs(samples).max() < 1e-3: return None
    beats = clip.t[(clip.t < options.seconds - .3) & (np.arange(len(clip.t)) <= clip.n)]
    down = beats[::kind.beats]
    heard = lambda times: times[times >= onsets.min() - .05]
    samples.tofile(stem + '.f32')
    np.savetxt(stem + '.txt', heard(beats), fmt='%.4f')
    metre = f'{3 * kind.beats}/8' if kind.steps == 3 and song.name in ('gospel', 'six-eight', 'nine-eight') else f'{kind.beats}/4'
    with open(stem + '.json', 'w') as file: json.dump(dict(id=name, metre=metre, down=list(heard(down).round(4))), file)
    return [name, '%.4f' % (60 / np.median(np.diff(beats))), 'no' if song.drift else 'yes', 'band', 'synthetic:band-' + song.name, name + '.txt']


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--count', type=int, default=300)
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--soundfonts', nargs='+', default=midi.FONTS)
    parser.add_argument('--seconds', type=float, default=44)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    jobs = [(number, options) for number in range(options.first, options.first + options.count)]
    with ThreadPoolExecutor(2) as pool: rows = [row for row in pool.map(make, jobs) if row]
    midi.write_manifest(os.path.join(options.output, 'manifest.csv'), rows)
    print(f'{len(rows)} songs')


if __name__ == '__main__':
    main()
