#!/usr/bin/env python3
"""Damages files of all containers, runs the program over them, and fails if one is falsely called fine, or falsely damaged.

  damage.py ANALYZE [--seed 1] [--work .build/damage] [--names]

Each setting of `healthy.py`, and a few more, makes a file of a random source; each damage makes another one of it. Strict tools (ffmpeg,
flac -t, ogginfo, wvunpack, mp3val) and a comparison with the samples of the intact file tell what is lost. Counted are
  false fine: neither damaged nor with a remark, although a strict tool complains and samples differ, or samples are missing;
  false alarm: an intact file, or one with a tag or padding before or after it, that is called damaged;
  less seen: a file of a container with lengths that was cut, and looks better than one that was cut less;
  absurd: a length of more than 20 times that of the intact file.
Damage that only the samples show, such as a bit in PCM, is counted, not judged. The same seed and programs give the same files. Needs
numpy and the programs that `Scripts/setup damage` installs.
"""
import argparse, collections, concurrent.futures, hashlib, os, random, re, shutil, struct, subprocess, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../healthy'))
import healthy
from healthy import codec

CONTAINERS = dict(healthy.ENCODERS) | {
    'faststart': codec('-c:a', 'aac', '-movflags', '+faststart', rates=healthy.AAC_RATES, channels=2, suffix='m4a'),
    'index': codec('-c:a', 'aac', '-movflags', 'dash+global_sidx', '-frag_duration', '300000', rates=healthy.AAC_RATES, channels=2, suffix='m4a'),
    'opus mp4': codec('-c:a', 'libopus', '-strict', '-2', rates=healthy.OPUS_RATES, channels=2, suffix='mp4'),
    'opus caf': codec('-c:a', 'libopus', rates=healthy.OPUS_RATES, channels=2, suffix='caf'),
    'flac mka': codec('-c:a', 'flac', suffix='mka'), 'rf64': codec('-c:a', 'pcm_s16le', '-rf64', 'always', suffix='wav'),
    'loas': codec('-f', 'latm', '-c:a', 'aac', rates=(44100, 48000), channels=2, suffix='loas'),
}
# Streams without a length: cut between two frames, they are whole.
BARE = ('mp3 bare', 'lame free', 'lame bare', 'sox mp3', 'adts', 'mp2', 'twolame', 'ac3', 'eac3', 'dts', 'truehd', 'loas', 'voc', 'au', 'speex', 'sox')
MIN_SIZE = 24_000


