#!/usr/bin/env python3
"""Fits the choice of grid and the confidence of the tempo, and prints their figures on sources left out of the fit.

  fit.py MANIFEST:FEATURES:WEIGHT … [--write] [--units 16] [--l2 20] [--l2-hidden 30]
         --folds FOLDS.json|NUMBER [--strict] [--onward [--hold 4]] [--metronomes] [--balance 0.28 0.47 0.25] [--most 32] [--steps 150]
         [--failures KIND] [--drop FEATURE …]

--write replaces the program's Sources/Sound/Tempo/Resources/grid-weights.tsv and confidence.tsv.

MANIFEST is a CSV with the columns id, bpm_true, kind, source, beats_file (one time in seconds per line, relative to the manifest)
and, if known, constant; FEATURES is the directory that `tempo-features` wrote for its recordings; WEIGHT is the weight of one of them.
Metronomes (kind metronome) are reported but not used in the fit, except with --metronomes. Sources are kept together: in the folds of the networks that heard them, or
with --strict every annotated source on its own (synthetic ones stay in folds). With a NUMBER, sources are dealt to so many folds by their
names. --onward goes on from the shipped weights: penalties are on what differs from them, and --units are added to theirs. Use it with material
of a new kind. --hold multiplies the penalties on features that they know. --balance gives clips below 90 beats a minute, up to 150, and above
these shares of the weight. --most leaves only so many hypotheses of a clip to the fit: the right ones, and the likeliest by the shipped weights. Needs numpy, scipy and mir_eval. MANIFEST.pickle beside
the features caches them.

The model is a conditional logit over the hypotheses (tempo and phase) of a recording, whose score is linear in the features plus a
small hidden layer (tanh): the probability of the right ones is maximized (its negative logarithm is printed as loss), with L2
penalties on the weights of standardized features. A hypothesis is right if its tempo is within 4% and its beats
have at least 0.9 of the best F-measure that any hypothesis has; of these, only those of constant tempo if they are as good.

The confidence is a logistic regression on the evidence for the choice. It, too, is fitted without the source of a recording,
to choices made without that source.
"""
import argparse, csv, json, os, pickle, sys, warnings, zlib
# More threads add in another order, and 150 steps later the weights differ in the second place.
for variable in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS': os.environ[variable] = '1'
import numpy as np
from scipy.optimize import minimize
warnings.simplefilter('ignore')
import mir_eval
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import model_files
import truth

FACTORS = (1 / 3, 1 / 2, 1, 2, 3)
# What doubt() gives, by the names that TempoConfidence.swift looks for.
TEMPO_EVIDENCE = ('tempo.constant', 'tempo.logit_share', 'tempo.ln_clarity', 'tempo.moving', 'tempo.moving_logit_share')
OCTAVE_EVIDENCE = ('octave.constant', 'octave.logit_share')


def scored_beats(row, manifest):
    """The true beats that count: those from 5 s on."""
    beats = truth.beats_of(row, manifest)
    beats = None if beats is None else mir_eval.beat.trim_beats(beats)
    return beats if beats is not None and len(beats) > 1 else None


def read(manifest, directory):
    """The recordings of a manifest with their hypotheses and how right each is."""
    kept = os.path.join(directory, os.path.basename(manifest) + '.pickle')
    newest = max(os.path.getmtime(e.path) for e in os.scandir(directory) if e.name.endswith('.json'))
    if os.path.exists(kept) and os.path.getmtime(kept) > max(newest, os.path.getmtime(__file__)):
        return pickle.load(open(kept, 'rb'))
    tracks = []
    for row in csv.DictReader(open(manifest)):
        path = os.path.join(directory, row['id'] + '.json')
        if not os.path.exists(path): continue
        found = json.load(open(path))
        hypotheses, beats, true = found['hypotheses'], scored_beats(row, manifest), float(row['bpm_true'])
        if not hypotheses: continue
        tempi = np.array([h['bpm'] for h in hypotheses])
        constant = np.array([h['isConstant'] for h in hypotheses])
        trimmed = [mir_eval.beat.trim_beats(np.unique(h['beats'])) for h in hypotheses]
        F = np.array([np.nan if beats is None else mir_eval.beat.f_measure(beats, b) if len(b) > 1 else 0 for b in trimmed])
        right = abs(tempi / true - 1) <= 0.04
        if beats is not None and F.max() >= 0.35:
            near = F >= 0.9 * F.max()
            right = right & near if (right & near).any() else near
            steady = right & constant
            if steady.any() and F[steady].max() >= 0.97 * F[right].max(): right = steady
        elif row.get('constant') != 'no' and (right & constant).any():
            right = right & constant
        tracks.append(dict(
            id=row['id'], names=found['names'], kind=row['kind'], source=row['source'], true=true, truth=beats, tempi=tempi, constant=constant, F=F,
            right=right, beats=trimmed, X=np.array([h['features'] for h in hypotheses]), clarity=found['clarity'],
            bare=np.array([h['isBare'] for h in hypotheses]),
            activity=np.array(found['activity']), seconds=found['seconds'], steady=row.get('constant') == 'yes'))
    pickle.dump(tracks, open(kept, 'wb'))
    return tracks


