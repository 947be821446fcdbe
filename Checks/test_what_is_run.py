"""Whatever checks something is run by `make test` or by a step of `make release-check`.

What these run is read from make and from the texts of the scripts that they name, and those that these name; what there is to run, from
the folders.
"""
import re
import subprocess

import pytest
from test_docs import blocks, reason_not_to_run
from workplace import ROOT

# Words of commands and scripts that name a file of the repository, also as parts of Python's `ROOT / "…"`.
NAMED = re.compile(r"(?:Scripts|Benchmarks|Checks|Fuzzing|packaging)/[\w./-]*[\w-]")
NOT_RUN = {
    "packaging/make-image": "test_package.py makes the image of its Containerfile, over a root of its own",
    "Datasette": "it is not among the clients that the checks install",
}


def code(path):
    """The text of a program without its comments and descriptions, where names do not mean that something runs."""
    return re.sub(r'^"""(?s:.*?)"""|^\s*(?:#|//).*$', "", path.read_text(errors="replace"), flags=re.M)


def commands_of(*words):
    return subprocess.run(["make", "--no-print-directory", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def commands():
    """All that `make test` and the steps of `make release-check` run."""
    listed = subprocess.run([ROOT / "Scripts/release-check", "--list"], capture_output=True, text=True, check=True).stdout
    steps = [line.split(": make ")[1].split() for line in listed.splitlines()]
    assert ["test"] in steps
    return "\n".join(commands_of(*step) for step in steps)


@pytest.fixture(scope="module")
def run(commands):
    """The files of the repository that are named by what is run; Scripts/run-checks runs the tests in Checks/."""
    found, texts = set(), [commands, *(code(path) for path in (ROOT / "Checks").glob("*.py") if path.name != "test_what_is_run.py")]
    while texts:
        for name in set(NAMED.findall(texts.pop())) - found:
            found.add(name)
            if (ROOT / name).is_file():
                texts.append(code(ROOT / name))
    return found


def test_scripts(run):
    checks = [path for pattern in ("Scripts/*check*", "Benchmarks/accuracy-*", "Benchmarks/**/*check*", "packaging/make-*") for path in ROOT.glob(pattern)]
    names = {str(path.relative_to(ROOT)) for path in checks if path.suffix != ".pyc"} - {"Scripts/release-check"}
    assert len(names) > 8
    assert names - run - NOT_RUN.keys() == set()


def test_files_of_checks(commands):
    """`Scripts/run-checks` alone runs all but the marked ones, which have steps of their own."""
    words = [line.split() for line in commands.splitlines() if line.startswith("Scripts/run-checks")]
    assert ["Scripts/run-checks"] in words
    subjects = {word for line in words for word in line[1:]}
    for path in sorted((ROOT / "Checks").glob("test_*.py")):
        if re.search(r"^pytestmark", path.read_text(), re.M):
            assert path.stem.removeprefix("test_").replace("_", "-") in subjects, f"{path.name} is left out by default, and no step names it"
        assert re.search(r"^def test_", path.read_text(), re.M), f"{path.name} has tests"


def test_examples(commands):
    """Package.swift builds each for the tests, which run it."""
    tests = "".join(path.read_text() for path in (ROOT / "Tests").rglob("*Example*Tests.swift"))
    manifest = (ROOT / "Package.swift").read_text()
    assert "Scripts/run-tests" in commands
    for example in sorted((ROOT / "Examples").iterdir()):
        assert f'"{example.name}"' in manifest and f'"{example.name}"' in tests, f"{example.name} is built and run"


def test_recipes():
    """Recipes of docs/workers.md and scripts of docs/recipes.md; other commands of pages are run by test_docs.py."""
    text = (ROOT / "Checks/test_recipes.py").read_text()
    recipes = re.findall(r"^\*\*(.*?)\*\*.*?```", (ROOT / "docs/workers.md").read_text().split("## Recipes")[1], re.M | re.S)
    assert len(recipes) >= 8
    assert [name for name in recipes if f'"{name}"' not in text] == []
    text, page = (ROOT / "Checks/test_exports.py").read_text(), ROOT / "docs/recipes.md"
    left = [script for _, script in blocks(page) if reason_not_to_run(script)]
    sections = [section.split("\n", 1) for section in page.read_text().split("\n## ")[1:]]
    assert len(sections) > 4
    for heading, section in sections:
        needed = re.search(r"```(?:sql|python)", section) or any(script.strip() in section for script in left)
        assert not needed or heading in text or heading in NOT_RUN, f"the recipe {heading}"


def test_fuzz_targets(commands):
    """`Fuzzing/run` without names runs all that the program lists."""
    assert re.search(r'^Fuzzing/run "\d+" *$', commands, re.M)
    listed = (ROOT / "Fuzzing/Targets/Fuzz.swift").read_text()
    targets = [name for path in (ROOT / "Fuzzing/Targets").glob("*.swift") for name in re.findall(r"struct (\w+): FuzzTarget", path.read_text())]
    assert len(targets) > 15
    assert [name for name in targets if f"{name}.self" not in listed] == []
