"""The analyzer of docs/adding-an-analyzer.md, built from the text of the page, and its findings in databases, reports and the app.

Only the module that the page changes is compiled, with the commands that SwiftPM has for it, and the program is linked again with that
module in place of its own.
"""
import csv
import json
import re
import sqlite3

import pytest
from nocturne_reader import Library
from server import Server
from sounds import save
from workplace import ROOT, Workplace

CLIPPED, PEAK = 23, 1.0
TEXT = f"{CLIPPED} clipped samples, peak {PEAK}"
# Databases of all versions, the present one last.
STORES = sorted((path.name for path in (ROOT / "Tests/Fixtures").glob("store-v*.sql")), key=lambda name: int(re.sub(r"\D", "", name)))


def page_blocks():
    """The analyzer, the line of the list and the pipeline, as the page has them."""
    section = (ROOT / "docs/adding-an-analyzer.md").read_text().split("\n## In Swift\n")[1]
    swift = re.findall(r"^```swift\n(.*?)^```", section, re.M | re.S)
    yaml = re.findall(r"^```yaml\n(.*?)^```", section, re.M | re.S)
    assert len(swift) == 2, "the number of blocks of Swift"
    assert len(yaml) == 1, "the number of blocks of YAML"
    assert swift[1].count("\n") == 1, "the length of the line for the list"
    return swift[0], swift[1], yaml[0]


def command(manifest, name):
    """The command of SwiftPM that makes something."""
    found = re.search(rf'^  "C\.{name}":\n(?:    .*\n)*?    args: (.*)$', manifest, re.M)
    assert found, f"the manifest has no command {name}; run `swift build --build-tests` first"
    return json.loads(found[1])


def without(arguments, flags, pairs):
    arguments = iter(arguments)
    for argument in arguments:
        if argument in pairs:
            next(arguments)
        elif argument not in flags:
            yield argument


@pytest.fixture(scope="module")
def clipping(place, program):
    """The program with the analyzer of the page, whose pipeline is among the settings."""
    analyzer, line, pipeline = page_blocks()
    build, folder = program.resolve().parent, place.folder
    manifest, triple = (build.parent.parent / "debug.yaml").read_text(), build.parent.name
    own = ROOT / "Sources/Sound/BuiltInAnalyzers"
    listed = (own / "BuiltInAnalyzers.swift").read_text()
    start = listed.index("static let all: [AnalyzerKind] = [\n")
    end = listed.index("  ]\n", start)
    changed = {"BuiltInAnalyzers.swift": listed[:end] + line + listed[end:], "ClippingAnalyzer.swift": analyzer}
    for name, text in changed.items():
        (folder / name).write_text(text)
    paths = [path for path in own.rglob("*.swift") if path.name not in changed] + [folder / name for name in changed]

    compiled = folder / "BuiltInAnalyzers.o"
    arguments = without(
        command(manifest, re.escape(f"BuiltInAnalyzers-{triple}-debug.module")),
        {"-emit-module", "-emit-dependencies", "-emit-objc-header", "-incremental", "-enable-batch-mode",
         "-serialize-diagnostics", "-parseable-output", f"@{build}/BuiltInAnalyzers.build/sources"},
        {"-emit-module-path", "-output-file-map", "-index-store-path", "-emit-objc-header-path"})
    place.run(*arguments, *paths, "-wmo", "-o", compiled)

    arguments = command(manifest, re.escape(f"analyze-{triple}-debug.exe"))
    objects = build / "analyze.product/Objects.LinkFileList"
    others = [line for line in objects.read_text().splitlines() if "/BuiltInAnalyzers.build/" not in line]
    (folder / "objects").write_text("\n".join([*others, str(compiled), ""]))
    arguments[arguments.index("-o") + 1] = str(folder / "analyze")
    place.run(*(f"@{folder}/objects" if argument == f"@{objects}" else argument for argument in arguments))
    pipelines = folder / "nocturne/pipelines"
    pipelines.mkdir(parents=True)
    (pipelines / "clipping.yaml").write_text(pipeline)
    return folder / "analyze"


