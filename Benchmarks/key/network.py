#!/usr/bin/env python3
"""Trains the key network. It treats all twelve tonics alike by construction.

  network.py OUTPUT.pt CLIPS.npz … --nokey NOKEY.npz [--steps 2500] [--batch 32] [--without SOURCE …] [--only SOURCE …]
             [--speeds SPEEDS.npz] [--minutes M] [--write]

Frames of 222 bins (spectra.py) become 24 channels for each of twelve pitch classes. Weighted means over time give the
log-odds of 24 keys and of there being a key. CLIPS come from clips.py, NOKEY from nokey.py. Sources that begin with a
name in --without are not trained on, only evaluated. OUTPUT.pt holds the weights and the state of training; if it exists,
training continues from it. SPEEDS, from speeds.py, holds recordings at several speeds, which must get the same answer.
--write also writes Sources/Sound/BuiltInAnalyzers/Key/Resources. Needs numpy and PyTorch.
"""
import argparse, os, sys, time
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import model_files

BINS, SEMITONES, LOWEST = 222, 72, 34   # the first semitone that has both neighbours is MIDI pitch 34
REGISTERS, LOCAL, CHANNELS, HEADS = 4, 10, 24, 2
DILATIONS = 1, 2, 4
SLOPE = 0.1


def inputs(levels):
    """(B, T, 222) decibels to (B, T, 222, 2): how far a bin stands above its neighborhood, and its level in the frame."""
    power = 10 ** (levels / 10)
    power = power + 1e-3 * power.mean((1, 2), keepdim=True) + 1e-10
    size = 27
    padded = F.pad(power.cumsum(2), (1, 0))
    bins = torch.arange(BINS)
    low, high = (bins - size).clamp(min=0), (bins + size + 1).clamp(max=BINS)
    around = (padded[..., high] - padded[..., low]) / (high - low)
    stand = torch.log1p(4 * power / around.clamp(min=1e-12)) - 1
    loud = 1 + torch.log10(power / power.amax(2, keepdim=True)) / 3
    return torch.stack([stand, loud.clamp(min=-1)], 3)


