#!/usr/bin/env python3
"""Writes the training framework's results for a known signal, which the tests compare with the program's.

  golden.py [FOLDER]      default: Tests/Fixtures

FOLDER/golden-beat-network.tsv: frames of the input of the beat network, and its outputs at all frames.
FOLDER/golden-landmark-network.tsv: columns of the inputs and of the output of the landmark network.
FOLDER/golden-key-network.tsv: frames of the spectrum for the key network, the tuning, the network's output and decision.
FOLDER/golden-likeness.tsv: the statistics of sound and the descriptor.
numpy makes the spectra. The networks and the projection are those of tempo, recognition, key and likeness with the program's weights.
Run it after you retrain a network or change its input. Needs numpy, scipy and PyTorch; takes seconds.
"""
import importlib.util, os, sys
import numpy as np
import torch
import model_files

HERE = os.path.dirname(os.path.abspath(__file__))


def script(folder, name):
    sys.path.insert(0, os.path.join(HERE, folder))
    spec = importlib.util.spec_from_file_location(folder + '_' + name, os.path.join(HERE, folder, name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.pop(0)
    return module


def signal(rate, seconds):
    """Hits twice a second and between, a slow and a fast sweep: Signal.golden in Sources/Testing/AnalysisTesting."""
    t = np.arange(round(rate * seconds)) / rate
    turn = 2 * np.pi * t
    return (0.5 * np.exp(-25 * np.fmod(t, 0.5)) * np.sin(80 * turn) + 0.3 * np.exp(-60 * np.fmod(t + 0.25, 0.5)) * np.sin(3000 * turn)
            + 0.1 * np.exp(-8 * np.fmod(t, 0.375)) * np.sin(1234 * turn) + 0.1 * np.sin((300 + 40 * t) * turn)
            + 0.05 * np.sin(1000 * t * turn)).astype(np.float32)


def spectrum(x, window, hop):
    """Powers of the columns of an STFT, centered; (columns, bins)."""
    columns = -(-len(x) // hop)
    padded = np.pad(x.astype(float), (window // 2, window))
    frames = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop][:columns]
    return np.abs(np.fft.rfft(frames * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)))) ** 2


def tempo_bands():
    """The triangles of BandSpectrogram.swift: twelve to the octave at the nearest bins, each bin once; (513, 72)."""
    edges = list(dict.fromkeys(round(40 * 2 ** (step / 12) / (22050 / 1024)) for step in range(97) if 40 * 2 ** (step / 12) < 10300))
    bins = np.arange(513)
    bank = np.array([np.interp(bins, (low, peak, high), (0, 1, 0)) for low, peak, high in zip(edges, edges[1:], edges[2:])])
    return (bank / bank.sum(1, keepdims=True)).T


def beats():
    network = script('tempo', 'network')
    power = spectrum(signal(22050, 6), 1024, 220)
    energy = 2 * power[:, :512].sum(1).mean() / (0.375 * 1024 ** 2)
    logarithms = 0.5 * np.log1p(1e4 * 0.01 / energy * (power @ tempo_bands()))
    model = network.Network().eval()
    model.load(np.array(model_files.read_halves(model_files.BEAT_NETWORK), np.float32))
    with torch.no_grad():
        y = torch.from_numpy(logarithms.T[None].astype(np.float32))
        given, found = model.inputs(y)[0].numpy(), model(y)[0].numpy()
    rows = {'input.%d' % frame: given[:, frame] for frame in range(0, given.shape[1], 15)}
    return {**rows, 'beats': found[0], 'downbeats': found[1]}


def landmarks():
    network, excerpts = script('recognition', 'network'), script('recognition', 'excerpts')
    levels = torch.from_numpy(excerpts.levels(signal(8000, 2))[None].astype(np.float32))
    model = network.Network().eval()
    model.load(np.array(model_files.read_halves(model_files.LANDMARK_NETWORK), np.float32))
    with torch.no_grad():
        given = network.inputs(levels)
        found = model(given)[0].numpy()
    rows = {}
    for column in range(0, found.shape[0], 15):
        rows['whitened.%d' % column], rows['level.%d' % column] = given[0, 0, column].numpy(), given[0, 1, column].numpy()
        rows['output.%d' % column] = found[column]
    return rows


def keys():
    sys.path.insert(0, os.path.join(HERE, 'key'))
    network, spectra = script('key', 'network'), script('key', 'spectra')
    levels, cents, clarity = spectra.analyze(signal(8000, 8))
    model = network.Network().eval()
    model.load(np.array(model_files.read_halves(model_files.KEY_NETWORK), np.float32))
    with torch.no_grad():
        heard = model.heard(torch.from_numpy(levels)[None])
        found, some = model(torch.from_numpy(levels)[None])
        weights = model.attend(heard)[0].numpy()
    rows = {'tuning': [cents, clarity], 'keys': found[0].numpy(), 'presence': [float(some)]}
    for frame in range(0, len(levels), 6):
        rows['levels.%d' % frame], rows['heard.%d' % frame] = levels[frame], heard[0, frame].numpy()
        rows['weights.%d' % frame] = weights[frame]
    return rows


def likeness():
    frames, descriptor, fit = (script('likeness', name) for name in ('frames', 'descriptor', 'fit'))
    means = descriptor.mean(*descriptor.block_list(*frames.frames(signal(frames.RATE, 30))))
    return {'statistics': means, 'descriptor': fit.apply(fit.shipped(), means)}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, '..', 'Tests', 'Fixtures')
    tables = {'golden-beat-network': beats(), 'golden-landmark-network': landmarks(), 'golden-key-network': keys(),
              'golden-likeness': likeness()}
    for name, rows in tables.items():
        model_files.write_table(os.path.join(folder, name + '.tsv'), 'Benchmarks/golden.py', ['name', 'numbers'], rows, '%.7g')


if __name__ == '__main__':
    main()
