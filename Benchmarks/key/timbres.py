#!/usr/bin/env python3
"""Renders every General MIDI note once, as spectra for the key network; render.py adds them up to pieces.

  timbres.py OUTPUT_DIRECTORY [--soundfonts FILE …]

Writes NAME.npz for each soundfont. `melodic`: 128 programs, 17 pitches (33 to 97 in steps of 4), 52 times in steps of
64 ms, 222 bins. An entry is one frame (spectra.py) of a note of velocity 100; time 0 begins 0.512 s before the note.
`drums`: 47 keys from 35 on, 24 times, 222 bins. Levels are half decibels above -100. Needs fluidsynth, numpy and scipy.
"""
import argparse, os, subprocess, sys, tempfile
import numpy as np
from scipy.signal import resample_poly
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tempo'))
import midi, spectra, synthesize

FONTS = midi.FONTS + ['/usr/share/sounds/sf3/MuseScore_General_Lite.sf3']
PITCHES = np.arange(33, 98, 4)
STEP, BEFORE = 512, 8       # samples at 8,000 Hz; steps before a note begins
LENGTH, DRUM_LENGTH = 52, 24
SOUNDING, APART = 3.0, 4.4  # seconds


def sound(events, font, seconds):
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, 'notes')
        synthesize.write_midi(stem + '.mid', events)
        subprocess.run(['fluidsynth', '-ni', '-q', '-R', '0', '-C', '0', '-g', '0.4', '-r', '32000', '-O', 'float', '-T', 'raw',
                        '-F', stem + '.raw', font, stem + '.mid'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        stereo = np.fromfile(stem + '.raw', np.float32).reshape(-1, 2)
    samples = resample_poly(stereo.mean(1), 1, 4)
    return np.pad(samples, (spectra.RATE, max(0, int((seconds + 2) * spectra.RATE) - len(samples))))  # a second of silence first


def frames(samples, start, count):
    """Frames of 0.512 s that begin 0.512 s before `start` (seconds), each 64 ms later than the one before."""
    first = int(round((start + 1) * spectra.RATE)) - BEFORE * STEP
    part = samples[first - spectra.WINDOW // 2:first + (count + 4) * STEP + spectra.WINDOW // 2]
    windows = np.lib.stride_tricks.sliding_window_view(part, spectra.WINDOW)[::STEP][:count + 4]
    power = abs(np.fft.rfft(windows * spectra.HANN)) ** 2 * (16 / spectra.WINDOW ** 2) @ spectra.TRIANGLES
    return np.clip(2 * (spectra.decibels((power[:-4] + power[4:]) / 2) - spectra.FLOOR), 0, 255).astype(np.uint8)


def melodic(font):
    found = np.zeros((128, len(PITCHES), LENGTH, spectra.BINS), np.uint8)
    for first in range(0, 128, 8):
        events, places, at = [], [], .5
        for program in range(first, first + 8):
            events.append((at - .4, bytes([0xC0, program])))
            for pitch in PITCHES:
                events += [(at, bytes([0x90, pitch, 100])), (at + SOUNDING + .4, bytes([0x80, pitch, 0]))]
                places.append(at)
                at += APART
            events.append((at, bytes([0xB0, 120, 0])))
            at += .6
        samples = sound(events, font, at)
        for index, place in enumerate(places):
            found[first + index // len(PITCHES), index % len(PITCHES)] = frames(samples, place, LENGTH)
    return found


def drums(font):
    events, places = [], []
    for key in range(35, 82):
        places.append(.5 + 2.2 * (key - 35))
        events += [(places[-1], bytes([0x99, key, 110])), (places[-1] + 1.4, bytes([0x89, key, 0]))]
    samples = sound(events, font, places[-1] + 3)
    return np.stack([frames(samples, place, DRUM_LENGTH) for place in places])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--soundfonts', nargs='+', default=FONTS)
    options = parser.parse_args()
    os.makedirs(options.output, exist_ok=True)
    for font in options.soundfonts:
        path = os.path.join(options.output, os.path.splitext(os.path.basename(font))[0] + '.npz')
        if not os.path.exists(path): np.savez_compressed(path, melodic=melodic(font), drums=drums(font))


if __name__ == '__main__':
    main()
