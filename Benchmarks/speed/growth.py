"""Nights of libraries of 1,000 to 100,000 small files: the first one, and one in which nothing has changed."""
import shutil

from measuring import analyze, fresh, make_pieces, run

COUNTS = [1_000, 10_000, 100_000]


def bench_growth(table, material):
    for count in COUNTS:
        library = material.work / f"pieces-{count}"
        make_pieces(material.mp3s[0], library, count)
        database = fresh(material.work, "growth")
        # Of the largest library only the walk, the tags and the database are of interest.
        pipeline = "default" if count < 100_000 else "tags-only"
        first = analyze(library, database, "--jobs", "2", "--pipeline", pipeline)
        table.row(f"{count:,} files of 0.3 s, {pipeline}, CPU of each", f"{1000 * first.cpu / count:.2f} ms",
                  detail=f"{first.wall:.0f} s, {first.peak_mb:.0f} MB, database {database.stat().st_size / count:,.0f} bytes a track")
        again = min((analyze(library, database, "--pipeline", pipeline) for _ in range(3)), key=lambda usage: usage.wall)
        listing = min((run("find", library, "-printf", "%s %T@ %p\\n") for _ in range(3)), key=lambda usage: usage.wall)
        ratio = again.wall / listing.wall
        # In small libraries the start of the program counts.
        bound = "<= 3" if count >= 100_000 else None
        table.row("… unchanged, against `find -printf`", f"{ratio:.1f}x", bound, bound is None or ratio <= 3,
                  f"{again.wall:.2f} s, {again.cpu:.2f} s CPU, {again.peak_mb:.0f} MB")
        shutil.rmtree(library)
