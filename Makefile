# make run      install what is missing, build, analyze LIBRARY (default: the music in Fixtures/), say where the reports are
# make test     install what is missing, run all tests, then the checks of the built program in Checks/; Scripts/run-checks runs some
# make bench    speed and memory, as ratios against peers measured in the same run
# make accuracy-tempo, accuracy-key, accuracy-recognition, accuracy-tags: accuracy on public material, with minimum figures;
#               see Benchmarks/README.md
# make bench-check  instructions of fixed work, against those in Benchmarks/instructions.json: finds a loss of 3%; a minute
# make soak     FILES=20000 files with kill -9, signals, a full disk and changes meanwhile; make year: a year of nights
# make healthy  1,000 intact files of many encoders, none of which may be called damaged
# make links    500 links planted in a library, of which the server may give away nothing
# make damage   1,700 damaged files of all containers, none of which may be called fine if strict tools find the damage
# make install  PREFIX=/usr/local: a stripped binary for any folder, manual page, completions, systemd units
# make deb      a Debian package; make dist: archives of source and binary; make image: a container image; see docs/packages.md
# make check-package  install, run, upgrade and remove the package in a clean root; minutes, and as root
# make check-debian-13  build and test on Debian 13, in a clean root; an hour, and as root
# make fuzz     SECONDS=60 TARGET=…: hostile input for every reader, by default all targets; see docs/fuzzing.md
# make mutants  COUNT=100 SEED=1 PATHS="…": small faults, each alone in the program, and which of them no test notices; about an hour
# make sanitize all tests under the thread and the address sanitizer, or only SANITIZERS=…
# make release-check  all of these in turn, or STEPS="tests package recipes …"; writes reports/release-check.md; as root for all
# make recipes  run the recipes of docs/workers.md with GNU parallel, xargs, Slurm and Redis, check those for Kubernetes and AWS
#               Batch against their schemas; downloads these
# make spark    run the job for Spark on a cluster of this machine while processes are killed, a disk is full and a program is
#               too old; downloads PySpark; half an hour, and as root
# make wheel    the Python reader as a wheel in .build/wheel
# make samples  make the sample reports in reports/sample/

LIBRARY ?= Fixtures
OUTPUT  ?= reports/generated
PREFIX  ?= /usr/local
FILES   ?= 20000
SECONDS ?= 60
COUNT   ?= 100
SEED    ?= 1
# One with numpy, scipy and mutagen of known versions, made when it is first asked for.
PYTHON   = $$(Scripts/python_packages.py)
# The compiler turns the files of a module into machine code side by side.
RELEASE := -c release -Xswiftc -num-threads -Xswiftc 2
# The part of ICU's data that is needed, instead of all that Foundation brings.
ICU     := .build/icu-data.o
# Without debug information, which an installed program has not either and which takes an eighth of the time. LLD packs relocations,
# which are 3 MB otherwise, in each process.
LINK    := -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
BUILD   := NOCTURNE_ICU_DATA="$(CURDIR)/$(ICU)" swift build $(RELEASE) $(LINK) -debug-info-format none --static-swift-stdlib
ANALYZE := .build/release/analyze

.PHONY: run build test built-tests checks bench bench-check accuracy-tempo accuracy-key accuracy-recognition accuracy-tags soak year healthy damage links fuzz mutants sanitize \
	release-check \
	install deb dist image check-package check-debian-13 recipes spark wheel samples clean

# Broken files in a library must not make `make` fail: the summary names them.
run: build
	@mkdir -p "$(OUTPUT)"
	@$(ANALYZE) run "$(LIBRARY)" --database "$(OUTPUT)/library.sqlite" --output "$(OUTPUT)" \
		--report json --report ndjson --report csv --verbose --fail-on never

build:
	@Scripts/setup run
	@Scripts/trim-icu $(ICU)
	@$(BUILD) --product analyze

test:
	@Scripts/setup test
	@NOCTURNE_TESTS=1 swift build --build-tests --scratch-path .build/tests
	@$(MAKE) --no-print-directory --jobs=2 built-tests checks

# Side by side, because both wait for many processes.
built-tests:
	@NOCTURNE_TESTS=1 Scripts/run-tests --skip-build --scratch-path .build/tests
checks:
	@Scripts/run-checks

bench: build
	@Scripts/setup bench
	@[ -d Music ] || Fixtures/fetch-music || echo "bench: music cannot be fetched; measuring with Fixtures/" >&2
	@Benchmarks/bench
	@Benchmarks/page/measure.py $(ANALYZE)
	@$(BUILD) --product time-searches
	@Benchmarks/search/bench-search

bench-check: build
	@Scripts/setup bench
	@Benchmarks/bench-check $(ANALYZE)

accuracy-tempo accuracy-key accuracy-recognition accuracy-tags: build
	@Scripts/setup accuracy
	@[ $@ != accuracy-recognition ] || [ -d Music ] || Fixtures/fetch-music
	@$(PYTHON) Benchmarks/$@

soak: build
	@Benchmarks/soak/soak.py $(ANALYZE) --files "$(FILES)"

year: build
	@Benchmarks/soak/year.py $(ANALYZE)

healthy: build
	@Scripts/setup healthy
	@$(PYTHON) Benchmarks/healthy/healthy.py $(ANALYZE)

links: build
	@Scripts/setup test
	@Scripts/run-checks --analyze $(ANALYZE) planted-links

damage: build
	@Scripts/setup damage
	@$(PYTHON) Benchmarks/damage/damage.py $(ANALYZE)

# The Swift compiler uses only the last of several --sanitize options, so -Xswiftc names both.
fuzz:
	@Scripts/setup test
	@NOCTURNE_FUZZING=1 swift build $(RELEASE) --sanitize fuzzer --sanitize address -Xswiftc -sanitize=fuzzer,address \
		-Xswiftc -enable-testing --scratch-path .build/fuzz --product fuzz
	@Fuzzing/make-seeds .build/fuzz/release/fuzz Fuzzing/corpus
	@Fuzzing/run "$(SECONDS)" $(TARGET)

mutants:
	@Scripts/setup test
	@Scripts/mutate --count "$(COUNT)" --seed "$(SEED)" $(if $(PATHS),--paths $(PATHS))

sanitize:
	@Scripts/setup test
	@Scripts/sanitize $(SANITIZERS)

release-check: FILES = 5000
release-check: SECONDS = 120
release-check:
	@Scripts/release-check --files "$(FILES)" --seconds "$(SECONDS)" $(STEPS)

install: build
	@Scripts/install "$(PREFIX)"

deb: build
	@Scripts/setup package
	@packaging/make-deb

dist: build
	@packaging/make-dist

image: deb
	@packaging/make-image

check-package: deb
	@Scripts/run-checks package

check-debian-13: build
	@Scripts/setup package
	@Scripts/run-checks debian-13

# The Python reader; see docs/python.md.
wheel:
	@Scripts/make-wheel .build/wheel

recipes: build
	@Scripts/setup recipes
	@Scripts/run-checks --analyze $(ANALYZE) recipes

spark: build
	@Scripts/setup recipes
	@Scripts/run-checks --analyze $(ANALYZE) spark

samples: build
	@Scripts/make-samples $(ANALYZE)

clean:
	rm -rf .build "$(OUTPUT)"
