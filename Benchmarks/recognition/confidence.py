#!/usr/bin/env python3
"""Fits the confidence of a match, Sources/Recognition/Recognition/Matching/Finding.swift.

usage: confidence.py QUERIES=EVIDENCE ... [--check TRUTH=EVIDENCE ...] [--same ID=ID ...] [--write]

QUERIES    output of clips.py: id,track,path
EVIDENCE   output of `recognition-kit evidence` for these
TRUTH      truth.csv of a kit; not used in the fit
--same     two tracks of the same recording: matches between them are left out, and matches of either with clips of tracks
           that are not in the catalog
--write    replaces the program's Sources/Recognition/Recognition/Resources/confidence.tsv

A logistic regression on whether the best place is right, for each clip with its track in the catalog and without it. Prints the
coefficients fitted to all sets; how many right and wrong findings reach a probability, each set judged by a fit to the others; and
how often a probability comes true. Needs numpy and scipy.
"""
import argparse, csv, os, sys
import numpy as np
from scipy.optimize import minimize
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import model_files

# ConfidenceWeights.swift finds the coefficients by these names.
NAMES = "one ln_z ln_shifted ln_runnerUp rival ln_unexplained present clarity neutral ln_duration".split()


def features(row):
    z, shifted, runner_up, explained, present, clarity, neutral, duration = (
        float(row[name]) for name in "z shifted runnerUp explained present clarity neutral duration".split())
    z, runner_up = max(z, 1), max(runner_up, 6)
    return [1, np.log(z), np.log(max(shifted, 4)), np.log(runner_up), max(0, np.log(runner_up / z) + 1), np.log(1.05 - explained),
            present, min(max(clarity, 0.1), 0.38), neutral, np.log(duration)]


def read(truth, evidence, same=()):
    doubtful = {name for pair in same for name in pair}
    rows = [row for row in csv.DictReader(open(evidence, newline="")) if {row["id"], truth.get(row["query"])} not in same
            and not (truth.get(row["query"]) == "NONE" and row["id"] in doubtful)]
    right = np.array([row["without"] == "0" and row["id"] == truth.get(row["query"]) for row in rows])
    return np.array([features(row) for row in rows]), right, rows


def fit(x, y, penalty=1e-3):
    scale = x.std(0); scale[0] = 1
    def loss(w):
        odds = x @ (w / scale)
        return np.mean(np.logaddexp(0, odds) - y * odds) + penalty * np.sum(w[1:] ** 2) / 2
    return minimize(loss, np.zeros(x.shape[1]), method="BFGS").x / scale


def show(name, odds, right):
    for probability in (0.5, 0.7, 0.8, 0.9, 0.95):
        reached = odds > np.log(probability / (1 - probability))
        print("%s: at %.2f %d of %d right, %d of %d wrong" % (
            name, probability, (reached & right).sum(), right.sum(), (reached & ~right).sum(), (~right).sum()))
    probabilities = 1 / (1 + np.exp(-odds))
    for low, high in ((0, .05), (.05, .2), (.2, .5), (.5, .8), (.8, .95), (.95, 1.01)):
        some = (probabilities >= low) & (probabilities < high)
        if some.any():
            print("   said %.2f, came true %.2f (%d)" % (probabilities[some].mean(), right[some].mean(), some.sum()))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("sets", nargs="+"); ap.add_argument("--check", nargs="*", default=[]); ap.add_argument("--same", nargs="*", default=[])
    ap.add_argument("--write", action="store_true")
    a = ap.parse_args()
    sets, same = [], [set(entry.split("=")) for entry in a.same]
    for entry in a.sets:
        queries, evidence = entry.split("=")
        sets.append(read(dict(line.split(",")[:2] for line in open(queries)), evidence, same))
    x, y = np.concatenate([s[0] for s in sets]), np.concatenate([s[1] for s in sets])
    weights = fit(x, y)
    print(" ".join("%s %.2f" % item for item in zip(NAMES, weights)))
    if a.write:
        model_files.write_match_confidence(model_files.MATCH_CONFIDENCE, {name: [weight] for name, weight in zip(NAMES, weights)})
    for i, (entry, (own_x, own_y, _)) in enumerate(zip(a.sets, sets)):
        others = [s for j, s in enumerate(sets) if j != i]
        if others:
            show(entry, own_x @ fit(np.concatenate([s[0] for s in others]), np.concatenate([s[1] for s in others])), own_y)
    for entry in a.check:
        truth, evidence = entry.split("=")
        own_x, own_y, rows = read({r["query"]: r["id"] for r in csv.DictReader(open(truth, newline=""))}, evidence, same)
        show(entry, own_x @ weights, own_y)
        for odds, right, row in sorted(zip(own_x @ weights, own_y, rows), key=lambda item: -item[0]):
            if odds > 0 and not right:
                print("   wrong:", row["query"], "without" if row["without"] == "1" else "with", row["id"], "%.2f" % odds,
                      *("%s %s" % (k, row[k][:6]) for k in "z shifted runnerUp explained present clarity duration".split()))


if __name__ == "__main__":
    main()
