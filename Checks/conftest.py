"""What all checks share: the program under test, folders to work in, libraries, a server over them, a browser.

Modules run side by side, each as a whole in one process (`--dist loadscope`), so what is made for a module is made once. What several
modules use is made by the first and kept in the folder of the session.
"""
import fcntl
import json
import os
import pickle
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

sys.dont_write_bytecode = True
import python_packages  # noqa: E402
import untidy_library  # noqa: E402
from browser import Browser  # noqa: E402
from server import Server  # noqa: E402
from workplace import ROOT, Workplace  # noqa: E402

# The longest first, so that none of them is alone at the end.
LONGEST = ["docs", "app", "tag_writing", "dj_exports", "recipes", "exports", "acoustid", "recognition_server", "spotify", "pages", "python",
           "objects", "openapi"]


def pytest_addoption(parser):
    parser.addoption("--analyze", type=Path, default=ROOT / ".build/tests/debug/analyze", help="the program under test")
    parser.addoption("--pictures", type=Path, help="a folder for screenshots of the pages, and figures")
    parser.addoption("--kills", type=int, default=60, help="how often write-tags is killed")
    parser.addoption("--music", type=Path, help="music for the job for Spark, by default Music/, which is fetched if it is not there")
    parser.addoption("--pieces", type=Path, help="a folder in which the pieces of this music are kept for the next time")
    parser.addoption("--files", type=int, default=2000, help="how many pieces")
    parser.addoption("--pause", type=float, default=4, help="mean seconds between kills during the job for Spark")
    parser.addoption("--measure", action="store_true", help="measure the job for Spark instead of disturbing it")
    parser.addoption("--examples", type=int, default=5, help="how many requests schemathesis makes for each route")


def is_worker(config):
    return hasattr(config, "workerinput")


def pytest_configure(config):
    """One folder for all that is made: it goes when the last process has ended, however it ends."""
    if not is_worker(config):
        os.environ["NOCTURNE_CHECKS"] = tempfile.mkdtemp(prefix="checks-")


def pytest_unconfigure(config):
    if is_worker(config):
        return
    shutil.rmtree(os.environ.pop("NOCTURNE_CHECKS"), ignore_errors=True)
    if reporter := config.pluginmanager.get_plugin("terminalreporter"):
        count = {name: len([one for one in reporter.stats.get(name, []) if getattr(one, "count_towards_summary", True)])
                 for name in ("passed", "failed", "error", "skipped")}
        skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
        print(f"checks: {count['passed']} passed, {count['failed'] + count['error']} failed{skipped}")


def pytest_sessionfinish(session, exitstatus):
    """A session that only skipped has checked nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not is_worker(session.config) and exitstatus == pytest.ExitCode.OK and reporter and not reporter.stats.get("passed"):
        if not session.config.option.collectonly:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def subject(item):
    return item.path.stem.removeprefix("test_")


def pytest_collection_modifyitems(config, items):
    order = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(subject(item), len(order)))


# The program and places to run it in


@pytest.fixture(scope="session")
def program(pytestconfig):
    path = Path(os.path.abspath(pytestconfig.option.analyze))
    assert path.exists(), f"{path} is not there: build it first (make test), or name one with --analyze"
    return path


@pytest.fixture(scope="session")
def clients():
    """The interpreter with the clients and readers of others, for those that run as programs of their own."""
    return python_packages.interpreter()


@pytest.fixture(scope="module")
def folder(request):
    """An empty folder for a module."""
    path = Path(tempfile.mkdtemp(prefix=f"{subject(request.node)}-", dir=os.environ["NOCTURNE_CHECKS"]))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def place(program, folder):
    """A workplace for a module, empty unless the module fills it."""
    return Workplace(program, folder)


# What several modules use


def made_once(name, make):
    """A folder of the session, and what `make` has given for it, whichever process has called it first."""
    folder = Path(os.environ["NOCTURNE_CHECKS"]) / name
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        given = folder.with_suffix(".pickle")
        if not given.exists():
            folder.mkdir()
            given.write_bytes(pickle.dumps(make(folder)))
        return folder, pickle.loads(given.read_bytes())


@pytest.fixture(scope="session")
def untidy(program):
    """A place with the untidy library, analyzed, and what its files are. It is only to be read: `copy_of` gives one to write into."""
    def make(folder):
        place = Workplace(program, folder)
        files = untidy_library.make(place.music)
        place.analyze_music()
        return files

    folder, files = made_once("untidy", make)
    place = Workplace(program, folder)
    place.files = files
    return place


def copy_of(place, folder):
    """The same music with a database of its own."""
    folder.mkdir()
    copy = Workplace(place.program, folder)
    copy.music = place.music
    shutil.copy(place.database, copy.database)
    return copy


@pytest.fixture(scope="module")
def untidy_server(untidy, folder):
    with Server(copy_of(untidy, folder / "untidy")) as server:
        yield server


# Browsers


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser


class Pictures:
    """Screenshots and figures for people, if they have named a folder for them."""

    def __init__(self, folder):
        self.folder = folder
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def take(self, page, name, full=False):
        if self.folder:
            page.picture(self.folder / f"{name}.png", full)

    def write(self, name, figures):
        if self.folder:
            (self.folder / f"{name}.json").write_text(json.dumps(figures))


@pytest.fixture(scope="session")
def pictures(pytestconfig):
    return Pictures(pytestconfig.option.pictures)
