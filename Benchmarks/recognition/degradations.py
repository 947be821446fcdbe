"""What happens to a sound between a loudspeaker and a telephone: noise, voices, rooms, clubs, microphones, gain control, codecs.

Sounds are arrays at 16 kHz; `material` is an excerpts.Material. Needs numpy and scipy, `coded` also ffmpeg.
"""
import subprocess
import numpy as np
from scipy import signal

RATE = 16000


def colored(rng, count):
    """Noise whose power falls by 0 to 6 dB per octave; pink in half of the cases."""
    slope = 1.0 if rng.random() < 0.5 else rng.uniform(0, 2)
    spectrum = np.fft.rfft(rng.standard_normal(count))
    spectrum /= np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20) ** (slope / 2)
    return np.fft.irfft(spectrum, count)


def voices(material, rng, count):
    out = np.zeros(count)
    for _ in range(int(rng.choice([1, 2, 3, 4, 5, 6], p=[.2, .15, .15, .3, .1, .1]))):
        speech = material.speech[rng.integers(len(material.speech))]
        first = int(rng.integers(0, len(speech) - 1.2 * count))
        part = speech[first:first + int(1.2 * count)] / 32768.0
        part = np.interp(np.arange(count) * rng.uniform(0.85, 1.15), np.arange(len(part)), part)
        out += part / (part.std() + 1e-6) * 10 ** (rng.uniform(-4, 0) / 20)
    return out


def peaking(x, frequency, gain, q):
    a, w = 10 ** (gain / 40), 2 * np.pi * frequency / RATE
    alpha = np.sin(w) / (2 * q)
    return signal.lfilter([1 + alpha * a, -2 * np.cos(w), 1 - alpha * a], [1 + alpha / a, -2 * np.cos(w), 1 - alpha / a], x)


def room(x, rng):
    length = rng.uniform(0.1, 0.7)
    t = np.arange(int(length * RATE)) / RATE
    response = rng.standard_normal(len(t)) * 10 ** (-3 * t / length) * rng.uniform(0.01, 0.08)
    response[:int(0.004 * RATE)] = 0
    for _ in range(6):
        response[int(rng.uniform(0.002, 0.03) * RATE)] += rng.uniform(-0.6, 0.6)
    response[0] = 1
    return signal.fftconvolve(x, response)[:len(x)]


def telephone(x, rng):
    x = signal.sosfilt(signal.butter(4, [rng.uniform(200, 400), rng.uniform(2800, 3600)], "bandpass", fs=RATE, output="sos"), x)
    x = x / (np.abs(x).max() + 1e-9)
    coded = np.round(np.sign(x) * np.log1p(255 * np.abs(x)) / np.log(256) * 127) / 127
    return np.sign(coded) * (256 ** np.abs(coded) - 1) / 255


def microphone(x, rng):
    x = signal.sosfilt(signal.butter(2, rng.uniform(80, 300), "highpass", fs=RATE, output="sos"), x)
    x = peaking(peaking(x, rng.uniform(1500, 3500), 9, 1.2), rng.uniform(400, 1000), -6, 1.0)
    x = add(x, colored(rng, len(x)), x, 22)
    return overloaded(x, rng.uniform(0.95, 1))


def overloaded(x, share):
    """Clipped above the level that `share` of the samples do not reach; full scale is 1."""
    loud = np.quantile(np.abs(x), share) + 1e-9
    return np.clip(x / loud, -1, 1)


def add(x, noise, reference, ratio):
    """x and noise, the latter so loud that `reference` is `ratio` dB above it."""
    return x + noise * (np.sqrt(np.mean(reference ** 2)) / (np.sqrt(np.mean(noise ** 2)) + 1e-9) * 10 ** (-ratio / 20))


def response(rng, seconds, distance):
    """An impulse response with an early part and a tail that takes `seconds` to fall by 60 dB, high frequencies faster; the
    direct sound is `distance` dB above the rest."""
    count = int(seconds * RATE)
    t = np.arange(count) / RATE
    tail = np.zeros(count)
    for low, high, share in ((60, 500, 1.1), (500, 2000, 1.0), (2000, 7500, 0.65)):
        band = signal.sosfilt(signal.butter(2, [low, high], "bandpass", fs=RATE, output="sos"), rng.standard_normal(count))
        tail += band * 10 ** (-3 * t / (seconds * share))
    tail[:int(0.003 * RATE)] = 0
    for _ in range(8):
        tail[int(rng.uniform(0.003, 0.04) * RATE)] += rng.uniform(-3, 3)
    tail *= 10 ** (-distance / 20) / np.sqrt((tail ** 2).sum())
    tail[0] += 1
    return tail


