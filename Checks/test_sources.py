"""Sources have one format and plain English, and generated files agree with their sources."""
import re
import subprocess

import pytest
from workplace import ROOT


@pytest.fixture(scope="module")
def build(program):
    """The folder of the debug build that the program is of."""
    return program.parent


@pytest.mark.parametrize("command", [
    "Scripts/check-modules --scratch-path .build/tests --ignore-lock", "Scripts/check-prose",
    "swift format lint --strict --recursive Sources Tests Package.swift",
    "Scripts/version --check", "Scripts/write-manual --check {program}",
    "Scripts/write-resources --check", "Scripts/write-scale --check", "Benchmarks/check-weights",
])
def test_agrees(command, place, program):
    place.run(*(word.format(program=program) for word in command.split()), cwd=ROOT)


def test_documentation_of_the_libraries(place, build):
    """Every link leads somewhere (docc)."""
    place.run(ROOT / "Scripts/make-documentation", place.folder / "documentation", build, cwd=ROOT)


def test_libraries_of_packages(program):
    """Packages depend on the libraries that the program opens by name, which `ldd` does not list."""
    loaded = subprocess.run([ROOT / "packaging/loaded-libraries"], capture_output=True, text=True, check=True).stdout.split()
    dynamic = subprocess.run(["readelf", "--dynamic", program], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    named = re.findall(rb"\0(lib[\w+-]+\.so\.\d+)(?=\0)", program.read_bytes())
    assert sorted({name.decode() for name in named} - set(needed)) == loaded
    assert len(loaded) > 6
