#!/usr/bin/env python3
"""Analyzes files whose names come through a stream of Redis (6.2 or later), on as many machines as there are consumers.

    find /music -type f | stream_job.py add
    stream_job.py work --output /data/answers --consumer node1-0
    analyze merge /data/answers
    stream_job.py status

A message has a field `line`: what `analyze worker` takes as a line. A consumer gives its messages one by one to an `analyze
worker` that lives as long as it does, writes each answer to OUTPUT/CONSUMER.ndjson, and acknowledges a message once its answer is
on the disk. So a message is answered at least once, and `analyze merge` takes an answer that comes twice as one. Messages of a
consumer that has been silent for --claim-after seconds go to the others. One that was delivered --deliveries times without an
answer goes to the stream STREAM:lost, and `retry` puts what is there back.

The broker must keep its data (`appendonly yes`). Needs `redis` from PyPI.

Exit status: 0 fine, or ended by a signal after the answer to the present file; 64 wrong usage; 69 no broker, or no `analyze worker`;
74 answers cannot be written.
"""
import argparse
import fcntl
import json
import os
import pathlib
import signal
import socket
import sys
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "spark"))
from analyze_job import LineWorker, LostWorker, Parser  # noqa: E402

GROUP, FIELD = "analyze", b"line"
# Requests that wait are answered by then, and a broker that is gone is asked again after this long at most.
BLOCK_S, LONGEST_PAUSE_S = 2, 15
WORKER_STARTS = 3


class Ended(Exception):
    """A signal came while there was no broker."""


class Broker:
    """The stream of a job, and its group of consumers. A broker that is gone is waited for."""

    def __init__(self, options):
        self.stream, self.lost = options.stream, f"{options.stream}:lost"
        self.patience = getattr(options, "patience", 0)
        # Requests are repeated here, where a reply that was lost is known.
        self.client = redis.Redis.from_url(
            options.url, protocol=2, socket_connect_timeout=5, socket_timeout=BLOCK_S + 8, retry=Retry(NoBackoff(), 0))
        self.has_group, self.reconnected, self.ended = False, False, False
        self.ask(self.client.ping)

    def make_group(self):
        # It begins with the first message, whoever comes first.
        try:
            self.client.xgroup_create(self.stream, GROUP, id="0", mkstream=True)
        except redis.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
        self.has_group = True

    def ask(self, request, *arguments, **named):
        """Repeats a request until the broker has answered it."""
        pause, end = 0.1, time.monotonic() + self.patience
        while True:
            try:
                if not self.has_group:
                    self.make_group()
                return request(*arguments, **named)
            except (redis.ConnectionError, redis.TimeoutError) as error:
                if time.monotonic() > end:
                    fail(69, f"no answer from the broker: {error}")
                self.reconnected = True
            except redis.ResponseError as error:
                # A broker that came back without its data.
                if not str(error).startswith("NOGROUP"):
                    raise
                self.has_group = False
            if self.ended:
                raise Ended
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def finish(self, identity, lost=None):
        """Acknowledges a message and takes it out of the stream; with `lost`, puts that into the stream of lost messages."""
        def request():
            # At once: a message that was only taken out of the stream would stay pending.
            with self.client.pipeline(transaction=True) as transaction:
                if lost:
                    transaction.xadd(self.lost, lost)
                transaction.xack(self.stream, GROUP, identity)
                transaction.xdel(self.stream, identity)
                transaction.execute()
        self.ask(request)


