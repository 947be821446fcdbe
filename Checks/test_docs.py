"""The shell commands of README.md and docs/, run as they stand.

Each page finds a fresh home with the music of Fixtures/ as ~/Music, /music and /srv/music. These folders, /data and port
8642 are replaced by places that are free here; `analyze serve` goes on in the background until the page ends. Commands that
need what is not here (`NOT_HERE`) are not run. A command of a page must end with 0. README.md, which newcomers try with
Fixtures/, finds nothing else: each search must find something, and the page must show what the program prints.
"""
import json
import os
import re
import shutil
import signal
from pathlib import Path

import pytest
from sounds import encode, ffmpeg
from workplace import ROOT, Workplace, free_port

PAGES = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
# What a block needs that a check cannot have, with the reason that is counted.
NOT_HERE = [
    (r"\bsudo\b|\bpodman\b|systemctl|^make |swift build|^ssh |\bdatasette\b|\bsbatch\b|^#SBATCH", "another system"),
    (r"arecord|--play\b|analyze review|analyze listen|api/events", "a terminal, a sound device or Ctrl-C"),
    (r"api\.acoustid\.org|example\.org|http://…|s3://|send=lookup|--trust-proxy|--host 0\.0\.0\.0", "the network"),
    (r"mixxxdb|nc -N|^mpc |^beet |^pip |sshlogin|spark-submit|/data/job\b|stream_job|server=http|\$server|send-it", "another program; the check of that export or recipe runs it"),
    (r"^Benchmarks/|SONGS|with-level|clipping", "other material; a check or benchmark of its own runs it"),
]
# Beside the music: what pages call their files.
FILES = {
    "song.flac": "hunting.flac", "mix.flac": "hunting.flac", "Downloads/new.mp3": "rocker-ronni.mp3",
    "Music/Deprecation.ogg": "hell.ogg", "Music/hunting.ogg": "ivory-tower.ogg",
}
COMMAND = re.compile(r"^\(?(analyze|fpcalc|curl|find|sqlite3|ffmpeg|jq|while|for|cat|seq|mkdir|duckdb|python3|git|make|ssh|arecord|swift) ?")


def blocks(page):
    """The scripts of a page with their lines: fenced ones of sh, and the commands of fenced and indented transcripts."""
    text = page.read_text(encoding="utf-8")
    found = []
    fenced = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
    for match in fenced.finditer(text):
        scripts = [match[2]] if match[1] == "sh" else commands(match[2]) if match[1] == "" else []
        found += [(match.start(), script) for script in scripts]
    # Blank, and of the same length, so that lines keep their numbers.
    rest = fenced.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for match in re.finditer(r"^    \S.*\n(?:    .*\n|\n(?=    ))*", rest, re.M):
        found += [(match.start(), script) for script in commands(re.sub(r"^    ", "", match[0], flags=re.M))]
    return [(text.count("\n", 0, start) + 1, script) for start, script in sorted(found, key=lambda item: item[0])]


def commands(body):
    """The commands of a transcript (lines after `$ `), or of plain lines that begin with a program."""
    prompts = re.findall(r"^\$ ((?:.*\\\n)*.*)$", body, re.M)
    if prompts:
        return prompts
    if not COMMAND.match(body):
        return []
    # What is indented further belongs to the line before.
    return [part.strip("\n") for part in re.split(r"\n(?=\S)(?!done|fi\b)", body)]


def transcripts(page):
    """The commands of a page after `$ `, each with the lines that are shown below it."""
    shown = re.findall(r"^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", page.read_text(encoding="utf-8"), re.M)
    return [(command.split("#")[0].strip(), [line.strip() for line in lines.splitlines()]) for command, lines in shown]


