"""Exports for search engines and tables, checksums, and what --since tells of changes.

Parquet is read with DuckDB, PyArrow and pandas, and compared with a report. No search engine is asked: the files are checked against the bulk
formats and field types that Meilisearch, Typesense and OpenSearch document, and the recipes of docs/recipes.md run against a stand-in that
takes their requests.
"""
import base64
import datetime
import json
import re
import shutil
import sqlite3
import sys
from types import SimpleNamespace

import duckdb
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from sounds import encode
from stand_in import Handler, standing_in
from workplace import ROOT

TRACKS = {
    "a/one.flac": {"title": 'Quote " \\ and \u2028 line', "artist": "Björk", "album": "Début", "genre": "Electronic", "date": "1993-07-05"},
    "a/two.mp3": {"title": "Two", "artist": "Someone", "album": "Début", "track": "2/9", "isrc": "GBAYE9300106"},
    "a/three.ogg": {"title": "三", "artist": "Someone"},
    "b/four.opus": {},
    "b/five.m4a": {"title": "Five", "artist": "Someone else", "date": "soon"},
}
LISTS = {
    "tempo_candidates": ["bpm", "weight"], "tempo_map": ["start_s", "bpm"], "key_candidates": ["key", "probability"],
    "key_map": ["start_s", "key"], "sections_map": ["start_s", "end_s", "label", "level_db"],
    "health_faults": ["kind", "start_s", "end_s", "channel", "strength", "confidence"],
}


def make(place, name, tags, pitch=220):
    """Clicks at 120 BPM over a tone."""
    sound = f"aevalsrc='0.6*sin(2*PI*{4 * pitch}*t)*lt(mod(t,0.5),0.02)+0.1*sin(2*PI*{pitch}*t)':d=12:s=44100"
    encode(sound, place.music / name, **tags)


def report_of(place):
    records = place.report("--include", "beats,descriptor", status=0)
    return {record["file_id"]: record for record in records if record["status"] in ("ok", "partial")}


def export(place, name, *arguments, status=0):
    """-> (folder, what the program has written to standard error)"""
    folder = place.folder / "exports" / name
    return folder, place.analyze("export", name, "--output", folder, *arguments, status=status).stderr


@pytest.fixture(scope="module")
def library(place):
    for number, (name, tags) in enumerate(TRACKS.items()):
        make(place, name, tags, pitch=220 + 20 * number)
    (place.music / "broken.mp3").write_bytes(b"no music")
    place.analyze_music(status=0)
    return place


@pytest.fixture(scope="module")
def first(library):
    """The report on the library as it was made, and the first export of each format, which stays as it is."""
    report = report_of(library)
    assert len(report) == 5, "the library is analyzed"
    for name in FORMATS:
        export(library, name)
    return SimpleNamespace(report=report, folder=shutil.copytree(library.folder / "exports", library.folder / "before"))


@pytest.fixture(scope="module")
def changed(library, first):
    """The library after a night with changes."""
    make(library, "a/two.mp3", {"title": "Another title"}, pitch=220)
    (library.music / "a/three.ogg").unlink()
    (library.music / "b/four.opus").rename(library.music / "b/moved.opus")
    make(library, "b/new.wav", {"title": "New"}, pitch=330)
    library.analyze_music(status=0)
    library.analyze("set", library.music / "a/one.flac", "--bpm", "60")
    return library


# What is in the files of each engine: documents by id, and the ids of removals


def lines(path):
    text = path.read_bytes()
    assert text == b"" or text.endswith(b"\n"), f"the last line of {path.name} ends"
    return text.decode().split("\n")[:-1]


def json_lines(path):
    return [json.loads(line) for line in lines(path)]


