#!/usr/bin/env python3
"""Fits how beats group into bars, Sources/Sound/Tempo/BarReading.swift, and prints how good that is on unknown sources.

  bars.py MANIFEST:FEATURES:WEIGHT … --folds FOLDS.json|NUMBER [--write] [--l2 1] [--right 0.97] [--keep-meter]

--write changes Sources/Sound/Tempo/Resources/bar-weights.tsv. Arguments are those of fit.py. Clips without known bars (no
NAME.json beside the manifest, or no first beats in it) are left out. The beats are those of the grid that the program
chooses with the weights it was built with, even if they are wrong. Needs numpy and scipy.

--keep-meter fits first beats alone, and leaves the numbers of the meter as they are.

1. Meter: logistic regression of four against three on the logarithm of the ratio of their evidence. Fitted are the
   shares of the lanes, the evidence from chance, and the scale of the network. All clips in three together weigh as
   much as all clips in four. The L2 penalty is towards equal shares and towards 1.
2. First beats: conditional logit over the three or four beats, with an L2 penalty, on clips whose first beats are among
   the beats found.
3. Thresholds: the lowest advantage of a meter (in tenths) and the lowest probability of a first beat (in hundredths)
   for which a share of --right of the answers given are right, on sources left out of the fit.
"""
import argparse, csv, json, os, sys, zlib
for variable in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS': os.environ[variable] = '1'
import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import model_files
import truth

LANES = 'to_150_hz to_400_hz to_1500_hz to_5000_hz above_5000_hz all_bands harmony loud'.split()
# BeatAccents.names
NAMES = LANES + ('strong_to_150_hz strong_above_5000_hz strong_all_bands strong_loud new_chord new_chord_of_two_beats new_section '
                 'network').split()
SHARES = ['share.' + name for name in NAMES[:-1]]
# The weights of first beats, by the number of beats in a bar.
FIRST = {count: [f'{place}_of_{number}.{name}' for place in ('first', 'second', 'third')[:count - 1] for name in NAMES]
         for count, number in ((3, 'three'), (4, 'four'))}
# Of BarReading.swift.
FEWEST_BEATS, FASTEST_THREE, MOST_BARS = 16, 160, 32
TOLERANCE = 0.07  # seconds


def places_of(times, grid):
    """The index in the grid of each time that is on it."""
    if not len(grid): return np.zeros(0, int)
    distance = abs(times[:, None] - grid)
    return distance.argmin(1)[distance.min(1) <= TOLERANCE]


def first_of(down, grid, per_bar):
    """Which of the first beats of a grid begins a bar; None if the grid misses first beats, or they are not per_bar apart."""
    places = places_of(down, grid)
    if len(places) < max(2, 0.8 * len(down)): return None
    counts = np.bincount(places % per_bar, minlength=per_bar)
    return int(counts.argmax()) if counts.max() >= 0.9 * len(places) else None


def means(values, step): return np.array([values[first::step].mean(0) for first in range(step)])


