#!/usr/bin/env python3
"""Makes the training material for network.py: tracks with their landmarks, and voices.

usage: material.py OUTPUT_DIRECTORY [--tracks MANIFEST ...] [--speech NAME=DIRECTORY ...]

OUTPUT_DIRECTORY/tracks/SET/ID.raw   the tracks of a manifest (format as for evaluate.py), 16 kHz, mono, 16 bits; SET is the name of its directory
OUTPUT_DIRECTORY/tracks/SET/ID.landmarks   the signature of each
OUTPUT_DIRECTORY/speech/NAME.raw     all recordings below a directory, one after another, without their silence; and
                                     espeak-ng, one file for each of its voices

Needs ffmpeg with libsoxr and espeak-ng.
"""
import argparse, csv, glob, os, subprocess
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ESPEAK = "en-us en-gb en-029 de fr-fr es it pt-br nl pl cs sv hu ru".split()
# Texts that every Debian has, as long as a man page or a license.
TEXTS = sorted(glob.glob("/usr/share/common-licenses/*"))[:6]
SECONDS = 900
# Pauses are cut to at most a fifth of a second.
NO_SILENCE = "silenceremove=start_periods=1:start_threshold=-45dB:stop_periods=-1:stop_duration=0.2:stop_threshold=-45dB"


def decode(source, target, rate):
    if os.path.exists(target):
        return
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", source, "-ac", "1", "-af",
                    "aresample=%d:resampler=soxr" % rate, "-f", "s16le", "-y", target + ".part"], check=True)
    os.rename(target + ".part", target)


def tracks(manifest, output):
    name = os.path.basename(os.path.dirname(os.path.abspath(manifest)))
    folder = os.path.join(output, "tracks", name)
    os.makedirs(folder, exist_ok=True)
    top = os.path.dirname(os.path.abspath(manifest))
    rows = list(csv.DictReader(open(manifest, newline="")))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for rate, ending in ((16000, ".raw"), (8000, ".8k")):
            list(pool.map(lambda r: decode(os.path.join(top, r["path"]), os.path.join(folder, r["id"] + ending), rate), rows))
    listed = os.path.join(folder, "tracks.csv")
    with open(listed, "w") as f:
        f.writelines("%s,%s\n" % (r["id"], os.path.join(os.path.abspath(folder), r["id"] + ".8k")) for r in rows)
    subprocess.run(["swift", "build", "-c", "release", "--package-path", HERE], check=True)
    subprocess.run([os.path.join(HERE, ".build", "release", "recognition-kit"), "landmarks", listed, folder], check=True)
    for row in rows:
        os.remove(os.path.join(folder, row["id"] + ".8k"))


def recordings(name, directory, output):
    """Real voices. Asterisk's prompts are G.722 without a header, GSM or WAVE."""
    files = sorted(sum((glob.glob(os.path.join(directory, "**", "*" + e), recursive=True) for e in (".g722", ".gsm", ".wav")), []))
    target = os.path.join(output, name + ".raw")
    if not files or os.path.exists(target):
        return
    with open(target + ".part", "wb") as f:
        for file in files:
            form = ["-f", "g722"] if file.endswith(".g722") else ["-f", "gsm"] if file.endswith(".gsm") else []
            out = subprocess.run(["ffmpeg", "-v", "quiet", "-nostdin", *form, "-i", file, "-ac", "1", "-ar", "16000", "-af", NO_SILENCE,
                                  "-f", "s16le", "-"], capture_output=True).stdout
            if f.tell() < SECONDS * 32000:
                f.write(out)
    os.rename(target + ".part", target)


def voice(name, command, output):
    target = os.path.join(output, name + ".raw")
    if os.path.exists(target):
        return
    sound = subprocess.run(command, capture_output=True).stdout
    subprocess.run(["ffmpeg", "-v", "quiet", "-nostdin", "-i", "-", "-t", str(SECONDS), "-ac", "1", "-ar", "16000", "-af", NO_SILENCE,
                    "-f", "s16le", "-y", target], input=sound, check=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("output"); ap.add_argument("--tracks", nargs="*", default=[]); ap.add_argument("--speech", nargs="*", default=[])
    a = ap.parse_args()
    for manifest in a.tracks:
        tracks(manifest, a.output)
    speech = os.path.join(a.output, "speech")
    os.makedirs(speech, exist_ok=True)
    for entry in a.speech:
        recordings(*entry.split("=", 1), speech)
    for i, language in enumerate(ESPEAK):
        voice("espeak-" + language, ["espeak-ng", "-v", language, "-s", str(130 + 37 * i % 70), "-p", str(15 + 29 * i % 70), "-f",
                                     TEXTS[i % len(TEXTS)], "--stdout"], speech)


if __name__ == "__main__":
    main()
