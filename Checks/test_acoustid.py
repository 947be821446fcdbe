"""`fpcalc` and the export `acoustid` with what uses them: pyacoustid, beets, MusicBrainz Picard and Chromaprint's own fpcalc.

Fingerprints are asked for as these do, also by the plug-in for beets in integrations/beets. Look-ups and submissions are compared with what
pyacoustid would send, and sent to a server here, which says "too large" and "later" before it answers.
"""
import json
import os
import pathlib
import shutil
import time
import urllib.parse

import pytest
from server import Server
from sounds import encode
from stand_in import Handler, standing_in
from workplace import ROOT, Workplace

TRACK_COUNT = 23
DEBIANS = "/usr/bin/fpcalc"


@pytest.fixture(scope="module")
def names(place):
    """Chords of noise that differ, with tags; the first is long, the last has no tags."""
    made = []
    for number in range(TRACK_COUNT):
        name = place.music / f"{number:02} track é.{'ogg' if number % 2 else 'flac'}"
        noise, tone = f"random({number})*(0.2+0.2*sin({number + 2}*t))", f"0.3*sin({200 + 30 * number}*t*6.28)"
        names = {"title": f"Title {number} & more", "artist": "Somebody", "date": "1999"} if number < TRACK_COUNT - 1 else {}
        encode(f"aevalsrc={noise}+{tone}:d={150 if number == 0 else 8}:s=44100", name, **names)
        made.append(name)
    place.analyze("run", place.music, "--only", "chromaprint,tags")
    return made


@pytest.fixture(scope="module")
def fpcalc(place):
    """Runs the program under that name; `decoded` without a database that knows files."""
    name = place.folder / "bin/fpcalc"
    name.parent.mkdir()
    name.symlink_to(place.program)

    def run(*words, decoded=False, status=None, **options):
        known = "" if decoded else str(place.database)
        return place.run(name, *words, environment={"NOCTURNE_DATABASE": known}, text=False, status=status, **options)

    run.path = name
    return run


@pytest.fixture(scope="module")
def bad_and_short(place):
    """A file that is no audio, and one too short for a fingerprint."""
    bad, short = place.folder / "bad.flac", place.folder / "short.wav"
    bad.write_bytes(b"fLaC" + bytes(1000))
    encode("sine=d=1", short)
    return bad, short


# fpcalc


def test_known_and_decoded_files_have_the_same_fingerprints(fpcalc, names):
    long = fpcalc("-json", "-length", "120", names[0], decoded=True)
    assert long.returncode == 0, long.stderr
    for options in [], ["-json"], ["-plain"], ["-raw"], ["-raw", "-signed", "-json"]:
        first, second = (fpcalc(*options, *names[:5], decoded=decoded) for decoded in (False, True))
        assert first.stdout == second.stdout != b"", f"known and decoded files differ with {options}"


@pytest.mark.skipif(not os.path.exists(DEBIANS), reason="Debian's fpcalc is not here")
def test_the_output_is_that_of_debians_fpcalc(place, fpcalc, names):
    for options in [], ["-json"], ["-length", "20", "-raw"], ["-chunk", "15", "-overlap", "-json"], ["-chunk", "40"], ["-algorithm", "1"]:
        for name in names[:4]:
            # Of a file that ends before the length that was asked for, Debian's says 3 and prints all the same.
            theirs = place.run(DEBIANS, *options, name, status=None, text=False).stdout
            assert fpcalc(*options, name, decoded=True).stdout == theirs, f"another output than Debian's: {options} {name}"