def meilisearch(folder):
    settings = json.loads((folder / "settings.json").read_text())
    assert set(settings) == {"searchableAttributes", "filterableAttributes", "sortableAttributes"}
    documents = {}
    for document in json_lines(folder / "documents.ndjson"):
        assert re.fullmatch("[A-Za-z0-9_-]{1,511}", document["file_id"]), "the documented form of ids"
        unknown = [name for name, value in document.items() if value is None or value == []]
        assert not unknown, "what is not known is left out of Meilisearch's document"
        wrong = [name for name in settings["sortableAttributes"] if not isinstance(document.get(name, 0), (str, int, float))]
        assert not wrong, f"Meilisearch sorts by them: {document}"
        documents[document.pop("file_id")] = document
    for attributes in settings.values():
        assert len(attributes) == len(set(attributes)), "Meilisearch's attributes are named once"
    known = set().union(*documents.values())
    assert known <= set(sum(settings.values(), [])) | {"uri"}, "Meilisearch's settings name all fields"
    return documents, json.loads((folder / "removals.json").read_text())


TYPESENSE = {
    "string": lambda value: isinstance(value, str),
    "string[]": lambda value: isinstance(value, list) and value and all(isinstance(text, str) for text in value),
    "int64": lambda value: type(value) is int and -(2**63) <= value < 2**63,
    "float": lambda value: type(value) in (int, float),
    "bool": lambda value: type(value) is bool,
}


def typesense(folder):
    schema = json.loads((folder / "schema.json").read_text())
    assert schema["name"] == "tracks" and set(schema) == {"name", "fields"}, "Typesense's schema"
    fields = {field["name"]: field for field in schema["fields"]}
    assert len(fields) == len(schema["fields"]) and "id" not in fields, "Typesense's fields are named once, without id"
    for field in fields.values():
        assert set(field) <= {"name", "type", "optional", "facet", "sort", "index"} and field["optional"] is True, field
        assert field.get("index", True) or not field.get("sort"), f"Typesense sorts only by what it indexes: {field}"
    documents = {}
    for document in json_lines(folder / "documents.jsonl"):
        key = document.pop("id")
        assert isinstance(key, str) and key, f"an id of Typesense: {document}"
        wrong = {name: value for name, value in document.items() if name not in fields or not TYPESENSE[fields[name]["type"]](value)}
        assert not wrong, "values have the types of Typesense's schema"
        documents[key] = document
    removals = []
    for line in lines(folder / "removals.txt"):
        filter = re.fullmatch(r"id:\[([A-Za-z0-9,]+)\]", line)
        assert filter and len(line) < 4000, f"a filter of Typesense: {line}"
        removals += filter.group(1).split(",")
    return documents, removals


OPENSEARCH = {
    "text": lambda value: isinstance(value, str),
    "keyword": lambda value: isinstance(value, str),
    "long": lambda value: type(value) is int,
    "float": lambda value: type(value) in (int, float),
    "boolean": lambda value: type(value) is bool,
    "date": lambda value: re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value),
}


def opensearch(folder):
    mappings = json.loads((folder / "index.json").read_text())["mappings"]
    assert mappings["dynamic"] == "strict", "OpenSearch refuses fields that have no mapping"
    actions = json_lines(folder / "documents.ndjson")
    assert len(actions) % 2 == 0, "each action of OpenSearch has a document"
    documents = {}
    for action, document in zip(actions[::2], actions[1::2]):
        assert action == {"index": {"_id": document["file_id"]}}, "an action of OpenSearch"
        for name, value in document.items():
            valid = OPENSEARCH[mappings["properties"][name]["type"]]
            # Any field may have several values.
            assert all(map(valid, value if isinstance(value, list) else [value])), f"{name} has its type in OpenSearch: {value}"
        documents[document.pop("file_id")] = document
    removals = json_lines(folder / "removals.ndjson")
    assert all(set(action) == {"delete"} and set(action["delete"]) == {"_id"} for action in removals), f"OpenSearch deletes: {removals}"
    return documents, [action["delete"]["_id"] for action in removals]


def plain(row):
    """Times of DuckDB in the time zone of PyArrow's."""
    return tuple(value.astimezone(datetime.timezone.utc) if isinstance(value, datetime.datetime) else value for value in row)


