"""The Debian package in a clean root: installed, run, upgraded, removed and purged; and the container image (marker `package`).

`make check-package` runs this as root, after `make deb`. It takes two to three minutes, and downloads Debian packages from where this machine
gets its own (SOURCES=FILE: another list for apt). The tests are steps that build on those before them. The image is made with buildah if it is
there.
"""
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from sounds import ffmpeg
from waiting import eventually
from workplace import ROOT

pytestmark = pytest.mark.package
USER = "listener"
HOME = Path("/home") / USER
# What apt and dpkg keep for themselves, and caches that packages of Debian make.
NOT_COMPARED = ("proc", "sys", "dev", "tmp", "run", "home", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "etc/ld.so.cache")
# Packages are large, and need not be small here.
QUICK = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}
INSTALLED = [
    "usr/share/man/man1/analyze.1.gz", "usr/share/bash-completion/completions/analyze", "usr/share/zsh/vendor-completions/_analyze",
    "usr/share/fish/vendor_completions.d/analyze.fish", "usr/lib/systemd/user/nocturne.timer",
    "usr/lib/systemd/user/nocturne-server.service", "usr/lib/systemd/system/nocturne@.timer", "usr/share/doc/nocturne/changelog.Debian.gz",
    "usr/share/doc/nocturne/copyright",
]


