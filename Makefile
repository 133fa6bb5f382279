# Plimsoll: everything a newcomer, a developer and CI do, by name.
GO   ?= go
# One way to compile for programs, tests and the cluster of tests: else all is compiled twice.
export CGO_ENABLED = 0
export GOFLAGS = -trimpath
BIN  := bin/plimsoll
# TESTFLAGS reaches go test: make test TESTFLAGS='-run Golden -v'
TESTFLAGS ?=

.PHONY: map language sentences linters remains build help demo quick race again test test-local test-packages test-runs test-cluster test-packages-on-cluster test-runs-on-cluster repetitions soak soak-day paths fuzz nightly lint web web-check bench parity truth changelog needs man packages site clean

## build: the one static binary
build:
	$(GO) build -buildvcs=auto -o $(BIN) ./cmd/plimsoll

## help: what can be made, from the comments of this file
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "%-14s %s\n", $$1, $$2 }'

## demo: build it, run the demo, print the verdict and the report's path
demo: build
	./$(BIN) demo

## needs: install what the tests use (as root on a Debian-like machine; otherwise says what is missing)
needs:
	test/needs

# Runs go test and sums up what happened.
TALLY = $(GO) run ./test/tally

## quick: what a change of code needs first: tests without servers, browsers, clusters, media or root; it says how many are left out
quick:
	$(TALLY) -- -short -vet=off $(TESTFLAGS) ./... # make lint has go vet

## test: every test, real databases, browsers and a Kubernetes cluster included; what needs the cluster, and mostly waits, goes beside the rest
test: needs build
	$(MAKE) --no-print-directory --jobs 2 test-local test-cluster

## remains: make test on a machine that does nothing else, and then what it left behind
remains:
	$(GO) run ./test/remains $(MAKE) --no-print-directory test

# make lint runs all of go vet, so that make test need not run a part of it again.
VETTED = -vet=off

# Packages whose tests use the cluster; those of whole runs have Kubernetes in their names.
ON_CLUSTER = $(shell $(GO) list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}} ' ./... | grep -e '^plimsoll/test/cluster' -e ' plimsoll/test/cluster ' | cut -d ' ' -f 1 | grep -v '/test/e2e$$')

## test-local: only the tests that need no cluster; whole runs come last, because they measure
test-local: test-packages
	$(MAKE) --no-print-directory test-runs

LONGEST = ./internal/report ./internal/storage/gluster ./internal/storage/ceph

## test-packages: only those of packages, more at once than there are cores, because most wait for servers and media; the longest go first
test-packages: needs build
	$(GO) test $(VETTED) -timeout 90m -p 3 $(TESTFLAGS) $(LONGEST) $(filter-out $(ON_CLUSTER) %/test/e2e $(LONGEST:./%=plimsoll/%),$(shell $(GO) list ./...))
	$(GO) -C test/deploy test -count 1 $(TESTFLAGS) ./... # what it reads lies outside its module, so that the cache would be wrong

## test-runs: only whole runs, without those on the cluster
test-runs: needs build
	$(GO) test $(VETTED) -timeout 90m -parallel 5 -skip Kubernetes $(TESTFLAGS) ./test/e2e

## test-cluster: only the tests of and on real Kubernetes clusters of one node, whose programs the first run builds (about five minutes); one cluster at a time, because an idle one takes a third of a core
test-cluster: test-packages-on-cluster
	$(MAKE) --no-print-directory test-runs-on-cluster

test-packages-on-cluster: needs build
	$(GO) test $(VETTED) -timeout 90m -p 1 -parallel 8 $(TESTFLAGS) $(ON_CLUSTER)

test-runs-on-cluster: needs build
	$(GO) test $(VETTED) -timeout 90m -parallel 4 -run Kubernetes $(TESTFLAGS) ./test/e2e

## soak: kill Plimsoll with -9 at random moments, KILLS times, and look each time at what is left
KILLS ?= 100
soak: needs
	PLIMSOLL_KILLS=$(KILLS) $(GO) test -timeout 4h -count 1 -v -run '^TestSoak$$' ./test/e2e

## soak-day: 24 hours of made-up records of 20 instances, then two real hours in DAY (as root or not); what grew
DAY ?= /var/tmp/plimsoll-day
soak-day: build
	$(GO) run ./bench/growth -plimsoll $(BIN) -only 4/20 -per-driver 5 -seconds 3600
	$(GO) run ./bench/growth -plimsoll $(BIN) -only 4/20 -per-driver 5 -seconds 86400
	test/day/run $(BIN) $(DAY)
	$(GO) run ./test/day $(DAY)/samples.jsonl

## paths: whole runs below PATHS sets of awkward paths, on pools and simulated disks too
PATHS ?= 24
paths: needs
	PLIMSOLL_PATHS=$(PATHS) $(GO) test -timeout 2h -count 1 -v -run '^TestAnyPath$$' ./test/e2e

## fuzz: every fuzz test for FUZZTIME; what fails is kept below testdata/fuzz
FUZZTIME ?= 30s
fuzz:
	FUZZTIME=$(FUZZTIME) test/fuzz

# Packages some of whose tests do more each night.
REPEATING = $(shell $(GO) list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}} ' ./... | grep -e ' plimsoll/test/nightly ' | cut -d ' ' -f 1)

## repetitions: tests that try more each night: every geometry, engine and version, more made-up runs
repetitions: needs build
	PLIMSOLL_NIGHTLY=1 $(GO) test -timeout 90m -p 2 $(TESTFLAGS) $(filter-out %/test/e2e,$(REPEATING))
	PLIMSOLL_NIGHTLY=1 $(GO) test -timeout 90m -parallel 3 -skip Kubernetes $(TESTFLAGS) ./test/e2e

