#!/usr/bin/env python3
"""Fits how rarely pairs of a query come true, `Rarity` in QueryPairs.swift.

usage: rarity.py SCRATCH MATERIAL SET [SET ...] [--count 200] [--seconds 5] [--seed 1] [--kit PROGRAM] [--write]

MATERIAL   folder that material.py made; SET is a folder below its tracks
SCRATCH    folder for the clips, queries.csv and cells.i16 (from `recognition-kit cells`)
--kit      another build of recognition-kit
--write    changes Sources/Recognition/Recognition/Resources/rarity.tsv

The clips are in colored noise of 0 and -5 dB, half of them each. A pair of a query's peaks may fall into several cells
of the index: a band of the anchor, an interval and a gap. The cells here are those that the last stage of the search
looks up with the present numbers. How many pairs the track has in a cell, at the place of the clip, is taken as a Poisson
variable. The logarithm of its mean falls with the ranks of both peaks, the number of stronger targets, and the distance
of the cell. Prints the present and the fitted numbers, each with the log-likelihood above that of a constant rate.
Needs numpy and scipy.
"""
import argparse, os, subprocess, sys
import numpy as np
from scipy import signal
import degradations
import excerpts
from evaluate import HERE
sys.path.append(os.path.dirname(HERE))
import model_files

# By these names QueryPairs.Rarity finds the coefficients; in the order of the columns of cells.i16.
NAMES = ["anchor_rank", "target_rank", "stronger_target", "cell"]
RATIOS = [0, -5]  # dB


def make(folder, material, a):
    """Makes clips, and a list of them with the landmarks of their tracks and the column at which they begin."""
    rng = np.random.default_rng(a.seed)
    paths = material.landmark_paths
    with open(os.path.join(folder, "queries.csv"), "w") as queries:
        for number in range(a.count):
            x, track, first, _ = excerpts.stretch(material, rng, int(a.seconds * degradations.RATE))
            x = degradations.add(x, degradations.colored(rng, len(x)), x, RATIOS[number % len(RATIOS)])
            x = signal.resample_poly(x, 1, 2)
            path = os.path.join(folder, "%d.raw" % number)
            np.round(x * (0.7 * 32767 / np.abs(x).max())).astype("<i2").tofile(path)
            queries.write("%d,%s,%s,%.3f\n" % (number, path, paths[track], first / (2 * excerpts.HOP)))
    return queries.name


def likelihood(x, y, w):
    odds = x @ w
    return (y * odds - np.exp(odds)).sum()


def fit(x, y, fixed=None):
    """Maximum likelihood by Newton's method. Of `fixed` weights, only the constant (the first column) is fitted."""
    if fixed is not None:
        return np.r_[np.log(y.sum() / np.exp(x[:, 1:] @ fixed).sum()), fixed]
    w = np.r_[np.log(y.mean()), np.zeros(x.shape[1] - 1)]
    for _ in range(30):
        rate = np.exp(x @ w)
        step = np.linalg.solve((x * rate[:, None]).T @ x, x.T @ (y - rate))
        w += step
        if np.abs(step).max() < 1e-8: break
    return w


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("scratch"); ap.add_argument("material"); ap.add_argument("sets", nargs="+")
    ap.add_argument("--count", type=int, default=200); ap.add_argument("--seconds", type=float, default=5.0)
    ap.add_argument("--seed", type=int, default=1); ap.add_argument("--write", action="store_true")
    ap.add_argument("--kit", default=os.path.join(HERE, ".build", "release", "recognition-kit"))
    a = ap.parse_args()
    folder = os.path.abspath(a.scratch)
    os.makedirs(folder, exist_ok=True)
    queries = make(folder, excerpts.Material(a.material, a.sets), a)
    cells = os.path.join(folder, "cells.i16")
    subprocess.run([a.kit, "cells", queries, cells], check=True)
    numbers = np.fromfile(cells, np.int16).reshape(-1, len(NAMES) + 1).astype(float)
    x, y = np.column_stack([np.ones(len(numbers)), -numbers[:, :4] / [1, 1, 1, 100]]), numbers[:, 4]
    shipped = [number for (number,) in map(model_files.read_table(model_files.PAIR_RARITY).get, NAMES)]
    found = fit(x, y)
    none = likelihood(x, y, fit(x, y, np.zeros(4)))
    print("%d clips, %d cells, %d pairs of their tracks in them" % (a.count, len(y), y.sum()))
    for title, w in ("shipped", fit(x, y, np.array(shipped))), ("fitted", found):
        print("%-8s" % title, *("%s %.3g" % item for item in zip(NAMES, w[1:])),
              " at best %.2g of cells hold a pair, log-likelihood %+.1f" % (np.exp(w[0]), likelihood(x, y, w) - none))
    if a.write:
        rows = {name: [number] for name, number in zip(NAMES, found[1:])}
        model_files.write_pair_rarity(model_files.PAIR_RARITY, rows)


if __name__ == "__main__":
    main()
