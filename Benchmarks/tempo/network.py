#!/usr/bin/env python3
"""Trains the beat network, Sources/Sound/Tempo/BeatNetwork/BeatNetwork.swift, and others like it without some of the sources.

  network.py OUTPUT_DIRECTORY MANIFEST:SPECTRA:CLIPS … [--folds 4] [--steps 3000] [--write]

MANIFEST as in fit.py; SPECTRA is the directory that `tempo-features spectra` wrote for its clips, CLIPS that of the clips. Known
bars are in NAME.json beside the manifest, as `down`. OUTPUT_DIRECTORY gets all.f32, trained with everything; fold-K.f32, trained
without the sources of a fold (existing ones are kept); folds.json with the fold of each source; and for each manifest a table for
`tempo-features features`: each clip with the network trained without its source. --write makes all.f32 the program's network, in
half precision: Sources/Sound/Tempo/Resources/beat-network.f16. Cuts (kind cut) are not used, because they are parts of other clips.

Each step uses 16 excerpts of 24 s, faster or slower by up to a quarter, higher or lower by up to a third of an octave, with
other equalization, some with missing bands or a noise floor. Beats are exact to 15 ms; the loss is the cross-entropy of
beats, plus half of that of first beats of bars where these are known. Needs numpy and PyTorch.
"""
import argparse, collections, csv, json, os, sys
for variable in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS': os.environ[variable] = '1'
import numpy as np
import torch
from torch import nn
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import model_files
import truth

BANDS, LEVELS_PER_UNIT, GROUP = 72, 24, 3
COLUMNS_PER_SECOND, ONSET_DELAY = 22050 / 220, 0.008
CHANNELS, TAPS, LAYERS, LEAK = 32, 5, 9, 0.1
LENGTH = 2400  # columns of an excerpt
SPREAD = 0.015  # seconds
# What share of the excerpts is of each kind.
SHARES = {'real': 0.26, 'rendered': 0.04, 'loop': 0.04, 'performance': 0.09, 'machine': 0.05, 'metronome': 0.02, 'midi': 0.08,
          'score': 0.07, 'groove': 0.10, 'piano': 0.09, 'rubato': 0.07, 'module': 0.09}


