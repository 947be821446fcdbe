#!/usr/bin/env python3
"""Makes what `health` and `origin` are fitted to and measured on.

  material.py WORK_DIRECTORY download|honest|transcodes|recordings|faults|all

Each step writes files and a table of them, `STEP.tsv`: path, split (fit or test), class, source, truth as JSON.
40% of the sources are in the split `test`, and all that is made from a source is in its split.

  download    Debian packages of free music, soundfonts, modules and drum kits
  honest      what never went through a lossy codec: MIDI rendered with soundfonts, tracker modules, drums sequenced from recorded
              samples, square waves, noise, speech of synthesizers; and the same low-passed, quiet, from 32 kHz, from tape
  transcodes  honest ones through LAME, FFmpeg's AAC, Vorbis, Opus and MP2; a third of them also resampled, amplified or dithered
  recordings  excerpts of the music of free games, untouched
  faults      the same with one fault each, at a random place and strength; FAULTS_EACH is how many copies of a recording get one

Needs apt-get, dpkg-deb, fluidsynth, ffmpeg, espeak-ng, flite, NumPy, SciPy.
"""
import glob, hashlib, json, os, random, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from scipy import signal

PACKAGES = """fluid-soundfont-gm timgm6mb-soundfont musescore-general-soundfont-lossless hydrogen-drumkits openttd-openmsx freedoom mma
pingus-data pekka-kana-2-data tecnoballz-data rafkill-data biniax2-data open-invaders-data solarwolf ri-li-data tuxmath-data
vectoroids singularity-music hyperrogue-music drascula-music asc-music xmoto-data frozen-bubble-data wesnoth-1.16-music
fretsonfire-songs-muldjord fretsonfire-songs-sectoid supertux-data zaz-data extremetuxracer-data widelands-data flare-game
unknown-horizons warmux-data warzone2100-music lincity-ng-data ardentryst hedgewars-data krank mu-cade-data noiz2sa-data
parsec47-data torus-trooper-data titanion-data amoebax-data freedroidrpg-data colobot-common-sounds""".split()
# With another one, all are other excerpts, soundfonts, codecs, places and strengths of the same sources.
SEED = os.environ.get('SEED', '')
# Only sources of this split.
SPLIT = os.environ.get('SPLIT', '')
KEPT = ['ogg', 'mp3', 'flac', 'wav', 'mid', 'mod', 'xm', 's3m', 'it', 'sf2', 'opus', 'wad', 'aiff']
SECONDS = 16


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options).stdout


def split(source):
    return 'test' if int(hashlib.sha256(source.encode()).hexdigest(), 16) % 5 < 2 else 'fit'