def tables_of(folder):
    """The rows of all tables of Parquet by name, which three readers read alike."""
    names = {path.stem for path in folder.glob("*.parquet")}
    assert names == {"tracks", "beats", "tags", "tags_pictures", "likeness", "removals", *LISTS}, "tables of Parquet"
    tables = {}
    for name in sorted(names):
        path = str(folder / f"{name}.parquet")
        table, relation = pyarrow.parquet.read_table(path), duckdb.read_parquet(path)
        rows = tables[name] = table.to_pylist()
        assert relation.columns == table.column_names, f"columns of {name} in DuckDB"
        assert [tuple(row.values()) for row in rows] == [plain(row) for row in relation.fetchall()], f"DuckDB reads {name} as PyArrow does"
        assert len(pandas.read_parquet(path)) == len(rows), f"pandas reads {name}"
    schema = {field.name: field.type for field in pyarrow.parquet.read_schema(folder / "tracks.parquet")}
    found = [schema[name] for name in ("tempo_bpm", "year", "lossless")]
    assert found == [pyarrow.float64(), pyarrow.int64(), pyarrow.bool_()], "types of columns"
    assert pyarrow.types.is_list(schema["artists"]) and schema["artists"].value_type == pyarrow.string(), "lists are lists"
    assert schema["added_at"] == pyarrow.timestamp("us", tz="UTC"), "times are times"
    return tables


def parquet(folder):
    tables = tables_of(folder)
    documents = {row["file_id"]: {name: value for name, value in row.items() if value is not None and name != "file_id"}
                 for row in tables["tracks"]}
    return documents, [row["file_id"] for row in tables["removals"]]


FORMATS = {"meilisearch": meilisearch, "typesense": typesense, "opensearch": opensearch, "parquet": parquet}


# What a report says of the same


def is_same(found, wanted):
    return abs(found - wanted) < 1e-4 if isinstance(wanted, float) and found is not None else found == wanted


def compare(documents, report):
    """An export says what a report says."""
    assert documents.keys() == report.keys(), "the tracks are those of the report"
    for key, record in report.items():
        tags, format = record["tags"] or {}, record["format"]
        wanted = {
            "title": tags.get("title"), "artists": tags.get("artist"), "genres": tags.get("genre"),
            "tempo_bpm": (record["tempo"] or {}).get("bpm"), "key_camelot": (record["key"] or {}).get("camelot"),
            "loudness_integrated_lufs": (record["loudness"] or {}).get("integrated_lufs"),
            "traits_energy": (record["traits"] or {}).get("energy"), "duration_s": format["duration_s"], "codec": format["codec"],
            "size_bytes": format["size_bytes"], "uri": record["uri"], "content_id": record["id"],
        }
        found = {name: documents[key].get(name) for name in wanted}
        different = {name: (found[name], wanted[name]) for name in wanted if not is_same(found[name], wanted[name])}
        assert not different, f"{record['path']} differs from the report"


def plain_number(value):
    """As reports round it."""
    return round(value, 4) if isinstance(value, float) else value


def descriptors(report):
    """The descriptors of sound, as signed numbers, of the tracks that have one."""
    texts = {key: (record["likeness"] or {}).get("descriptor_base64") for key, record in report.items()}
    return {key: [byte - 256 if byte > 127 else byte for byte in base64.b64decode(text)] for key, text in texts.items() if text}


def compare_tables(tables, report):
    vectors = descriptors(report)
    for key, record in report.items():
        rows = {name: [row for row in table if row.get("file_id") == key] for name, table in tables.items()}
        beats = rows["beats"]
        assert [round(row["time_s"], 4) for row in beats] == (record["tempo"]["beats_s"] or []), "beats are those of the report"
        assert [row["beat"] for row in beats] == list(range(1, len(beats) + 1)), "beats are numbered"
        for name, members in LISTS.items():
            finding, field = name.split("_", 1)
            wanted = [[plain_number(item[member]) for member in members] for item in (record[finding] or {}).get(field) or []]
            assert [[plain_number(row[member]) for member in members] for row in rows[name]] == wanted, f"{name} is that of the report"
            assert [row["position"] for row in rows[name]] == list(range(1, len(wanted) + 1)), f"{name} is numbered"
        wanted = [vectors[key]] if key in vectors else []
        assert [row["descriptor"] for row in rows["likeness"]] == wanted, "descriptors are those of the report"
        titles = [row["value"] for row in rows["tags"] if row["name"] == "title"]
        assert titles == [title for title in [(record["tags"] or {}).get("title")] if title], "tags are those of the report"
    assert len(tables["beats"]) > 50, "there are beats"
    for row in tables["tracks"]:
        for finding, field in [("loudness", "range_lu"), ("cues", "first_beat_s"), ("key", "tonic"), ("traits", "reason")]:
            found, wanted = row[f"{finding}_{field}"], (report[row["file_id"]][finding] or {}).get(field)
            assert is_same(found, wanted), f"{finding}_{field} is that of the report"


