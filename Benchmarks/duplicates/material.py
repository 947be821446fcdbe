#!/usr/bin/env python3
"""Makes the material on which the search for duplicates is fitted and measured: encodings of free music out of Debian packages.

  material.py WORK [--download] [--recordings 500] [--seconds 65] [--variants 2]

WORK/debs, WORK/music     the packages (some 4 GB) and what they hold
WORK/files/SPLIT          the files to be searched, originals and their variants
WORK/truth.tsv            id, split, package, kind, codec, kbit/s, gain in dB, seconds cut at the start and at the end, sample rate,
                          speed, path; for files that hold several recordings `holds` has id@start:seconds of each

Packages take turns. The first 226 recordings are in the splits fit and test (by a hash of the package's name); thresholds may be
fitted on both. All others are in the split held, on which nothing is fitted. Each recording is there with its
first --seconds as they are in the package, and in --variants of these: an encoding (mp3, aac, vorbis, opus; 48 to 320 kbit/s);
one with another level; one cut by up to 20 s at either end; one that is resampled, or played 1% faster or slower. Of each six
recordings of a split one file holds all, one after the other, and another one two of them with half a minute of silence between
(a hidden track). No duplicates are an `overdub` (another recording is mixed over the first, as a voice over a karaoke version) and
`shuffled` (seconds of a recording in another order, as in a remix). All choices follow from hashes, so the same packages give the
same material. What is there already is not made again. Needs ffmpeg, apt-get, dpkg-deb.
"""
import argparse, hashlib, os, random, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'likeness'))
from material import MODULES, MUSIC, NOT_MUSIC, describe, unpack  # noqa: E402

PACKAGES = """asc-music drascula-music hyperrogue-music singularity-music wesnoth-1.16-music warzone2100-music nexuiz-music
fretsonfire-songs-sectoid fretsonfire-songs-muldjord extremetuxracer-data lincity-ng-data xmoto-data frozen-bubble-data ri-li-data
pingus-data tomatoes-data pathological btanks-data ardentryst plee-the-bear-data lugaru-data openarena-data planetblupi-music-ogg
colobot-common-sounds marsshooter-data endless-sky-data boswars-data warmux-data trigger-rally-data flare-game hedgewars-data
supertux-data ufoai-music freedroidrpg-data megaglest-data unknown-horizons naev-data freeorion-data widelands-data fb-music-high
pekka-kana-2-data heroes-sound-tracks cube2-data supertuxkart-data redeclipse-data""".split()
# Quick settings of the encoders: they sound a little worse than slow ones.
CODECS = {'mp3': (['libmp3lame', '-compression_level', '7'], '.mp3'), 'aac': (['aac', '-aac_coder', 'fast'], '.m4a'),
          'vorbis': (['libvorbis'], '.ogg'), 'opus': (['libopus', '-compression_level', '2'], '.opus')}
RATES = (48, 64, 96, 128, 192, 256, 320)
# Recordings from here on are held back: nothing is fitted on them.
FITTED = 226
COLUMNS = 'id split package kind codec rate gain cut_start cut_end sample_rate speed path holds'.split()


def split_of(package):
    return 'test' if hashlib.sha256(package.encode()).digest()[0] % 2 else 'fit'


def recordings(work, count):
    """(id, split, package, path, seconds), packages taking turns."""
    found = {}
    for package in PACKAGES:
        folder = os.path.join(work, 'music', package)
        paths = sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names)
        for path in paths:
            if not path.lower().endswith(MUSIC) or path.lower().endswith(MODULES) or NOT_MUSIC.search(path): continue
            if os.path.getsize(path) < 300_000: continue
            found.setdefault(package, []).append(path)
    seen = set()
    while any(found.values()) and len(seen) < count:
        for package in PACKAGES:
            if not found.get(package) or len(seen) >= count: continue
            path = found[package].pop(0)
            fact = describe(path)
            if fact is None or not 45 <= fact[0] <= 1200: continue
            digest = hashlib.sha256(open(path, 'rb').read()).hexdigest()[:10]
            if digest in seen: continue
            seen.add(digest)
            yield digest, split_of(package) if len(seen) <= FITTED else 'held', package, path, fact[0]


