#!/usr/bin/env python3
"""How large the jumps from track to track are in each order of `analyze playlist`, against random order.

    Benchmarks/playlists/jumps.py ANALYZE DATABASE [FILTER]

The database must hold tempo and key. Prints a table: changes of tempo in percent (half and double are the same tempo),
and steps on the wheel of Camelot.
"""
import json
import math
import random
import subprocess
import sys


def tempo_change(first, second):
    octaves = abs(math.log2(second / first))
    return (2 ** abs(octaves - round(octaves)) - 1) * 100


def key_steps(first, second):
    hours = abs(int(first[:-1]) - int(second[:-1]))
    return min(hours, 12 - hours) + (first[-1] != second[-1])


def row(name, tracks):
    pairs = list(zip(tracks, tracks[1:]))
    tempi = [tempo_change(a["tempo_bpm"], b["tempo_bpm"]) for a, b in pairs if a["tempo_bpm"] and b["tempo_bpm"]]
    keys = [key_steps(a["key_camelot"], b["key_camelot"]) for a, b in pairs if a["key_camelot"] and b["key_camelot"]]

    def mean(values):
        return sum(values) / max(1, len(values))

    print(
        f"| {name} | {mean(tempi):.1f}% | {100 * mean([t > 6 for t in tempi]):.0f}% "
        f"| {mean(keys):.2f} | {100 * mean([k > 1 for k in keys]):.0f}% |"
    )


def main():
    analyze, database = sys.argv[1:3]
    wanted = sys.argv[3] if len(sys.argv) > 3 else "bpm:1.."

    def playlist(*options):
        command = [analyze, "playlist", "--database", database, "--where", wanted, "--json", *options]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["tracks"]

    print("| order | mean change of tempo | over 6% | mean steps of key | over one step |\n|---|---|---|---|---|")
    tracks = playlist("--order", "path")
    generator = random.Random(1)
    shuffled = [track for _ in range(100) for track in generator.sample(tracks, len(tracks))]
    row("random (100 times)", shuffled)
    for order in ["tempo", "key", "path"]:
        row(order, playlist("--order", order))
    row("mix, artists free", playlist("--no-repeat-artist", "0"))
    row("mix", playlist())
    for seed in ["0", "1", "2"]:
        row(f"mix, an hour, seed {seed}", playlist("--length", "60m", "--seed", seed))


if __name__ == "__main__":
    main()
