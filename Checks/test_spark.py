"""pipelines/spark/analyze_job.py on a cluster of this machine that goes wrong.

A master and four workers of Spark on loopback addresses share a library of small real files, cut from music. Meanwhile
- executors, Python workers, analyze workers and their child processes are killed at random, and once the driver;
- the disk of one machine is too small for a second copy of the program, so no executor can come back there;
- one machine has an older program;
- one file crashes the process that analyzes it, and one hangs it;
- files change after they were planned.
The job must end, with one answer for each planned file. Merged, and after the nights that a plan still asks for, the database
must say what `analyze run` says of the library.

Scripts/run-checks spark -- --spark music=DIR --spark files=2000 …: music=DIR (by default Music/, else what Fixtures/fetch-music fetches),
pieces=DIR where the pieces are kept for the next time, files=N, kills=N that there must be, partitions=N, pause=S between kills, patience=S
for a job. The test of speed is left out unless --spark measure=yes: the job beside `analyze run --jobs` on the same processors, and the time
of a second plan for 100,000 files.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import threading
import time
import uuid

import pyarrow.parquet as pq
import pytest
import python_packages
from music_pieces import cut_pieces, find_music
from records import differences, records
from sounds import encode
from waiting import eventually
from workplace import ROOT, Workplace, free_port

pytestmark = pytest.mark.spark
JOB = ROOT / "pipelines/spark/analyze_job.py"


@pytest.fixture
def options(pytestconfig):
    options = {"music": None, "pieces": None, "files": 2000, "kills": 20, "partitions": 48, "pause": 4.0, "patience": 3600.0}
    given = dict(word.split("=", 1) for word in pytestconfig.option.spark)
    for name in options.keys() & given.keys():
        options[name] = type(options[name] or "")(given[name])
    return argparse.Namespace(**options)


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


# The library


def make_library(options, folder):
    """A library of pieces, which are made once if they have a folder of their own."""
    pieces = pathlib.Path(options.pieces) if options.pieces else folder
    if not pieces.is_dir():
        making = pieces.with_name(pieces.name + ".new")
        shutil.rmtree(making, ignore_errors=True)
        made = cut_pieces(find_music(options.music), making, options.files, 4)
        assert made >= options.files, f"the music is enough for {made} files only"
        making.rename(pieces)
    if pieces != folder:
        shutil.copytree(pieces, folder)
    count = len([path for path in folder.rglob("*") if path.is_file()])
    assert count >= options.files, f"{pieces} has {count} files only"
    return count


def pipeline_with_poison(folder):
    """The default pipeline, and a program that kills or stops the process that reads a file of a certain name."""
    text = (ROOT / "pipelines/default.yaml").read_text()
    script = ('case "$1" in *crash*) kill -SEGV $PPID; sleep 1;; *hang*) while kill -STOP $PPID; do sleep 0.1; done;; esac; '
              'sleep 0.02; echo {}')
    path = folder / "poison.yaml"
    path.write_text(text + f"""
exec:
  probe:
    command: [sh, -c, '{script}', sh, "{{path}}"]
    input: path
    timeout_s: 60