@pytest.mark.skipif(not os.path.exists(DEBIANS), reason="Debian's fpcalc is not here")
def test_audio_from_a_pipe(place, fpcalc, names):
    raw, wav = (place.run("ffmpeg", "-v", "error", "-i", names[1], "-f", kind, "-", text=False).stdout for kind in ("s16le", "wav"))
    words = ["-format", "s16le", "-rate", "44100", "-channels", "1", "-json", "-"]
    # Theirs does not know how long a pipe was.
    for options, audio in (words, raw), (["-json", "-"], wav):
        theirs = json.loads(place.run(DEBIANS, *options, input=audio, status=None, text=False).stdout)
        ours = json.loads(fpcalc(*options, input=audio).stdout)
        assert theirs["fingerprint"] == ours["fingerprint"], f"another fingerprint from a pipe with {options}"
        assert ours["duration"] == 8, f"the duration from a pipe with {options}"


def test_one_bad_file_among_several(fpcalc, names, folder, bad_and_short):
    bad, short = bad_and_short
    answer = fpcalc("-json", bad, names[1], short, folder / "missing", names[2])
    prints = [json.loads(line)["fingerprint"] for line in answer.stdout.splitlines()]
    assert [bool(text) for text in prints] == [False, True, False, False, True], f"wrong order or number: {answer.stdout}"
    assert answer.returncode == 2, "the status with bad files"
    assert fpcalc(short).returncode == 0, "a short file is an error"
    assert fpcalc(bad).returncode == 2 and fpcalc(bad).stdout == b"", "a bad file is none"


FINGERPRINTS = """
import sys, acoustid
for path in sys.argv[1:]:
    try:
        duration, fingerprint = acoustid.fingerprint_file(path, force_fpcalc=True)
        print(int(duration), fingerprint.decode())
    except acoustid.FingerprintGenerationError as error:
        print("none:", error)
"""


def test_pyacoustid_gets_the_same_fingerprint(place, clients, fpcalc, names, bad_and_short):
    bad, short = bad_and_short
    environment = {"NOCTURNE_DATABASE": str(place.database), "FPCALC": str(fpcalc.path)}
    lines = place.run(clients, "-c", FINGERPRINTS, *names[:2], short, bad, environment=environment).stdout.splitlines()
    long = fpcalc("-json", "-length", "120", names[0], decoded=True)
    assert lines[0].split()[1] == json.loads(long.stdout)["fingerprint"], "pyacoustid got another fingerprint"
    assert [line.startswith("none:") for line in lines] == [False, False, True, True], f"pyacoustid: {lines}"


def test_picard(fpcalc, names, bad_and_short):
    """It reads standard output of -json -length 120, with statuses 0 and 3."""
    picard = fpcalc("-json", "-length", "120", names[1])
    data = json.loads(picard.stdout)
    assert picard.returncode in (0, 3) and data.get("fingerprint") and int(data.get("duration")) == 8, f"Picard: {picard}"
    nothing = json.loads(fpcalc("-json", "-length", "120", bad_and_short[1]).stdout)
    assert nothing["fingerprint"] == "", "Picard would look up a short file"


def test_beets_writes_fingerprints_into_its_database(place, clients, fpcalc, names):
    home = place.folder / "beets"
    home.mkdir()
    (home / "config.yaml").write_text(
        f"directory: {home}/music\nlibrary: {home}/beets.db\nplugins: chroma\nimport: {{copy: no, write: no}}\nchroma: {{auto: no}}\n")

    def beet(*words):
        return place.run(clients, "-m", "beets", *words, environment={"BEETSDIR": str(home), "FPCALC": str(fpcalc.path), "HOME": str(home)})

    beet("import", "-A", "-q", "-C", place.music)
    beet("fingerprint")
    listed = beet("list", "-f", "$acoustid_fingerprint").stdout.split()
    assert len(listed) >= TRACK_COUNT, f"beets fingerprint: {len(listed)}"


# The plug-in for beets


LOOPBACK = """
import acoustid, os
from beets.plugins import BeetsPlugin

acoustid.set_base_url(os.environ["ACOUSTID_SERVER"] + "/v2")
acoustid.REQUEST_INTERVAL = 0

def decode(path, *_):
    raise SystemExit(f"pyacoustid decodes {path}")

acoustid._fingerprint_file_audioread = acoustid._fingerprint_file_fpcalc = decode

class LoopbackPlugin(BeetsPlugin):
    pass
"""


