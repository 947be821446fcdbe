"""The recipes of docs/workers.md, run exactly as written.

`/music` and `/data` become folders in a scratch folder; the rest of the text is not changed. This machine also plays the other machines: `ssh`
is a script that ignores the name of the machine. After each recipe the database must have an answer for every file, and a run over the library
must find nothing to do. Then the recipe is run again while its workers are being killed: the exit status must show missing answers, and the run
afterwards must add them. With Redis, consumers, workers, connections and the broker are killed or stopped at random until all messages are
answered: then no answer may be missing, and the database must be that of a run.

What needs only the tools that `Scripts/setup test` installs runs with all other checks, the rest (marker `recipes`) with `make recipes`.
"""
import collections
import csv
import io
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import kubernetes_validate
import pytest
import python_packages
import redis
import yaml
from records import differences, records
from sounds import save
from waiting import eventually
from workplace import ROOT, Workplace, free_port

FILES = 60


def recipe(title):
    """The code under a name in bold."""
    text = (ROOT / "docs/workers.md").read_text().split("## Recipes")[1]
    found = re.search(r"\*\*" + re.escape(title) + r"\*\*.*?```\w+\n(.*?)```", text, re.S)
    assert found, f"docs/workers.md has no recipe for {title}"
    return found.group(1)


