"""The HTML report in a real browser, used with keys and mouse: search, sorting, filters, the address, columns, the panel, theme, paper.

Also what must never happen: errors on the console, requests, text of tags that becomes markup, too little contrast, pages wider than a
phone.
"""
import contextlib
import html.parser
import os
import re

import pytest
from looks import HOSTILE, check_contrast, check_width
from sounds import beats, encode, tone
from waiting import eventually


# Libraries


def make_music(folder):
    """Twelve tracks in two folders; an empty and a cut-off file, and one that is no audio."""
    titles = ["Night Signal", "River Glass", "Paper Winter", "Cloud Mirror", "Engine Garden", "Velvet Echo"]
    for number, title in enumerate(titles):
        artist, bpm = ("Sine & Square", "Noise Gate")[number % 2], 96 + 8 * number
        target = folder / "Album & Noise" / f"{number + 1:02d} - {title}.{('flac', 'ogg', 'mp3')[number % 3]}"
        target.parent.mkdir(parents=True, exist_ok=True)
        beats(folder / "source.wav", bpm, 9, 220 * 2 ** (number * 5 % 12 / 12))
        encode(folder / "source.wav", target, title=title, artist=artist, album="First Light", genre=("Trance", "House", "Jazz")[number % 3], date=str(2012 + number))
    (folder / "source.wav").unlink()
    plain = folder / "Café"
    plain.mkdir()
    beats(plain / "it's plain.wav", 140, 9)
    beats(plain / "short.wav", 120, 1)
    (plain / "empty.flac").touch()
    (plain / "notes.mp3").write_text("This is no audio.")
    whole = (folder / "Album & Noise" / "01 - Night Signal.flac").read_bytes()
    (plain / "cut off.flac").write_bytes(whole[:len(whole) // 2])


def make_news(folder):
    for number in range(3):
        target = folder / "New Band" / f"new {number}.flac"
        target.parent.mkdir(exist_ok=True)
        beats(folder / "source.wav", 150 + number, 9)
        encode(folder / "source.wav", target, title=f"Novelty {number}", artist="New Band")
    (folder / "source.wav").unlink()


def make_hostile(folder):
    for number, text in enumerate(HOSTILE):
        tone(folder / "source.wav", number)
        encode(folder / "source.wav", folder / f"{number:02d}.flac", title=text, artist=text, album=text, genre=text)
    (folder / "source.wav").unlink()
    tone(folder / "<img src=x onerror=alert(1)> it's $(here) \n.wav", 90)
    with contextlib.suppress(OSError):
        tone(os.fsdecode(os.fsencode(str(folder)) + b"/not text \xe9.wav"), 91)


def make_many(folder, count):
    for number in range(count):
        tone(folder / f"track {number:04d}.wav", number)


@pytest.fixture(scope="module")
def analyzed(place):
    """Analyzes the library of this name, and gives the address of the report."""
    def analyzed(name, make=lambda folder: None, pipeline="default"):
        (place.folder / name).mkdir(exist_ok=True)
        make(place.folder / name)
        output = place.folder / f"{name}-report"
        database = place.folder / f"{name}.sqlite"
        place.analyze("run", place.folder / name, "--database", database, "--pipeline", pipeline, "--fail-on", "never", "--progress", "none", status=None)
        place.analyze("report", "--database", database, "--report", "html", "--output", output, status=(0, 3))
        return output / "report.html"

    return analyzed


# What stands in the file, before any script runs


class Markup(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.headings, self.policy, self.title, self.words, self.bad, self.inside, self.ids = [], "", "", [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name, value in attributes:
            if name.startswith("on") or name == "style":
                self.bad.append(f"{tag} {name}")
            if name in ("src", "href", "action") and not (value or "").startswith("#"):
                self.bad.append(f"{tag} {name}={value}")
        if "id" in values:
            self.ids.append(values["id"])
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)
        if tag not in ("meta", "link", "br", "input", "img"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, text):
        if "title" in self.inside and "svg" not in self.inside:
            self.title += text
        elif "script" not in self.inside and "style" not in self.inside:
            self.words.append(text)


def check_file(path, name):
    text = path.read_text(encoding="utf-8")
    markup = Markup(text)
    assert markup.bad == [], f"{name}: no handlers, style attributes or addresses in the markup"
    assert "default-src 'none'" in markup.policy and "unsafe" not in markup.policy, f"{name}: the policy allows nothing by default"
    assert markup.headings.count("h1") == 1, f"{name}: headings of the first order"
    assert len(markup.ids) == len(set(markup.ids)), f"{name}: no id twice"
    assert "Nocturne" in markup.title, f"{name}: the title names the program, is {markup.title!r}"
    assert len(re.findall(r"</script>", text)) == 4, f"{name}: scripts, of which three are data"
    return markup


# In the browser


def rows(page, column=".title"):
    return page.evaluate(f"[...document.querySelectorAll('#rows tr.row')].map(row => row.querySelector('{column}').textContent)")


def address(page):
    """It follows a fifth of a second after a change."""
    return page.evaluate("decodeURIComponent(location.hash.replaceAll('+', ' '))")


def count(page):
    return page.evaluate("document.querySelector('#status .count').textContent")


def chips(page):
    return page.evaluate("[...document.querySelectorAll('.chip span')].map(chip => chip.textContent)")


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName")


def open_at(page, report, fragment):
    """From another page: where only the fragment changes, the same page goes on and nothing says when it has followed."""
    page.open("about:blank", "true")
    page.open(report.as_uri() + fragment)


def check_quiet(page, name):
    assert page.complaints == [], f"{name}: nothing on the console"
    assert [url for url in page.requests if not url.startswith("file:")] == [], f"{name}: no request"
    assert page.evaluate("window.hacked === undefined") is True, f"{name}: text of tags is text"


def check_structure(page, name):
    assert page.evaluate("[...document.querySelectorAll('section h2')].every(node => node.textContent.trim())") is True, (
        f"{name}: sections have headings")
    assert page.evaluate("[...document.querySelectorAll('button, input, select, [role=button], [role=slider], [role=img]')]" ".filter(node => node.checkVisibility() && !(node.getAttribute('aria-label') || node.textContent.trim() || node.closest('label')))" ".map(node => node.outerHTML.slice(0, 80))") == [], (
        f"{name}: all controls have names")
    assert page.evaluate("document.querySelector('#grid').getAttribute('role')") == "table", f"{name}: the table says so"
    assert page.evaluate("[...document.querySelectorAll('#rows tr.row')].every(row => row.getAttribute('role') === 'row' && row.getAttribute('aria-rowindex')" " && [...row.children].every(cell => cell.getAttribute('role') === 'cell'))") is True, (
        f"{name}: rows and cells say so")
    assert page.evaluate("document.querySelectorAll('#rows [tabindex=\"0\"]').length") == 1, f"{name}: one row is a tab stop"
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
    assert len(ids) == len(set(ids)), f"{name}: no id twice"


@pytest.fixture(scope="module")
def report(place, analyzed):
    """The second run of a library to which a folder was added."""
    analyzed("music", make_music)
    return analyzed("music", make_news)


@pytest.fixture(scope="module")
def page(browser, report):
    page = browser.page()
    page.open(report.as_uri())
    page.wait("document.querySelector('[data-prints] button')", 10)
    yield page
    page.close()


@pytest.fixture(autouse=True)
def fresh(request):
    """Each test finds the report as it opens."""
    if "page" in request.fixturenames:
        page, report = request.getfixturevalue("page"), request.getfixturevalue("report")
        open_at(page, report, "")


def test_markup(report):
    markup = check_file(report, "music")
    words = " ".join(" ".join(markup.words).split())
    for wanted in ("Needs your attention", "New since the last run", "New Band"):
        assert wanted in words, f"the markup says {wanted!r}, without a script"


def test_structure(page):
    page.wait("document.querySelector('[data-prints] button')", 10)
    assert page.evaluate("document.querySelectorAll('[data-prints] button').length") == 3, "new tracks have prints"
    check_structure(page, "music")
    charts = page.evaluate("[...document.querySelectorAll('.chart h3')].map(node => node.textContent)")
    assert len(charts) >= 7, f"the library at a glance: {charts}"


def test_search(page):
    everything, counted = rows(page), count(page).split(" ·")[0]
    tracks, failed = map(int, re.findall(r"\d+", counted))
    assert counted == f"{tracks} tracks, {failed} failed", "tracks are counted without files that failed"
    assert tracks + failed == len(everything), "which are rows"
    page.evaluate("document.body.focus()")
    page.key("/")
    assert focused(page) == "q", "/ goes to the search field"
    page.type("river")
    assert rows(page) == ["River Glass"], "search finds a title"
    assert count(page).split(" ·")[0] == f"1 of {tracks} tracks", "the count says how many"
    eventually(lambda: "q=river" in address(page), "the address has the search", 5)
    page.key("Escape")
    assert rows(page) == everything, "Escape clears the search"
    page.type("cafe plain")
    assert len(rows(page)) == 1, "search ignores accents and looks into folders"
    page.key("Escape")
    page.type("sine gar")
    assert rows(page) == ["Engine Garden"], "words may be in artist and title"
    page.key("Escape")
    page.type("zzz")
    assert page.evaluate("document.querySelector('#empty').hidden") is False, "a search without tracks says so"
    assert page.evaluate("document.querySelector('#empty').textContent") == "No tracks match.Remove a filter, or search for fewer words.", (
        "and what to do")
    page.wait("document.querySelector('#live').textContent === 'No tracks match.'", 5)
    page.click("#status .link")
    assert rows(page) == everything, "Clear all shows everything again"


def test_sort(page):
    everything = rows(page)
    page.click("#head [data-column=bpm] button")
    tempos = [float(text.split(",")[0]) for text in rows(page, ".bpm b") if text[0].isdigit()]
    assert len(tempos) > 5 and tempos == sorted(tempos), "sorted by tempo"
    assert not rows(page, ".bpm b")[-1][0].isdigit(), "rows without a tempo come last"
    assert page.evaluate("document.querySelector('#head [data-column=bpm]').getAttribute('aria-sort')") == "ascending", (
        "the heading says how it is sorted")
    page.click("#head [data-column=bpm] button")
    tempos = [float(text.split(",")[0]) for text in rows(page, ".bpm b") if text[0].isdigit()]
    assert tempos == sorted(tempos, reverse=True) and not rows(page, ".bpm b")[-1][0].isdigit(), "sorted from the fastest; none still last"
    eventually(lambda: "sort=-bpm" in address(page), "the address has the order", 5)
    page.click("#head [data-column=bpm] button")
    assert rows(page) == everything, "the third click restores the order of folders"


def test_filters(page):
    total = len(rows(page))
    box = page.evaluate("(() => { document.querySelector('.brush').scrollIntoView({ block: 'center' }); const b = document.querySelector('.brush').getBoundingClientRect(); return [b.left, b.top, b.width, b.height] })()")
    at = lambda bpm: (box[0] + box[2] * (bpm - 50) / 150, box[1] + box[3] / 2)
    page.drag(at(100), at(125))
    bounds = page.evaluate("document.querySelector('.chip span').textContent")
    assert bounds == "100–125 BPM", "dragging over the histogram filters by tempo"
    assert 0 < len(rows(page)) < total, "and shows fewer tracks"
    page.evaluate("document.querySelector('#charts .handle').focus()")
    page.key("ArrowRight")
    assert chips(page) == ["101–125 BPM"], "arrows move a handle"
    page.key("PageDown")
    assert page.evaluate("document.querySelector('#charts .handle').getAttribute('aria-valuetext')") == "91 BPM", "the handle says its value"
    page.click(".chip")
    assert chips(page) == [], "a chip removes its filter"
    page.click(".wheel .segment[aria-label*=': 1 track'], .wheel .segment[aria-label*=': 2 tracks']")
    assert len(chips(page)) == 1, "a click on the wheel filters by key"
    assert len(rows(page)) in (1, 2), "and shows the tracks in this key"
    eventually(lambda: "key=" in address(page), "the address has the key", 5)
    page.key("Escape")
    page.evaluate("document.querySelector('.chip').click()")
    page.settle()
    page.evaluate("document.querySelector('.share[title=FLAC]').focus()")
    page.key("Enter")
    assert chips(page) == ["FLAC"], "Enter on a format filters by it"
    page.evaluate("(() => { const s = document.querySelector('[data-filter=status]'); s.value = 'problem'; s.dispatchEvent(new Event('change')) })()")
    page.settle()
    assert chips(page) == ["FLAC", "Any problem"], "filters combine"
    page.click("#status .link")
    assert chips(page) == [], "Clear all removes them"
    page.evaluate("document.querySelector('.spot').focus()")
    page.key("ArrowRight")
    page.key(" ")
    assert len(chips(page)) == 1, "bars are buttons that arrows go through"
    page.key(" ")
    assert chips(page) == [], "the same bar again removes the filter"


def test_columns(page):
    page.evaluate("document.querySelector('.menu summary').focus()")
    page.key("Enter")
    page.click(".menu input[data-column=genre]")
    assert "genre" in page.evaluate("[...document.querySelectorAll('#head [data-column]')].map(node => node.dataset.column)"), "a column can be added"
    page.click(".menu input[data-column=album]")
    assert "album" not in page.evaluate("[...document.querySelectorAll('#head [data-column]')].map(node => node.dataset.column)"), "and removed"
    eventually(lambda: "columns=" in address(page), "the address has the columns", 5)
    page.key("Escape")
    assert page.evaluate("document.querySelector('.menu').open") is False, "Escape closes the menu"
    page.evaluate("localStorage.clear()")


def test_panel(page, pictures):
    page.key("/")
    page.key("Enter")
    assert "row" in focused(page), "Enter in the search field goes to the rows"
    page.key("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.position") == "1", "arrows move through rows"
    page.key("End")
    last = page.evaluate("document.activeElement.getAttribute('aria-rowindex')")
    assert last == page.evaluate("document.querySelector('#grid').getAttribute('aria-rowcount')"), "End goes to the last row"
    page.key("Home")
    page.key("ArrowDown")
    page.key("Enter")
    assert page.evaluate("document.querySelector('#panel').hidden") is False, "Enter opens the panel"
    assert focused(page) == "panel-close", "the focus goes into the panel"
    title = page.evaluate("document.querySelector('#panel-title').textContent")
    assert page.evaluate("document.querySelector('#panel').getAttribute('role') + document.querySelector('#panel').getAttribute('aria-labelledby')") == "dialogpanel-title", (
        "the panel is a labelled dialog")
    headings = page.evaluate("[...document.querySelectorAll('#panel h3')].map(node => node.firstChild.textContent)")
    for wanted in ("Waveform and beats", "Tempo candidates", "Tags", "File"):
        assert wanted in headings, f"the panel has {wanted}: {headings}"
    painted = page.evaluate("[...document.querySelectorAll('#panel canvas')].map(canvas => new Set(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).size > 8)")
    assert painted == [True, True], "the strips are drawn"
    assert page.evaluate("document.querySelector('#panel .command code').textContent").startswith("analyze set '"), (
        "the panel has the command that corrects")
    page.evaluate("document.querySelector('.closeup').focus()")
    before = page.evaluate("document.querySelector('.closeup').getAttribute('aria-valuetext')")
    page.key("Home")
    assert page.evaluate("document.querySelector('.closeup').getAttribute('aria-valuetext')").startswith("0:00"), (
        f"Home moves the close-up from {before}")
    pictures.take(page, "panel")
    page.click("#panel-next")
    assert page.evaluate("document.querySelector('#panel-title').textContent") != title, "the next track follows"
    page.key("ArrowUp")
    assert page.evaluate("document.querySelector('#panel-title').textContent") == title, "arrows step back"
    page.key("Escape")
    assert page.evaluate("document.querySelector('#panel').hidden") is True, "Escape closes the panel"
    assert page.evaluate("document.activeElement.dataset.position") == "1", "the focus returns to the row"


def test_address(page, report):
    open_at(page, report, "#q=e&bpm=90-130&sort=-title&columns=bpm%2Cgenre&nonsense=1&key=99Z")
    assert page.evaluate("document.querySelector('#q').value") == "e", "an address sets the search"
    assert chips(page) == ["90–130 BPM"], "and filters; what it does not know it leaves out"
    assert page.evaluate("document.querySelector('#head [data-column=title]').getAttribute('aria-sort')") == "descending", "and the order"
    assert page.evaluate("[...document.querySelectorAll('#head [data-column]')].map(node => node.dataset.column)") == ["title", "bpm", "genre"], (
        "and the columns")
    titles = rows(page)
    page.click("#rows tr.row")
    fragment = page.evaluate("new Promise(done => setTimeout(() => done(location.hash), 400))")
    assert "track=" in fragment, "the address has the open track"
    open_at(page, report, fragment)
    assert rows(page) == titles, "the same address shows the same rows"
    assert page.evaluate("!document.querySelector('#panel').hidden && document.querySelector('#panel-title').textContent") == titles[0], (
        "and opens the same track")
    page.key("Escape")
    page.evaluate("location.hash = '#q='")
    page.wait("document.querySelector('.chip') === null")


def test_failed_files(page, report):
    open_at(page, report, "#status=failed")
    names = rows(page)
    assert "empty.flac" in names and "notes.mp3" in names, f"failed files are found: {names}"
    page.click("#rows tr.row")
    assert page.evaluate("document.querySelector('#panel .warning').textContent").startswith("Failed. "), "a failed file says so"
    assert page.evaluate("document.querySelector('#panel-body').textContent.includes('unknown_format')") is False, "in words, without codes"
    page.key("Escape")
    open_at(page, report, "#status=damaged")
    assert rows(page) == ["Night Signal"], "damaged files are found"
    page.evaluate("location.hash = '#q='")
    page.wait("document.querySelector('.chip') === null")


def test_new_folders_and_causes(page):
    page.click(".newlist .folder")
    assert len(rows(page)) == 3, "a new folder shows its tracks"
    page.click("#status .link")
    page.click(".cause summary")
    assert page.evaluate("document.querySelector('.cause').open") is True, "a cause opens"
    page.click("#rows tr.row")
    check_contrast(page, "music with a panel")
    page.key("Escape")
    page.evaluate("document.querySelector('.cause').open = false")


def test_theme(page):
    ground = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.media(dark=False)
    light = ground()
    page.evaluate("scrollTo(0, 0)")
    page.click("#theme")
    page.click("#theme")
    assert page.evaluate("document.querySelector('#theme').textContent") == "Theme: dark", "the button changes the theme"
    dark = ground()
    assert dark != light, "dark is another color"
    page.click("#theme")
    page.media(dark=True)
    assert ground() == dark, "auto follows the system"
    page.media()


def test_pictures(page, pictures):
    check_width(page, "music")
    page.resize(1360, 1960)
    page.evaluate("scrollTo(0, 0)")
    pictures.take(page, "light")
    page.media(dark=True)
    pictures.take(page, "dark")
    page.media()
    page.resize(1360, 900)
    page.evaluate("location.hash = '#bpm=100-130&sort=-bpm'")
    page.wait("document.querySelector('.chip')")
    pictures.take(page, "filter")


def test_phone(browser, report, pictures):
    page = browser.page(390, 844)
    page.open(report.as_uri())
    page.click("#rows tr.row")
    assert page.evaluate("document.querySelector('#panel').getAttribute('aria-modal')") == "true", "on a phone the panel is a modal sheet"
    for _ in range(30):
        page.key("Tab")
        assert page.evaluate("document.querySelector('#panel').contains(document.activeElement)"), "the focus stays in the sheet"
    small = page.evaluate("[...document.querySelectorAll('#panel button, #filters select, #q')].filter(node => node.checkVisibility() && node.getBoundingClientRect().height < 24).map(node => node.outerHTML.slice(0, 60))")
    assert small == [], "targets are large enough for fingers"
    pictures.take(page, "phone-panel")
    page.key("Escape")
    page.evaluate("(() => { const s = document.querySelector('#sort'); s.value = '-bpm'; s.dispatchEvent(new Event('change')) })()")
    tempos = [float(text.split(",")[0]) for text in rows(page, ".bpm b") if text[0].isdigit()]
    assert tempos == sorted(tempos, reverse=True), "the select sorts"
    page.evaluate("scrollTo(0, 0)")
    pictures.take(page, "phone", full=True)
    check_quiet(page, "phone")
    page.close()


def test_nothing_was_wrong_all_the_time(page):
    check_quiet(page, "music")


def test_hostile_tags(browser, place, analyzed, pictures):
    path = analyzed("hostile", make_hostile)
    check_file(path, "hostile")
    page = browser.page()
    page.open(path.as_uri())
    titles = rows(page)
    for text in HOSTILE[:2]:
        assert text in titles, f"hostile: {text!r} stands in the table as it is"
    assert all(len(title) <= 301 for title in titles), "hostile: long titles are cut"
    assert all(title.strip() for title in titles), "hostile: no row without a name"
    for position in range(len(titles)):
        page.evaluate(f"document.querySelector('#rows [data-position=\"{position}\"]').click()")
        assert page.evaluate("!document.querySelector('#panel').hidden"), f"hostile: the panel of row {position} opens"
        page.evaluate("document.querySelector('#panel-close').click()")
    commands = []
    for position in range(len(titles)):
        page.evaluate(f"document.querySelector('#rows [data-position=\"{position}\"]').click()")
        commands += page.evaluate("[...document.querySelectorAll('#panel .command code')].map(node => node.textContent)")
        page.evaluate("document.querySelector('#panel-close').click()")
    for command in commands:  # the shell must read each path as one word that is the file
        script = f"analyze() {{ printf '%s\\0' \"$@\"; }}\n{command}"
        printed = place.run("bash", "-c", script, text=False, status=None).stdout.split(b"\0")
        assert any(os.path.exists(word) for word in printed if word.startswith(b"/")), f"hostile: the shell finds the file of {command!r}"
    check_width(page, "hostile")
    check_structure(page, "hostile")
    pictures.take(page, "hostile", full=True)
    check_quiet(page, "hostile")
    page.close()


def test_empty_library(browser, analyzed, pictures):
    path = analyzed("empty", lambda folder: (folder / "notes.txt").write_text("no music"))
    check_file(path, "empty")
    page = browser.page()
    page.open(path.as_uri())
    assert page.evaluate("document.querySelector('#empty b').textContent") == "No tracks yet.", "an empty library says so"
    assert page.evaluate("document.querySelector('#glance').hidden") is True, "and has no charts"
    check_width(page, "empty")
    pictures.take(page, "empty")
    check_quiet(page, "empty")
    page.close()


def test_many_tracks(browser, analyzed, pictures):
    path = analyzed("many", lambda folder: make_many(folder, 620), "tags-only")
    page = browser.page()
    page.open(path.as_uri())
    assert len(rows(page)) < 100, "only the rows in sight exist"
    assert page.evaluate("document.querySelector('#head [data-column=bpm]')") is None, "without tempos there is no column for them"
    page.key("/")
    page.key("Enter")
    page.key("End")
    assert rows(page)[-1] == "track 0619.wav", "the last row is there when one goes to it"
    page.evaluate("document.querySelector('#q').focus({ preventScroll: true })")
    page.type("061")
    assert rows(page)[0] == "track 0061.wav", "a search from far below shows the first rows it finds"
    seen = page.evaluate("document.querySelector('#rows tr.row').getBoundingClientRect().top - document.querySelector('#head').getBoundingClientRect().bottom")
    assert -2 < seen < 40, f"and scrolls to them: {seen}"
    page.key("Escape")
    page.evaluate("scrollTo(0, 0)")
    printed = page.evaluate("(() => { dispatchEvent(new Event('beforeprint')); const n = document.querySelectorAll('#rows tr.row').length; dispatchEvent(new Event('afterprint')); return n })()")
    assert printed == 500, "rows on paper"
    page.settle()
    assert len(rows(page)) < 100, "after printing, only those in sight again"
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(pictures.folder and pictures.folder / "print.pdf"))) > 3, "the report prints on several sheets"
    page.media(medium="print")
    assert page.evaluate("getComputedStyle(document.querySelector('.toolrow')).display") == "none", "controls are not printed"
    page.media()
    check_quiet(page, "many")
    page.close()
