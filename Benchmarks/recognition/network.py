#!/usr/bin/env python3
"""Trains the network that hears landmarks, Sources/Recognition/LandmarkNetwork.swift.

usage: network.py OUTPUT.pt EXCERPTS.npz ... [--check EXCERPTS.npz] [--steps 6000] [--write FILE.swift]

EXCERPTS   what excerpts.py has made, of one length
--check    excerpts of other tracks; every 500 steps the loss of these is printed
--write    also writes the weights as source code

The network is given the spectrum of a clip as it is, whitened and not, and tells for each column and band how likely it is
that the undisturbed track has a landmark there. The loss is the cross-entropy of that. Needs numpy and PyTorch.
"""
import argparse, base64, time
import numpy as np
import torch
from torch import nn

torch.set_num_threads(2)
BANDS = 138


def whiten(x, bands=6, columns=10):
    """Less the mean of a box, cut off at the edges, as LandmarkWhitener.swift does; (N, T, 138)."""
    def sums(v, radius, dim):
        size = v.shape[dim]
        total = torch.cat([torch.zeros_like(v.narrow(dim, 0, 1)), v.cumsum(dim)], dim)
        at = torch.arange(size)
        return (total.index_select(dim, (at + radius + 1).clamp(max=size)) - total.index_select(dim, (at - radius).clamp(min=0)))
    x = x.double()
    return (x - sums(sums(x, columns, 1), bands, 2) / sums(sums(torch.ones_like(x[:1]), columns, 1), bands, 2)).float()


def inputs(levels):
    """(N, 3, T, 138) of levels in dB (N, T, 138)."""
    band = torch.linspace(-1, 1, BANDS).expand_as(levels)
    return torch.stack([(whiten(levels) / 8).clamp(-2.5, 4), (levels - levels.mean((1, 2), keepdim=True)) / 20, band], 1)


class Separable(nn.Module):
    def __init__(self, channels, size):
        super().__init__()
        self.depth = nn.Conv2d(channels, channels, size, padding=size // 2, groups=channels)
        self.point = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        return x + nn.functional.leaky_relu(self.point(self.depth(x)), 0.1)


class Network(nn.Module):
    """Logits (N, T, 138) from inputs (N, 3, T, 138). Three scales, of full, half and a quarter of the resolution."""

    def __init__(self, widths=(8, 16, 32), middle=1, low=3):
        super().__init__()
        a, b, c = widths
        self.first = nn.Conv2d(3, a, 3, padding=1)
        self.down1, self.down2 = nn.Conv2d(a, b, 2, stride=2), nn.Conv2d(b, c, 2, stride=2)
        self.middle1 = nn.Sequential(*[Separable(b, 3) for _ in range(middle)])
        self.low = nn.Sequential(*[Separable(c, 5) for _ in range(low)])
        self.up2, self.up1 = nn.Conv2d(c, b, 1), nn.Conv2d(b, a, 1)
        self.middle2, self.full = Separable(b, 3), Separable(a, 3)
        self.last = nn.Conv2d(a, 1, 3, padding=1)
        nn.init.constant_(self.last.bias, -4.5)

    def forward(self, x):
        act = lambda v: nn.functional.leaky_relu(v, 0.1)
        up = lambda v: v.repeat_interleave(2, 2).repeat_interleave(2, 3)
        t = x.shape[2]
        x = nn.functional.pad(x, (0, -BANDS % 4, 0, -t % 4))
        full = act(self.first(x))
        half = self.middle1(act(self.down1(full)))
        low = self.low(act(self.down2(half)))
        half = self.middle2(half + up(self.up2(low)))
        full = self.full(full + up(self.up1(half)))
        return self.last(full)[:, 0, :t, :BANDS]

    def products(self):
        """Multiplications for each place of the spectrum."""
        count = lambda m, share: sum(p.numel() for p in m.parameters() if p.dim() > 1) * share
        return (count(self.first, 1) + count(self.full, 1) + count(self.last, 1) + count(self.up1, 1 / 4) + count(self.down1, 1 / 4)
                + count(self.middle1, 1 / 4) + count(self.middle2, 1 / 4) + count(self.up2, 1 / 16) + count(self.down2, 1 / 16) + count(self.low, 1 / 16))


def load(path):
    data = np.load(path)
    return torch.from_numpy(data["levels"]), torch.from_numpy(data["marks"])


def batch(levels, marks, index):
    return inputs(levels[index].float() / 100), (marks[index] > 0).float()


def evaluate(network, levels, marks):
    with torch.no_grad():
        losses = [nn.functional.binary_cross_entropy_with_logits(network(x), y) for x, y in
                  (batch(levels, marks, slice(i, i + 32)) for i in range(0, len(levels), 32))]
    return float(sum(losses) / len(losses))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("output"); ap.add_argument("excerpts", nargs="+"); ap.add_argument("--check"); ap.add_argument("--write")
    ap.add_argument("--steps", type=int, default=6000); ap.add_argument("--rate", type=float, default=4e-3)
    ap.add_argument("--widths", type=int, nargs=3, default=[8, 16, 32]); ap.add_argument("--middle", type=int, default=1)
    ap.add_argument("--low", type=int, default=3); ap.add_argument("--threads", type=int, default=2)
    a = ap.parse_args()
    torch.set_num_threads(a.threads); torch.manual_seed(1)
    parts = [load(path) for path in a.excerpts]
    levels, marks = torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])
    check = load(a.check) if a.check else None
    network = Network(a.widths, a.middle, a.low)
    print("products for each place: %d, weights: %d, excerpts: %d" % (network.products(), sum(p.numel() for p in network.parameters()), len(levels)))
    optimizer = torch.optim.AdamW(network.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, a.rate, total_steps=a.steps, pct_start=0.1)
    start, mean = time.time(), None
    for step in range(a.steps):
        x, y = batch(levels, marks, torch.randint(len(levels), (16,)))
        loss = nn.functional.binary_cross_entropy_with_logits(network(x), y)
        optimizer.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step(); schedule.step()
        mean = loss.item() if mean is None else 0.99 * mean + 0.01 * loss.item()
        if step % 500 == 499:
            print(step + 1, "loss %.5f" % mean, "check %.5f" % evaluate(network, *check) if check else "", "%.0f s" % (time.time() - start), flush=True)
            torch.save({"arguments": (a.widths, a.middle, a.low), "weights": network.state_dict()}, a.output)


if __name__ == "__main__":
    main()
