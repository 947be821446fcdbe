"""Plays piano music as people do, and writes the sound with its beats."""
import json, os
from dataclasses import dataclass
import numpy as np
from scipy.interpolate import PchipInterpolator
import midi
import synthesize

LOW, MIDDLE, TOP = range(3)  # voices, each in a channel of its own


@dataclass
class Music:
    """Notes (onset, length, pitch, voice), times in beats, the first beat of a bar at 0."""
    name: str
    source: str
    metre: str
    perBar: int
    notes: list
    bpm: float


def steady(count, music, rng):
    """Logarithms of the lengths of beats as pop is played: to a click, drifting, or held back at the ends of phrases."""
    kind = rng.choice(['click', 'drift', 'breath'], p=[.5, .3, .2])
    if kind == 'click': return np.zeros(count), True
    slow, step = np.zeros(count), rng.uniform(.003, .009)
    for k in range(1, count): slow[k] = .95 * slow[k - 1] + step * rng.normal()
    if kind == 'breath':
        phrase = music.perBar * rng.choice([4, 8])
        slow += rng.uniform(.03, .15) * np.clip(np.arange(count) % phrase - phrase + 3, 0, 2) / 2
    return slow, False


def rubato(count, music, rng):
    """The same with arcs of phrases, weight on first beats, ritardandi, holds and sections of another tempo."""
    strength, place = rng.uniform(.25, 1.3), np.arange(count)
    slow = np.zeros(count)
    for k in range(1, count): slow[k] = .96 * slow[k - 1] + .014 * strength * rng.normal()
    slow += .018 * strength * rng.normal(size=count)
    slow += (place % music.perBar == 0) * abs(rng.normal()) * .04 * strength
    phrase = music.perBar * rng.choice([2, 4, 4, 8])
    if rng.random() < .4: slow += rng.uniform(-.11, .11) * (place // phrase // 2 % 2)
    for start in range(0, count, phrase):
        part = slice(start, min(start + phrase, count))
        at, ends = place[part] - start, rng.choice([2, 3, music.perBar])
        slow[part] -= strength * rng.uniform(.02, .14) * np.sin(np.pi * (at + .5) / phrase)
        slow[part] += strength * rng.uniform(0, .3) * np.clip((at - phrase + ends + 1) / ends, 0, 1) ** 2
    slow = np.clip(slow - np.median(slow), -.22, .26)
    ends = place[place % phrase == phrase - 1]
    slow[ends[rng.random(len(ends)) < .15 * strength]] += np.log(rng.uniform(1.2, 1.6))
    return slow, False


def rolled(notes, rng):
    """How much later each note is (seconds), chords of three and more being rolled upwards around their time."""
    late, chords = np.zeros(len(notes)), {}
    for index, note in enumerate(notes): chords.setdefault((round(note[0], 3), note[3]), []).append(index)
    share, spread = rng.choice([0, .1, .5]), rng.uniform(.03, .12)
    for indices in chords.values():
        if len(indices) > 2 and rng.random() < share:
            late[sorted(indices, key=lambda i: notes[i][2])] = spread * np.linspace(-.5, .5, len(indices))
    return late


def play(notes, clock, perBar, count, free, rng):
    """Events of MIDI, and when the notes begin."""
    jitter = rng.uniform(.004, .018)
    apart = rng.uniform(0, .03) * rng.choice([-1, 1], p=[.3, .7]) * (1 if free else .4)  # how far the tune is ahead
    level, above, accent, shape = rng.uniform(40, 85), rng.uniform(4, 22), rng.uniform(0, 10), rng.uniform(0, 12)
    legato, late = rng.uniform(.55, 1), rolled(notes, rng)
    wander, onsets, events, last = np.cumsum(rng.normal(size=count + 2)) * .003 * free, [], [], {}
    wander -= wander.mean()
    for index in sorted(range(len(notes)), key=lambda i: notes[i][0]):
        onset, length, pitch, voice = notes[index]
        hand = (apart + np.clip(wander[int(onset)], -.02, .02)) / (-2 if voice == TOP else 2)
        start = max(.01, clock(onset) + jitter * np.clip(rng.normal(), -2.5, 2.5) + late[index] + hand)
        end = max(start + .05, clock(onset + length * (.97 if voice == TOP else legato)) - .01)
        strong = (onset % perBar < .01) + .5 * (onset % 1 < .01)
        velocity = level + above * (voice == TOP) + accent * strong + shape * np.sin(onset / perBar / 4 * np.pi)
        velocity += 5 * rng.normal()
        pitch = int(np.clip(pitch, 22, 105))
        if (voice, pitch) in last: last[voice, pitch][1] = min(last[voice, pitch][1], start - .01)
        onsets.append(start)
        last[voice, pitch] = [start, end]
        events.append((start, voice, pitch, int(np.clip(velocity, 14, 124)), last[voice, pitch]))
    midiEvents = []
    for start, voice, pitch, velocity, span in events:
        midiEvents += [(start, bytes([0x90 | voice, pitch, velocity])),
                       (max(start + .02, span[1]), bytes([0x80 | voice, pitch, 0]))]
    pedal = rng.choice([0, 1, 2, perBar, perBar], p=[.2, .1, .2, .25, .25])
    for beat in range(0, count, pedal) if pedal else []:
        up, down = clock(beat) + rng.uniform(-.02, .04), clock(beat) + rng.uniform(.07, .18)
        for voice in LOW, MIDDLE, TOP:
            midiEvents += [(max(0, up), bytes([0xB0 | voice, 64, 0])), (max(.01, down), bytes([0xB0 | voice, 64, 127]))]
    return midiEvents, np.array(onsets)


def excerpt(music, count, rng):
    """Some of the notes, from the first beat of a bar without long rests."""
    onsets = np.sort([note[0] for note in music.notes])
    bars = max(1, int(onsets[-1] - count) // music.perBar)
    for _ in range(12):
        first = music.perBar * (rng.integers(bars) if rng.random() < .8 else 0)
        inside = onsets[(onsets >= first) & (onsets < first + count)]
        if len(inside) and np.diff(np.r_[first, inside]).max() <= 1.5 * music.perBar: break
    return [(note[0] - first, *note[1:]) for note in music.notes if first <= note[0] < first + count]


def perform(music, free, fonts, output, rng):
    """Writes NAME.f32, NAME.txt and NAME.json and returns a row of the manifest; None if too little is on the beats."""
    seconds = rng.uniform(32, 45)
    count = int(seconds * music.bpm / 60 * 1.25) + 4
    notes = excerpt(music, count, rng)
    count = min(count, int(max((note[0] for note in notes), default=0)) + 1)
    slow, constant = (rubato if free else steady)(count + 8, music, rng)
    times = np.r_[0, np.cumsum(60 / music.bpm * np.exp(slow))] + rng.uniform(.05, .6)
    clock = PchipInterpolator(np.arange(len(times)), times)
    events, onsets = play(notes, clock, music.perBar, count, free, rng)
    beats = times[:count]
    start = rng.uniform(0, 4) if rng.random() < .4 else 0  # also within a bar
    seconds = min(seconds, onsets.max(initial=0) + .5 - start)
    inside = (beats >= start) & (beats < start + seconds - .2)
    if inside.sum() < 12 or seconds < 16: return None
    sounds = np.array([abs(onsets - beat).min() < .06 for beat in beats[inside]])
    if sounds.mean() < .5:
        print(f'{music.name}: left out: notes on {sounds.mean():.2f} of its beats')
        return None
    program = int(rng.choice(6, p=[.75, .15, .06, .04, 0, 0] if free else [.5, .2, .08, .04, .1, .08]))
    volume, reverb = int(rng.integers(70, 127)), int(rng.choice([0, rng.integers(10, 60), rng.integers(60, 127)]))
    for voice in LOW, MIDDLE, TOP:
        events += [(0, bytes([0xC0 | voice, program])), (0, bytes([0xB0 | voice, 7, volume])),
                   (0, bytes([0xB0 | voice, 91, reverb]))]
    stem = os.path.join(output, music.name)
    synthesize.write_midi(stem + '.mid', events)
    samples = midi.render(stem, fonts[rng.integers(len(fonts))], start, seconds)
    os.remove(stem + '.mid')
    if abs(samples).max() < 1e-3: return None
    (samples * (rng.uniform(.1, .95) / abs(samples).max())).astype(np.float32).tofile(stem + '.f32')
    np.savetxt(stem + '.txt', beats[inside] - start, fmt='%.4f')
    down = np.arange(count)[inside] % music.perBar == 0
    with open(stem + '.json', 'w') as file:
        json.dump(dict(id=music.name, metre=music.metre, down=list((beats[inside] - start)[down].round(4))), file)
    bpm = music.bpm if constant else 60 / np.median(np.diff(beats[inside]))
    kind = 'rubato' if free else 'piano'
    return [music.name, '%.4f' % bpm, 'yes' if constant else 'no', kind, music.source, music.name + '.txt']
