#!/usr/bin/env python3
"""Prints how clearly beats are divided into thirds: what BarProfile.hasThirds in Sources/Sound/Tempo/Beats/BeatGrid.swift decides by.

  thirds.py MANIFEST:FEATURES …

Arguments are those of bars.py, without weights. A line for each clip at up to 84 BPM, by the lead of the weaker third over halves: that lead, the
one over quarters, the weaker third as a share of the beat, the tempo found and the true one, the meter. Needs numpy.
"""
import csv, json, os, sys
import numpy as np
import truth

PLACES = 24
FASTEST = 84


def strengths(profile):
    """The weaker third, the half and the strongest quarter, as shares of the beat."""
    sums = np.array(profile).reshape(4, PLACES, -1).mean(0).sum(1)
    over = sums - np.sort(sums)[:PLACES // 3].mean()
    thirds = min(over[7:10].max(), over[15:18].max())
    return np.array([thirds, over[11:14].max(), over[[5, 6, 18, 19]].max()]) / over[[PLACES - 1, 0, 1]].max()


def main():
    found = []
    for text in sys.argv[1:]:
        manifest, directory = text.split(':')
        for row in csv.DictReader(open(manifest)):
            path = os.path.join(directory, row['id'] + '.json')
            if not os.path.exists(path): continue
            with open(path) as file: features = json.load(file)
            if not features['profile'] or features['hypotheses'][0]['bpm'] > FASTEST: continue
            thirds, half, quarter = strengths(features['profile'])
            named = os.path.join(truth.folder(manifest), row['id'] + '.json')
            metre = json.load(open(named))['metre'] if os.path.exists(named) else row.get('metre', '')
            found.append((thirds / max(half, 0.01), thirds / max(quarter, 0.01), thirds, features['hypotheses'][0]['bpm'], float(row['bpm_true'] or 0),
                          metre, row['id']))
    for values in sorted(found): print('%7.2f %7.2f %6.2f %7.1f %7.1f  %-5s %s' % values)


if __name__ == '__main__': main()
