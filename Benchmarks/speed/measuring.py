"""Costs of commands and the material of `Benchmarks/bench`."""
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ANALYZE = ROOT / ".build/release/analyze"
AUDIO = {".mp3", ".flac", ".ogg", ".opus", ".m4a", ".wav"}


class Usage:
    """What one finished command cost."""

    def __init__(self, wall, cpu, peak_mb, status=0, errors=""):
        self.wall, self.cpu, self.peak_mb, self.status, self.errors = wall, cpu, peak_mb, status, errors


def run(*command, check=True, stdout=subprocess.DEVNULL):
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=stdout, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    result = Usage(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
                   process.returncode, errors)
    if check and result.status not in (0, 3):
        sys.exit(f"bench: {command[0]} ended with {result.status}: {errors[-400:]}")
    return result


def total(usages):
    usages = list(usages)
    return Usage(sum(u.wall for u in usages), sum(u.cpu for u in usages), max(u.peak_mb for u in usages))


def median_cpu(repeat, measure):
    return statistics.median(measure().cpu for _ in range(repeat))


class Table:
    def __init__(self):
        self.kept = True

    def row(self, name, value, bound=None, ok=True, detail=""):
        self.kept = self.kept and ok
        verdict = "" if bound is None else ("ok" if ok else "MISSED")
        print(f"{name:<58} {value:>12} {bound or '':>10} {verdict:<7} {detail}", flush=True)


def music_files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in AUDIO and path.is_file())


def seconds(path):
    out = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path],
                         capture_output=True, text=True).stdout.strip()
    try:
        return float(out)
    except ValueError:
        return 0.0


def make_mp3s(sources, folder, minutes):
    """MP3s of real music, about `minutes` long in total, each with its length in seconds."""
    folder.mkdir(parents=True)
    made = {}
    for number, source in enumerate(sources):
        if sum(made.values()) >= minutes * 60:
            break
        target = folder / f"{number:03}.mp3"
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", source, "-map", "0:a:0", "-ar", "44100", "-ac",
                               "2", "-b:a", "192k", target], capture_output=True)
        if done.returncode == 0 and (duration := seconds(target)) > 5:
            made[target] = duration
        else:
            target.unlink(missing_ok=True)
    return made


class Material:
    """Music to measure with, where to write, and how often to measure."""

    def __init__(self, lengths, work, repeat):
        self.lengths, self.work, self.repeat = lengths, work, repeat
        self.mp3s = list(lengths)
        self.library = self.mp3s[0].parent
        self.minutes = sum(lengths.values()) / 60


def make_pieces(source, folder, count):
    """`count` files of 0.3 s, in folders of 20."""
    piece = folder.with_suffix(".ogg")
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", source, "-t", "0.3", "-map", "0:a:0", "-c:a", "libvorbis",
                    piece], check=True)
    content = piece.read_bytes()
    for number in range(count):
        album = folder / f"artist {number // 200:03}" / f"album {number // 20 % 10}"
        if number % 20 == 0:
            album.mkdir(parents=True)
        (album / f"{number % 20:02} track.ogg").write_bytes(content)


def decoding_alone(work):
    """A pipeline that decodes everything and analyzes three seconds."""
    path = work / "decoding.yaml"
    path.write_text("description: Decodes everything and analyzes three seconds.\nanalyzers: {chromaprint: {length_s: 3}}\n")
    return path


def decode_with_ffmpeg(*source):
    """FFmpeg only decoding, in one thread."""
    return run("ffmpeg", "-v", "error", "-nostdin", "-threads", "1", *source, "-map", "0:a:0", "-f", "null", "-")


def decode_in_one_process(files, work):
    """FFmpeg decoding files one after another in one process: the floor of a pipeline that decodes with it."""
    listing = work / "files.txt"
    listing.write_text("".join(f"file '{file}'\n" for file in files))
    return decode_with_ffmpeg("-f", "concat", "-safe", "0", "-i", listing)


def analyze(library, database, *options, **keywords):
    return run(ANALYZE, library, "--database", database, "--progress", "none", *options, **keywords)


def fresh(folder, name):
    path = folder / f"{name}-{time.monotonic_ns()}"
    path.mkdir()
    return path / "library.sqlite"
