"""Exports for search engines and tables, and what --since tells of changes.

Parquet is read with DuckDB, PyArrow and pandas, and compared with a report. No search engine is asked: the files are checked against the
bulk formats and field types that Meilisearch, Typesense and OpenSearch document, and the recipes of docs/recipes.md run against a
stand-in that takes their requests. After the first exports the library changes.
"""
import base64
import datetime
import json
import os
import re
import shutil
import sqlite3

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from sounds import encode
from stand_in import Handler, standing_in
from workplace import ROOT, Workplace

TRACKS = {
    "a/one.flac": {"title": 'Quote " \\ and \u2028 line', "artist": "Björk", "album": "Début", "genre": "Electronic", "date": "1993-07-05"},
    "a/two.mp3": {"title": "Two", "artist": "Someone", "album": "Début", "track": "2/9", "isrc": "GBAYE9300106"},
    "a/three.ogg": {"title": "三", "artist": "Someone"},
    "b/four.opus": {},
    "b/five.m4a": {"title": "Five", "artist": "Someone else", "date": "soon"},
}


class Library(Workplace):
    def make(self, name, names, pitch=220):
        # Clicks at 120 BPM over a tone.
        sound = f"aevalsrc='0.6*sin(2*PI*{4 * pitch}*t)*lt(mod(t,0.5),0.02)+0.1*sin(2*PI*{pitch}*t)':d=12:s=44100"
        encode(sound, self.music / name, **names)

    def records(self):
        """By the id of the file, without those that failed."""
        return {record["file_id"]: record for record in self.report("--include", "beats,descriptor") if record["status"] in ("ok", "partial")}

    def export(self, name, *arguments, status=0):
        folder = self.folder / "exports" / name
        return folder, self.analyze("export", name, "--output", folder, *arguments, status=status)


@pytest.fixture(scope="module")
def library(program, folder):
    library = Library(program, folder)
    for number, (name, names) in enumerate(TRACKS.items()):
        library.make(name, names, pitch=220 + 20 * number)
    (library.music / "broken.mp3").write_bytes(b"no music")
    library.analyze_music()
    assert len(library.records()) == 5, "the library is analyzed"
    return library


@pytest.fixture(scope="module")
def first(library):
    """The exports as they were at first, by format: what their readers say, and the folder."""
    folder = library.folder / "before"
    read = {name: read(library.export(name)[0]) for name, read in FORMATS.items()}
    shutil.copytree(library.folder / "exports", folder)
    return read, folder


def lines(path):
    text = path.read_bytes()
    assert text == b"" or text.endswith(b"\n"), f"the last line of {path.name} ends"
    return text.decode().split("\n")[:-1]


# What is in the files of each engine: documents by id, and the ids of removals.


def meilisearch(folder):
    settings = json.loads((folder / "settings.json").read_text())
    assert set(settings) == {"searchableAttributes", "filterableAttributes", "sortableAttributes"}, "Meilisearch's settings"
    documents = {}
    for line in lines(folder / "documents.ndjson"):
        document = json.loads(line)
        # The documented form of ids.
        assert re.fullmatch("[A-Za-z0-9_-]{1,511}", document["file_id"]), "an id of Meilisearch"
        for name, value in document.items():
            assert value is not None and value != [], f"{name} is left out of Meilisearch's document if it is not known"
        for name in settings["sortableAttributes"]:
            assert isinstance(document.get(name, 0), (str, int, float)), f"Meilisearch sorts by {name}"
        documents[document.pop("file_id")] = document
    known = set().union(*documents.values())
    for attributes in settings.values():
        assert len(attributes) == len(set(attributes)), "Meilisearch's attributes are named once"
    assert known <= set(sum(settings.values(), [])) | {"uri"}, "fields that Meilisearch's settings do not name"
    return documents, json.loads((folder / "removals.json").read_text())


