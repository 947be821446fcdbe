"""The recipes of docs/workers.md, exactly as written, with GNU parallel, xargs, Slurm and Redis; those for Kubernetes and AWS Batch are
checked against their schemas, and their commands run once for each element.

`/music` and `/data` become folders in a scratch folder; the rest of the text is not changed. This machine also plays the other machines:
`ssh` is a script that ignores the name of the machine. After each recipe the database must have an answer for every file, and a run over
the library must find nothing to do. Then the recipe is run again while its workers are being killed: the exit status must show missing
answers, and the run afterwards must add them. With Redis, consumers, workers, connections and the broker are killed or stopped at random
until all messages are answered: then no answer may be missing, and the database must be that of a run.
"""
import collections
import csv
import io
import json
import math
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import kubernetes_validate
import pytest
import python_packages
import redis as redis_client
import yaml
from records import differences, records
from sounds import save
from waiting import eventually
from workplace import ROOT, Workplace, free_port

pytestmark = pytest.mark.recipes
FILES = 60
NAMES = {"parallel": "GNU parallel", "xargs": "xargs", "shards": "Shards", "plan": "xargs and a plan", "slurm": "Slurm",
         "kubernetes": "Kubernetes", "batch": "AWS Batch", "redis": "Redis"}
# All array jobs begin with it.
PLAN = "A plan"


def recipe(name):
    """The code under a name in bold."""
    title = NAMES.get(name, name)
    text = (ROOT / "docs/workers.md").read_text().split("## Recipes")[1]
    found = re.search(r"\*\*" + re.escape(title) + r"\*\*.*?```\w+\n(.*?)```", text, re.S)
    assert found, f"docs/workers.md has no recipe for {title}"
    return found.group(1)


