"""The Debian package, installed in a clean root, run, upgraded, removed and purged; and the container image, made and run.

As root, after `make deb`; two to three minutes. Debian packages are downloaded from where this machine gets its own (SOURCES=FILE: another
list for apt). The image is made with buildah if it is there. The tests go on with one root, in their order.
"""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import pytest
from sounds import encode, ffmpeg
from waiting import eventually
from workplace import ROOT

pytestmark = pytest.mark.package
USER = "listener"
HOME = pathlib.Path("/home") / USER
# What apt and dpkg keep for themselves, and caches that packages of Debian make.
NOT_COMPARED = ("proc", "sys", "dev", "tmp", "run", "home", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "etc/ld.so.cache")


def command(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, text=True, **options)


def sources():
    """The list with which this machine gets Debian's packages."""
    paths = [os.environ.get("SOURCES"), "/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"]
    found = next((path for path in paths if path and os.path.exists(path)), None)
    assert found, "apt has no list of sources; name one with SOURCES=FILE"
    return found


class Root:
    """A Debian of its own, in a folder."""

    def __init__(self, folder, archive):
        self.folder = folder
        folder.mkdir()
        command("tar", "-xf", archive, "-C", folder)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        (folder / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        command("mount", "-t", "proc", "proc", folder / "proc")
        self.run("apt-get", "update", "-qq")
        self.run("useradd", "--create-home", USER)

    def words(self, *words, user=None):
        who = [f"--userspec={user}", self.folder, "env", "-i", f"--chdir={HOME}", f"HOME={HOME}"] if user else [
            self.folder, "env", "-i", "HOME=/root", "DEBIAN_FRONTEND=noninteractive"]
        return [str(word) for word in ("chroot", *who, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", *words)]

    def run(self, *words, user=None):
        """-> (exit status, standard output and standard error)"""
        done = subprocess.run(self.words(*words, user=user), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def analyze(self, *words):
        return self.run("analyze", *words, user=USER)

    def apt(self, *words):
        status, text = self.run("apt-get", "-y", "-qq", *words)
        assert status == 0, (f"apt-get {' '.join(words)}", text[-1000:])

    def put(self, package):
        shutil.copy(package, self.folder / "tmp")
        return f"/tmp/{package.name}"

    def files(self):
        """All but what changes anyway."""
        found = set()
        for folder, folders, names in os.walk(self.folder):
            place = os.path.relpath(folder, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(f"{place}/{name}") not in NOT_COMPARED]
            found |= {os.path.normpath(f"{place}/{name}") for name in [*folders, *names]}
        return found - set(NOT_COMPARED)

    def state(self):
        """Of what belongs to the user: paths and their digests."""
        home = self.folder / HOME.relative_to("/")
        return {
            str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(home.rglob("*")) if path.is_file()
        }


def make_music(folder):
    """Tracks with a note on each beat of a known tempo, each with a melody of its own, and eight seconds of one of them."""
    folder.mkdir(parents=True)
    formats = ["flac", "mp3", "ogg", "opus", "m4a", "wav"]
    for number, extension in enumerate(formats):
        beat = 60 / (100 + 10 * number)
        count = f"floor(t/{beat})"
        notes = [f"(220*{voice}+31*mod({count}*({count}+{number})*{voice + number}\\,{prime}))"
                 for voice, prime in ((1, 13), (2, 29), (4, 37), (7, 41))]
        sound = "+".join(f"0.2*sin(2*PI*{note}*t)*exp(-6*mod(t\\,{beat}))" for note in notes)
        encode(f"aevalsrc={sound}:s=44100:d=20", folder / f"track {number}.{extension}", title=f"Track {number}", artist="Nobody")
    ffmpeg("-ss", 5, "-t", 8, "-i", folder / "track 0.flac", folder.parent / "clip.wav")
    (folder / "broken.mp3").write_text("no music\n" * 100)


@pytest.fixture(scope="module", autouse=True)
def own_namespace():
    """Mounts and processes end with these tests, however they end."""
    assert os.geteuid() == 0, "needs root, to make a root of its own: sudo Scripts/run-checks package"
    assert os.getpid() == 1, "Scripts/run-checks starts these tests in namespaces of their own"


def make_package(folder, place, *options):
    # Packages are large, and need not be small here.
    quick = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}
    made = command(ROOT / "packaging/make-deb", *options, "--output", folder / place, env={**os.environ, **quick},
                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return pathlib.Path(made.stdout.strip())


@pytest.fixture(scope="module")
def package(folder):
    return make_package(folder, "first")


@pytest.fixture(scope="module")
def archive(folder):
    """A clean Debian."""
    folder.chmod(0o755)
    os.chmod(os.environ["NOCTURNE_CHECKS"], 0o755)
    path = folder / "clean.tar"
    release = dict(line.split("=", 1) for line in open("/etc/os-release").read().split("\n") if "=" in line)
    command("mmdebstrap", "--quiet", "--variant=apt", "--include=ca-certificates", release["VERSION_CODENAME"].strip('"'), path, sources())
    return path


@pytest.fixture(scope="module")
def root(folder, archive, package):
    """A clean Debian where a user has music, and then the package."""
    root = Root(folder / "root", archive)
    root.before = root.files()
    make_music(root.folder / f"home/{USER}/Music")
    command("chown", "-R", f"--reference={root.folder}/home/{USER}", root.folder / f"home/{USER}")
    root.apt("install", "--no-install-recommends", root.put(package))
    yield root
    # Never into what is mounted there.
    subprocess.run(["umount", "--lazy", root.folder / "proc"], stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", "--one-file-system", root.folder])


def test_made_twice_it_has_the_same_bytes(folder, package):
    again = make_package(folder, "second")
    assert len({hashlib.sha256(path.read_bytes()).hexdigest() for path in (package, again)}) == 1


def test_lintian_has_nothing_to_say(package):
    done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", str(package)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_archives(folder):
    """`make dist`, twice, and that an unpacked source knows its version and its time."""
    for place in ("first", "second"):
        command(ROOT / "packaging/make-dist", "--output", folder / "dist" / place, stdout=subprocess.DEVNULL)
    made = {path.name: path.read_bytes() for path in (folder / "dist/first").iterdir()}
    again = {path.name: path.read_bytes() for path in (folder / "dist/second").iterdir()}
    assert made == again and len(made) == 2, ("made twice, the archives have the same bytes", sorted(made))
    source = next(path for path in (folder / "dist/first").iterdir() if "linux" not in path.name)
    command("tar", "-xzf", source, "-C", folder / "dist")
    unpacked = folder / "dist" / source.name.removesuffix(".tar.gz") / "Scripts/version"
    for option in ([], ["--date"], ["--check"]):
        texts = [command(script, *option, stdout=subprocess.PIPE).stdout for script in (ROOT / "Scripts/version", unpacked)]
        assert texts[0] == texts[1], f"the source archive knows Scripts/version {' '.join(option)}"


def test_installed(root):
    status, text = root.analyze("--version")
    version = command(ROOT / "Scripts/version", stdout=subprocess.PIPE).stdout.strip()
    assert status == 0 and version in text, "analyze --version says the version of the source"
    status, text = root.analyze("doctor")
    assert status == 0 and "WRONG" not in text, "analyze doctor finds nothing wrong"
    for path in (
        "usr/share/man/man1/analyze.1.gz", "usr/share/bash-completion/completions/analyze",
        "usr/share/zsh/vendor-completions/_analyze", "usr/share/fish/vendor_completions.d/analyze.fish",
        "usr/lib/systemd/user/nocturne.timer", "usr/lib/systemd/user/nocturne-server.service",
        "usr/lib/systemd/system/nocturne@.timer", "usr/share/doc/nocturne/changelog.Debian.gz",
        "usr/share/doc/nocturne/copyright"):
        assert (root.folder / path).is_file(), f"/{path} is there"
    status, text = root.run("bash", "-c", ". /usr/share/bash-completion/completions/analyze && complete -p analyze")
    assert status == 0, ("bash completes analyze", text)
    enabled = [path for folder in ("etc/systemd", "var/lib/systemd") for path in (root.folder / folder).rglob("*nocturne*")]
    assert not enabled, "no unit is enabled"
    if (root.folder / "usr/lib/nocturne/fpcalc").exists():
        status, text = root.run("/usr/lib/nocturne/fpcalc", f"{HOME}/Music/track 0.flac", user=USER)
        assert status == 0 and "FINGERPRINT=AQ" in text, "fpcalc makes a fingerprint"


def test_units(root, folder):
    """The units as they were installed, their lines run by hand, and by systemd's own check."""
    for unit in sorted(root.folder.glob("usr/lib/systemd/*/nocturne*")):
        name = unit.name.replace("@.", f"@{USER}.")
        kind = ["--user"] if unit.parent.name == "user" else []
        # It looks for man pages and programs in the system that it runs in.
        shown = folder / "units" / unit.parent.name / unit.name.strip("@") / name
        shown.parent.mkdir(parents=True)
        shown.write_text(unit.read_text().replace("/usr/bin/analyze", f"{root.folder}/usr/bin/analyze"))
        others = ["nocturne.service", "nocturne-server.service", "nocturne@.service"]
        for other in others:
            source = unit.parent / other
            if source.exists() and other != unit.name:
                (shown.parent / other).write_text(source.read_text().replace("/usr/bin/analyze", f"{root.folder}/usr/bin/analyze"))
        done = subprocess.run(
            ["systemd-analyze", *kind, "--man=no", "verify", str(shown)], text=True, capture_output=True,
            env={**os.environ, "XDG_RUNTIME_DIR": str(shown.parent)})
        complaints = [line for line in done.stderr.splitlines() if "nocturne" in line]
        assert done.returncode == 0 and not complaints, (f"systemd-analyze verify {unit.parent.name}/{unit.name}", done.stderr)


def start_line(root, unit, **replaced):
    text = (root.folder / "usr/lib/systemd" / unit).read_text()
    line = next(line for line in text.splitlines() if line.startswith("ExecStart=")).removeprefix("ExecStart=")
    return line.replace("%h", str(HOME)).split()


def check_catalogs(root, when):
    status, text = root.analyze("doctor", "--check")
    assert status == 0 and "the database is sound" in text, f"{when}: the database is sound"
    status, text = root.analyze("search", "track")
    assert status == 0 and "Track 0" in text, f"{when}: a search finds"
    status, text = root.analyze("match", "clip.wav")
    assert status == 0 and "Track 0" in text, f"{when}: the clip is recognized"


def test_night(root):
    words = start_line(root, "user/nocturne.service")
    status, text = root.run(*words, user=USER)
    assert status == 3, (f"{' '.join(words)}: exit status 3 for the broken file", (status, text))
    # Another user of the machine has the units of the system; the first night has been.
    words = start_line(root, "system/nocturne@.service")
    status, text = root.run(*words, user=USER)
    assert (status, text) == (0, ""), f"{' '.join(words)}: the second night is silent"
    report = json.loads((root.folder / f"home/{USER}/.local/share/nocturne/reports/report.json").read_text())
    totals = report["run"]["totals"]
    assert (totals["seen"], totals["cached"], totals["failed"]) == (7, 6, 1), "six tracks are known, and one file failed"
    tempi = {record["path"].rsplit(" ", 1)[-1][0]: record["tempo"]["bpm"] for record in report["files"] if record["status"] == "ok"}
    wrong = {n: bpm for n, bpm in tempi.items() if not bpm or min(abs(bpm / (100 + 10 * int(n)) - r) for r in (0.5, 1, 2)) > 0.01}
    assert len(tempi) == 6 and not wrong, "the tempi are those of the clicks, or an octave off"
    status, text = root.analyze("catalog", "build")
    assert status == 0, ("the catalog is built", text)
    check_catalogs(root, "installed")


def test_doctor(root):
    """What a person does with sudo by mistake."""
    catalog = root.folder / f"home/{USER}/.local/share/nocturne/catalog"
    command("chown", "root:", catalog)
    status, text = root.analyze("doctor")
    assert status == 1 and "it belongs to root" in text, "doctor names what belongs to somebody else"
    command("chown", f"--reference={catalog.parent}", catalog)
    status, text = root.analyze("doctor")
    assert status == 0 and "manual page, completions for bash, zsh, fish" in text, "doctor: the manual and completions are installed"


def answer(path="healthz"):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:8642/{path}", timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def wait_for_server(process):
    eventually(lambda: answer() == 200 or process.poll() is not None, "the server answers", 60, .2)
    return answer()


def test_served(root):
    words = start_line(root, "user/nocturne-server.service")
    process = subprocess.Popen(root.words(*words, user=USER), stderr=subprocess.DEVNULL)
    assert wait_for_server(process) == 200, f"{' '.join(words)}: /healthz is 200"
    assert answer("") == 200, "the app is there"
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143, "SIGTERM ends it with 143"


def test_upgrade(root, folder):
    root.apt("install", "--no-install-recommends", "libchromaprint-tools")
    kept = root.state()
    root.apt("install", "--no-install-recommends", root.put(make_package(folder, "newer", "--revision", "2")))
    status, text = root.run("dpkg-query", "--show", "--showformat=${Version}", "nocturne")
    assert text.endswith("-2"), "the newer version is installed"
    assert root.state() == kept, "the upgrade leaves the user's files alone"
    check_catalogs(root, "upgraded")
    status, text = root.analyze("Music")
    assert (status, text) == (0, ""), "upgraded: nothing is analyzed again"


def test_removal(root):
    kept = root.state()
    root.apt("remove", "nocturne")
    assert not (root.folder / "usr/bin/analyze").exists(), "removed: analyze is gone"
    status, text = root.run("dpkg", "--purge", "nocturne")
    assert status == 0, f"purged: {text}"
    root.apt("purge", "libchromaprint-tools")
    root.apt("autoremove", "--purge")
    left = sorted(root.files() - root.before)
    assert not [path for path in left if "nocturne" in path or "analyze" in path], "purged: nothing of it is left"
    assert not left, "purged: nothing of its dependencies is left"
    assert root.state() == kept and len(kept) > 8, "purged: the user's files are there"


@pytest.mark.skipif(not shutil.which("buildah"), reason="there is no buildah")
def test_image(folder, archive, package):
    """The Containerfile, over the clean root in place of the image that a registry would give."""
    environment = {
        **os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot", "CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf"}
    (folder / "storage.conf").write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/images"\nrunroot = "{folder}/run"\n')

    def buildah(*words, **options):
        return command("buildah", *words, env=environment, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}).stdout.strip()

    base = buildah("from", "scratch")
    buildah("add", base, archive, "/")
    buildah("commit", base, "clean")
    buildah("rm", base)
    tag = "nocturne:checked"
    words = ["--build-arg", "BASE=localhost/clean", "--tag", tag, "--format", "docker", "--file", ROOT / "packaging/Containerfile"]
    context = folder / "context"
    context.mkdir()
    shutil.copy(package, context / "nocturne.deb")
    buildah("build", *words, context)
    facts = json.loads(buildah("inspect", "--type", "image", tag))["Docker"]["config"]
    assert facts["User"] == "65534:65534", "the image runs as nobody"
    container = buildah("from", tag)
    assert buildah("run", container, "--", "id", "-u") == "65534", "the image is not root"
    script = "mkdir -p /tmp/music && analyze metronome --bpm 120 --duration 20 --output /tmp/music/clicks.flac && analyze /tmp/music"
    buildah("run", container, "--", "sh", "-c", script)
    buildah("run", container, "--", "sh", "-c", "umask 077; echo 'phone 0123456789abcdef0123456789abcdef' > /data/tokens")
    health = facts["Healthcheck"]["Test"][1:]
    sick = subprocess.run(["buildah", "run", container, "--", *health], env=environment, capture_output=True)
    assert sick.returncode != 0, "without a server the image is unhealthy"
    process = subprocess.Popen(
        ["buildah", "run", container, "--", *facts["Cmd"]], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert wait_for_server(process) == 200, "the image's command serves"
    well = subprocess.run(["buildah", "run", container, "--", *health], env=environment, capture_output=True, text=True)
    assert well.returncode == 0, ("the image is healthy", well.stderr)
    assert answer("v1/me") == 401, "the image wants a token from elsewhere"
    process.kill()