class Consumer:
    """One member of the group, with its worker and its file of answers."""

    def __init__(self, broker, options):
        self.broker, self.name, self.options = broker, options.consumer, options
        self.command = [options.analyze, "worker", "--jobs", "1"]
        for name in ("pipeline", "timeout"):
            if getattr(options, name):
                self.command += [f"--{name}", getattr(options, name)]
        self.worker = None
        self.answers = AnswerFile(options.output / f"{self.name}.ndjson")
        self.next_claim = 0.0

    def run(self):
        # What an earlier life of this consumer had not acknowledged comes first.
        self.broker.reconnected = True
        try:
            # A consumer that has no worker takes no messages.
            self.start_worker()
            while not self.broker.ended:
                message = self.next_message()
                if message:
                    self.take(*message)
                elif self.options.until_empty and self.broker.ask(self.broker.client.xlen, self.broker.stream) == 0:
                    break
        except Ended:
            pass
        finally:
            if self.worker:
                self.worker.close()
            self.answers.close()

    def start_worker(self):
        for _ in range(WORKER_STARTS):
            try:
                self.worker = LineWorker(self.command, self.options.patience)
                # A line that names no file: a worker that cannot work ends at once.
                self.worker.send({"key": "check"})
                self.worker.receive()
                return
            except OSError as error:
                fail(69, f"{self.command[0]} cannot be started: {error}")
            except LostWorker as loss:
                self.end_worker(loss)
                last = loss
        fail(69, f"{self.name}: analyze worker {last}")

    def end_worker(self, loss):
        say(f"{self.name}: analyze worker {loss}")
        self.worker.close(kill=True)
        self.worker = None

    def next_message(self):
        """Its own of an earlier life or a lost reply, then those of the dead, then new ones; `None` after a while without one."""
        ask, client, stream = self.broker.ask, self.broker.client, self.broker.stream
        if self.broker.reconnected:
            self.broker.reconnected = False
            if messages := ask(client.xreadgroup, GROUP, self.name, {stream: "0"}, count=1)[0][1]:
                # There may be more.
                self.broker.reconnected = True
                return messages[0]
        if time.monotonic() >= self.next_claim:
            idle_ms = int(1000 * self.options.claim_after)
            if messages := ask(client.xautoclaim, stream, GROUP, self.name, idle_ms, count=1)[1]:
                return messages[0]
            self.next_claim = time.monotonic() + self.options.claim_after / 4
        found = ask(client.xreadgroup, GROUP, self.name, {stream: ">"}, count=1, block=1000 * BLOCK_S)
        return found[0][1][0] if found else None

    def take(self, identity, fields):
        """Answers a message, whatever number of workers it costs up to the limit."""
        if not fields:
            # Somebody has taken it out of the stream.
            return self.broker.finish(identity)
        line = fields.get(FIELD)
        if line is None or b"\n" in line:
            return self.give_up(identity, fields, f"no field {FIELD.decode()} of one line")
        while not self.broker.ended:
            deliveries = self.deliveries(identity)
            if deliveries is None:
                return None
            if deliveries > self.options.deliveries:
                return self.give_up(identity, fields, f"{deliveries - 1} deliveries without an answer")
            if self.worker and self.worker.process.poll() is not None:
                self.end_worker(self.worker.ending())
            if not self.worker:
                self.start_worker()
            try:
                self.worker.write(line)
                # A long file is no reason to give it to another consumer.
                answer = self.worker.receive(self.options.claim_after / 3, lambda: self.claim(identity, justid=True))
                json.loads(answer)
            except (LostWorker, ValueError) as loss:
                self.end_worker(loss)
                # Counts as another delivery, for whoever has the message next.
                self.claim(identity)
                continue
            self.answers.append(answer)
            return self.broker.finish(identity)
        return None

    def deliveries(self, identity):
        """How often it was delivered; `None` if it is another consumer's by now, or acknowledged."""
        found = self.broker.ask(
            self.broker.client.xpending_range, self.broker.stream, GROUP, identity, identity, 1, self.name)
        return found[0]["times_delivered"] if found else None

    def claim(self, identity, justid=False):
        """Keeps a message. With `justid`, that is not another delivery."""
        if self.deliveries(identity) is not None:
            self.broker.ask(
                self.broker.client.xclaim, self.broker.stream, GROUP, self.name, 0, [identity], justid=justid)

    def give_up(self, identity, fields, reason):
        say(f"{self.name}: lost: {fields.get(FIELD, b'').decode(errors='replace')}: {reason}")
        self.broker.finish(identity, lost={**fields, b"reason": reason, b"consumer": self.name})