def typesense(folder):
    types = {
        "string": lambda value: isinstance(value, str),
        "string[]": lambda value: isinstance(value, list) and value and all(isinstance(text, str) for text in value),
        "int64": lambda value: type(value) is int and -(2**63) <= value < 2**63,
        "float": lambda value: type(value) in (int, float),
        "bool": lambda value: type(value) is bool,
    }
    schema = json.loads((folder / "schema.json").read_text())
    assert schema["name"] == "tracks" and set(schema) == {"name", "fields"}, "Typesense's schema"
    fields = {field["name"]: field for field in schema["fields"]}
    assert len(fields) == len(schema["fields"]) and "id" not in fields, "Typesense's fields are named once, without id"
    for field in fields.values():
        assert set(field) <= {"name", "type", "optional", "facet", "sort", "index"} and field["optional"] is True, "a field of Typesense"
        assert field.get("index", True) or not field.get("sort"), "Typesense sorts only by what it indexes"
    documents = {}
    for line in lines(folder / "documents.jsonl"):
        document = json.loads(line)
        key = document.pop("id")
        assert isinstance(key, str) and key, "an id of Typesense"
        for name, value in document.items():
            assert name in fields and types[fields[name]["type"]](value), f"{name} has the type of Typesense's schema"
        documents[key] = document
    removals = []
    for line in lines(folder / "removals.txt"):
        filter = re.fullmatch(r"id:\[([A-Za-z0-9,]+)\]", line)
        assert filter and len(line) < 4000, "a filter of Typesense"
        removals += filter.group(1).split(",")
    return documents, removals


def opensearch(folder):
    def is_float(value):
        return type(value) in (int, float)

    types = {
        "text": lambda value: isinstance(value, str),
        "keyword": lambda value: isinstance(value, str),
        "long": lambda value: type(value) is int,
        "float": is_float,
        "boolean": lambda value: type(value) is bool,
        "date": lambda value: re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value),
    }
    mappings = json.loads((folder / "index.json").read_text())["mappings"]
    assert mappings["dynamic"] == "strict", "OpenSearch refuses fields that have no mapping"
    actions = lines(folder / "documents.ndjson")
    assert len(actions) % 2 == 0, "each action of OpenSearch has a document"
    documents = {}
    for action, line in zip(actions[::2], actions[1::2]):
        action, document = json.loads(action), json.loads(line)
        assert action == {"index": {"_id": document["file_id"]}}, "an action of OpenSearch"
        for name, value in document.items():
            valid = types[mappings["properties"][name]["type"]]
            # Any field may have several values.
            assert all(map(valid, value if isinstance(value, list) else [value])), f"{name} has its type in OpenSearch"
        documents[document.pop("file_id")] = document
    removals = [json.loads(line) for line in lines(folder / "removals.ndjson")]
    assert all(set(action) == {"delete"} and set(action["delete"]) == {"_id"} for action in removals), "OpenSearch deletes"
    return documents, [action["delete"]["_id"] for action in removals]


def parquet(folder):
    tables = {}
    names = {path.stem for path in folder.glob("*.parquet")}
    assert {"tracks", "beats", "tags", "tags_pictures", "likeness", "removals", *LISTS} == names, "tables of Parquet"
    for name in sorted(names):
        path = str(folder / f"{name}.parquet")
        table = pyarrow.parquet.read_table(path)
        rows = table.to_pylist()
        relation = duckdb.read_parquet(path)
        assert relation.columns == table.column_names, f"columns of {name} in DuckDB"
        assert [tuple(row.values()) for row in rows] == [plain(row) for row in relation.fetchall()], f"DuckDB reads {name} as PyArrow does"
        frame = pandas.read_parquet(path)
        assert len(frame) == len(rows), f"pandas reads {name}"
        tables[name] = (table.schema, rows)
    schema = {field.name: field.type for field in tables["tracks"][0]}
    assert schema["tempo_bpm"] == pyarrow.float64() and schema["year"] == pyarrow.int64() and schema["lossless"] == pyarrow.bool_(), (
        "types of columns")
    assert pyarrow.types.is_list(schema["artists"]) and schema["artists"].value_type == pyarrow.string(), "lists are lists"
    assert schema["added_at"] == pyarrow.timestamp("us", tz="UTC"), "times are times"
    documents = {
        row["file_id"]: {name: value for name, value in row.items() if value is not None and name != "file_id"}
        for row in tables["tracks"][1]
    }
    return documents, [row["file_id"] for row in tables["removals"][1]], tables


def plain(row):
    """Times of DuckDB in the time zone of PyArrow's."""
    return tuple(value.astimezone(datetime.timezone.utc) if isinstance(value, datetime.datetime) else value for value in row)


FORMATS = {"meilisearch": meilisearch, "typesense": typesense, "opensearch": opensearch, "parquet": lambda folder: parquet(folder)[:2]}