def hollow(name):
    """Takes the audio out of a file whose size and time stay."""
    status = name.stat()
    with open(name, "r+b") as file:
        file.seek(16_384)
        file.write(bytes(status.st_size - 16_384))
    os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.fixture(scope="module")
def known(place, fpcalc):
    """A place whose files were analyzed and have no audio any more."""
    known = Workplace(place.program, place.folder / "known")
    for number in range(5):
        # Noise has too few distinct words to be looked up.
        steps = "+".join(
            f"0.2*sin(6.28*t*({180 + 50 * number + 90 * voice})*(1+0.1*mod(floor(t/(0.{voice + 5}+0.{number}))*{voice + 3}\\,7)))"
            for voice in range(3))
        encode(f"aevalsrc={steps}:d=40:s=44100", known.music / f"{number} é.flac", title=f"Melody {number}",
               MUSICBRAINZ_TRACKID=f"10000000-0000-4000-8000-00000000000{number}")
    known.analyze("run", known.music, "--only", "chromaprint,tags")
    known.stored = {record["fingerprint"]["value"] for record in known.report()}
    for copy in known.music.iterdir():
        hollow(copy)
        empty = json.loads(fpcalc("-json", copy, decoded=True).stdout or "{}")
        assert empty.get("fingerprint") not in known.stored, f"{copy} still has its audio"
    return known


@pytest.fixture(scope="module")
def beets(known, clients):
    """Libraries of beets of their own, with the plug-in; a server here is AcoustID."""
    plugins = known.folder / "plugins"
    plugins.mkdir()
    (plugins / "loopback.py").write_text(LOOPBACK)
    with Server(known) as server:
        def beets(name):
            home = known.folder / name
            home.mkdir()
            (home / "config.yaml").write_text(
                f"directory: {home}/music\nlibrary: {home}/beets.db\n"
                f"pluginpath: [{plugins}, {ROOT}/integrations/beets]\nplugins: chroma loopback nocturne\n"
                f"nocturne: {{analyze: {known.program}, database: {known.database}}}\n"
                "import: {copy: no, write: no, quiet_fallback: asis}\nui: {color: no}\n")
            environment = {"BEETSDIR": str(home), "HOME": str(home), "ACOUSTID_SERVER": server.host}
            return lambda *words: known.run(clients, "-m", "beets", *words, environment=environment)

        yield beets


def fingerprints(beet):
    return beet("list", "-f", "$acoustid_fingerprint").stdout.split()


def test_chroma_has_fingerprints_from_the_plugin(beets, known):
    beet = beets("beets-chroma")
    done = beet("-vv", "import", "-q", "-s", known.music)
    said = done.stderr
    assert said.count("chroma: fingerprinted") == 5, f"chroma has all fingerprints: {said[-1000:]}"
    assert said.count("matched recordings") == 5, f"each is found by the server: {said[-1000:]}"
    done = beet("fingerprint")
    assert set(fingerprints(beet)) == known.stored, f"chroma stores those of the database: {done.stderr[-500:]}"


def test_the_plugin_sets_fingerprints(beets, known, names):
    beet = beets("beets-nocturne")
    beet("import", "-q", "-A", known.music)
    assert fingerprints(beet) == [], "there are none before"
    done = beet("nocturne")
    assert set(fingerprints(beet)) == known.stored, f"the command sets fingerprints: {done.stderr[-500:]}"
    assert done.stdout.count("acoustid_fingerprint: set") == 5, f"and says so: {done.stdout[-500:]}"
    assert beet("nocturne").stdout == "", "and once only"
    said = beet("fingerprint").stderr
    assert said.count("using existing fingerprint") == 5, f"which chroma uses: {said[-500:]}"

    # A file that was not analyzed is decoded by analyze.
    shutil.copy2(names[7], known.music)
    beet("import", "-q", "-A", "-s", known.music / names[7].name)
    done = beet("fingerprint")
    assert len(set(fingerprints(beet)) - known.stored) == 1, f"an unknown file has one, too: {done.stderr[-500:]}"


