"""What a database says, for checks that compare two of them."""
import json
import re
import subprocess

OPTIONAL = "beats,lyrics,chapters,waveform,descriptor"


def records(analyze, database, environment):
    """All records by URI, without times of analysis and how long a process lived that crashed."""
    done = subprocess.run(
        [analyze, "report", "--database", database, "--report", "ndjson", "--output", "-", "--include", OPTIONAL],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"analyze report: status {done.returncode}\n{done.stderr}")
    found = {}
    for line in done.stdout.splitlines():
        record = json.loads(re.sub(r"(, after )[0-9.]+ s\.", r"\1… s.", line))
        record.pop("analyzed_at")
        found[record["uri"]] = record
    return found


def differences(found, expected):
    """A line for each field that differs."""
    lines = [f"{uri}: only in one of the two" for uri in sorted(found.keys() ^ expected.keys())]
    for uri in sorted(found.keys() & expected.keys()):
        lines += [f"{uri}: {name}: {str(found[uri].get(name))[:300]} != {str(value)[:300]}"
                  for name, value in expected[uri].items() if found[uri].get(name) != value]
    return lines
