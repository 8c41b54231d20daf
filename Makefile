# qd1: build and test. "make help" lists the targets.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The version of a release is its tag; without a tag the program has its own.
VERSION     = $(patsubst v%,%,$(shell git describe --tags --dirty 2>/dev/null))
LDFLAGS     = -s -w $(if $(VERSION),-X main.version=$(VERSION))
# The packages whose tests need no machine.
HOST        = $(shell go list ./... | grep -v /internal/vmtest)
# Both runs that are merged into one coverage must count alike.
COVERMODE   = atomic
# How long each fuzz target runs in "make fuzz".
FUZZTIME    = 30s

.PHONY: help check lint test setup host vm fuzz cover build package packages-test clean

help:
	@echo "make check   quick: format, vet, staticcheck, host tests with the race detector; no root, a few minutes"
	@echo "make test    everything: setup, lint, host tests, tests in machines, coverage"
	@echo "make build   bin/qd1, one static binary"
	@echo "make package dist/: deb and rpm for amd64 and arm64 with manual page and completions"
	@echo "make packages-test  the packages built twice, compared, installed and removed in a clean root (root)"
	@echo "make vm      the tests in machines (QEMU) only"
	@echo "make fuzz    each fuzz target for $(FUZZTIME) (FUZZTIME=5m)"
	@echo "make cover   coverage of host tests and machines together"
	@echo "make setup   install what the machines need (root, Debian)"

check: lint
	go test -race $(HOST)

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted by gofmt:"; echo "$$files"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...

# One after the other: a machine needs both processors.
test:
	$(MAKE) setup
	$(MAKE) lint
	rm -rf coverage
	$(MAKE) host
	$(MAKE) vm
	.ci/cover

setup:
	.ci/setup

# The host tests, with the race detector and coverage counters; then the test
# that a simulated drive is measured truly, which the detector would disturb.
# PLAIN start no goroutine, and TestScripts starts hundreds of programs: minutes
# with the detector ("make check" has them).
PLAIN   = ./bench/profile ./bench/stats ./internal/arch ./internal/compare ./internal/proof ./internal/record ./internal/render ./nvme/spec
COUNTED = go test -cover -covermode=$(COVERMODE)
GATHER  = -args -test.gocoverdir=$(CURDIR)/coverage/host
host:
	mkdir -p coverage/host
	$(COUNTED) -race -skip '^TestScripts$$' $(filter-out $(patsubst ./%,\%/%,$(PLAIN)),$(HOST)) $(GATHER)
	$(COUNTED) $(PLAIN) $(GATHER)
	$(COUNTED) -run '^TestScripts$$' ./cmd/qd1 $(GATHER)
	go test -count=1 -run LatencyIsTrue ./cmd/qd1

# The tests in machines are never taken from the test cache, because it does
# not know the kernel and the programs that they use.
vm:
	mkdir -p coverage/vm
	QD1_COVERDIR=$(CURDIR)/coverage/vm go test -count=1 -timeout 25m ./internal/vmtest/...

# A search with chance in it: what it finds becomes a test. The inputs that were
# found stand in testdata and in the seeds, which "make test" runs too.
fuzz:
	.ci/fuzz $(FUZZTIME)

cover:
	rm -rf coverage
	$(MAKE) host
	$(MAKE) vm
	.ci/cover

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "$(LDFLAGS)" -o bin/qd1 ./cmd/qd1

package:
	packaging/build dist

# A minute or two, and root: not a part of "make test". It takes the packager
# from the Go proxy and man-db, bash-completion and rpm, where they are missing,
# from Debian's archive.
packages-test:
	.ci/packages

clean:
	rm -rf bin coverage dist
