"""A small library as people have them: half of its tags are missing, wrong or spelled in several ways.

    from untidy_library import make
    library = make(folder)                      # the files, and what each is

Some fifty files of some seconds in five codecs, made by ffmpeg: tracks without numbers, albums, artists or titles; albums of
several discs; guests, compilations, two albums of one name; long names, names without a space to break at, right-to-left names;
names of files that are no UTF-8; genres in two spellings; words that others begin with; lyrics; files that fail or are cut off.
Covers are rare.
"""
import dataclasses
import os
import pathlib
from concurrent.futures import ThreadPoolExecutor

from sounds import encode, picture

LONG = "A Rather Long Title, as Movements of Symphonies and Podcasts Have Them: Allegro ma non troppo, un poco maestoso " * 3
UNBROKEN = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 4
CUE = "[00:00.50]First line\n[00:02.00]Second line\n[00:03.20]Last line"
VERSES = "One line of a verse\nAnother line of it\n\nAnd the second verse"
GENRES = ("Soundtrack", "soundtrack", "SOUNDTRACK")

# File, and its tags by the names of ffmpeg. Of the extension the codec follows.
TRACKS = [
    # As it should be, and a cover in the folder.
    ("Ada Quill/Hidden Hours/01 Cave.flac", dict(title="Cave", artist="Ada Quill", album="Hidden Hours", track="1/3", date="2011-04-02", genre="Soundtrack", lyrics=CUE)),
    ("Ada Quill/Hidden Hours/02 Lamplight.flac", dict(title="Lamplight", artist="Ada Quill", album="Hidden Hours", track="2/3", date="2011-04-02", genre="Soundtrack")),
    ("Ada Quill/Hidden Hours/03 Caveat.flac", dict(title="Caveat", artist="Ada Quill", album="Hidden Hours", track="3/3", date="2011-04-02", genre="Soundtrack")),
    # An album of which no track has a number.
    ("Ada Quill/No Numbers/Cavern.mp3", dict(title="Cavern", artist="Ada Quill", album="No Numbers", genre="soundtrack")),
    ("Ada Quill/No Numbers/Cavernous Halls.mp3", dict(title="Cavernous Halls", artist="Ada Quill", album="No Numbers", genre="soundtrack")),
    ("Ada Quill/No Numbers/Deep Cave.mp3", dict(title="Deep Cave", artist="Ada Quill", album="No Numbers", genre="soundtrack")),
    # One of which some have, and none a date.
    ("Some Numbers/b.ogg", dict(title="Second", artist="Bix", album="Some Numbers", track="2")),
    ("Some Numbers/a.ogg", dict(title="Unnumbered", artist="Bix", album="Some Numbers")),
    ("Some Numbers/zero.ogg", dict(title="Number Zero", artist="Bix", album="Some Numbers", track="0")),
    ("Some Numbers/side.ogg", dict(title="First of Side A", artist="Bix", album="Some Numbers", track="A1")),
    # Discs: by folders and tags; by tags that one track lacks; by folders alone, where the numbers are the same twice.
    ("Two Discs/CD1/01.m4a", dict(title="Overture", artist="Orchestra", album_artist="Orchestra", album="Two Discs", track="1/2", disc="1/2", genre="Classical")),
    ("Two Discs/CD1/02.m4a", dict(title="March", artist="Orchestra", album_artist="Orchestra", album="Two Discs", track="2/2", disc="1/2", genre="Classical")),
    ("Two Discs/CD2/01.m4a", dict(title="Interlude", artist="Orchestra", album_artist="Orchestra", album="Two Discs", track="1/1", disc="2/2", genre="Classical")),
    ("Discs by Tags/1-01.opus", dict(title="Disc One", artist="Carla Voss", album="Discs by Tags", track="1", disc="1")),
    ("Discs by Tags/2-01.opus", dict(title="Disc Two", artist="Carla Voss", album="Discs by Tags", track="1", disc="2")),
    ("Discs by Tags/bonus.opus", dict(title="Bonus", artist="Carla Voss", album="Discs by Tags")),
    ("Box/Disc 1/01.mp3", dict(title="Box One", artist="Carla Voss", album="The Box", track="1")),
    ("Box/Disc 2/01.mp3", dict(title="Box Two", artist="Carla Voss", album="The Box", track="1")),
    # Guests in every spelling.
    ("Guests/1.flac", dict(title="With a Guest", artist="Ada Quill feat. Bix", album="Guests", track="1", genre="Pop")),
    ("Guests/2.flac", dict(title="With Two", artist="Ada Quill ft. Bix / Carla Voss", album="Guests", track="2", genre="pop")),
    ("Guests/3.flac", dict(title="In Brackets", artist="Ada Quill (featuring Bix)", album="Guests", genre="Pop; Rock")),
    ("Guests/4.flac", dict(title="Nobody Named", artist="feat. Bix", album="Guests", track="4", genre="Pop/Rock")),
    # Several artists, and none for the album.
    ("Mixtape/01.ogg", dict(title="From One", artist="Bix", album="Mixtape", track="1", compilation="1")),
    ("Mixtape/02.ogg", dict(title="From Another", artist="Orchestra", album="Mixtape", track="2", compilation="1")),
    ("Mixtape/03.ogg", dict(title="From Nobody", album="Mixtape", track="3", compilation="1")),
    # Two albums of one name.
    ("Bix/Greatest Hits/1.mp3", dict(title="Hit", artist="Bix", album="Greatest Hits", track="1", date="1999-00-00")),
    ("Orchestra/Greatest Hits/1.m4a", dict(title="Hit", artist="Orchestra", album="Greatest Hits", track="1", date="unknown")),
    # An album artist and nobody else; an album and nothing else.
    ("Only the Album Artist/x.m4a", dict(title="Whose?", album_artist="Carla Voss", album="Credits", track="7")),
    ("Only an Album/x.opus", dict(album="Only an Album")),
    # In no album.
    ("loose/single.opus", dict(title="Single", artist="Bix")),
    ("loose/title only.mp3", dict(title="Title Only")),
    ("loose/artist only.ogg", dict(artist="Ada Quill")),
    ("loose/03 - no tags at all.mp3", {}),
    ("no tags.wav", {}),
    ("loose/blank.flac", dict(title="   ", artist="  ", album=" ", genre=" ")),
    ("loose/spaces.flac", dict(title="  Spaces   Around ", artist=" ada  quill ", album="Hidden Hours ", genre="SOUNDTRACK")),
    # Names that layouts and scripts stumble over.
    ("ארץ/שיר.flac", dict(title="שיר ערב (Evening Song)", artist="להקת הלילה", album="ארץ", track="1")),
    ("ارض/اغنية.m4a", dict(title="أغنية المساء", artist="فرقة الليل", album="أرض", genre="شعبي")),
    ("日本/夜想曲.opus", dict(title="夜想曲第二番変ホ長調作品九の二" * 4, artist="山田太郎", album="夜", track="1")),
    ("Long/long.flac", dict(title=LONG.strip(), artist=LONG.strip(), album=LONG.strip(), genre="A Genre That Goes On " * 8, track="12345")),
    ("Long/unbroken.mp3", dict(title=UNBROKEN, artist=UNBROKEN, album=UNBROKEN, genre=UNBROKEN[:120])),
    ("Signs/!!!.ogg", dict(title="!!!", artist="!!!", album="???", genre="—")),
    ("Signs/100% #1 & more? +1.mp3", dict(title="100% #1 & more? +1", artist="AC/DC", album="<b>Bold</b> & \"quoted\"", track="1", genre="R&B")),
    (b"Signs/caf\xe9.mp3", dict(title="Café in Latin-1", artist="Bix")),
    ("Signs/" + "n" * 240 + ".flac", dict(title="File with a Long Name", artist="Bix")),
    # The same recording twice, and lyrics without times.
    ("copies/lamplight again.flac", dict(title="Lamplight", artist="Ada Quill", album="Hidden Hours", track="2")),
    ("lyrics/song.m4a", dict(title="Sung", artist="Carla Voss", album="Words", track="1", lyrics=VERSES)),
]
COPIES = {"copies/lamplight again.flac": "Ada Quill/Hidden Hours/02 Lamplight.flac"}

