#!/usr/bin/env python3
"""Measures recognition on a kit of tracks and queries.

usage: evaluate.py MANIFEST TRUTH SCRATCH [--signature] [--tracks N] [--score SCORER [NAME=answers.csv ...]]

MANIFEST   CSV with columns id, split and path (relative to the manifest); tracks whose split is "in" make the catalog
TRUTH      CSV with a column query; the query's audio is q/QUERY.wav beside it
SCRATCH    decoded audio (16 bits, mono, 8 kHz), the catalog and answers.csv go here
--signature  match signatures (landmarks only) instead of queries made from the audio
--tracks N   add made-up tracks until the catalog has N; see `grow` in recognition-kit
--score      a program that takes TRUTH and NAME=answers.csv; further answers are passed on

Needs ffmpeg with libsoxr. Audio is decoded once; times are CPU times without decoding.
"""
import argparse, csv, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))


def decode(job):
    source, target = job
    if os.path.exists(target):
        return
    beside = target + ".part"
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", source, "-ac", "1", "-af", "aresample=8000:resampler=soxr",
                    "-f", "s16le", "-y", beside], check=True)
    os.rename(beside, target)


def write_list(path, rows):
    with open(path, "w") as f:
        f.writelines("%s,%s\n" % row for row in rows)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("manifest"); ap.add_argument("truth"); ap.add_argument("scratch")
    ap.add_argument("--signature", action="store_true"); ap.add_argument("--tracks", type=int)
    ap.add_argument("--score", nargs="+")
    a = ap.parse_args()
    tracks, queries = os.path.join(a.scratch, "tracks"), os.path.join(a.scratch, "queries")
    os.makedirs(tracks, exist_ok=True); os.makedirs(queries, exist_ok=True)
    top = os.path.dirname(os.path.abspath(a.manifest))
    rows = [r for r in csv.DictReader(open(a.manifest, newline="")) if r["split"] == "in"]
    jobs = [(os.path.join(top, r["path"]), os.path.join(tracks, r["id"] + ".raw")) for r in rows]
    names = [r["query"] for r in csv.DictReader(open(a.truth, newline=""))]
    kit = os.path.join(os.path.dirname(os.path.abspath(a.truth)), "q")
    jobs += [(os.path.join(kit, n + ".wav"), os.path.join(queries, n + ".raw")) for n in names]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(decode, jobs))
    in_list, q_list = os.path.join(a.scratch, "tracks.csv"), os.path.join(a.scratch, "queries.csv")
    write_list(in_list, [(r["id"], os.path.abspath(os.path.join(tracks, r["id"] + ".raw"))) for r in rows])
    write_list(q_list, [(n, os.path.abspath(os.path.join(queries, n + ".raw"))) for n in names])

    subprocess.run(["swift", "build", "-c", "release", "--package-path", HERE], check=True)
    tool = os.path.join(HERE, ".build", "release", "recognition-kit")
    catalog, answers = os.path.join(a.scratch, "kit.catalog"), os.path.join(a.scratch, "answers.csv")
    subprocess.run([tool, "build", in_list, catalog], check=True)
    if a.tracks:
        large = os.path.join(a.scratch, "catalog-%d" % a.tracks)
        if not os.path.exists(large):
            subprocess.run([tool, "grow", catalog, large, str(a.tracks)], check=True)
        catalog = large
    subprocess.run([tool, "match", catalog, q_list, answers] + (["signature"] if a.signature else []), check=True)
    if a.score:
        subprocess.run([sys.executable, a.score[0], a.truth, "nocturne=" + answers] + a.score[1:], check=True)


if __name__ == "__main__":
    main()