# The first export


@pytest.mark.parametrize("name", FORMATS)
def test_a_first_export_is_the_report(first, name):
    documents, removals = FORMATS[name](first.folder / name)
    compare(documents, first.report)
    assert removals == [], "nothing is gone from the first export"


def test_tables(first):
    compare_tables(tables_of(first.folder / "parquet"), first.report)


def test_tables_in_groups_of_three_rows(library, first):
    folder, _ = export(library, "parquet", "--option", "rows=3")
    compare(parquet(folder)[0], first.report)
    compare_tables(tables_of(folder), first.report)
    export(library, "parquet", "--option", "rows=0", status=64)


def test_checksums_and_a_bag(library, first):
    folder = library.folder / "exports/checksums"
    library.analyze("export", "checksums", "--output", folder, status=1)
    library.analyze("verify", "--checksum", "sha256,md5")
    for algorithm in ("sha256", "md5"):
        library.analyze("export", "checksums", "--option", f"algorithm={algorithm}", "--output", folder)
        library.run(f"{algorithm}sum", "--strict", "-c", folder)
    bag, _ = export(library, "bagit", "--option", f"root={library.music}")
    shutil.copytree(library.music, bag / "data")
    library.run(sys.executable, "-m", "bagit", "--validate", bag)


# What changes


@pytest.mark.parametrize("name", FORMATS)
def test_changes_lead_to_a_whole_export(first, changed, name):
    read, before, report = FORMATS[name], first.folder / name, report_of(changed)
    old = {record["path"].rsplit("/", 1)[1]: key for key, record in first.report.items()}
    folder, _ = export(changed, name, "--since", before / "cursor.json")
    documents, removals = read(folder)
    names = {document["path"].rsplit("/", 1)[1] for document in documents.values()}
    assert names == {"one.flac", "two.mp3", "moved.opus", "new.wav"}, "what changed"
    assert set(removals) == {old["three.ogg"], old["four.opus"]}, "what is gone"
    mirror = {**read(before)[0], **documents}
    compare({key: document for key, document in mirror.items() if key not in removals}, report)
    folder, _ = export(changed, name, "--since", folder / "cursor.json")
    assert read(folder) == ({}, []), "no news twice"
    # For whoever takes only fast tracks, one is gone.
    folder, _ = export(changed, name, "--bpm", "100..", "--since", before / "cursor.json")
    documents, removals = read(folder)
    assert old["one.flac"] in removals and old["one.flac"] not in documents, "what no longer matches is gone"


def test_reports_since(first, changed):
    folder = changed.folder / "changes"

    def report(*words, status=0):
        changed.analyze("report", *words, "--output", folder, status=status)

    def names(file):
        return [record["path"].rsplit("/", 1)[1] for record in json_lines(folder / file)]

    report("--report", "ndjson", "--report", "csv", "--report", "json", "--since", first.folder / "meilisearch/cursor.json")
    assert sorted(names("report.ndjson")) == ["moved.opus", "new.wav", "one.flac", "two.mp3"], "a report has what changed"
    assert names("removed.ndjson") == ["three.ogg", "four.opus"], "a report has what is gone"
    report("--report", "ndjson", "--since", folder / "cursor.json")
    assert names("report.ndjson") == names("removed.ndjson") == [], "a report has no news twice"
    report("--report", "html", "--since", "1", status=64)


