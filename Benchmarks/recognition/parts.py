#!/usr/bin/env python3
"""Compares a catalog that is asked in parts with the same catalog as a whole.

usage: parts.py ANALYZE CATALOG CLIPS… [--parts 4] [--here 1]

Divides CATALOG, a folder or file, into parts; a track's part follows from its name. The first HERE parts are asked as
folders, the others through `analyze serve` on this machine. Says how many clips (files, or folders of them) have other
tracks than with the whole catalog, and the processor time of a clip, decoding included: of `match`, and of all servers.
"""
import argparse, json, os, re, resource, subprocess, sys, tempfile, time, zlib

BATCH = 200


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def divide(analyze, catalog, folder, count):
    names = [line.split()[0] for line in run(analyze, 'catalog', 'list', '--catalog', catalog).splitlines()]
    parts = []
    for part in range(count):
        path = os.path.join(folder, f'part-{part}')
        run(analyze, 'catalog', 'merge', catalog, '--catalog', path)
        others = [name for name in names if zlib.crc32(name.encode()) % count != part]
        for first in range(0, len(others), BATCH):
            run(analyze, 'catalog', 'remove', *others[first:first + BATCH], '--catalog', path)
        parts.append(path)
    return parts, len(names)


def serve(analyze, part, database):
    log = open(part + '.log', 'w+')
    server = subprocess.Popen([analyze, 'serve', '--catalog', part, '--port', '0', '--database', database], stderr=log)
    for _ in range(100):
        log.seek(0)
        if address := re.search(r'http://\S+:\d+', log.read()):
            return server, address[0]
        time.sleep(0.1)
    sys.exit(f'parts.py: the server of {part} does not start')


def match(analyze, catalogs, clips):
    """Answers by path, and seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answers = {}
    for first in range(0, len(clips), BATCH):
        options = [word for catalog in catalogs for word in ('--catalog', catalog)]
        for line in run(analyze, 'match', '--json', *clips[first:first + BATCH], *options).splitlines():
            answer = json.loads(line)
            answers[answer['path']] = answer
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return answers, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu(process):
    with open(f'/proc/{process.pid}/stat') as file:
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def tracks(answer):
    return [(track['reference'], round(track['track_offset_s'], 1)) for track in answer['tracks'] or []]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('analyze'); parser.add_argument('catalog'); parser.add_argument('clips', nargs='+')
    parser.add_argument('--parts', type=int, default=4); parser.add_argument('--here', type=int, default=1)
    options = parser.parse_args()
    analyze = os.path.abspath(options.analyze)
    clips = []
    for path in options.clips:
        clips += sorted(os.path.join(path, name) for name in os.listdir(path)) if os.path.isdir(path) else [path]
    clips = [os.path.abspath(clip) for clip in clips]

    servers = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            parts, count = divide(analyze, options.catalog, folder, options.parts)
            # A server wants a library; any will do.
            database = os.path.join(folder, 'library.sqlite')
            run(analyze, 'run', clips[0], '--pipeline', 'tags-only', '--database', database, '--no-reports')
            served = [serve(analyze, part, database) for part in parts[options.here:]]
            servers = [server for server, _ in served]
            whole, whole_time = match(analyze, [options.catalog], clips)
            before = sum(map(cpu, servers))
            divided, here_time = match(analyze, parts[:options.here] + [address for _, address in served], clips)
            there_time = sum(map(cpu, servers)) - before
        finally:
            for server in servers:
                server.terminate()
            for server in servers:
                server.wait()

    others = [path for path in clips if tracks(whole[path]) != tracks(divided[path])]
    for path in others:
        print(f'other: {os.path.basename(path)}: {tracks(whole[path])} / {tracks(divided[path])}')
    differences = [abs(a['confidence'] - b['confidence']) for path in clips if path not in others
                   for a, b in zip(whole[path]['tracks'] or [], divided[path]['tracks'] or [])]
    partial = sum(divided[path]['partial'] for path in clips)
    print(f'{count} tracks in {options.parts} parts, {len(servers)} of them on servers; {len(clips)} clips')
    print(f'other tracks or places: {len(others)}; partial answers: {partial}; '
          f'largest difference of confidence otherwise: {max(differences, default=0):.4f}')
    print(f'ms of processor a clip: {1000 * whole_time / len(clips):.1f} as a whole; '
          f'{1000 * here_time / len(clips):.1f} here and {1000 * there_time / len(clips):.1f} on servers in parts')


main()
