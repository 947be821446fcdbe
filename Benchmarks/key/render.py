"""Adds note spectra (timbres.py) up to the spectrum of a piece, in any key: some 20 ms for 30 s of music."""
import glob, os
import numpy as np
import spectra, timbres

POWER = (10 ** (spectra.FLOOR / 10 + np.arange(256) / 20)).astype(np.float32)
STEP = timbres.STEP / spectra.RATE
STEPS = int(round(spectra.FRAME / STEP))


class Bank:
    """The soundfonts of a folder."""
    def __init__(self, folder):
        files = [np.load(path) for path in sorted(glob.glob(os.path.join(folder, '*.npz')))]
        self.fonts = [(file['melodic'], file['drums']) for file in files]


def shifted(bands, bins):
    """Moved up by so many bins."""
    if bins == 0: return bands
    moved = np.zeros_like(bands)
    if bins > 0: moved[:, bins:] = bands[:, :-bins]
    else: moved[:, :bins] = bands[:, -bins:]
    return moved


def power(notes, programs, font, start, frames, transposed, gains, release):
    """(frames, 222): the powers of the notes (rows of compose.py) from `start` seconds on, moved by `transposed` semitones."""
    melodic, drums = font
    total = np.zeros((frames, spectra.BINS), np.float32)
    stop = start + frames * spectra.FRAME
    inside = notes[(notes[:, 0] < stop) & (notes[:, 0] + notes[:, 1] > start - 3)]
    for onset, length, pitch, velocity, voice in inside:
        place = (start - onset) / STEP + timbres.BEFORE   # of frame 0 among the template's steps
        first = max(0, int(np.ceil((1 - place) / STEPS)))
        drum = voice < 0
        end = onset + (1.4 if drum else length + release)
        last = min(frames, int(np.ceil((end - start) / spectra.FRAME + .5)))
        if last <= first: continue
        index = np.rint(place + STEPS * np.arange(first, last)).astype(int)
        if drum:
            if not 35 <= pitch < 82: continue
            sound, bins = drums[int(pitch) - 35], 0
            index = index[index < timbres.DRUM_LENGTH]
        else:
            at = pitch + transposed
            nearest = int(np.clip(round((at - 33) / 4), 0, len(timbres.PITCHES) - 1))
            sound, bins = melodic[programs[int(voice)], nearest], int(round(3 * (at - timbres.PITCHES[nearest])))
        over = np.maximum(0, index - (timbres.LENGTH - 1)) * STEP
        part = POWER[sound[np.minimum(index, len(sound) - 1)]]
        if not drum:
            held = np.clip((end - start - spectra.FRAME * np.arange(first, first + len(index)) + .128) / .512, 0, 1)
            part = part * (held * 10 ** (-.6 * over))[:, None].astype(np.float32)
        gain = gains[int(voice)] * (min(127, max(10, velocity)) / 100) ** 3
        total[first:first + len(index)] += gain * shifted(part, bins)
    return total


def clip(piece, bank, start, frames, transposed, rng, programs=None):
    """(frames, 222) decibels of a stretch of a piece, with a room, noise and equalization of its own."""
    font = bank.fonts[rng.integers(len(bank.fonts))]
    programs = programs or piece['programs']
    gains = 10 ** (rng.normal(size=len(programs) + 1) * .4)
    gains[-1] = 10 ** (rng.normal() * .5)
    sound = power(piece['notes'], programs, font, start, frames, transposed, gains, rng.uniform(.02, .25))
    wet, decay = rng.choice([0, .1, .3, .6]), 10 ** (-6 * spectra.FRAME / rng.uniform(.6, 3))
    if wet:
        tail = np.zeros(spectra.BINS, np.float32)
        for row in sound:
            before = row.copy()
            row += wet * tail
            tail = (tail + before) * decay
    return dressed(sound, rng)


def dressed(sound, rng):
    """Decibels of powers, with equalization, unevenness and a floor of noise."""
    octave = np.arange(spectra.BINS) / 36
    knots = rng.normal(size=8) * rng.choice([0, 2, 5])
    sound = sound * 10 ** (.1 * np.interp(octave, np.linspace(0, 6.2, 8), knots)).astype(np.float32)
    sound *= 10 ** (.1 * rng.normal(size=sound.shape) * rng.choice([.5, 1, 2])).astype(np.float32)
    if rng.random() < .6:
        level = sound.mean() * 10 ** (-.1 * rng.uniform(5, 55))
        tilt = 10 ** (.1 * np.interp(octave, [0, 6.2], [rng.uniform(-3, 12), 0]))
        noise = rng.gamma(np.clip(1 + octave, 1, 6), size=sound.shape) / np.clip(1 + octave, 1, 6)
        sound = sound + (level * tilt * noise).astype(np.float32)
    return spectra.decibels(sound)
