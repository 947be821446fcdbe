"""What a database says, for checks that compare two of them."""
import json
import re


def records(place, database):
    """All records by URI, without times of analysis and how long a process lived that crashed."""
    found = {}
    for record in place.report("--include", "beats,lyrics,chapters,waveform,descriptor", database=database):
        record = json.loads(re.sub(r"(, after )[0-9.]+ s\.", r"\1… s.", json.dumps(record)))
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
