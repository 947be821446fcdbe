"""pipelines/spark/analyze_job.py on a cluster of this machine that goes wrong (marker `spark`, `make spark`; half an hour, and as root).

A master and four workers of Spark on loopback addresses share a library of small real files, cut from music. Meanwhile
- executors, Python workers, analyze workers and their child processes are killed at random, and once the driver;
- the disk of one machine is too small for a second copy of the program, so no executor can come back there;
- one machine has an older program;
- one file crashes the process that analyzes it, and one hangs it;
- files change after they were planned.
The job must end, with one answer for each planned file. Merged, and after the nights that a plan still asks for, the database must say what
`analyze run` says of the library.

With --measure, in place of all this: the speed of the job beside `analyze run --jobs` on the same processors, and the time of a second plan for
100,000 files.
"""
import collections
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path, PurePath

import pyarrow.parquet as parquet
import pytest
import python_packages
from music_pieces import cut_pieces, find_music
from records import differences, records
from waiting import eventually
from workplace import ROOT, Workplace, free_port

pytestmark = pytest.mark.spark
JOB = ROOT / "pipelines/spark/analyze_job.py"
PARTITIONS = 48
# For a job, in seconds.
PATIENCE = 3600


def say(text):
    print(f"spark: {time.strftime('%H:%M:%S')} {text}", flush=True)


@pytest.fixture
def options(pytestconfig):
    return pytestconfig.option