# The export


class AcoustID(Handler):
    """AcoustID for the test: refuses more than ten fingerprints of a look-up once, says "later" once, then answers."""

    requests, laters, most = [], 1, 10

    def do_POST(self):
        kind = type(self)
        form = urllib.parse.parse_qs(self.body().decode(), strict_parsing=True)
        count = sum(name.startswith("fingerprint.") for name in form)
        kind.requests.append((time.monotonic(), self.path, form))
        if form["client"] != ["the key"]:
            return self.answer(400, {"status": "error", "error": {"code": 4, "message": "invalid API key"}})
        if kind.laters > 0:
            kind.laters -= 1
            return self.answer(503, {"status": "error"}, {"Retry-After": "2"})
        if count > kind.most:
            return self.answer(413, {"status": "error"})
        if self.path == "/v2/lookup":
            match = [{"id": "a", "score": 0.9, "recordings": [{"id": "b", "title": "c", "artists": [{"name": "d"}]}]}]
            return self.answer(200, {"status": "ok", "fingerprints": [{"index": str(index), "results": match} for index in range(count)]})
        submissions = [{"id": index, "index": str(index), "status": "pending"} for index in range(count)]
        self.answer(200, {"status": "ok", "submissions": submissions})


FINGERPRINT = "import sys, acoustid; print(acoustid.fingerprint_file(sys.argv[1], force_fpcalc=True)[1].decode())"
SUBMISSION = """
import json, sys, urllib.parse, acoustid
ours = dict(urllib.parse.parse_qsl(sys.stdin.read().strip(), strict_parsing=True))
del ours["clientversion"]
entries = [{} for name in ours if name.startswith("fingerprint.")]
for name, value in ours.items():
    if "." in name:
        entries[int(name.rsplit(".", 1)[1])][name.rsplit(".", 1)[0]] = value
sent = {}
acoustid._api_request = lambda url, params, timeout=None: sent.update(params) or {"status": "ok"}
acoustid.submit("the key", "mine", entries)
sent = {name: str(value) for name, value in sent.items()}
print(json.dumps(sent == {**ours, "client": "the key", "user": "mine"} or [ours, sent]))
"""
PARSED = """
import json, sys, acoustid
for line in sys.stdin:
    answer = json.loads(line)["answer"]
    for fingerprint in answer["fingerprints"]:
        print(list(acoustid.parse_lookup_result({"status": answer["status"], **fingerprint})))
"""


@pytest.fixture
def acoustid():
    AcoustID.requests.clear()
    AcoustID.laters, AcoustID.most = 1, 10
    with standing_in(AcoustID) as server:
        yield f"{server.address}/v2/"


@pytest.fixture(scope="module")
def export(place, names):
    def export(name, *options, status=0, **environment):
        output = place.folder / name
        words = [word for option in options for word in ("--option", option)]
        return place.analyze("export", "acoustid", "--output", output, *words, environment=environment, status=status), output

    return export


@pytest.fixture(scope="module")
def lists(export):
    """What an export writes that sends nothing."""
    _, output = export("lists")
    assert not AcoustID.requests
    return output