class Place(Workplace):
    """A library, a folder for data, and a separate environment."""

    def __init__(self, program, folder, seconds=2):
        super().__init__(program, folder)
        self.data, self.bin = folder / "data", folder / "bin"
        self.database = self.data / "library.sqlite"
        for path in (self.data, self.bin):
            path.mkdir()
        (self.bin / "analyze").symlink_to(program)
        ssh = self.bin / "ssh"
        ssh.write_text('#!/bin/sh\n# Drops options and the name of a machine, and runs here.\n'
                       'while [ "${1#-}" != "$1" ]; do shift; done\nshift\n[ "$1" = -- ] && shift\nexec sh -c "$*"\n')
        ssh.chmod(0o755)
        self.environment |= {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "TMPDIR": str(folder), "SHELL": "/bin/sh", "ANALYZE_PIPELINE": "tags-only",
            "ANALYZE_ISOLATION": "none", "LC_ALL": "C.UTF-8", "ANALYZE_DATABASE": str(self.database)}
        for number in range(FILES):
            name = f"it's #{number}.wav" if number % 7 == 0 else f"folder {number % 3}/{number}.wav"
            (self.music / name).parent.mkdir(exist_ok=True)
            tone = [9000 / 32_000 * math.sin(t * (200 + number) / 8000 * 6.28) for t in range(16000)]
            save(self.music / name, tone * (seconds // 2), 8000)

    def text(self, text):
        return re.sub(r"(?<![\w/])/(music|data)\b", lambda match: f"{self.folder}/{match[1]}",
                      text.replace("file:///", f"file://{self.folder}/"))

    def recipe(self, name):
        return self.run("sh", "-e", "-c", self.text(recipe(name)), status=None)

    def answered(self):
        report = self.analyze("report", "--report", "csv", "--output", "-", status=None)
        if report.returncode:
            return 0
        return sum(1 for row in csv.DictReader(io.StringIO(report.stdout)) if row["status"] == "ok")

    def finish(self):
        """Runs over the library, which adds missing answers; returns how many files these were."""
        done = self.analyze("run", self.music, "--verbose", status=(0, 3))
        assert self.answered() == FILES, f"not all files have an answer after a run\n{done.stdout}{done.stderr}"
        found = re.search(r"analyzed +(\d+)", done.stdout + done.stderr)
        return int(found[1]) if found else 0


class Killer(threading.Thread):
    """Kills workers of a place while it runs, until `count` have died."""

    def __init__(self, place, count):
        super().__init__(daemon=True)
        self.place, self.count, self.killed, self.ended = place, count, 0, False

    def run(self):
        mark = f"{self.place.bin}:".encode()
        while not self.ended and self.killed < self.count:
            for process in pathlib.Path("/proc").iterdir():
                if not process.name.isdigit():
                    continue
                try:
                    words = (process / "cmdline").read_bytes().split(b"\0")
                    if words[:2] != [b"analyze", b"worker"] or mark not in (process / "environ").read_bytes():
                        continue
                    # In the middle of its work: it has written some answers.
                    written = re.search(r"wchar: (\d+)", (process / "io").read_text())
                    if int(written[1]) > 2000:
                        os.kill(int(process.name), signal.SIGKILL)
                        self.killed += 1
                        break
                except OSError:
                    pass
            time.sleep(0.01)

    def end(self):
        self.ended = True
        self.join()
        return self.killed


def array_job(run):
    """Plans, runs an array and merges what its elements have answered."""
    def run_all(place):
        planned = place.recipe(PLAN)
        if planned.returncode:
            return planned
        done = run(place)
        place.analyze("merge", place.data / "answers")
        return done
    return run_all


def each_element(place, command, variable, count):
    """Runs a command as each element of an array, one after the other; the last failure counts."""
    every = [place.run(*map(place.text, command), environment={variable: str(index)}, status=None) for index in range(count)]
    return next((done for done in reversed(every) if done.returncode), every[-1])


def slurm(place):
    with Cluster(place):
        script = place.folder / "job.sh"
        script.write_text(place.text(recipe("slurm")))
        return place.run("sbatch", "--wait", "--chdir", place.folder, "--export=ALL", script, status=None)


def kubernetes(place):
    """Checks the manifest against its schema, and runs its command once for each index."""
    manifest = yaml.safe_load(recipe("kubernetes"))
    kubernetes_validate.validate(manifest, "1.29", strict=True)
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    return each_element(place, container["command"], "JOB_COMPLETION_INDEX", manifest["spec"]["completions"])


CHECK_REQUESTS = """
import botocore.session, botocore.validate, json, sys
service = botocore.session.get_session().get_service_model("batch")
for request, operation in zip(json.load(sys.stdin), ("RegisterJobDefinition", "SubmitJob")):
    problems = botocore.validate.ParamValidator().validate(request, service.operation_model(operation).input_shape)
    if problems.has_errors():
        sys.exit(f"{operation}: {problems.generate_report()}")
"""


def batch(place):
    """Checks both requests against AWS's description of the service, and runs the command once for each index."""
    decoder, text, requests = json.JSONDecoder(), recipe("batch").strip(), []
    while text:
        request, end = decoder.raw_decode(text)
        requests.append(request)
        text = text[end:].strip()
    definition, submission = requests
    place.run(python_packages.interpreter("objects"), "-c", CHECK_REQUESTS, input=json.dumps(requests))
    container = definition["containerProperties"]
    # What the description does not ask for.
    assert {mount["sourceVolume"] for mount in container["mountPoints"]} == {volume["name"] for volume in container["volumes"]}
    assert submission["jobDefinition"] == definition["jobDefinitionName"]
    return each_element(place, container["command"], "AWS_BATCH_JOB_ARRAY_INDEX", submission["arrayProperties"]["size"])


def redis(place):
    with Broker(place):
        return place.recipe("redis")


class Broker:
    """A Redis at a socket in the folder of a place, which keeps its data as the page asks for it."""

    def __init__(self, place):
        self.place, self.folder, self.process = place, place.folder / "redis", None
        self.socket = self.folder / "socket"
        self.folder.mkdir()
        job = place.bin / "stream_job.py"
        job.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{ROOT}/pipelines/redis/stream_job.py" "$@"\n')
        job.chmod(0o755)
        place.environment["REDIS_URL"] = f"unix://{self.socket}"

    def __enter__(self):
        self.client = redis_client.Redis(unix_socket_path=str(self.socket), protocol=2)
        self.start()
        return self

    def start(self):
        with open(self.folder / "log", "a") as log:
            self.process = subprocess.Popen(
                ["redis-server", "--port", "0", "--unixsocket", str(self.socket), "--dir", str(self.folder), "--appendonly", "yes",
                 "--appendfsync", "always", "--save", ""], stdout=log, stderr=subprocess.STDOUT)
        eventually(self.answers, "Redis starts", 10)

    def answers(self):
        try:
            return self.client.ping()
        except redis_client.RedisError:
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


class Consumers:
    """Consumers that are started again under their names whenever they die."""

    OPTIONS = ["--until-empty", "--claim-after", "2", "--deliveries", "8"]

    def __init__(self, place, count):
        self.place, self.processes, self.starts, self.ended = place, {}, 0, set()
        self.names = [f"consumer-{number}" for number in range(count)]

    def keep_running(self):
        """Whether one is still at work."""
        for name in self.names:
            process = self.processes.get(name)
            if process and process.poll() == 0:
                self.ended.add(name)
            if name not in self.ended and (not process or process.poll() is not None):
                self.starts += 1
                log = open(self.place.folder / f"{name}.log", "a")
                self.processes[name] = subprocess.Popen(
                    ["stream_job.py", "work", "--consumer", name, "--output", str(self.place.data / "answers"), *self.OPTIONS],
                    executable=self.place.bin / "stream_job.py", env=self.place.environment, stdout=log, stderr=log)
        return len(self.ended) < len(self.names)

    def living(self):
        return [process.pid for process in self.processes.values() if process.poll() is None]

    def workers(self):
        children = [pathlib.Path(f"/proc/{pid}/task/{pid}/children") for pid in self.living()]
        return [int(word) for path in children if path.exists() for word in path.read_text().split()]

    def log(self):
        return "".join((self.place.folder / f"{name}.log").read_text() for name in self.names)

    def end(self):
        for process in self.processes.values():
            process.kill()
            process.wait()


def count_answers(place):
    return sum(path.read_bytes().count(b"\n") for path in (place.data / "answers").glob("*.ndjson"))


def send_signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Cluster:
    """A temporary Slurm cluster of this one node, on loopback."""

    def __init__(self, place):
        self.place, self.folder, self.processes = place, place.folder / "slurm", []

    def __enter__(self):
        self.folder.mkdir()
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        socket = self.folder / "munge.socket"
        host = os.uname().nodename
        user = pwd.getpwuid(os.getuid()).pw_name
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
        self.folder.chmod(0o755)
        self.start("munged", "--foreground", "--force", "--key-file", str(key), "--socket", str(socket), "--pid-file",
                   str(self.folder / "munge.pid"), "--log-file", str(self.folder / "munge.log"), "--seed-file",
                   str(self.folder / "munge.seed"))
        eventually(socket.exists, "munged starts")
        self.start("slurmctld", "-D")
        self.start("slurmd", "-D", "-N", host)
        try:
            eventually(self.is_idle, "Slurm starts", 30, .5)
        except AssertionError:
            self.__exit__()
            raise AssertionError("Slurm does not start:\n" + "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))) from None
        return self

    def is_idle(self):
        return "idle" in self.place.run("sinfo", "-h", "-o", "%t", status=None).stdout

    def start(self, *arguments):
        path = shutil.which(arguments[0], path=self.place.environment["PATH"] + ":/usr/sbin")
        assert path, f"{arguments[0]} is not installed"
        output = open(self.folder / f"{arguments[0]}.out", "w")
        self.processes.append(subprocess.Popen([path, *arguments[1:]], env=self.place.environment, stdout=output, stderr=subprocess.STDOUT))

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


SHELL = {name: lambda place, name=name: place.recipe(name) for name in ("parallel", "xargs", "shards", "plan")}
RUNNERS = {**SHELL, "plan": array_job(SHELL["plan"]), "slurm": array_job(slurm), "kubernetes": array_job(kubernetes),
           "batch": array_job(batch), "redis": redis}
# The elements of these do not run at once here; for Redis there is more to kill.
NOT_KILLED = {"kubernetes", "batch", "redis"}


@pytest.mark.parametrize("name", RUNNERS)
def test_recipe(name, program, folder):
    place = Place(program, folder / name)
    done = RUNNERS[name](place)
    assert done.returncode == 0, done.stdout + done.stderr
    assert place.answered() == FILES, done.stdout + done.stderr
    assert place.finish() == 0, "a run found files to analyze that the recipe had answered"


@pytest.mark.parametrize("name", [name for name in RUNNERS if name not in NOT_KILLED])
def test_recipe_while_workers_are_killed(name, program, folder):
    place = Place(program, folder / f"{name}-killed")
    # Full analyses, so workers live long enough to be killed.
    place.environment["ANALYZE_PIPELINE"] = "default"
    killer = Killer(place, 2)
    killer.start()
    done = RUNNERS[name](place)
    killed = killer.end()
    if done.returncode:
        # After a failure, users merge the answers that exist.
        answers = [path for path in (place.data / "answers", place.data / "answers.ndjson") if path.exists()]
        place.analyze("merge", *answers, status=(0, 3))
    answered = place.answered()
    assert answered == FILES or done.returncode, f"{killed} workers were killed and not all files answered, with status 0"
    place.finish()
    print(f"{killed} workers killed: status {done.returncode}, {answered} answered, the rest by a run")


def test_redis_while_everything_is_killed(program, folder):
    """Chaos until all is answered; then nothing is missing, and the database is that of a run."""
    place = Place(program, folder / "redis-killed", seconds=180)
    # Costs each worker that reads it its life, as nothing in a library should.
    poison = place.music / "poison.wav"
    shutil.copy(next(place.music.rglob("1.wav")), poison)
    pipeline = place.folder / "poison.yaml"
    pipeline.write_text((ROOT / "pipelines/default.yaml").read_text() + """
exec:
  probe:
    command: [sh, -c, 'case "$1" in *poison*) kill -KILL $PPID; sleep 1;; esac; echo {}', sh, "{path}"]
    input: path
""")
    place.environment["ANALYZE_PIPELINE"] = str(pipeline)
    chance, killed = random.Random(31), collections.Counter()
    with Broker(place) as broker:
        add, work, merge = place.text(recipe("redis")).strip().split("\n")
        place.run("sh", "-e", "-c", add)
        consumers = Consumers(place, 3)
        end = time.monotonic() + 900
        stopped, before = {}, 0
        try:
            while consumers.keep_running():
                time.sleep(chance.uniform(0.05, 0.3))
                for pid in [pid for pid, until in stopped.items() if time.monotonic() > until]:
                    send_signal(pid, signal.SIGCONT)
                    del stopped[pid]
                assert time.monotonic() < end, f"the stream is not empty: {place.run('stream_job.py', 'status', status=None).stdout}\n{consumers.log()[-3000:]}"
                # On a busy machine, too, more files are answered than workers are killed.
                if (answers := count_answers(place)) < before + 2:
                    continue
                before = answers
                kind = chance.choices(["worker", "consumer", "connection", "stopped consumer", "broker"], [4, 4, 3, 1, 1])[0]
                victims = consumers.workers() if kind == "worker" else consumers.living()
                if kind == "broker":
                    broker.kill()
                    time.sleep(chance.uniform(0, 1))
                    broker.start()
                elif kind == "connection":
                    broker.kill_connection(chance)
                elif not victims:
                    continue
                elif kind == "stopped consumer":
                    pid = chance.choice(victims)
                    send_signal(pid, signal.SIGSTOP)
                    # Long enough for others to take its message.
                    stopped[pid] = time.monotonic() + 4
                else:
                    send_signal(chance.choice(victims), signal.SIGKILL)
                killed[kind] += 1
        finally:
            for pid in stopped:
                send_signal(pid, signal.SIGCONT)
            consumers.end()
        lost = [fields[b"line"].decode() for _, fields in broker.client.xrange("nocturne:lost")]
    assert lost == [str(poison)], f"lost: {lost}\n{consumers.log()[-3000:]}"
    lines = [line for path in (place.data / "answers").iterdir() for line in path.read_text().splitlines()]
    answered = collections.Counter(json.loads(line)["key"] for line in lines)
    poison.unlink()
    expected = {str(path) for path in place.music.rglob("*.wav")}
    assert answered.keys() == expected, "the files that have an answer"
    place.run("sh", "-e", "-c", merge)
    alone = place.data / "run.sqlite"
    place.analyze("run", place.music, "--database", alone, status=(0, 3))
    different = differences(records(place, place.database), records(place, alone))
    assert not different, f"{len(different)} fields differ from those of a run:\n" + "\n".join(different[:10])
    assert sum(killed.values()) >= 10, f"only these were killed: {killed}"
    print(f"{dict(killed)} killed: {len(lines)} answers for {len(expected)} files; {consumers.starts} starts of 3 consumers")