@pytest.fixture
def place(options, program, folder):
    """A workplace with a library of pieces, which are made once if they have a folder of their own."""
    place = Workplace(program, folder)
    place.environment |= {"TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
    place.music.rmdir()
    pieces = options.pieces or place.music
    if not pieces.is_dir():
        making = pieces.with_name(pieces.name + ".new")
        shutil.rmtree(making, ignore_errors=True)
        assert cut_pieces(find_music(options.music), making, options.files, 4) >= options.files, "the music is not enough"
        making.rename(pieces)
    if pieces != place.music:
        shutil.copytree(pieces, place.music)
    count = len([path for path in place.music.rglob("*") if path.is_file()])
    assert count >= options.files, f"too few files are in {pieces}"
    return place


# The cluster


class Cluster:
    """A standalone cluster whose processes all have `mark` in their environment: only those are ever killed."""

    def __init__(self, place):
        self.folder, self.port, self.processes, self.mounts = place.folder, free_port(), [], []
        python = python_packages.interpreter("spark")
        self.home = next(python.parent.parent.glob("lib/python3*/site-packages/pyspark"))
        self.mark = f"NOCTURNE_CHECK_SPARK={uuid.uuid4().hex}"
        inherited = {name: value for name, value in place.environment.items() if not name.startswith(("SPARK", "ANALYZE", "NOCTURNE"))}
        self.environment = inherited | {
            "SPARK_HOME": str(self.home), "PYSPARK_PYTHON": str(python), "PYTHONWARNINGS": "ignore", **dict([self.mark.split("=")])}

    def __enter__(self):
        self.start("master", "org.apache.spark.deploy.master.Master", "127.0.0.1", {}, "--host", "127.0.0.1", "--port", self.port)
        return self

    def open(self, name, words, environment, **options):
        with open(self.folder / f"{name}.log", "w") as log:
            self.processes.append(subprocess.Popen(
                list(map(str, words)), env=self.environment | environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True, **options))
        return self.processes[-1]

    def start(self, name, kind, address, environment, *words):
        local = {"SPARK_LOCAL_IP": address, "SPARK_LOCAL_HOSTNAME": address, "SPARK_DAEMON_MEMORY": "256m"}
        self.open(name, [self.home / "bin/spark-class", kind, *words, "--webui-port", 0], local | environment)

    def add_worker(self, number, environment={}, size=None):
        """A machine at 127.0.0.N, perhaps with a disk of so many bytes."""
        address, disk = f"127.0.0.{number}", self.folder / f"disk-{number}"
        disk.mkdir()
        if size:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=True)
            self.mounts.append(disk)
        (disk / "tmp").mkdir()
        places = {"SPARK_WORKER_DIR": str(disk / "work"), "SPARK_LOCAL_DIRS": str(disk / "local"), "TMPDIR": str(disk / "tmp")}
        self.start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", address, places | environment,
                   "--host", address, "--cores", 1, "--memory", "1g", f"spark://127.0.0.1:{self.port}")
        return disk

    def wait(self, count):
        eventually(lambda: self.log("master").count("Registering worker") >= count, "the workers of Spark start", 300, every=.5)

    def submit(self, name, *arguments, conf={}, files=None):
        options = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
                   "spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.executor.cores": "1",
                   "spark.locality.wait": "0s", **conf}
        words = [word for key, value in options.items() for word in ("--conf", f"{key}={value}")] + (["--files", files] if files else [])
        words = [self.home / "bin/spark-submit", "--master", f"spark://127.0.0.1:{self.port}", *words, JOB, *arguments]
        return self.open(name, words, {"SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(self.folder)}, cwd=self.folder)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def victims(self, stopped=False):
        """Processes of the cluster that may die, by kind. One that hang.wav has stopped must end by the time limit, not by a signal that
        answers for it."""
        found = collections.defaultdict(list)
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and (kind := self.kind(process, stopped)):
                found[kind].append(int(process.name))
        return found

    def kind(self, process, stopped):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if not stopped and (process / "stat").read_text().rpartition(") ")[2].startswith("T"):
                return None
            if self.mark.encode() not in (process / "environ").read_bytes().split(b"\0"):
                return None
        except OSError:
            return None
        return ("executor" if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words
                else "Python worker" if b"pyspark.daemon" in words or b"pyspark.worker" in words
                else "analyze worker" if words[1:2] == [b"worker"]
                else "child of a worker" if words[1:2] == [b"worker-process"] else None)

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for pids in self.victims(stopped=True).values():
            for pid in pids:
                kill(pid)
        for mount in self.mounts:
            subprocess.run(["umount", "-l", mount], check=False)


def kill(pid):
    """Whether it was there to be killed."""
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except OSError:
        return False


class Killer(threading.Thread):
    """Kills processes of a cluster at random until it is told to end."""

    def __init__(self, cluster, pause):
        super().__init__(daemon=True)
        self.cluster, self.pause, self.killed = cluster, pause, collections.Counter()
        self.random, self.ended = random.Random(31), threading.Event()

    def run(self):
        while not self.ended.wait(self.pause * self.random.uniform(0.5, 1.5)):
            victims = self.cluster.victims()
            # No kind waits until the others have worked: executors are slow to come back.
            kinds = [kind for kind in victims if victims[kind]]
            if kinds:
                kind = self.random.choices(kinds, [1 if kind == "executor" else 3 for kind in kinds])[0]
                self.killed[kind] += kill(self.random.choice(victims[kind]))

    def end(self):
        self.ended.set()
        self.join()


# What must hold


def make_plan(place, name, partitions, pipeline):
    """-> (its folder, what it says of itself)"""
    folder = place.folder / name
    place.analyze("plan", place.music, "--pipeline", pipeline, "--parquet", folder, "--partitions", partitions, status=(0, 3))
    return folder, json.loads((folder / "plan.json").read_text())


def complete(output):
    return sorted(output.glob("answers/part-*.parquet"))


def check_answers(plan_folder, output):
    """No planned file without an answer, none with two, and all failures in their own table."""
    planned = parquet.read_table(plan_folder / "files.parquet", columns=["partition", "key"]).to_pylist()
    answers = [row for path in complete(output)
               for row in parquet.ParquetFile(path).read(["partition", "key", "status", "attempts", "host"]).to_pylist()]
    failures = parquet.read_table(output / "failures.parquet").to_pylist()
    counted, expected = (collections.Counter((row["partition"], row["key"]) for row in rows) for rows in (answers, planned))
    assert counted == expected, f"{len(expected - counted)} rows are lost, {len(counted - expected)} are too many"
    failed = sorted(row["key"] for row in answers if row["status"] != "ok")
    assert sorted(row["key"] for row in failures) == failed, "the table of failures is that of the files that failed"
    assert not list(output.rglob("*.partial")), "attempts have left no files"
    report = json.loads((output / "report.json").read_text())
    assert report["answered"] == report["planned"] == len(answers) and not report["missing_partitions"], report
    return answers, failures, report


def add_bad_files(place):
    """Files that are no music, or that kill or stop the process which reads them with the pipeline that this gives."""
    names = sorted(place.music.rglob("*.*"))
    shutil.copy(names[10], place.music / "crash.wav")
    shutil.copy(names[11], place.music / "hang.wav")
    (place.music / "noise.mp3").write_bytes(random.Random(1).randbytes(20_000))
    script = ('case "$1" in *crash*) kill -SEGV $PPID; sleep 1;; *hang*) while kill -STOP $PPID; do sleep 0.1; done;; esac; '
              'sleep 0.02; echo {}')
    path = place.folder / "poison.yaml"
    path.write_text((ROOT / "pipelines/default.yaml").read_text() + f"""
exec:
  probe:
    command: [sh, -c, '{script}', sh, "{{path}}"]
    input: path
    timeout_s: 60
""")
    return path


def programs(place):
    """The program as it is shipped to the machines, and one that answers as an older version would."""
    shipped, older = (place.folder / name / "analyze" for name in ("shipped", "older"))
    for path in (shipped, older):
        path.parent.mkdir()
    shutil.copy(place.program, shipped)
    subprocess.run(["strip", shipped], check=True)
    older.write_text(f"#!/bin/sh\n\"{place.program}\" \"$@\" | sed -u "
                     "'s/\"program_version\":\"[^\"]*\"/\"program_version\":\"0.0.9\"/; s/\"id\":\"tempo\",\"version\":[0-9]*/"
                     "\"id\":\"tempo\",\"version\":1/'\n")
    older.chmod(0o755)
    return shipped, older


def change_files(place, plan_folder, output):
    """Gives one file of a complete partition and one of another a new content."""
    rows = parquet.read_table(plan_folder / "files.parquet", columns=["partition", "display_path"]).to_pylist()
    complete_parts = {int(path.stem.split("-")[1]) for path in complete(output)}
    changed = []
    for done in (True, False):
        path = next(Path(row["display_path"]) for row in rows if (row["partition"] in complete_parts) == done and "é" in row["display_path"])
        other = next(file for file in sorted(place.music.rglob(f"*é{path.suffix}"), reverse=True) if file.stem != path.stem)
        # As an editor does it: another file gets the name.
        temporary = place.folder / "changed"
        shutil.copyfile(other, temporary)
        temporary.rename(path)
        changed.append(path)
    say(f"changed {', '.join(path.name for path in changed)}")
    return changed


@pytest.mark.skipif("config.getoption('measure')")
def test_job_while_all_goes_wrong(options, place):
    output, pipeline = place.folder / "job", add_bad_files(place)
    plan_folder, plan = make_plan(place, "plan", PARTITIONS, pipeline)
    loads = [part["expected_s"] for part in plan["partitions"]]
    say(f"{plan['totals']['files']} files in {len(loads)} partitions of {min(loads):.2f} to {max(loads):.2f} s")
    shipped, older = programs(place)
    arguments = ["--plan", plan_folder, "--output", output, "--pipeline", pipeline, "--timeout", "5s"]
    with Cluster(place) as cluster:
        cluster.add_worker(2)
        cluster.add_worker(3)
        # Room for the program once; Spark needs it twice for a moment.
        small = cluster.add_worker(4, size=2 * shipped.stat().st_size + (16 << 20))
        cluster.add_worker(5, {"NOCTURNE_ANALYZE": str(older)})
        cluster.wait(4)
        start, killer = time.monotonic(), Killer(cluster, options.pause)
        job = cluster.submit("job-1", *arguments, files=shipped)

        def until(partitions):
            while len(complete(output)) < partitions:
                assert job.poll() is None, f"the job has ended early: {cluster.log('job-1')[-3000:]}"
                time.sleep(0.2)

        until(max(2, len(loads) // 8))
        killer.start()
        subprocess.run(["dd", "if=/dev/zero", f"of={small / 'filler'}", "bs=64k"], stderr=subprocess.DEVNULL, check=False)
        assert shutil.disk_usage(small).free < 1 << 16, "the small disk is full"
        say(f"the disk of 127.0.0.4 is full, {len(complete(output))} partitions are complete; killing begins")
        until(len(loads) // 4)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        done_before = {path.name: path.stat().st_mtime_ns for path in complete(output)}
        say(f"the driver was killed with {len(done_before)} partitions complete")
        changed = change_files(place, plan_folder, output)
        time.sleep(3)
        # Speculation doubles slow tasks; it must do no harm.
        job = cluster.submit("job-2", *arguments, files=shipped, conf={"spark.speculation": "true", "spark.speculation.quantile": "0.3"})
        status = job.wait(PATIENCE)
        killer.end()
        say(f"the job ended with status {status} after {time.monotonic() - start:.0f} s; killed: {dict(killer.killed)} and the driver")
        print(cluster.log("job-2").split("files answered:")[-1], end="")
        assert status == 3, cluster.log("job-2")[-3000:]
        assert killer.killed.total() >= 20, "too few processes were killed; use more files or a shorter --pause"
        again = {path.name: path.stat().st_mtime_ns for path in complete(output)}
        assert {name: again[name] for name in done_before} == done_before, "complete partitions were not done again"
        check_job(plan_folder, output)
        place.analyze("merge", output / "answers", status=(0, 3))
        nights(cluster, place, pipeline, shipped, changed[0])
    compare(place, pipeline)


def check_job(plan_folder, output):
    """All answers are there, those that cannot be good are not, and only machines that can answer have."""
    answers, failures, report = check_answers(plan_folder, output)
    refusals = [entry["text"] for entry in report["incidents"] if entry["kind"] == "refused_worker"]
    assert any("127.0.0.5" in text and "version 0.0.9 instead of" in text and "tempo 1" in text for text in refusals), (
        f"the older program is refused by name: {refusals}")
    status = {PurePath(row["uri"]).name: row["status"] for row in failures}
    # Lost, if each worker that read it happened to be killed: the second night has it again.
    assert status["crash.wav"] in ("failed", "lost")
    assert status["hang.wav"] in ("timeout", "lost")
    assert "noise.mp3" in status
    hosts = {row["host"] for row in answers}
    assert hosts >= {"127.0.0.2", "127.0.0.3"} and "127.0.0.5" not in hosts, "the machines that answered are those that should"
    say(f"{len(answers)} answers, each once; {len(failures)} of them not ok; most attempts for a file: "
        f"{max(row['attempts'] for row in answers)}; 127.0.0.5 was refused")


def nights(cluster, place, pipeline, shipped, changed):
    """Plans and jobs until there is nothing left to do."""
    for night in range(2, 5):
        plan_folder, plan = make_plan(place, f"plan-{night}", 4, pipeline)
        say(f"night {night}: {plan['totals']['files']} files are planned")
        if night == 2:
            keys = {row["display_path"] for row in parquet.read_table(plan_folder / "files.parquet").to_pylist()}
            assert str(changed) in keys, "a file that changed after its answer is planned"
        if plan["totals"]["files"] == 0:
            break
        output = place.folder / f"job-{night}"
        job = cluster.submit(f"night-{night}", "--plan", plan_folder, "--output", output, "--pipeline", pipeline, "--timeout", "5s", files=shipped)
        assert job.wait(PATIENCE) in (0, 3), cluster.log(f"night-{night}")[-3000:]
        check_answers(plan_folder, output)
        place.analyze("merge", output / "answers", status=(0, 3))


def compare(place, pipeline):
    """The database beside that of a run of its own."""
    alone = place.folder / "run.sqlite"
    place.analyze("run", place.music, "--database", alone, "--jobs", os.cpu_count(), "--pipeline", pipeline, "--timeout", "5s", "--verbose",
                  status=(0, 3), timeout=None)
    expected = records(place, alone)
    assert not differences(records(place, place.database), expected), "the database is that of analyze run"
    say(f"the database equals that of analyze run: {len(expected)} records with all findings")


# Speed


def processor_time():
    """Seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.skipif("not config.getoption('measure')")
def test_speed(options, place):
    jobs, times = os.cpu_count(), [processor_time()]
    start = time.monotonic()
    place.analyze("run", place.music, "--database", place.folder / "run.sqlite", "--jobs", jobs, "--pipeline", "default", status=(0, 3),
                  timeout=None)
    alone = time.monotonic() - start
    times.append(processor_time())
    plan_folder, _ = make_plan(place, "plan", 4 * jobs, "default")
    times.append(processor_time())
    with Cluster(place) as cluster:
        for number in range(jobs):
            cluster.add_worker(2 + number, {"NOCTURNE_ANALYZE": str(place.program)})
        cluster.wait(jobs)
        start = time.monotonic()
        job = cluster.submit("job", "--plan", plan_folder, "--output", place.folder / "job")
        assert job.wait(PATIENCE) in (0, 3), cluster.log("job")[-3000:]
        whole = time.monotonic() - start
    # The cluster has ended, and all it started with it.
    times.append(processor_time())
    _, _, report = check_answers(plan_folder, place.folder / "job")
    tasks = report["task_seconds"] / jobs
    say(f"{options.files} files, {jobs} processors: analyze run --jobs {jobs} {alone:.1f} s; tasks of Spark {tasks:.1f} s "
        f"(efficiency {alone / tasks:.2f}), spark-submit from start to end {whole:.1f} s ({alone / whole:.2f}); processor time "
        f"{times[1] - times[0]:.1f} s and, with the cluster, {times[3] - times[2]:.1f} s")
    place.analyze("merge", place.folder / "job/answers", status=(0, 3))


@pytest.mark.skipif("not config.getoption('measure')")
def test_planning_a_second_night(program, folder, count=100_000):
    place = Workplace(program, folder / "second night")
    silence = place.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "0.1", "-f", "wav", "-", text=False).stdout
    files = [place.music / f"{number // 100:04}" / f"{number}.wav" for number in range(count)]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(silence)
    # A second night is not the second at which the files were written.
    for _ in range(2):
        place.analyze("run", place.music, "--pipeline", "tags-only", "--isolation", "none", status=(0, 3), timeout=None)
    for path in files[::count // 10]:
        path.write_bytes(silence * 2)
    times = []
    for _ in range(3):
        start = time.monotonic()
        _, plan = make_plan(place, "second", 4, "tags-only")
        times.append(time.monotonic() - start)
    assert plan["totals"]["files"] == 10, plan["totals"]
    say(f"planning a second night of {count} files, of which 10 have changed: {min(times):.2f} to {max(times):.2f} s")