class Table:
    """The table of a step, with the files of it."""

    def __init__(self, work, step):
        self.folder = os.path.join(work, step)
        self.rows = []
        os.makedirs(self.folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def add(self, name, kind, source, truth):
        self.rows.append([self.path(name), split(source), kind, source, json.dumps(truth, sort_keys=True)])

    def write(self):
        with open(self.folder + '.tsv', 'w') as file:
            for row in sorted(self.rows): file.write('\t'.join(row) + '\n')


def rows(work, step):
    with open(os.path.join(work, step + '.tsv')) as file:
        return [line.rstrip('\n').split('\t') for line in file]


# Audio as arrays, frames by channels, full scale 1

def write(path, samples, rate, bits=16, rng=None):
    """FLAC; with `rng`, dithered."""
    full = 2 ** (bits - 1)
    steps = samples * full
    if rng is not None: steps = steps + rng.random(samples.shape) - rng.random(samples.shape)
    whole = np.clip(np.round(steps), -full, full - 1).astype(np.int64)
    data = (whole << (32 - bits)).astype('<i4')
    run('ffmpeg', '-v', 'error', '-y', '-f', 's32le', '-ar', rate, '-ac', samples.shape[1], '-i', '-', '-c:a', 'flac', '-compression_level', 0,
        '-sample_fmt', 's16' if bits <= 16 else 's32', *(['-bits_per_raw_sample', '24'] if bits > 16 else []), path,
        input=data.tobytes())


def read(path, rate=None, seconds=None, start=0, channels=2):
    options = ['-ss', start] if start else []
    if seconds: options += ['-t', seconds]
    options += ['-i', path]
    if rate: options += ['-af', 'aresample=resampler=soxr', '-ar', rate]
    data = run('ffmpeg', '-v', 'error', *options, '-ac', channels, '-f', 'f32le', '-')
    return np.frombuffer(data, '<f4').reshape(-1, channels).astype(float)


def resampled(samples, old, new):
    if old == new: return samples
    data = run('ffmpeg', '-v', 'error', '-f', 'f32le', '-ar', old, '-ac', samples.shape[1], '-i', '-', '-af',
               'aresample=resampler=soxr', '-ar', new, '-f', 'f32le', '-', input=samples.astype('<f4').tobytes())
    return np.frombuffer(data, '<f4').reshape(-1, samples.shape[1]).astype(float)


def level(samples, peak=0.9):
    most = np.abs(samples).max()
    return samples * (peak / most) if most > 0 else samples


# Download

def download(work):
    os.makedirs(os.path.join(work, 'debs'), exist_ok=True)
    for package in PACKAGES:
        folder = os.path.join(work, 'pk', package)
        if os.path.exists(folder): continue
        if not glob.glob(os.path.join(work, 'debs', package + '_*.deb')):
            subprocess.run(['apt-get', 'download', '-qq', package], cwd=os.path.join(work, 'debs'))
        for deb in glob.glob(os.path.join(work, 'debs', package + '_*.deb')):
            os.makedirs(folder)
            archive = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', deb], stdout=subprocess.PIPE)
            subprocess.run(['tar', '-x', '-C', folder, '--wildcards', '--no-anchored', '--ignore-case', *('*.' + end for end in KEPT)],
                           stdin=archive.stdout, stderr=subprocess.DEVNULL)


def files(work, endings, least=0):
    found = [path for path in glob.glob(os.path.join(work, 'pk', '**'), recursive=True)
             if path.lower().rsplit('.', 1)[-1] in endings and os.path.isfile(path) and os.path.getsize(path) >= least]
    return sorted(path for path in found if not os.path.islink(path))


# Honest sources

def midis(work):
    """Paths of MIDI files; those within Doom's archives are written out."""
    target = os.path.join(work, 'midi')
    os.makedirs(target, exist_ok=True)
    for wad in files(work, ['wad']):
        data = open(wad, 'rb').read()
        for number, match in enumerate(re.finditer(rb'MThd\x00\x00\x00\x06', data)):
            end, tracks = match.start() + 14, int.from_bytes(data[match.start() + 10:match.start() + 12], 'big')
            for _ in range(tracks):
                if data[end:end + 4] != b'MTrk': break
                end += 8 + int.from_bytes(data[end + 4:end + 8], 'big')
            with open(os.path.join(target, f'{os.path.basename(wad)}-{number}.mid'), 'wb') as file:
                file.write(data[match.start():end])
    found = {}
    for path in sorted(glob.glob(os.path.join(target, '*.mid'))) + files(work, ['mid'], 5000) + sorted(
            glob.glob('/usr/share/doc/mma/examples/**/*.mid', recursive=True)):
        if os.path.getsize(path) > 4000: found.setdefault(hashlib.sha256(open(path, 'rb').read()).hexdigest(), path)
    return sorted(found.values())


def soundfonts(work):
    return [path for path in files(work, ['sf2']) if 'drums' not in path.lower()]


def render_midi(path, font, rate, rng):
    command = ['fluidsynth', '-ni', '-q', '-r', rate, '-O', 'float', '-T', 'raw', '-F', '-', font, path]
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        # The rest of a long piece is not worth its time.
        data = program.stdout.read(8 * rate * (SECONDS + 20))
        program.kill()
    samples = np.frombuffer(data[:len(data) // 8 * 8], '<f4').reshape(-1, 2).astype(float)
    return excerpt(samples, rate, rng)


def excerpt(samples, rate, rng):
    spare = len(samples) - SECONDS * rate
    start = rng.randrange(spare) if spare > 0 else 0
    return samples[start:start + SECONDS * rate]


def notes(rng, rate, seconds=SECONDS):
    """Random beats: (start, length, frequency)."""
    scale, base, step = [0, 2, 3, 5, 7, 8, 10, 12], rng.uniform(80, 300), rng.choice([.1, .125, .15, .2])
    for number in range(int(seconds / step)):
        if rng.random() < .8:
            yield int(number * step * rate), int(step * rate * rng.choice([.5, .9, 1])), base * 2 ** (rng.choice(scale) / 12 + rng.randrange(3))


def square_music(rng, rate):
    """Square, pulse and triangle waves and clocked noise, as game consoles had them: with aliasing, no low-pass."""
    out = np.zeros((SECONDS * rate, 2))
    noise = np.random.default_rng(rng.randrange(2 ** 32))
    for voice in range(rng.randrange(2, 5)):
        kind, gain, pan = rng.choice(['square', 'pulse', 'triangle', 'noise']), rng.uniform(.1, .3), rng.random()
        for start, length, frequency in notes(rng, rate):
            phase = np.arange(length) * frequency / rate % 1
            if kind == 'square': wave = np.where(phase < .5, 1., -1)
            elif kind == 'pulse': wave = np.where(phase < rng.choice([.125, .25]), 1., -1)
            elif kind == 'triangle': wave = np.round((4 * np.abs(phase - .5) - 1) * 7.5) / 7.5
            else: wave = np.repeat(noise.choice([-1., 1], length // 4 + 1), 4)[:length]
            wave = wave * np.round(np.linspace(1, rng.choice([0, .5, 1]), length) * 15) / 15
            end = min(len(out), start + length)
            out[start:end] += wave[:end - start, None] * gain * np.array([1 - pan, pan])
    return out


def noise_music(rng, rate):
    """Colored noise in bursts, saturated and not."""
    noise = np.random.default_rng(rng.randrange(2 ** 32))
    out = noise.standard_normal((SECONDS * rate, 2)) * .2
    out = signal.lfilter(*signal.butter(1, rng.uniform(500, 15000), fs=rate), out, axis=0)
    gate = np.repeat(noise.choice([0., .3, 1], len(out) // 3000 + 1), 3000)[:len(out), None]
    if rng.random() < .5: out *= signal.lfilter([.01], [1, -.99], gate, axis=0)
    if rng.random() < .5: out = np.tanh(out * rng.uniform(2, 20)) * .8
    return level(out, .9)


def drums(work, rng, rate):
    """Recorded drum hits of hydrogen's kits, in time; every second one is cut off hard by a gate."""
    hits = [path for path in files(work, ['flac', 'wav', 'aiff'], 8000) if 'hydrogen' in path]
    chosen = [resampled(read(path), 44100, rate) if rate != 44100 else read(path, 44100) for path in rng.sample(hits, 6)]
    out, step, gated = np.zeros((SECONDS * rate, 2)), rng.uniform(.1, .25), rng.random() < .5
    for number in range(int(SECONDS / step)):
        for hit in chosen:
            if rng.random() < .25:
                start = int(number * step * rate)
                part = hit[:int(step * rate * 1.5)] if gated else hit
                end = min(len(out), start + len(part))
                out[start:end] += part[:end - start] * rng.uniform(.2, 1)
    return level(out, rng.uniform(.5, .95))


TEXTS = ['The night knows every file and says little about the library as a whole.',
         'Seven short sentences are spoken here, one after the other, by a machine.',
         'Numbers follow: one, two, three, four, five, six, seven, eight, nine, ten.']


def speech(rng, path):
    text = ' '.join(rng.sample(TEXTS, 3) * 3)
    if rng.random() < .5:
        run('espeak-ng', '-v', rng.choice(['en', 'de', 'fr', 'it']), '-s', rng.randrange(120, 190), '-w', path, text)
    else:
        run('flite', '-voice', rng.choice(['slt', 'rms', 'kal16', 'awb']), '-t', text, '-o', path)


def honest(work):
    table, jobs = Table(work, 'honest'), []
    fonts = soundfonts(work)

    def job(kind, number, source, make):
        if SPLIT and split(source) != SPLIT: return

        def go():
            rng = random.Random(f'{SEED}{kind}{number}')
            name = f'{kind}-{number:03d}.flac'
            if os.path.exists(table.path(name)):
                table.add(name, kind, source, {})
                return
            samples, rate, bits, truth = make(rng)
            if len(samples) < 5 * rate or np.abs(samples).max() < 1e-4: return
            samples = samples[:SECONDS * rate]
            dither = np.random.default_rng(rng.randrange(2 ** 32)) if truth.pop('dither', rng.random() < .4) else None
            write(table.path(name), samples, rate, bits, dither)
            table.add(name, kind, source, truth)
        jobs.append(go)

    def base(rng, path):
        rate = rng.choice([44100, 44100, 44100, 48000])
        return level(render_midi(path, rng.choice(fonts), rate, rng), rng.uniform(.4, .98)), rate

    def plain(rng, path):
        samples, rate = base(rng, path)
        if rng.random() < .2: return samples, rate, 24, {}
        return samples, rate, 16, {}

    def low_passed(rng, path):
        samples, rate = base(rng, path)
        edge = rng.uniform(11000, 20000)
        taps = signal.firwin(rng.choice([65, 255, 1023, 4095]), edge, fs=rate, window=('kaiser', rng.choice([8, 12])))
        return signal.fftconvolve(samples, taps[:, None], axes=0)[:len(samples)], rate, 16, {'edge_hz': round(edge)}

    def quiet(rng, path):
        samples, rate = base(rng, path)
        return samples * 10 ** (rng.uniform(-50, -25) / 20), rate, 16, {}

    def broadcast(rng, path):
        rate = rng.choice([44100, 48000])
        samples = level(render_midi(path, rng.choice(fonts), 32000, rng), rng.uniform(.4, .9))
        return resampled(samples, 32000, rate), rate, 16, {'upsampled': 32000}

    def tape(rng, path):
        samples, rate = base(rng, path)
        noise = np.random.default_rng(rng.randrange(2 ** 32))
        wow = np.cumsum(1 + .002 * np.sin(np.arange(len(samples)) / rate * 2 * np.pi * .7))
        samples = np.stack([np.interp(wow, np.arange(len(samples)), channel) for channel in samples.T], axis=1)
        samples = signal.lfilter(*signal.butter(3, rng.uniform(9000, 15000), fs=rate), np.tanh(samples * 1.5) / 1.5, axis=0)
        hiss = signal.lfilter([1, -.7], [1], noise.standard_normal(samples.shape), axis=0)
        return samples * .8 + hiss * 10 ** (rng.uniform(-66, -46) / 20), rate, 16, {}

    def old(rng, path):
        samples, rate = base(rng, path)
        mono = signal.lfilter(*signal.butter(4, [120, rng.uniform(4000, 8000)], 'band', fs=rate), samples.mean(1))
        noise = np.random.default_rng(rng.randrange(2 ** 32)).standard_normal(len(mono)) * 10 ** (rng.uniform(-60, -45) / 20)
        return np.stack([level(mono, .7) + noise] * 2, axis=1), rate, 16, {}

    for number, path in enumerate(files(work, ['mod', 'xm', 's3m', 'it'], 10000)):
        job('module', number, 'module:' + os.path.basename(path),
            lambda rng, path=path: (read(path, None, SECONDS, rng.uniform(0, 20)), 48000, 16, {}) if rng.random() < .5
            else (read(path, 44100, SECONDS, rng.uniform(0, 20)), 44100, 16, {}))
    for number in range(24):
        rate = 44100 if number % 4 else 48000
        job('squares', number, f'squares:{number}', lambda rng, rate=rate: (square_music(rng, rate), rate, 16, {'dither': False}))
        job('drums', number, f'drums:{number}', lambda rng, rate=rate: (drums(work, rng, rate), rate, 16, {}))
    for number in range(12):
        job('noise', number, f'noise:{number}', lambda rng: (noise_music(rng, 44100), 44100, 16, {}))

    def spoken(rng, number):
        path = os.path.join(work, f'speech-{number}.wav')
        speech(rng, path)
        if number % 2: return level(read(path, 44100), .7), 44100, 16, {'upsampled': True}
        rate = int(run('ffprobe', '-v', 'error', '-show_entries', 'stream=sample_rate', '-of', 'csv=p=0', path))
        return level(read(path), .7), rate, 16, {}
    for number in range(16):
        job('speech', number, f'speech:{number}', lambda rng, number=number: spoken(rng, number))
    songs = midis(work)
    for number, path in enumerate(songs):
        source = 'midi:' + os.path.basename(path)
        job('midi', number, source, lambda rng, path=path: plain(rng, path))
        kind, make = [('low-passed', low_passed), ('quiet', quiet), ('from-32k', broadcast), ('tape', tape), ('old', old)][number % 5]
        job(kind, number, source, lambda rng, path=path, make=make: make(rng, path))
    perform(jobs)
    table.write()


def perform(jobs):
    def attempt(job):
        try: job()
        except subprocess.CalledProcessError as error: print(error.cmd[:6], error.stderr[-200:], file=sys.stderr)
    with ThreadPoolExecutor(2) as pool: list(pool.map(attempt, jobs))


# Transcodes

CODECS = [('mp3', rate, ['-c:a', 'libmp3lame', '-b:a', f'{rate}k'], 'mp3') for rate in (128, 160, 192, 256, 320)] + [
    ('mp3', 'V0', ['-c:a', 'libmp3lame', '-q:a', 0], 'mp3'), ('mp3', 'V2', ['-c:a', 'libmp3lame', '-q:a', 2], 'mp3')] + [
    ('aac', rate, ['-c:a', 'aac', '-b:a', f'{rate}k'], 'm4a') for rate in (128, 192, 256, 320)] + [
    ('vorbis', rate, ['-c:a', 'libvorbis', '-q:a', quality], 'ogg') for quality, rate in ((4, 128), (6, 192), (8, 256), (9, 320))] + [
    ('opus', rate, ['-c:a', 'libopus', '-b:a', f'{rate}k'], 'opus') for rate in (96, 128, 192, 256)] + [
    ('mp2', rate, ['-c:a', 'mp2', '-b:a', f'{rate}k'], 'mp2') for rate in (192, 256, 320)]


def transcodes(work, each=2):
    table, jobs = Table(work, 'transcodes'), []
    for path, _, kind, source, _ in rows(work, 'honest'):
        # Speech below 44.1 kHz has other rates, and is what telephones and broadcasters deliver.
        if kind in ('speech', 'old', 'quiet', 'from-32k'): continue
        rng = random.Random(SEED + 'transcodes' + path)
        for codec, rate, options, end in rng.sample(CODECS, each):
            after = rng.choice(['', '', '', '', 'gain', 'resampled', 'dither'])
            name = f'{os.path.basename(path)[:-5]}-{codec}-{rate}{after and "-" + after}.flac'
            seed = rng.randrange(2 ** 32)

            def go(path=path, kind=kind, source=source, codec=codec, rate=rate, options=options, end=end, after=after, name=name, seed=seed):
                rng, coded = random.Random(seed), table.path(name + '.' + end)
                run('ffmpeg', '-v', 'error', '-y', '-i', path, *options, coded)
                hertz = int(run('ffprobe', '-v', 'error', '-show_entries', 'stream=sample_rate', '-of', 'csv=p=0', coded).split()[0])
                samples, dither, out = read(coded), None, hertz
                os.unlink(coded)
                # Where the file starts says nothing of where the frames did.
                samples = samples[rng.randrange(5000):]
                if after == 'gain': samples = samples * 10 ** (rng.uniform(-9, 3) / 20)
                if after == 'resampled':
                    out = 48000 if hertz == 44100 else 44100
                    samples = resampled(samples, hertz, out)
                if after == 'dither': dither = np.random.default_rng(seed)
                write(table.path(name), samples, out, 16, dither)
                table.add(name, kind, source, {'codec': codec, 'rate': rate, 'after': after})
            jobs.append(go)
    perform(jobs)
    table.write()


# Recordings and faults

NOT_MUSIC = re.compile(r'/ambient/|/sfx/|/interface/|/speech|/units/|/sounds?/effects|/voices?/|guitar\.ogg$|/toon/|/video/|soundfx', re.I)


def recordings(work, most=14):
    """The first excerpts of untouched music: as they are, of whatever codec they came in."""
    table, jobs, seen = Table(work, 'recordings'), [], {}
    paths = [path for path in files(work, ['ogg', 'mp3', 'opus', 'flac'], 350_000) if not NOT_MUSIC.search(path)]
    for path in paths + files(work, ['mod', 'xm', 's3m', 'it'], 10000):
        package = path.split('/pk/')[1].split('/')[0]
        seen[package] = seen.get(package, 0) + 1
        if seen[package] > most: continue
        name = f'{package}-{seen[package]:02d}.flac'

        def go(path=path, package=package, name=name):
            rng = random.Random(SEED + name)
            if os.path.exists(table.path(name)):
                table.add(name, 'music', package + ':' + os.path.basename(path), {})
                return
            samples = read(path, 44100, 30, rng.uniform(0, 20))
            if len(samples) < 20 * 44100 or np.abs(samples).max() < .01: samples = read(path, 44100, 30)
            if len(samples) < 15 * 44100 or np.abs(samples).max() < .01: return
            # Decoders of lossy codecs go beyond full scale.
            if np.abs(samples).max() > .999: samples = level(samples, .999)
            write(table.path(name), samples, 44100)
            table.add(name, 'music', package + ':' + os.path.basename(path), {})
        jobs.append(go)
    perform(jobs)
    table.write()


if __name__ == '__main__':
    work, steps = sys.argv[1], sys.argv[2:]
    each = {'faults': {'each': int(os.environ.get('FAULTS_EACH', 1))}}
    if 'faults' in steps or 'all' in steps: from faults import faults
    for step in ['download', 'honest', 'transcodes', 'recordings', 'faults']:
        if step in steps or 'all' in steps: globals()[step](work, **each.get(step, {}))