def write_sound(path):
    """A second of a quiet tone, with some samples at full scale, negative ones since these reach it in 16 bits."""
    samples = [3000 / 32_768 if i // 50 % 2 else -3000 / 32_768 for i in range(44_100)]
    for i in range(CLIPPED):
        samples[1_000 + 7 * i] = -1
    save(path, samples, 44_100, 32_768)


@pytest.fixture(scope="module", params=["new", *STORES])
def library(request, place, clipping):
    """A library with one sound, in a new database or one from before the analyzer, and its reports."""
    library = Workplace(clipping, place.folder / request.param)
    # The pipeline of the page is in the settings of the module.
    library.environment |= {name: value for name, value in place.environment.items() if name.startswith("XDG_")}
    library.sound, library.output = library.music / "loud.wav", library.folder / "reports"
    write_sound(library.sound)
    if request.param != "new":
        library.run("sqlite3", library.database, input=(ROOT / "Tests/Fixtures" / request.param).read_text())
        if request.param == STORES[-1]:
            # Nothing is written into it only to read it.
            records = library.report()
            assert records and [record["clipping"] for record in records] == [None] * len(records), "what is found in old files"
            tables = sqlite3.connect(library.database).execute("SELECT count(*) FROM sqlite_master WHERE name = 'clipping'")
            assert tables.fetchone()[0] == 0, "the number of tables made by a report"
    reports = [part for name in ["json", "ndjson", "csv", "html"] for part in ["--report", name]]
    library.analyze("run", library.music, "--pipeline", "clipping", "--output", library.output, *reports)
    return library


def test_database(library):
    db = sqlite3.connect(library.database)
    values = "FROM clipping JOIN file ON file.id = clipping.file WHERE display_path LIKE '%/loud.wav'"
    assert db.execute(f"SELECT clipped_samples, peak {values}").fetchall() == [(CLIPPED, PEAK)], "the row"
    shown = db.execute("SELECT clipping_clipped_samples, clipping_peak FROM track WHERE path LIKE '%/loud.wav'")
    assert shown.fetchall() == [(CLIPPED, PEAK)], "the row of the view"
    index = db.execute("SELECT tbl_name FROM sqlite_master WHERE name = 'clipping_clipped_samples'").fetchall()
    assert index == [("clipping",)], "the index"
    library.analyze("doctor", "--check")


def test_reports(library):
    finding, sound = {"clipped_samples": CLIPPED, "peak": PEAK}, str(library.sound)
    files = json.loads((library.output / "report.json").read_text())["files"]
    assert [f["clipping"] for f in files if f["path"] == sound] == [finding], "the JSON report"
    files = [json.loads(line) for line in (library.output / "report.ndjson").read_text().splitlines()]
    assert [f["clipping"] for f in files if f["path"] == sound] == [finding], "the NDJSON report"
    with open(library.output / "report.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["path"] == sound]
    cells = [(row["clipping_clipped_samples"], row["clipping_peak"]) for row in rows]
    assert cells == [(str(CLIPPED), str(PEAK))], "the CSV report"
    assert (library.output / "report.html").read_text().count(f"clipping: {TEXT}") == 1, "the page's number of findings"
    lines = library.analyze("show", sound).stdout.splitlines()
    assert [line for line in lines if "clipping" in line] == [f"  clipping       {TEXT}"], "the line of show"


def test_search(library):
    search = ["search", "--null", "--sort", "-clipping_peak"]
    for expression, wanted in [(f"clipping_clipped_samples:{CLIPPED}", [str(library.sound)]), (f"clipping_clipped_samples:{CLIPPED + 1}..", [])]:
        found = library.analyze(*search, "--where", expression, status=0 if wanted else 1).stdout.split("\0")[:-1]
        assert [path for path in found if path.endswith("/loud.wav")] == wanted, f"what --where {expression} finds"


def test_python_and_the_app(library):
    rows = [row for row in Library(library.database).tracks("dicts") if row["path"] == str(library.sound)]
    assert [(row["clipping_clipped_samples"], row["clipping_peak"]) for row in rows] == [(CLIPPED, PEAK)], "the row of Python"
    with Server(library) as server:
        found = server.read(f"app/api/tracks/{rows[0]['file_id']}")
    assert found["other_findings"] == [{"label": "clipping", "text": TEXT}], "the findings on the page of the app"


def test_parquet(library):
    """The names of columns stand at the end of the file (Apache Parquet, file format)."""
    library.analyze("export", "parquet", "--output", library.folder / "parquet")
    content = (library.folder / "parquet/tracks.parquet").read_bytes()
    footer = content[-8 - int.from_bytes(content[-8:-4], "little"):]
    for name in [b"clipping_clipped_samples", b"clipping_peak"]:
        assert name in footer, f"Parquet has the column {name.decode()}"


def test_worker(library):
    answer = json.loads(library.analyze("worker", "--pipeline", "clipping", input=f"{library.sound}\n").stdout)
    assert answer["file"]["clipping"] == {"clipped_samples": CLIPPED, "peak": PEAK}, "the answer of a worker"


def test_schemas(place, clipping):
    schema = lambda name: place.run(clipping, "schema", name).stdout
    clippings = json.loads(schema("ndjson"))["properties"]["clipping"]
    assert clippings["type"] == ["object", "null"], "the type in the schema"
    types = {name: field["type"] for name, field in clippings["properties"].items()}
    assert types == {"clipped_samples": "integer", "peak": "number"}, "the types of its fields"
    columns = {field["name"]: field["type"] for field in json.loads(schema("csv"))["fields"]}
    assert columns.get("clipping_clipped_samples") == "integer", "the columns of CSV"
    assert 'STRUCT("clipped_samples" BIGINT, "peak" DOUBLE)' in schema("duckdb")