def test_lists(place, clients, names, lists):
    lookups = [urllib.parse.parse_qs(line, strict_parsing=True) for line in (lists / "lookups.txt").read_text().splitlines()]
    counts = [sum(name.startswith("fingerprint.") for name in form) for form in lookups]
    assert counts == [20, TRACK_COUNT - 20], f"look-ups of {counts}"
    assert all("client" not in form and form["batch"] == ["1"] for form in lookups), "a look-up has a key or is no batch"
    rows = [json.loads(line) for line in (lists / "tracks.ndjson").read_text().splitlines()]
    assert [pathlib.Path(row["path"]) for row in rows] == sorted(names), "tracks.ndjson has other paths"
    assert [row["left_out"] is None for row in rows] == [True] * (TRACK_COUNT - 1) + [False], "the track without tags is submitted"
    for row in rows[:3]:
        form = lookups[row["lookup"]["line"] - 1]
        theirs = place.run(clients, "-c", FINGERPRINT, row["path"], status=None)
        if theirs.returncode == 0 and theirs.stdout.strip():
            assert form[f"fingerprint.{row['lookup']['index']}"] == [theirs.stdout.strip()], "another fingerprint than fpcalc's"


def test_submissions_are_what_pyacoustid_would_send(place, clients, lists):
    lines = (lists / "submissions.txt").read_text().splitlines()
    assert all(len(line) <= 1_000_000 for line in lines), "a submission is too long"
    for line in lines:
        same = place.run(clients, "-c", SUBMISSION, input=line, status=None)
        assert same.stdout.strip() == "true", f"pyacoustid would send something else: {same.stdout[:300]} {same.stderr[-300:]}"


def test_without_a_key_nothing_is_sent_or_written(export, acoustid):
    done, output = export("no-key", "send=lookup", f"server={acoustid}", status=1)
    assert "ACOUSTID_CLIENT_KEY" in done.stderr and not AcoustID.requests, f"without a key: {done.stderr}"
    assert not (output / "lookups.txt").exists(), "without a key, lists are written"
    done, output = export("wrong-key", "send=lookup", f"server={acoustid}", status=1, ACOUSTID_CLIENT_KEY="wrong")
    assert "invalid API key" in done.stderr and len(AcoustID.requests) == 1, f"a wrong key: {done.stderr}"


def test_lookups_are_sent(place, clients, export, acoustid):
    """The server says later, then too large, then it answers."""
    started = time.monotonic()
    _, output = export("lookups", "send=lookup", f"server={acoustid}", ACOUSTID_CLIENT_KEY="the key")
    results = [json.loads(line) for line in (output / "results.ndjson").read_text().splitlines()]
    places = [(row["line"], row["first_index"], row["count"]) for row in results]
    assert places == [(1, 0, 10), (1, 10, 10), (2, 0, 3)], f"halves: {places}"
    assert time.monotonic() - started > 2, "Retry-After was not waited for"
    times = [request[0] for request in AcoustID.requests]
    assert all(second - first > 0.3 for first, second in zip(times, times[1:])), "more than three requests a second"
    parsed = place.run(clients, "-c", PARSED, input=(output / "results.ndjson").read_text()).stdout.splitlines()
    assert parsed == ["[(0.9, 'b', 'c', 'd')]"] * TRACK_COUNT, f"pyacoustid parses {parsed[:2]}"


def test_submissions_are_sent(place, export, acoustid):
    """The keys are in a file."""
    AcoustID.most = 1000
    keys = place.folder / "keys"
    keys.write_text("client=the key\nuser=mine\n")
    export("submissions", "send=submit", f"server={acoustid}", f"key-file={keys}")
    form = AcoustID.requests[-1][2]
    assert form["user"] == ["mine"] and form["track.1"] == ["Title 1 & more"] and form["artist.1"] == ["Somebody"], f"submission: {list(form)[:20]}"


def test_our_own_server_answers(place, export):
    with Server(place) as server:
        _, output = export("own", "send=lookup", f"server={server.base}v2", "meta=recordings", ACOUSTID_CLIENT_KEY="any")
    answers = [json.loads(line)["answer"] for line in (output / "results.ndjson").read_text().splitlines()]
    found = [fingerprint["results"] for answer in answers for fingerprint in answer["fingerprints"]]
    assert len(found) == TRACK_COUNT, f"our own server answers for {len(found)} fingerprints"
