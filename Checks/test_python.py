"""The Python reader: types, its tests with libraries that the program makes, and the wheel without NumPy."""
import pytest
from workplace import ROOT

BARE = """
import sys

for name in ("numpy", "pandas", "polars"):
    sys.modules[name] = None
import importlib.util

real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("numpy", "pandas", "polars") else real(name, package)
from nocturne_reader import Library

library = Library(sys.argv[2], analyze_missing=True)
times = library.beats(sys.argv[1]).times
assert isinstance(times, list) and isinstance(library.tracks(), list)
"""
CLICKS = """
import pathlib, sys
from conftest import beats, write_wave
write_wave(pathlib.Path(sys.argv[1]), beats(10, 120))
"""


@pytest.fixture(scope="module")
def python(place, clients):
    """Python with the wheel, in the folder of the reader's sources."""
    wheels, installed = place.folder / "wheels", place.folder / "installed"
    place.run(ROOT / "Scripts/make-wheel", wheels)
    place.run(clients, "-m", "pip", "install", "--quiet", "--no-deps", "--target", installed, *wheels.glob("nocturne_reader-*.whl"))
    environment = {"NOCTURNE_ANALYZE": str(place.program), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{installed}:{ROOT}/python/tests"}
    return lambda *words: place.run(clients, *words, cwd=ROOT / "python", environment=environment).stdout


def test_the_wheel_has_the_version_of_the_program(place, python):
    assert place.analyze("--version").stdout == python("-c", "import nocturne_reader; print(nocturne_reader.__version__)")


def test_types(place, python):
    python("-m", "mypy", "--cache-dir", place.folder / "mypy", "--no-error-summary")


def test_its_own_tests(python):
    python("-m", "pytest", "--quiet", "-p", "no:cacheprovider")


def test_without_numpy(place, python):
    click = place.folder / "click.wav"
    python("-c", CLICKS, click)
    python("-c", BARE, click, place.database)
