#!/usr/bin/env python3
"""Analyzes the files of a plan with Apache Spark.

    analyze plan /music --database library.sqlite --parquet /data/plan
    spark-submit --files /usr/bin/analyze analyze_job.py --plan /data/plan --output /data/job
    analyze merge /data/job/answers --database library.sqlite

A task takes a partition of the plan, gives its files one by one to an `analyze worker`, and writes the answers to
`answers/part-NNNNN.parquet`. An attempt writes under a name of its own; a file with its final name is complete, with exactly
one answer for each planned file. So retries and speculation do no harm, and a job that is started again does what is missing.
At the end, the files that are not `ok` are in `failures.parquet`, and `report.json` has the rest.

All machines need PySpark with pyarrow and see /music, the plan and the output under the same paths. The program is the one
that the variable NOCTURNE_ANALYZE of a machine names, else the one shipped with --files, else the one in PATH.

Exit status: 0 all files are answered; 1 some are not, start the job again; 3 all are answered, and some failed;
64 wrong usage.
"""
import argparse
import collections
import json
import os
import pathlib
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

NAME_IN_ENVIRONMENT = "NOCTURNE_ANALYZE"
# A row group is as large as this many answers or bytes.
GROUP_ROWS, GROUP_BYTES = 500, 16 << 20
# Stages without a new partition before the job gives up.
FRUITLESS_ROUNDS = 4


class RefusedWorker(Exception):
    """The program of a machine cannot answer this plan. The task fails, and Spark tries it on another machine."""


class LostWorker(Exception):
    """The worker ended, or gave no answer for too long."""


# MARK: - On the machines


class LineWorker:
    """One `analyze worker`, which answers lines in the order in which they were written."""

    def __init__(self, command, patience):
        self.patience = patience
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.buffer = bytearray()
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def send(self, line):
        self.write(json.dumps(line).encode())

    def write(self, line):
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise LostWorker(self.ending()) from None

    def receive(self, every=None, call=None):
        """The next answer. While it is awaited, `call` is called each `every` seconds."""
        end = time.monotonic() + self.patience
        searched = 0
        while True:
            place = self.buffer.find(b"\n", searched)
            if place >= 0:
                line = bytes(self.buffer[:place])
                del self.buffer[:place + 1]
                return line
            searched = len(self.buffer)
            left = end - time.monotonic()
            if left <= 0:
                raise LostWorker(f"no answer for {self.patience} s")
            if not self.selector.select(min(left, every or left)):
                if call:
                    call()
                continue
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise LostWorker(self.ending())
            self.buffer += piece

    def ending(self):
        """How the process ended, with the last line that it wrote to standard error."""
        try:
            status = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - 2000))
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        how = f"ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"{how}: {lines[-1]}" if lines else how

    def close(self, kill=False):
        if kill:
            self.process.kill()
        for end in (self.process.stdin, self.process.stdout):
            try:
                end.close()
            except OSError:
                pass
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.selector.close()
        self.errors.close()


class Worker(LineWorker):
    """The worker of a plan."""

    def __init__(self, task, analyzers):
        command = [task["program"] or find_program(), "worker", "--jobs", "1", *task["worker_options"]]
        if analyzers is not None:
            command += ["--only", ",".join(analyzers)]
        try:
            super().__init__(command, task["patience_s"])
        except OSError as error:
            raise RefusedWorker(f"{node_name()}: {command[0]} cannot be started: {error}") from None
        try:
            self.check(command[0], task["plan"], analyzers)
        except BaseException:
            self.close(kill=True)
            raise

    def check(self, program, plan, analyzers):
        """Compares the program with the plan by its answer to a line that names no file."""
        try:
            self.send({"key": "check"})
            found = json.loads(self.receive())
        except ValueError as error:
            raise RefusedWorker(f"{node_name()}: {program} is no analyze worker: {error}") from None
        pipeline = found["pipeline"]
        known = {item["id"]: (item["version"], item["digest"]) for item in pipeline["analyzers"]}
        wrong = []
        if pipeline["program_version"] != plan["program_version"]:
            wrong.append(f"version {pipeline['program_version']} instead of {plan['program_version']}")
        if pipeline["decoder_version"] != plan["pipeline"]["decoder_version"]:
            wrong.append(f"decoders {pipeline['decoder_version']} instead of {plan['pipeline']['decoder_version']}")
        for item in plan["pipeline"]["analyzers"]:
            if analyzers is not None and item["id"] not in analyzers:
                continue
            if item["id"] not in known:
                wrong.append(f"no analyzer {item['id']}")
            elif known[item["id"]] != (item["version"], item["digest"]):
                version, digest = known[item["id"]]
                wrong.append(f"{item['id']} {version} ({digest}) instead of {item['version']} ({item['digest']})")
        if wrong:
            raise RefusedWorker(f"{node_name()}: {program} is not what the plan was made with: {'; '.join(wrong)}")


