"""Music for libraries: files that ffmpeg encodes, with tags, and waves that are computed here."""
import array
import math
import os
import random
import subprocess
import wave

RATE = 22_050


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *(word if isinstance(word, bytes) else str(word) for word in arguments)], check=True)


def tags(names):
    return [part for name, value in names.items() for part in ("-metadata", f"{name}={value}")]


def encode(sound, path, *options, **names):
    """A file from a sound, which is another file or a source of lavfi, such as `sine=220:d=2`; its folder is made."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ffmpeg(*(["-f", "lavfi"] if isinstance(sound, str) else []), "-i", sound, *options, *tags(names), path)


def picture(path, source="testsrc=size=320x320"):
    encode(source, path, "-frames:v", 1)


def save(path, samples, rate=RATE, largest=32_000):
    """Samples of -1 to 1 as a wave of one channel."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(array.array("h", (int(max(-1, min(1, sample)) * largest) for sample in samples)).tobytes())


def tone(path, number=0):
    """A tenth of a second; each number is other audio."""
    save(path, (math.sin((index + 1) * (number % 97 + 1) / 100) for index in range(800)), 8000, 8000)


def beats(path, bpm, seconds, root=220.0):
    """Clicks with a minor chord under them, so that there is a tempo, a key and a loudness."""
    samples, period = [0.0] * int(seconds * RATE), 60 / bpm
    chord = [root, root * 1.1892, root * 1.4983]
    for index in range(len(samples)):
        since = index / RATE % period
        sound = sum(math.sin(2 * math.pi * frequency * index / RATE) for frequency in chord) * .08
        samples[index] = sound + (.6 * math.exp(-since * 90) * math.sin(2 * math.pi * 1000 * since) if since < .08 else 0)
    save(path, samples)


def click():
    """A twentieth of a second."""
    return [math.exp(-index / RATE * 90) * math.cos(2 * math.pi * 1800 * index / RATE) for index in range(RATE // 20)]


def melody(path, bpm, seconds, seed):
    """Notes at random, and a click on each beat: every seed is another recording."""
    chance, samples, half = random.Random(seed), [0.0] * int(seconds * RATE), 30 / bpm
    notes = {}

    def add(start, sound, gain=1):
        for index, value in enumerate(sound[:len(samples) - start]):
            samples[start + index] += gain * value

    for number in range(int(seconds / half)):
        start = int(number * half * RATE)
        for _ in range(2):
            pitch = chance.randrange(24)
            if pitch not in notes:
                turn = 2 * math.pi * 220 * 2 ** (pitch / 12) / RATE
                notes[pitch] = [.16 * math.exp(-i / RATE * 4) * (math.sin(turn * i) + .5 * math.sin(3 * turn * i)) for i in range(RATE // 3)]
            add(start, notes[pitch])
        if number % 2 == 0:
            add(start, click(), .5)
    save(path, samples)
