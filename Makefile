# make run      install what is missing, build, analyze LIBRARY (default: the music in Fixtures/), say where the reports are
# make test     install what is missing, run all tests
# make bench    speed and memory, as ratios against peers measured in the same run
# make install  PREFIX=/usr/local: a binary that works from any folder, its manual page, completions and units for systemd
# make samples  the samples of the reports in reports/sample/

LIBRARY ?= Fixtures
OUTPUT  ?= reports/generated
PREFIX  ?= /usr/local
BUILD   := swift build -c release --static-swift-stdlib
ANALYZE := .build/release/analyze

.PHONY: run build test bench install samples clean

# Broken files in a library are no reason for make to stop: the summary names them.
run: build
	@$(ANALYZE) run "$(LIBRARY)" --database "$(OUTPUT)/library.sqlite" --output "$(OUTPUT)" \
		--report json --report ndjson --report csv --verbose --fail-on never

build:
	@Scripts/setup run
	@$(BUILD) --product analyze

test:
	@Scripts/setup test
	swift test
	@Scripts/check-manual .build/debug/analyze
	@Scripts/make-documentation .build/Recognition.doccarchive

bench: build
	@Scripts/setup bench
	@Benchmarks/bench

install: build
	@Scripts/install "$(PREFIX)"

samples: build
	@Scripts/make-samples $(ANALYZE)

clean:
	rm -rf .build "$(OUTPUT)"
