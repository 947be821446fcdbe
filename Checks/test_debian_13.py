"""The build on Debian 13, whose FFmpeg 7 has other libraries than that of Debian 12 (marker `debian_13`).

`make check-debian-13` runs this as root. It makes a clean root of Debian 13, and in it builds the program as `make run` does, and the tests.
The report of Fixtures/ must hold what that of the program built here holds. It takes an hour on two cores and 8 GB, and downloads
400 MB. The compiler is the one of this machine: a folder with `usr/bin/swift`, which is mounted there; SWIFT=FOLDER names another one.
"""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from workplace import ROOT

pytestmark = pytest.mark.debian_13
# What the compiler loads, and what the tests start, besides what is installed to build (Scripts/setup).
OTHERS = ["libxml2", "libcurl4t64", "libncurses6", "libuuid1", "ffmpeg", "procps"]
# What is copied from the build folder, so that nothing but Debian packages is downloaded.
FETCHED = ["checkouts", "repositories", "artifacts", "workspace-state.json"]
TESTS = "^(AudioDecodingTests|AudioEncodingTests|MediaContainersTests|TagReadingTests|TagWritingTests)\\."
# What differs from one run to the next.
VARYING = {"analyzed_at", "uri", "path", "file_id", "modified_at"}


def run(*words, **options):
    """What a program writes; its output is shown if it fails."""
    done = subprocess.run(list(map(str, words)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout[-6000:]}"
    return done.stdout


def wanted_packages():
    """The packages that Scripts/setup installs to build."""
    text = (ROOT / "Scripts/setup").read_text()
    return re.search(r'^packages="(.*?)"', text, re.S | re.M).group(1).split()


@pytest.fixture(scope="module")
def root(folder):
    """A clean Debian 13 with the compiler, and the working tree in /source."""
    assert os.geteuid() == 0 and os.getpid() == 1, "Scripts/run-checks debian-13 starts these tests, as root, in namespaces of their own"
    swift = Path(os.environ.get("SWIFT") or Path(shutil.which("swift")).resolve().parents[2])
    assert (swift / "usr/bin/swift").exists(), f"{swift} has no usr/bin/swift; name the folder of the compiler with SWIFT=FOLDER"
    root = folder / "root"
    run("mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(wanted_packages() + OTHERS)}", "trixie", root)
    try:
        for source in (swift, Path("/proc"), Path("/dev")):
            target = root / ("opt/swift" if source == swift else source.name)
            target.mkdir(exist_ok=True)
            run("mount", "--rbind", "--make-rslave", source, target)
        run("git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", root / "source")
        changed = run("git", "ls-files", "--modified", "--others", "--exclude-standard", "--deduplicate", cwd=ROOT).split("\n")
        for name in changed:
            if (ROOT / name).is_file():
                (root / "source" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / "source" / name)
        yield root
    finally:
        # Nothing is removed from what is mounted there.
        for name in ("opt/swift", "proc", "dev"):
            subprocess.run(["umount", "--recursive", "--lazy", root / name], stderr=subprocess.DEVNULL)


def inside(root, *words):
    return run("chroot", root, "env", "-i", "HOME=/root", "LC_ALL=C.UTF-8", "PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin",
               "sh", "-c", 'cd /source && exec "$@"', "sh", *words)


def fetched(root, build):
    """Gives a build folder the packages in Swift that this machine has."""
    for name in FETCHED:
        source, target = ROOT / build / name, root / "source" / build / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.exists() and not target.exists():
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, target, **({"symlinks": True} if source.is_dir() else {}))


def report(path):
    """The files of a report by name, without what differs from one run to the next."""
    def kept(value):
        if isinstance(value, dict):
            return {name: kept(inner) for name, inner in value.items() if name not in VARYING}
        return [kept(inner) for inner in value] if isinstance(value, list) else value

    files = json.loads(path.read_text())["files"]
    assert files, f"{path} names no file"
    return {Path(file["path"]).name: kept(file) for file in files}


def differences(ours, theirs, place=""):
    """Places in two records with different values; numbers may differ by what another decoder rounds."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return [found for name in sorted(ours.keys() | theirs.keys())
                for found in differences(ours.get(name), theirs.get(name), f"{place}/{name}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [found for number, pair in enumerate(zip(ours, theirs)) for found in differences(*pair, f"{place}/{number}")]
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return [] if abs(ours - theirs) <= max(0.001, 0.001 * abs(ours)) else [(place, ours, theirs)]
    return [] if ours == theirs else [(place, ours, theirs)]


def test_make_run_gives_the_same_report(root, folder):
    fetched(root, ".build")
    inside(root, "make", "run")
    theirs = report(root / "source/reports/generated/report.json")
    run(ROOT / ".build/release/analyze", "run", "Fixtures", "--database", folder / "library.sqlite", "--output", folder, "--report", "json",
        "--fail-on", "never", cwd=ROOT)
    ours = report(folder / "report.json")
    assert ours.keys() == theirs.keys()
    assert differences(ours, theirs) == []


def test_the_tests_of_what_uses_ffmpeg_pass(root):
    fetched(root, ".build/tests")
    with_tests = ("env", "NOCTURNE_TESTS=1")
    inside(root, *with_tests, "swift", "build", "--build-tests", "--scratch-path", ".build/tests")
    log = inside(root, *with_tests, "Scripts/run-tests", "--skip-build", "--scratch-path", ".build/tests", "--filter", TESTS)
    assert re.search(r"Test run with [1-9]\d{2,} tests", log), log[-2000:]
