#!/usr/bin/env python3
"""Decides keys from the network's output: the key of a track and its changes.

  course.py WEIGHTS.f16 TIMBRES PIECES [--count 60] [--penalty 8 …]

The network's output is summed over segments of 8 frames (4.1 s). Each segment is classified together with its neighbors,
four segments at a time (16 s). The Viterbi algorithm finds the likeliest sequence of keys; a change costs `PENALTY`.
The key of the track is the one in force for most segments, and those segments give its probability.

As a command, it makes medleys with known keys and prints for each penalty: how much of the time the key is right, how
many changes are found within 6 s, and how many are false. Needs numpy and PyTorch.
"""
import argparse, os, pickle, sys
import numpy as np
import torch
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
import compose, model_files, network, render, spectra

SEGMENT, WINDOW = 8, 4
PENALTY = 8.0


class Heard:
    """Sums over segments: additive, so that any stretch of the track can be judged afterwards."""
    def __init__(self, net, levels):
        with torch.no_grad():
            x = net.heard(torch.from_numpy(levels)[None])
            weight = torch.exp(net.attend(x).clamp(-15, 15))[0]
        x = x[0].reshape(len(levels), 12, -1)
        parts = [slice(k, k + SEGMENT) for k in range(0, len(levels), SEGMENT)]
        self.net = net
        self.sums = torch.stack([torch.einsum('tpc,th->phc', x[part], weight[part]) for part in parts])
        self.weights = torch.stack([weight[part].sum(0) for part in parts])

    def judged(self, segments):
        """Log-odds of 24 keys, and of a key at all, of some segments."""
        pooled = self.sums[segments].sum(0) / self.weights[segments].sum(0)[:, None]
        with torch.no_grad(): keys, some = self.net.decide(pooled.reshape(1, -1))
        return keys[0].numpy().astype(float), float(some[0])


def chances(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


def course(heard, penalty=PENALTY):
    """The key of each segment."""
    count = len(heard.sums)
    windows = [slice(max(0, k - 1), k + WINDOW - 1) for k in range(count)]
    evidence = np.stack([np.log(chances(heard.judged(window)[0]) + 1e-4) for window in windows]) / WINDOW
    score, back = evidence[0], []
    for row in evidence[1:]:
        best = int(score.argmax())
        stay = score >= score[best] - penalty
        back.append(np.where(stay, np.arange(24), best))
        score = np.where(stay, score, score[best] - penalty) + row
    path = [int(score.argmax())]
    for row in reversed(back): path.append(int(row[path[-1]]))
    return np.array(path[::-1])


def answer(heard, penalty=PENALTY):
    """Key, confidence, log-odds of a key, and the course."""
    path = course(heard, penalty)
    main = int(np.bincount(path, minlength=24).argmax())
    logits, some = heard.judged(np.flatnonzero(path == main) if len(set(path)) > 1 else slice(None))
    shares = chances(logits)
    return int(shares.argmax()), float(shares.max()), some, path


def medley(bank, songs, rng):
    """Levels and the key of each frame: two to four stretches of a minute, the same song in another key or other music."""
    levels, keys = [], []
    count = rng.choice([1, 2, 3])
    piece = None
    for _ in range(count):
        if piece is None or rng.random() < .6:
            piece = songs[rng.integers(len(songs))]
            if rng.random() < .5:
                piece = compose.piece(rng.choice(list(compose.MANNERS)), int(rng.integers(2)), 70, rng)
            if len(piece['regions']) > 1: piece = compose.piece('band', int(rng.integers(2)), 70, rng)
        frames, moved = int(rng.integers(60, 125)), int(rng.integers(-6, 6))
        levels.append(render.clip(piece, bank, 0, frames, moved, rng))
        _, _, tonic, mode = piece['regions'][0]
        keys.append(np.full(frames, (tonic + moved) % 12 + 12 * mode))
    return np.vstack(levels).astype(np.float32), np.concatenate(keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('weights', 'timbres', 'pieces'): parser.add_argument(name)
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--penalty', type=float, nargs='+', default=[4, 6, 8, 12])
    options = parser.parse_args()
    net = network.Network().eval()
    net.load(model_files.read_halves(options.weights))
    bank, rng = render.Bank(options.timbres), np.random.default_rng(77)
    songs = [s for s in pickle.load(open(os.path.join(options.pieces, 'songs.pickle'), 'rb')) if len(s['regions']) == 1]
    made = [medley(bank, songs, rng) for _ in range(options.count)]
    all_heard = [Heard(net, levels) for levels, _ in made]
    for penalty in options.penalty:
        right = changes = found = false = 0
        total = 0
        for (levels, keys), heard in zip(made, all_heard):
            path = np.repeat(course(heard, penalty), SEGMENT)[:len(keys)]
            right, total = right + (path == keys).sum(), total + len(keys)
            truth, mine = (np.flatnonzero(np.diff(k)) * spectra.FRAME for k in (keys, path))
            found += sum(min(abs(mine - t), default=99) < 6 for t in truth)
            false += sum(min(abs(truth - t), default=99) >= 6 for t in mine)
            changes += len(truth)
        print(f'penalty {penalty}: right {100 * right / total:.1f} % of the time; {found} of {changes} changes found, {false} '
              f'false; {total * spectra.FRAME / 60:.0f} minutes')


if __name__ == '__main__':
    main()
