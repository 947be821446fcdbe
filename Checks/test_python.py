"""The Python reader as a wheel: types, its own tests with libraries that the program makes, and its use without NumPy."""
import sys

import pytest
from workplace import ROOT

READER = ROOT / "python"
# Finds no NumPy, pandas or polars.
BARE = """
import importlib.util
import sys

for name in ("numpy", "pandas", "polars"):
    sys.modules[name] = None
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("numpy", "pandas", "polars") else real(name, package)
from nocturne_reader import Library

library = Library(sys.argv[2], analyze_missing=True)
times = library.beats(sys.argv[1]).times
assert isinstance(times, list) and isinstance(library.tracks(), list), times
"""

CLICKS = """
import pathlib, sys
sys.path.insert(0, "tests")
from conftest import beats, write_wave
write_wave(pathlib.Path(sys.argv[1]), beats(10, 120))
"""


@pytest.fixture(scope="module")
def reader(place):
    """Runs Python with the wheel installed, in the folder of its sources."""
    place.run(ROOT / "Scripts/make-wheel", place.folder / "wheel")
    wheel, = (place.folder / "wheel").glob("nocturne_reader-*.whl")
    place.run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", place.folder / "site", wheel)
    environment = {"PYTHONPATH": str(place.folder / "site"), "NOCTURNE_ANALYZE": str(place.program), "PYTHONDONTWRITEBYTECODE": "1"}
    return lambda *words: place.run(sys.executable, *words, cwd=READER, environment=environment).stdout


def test_version(place, reader):
    version = reader("-c", "import nocturne_reader; print(nocturne_reader.__version__, nocturne_reader.__file__)").split()
    assert version[1].startswith(str(place.folder)), "the reader is that of the wheel"
    assert version[0] == place.analyze("--version").stdout.strip()


def test_types(folder, reader):
    reader("-m", "mypy", "--cache-dir", folder / "mypy", "--no-error-summary")


def test_its_own_tests(reader):
    reader("-m", "pytest", "--quiet", "-p", "no:cacheprovider")


def test_without_numpy(folder, reader):
    clicks = folder / "clicks.wav"
    reader("-c", CLICKS, clicks)
    reader("-c", BARE, clicks, folder / "bare.sqlite")