def node_name():
    """The name by which Spark knows this machine, if it was told one."""
    return os.environ.get("SPARK_LOCAL_HOSTNAME") or os.environ.get("SPARK_LOCAL_IP") or socket.gethostname()


def find_program():
    """The program of this machine, else the one that came with the job, else the name, for PATH."""
    from pyspark import SparkFiles
    own = os.environ.get(NAME_IN_ENVIRONMENT)
    if own:
        return own
    shipped = SparkFiles.get("analyze")
    return shipped if os.path.exists(shipped) else "analyze"


def start_worker(task, analyzers):
    """A worker that has shown to be the right one. It may be killed before that: then another is started."""
    for attempt in range(task["attempts"]):
        try:
            return Worker(task, analyzers)
        except LostWorker as loss:
            note_incident(task, "lost_worker", f"{node_name()}: analyze worker {loss}")
            last = loss
    raise RefusedWorker(f"{node_name()}: no analyze worker can be started: {last}")


def answers_to(rows, analyzers, task):
    """Yields (row, answer, seconds, attempts) for each row, in order; the answer is empty if each attempt lost the worker."""
    waiting = collections.deque((row, 0) for row in rows)
    worker = None
    try:
        while waiting:
            worker = worker or start_worker(task, analyzers)
            sent = collections.deque()
            last = time.monotonic()
            try:
                # A row ahead, so the worker does not wait for this process.
                while waiting or sent:
                    while waiting and len(sent) < 2:
                        row, attempts = waiting.popleft()
                        sent.append((row, attempts))
                        worker.send({"key": row["key"], "uri": row["uri"]})
                    answer = worker.receive()
                    key = json.loads(answer)["key"]
                    row, attempts = sent[0]
                    if key != row["key"]:
                        raise LostWorker(f"it answered {key} instead of {row['key']}")
                    sent.popleft()
                    now = time.monotonic()
                    yield row, answer, now - last, attempts + 1
                    last = now
            except (LostWorker, ValueError) as loss:
                worker.close(kill=True)
                worker = None
                note_incident(task, "lost_worker", f"{node_name()}: analyze worker {loss}")
                # It was reading the first of them; the others are not to blame.
                row, attempts = sent.popleft() if sent else waiting.popleft()
                waiting.extendleft(reversed(sent))
                if attempts + 1 < task["attempts"]:
                    waiting.append((row, attempts + 1))
                else:
                    yield row, b"", time.monotonic() - last, attempts + 1
    finally:
        if worker:
            worker.close()


def note_incident(task, kind, text):
    """For the report: tasks that fail cannot tell it themselves."""
    try:
        folder = pathlib.Path(task["output"]) / "incidents"
        folder.mkdir(exist_ok=True)
        entry = {"at": time.time(), "run": task["run"], "host": node_name(), "kind": kind, "text": text}
        (folder / f"{uuid.uuid4().hex}.json").write_text(json.dumps(entry))
    except OSError:
        pass


def answer_schema():
    import pyarrow as pa
    fields = [("partition", pa.int64()), ("key", pa.string()), ("uri", pa.string()), ("status", pa.string()),
              ("error_code", pa.string()), ("error_message", pa.string()), ("changed", pa.bool_()),
              ("seconds", pa.float64()), ("attempts", pa.int64()), ("host", pa.string()), ("answer", pa.binary())]
    return pa.schema([pa.field(name, kind, nullable=name.startswith("error")) for name, kind in fields])


class Table:
    """The answers of a partition, as Parquet. Plain pages of version 1 without dictionaries, compressed with gzip: what
    `analyze merge` reads. The file gets its name when it is complete."""

    def __init__(self, task, number):
        import pyarrow.parquet as pq
        self.folder = pathlib.Path(task["output"]) / "answers"
        self.folder.mkdir(exist_ok=True)
        self.name = part_name(number)
        self.path = self.folder / f".{self.name}.{task['run']}.{uuid.uuid4().hex}.partial"
        self.schema = answer_schema()
        self.writer = pq.ParquetWriter(self.path, self.schema, compression="gzip", use_dictionary=False,
                                       data_page_version="1.0", write_statistics=False, store_schema=False)
        self.rows, self.bytes = [], 0

    def append(self, row):
        self.rows.append(row)
        self.bytes += len(row["answer"])
        if len(self.rows) >= GROUP_ROWS or self.bytes >= GROUP_BYTES:
            self.flush()

    def flush(self):
        import pyarrow as pa
        if self.rows:
            self.writer.write_table(pa.Table.from_pylist(self.rows, self.schema))
        self.rows, self.bytes = [], 0

    def close(self, facts):
        """Onto the disk, with the facts in the footer."""
        self.flush()
        self.writer.add_key_value_metadata({"nocturne": json.dumps(facts)})
        self.writer.close()
        with open(self.path, "rb") as file:
            os.fsync(file.fileno())

    def commit(self):
        os.rename(self.path, self.folder / self.name)

    def discard(self):
        try:
            self.writer.close()
        except Exception:
            pass
        self.path.unlink(missing_ok=True)