class Network(nn.Module):
    """Logits of beats and first beats of bars (N, 2, T / 2) from bands (N, 72, T)."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(3 * BANDS // GROUP, CHANNELS, 3, padding=1)
        self.layers = nn.ModuleList(nn.Conv1d(CHANNELS, CHANNELS, TAPS, padding='same', dilation=2 ** i) for i in range(LAYERS))
        self.last = nn.Conv1d(CHANNELS, 2, 1)
        self.dropout = nn.Dropout1d(0.1)

    @staticmethod
    def inputs(y):
        """What BeatNetworkInput.swift makes of the same bands."""
        y = y[:, :, :y.shape[2] // 2 * 2]
        count, length = y.shape[0], y.shape[2]
        past = y[:, :, :-2]
        most = past.clone()
        torch.maximum(most[:, 1:], past[:, :-1], out=most[:, 1:])
        torch.maximum(most[:, :-1], past[:, 1:], out=most[:, :-1])
        rise = torch.relu(y[:, :, 2:] - most).reshape(count, -1, GROUP, length - 2).mean(2)
        rise = 4 * (nn.functional.pad(rise, (2, 0)) - 0.05)
        level = y.reshape(count, -1, GROUP, length).mean(2)
        level = 0.35 * (level - level.mean(2, keepdim=True))
        return torch.cat([rise[:, :, 0::2], rise[:, :, 1::2], level[:, :, 0::2] + level[:, :, 1::2]], 1)

    def forward(self, y):
        h = nn.functional.leaky_relu(self.first(self.inputs(y)), LEAK)
        for layer in self.layers: h = h + self.dropout(nn.functional.leaky_relu(layer(h), LEAK))
        return self.last(h)

    def weights(self):
        """In the order of BeatNetwork.init."""
        parts = []
        for convolution in [self.first, *self.layers]:
            parts += [convolution.weight.permute(2, 1, 0).reshape(-1), convolution.bias]
        parts += [self.last.weight.reshape(-1), self.last.bias]
        return torch.cat(parts).detach().numpy().astype(np.float32)

    def load(self, values):
        """Takes weights in that order."""
        values = torch.from_numpy(values)
        for convolution in [self.first, *self.layers, self.last]:
            channels, inputs, taps = convolution.weight.shape
            size = convolution.weight.numel()
            kernel, constants, values = values[:size], values[size:size + channels], values[size + channels:]
            # The last one has one tap.
            kernel = kernel.reshape(channels, inputs, 1) if convolution is self.last else kernel.reshape(taps, inputs, channels).permute(2, 1, 0)
            convolution.weight.data, convolution.bias.data = kernel.contiguous(), constants


def read(manifest, spectra, clips):
    """The clips of a manifest whose beats are known."""
    found = []
    for row in csv.DictReader(open(manifest)):
        path = os.path.join(spectra, row['id'] + '.u8')
        if not os.path.exists(path): continue
        found.append(dict(
            id=row['id'], kind=row['kind'], source=row['source'], path=path, sound=os.path.join(clips, row['id'] + '.f32'),
            manifest=manifest, beats=truth.beats_of(row, manifest), down=truth.downbeats_of(row, manifest)))
    return found


def folds(sources, count):
    """The fold of each source, given the source of every clip; annotated and synthetic sources are dealt out apart."""
    sizes, fold = collections.Counter(sources), {}
    for synthetic in False, True:
        load = [0] * count
        for source in sorted((s for s in sizes if s.startswith('synthetic') == synthetic), key=lambda s: (-sizes[s], s)):
            fold[source] = load.index(min(load))
            load[fold[source]] += sizes[source]
    return fold


def nearness(times, moments):
    """How near each moment is to one of the times, 0 to 1."""
    if len(times) < 2: return np.zeros(len(moments), np.float32)
    i = np.clip(np.searchsorted(times, moments), 1, len(times) - 1)
    distance = np.minimum(abs(times[i] - moments), abs(times[i - 1] - moments))
    return np.exp(-0.5 * (distance / SPREAD) ** 2).astype(np.float32)


POWERS = np.expm1(2 * np.arange(256, dtype=np.float32) / LEVELS_PER_UNIT)


def excerpt(clip, rng):
    """Bands, nearness to beats and to first beats of bars, and where either is known."""
    stretch = np.exp(rng.uniform(-0.25, 0.25)) if rng.random() < 0.7 else 1.0
    length = int(LENGTH * stretch) + 2
    start = rng.integers(0, max(1, len(clip['bands']) - length + 1))
    levels = clip['bands'][start:start + length]
    if rng.random() < 0.5:
        shift = int(rng.integers(-4, 5))
        levels = np.roll(levels, shift, 1)
        if shift > 0: levels[:, :shift] = levels[:, shift:shift + 1]
        if shift < 0: levels[:, shift:] = levels[:, shift - 1:shift]
    gain, floor = np.zeros(BANDS, np.float32), 0.0
    if rng.random() < 0.7:
        gain += np.interp(np.arange(BANDS), np.linspace(0, BANDS - 1, 6), rng.normal(0, 5, 6)) + 3 * rng.normal()
        if rng.random() < 0.4:
            low = rng.integers(0, BANDS)
            gain[low:low + rng.integers(3, 25)] -= rng.uniform(5, 40)
        if rng.random() < 0.3: floor = np.exp(rng.uniform(-3, 2.5))
    table = 0.5 * np.log1p(10 ** (gain / 10)[:, None] * POWERS + floor).astype(np.float32)
    bands = table.ravel()[levels + 256 * np.arange(BANDS)]
    if stretch != 1:
        at = np.arange(min(LENGTH, int((len(bands) - 1) / stretch))) * stretch
        below = at.astype(int)
        low, high = bands[below], bands[np.minimum(below + 1, len(bands) - 1)]
        bands = low + (high - low) * (at - below)[:, None].astype(np.float32)
    bands = bands[:LENGTH]
    moments = (np.arange(LENGTH // 2) * 2 + 0.5) / COLUMNS_PER_SECOND + ONSET_DELAY
    origin = start / COLUMNS_PER_SECOND
    beats = (clip['beats'] - origin) / stretch
    # Beats are known from the first to the last only.
    known = (moments >= beats[0] - 0.1) & (moments <= beats[-1] + 0.1) & (np.arange(LENGTH // 2) < len(bands) // 2)
    down = np.zeros(0) if clip['down'] is None else (clip['down'] - origin) / stretch
    bands = np.pad(bands, ((0, LENGTH - len(bands)), (0, 0)))
    return (bands.T.astype(np.float32), nearness(beats, moments), nearness(down, moments), known.astype(np.float32),
            (known & (len(down) > 1)).astype(np.float32))


def train(clips, steps, seed=0):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = Network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=4e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps, pct_start=0.15)
    entropy = nn.BCEWithLogitsLoss(reduction='none')
    kinds = [c['kind'] for c in clips]
    share = np.array([SHARES[kind] / kinds.count(kind) for kind in kinds])
    mean = 0.2
    for step in range(steps):
        chosen = rng.choice(len(clips), 16, p=share / share.sum())
        y, beats, down, known, bars = (torch.from_numpy(np.stack(v)) for v in zip(*(excerpt(clips[i], rng) for i in chosen)))
        found = network(y)
        loss = sum(weight * ((entropy(found[:, i], wanted) * mask).sum(1) / (mask.sum(1) + 1)).mean()
                   for i, wanted, mask, weight in ((0, beats, known, 1), (1, down, bars, 0.5)))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        schedule.step()
        mean += 0.02 * (loss.item() - mean)
        if step % 500 == 499: print('  step %d, loss %.4f' % (step + 1, mean), flush=True)
    return network.weights()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('sets', nargs='+')
    parser.add_argument('--folds', type=int, default=4)
    parser.add_argument('--steps', type=int, default=3000)
    parser.add_argument('--only', nargs='*', help='networks to train, such as fold-0 or all')
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.makedirs(options.output, exist_ok=True)
    sets = [read(*text.rsplit(':', 2)) for text in options.sets]
    clips = [clip for clips in sets for clip in clips]
    fold = folds([c['source'] for c in clips], options.folds)
    json.dump(fold, open(os.path.join(options.output, 'folds.json'), 'w'))
    for clips_of_set in sets:
        name = os.path.basename(os.path.dirname(clips_of_set[0]['sound'])) + '-' + os.path.basename(clips_of_set[0]['manifest'])
        with open(os.path.join(options.output, name.replace('.csv', '.tsv')), 'w') as table:
            for c in clips_of_set:
                network = os.path.join(options.output, 'fold-%d.f32' % fold[c['source']])
                table.write(c['sound'] + '\t' + network + '\n')
    heard = [c for c in clips if c['kind'] != 'cut' and c['beats'] is not None and len(c['beats']) > 3]
    for c in heard: c['bands'] = np.fromfile(c['path'], np.uint8).reshape(-1, BANDS)
    for name in ['fold-%d' % k for k in range(options.folds)] + ['all']:
        path = os.path.join(options.output, name + '.f32')
        if os.path.exists(path) or options.only and name not in options.only: continue
        print(name, flush=True)
        train([c for c in heard if name != 'fold-%d' % fold[c['source']]], options.steps).tofile(path)
    if options.write:
        model_files.write_halves(model_files.BEAT_NETWORK, np.fromfile(os.path.join(options.output, 'all.f32'), np.float32))


if __name__ == '__main__':
    main()