# Cut off after this share of their bytes: analyzed up to there.
DAMAGED = {"damaged/cut off.flac": (dict(title="Cut Off", artist="Bix", album="Damaged", track="1"), .6),
           "damaged/cut off.mp3": (dict(title="Also Cut Off", artist="Bix", album="Damaged"), .55)}

# What cannot be analyzed at all, for several reasons; two stand among tracks of an album.
FAILED = {"failed/empty.flac": b"", "failed/text.mp3": b"This is a text, which somebody gave the name of a song.\n" * 40,
          "failed/header alone.flac": b"fLaC\x00\x00\x00\x22", "Ada Quill/Hidden Hours/04 Missing.flac": b"",
          "Ada Quill/No Numbers/noise.ogg": bytes((n * 2654435761 >> 13) & 255 for n in range(6000))}


@dataclasses.dataclass(frozen=True)
class UntidyFile:
    path: pathlib.Path
    tags: dict
    # "ok", "partial" or "failed", as `status` of a report.
    status: str


def _encode(folder, name, tags, number, seconds):
    path = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(folder), os.fsencode(name))))
    beats, pitch = 84 + 7 * (number % 12), 180 + 13 * number
    # A note on each beat: there is a tempo, and each number is another recording.
    encode(f"aevalsrc='sin(2*PI*{pitch}*t)*exp(-9*mod(t,60/{beats}))*.6+.05*sin(2*PI*{pitch * 1.5}*t)'"
           f":s=44100:d={seconds + number % 3}", os.fsencode(path), **tags)
    return path


def make(folder, seconds=3):
    """Makes the library in a folder, and gives all its files in the order above. A tempo takes some 12 seconds."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {name: number for number, (name, _) in enumerate(TRACKS)}
    sounds = {name: numbers[COPIES.get(name, name)] for name in numbers}
    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(lambda entry: _encode(folder, *entry, sounds[entry[0]], seconds), TRACKS))
    library = [UntidyFile(path, tags, "ok") for path, (_, tags) in zip(paths, TRACKS)]
    for number, (name, (tags, share)) in enumerate(DAMAGED.items()):
        path = _encode(folder, name, tags, len(TRACKS) + number, seconds)
        data = path.read_bytes()
        path.write_bytes(data[:int(len(data) * share)])
        library.append(UntidyFile(path, tags, "partial"))
    for name, data in FAILED.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        library.append(UntidyFile(path, {}, "failed"))
    picture(folder / "Ada Quill/Hidden Hours/cover.png")
    return library
