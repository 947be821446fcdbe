"""Reads and writes the program's files of weights and constants, for the scripts that make them."""
import math, os, struct

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'Sources')


def write_halves(path, values):
    """The weights of a network, in half precision."""
    open(path, 'wb').write(struct.pack('<%de' % len(values), *values))


def read_halves(path):
    data = open(path, 'rb').read()
    return struct.unpack('<%de' % (len(data) // 2), data)


def write_table(path, made_by, columns, rows, form):
    """A line for each name with its numbers; `form` is how they are written."""
    for name, numbers in rows.items():
        if not all(map(math.isfinite, numbers)): raise SystemExit('%s is not finite: %s is left as it is' % (name, path))
    with open(path, 'w') as file:
        file.write('# Written by %s. Change it by running that again.\n# %s\n' % (made_by, '\t'.join(columns)))
        for name, numbers in rows.items(): file.write('\t'.join([name, *(form % number for number in numbers)]) + '\n')


def read_table(path):
    lines = (line.rstrip('\n').split('\t') for line in open(path) if not line.startswith('#'))
    return {fields[0]: [float(field) for field in fields[1:]] for fields in lines}


# How each is written.

GRID_WEIGHTS = os.path.join(SOURCES, 'Sound/Tempo/Resources/grid-weights.tsv')
TEMPO_CONFIDENCE = os.path.join(SOURCES, 'Sound/Tempo/Resources/confidence.tsv')
BAR_WEIGHTS = os.path.join(SOURCES, 'Sound/Tempo/Resources/bar-weights.tsv')
BEAT_NETWORK = os.path.join(SOURCES, 'Sound/Tempo/Resources/beat-network.f16')
KEY_NETWORK = os.path.join(SOURCES, 'Sound/BuiltInAnalyzers/Key/Resources/key-network.f16')
SOUND_PROJECTION = os.path.join(SOURCES, 'Sound/Likeness/Resources/projection.f16')
MATCH_CONFIDENCE = os.path.join(SOURCES, 'Recognition/Recognition/Resources/confidence.tsv')
PAIR_RARITY = os.path.join(SOURCES, 'Recognition/Recognition/Resources/rarity.tsv')
LANDMARK_NETWORK = os.path.join(SOURCES, 'Recognition/Recognition/Resources/landmark-network.f16')


def write_grid_weights(path, rows):
    """For each feature its weights in the hidden units and its linear weight; `bias` and `output` of the units."""
    columns = ['feature', *('hidden_%d' % (unit + 1) for unit in range(len(rows['output']))), 'linear']
    write_table(path, 'Benchmarks/tempo/fit.py', columns, rows, '%.5g')


def write_tempo_confidence(path, rows):
    write_table(path, 'Benchmarks/tempo/fit.py', ['name', 'coefficient'], rows, '%.2f')


def write_bar_weights(path, rows):
    write_table(path, 'Benchmarks/tempo/bars.py', ['name', 'number'], rows, '%.2f')


def write_match_confidence(path, rows):
    write_table(path, 'Benchmarks/recognition/confidence.py', ['name', 'coefficient'], rows, '%.2f')


def write_pair_rarity(path, rows):
    write_table(path, 'Benchmarks/recognition/rarity.py', ['name', 'coefficient'], rows, '%.3g')
