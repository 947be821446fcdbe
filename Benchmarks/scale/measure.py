#!/usr/bin/env python3
"""Measures what docs/scale.md is computed from, and prints the tables of reports/scale-DATE.md.

    Benchmarks/scale/measure.py ANALYZE WORK [--music DIR] [--files 2000] [--jobs 2]

Two libraries are analyzed by `analyze worker`: pieces of 4 s, and the whole music (default: Music/, else what
Fixtures/fetch-music fetches). Each second answer to the pieces makes a third one. What is there without a file, what a file costs
whatever its length, and what a minute costs, follow from the three. Bytes of tables are those in use on their pages (`dbstat`),
with their indexes. The pieces have few names, so tags, song catalog and search are measured in a library of 100,000 made-up tracks
(`Benchmarks/search/make-library`), and with them the exports that have names. WORK keeps the libraries; what is there is used
again. With the package `chdb` (PyPI), ClickHouse loads the Parquet file.
"""
import argparse
import collections
import fnmatch
import gzip
import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))
from music_pieces import cut_pieces, find_music  # noqa: E402

PIECE_S = 4
NAMED_TRACKS = 100_000
# Tables of names; a star stands for any ending.
NAMES = ["tag*", "song*", "artist*", "album*", "genre*", "source_paths_fts"]
# Tables smaller than this share of a track of four minutes are counted together.
SMALL = 0.01
SMALLEST_FILE = 4096


