"""Reads what material.py and frames.py have written."""
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
import numpy as np
import descriptor
from frames import VERSIONS


@dataclass
class Track:
    id: str
    package: str
    artist: str
    path: str
    # Of blocks: statistics, one row for each, and weights.
    numbers: np.ndarray
    weights: np.ndarray
    # The same of encodings, by name.
    versions: dict = field(default_factory=dict)
    # For the baselines of evaluate.py.
    bands: np.ndarray = None
    plain: np.ndarray = None


def read_track(job):
    folder, (name, split, package, artist, _, path) = job
    try:
        frames = np.load(os.path.join(folder, name + '.npz'))
    except OSError:
        return None
    track = Track(name, package, '' if 'unknown' in artist else artist, path, *descriptor.block_list(frames['bands'], frames['tones']))
    if len(track.weights) < 3: return None
    if split == 'test': track.bands, track.plain = frames['bands'].astype(np.float32), frames['plain']
    for version in VERSIONS:
        file = os.path.join(folder, '%s.%s.npz' % (name, version))
        if os.path.exists(file):
            frames = np.load(file)
            track.versions[version] = descriptor.block_list(frames['bands'], frames['tones'])
    return track


def read(work, split):
    rows = [line.rstrip('\n').split('\t') for line in open(os.path.join(work, 'tracks.tsv'))]
    jobs = [(os.path.join(work, 'frames'), row) for row in sorted(rows) if row[1] == split]
    with ProcessPoolExecutor() as pool:
        return [track for track in pool.map(read_track, jobs, chunksize=16) if track]