@pytest.mark.parametrize("pattern, replacement, sentence", [
    (r"(?s).*", "{}", "is not an export cursor"),
    ('"library":"', '"library":"0', "belongs to another database"),
    ('"revision":[0-9]+', '"revision":123456', "restored from a copy"),
])
def test_cursors_that_lead_nowhere(changed, pattern, replacement, sentence):
    folder, _ = export(changed, "meilisearch")
    cursor, documents = folder / "cursor.json", folder / "documents.ndjson"
    good, before = cursor.read_text(), documents.read_bytes()
    cursor.write_text(re.sub(pattern, replacement, good, count=1))
    _, errors = export(changed, "meilisearch", "--since", cursor, status=1)
    cursor.write_text(good)
    assert sentence in errors
    assert documents.read_bytes() == before, "what was there before is unchanged"


def test_refusals(changed):
    for arguments, sentence, status in [
            (["--since", "yesterday"], "--since expects", 64), (["--since", "99"], "no run 99", 1),
            (["--option", "x=y"], "no option 'x'", 64), (["--where", "tempo:3"], "--where", 64)]:
        assert sentence in export(changed, "meilisearch", *arguments, status=status)[1], arguments
    outcome = changed.analyze("export", "typesens", "--output", changed.folder / "x", status=64)
    assert "did you mean 'typesense'?" in outcome.stderr
    # Everything, if there is no cursor yet.
    folder, _ = export(changed, "meilisearch", "--since", changed.folder / "none.json")
    assert len(lines(folder / "documents.ndjson")) == 5, "a first export has everything"


# The descriptors of sound, with --option vectors=…


@pytest.fixture(scope="module")
def vectors(changed):
    vectors = descriptors(report_of(changed))
    assert vectors, "there are descriptors"
    return vectors


def test_vectors_of_meilisearch(changed, vectors):
    folder, _ = export(changed, "meilisearch", "--option", "vectors=yes")
    embedder = json.loads((folder / "settings.json").read_text())["embedders"]
    assert embedder == {"likeness": {"source": "userProvided", "dimensions": 128}}
    # A document that says nothing of an embedder is refused.
    found = {document["file_id"]: document["_vectors"]["likeness"] for document in json_lines(folder / "documents.ndjson")}
    assert {key: vector for key, vector in found.items() if vector} == vectors


def test_vectors_of_typesense(changed, vectors):
    folder, _ = export(changed, "typesense", "--option", "vectors=yes")
    fields = {field.pop("name"): field for field in json.loads((folder / "schema.json").read_text())["fields"]}
    assert fields["likeness"] == {"type": "float[]", "num_dim": 128, "optional": True}
    assert {document["id"]: document["likeness"] for document in json_lines(folder / "documents.jsonl") if "likeness" in document} == vectors


@pytest.mark.parametrize("engine, kind, size", [("opensearch", "knn_vector", "dimension"), ("elasticsearch", "dense_vector", "dims")])
def test_vectors_of_opensearch(changed, vectors, engine, kind, size):
    folder, _ = export(changed, "opensearch", "--option", f"vectors={engine}")
    index = json.loads((folder / "index.json").read_text())
    mapping = index["mappings"]["properties"]["likeness"]
    assert (mapping["type"], mapping[size]) == (kind, 128)
    assert ("settings" in index) == (engine == "opensearch"), "only OpenSearch needs a setting"
    documents = json_lines(folder / "documents.ndjson")[1::2]
    assert {document["file_id"]: document["likeness"] for document in documents if "likeness" in document} == vectors


def test_vectors_of_no_engine(changed):
    assert "expects opensearch or elasticsearch" in export(changed, "opensearch", "--option", "vectors=yes", status=64)[1]


def test_a_full_disk_leaves_what_was_there(changed):
    """In a namespace of its own, as that needs a small disk."""
    disk, log = changed.folder / "small", changed.folder / "small.log"
    disk.mkdir()
    script = ('mount -t tmpfs -o size=16k none "$1" || exit 99; cd "$1"; echo old > documents.ndjson; echo old > tracks.parquet; '
              'for format in meilisearch parquet; do "$0" export $format --force --output "$1" --database "$2"; '
              'echo $? $(ls -A "$1") >> "$3"; done')
    outcome = changed.run("unshare", "-rm", "sh", "-c", script, changed.program, disk, changed.database, log, status=None)
    if outcome.returncode == 99 or "unshare" in outcome.stderr:
        pytest.skip("no namespaces here")
    assert outcome.stderr.count("No space left on device") == 2, "a full disk is told"
    assert log.read_text() == 2 * "1 documents.ndjson tracks.parquet\n"