def part_name(number):
    return f"part-{number:05}.parquet"


def committed(output, plan_id, partition):
    """The facts of a partition that is complete; `None` if it is not."""
    import pyarrow.parquet as pq
    path = pathlib.Path(output) / "answers" / part_name(partition["partition"])
    try:
        footer = pq.read_metadata(path)
        facts = json.loads(footer.metadata[b"nocturne"])
    except (OSError, KeyError, ValueError):
        return None
    whole = facts["plan_id"] == plan_id and footer.num_rows == facts["answered"] == partition["files"]
    return facts if whole else None


def planned_rows(task, partition):
    import pyarrow.parquet as pq
    groups = range(partition["first_row_group"], partition["first_row_group"] + partition["row_groups"])
    columns = ["partition", "key", "uri", "missing", "size_bytes", "modified_ns"]
    with pq.ParquetFile(pathlib.Path(task["plan_folder"]) / "files.parquet") as file:
        rows = file.read_row_groups(list(groups), columns=columns).to_pylist()
    if len(rows) != partition["files"] or any(row["partition"] != partition["partition"] for row in rows):
        raise RuntimeError(f"partition {partition['partition']} of the plan is not whole: files.parquet and plan.json differ")
    return rows


def answer_partition(task, partition):
    """Answers all files of a partition and commits the answers."""
    plan, number = task["plan"], partition["partition"]
    known = committed(task["output"], plan["plan_id"], partition)
    if known:
        return known
    start = time.monotonic()
    rows = planned_rows(task, partition)
    every = ",".join(item["id"] for item in plan["pipeline"]["analyzers"])
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["missing"]].append(row)
    answers = None
    counts = collections.Counter()
    keys = set()
    try:
        answers = Table(task, number)
        for missing, group in groups.items():
            only = task["only"] if missing == every else missing.split(",")
            for row, answer, seconds, attempts in answers_to(group, only, task):
                found = {"partition": number, "key": row["key"], "uri": row["uri"], "seconds": seconds,
                         "attempts": attempts, "host": node_name(), "answer": answer, **outcome(row, answer)}
                answers.append(found)
                keys.add(row["key"])
                counts[found["status"]] += 1
                counts["changed"] += found["changed"]
                counts["answered"] += 1
        if not counts["answered"] == len(keys) == partition["files"]:
            raise RuntimeError(
                f"partition {number}: {counts['answered']} answers to {len(keys)} of {partition['files']} files")
        facts = {"plan_id": plan["plan_id"], "partition": number, "answered": counts["answered"], "host": node_name(),
                 "seconds": time.monotonic() - start, "expected_s": partition["expected_s"], "bytes": partition["bytes"],
                 "changed": counts["changed"],
                 "statuses": {name: counts[name] for name in STATUSES if counts[name]}}
        answers.close(facts)
        answers.commit()
        return facts
    except BaseException as error:
        if answers:
            answers.discard()
        if isinstance(error, Exception):
            kind = "refused_worker" if isinstance(error, RefusedWorker) else "failed_attempt"
            note_incident(task, kind, str(error) or repr(error))
        raise


STATUSES = ["ok", "partial", "failed", "timeout", "skipped", "lost"]


def outcome(row, answer):
    if not answer:
        return {"status": "lost", "error_code": "worker_lost", "changed": False,
                "error_message": "Each worker that read this file ended without an answer."}
    found = json.loads(answer)
    error, stamp = found["error"] or {}, found["stamp"]
    changed = bool(stamp) and (stamp["size_bytes"], stamp["modified_ns"]) != (row["size_bytes"], row["modified_ns"])
    return {"status": found["status"], "error_code": error.get("code"), "error_message": error.get("message"),
            "changed": changed}


# MARK: - On the driver


