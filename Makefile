# relay: make run builds and starts it, make check is everything that must hold.
SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# The tag of the release that schema/version.go names; other builds say of which change they are.
RELEASE := v$(shell sed -n 's/^const Version = "\(.*\)"/\1/p' schema/version.go)
CHANGE  := $(shell git describe --tags --always --dirty --match '$(RELEASE)' 2>/dev/null)
VERSION ?= $(RELEASE)$(if $(filter-out $(RELEASE),$(CHANGE)),+$(CHANGE:$(RELEASE)-%=%))
LDFLAGS := -s -w -X main.version=$(VERSION)
BUILD   := CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)'
SOURCES := $(wildcard *.go server db bridges assets/*.go assets/build schema .ci)
TOOLS   := $(filter-out ./.ci/release,$(patsubst %/,./%,$(sort $(dir $(wildcard .ci/*/*.go .ci/*/*/*.go)))))

# The packages in which goroutines meet. The race detector makes SQLite about
# twenty times slower: tests of volume stay out (they skip themselves with
# -short, or are named here), and so do those that drive other programs.
RACE := . ./server/... ./db/... ./bridges/...
LONG := ^Test(Browser|KillNineLosesNothing|TenThousandRandomRequests|SecurityMatrix|BadReceivers|Faults|Nodes|Model|Soak)$$

# What tests write need not outlive them: they write to memory where there is enough of it.
MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 3000000 { print "/dev/shm" }')
test race: export TMPDIR := $(or $(TMPDIR),$(MEMORY),/tmp)

.PHONY: help run build test check bench simulate faults nodes soak fuzz vuln pictures generate release litestream clean
.PHONY: gofmt vet staticcheck tidy imports types race cross packing

help: ## list what make can do
	@grep -hE '^[a-z]+:.* ## ' $(MAKEFILE_LIST) | awk -F ':.* ## ' '{printf "  make %-10s %s\n", $$1, $$2}'

run: build ## build and start relay here: http://localhost:3000, data in relay.db
	./relay serve

build: ## build ./relay, one file without dependencies
	$(BUILD) -o relay .

test: ## all tests; installs Chromium, Firefox, PostgreSQL, Postfix, Node and PHP through apt, axe, TypeScript, React, Vue and other clients through npm, when missing
	@.ci/setup chromium firefox postgresql pgbouncer postfix dovecot node php python3 systemd-analyze axe typescript frameworks assistants generators
	go tool gotestsum --format pkgname-and-test-fails -- -timeout 40m -shuffle=on ./server/e2e ./... # the longest first

check: gofmt vet staticcheck tidy imports types test race cross packing vuln ## everything that must hold before a commit
	@echo "check: all is well"

gofmt: # no file differs from gofmt's form
	@files=$$(gofmt -l $(SOURCES)); if [ -n "$$files" ]; then echo "gofmt -w these:"; echo "$$files"; exit 1; fi
	@echo "gofmt: ok"

vet:
	go vet ./... $(TOOLS)
	go vet -tags faults ./server/chat ./db
	go vet -tags pictures ./server/e2e

staticcheck: # pinned in go.mod
	go tool staticcheck ./... $(TOOLS)

tidy: # go.mod and go.sum are what go mod tidy makes
	go mod tidy -diff

imports: # the arrows between packages go one way
	go test -run '^TestImports$$' -count=1 .

TYPESCRIPT := $${XDG_CACHE_HOME:-$$HOME/.cache}/relay/typescript-5.9.3

types: # types and shape of widget and console; esbuild builds them without a look at either
	@.ci/setup node typescript
	node "$(TYPESCRIPT)/bin/tsc" --noEmit -p assets/tsconfig.json
	node assets/build/sources.mjs "$(TYPESCRIPT)" assets
	@echo "types: ok"

# SQLite, translated from C, is not relay's to watch, and would take most of the time.
UNWATCHED := -gcflags='modernc.org/sqlite/lib=-race=false' -gcflags='modernc.org/libc/...=-race=false'

race: # needs a C compiler
	@.ci/setup gcc
	CGO_ENABLED=1 go tool gotestsum --format pkgname-and-test-fails -- -timeout 40m -race $(UNWATCHED) -short -shuffle=on -skip '$(LONG)' $(RACE)

