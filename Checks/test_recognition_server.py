"""Recognition over HTTP with the clients that people use: uploads and a live session by plain HTTP, AcoustID by pyacoustid with the
real fpcalc, AcousticBrainz by the plug-in of beets."""
import base64
import http.client
import json
import math
import operator
import random
import threading

import acoustid
import pytest
from server import Server
from sounds import encode, ffmpeg, save
from waiting import eventually

RECORDING = "%08x-1111-4222-8333-444444444444"
RATE = 16_000
SECONDS = 64


def make_track(path, number):
    """Three voices of random notes, other ones for each number: enough to tell tracks apart."""
    dice = random.Random(number)
    step = int((.25 + .05 * number) * RATE)
    samples = [0.0] * (SECONDS * RATE)
    for octave in (1, 2, 4):
        length, notes = step * octave, []
        for _ in range(30):
            pitch = 2 * math.pi * octave * 110 * 2 ** dice.uniform(0, 1) / RATE
            notes.append([6000 * math.exp(-3 * place / length) * math.sin(pitch * place) for place in range(length)])
        voice = [sample for _ in range(len(samples) // length + 1) for sample in dice.choice(notes)]
        samples = list(map(operator.add, samples, voice))
    sound = path.with_suffix(".wav")
    save(sound, (sample / 32_000 for sample in samples), RATE)
    encode(sound, path, title=f"Track {number}", artist="A Band", album="An Album", MUSICBRAINZ_TRACKID=RECORDING % number,
           MUSICBRAINZ_ALBUMID=RECORDING % 255, date="2001-02-03")
    sound.unlink()


@pytest.fixture(scope="module")
def tracks(place):
    made = [place.music / f"track{number}.flac" for number in (1, 2, 3)]
    for number, track in enumerate(made, 1):
        make_track(track, number)
    place.analyze_music()
    return made


@pytest.fixture(scope="module")
def server(place, tracks):
    """A server that was there before the catalog."""
    with Server(place, "--catalog", place.catalog) as server:
        status, answer = ask(server, "POST", "/v1/sessions")
        assert status == 503 and "catalog build" in answer["error"]["message"], "without a catalog it says how to make one"
        place.analyze("catalog", "build", "--catalog", place.catalog)
        eventually(lambda: ask(server, "GET", "/v1/catalog")[1].get("total") == len(tracks), "the server sees the catalog", 5)
        yield server


def ask(server, method, path, body=None, **headers):
    status, _, content = server.ask(path, method, body, **headers)
    return status, json.loads(content) if content[:1] in (b"{", b"[") else content


def events(server, session, after=0):
    """All events of a session until it ends."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", f"/v1/sessions/{session}/events", headers={"Last-Event-ID": str(after)})
    found, event = [], {}
    for line in connection.getresponse():
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            event[name] = value
        elif event.get("data"):
            found.append((int(event["id"]), event["event"], json.loads(event["data"])))
            event = {}
    return found


def test_match(place, server, tracks):
    clip = place.folder / "clip.mp3"
    ffmpeg("-i", tracks[0], "-ss", "40", "-t", "9", "-b:a", "96k", clip)
    status, answer = ask(server, "POST", "/v1/match", clip.read_bytes(), Content_Type="audio/mpeg")
    assert status == 200 and answer["result"] == "match", f"an MP3 is recognized: {status}, {answer}"
    first = answer["tracks"][0]
    assert first["title"] == "Track 1", f"as Track 1: {first['title']}"
    offset = first["track_offset_s"] - first["start_s"] * first["speed"]
    assert abs(offset - 40) < .3, f"from second 40 on: {offset}"
    assert first["properties"].get("track_id"), "with the id of the track in the library"
    status, answer = ask(server, "POST", "/v1/match", b"no audio at all " * 100)
    assert status == 415 and "error" in answer, f"text is no audio: {status}"
    status, answer = ask(server, "POST", "/v1/match", bytes(44_100 * 2 * 5), Content_Type="audio/pcm;rate=44100")
    assert status == 200 and answer["result"] == "no-match", f"silence is no match: {status}, {answer}"
    status, _ = ask(server, "POST", "/v1/match", b"\0" * 100, Content_Type="audio/pcm;rate=7")
    assert status == 400, f"a rate of 7 Hz is refused: {status}"


def test_session(place, server, tracks):
    sound = place.folder / "clip.raw"
    ffmpeg("-i", tracks[0], "-ss", "20", "-t", "13", "-f", "s16le", "-ar", "16000", "-ac", "1", sound)
    status, session = ask(server, "POST", "/v1/sessions")
    assert status == 201, f"a session is opened: {status}"
    found = []
    reader = threading.Thread(target=lambda: found.extend(events(server, session["id"])))
    reader.start()
    pcm = sound.read_bytes()
    chunks = [pcm[start:start + 32_000] for start in range(0, len(pcm), 32_000)]
    kind = {"Content_Type": "audio/pcm;rate=16000"}
    for number, chunk in enumerate(chunks):
        status, answer = ask(server, "POST", f"{session['audio']}?sequence={number}", chunk, **kind)
        assert status == 202, f"chunk {number} is taken: {status}, {answer}"
    status, answer = ask(server, "POST", f"{session['audio']}?sequence=0", chunks[0], **kind)
    assert status == 202 and answer["duplicate"], f"a chunk that comes twice counts once: {answer}"
    status, _ = ask(server, "POST", f"{session['audio']}?sequence=99", chunks[0], **kind)
    assert status == 409, f"a chunk that comes too soon is refused: {status}"
    assert ask(server, "DELETE", f"/v1/sessions/{session['id']}")[0] == 204, "a session is ended"
    reader.join(20)
    # Three seconds may be too few.
    found = [event for event in found if event[1] != "no-match"]
    names = [name for _, name, _ in found]
    assert names == ["match", "track-ended", "end"], f"it says match, track-ended and end: {names}"
    assert found[0][2]["title"] == "Track 1", f"of Track 1: {found[0][2]['title']}"
    again = [name for _, name, _ in events(server, session["id"], after=found[0][0])]
    assert again == names[1:], f"who comes back gets what he has missed: {again}"
    assert ask(server, "POST", session["audio"], chunks[0], **kind)[0] == 410, "an ended session takes no audio"


def test_acoustid(place, server, tracks):
    acoustid.REQUEST_INTERVAL = 0
    acoustid.set_base_url(f"{server.base}v2")

    def look_up(path):
        # fpcalc of Debian 12 complains of the end of a file that is shorter than it wants, after it has printed all.
        words = place.run("fpcalc", path, status=None).stdout.split()
        values = dict(word.split("=", 1) for word in words)
        answer = acoustid.lookup(
            "any", values["FINGERPRINT"], float(values["DURATION"]),
            meta=["recordings", "releases", "tracks", "sources", "files"])
        return list(acoustid.parse_lookup_result(answer)), answer

    for number, track in enumerate(tracks, 1):
        for what, words in {
            "itself": [], "an MP3 of 48 kbit/s": ["-b:a", "48k"], "all but the first 9.3 s": ["-ss", "9.3"],
            "20 s": ["-ss", "31.17", "-t", "20"],
        }.items():
            copy = place.folder / ("copy.mp3" if "-b:a" in words else "copy.wav")
            ffmpeg("-i", track, *words, copy)
            found, answer = look_up(copy)
            assert found and found[0][1] == RECORDING % number, f"{what} of Track {number} is found: {answer}"
    recording = answer["results"][0]["recordings"][0]
    assert recording["artists"][0]["name"] == "A Band" and recording["sources"] == 1, f"with names: {recording}"
    assert recording["releases"][0]["date"] == {"year": 2001, "month": 2, "day": 3}, f"and releases: {recording}"
    status, again = ask(server, "GET", f"/v2/lookup?client=any&meta=recordingids&trackid={answer['results'][0]['id']}")
    assert status == 200 and again["results"][0]["recordings"][0]["id"] == RECORDING % 3, f"by its id: {again}"
    for query, code in {"duration=9&fingerprint=AQAA": 2, "client=a&duration=9&fingerprint=zzz": 3,
                        "client=a&duration=x&fingerprint=AQAA": 8, "client=a&trackid=7": 7, "client=a&format=x": 1}.items():
        status, answer = ask(server, "GET", f"/v2/lookup?{query}")
        assert status == 400 and answer["error"]["code"] == code, f"{query} gives error {code}: {status}, {answer}"


def test_acousticbrainz(place, server, tracks, clients):
    home = place.folder / "beets"
    home.mkdir()
    (home / "config.yaml").write_text(
        f"directory: {home}/music\nlibrary: {home}/library.db\nplugins: acousticbrainz\n"
        f"import:\n  copy: no\n  write: no\n  autotag: no\nacousticbrainz:\n  auto: no\n  base_url: {server.base}api/v1\n")

    def beet(*words):
        return place.run(clients.parent / "beet", *words, environment={"BEETSDIR": str(home)}).stdout.splitlines()

    beet("import", "-q", "-A", place.music)
    beet("acousticbrainz")
    lines = beet("ls", "-f", "$title|$bpm|$initial_key")
    for number in (1, 2, 3):
        status, document = ask(server, "GET", f"/api/v1/{RECORDING % number}/low-level")
        assert status == 200, f"there is a document of Track {number}: {status}"
        bpm = document["rhythm"].get("bpm", 0)
        # beets rounds the tempo; F# minor it has as Fm.
        key = document["tonal"].get("key_key", "")[:1] + ("m" if document["tonal"].get("key_scale") == "minor" else "")
        assert f"Track {number}|{round(bpm)}|{key}" in lines, f"beets has {bpm} and {key} of Track {number}: {lines}"
    assert ask(server, "GET", f"/api/v1/{RECORDING % 9}/low-level") == (404, {"message": "Not found"}), "another is not found"
    _, counts = ask(server, "GET", f"/api/v1/count?recording_ids={RECORDING % 1};{RECORDING % 9}")
    assert [counts[RECORDING % number]["count"] for number in (1, 9)] == [1, 0], f"recordings are counted: {counts}"


def test_catalog(place, server):
    status, page = ask(server, "GET", "/v1/catalog?limit=2")
    assert status == 200 and page["total"] == 3 and len(page["items"]) == 2, f"the catalog is listed: {status}, {page}"
    reference = page["items"][0]["reference"]
    _, signature = ask(server, "GET", f"/v1/catalog/{reference}/signature")
    assert ask(server, "DELETE", f"/v1/catalog/{reference}")[0] == 204, "a recording is taken out"
    assert ask(server, "GET", f"/v1/catalog/{reference}")[0] == 404, "and is gone"
    body = json.dumps({
        "reference": reference, "signature": base64.b64encode(signature).decode(),
        "items": [{"title": "By hand", "artwork_url": "https://example.org/a.jpg"}]})
    status, answer = ask(server, "POST", "/v1/catalog", body, Content_Type="application/json")
    assert status == 201, f"a signature is added: {status}, {answer}"
    _, entry = ask(server, "GET", f"/v1/catalog/{reference}")
    assert entry.get("items", [{}])[0].get("title") == "By hand", f"with its media item: {entry}"
    # What another program changes is noticed.
    place.analyze("catalog", "remove", reference, "--catalog", place.catalog)
    eventually(lambda: ask(server, "GET", "/v1/catalog")[1]["total"] == 2, "a change by another program is noticed", 5, .2)
