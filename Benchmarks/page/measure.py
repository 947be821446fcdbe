#!/usr/bin/env python3
"""Size and speed of the HTML report of a large library, in Chromium without a window.

    Benchmarks/page/measure.py [ANALYZE] [--tracks 100000] [--music DIR | --database FILE] [--keep FILE]
    Benchmarks/page/measure.py --page FILE

Analyzes a few files of DIR (default: Music/, or Fixtures/) with all analyzers, copies their rows in the database under other
names and with other tempos until there are enough, writes the report, and opens it. `--database` starts from results that are
there, `--page` from a report. Exit status 1 if a bound is exceeded. Each time is the least of three, so that other work on the
machine counts little.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Checks"))
from browser import Browser  # noqa: E402

AUDIO = {".mp3", ".flac", ".ogg", ".opus", ".m4a", ".wav"}
FIRST = "Night River Glass Signal Paper Winter Cloud Mirror Engine Garden Velvet Echo Harbor Static Ocean Solar Amber Ghost".split()
SECOND = "Lights Dreams Theory Song Machine Walk Road Pulse Bloom Tide Letters Return Fields Sleep Variation Code Story".split()
GENRES = "Trance House Techno Ambient Rock Jazz Pop Soundtrack Folk Metal".split()
REPEATS = 3


def analyzed(program, music, work):
    """A database of twenty real tracks."""
    library = work / "library"
    library.mkdir()
    files = sorted(path for path in music.rglob("*") if path.suffix.lower() in AUDIO)
    for number, path in enumerate(files[:: max(1, len(files) // 20)][:20]):
        os.symlink(path.resolve(), library / f"{number:02d}{path.suffix}")
    database = work / "library.sqlite"
    subprocess.run([program, "run", library, "--database", database, "--fail-on", "never", "--progress", "none"], check=True)
    return database


def multiply(database, tracks):
    """Copies the rows of all files under other names. Only some copies have beats and waveforms: these are the largest rows,
    and the report takes only the first of them."""
    store = sqlite3.connect(database)
    store.execute("PRAGMA foreign_keys = OFF")
    store.execute("PRAGMA journal_mode = OFF")
    store.execute("PRAGMA synchronous = OFF")
    for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        store.execute(f"DROP TRIGGER {name}")
    names = [name for (name,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall() if "_fts" not in name]
    columns = {name: [row[1] for row in store.execute(f"PRAGMA table_info({name})")] for name in names}
    # Those that say something of each file come first in their keys.
    keyed = {name for name in names if any(row[1] == "file" and row[5] == 1 for row in store.execute(f"PRAGMA table_info({name})"))}
    tables = {name: ", ".join(column for column in columns[name] if column != "file")
              for name in keyed if columns[name] != ["file"] and name != "tag"}
    count, last = store.execute("SELECT sum(status = 'ok'), max(id) FROM file").fetchone()
    others = ", ".join(name for name in columns["file"] if name not in ("id", "path", "display_path"))
    chance = random.Random(1)
    for copy in range(1, tracks // count + 1):
        artist = f"{chance.choice(FIRST)} {chance.choice(SECOND)}"
        folder, step = f"/srv/music/{artist}/{1970 + copy % 55} {chance.choice(SECOND)} of {chance.choice(FIRST)} {copy}", last * copy
        for number, (file,) in enumerate(store.execute("SELECT id FROM file WHERE status = 'ok' AND id <= ? LIMIT ?",
                                                       (last, max(0, tracks - count * copy))).fetchall()):
            title = f"{chance.choice(FIRST)} {chance.choice(SECOND)} {chance.choice(FIRST)}"
            path = f"{folder}/{number + 1:02d} - {title}.flac"
            store.execute(f"INSERT INTO file (id, path, display_path, {others}) SELECT id + ?, ?, ?, {others} FROM file WHERE id = ?",
                          (step, path.encode(), path, file))
            for table, kept in tables.items():
                if copy <= 20 or table not in ("beat_grid", "waveform_points"):
                    store.execute(f"INSERT INTO {table} (file, {kept}) SELECT file + ?, {kept} FROM {table} WHERE file = ?", (step, file))
            tags = {"title": title, "artist": artist, "album": folder.split("/")[-1][5:], "genre": GENRES[copy % 10],
                    "date": str(1970 + copy % 55), "track": str(number + 1)}
            store.executemany("INSERT INTO tag (file, name, position, value) VALUES (?, ?, 0, ?)",
                              [(step + file, name, value) for name, value in tags.items()])
            store.execute("UPDATE tempo SET bpm = ?, confidence = ? WHERE file = ? AND bpm IS NOT NULL",
                          (round(chance.gauss(124, 20), 2), round(min(.99, chance.betavariate(6, 1.2)), 3), step + file))
    store.commit()
    return store.execute("SELECT count(*) FROM file WHERE status = 'ok'").fetchone()[0]


def renderer_memory(browser):
    """Resident megabytes of the largest process that shows pages: now, and at its largest."""
    def value(process, name):
        return int(re.search(rf"{name}:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())[1]) / 1024
    processes = browser.call("SystemInfo.getProcessInfo")["processInfo"]
    return max((value(process["id"], "VmRSS"), value(process["id"], "VmHWM")) for process in processes if process["type"] == "renderer")


KEY = """(text => { const field = document.querySelector('#q'), start = performance.now();
field.value = text; field.dispatchEvent(new Event('input', { bubbles: true })); document.body.offsetHeight; return performance.now() - start; })"""


def measure(address):
    found = {"paint": [], "rows": [], "heap": [], "resident": [], "peak": []}
    keys = {}
    for _ in range(REPEATS):
        with Browser() as browser:
            page = browser.page()
            page.call("Page.addScriptToEvaluateOnNewDocument", {"source": "addEventListener('DOMContentLoaded', () => new MutationObserver((_, observer) => {"
                      " if (document.querySelector('#rows tr.row')) { window.rowsAt = performance.now(); observer.disconnect(); } })"
                      ".observe(document.querySelector('#rows'), { childList: true }))"})
            page.open(address)
            page.wait("window.rowsAt")
            time.sleep(3)  # what waits for an idle moment
            found["paint"].append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            found["rows"].append(page.evaluate("window.rowsAt"))
            for word in ("silver ocean", "e", "harbor code 1", "zzz"):
                for end in range(1, len(word) + 1):
                    keys.setdefault(word[:end], []).append(page.evaluate(f"{KEY}({word[:end]!r})"))
                keys.setdefault("", []).append(page.evaluate(f"{KEY}('')"))
            page.call("HeapProfiler.collectGarbage")
            found["heap"].append(page.call("Runtime.getHeapUsage")["usedSize"] / 1e6)
            resident, peak = renderer_memory(browser)
            found["resident"].append(resident)
            found["peak"].append(peak)
            if page.complaints:
                sys.exit(f"measure: the console said {page.complaints}")
    least = {name: min(values) for name, values in found.items()}
    return least | {"key": max(min(times) for times in keys.values()), "keys": sorted(min(times) for times in keys.values())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("analyze", nargs="?", default=ROOT / ".build/release/analyze")
    parser.add_argument("--tracks", type=int, default=100_000)
    parser.add_argument("--music", type=pathlib.Path, default=ROOT / ("Music" if (ROOT / "Music").is_dir() else "Fixtures"))
    parser.add_argument("--database", type=pathlib.Path, help="multiply these results instead of analyzing music")
    parser.add_argument("--page", type=pathlib.Path, help="measure this report")
    parser.add_argument("--keep", type=pathlib.Path, help="copy the report to this file")
    options = parser.parse_args()
    program, written = os.path.abspath(options.analyze), None
    with tempfile.TemporaryDirectory(prefix="nocturne-page-") as folder:
        work, report = pathlib.Path(folder), options.page
        if not report:
            database = work / "copy.sqlite" if options.database else analyzed(program, options.music, work)
            if options.database:
                shutil.copy(options.database, database)
            print(f"{multiply(database, options.tracks)} tracks")
            start = time.perf_counter()
            subprocess.run([program, "report", "--database", database, "--report", "html", "--output", work / "report"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            written, report = time.perf_counter() - start, work / "report/report.html"
        if options.keep:
            shutil.copy(report, options.keep)
        found = measure(report.resolve().as_uri())
        size = report.stat().st_size / 1e6
    limits = options.tracks / 100_000  # the size grows with the library, the rest is to stay
    rows = [("file, MB", size, 30 * max(1, limits)), ("first paint, ms", found["paint"], 1000), ("rows ready, ms", found["rows"], 3000),
            ("typing, slowest key, ms", found["key"], 50), ("typing, median key, ms", found["keys"][len(found["keys"]) // 2], None),
            ("memory of scripts, MB", found["heap"], None), ("memory of the page's process, MB", found["resident"], 400),
            ("the same while loading, MB", found["peak"], None), ("writing the report, s", written, None)]
    for name, value, bound in rows:
        if value is None:
            continue
        verdict = "" if bound is None else f"  at most {bound:g}: {'ok' if value <= bound else 'MISSED'}"
        print(f"{name:34} {value:8.1f}{verdict}")
    sys.exit(any(bound is not None and value > bound for _, value, bound in rows))


if __name__ == "__main__":
    main()
