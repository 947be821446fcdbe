#!/usr/bin/env python3
"""Makes songs whose intros and outros are known, and measures how near `cues` comes.

  intros.py make FOLDER [--seed 1] [--count 96]
  intros.py measure ANALYZE FOLDER
  intros.py fit ANALYZE FOLDER …
  intros.py fade FOLDER FADED [--seed 5] [--count 60]

Half of the songs are by the bands of tempo/bands.py (fluidsynth), half electronic (sounds made here). A song has an intro and an
outro of 2 to 16 bars, or none: drums alone, chords alone, drums and chords without bass, bass and chords without drums, a tune
alone, or two steps to the whole; it may fade out or end at once. Its body has verses and choruses, some softer, and perhaps a break.
The intro ends where drums, bass and chords are together for the first time; the outro begins where they are for the last time.
For each song music/NAME.wav (mono, 22,050 Hz) and truth/NAME.json. `fit` prints the weights in Groove.swift. `fade` makes fade-ins
of songs that begin with drums. ANALYZE is the program. Needs fluidsynth, numpy and scipy.
"""
import argparse, glob, json, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from scipy import optimize, signal
from scipy.io import wavfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tempo'))
import bands, midi, synthesize

RATE = midi.RATE
ALL = frozenset(['drums', 'bass', 'chords', 'tune'])
GROOVE = frozenset(['drums', 'bass', 'chords'])
INTROS = {'none': 3, 'drums': 2, 'chords': 2, 'drums+chords': 2, 'tune': 1, 'bass+chords': 1.5, 'build': 2}
OUTROS = {'none': 3, 'drums': 2, 'chords': 2, 'drums+chords': 2, 'bass+chords': 1.5, 'strip': 1, 'fade': 2}
LAYERS = {'drums': [{'drums'}], 'chords': [{'chords'}], 'drums+chords': [{'drums', 'chords'}], 'bass+chords': [{'bass', 'chords'}, {'bass', 'chords', 'tune'}],
          'tune': [{'tune', 'chords'}, {'tune'}]}