def compare(name, documents, report):
    """That an export says what a report says."""
    assert documents.keys() == report.keys(), f"{name} has the tracks of the report"
    for key, record in report.items():
        document, tags = documents[key], record["tags"] or {}
        pairs = [
            ("title", tags.get("title")),
            ("artists", tags.get("artist")),
            ("genres", tags.get("genre")),
            ("tempo_bpm", (record["tempo"] or {}).get("bpm")),
            ("key_camelot", (record["key"] or {}).get("camelot")),
            ("loudness_integrated_lufs", (record["loudness"] or {}).get("integrated_lufs")),
            ("traits_energy", (record["traits"] or {}).get("energy")),
            ("duration_s", record["format"]["duration_s"]),
            ("codec", record["format"]["codec"]),
            ("size_bytes", record["format"]["size_bytes"]),
            ("uri", record["uri"]),
            ("content_id", record["id"]),
        ]
        for field, value in pairs:
            found = document.get(field)
            same = abs(found - value) < 1e-4 if isinstance(value, float) and found is not None else found == value
            assert same, (f"{name} and the report differ in {field} of {record['path']}", found, value)


LISTS = {
    "tempo_candidates": ["bpm", "weight"], "tempo_map": ["start_s", "bpm"], "key_candidates": ["key", "probability"],
    "key_map": ["start_s", "key"], "sections_map": ["start_s", "end_s", "label", "level_db"],
    "health_faults": ["kind", "start_s", "end_s", "channel", "strength", "confidence"],
}


def plain_number(value):
    """As reports round it."""
    return round(value, 4) if isinstance(value, float) else value


def compare_tables(tables, report):
    for key, record in report.items():
        beats = [row for row in tables["beats"][1] if row["file_id"] == key]
        assert [round(row["time_s"], 4) for row in beats] == (record["tempo"]["beats_s"] or []), "beats are those of the report"
        assert [row["beat"] for row in beats] == list(range(1, len(beats) + 1)), "beats are numbered"
        for name, members in LISTS.items():
            finding, field = name.split("_", 1)
            wanted = [[plain_number(item[member]) for member in members] for item in (record[finding] or {}).get(field) or []]
            found = [row for row in tables[name][1] if row["file_id"] == key]
            assert [[plain_number(row[member]) for member in members] for row in found] == wanted, f"{name} is that of the report"
            assert [row["position"] for row in found] == list(range(1, len(found) + 1)), f"{name} is numbered"
        descriptor = (record["likeness"] or {}).get("descriptor_base64")
        found = [row["descriptor"] for row in tables["likeness"][1] if row["file_id"] == key]
        wanted = [[byte - 256 if byte > 127 else byte for byte in base64.b64decode(descriptor)]] if descriptor else []
        assert found == wanted, "descriptors are those of the report"
        titles = [row["value"] for row in tables["tags"][1] if row["file_id"] == key and row["name"] == "title"]
        assert titles == [title for title in [(record["tags"] or {}).get("title")] if title], "tags are those of the report"
    assert len(tables["beats"][1]) > 50, "there are beats"
    for row in tables["tracks"][1]:
        record = report[row["file_id"]]
        for finding, field in [("loudness", "range_lu"), ("cues", "first_beat_s"), ("key", "tonic"), ("traits", "reason")]:
            found, wanted = row[f"{finding}_{field}"], (record[finding] or {}).get(field)
            same = abs(found - wanted) < 1e-4 if isinstance(found, float) and wanted is not None else found == wanted
            assert same, (f"{finding}_{field} is that of the report", found, wanted)


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_says_what_a_report_says(library, first, name):
    documents, removals = first[0][name]
    compare(name, documents, library.records())
    assert removals == [], "nothing is gone from the first export"


def test_tables(library, first):
    compare_tables(parquet(first[1] / "parquet")[2], library.records())


def test_tables_in_groups_of_three_rows(library, first):
    documents, _, tables = parquet(library.export("parquet", "--option", "rows=3")[0])
    compare("parquet in groups", documents, library.records())
    compare_tables(tables, library.records())
    library.export("parquet", "--option", "rows=0", status=64)


