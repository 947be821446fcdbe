"""Objects of an S3 server (moto) on this machine, which checks signatures.

A bucket with odd names is listed, planned, analyzed by workers and merged; the database then has what a run over the same files has, under the
names of objects. A second plan is empty; after one object is replaced and one is touched, it has the first one only. Wrong keys are refused by
name, and no secret is printed.
"""
import base64
import csv
import io
import json
import os
import re
import subprocess
import time
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
import python_packages
from sounds import save

BUCKET = "my-songs"
DEEP = "/".join(f"level {n}" for n in range(10))
KEYS = [
    "a b.wav", "100%.wav", "Björk/Jóga.wav", "日本/曲 #1?.wav", "plus+and&equals=.wav", "quote'\"s.wav", "a//b.wav", "%2F.wav",
    "tilde~*()!.wav", f"{DEEP}/deep.wav", "back\\slash.wav", "semi;colon:at@.wav",
]
ADMIN = ("admin", "admin")


class Store:
    """The server, and the calls that its users make."""

    def __init__(self):
        program = [python_packages.interpreter("objects"), Path(__file__).parent / "clients/object_store.py"]
        environment = {**os.environ, "MOTO_IAM_LOAD_MANAGED_POLICIES": "false"}
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        self.address = self.process.stdout.readline().decode().strip()

    def call(self, service, keys, method, **arguments):
        self.process.stdin.write(json.dumps([service, keys, method, arguments]).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"{method} {arguments} ended the server"
        return json.loads(line)

    def trust(self, requests):
        """Answers so many requests without a look at who asks."""
        urllib.request.urlopen(urllib.request.Request(
            f"{self.address}/moto-api/reset-auth", data=str(requests).encode(), headers={"Content-Type": "text/plain"}))

    def end(self):
        self.process.kill()
        self.process.wait()


class Bucket:
    """The bucket of a user, and what the program under test does with it."""

    def __init__(self, store, place):
        self.store, self.place = store, place
        store.call("iam", ADMIN, "create_user", UserName="reader")
        policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
        store.call("iam", ADMIN, "put_user_policy", UserName="reader", PolicyName="all", PolicyDocument=json.dumps(policy))
        key = store.call("iam", ADMIN, "create_access_key", UserName="reader")["AccessKey"]
        self.id, self.secret = key["AccessKeyId"], key["SecretAccessKey"]
        store.call("s3", ADMIN, "create_bucket", Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
        store.trust(0)
        self.temporary = place.folder / "tmp"
        self.temporary.mkdir()
        inherited = {name: value for name, value in place.environment.items() if not name.startswith("AWS_")}
        place.environment = {
            **inherited, "TMPDIR": str(self.temporary), "AWS_ACCESS_KEY_ID": self.id, "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_S3": store.address}

    def call(self, method, **arguments):
        return self.store.call("s3", (self.id, self.secret), method, **arguments)

    def put(self, name, data):
        self.call("put_object", Bucket=BUCKET, Key=name, Body=base64.b64encode(data).decode())

    def listing(self):
        """A table for `analyze plan --from-listing`."""
        text = io.StringIO()
        table = csv.writer(text)
        table.writerow(["uri", "size_bytes", "modified", "etag"])
        for item in self.call("list_objects_v2", Bucket=BUCKET)["Contents"]:
            table.writerow([uri(item["Key"]), item["Size"], item["LastModified"], item["ETag"]])
        return text.getvalue()

    def plan(self):
        return self.place.analyze(
            "plan", "--from-listing", "-", "--ndjson", "--pipeline", "fingerprint", "--database", self.place.database,
            input=self.listing()).stdout

    def worker(self, lines, **environment):
        return self.place.analyze("worker", "--pipeline", "fingerprint", "--jobs", 2, input=lines, environment=environment).stdout

    def run(self, status=0, **environment):
        """The totals of a run that lists the bucket, but those that are 0."""
        report = self.place.analyze(
            "run", f"s3://{BUCKET}", "--pipeline", "fingerprint", "--report", "json", "--output", "-", status=status, environment=environment)
        return {name: count for name, count in json.loads(report.stdout)["run"]["totals"].items() if count} if status == 0 else None


def uri(name):
    return f"s3://{BUCKET}/{urllib.parse.quote(name)}"


def song(place, number):
    """Four seconds of a tone that no other song has."""
    path, period = place.folder / "song.wav", 20 + number
    save(path, (1 if n % period < period // 2 else -1 for n in range(11025 * 4)), 11025, 9000)
    return path.read_bytes()


def items(lines):
    return [json.loads(line) for line in lines.splitlines()]


def fingerprints(place, database):
    return {record["uri"]: (record["id"], record["fingerprint"]["value"])
            for record in place.report(database=database, status=0) if record["fingerprint"]}


@pytest.fixture(scope="module")
def bucket(place):
    store = Store()
    try:
        bucket = Bucket(store, place)
        for number, name in enumerate(KEYS):
            bucket.put(name, song(place, number))
        bucket.put("cover.jpg", b"picture")
        yield bucket
    finally:
        store.end()


@pytest.fixture(scope="module")
def found(bucket):
    """The fingerprints of all objects by URI, once they are planned, analyzed and merged."""
    lines = bucket.plan()
    assert len(items(lines)) == len(KEYS), "all objects are planned"
    output = bucket.worker(lines)
    failed = {answer["file"]["uri"]: answer["error"] for answer in items(output) if answer["status"] != "ok"}
    assert not failed
    bucket.place.analyze("merge", "-", "--database", bucket.place.database, input=output)
    return fingerprints(bucket.place, bucket.place.database)


def test_signed_objects_are_analyzed_like_their_files(bucket, found):
    place, files = bucket.place, bucket.place.folder / "files"
    assert bucket.plan() == "", "a second plan is empty"
    assert len(found) == len(KEYS), "all objects are in the database"
    files.mkdir()
    for number in range(len(KEYS)):
        (files / f"{number}.wav").write_bytes(song(place, number))
    place.analyze("run", files, "--pipeline", "fingerprint", "--database", place.folder / "files.sqlite")
    wanted = fingerprints(place, place.folder / "files.sqlite")
    by_key = {urllib.parse.unquote(name.removeprefix(f"s3://{BUCKET}/")): value for name, value in found.items()}
    for number, name in enumerate(KEYS):
        assert by_key.get(name) == wanted[(files / f"{number}.wav").as_uri()], f"{name} has the findings of its file"


@pytest.fixture(scope="module")
def changed(bucket, found):
    """One object has other bytes, another the same bytes again, in a later second: that is how finely a bucket tells times."""
    time.sleep(1.1)
    bucket.put(KEYS[2], song(bucket.place, 90))
    bucket.put(KEYS[3], song(bucket.place, 3))
    return bucket


def test_only_other_bytes_are_planned_again(changed):
    planned = [(item["reason"], urllib.parse.unquote(item["uri"])) for item in items(changed.plan())]
    assert planned == [("changed", f"s3://{BUCKET}/{KEYS[2]}")]


def test_runs_list_the_bucket(changed, found):
    """More than a page of it."""
    bucket, place, skipped = changed, changed.place, 1101
    for number in range(skipped - 1):
        bucket.put(f"covers/{number:04}.jpg", b"")
    bucket.put("z/last.wav", song(place, 70))
    place.analyze("plan", f"s3://{BUCKET}/none", status=1)
    listed = items(place.analyze("plan", f"s3://{BUCKET}", "--ndjson", "--pipeline", "fingerprint").stdout)
    reasons = {urllib.parse.unquote(item["uri"]): item["reason"] for item in listed}
    assert reasons == {f"s3://{BUCKET}/{KEYS[2]}": "changed", f"s3://{BUCKET}/z/last.wav": "new"}

    seen = len(KEYS) + 1 + skipped
    assert bucket.run() == {"seen": seen, "analyzed": 2, "cached": len(KEYS) - 1, "skipped": skipped}
    assert fingerprints(place, place.database)[uri(KEYS[2])][0] != found[uri(KEYS[2])][0], "the new bytes were analyzed"
    bucket.call("delete_object", Bucket=BUCKET, Key=KEYS[0])
    assert bucket.run() == {"seen": seen, "cached": len(KEYS), "skipped": skipped, "vanished": 1}
    bucket.put(KEYS[0], song(place, 0))
    third = bucket.run()
    assert third == {"seen": seen, "cached": len(KEYS) + 1, "skipped": skipped}
    bucket.run(status=1, AWS_SECRET_ACCESS_KEY="wrong")
    assert bucket.run() == third, "a run that could not list the bucket has lost nothing"


@pytest.mark.parametrize("environment", [{"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "nobody"}], ids=["secret", "id"])
def test_wrong_keys(bucket, environment):
    error = items(bucket.worker(uri(KEYS[0]), **environment))[0]["error"]
    assert error["code"] == "object_denied"
    assert re.search(r"\(403 \w+\)", error["message"])


def test_a_missing_object(bucket):
    assert items(bucket.worker(uri("none.wav")))[0]["error"]["code"] == "object_not_found"


def test_a_signed_address(bucket):
    # moto cannot check a signature in an address.
    bucket.store.trust("inf")
    signed = bucket.call("generate_presigned_url", ClientMethod="get_object", Params={"Bucket": BUCKET, "Key": KEYS[2]})
    output = bucket.worker(signed)
    answer = items(output)[0]
    assert answer["status"] == "ok", answer["error"]
    shown = [text for text in ("Signature", bucket.id, bucket.secret) if text in output]
    assert not shown, f"secrets are in the answer: {output}"
    assert not list(bucket.temporary.iterdir()), "nothing is left in TMPDIR"
