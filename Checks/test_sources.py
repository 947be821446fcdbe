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


def declarations(text):
    """The declarations of a file that lie in no other, each with its attributes."""
    attributes = ""
    for part in re.split(r"^(?=[^\s})\]])", text, flags=re.M):
        attributes += part
        if not part.startswith("@") or re.search(r"\b(?:struct|class|actor|enum|func)\b", part):
            yield attributes
            attributes = ""


def without_time_limit(texts):
    """Types and functions of a module that have tests, but no `.bounded`."""
    limited, unlimited = set(), []
    for declaration in (one for text in texts for one in declarations(text)):
        head = re.search(r"\b(struct|class|actor|enum|extension|func) (`[^`]+`|[\w.]+)", declaration)
        if not head:
            continue
        if re.search(r"@(?:Suite|Test)\([^{]*\.bounded\b", declaration[:head.end()]):
            limited.add(head[2])
        elif "@Test" in declaration:
            unlimited.append((head[1], head[2]))
    return [name for kind, name in unlimited if kind != "extension" or name.partition(".")[0] not in limited]


def test_time_limits():
    """Tests that hang get a name (`bounded` in Sources/Testing/AnalysisTesting)."""
    modules = [folder for room in sorted((ROOT / "Tests").iterdir()) if room.name != "Fixtures" for folder in sorted(room.iterdir())]
    found = {folder.name: without_time_limit([path.read_text() for path in sorted(folder.rglob("*.swift"))]) for folder in modules}
    assert len(found) > 30
    assert {name: types for name, types in found.items() if types} == {}


@pytest.mark.parametrize("text, found", [
    ("/// Sums.\n@Suite(.bounded) struct SumTests {\n  @Test func one() {}\n}\n", []),
    ("@Suite(\n  .bounded, .disabled(if: isSanitized))\nfinal class SumTests {\n  @Test func one() {}\n}\n", []),
    ("@Suite(.bounded) struct SumTests {\n}\n\nextension SumTests {\n  @Test func one() {}\n}\n", []),
    ("struct Sum {\n}\n\n@Suite(.serialized) struct SumTests {\n  @Test func one() {}\n}\n", ["SumTests"]),
    ("struct `Sums of two` {\n  @Test(.bounded) func one() {}\n}\n", ["`Sums of two`"]),
    ("@Suite struct SumTests {\n}\n\nextension SumTests {\n  @Test func one() {}\n}\n", ["SumTests"]),
    ("@Test func one() {\n}\n", ["one"]),
])
def test_missing_time_limits_are_found(text, found):
    assert without_time_limit([text]) == found