def test_checksums(library, first, clients):
    """Lists for sha256sum and md5sum, and a bag."""
    folder = library.folder / "exports/checksums"
    library.analyze("export", "checksums", "--output", folder, status=1)
    library.analyze("verify", "--checksum", "sha256,md5")
    for algorithm in ("sha256", "md5"):
        library.analyze("export", "checksums", "--option", f"algorithm={algorithm}", "--output", folder)
        library.run(f"{algorithm}sum", "--strict", "-c", folder)
    bag, _ = library.export("bagit", "--option", f"root={library.music}")
    shutil.copytree(library.music, bag / "data")
    (bag / "data/broken.mp3").unlink()
    library.run(clients, "-m", "bagit", "--validate", bag)


@pytest.fixture(scope="module")
def gone(library, first):
    """The ids by the names of files as they were, before some of them change."""
    ids = {record["path"].rsplit("/", 1)[1]: key for key, record in library.records().items()}
    library.make("a/two.mp3", {"title": "Another title"}, pitch=220)
    (library.music / "a/three.ogg").unlink()
    (library.music / "b/four.opus").rename(library.music / "b/moved.opus")
    library.make("b/new.wav", {"title": "New"}, pitch=330)
    library.analyze_music()
    library.analyze("set", library.music / "a/one.flac", "--bpm", "60")
    return ids


def test_changes(library, first, gone):
    """Whoever follows the changes has what a whole export gives."""
    report = library.records()
    for name, read in FORMATS.items():
        folder, _ = library.export(name, "--since", first[1] / name / "cursor.json")
        documents, removals = read(folder)
        names = {documents[key]["path"].rsplit("/", 1)[1] for key in documents}
        assert names == {"one.flac", "two.mp3", "moved.opus", "new.wav"}, f"{name} has what changed"
        assert set(removals) == {gone["three.ogg"], gone["four.opus"]}, f"{name} has what is gone"
        mirror = {**first[0][name][0], **documents}
        for key in removals:
            mirror.pop(key, None)
        compare(name, mirror, report)
        folder, _ = library.export(name, "--since", folder / "cursor.json")
        assert read(folder) == ({}, []), f"{name} has no news twice"
        # For whoever takes only fast tracks, one is gone.
        folder, _ = library.export(name, "--bpm", "100..", "--since", first[1] / name / "cursor.json")
        documents, removals = read(folder)
        assert gone["one.flac"] in removals and gone["one.flac"] not in documents, f"{name}: no longer matched is gone"


def test_report(library, first, gone):
    cursor = first[1] / "meilisearch/cursor.json"
    folder = library.folder / "changes"
    library.analyze("report", "--report", "ndjson", "--report", "csv", "--report", "json", "--output", folder, "--since", cursor)
    changed = [json.loads(line)["path"].rsplit("/", 1)[1] for line in lines(folder / "report.ndjson")]
    assert sorted(changed) == ["moved.opus", "new.wav", "one.flac", "two.mp3"], "a report has what changed"
    removed = [json.loads(line)["path"].rsplit("/", 1)[1] for line in lines(folder / "removed.ndjson")]
    assert removed == ["three.ogg", "four.opus"], "a report has what is gone"
    library.analyze("report", "--report", "ndjson", "--output", folder, "--since", folder / "cursor.json")
    assert lines(folder / "report.ndjson") == [] and lines(folder / "removed.ndjson") == [], "a report has no news twice"
    library.analyze("report", "--report", "html", "--output", folder, "--since", "1", status=64)


def test_refusals(library, first):
    cursor = library.folder / "exports/meilisearch/cursor.json"
    good = cursor.read_text()
    for text, sentence in [
        ("{}", "is not a cursor"),
        (good.replace('"library":"', '"library":"0'), "belongs to another database"),
        (re.sub('"revision":[0-9]+', '"revision":123456', good), "restored from a copy"),
    ]:
        cursor.write_text(text)
        before = (cursor.parent / "documents.ndjson").read_bytes()
        _, outcome = library.export("meilisearch", "--since", cursor, status=1)
        assert sentence in outcome.stderr, f"a refusal says “{sentence}”"
        assert (cursor.parent / "documents.ndjson").read_bytes() == before, "what was there before is unchanged"
    cursor.write_text(good)
    for arguments, sentence in [
        (["--since", "yesterday"], "--since expects"),
        (["--since", "99"], "no run 99"),
        (["--option", "x=y"], "no option 'x'"),
        (["--where", "tempo:3"], "--where"),
    ]:
        _, outcome = library.export("meilisearch", *arguments, status=1 if "99" in arguments else 64)
        assert sentence in outcome.stderr, f"{arguments} say “{sentence}”"
    outcome = library.analyze("export", "typesens", "--output", library.folder / "x", status=64)
    assert "did you mean 'typesense'?" in outcome.stderr, "a misspelled format"
    # Everything, if there is no cursor yet.
    _, outcome = library.export("meilisearch", "--since", library.folder / "none.json")
    assert len(lines(library.folder / "exports/meilisearch/documents.ndjson")) == 5, "a first export has everything"


