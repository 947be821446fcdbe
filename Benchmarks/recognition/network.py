#!/usr/bin/env python3
"""Trains the landmark network, Sources/Recognition/Recognition/Queries/LandmarkNetwork.swift.

usage: network.py OUTPUT.pt EXCERPTS.npz ... [--check EXCERPTS.npz ...] [--onward] [--steps 6000] [--rate 6e-3] [--write]

EXCERPTS   output of excerpts.py, all of one length
--check    excerpts of other tracks; prints their losses every 500 steps
--onward   starts with the program's network instead of chance
--write    also makes it the program's network: Sources/Recognition/Recognition/Resources/landmark-network.f16

The network takes the spectrum of a clip, whitened and not, and predicts for each column and band how likely the undisturbed
track has a landmark there. The loss is the cross-entropy. Needs numpy and PyTorch.
"""
import argparse, os, sys, time
import numpy as np
import torch
from torch import nn
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import model_files

BANDS, LEAK = 138, 0.1


def whiten(x, bands=6, columns=10):
    """Subtracts the mean of a box, truncated at the edges, as LandmarkWhitener.swift does; (N, T, 138)."""
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


class Network(nn.Module):
    """Logits (N, T, 138) from inputs (N, 3, T, 138): a convolution over four by four places with stride 2, layers whose
    rectified outputs are added to their inputs, and a convolution whose outputs are four places of the spectrum each."""

    def __init__(self, channels=8, dilations=(1, 2, 4, 2, 1, 1)):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 4, stride=2, padding=1)
        self.layers = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding="same", dilation=d) for d in dilations)
        self.last = nn.Conv2d(channels, 4, 3, padding=1)
        nn.init.constant_(self.last.bias, -4.5)

    def forward(self, x):
        t = x.shape[2]
        h = nn.functional.leaky_relu(self.first(nn.functional.pad(x, (0, 0, 0, t % 2))), LEAK)
        for layer in self.layers:
            h = h + nn.functional.leaky_relu(layer(h), LEAK)
        return nn.functional.pixel_shuffle(self.last(h), 2)[:, 0, :t]

    def weights(self):
        """In the order of LandmarkNetwork.init."""
        parts = []
        for convolution in [self.first, *self.layers]:
            parts += [convolution.weight.permute(2, 3, 1, 0).reshape(-1), convolution.bias]
        parts += [self.last.weight.permute(0, 2, 3, 1).reshape(-1), self.last.bias]
        return torch.cat([part.detach().float() for part in parts]).numpy()

    def load(self, values):
        """Takes weights in that order."""
        values = torch.from_numpy(values)
        for convolution in [self.first, *self.layers, self.last]:
            channels, inputs, rows, columns = convolution.weight.shape
            size = convolution.weight.numel()
            kernel, constants, values = values[:size], values[size:size + channels], values[size + channels:]
            if convolution is self.last:
                kernel = kernel.reshape(channels, rows, columns, inputs).permute(0, 3, 1, 2)
            else:
                kernel = kernel.reshape(rows, columns, inputs, channels).permute(3, 2, 0, 1)
            convolution.weight.data, convolution.bias.data = kernel.contiguous(), constants

    def products(self):
        """Multiplications for each place of the spectrum."""
        return sum(p.numel() for p in self.parameters() if p.dim() > 1) / 4


def load(path):
    data = np.load(path)
    return torch.from_numpy(data["levels"]), torch.from_numpy(data["marks"])


def loss_of(network, levels, marks):
    with torch.autocast("cpu", torch.bfloat16):
        found = network(inputs(levels.float() / 100).contiguous(memory_format=torch.channels_last))
    return nn.functional.binary_cross_entropy_with_logits(found.float(), (marks > 0).float())


def evaluate(network, levels, marks):
    with torch.no_grad():
        losses = [loss_of(network, levels[i:i + 32], marks[i:i + 32]) for i in range(0, len(levels), 32)]
    return float(sum(losses) / len(losses))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("output"); ap.add_argument("excerpts", nargs="+"); ap.add_argument("--check", nargs="+", default=[]); ap.add_argument("--onward", action="store_true"); ap.add_argument("--write", action="store_true")
    ap.add_argument("--steps", type=int, default=6000); ap.add_argument("--rate", type=float, default=6e-3)
    ap.add_argument("--channels", type=int, default=8); ap.add_argument("--dilations", type=int, nargs="+", default=[1, 2, 4, 2, 1, 1])
    ap.add_argument("--threads", type=int, default=2)
    a = ap.parse_args()
    torch.set_num_threads(a.threads); torch.manual_seed(1)
    parts = [load(path) for path in a.excerpts]
    levels, marks = torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])
    checks = [load(path) for path in a.check]
    network = Network(a.channels, a.dilations).to(memory_format=torch.channels_last)
    if a.onward:
        network.load(np.array(model_files.read_halves(model_files.LANDMARK_NETWORK), np.float32))
        print("before:", *("%.5f" % evaluate(network, *check) for check in checks))
    print("products for each place: %d, weights: %d, excerpts: %d" % (network.products(), sum(p.numel() for p in network.parameters()), len(levels)))
    optimizer = torch.optim.AdamW(network.parameters(), lr=a.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, a.rate, total_steps=a.steps, pct_start=0.1)
    start, mean = time.time(), None
    for step in range(a.steps):
        index = torch.randint(len(levels), (16,))
        loss = loss_of(network, levels[index], marks[index])
        optimizer.zero_grad(); loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step(); schedule.step()
        mean = loss.item() if mean is None else 0.99 * mean + 0.01 * loss.item()
        if step % 500 == 499:
            print(step + 1, "loss %.5f" % mean, "check", *("%.5f" % evaluate(network, *check) for check in checks), "%.0f s" % (time.time() - start), flush=True)
            torch.save({"arguments": (a.channels, a.dilations), "weights": network.state_dict()}, a.output)
    if a.write:
        model_files.write_halves(model_files.LANDMARK_NETWORK, network.weights())


if __name__ == "__main__":
    main()