# The recipes of docs/recipes.md, as written but for addresses, the pipeline and places


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs/recipes.md").read_text()


def test_recipes_for_tables(changed, first, page):
    recipe, whole = page.split("## DuckDB and pandas")[1], first.folder / "parquet"
    connection = duckdb.connect()
    for name in ("tracks", "beats", "tags"):
        connection.sql(f"CREATE TABLE {name} AS FROM '{whole}/{name}.parquet'")
    folder, _ = export(changed, "parquet", "--since", whole / "cursor.json")
    connection.execute(re.search(r"```sql\n(.*?)```", recipe, re.S).group(1).replace("'export/", f"'{folder}/"))
    folder, _ = export(changed, "parquet")
    for name in ("tracks", "beats", "tags"):
        table = f"'{folder}/{name}.parquet'"
        differences = f"(FROM {name} EXCEPT FROM {table}) UNION ALL (FROM {table} EXCEPT FROM {name})"
        assert connection.sql(differences).fetchall() == [], f"the recipe for DuckDB keeps {name}"
    python = re.search(r"```python\n(.*?)```", recipe, re.S).group(1).replace('"export/', f'"{folder}/')
    assert "bpm" in changed.run(sys.executable, "-c", python).stdout


def test_recipe_for_grafana(changed, page):
    statements = re.search(r"```sql\n(.*?)```", page.split("## Grafana")[1], re.S).group(1).split(";\n")[:-1]
    for statement in statements:
        assert sqlite3.connect(changed.database).execute(statement).fetchall(), statement


class Engine(Handler):
    """Keeps the documents that requests bring, as Meilisearch and OpenSearch would."""

    def do_HEAD(self):
        self.answer(200 if self.server.has_index else 404, {})

    def do_PUT(self):
        self.server.has_index = True
        self.do_PATCH()

    def do_PATCH(self):
        json.loads(self.body())
        self.answer(200, {})

    def do_POST(self):
        body, documents = self.body(), self.server.documents
        if self.server.breaks:
            return self.answer(503, {})
        if self.path.split("?")[0].endswith("/delete-batch"):
            for key in json.loads(body):
                documents.pop(key, None)
        else:
            rows = [json.loads(line) for line in body.decode().split("\n")[:-1]]
            while rows:
                action = rows.pop(0)
                if "delete" in action:
                    documents.pop(action["delete"]["_id"], None)
                else:
                    document = rows.pop(0) if "index" in action else action
                    documents[document["file_id"]] = document
        self.answer(200, {"took": 1, "errors": False, "items": []})


@pytest.mark.parametrize("heading", ["Meilisearch", "OpenSearch"])
def test_recipes_for_search_engines(changed, page, heading):
    programs = changed.folder / f"bin for {heading}"
    programs.mkdir()
    (programs / "analyze").symlink_to(changed.program)
    environment = {"PATH": f"{programs}:{changed.environment['PATH']}", "MEILI_KEY": "key", "ANALYZE_DATABASE": str(changed.database)}
    with standing_in(Engine) as server:
        server.documents, server.has_index, server.breaks = {}, False, False
        script = re.search(rf"## {heading}\n\n```sh\n(.*?)```", page, re.S).group(1)
        script = re.sub(r"http://127\.0\.0\.1:\d+", server.address, script).replace('"$HOME/Music"', '"$HOME/music"')

        def night(status=0):
            return changed.run("sh", "-c", script, environment=environment, status=status).returncode

        night()
        compare(dict(server.documents), report_of(changed))
        # A night in which the other program is down, and one in which it has to be told both nights' news.
        make(changed, f"c/{heading}.wav", {"title": heading})
        server.breaks = True
        assert night(status=None) != 0, "the recipe tells that the other program is down"
        server.breaks = False
        make(changed, f"c/second {heading}.wav", {"title": heading}, pitch=350)
        (changed.music / "b/moved.opus").rename(changed.music / f"b/moved for {heading}.opus")
        night()
        compare(dict(server.documents), report_of(changed))
        (changed.music / f"b/moved for {heading}.opus").rename(changed.music / "b/moved.opus")