def reverberant(x, rng, seconds, distance):
    return signal.fftconvolve(x, response(rng, seconds, distance))[:len(x)]


def gain_control(x, rng):
    """Follows the level: loud parts are turned down within milliseconds, quiet ones up within a second."""
    block = RATE // 100
    levels = np.sqrt(np.array([(x[i:i + block] ** 2).mean() for i in range(0, len(x), block)]) + 1e-9)
    up, level, gains = np.exp(-1 / rng.uniform(30, 150)), levels[0], []
    for now in levels:
        share = 0.7 if now > level else 1 - up
        level += share * (now - level)
        gains.append((0.1 / max(level, 0.002)) ** rng.uniform(0.6, 0.65))
    return x * np.interp(np.arange(len(x)), np.arange(len(gains)) * block, gains)


def coded(x, codec, rate):
    """Through an encoder and back."""
    x = np.clip(x * (0.7 / (np.abs(x).max() + 1e-9)), -1, 1)
    raw = ["-f", "s16le", "-ar", str(RATE), "-ac", "1"]
    form = {"libmp3lame": "mp3", "libopus": "ogg"}[codec]
    file = subprocess.run(["ffmpeg", "-v", "error", *raw, "-i", "-", "-c:a", codec, "-b:a", rate, "-f", form, "-"],
                          input=(x * 32767).astype("<i2").tobytes(), capture_output=True, check=True).stdout
    back = subprocess.run(["ffmpeg", "-v", "error", "-i", "-", *raw, "-"], input=file, capture_output=True, check=True).stdout
    return np.resize(np.frombuffer(back, "<i2") / 32768.0, len(x))


def room_with_voices(x, material, rng, ratio, count):
    seconds = rng.uniform(0.3, 1.2)
    talk = sum(reverberant(voices(material, rng, len(x)), rng, seconds, rng.uniform(-3, 6)) for _ in range(count))
    return add(reverberant(x, rng, seconds, rng.uniform(-12, 0)), talk, x, ratio)


def crowd(material, rng, count):
    """Many voices at once, and noise of a crowd, in waves."""
    talk = sum(voices(material, rng, count) for _ in range(5))
    roar = signal.sosfilt(signal.butter(1, [300, 2500], "bandpass", fs=RATE, output="sos"), rng.standard_normal(count))
    waves = 1 + 0.6 * np.interp(np.arange(count), np.linspace(0, count, 8), rng.uniform(-1, 1, 8))
    return (talk / talk.std() + 0.6 * roar / roar.std()) * waves


def club(x, material, rng, ratio):
    # The loudspeakers stress the bass, the telephone leaves it out, and overloads.
    x = peaking(x, rng.uniform(60, 120), rng.uniform(6, 12), 0.8)
    seconds = rng.uniform(0.5, 1.5)
    x = reverberant(x, rng, seconds, rng.uniform(-15, -3))
    x = add(x, reverberant(crowd(material, rng, len(x)), rng, seconds, rng.uniform(-3, 6)), x, ratio)
    x = signal.sosfilt(signal.butter(2, rng.uniform(100, 250), "highpass", fs=RATE, output="sos"), x)
    x = peaking(x, rng.uniform(1500, 3500), rng.uniform(3, 9), 1.2)
    return gain_control(overloaded(x, rng.uniform(0.9, 0.99)), rng)


def in_company(x, material, rng):
    """A sound in a room with voices or a crowd in it, through a telephone that may overload; and by how many dB it is above them."""
    seconds, ratio = rng.uniform(0.2, 2.0), float(rng.uniform(-6, 12))
    if rng.random() < 0.5: x = peaking(x, rng.uniform(50, 150), rng.uniform(0, 12), 0.8)
    talk = crowd(material, rng, len(x)) if rng.random() < 0.6 else voices(material, rng, len(x))
    x = reverberant(x, rng, seconds, rng.uniform(-15, 3))
    x = add(x, reverberant(talk, rng, seconds, rng.uniform(-6, 8)), x, ratio)
    if rng.random() < 0.6:
        x = signal.sosfilt(signal.butter(2, rng.uniform(80, 300), "highpass", fs=RATE, output="sos"), x)
        x = peaking(x, rng.uniform(1000, 4000), rng.uniform(0, 9), 1.2)
    if rng.random() < 0.6: x = overloaded(x, rng.uniform(0.88, 1))
    if rng.random() < 0.6: x = gain_control(x, rng)
    codec = rng.random()
    if codec < 0.15: x = coded(x, "libopus", "16k")
    elif codec < 0.3: x = coded(x, "libmp3lame", "48k")
    return x, ratio
