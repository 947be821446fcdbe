#!/usr/bin/env python3
"""Where the clicks of `analyze click` are: for each file, what is left of its output without the music is the clicks, and the
first sample of each is compared with the beat in the database.

    Benchmarks/click/positions.py BINARY DATABASE FILE...

Needs ffmpeg and numpy. Prints a line for each file: beats, the largest error in frames, the true peak of the output, samples
at full scale, and how far the clicks stand out: the median, over the beats, of the level of a click in the octave around its
frequency (20 ms) over that of the music there, in dB.
"""
import json, os, re, subprocess, sys, tempfile

import numpy as np

SILENCE = 200  # frames


def decode(path, rate, channels):
    pcm = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-ar", str(rate), "-ac", str(channels), "-"],
        stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(pcm, np.float32).reshape(-1, channels)


def true_peak(path):
    text = subprocess.run(
        ["ffmpeg", "-nostats", "-i", path, "-af", "ebur128=peak=true", "-f", "null", "-"], capture_output=True,
        text=True).stderr
    return float(re.findall(r"Peak:\s+(-?[\d.]+|-inf) dBFS", text)[-1])


def octave_level(samples, rate, low, high):
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)))) ** 2
    frequencies = np.fft.rfftfreq(len(samples), 1 / rate)
    return 10 * np.log10(spectrum[(frequencies >= low) & (frequencies < high)].sum() + 1e-20)


def main(binary, database, files):
    for path in files:
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "out.flac")
            answer = json.loads(subprocess.run(
                [binary, "click", path, "--database", database, "--output", output, "--json"],
                stdout=subprocess.PIPE, check=True).stdout)
            report = json.loads(subprocess.run(
                [binary, "report", path, "--database", database, "--report", "ndjson", "--output", "-", "--include", "beats"],
                stdout=subprocess.PIPE, check=True).stdout)
            rate, channels = answer["sample_rate_hz"], answer["channels"]
            try:
                music = decode(path, rate, channels) * 10 ** (answer["music_gain_db"] / 20)
            except subprocess.CalledProcessError:
                print(f"{os.path.basename(path)}: ffmpeg does not decode it")
                continue
            mix = decode(output, rate, channels)
            peak = true_peak(output)
        count = min(len(music), len(mix))
        clicks = mix[:count] - music[:count]
        loud = np.flatnonzero(np.abs(clicks[:, 0]) > 0.0015)
        starts = loud[np.diff(loud, prepend=-SILENCE - 1) > SILENCE]
        beats = np.floor(np.array(report["tempo"]["beats_s"]) * rate + 0.5).astype(int)
        beats = beats[beats < len(mix)]
        error = np.abs(starts - beats).max() if len(starts) == len(beats) else None
        length = rate // 50
        over = [
            octave_level(clicks[b:b + length, 0], rate, 800, 1600) - octave_level(music[b:b + length, 0], rate, 800, 1600)
            for b in beats if b + length < count]
        print(
            f"{os.path.basename(path)[:40]:40}  beats {len(beats):5}  clicks {len(starts):5}  error {error} frames  "
            f"music {answer['music_gain_db']:6.1f} dB  accents {answer['click_level_dbfs']:6.1f} dBFS  "
            f"true peak {peak:5.1f}  clipped {answer['clipped_samples']}  prominence {np.median(over):5.1f} dB")


main(sys.argv[1], sys.argv[2], sys.argv[3:])
