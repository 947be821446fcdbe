"""Puts one fault into each recording, at a random place and strength. See material.py."""
import os, random
import numpy as np
from material import SEED, Table, level, perform, read, rows, write

RATE = 44100


def place(rng, samples, length):
    """A random place where there is sound."""
    for _ in range(200):
        start = rng.randrange(RATE, len(samples) - RATE - length)
        around = samples[start - 441:start + length + 441]
        if min(rms(samples[start - 441:start]), rms(samples[start + length:start + length + 441])) > .01 and rms(around) > .01:
            return start
    return None


def rms(part):
    return float(np.sqrt(np.mean(part ** 2)))


def clipping(rng, samples):
    """Amplified until 0.02% to 1% of the samples are cut; every second one is turned down again."""
    share = 10 ** rng.uniform(-3.7, -2)
    limit = np.quantile(np.abs(samples), 1 - share)
    cut = np.clip(samples / limit, -1, 1)
    first = int(np.argmax(np.abs(samples).max(1) >= limit))
    if rng.random() < .5: cut *= rng.uniform(.4, .97)
    return cut, {'start': first, 'share': share}


def dropout(rng, samples):
    length = int(RATE * 10 ** rng.uniform(-3, -.8))
    start = place(rng, samples, length)
    samples[start:start + length] = 0
    return samples, {'start': start, 'length': length}


def silence(rng, samples):
    length = int(RATE * rng.uniform(.3, 3))
    start = place(rng, samples, length)
    samples[start:start + length] = 0
    return samples, {'start': start, 'length': length}


def repeat(rng, samples):
    """A block stands twice: what follows is shifted, or overwritten."""
    length = rng.choice([588, 1176, 2352, 4704, rng.randrange(128, 6000)])
    start = place(rng, samples, length)
    block = samples[start:start + length].copy()
    if rng.random() < .5: samples = np.concatenate([samples[:start + length], block, samples[start + length:]])
    else: samples[start + length:start + 2 * length] = block
    return samples, {'start': start + length, 'length': length}


def click(rng, samples):
    """One to four samples off by 10% to 90% of full scale."""
    width = rng.randrange(1, 5)
    start = place(rng, samples, width)
    size = rng.uniform(.1, .9) * rng.choice([-1, 1])
    channels = rng.choice([[0], [1], [0, 1]])
    samples[start:start + width, channels] = np.clip(samples[start:start + width, channels] + size, -1, 1)
    return samples, {'start': start, 'size': size, 'width': width}


def dc_offset(rng, samples):
    offset = rng.uniform(.006, .1) * rng.choice([-1, 1])
    return samples * .85 + offset, {'offset': offset}


def dead_channel(rng, samples):
    channel = rng.randrange(2)
    samples[:, channel] *= rng.choice([0, 10 ** (-rng.uniform(75, 90) / 20)])
    return samples, {'channel': channel}


def inverted(rng, samples):
    mono = samples.mean(1)
    noise = np.random.default_rng(rng.randrange(2 ** 32)).standard_normal(samples.shape) * rng.choice([0, 1e-4])
    return level(np.stack([mono, -mono], axis=1), .7) + noise, {}


def identical(rng, samples):
    return np.repeat(samples.mean(1, keepdims=True), 2, axis=1), {}


def hum(rng, samples):
    time, base, total = np.arange(len(samples)) / RATE, rng.choice([50, 60]), 10 ** (rng.uniform(-48, -28) / 20)
    wave = sum(np.sin(2 * np.pi * base * (n + 1) * time + rng.uniform(0, 6)) * gain for n, gain in enumerate([1, rng.uniform(.3, 1), rng.uniform(.2, .8)]))
    return samples * .9 + (wave * total)[:, None], {'hz': base, 'level': total}


def hiss(rng, samples):
    """White noise below music with a quiet passage, as tapes have it."""
    start = rng.randrange(RATE, len(samples) - 4 * RATE)
    samples[start:start + 3 * RATE] *= .001
    noise = np.random.default_rng(rng.randrange(2 ** 32)).standard_normal(samples.shape)
    size = 10 ** (rng.uniform(-56, -38) / 20)
    return samples * .9 + noise * size, {'level': size}


def cut_start(rng, samples):
    start = place(rng, samples, 882)
    while rms(samples[start:start + 882]) < .7 * rms(samples) or rms(samples[start:start + 220]) < .7 * rms(samples):
        start = place(rng, samples, 882)
    return samples[start:start + 10 * RATE], {}


def cut_end(rng, samples):
    end = place(rng, samples, 882)
    while rms(samples[end - 882:end]) < .7 * rms(samples) or rms(samples[end - 220:end]) < .7 * rms(samples):
        end = place(rng, samples, 882)
    return samples[max(0, end - 10 * RATE):end], {}


KINDS = [clipping, dropout, silence, repeat, click, dc_offset, dead_channel, inverted, identical, hum, hiss, cut_start, cut_end]


def faults(work, each=1):
    """`each` faults in copies of each recording, one in each."""
    table, jobs = Table(work, 'faults'), []
    for number, (path, _, _, source, _) in enumerate(rows(work, 'recordings')):
        for kind in [KINDS[(number + 5 * other) % len(KINDS)] for other in range(each)]:
            name = f'{os.path.basename(path)[:-5]}-{kind.__name__}.flac'

            def go(path=path, source=source, kind=kind, name=name):
                rng = random.Random(SEED + name)
                samples = read(path)
                # Excerpts begin and end in the middle of the music.
                fade = np.minimum(1, np.arange(len(samples)) / (.2 * RATE))
                samples *= (fade * fade[::-1])[:, None]
                if rms(samples) < .02: samples = level(samples, .5)
                try: samples, truth = kind(rng, samples)
                except TypeError: return
                write(table.path(name), samples, RATE)
                table.add(name, kind.__name__, source, truth)
            jobs.append(go)
    perform(jobs)
    table.write()