def reluctance(tempi): return 3 * np.maximum(0, np.log2(tempi / 165))  # of GridChoice.swift


def score_of(X, tempi, model):
    return X @ model['linear'] + np.tanh(X @ model['hidden'] + model['bias']) @ model['output'] - reluctance(tempi)


def shipped(names):
    """The weights of the program; none for features that it does not know yet."""
    table = model_files.read_table(model_files.GRID_WEIGHTS)
    rows = np.array([table.get(name, [0] * (len(table['output']) + 1)) for name in names])
    return dict(linear=rows[:, -1], hidden=rows[:, :-1], bias=np.array(table['bias']), output=np.array(table['output']))


def fit(tracks, options):
    """The weights of the choice, for features as they are; see Sources/Sound/Tempo/Grids/GridChoice.swift."""
    tracks = [t for t in tracks if t['right'].any() and (options.metronomes or t['kind'] != 'metronome')]
    kept = [t.get('kept', slice(None)) for t in tracks]
    X = np.concatenate([t['X'][k] for t, k in zip(tracks, kept)])
    mean, deviation = X.mean(0), X.std(0)
    deviation = np.where(deviation > 1e-6, deviation, 1)
    X = ((X - mean) / deviation).astype(np.float32)
    right = np.concatenate([t['right'][k] for t, k in zip(tracks, kept)]).astype(np.float32)
    sizes = [len(t['tempi'][k]) for t, k in zip(tracks, kept)]
    starts, owner = np.r_[0, np.cumsum(sizes)[:-1]], np.repeat(np.arange(len(sizes)), sizes)
    weights = np.array([t['weight'] for t in tracks])
    count, units = X.shape[1], options.units
    rng = np.random.default_rng(0)
    begin = dict(linear=np.zeros(count), hidden=0.7 * rng.normal(size=(count, units)) / np.sqrt(count), bias=0.3 * rng.normal(size=units),
                 output=0.1 * rng.normal(size=units))
    goal = {name: np.zeros_like(value) for name, value in begin.items()}
    if options.onward:
        known = shipped(tracks[0]['names'])
        known = dict(linear=known['linear'] * deviation, hidden=known['hidden'] * deviation[:, None], bias=known['bias'] + mean @ known['hidden'],
                     output=known['output'])
        begin = {name: known[name] if name == 'linear' else np.concatenate([known[name], value], -1) for name, value in begin.items()}
        goal = {name: known[name] if name == 'linear' else np.concatenate([known[name], value], -1) for name, value in goal.items()}
        units += len(known['output'])
    first, towards = (np.concatenate([values[name].ravel() for name in ('linear', 'hidden', 'bias', 'output')]) for values in (begin, goal))
    costs = np.concatenate([np.full(count, options.l2), np.full(count * units, options.l2_hidden), np.zeros(units),
                            np.full(units, options.l2_hidden)])
    if options.hold != 1:
        table = model_files.read_table(model_files.GRID_WEIGHTS)
        held = np.array([options.hold if name in table else 1.0 for name in tracks[0]['names']])
        costs[:count * (units + 1)] *= np.concatenate([held, np.repeat(held, units)])

    def parts(theta):
        linear, hidden, bias, output = np.split(theta, np.cumsum([count, count * units, units]))
        return linear, hidden.reshape(count, units), bias, output

    def loss(theta):
        linear, hidden, bias, output = parts(theta.astype(np.float32))
        bent = np.tanh(X @ hidden + bias)
        score = (X @ linear + bent @ output).astype(float)
        e = np.exp(score - np.maximum.reduceat(score, starts)[owner])
        whole, part = np.add.reduceat(e, starts), np.add.reduceat(e * right, starts) + 1e-300
        slope = ((e / whole[owner] - e * right / part[owner]) * weights[owner]).astype(np.float32)
        inner = slope[:, None] * output * (1 - bent * bent)
        gradient = np.concatenate([X.T @ slope, (X.T @ inner).ravel(), inner.sum(0), bent.T @ slope]).astype(float)
        apart = theta - towards
        return (weights * np.log(whole / part)).sum() + costs @ apart ** 2 / 2, gradient + costs * apart

    theta = minimize(loss, first, jac=True, method='L-BFGS-B', options=dict(maxiter=options.steps)).x
    linear, hidden, bias, output = parts(theta)
    hidden = hidden / deviation[:, None]
    return dict(linear=linear / deviation, hidden=hidden, bias=bias - mean @ hidden, output=output)


