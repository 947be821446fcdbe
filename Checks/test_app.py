"""The app of `analyze serve` in a real browser, used with keys and mouse.

Search, library, albums, track page, corrections, player, clicks, playlists, listening to a microphone that is a file, metronome, report,
eight windows at once, and a server that goes away. Half of the library has tags as people have them (untidy_library.py). What the app
plays is listened to: clicks must be exact, and nothing may be missing between two tracks of an album. Also what must never happen: errors
on the console, requests to elsewhere, text of tags that becomes markup, too little contrast, pages wider than a phone.
"""
import json
import math
import re
import shutil
import urllib.error
import urllib.parse
import urllib.request

import pytest
import untidy_library
from browser import Browser
from looks import HOSTILE, check_contrast, check_width
from server import Server
from sounds import RATE, click, encode, melody, picture, save, tone
from waiting import eventually

READY = "document.querySelector('#main h1')"


# Library


@pytest.fixture(scope="module")
def library(place, untidy):
    """An album of three tracks with a cover, an album that is one tone in two files, files without tags, hostile and untidy tags; and a
    catalog."""
    shutil.copytree(untidy.music, place.music / "untidy")
    cover, source = place.folder / "cover.png", place.folder / "source.wav"
    picture(cover)
    for number, (title, bpm) in enumerate([("Night Signal", 96), ("River Glass", 120), ("Paper Winter", 132)], 1):
        melody(source, bpm, 16, number - 1)
        if title == "River Glass":
            shutil.copy(source, place.folder / "heard.wav")
        encode(source, place.music / "First Light" / f"{number:02d}.flac", "-i", cover, "-map", "0", "-map", "1", "-disposition:v", "attached_pic",
               title=title, artist="Sine & Square", album="First Light", track=number, genre="Trance", date=2012)
    whole = [.3 * math.sin(2 * math.pi * 441 * index / RATE) for index in range(8 * RATE)]
    for number, part in enumerate((whole[:4 * RATE], whole[4 * RATE:]), 1):
        save(source, part)
        encode(source, place.music / "Tone" / f"{number}.flac", title=f"Half {number}", artist="Noise Gate", album="Tone", track=number)
    (place.music / "Café").mkdir()
    beat = [.6 * sample for sample in click()]
    save(place.music / "Café" / "it's plain.wav", [*beat, *[0] * (RATE // 2 - len(beat))] * 32)
    (place.music / "Café" / "empty.flac").touch()
    for number, text in enumerate(HOSTILE):
        tone(source, number)
        encode(source, place.music / f"{number:02d}.flac", title=text, artist=text, album=text, genre=text)
    place.analyze_music("--report", "json", "--output", place.folder / "report")
    place.analyze("catalog", "build", "--catalog", place.catalog)
    return place


@pytest.fixture(scope="module")
def server(library):
    with Server(library, "--catalog", library.catalog) as server:
        yield server


@pytest.fixture(scope="module")
def browser(library):
    with Browser(["--autoplay-policy=no-user-gesture-required", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                  f"--use-file-for-fake-audio-capture={library.folder / 'heard.wav'}"]) as browser:
        yield browser


@pytest.fixture(scope="module")
def page(browser, server):
    page = browser.page()
    page.open(server.base, READY)
    yield page
    page.close()


# In the browser


def go(page, route, ready=READY):
    """Opens a screen, and waits until it is there."""
    page.evaluate("document.querySelector('#main').dataset.old = 1; for (const node of document.querySelector('#main').children) node.dataset.old = 1")
    page.evaluate(f"location.hash = {json.dumps(route)}")
    page.wait(f"!document.querySelector('#main > [data-old]') && {ready}")
    page.settle()


def texts(page, selector):
    return page.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map(node => node.textContent)")


def text(page, selector):
    return page.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent")


def texts_of(page, route, selector):
    go(page, route)
    return texts(page, selector)


def position(page):
    return page.evaluate("import('/app/player.js').then(({ player }) => player.position)")


def wait_until_still(page):
    """Until nothing of the page has changed for some time: what it asked the server for is there."""
    page.evaluate("""new Promise(done => {
      let timer = setTimeout(end, 150);
      const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, 150) });
      function end() { observer.disconnect(); done() }
      observer.observe(document.querySelector('#main'), { subtree: true, childList: true, attributes: true, characterData: true });
      setTimeout(end, 5000);
    })""")


def check_quiet(page, server, name, allowed=()):
    complaints = [text for text in page.complaints if not any(part in text for part in allowed)]
    assert complaints == [], f"{name}: nothing on the console"
    assert [url for url in page.requests if not url.startswith((server.base, "blob:", "data:"))] == [], f"{name}: no request to elsewhere"
    assert page.evaluate("window.hacked === undefined") is True, f"{name}: text of tags is text"


def check_names(page, name):
    assert page.evaluate("[...document.querySelectorAll('button, input, select, a, [role=slider], [role=img], canvas')]" ".filter(node => node.checkVisibility() && !(node.getAttribute('aria-label') || node.textContent.trim() || node.closest('label')" " || document.querySelector(`label[for='${node.id}']`))).map(node => node.outerHTML.slice(0, 80))") == [], (
        f"{name}: all controls have names")
    assert page.evaluate("document.querySelectorAll('main h1').length") == 1, f"{name}: headings of the first order"
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
    assert len(ids) == len(set(ids)), f"{name}: no id twice"
    assert page.evaluate("[...document.querySelectorAll('*')].filter(node => [...node.attributes].some(each => each.name.startsWith('on'))).length") == 0, (
        f"{name}: no handlers in the markup")


def test_files(server):
    """What the server says of the files of the app."""
    with server.get("") as answer:
        policy, tag = answer.headers["Content-Security-Policy"], answer.headers["ETag"]
        markup = answer.read().decode()
    assert "default-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy, f"the policy is strict: {policy}"
    assert re.findall(r"\sstyle=|<style|\son\w+=|<script(?![^>]*src=)", markup) == [], "the page has no inline style and script"
    with pytest.raises(urllib.error.HTTPError) as error:
        server.get("", **{"If-None-Match": tag})
    assert error.value.code == 304, "a page that is known is not sent again"
    for name, kind in (("start.js", "text/javascript"), ("app.css", "text/css"), ("mark.svg", "image/svg+xml"), ("shared.js", "text/javascript")):
        with server.get(f"app/{name}") as answer:
            assert answer.headers["Content-Type"].split(";")[0] == kind, f"type of {name}"
    for name in ("nothing.js", "..%2fPackage.swift", "%2e%2e/%2e%2e/etc/passwd"):
        with pytest.raises(urllib.error.HTTPError) as error:
            server.get(f"app/{name}")
        assert error.value.code in (400, 404), f"there is no /app/{name}"


def test_search(page):
    page.evaluate("document.activeElement.blur()")
    page.key("/")
    assert page.evaluate("document.activeElement.id") == "q", "/ goes to the search field"
    page.type("river")
    page.wait("document.querySelector('#results .row mark')?.textContent === 'River'")
    assert texts(page, "#results .row mark") == ["River"], "what was found is marked"
    assert "q=river" in page.evaluate("location.hash"), "the address has the search"
    for _ in range(5):
        page.key("Backspace")
    page.type("first")
    page.wait("[...document.querySelectorAll('.side .nm')].some(node => node.textContent === 'First Light')")
    assert "Albums" in texts(page, ".side h2"), "albums have a section"
    page.key("Escape")
    page.type("zzzz")
    page.wait("document.querySelector('#results .none')")
    page.key("Escape")
    page.wait("document.querySelector('#results .row')")
    page.type("caveat")
    page.key("ArrowDown")
    page.wait("document.querySelector('#results mark')?.textContent === 'Caveat'")
    eventually(lambda: page.evaluate("document.activeElement.textContent.slice(0, 6)") == "Caveat", "↓ right after typing goes to what was typed for", 5)
    page.evaluate("document.querySelector('#q').focus()")
    page.key("Escape")
    page.type("cave")
    page.wait("document.querySelectorAll('#results mark').length > 4")
    assert texts(page, "#results section:first-child .row .nm")[:2] == ["Cave", "Deep Cave"], "whole words come first"
    page.key("Escape")
    page.wait("document.querySelectorAll('#results .row').length > 7")
    page.key("ArrowDown")
    assert page.evaluate("document.activeElement.className") == "name", "↓ goes to the results"
    page.key("ArrowDown")
    assert page.evaluate("[...document.querySelectorAll('#results .row')].indexOf(document.activeElement.closest('.row'))") == 1, "↓ goes on"


def test_library(page, server):
    go(page, "#/library")
    page.wait("document.querySelector('.rows .row .nm')")
    everything = text(page, "#count")
    page.evaluate("document.querySelector('#filters').open = true")
    page.evaluate("document.querySelector('#filters input').focus()")
    page.type("115-125")
    page.wait("document.querySelector('[data-chip=bpm]')")
    page.wait(f"document.querySelector('#count').textContent !== {json.dumps(everything)}")
    assert "River Glass" in texts(page, ".rows .nm"), "a filter by tempo finds a track"
    assert "bpm=115-125" in page.evaluate("location.hash"), "the address has the filter"
    page.click("[data-chip=bpm]")
    page.wait(f"document.querySelector('#count').textContent === {json.dumps(everything)}")
    page.evaluate("(() => { const field = [...document.querySelectorAll('#filters input')].at(-1); field.value = 'bmp:3'; field.dispatchEvent(new Event('input')) })()")
    page.wait("!document.querySelector('main .warning').hidden")
    assert "bmp" in text(page, "main .warning"), "an expression that is wrong is explained"
    page.evaluate("(() => { const field = [...document.querySelectorAll('#filters input')].at(-1); field.value = ''; field.dispatchEvent(new Event('input')) })()")
    page.wait("document.querySelector('main .warning').hidden")
    page.evaluate("(() => { const node = document.querySelector('.tools select'); node.value = '-bpm'; node.dispatchEvent(new Event('change')) })()")
    page.wait("location.hash.includes('sort=-bpm')")
    page.wait("document.querySelector('.rows .row .bpm')?.textContent.includes('BPM')")
    tempi = lambda: [float(each.split()[0]) for each in texts(page, ".rows .row .bpm") if "BPM" in each]
    eventually(lambda: len(tempi()) >= 3 and tempi() == sorted(tempi(), reverse=True), "sorted from the fastest", 5)
    page.evaluate("document.querySelector('#q').focus()")
    page.type("cave")
    page.key("ArrowDown")
    page.wait("document.querySelector('.rows mark')?.textContent === 'Cave' && document.activeElement.closest('.rows .row')")
    page.evaluate("document.querySelector('#q').focus()")
    page.key("Escape")
    page.wait(f"document.querySelector('#count').textContent === {json.dumps(everything)}")
    page.key("ArrowDown")
    page.key("End")
    page.wait("!document.activeElement.closest('.row')?.classList.contains('waiting')")
    assert page.evaluate("document.activeElement.closest('.row').dataset.index") == str(server.read("app/api/tracks")["count"] - 1), (
        "End goes to the last row")
    assert texts(page, ".row.waiting") == [], "and no row waits for ever"
    for tab, seen in (("albums", "First Light"), ("artists", "Sine & Square"), ("genres", "Trance")):
        go(page, f"#/library/{tab}")
        assert any(seen in each for each in texts(page, "main .nm")), f"{tab} has {seen}"
    page.evaluate("[...document.querySelectorAll('main .name')].find(node => node.textContent.includes('Trance')).click()")
    page.wait("document.querySelector('h1')?.textContent === 'Trance' && document.querySelector('main .row')")
    assert "River Glass" in texts(page, "main .nm"), "the genre has its tracks"


def test_untidy(page, server):
    """Everything opens, whatever its tags lack, and files that failed say why."""
    lists = (("album", "albums?limit=500"), ("artist", "artists?limit=500"), ("genre", "genres"), ("track", "tracks?limit=500"))
    for kind, path in lists:
        for item in server.read(f"app/api/{path}")["items"]:
            go(page, f"#/{kind}/" + urllib.parse.quote(item.get("id") or item["name"], safe=""))
            assert text(page, "h1") not in ("This did not work", "Not found"), (
                f"{kind} {(item.get('name') or item.get('title') or '')[:60]!r} opens: {text(page, 'main')[:200]}")
    albums = {album["name"]: album["id"] for album in server.read("app/api/albums?limit=500")["items"]}
    go(page, f"#/album/{albums['Some Numbers']}")
    assert texts(page, "main .row .number") == ["2", "–", "–", "–"], "tracks without a number have a dash"
    go(page, f"#/album/{albums['Discs by Tags']}")
    assert texts(page, "main h2") == ["Disc 1", "Disc 2"], "discs have headings"
    assert texts(page, "main .row .nm") == ["Disc One", "Bonus", "Disc Two"], "and a track without a disc is on the first"
    genres = [name.lower() for name in texts_of(page, "#/library/genres", "main .nm")]
    assert genres.count("soundtrack") == 1, "spellings of a genre are one"
    assert not any(",," in name or name.endswith(",") for name in texts_of(page, "#/library/artists", "main .nm")), "no artist ends with a comma"

    failed = server.read("app/api/tracks?where=status:failed")["items"]
    assert len(failed) == len(untidy_library.FAILED) + 1, "files that failed are listed"
    go(page, "#/library?status=failed")
    assert texts(page, ".rows .row .nm") == [track["file"] for track in failed], "and shown"
    assert all("." in sentence for sentence in texts(page, ".rows .row .sub")), "with what happened and what to do"
    assert text(page, "#count") == f"{len(failed)} failed files", "and counted"
    tracks = server.read("app/api/status")["tracks"]
    count = f"{tracks} tracks, {len(failed)} failed"
    go(page, "#/library")
    assert text(page, "#count") == count, "the library is counted as it is everywhere"
    assert text(page, "#state").startswith(count), f"in the header: {text(page, '#state')}"
    go(page, "#/report", "document.querySelector('.sentence')")
    assert f"{tracks} tracks" in text(page, ".report-sub") and f"{len(failed)} files that failed" in text(page, ".report-sub"), (
        f"in the report: {text(page, '.report-sub')}")
    links = page.evaluate("[...document.querySelectorAll('#attention a')].map(node => node.getAttribute('href')).filter(each => each.startsWith('#/track'))")
    assert len(links) >= len(failed), "the report has links to the files"
    for link in links:
        go(page, link)
        assert text(page, "h1") not in ("Not found", "This did not work"), f"and they lead somewhere: {text(page, 'main')[:100]}"


def test_album(page, server, pictures):
    album = server.read("app/api/search?q=first+light")["albums"]["items"][0]
    go(page, f"#/album/{album['id']}")
    assert texts(page, "main .row .nm") == ["Night Signal", "River Glass", "Paper Winter"], "the album is in its order"
    assert texts(page, "main .row .number") == ["1", "2", "3"], "with its numbers"
    page.wait("document.querySelector('.page-head img')?.naturalWidth > 0")
    pictures.take(page, "album")
    page.click("#play-all")
    page.wait("import('/app/player.js').then(({ player }) => player.position > .3)")
    assert text(page, "#player-track .nm") == "Night Signal", "playing the album starts with its first track"
    assert page.evaluate("navigator.mediaSession.metadata.title") == "Night Signal", "the system knows what plays"
    assert page.evaluate("navigator.mediaSession.playbackState") == "playing", "and that it plays"
    assert texts(page, ".row[aria-current] .nm") == ["Night Signal"], "the row that plays is marked"
    page.click("#player-next")
    page.wait("document.querySelector('#player-track .nm').textContent === 'River Glass'")
    assert texts(page, ".row[aria-current] .nm") == ["River Glass"], "and the next one then"
    page.evaluate("document.querySelector('h1').focus()")
    page.key(" ")
    page.wait("document.querySelector('#player-play').getAttribute('aria-label') === 'Play'")
    page.evaluate("document.querySelector('#player-strip').focus()")
    page.key("End")
    page.key("ArrowLeft")
    assert 8 < position(page) < 13, f"keys seek: {position(page)}"
    part = page.evaluate("document.querySelector('#player-strip').getAttribute('aria-valuetext')")
    assert part.endswith("of 0:16"), f"the strip says where it is: {part}"
    box = page.evaluate("(() => { const b = document.querySelector('#player-strip').getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()")
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, box[0] + box[2] / 4, box[1] + box[3] / 2)
    page.settle()
    assert abs(position(page) - 4) < .3, f"a click seeks: {position(page)}"
    page.key(" ")
    go(page, "#/queue")
    assert texts(page, "#queue .nm") == ["Night Signal", "River Glass", "Paper Winter"], "the queue has the album"
    page.evaluate("document.querySelectorAll('#queue .handle')[2].focus()")
    page.key("ArrowUp")
    page.settle()
    assert texts(page, "#queue .nm") == ["Night Signal", "Paper Winter", "River Glass"], "keys reorder the queue"
    page.evaluate("import('/app/player.js').then(({ player }) => player.pause())")


def test_words(page):
    """Sentences that contradict nothing beside them."""
    own = lambda candidates, bpm: page.evaluate(f"import('/app/shared.js').then(({{ withOwnTempo }}) => withOwnTempo({json.dumps(candidates)}, {bpm}))")
    assert own([[120.4, .8], [60.2, .1]], 121) == [[121, .8], [60.2, .1]], "the candidate that is the tempo has its number"
    assert own([[120.4, .8], [60.2, .1]], 97) == [[97, None], [120.4, .8], [60.2, .1]], "a tempo is among its candidates"
    doubt = lambda meter: page.evaluate(f"import('/app/shared.js').then(({{ barDoubt }}) => barDoubt({json.dumps(meter)}))")
    assert doubt("4/4") == "Beats in 4/4; where bars start is unsure, so not drawn", "a meter and bars in doubt go together"
    go(page, "#/playlists")
    go(page, "#/search")
    assert "any part" not in text(page, ".hint"), f"search promises what it does: {text(page, '.hint')}"


def test_queue(page, server):
    """A list plays on to its end, though the queue begins with a part of it."""
    tracks = server.read("app/api/tracks?sort=path&limit=500")["items"]
    playable = [track["id"] for track in tracks if track["status"] != "failed"]
    page.evaluate("import('/app/player.js').then(({ player }) => { player.play(%s, 0, 0, { path: 'tracks', values: { sort: 'path' }, offset: 2, count: %d }); player.pause(); })"
                  % (json.dumps(tracks[:2]), len(tracks)))
    page.wait("import('/app/player.js').then(({ player }) => player.source === null)")
    assert page.evaluate("import('/app/player.js').then(({ player }) => player.queue.map(track => track.id))") == playable, (
        "all tracks of a long list are played, and no files that failed")
    page.evaluate("import('/app/player.js').then(({ player }) => { player.play([%s]); player.pause(); })" % json.dumps(tracks[0]))


def test_lyrics(page, server):
    go(page, f"#/track/{server.track('Cave')['id']}")
    assert texts(page, ".words button") == ["First line", "Second line", "Last line"], "lyrics of tags are shown"
    page.evaluate("document.querySelectorAll('.words button')[1].click()")
    page.wait("document.querySelector('.words [aria-current]')?.textContent === 'Second line'")
    page.evaluate("import('/app/player.js').then(({ player }) => player.pause())")
    go(page, f"#/track/{server.track('Sung')['id']}")
    assert text(page, ".words") == untidy_library.VERSES, "and those without times"


def test_phone(page, server):
    """Controls that a phone has room for, and the first of them in sight whatever the title is."""
    page.resize(390, 844)
    for name in ("#player-previous", "#player-play", "#player-next", "#player-strip", "#player-queue"):
        box = page.evaluate(f"(() => {{ const b = document.querySelector('{name}').getBoundingClientRect(); return [b.width, b.height, b.left, b.right] }})()")
        assert min(box[:2]) >= 40 and box[2] >= 0 and box[3] <= 390, f"{name} is there on a phone: {box}"
    for track in server.read("app/api/tracks?limit=500")["items"]:
        if len(track["title"] or "") > 200:
            go(page, f"#/track/{track['id']}")
            bottom = page.evaluate("document.querySelector('#track-play').getBoundingClientRect().bottom")
            assert bottom < 420, f"Play is in sight under a title of {len(track['title'])} letters: {bottom}"
    page.resize(1360, 900)
    page.settle()


def test_windows(browser, server):
    """More pages than a browser has connections for a server, all in sight, and all hear what happens."""
    pages = [browser.page(in_window=True) for _ in range(8)]
    for number, page in enumerate(pages):
        page.open(server.base, READY)
        page.wait("document.querySelector('#state').textContent")
        page.evaluate("import('/app/server.js').then(({ server }) => server.addEventListener('tempo', () => { window.heard = true }))")
    tempo = f"{server.base}app/api/tracks/{server.track('River Glass')['id']}/tempo"
    for method, body in (("PUT", b'{"times": "2"}'), ("DELETE", None)):
        urllib.request.urlopen(urllib.request.Request(tempo, body, {"Content-Type": "application/json"}, method=method)).close()
    for number, page in enumerate(pages):
        page.wait("window.heard")
        check_quiet(page, server, f"window {number + 1}")
        page.close()


def test_track(page, server, pictures):
    track = server.track("River Glass")
    before = server.read(f"app/api/tracks/{track['id']}")["tempo"]
    go(page, f"#/track/{track['id']}")
    assert text(page, "h1") == "River Glass", "the track's page has its title"
    assert abs(float(text(page, "#bpm")) - 120) < 1, f"and its tempo: {text(page, '#bpm')}"
    assert page.evaluate("document.querySelector('#overview').getContext('2d').getImageData(0, 0, 600, 100).data.some(value => value > 0)"), (
        "the waveform is drawn")
    assert page.evaluate("document.querySelectorAll('.candidate').length") > 0, "candidates are shown"
    page.wait("document.querySelector('.similar .row') || document.querySelector('.similar .none')")
    assert len(texts(page, ".similar .row")) > 0, "similar tracks are shown"
    half = "[...document.querySelectorAll('.fix .btn')].find(node => node.textContent === 'Half')"
    page.evaluate(f"{half}.click()")
    page.wait("Math.abs(+document.querySelector('#bpm').textContent - 60) < 1")
    assert "Before" in text(page, "#why"), "before and after are shown"
    assert server.read(f"app/api/tracks/{track['id']}")["tempo"]["bpm"] == before["bpm"], "nothing is stored before Save"
    page.evaluate("[...document.querySelectorAll('.fix .btn')].find(node => node.textContent === 'Later').click()")
    page.wait("document.querySelector('#shift').textContent.includes('+10 ms')")
    wait_until_still(page)
    pictures.take(page, "correction", full=True)
    page.click("#save")
    page.wait("document.querySelector('#save').disabled && document.querySelector('#note').textContent")
    page.wait(f"fetch('/app/api/tracks/{track['id']}').then(a => a.json()).then(a => a.tempo.locked)")
    after = server.read(f"app/api/tracks/{track['id']}")["tempo"]
    assert abs(after["bpm"] - before["bpm"] / 2) < .01, "half the tempo is stored"
    page.wait("!document.querySelector('#undo').disabled")
    page.click("#undo")
    page.wait("Math.abs(+document.querySelector('#bpm').textContent - 120) < 1")
    assert server.read(f"app/api/tracks/{track['id']}")["tempo"]["bpm"] == before["bpm"], "undo brings back what was"
    page.evaluate("""(async () => { const tap = document.querySelector('#tap'); for (let i = 0; i < 6; i++) { tap.click(); await new Promise(done => setTimeout(done, 480)) } })()""")
    assert "BPM from 6 taps" in text(page, "#tap"), f"taps are counted: {text(page, '#tap')}"
    assert abs(float(text(page, "#tap").split()[0]) - 125) < 12, f"and give a tempo: {text(page, '#tap')}"
    page.evaluate("[...document.querySelectorAll('.save .btn')].find(node => node.textContent === 'Cancel').click()")
    page.wait("document.querySelector('#save').disabled")
    box = page.evaluate("(() => { const b = document.querySelector('#overview').getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()")
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, box[0] + box[2] / 2, box[1] + box[3] / 2)
    page.evaluate("document.querySelector('#track-play').click()")
    page.wait("import('/app/player.js').then(({ player }) => player.position > 8.2)")
    page.evaluate("document.querySelector('#track-play').click()")
    go(page, f"#/track/{server.track('Paper Winter')['id']}")
    assert text(page, "#track-play") == "Play", "Play starts at the beginning"
    page.evaluate("document.querySelector('#overview').focus()")
    page.key("ArrowRight")
    assert text(page, "#track-play") == "Play from 0:05", "or says where else"
    go(page, f"#/track/{server.track(HOSTILE[1])['id']}")
    assert text(page, "h1") == HOSTILE[1], "a hostile title is text"


# What is heard. Everything is recorded by the worklet of the microphone, as the app's policy allows no other script.
RECORD = """async (nodes, seconds) => {
  const context = nodes[0].context;
  try { await context.audioWorklet.addModule('/app/microphone-worklet.js') } catch (error) { throw new Error(`worklet: ${error}`) }
  const sum = context.createGain(), recorder = new AudioWorkletNode(context, 'microphone', { numberOfOutputs: 0, processorOptions: { frames: 1024 } });
  const silence = context.createConstantSource(), none = context.createGain();
  none.gain.value = 0; silence.connect(none).connect(sum); silence.start();
  for (const node of nodes) node.connect(sum);
  sum.connect(recorder);
  const samples = [];
  recorder.port.onmessage = event => { for (const value of event.data.samples) samples.push(value / 32768) };
  await new Promise(done => setTimeout(done, seconds * 1000));
  sum.disconnect(); silence.stop();
  for (const node of nodes) node.disconnect(sum);
  return { samples, rate: context.sampleRate };
}"""
ONSETS = """({ samples, rate }, limit = .08, quiet = .06) => {
  const onsets = []; let last = -Infinity;
  samples.forEach((value, index) => { if (Math.abs(value) > limit) { if (index - last > quiet * rate) onsets.push(index / rate); last = index } });
  return onsets;
}"""


def test_sound(page, server, pictures):
    """Clicks over music, and the join of two tracks."""
    track = server.track("River Glass")
    figures = page.evaluate("""(async () => {
      const { player } = await import('/app/player.js'), id = %s;
      const { track, tempo } = await (await fetch(`/app/api/tracks/${id}`)).json();
      player.play([track]);
      if (!player.hasClicks) player.toggleClicks();
      await new Promise(done => setTimeout(done, 1800));
      const { clicks } = player.outputs;
      const recorded = (%s)(await (%s)([clicks], 5.5), .1);
      const bpm = tempo.bpm, steps = recorded.slice(1).map((time, index) => (time - recorded[index]) * 1000);
      return { steps, period: 60000 / bpm };
    })()""" % (json.dumps(track["id"]), ONSETS, RECORD))
    assert len(figures["steps"]) >= 5 and all(abs(step - figures["period"]) < 25 for step in figures["steps"]), f"clicks fall on the beats: {figures}"
    # This file is a click each half second. Ours are put between them: so the distance of both says how far they are apart.
    figures = page.evaluate("""(async () => {
      const { player } = await import('/app/player.js'), track = %s;
      player.play([track], 0, 1);
      await new Promise(done => setTimeout(done, 600));
      player.setBeats(track.id, Array.from({ length: 31 }, (_, beat) => beat * .5 + .25), null);
      await new Promise(done => setTimeout(done, 2000));
      const { clicks, music } = player.outputs;
      const [ours, theirs] = await Promise.all([(%s)([clicks], 4.5), (%s)(music, 4.5)]);
      player.toggleClicks(); player.pause();
      const a = (%s)(ours, .1), b = (%s)(theirs, .1);
      const off = a.filter(time => b.some(other => other < time)).map(time => (time - b.findLast(other => other < time) - .25) * 1000);
      return { ours: a.length, theirs: b.length, off };
    })()""" % (json.dumps(server.track("it's plain")), RECORD, RECORD, ONSETS, ONSETS))
    off = sorted(figures["off"])
    assert len(off) >= 5 and abs(off[len(off) // 2]) < 15, f"clicks and music are together: {figures}"
    pictures.write("clicks", figures)

    halves = [server.track("Half 1"), server.track("Half 2")]
    join = page.evaluate("""(async () => {
      const { player } = await import('/app/player.js');
      player.play(%s);
      player.seek(2.2);
      const { samples, rate } = await (%s)(player.outputs.music, 3.2);
      const title = player.track.title;
      player.pause();
      // The longest time in which the tone is not there, between its first and last sample.
      const loud = samples.map(value => Math.abs(value) > .05), first = loud.indexOf(true), last = loud.lastIndexOf(true);
      let gap = 0, run = 0;
      for (let index = first; index < last; index++) { run = loud[index] ? 0 : run + 1; gap = Math.max(gap, run) }
      return { title, gap: gap / rate * 1000, seconds: (last - first) / rate };
    })()""" % (json.dumps(halves), RECORD))
    assert join["title"] == "Half 2", "the second track follows the first"
    assert join["seconds"] > 2.5 and join["gap"] < 60, f"nothing to speak of is missing between two tracks: {join}"
    pictures.write("join", join)


def test_metronome(page, pictures):
    go(page, "#/metronome", "document.querySelector('#go')")
    number = lambda: float(text(page, "#metronome-bpm"))
    start = number()
    page.click("#step5")
    page.click("#step1")
    assert number() == start + 6, "+5 and +1"
    page.click("#step-5")
    page.key("ArrowDown")
    assert number() == start, "−5 and ↓"
    # Timers of a busy machine are late: what counts is when the taps came.
    taps = page.evaluate("(async () => { const tap = document.querySelector('#metronome-tap'), times = []; for (let i = 0; i < 5; i++) { times.push(performance.now()); tap.click(); await new Promise(done => setTimeout(done, 400)) } return times })()")
    tapped = 60_000 * 4 / (taps[4] - taps[0])
    assert abs(number() / tapped - 1) < .1, f"taps set the tempo: {number()} of {tapped}"
    page.evaluate("(() => { for (const [id, value] of [['meter', '3'], ['sound', 'wood']]) { const node = document.querySelector(`#${id}`); node.value = value; node.dispatchEvent(new Event('change')) } })()")
    assert page.evaluate("document.querySelectorAll('.beats-row i').length") == 3, "three beats in a bar"

    # Ten minutes, computed: each click against the time that it must have.
    drift = page.evaluate("""(async () => {
      const { Pulse } = await import('/app/clicks.js'), { scheduleClicks } = await import('/app/metronome.js');
      const rate = 16000, seconds = 601, bpm = 97.3, context = new OfflineAudioContext(1, seconds * rate, rate), pulse = new Pulse(bpm, .05);
      for (let now = 0; now < 600; now += .025) scheduleClicks(context, context.destination, pulse, now + .15, { beats: 4, sound: 'click' });
      const samples = (await context.startRendering()).getChannelData(0), onsets = (%s)({ samples, rate });
      const off = onsets.map((time, beat) => (time - .05 - beat * 60 / bpm) * 1000);
      return { count: onsets.length, wanted: Math.floor((600.125 - .05) * bpm / 60) + 1, most: Math.max(...off.map(Math.abs)), last: off.at(-1) };
    })()""" % ONSETS)
    assert drift["count"] == drift["wanted"], "clicks in ten minutes"
    assert drift["most"] <= .1, f"no click of ten minutes is off by more than a tenth of a millisecond: {drift}"
    # Some seconds as they are heard, with the timers of the page.
    heard = page.evaluate("""(async () => {
      const { metronome } = await import('/app/metronome.js');
      metronome.set({ sound: 'click' });
      metronome.setTempo(240); metronome.output; metronome.start();
      const onsets = (%s)(await (%s)([metronome.output], 3.2));
      metronome.stop();
      const steps = onsets.slice(1).map((time, index) => (time - onsets[index]) * 1000 - 250);
      return { count: onsets.length, most: Math.max(...steps.map(Math.abs)) };
    })()""" % (ONSETS, RECORD))
    assert heard["count"] >= 10 and heard["most"] <= 1, f"clicks that are heard are exact to a millisecond: {heard}"
    pictures.write("metronome", {"ten minutes": drift, "heard": heard})
    page.click("#go")
    assert text(page, "#go") == "Stop", "it runs"
    page.evaluate("document.querySelector('#metronome-tap').focus()")
    page.key("s")
    assert text(page, "#go") == "Start", "S stops it"


def test_listen(page, server, pictures):
    go(page, "#/listen", "document.querySelector('#listen')")
    pictures.take(page, "listen-ready")
    page.click("#start")
    page.wait("['listening', 'found'].includes(document.querySelector('#listen').dataset.state)")
    pictures.take(page, "listening")
    page.wait("document.querySelector('#listen').dataset.state === 'found'", 40)
    page.wait("document.querySelector('#open-track')", 5)
    assert "River Glass" in text(page, "#listen h2"), f"the microphone's track is found: {text(page, '#listen')}"
    page.settle()
    pictures.take(page, "found")
    assert "River Glass" in text(page, "#heard li"), "and is in the history"
    if page.evaluate("document.querySelector('#stop') !== null"):
        page.click("#stop")
    page.evaluate("""(async () => {
      const data = new DataTransfer(), track = await (await fetch('/media/tracks/%s')).blob();
      data.items.add(new File([track], 'dropped.flac', { type: 'audio/flac' }));
      document.querySelector('#listen').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    })()""" % server.track("Paper Winter")["id"])
    page.wait("document.querySelector('#listen').dataset.state === 'found' && document.querySelector('#listen h2').textContent.includes('Paper Winter')", 30)
    assert "in a file" in text(page, "#heard li"), "a dropped file is recognized"
    page.click("#open-track")
    page.wait("document.querySelector('h1')?.textContent === 'Paper Winter'")


def test_playlists(page, server, pictures):
    go(page, "#/library/playlists", "document.querySelector('#new-playlist')")
    page.click("#new-playlist")
    page.type("Late")
    page.key("Enter")
    page.wait("document.querySelector('h1')?.textContent === 'Late'")
    mine = page.evaluate("location.hash")
    album = server.read("app/api/search?q=first+light")["albums"]["items"][0]
    go(page, f"#/album/{album['id']}")
    page.evaluate("[...document.querySelectorAll('.page-head .btn')].find(node => node.textContent === 'Add to a playlist').click()")
    page.wait("document.querySelector('#dialog[open] .choice')")
    page.evaluate("document.querySelector('.choice').click()")
    page.wait("document.querySelector('#toast').textContent.includes('Late')")
    go(page, mine, "document.querySelector('#entries')")
    assert texts(page, "#entries .nm") == ["Night Signal", "River Glass", "Paper Winter"], "the playlist has the album"
    boxes = page.evaluate("[...document.querySelectorAll('#entries .handle')].map(node => { const b = node.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2] })")
    page.drag(tuple(boxes[0]), (boxes[2][0], boxes[2][1] + 20))
    assert texts(page, "#entries .nm") == ["River Glass", "Paper Winter", "Night Signal"], "dragging reorders"
    listed = lambda: [entry["track"]["title"] for entry in server.read("app/api/" + "playlists/" + mine.split("/")[-1])["entries"]]
    page.wait("fetch('/app/api/playlists/%s').then(a => a.json()).then(a => a.entries[0].track.title === 'River Glass')" % mine.split("/")[-1])
    assert listed() == ["River Glass", "Paper Winter", "Night Signal"], "and the server knows"
    page.evaluate("document.querySelectorAll('#entries .handle')[2].focus()")
    page.key("ArrowUp")
    page.wait("fetch('/app/api/playlists/%s').then(a => a.json()).then(a => a.entries[1].track.title === 'Night Signal')" % mine.split("/")[-1])
    page.evaluate("document.querySelector('#entries .row .more').click()")
    page.wait("document.querySelector('#menu:popover-open button')")
    page.evaluate("[...document.querySelectorAll('#menu button')].find(node => node.textContent.startsWith('Remove')).click()")
    page.wait("document.querySelectorAll('#entries .row').length === 2")
    pictures.take(page, "playlist")
    page.click("#rename")
    page.type("Later")
    page.key("Enter")
    page.wait("document.querySelector('h1')?.textContent === 'Later'")
    export = page.evaluate("fetch(document.querySelector('#export').href).then(answer => answer.text())")
    assert export.startswith("#EXTM3U") and "03.flac" in export, f"the export is M3U8: {export[:60]!r}"
    page.click("#delete")
    page.evaluate("document.querySelector('#dialog .primary').click()")
    page.wait("location.hash === '#/library/playlists' && document.querySelector('#new-playlist')")
    assert texts(page, "main .row") == [], "a deleted playlist is gone"


def test_report(browser, page, server, pictures):
    go(page, "#/report", "document.querySelector('.sentence')")
    assert len(text(page, ".sentence")) > 10, "the report begins with a sentence"
    assert "empty" in page.evaluate("document.querySelector('#attention').textContent"), "the empty file needs attention"
    page.evaluate("import('/app/server.js').then(({ server }) => server.dispatchEvent(new CustomEvent('run', { detail: { text: 'Analyzing: 3 of 12 files', done: 3, total: 12, eta_s: 90, current: null } })))")
    page.settle()
    assert page.evaluate("document.querySelector('#run progress').value") == .25, "a run has a progress bar"
    assert "3 of 12" in text(page, "#state"), "and the header says so"
    pictures.take(page, "report")
    page.evaluate("import('/app/server.js').then(({ server }) => server.dispatchEvent(new CustomEvent('run-ended', { detail: { text: '12 tracks' } })))")
    page.settle()
    assert page.evaluate("document.querySelector('#progress').hidden") is True, "and none when it is over"
    page.wait("document.querySelector('.report-page a')")
    address = page.evaluate("document.querySelector('.report-page a').getAttribute('href')")
    whole = browser.page()
    whole.open(server.host + address, "document.querySelector('#tracks')")
    assert whole.evaluate("document.querySelectorAll('svg, canvas').length") > 3, "the report's page has charts"
    check_quiet(whole, server, "the report's page")
    whole.close()


def test_looks(page, server, pictures):
    """Every screen in both themes and at the widths of phones."""
    track, album = server.track("River Glass"), server.read("app/api/search?q=first+light")["albums"]["items"][0]
    failed = server.read("app/api/tracks?where=status:failed")["items"][0]
    for name, route in (("failed", "#/library?status=failed"), ("failed-track", f"#/track/{failed['id']}"), ("lyrics", f"#/track/{server.track('Cave')['id']}"),
                        ("search", "#/search?q=i"), ("library", "#/library"), ("albums", "#/library/albums"), ("track", f"#/track/{track['id']}"),
                        ("album", f"#/album/{album['id']}"), ("listen", "#/listen"), ("metronome", "#/metronome"), ("report", "#/report"), ("queue", "#/queue")):
        go(page, route)
        wait_until_still(page)
        check_width(page, name)
        check_contrast(page, name, least=12)
        check_names(page, name)
        if pictures.folder:
            for theme in ("light", "dark"):
                page.media(dark=theme == "dark")
                pictures.take(page, f"{name}-{theme}")
                page.resize(390, 844)
                page.settle()
                pictures.take(page, f"{name}-{theme}-390")
                page.resize(1360, 900)
            page.media()
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "light", "the button chooses a theme"
    page.evaluate("window.isOld = true; location.reload()")
    page.wait(f"!window.isOld && {READY}")
    assert page.evaluate("document.documentElement.dataset.theme") == "light", "which is remembered"


def test_gone(page, server, pictures, library):
    go(page, "#/library")
    check_quiet(page, server, "all screens", allowed=("400 (Bad Request)",))  # the expression that is wrong
    server.stop()
    page.wait("!document.querySelector('#gone').hidden", 20)
    assert "reconnects by itself" in text(page, "#gone"), "a server that is gone is told"
    pictures.take(page, "gone")
    with Server(library, "--catalog", library.catalog, port=server.port):
        page.wait("document.querySelector('#gone').hidden", 20)


def test_login(browser, library, pictures):
    """With a file of tokens, the app asks for one."""
    tokens = library.folder / "tokens"
    tokens.write_text("phone secret-of-the-phone-0123456789abcdef0123456789\n")
    tokens.chmod(0o600)
    with Server(library, "--catalog", library.catalog, "--token-file", tokens) as server:
        page = browser.page()
        page.open(server.base, "document.querySelector('#token')")
        pictures.take(page, "login")
        page.evaluate("document.querySelector('#token').focus()")
        page.type("wrong")
        page.key("Enter")
        page.wait("document.querySelector('.login [role=alert]').textContent")
        page.evaluate("document.querySelector('#token').value = 'secret-of-the-phone-0123456789abcdef0123456789'")
        page.evaluate("document.querySelector('.login').requestSubmit()")
        page.wait("document.querySelector('#q')")
        check_quiet(page, server, "log-in", allowed=("401",))
        page.close()