cross: # the program builds without C for the machines it runs on
	GOOS=linux GOARCH=amd64 $(BUILD) -o .cross .
	@size=$$(wc -c < .cross); rm .cross; if [ $$size -gt 40000000 ]; then echo "the program has $$size bytes, more than 40 MB: does something use package text/template?"; exit 1; fi
	GOOS=linux GOARCH=arm64 $(BUILD) -o /dev/null .
	GOOS=linux GOARCH=arm GOARM=7 $(BUILD) -o /dev/null .
	GOOS=darwin GOARCH=arm64 $(BUILD) -o /dev/null .
	GOOS=windows GOARCH=amd64 $(BUILD) -o /dev/null .

packing: # a release can be made, twice with the same bytes, and installed
	cd .ci/release && go vet . && go test .

GROWTH_SESSIONS ?= 5000

bench: ## measure relay against bare floors in one run, and the browser's longest tasks, about 38 minutes; GROWTH_SESSIONS=200000 takes an hour more
	go test -run '^$$' -bench 'History|Sessions|Pending' -benchtime 200x ./db
	go test -run '^$$' -bench Statistics -benchtime 10x ./db
	GROWTH_SESSIONS=$(GROWTH_SESSIONS) go test -run '^$$' -bench Growth -benchtime 1x -timeout 3h ./db
	go test -run '^$$' -bench Sites -benchtime 100x ./server/engine
	go test -run '^$$' -bench MailDue -benchtime 3000x ./bridges/mail
	go test -run '^$$' -bench GoldenShop -benchtime 5x ./bridges/knowledge
	go test -run '^$$' -bench Honest -benchtime 1x ./bridges/ai
	@programs=$$(mktemp -d); trap 'rm -rf "$$programs"' EXIT; \
	$(BUILD) -o "$$programs/" . ./.ci/bench/floor; \
	BENCH_PROGRAMS="$$programs" BENCH_PICTURES="$(CURDIR)/.github" go test -run '^$$' \
		-bench 'Gates|Assistants|Bridge|Deliveries|Mailbox|Receivers|Nodes|Reconnect|Relaying|Separate|Tasks' -benchtime 1x -timeout 50m ./.ci/bench

SIMULATE ?=

simulate: ## estimate what a million visitors a day need here; SIMULATE="-visitors 50000 -answers 8" assumes else
	@programs=$$(mktemp -d); trap 'rm -rf "$$programs"' EXIT; \
	$(BUILD) -o "$$programs/" .; \
	BENCH_PROGRAMS="$$programs" go test -run '^$$' -bench Simulate -benchtime 1x -timeout 50m ./.ci/bench -args $(SIMULATE)

faults: ## meet kills, crash points, outages, full disks and wrong clocks while people talk, about 25 minutes
	go test ./server/e2e -run '^Test(Faults|Model|SitesModel)$$' -count=1 -timeout 60m -v -args -long

nodes: ## meet kills, crashes of PostgreSQL and cuts with three relays on one database, about 25 minutes
	@.ci/setup postgresql pgbouncer
	go test ./server/e2e -run '^TestNodes$$' -count=1 -timeout 90m -v -args -long

SOAK ?= 10m

soak: ## run relay for SOAK at 20 messages a second with 500 streams and kills, and look whether it grows
	go test ./server/e2e -run '^TestSoak$$' -count=1 -timeout 48h -v -args -long -soak $(SOAK)

FUZZTIME ?= 1m

fuzz: ## run each fuzz target for FUZZTIME, a minute by default
	@for folder in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -hoE '^func Fuzz\w+' "$$folder"/*_test.go | awk '{print $$2}'); do \
			echo "$$folder $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$folder"; \
		done; \
	done

VULNDB := https://vuln.go.dev

vuln: # known vulnerabilities in what the program calls, where their list can be reached
	@if curl --silent --fail --head --max-time 10 --output /dev/null $(VULNDB)/index/modules.json; then \
		go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 -db $(VULNDB) ./...; \
	else echo "vuln: NOT CHECKED, $(VULNDB) cannot be reached from here"; fi

pictures: ## take the pictures of the guides anew from a small shop, in half a minute
	@.ci/setup chromium
	go test -tags pictures ./server/e2e -run '^TestPictures$$' -count=1
	go generate ./assets # pages say how large pictures are

generate: ## rebuild assets/dist from the sources of widget and console
	go generate ./...

release: ## make a release in dist: programs, packages, checksums, bills of materials
	rm -rf dist
	cd .ci/release && go run . -version '$(VERSION)' -date "$$(git log -1 --format=%ct)"

litestream: ## restore from the real Litestream what it copied of a relay that was killed
	.ci/litestream

clean: ## remove the built program; data stays
	rm -rf relay dist