class Parser(argparse.ArgumentParser):
    """Ends with 64 after wrong usage."""

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", required=True, metavar="DIR", help="what analyze plan --parquet wrote")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for answers, failures and report.json")
    parser.add_argument("--analyze", metavar="FILE", help="the program on every machine, instead of looking for it")
    parser.add_argument("--pipeline", metavar="NAME|FILE", help="the pipeline of the plan (default: its name)")
    parser.add_argument("--timeout", metavar="TIME", help="processor time for a file, as for analyze worker")
    parser.add_argument("--patience", type=float, default=3600, metavar="S",
                        help="seconds without an answer after which a worker is ended (default: 3600)")
    parser.add_argument("--attempts", type=int, default=3, metavar="N",
                        help="workers that a file may cost before it counts as lost (default: 3)")
    return parser.parse_args()


def fail(status, text):
    print(f"analyze_job: {text}", file=sys.stderr)
    sys.exit(status)


def read_plan(folder):
    try:
        plan = json.loads((folder / "plan.json").read_text())
    except (OSError, ValueError) as error:
        fail(64, f"{folder} has no plan: {error}. Make one with analyze plan --parquet {folder}")
    if plan.get("schema") != "nocturne.plan" or plan.get("version") != 1:
        fail(64, f"{folder}/plan.json is no plan of version 1")
    return plan


def prepare_output(folder, plan):
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / "job.json"
    if mark.exists() and json.loads(mark.read_text())["plan_id"] != plan["plan_id"]:
        fail(64, f"{folder} has the answers to another plan. Merge them, and name another folder")
    temporary = folder / f".job.{uuid.uuid4().hex}"
    temporary.write_text(json.dumps({"plan_id": plan["plan_id"]}))
    temporary.rename(mark)
    remove_attempts(folder, older_than=86_400)


def remove_attempts(folder, run="", older_than=0):
    """Removes what attempts have left that were killed."""
    for path in (folder / "answers").glob(f".part-*.{run}*.partial"):
        try:
            if time.time() - path.stat().st_mtime >= older_than:
                path.unlink()
        except OSError:
            pass


def settings():
    """Defaults for a job whose tasks are long and whose attempts do no harm; spark-submit may set each."""
    from pyspark import SparkConf
    conf = SparkConf()
    for name, value in {
        "spark.app.name": "analyze", "spark.task.maxFailures": "20",
        # A machine with the wrong program or a full disk fails each task at once: others must get them.
        "spark.excludeOnFailure.enabled": "true", "spark.excludeOnFailure.application.enabled": "false",
        "spark.excludeOnFailure.taskAndStage.enabled": "true",
        "spark.excludeOnFailure.task.maxTaskAttemptsPerExecutor": "3",
        "spark.excludeOnFailure.task.maxTaskAttemptsPerNode": "6",
        "spark.excludeOnFailure.stage.maxFailedTasksPerExecutor": "4",
        "spark.excludeOnFailure.stage.maxFailedExecutorsPerNode": "4",
    }.items():
        conf.setIfMissing(name, value)
    return conf


class Progress(threading.Thread):
    """A line from time to time, of accumulators that tasks add to when they are done."""

    def __init__(self, context, plan, done):
        super().__init__(daemon=True)
        self.total, self.partitions, self.before = plan["totals"]["files"], len(plan["partitions"]), done
        self.files, self.bad, self.tasks = (context.accumulator(0) for _ in range(3))
        self.ended = threading.Event()

    def run(self):
        shown = None
        while not self.ended.wait(10):
            if shown != self.text():
                shown = self.text()
                print(f"analyze_job: {shown}", file=sys.stderr, flush=True)

    def text(self):
        return (f"{self.files.value + sum(facts['answered'] for facts in self.before)} of {self.total} files answered, "
                f"{self.bad.value + sum(bad(facts) for facts in self.before)} not ok, "
                f"{self.tasks.value + len(self.before)} of {self.partitions} partitions")


def bad(facts):
    return facts["answered"] - facts["statuses"].get("ok", 0)


def run_round(spark, task, pending, progress):
    """One Spark stage with a task for each partition."""
    files, wrong, tasks = progress.files, progress.bad, progress.tasks
    shared = spark.sparkContext.broadcast((task, pending))

    def answer(batches):
        import pyarrow as pa
        task, pending = shared.value
        for batch in batches:
            for place in batch.column(0).to_pylist():
                facts = answer_partition(task, pending[place])
                files.add(facts["answered"])
                wrong.add(facts["answered"] - facts["statuses"].get("ok", 0))
                tasks.add(1)
                yield pa.RecordBatch.from_pydict({"partition": [facts["partition"]], "answered": [facts["answered"]]})

    places = spark.range(0, len(pending), 1, len(pending))
    places.mapInArrow(answer, "partition long, answered long").collect()


