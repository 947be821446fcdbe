"""Links that somebody plants in the library publish no other file of this machine, whatever the server is asked.

Five hundred links, chains, hard links, pipes and devices lead from a library to secrets elsewhere, in text and in samples. Half of them stand
there before the run, the others replace music between the run and the requests. Each route that the server describes is asked for them, and
no answer may have a byte of a secret. A hard link is a file of the library like any other: to audio it is played, to other files it is not
(NOCTURNE_SEED=N repeats a run).
"""
import json
import os
import random
import re
import shutil
import stat
import struct
import threading
import urllib.parse

import pytest
from server import Server
from sounds import picture

pytestmark = pytest.mark.links

COUNT = 500
# Streams without an end, and sessions, whose ids are no tracks.
NOT_ASKED = ("/events", "/v1/sessions", "/v1/catalog")
LOGIN = "u=a&p=b&v=1.16.1&c=check"
SUBSONIC = ["stream", "download", "getCoverArt", "getSong", "getAlbum", "getLyricsBySongId", "getMusicDirectory", "getSimilarSongs", "getAvatar", "hls"]


def wave(text):
    """A second of audio whose samples are a text, again and again."""
    data = ((text + " ") * (16_000 // (len(text) + 1))).encode()
    data += b" " * (len(data) % 2)
    form = struct.pack("<HHIIHH", 1, 1, 8000, 16_000, 2, 16)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data


class Trap:
    """A library with planted files, and what they lead to."""

    def __init__(self, place):
        seed = int(os.environ.get("NOCTURNE_SEED") or random.randrange(1 << 32))
        print(f"planted links: NOCTURNE_SEED={seed}")
        self.chance, self.place = random.Random(seed), place
        self.secret = f"secret-{self.chance.randrange(1 << 64):016x}"
        place.environment["SECRET_OF_THIS_PROCESS"] = self.secret
        self.outside = place.folder / "outside"
        self.planted, self.hard_links, self.bare, self.swaps, self.number = [], [], [], [], 0
        self.song = self.write(place.music / "song.wav", wave("music of the library"))
        kinds = [self.link, self.link, self.link_of_folder, self.link_to_system, self.hard_link, self.node, self.picture]
        for number in range(COUNT):
            plant = kinds[number % len(kinds)]
            suffix = self.chance.choice(["mp3", "flac", "wav", "m4a", "ogg"])
            path = place.music / str(number % 20) / f"planted {number}.{suffix}"
            if self.chance.random() < .5 and plant not in (self.link_of_folder, self.picture):
                self.write(path, wave(f"music {number}"))
                self.swaps.append(lambda path=path, plant=plant: (path.unlink(), plant(path)))
                self.planted.append(path)
            else:
                self.planted += plant(path) or [path]
        self.folders_to_swap()
        self.steps_to_swap()

    def write(self, path, data):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    # What is elsewhere

    def hidden_folder(self):
        self.number += 1
        folder = self.outside / f"{self.number}"
        for name in ("secret.txt", "secret.mp3", "inner/secret.wav"):
            self.write(folder / name, f"{self.number} {self.secret}\n".encode())
        for name in ("voice.wav", "inner/voice.wav"):
            self.write(folder / name, wave(f"{self.secret} {self.number} {name}"))
        return folder

    def hidden_file(self, *names):
        return self.hidden_folder() / self.chance.choice(names or ("secret.txt", "secret.mp3", "inner/secret.wav", "voice.wav", "inner/voice.wav"))

    def name_of(self, target, link):
        """A path to the target, as a link might have it."""
        relative = os.path.relpath(target, link.parent)
        return self.chance.choice([
            str(target), relative, f"/proc/self/root{target}", f"/proc/1/root{target}", f"{target.parent}/./../{target.parent.name}/{target.name}",
            f"{link.parent}/{relative}"])

    # What is planted

    def chain(self, path, target):
        """A link, or several to each other."""
        for _ in range(self.chance.choice([0, 0, 1, 2, 4])):
            step = self.place.music / ".steps" / f"{self.chance.randrange(1 << 60)}"
            step.parent.mkdir(exist_ok=True)
            step.symlink_to(self.name_of(target, step))
            target = step
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.name_of(target, path))

    def link(self, path):
        self.chain(path, self.hidden_file())

    def link_of_folder(self, path):
        folder = path.with_suffix("")
        self.chain(folder, self.hidden_folder())
        return [folder / name for name in ("secret.mp3", "voice.wav", "inner/secret.wav", "inner/voice.wav")]

    def link_to_system(self, path):
        target = self.chance.choice(["/proc/self/environ", "/proc/self/cmdline", "/proc/self/maps", "/proc/self/fd/0", "/etc/passwd", "/dev/zero"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def hard_link(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.link(self.hidden_file("secret.txt", "secret.mp3"), path)

    def node(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0 and self.chance.random() < .5:
            os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        else:
            os.mkfifo(path)

    def picture(self, path):
        """Music in a folder of its own, whose cover is elsewhere."""
        song = self.write(path.with_suffix("") / "song.wav", wave(f"music beside a picture {path.stem}"))
        cover = self.outside / f"{path.stem}.png"
        cover.parent.mkdir(exist_ok=True)
        if not (self.outside / "cover.png").exists():
            picture(self.outside / "cover.png", "color=magenta:size=64x64")
        shutil.copy(self.outside / "cover.png", cover)
        self.bare.append(song)
        if self.chance.random() < .5:
            self.chain(song.parent / "cover.png", cover)
        else:
            own = song.parent / "folder.png"
            self.swaps.append(lambda: self.chain(own, cover))
        return []

    def folders_to_swap(self):
        """Folders of the library that are replaced by links to others with files of the same names."""
        for number in range(20):
            folder = self.place.music / f"swapped {number}"
            name = self.chance.choice(["secret.wav", "voice.wav"])
            self.write(folder / name, wave(f"music to swap {number}"))
            self.planted.append(folder / name)
            self.swaps.append(lambda folder=folder: (shutil.rmtree(folder), self.chain(folder, self.hidden_folder() / "inner")))

    def steps_to_swap(self):
        """Links inside the library whose targets are replaced later."""
        for number in range(20):
            target = self.write(self.place.music / ".targets" / f"{number}.wav", wave(f"music behind a link {number}"))
            path = self.place.music / f"step {number}.wav"
            self.chain(path, target)
            self.planted.append(path)
            self.swaps.append(lambda target=target: (target.unlink(), self.chain(target, self.hidden_file())))

    def audio_behind_hard_links(self):
        """After the run, so that files elsewhere have names in the library, too."""
        path = self.place.music / "hard link.wav"
        path.unlink()
        os.link(self.hidden_file("voice.wav"), path)
        return path

    def swap(self):
        for swap in self.swaps:
            swap()


@pytest.fixture(scope="module")
def trap(place):
    trap = Trap(place)
    trap.write(place.music / "hard link.wav", wave("music to be replaced by a hard link"))
    place.analyze_music("--only", "tags,waveform")
    trap.ids = {record["path"]: record["file_id"] for record in place.report()}
    trap.swap()
    return trap


@pytest.fixture(scope="module")
def server(trap):
    with Server(trap.place) as server:
        yield server


def byte_routes(identity):
    """-> (path, headers), all that give files."""
    return [
        (f"/media/tracks/{identity}", {}), (f"/media/tracks/{identity}", {"Range": "bytes=0-199"}),
        (f"/rest/stream?{LOGIN}&id={identity}", {}), (f"/rest/stream?{LOGIN}&id={identity}&format=raw", {"Range": "bytes=44-"}),
        (f"/rest/download?{LOGIN}&id={identity}", {}),
    ]


def all_routes(server, identity):
    """Each GET that takes the id of a track, in its path or behind it, and those that take none."""
    asked = [f"/rest/{method}.view?{LOGIN}&f=json&id={identity}" for method in SUBSONIC]
    for path, methods in json.loads(server.ask("/openapi.json")[2])["paths"].items():
        if "get" not in methods or any(part in path for part in NOT_ASKED):
            continue
        names = {parameter["name"] for parameter in methods["get"].get("parameters", [])} & {"id", "ids", "mbid", "file", "seed_tracks", "recording_ids"}
        filled = re.sub(r"\{(?:id|mbid|file)\}", identity, path)
        if "{" not in filled and (names or filled == path):
            asked.append(filled + "".join(f"?{name}={identity}" for name in names & {"ids", "seed_tracks", "recording_ids"}))
    return asked


def test_no_route_gives_away_a_secret(trap, server):
    known = [path for path in trap.planted if str(path) in trap.ids]
    assert len(known) > COUNT // 2, "the run has found what was planted"
    sample = trap.chance.sample(known, 40)
    asked = [request for path in [*known, *trap.bare] for request in byte_routes(trap.ids[str(path)])]
    asked += dict.fromkeys((route, ()) for path in sample for route in all_routes(server, trap.ids[str(path)]))
    told = [route for route, headers in asked if trap.secret.encode() in server.ask(route, **dict(headers))[2]]
    assert told == []


def test_links_are_not_played(trap, server):
    """Not even the size of a file elsewhere is told."""
    for path in trap.planted:
        if str(path) in trap.ids:
            for route, headers in byte_routes(trap.ids[str(path)]):
                status, answer, _ = server.ask(route, **headers)
                assert not answer.get("Content-Type", "").startswith("audio/") and not answer.get("Content-Range"), f"{path}: {route}: {status}"


def test_pictures_elsewhere_are_no_covers(trap, server):
    assert len(trap.bare) > 50
    for path in trap.bare:
        assert server.ask(f"/media/covers/{trap.ids[str(path)]}")[0] == 404, path


def test_paths_are_no_ids(trap, server):
    target = trap.outside / "1" / "secret.txt"
    relative = os.path.relpath(target, trap.place.music)
    for name in (str(target), relative, f"....//{relative}", target.as_uri(), f"file\0{target}", "../" * 12 + str(target)[1:]):
        for text in (urllib.parse.quote(name, safe=""), urllib.parse.quote(name), name.replace("..", "%2e%2e").replace("\0", "%00")):
            for route in [*(route for route, _ in byte_routes(text)), f"/app/{text}"]:
                assert trap.secret.encode() not in server.ask(route)[2], route


def test_music_is_played(trap, server):
    status, answer, body = server.ask(f"/media/tracks/{trap.ids[str(trap.song)]}")
    assert (status, answer["Content-Type"]) == (200, "audio/wav") and b"music of the library" in body


def test_a_hard_link_to_audio_is_a_file_of_the_library(trap, server):
    path = trap.audio_behind_hard_links()
    status, _, body = server.ask(f"/media/tracks/{trap.ids[str(path)]}")
    assert status == 200 and body[:4] == b"RIFF"


def test_files_swapped_during_requests(trap, server):
    """The song and a link take turns under one name."""
    link, song, stop = trap.song.with_name(".link"), trap.song.with_name(".song"), threading.Event()
    voice = trap.hidden_file("voice.wav")

    def swap():
        while not stop.is_set():
            link.symlink_to(voice)
            os.replace(link, trap.song)
            song.write_bytes(wave("music of the library"))
            os.replace(song, trap.song)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        answers = [server.ask(route, **headers) for _ in range(200) for route, headers in byte_routes(trap.ids[str(trap.song)])]
    finally:
        stop.set()
        thread.join()
    assert not [body for _, _, body in answers if trap.secret.encode() in body]
    assert {200, 404} <= {status for status, _, _ in answers}, "both were met"
