#!/usr/bin/env python3
"""Says whether two files hold the same audio, by their samples and so independently of any fingerprint: same-audio.py FILE FILE

The second file is moved to where both correlate best. Then, for each ten seconds and each of seven bands, it prints the coherence (1 for
the same audio through any filter) and the difference in level in dB. The same recording has a coherence near 1 in all bands in which
both have sound; another mix has less where something was added. Needs ffmpeg and numpy.
"""
import subprocess, sys

import numpy
from numpy.fft import irfft, rfft, rfftfreq

RATE, WINDOW, STEP = 11025, 4096, 2048
EDGES = (0, 100, 200, 400, 800, 1600, 3200, 5500)


def samples(path):
    command = ['ffmpeg', '-v', 'error', '-t', '120', '-i', path, '-ac', '1', '-ar', str(RATE), '-f', 'f32le', '-']
    return numpy.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, numpy.float32).astype(float)


def spectra(signal, window):
    return numpy.array([rfft(window * signal[start:start + WINDOW]) for start in range(0, len(signal) - WINDOW, STEP)])


def main():
    one, other = samples(sys.argv[1]), samples(sys.argv[2])
    size = 1 << (len(one) + len(other)).bit_length()
    correlation = irfft(rfft(one, size) * numpy.conj(rfft(other, size)))
    lag = int(numpy.argmax(numpy.abs(correlation)))
    lag -= size if lag > size // 2 else 0
    one, other = (one[lag:], other) if lag >= 0 else (one, other[-lag:])
    length = min(len(one), len(other))
    print(f'the second begins {lag / RATE:.3f} s later in the first; {length / RATE:.1f} s in common')
    window, frequencies = numpy.hanning(WINDOW), rfftfreq(WINDOW, 1 / RATE)
    a, b = spectra(one[:length], window), spectra(other[:length], window)
    count = 10 * RATE // STEP
    for start in range(0, len(a) - count + 1, count):
        x, y = a[start:start + count], b[start:start + count]
        powers = (abs(x) ** 2).sum(0), (abs(y) ** 2).sum(0)
        coherence = abs((x * numpy.conj(y)).sum(0)) ** 2 / (powers[0] * powers[1] + 1e-12)
        cells = []
        for low, high in zip(EDGES, EDGES[1:]):
            band = (frequencies >= low) & (frequencies < high)
            levels = [10 * numpy.log10(power[band].sum() + 1e-12) for power in powers]
            cells.append(f'{numpy.average(coherence[band], weights=powers[0][band] + 1e-12):.2f} {levels[0] - levels[1]:+.1f}')
        print(f'{start * STEP / RATE:5.0f} s ', '  '.join(cells))


if __name__ == '__main__': main()
