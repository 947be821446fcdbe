"""Small real files for checks and measurements: pieces of the music that Fixtures/fetch-music fetches."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
# FFmpeg's segments of Ogg lack their last page.
FORMATS = {"mp3": ["-c:a", "libmp3lame", "-b:a", "128k"], "flac": ["-c:a", "flac"], "m4a": ["-c:a", "aac"],
           "wav": ["-c:a", "pcm_s16le"]}


def find_music(folder=None):
    """The files of a folder; by default of Music/, which is fetched if it is not there."""
    folder = pathlib.Path(folder) if folder else ROOT / "Music"
    if not folder.is_dir():
        subprocess.run([ROOT / "Fixtures/fetch-music", folder], check=True)
    return sorted(path for path in folder.rglob("*") if path.suffix in {".mp3", ".ogg", ".flac"})


def cut_pieces(music, folder, count, seconds):
    """Pieces of music, each once: MP3 as it is or, as all others, as WAV, and each fourth album in another format. Returns how many."""
    folder.mkdir(parents=True)
    made = 0
    for number, path in enumerate(music * len(FORMATS)):
        if made >= count:
            break
        name, how = ("mp3", ["-c", "copy"]) if path.suffix == ".mp3" else ("wav", FORMATS["wav"])
        if number % 4 == 0:
            name, how = list(FORMATS.items())[number // 4 % len(FORMATS)]
        place = folder / f"album {number:03}"
        place.mkdir()
        # Each pass begins elsewhere.
        offset = 3 * (number // len(music))
        subprocess.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-ss", str(offset), "-i", path, "-t", str(seconds * 40), "-vn", "-map",
             "0:a:0", *how, "-metadata", f"album=Number {number}", "-f", "segment", "-segment_time", str(seconds),
             place / f"it's %03d é.{name}"], check=False, stderr=subprocess.DEVNULL)
        # FFmpeg does not read all of it.
        pieces = sorted(place.iterdir())
        # The last piece may hold next to nothing.
        for piece in pieces[:-1][count - made:] + pieces[-1:]:
            piece.unlink()
        made += len(list(place.iterdir()))
    return made
