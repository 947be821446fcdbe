"""The default pipeline beside programs that do part of its work, on the same files."""
import sys
from pathlib import Path

from measuring import ROOT, analyze, decode_in_one_process, decode_with_ffmpeg, decoding_alone, fresh, median_cpu, run, total

sys.path.insert(0, str(ROOT / "Scripts"))
import python_packages  # noqa: E402

PEER = Path(__file__).with_name("peer.py")

# What people run in a loop today: tags and length, fingerprint, tempo, loudness.
SCRIPT = """
for file; do
  ffprobe -v error -show_format -show_streams -of json "$file"
  fpcalc -length 0 -json "$file"
  aubio tempo "$file"
  loudgain -q "$file"
done
"""


def each(files, *command):
    return total(run(*command, file) for file in files)


def bench_cpu(table, material):
    repeat, mp3s, work = material.repeat, material.mp3s, material.work
    own = median_cpu(repeat, lambda: analyze(material.library, fresh(work, "cpu"), "--jobs", "1"))
    decode = median_cpu(repeat, lambda: total(decode_with_ffmpeg("-i", file) for file in mp3s))
    alone = median_cpu(repeat, lambda: decode_in_one_process(mp3s, work))
    floor = median_cpu(
        repeat, lambda: analyze(material.library, fresh(work, "cpu"), "--jobs", "1", "--pipeline", decoding_alone(work)))
    aubio = each(mp3s, "aubio", "tempo").cpu
    fpcalc = each(mp3s, "fpcalc", "-length", "0").cpu
    table.row("default pipeline, CPU per minute of MP3", f"{1000 * own / material.minutes:.1f} ms")
    table.row("… against ffmpeg only decoding the same files", f"{own / decode:.2f}x", "<= 3", own / decode <= 3)
    table.row("… the same in one process", f"{own / alone:.2f}x", "<= 3", own / alone <= 3)
    table.row("… against itself, only decoding the same files", f"{own / floor:.2f}x", "<= 4.5", own / floor <= 4.5)
    table.row("… against aubio tempo alone", f"{own / aubio:.2f}x", "< 1", own < aubio)
    table.row("… against fpcalc -length 0 alone", f"{own / fpcalc:.2f}x")


def bench_peers(table, material):
    """Programs of one task each, and the script of them. An interpreter and its compilers are part of the cost, over an
    hour of music."""
    own = analyze(material.library, fresh(material.work, "peers"), "--jobs", "1").cpu
    table.row("default pipeline, CPU per minute of MP3", f"{1000 * own / material.minutes:.1f} ms")
    python = python_packages.interpreter("bench")
    peers = {
        "loudgain (loudness)": lambda: each(material.mp3s, "loudgain", "-q"),
        "essentia (tempo, key, loudness), one process": lambda: run(python, PEER, "essentia", *material.mp3s),
        "librosa (tempo), one process": lambda: run(python, PEER, "librosa", *material.mp3s),
        "script of ffprobe, fpcalc, aubio and loudgain": lambda: run("sh", "-c", SCRIPT, "sh", *material.mp3s),
    }
    for name, measure in peers.items():
        usage = measure()
        table.row(name, f"{1000 * usage.cpu / material.minutes:.1f} ms",
                  detail=f"{usage.cpu / own:.1f} times ours, {usage.peak_mb:.0f} MB")
