"""The default pipeline beside decoding alone, its own and ffmpeg's, by format."""
import subprocess

from measuring import analyze, decode_in_one_process, decoding_alone, fresh, median_cpu

ENCODINGS = {
    "wav": [], "flac": [], "mp3": ["-b:a", "192k"], "ogg": ["-c:a", "libvorbis", "-q:a", "5"],
    "opus": ["-c:a", "libopus", "-b:a", "128k"], "m4a": ["-c:a", "aac", "-b:a", "192k"],
}


def bench_formats(table, material, minutes=15):
    work, repeat = material.work, material.repeat
    for extension, encoding in ENCODINGS.items():
        library = work / "formats" / extension
        library.mkdir(parents=True)
        length = 0
        for mp3, seconds in material.lengths.items():
            if length >= 60 * minutes:
                break
            subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", mp3, "-map", "0:a:0", *encoding,
                            library / f"{mp3.stem}.{extension}"], check=True)
            length += seconds
        own = median_cpu(repeat, lambda: analyze(library, fresh(work, "formats"), "--jobs", "1"))
        floor = median_cpu(
            repeat, lambda: analyze(library, fresh(work, "formats"), "--jobs", "1", "--pipeline", decoding_alone(work)))
        alone = median_cpu(repeat, lambda: decode_in_one_process(sorted(library.iterdir()), work))
        table.row(f"default pipeline, CPU per minute of {extension}", f"{60_000 * own / length:.1f} ms",
                  detail=f"{own / floor:.2f}x only decoding, {60_000 * floor / length:.1f} ms; {own / alone:.2f}x ffmpeg decoding in one process")