class AnswerFile:
    """A file of whole lines, for one process at a time. What a killed process left of a last line is cut off."""

    def __init__(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(path, "a+b", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            fail(64, f"another consumer writes {path}. Give each consumer a name of its own")
        self.file.truncate(self.end_of_lines())
        os.fsync(self.file.fileno())

    def end_of_lines(self):
        end = self.file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - (1 << 16))
            self.file.seek(start)
            place = self.file.read(end - start).rfind(b"\n")
            if place >= 0:
                return start + place + 1
            end = start
        return 0

    def append(self, line):
        try:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[self.file.write(rest):]
            os.fdatasync(self.file.fileno())
        except OSError as error:
            fail(74, f"{self.file.name} cannot be written: {error.strerror}. Its messages go to other consumers")

    def close(self):
        self.file.close()


# MARK: - Commands


def add(options):
    broker = Broker(options)
    count = 0
    for line in sys.stdin.buffer:
        broker.ask(broker.client.xadd, broker.stream, {FIELD: line.removesuffix(b"\n")})
        count += 1
    print(f"{count} added to {broker.stream}")


def work(options):
    broker = Broker(options)

    def end(*_):
        broker.ended = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    Consumer(broker, options).run()


def status(options):
    broker = Broker(options)
    pending = broker.client.xpending(broker.stream, GROUP)["pending"]
    found = {"waiting": broker.client.xlen(broker.stream) - pending, "in_progress": pending, "lost": broker.client.xlen(broker.lost),
             "consumers": {consumer["name"].decode(errors="replace"): {"in_progress": consumer["pending"], "idle_s": consumer["idle"] / 1000}
                           for consumer in broker.client.xinfo_consumers(broker.stream, GROUP)}}
    print(json.dumps(found, indent=1))


def retry(options):
    broker = Broker(options)
    count = 0
    for identity, fields in broker.client.xrange(broker.lost):
        transaction = broker.client.pipeline(transaction=True)
        if FIELD in fields:
            transaction.xadd(broker.stream, {FIELD: fields[FIELD]})
            count += 1
        transaction.xdel(broker.lost, identity)
        transaction.execute()
    print(f"{count} added to {broker.stream} again")


def say(text):
    print(f"stream_job: {text}", file=sys.stderr, flush=True)


def fail(code, text):
    say(text)
    sys.exit(code)


def consumer_name(text):
    # `analyze merge FOLDER` leaves out names that begin so.
    if not text or "/" in text or text.startswith((".", "_")):
        raise argparse.ArgumentTypeError(f"{text!r} is no name of a file that begins with a letter or number")
    return text


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default=os.environ.get("REDIS_URL", "redis://127.0.0.1:6379"),
                        help="the broker; rediss:// for TLS (default: $REDIS_URL, else this machine)")
    parser.add_argument("--stream", default="nocturne", metavar="NAME", help="the stream (default: nocturne)")
    commands = parser.add_subparsers(required=True)
    for run, text in ((add, "add lines of standard input"), (status, "print how much is waiting, in progress and lost"),
                      (retry, "add again what was lost")):
        commands.add_parser(run.__name__, help=text).set_defaults(run=run)
    worker = commands.add_parser("work", help="answer messages")
    worker.set_defaults(run=work)
    worker.add_argument("--output", required=True, type=pathlib.Path, metavar="DIR", help="folder for the file of answers")
    worker.add_argument("--consumer", type=consumer_name, default=f"{socket.gethostname()}-{os.getpid()}", metavar="NAME",
                        help="a name that it keeps when it is started again (default: machine and process)")
    worker.add_argument("--until-empty", action="store_true", help="end when all messages are answered")
    worker.add_argument("--analyze", default="analyze", metavar="FILE", help="the program (default: analyze in PATH)")
    worker.add_argument("--pipeline", metavar="NAME|FILE", help="as for analyze worker")
    worker.add_argument("--timeout", metavar="TIME", help="processor time for a file, as for analyze worker")
    worker.add_argument("--patience", type=float, default=3600, metavar="S",
                        help="seconds for an answer of the worker, and without a broker (default: 3600)")
    worker.add_argument("--claim-after", type=float, default=60, metavar="S",
                        help="seconds of silence after which a consumer counts as dead (default: 60)")
    worker.add_argument("--deliveries", type=int, default=5, metavar="N",
                        help="deliveries of a message without an answer before it is lost (default: 5)")
    return parser.parse_args()


def main():
    options = arguments()
    options.run(options)


if __name__ == "__main__":
    main()