class Home(Workplace):
    """A home with music, and the program in its path."""

    def __init__(self, program, folder, is_plain=False):
        """With `is_plain`, the library is the music and the signals of Fixtures/ alone."""
        folder.mkdir(exist_ok=True)
        super().__init__(program, folder / "home")
        self.outside, self.home, self.music = folder, self.folder, self.folder / "Music"
        self.is_plain = is_plain
        self.port = free_port()
        standard = {name: value for name, value in self.environment.items() if not name.startswith(("XDG_", "ANALYZE_"))}
        self.environment = {**standard, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "TMPDIR": str(folder)}
        for name in ("bin", "data"):
            (folder / name).mkdir()
        self.add_programs()
        self.add_music()
        songs = [] if is_plain else [self.home / "song.flac"]
        self.run("analyze", self.music, *songs, "--report", "ndjson", "--output", ".", "--quiet")
        self.run("analyze", "catalog", "build")
        (self.home / "library.sqlite").symlink_to(self.home / ".local/share/nocturne/library.sqlite")
        self.run("sh", "-c", "find . -name '*.opus' | analyze worker > ../answers.ndjson", cwd=self.music)
        shutil.copytree(self.home, folder / "fresh", symlinks=True)

    def add_programs(self):
        """`analyze serve` starts a server in the background, at a free port, and waits for it."""
        outside = self.outside
        (outside / "bin/analyze").write_text(f"""#!/bin/sh
[ "$1" = serve ] || exec {self.program} "$@"
shift
[ ! -e {outside}/server ] || kill "$(cat {outside}/server)" 2>/dev/null
{self.program} serve --port {self.port} "$@" >{outside}/server.log 2>&1 </dev/null &
echo $! >{outside}/server
for _ in $(seq 600); do
  curl -s -o /dev/null http://127.0.0.1:{self.port}/ && exit 0
  kill -0 $! 2>/dev/null || {{ cat {outside}/server.log; exit 1; }}
  sleep 0.1
done
exit 1
""")
        (outside / "bin/analyze").chmod(0o755)
        (outside / "bin/fpcalc").symlink_to(self.program)

    def add_music(self):
        self.music.parent.joinpath("music").rmdir()
        shutil.copytree(ROOT / "Fixtures/music", self.music)
        for name, source in FILES.items():
            if not (self.is_plain and name.startswith("Music/")):
                (self.home / name).parent.mkdir(exist_ok=True)
                shutil.copy(self.music / source, self.home / name)
        if self.is_plain:
            shutil.copytree(ROOT / "Fixtures/signals", self.music / "signals")
        else:
            self.add_examples()
        (self.home / "project").mkdir()
        (self.home / "project/.nocturne.yaml").write_text("report: [json]\n")
        song = self.home / "song.flac"
        ffmpeg("-ss", 3, "-t", 8, "-i", song, self.home / "clip.wav", self.home / "clip.mp3")
        encode(song, self.home / "mix.mp3")

    def add_examples(self):
        """Music that examples of the pages in docs/ need."""
        (self.music / "New").mkdir()
        shutil.copy(self.music / "coherence.opus", self.music / "New/coherence.opus")
        (self.music / "Albums").mkdir()
        for name in ["hell.ogg", "rocker-ronni.mp3", "through-space.m4a"]:
            shutil.copy(self.music / name, self.music / "Albums")
        for genre, bpm in {"Trance; Techno; House": 131, "DnB": 85}.items():
            clicks = f"aevalsrc='sin(2*PI*880*t)*exp(-60*mod(t,{60 / bpm}))':d=20:s=44100"
            encode(clicks, self.music / f"{bpm}.flac", genre=genre, date=1995)

    def renew(self):
        """The home as it was at first, for the next page."""
        self.end()
        shutil.rmtree(self.home)
        shutil.rmtree(self.outside / "data")
        shutil.copytree(self.outside / "fresh", self.home, symlinks=True)
        (self.outside / "data").mkdir()

    def here(self, script):
        """The script with the folders and the port of this place."""
        script = re.sub(r"(?<![\w./~-])/(?:srv/)?music\b", str(self.music), script)
        script = re.sub(r"(?<![\w./~-])/data\b", str(self.outside / "data"), script).replace("8642", str(self.port))
        script = re.sub(r"\bFILE\b", "song.flac", re.sub(r"(analyze serve.*)&$", r"\1", script))
        # The journal of the page's own write-tags.
        journals = sorted((self.home / ".local/share/nocturne").glob("library-tags-*.ndjson"))
        if journals:
            script = re.sub(r"library-tags-\d{8}T\d{6}Z\.ndjson", journals[-1].name, script)
        # The songs of the examples in docs/ are not here.
        if not self.is_plain:
            script = re.sub(r"^(analyze (?:search|broken)\b.*)$", r"{ \1\n} || [ $? -eq 1 ]", script, flags=re.M)
        return re.sub(r"/ID\b", lambda match: f"/{self.track_id()}", script)

    def track_id(self):
        database = self.home / ".local/share/nocturne/library.sqlite"
        return self.run("sqlite3", database, "SELECT track_id FROM song WHERE status = 'ok' LIMIT 1").stdout.strip()

    def run_script(self, script):
        """What is wrong with a script, or `None`."""
        if re.search(r"curl[^'\"\n]*\s[^'\"\s]*\?", script):
            return "has a ? that zsh takes for a pattern; quote the address"
        needs_server = "127.0.0.1:8642" in script and "serve" not in script and not (self.outside / "server").exists()
        done = self.run("sh", "-eu", "-c", ("analyze serve; " if needs_server else "") + self.here(script), status=None, text=False)
        return done.returncode and f"ends with {done.returncode}:\n{(done.stdout + done.stderr).decode(errors='replace')[-1500:]}"

    def end(self):
        server = self.outside / "server"
        if server.exists():
            try:
                os.kill(int(server.read_text()), signal.SIGTERM)
            except ProcessLookupError:
                pass
            server.unlink()