class Library:
    """The answers to a folder of music, with all that is made of them."""

    def __init__(self, analyze, folder):
        self.analyze, self.folder, self.seconds = analyze, folder, {}
        folder.mkdir(parents=True, exist_ok=True)
        self.database, self.answers = folder / "library.sqlite", folder / "answers.ndjson"

    def answer(self, music, jobs):
        """Analyzes the music, if that was not done before. The time is kept with the answers."""
        clock = self.folder / "seconds"
        if not clock.exists():
            files = sorted(path for path in music.rglob("*") if path.suffix in {".mp3", ".ogg", ".flac", ".wav", ".m4a"})
            with self.answers.open("wb") as output:
                self.timed("worker", ["worker", "--jobs", str(jobs)], input="".join(f"{path}\n" for path in files).encode(), stdout=output)
            clock.write_text(str(self.seconds["worker"]))
        self.seconds["worker"] = float(clock.read_text())
        return self

    def take_half(self, other):
        """Each second answer of another library."""
        with other.answers.open("rb") as lines, self.answers.open("wb") as output:
            output.writelines(line for place, line in enumerate(lines) if place % 2)
        self.seconds["worker"] = other.seconds["worker"] / 2
        return self

    def count(self):
        records = [json.loads(line) for line in self.answers.open()]
        self.files = len(records)
        self.minutes = sum((record["file"]["format"] or {}).get("duration_s") or 0 for record in records) / 60

    def timed(self, name, arguments, **options):
        """Runs the program and notes its processor time."""
        before = processor_time()
        done = subprocess.run([self.analyze, *map(str, arguments)], env=os.environ | {"HOME": str(self.folder)}, check=False, **options)
        if done.returncode not in (0, 3):
            sys.exit(f"measure: analyze {' '.join(map(str, arguments))}: status {done.returncode}")
        self.seconds[name] = processor_time() - before

    def make(self):
        self.count()
        for path in self.folder.glob("library.sqlite*"):
            path.unlink()
        shutil.rmtree(self.folder / "catalog", ignore_errors=True)
        database = ["--database", self.database]
        self.timed("merge", ["merge", self.answers, *database, "--quiet"], stdout=subprocess.DEVNULL)
        self.timed("merge again", ["merge", self.answers, *database, "--quiet"], stdout=subprocess.DEVNULL)
        self.timed("duplicates", ["duplicates", *database], stdout=subprocess.DEVNULL)
        self.timed("catalog", ["catalog", "build", *database, "--catalog", self.folder / "catalog"], stdout=subprocess.DEVNULL)
        self.export()

    def export(self):
        database = ["--database", self.database]
        for name in ("parquet", "opensearch"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            self.timed(name, ["export", name, *database, "--output", self.folder / name], stdout=subprocess.DEVNULL)

    def tables(self):
        """Bytes in use by table, indexes included, and what is unused."""
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as connection:
            owners = dict(connection.execute("SELECT name, tbl_name FROM sqlite_schema"))
            used = collections.Counter()
            for name, size, unused in connection.execute("SELECT name, sum(pgsize), sum(unused) FROM dbstat GROUP BY name"):
                used[table_of(owners.get(name, name))] += size - unused
            (pages,), (size,) = *connection.execute("PRAGMA page_count"), *connection.execute("PRAGMA page_size")
        return used, pages * size - used.total()

    def named_sizes(self):
        """Bytes of the exports that have names."""
        sizes = {}
        for name in ("tracks", "tags"):
            sizes[f"Parquet: {name}"] = (self.folder / f"parquet/{name}.parquet").stat().st_size
        documents = self.folder / "opensearch/documents.ndjson"
        sizes["OpenSearch: documents"] = documents.stat().st_size
        sizes["OpenSearch: documents, gzip"] = compressed(documents)
        clickhouse = clickhouse_bytes(self.folder / "parquet/tracks.parquet", self.folder / "clickhouse")
        if clickhouse:
            sizes["ClickHouse: tracks"] = clickhouse
        return sizes

    def sizes(self):
        """Bytes of all else that is made of the audio."""
        sizes = {"answers, NDJSON": self.answers.stat().st_size, "answers, gzip": compressed(self.answers)}
        for path in sorted((self.folder / "parquet").glob("*.parquet")):
            if path.stem not in ("tracks", "tags"):
                sizes[f"Parquet: {path.stem}"] = path.stat().st_size
        sizes["recognition catalog"] = sum(path.stat().st_size for path in (self.folder / "catalog").rglob("*") if path.is_file())
        return sizes


def is_of_names(table):
    return any(fnmatch.fnmatch(table, pattern) for pattern in NAMES)


def table_of(name):
    """Full-text tables keep their rows in tables of their own."""
    head, mark, _ = name.partition("_fts_")
    return f"{head}_fts" if mark else "schema" if name.startswith("sqlite_") else name


def compressed(path):
    return len(gzip.compress(path.read_bytes(), 6))


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def clickhouse_bytes(parquet, folder):
    """Bytes of the tracks in a MergeTree, columns as ClickHouse finds them in the file; `None` without chdb."""
    try:
        from chdb import session
    except ImportError:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    clickhouse = session.Session(str(folder))
    try:
        clickhouse.query("CREATE DATABASE scale")
        clickhouse.query(f"CREATE TABLE scale.tracks ENGINE = MergeTree ORDER BY file_id AS SELECT * FROM file('{parquet}', Parquet)")
        clickhouse.query("OPTIMIZE TABLE scale.tracks FINAL")
        found = clickhouse.query("SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE active AND table = 'tracks'", "CSV")
        return int(str(found).strip().split(",")[0])
    finally:
        clickhouse.close()


class Costs:
    """What a file costs whatever its length, and a minute of it, beside what is there without a file."""

    def __init__(self, pieces, half, whole):
        self.pieces, self.half, self.whole = pieces, half, whole

    def of(self, pieces, half, whole):
        piece = (pieces - half) / (self.pieces.files - self.half.files)
        fixed = max(0, pieces - piece * self.pieces.files)
        short, long = self.pieces.minutes / self.pieces.files, self.whole.minutes / self.whole.files
        minute = max(0, ((whole - fixed) / self.whole.files - piece) / (long - short))
        return max(0, piece - minute * short), minute

    def table(self, found, fold=0.0, digits=0):
        """Lines of a table, with three values for each name; what is below the share `fold` of a track of four minutes becomes one."""
        costs = {name: self.of(*values) for name, values in found.items()}
        tracks = {name: file + 4 * minute for name, (file, minute) in costs.items()}
        small = {name for name in costs if tracks[name] < fold * sum(tracks.values())}
        for name in sorted(costs, key=lambda name: -tracks[name]) if fold else costs:
            if name not in small:
                yield line(name, costs[name], digits)
        if small:
            yield line(f"{len(small)} others", [sum(costs[name][part] for name in small) for part in (0, 1)], digits)


def line(name, cost, digits=0):
    return f"| {name} | {cost[0]:.{digits}f} | {cost[1]:.{digits}f} |"


def together(libraries):
    """The values of each name in all of the libraries; 0 where one has none."""
    names = list(dict.fromkeys(name for found in libraries for name in found))
    return {name: [found.get(name, 0) for found in libraries] for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("analyze", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--music")
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    analyze, work = options.analyze.resolve(), options.work.resolve()
    music = find_music(options.music)
    if not (work / "pieces").is_dir():
        making = work / "pieces.new"
        shutil.rmtree(making, ignore_errors=True)
        cut_pieces(music, making, options.files, PIECE_S)
        making.rename(work / "pieces")
    whole_music = pathlib.Path(options.music).resolve() if options.music else ROOT / "Music"
    pieces = Library(analyze, work / "pieces-made").answer(work / "pieces", options.jobs)
    half = Library(analyze, work / "half-made").take_half(pieces)
    whole = Library(analyze, work / "whole-made").answer(whole_music, options.jobs)
    libraries = [pieces, half, whole]
    for library in libraries:
        library.make()
    named = Library(analyze, work / "named-made")
    if not named.database.exists():
        subprocess.run([ROOT / "Benchmarks/search/make-library", analyze, named.database, "--tracks", str(NAMED_TRACKS)], check=True)
        with sqlite3.connect(named.database) as connection:
            # Without a summary, exports take tags for not read.
            connection.execute("INSERT INTO tag_summary (file, formats, has_lyrics) SELECT DISTINCT file, '[]', 0 FROM tag")
    named.export()
    costs = Costs(*libraries)
    version = subprocess.run([analyze, "--version"], capture_output=True, text=True).stdout.strip()
    print(f"{pieces.files:,} pieces ({pieces.minutes:.1f} min), {whole.files} whole tracks ({whole.minutes:.1f} min) and "
          f"{NAMED_TRACKS:,} made-up ones; analyze {version}\n")
    tables, unused = zip(*(library.tables() for library in libraries))
    named_tables, _ = named.tables()
    names = sum(size for table, size in named_tables.items() if is_of_names(table))
    print("| table | bytes a file | bytes a minute |\n|---|---|---|")
    print("\n".join(costs.table({name: sizes for name, sizes in together(tables).items() if not is_of_names(name)}, fold=SMALL)))
    print(line("tags, song catalog, search", (names / NAMED_TRACKS, 0)))
    print("\n".join(costs.table({"unused parts of pages": unused})))
    print("\n| output | bytes a file | bytes a minute |\n|---|---|---|")
    sizes = together([library.sizes() for library in libraries])
    # An empty file is none.
    print("\n".join(costs.table({name: found for name, found in sizes.items() if max(found) > SMALLEST_FILE})))
    for name, size in named.named_sizes().items():
        print(line(name, (size / NAMED_TRACKS, 0)))
    print("\n| command | ms of processor a file | ms a minute |\n|---|---|---|")
    print("\n".join(costs.table(together([{name: 1000 * used for name, used in library.seconds.items()} for library in libraries]), digits=2)))
    print("\n".join(line(f"{name}, made-up tracks", (1000 * used / NAMED_TRACKS, 0), 2) for name, used in named.seconds.items()))


main()