""")
    return path


# The cluster


class Cluster:
    """A standalone cluster whose processes all have `mark` in their environment: only those are ever killed."""

    def __init__(self, folder, binary, cores=1):
        self.folder, self.binary, self.cores, self.port = folder, binary, cores, free_port()
        python = python_packages.interpreter("spark")
        self.home = next(python.parent.parent.glob("lib/python*/site-packages/pyspark"))
        self.mark = f"NOCTURNE_CHECK_SPARK={uuid.uuid4().hex}"
        self.processes, self.mounts = [], []
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "ANALYZE", "NOCTURNE"))
        } | {"HOME": str(folder), "SPARK_HOME": str(self.home), "PYSPARK_PYTHON": str(python),
             "PYTHONWARNINGS": "ignore", "LC_ALL": "C.UTF-8", self.mark.split("=")[0]: self.mark.split("=")[1]}

    def __enter__(self):
        self.start("master", "org.apache.spark.deploy.master.Master", "127.0.0.1", {},
                   ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0"])
        return self

    def start(self, name, kind, address, environment, arguments):
        log = open(self.folder / f"{name}.log", "w")
        self.processes.append(subprocess.Popen(
            [self.home / "bin/spark-class", kind, *arguments],
            env=self.environment | {"SPARK_LOCAL_IP": address, "SPARK_LOCAL_HOSTNAME": address,
                                    "SPARK_DAEMON_MEMORY": "256m"} | environment,
            stdout=log, stderr=subprocess.STDOUT, start_new_session=True))

    def add_worker(self, number, environment={}, size=None):
        """A machine at 127.0.0.N, with a disk of this size in bytes."""
        address = f"127.0.0.{number}"
        disk = self.folder / f"disk-{number}"
        disk.mkdir()
        if size:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], check=True)
            self.mounts.append(disk)
        (disk / "tmp").mkdir()
        self.start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", address,
                   {"SPARK_WORKER_DIR": str(disk / "work"), "SPARK_LOCAL_DIRS": str(disk / "local"),
                    "TMPDIR": str(disk / "tmp")} | environment,
                   ["--host", address, "--cores", str(self.cores), "--memory", "1g", "--webui-port", "0",
                    f"spark://127.0.0.1:{self.port}"])
        return disk

    def wait(self, count):
        eventually(lambda: self.log("master").count("Registering worker") >= count, "the workers start", 300, .5)

    def submit(self, name, *arguments, conf={}, files=None):
        options = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
                   "spark.executor.memory": "512m", "spark.driver.memory": "512m", "spark.executor.cores": "1",
                   "spark.locality.wait": "0s", **conf}
        words = [word for key, value in options.items() for word in ("--conf", f"{key}={value}")]
        log = open(self.folder / f"{name}.log", "w")
        return subprocess.Popen(
            [self.home / "bin/spark-submit", "--master", f"spark://127.0.0.1:{self.port}", *words,
             *(["--files", files] if files else []), JOB, *map(str, arguments)],
            env=self.environment | {"SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(self.folder)}, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True, cwd=self.folder)

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def victims(self, stopped=False):
        """Processes of the cluster that may die, by kind. One that hang.wav has stopped must end by the time limit, not by a
        signal that answers for it."""
        found = collections.defaultdict(list)
        for process in pathlib.Path("/proc").iterdir():
            if not process.name.isdigit():
                continue
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                if not stopped and (process / "stat").read_text().rpartition(") ")[2].startswith("T"):
                    continue
                if self.mark.encode() not in (process / "environ").read_bytes().split(b"\0"):
                    continue
            except OSError:
                continue
            kind = ("executor" if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words
                    else "Python worker" if b"pyspark.daemon" in words or b"pyspark.worker" in words
                    else "analyze worker" if words[1:2] == [b"worker"]
                    else "child of a worker" if words[1:2] == [b"worker-process"] else None)
            if kind:
                found[kind].append(int(process.name))
        return found

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        for pids in self.victims(stopped=True).values():
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
        for mount in self.mounts:
            subprocess.run(["umount", "-l", mount], check=False)


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
            weights = [1 if kind == "executor" else 3 for kind in kinds]
            if not kinds:
                continue
            kind = self.random.choices(kinds, weights)[0]
            try:
                os.kill(self.random.choice(victims[kind]), signal.SIGKILL)
                self.killed[kind] += 1
            except OSError:
                pass


# What must hold


class Place(Workplace):
    def __init__(self, program, folder, pipeline):
        super().__init__(program, folder)
        self.pipeline, self.database = pipeline, folder / "merged.sqlite"
        self.environment |= {"TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}

    def analyze(self, *words, status=(0, 3), **options):
        return super().analyze(*words, status=status, **{"timeout": None, **options})

    def plan(self, library, database, name, partitions):
        folder = self.folder / name
        self.analyze("plan", library, "--database", database, "--pipeline", self.pipeline, "--parquet", folder, "--partitions", partitions)
        return folder, json.loads((folder / "plan.json").read_text())


def complete(output):
    return len(list(output.glob("answers/part-*.parquet")))


def check_answers(plan_folder, plan, output):
    """No planned file without an answer, none with two, and all failures in their own table."""
    planned = pq.read_table(plan_folder / "files.parquet", columns=["partition", "key"]).to_pylist()
    answers = [row for path in sorted(output.glob("answers/part-*.parquet"))
               for row in pq.ParquetFile(path).read(["partition", "key", "status", "attempts", "host"]).to_pylist()]
    failures = pq.read_table(output / "failures.parquet").to_pylist()
    counted = collections.Counter((row["partition"], row["key"]) for row in answers)
    expected = collections.Counter((row["partition"], row["key"]) for row in planned)
    assert counted == expected, f"{len(expected - counted)} rows are lost, {len(counted - expected)} are too many"
    assert sorted(row["key"] for row in failures) == sorted(row["key"] for row in answers if row["status"] != "ok"), (
        "the table of failures is not that of the files that failed")
    assert not list(output.rglob("*.partial")), "attempts have left files"
    report = json.loads((output / "report.json").read_text())
    assert report["answered"] == report["planned"] == len(answers) and not report["missing_partitions"], "the report is wrong"
    return answers, failures, report


def test_the_job_survives_a_cluster_that_goes_wrong(options, folder, program):
    library, output = folder / "music", folder / "job"
    count = make_library(options, library)
    names = sorted(library.rglob("*.*"))
    shutil.copy(names[10], library / "crash.wav")
    shutil.copy(names[11], library / "hang.wav")
    (library / "noise.mp3").write_bytes(random.Random(1).randbytes(20_000))
    say(f"{count + 3} files")
    place = Place(program, folder, pipeline_with_poison(folder))
    database = folder / "merged.sqlite"
    plan_folder, plan = place.plan(library, database, "plan", options.partitions)
    loads = [part["expected_s"] for part in plan["partitions"]]
    say(f"{len(loads)} partitions of {min(loads):.2f} to {max(loads):.2f} s")

    older = folder / "older" / "analyze"
    older.parent.mkdir()
    older.write_text(f"#!/bin/sh\n# Answers as an older version would.\n\"{program}\" \"$@\" | sed -u "
                     "'s/\"program_version\":\"[^\"]*\"/\"program_version\":\"0.0.9\"/; s/\"id\":\"tempo\",\"version\":[0-9]*/"
                     "\"id\":\"tempo\",\"version\":1/'\n")
    older.chmod(0o755)
    shipped = folder / "shipped" / "analyze"
    shipped.parent.mkdir()
    shutil.copy(program, shipped)
    subprocess.run(["strip", shipped], check=True)

    arguments = ["--plan", plan_folder, "--output", output, "--pipeline", place.pipeline, "--timeout", "5s"]
    with Cluster(folder, program) as cluster:
        cluster.add_worker(2)
        cluster.add_worker(3)
        # Room for the program once; Spark needs it twice for a moment.
        small = cluster.add_worker(4, size=2 * shipped.stat().st_size + (16 << 20))
        cluster.add_worker(5, {"NOCTURNE_ANALYZE": str(older)})
        cluster.wait(4)
        say("the cluster is up")
        start = time.monotonic()
        killer = Killer(cluster, options.pause)
        job = cluster.submit("job-1", *arguments, files=shipped)

        def wait_for(count):
            def reached():
                assert job.poll() is None, f"the job has ended early: {cluster.log('job-1')[-3000:]}"
                return complete(output) >= count

            eventually(reached, f"{count} partitions are complete", options.patience, .2)

        wait_for(max(2, len(loads) // 8))
        killer.start()
        filler = small / "filler"
        subprocess.run(["dd", "if=/dev/zero", f"of={filler}", "bs=64k"], stderr=subprocess.DEVNULL, check=False)
        assert shutil.disk_usage(small).free < 1 << 16, "the small disk is not full"
        say(f"the disk of 127.0.0.4 is full, {complete(output)} partitions are complete; killing begins")
        wait_for(len(loads) // 4)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        done_before = {path.name: path.stat().st_mtime_ns for path in output.glob("answers/part-*.parquet")}
        say(f"the driver was killed with {len(done_before)} partitions complete")
        changed = change_files(library, plan_folder, output)
        time.sleep(3)
        # Speculation doubles slow tasks; it must do no harm.
        job = cluster.submit("job-2", *arguments, files=shipped, conf={"spark.speculation": "true", "spark.speculation.quantile": "0.3"})
        status = job.wait(options.patience)
        killer.ended.set()
        killer.join()
        say(f"the job ended with status {status} after {time.monotonic() - start:.0f} s; killed: "
            + ", ".join(f"{number} × {kind}" for kind, number in killer.killed.items()) + ", 1 × driver")
        say(cluster.log("job-2").split("files answered:")[-1])
        assert status == 3, f"status {status} instead of 3: {cluster.log('job-2')[-3000:]}"
        assert sum(killer.killed.values()) >= options.kills, (
            f"only {sum(killer.killed.values())} processes were killed; use more files or a shorter pause")
        again = {path.name: path.stat().st_mtime_ns for path in output.glob("answers/part-*.parquet")}
        assert all(again[name] == when for name, when in done_before.items()), "complete partitions were done again"
        answers, failures, report = check_answers(plan_folder, plan, output)
        check_refusal(report)
        by_name = {pathlib.PurePath(row["uri"]).name: row for row in failures}
        # Lost, if each worker that read it happened to be killed: the second night has it again.
        assert by_name["crash.wav"]["status"] in ("failed", "lost"), f"crash.wav: {by_name['crash.wav']}"
        assert by_name["hang.wav"]["status"] in ("timeout", "lost"), f"hang.wav: {by_name['hang.wav']}"
        assert "noise.mp3" in by_name, "noise.mp3 has not failed"
        assert {row["host"] for row in answers} >= {"127.0.0.2", "127.0.0.3"} and "127.0.0.5" not in {row["host"] for row in answers}, (
            "the machines that answered are not those that should")
        say(f"{len(answers)} answers, each once; {len(failures)} of them not ok; most attempts for a file: "
            f"{max(row['attempts'] for row in answers)}; 127.0.0.5 was refused")

        place.analyze("merge", output / "answers", "--database", database)
        nights(options, cluster, place, library, database, shipped, changed[0])
    compare(place, library, database, folder)


def nights(options, cluster, place, library, database, shipped, changed):
    """Plans and jobs until there is nothing left to do."""
    for night in range(2, 5):
        plan_folder, plan = place.plan(library, database, f"plan-{night}", 4)
        say(f"night {night}: {plan['totals']['files']} files are planned")
        if night == 2:
            keys = {row["display_path"] for row in pq.read_table(plan_folder / "files.parquet").to_pylist()}
            assert str(changed) in keys, "a file that changed after its answer is not planned"
        if plan["totals"]["files"] == 0:
            break
        output = place.folder / f"job-{night}"
        job = cluster.submit(f"night-{night}", "--plan", plan_folder, "--output", output, "--pipeline", place.pipeline,
                             "--timeout", "5s", files=shipped)
        assert job.wait(options.patience) in (0, 3), f"night {night}: {cluster.log(f'night-{night}')[-3000:]}"
        check_answers(plan_folder, plan, output)
        place.analyze("merge", output / "answers", "--database", database)


def change_files(library, plan_folder, output):
    """Gives one file of a complete partition and one of another a new content."""
    rows = pq.read_table(plan_folder / "files.parquet", columns=["partition", "display_path"]).to_pylist()
    complete_parts = {int(path.stem.split("-")[1]) for path in output.glob("answers/part-*.parquet")}
    changed = []
    for done in (True, False):
        path = next(pathlib.Path(row["display_path"]) for row in rows
                    if (row["partition"] in complete_parts) == done and "é" in row["display_path"])
        other = next(file for file in sorted(library.rglob(f"*é{path.suffix}"), reverse=True) if file.stem != path.stem)
        # As an editor does it: another file gets the name.
        temporary = library.parent / "changed"
        shutil.copyfile(other, temporary)
        temporary.rename(path)
        changed.append(path)
    say(f"changed {', '.join(path.name for path in changed)}")
    return changed


def check_refusal(report):
    refusals = [entry["text"] for entry in report["incidents"] if entry["kind"] == "refused_worker"]
    assert any("127.0.0.5" in text and "version 0.0.9 instead of" in text and "tempo 1" in text for text in refusals), (
        f"the older program was not refused by name: {refusals}")


def compare(place, library, database, folder):
    """The database beside that of a run of its own."""
    alone = folder / "run.sqlite"
    options = ["--pipeline", place.pipeline, "--timeout", "5s", "--verbose"]
    place.analyze("run", library, "--database", alone, "--jobs", os.cpu_count(), *options)
    merged, expected = (records(place, name) for name in (database, alone))
    different = differences(merged, expected)
    assert not different, f"{len(different)} fields of {len(expected)} records differ:\n" + "\n".join(different[:10])
    say(f"the database equals that of analyze run: {len(expected)} records with all findings")


# Speed


def test_speed(options, folder, program, pytestconfig):
    if "measure=yes" not in pytestconfig.option.spark:
        pytest.skip("measured only with --spark measure=yes")
    folder = folder / "measured"
    folder.mkdir()
    library = folder / "music"
    made = make_library(options, library)
    place = Place(program, folder, "default")
    jobs = os.cpu_count()
    start, used = time.monotonic(), processor_time()
    place.analyze("run", library, "--database", place.folder / "run.sqlite", "--jobs", jobs)
    alone, alone_used = time.monotonic() - start, processor_time() - used
    plan_folder, plan = place.plan(library, place.folder / "merged.sqlite", "plan", 4 * jobs)
    used = processor_time()
    with Cluster(place.folder, program) as cluster:
        for number in range(jobs):
            cluster.add_worker(2 + number, {"NOCTURNE_ANALYZE": str(program)})
        cluster.wait(jobs)
        start = time.monotonic()
        job = cluster.submit("job", "--plan", plan_folder, "--output", place.folder / "job")
        assert job.wait(options.patience) in (0, 3), cluster.log("job")[-3000:]
        whole = time.monotonic() - start
    _, _, report = check_answers(plan_folder, plan, place.folder / "job")
    # The cluster has ended, and all it started with it.
    whole_used = processor_time() - used
    tasks = report["task_seconds"] / jobs
    say(f"{made} files, {jobs} processors: analyze run --jobs {jobs} {alone:.1f} s; tasks of Spark {tasks:.1f} s "
        f"(efficiency {alone / tasks:.2f}), spark-submit from start to end {whole:.1f} s ({alone / whole:.2f}); processor time {alone_used:.1f} s and, with the "
        f"cluster, {whole_used:.1f} s")
    place.analyze("merge", place.folder / "job" / "answers", "--database", place.folder / "merged.sqlite")
    place.pipeline = "tags-only"
    second_plan(place, folder)


def processor_time():
    """Of all processes that have ended, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def second_plan(place, folder, count=100_000):
    many, database = folder / "many", folder / "many.sqlite"
    encode("anullsrc=r=8000:cl=mono", place.folder / "silence.wav", "-t", "0.1")
    silence = (place.folder / "silence.wav").read_bytes()
    for number in range(count):
        place_of = many / f"{number // 100:04}"
        if number % 100 == 0:
            place_of.mkdir(parents=True)
        (place_of / f"{number}.wav").write_bytes(silence)
    place.analyze("run", many, "--database", database, "--pipeline", place.pipeline, "--isolation", "none")
    # A second night is not the second at which the files were written.
    place.analyze("run", many, "--database", database, "--pipeline", place.pipeline, "--isolation", "none")
    for number in range(0, count, count // 10):
        (many / f"{number // 100:04}" / f"{number}.wav").write_bytes(silence * 2)
    times = []
    for _ in range(3):
        start = time.monotonic()
        _, plan = place.plan(many, database, "second", 4)
        times.append(time.monotonic() - start)
    assert plan["totals"]["files"] == 10, f"{plan['totals']} instead of 10 files"
    say(f"planning a second night of {count} files, of which 10 have changed: {min(times):.2f} to {max(times):.2f} s")