def reason_not_to_run(script):
    return next((reason for pattern, reason in NOT_HERE if re.search(pattern, script, re.M)), None)


@pytest.fixture(scope="module")
def furnished(program, folder):
    return Home(program, folder / "docs")


@pytest.fixture
def home(furnished):
    yield furnished
    furnished.renew()


@pytest.fixture(scope="module")
def plain(program, folder):
    home = Home(program, folder / "plain", is_plain=True)
    yield home
    home.end()


def assert_commands_run(name, home):
    problems = []
    for line, script in blocks(ROOT / name):
        if reason := reason_not_to_run(script):
            print(f"{name}:{line} is not run: it needs {reason}")
        elif problem := home.run_script(script):
            problems.append(f"{name}:{line} {problem}\n{script.rstrip()}")
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("name", PAGES)
def test_commands_of(name, home):
    assert_commands_run(name, home)


def test_readme_shows_what_is_printed(plain):
    """An ellipsis stands for anything."""
    stale = []
    for command, lines in transcripts(ROOT / "README.md"):
        if re.match(r"analyze (show|search)\b", command):
            printed = plain.run("sh", "-c", plain.here(command)).stdout.replace(str(plain.music), "/music").splitlines()
            starts = [line.split("…")[0].strip() for line in lines]
            stale += [f"{command}: {start}" for start in starts if not any(line.strip().startswith(start) for line in printed)]
    assert not stale


def test_readme_record_is_true(plain):
    """Numbers of the shown record that the record does not have under the same name."""
    shown = re.search(r"^    \{\"file_id\".*?\n\n", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[0]
    name = Path(re.search(r'"path": "([^"]*)"', shown)[1]).name
    records = plain.run("analyze", "report", "--report", "ndjson", "--output", "-").stdout.splitlines()
    record = next(line for line in records if Path(json.loads(line)["path"]).name == name)
    numbers = re.compile(r'"(\w+)": ?(-?\d+(?:\.\d+)?)')
    known = {(name, float(value)) for name, value in numbers.findall(record)}
    assert {(name, float(value)) for name, value in numbers.findall(shown)} <= known


def test_readme_commands_in_plain_fixtures(plain):
    assert_commands_run("README.md", plain)
