#!/usr/bin/env python3
"""Makes healthy files with many encoders, runs the program over them, and fails if one is called damaged.

  healthy.py ANALYZE [--files 1000] [--seed 1] [--work .build/healthy] [--names]

Each file has a source of one of five kinds (noise, tones, silence with sounds, pulses, quiet fades), an odd length, a usual or
unusual sample rate and 1 to 8 channels, and goes through one or two encoders, or is remuxed, cut or chained afterwards: that gives
gaps in timestamps, edit lists, odd last frames. The same seed and programs give the same files. Prints how many files each encoder
made, the remarks, and what is called damaged. Needs numpy and the programs that `Scripts/setup healthy` installs.
"""
import argparse, collections, json, os, random, re, shutil, struct, subprocess, sys
import numpy

KINDS = ('noise', 'tones', 'silence', 'pulses', 'fade')
RATES = (8000, 11025, 16000, 22050, 32000, 44100, 44100, 48000, 48000, 88200, 96000)
MP3_RATES, AC3_RATES, OPUS_RATES = (8000, 11025, 16000, 22050, 32000, 44100, 48000), (32000, 44100, 48000), (8000, 16000, 48000)
# Speakers of mono to 7.1.
MASKS = (0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F)
AAC_RATES = (8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000)


def run(*command):
    """Whether a program made something of it; encoders reject some combinations."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def ffmpeg(source, target, *options, before=()):
    return run('ffmpeg', '-nostdin', '-y', *before, '-i', source, '-map_metadata', '-1', *options, '-fflags', '+bitexact', target)


def codec(*options, rates=RATES, channels=8, suffix):
    """An encoder of FFmpeg."""
    return rates, channels, suffix, lambda source, target, _: ffmpeg(source, target, *options)


def program(*command, rates=RATES, channels=2, suffix):
    """Another program; IN and OUT stand for the files, {low..high} for a number."""
    def make(source, target, chance):
        def word(text):
            text = re.sub(r'\{(\d+)\.\.(\d+)\}', lambda found: str(chance.randint(int(found[1]), int(found[2]))), text)
            return {'IN': source, 'OUT': target}.get(text, text)
        return run(*map(word, command))
    return rates, channels, suffix, make


ENCODERS = {
    'ffmpeg flac': codec('-c:a', 'flac', suffix='flac'), 'ffmpeg alac': codec('-c:a', 'alac', suffix='m4a'),
    'ffmpeg alac caf': codec('-c:a', 'alac', suffix='caf'), 'ffmpeg flac mp4': codec('-c:a', 'flac', '-strict', '-2', suffix='mp4'),
    'ffmpeg aac': codec('-c:a', 'aac', rates=AAC_RATES, suffix='m4a'), 'ffmpeg adts': codec('-c:a', 'aac', rates=AAC_RATES, suffix='aac'),
    'ffmpeg fragments': codec('-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-frag_duration', '300000', rates=AAC_RATES, suffix='m4a'),
    'ffmpeg mp3': codec('-c:a', 'libmp3lame', rates=MP3_RATES, channels=2, suffix='mp3'),
    'ffmpeg mp3 bare': codec('-c:a', 'libmp3lame', '-write_xing', '0', '-id3v2_version', '0', rates=MP3_RATES, channels=2, suffix='mp3'),
    'ffmpeg vorbis': codec('-c:a', 'libvorbis', suffix='ogg'), 'ffmpeg opus': codec('-c:a', 'libopus', rates=OPUS_RATES, suffix='opus'),
    'ffmpeg opus mka': codec('-c:a', 'libopus', rates=OPUS_RATES, suffix='mka'), 'ffmpeg webm': codec('-c:a', 'libvorbis', suffix='webm'),
    'ffmpeg ogg flac': codec('-c:a', 'flac', suffix='oga'), 'ffmpeg wavpack': codec('-c:a', 'wavpack', suffix='wv'),
    # FFmpeg 5.1 writes TTA of 5 channels and cannot decode it.
    'ffmpeg tta': codec('-c:a', 'tta', channels=4, suffix='tta'), 'ffmpeg mp2': codec('-c:a', 'mp2', rates=(16000, 22050, 32000, 44100, 48000), channels=2, suffix='mp2'),
    'ffmpeg ac3': codec('-c:a', 'ac3', rates=AC3_RATES, channels=6, suffix='ac3'),
    'ffmpeg eac3': codec('-c:a', 'eac3', rates=AC3_RATES, channels=6, suffix='eac3'),
    'ffmpeg dts': codec('-c:a', 'dca', '-strict', '-2', rates=(44100, 48000), channels=2, suffix='dts'),
    'ffmpeg truehd': codec('-c:a', 'truehd', '-strict', '-2', rates=(44100, 48000, 88200, 96000), channels=2, suffix='thd'),
    'ffmpeg wma': codec('-c:a', 'wmav2', rates=(16000, 22050, 32000, 44100, 48000), channels=2, suffix='wma'),
    'ffmpeg ima': codec('-c:a', 'adpcm_ima_wav', channels=2, suffix='wav'), 'ffmpeg ms': codec('-c:a', 'adpcm_ms', channels=2, suffix='wav'),
    'ffmpeg ima4': codec('-c:a', 'adpcm_ima_qt', '-f', 'aiff', channels=2, suffix='aifc'),
    'ffmpeg mp3 wav': codec('-c:a', 'libmp3lame', rates=MP3_RATES, channels=2, suffix='wav'),
    'ffmpeg 24 bits': codec('-c:a', 'pcm_s24le', suffix='wav'), 'ffmpeg float': codec('-c:a', 'pcm_f32le', suffix='w64'),
    'ffmpeg aiff': codec('-c:a', 'pcm_s16be', suffix='aiff'), 'ffmpeg caf': codec('-c:a', 'pcm_s24be', suffix='caf'),
    'ffmpeg au': codec('-c:a', 'pcm_mulaw', suffix='au'), 'ffmpeg voc': codec('-c:a', 'pcm_u8', channels=2, suffix='voc'),
    'ffmpeg mka': codec('-c:a', 'pcm_s16le', suffix='mka'),
    'lame': program('lame', '--quiet', '-V', '{0..9}', 'IN', 'OUT', rates=MP3_RATES, suffix='mp3'),
    'lame abr': program('lame', '--quiet', '-p', '--abr', '{40..300}', 'IN', 'OUT', rates=MP3_RATES, suffix='mp3'),
    'lame bare': program('lame', '--quiet', '-t', '--preset', 'cbr', '128', 'IN', 'OUT', rates=(44100, 48000), suffix='mp3'),
    'lame free': program('lame', '--quiet', '--freeformat', '-b', '{100..310}', 'IN', 'OUT', rates=(44100, 48000), suffix='mp3'),
    'flac': program('flac', '-s', '-f', '-{0..8}', 'IN', '-o', 'OUT', channels=8, suffix='flac'),
    'flac blocks': program('flac', '-s', '-f', '--lax', '-b', '{16..9000}', 'IN', '-o', 'OUT', channels=8, suffix='flac'),
    'flac ogg': program('flac', '-s', '-f', '--ogg', 'IN', '-o', 'OUT', channels=8, suffix='oga'),
    'oggenc': program('oggenc', '-Q', '-q', '{0..10}', 'IN', '-o', 'OUT', channels=8, suffix='ogg'),
    'opusenc': program('opusenc', '--quiet', '--bitrate', '{16..250}', 'IN', 'OUT', channels=8, suffix='opus'),
    'opusenc short': program('opusenc', '--quiet', '--framesize', '2.5', 'IN', 'OUT', suffix='opus'),
    'speexenc': program('speexenc', '--quiet', '--quality', '{1..10}', 'IN', 'OUT', rates=(8000, 16000, 32000), suffix='spx'),
    'wavpack': program('wavpack', '-q', '-y', 'IN', '-o', 'OUT', channels=8, suffix='wv'),
    'wavpack hybrid': program('wavpack', '-q', '-y', '-b{200..900}', 'IN', '-o', 'OUT', channels=8, suffix='wv'),
    'twolame': program('twolame', '--quiet', 'IN', 'OUT', rates=(16000, 22050, 32000, 44100, 48000), suffix='mp2'),
    'twolame crc': program('twolame', '--quiet', '--protect', '--vbr', 'IN', 'OUT', rates=(32000, 44100, 48000), suffix='mp2'),
    'mpcenc': program('mpcenc', '--silent', '--overwrite', '--quality', '{2..9}', 'IN', 'OUT', rates=(32000, 44100, 48000), suffix='mpc'),
    'sox ima': program('sox', 'IN', '-e', 'ima-adpcm', 'OUT', suffix='wav'), 'sox ms': program('sox', 'IN', '-e', 'ms-adpcm', 'OUT', suffix='wav'),
    'sox gsm': program('sox', 'IN', '-c', '1', '-e', 'gsm-full-rate', 'OUT', rates=(8000,), suffix='wav'),
    'sox aiff': program('sox', 'IN', 'OUT', channels=8, suffix='aiff'), 'sox 8 bits': program('sox', 'IN', '-b', '8', 'OUT', channels=8, suffix='wav'),
    'sox voc': program('sox', 'IN', 'OUT', suffix='voc'), 'sox mp3': program('sox', 'IN', 'OUT', rates=MP3_RATES, suffix='mp3'),
    'sox vorbis': program('sox', 'IN', 'OUT', suffix='ogg'), 'sox a-law': program('sox', 'IN', '-e', 'a-law', 'OUT', channels=8, suffix='au'),
}
# What is done to a file afterwards, by the suffixes that allow it: another encoder, or the same packets in another form.
LOSSLESS_AGAIN = ('ffmpeg alac', 'ffmpeg flac', 'ffmpeg flac mp4', 'ffmpeg aac', 'ffmpeg mka', 'ffmpeg alac caf', 'ffmpeg opus mka')
COPIES = {'m4a': ('m4a', 'mka', 'mov.m4a'), 'mp3': ('mp3', 'mka'), 'ogg': ('ogg', 'mka'), 'opus': ('opus', 'mka', 'webm'), 'flac': ('flac', 'mka'), 'ac3': ('ac3', 'mka'), 'wv': ('mka',)}


def source(path, chance, rate, channels):
    """A WAV file of 16 bits."""
    kind, count = chance.choice(KINDS), int(rate * chance.uniform(0.3, 4)) + chance.randrange(1000)
    noise, time = numpy.random.default_rng(chance.randrange(1 << 32)), numpy.arange(count)[:, None] / rate
    if kind == 'noise': samples = noise.standard_normal((count, channels)) * 10 ** chance.uniform(-3, -0.7)
    elif kind == 'tones': samples = numpy.sin(2 * numpy.pi * time * numpy.array([chance.uniform(40, rate / 3) for _ in range(channels)])) * chance.uniform(0.01, 0.99)
    elif kind == 'silence': samples = noise.standard_normal((count, channels)) * 0.2 * (numpy.sin(2 * numpy.pi * time * chance.uniform(0.3, 2)) > chance.uniform(-0.5, 0.8))
    elif kind == 'pulses': samples = 0.3 * numpy.sin(2 * numpy.pi * 220 * time) + 0.5 * noise.standard_normal((count, channels)) * numpy.exp(-(time % chance.uniform(0.1, 0.7)) * 30)
    else: samples = noise.standard_normal((count, channels)) * 0.1 * numpy.linspace(1, 0, count)[:, None] ** 4
    pcm = (samples * 32767).clip(-32768, 32767).astype('<i2').tobytes()
    layout = struct.pack('<HHIIHH', 1 if channels < 3 else 0xFFFE, channels, rate, rate * 2 * channels, 2 * channels, 16)
    if channels > 2: layout += struct.pack('<HHI16s', 22, 16, MASKS[channels - 1], bytes.fromhex('0100000000001000800000aa00389b71'))
    with open(path, 'wb') as file:
        file.write(struct.pack('<4sI8sI', b'RIFF', 20 + len(layout) + len(pcm), b'WAVEfmt ', len(layout)) + layout + struct.pack('<4sI', b'data', len(pcm)) + pcm)
    return kind


def again(path, name, folder, chance):
    """The file, or another made of it."""
    stem, suffix = path[:path.rindex('.')], path.rsplit('.', 1)[-1]
    step = chance.randrange(10)
    if step < 2 and suffix in ('ogg', 'opus', 'mp3', 'spx', 'mpc', 'm4a'):
        second = chance.choice(LOSSLESS_AGAIN)
        target = f'{stem}-2.{ENCODERS[second][2]}'
        cut = ('-ss', f'{chance.uniform(0.01, 0.2):.3f}') if chance.random() < 0.3 else ()
        rates = ('-ar', '48000') if 'opus' in second else ()
        made, name = ffmpeg(path, target, *codec_options(second), *rates, before=cut), f'{name} > {second}'
    elif step < 4 and suffix in COPIES:
        target = f'{stem}-2.{chance.choice(COPIES[suffix])}'
        # FFmpeg would leave the old length in the header of FLAC.
        cut = ('-ss', f'{chance.uniform(0.01, 0.25):.3f}') if chance.random() < 0.5 and suffix != 'flac' else ()
        made, name = ffmpeg(path, target, '-c', 'copy', *(('-movflags', '+faststart') if target.endswith('m4a') else ()), before=cut), f'{name} > copy'
    elif step == 4 and suffix in ('ogg', 'opus'):
        target, made, name = f'{stem}-2.{suffix}', True, f'{name} > chain'
        with open(path, 'rb') as file: data = file.read()
        # Serial numbers of a chain differ; the other stream has another.
        with open(target, 'wb') as file: file.write(data + b''.join(open(other, 'rb').read() for other in [rest for rest in chain_candidates(folder, suffix) if rest != path][:1]))
    else: return path, name
    if not made or not os.path.exists(target) or os.path.getsize(target) < 100: return path, name.split(' > ')[0]
    os.remove(path)
    return target, name


OPTIONS = {'ffmpeg alac': ['alac'], 'ffmpeg flac': ['flac'], 'ffmpeg flac mp4': ['flac', '-strict', '-2'], 'ffmpeg aac': ['aac'], 'ffmpeg mka': ['pcm_s16le'], 'ffmpeg alac caf': ['alac'], 'ffmpeg opus mka': ['libopus']}


def codec_options(name): return ['-c:a', *OPTIONS[name]]


def chain_candidates(folder, suffix): return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith('.' + suffix))


def make(folder, count, seed):
    """The encoder of each file, by its name."""
    made, failures, number = {}, collections.Counter(), 0
    wav = os.path.join(folder, 'source.wav')
    while len(made) < count and number < 2 * count:
        chance = random.Random(f'{seed} {number}')
        name = list(ENCODERS)[number % len(ENCODERS)]
        rates, most, suffix, encode = ENCODERS[name]
        channels = min(chance.choice((1, 2, 2, 2, 3, 4, 5, 6, 7, 8)), chance.choice((most, 2)), most)
        kind = source(wav, chance, chance.choice(rates), channels)
        path = os.path.join(folder, f'{number:05d}-{kind}-{channels}.{suffix}')
        number += 1
        if not encode(wav, path, chance) or not os.path.exists(path) or os.path.getsize(path) < 100:
            failures[name] += 1
            continue
        path, name = again(path, name, folder, chance)
        made[os.path.basename(path)] = name
    os.remove(wav)
    for name, times in failures.items(): print(f'healthy: {name} rejected {times} sources', file=sys.stderr)
    return made


def records(analyze, folder, work):
    """The records of the program, by the names of the files."""
    database = os.path.join(work, 'results.sqlite')
    for suffix in ('', '-wal', '-shm', '.lock'):
        if os.path.exists(database + suffix): os.remove(database + suffix)
    found = subprocess.run([analyze, 'run', folder, '--only', 'loudness', '--database', database, '--report', 'ndjson', '--output', '-', '--quiet'],
                           stdout=subprocess.PIPE, text=True, env={**os.environ, 'ANALYZE_ALL_FILES': 'true'}).stdout
    return {os.path.basename(record['path']): record for record in map(json.loads, found.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('analyze')
    parser.add_argument('--files', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--work', default='.build/healthy')
    parser.add_argument('--names', action='store_true', help='list the files with remarks, too')
    options = parser.parse_args()
    folder = os.path.join(options.work, 'files')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    made = make(folder, options.files, options.seed)
    found = records(options.analyze, folder, options.work)
    counts, remarks, damaged = collections.Counter(name.split(' > ')[0] for name in made.values()), collections.Counter(), []
    for name, encoder in sorted(made.items()):
        record = found.get(name) or {'status': 'absent', 'error': None}
        codes = sorted({remark['code'] for remark in record.get('remarks') or []} - {'very_short'})
        for code in codes: remarks[code, encoder] += 1
        if codes and options.names: print(f'{name}: {encoder}: {", ".join(codes)}')
        if record['status'] != 'ok': damaged.append(f'{name}: {encoder}: {record["status"]}: {(record["error"] or {}).get("message")}')
    for (code, encoder), count in sorted(remarks.items()): print(f'healthy: remark {code}: {count} of {encoder}')
    for line in damaged: print(f'healthy: called damaged: {line}')
    unused = ENCODERS.keys() - counts.keys()
    for name in sorted(unused): print(f'healthy: {name} made no file')
    print(f'healthy: {len(made)} files of {len(counts)} encoders, seed {options.seed}: {len(damaged)} called damaged (= 0)')
    sys.exit(bool(damaged) or (bool(unused) and options.files >= 500) or len(made) < options.files)


if __name__ == '__main__':
    main()
