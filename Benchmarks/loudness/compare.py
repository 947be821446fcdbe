#!/usr/bin/env python3
"""Compares loudness, range and true peak with those of ffmpeg and loudgain, and the processor time of all three.

  compare.py FILE… [--analyze .build/release/analyze]

Prints for each measure how far the three are apart. Neither program is the truth: loudgain decodes lossy files to 16 bits,
which clips their peaks, and the range depends on how many blocks are looked at (ffmpeg: ten a second; loudgain: one). Needs
ffmpeg and loudgain (Debian packages).
"""
import argparse, json, os, re, resource, subprocess, tempfile

MEASURES = ('integrated', 'range', 'true peak')


def timed(command, **options):
    """Output and processor seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, capture_output=True, text=True, errors='replace', **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def nocturne(analyze, files):
    with tempfile.TemporaryDirectory() as folder:
        pipeline = os.path.join(folder, 'loudness.yaml')
        with open(pipeline, 'w') as file: file.write('description: Loudness alone.\nanalyzers:\n  loudness:\n')
        result, seconds = timed([
            analyze, 'run', *files, '--pipeline', pipeline, '--database', os.path.join(folder, 'library.sqlite'),
            '--report', 'ndjson', '--output', '-', '--jobs', '1', '--quiet', '--fail-on', 'never'])
    found = {}
    for line in result.stdout.splitlines():
        record = json.loads(line)
        loudness = record['loudness'] or {}
        found[record['path']] = [loudness.get(name) for name in ('integrated_lufs', 'range_lu', 'true_peak_dbtp')]
        found[record['path']].append(record['format']['duration_s'])
    return found, seconds


def ffmpeg(path):
    result, seconds = timed(['ffmpeg', '-nostdin', '-hide_banner', '-i', path, '-map', '0:a:0', '-af', 'ebur128=peak=true',
                             '-f', 'null', '-'])
    summary = result.stderr[result.stderr.rfind('Summary:'):]
    values = [re.search(pattern, summary) for pattern in (r'I: +(-?[\d.]+)', r'LRA: +([\d.]+)', r'Peak: +(-?[\d.]+)')]
    return [float(value.group(1)) if value else None for value in values], seconds


def loudgain(path):
    result, seconds = timed(['loudgain', '-O', path])
    lines = [line.split('\t') for line in result.stdout.splitlines()]
    if len(lines) < 2: return [None] * 3, seconds
    row = dict(zip(lines[0], lines[1]))
    values = [row.get(name, '').split(' ')[0] for name in ('Loudness', 'Range', 'True_Peak_dBTP')]
    return [float(value) if re.fullmatch(r'-?[\d.]+', value) else None for value in values], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+')
    parser.add_argument('--analyze', default='.build/release/analyze')
    arguments = parser.parse_args()
    files = [os.path.realpath(path) for path in arguments.files]

    ours, seconds = nocturne(arguments.analyze, files)
    minutes = sum(values[3] or 0 for values in ours.values()) / 60
    times = {'Nocturne, with decoding': seconds, 'ffmpeg': 0, 'loudgain': 0}
    apart = {(measure, pair): [] for measure in MEASURES for pair in ('ffmpeg', 'loudgain', 'ffmpeg and loudgain')}
    for path in files:
        peers = {}
        for name, measure in (('ffmpeg', ffmpeg), ('loudgain', loudgain)):
            peers[name], spent = measure(path)
            times[name] += spent
        for index, measure in enumerate(MEASURES):
            own = ours.get(path, [None] * 4)[index]
            for pair, first, second in (('ffmpeg', own, peers['ffmpeg'][index]), ('loudgain', own, peers['loudgain'][index]),
                                        ('ffmpeg and loudgain', peers['ffmpeg'][index], peers['loudgain'][index])):
                if first is not None and second is not None: apart[measure, pair].append((abs(first - second), path))
    print('| measure | from | files | mean | largest | file |\n|---|---|---|---|---|---|')
    for (measure, pair), values in apart.items():
        if not values: continue
        largest, path = max(values)
        mean = sum(value for value, _ in values) / len(values)
        print(f'| {measure} | {pair} | {len(values)} | {mean:.3f} | {largest:.2f} | {os.path.basename(path)} |')
    for name, seconds in times.items(): print(f'{name}: {seconds / minutes:.3f} s of processor time a minute of audio')


if __name__ == '__main__': main()