def write_failures(output, task, done):
    """The rows of all files that are not `ok`, of complete partitions, without their answers."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
    schema = answer_schema()
    schema = schema.remove(schema.get_field_index("answer"))
    temporary = output / f".failures.{task['run']}"
    with pq.ParquetWriter(temporary, schema, compression="gzip", store_schema=False) as writer:
        for facts in done:
            if bad(facts):
                table = pq.read_table(output / "answers" / part_name(facts["partition"]), columns=schema.names)
                writer.write_table(table.filter(pc.not_equal(table["status"], "ok")).cast(schema))
    temporary.rename(output / "failures.parquet")


def report(output, plan, task, done, seconds):
    incidents = []
    for path in (output / "incidents").glob("*.json"):
        try:
            incidents.append(json.loads(path.read_text()))
        except (OSError, ValueError):
            pass
    incidents.sort(key=lambda entry: entry["at"])
    statuses = collections.Counter()
    for facts in done:
        statuses.update(facts["statuses"])
    answered = sum(facts["answered"] for facts in done)
    found = {
        "schema": "nocturne.spark_report", "version": 1, "plan_id": plan["plan_id"],
        "planned": plan["totals"]["files"], "answered": answered, "changed_since_plan": sum(f["changed"] for f in done),
        "statuses": {name: statuses[name] for name in STATUSES}, "seconds": seconds,
        "task_seconds": sum(facts["seconds"] for facts in done), "expected_s": plan["totals"]["expected_s"],
        "partitions": sorted(done, key=lambda facts: facts["partition"]),
        "missing_partitions": sorted({p["partition"] for p in plan["partitions"]} - {f["partition"] for f in done}),
        "incidents": incidents,
    }
    temporary = output / f".report.{task['run']}"
    temporary.write_text(json.dumps(found, indent=1))
    temporary.rename(output / "report.json")
    print(f"{answered} of {found['planned']} files answered: "
          + ", ".join(f"{count} {name}" for name, count in found["statuses"].items() if count))
    print(f"{len(done)} of {len(plan['partitions'])} partitions, {found['task_seconds']:.0f} s of tasks in {seconds:.0f} s")
    for kind, count in collections.Counter(entry["kind"] for entry in incidents).items():
        print(f"{count} × {kind}")
    for text in sorted({entry["text"] for entry in incidents if entry["kind"] == "refused_worker"}):
        print(f"refused: {text}")


def main():
    options = arguments()
    plan_folder, output = pathlib.Path(options.plan).resolve(), pathlib.Path(options.output).resolve()
    plan = read_plan(plan_folder)
    prepare_output(output, plan)
    worker_options = ["--pipeline", options.pipeline or plan["pipeline"]["name"]]
    if options.timeout:
        worker_options += ["--timeout", options.timeout]
    slim = {name: plan[name] for name in ("plan_id", "program_version", "pipeline")}
    task = {
        "run": uuid.uuid4().hex[:8], "plan": slim, "plan_folder": str(plan_folder), "output": str(output),
        "program": options.analyze, "worker_options": worker_options, "patience_s": options.patience,
        "attempts": options.attempts,
        # A plan for some analyzers of a pipeline has no others.
        "only": [item["id"] for item in plan["pipeline"]["analyzers"]],
    }

    def state():
        facts = [committed(output, plan["plan_id"], partition) for partition in plan["partitions"]]
        return ([found for found in facts if found],
                [partition for partition, found in zip(plan["partitions"], facts) if not found])

    start = time.monotonic()
    done, pending = state()
    if pending:
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.config(conf=settings()).getOrCreate()
        progress = Progress(spark.sparkContext, plan, done)
        progress.start()
        fruitless = 0
        while pending and fruitless < FRUITLESS_ROUNDS:
            spark.sparkContext.setJobDescription(f"plan {plan['plan_id']}: {len(pending)} partitions")
            try:
                run_round(spark, task, pending, progress)
            except Exception as error:
                print(f"analyze_job: a stage failed, trying what is missing again: {str(error).splitlines()[0]}",
                      file=sys.stderr)
            before = len(pending)
            done, pending = state()
            fruitless = fruitless + 1 if len(pending) == before else 0
        progress.ended.set()
        spark.stop()
    # Of all runs, if nothing is left to do.
    remove_attempts(output, run=task["run"] if pending else "")
    write_failures(output, task, done)
    report(output, plan, task, done, time.monotonic() - start)
    if pending:
        fail(1, f"{len(pending)} partitions are missing; start the job again with the same plan and output")
    sys.exit(3 if sum(bad(facts) for facts in done) else 0)


if __name__ == "__main__":
    main()
