"""A music library of many small files that grows and changes, the same for the same seed."""
import os
import random
import struct

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Fixtures")


def wav(rnd, seconds=0.5, rate=8000, cut=False):
    """Noise, so that no two files are alike; `cut`: the header says more than there is."""
    count = int(seconds * rate) * 2
    head = b"RIFF" + struct.pack("<I", 36 + count) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate * 2, 2, 16)
    return head + b"data" + struct.pack("<I", count) + rnd.randbytes(count // 2 if cut else count)


def info(title):
    """A RIFF chunk with a title, as a tagger writes it after the audio."""
    text = title.encode() + b"\0" * (2 - len(title) % 2)
    body = b"INFOINAM" + struct.pack("<I", len(text)) + text
    return b"LIST" + struct.pack("<I", len(body)) + body


class Library:
    """`new_name` and the changes draw from one seeded source. Files are complete when they get their names, except
    those that `break_in_place` and `change(in_place=True)` write."""

    def __init__(self, root, seed):
        self.root = root
        self.rnd = random.Random(seed)
        self.names = []
        self.made = 0
        self.mp3 = open(os.path.join(FIXTURES, "music", "rocker-ronni.mp3"), "rb").read()
        self.flac = open(os.path.join(FIXTURES, "signals", "short.flac"), "rb").read()

    def path(self, name):
        return os.path.join(self.root, name)

    def content(self, kind):
        rnd = self.rnd
        if kind == "mp3":
            start = rnd.randrange(4000, len(self.mp3) - 20000)
            return self.mp3[start:start + rnd.randrange(6000, 12000)]
        if kind == "flac":
            return self.flac + rnd.randbytes(8)
        if kind == "cut":
            return wav(rnd, cut=True)
        if kind == "broken":
            return b"This was a song once.\n" * rnd.randrange(1, 50)
        return wav(rnd) + (info(f"Song {self.made}") if rnd.random() < 0.5 else b"")

    def write(self, name, data, in_place=False, modified=None):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        target = path if in_place else self.path(".incoming")
        with open(target, "wb") as file:
            file.write(data)
        if modified is not None:
            os.utime(target, (modified, modified))
        if not in_place:
            os.replace(target, path)

    def add(self, count=1, modified=None):
        for _ in range(count):
            self.made += 1
            kind = self.rnd.choices(["wav", "mp3", "flac", "cut", "broken", "jpg"], [70, 12, 6, 5, 3, 4])[0]
            extension = {"cut": "wav", "broken": "mp3"}.get(kind, kind)
            name = f"{self.made // 500:03}/{self.made % 500 // 25:02}/{self.made:06}.{extension}"
            self.write(name, self.content("broken" if kind == "jpg" else kind), modified=modified)
            self.names.append(name)

    def pick(self):
        return self.rnd.randrange(len(self.names))

    def change(self, modified=None, in_place=False):
        name = self.names[self.pick()]
        kind = "mp3" if name.endswith(".mp3") else "wav"
        self.write(name, self.content(kind), in_place=in_place, modified=modified)

    def retag(self, modified=None):
        """New tags around the same audio."""
        name = self.names[self.pick()]
        if not name.endswith(".wav"):
            return
        with open(self.path(name), "rb") as file:
            data = file.read()
        end = 44 + 8000
        if len(data) < end:
            return
        self.write(name, data[:end] + info(f"Retagged {self.rnd.random()}"), modified=modified)

    def break_in_place(self, modified=None):
        self.write(self.names[self.pick()], self.content("broken"), in_place=True, modified=modified)

    def move(self):
        index = self.pick()
        old = self.names[index]
        self.made += 1
        new = f"moved/{self.made % 100:02}/{self.made:06}{os.path.splitext(old)[1]}"
        os.makedirs(os.path.dirname(self.path(new)), exist_ok=True)
        os.rename(self.path(old), self.path(new))
        self.names[index] = new

    def remove(self):
        index = self.pick()
        os.unlink(self.path(self.names[index]))
        self.names[index] = self.names[-1]
        self.names.pop()

    def disturb(self, modified=None):
        """One change of some kind."""
        self.rnd.choice([self.change, self.retag, self.break_in_place])(modified=modified)
        self.rnd.choice([self.move, self.remove, self.add])()
