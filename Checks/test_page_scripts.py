"""The scripts of the report and of the app, function by function: limits, sentences, keys, errors, and what is missing or empty.

They run in a browser in which time, the server, sound and canvases are stand-ins (page_scripts/stage.js), so a test controls all of
them and waits for nothing. The tests are functions in page_scripts/report.js and app.js. What is drawn must be as it was recorded in
page_scripts/pictures; NOCTURNE_RECORD=1 records it again.
"""
import json
import os
import re
from pathlib import Path

import pytest
from browser import Browser
from server import Server
from sounds import tone

FOLDER = Path(__file__).parent / "page_scripts"
PICTURES = FOLDER / "pictures"


def script(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def names(*files):
    return [(file, name) for file in files for name in re.findall(r"^tests\.(\w+) =", script(file), re.M)]


def on_stage(browser, *scripts):
    page = browser.page()
    page.call("Page.addScriptToEvaluateOnNewDocument", {"source": script("stage.js")})
    for name in scripts:
        page.call("Page.addScriptToEvaluateOnNewDocument", {"source": script(name)})
    return page


def open_report(page, plain, folder):
    """The report at `plain` with the library of report-data.js in it."""
    page.open("about:blank", "window.dataset")
    data = page.evaluate("dataset(ROWS, { library: { problems: PROBLEMS, runs: [['2026-01-01', 10], ['2026-01-02', 36], ['2026-01-09', 38]] } })")
    text = plain.read_text(encoding="utf-8")
    for name, value in data.items():
        text = re.sub(rf'(<script type="application/json" id="{name}">).*?(</script>)', lambda found: found[1] + json.dumps(value) + found[2], text, flags=re.S)
    path = folder / "full.html"
    path.write_text(text, encoding="utf-8")
    page.open(path.as_uri(), "document.querySelector('#rows')")
    page.evaluate("stage.pass(16)")
    page.evaluate(script("report.js"))


def open_app(page, address):
    page.open(address, "stage.port && document.querySelector('#main h1')")
    page.evaluate(script("app.js"))


def check(page, name):
    """Runs a test, and compares what it has drawn."""
    found = page.evaluate(f"stage.run({json.dumps(name)})")
    differing = []
    for picture, text in found["pictures"].items():
        path = PICTURES / f"{picture}.txt"
        if os.environ.get("NOCTURNE_RECORD") == "1":
            PICTURES.mkdir(exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        wanted = path.read_text(encoding="utf-8").rstrip("\n") if path.exists() else ""
        if text != wanted:
            lines = list(zip(text.split("\n") + ["(end)"], wanted.split("\n") + ["(end)"]))
            first = next((number for number, (a, b) in enumerate(lines) if a != b), len(lines) - 1)
            differing.append(f"{path.name}, line {first + 1}: {lines[first][0]!r} instead of {lines[first][1]!r}")
    return found["failures"] + differing


@pytest.fixture(scope="module")
def browser():
    # Chromium ignores changes of the address that come too fast; these are faster than any person's.
    with Browser(["--disable-ipc-flooding-protection"]) as browser:
        yield browser


@pytest.fixture(scope="module")
def library(place):
    tone(place.music / "one.wav", 1)
    place.analyze_music("--pipeline", "tags-only", "--report", "html", "--output", place.folder / "report")
    return place


@pytest.fixture(scope="module")
def pages(browser, library):
    """The page of a file of tests, opened when the first of them runs."""
    opened = {}

    def open_page(file):
        if file not in opened:
            opened[file] = on_stage(browser, "report-data.js") if file == "report.js" else on_stage(browser)
            if file == "report.js":
                open_report(opened[file], library.folder / "report/report.html", library.folder)
            else:
                open_app(opened[file], server.base)
        return opened[file]

    with Server(library) as server:
        yield open_page


@pytest.mark.parametrize("file, name", names("report.js", "app.js"))
def test_script(pages, file, name):
    failures = check(pages(file), name)
    assert failures == [], "\n".join(failures)


@pytest.mark.parametrize("file", ["report.js", "app.js"])
def test_nothing_was_wrong_all_the_time(pages, file):
    assert pages(file).complaints == []