def run(*words, **options):
    """What a program writes to standard output."""
    done = subprocess.run(list(map(str, words)), text=True, capture_output=True, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, words))}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout.strip()


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Root:
    """A Debian of its own, in a folder."""

    def __init__(self, folder, archive):
        self.folder = folder
        folder.mkdir()
        run("tar", "-xf", archive, "-C", folder)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        (folder / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        run("mount", "-t", "proc", "proc", folder / "proc")
        self.run("apt-get", "update", "-qq")
        self.run("useradd", "--create-home", USER)
        self.home = folder / HOME.relative_to("/")

    def words(self, *words, user=None):
        who = [f"--userspec={user}", self.folder, "env", "-i", f"--chdir={HOME}", f"HOME={HOME}"] if user else [
            self.folder, "env", "-i", "HOME=/root", "DEBIAN_FRONTEND=noninteractive"]
        return [str(word) for word in ("chroot", *who, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *words)]

    def run(self, *words, user=None, status=0):
        """Standard output and standard error together."""
        done = subprocess.run(self.words(*words, user=user), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == status, f"{shlex.join(map(str, words))}: status {done.returncode}\n{done.stdout[-2000:]}"
        return done.stdout

    def analyze(self, *words, status=0):
        return self.run("analyze", *words, user=USER, status=status)

    def apt(self, *words):
        self.run("apt-get", "-y", "-qq", *words)

    def install(self, package):
        shutil.copy(package, self.folder / "tmp")
        self.apt("install", "--no-install-recommends", f"/tmp/{package.name}")

    def start_line(self, unit):
        """What the unit starts."""
        lines = (self.folder / "usr/lib/systemd" / unit).read_text().splitlines()
        line = next(line for line in lines if line.startswith("ExecStart="))
        return line.removeprefix("ExecStart=").replace("%h", str(HOME)).split()

    def files(self):
        """All but what changes anyway."""
        found = set()
        for folder, folders, names in os.walk(self.folder):
            place = os.path.relpath(folder, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(f"{place}/{name}") not in NOT_COMPARED]
            found |= {os.path.normpath(f"{place}/{name}") for name in [*folders, *names]}
        return found - set(NOT_COMPARED)

    def state(self):
        """The digests of what belongs to the user, by path."""
        return {str(path.relative_to(self.home)): digest(path) for path in sorted(self.home.rglob("*")) if path.is_file()}


def make_music(folder):
    """Tracks with a note on each beat of a known tempo, each with a melody of its own, and eight seconds of one of them."""
    folder.mkdir(parents=True)
    for number, extension in enumerate(["flac", "mp3", "ogg", "opus", "m4a", "wav"]):
        beat = 60 / (100 + 10 * number)
        count = f"floor(t/{beat})"
        notes = [f"(220*{voice}+31*mod({count}*({count}+{number})*{voice + number}\\,{prime}))"
                 for voice, prime in ((1, 13), (2, 29), (4, 37), (7, 41))]
        sound = "+".join(f"0.2*sin(2*PI*{note}*t)*exp(-6*mod(t\\,{beat}))" for note in notes)
        ffmpeg("-f", "lavfi", "-i", f"aevalsrc={sound}:s=44100:d=20", "-metadata", f"title=Track {number}", "-metadata", "artist=Nobody",
               folder / f"track {number}.{extension}")
    ffmpeg("-ss", "5", "-t", "8", "-i", folder / "track 0.flac", folder.parent / "clip.wav")
    (folder / "broken.mp3").write_text("no music\n" * 100)


# What the tests build on


@pytest.fixture(scope="module", autouse=True)
def namespaces():
    """Mounts and processes end with these tests, however they end."""
    assert os.geteuid() == 0, "it makes a root of its own, for which it needs root: sudo Scripts/run-checks package"
    assert os.getpid() == 1, "Scripts/run-checks package starts these tests in namespaces of their own"


@pytest.fixture(scope="module")
def place(namespaces, folder):
    """The folder of the module, which others than root may enter."""
    for path in (folder, folder.parent):
        path.chmod(0o755)
    return folder


def make_package(output, *options):
    return Path(run(ROOT / "packaging/make-deb", *options, "--output", output, env={**os.environ, **QUICK}))


@pytest.fixture(scope="module")
def package(place):
    return make_package(place / "first")


@pytest.fixture(scope="module")
def archive(place):
    """A clean root, with the list from which this machine gets Debian's packages."""
    lists = [os.environ.get("SOURCES"), "/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"]
    sources = next((path for path in lists if path and os.path.exists(path)), None)
    assert sources, "apt has no list of sources; name one with SOURCES=FILE"
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().split("\n") if "=" in line)
    archive = place / "clean.tar"
    run("mmdebstrap", "--quiet", "--variant=apt", "--include=ca-certificates", release["VERSION_CODENAME"].strip('"'), archive, sources)
    return archive


@pytest.fixture(scope="module")
def root(place, archive, package):
    """A root with music and the package; `before`: the files that were there first."""
    root = Root(place / "root", archive)
    try:
        root.before = root.files()
        make_music(root.home / "Music")
        run("chown", "-R", f"--reference={root.home}", root.home)
        root.install(package)
        yield root
    finally:
        # Nothing is removed from what is mounted there.
        run("umount", "--lazy", root.folder / "proc")


# What is packed


def test_a_package_made_twice_has_the_same_bytes(place, package):
    assert digest(package) == digest(make_package(place / "second"))


@pytest.fixture(scope="module")
def archives(place):
    """The files of `make dist`, made twice."""
    for name in ("first", "second"):
        run(ROOT / "packaging/make-dist", "--output", place / "dist" / name)
    return [{path.name: path for path in (place / "dist" / name).iterdir()} for name in ("first", "second")]


def test_archives_made_twice_have_the_same_bytes(archives):
    first, second = ({name: digest(path) for name, path in made.items()} for made in archives)
    assert first == second and len(first) == 2


def test_an_unpacked_source_knows_its_version_and_its_time(place, archives):
    source = next(path for path in archives[0].values() if "linux" not in path.name)
    run("tar", "-xzf", source, "-C", place / "dist")
    unpacked = place / "dist" / source.name.removesuffix(".tar.gz") / "Scripts/version"
    for option in ([], ["--date"], ["--check"]):
        assert run(unpacked, *option) == run(ROOT / "Scripts/version", *option), f"Scripts/version {option}"


def test_lintian_has_nothing_to_say(package):
    run("lintian", "--allow-root", "--fail-on", "error,warning", package)


# What is installed


def test_the_program(root):
    assert run(ROOT / "Scripts/version") in root.analyze("--version")
    assert "WRONG" not in root.analyze("doctor")
    known = root.run("ldconfig", "-p")
    assert [name for name in run(ROOT / "packaging/loaded-libraries").split() if name not in known] == []


@pytest.mark.parametrize("path", INSTALLED)
def test_a_file_is_there(root, path):
    assert (root.folder / path).is_file()


def test_bash_completes(root):
    root.run("bash", "-c", ". /usr/share/bash-completion/completions/analyze && complete -p analyze")


def test_no_unit_is_enabled(root):
    assert not [path for folder in ("etc/systemd", "var/lib/systemd") for path in (root.folder / folder).rglob("*nocturne*")]


def test_fpcalc(root):
    if (root.folder / "usr/lib/nocturne/fpcalc").exists():
        assert "FINGERPRINT=AQ" in root.run("/usr/lib/nocturne/fpcalc", f"{HOME}/Music/track 0.flac", user=USER)


def test_systemd_reads_the_units(place, root):
    """The units as they were installed, by systemd's own check, which looks for man pages and programs in the system that it runs in."""
    units = sorted(root.folder.glob("usr/lib/systemd/*/nocturne*"))
    shown = {unit: place / "units" / unit.parent.name / unit.name.replace("@.", f"@{USER}.") for unit in units}
    for unit, path in shown.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        for name in (unit.name, path.name):
            path.with_name(name).write_text(unit.read_text().replace("/usr/bin/analyze", f"{root.folder}/usr/bin/analyze"))
    for path in shown.values():
        words = ["systemd-analyze", *(["--user"] if path.parent.name == "user" else []), "--man=no", "verify", path]
        done = subprocess.run(words, text=True, capture_output=True, env={**os.environ, "XDG_RUNTIME_DIR": str(place)})
        complaints = [line for line in done.stderr.splitlines() if "nocturne" in line]
        assert done.returncode == 0 and not complaints, f"{path}: {done.stderr}"


# What it does


def check_catalogs(root):
    assert "the database is sound" in root.analyze("doctor", "--check")
    assert "Track 0" in root.analyze("search", "track"), "a search finds"
    assert "Track 0" in root.analyze("match", "clip.wav"), "the clip is recognized"


@pytest.fixture(scope="module")
def night(root):
    """The first night, whose status tells of the broken file."""
    return root.run(*root.start_line("user/nocturne.service"), user=USER, status=3)


def test_the_second_night_is_silent(root, night):
    # Another user of the machine has the units of the system.
    assert root.run(*root.start_line("system/nocturne@.service"), user=USER) == ""
    report = json.loads((root.home / ".local/share/nocturne/reports/report.json").read_text())
    totals = report["run"]["totals"]
    assert (totals["seen"], totals["cached"], totals["failed"]) == (7, 6, 1), "six tracks are known, and one file failed"
    tempi = {record["path"].rsplit(" ", 1)[-1][0]: record["tempo"]["bpm"] for record in report["files"] if record["status"] == "ok"}
    wrong = {n: bpm for n, bpm in tempi.items() if not bpm or min(abs(bpm / (100 + 10 * int(n)) - r) for r in (0.5, 1, 2)) > 0.01}
    assert len(tempi) == 6 and not wrong, f"the tempi are those of the clicks, or an octave off: {tempi}"


def test_catalogs(root, night):
    root.analyze("catalog", "build")
    check_catalogs(root)


def test_doctor_names_what_belongs_to_somebody_else(root, night):
    """What a person does with sudo by mistake."""
    catalog = root.home / ".local/share/nocturne/catalog"
    run("chown", "root:", catalog)
    assert "it belongs to root" in root.analyze("doctor", status=1)
    run("chown", f"--reference={catalog.parent}", catalog)
    assert "manual page, completions for bash, zsh, fish" in root.analyze("doctor")


def answer(path="healthz"):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:8642/{path}", timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def wait_for_server(process):
    eventually(lambda: answer() == 200 or process.poll() is not None, "/healthz is 200", 60)
    assert answer() == 200, f"the server ended with {process.poll()}"


def test_the_server(root):
    process = subprocess.Popen(root.words(*root.start_line("user/nocturne-server.service"), user=USER), stderr=subprocess.DEVNULL)
    try:
        wait_for_server(process)
        assert answer("") == 200, "the app is there"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 143
    finally:
        process.kill()


# Upgrades and removal


@pytest.fixture(scope="module")
def upgraded(place, root, night):
    root.apt("install", "--no-install-recommends", "libchromaprint-tools")
    kept = root.state()
    root.install(make_package(place / "newer", "--revision", "2"))
    assert root.state() == kept, "the upgrade leaves the user's files alone"
    return root


def test_upgrade(upgraded):
    assert upgraded.run("dpkg-query", "--show", "--showformat=${Version}", "nocturne").endswith("-2"), "the newer version is installed"
    check_catalogs(upgraded)
    assert upgraded.analyze("Music") == "", "nothing is analyzed again"


def test_removal(upgraded):
    root, kept = upgraded, upgraded.state()
    root.apt("remove", "nocturne")
    assert not (root.folder / "usr/bin/analyze").exists()
    root.run("dpkg", "--purge", "nocturne")
    root.apt("purge", "libchromaprint-tools")
    root.apt("autoremove", "--purge")
    assert not root.files() - root.before, "nothing of it and of its dependencies is left"
    assert root.state() == kept and len(kept) > 8, "the user's files are there"


# The image


@pytest.mark.skipif(not shutil.which("buildah"), reason="there is no buildah")
def test_image(place, archive, package):
    """The Containerfile, over the clean root in place of the image that a registry would give."""
    environment = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot", "CONTAINERS_STORAGE_CONF": f"{place}/storage.conf"}
    (place / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{place}/images"\nrunroot = "{place}/run"\n')

    def buildah(*words):
        return run("buildah", *words, env=environment)

    base = buildah("from", "scratch")
    buildah("add", base, archive, "/")
    buildah("commit", base, "clean")
    buildah("rm", base)
    tag, context = "nocturne:checked", place / "context"
    context.mkdir()
    shutil.copy(package, context / "nocturne.deb")
    buildah("build", "--build-arg", "BASE=localhost/clean", "--tag", tag, "--format", "docker", "--file", ROOT / "packaging/Containerfile", context)
    facts = json.loads(buildah("inspect", "--type", "image", tag))["Docker"]["config"]
    assert facts["User"] == "65534:65534", "the image runs as nobody"
    container = buildah("from", tag)
    inside = ["run", container, "--"]
    assert buildah(*inside, "id", "-u") == "65534", "the image is not root"
    script = "mkdir -p /tmp/music && analyze metronome --bpm 120 --duration 20 --output /tmp/music/clicks.flac && analyze /tmp/music"
    buildah(*inside, "sh", "-c", script)
    buildah(*inside, "sh", "-c", "umask 077; echo 'phone 0123456789abcdef0123456789abcdef' > /data/tokens")
    health = facts["Healthcheck"]["Test"][1:]
    sick = subprocess.run(["buildah", *inside, *health], env=environment, capture_output=True)
    assert sick.returncode != 0, "without a server the image is unhealthy"
    process = subprocess.Popen(["buildah", *inside, *facts["Cmd"]], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_server(process)
        buildah(*inside, *health)
        assert answer("v1/me") == 401, "the image wants a token from elsewhere"
    finally:
        process.kill()