def read(manifest, directory, weight):
    """The clips whose bars are known, with what BarReading.swift is given."""
    clips = []
    for row in csv.DictReader(open(manifest)):
        path = os.path.join(directory, row['id'] + '.json')
        beats, down = truth.beats_of(row, manifest), truth.downbeats_of(row, manifest)
        if not os.path.exists(path) or beats is None or down is None: continue
        places = places_of(down, beats)
        if len(places) < 2: continue
        with open(path) as file: found = json.load(file)
        clip = dict(source=row['source'], weight=weight, meter=round(np.median(np.diff(places))), heard={})
        clips.append(clip)
        if found['accentNames'] != NAMES: raise SystemExit('The features have other names: make them anew.')
        accents = np.array(found['accents'])
        if len(accents) < FEWEST_BEATS: continue
        grid, clip['bpm'] = np.array(found['hypotheses'][0]['beats']), found['hypotheses'][0]['bpm']
        for per_bar in 3, 4:
            rows = means(accents, per_bar)
            clip['heard'][per_bar] = dict(
                evidence=(rows[:, :-1] ** 2).mean(0) * len(accents) / (per_bar - 1), surety=rows[:, -1].max() - rows[:, -1].mean(),
                said=np.hstack([np.roll(rows, -place, 0) for place in range(per_bar - 1)])
                * np.sqrt(min(len(accents) // per_bar, MOST_BARS)) / 4)
        clip['first'] = first_of(down, grid, clip['meter']) if clip['meter'] in (3, 4) else None
    return clips


def advantages(clips, shares, chance, scale):
    """The logarithm of the evidence for bars of four less that for bars of three."""
    def column(name, per_bar): return np.array([c['heard'][per_bar][name] for c in clips])
    four, three = (column('evidence', per_bar) @ shares + chance for per_bar in (4, 3))
    return np.log(four / three) + (column('surety', 4) - column('surety', 3)) / scale


def fit_meter(clips, l2):
    """Shares of the lanes, which add up to 1, evidence from chance, and the scale of the network."""
    clips = [c for c in clips if c['heard'] and c['meter'] in (3, 4)]
    sign = np.array([1 if c['meter'] == 4 else -1 for c in clips])
    weights = np.array([c['weight'] for c in clips], float)
    for one in 1, -1: weights[sign == one] *= len(clips) / 2 / weights[sign == one].sum()

    def parts(theta): return softmax(theta[:-2]), *np.exp(theta[-2:])
    def loss(theta):
        return (weights * np.logaddexp(0, -sign * advantages(clips, *parts(theta)))).sum() + l2 / 2 * theta @ theta

    shares, chance, scale = parts(minimize(loss, np.zeros(len(SHARES) + 2)).x)
    return {**dict(zip(SHARES, shares)), 'chance': chance, 'network_scale': scale}


def fit_first(clips, per_bar, l2):
    """The weights of the first of so many beats."""
    clips = [c for c in clips if c['heard'] and c['meter'] == per_bar and c['first'] is not None]
    X, first = np.array([c['heard'][per_bar]['said'] for c in clips]), np.array([c['first'] for c in clips])
    weights, every = np.array([c['weight'] for c in clips], float), np.arange(len(clips))

    def loss(w):
        logarithms = log_softmax(X @ w, axis=1)
        slope = np.exp(logarithms)
        slope[every, first] -= 1
        gradient = np.einsum('n,nb,nbf->f', weights, slope, X) + l2 * w
        return -(weights * logarithms[every, first]).sum() + l2 / 2 * w @ w, gradient

    return dict(zip(FIRST[per_bar], minimize(loss, np.zeros(X.shape[2]), jac=True).x))


def fit(clips, l2, meter=None): return {**(meter or fit_meter(clips, l2)), **fit_first(clips, 4, l2), **fit_first(clips, 3, l2)}


def judge(clips, numbers):
    """Gives clips with enough beats their advantage of four; if the right first beat is known, the probability of each."""
    heard = [c for c in clips if c['heard']]
    found = advantages(heard, np.array([numbers[name] for name in SHARES]), numbers['chance'], numbers['network_scale'])
    for clip, advantage in zip(heard, found):
        clip['advantage'] = advantage
        if clip['first'] is not None:
            weights = [numbers[name] for name in FIRST[clip['meter']]]
            clip['chances'] = softmax(clip['heard'][clip['meter']]['said'] @ weights)


def meters(clips, least):
    """The number of beats per bar that is given for each clip; 0 for none."""
    def given(clip):
        if not clip['heard'] or abs(clip['advantage']) <= least: return 0
        if clip['advantage'] > 0: return 4
        return 3 if clip['bpm'] <= FASTEST_THREE else 0
    return np.array([given(clip) for clip in clips])


def lowest(values, wanted, right_of):
    """The lowest threshold at which the wanted share is right; right_of says which of the answers given are."""
    return next((value for value in values if len(right_of(value)) and np.mean(right_of(value)) >= wanted), values[-1])


def thresholds(clips, wanted, advantage=None):
    true = np.array([c['meter'] for c in clips])

    def right_meters(value):
        given = meters(clips, value)
        return (given == true)[given > 0]

    if advantage is None: advantage = lowest(np.arange(0, 5.05, 0.1), wanted, right_meters)
    told = [c for c, given in zip(clips, meters(clips, advantage)) if given == c['meter'] and c['first'] is not None]
    surest = np.array([c['chances'].max() for c in told])
    right = np.array([c['chances'].argmax() == c['first'] for c in told])
    sure = lowest(np.arange(0.5, 0.995, 0.01), wanted, lambda value: right[surest >= value])
    return {'least_advantage': advantage, 'sure_downbeat': sure}


def show(title, clips, numbers):
    given, true = meters(clips, numbers['least_advantage']), np.array([c['meter'] for c in clips])
    told = [c for c, one in zip(clips, given) if one == c['meter'] and c['first'] is not None]
    sure = [c for c in told if c['chances'].max() >= numbers['sure_downbeat']]
    counts = ['%d of %d' % ((given == true)[given == one].sum(), (given == one).sum()) for one in (4, 3)]
    losses = [-np.log(c['chances'][c['first']]) for c in clips if c.get('chances') is not None]
    print('%-15s %5d %7d %7d %14s %14s %8d %7d %7d %10.3f' % (
        title, len(clips), (given > 0).sum(), (given == true).sum(), *counts, len(told), len(sure),
        sum(c['chances'].argmax() == c['first'] for c in sure), np.mean(losses)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('sets', nargs='+')
    parser.add_argument('--folds', required=True, help='folds.json of network.py, or a number: fit.py')
    parser.add_argument('--l2', type=float, default=1)
    parser.add_argument('--right', type=float, default=0.97)
    parser.add_argument('--keep-meter', action='store_true')
    parser.add_argument('--write', action='store_true')
    options = parser.parse_args()
    clips = []
    for text in options.sets:
        manifest, directory, weight = text.rsplit(':', 2)
        clips += read(manifest, directory, float(weight))
    if options.folds.isdigit(): fold = {c['source']: zlib.crc32(c['source'].encode()) % int(options.folds) for c in clips}
    else: fold = json.load(open(options.folds))
    print('%-15s %5s %7s %7s %14s %14s %8s %7s %7s %10s' % (
        '', 'clips', 'meters', 'right', 'four: right', 'three: right', 'told', 'firsts', 'right', 'loss'))
    shipped = {name: number for name, (number,) in model_files.read_table(model_files.BAR_WEIGHTS).items()}
    shipped = {name: shipped.get(name, 0) for name in SHARES + ['chance', 'network_scale'] + FIRST[4] + FIRST[3]
               + ['least_advantage', 'sure_downbeat']}
    # Of shares only the ratios count.
    whole = sum(shipped[name] for name in SHARES)
    shipped.update({name: shipped[name] / whole for name in SHARES})
    judge(clips, shipped)
    show('as shipped', clips, shipped)
    meter = {name: shipped[name] for name in SHARES + ['chance', 'network_scale']} if options.keep_meter else None
    for k in sorted({fold[c['source']] for c in clips}):
        numbers = fit([c for c in clips if fold[c['source']] != k], options.l2, meter)
        judge([c for c in clips if fold[c['source']] == k], numbers)
    limits = thresholds(clips, options.right, shipped['least_advantage'] if options.keep_meter else None)
    show('without source', clips, limits)
    numbers = {**fit(clips, options.l2, meter), **limits}
    judge(clips, numbers)
    show('in-sample', clips, numbers)
    print('\n%-30s %8s %8s' % ('', 'shipped', 'fitted'))
    for name, number in numbers.items(): print('%-30s %8.2f %8.2f' % (name, shipped[name], number))
    if options.write:
        model_files.write_bar_weights(model_files.BAR_WEIGHTS, {name: [number] for name, number in numbers.items()})


if __name__ == '__main__':
    main()
