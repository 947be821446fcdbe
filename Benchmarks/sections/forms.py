"""Sound files and their sections, as songs.py and trackers.py write them and evaluate.py reads them."""
import os, zlib
import numpy as np
from scipy.io import wavfile

RATE = 22050


def write(stem, sound, edges, labels):
    """STEM.wav (mono, 16 bits), and STEM.lab with start, end and label of each section."""
    wavfile.write(stem + '.wav', RATE, np.int16(sound / max(1, abs(sound).max() / .98) * 32767))
    with open(stem + '.lab', 'w') as file:
        for start, end, label in zip(edges, edges[1:], labels): file.write(f'{start:.3f}\t{end:.3f}\t{label}\n')


def read(stem):
    with open(stem + '.lab') as file: rows = [line.split() for line in file]
    return np.array([[float(start), float(end)] for start, end, _ in rows]), [label for *_, label in rows]


def half(source):
    """Half of the sources were looked at while the method was made; figures are of the others."""
    return 'test' if zlib.crc32(source.encode()) % 2 else 'development'