class Place(Workplace):
    """A library, a folder for data, and a separate environment."""

    def __init__(self, program, folder, seconds=2):
        super().__init__(program, folder)
        self.data, self.bin = folder / "data", folder / "bin"
        self.data.mkdir()
        self.bin.mkdir()
        self.database = self.data / "library.sqlite"
        (self.bin / "analyze").symlink_to(program)
        self.write_program("ssh", '# Drops options and the name of a machine, and runs here.\nwhile [ "${1#-}" != "$1" ]; do shift; done\nshift\n'
                           '[ "$1" = -- ] && shift\nexec sh -c "$*"\n')
        self.environment |= {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "TMPDIR": str(folder), "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8",
            "ANALYZE_PIPELINE": "tags-only", "ANALYZE_ISOLATION": "none", "ANALYZE_DATABASE": str(self.database)}
        for number in range(FILES):
            path = self.music / (f"it's #{number}.wav" if number % 7 == 0 else f"folder {number % 3}/{number}.wav")
            path.parent.mkdir(exist_ok=True)
            sound = [math.sin(t * (200 + number) / 8000 * 6.28) for t in range(16_000)]
            save(path, sound * (seconds // 2), 8000, 9000)

    def write_program(self, name, text):
        (self.bin / name).write_text("#!/bin/sh\n" + text)
        (self.bin / name).chmod(0o755)

    def text(self, text):
        """A text of the page with the folders of this place."""
        return re.sub(r"(?<![\w/])/(music|data)\b", lambda match: f"{self.folder}/{match[1]}",
                      text.replace("file:///", f"file://{self.folder}/"))

    def try_to_run(self, *words, **environment):
        """Runs words to whatever status; both outputs are in `stdout`."""
        return self.run(*words, status=None, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, environment=environment)

    def shell(self, title):
        return self.try_to_run("sh", "-e", "-c", self.text(recipe(title)))

    def answered(self):
        report = self.analyze("report", "--report", "csv", "--output", "-", status=None)
        return sum(row["status"] == "ok" for row in csv.DictReader(io.StringIO(report.stdout))) if report.returncode == 0 else 0

    def finish(self):
        """Runs over the library, which adds missing answers; returns how many files these were."""
        done = self.analyze("run", self.music, "--verbose", status=(0, 3))
        found = re.search(r"analyzed +(\d+)", done.stdout + done.stderr)
        assert self.answered() == FILES, f"not all files have an answer after a run:\n{done.stdout}{done.stderr}"
        return int(found[1]) if found else 0


# How each is run


def shell(title):
    return lambda place: place.shell(title)


def array_job(run):
    """Plans, runs an array and merges what its elements have answered."""
    def run_all(place):
        planned = place.shell("A plan")
        if planned.returncode:
            return planned
        done = run(place)
        place.analyze("merge", place.data / "answers", status=(0, 3))
        return done
    return run_all


def each_element(place, command, variable, count):
    """Runs a command as each element of an array, one after the other; the last failure counts."""
    done = [place.try_to_run(*map(place.text, command), **{variable: str(index)}) for index in range(count)]
    return ([one for one in done if one.returncode] or done)[-1]


def slurm(place):
    with Cluster(place):
        script = place.folder / "job.sh"
        script.write_text(place.text(recipe("Slurm")))
        return place.try_to_run("sbatch", "--wait", "--chdir", place.folder, "--export=ALL", script)


def kubernetes(place):
    """Checks the manifest against its schema, and runs its command once for each index."""
    manifest = yaml.safe_load(recipe("Kubernetes"))
    kubernetes_validate.validate(manifest, "1.29", strict=True)
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    return each_element(place, container["command"], "JOB_COMPLETION_INDEX", manifest["spec"]["completions"])


# botocore wants older packages than other checks.
PROBLEMS = """
import json, sys
import botocore.session, botocore.validate
service = botocore.session.get_session().get_service_model("batch")
for operation, request in json.load(sys.stdin).items():
    problems = botocore.validate.ParamValidator().validate(request, service.operation_model(operation).input_shape)
    if problems.has_errors():
        print(operation, problems.generate_report())
"""


def batch(place):
    """Checks both requests against AWS's description of the service, and runs the command once for each index."""
    text = recipe("AWS Batch").strip()
    definition, end = json.JSONDecoder().raw_decode(text)
    submission = json.loads(text[end:])
    requests = json.dumps({"RegisterJobDefinition": definition, "SubmitJob": submission})
    assert place.run(python_packages.interpreter("objects"), "-c", PROBLEMS, input=requests).stdout == ""
    container = definition["containerProperties"]
    # What the description does not ask for.
    assert {mount["sourceVolume"] for mount in container["mountPoints"]} == {volume["name"] for volume in container["volumes"]}
    assert submission["jobDefinition"] == definition["jobDefinitionName"]
    return each_element(place, container["command"], "AWS_BATCH_JOB_ARRAY_INDEX", submission["arrayProperties"]["size"])


def stream(place):
    with Broker(place):
        return place.shell("Redis")


class Cluster:
    """A temporary Slurm cluster of this one node, on loopback."""

    def __init__(self, place):
        self.place, self.folder, self.processes = place, place.folder / "slurm", []

    def __enter__(self):
        for name in ("", "state", "spool"):
            (self.folder / name).mkdir()
        self.folder.chmod(0o755)
        try:
            self.start_all(os.uname().nodename, self.folder / "munge.socket")
        except AssertionError as error:
            self.__exit__()
            logs = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))
            raise AssertionError(f"{error}:\n{logs}") from None
        return self

    def start_all(self, host, socket):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self.configure(host, socket)
        self.start("munged", "--foreground", "--force", "--key-file", key, "--socket", socket, "--pid-file", self.folder / "munge.pid",
                   "--log-file", self.folder / "munge.log", "--seed-file", self.folder / "munge.seed")
        eventually(socket.exists, "munged starts")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", host)
        eventually(lambda: "idle" in self.place.try_to_run("sinfo", "-h", "-o", "%t").stdout, "Slurm starts", 60, every=.5)

    def configure(self, host, socket):
        user = self.place.run("id", "-un").stdout.strip()
        configuration = self.folder / "slurm.conf"
        configuration.write_text(f"""
ClusterName=recipes
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={socket}
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/ctld.pid
SlurmdPidFile={self.folder}/d.pid
SlurmctldLogFile={self.folder}/ctld.log
SlurmdLogFile={self.folder}/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        self.place.environment["SLURM_CONF"] = str(configuration)

    def start(self, name, *words):
        program = shutil.which(name, path=self.place.environment["PATH"] + ":/usr/sbin")
        assert program, f"{name} is not installed"
        with open(self.folder / f"{name}.out", "w") as output:
            self.processes.append(subprocess.Popen([program, *words], env=self.place.environment, stdout=output, stderr=subprocess.STDOUT))

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Broker:
    """A Redis at a socket in the folder of a place, which keeps its data as the page asks for it."""

    def __init__(self, place):
        self.folder, self.process = place.folder / "redis", None
        self.socket = self.folder / "socket"
        self.folder.mkdir()
        place.write_program("stream_job.py", f'exec "{sys.executable}" "{ROOT}/pipelines/redis/stream_job.py" "$@"\n')
        place.environment["REDIS_URL"] = f"unix://{self.socket}"
        self.client = redis.Redis(unix_socket_path=str(self.socket), protocol=2)

    def __enter__(self):
        self.start()
        return self

    def start(self):
        words = ["redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, "--appendonly", "yes",
                 "--appendfsync", "always", "--save", ""]
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        eventually(self.answers, "Redis starts")

    def answers(self):
        try:
            return self.client.ping()
        except redis.RedisError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def kill_connection(self, chance):
        # Not the one that asks.
        others = [found for found in self.client.client_list() if found["cmd"] not in ("client|list", "client")]
        if others:
            self.client.client_kill_filter(_id=chance.choice(others)["id"])

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


SHELLS = {"parallel": shell("GNU parallel"), "xargs": shell("xargs"), "shards": shell("Shards"), "plan": array_job(shell("xargs and a plan"))}
ENGINES = {"slurm": array_job(slurm), "kubernetes": array_job(kubernetes), "batch": array_job(batch), "redis": stream}
RUNNERS = SHELLS | ENGINES


@pytest.fixture
def scratch(folder):
    return Path(tempfile.mkdtemp(dir=folder))


def each(*names):
    return pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.recipes] if name in ENGINES else []) for name in names])


@each(*RUNNERS)
def test_recipe(program, scratch, name):
    place = Place(program, scratch)
    done = RUNNERS[name](place)
    assert done.returncode == 0, done.stdout
    assert place.answered() == FILES, f"not all files have an answer:\n{done.stdout}"
    assert place.finish() == 0, "a run found files to analyze that the recipe had answered"


class Killer(threading.Thread):
    """Kills workers of a place while it runs, until `count` have died."""

    def __init__(self, place, count):
        super().__init__(daemon=True)
        self.mark, self.count, self.killed, self.ended = f"{place.bin}:".encode(), count, 0, False

    def run(self):
        while not self.ended and self.killed < self.count:
            victim = next((int(process.name) for process in Path("/proc").iterdir() if process.name.isdigit() and self.is_victim(process)), None)
            if victim:
                send_signal(victim, signal.SIGKILL)
                self.killed += 1
            time.sleep(0.01)

    def is_victim(self, process):
        """Whether it is a worker in the middle of its work: it has written some answers."""
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if words[:2] != [b"analyze", b"worker"] or self.mark not in (process / "environ").read_bytes():
                return False
            return int(re.search(r"wchar: (\d+)", (process / "io").read_text())[1]) > 2000
        except OSError:
            return False

    def end(self):
        self.ended = True
        self.join()
        return self.killed


def send_signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


# The elements for Kubernetes and AWS Batch do not run at once here.
@each(*SHELLS, "slurm")
def test_recipe_while_workers_are_killed(program, scratch, name):
    place = Place(program, scratch)
    # Full analyses, so workers live long enough to be killed.
    place.environment["ANALYZE_PIPELINE"] = "default"
    killer = Killer(place, 2)
    killer.start()
    try:
        done = RUNNERS[name](place)
    finally:
        killed = killer.end()
    if done.returncode:
        # After a failure, users merge the answers that exist.
        place.analyze("merge", *(path for path in (place.data / "answers", place.data / "answers.ndjson") if path.exists()), status=(0, 3))
    assert place.answered() == FILES or done.returncode, f"answers are missing after {killed} workers were killed, and the status is 0"
    place.finish()


# Redis, its consumers and their workers while all of them are killed


class Consumers:
    """Consumers that are started again under their names whenever they die."""

    def __init__(self, place, count):
        self.place, self.processes, self.ended = place, {}, set()
        self.names = [f"consumer-{number}" for number in range(count)]

    def keep_running(self):
        """Whether one is still at work."""
        for name in self.names:
            process = self.processes.get(name)
            if process and process.poll() == 0:
                self.ended.add(name)
            if name not in self.ended and (not process or process.poll() is not None):
                self.processes[name] = self.start(name)
        return len(self.ended) < len(self.names)

    def start(self, name):
        words = ["stream_job.py", "work", "--consumer", name, "--output", self.place.data / "answers",
                 "--until-empty", "--claim-after", "2", "--deliveries", "8"]
        with open(self.place.folder / f"{name}.log", "a") as log:
            return subprocess.Popen(words, executable=self.place.bin / "stream_job.py", env=self.place.environment, stdout=log, stderr=log)

    def living(self):
        return [process.pid for process in self.processes.values() if process.poll() is None]

    def workers(self):
        children = [Path(f"/proc/{pid}/task/{pid}/children") for pid in self.living()]
        return [int(word) for path in children if path.exists() for word in path.read_text().split()]

    def log(self):
        return "".join((self.place.folder / f"{name}.log").read_text() for name in self.names)[-3000:]

    def end(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


class Chaos:
    """Kills and stops at random, and counts it."""

    def __init__(self, broker, consumers):
        self.broker, self.consumers, self.chance = broker, consumers, random.Random(31)
        self.killed, self.stopped = collections.Counter(), {}

    def pause(self):
        time.sleep(self.chance.uniform(0.05, 0.3))
        for pid in [pid for pid, until in self.stopped.items() if time.monotonic() > until]:
            self.wake(pid)

    def wake(self, pid):
        send_signal(pid, signal.SIGCONT)
        del self.stopped[pid]

    def strike(self):
        kind = self.chance.choices(["worker", "consumer", "connection", "stopped consumer", "broker"], [4, 4, 3, 1, 1])[0]
        victims = self.consumers.workers() if kind == "worker" else self.consumers.living()
        if kind == "broker":
            self.broker.kill()
            time.sleep(self.chance.uniform(0, 1))
            self.broker.start()
        elif kind == "connection":
            self.broker.kill_connection(self.chance)
        elif not victims:
            return
        elif kind == "stopped consumer":
            pid = self.chance.choice(victims)
            send_signal(pid, signal.SIGSTOP)
            # Long enough for others to take its message.
            self.stopped[pid] = time.monotonic() + 4
        else:
            send_signal(self.chance.choice(victims), signal.SIGKILL)
        self.killed[kind] += 1

    def end(self):
        for pid in list(self.stopped):
            self.wake(pid)
        self.consumers.end()


def count_answers(place):
    return sum(path.read_bytes().count(b"\n") for path in (place.data / "answers").glob("*.ndjson"))


def add_poison(place):
    """A file that costs each worker that reads it its life, as nothing in a library should."""
    poison, pipeline = place.music / "poison.wav", place.folder / "poison.yaml"
    shutil.copy(next(place.music.rglob("1.wav")), poison)
    pipeline.write_text((ROOT / "pipelines/default.yaml").read_text() + """
exec:
  probe:
    command: [sh, -c, 'case "$1" in *poison*) kill -KILL $PPID; sleep 1;; esac; echo {}', sh, "{path}"]
    input: path
""")
    place.environment["ANALYZE_PIPELINE"] = str(pipeline)
    return poison


@pytest.mark.recipes
def test_redis_while_everything_is_killed(program, scratch):
    """Chaos until all is answered; then nothing is missing, and the database is that of a run."""
    place = Place(program, scratch, seconds=180)
    poison = add_poison(place)
    with Broker(place) as broker:
        add, _, merge = place.text(recipe("Redis")).strip().split("\n")
        place.run("sh", "-e", "-c", add)
        consumers = Consumers(place, 3)
        chaos, end, before = Chaos(broker, consumers), time.monotonic() + 900, 0
        try:
            while consumers.keep_running():
                chaos.pause()
                assert time.monotonic() < end, f"the stream is not empty: {place.try_to_run('stream_job.py', 'status').stdout}\n{consumers.log()}"
                # On a busy machine, too, more files are answered than workers are killed.
                if (answers := count_answers(place)) >= before + 2:
                    before = answers
                    chaos.strike()
        finally:
            chaos.end()
        lost = [fields[b"line"].decode() for _, fields in broker.client.xrange("nocturne:lost")]
    assert lost == [str(poison)], consumers.log()
    answered = {json.loads(line)["key"] for path in (place.data / "answers").iterdir() for line in path.read_text().splitlines()}
    poison.unlink()
    assert answered == {str(path) for path in place.music.rglob("*.wav")}, "the files that have an answer"
    place.run("sh", "-e", "-c", merge)
    alone = place.data / "run.sqlite"
    place.analyze("run", place.music, "--database", alone, status=(0, 3))
    assert not differences(records(place, place.database), records(place, alone)), "the database is that of a run"
    assert chaos.killed.total() >= 10, chaos.killed
