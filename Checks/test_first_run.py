"""`make run` as a newcomer has it, without the build: there is no folder for its results yet."""
from workplace import ROOT


def test_two_runs(place):
    results = place.folder / "new/results"
    words = ["make", "--no-print-directory", "-o", "build", "run", f"ANALYZE={place.program}", f"OUTPUT={results}"]
    first, _ = [place.run(*words, cwd=ROOT) for _ in range(2)]
    for name in ("report.json", "report.ndjson", "report.csv", "library.sqlite"):
        assert (results / name).stat().st_size > 0, f"{name} is there"
        if name.startswith("report."):
            assert f"results/{name}" in first.stdout + first.stderr, f"{name} is named"
