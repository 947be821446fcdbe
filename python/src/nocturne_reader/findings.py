"""Findings of one track."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arrays import Bytes, Floats


@dataclass(frozen=True)
class Beats:
    """Tempo and beats, as a person has set them or as they were found."""

    #: Seconds from the start of the track; empty if there is no tempo.
    times: Floats
    #: The same, of those that begin a bar; None if that is not sure.
    downbeats: Floats | None
    #: None if there is no steady tempo; `reason` then says why, unless a person said so.
    bpm: float | None
    #: 0 to 1; 1 if a person set the tempo.
    confidence: float | None
    #: Whether one tempo holds for the whole track.
    stable: bool | None
    #: (start in seconds, BPM) of each stretch.
    tempo_map: list[tuple[float, float]]
    #: Whether a person set the tempo.
    is_corrected: bool
    #: Why there is no tempo, machine-readable.
    reason: str | None


@dataclass(frozen=True)
class Key:
    """The musical key."""

    #: ``C``, ``Db``, ``F#``, …; None if there is no key.
    tonic: str | None
    #: ``major`` or ``minor``.
    mode: str | None
    #: Camelot notation: ``8A`` is A minor.
    camelot: str | None
    #: 0 to 1.
    confidence: float
    #: (start in seconds, key) of each stretch.
    key_map: list[tuple[float, str]]
    #: Why there is no key, machine-readable.
    reason: str | None


@dataclass(frozen=True)
class Section:
    """A part of a track."""

    start: float
    end: float
    #: Parts with the same letter sound alike.
    label: str
    #: Mean level below 4 kHz in dB, relative to that of the whole track.
    level_db: float


@dataclass(frozen=True)
class Waveform:
    """What a track looks like over time. See docs/waveform.md for the scale of each list."""

    #: Seconds from one point to the next.
    step: float
    #: The largest sample; None in silence.
    peak_dbfs: float | None
    #: 128 is zero, 127 steps are the peak.
    minima: Bytes
    maxima: Bytes
    #: 255 is the peak.
    rms: Bytes
    #: Below 600 Hz, from 600 to 4,000 Hz, above; 255 is the peak of the band.
    low: Bytes
    mid: Bytes
    high: Bytes
    #: Seconds from one value of `onsets` to the next.
    onset_step: float
    #: Onset strength of each step, 0 to 255.
    onsets: Bytes
