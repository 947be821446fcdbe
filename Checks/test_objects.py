"""Objects of an S3 server (moto) on this machine, which checks signatures.

A bucket with odd names is listed, planned, analyzed by workers and merged; the database then has what a run over the same files has, under
the names of objects. A second plan is empty; after one object is replaced and one is touched, it has the first one only. Wrong keys are
refused by name, and no secret is printed.
"""
import csv
import io
import json
import re
import subprocess
import time
import urllib.parse
from pathlib import Path

import pytest
import python_packages
from sounds import save
from workplace import Workplace

BUCKET = "my-songs"
DEEP = "/".join(f"level {n}" for n in range(10))
KEYS = [
    "a b.wav", "100%.wav", "Björk/Jóga.wav", "日本/曲 #1?.wav", "plus+and&equals=.wav", "quote'\"s.wav", "a//b.wav", "%2F.wav",
    "tilde~*()!.wav", f"{DEEP}/deep.wav", "back\\slash.wav", "semi;colon:at@.wav",
]


class Bucket:
    """The bucket of Checks/clients/bucket.py, which has an environment of its own."""

    def __init__(self, folder):
        self.folder = folder
        with (folder / "moto.log").open("wb") as log:
            self.process = subprocess.Popen(
                [python_packages.interpreter("objects"), Path(__file__).parent / "clients/bucket.py", BUCKET],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.user = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        assert line, (self.folder / "moto.log").read_text()[-3000:]
        return json.loads(line)

    def tell(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def put(self, name, number):
        """A song, another for each number; `None`: nothing."""
        self.tell("put", name, "" if number is None else song(self.folder, number).decode("latin-1"))

    def listing(self):
        """A table for `analyze plan --from-listing`."""
        text = io.StringIO()
        table = csv.writer(text)
        table.writerow(["uri", "size_bytes", "modified", "etag"])
        for name, *columns in self.tell("list"):
            table.writerow([uri(name), *columns])
        return text.getvalue()


def song(folder, number):
    """Four seconds of a tone that no other song has."""
    period, path = 20 + number, folder / "song.wav"
    save(path, (9000 / 32_000 if n % period < period // 2 else -9000 / 32_000 for n in range(11025 * 4)), 11025)
    return path.read_bytes()


def uri(name):
    return f"s3://{BUCKET}/{urllib.parse.quote(name)}"


class Place(Workplace):
    def worker(self, lines, environment=None):
        output = self.analyze("worker", "--pipeline", "fingerprint", "--jobs", 2, input=lines, environment=environment).stdout
        return output, [json.loads(line) for line in output.splitlines()]

    def plan(self, listing):
        output = self.analyze("plan", "--from-listing", "-", "--ndjson", "--pipeline", "fingerprint", input=listing).stdout
        return output, [json.loads(line) for line in output.splitlines()]

    def fingerprints(self, database=None):
        records = [record for record in self.report(database=database) if record["fingerprint"]]
        return {record["uri"]: (record["id"], record["fingerprint"]["value"]) for record in records}


@pytest.fixture(scope="module")
def bucket(folder):
    bucket = Bucket(folder)
    try:
        for number, name in enumerate(KEYS):
            bucket.put(name, number)
        bucket.tell("put", "cover.jpg", "picture")
        yield bucket
    finally:
        bucket.process.kill()
        bucket.process.wait()


@pytest.fixture(scope="module")
def place(program, folder, bucket):
    place = Place(program, folder)
    (folder / "tmp").mkdir()
    place.environment |= {
        "TMPDIR": str(folder / "tmp"), "AWS_ACCESS_KEY_ID": bucket.user["id"], "AWS_SECRET_ACCESS_KEY": bucket.user["secret"],
        "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_S3": bucket.user["address"]}
    return place


@pytest.fixture(scope="module")
def found(place, bucket):
    """What is found in the objects, by their names."""
    lines, planned = place.plan(bucket.listing())
    assert len(planned) == len(KEYS), "the objects that are planned"
    output, answers = place.worker(lines)
    for answer in answers:
        assert answer["status"] == "ok", f"{answer['file']['uri']}: {answer['error']}"
    place.analyze("merge", "-", input=output)
    assert place.plan(bucket.listing())[1] == [], "a second plan is not empty"
    return place.fingerprints()


@pytest.fixture(scope="module")
def replaced(place, bucket, found):
    """One object has other bytes, and one the same again; times of objects are whole seconds."""
    time.sleep(1.1)
    bucket.put(KEYS[2], 90)
    bucket.put(KEYS[3], 3)
    return KEYS[2]


def test_objects_are_analyzed_like_their_files(place, folder, found):
    assert len(found) == len(KEYS), "the objects in the database"
    library = folder / "files"
    library.mkdir()
    for number in range(len(KEYS)):
        (library / f"{number}.wav").write_bytes(song(folder, number))
    place.analyze("run", library, "--pipeline", "fingerprint", "--database", folder / "files.sqlite")
    files = place.fingerprints(folder / "files.sqlite")
    by_key = {urllib.parse.unquote(name.removeprefix(f"s3://{BUCKET}/")): value for name, value in found.items()}
    for number, name in enumerate(KEYS):
        assert by_key.get(name) == files[(library / f"{number}.wav").as_uri()], f"{name} has other findings than its file"


def test_only_other_bytes_are_planned_again(place, bucket, replaced):
    changed = [(item["reason"], urllib.parse.unquote(item["uri"])) for item in place.plan(bucket.listing())[1]]
    assert changed == [("changed", f"s3://{BUCKET}/{replaced}")]


def test_a_run_lists_the_bucket_itself(place, bucket, found, replaced):
    # More than a page of it.
    for number in range(1100):
        bucket.put(f"covers/{number:04}.jpg", None)
    bucket.put("z/last.wav", 70)
    place.analyze("plan", f"s3://{BUCKET}/none", status=1)
    listed = place.analyze("plan", f"s3://{BUCKET}", "--ndjson", "--pipeline", "fingerprint").stdout
    reasons = {urllib.parse.unquote(item["uri"]): item["reason"] for item in map(json.loads, listed.splitlines())}
    assert reasons == {f"s3://{BUCKET}/{replaced}": "changed", f"s3://{BUCKET}/z/last.wav": "new"}
    run = ["run", f"s3://{BUCKET}", "--pipeline", "fingerprint", "--report", "json", "--output", "-"]

    def totals():
        return {name: count for name, count in json.loads(place.analyze(*run).stdout)["run"]["totals"].items() if count}

    skipped = 1101
    seen = len(KEYS) + 1 + skipped
    assert totals() == {"seen": seen, "analyzed": 2, "cached": len(KEYS) - 1, "skipped": skipped}, "the first run"
    assert place.fingerprints()[uri(replaced)][0] != found[uri(replaced)][0], "the new bytes were not analyzed"
    bucket.tell("delete", KEYS[0])
    assert totals() == {"seen": seen, "cached": len(KEYS), "skipped": skipped, "vanished": 1}, "the second run"
    bucket.put(KEYS[0], 0)
    third = totals()
    assert third == {"seen": seen, "cached": len(KEYS) + 1, "skipped": skipped}, "the third run"
    place.analyze(*run, environment={"AWS_SECRET_ACCESS_KEY": "wrong"}, status=1)
    assert totals() == third, "a run that could not list the bucket has lost something"


def test_wrong_keys_and_missing_objects(place, found):
    for environment in ({"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "nobody"}):
        error = place.worker(uri(KEYS[0]), environment)[1][0]["error"]
        assert error["code"] == "object_denied", "with wrong keys"
        assert re.search(r"\(403 \w+\)", error["message"])
    missing = place.worker(uri("none.wav"))[1][0]
    assert missing["error"]["code"] == "object_not_found", "a missing object"


def test_a_signed_address(place, bucket, found):
    # moto cannot check a signature in an address.
    bucket.tell("trust", "inf")
    output, answers = place.worker(bucket.tell("sign", KEYS[2]))
    assert answers[0]["status"] == "ok", f"a signed address: {answers[0]['error']}"
    assert "Signature" not in output and bucket.user["id"] not in output and bucket.user["secret"] not in output, (
        "an answer has the signature of its address")


def test_nothing_is_left_in_tmpdir(folder, place):
    assert not list((folder / "tmp").iterdir())
