"""A small library of synthesized sounds, analyzed by the program under test ($NOCTURNE_ANALYZE)."""

from __future__ import annotations

import array
import math
import os
import pathlib
import random
import wave

import pytest
from nocturne_reader import Library

RATE = 22050
BPM = 120.0


def write_wave(path: pathlib.Path, samples: list[float]) -> None:
    with wave.open(os.fspath(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(array.array("h", [round(max(-1, min(1, x)) * 32767) for x in samples]).tobytes())


def beats(seconds: float, bpm: float) -> list[float]:
    """A decaying noise on each beat over a chord of A minor."""
    noise = random.Random(1)
    samples = []
    for index in range(round(seconds * RATE)):
        time = index / RATE
        since = time % (60 / bpm)
        chord = sum(math.sin(2 * math.pi * f * time) for f in (220.0, 261.63, 329.63))
        samples.append(0.1 * chord + 0.5 * noise.uniform(-1, 1) * math.exp(-since * 40))
    return samples


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("music")
    write_wave(folder / "beats.wav", beats(20, BPM))
    write_wave(folder / "silence.wav", [0.0] * (RATE * 5))
    (folder / "broken.wav").write_bytes(b"RIFF\x24\x00\x00\x00WAVEfmt ")
    return folder


@pytest.fixture(scope="session")
def database(folder: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("database") / "library.sqlite"
    whole = Library(path, analyze_missing=True).analyze(folder)
    assert not whole  # broken.wav
    return path


@pytest.fixture
def library(database: pathlib.Path) -> Library:
    return Library(database)