# All packages but whole runs, which measure and come by themselves.
ALL_BUT_RUNS = $(filter-out %/test/e2e,$(shell $(GO) list ./...))

## again: every test TIMES times with new seeds, and a table of what failed once
TIMES ?= 10
again: needs build
	$(TALLY) -times $(TIMES) -- -timeout 5h -p 3 $(TESTFLAGS) $(ALL_BUT_RUNS)
	$(TALLY) -times $(TIMES) -- -timeout 5h -parallel 3 $(TESTFLAGS) ./test/e2e

# Packages with goroutines of their own, by their sources. Whole runs test another process.
WITH_GOROUTINES = $(addprefix ./,$(filter-out test/e2e,$(shell grep -rlE --include='*.go' '^[[:space:]]+go [a-z]|errgroup\.' bench cmd internal test | xargs -n 1 dirname | sort -u)))

## race: the tests of all packages that have goroutines under the race detector, which needs a C compiler
race: needs
	@command -v $${CC:-gcc} > /dev/null || { echo "the race detector needs a C compiler: install gcc, or set CC"; exit 1; }
	CGO_ENABLED=1 $(TALLY) -- -race -timeout 5h -p 2 $(TESTFLAGS) $(WITH_GOROUTINES)

## nightly: every test ten times, the race detector, and what repeats rather than proves: more cases of some tests, crashes at random moments, awkward paths, fuzzing, and how often the analysis is right
nightly:
	$(MAKE) --no-print-directory again
	$(MAKE) --no-print-directory race
	$(MAKE) --no-print-directory linters
	$(MAKE) --no-print-directory repetitions
	$(MAKE) --no-print-directory soak
	$(MAKE) --no-print-directory paths
	$(MAKE) --no-print-directory fuzz
	$(MAKE) --no-print-directory truth

## lint: formatting, go vet, staticcheck, layers, whether the schemas are those of the types, and make language
lint:
	@test -z "$$(gofmt -l cmd internal studies reference bench test)" || { gofmt -l cmd internal studies reference bench test; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test ./test/layers/... ./test/sentences
	$(GO) test -run Current ./internal/report
	$(MAKE) --no-print-directory language

## language: whether every sentence of reports can be translated, in a language that marks its letters
language:
	$(GO) test -tags pseudo -run '^TestNoSentenceIsLost$$' ./internal/analysis

# The linters are a module of their own, so that their modules are not those of the program.
GOLANGCI = $(GO) tool -modfile=test/lint/go.mod golangci-lint

## linters: those of .golangci.yml, nightly, because they take ten minutes and more where nothing is cached
linters:
	$(GOLANGCI) run --timeout 60m ./...

## map: draw the halls of the code into docs/architecture.svg
map:
	$(GO) run ./test/layers/draw > docs/architecture.svg.new && mv docs/architecture.svg.new docs/architecture.svg

## sentences: list the sentences of reports, and what each needs, in docs/contributing/sentences.md
sentences:
	$(GO) run ./test/sentences > docs/contributing/sentences.md.new && mv docs/contributing/sentences.md.new docs/contributing/sentences.md

## web: write the page's types from the schemas and build the bundle that the binary embeds
web:
	cd web && npm ci --no-audit --no-fund --fetch-retries 5 && npm run build

## web-check: the committed types and bundle are what schemas and sources give
web-check: web
	cd web && npm test
	git diff --exit-code -- web/src/read/model.ts internal/report/assets

## bench: what the driver, lists of sessions, the probe, the generator, telemetry, reading 5,000 trials, trials of up to 10,000 simulated instances, a ladder of 128 servers and 32 and 128 simulated instances on Kubernetes cost; no pass or fail
bench: needs build
	$(GO) run ./bench/driver
	$(GO) run ./bench/sessions
	$(GO) run ./bench/probe -dir bin
	$(GO) test -run '^$$' -bench . -benchmem ./internal/workload/dvdstore/... ./internal/platform/telemetry/... ./internal/result/... ./internal/analysis/... ./internal/report
	$(GO) run ./bench/scale -plimsoll $(BIN)
	$(GO) run ./bench/growth -plimsoll $(BIN)
	./$(BIN) run bench/ladder.yaml --runs bin/bench-runs --min-grade F
	$(GO) run ./bench/cluster -instances 32 -drivers 4
	$(GO) run ./bench/cluster

## parity: our generators beside sysbench, fio, iperf3 and wrk on the same server, file or site, in interleaved pairs; fails when a ratio is clearly out of bounds
parity: needs
	$(GO) run ./bench/parity

## truth: how often the analysis is right about made-up data with a known truth, in bench/truth/RATES.md; fails if a bound is broken
truth:
	$(GO) run ./bench/truth -o bench/truth/RATES.md

## calibrate: 60 pairs of quiet and disturbed runs on this machine, an hour and a half while nothing else runs: does the quiet figure lie within the disturbed run's bound, and how sharp are bounds? Into docs/calibration.md
calibrate: needs build
	$(GO) run ./bench/calibrate -plimsoll $(BIN) -o docs/calibration.md

## changelog: collect the files of changelog/ into CHANGELOG.md
changelog:
	$(GO) run ./test/changelog > CHANGELOG.md.new && mv CHANGELOG.md.new CHANGELOG.md

## man: manual pages of every command, in bin/man
man: build
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) ./$(BIN) man bin/man

## packages: what a release consists of, in bin/packages: binaries, .deb, .rpm and images for x86-64 and ARM, parts and checksums (docs/install.md)
packages:
	GO="$(GO)" packaging/build bin/packages

## site: the documentation site, in bin/site, looked at in a browser; mkdocs is installed once, in a virtual environment below the user's cache
site: build
	site/build
	$(GO) test -count 1 ./site

clean:
	rm -rf bin
