"""Scripts/mutate finds the places where a fault is possible, and each fault changes what a program does only when it is switched on."""
import os
import subprocess
import sys

import pytest
from workplace import ROOT

sys.path.insert(0, str(ROOT / "Scripts/mutation"))
import candidates  # noqa: E402
import mutants  # noqa: E402
import tokens  # noqa: E402

MANIFEST = """// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "sample",
  targets: [
    .target(name: "CSample", path: "Sources/Ground/CSample"),
    .executableTarget(
      name: "sample", dependencies: ["CSample"], path: "Sources/Ground/sample",
      swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
  ])
"""
# Each line of output depends on one line of code, in which one fault of a kind is possible.
SWIFT = '''import CSample

struct Counts { var few = [3] }
var counts = Counts()
func isFew(_ number: Int) -> Bool { number < limit }
let limit = 9
print("comparison", isFew(limit), "\\(limit < 10 ? "no candidate" : "")")
print("constant", [4].first ?? -1)
guard counts.few == [3], !counts.few.isEmpty else { fatalError("never") }
let isEmpty = counts.few.isEmpty
if !isEmpty {
  print("condition")
} else {
  print("another branch")
}
counts.few.append(limit)
print("statement", counts.few)
print("operator", counts.few.isEmpty && isFew(limit), min(limit, counts.few.count))
print("C", sample_is_few(2), sample_is_few(3), sample_sum())
'''
C = """#include "sample.h"

static int sum;

static void add(int value) { sum += value; }

bool sample_is_few(int number) {
  if (number < 3) return true;
  return false;
}

int sample_sum(void) {
  sum = 0;
  add(5);
  return sum;
}
"""


def sources():
    listed = subprocess.run(["git", "ls-files", "Sources"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in listed if os.path.splitext(name)[1] in mutants.LANGUAGES]


def test_every_file_is_read():
    """Brackets match in all of them, so no text or comment was taken for code."""
    names = sources()
    assert len(names) > 1000
    for name in names:
        found = tokens.tokens((ROOT / name).read_text(), mutants.LANGUAGES[os.path.splitext(name)[1]])
        single = [token for token in found if token.text in tuple("()[]{}") and token.kind == "mark" and token.partner < 0]
        assert not single, f"{name}:{single[0].line}: {single[0].text} is alone"


@pytest.mark.parametrize("language, text", [
    ("swift", r'let a = "one \(b ? "two (" : ##"three \(" "##) (" /* four /* ( */ ( */ // ('),
    ("swift", 'let a = """\n  (" \\(b) "" (\n  """'),
    ("c", "char a = '(', *b = \"\\\"(\"; /* ( */ // ("),
    ("js", "const a = /[(/]'/, b = `${c.replace(/'/g, '(')} (`, d = 1 / 2; // ("),
])
def test_texts_and_comments(language, text):
    assert "(" not in [token.text for token in tokens.tokens(text, language)]


def test_kinds():
    found = candidates.Source("sample.swift", SWIFT, "swift").candidates()
    assert {one.kind for one in found} == set(candidates.KINDS)
    assert not [one for one in found if one.old == "10"], "a part of a text"
    assert not [one for one in found if "fatalError" in one.source], "a line that ends the program"


def test_the_same_seed_draws_the_same():
    found = candidates.Source("sample.swift", SWIFT, "swift").candidates()
    draws = [mutants.draw(found, 8, seed, set()) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
    first = draws[0][0]
    assert first not in mutants.draw(found, len(found), 1, {first.key}), "one that is listed as equivalent is not drawn"


@pytest.fixture(scope="module")
def package(folder):
    """A package with all its mutants, built; and these."""
    root, tree = folder / "package", folder / "tree"
    for name, text in {
        "Package.swift": MANIFEST, "Sources/Ground/sample/main.swift": SWIFT, "Sources/Ground/CSample/sample.c": C,
        "Sources/Ground/CSample/include/sample.h": "#include <stdbool.h>\nbool sample_is_few(int);\nint sample_sum(void);\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=root, check=True)
    tree.mkdir()
    drawn = mutants.draw(mutants.all_candidates(root), 100, 1, set())
    copy = mutants.Copy(root, tree, dict(enumerate(drawn, 1)))
    copy.prepare()
    command = ["swift", "build", "--scratch-path", ".build/tests", "-debug-info-format", "none"]
    return tree / ".build/tests/debug/sample", copy.build(command)


def test_each_fault_is_there_only_when_it_is_switched_on(package, folder):
    program, compiled = package

    def output(number, reached=""):
        environment = {**os.environ, "NOCTURNE_MUTANT": str(number), "NOCTURNE_REACHED": str(reached), "SWIFT_BACKTRACE": "enable=no"}
        done = subprocess.run([program], capture_output=True, text=True, env=environment)
        return done.stdout if done.returncode == 0 else f"status {done.returncode}"

    reached = folder / "reached"
    reached.write_bytes(bytes(max(compiled) + 1))
    right = output(0, reached)
    assert right.splitlines() == [
        "comparison false no candidate", "constant 4", "condition", "statement [3, 9]", "operator false 2", "C true false 5"]
    seen = {number for number, byte in enumerate(reached.read_bytes()) if byte}
    changes = {number: output(number) != right for number in compiled}
    unchanged = [mutants.describe(compiled[number]) for number, changed in changes.items() if not changed and number in seen]
    assert {one.kind for number, one in compiled.items() if changes[number]} == set(candidates.KINDS)
    assert {one.path.split(".")[-1] for number, one in compiled.items() if changes[number]} == {"swift", "c"}
    assert not [number for number in compiled if changes[number] and number not in seen], "what changes something was reached"
    assert len(unchanged) <= 4, unchanged