def variants(identity, count, ending):
    """The original of a recording, and some variants."""
    choice = random.Random(identity)
    codecs, rates = choice.sample(sorted(CODECS), 4), [choice.choice(RATES) for _ in range(4)]
    plain = dict(codec='copy', rate='', gain=0, cut_start=0, cut_end=0, sample_rate=44100, speed=1, ending=ending)
    made = [dict(plain, codec=codecs[n], rate=rates[n], ending=CODECS[codecs[n]][1]) for n in range(4)]
    made[0].update(kind='encoding')
    made[1].update(kind='level', gain=choice.choice((-18, -12, -6, -3, 3, 6)))
    start, end = choice.choice(((20, 0), (0, 20), (round(choice.uniform(1, 20), 3), round(choice.uniform(1, 20), 3))))
    made[2].update(kind='cut', cut_start=start, cut_end=end)
    if choice.random() < 0.5: made[3].update(kind='resampled', sample_rate=choice.choice((24000, 48000)))
    else: made[3].update(kind='speed', speed=choice.choice((0.99, 1.01, 0.995, 1.005)))
    return [dict(plain, kind='original'), *sorted(choice.sample(made, count), key=made.index)]


def output(row, length):
    """The arguments of ffmpeg for one file."""
    filters = []
    if row['cut_start'] or row['cut_end']:
        filters.append(f"atrim={row['cut_start']}:{length - row['cut_end']},asetpts=PTS-STARTPTS")
    if row['gain']: filters.append(f"volume={row['gain']}dB")
    if row['speed'] != 1: filters.append(f"aresample=44100,asetrate={round(44100 * row['speed'])},aresample=44100")
    arguments = ['-map', '0:a:0', '-map_metadata', '-1']
    if row['codec'] == 'copy': return arguments + ['-c:a', 'copy', row['path']]
    if filters: arguments += ['-af', ','.join(filters)]
    # libopus knows only some rates.
    rate = 48000 if row['codec'] == 'opus' and row['sample_rate'] == 44100 else row['sample_rate']
    most = 160 if rate == 24000 else 320
    row['rate'] = min(row['rate'], most)
    return arguments + ['-ar', str(rate), '-c:a', *CODECS[row['codec']][0], '-b:a', f"{row['rate']}k", row['path']]


def ffmpeg(arguments):
    subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-y', '-threads', '1', *arguments], check=True)


def make(recording, seconds, count, work):
    """The files of a recording; their rows."""
    identity, split, package, path, length = recording
    length = min(seconds, length)
    rows, missing = [], []
    for row in variants(identity, count, os.path.splitext(path)[1].lower()):
        row.update(id=identity, split=split, package=package, holds='', length=length,
                   path=os.path.join(work, 'files', split, f"{identity}-{row['kind']}{row['ending']}"))
        arguments = output(row, length)
        if not os.path.exists(row['path']):
            missing += (['-ac', '2', '-ar', '44100'] if row['codec'] != 'copy' else []) + arguments
        rows.append(row)
    if missing:
        os.makedirs(os.path.join(work, 'files', split), exist_ok=True)
        ffmpeg(['-t', str(seconds), '-i', path, *missing])
    return rows


