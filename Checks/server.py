"""`analyze serve` at a free port of loopback, over the library of a workplace."""
import http.client
import itertools
import json
import re
import signal
import subprocess
import time
import urllib.parse
import urllib.request

from waiting import eventually

_numbers = itertools.count(1)


class Server:
    """A server that runs from here to the end of a `with` statement, where it must end as one that was asked to."""

    def __init__(self, place, *options, port=0, program=None):
        self.place, self.port = place, port
        self.log_file = place.folder / f"serve-{next(_numbers)}.log"
        words = [program or place.program, "serve", "--port", port, *options]
        with self.log_file.open("w") as log:
            self.process = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, env=place.environment)
        self.port = int(eventually(self._started, "analyze serve starts", 60)[1])
        self.host = f"http://127.0.0.1:{self.port}"
        self.base = f"{self.host}/"

    def _started(self):
        found = re.search(r"serving at http://[^/\s]*?:(\d+)/", self.log)
        assert found or self.process.poll() is None, f"the server did not start: {self.log}"
        return found

    @property
    def log(self):
        return self.log_file.read_text(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.returncode is None:
            status, _, log = self.stop()
            assert kind or status == 143, f"the server ended with {status}: {log[-3000:]}"

    def stop(self, number=signal.SIGTERM):
        """-> (exit status as a shell has it, seconds until then, what it wrote)"""
        began = time.monotonic()
        self.process.send_signal(number)
        try:
            status = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the server does not end after signal {number}: {self.log[-3000:]}") from None
        return status, time.monotonic() - began, self.log

    def ask(self, path="/healthz", method="GET", body=None, **headers):
        """-> (status, headers, bytes)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def get(self, path, **headers):
        """The answer to a path without its first slash, to read from; an error for any status but 2xx."""
        return urllib.request.urlopen(urllib.request.Request(self.base + path, headers=headers), timeout=20)

    def read(self, path):
        """What the JSON at a path says."""
        with self.get(path) as answer:
            return json.load(answer)

    def track(self, title):
        found = self.read(f"app/api/search?q={urllib.parse.quote(title)}")["tracks"]["items"]
        return next(track for track in found if track["title"] == title)