def test_vectors(library, first):
    """With --option vectors=…, documents have the descriptors of sound, and settings know them."""
    wanted = {}
    for key, record in library.records().items():
        descriptor = (record["likeness"] or {}).get("descriptor_base64")
        if descriptor:
            wanted[key] = [byte - 256 if byte > 127 else byte for byte in base64.b64decode(descriptor)]
    assert wanted, "there are descriptors"
    folder, _ = library.export("meilisearch", "--option", "vectors=yes")
    embedder = json.loads((folder / "settings.json").read_text())["embedders"]
    assert embedder == {"likeness": {"source": "userProvided", "dimensions": 128}}, "Meilisearch's embedder"
    documents = [json.loads(line) for line in lines(folder / "documents.ndjson")]
    # A document that says nothing of an embedder is refused.
    found = {document["file_id"]: document["_vectors"]["likeness"] for document in documents}
    assert {key: vector for key, vector in found.items() if vector} == wanted, "vectors of Meilisearch"
    folder, _ = library.export("typesense", "--option", "vectors=yes")
    fields = {field.pop("name"): field for field in json.loads((folder / "schema.json").read_text())["fields"]}
    assert fields["likeness"] == {"type": "float[]", "num_dim": 128, "optional": True}, "Typesense's vector"
    documents = [json.loads(line) for line in lines(folder / "documents.jsonl")]
    found = {document["id"]: document["likeness"] for document in documents if "likeness" in document}
    assert found == wanted, "vectors of Typesense"
    for engine, kind, size in [("opensearch", "knn_vector", "dimension"), ("elasticsearch", "dense_vector", "dims")]:
        folder, _ = library.export("opensearch", "--option", f"vectors={engine}")
        index = json.loads((folder / "index.json").read_text())
        mapping = index["mappings"]["properties"]["likeness"]
        assert (mapping["type"], mapping[size]) == (kind, 128), f"the vector of {engine}"
        assert ("settings" in index) == (engine == "opensearch"), "only OpenSearch needs a setting"
        documents = [json.loads(line) for line in lines(folder / "documents.ndjson")[1::2]]
        found = {document["file_id"]: document["likeness"] for document in documents if "likeness" in document}
        assert found == wanted, f"vectors of {engine}"
    _, outcome = library.export("opensearch", "--option", "vectors=yes", status=64)
    assert "expects opensearch or elasticsearch" in outcome.stderr, "vectors of no engine"


def test_full_disk(library):
    """Nothing is half-written: in a namespace of its own, as that needs a small disk."""
    place = library.folder / "small"
    place.mkdir()
    script = (
        'mount -t tmpfs -o size=16k none "$1" || exit 99; cd "$1"; '
        'echo old > documents.ndjson; echo old > tracks.parquet; '
        'for format in meilisearch parquet; do "$0" export $format --force --output "$1" --database "$2"; '
        'echo $? $(ls -A "$1") >> "$3"; done'
    )
    log = library.folder / "small.log"
    outcome = library.run("unshare", "-rm", "sh", "-c", script, library.program, place, library.database, log, status=None)
    if outcome.returncode == 99 or "unshare" in outcome.stderr:
        pytest.skip("there are no namespaces here, so no full disk")
    assert outcome.stderr.count("No space left on device") == 2, "a full disk is told"
    assert log.read_text() == 2 * "1 documents.ndjson tracks.parquet\n", "a full disk leaves what was there"