def middle(data, chance, length):
    """The start of a stretch between the headers and the last bytes."""
    return chance.randrange(len(data) // 5, max(len(data) // 5 + 1, len(data) * 4 // 5 - length))


def flipped(data, chance, count, low=0.05, high=0.95):
    data = bytearray(data)
    for _ in range(count): data[chance.randrange(int(len(data) * low), max(int(len(data) * high), 1))] ^= 1 << chance.randrange(8)
    return bytes(data)


def replaced(data, chance, length, make):
    place = middle(data, chance, length)
    return data[:place] + make(length) + data[place + length:]


def lost(data, chance, length):
    place = middle(data, chance, length)
    return data[:place] + data[place + length:]


def inserted(data, chance, added):
    place = middle(data, chance, 0)
    return data[:place] + added + data[place:]


def repeated(data, chance, length):
    place = middle(data, chance, length)
    return data[:place + length] + data[place:]


def swapped(data, chance, length):
    place = middle(data, chance, 2 * length)
    return data[:place] + data[place + length:place + 2 * length] + data[place:place + length] + data[place + 2 * length:]


def tail(data, chance, make):
    place = chance.randrange(len(data) // 4, len(data) * 3 // 4)
    return data[:place] + make(len(data) - place)


# Each takes the bytes, a source of chance, and another file.
DAMAGES = {
    'bit': lambda d, c, _: flipped(d, c, 1), 'bits': lambda d, c, _: flipped(d, c, len(d) // 2000 + 2),
    'header': lambda d, c, _: flipped(d, c, 2, 0, min(1, 200 / len(d))), 'end cut': lambda d, c, _: d[:-c.randrange(1, 60)],
    'start lost': lambda d, c, _: d[c.randrange(len(d) // 5, len(d) * 4 // 5):], 'byte lost': lambda d, c, _: lost(d, c, 1),
    'bytes lost': lambda d, c, _: lost(d, c, c.randrange(2, 6000)), 'byte added': lambda d, c, _: inserted(d, c, b'\x55'),
    'noise added': lambda d, c, _: inserted(d, c, c.randbytes(c.randrange(2, 9000))), 'repeated': lambda d, c, _: repeated(d, c, c.randrange(300, 6000)),
    'swapped': lambda d, c, _: swapped(d, c, 4096), 'zeros': lambda d, c, _: replaced(d, c, c.randrange(4096, 9000), bytes),
    'noise': lambda d, c, _: replaced(d, c, c.randrange(4096, 9000), c.randbytes), 'zeros from here': lambda d, c, _: tail(d, c, bytes),
    'ones from here': lambda d, c, _: tail(d, c, lambda count: b'\xff' * count),
    'another from here': lambda d, c, other: tail(d, c, lambda count: (other * (count // len(other) + 1))[:count]),
    'twice': lambda d, c, _: d + d, 'line ends': lambda d, c, _: d.replace(b'\n', b'\r\n'), 'seven bits': lambda d, c, _: bytes(byte & 0x7F for byte in d),
}
CUTS = 5
ID3V2 = b'ID3\x03\0\0\0\0\x08\0' + bytes(1024)
ID3V1 = b'TAG' + b'Title'.ljust(125, b'\0')
# Formats whose programs put tags of others around them.
TAGGED = ('mp3', 'mp2', 'aac', 'wv', 'tta', 'mpc', 'flac', 'ac3')
HARMLESS = {
    'copy': lambda d: d, 'zeros behind': lambda d: d + bytes(2048), 'tag behind': lambda d: d + ID3V1, 'tag before': lambda d: ID3V2 + d,
}


def intact(name, path, seed):
    """Makes an intact file; several sources are tried until it is large enough for all damages."""
    rates, most, suffix, encode = CONTAINERS[name]
    best = b''
    for number in range(20):
        chance = random.Random(f'{seed} {name} {number}')
        kind = healthy.source(path + ' source.wav', chance, chance.choice(rates), min(chance.choice((1, 2, 2, 2, 6)), most))
        # Damage to silence is no loss.
        if kind in ('silence', 'fade'): continue
        if encode(path + ' source.wav', f'{path}.{suffix}', chance) and os.path.exists(f'{path}.{suffix}'):
            with open(f'{path}.{suffix}', 'rb') as file: best = max(best, file.read(), key=len)
        if len(best) >= MIN_SIZE: break
    for rest in (path + ' source.wav', f'{path}.{suffix}'):
        if os.path.exists(rest): os.remove(rest)
    return best, suffix


def make(folder, seed):
    """The container, damage and name of the intact file, by file name."""
    files, originals = {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = dict(zip(CONTAINERS, pool.map(lambda name: intact(name, os.path.join(folder, name), seed), CONTAINERS)))
    def put(name, damage, data):
        file = f'{name}, {damage}.{made[name][1]}'
        with open(os.path.join(folder, file), 'wb') as target: target.write(data)
        files[file] = name, damage, originals.setdefault(name, file)
    for name, (data, suffix) in made.items():
        if not data:
            print(f'damage: {name} made nothing', file=sys.stderr)
            continue
        chance = random.Random(f'{seed} {name}')
        other = made['lame'][0] if suffix == 'flac' else made['flac'][0]
        put(name, 'copy', data)
        for change, apply in HARMLESS.items():
            if change != 'copy' and (change.startswith('zeros') or suffix in TAGGED): put(name, change, apply(data))
        for damage, apply in DAMAGES.items():
            damaged = apply(data, chance, other)
            if damaged and damaged != data: put(name, damage, damaged)
        for number, size in enumerate(sorted((chance.randrange(len(data) // 8, len(data)) for _ in range(CUTS)), reverse=True)): put(name, f'cut {number}', data[:size])
    return files


def output(*command):
    try: found = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    except subprocess.TimeoutExpired: return -1, b'', b'too slow'
    return found.returncode, found.stdout, found.stderr


def opinion(path):
    """Complaints of strict tools, and number and hash of the samples."""
    # FFmpeg does not decode it, and no other tool is strict.
    if 'lame free' in path: return [], 0, ''
    status, samples, errors = output('ffmpeg', '-nostdin', '-v', 'error', '-err_detect', 'crccheck+bitstream+buffer', '-i', path, '-map', '0:a:0', '-f', 's16le', '-c:a', 'pcm_s16le', '-')
    # FFmpeg reads bytes behind the end that a header of PCM states.
    errors = re.sub(r'.*Invalid PCM packet.*\n|Error while decoding.*\n', '', errors.decode(errors='replace')) if b'Invalid PCM packet' in errors else errors.decode(errors='replace')
    complaints = [errors] if status or errors else []
    suffix = path.rsplit('.', 1)[-1]
    if suffix == 'flac':
        if output('flac', '-t', '-s', path)[0]: complaints.append('flac -t')
    elif suffix in ('ogg', 'oga', 'opus', 'spx'):
        status, text, _ = output('ogginfo', path)
        if status or re.search(rb'WARNING|ERROR', text): complaints.append('ogginfo')
    elif suffix == 'wv':
        if output('wvunpack', '-q', '-vv', path)[0]: complaints.append('wvunpack')
    elif suffix == 'mp3':
        if b'WARNING' in output('mp3val', path)[1]: complaints.append('mp3val')
    return complaints, len(samples), hashlib.md5(samples).hexdigest()


def verdict(record):
    """Damaged, with a remark, or fine."""
    if record['status'] != 'ok': return 'damaged'
    return 'remark' if {remark['code'] for remark in record.get('remarks') or []} - {'very_short'} else 'fine'


def judge(files, found, opinions):
    counts, failures = collections.Counter(), []
    def fail(kind, file, why):
        counts[kind] += 1
        failures.append(f'{kind}: {file}: {why}')
    def length(file): return ((found.get(file) or {}).get('format') or {}).get('duration_s') or 0
    worst = {}
    for file, (name, damage, original) in files.items():
        record = found.get(file)
        if not record:
            fail('absent', file, 'the report lacks it')
            continue
        result, error = verdict(record), record['error'] or {}
        counts[result] += 1
        if error.get('code') in ('worker_crashed', 'time_limit', 'memory_limit'): fail('crash', file, error['code'])
        if length(file) > 20 * length(original) + 60: fail('absurd', file, f'{length(file)} s of {length(original)} s')
        if damage in HARMLESS:
            if result == 'damaged': fail('false alarm', file, error.get('message'))
            continue
        (complaints, count, samples), (usual, whole, right) = opinions[file], opinions[original]
        told = bool(complaints) and not usual
        if result == 'fine':
            if told and samples != right: fail('false fine', file, complaints[0][:120].replace('\n', ' '))
            elif count < whole and (told or 'cut' not in damage): fail('false fine', file, f'{whole - count} bytes of samples are missing')
            elif samples != right: counts['only the samples tell'] += 1
        if damage.startswith('cut') and not any(word in name for word in BARE):
            # From the longest to the shortest.
            if worst.get(name) == 'damaged' and result == 'fine': fail('less seen', file, 'a shorter cut is called damaged')
            if result == 'damaged': worst[name] = 'damaged'
    return counts, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('analyze')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--work', default='.build/damage')
    parser.add_argument('--names', action='store_true', help='list the verdict of each file, too')
    options = parser.parse_args()
    folder = os.path.join(options.work, 'files')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    files = make(folder, options.seed)
    judged = [file for file, (_, damage, _) in files.items() if damage == 'copy' or damage not in HARMLESS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool: opinions = dict(zip(judged, pool.map(lambda file: opinion(os.path.join(folder, file)), judged)))
    found = healthy.records(options.analyze, folder, options.work)
    if options.names:
        for file in files:
            record = found.get(file) or {'status': 'absent', 'error': None}
            print(f'{file}: {verdict(record)}: {(record["error"] or {}).get("message") or [remark["code"] for remark in record.get("remarks") or []]}')
    counts, failures = judge(files, found, opinions)
    for line in failures: print(f'damage: {line}')
    print(f'damage: {len(files)} files of {len({name for name, _, _ in files.values()})} containers, seed {options.seed}: '
          f'{counts["damaged"]} damaged, {counts["remark"]} with a remark, {counts["fine"]} fine, of which {counts["only the samples tell"]} differ in samples alone; '
          f'false fine {counts["false fine"]}, false alarm {counts["false alarm"]}, less seen {counts["less seen"]}, absurd {counts["absurd"]}, '
          f'crash {counts["crash"] + counts["absent"]} (= 0)')
    sys.exit(bool(failures) or len(files) < 1000)


if __name__ == '__main__':
    main()
