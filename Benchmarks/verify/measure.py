#!/usr/bin/env python3
"""Whether silent changes are found, and how fast a library is read again.

    Benchmarks/verify/measure.py ANALYZE flips [--files 500] [--from FOLDER]
    Benchmarks/verify/measure.py ANALYZE speed [--files 20000] [--kilobytes 200]

flips: Makes files of all formats that ffmpeg writes, or copies those of a folder; has them analyzed; flips one bit in
each, half of them in the audio and half in the tags; puts the times back; and asks `analyze verify`. Where the audio is,
ffprobe says; where the tags are, a marker in the title. Fails unless each file is found, and said to be hit where it is.

speed: Makes a tree of files, and reads it with `cat`, `sha256sum` and `analyze verify`, each time from the disk as far as
the system lets go of what it holds (posix_fadvise). Prints MB/s and the peak of resident memory of `analyze verify`.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

MARKER = "NocturneMarkerOfTheTitle"
# Extension: what ffmpeg is told.
FORMATS = {
    "flac": [], "mp3": ["-b:a", "128k"], "ogg": ["-c:a", "libvorbis"], "opus": [], "m4a": ["-c:a", "aac"],
    "alac.m4a": ["-c:a", "alac"], "wav": [], "aiff": ["-write_id3v2", "1"], "wma": [], "mka": ["-c:a", "libvorbis"], "wv": [],
    "webm": ["-c:a", "libopus"], "mp2": ["-id3v2_version", "3", "-write_id3v2", "1"], "caf": [], "au": [], "tta": [],
    "aac": ["-write_id3v2", "1"], "w64": [], "ac3": [], "oga": ["-c:a", "flac"], "spx": [],
}


def analyze(program, home, *arguments, ok=(0,)):
    command = [program, *map(str, arguments)]
    outcome = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": str(home)})
    if outcome.returncode not in ok:
        sys.exit(f"{command}: exit status {outcome.returncode}\n{outcome.stderr[-3000:]}")
    return outcome


def make(folder, count, chance):
    """Files of all formats, with a marker in their titles."""
    folder.mkdir(parents=True)
    usable = []
    for name, options in FORMATS.items():
        files = []
        for number in range(-(-count // len(FORMATS)) + 8):
            if len(files) + sum(len(each) for each in usable) >= count and number >= -(-count // len(FORMATS)):
                break
            path = folder / f"{number}.{name}"
            sound = f"aevalsrc='0.4*sin({chance.randint(500, 5000)}*t)+0.2*sin({chance.randint(200, 900)}*t*t)':d={chance.uniform(1, 4):.2f}:s=44100"
            command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", sound, *options]
            if subprocess.run([*command, "-metadata", f"title={MARKER} {number}", path], capture_output=True).returncode:
                path.unlink(missing_ok=True)
                break
            files.append(path)
            if number + 1 >= -(-count // len(FORMATS)):
                break
        usable.append(files)
    return sorted(path for files in usable for path in files)


def audio_place(path, data, chance):
    """A byte inside of a packet of the audio, as ffprobe says; None if it does not."""
    command = ["ffprobe", "-v", "error", "-select_streams", "a:0", "-show_entries", "packet=pos,size", "-of", "json", path]
    text = subprocess.run(command, capture_output=True, text=True).stdout
    try:
        packets = [
            (int(packet["pos"]), int(packet["size"])) for packet in json.loads(text)["packets"] if "pos" in packet]
    except (KeyError, ValueError):
        return None
    packets = [(position, size) for position, size in packets if size > 8 and position + size <= len(data)]
    # The first packets of some formats stand in headers, and pages of Ogg and packets of ASF are shared.
    packets = packets[len(packets) // 3:] if len(packets) > 2 else packets
    if not packets:
        return None
    position, size = chance.choice(packets)
    return position + chance.randrange(size // 4, max(size // 4 + 1, size * 3 // 4))


def tag_place(data, chance):
    """A byte of the title, or of another place where the marker stands."""
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        start = data.find(MARKER.encode(encoding))
        if start >= 0:
            return start + chance.randrange(len(MARKER.encode(encoding)))
    return None


def flip(path, place, chance):
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << chance.randrange(8)
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns and path.stat().st_size == status.st_size


def flips(options):
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="nocturne-verify-") as name:
        home = pathlib.Path(name)
        music, database = home / "music", ["--database", home / "library.sqlite"]
        if options.source:
            music.mkdir()
            found = sorted(path for path in pathlib.Path(options.source).rglob("*") if path.is_file())
            files = []
            for number, path in enumerate(found):
                files.append(music / f"{number}{path.suffix}")
                shutil.copy2(path, files[-1])
        else:
            files = make(music, options.files, chance)
        analyze(options.program, home, "run", music, *database, "--only", "tags", "--fail-on", "never", "--jobs", "2", ok=(0, 1, 3))
        report = analyze(options.program, home, "report", "--report", "ndjson", "--output", "-", *database).stdout
        known = {json.loads(line)["path"] for line in report.splitlines() if json.loads(line)["status"] in ("ok", "partial")}
        clean = analyze(options.program, home, "verify", "--verbose", *database, ok=(0, 3))
        print("before:", clean.stderr.strip().splitlines()[0] if clean.stderr else "")
        truth = {}
        files = [path for path in files if str(path) in known][: options.files]
        for number, path in enumerate(files):
            data = path.read_bytes()
            place, hit = None, None
            if number % 2:
                place, hit = tag_place(data, chance), "tags"
            if place is None:
                place, hit = audio_place(path, data, chance), "audio"
            if place is None:
                place, hit = tag_place(data, chance), "tags"
            if place is None:
                continue
            flip(path, place, chance)
            truth[str(path)] = hit
        start = time.monotonic()
        outcome = analyze(options.program, home, "verify", "--log-format", "json", *database, ok=(3,))
        told = {}
        for line in outcome.stderr.splitlines():
            message = json.loads(line)
            if message["event"] == "file_changed_silently":
                told[message["path"]] = message["hit"]
        seconds = time.monotonic() - start
        right = sum(told.get(path) == hit for path, hit in truth.items())
        by_format = {}
        for path, hit in truth.items():
            kind = "".join(pathlib.Path(path).suffixes)
            row = by_format.setdefault(kind, [0, 0, 0])
            row[0] += 1
            row[1] += path in told
            row[2] += told.get(path) == hit
            if told.get(path) != hit:
                print(f"{path}: in the {hit}, told {told.get(path)}")
        for kind, row in sorted(by_format.items()):
            print(f"{kind:10} flipped {row[0]:4}  found {row[1]:4}  place right {row[2]:4}")
        wrong = set(told) - set(truth)
        hits = [sum(hit == kind for hit in truth.values()) for kind in ("audio", "tags")]
        print(f"flipped {len(truth)} ({hits[0]} in the audio, {hits[1]} in the tags), found {len(set(told) & set(truth))}, "
              f"place right {right}, accused wrongly {len(wrong)}; {seconds:.1f} s")
        again = analyze(options.program, home, "verify", *database, ok=(0,))
        print("known from then on:", again.stderr.strip() == "")
        if right != len(truth) or wrong:
            sys.exit(1)


class PeakMemory(threading.Thread):
    """The most resident memory of a process, in MB, while it runs.

    `ru_maxrss` of a child says more: before it executes the program, it is a copy of this process, and counts as that.
    """

    def __init__(self, process):
        super().__init__(daemon=True)
        self.path, self.peak = pathlib.Path(f"/proc/{process.pid}/status"), 0
        self.start()

    def run(self):
        while True:
            try:
                found = re.search(r"VmHWM:\s*(\d+) kB", self.path.read_text())
            except (FileNotFoundError, ProcessLookupError):
                return
            # None of a process that has ended.
            if found is None:
                return
            self.peak = max(self.peak, int(found[1]) / 1024)
            time.sleep(0.005)


def speed(options):
    with tempfile.TemporaryDirectory(prefix="nocturne-verify-", dir=options.folder) as name:
        home = pathlib.Path(name)
        music, database = home / "music", ["--database", home / "library.sqlite"]
        one = home / "one.wav"
        # PCM: nothing takes long to analyze.
        seconds = options.kilobytes * 1000 / 88200
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"anoisesrc=d={seconds}:r=44100:c=white", "-ac", "1", one], check=True)
        pattern = bytearray(one.read_bytes())
        for number in range(options.files):
            folder = music / f"{number // 1000}"
            folder.mkdir(parents=True, exist_ok=True)
            pattern[-8:] = number.to_bytes(8, "little")
            (folder / f"{number}.wav").write_bytes(pattern)
        total = options.files * len(pattern)
        print(f"{options.files} files, {total / 1e6:.0f} MB")
        start = time.monotonic()
        analyze(options.program, home, "run", music, *database, "--only", "tags", "--jobs", "2")
        print(f"first run (tags only): {time.monotonic() - start:.1f} s")
        os.sync()

        def drop():
            for path in music.rglob("*.wav"):
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

        program = os.path.abspath(options.program)
        for what, command in [
            ("cat", f"find {music} -type f -print0 | xargs -0 cat > /dev/null"),
            ("sha256sum", f"find {music} -type f -print0 | xargs -0 sha256sum > /dev/null"),
            ("verify --jobs 1", f"{program} verify --jobs 1 --verbose --database {home}/library.sqlite"),
            ("verify --jobs 2", f"{program} verify --jobs 2 --verbose --database {home}/library.sqlite"),
            ("cat", f"find {music} -type f -print0 | xargs -0 cat > /dev/null"),
            ("verify --jobs 2", f"{program} verify --jobs 2 --verbose --database {home}/library.sqlite"),
        ]:
            drop()
            start = time.monotonic()
            process = subprocess.Popen(["sh", "-c", f"exec {command}" if "|" not in command else command], stderr=subprocess.PIPE, env={**os.environ, "HOME": str(home)})
            memory = PeakMemory(process)
            text = process.stderr.read().decode()
            memory.join()
            _, status, usage = os.wait4(process.pid, 0)
            elapsed = time.monotonic() - start
            if status:
                sys.exit(f"{command}: {text}")
            peak = f"peak {memory.peak:5.1f} MB  " if "verify" in what else ""
            print(f"{what:16} {elapsed:7.2f} s  {total / 1e6 / elapsed:7.0f} MB/s  {peak}"
                  f"CPU {usage.ru_utime + usage.ru_stime:6.2f} s  {text.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="ANALYZE")
    tasks = parser.add_subparsers(dest="task", required=True)
    task = tasks.add_parser("flips")
    task.add_argument("--files", type=int, default=500)
    task.add_argument("--from", dest="source", help="a folder of files to copy")
    task.add_argument("--seed", type=int, default=1)
    task.set_defaults(run=flips)
    task = tasks.add_parser("speed")
    task.add_argument("--files", type=int, default=20000)
    task.add_argument("--kilobytes", type=int, default=200)
    task.add_argument("--folder", help="where to make the tree")
    task.set_defaults(run=speed)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