class Circle(nn.Module):
    """Connects all pitch classes by weights of their distance: (…, 12 · inputs) to (…, 12 · outputs)."""
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(12, inputs, outputs) / np.sqrt(12 * inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.distance = (torch.arange(12)[None, :] - torch.arange(12)[:, None]) % 12
    def forward(self, x):
        _, inputs, outputs = self.weight.shape
        full = self.weight[self.distance].permute(0, 2, 1, 3).reshape(12 * inputs, 12 * outputs)
        return x @ full + self.bias.repeat(12)


class Block(nn.Module):
    """Three frames for each pitch class, then all pitch classes of a frame; added to what came in."""
    def __init__(self, dilation):
        super().__init__()
        self.dilation = dilation
        self.time = nn.Linear(3 * CHANNELS, CHANNELS)
        self.circle = Circle(CHANNELS, CHANNELS)
    def forward(self, x):
        b, t, _ = x.shape
        d = self.dilation
        padded = F.pad(x, (0, 0, d, d)).reshape(b, t + 2 * d, 12, CHANNELS)
        near = torch.cat([padded[:, :t], padded[:, d:d + t], padded[:, 2 * d:]], 3)
        return x + F.leaky_relu(self.circle(F.leaky_relu(self.time(near), SLOPE).reshape(b, t, -1)), SLOPE)


def registers():
    """(4, 72): shares of overlapping registers, a triangle of an octave and a half to each side."""
    centres = 6 + 18 * np.arange(REGISTERS)
    shares = np.maximum(0, 1 - abs(np.arange(SEMITONES) - centres[:, None]) / 18)
    return torch.tensor(shares / shares.sum(0), dtype=torch.float32)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.local = nn.Linear(9 * 2, LOCAL)
        self.enter = Circle(LOCAL * REGISTERS, CHANNELS)
        self.blocks = nn.ModuleList(Block(d) for d in DILATIONS)
        self.attention = nn.Linear(2 * CHANNELS, HEADS)
        self.leave = Circle(HEADS * CHANNELS, CHANNELS)
        self.key = nn.Linear(CHANNELS, 2)
        self.any = nn.Sequential(nn.Linear(2 * HEADS * CHANNELS, 16), nn.LeakyReLU(SLOPE), nn.Linear(16, 1))
        self.shares = registers()
        self.dropout = nn.Dropout(.1)

    def heard(self, levels):
        """(B, T, 12 · 24) of decibels (B, T, 222)."""
        x = inputs(levels)
        b, t = x.shape[:2]
        x = x.unfold(2, 9, 3).reshape(b, t, SEMITONES, 18)
        x = F.leaky_relu(self.local(x), SLOPE)
        x = torch.einsum('btopc,rop->btpcr', x.reshape(b, t, 6, 12, LOCAL), self.shares.reshape(REGISTERS, 6, 12)).reshape(b, t, -1)
        x = F.leaky_relu(self.enter(x), SLOPE)
        for block in self.blocks: x = self.dropout(block(x))
        return x

    def attend(self, x):
        """(B, T, heads): logarithms of the weights of frames."""
        each = x.reshape(*x.shape[:2], 12, CHANNELS)
        return self.attention(torch.cat([each.mean(2), each.amax(2)], 2))

    def pooled(self, x, scores, inside):
        """(B, 12 · 48): what is heard, averaged over the frames with their weights."""
        weight = torch.softmax(scores + torch.log(inside[..., None]), 1)
        b, t = x.shape[:2]
        return torch.einsum('btpc,bth->bphc', x.reshape(b, t, 12, CHANNELS), weight).reshape(b, -1)

    def decide(self, pooled):
        """(B, 24) log-odds of keys, C major first, C minor 12 later; (B) log-odds of a key."""
        b = len(pooled)
        hidden = F.leaky_relu(self.leave(self.dropout(pooled)), SLOPE).reshape(b, 12, CHANNELS)
        keys = torch.roll(self.key(hidden), LOWEST % 12, 1).transpose(1, 2).reshape(b, 24)
        each = pooled.reshape(b, 12, -1)
        return keys, self.any(torch.cat([each.mean(1), each.amax(1)], 1))[:, 0]

    def values(self):
        return [float(value) for part in self.parameters() for value in part.detach().flatten()]

    def load(self, values):
        """All weights from one list, in the order of the file."""
        with torch.no_grad():
            at = 0
            for part in self.parameters():
                part.copy_(torch.tensor(values[at:at + part.numel()], dtype=torch.float32).reshape(part.shape))
                at += part.numel()
        if at != len(values): raise ValueError(f'{len(values)} weights, where the network has {at}')

    def forward(self, levels, inside=None):
        x = self.heard(levels)
        if inside is None: inside = torch.ones(levels.shape[:2])
        return self.decide(self.pooled(x, self.attend(x), inside))


class Clips:
    """All clips in memory: levels, key of each frame, which kind."""
    def __init__(self, paths, nokey):
        sets = [np.load(path) for path in paths]
        self.levels = np.concatenate([s['levels'] for s in sets])
        self.key = np.concatenate([s['key'] for s in sets])
        self.length = np.concatenate([s['length'] for s in sets])
        self.whole = np.concatenate([s['whole'] for s in sets])
        self.source = np.concatenate([s['source'] for s in sets])
        for path in nokey:
            other = np.load(path)
            n = len(other['levels'])
            self.levels = np.concatenate([self.levels, other['levels']])
            self.key = np.concatenate([self.key, np.full((n, 60), -1)])
            self.length = np.concatenate([self.length, np.full(n, 60)])
            self.whole = np.concatenate([self.whole, np.zeros(n, bool)])
            self.source = np.concatenate([self.source, np.char.add('nokey-', other['kind'])])
        wandering = np.concatenate([s['kind'] == 'wandering' for s in sets])
        self.keyed = (self.key >= 0).any(1)
        self.keyed[:len(wandering)] |= wandering

    def batch(self, chosen, frames, rng, views=1):
        """Levels (B · views, frames, 222), which frames count, key or -1, whether there is a key, semitones of the shift.

        Two views are the same excerpts at two speeds and pitches, all first views before all second ones.
        """
        count = len(chosen) * views
        levels, inside = np.full((count, frames, BINS), -100, np.float32), np.zeros((count, frames), np.float32)
        key, moved = np.full(count, -1), np.zeros(count, int)
        for row, index in enumerate(chosen):
            length = int(self.length[index])
            start = 0 if self.whole[index] and frames >= 30 else int(rng.integers(0, max(0, length - frames) + 1))
            if self.whole[index] and rng.random() < .5: start = max(0, length - frames)
            end = min(start + frames, length)
            part = self.levels[index, start:end].astype(np.float32) / 2 - 100
            keys = self.key[index, start:end]
            keys = keys[keys >= 0]
            common = np.bincount(keys, minlength=24) if len(keys) else np.zeros(24)
            for view in range(views):
                at = row + view * len(chosen)
                mine = part
                if views > 1:
                    moved[at] = rng.integers(-4, 5)
                    mine = self.changed(stretched(raised(part, moved[at]), rng), rng)[:frames]
                levels[at, :len(mine)], inside[at, :len(mine)] = mine, 1
                if common.max() > .6 * max(len(keys), 1):
                    best = int(common.argmax())
                    key[at] = (best + moved[at]) % 12 + best // 12 * 12
        keyed = np.tile(self.keyed[chosen].astype(np.float32), views)
        return torch.from_numpy(levels), torch.from_numpy(inside + 1e-6), torch.from_numpy(key), torch.from_numpy(keyed), moved

    def changed(self, levels, rng):
        """With a tuning that is not quite right, bands missing, drums or noise over it."""
        if rng.random() < .5:
            part = rng.uniform(0, .5)
            levels = (1 - part) * levels + part * np.roll(levels, rng.choice([-1, 1]), 1)
        if rng.random() < .15: levels[:, :int(rng.integers(6, 50))] -= 40
        if rng.random() < .15: levels[:, int(rng.integers(130, 210)):] -= 40
        if rng.random() < .2:
            other = self.levels[self.silent[rng.integers(len(self.silent))], :len(levels)].astype(np.float32) / 2 - 100
            if len(other) == len(levels):
                other += levels.max() - other.max() - rng.uniform(0, 30)
                levels = np.logaddexp(levels * .23026, other * .23026) / .23026
        return levels


class Speeds:
    """Excerpts at seven speeds; their keys are not known."""
    def __init__(self, path):
        found = np.load(path)
        self.levels, self.length = found['levels'], found['length']

    def pairs(self, count, rng):
        """Levels of two speeds of each excerpt, all first ones before all second ones; which frames count; semitones."""
        chosen = np.tile(rng.integers(0, len(self.levels), count), 2)
        speed = rng.integers(0, 7, count)
        speed = np.concatenate([speed, (speed + rng.integers(1, 7, count)) % 7])
        levels = torch.from_numpy(self.levels[chosen, speed].astype(np.float32) / 2 - 100)
        inside = np.arange(levels.shape[1]) < self.length[chosen, speed][:, None]
        return levels, torch.from_numpy(inside.astype(np.float32) + 1e-6), speed


def raised(levels, semitones):
    """Moved up by so many semitones; what comes in from beyond is silent."""
    bins = 3 * int(semitones)
    moved = np.full_like(levels, -100)
    if bins >= 0: moved[:, bins:] = levels[:, :BINS - bins]
    else: moved[:, :bins] = levels[:, -bins:]
    return moved


def stretched(levels, rng):
    """A fifth faster, or slower, or between."""
    place = np.arange(0, len(levels) - 1e-6, np.exp(rng.uniform(-.2, .2)))
    low = place.astype(int)
    part = (place - low).astype(np.float32)[:, None]
    return (1 - part) * levels[low] + part * levels[np.minimum(low + 1, len(levels) - 1)]


def aligned(keys, moved):
    """Log-odds of keys as if the excerpts had not been moved."""
    return torch.stack([torch.roll(row.reshape(2, 12), -int(m), 1).reshape(24) for row, m in zip(keys, moved)])


def disagreement(keys, moved):
    """Mean divergence (Jensen and Shannon's) of what is heard in the two views of each excerpt."""
    one, other = F.log_softmax(aligned(keys, moved), 1).chunk(2)
    middle = torch.log((one.exp() + other.exp()) / 2 + 1e-9)
    return .5 * ((one.exp() * (one - middle)).sum(1) + (other.exp() * (other - middle)).sum(1))


def shares(clips, chosen):
    """How often each clip is heard: sources as often as the root of what they hold, sound without a key a sixth of all."""
    weight = np.zeros(len(clips.source))
    group = np.char.partition(clips.source.astype(str), '-')[:, 0]
    for name in np.unique(group[chosen]):
        inside = chosen & (group == name)
        weight[inside] = 1 / np.sqrt(inside.sum())
    none = chosen & ~clips.keyed
    weight[none] /= weight[none].sum()
    some = chosen & clips.keyed
    weight[some] /= weight[some].sum()
    return weight / 2 * np.where(clips.keyed, 5 / 3, 1 / 3)


def figures(network, clips, chosen, frames=58):
    """Rows of (source, key, key found, confidence, log-odds of a key)."""
    network.eval()
    rng, rows = np.random.default_rng(0), []
    for at in range(0, len(chosen), 64):
        part = chosen[at:at + 64]
        levels, inside, key, keyed, _ = clips.batch(part, frames, rng)
        with torch.no_grad(): found, some = network(levels, inside)
        for index, truth, row, one in zip(part, key.numpy(), found, some.numpy()):
            rows.append((clips.source[index], truth, int(row.argmax()), float(torch.softmax(row, 0).max()), one))
    network.train()
    return rows


def mirex(truth, found):
    distance, same = (found - truth) % 12, truth // 12 == found // 12
    if same: return {0: 1, 5: .5, 7: .5}.get(distance, 0)
    return .2 if distance == 0 else .3 if distance == (9 if truth < 12 else 3) else 0


def summary(rows):
    for name in sorted({r[0] if not r[0].startswith('mma') else 'mma' for r in rows}):
        mine = [r for r in rows if r[0].startswith(name)]
        keys = [r for r in mine if r[1] >= 0]
        print(f'{name:24}{len(mine):5}  presence {100 * np.mean([r[4] > -2 for r in mine]):5.1f}', end='')
        if keys:
            exact, score = np.mean([r[1] == r[2] for r in keys]), np.mean([mirex(r[1], r[2]) for r in keys])
            print(f'  exact {100 * exact:5.1f}  MIREX {100 * score:5.1f}  confidence {np.mean([r[3] for r in keys]):.2f}', end='')
        print(flush=True)
    keys = [r for r in rows if r[1] >= 0]
    if keys: print(f'expected calibration error {calibration_error(keys):.3f}', flush=True)


def calibration_error(rows):
    """How far confidence is from the share of right answers, over ten bins of confidence."""
    right, confidence = np.array([r[1] == r[2] for r in rows], float), np.array([r[3] for r in rows])
    place = np.minimum(9, (confidence * 10).astype(int))
    return sum(abs((confidence - right)[place == k].sum()) for k in range(10)) / len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('clips', nargs='+')
    parser.add_argument('--nokey', nargs='+', default=[])
    parser.add_argument('--steps', type=int, default=2500)
    parser.add_argument('--batch', type=int, default=32)
    parser.add_argument('--rate', type=float, default=2e-3)
    parser.add_argument('--without', nargs='+', default=[])
    parser.add_argument('--only', nargs='+', default=[])
    parser.add_argument('--speeds')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--minutes', type=float, default=1e9)
    options = parser.parse_args()
    torch.manual_seed(0)
    clips = Clips(options.clips, options.nokey)
    begins = lambda names: np.array([any(s.startswith(n) for n in names) for s in clips.source])
    held = begins(options.without) if options.without else np.zeros(len(clips.source), bool)
    if options.only: held = ~begins(options.only)
    clips.silent = np.flatnonzero(~held & ~clips.keyed & (clips.source != 'nokey-speech'))
    weight = shares(clips, ~held)
    speeds = Speeds(options.speeds) if options.speeds else None
    network = Network()
    print(len(network.values()), 'weights;', (~held).sum(), 'clips,', held.sum(), 'held out', flush=True)
    optimizer = torch.optim.AdamW(network.parameters(), options.rate, weight_decay=1e-3)
    first = 0
    if os.path.exists(options.output):
        state = torch.load(options.output)
        network.load_state_dict(state['network'])
        optimizer.load_state_dict(state['optimizer'])
        first = state['step']
    rng, began, total = np.random.default_rng(first), time.time(), np.zeros(5)
    for step in range(first, options.steps):
        past = max(step / options.steps, (time.time() - began) / 60 / options.minutes if first == 0 else 0)
        if past >= 1: break
        for group in optimizer.param_groups:
            group['lr'] = options.rate * min(1, (step + 1) / 100) * max(.01, .5 + .5 * np.cos(np.pi * past))
        frames = int(rng.choice([20, 32, 45, 58, 58]))
        chosen = rng.choice(len(weight), options.batch * 45 // frames // 2, p=weight)
        levels, inside, key, keyed, moved = clips.batch(chosen, frames, rng, views=2)
        found, some = network(levels, inside)
        known = key >= 0
        apart = disagreement(found, moved)[keyed[:len(chosen)] > 0].mean()
        loss = F.cross_entropy(found[known], key[known])
        presence = F.binary_cross_entropy_with_logits(some, keyed)
        if speeds:
            levels, inside, moved = speeds.pairs(options.batch // 4, rng)
            played, music = network(levels, inside)
            apart = apart + disagreement(played, moved).mean()
            presence = presence + .1 * F.softplus(-music).mean()
        optimizer.zero_grad()
        (loss + .5 * presence + 2 * apart).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1)
        optimizer.step()
        exact = (found[known].argmax(1) == key[known]).float().mean()
        total += [float(loss), float(presence), float(apart), float(exact), 1]
        if step % 100 == 99:
            print(step + 1, 'loss %.3f presence %.3f apart %.3f exact %.3f' % tuple(total[:4] / total[4]),
                  '%.0f s' % (time.time() - began), flush=True)
            total[:] = 0
            torch.save(dict(network=network.state_dict(), optimizer=optimizer.state_dict(), step=step + 1), options.output)
    torch.save(dict(network=network.state_dict(), optimizer=optimizer.state_dict(), step=step + 1), options.output)
    if options.write:
        model_files.write_halves(model_files.KEY_NETWORK, network.values())
    if held.any():
        chosen = np.flatnonzero(held)
        summary(figures(network, clips, np.random.default_rng(1).permutation(chosen)[:2000]))


if __name__ == '__main__':
    main()