def other(first, second, kind, work):
    """A file that is no duplicate of a recording, though it has much of it."""
    path = os.path.join(work, 'files', first['split'], f"{first['id']}-{kind}.ogg")
    chosen = random.Random(first['id'] + kind)
    if kind == 'overdub': graph = '[1:a]volume=-2dB,highpass=200[b];[0:a][b]amix=inputs=2:duration=first:normalize=0'
    else:
        starts = [chosen.uniform(0, first['length'] - 6) for _ in range(14)]
        graph = f"[0:a]aresample=44100,asplit={len(starts)}" + ''.join(f'[s{n}]' for n in range(len(starts))) + ';'
        graph += ''.join(f'[s{n}]atrim={start:.3f}:{start + 4:.3f},asetpts=PTS-STARTPTS[t{n}];' for n, start in enumerate(starts))
        graph += ''.join(f'[t{n}]' for n in range(len(starts))) + f'concat=n={len(starts)}:v=0:a=1'
    if not os.path.exists(path):
        ffmpeg(['-i', first['path'], '-i', second['path'], '-filter_complex', graph, '-ac', '2', '-ar', '44100',
                '-c:a', *CODECS['vorbis'][0], '-b:a', '128k', path])
    return dict(first, kind=kind, codec='vorbis', rate=128, path=path)


def join(parts, silence, split, name, work, choice):
    """A file that holds several recordings; its row. `parts` are rows of originals."""
    codec, rate = choice.choice(sorted(CODECS)), choice.choice((96, 128, 192))
    path = os.path.join(work, 'files', split, name + CODECS[codec][1])
    holds, inputs, labels, at = [], [], '', 0.0
    for number, part in enumerate(parts):
        length = part['length']
        holds.append(f"{part['id']}@{at:.3f}:{length:.3f}")
        inputs += ['-i', part['path']]
        pad = f',apad=pad_dur={silence}' if silence and number < len(parts) - 1 else ''
        labels += f"[{number}:a]aresample=44100{pad}[a{number}];"
        at += length + (silence if number < len(parts) - 1 else 0)
    labels += ''.join(f'[a{number}]' for number in range(len(parts))) + f'concat=n={len(parts)}:v=0:a=1'
    if not os.path.exists(path):
        ffmpeg([*inputs, '-filter_complex', labels, '-ar', '48000' if codec == 'opus' else '44100', '-c:a', *CODECS[codec][0],
                '-b:a', f'{rate}k', path])
    return dict(id='', split=split, package=parts[0]['package'], kind='album' if not silence else 'hidden', codec=codec, rate=rate,
                gain=0, cut_start=0, cut_end=0, sample_rate=44100, speed=1, path=path, holds=' '.join(holds))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('work')
    parser.add_argument('--download', action='store_true')
    parser.add_argument('--recordings', type=int, default=500)
    parser.add_argument('--seconds', type=float, default=65)
    parser.add_argument('--variants', type=int, default=2, choices=range(5))
    arguments = parser.parse_args()
    work = os.path.abspath(arguments.work)
    debs = os.path.join(work, 'debs')
    os.makedirs(debs, exist_ok=True)
    for package in PACKAGES:
        if os.path.exists(os.path.join(work, 'music', package)): continue
        if arguments.download and not any(name.startswith(package + '_') for name in os.listdir(debs)):
            subprocess.run(['apt-get', 'download', package], cwd=debs)
        unpack(package, work)
    waiting = {'fit': [], 'test': [], 'held': []}
    with open(os.path.join(work, 'truth.tsv'), 'w') as file:
        def write(rows):
            for row in rows: file.write('\t'.join(str(row[column]) for column in COLUMNS) + '\n')
            file.flush()
        file.write('\t'.join(COLUMNS) + '\n')
        for recording in recordings(work, arguments.recordings):
            try:
                rows = make(recording, arguments.seconds, arguments.variants, work)
                write(rows)
                split, parts = recording[1], waiting[recording[1]]
                parts.append(rows[0])
                if len(parts) < 6: continue
                name, choice = parts[0]['id'], random.Random(parts[0]['id'])
                waiting[split] = []
                write([join(parts, 0, split, name + '-album', work, choice),
                       join(parts[2:4], 30, split, name + '-hidden', work, choice)])
                write([other(parts[0], parts[1], 'overdub', work), other(parts[4], parts[5], 'shuffled', work)])
            except subprocess.CalledProcessError as error:
                print(recording[3], error, file=sys.stderr)


if __name__ == '__main__': main()
