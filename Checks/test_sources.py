"""Sources have one format and plain English, and generated files agree with their sources."""
import pytest
from workplace import ROOT


@pytest.fixture(scope="module")
def build(program):
    """The folder of the debug build that the program is of."""
    return program.parent


@pytest.mark.parametrize("command", [
    "Scripts/check-modules --scratch-path .build/tests", "Scripts/check-prose", "swift format lint --strict --recursive Sources Tests Package.swift",
    "Scripts/version --check", "Scripts/write-manual --check {program}",
    "Scripts/write-resources --check", "Scripts/write-scale --check", "Benchmarks/check-weights",
])
def test_agrees(command, place, program):
    place.run(*(word.format(program=program) for word in command.split()), cwd=ROOT)


def test_documentation_of_the_libraries(place, build):
    """Every link leads somewhere (docc)."""
    place.run(ROOT / "Scripts/make-documentation", place.folder / "documentation", build, cwd=ROOT)