class Form:
    """The layers and the loudness of each bar, and where the body is."""

    def __init__(self, rng, bar_seconds):
        pick = lambda odds: str(rng.choice(list(odds), p=np.array(list(odds.values())) / sum(odds.values())))
        self.intro, self.outro = pick(INTROS), pick(OUTROS)
        lengths = [4, 8, 8, 16] if bar_seconds < 2.2 else [4, 4, 8] if bar_seconds < 3.2 else [2, 4]
        if rng.random() < .12: lengths = [3, 5, 6, 7, 12]
        bars = lambda kind: 0 if kind in ('none', 'fade') else max(int(rng.choice(lengths)), 4 if kind in ('build', 'strip') else 0)
        before, after = bars(self.intro), bars(self.outro)
        self.layers = self.edge(rng, self.intro, before)
        self.gains = [rng.uniform(.7, 1)] * before
        verse, chorus = (ALL if rng.random() < .5 else GROOVE), ALL
        soft = rng.choice([1, .85, .7])
        part = 8 if bar_seconds < 2.6 else 4
        body = ([(verse, soft, part), (chorus, 1, part)] * 5)[rng.integers(2):rng.integers(5, 9)]
        if rng.random() < .6:
            gone = [{'chords'}, {'chords', 'tune'}, {'chords', 'bass'}, {'drums'}, {'drums', 'chords'}][rng.integers(5)]
            body.insert(int(rng.integers(1, len(body))), (gone, .9, part // int(rng.integers(1, 3))))
        for layers, gain, count in body:
            self.layers += [set(layers)] * count
            self.gains += [gain] * count
        self.body = (before, len(self.layers))
        self.layers += self.edge(rng, self.outro, after)[::-1]
        self.gains += [rng.uniform(.7, 1)] * after
        self.fade = float(rng.uniform(5, 15)) if self.outro == 'fade' else 0

    @staticmethod
    def edge(rng, kind, bars):
        """The layers of an intro; an outro is one backward."""
        if kind in ('build', 'strip'):
            first = [{'drums'}, {'chords'}][rng.integers(2)]
            return [first] * (bars // 2) + [{'drums', 'chords'}] * (bars - bars // 2)
        return [set(LAYERS[kind][rng.integers(len(LAYERS[kind]))])] * bars if bars else []


class Band(bands.Song):
    """A song of bands.py in a form."""

    def form(self):
        kind = self.kind
        self.plan = Form(self.rng, kind.beats * 60 / self.bpm)
        self.play(0)
        return self.plan

    def play(self, seconds):
        kind, rng, plan = self.kind, self.rng, self.plan
        self.bar = kind.beats * kind.steps
        seconds = (len(plan.layers) + 2) * kind.beats * 60 / self.bpm * 1.1
        self.clip = synthesize.Clip(rng, self.bpm, kind.beats, self.drift, rng.uniform(.003, .011) if self.live else 0, seconds)
        self.late, self.root = self.pick(kind.late), int(rng.integers(40, 52))
        self.scale = bands.SCALES[rng.integers(4)]
        players = list(rng.permutation(kind.players)[:rng.integers(1, 4)])
        self.channels = {}
        for player in players: self.enter(player, int(self.pick(bands.PROGRAMS[player])), rng.integers(65, 105))
        self.enter('bass', self.pick(bands.BASSES), rng.integers(85, 120))
        self.enter('tune', self.pick(bands.TUNES), rng.integers(70, 115))
        drums, motif = [self.pattern() for _ in range(2)], self.motif()
        section = dict(chords=self.pick(bands.PROGRESSIONS).split(), last=1, drums=drums[0])
        for bar, layers in enumerate(plan.layers):
            self.gain = plan.gains[bar]
            begins = bar == 0 or layers != plan.layers[bar - 1]
            if 'drums' in layers: self.drum(bar, drums[layers == ALL], 8, first=begins and bar > 0)
            self.harmony(bar, dict(section, players=players if 'chords' in layers else [], bass='bass' in layers, drums=drums[layers == ALL]))
            if 'tune' in layers: self.sing(bar, motif)
        self.gain = 1
        # A last chord, or a last beat.
        last = len(plan.layers) * self.bar
        if plan.outro == 'none' or rng.random() < .5:
            if 'drums' in plan.layers[-1]: self.note(None, last, bands.K, 100, 4)
            if 'bass' in plan.layers[-1]: self.note('bass', last, self.root, 92, 2 * kind.steps)
            if 'chords' in plan.layers[-1]:
                for tone in (0, 4, 7): self.note(players[0], last, 60 + (self.root + tone) % 12, 80, 2 * kind.steps)

    def note(self, player, step, pitch, velocity, steps, strum=0.0):
        super().note(player, step, pitch, velocity * self.gain, steps, strum)

    def render(self, stem, font):
        synthesize.write_midi(stem + '.mid', self.clip.ev)
        sound = midi.render(stem, font, 0, 600)
        os.remove(stem + '.mid')
        return sound, self.clip.t[::self.kind.beats]


class Electronic:
    """Drum machine, bass, pad and pulses, with a compressor."""

    def __init__(self, number):
        rng = self.rng = np.random.default_rng([31, number])
        self.name = 'electronic'
        self.bpm = float(rng.choice([rng.integers(84, 112), rng.integers(118, 140), rng.integers(124, 132), rng.integers(160, 178)]))

    def form(self):
        self.plan = Form(self.rng, 240 / self.bpm)
        return self.plan

    def tone(self, pitch, seconds, harmonics, attack, decay):
        times = np.arange(int(seconds * RATE)) / RATE
        frequency = 440 * 2 ** ((pitch - 69) / 12)
        sound = sum(np.sin(2 * np.pi * frequency * k * times + k) / k ** 1.2 for k in range(1, harmonics + 1) if k * frequency < 9000)
        return sound * np.minimum(1, times / attack) * np.exp(-times / decay) * np.minimum(1, (seconds - times) / .01)

    def render(self, stem, font):
        rng, plan = self.rng, self.plan
        step = 15 / self.bpm
        start = rng.uniform(0, .4)
        bars = start + np.arange(len(plan.layers) + 3) * 16 * step
        sound, ducked = (np.zeros(int((bars[-1] + 1) * RATE)) for _ in range(2))

        def add(target, at, samples, gain):
            first = int(at * RATE)
            target[first:first + len(samples)] += gain * samples[:max(0, len(target) - first)]

        times = np.arange(int(.4 * RATE)) / RATE
        kick = np.sin(2 * np.pi * (rng.uniform(42, 58) * times + rng.uniform(4, 8) * (1 - np.exp(-times * 30)) / 2)) * np.exp(-times / rng.uniform(.06, .16))
        noise = rng.normal(size=int(.3 * RATE))
        filtered = lambda kind, edge: signal.sosfilt(signal.butter(2, edge, kind, fs=RATE, output='sos'), noise)
        age = np.arange(len(noise)) / RATE
        hat, snare = filtered('high', 7000) * np.exp(-age / .03), filtered('band', [900, 6000]) * np.exp(-age / .07)
        kicks = [[0, 4, 8, 12], [0, 4, 8, 12], [0, 10], [0, 7, 10], [0, 6, 10, 12]][rng.integers(5)]
        hats = [[2, 6, 10, 14], list(range(0, 16, 2)), list(range(16))][rng.integers(3)]
        loud = rng.uniform(.6, 1.1), rng.uniform(.05, .2), rng.uniform(.15, .4)
        root, minor = int(rng.integers(33, 45)), rng.integers(2)
        chords = [[0, -4, 3, -2], [0, 5, -2, 3], [0, 0, -4, -2], [0, 5, 7, 5], [0, 0, 0, 0]][rng.integers(5)]
        line = [[2, 6, 10, 14], list(range(0, 16, 2)), [0, 3, 6, 8, 11, 14], [0], [x for x in range(16) if x % 4]][rng.integers(5)]
        pulses = sorted(rng.choice(16, rng.integers(4, 9), replace=False))
        pad, shade, melody = rng.random() < .6, int(rng.integers(4, 14)), rng.integers(0, 12, 16)
        volume = dict(bass=rng.uniform(.2, .45), chords=rng.uniform(.05, .14), tune=rng.uniform(.08, .18))
        for bar, layers in enumerate(plan.layers):
            at, gain, tonic = bars[bar], plan.gains[bar], root + chords[bar % 4]
            if 'drums' in layers:
                for k in kicks: add(sound, at + k * step, kick, loud[0] * gain)
                for k in hats: add(sound, at + k * step, hat, loud[1] * gain * (1 if k % 4 == 2 else .7))
                for k in (4, 12): add(sound, at + k * step, snare, loud[2] * gain)
            if 'bass' in layers:
                width = min(16 if line == [0] else 2, 16) * step
                for k in line: add(ducked, at + k * step, self.tone(tonic, width, 4, .005, .6), volume['bass'] * gain)
            if 'chords' in layers:
                for tone in (12, 15 if minor else 16, 19):
                    if pad: add(ducked, at, self.tone(tonic + 12 + tone, 16 * step, shade, .05, 9), volume['chords'] * gain)
                    else:
                        for k in pulses: add(ducked, at + k * step, self.tone(tonic + 12 + tone, 2 * step, shade, .004, .15), 2 * volume['chords'] * gain)
            if 'tune' in layers:
                for k in range(0, 16, 2):
                    if melody[k] < 8: add(ducked, at + k * step, self.tone(root + 36 + [0, 3, 5, 7, 10, 12, 15, 12][melody[k]], 2 * step, 6, .004, .3), volume['tune'] * gain)
            if 'drums' in layers:
                # Drums push the rest down.
                for k in kicks:
                    first = int((at + k * step) * RATE)
                    part = ducked[first:first + int(4 * step * RATE)]
                    part *= 1 - .5 * np.exp(-np.arange(len(part)) / RATE / .08)
        sound = sound + ducked
        if rng.random() < .6: sound = np.tanh(1.5 * sound)
        return sound, bars


def make(job):
    number, folder = job
    song = Electronic(number) if number % 2 else Band(number)
    plan = song.form()
    stem = os.path.join(folder, 'music', f'{number:05}-{song.name}')
    sound, bars = song.render(stem, midi.FONTS[number // 2 % 2])
    first, last = plan.body
    end = bars[len(plan.layers)]
    sound = sound[:int((end + 1.5) * RATE)].astype(float)
    if plan.fade:
        sound = sound[:int(end * RATE)]
        sound *= np.minimum(1, (len(sound) - np.arange(len(sound))) / RATE / plan.fade)
    if abs(sound).max() < .01: return
    wavfile.write(stem + '.wav', RATE, np.int16(sound / abs(sound).max() * .9 * 32767))
    stem = os.path.join(folder, 'truth', os.path.basename(stem))
    truth = dict(kind=song.name, bpm=song.bpm, intro=plan.intro, outro=plan.outro, intro_end=bars[first], outro_start=bars[last],
                 half_bar=float(np.median(np.diff(bars))) / 2, first=bars[0], end=end, fade=plan.fade, intro_bars=first,
                 outro_bars=len(plan.layers) - last)
    with open(stem + '.json', 'w') as file: json.dump(truth, file)


def fade(folder, output, seed, count):
    rng, done = np.random.default_rng(seed), 0
    for path in sorted(glob.glob(os.path.join(folder, 'truth', '*.json'))):
        with open(path) as file: truth = json.load(file)
        if done == count or truth['intro'] not in ('none', 'drums', 'drums+chords'): continue
        name = os.path.basename(path)[:-5]
        _, sound = wavfile.read(os.path.join(folder, 'music', name + '.wav'))
        length = float(np.exp(rng.uniform(np.log(3), np.log(25))))
        shape = ['linear', 'quadratic', 'sine', 'S'][rng.integers(4)]
        if rng.random() < .6: shape = 'linear'
        share = np.clip((np.arange(len(sound)) - max(0, int(truth['first'] * RATE) - 200)) / RATE / length, 0, 1)
        gain = dict(linear=share, quadratic=share ** 2, sine=np.sin(np.pi / 2 * share), S=(1 - np.cos(np.pi * share)) / 2)[shape]
        wavfile.write(os.path.join(output, 'music', name + '.wav'), RATE, (sound * gain).astype(np.int16))
        with open(os.path.join(output, 'truth', name + '.json'), 'w') as file: json.dump(truth, file)
        done += 1


def analyzed(program, folder):
    """The truth, tempo and cues of each song, and its path."""
    pipeline = os.path.join(folder, 'intros.yaml')
    with open(pipeline, 'w') as file: file.write('analyzers:\n  tempo:\n  sections:\n  cues:\n')
    run = subprocess.run([program, 'run', os.path.join(folder, 'music'), '--pipeline', pipeline, '--database', os.path.join(folder, 'intros.sqlite'),
                          '--report', 'ndjson', '--output', '-', '--include', 'beats', '--force'], check=True, stdout=subprocess.PIPE, text=True)
    for line in run.stdout.splitlines():
        record = json.loads(line)
        with open(os.path.join(folder, 'truth', os.path.basename(record['path'])[:-4] + '.json')) as file: truth = json.load(file)
        yield truth, record['tempo'], record['cues'], record['path']


def bars(path, tempo, cues):
    """For each way to lay bars: their lines in seconds, decibels of level and bass, and whether the first and the last are parts of bars. As
    in Groove.swift."""
    _, sound = wavfile.read(path)
    slots = sound[:len(sound) // 441 * 441].reshape(-1, 441) / 32768
    parts = [slots[:, first:first + 56] for first in range(0, 441, 56)]
    powers = np.array([(slots ** 2).sum(1), sum(part.sum(1) ** 2 / part.shape[1] for part in parts)])
    sums = np.pad(np.cumsum(10 * np.log10(powers + 1e-6 * powers.max(1, keepdims=True) + 1e-12), axis=1), ((0, 0), (1, 0)))
    beats = np.array(tempo['beats_s'] or [])
    start, end = cues['leading_silence_s'] + cues['fade_in_s'], len(sound) / RATE - cues['trailing_silence_s'] - cues['fade_out_s']
    inside = np.flatnonzero((beats >= start - .05) & (beats <= end + .02))
    if len(inside) <= 16: return
    first, last = inside[0], inside[-1]
    downbeats = [int(abs(beats - time).argmin()) for time in tempo['downbeats_s'] or []]
    found = [beat for beat in downbeats if first <= beat <= last]
    for lines in [found] if len(downbeats) >= 5 and len(found) > 2 else [list(range(first + phase, last + 1, 4)) for phase in range(4)]:
        partial = lines[0] != first, lines[-1] != last
        lines = [first] * int(partial[0]) + lines + [last] * int(partial[1])
        at = np.minimum((beats[lines] / .02).round().astype(int), sums.shape[1] - 1)
        levels = np.diff(sums[:, at]) / np.maximum(1, np.diff(at))
        quarter = levels.shape[1] // 4
        levels -= np.median(levels[:, quarter:max(quarter + 1, levels.shape[1] - quarter)], axis=1, keepdims=True)
        yield beats[lines], np.clip(levels, -12, 1), partial


def features(levels, partial):
    """What Groove.swift weighs, of each line at which the groove may begin."""
    count = levels.shape[1]
    rows = [[*levels[:, :4].mean(1), 0, 0, 1, 0, 0]]
    for line in range(1, int(.45 * count) + 1):
        rows.append([*levels[:, line:line + 4].mean(1), *levels[:, :line].max(1), 0, line / count, (line - partial) % 4 == 0])
    return np.array(rows, float)


def fit(program, folders):
    """Multinomial logistic regression: the probability of the lines that are right, among all lines of a song. Intros and outros backward
    have the same weights."""
    choices = []
    for truth, tempo, cues, path in (song for folder in folders for song in analyzed(program, folder)):
        for side in ('intro', 'outro'):
            rows, hits = [], []
            for times, levels, partial in bars(path, tempo, cues):
                if side == 'outro': times, levels, partial = times[::-1], levels[:, ::-1], partial[::-1]
                found = features(levels, partial[0])
                rows += list(found)
                hits += [right(truth, {'intro_end_s': time, 'outro_start_s': time}, side) for time in times[:len(found)]]
            if any(hits): choices.append((np.array(rows), np.array(hits)))
    scale = np.concatenate([rows for rows, _ in choices]).std(0)

    def loss(weights):
        total, slope = .001 * weights @ weights, .002 * weights
        for rows, hits in choices:
            rows = rows / scale
            chances = np.exp(rows @ weights - (rows @ weights).max())
            chances /= chances.sum()
            share = chances[hits].sum() + 1e-12
            total -= np.log(share) / len(choices)
            slope -= (chances * hits / share - chances) @ rows / len(choices)
        return total, slope

    # Made songs are in phrases throughout, music is not: that weight is limited.
    limits = [(None, None)] * 6 + [(0, scale[-1])]
    weights = optimize.minimize(loss, np.zeros(7), jac=True, method='L-BFGS-B', bounds=limits).x / scale
    for name, weight in zip(('inside: level', 'inside: bass', 'outside: level', 'outside: bass', 'none', 'share', 'phrase'), weights):
        print(f'{name:16}{weight:8.2f}')


def right(truth, cues, side):
    """A song without an outro has one only if that begins more than half a bar before its end, and with a fade, before the fade."""
    found, near = cues['intro_end_s' if side == 'intro' else 'outro_start_s'], truth['half_bar'] + .03
    if found is None: return False
    if side == 'intro': return abs(found - truth['intro_end']) <= near
    if truth['outro'] in ('none', 'fade'): return found >= truth['end'] - truth['fade'] * 1.25 - near
    return abs(found - truth['outro_start']) <= near


def measure(program, folder):
    rows = [(truth, cues) for truth, _, cues, _ in analyzed(program, folder)]
    first = [cues['first_beat_s'] is not None and abs(cues['first_beat_s'] - truth['first']) < .05 for truth, cues in rows]
    print(f'first beat within 50 ms: {sum(first)} of {len(first)}')
    for side in ('intro', 'outro'):
        for name in ('electronic', 'bands', 'all'):
            chosen = [row for row in rows if name == 'all' or (row[0]['kind'] == 'electronic') == (name == 'electronic')]
            kinds = sorted({row[0][side] for row in chosen})
            counts = [(kind, [right(truth, cues, side) for truth, cues in chosen if truth[side] == kind]) for kind in kinds]
            total = sum((found for _, found in counts), [])
            print(f'{side} {name}: {sum(total)} of {len(total)};', ', '.join(f'{kind} {sum(found)}/{len(found)}' for kind, found in counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True)
    maker, measurer, fitter, fader = (commands.add_parser(name) for name in ('make', 'measure', 'fit', 'fade'))
    maker.add_argument('folder')
    maker.add_argument('--seed', type=int, default=1)
    maker.add_argument('--count', type=int, default=96)
    measurer.add_argument('analyze')
    measurer.add_argument('folder')
    fitter.add_argument('analyze')
    fitter.add_argument('folders', nargs='+')
    fader.add_argument('folder')
    fader.add_argument('output')
    fader.add_argument('--seed', type=int, default=5)
    fader.add_argument('--count', type=int, default=60)
    options = parser.parse_args()
    if options.command == 'fit': return fit(options.analyze, [os.path.abspath(folder) for folder in options.folders])
    if options.command == 'measure': return measure(options.analyze, os.path.abspath(options.folder))
    folder = options.output if options.command == 'fade' else options.folder
    for name in ('music', 'truth'): os.makedirs(os.path.join(folder, name), exist_ok=True)
    if options.command == 'fade': return fade(options.folder, options.output, options.seed, options.count)
    jobs = [(100_000 * options.seed + number, options.folder) for number in range(options.count)]
    with ThreadPoolExecutor(2) as pool: list(pool.map(make, jobs))


if __name__ == '__main__':
    main()