def test_table_recipes(library, first, clients):
    """The recipes of docs/recipes.md for pandas and DuckDB, as written but for the folder."""
    recipe = (ROOT / "docs/recipes.md").read_text().split("## DuckDB and pandas")[1]
    whole = first[1] / "parquet"
    connection = duckdb.connect()
    for name in ("tracks", "beats", "tags"):
        connection.sql(f"CREATE TABLE {name} AS FROM '{whole}/{name}.parquet'")
    folder, _ = library.export("parquet", "--since", whole / "cursor.json")
    sql = re.search(r"```sql\n(.*?)```", recipe, re.S).group(1).replace("'export/", f"'{folder}/")
    connection.execute(sql)
    documents = library.export("parquet")[0]
    for name in ("tracks", "beats", "tags"):
        differences = f"(FROM {name} EXCEPT FROM '{documents}/{name}.parquet')"
        others = f"(FROM '{documents}/{name}.parquet' EXCEPT FROM {name})"
        count = connection.sql(f"SELECT count(*) FROM ({differences} UNION ALL {others})").fetchall()[0][0]
        assert count == 0, f"the recipe DuckDB keeps {name}"
    python = re.search(r"```python\n(.*?)```", recipe, re.S).group(1).replace('"export/', f'"{documents}/')
    assert "bpm" in library.run(clients, "-c", python).stdout, "the recipe pandas runs"


def test_recipe_for_grafana(library):
    recipe = (ROOT / "docs/recipes.md").read_text().split("## Grafana")[1]
    statements = re.search(r"```sql\n(.*?)```", recipe, re.S).group(1).split(";\n")[:-1]
    for statement in statements:
        assert sqlite3.connect(library.database).execute(statement).fetchall(), statement


BULK = {"took": 1, "errors": False, "items": []}


class StandIn(Handler):
    """Keeps the documents that requests bring, as Meilisearch and OpenSearch would."""

    documents, paths, breaks = {}, set(), False

    def do_HEAD(self):
        self.answer(200 if "index" in self.paths else 404, BULK)

    def do_PUT(self):
        self.paths.add("index")
        self.do_PATCH()

    def do_PATCH(self):
        json.loads(self.body())
        self.answer(200, BULK)

    def do_POST(self):
        body, path = self.body(), self.path.split("?")[0].rsplit("/", 1)[1]
        self.paths.add(path)
        if StandIn.breaks:
            return self.answer(503, BULK)
        if path == "delete-batch":
            for key in json.loads(body):
                self.documents.pop(key, None)
        else:
            rows = [json.loads(line) for line in body.decode().split("\n")[:-1]]
            while rows:
                action = rows.pop(0)
                if "delete" in action:
                    self.documents.pop(action["delete"]["_id"], None)
                else:
                    document = rows.pop(0) if "index" in action else action
                    self.documents[document["file_id"]] = document
        self.answer(200, BULK)


@pytest.fixture(scope="module")
def on_path(library):
    """The environment of a recipe, where `analyze` is this program with the database of the library."""
    programs = library.folder / "bin"
    programs.mkdir()
    (programs / "analyze").symlink_to(library.program)
    return {"PATH": f"{programs}:{os.environ['PATH']}", "MEILI_KEY": "key"}


@pytest.mark.parametrize("heading", ["Meilisearch", "OpenSearch"])
def test_recipes(library, first, on_path, heading):
    """The scripts of docs/recipes.md, as written but for the address and the folder of music."""
    StandIn.documents.clear()
    StandIn.paths.clear()
    script = re.search(rf"## {heading}\n\n```sh\n(.*?)```", (ROOT / "docs/recipes.md").read_text(), re.S).group(1)
    script = script.replace('"$HOME/Music"', '"$HOME/music"')
    with standing_in(StandIn) as server:
        script = re.sub(r"http://127\.0\.0\.1:\d+", server.address, script)

        def night(status=0):
            return library.run("sh", "-c", script, environment=on_path, status=status)

        night()
        compare(heading, dict(StandIn.documents), library.records())
        # A night in which the other program is down, and one in which it has to be told both nights' news.
        library.make(f"c/{heading}.wav", {"title": heading})
        StandIn.breaks = True
        assert night(status=None).returncode != 0, f"the recipe {heading} tells that the other program is down"
        StandIn.breaks = False
        library.make(f"c/second {heading}.wav", {"title": heading}, pitch=350)
        moved = next((library.music / "b").glob("*.opus"))
        moved.rename(library.music / f"b/moved for {heading}.opus")
        night()
        compare(heading, dict(StandIn.documents), library.records())
        (library.music / f"b/moved for {heading}.opus").rename(moved)
