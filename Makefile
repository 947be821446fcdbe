# make run      install what is missing, build, analyze LIBRARY (default: the music in Fixtures/), say where the reports are
# make test     install what is missing, run all tests
# make bench    speed and memory, as ratios against peers measured in the same run
# make install  PREFIX=/usr/local: a binary that works from any folder, its manual page and shell completions

LIBRARY ?= Fixtures
OUTPUT  ?= reports/generated
PREFIX  ?= /usr/local
BUILD   := swift build -c release --static-swift-stdlib
ANALYZE := .build/release/analyze

.PHONY: run build test bench install clean

run: build
	@mkdir -p "$(OUTPUT)"
	@$(ANALYZE) "$(LIBRARY)" --database "$(OUTPUT)/library.sqlite" --output "$(OUTPUT)" \
		--report json --report ndjson --report csv

build:
	@Scripts/setup run
	@$(BUILD) --product analyze

test:
	@Scripts/setup test
	swift test

bench: build
	@Scripts/setup bench
	@Benchmarks/bench

install: build
	@Scripts/install "$(PREFIX)"

clean:
	rm -rf .build "$(OUTPUT)"