def tempo_shares(tempi, p):
    """How likely each tempo is, by its likeliest hypothesis: GridChoice.tempi."""
    shares = {}
    for i in np.argsort(-p, kind='stable'):
        leader = next((k for k in shares if abs(tempi[i] / tempi[k] - 1) < 0.04), int(i))
        shares[leader] = shares.get(leader, 0) + p[i]
    return shares


def choice(track, model):
    """The hypothesis that the analyzer takes, the probabilities of all, and how right it is."""
    score = score_of(track['X'], track['tempi'], model)
    if track['bare'].any():
        slowest = np.argmin(np.where(track['bare'], track['tempi'], np.inf))
        score[slowest] = score.max() + 3
    p = np.exp(score - score.max())
    p /= p.sum()
    # The likeliest tempo, and of its hypotheses the likeliest: TempoCourse.worth.
    shares = tempo_shares(track['tempi'], p)
    best = max(shares, key=shares.get)
    bpm, true = track['tempi'][best], track['true']
    C = A = np.nan
    if track['truth'] is not None:
        C = A = 0.0
        if len(track['beats'][best]) > 1: _, C, _, A = mir_eval.beat.continuity(track['truth'], track['beats'][best])
    ratio = bpm / true
    return dict(best=best, p=p, bpm=bpm, shares={track['tempi'][i]: share for i, share in shares.items()}, acc1=abs(ratio - 1) <= 0.04, acc2=any(abs(ratio / f - 1) <= 0.04 for f in FACTORS),
                near=abs(bpm - true) <= 0.1 if track['steady'] else np.nan, F=track['F'][best], C=C, A=A)


def logit(p):
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return np.log(p / (1 - p))


def doubt(track, found):
    """What TempoConfidence knows: TEMPO_EVIDENCE and OCTAVE_EVIDENCE."""
    share = found['shares'][found['bpm']]
    family = sum(other for bpm, other in found['shares'].items() if any(abs(bpm / found['bpm'] / f - 1) < 0.04 for f in FACTORS))
    moving = 0 if track['constant'][found['best']] else 1
    return ([1, logit(share), np.log(np.clip(track['clarity'], 0.3, 3)), moving, moving * logit(share)], [1, logit(min(share / family, 1))])


def regression(Z, right, weights, prior=0.5):
    sign = 2 * right - 1
    return minimize(lambda c: (weights * np.logaddexp(0, -sign * (Z @ c))).sum() + prior / 2 * c @ c, np.zeros(Z.shape[1])).x


def calibration_error(confidence, right, bins=10):
    place = np.minimum((confidence * bins).astype(int), bins - 1)
    return sum((place == b).mean() * abs(confidence[place == b].mean() - right[place == b].mean()) for b in set(place))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sets', nargs='+')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--units', type=int, default=16)
    parser.add_argument('--l2', type=float, default=20)
    parser.add_argument('--l2-hidden', type=float, default=30)
    parser.add_argument('--folds', required=True, help='folds.json of network.py, or a number')
    parser.add_argument('--strict', action='store_true')
    parser.add_argument('--metronomes', action='store_true')
    parser.add_argument('--onward', action='store_true')
    parser.add_argument('--hold', type=float, default=1)
    parser.add_argument('--balance', type=float, nargs=3)
    parser.add_argument('--most', type=int)
    parser.add_argument('--steps', type=int, default=150)
    parser.add_argument('--failures', nargs='*', default=[])
    parser.add_argument('--drop', nargs='*', default=[], help='names of features to leave out')
    options = parser.parse_args()
    tracks = []
    for text in options.sets:
        manifest, directory, weight = text.rsplit(':', 2)
        tracks += [dict(t, weight=float(weight)) for t in read(manifest, directory)]
    names = tracks[0]['names']
    if any(t['names'] != names for t in tracks): raise SystemExit('The sets have different features: make those of all anew.')
    unknown = set(options.drop) - set(names)
    if unknown: raise SystemExit('There are no features ' + ', '.join(sorted(unknown)))
    for t in tracks: t['X'][:, [names.index(name) for name in options.drop]] = 0
    if options.folds.isdigit(): fold = {t['source']: zlib.crc32(t['source'].encode()) % int(options.folds) for t in tracks}
    else: fold = json.load(open(options.folds))
    if options.balance:
        speeds, weights = np.digitize([t['true'] for t in tracks], [90, 150]), np.array([t['weight'] for t in tracks])
        for t, speed in zip(tracks, speeds): t['weight'] *= options.balance[speed] * weights.sum() / weights[speeds == speed].sum()
    if options.most:
        known = shipped(names)
        for t in tracks:
            worth = score_of(t['X'], t['tempi'], known)
            t['kept'] = np.union1d(np.argsort(-worth)[:options.most], np.where(t['right'])[0])
    if options.strict: fold = {source: k if source.startswith('synthetic') else source for source, k in fold.items()}
    whole = fit(tracks, options)
    outside = {}
    for k in dict.fromkeys(fold.values()):
        model = fit([t for t in tracks if fold[t['source']] != k], options)
        for t in tracks:
            if fold[t['source']] == k: outside[id(t)] = choice(t, model)
    print('%-22s   n   loss  Acc1  Acc2  b0.1     F  CMLt  AMLt   ECE  at 0.9' % '')
    for title, results in ('without source', outside), ('in-sample', {id(t): choice(t, whole) for t in tracks}):
        rows = [results[id(t)] for t in tracks]
        known = [doubt(t, r) for t, r in zip(tracks, rows)]
        acc1, acc2 = (np.array([r[name] for r in rows], float) for name in ('acc1', 'acc2'))
        weights = np.array([t['weight'] for t in tracks])
        folds = np.array([str(fold[t['source']]) for t in tracks])
        Z, O = np.array([k[0] for k in known], float), np.array([k[1] for k in known], float)
        platt, octave = regression(Z, acc1, weights), regression(O[acc2 > 0], acc1[acc2 > 0], weights[acc2 > 0])
        confidence = np.zeros(len(rows))
        for k in set(folds):
            own = platt if title == 'in-sample' else regression(Z[folds != k], acc1[folds != k], weights[folds != k])
            confidence[folds == k] = 1 / (1 + np.exp(-Z[folds == k] @ own))
        print(title)
        moves = np.array([not t['constant'][r['best']] for t, r in zip(tracks, rows)])
        for name, m in ('found steady', ~moves), ('found moving', moves), ('not steady', np.array([not t['steady'] for t in tracks])):
            high = m & (confidence >= 0.9)
            print('  confidence, %s: ECE %.3f, %d of %d at 0.9' % (name, calibration_error(confidence[m], acc1[m]), acc1[high].sum(), high.sum()))
        kinds = np.array([t['kind'] for t in tracks])
        annotated = np.array([not t['source'].startswith('synthetic') and t['kind'] != 'cut' for t in tracks])
        speeds = np.digitize([t['true'] for t in tracks], [90, 150])
        groups = {kind: kinds == kind for kind in sorted(set(kinds))}
        for word, of in ('annotated', annotated), ('made', ~annotated & (kinds != 'cut')):
            groups |= {f'{word} {name}': of & (speeds == place) for place, name in enumerate(('< 90', '< 150', '> 150'))}
        for kind, m in groups.items():
            if not m.any(): continue
            values = np.array([[rows[i][name] for name in ('acc1', 'acc2', 'near', 'F', 'C', 'A')] for i in np.where(m)[0]], float)
            high = m & (confidence >= 0.9)
            losses = [-np.log(max(rows[i]['p'][tracks[i]['right']].sum(), 1e-9)) for i in np.where(m)[0] if tracks[i]['right'].any()]
            print('%-21s %4d  %.3f' % (kind, m.sum(), np.mean(losses)), *('%5.1f' % (100 * v) for v in np.nanmean(values, 0)),
                  ' %.3f  %d/%d' % (calibration_error(confidence[m], acc1[m]), acc1[high].sum(), high.sum()))
        if title == 'without source':
            curves = dict(zip(TEMPO_EVIDENCE + OCTAVE_EVIDENCE, [[value] for value in (*platt, *octave)]))
            print(*('%s %.2f' % (name, value) for name, (value,) in curves.items()))
            for t, r, c in zip(tracks, rows, confidence):
                if t['kind'] in options.failures and (not r['acc1'] or r['F'] < 0.7):
                    print('  %-44s true %6.2f got %6.2f conf %.2f F %.2f of %.2f AMLt %.2f %s' % (
                        t['id'][-44:], t['true'], r['bpm'], c, r['F'], t['F'].max(), r['A'],
                        'constant' if t['constant'][r['best']] else 'moving'))
    if options.write:
        rows = {name: [*hidden, linear] for name, hidden, linear in zip(names, whole['hidden'], whole['linear'])}
        model_files.write_grid_weights(model_files.GRID_WEIGHTS, {**rows, 'bias': whole['bias'], 'output': whole['output']})
        model_files.write_tempo_confidence(model_files.TEMPO_CONFIDENCE, curves)


if __name__ == '__main__':
    main()
