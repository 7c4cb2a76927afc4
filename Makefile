# Turno: what you can do here. `make` alone lists it.

CARGO_TARGET_DIR ?= target
LISTEN ?= 127.0.0.1:8000
BENCH ?=
DATA ?= ../shared/data

.DEFAULT_GOAL := help
.PHONY: help run build models image up down logs ps migrate test soak lint format bench pictures tools clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The development profile reaches the first page sooner: only what computes is optimised. For a real
# shop: cargo build --release.
run: build ## build, start with demo data, print the address (LISTEN=127.0.0.1:8000)
	@echo "Turno: http://$(LISTEN)/  (Ctrl-C stops it; its files are in data/)"
	@$(CARGO_TARGET_DIR)/debug/turno serve --demo --quiet --listen $(LISTEN) --data-dir data

build: models ## build the binary (development profile)
	@scripts/tools build
	@from=$$(date +%s); scripts/cargo build --workspace --bin turno && \
		echo "Turno: built in $$(($$(date +%s) - from)) s"

# Without the pack pictures are read by Tesseract, if that is there; a machine without a network can
# still build and run everything else.
models: ## install the models that read pictures, once
	@[ -f "$${TURNO_MODELS:-models}/manifest" ] || scripts/models || \
		echo "Turno: going on without the models that read pictures" >&2

up: ## the whole of DocProc, a process per component: Docker if it answers, else on this machine
	@scripts/tools cluster
	@[ -n "$$TURNO_BIN" ] || [ "$$(scripts/cluster kind)" = docker ] || \
		$(MAKE) --no-print-directory build
	@scripts/cluster up

down: ## drain and stop what `make up` started; its data stays until `make clean`
	@scripts/cluster down

ps: ## name, process, since when and health of each service
	@scripts/cluster ps

logs: ## follow all logs; `make logs-ocr` follows one
	@scripts/cluster logs

logs-%:
	@scripts/cluster logs $*

migrate: ## bring the database of `make up` to this version
	@scripts/cluster migrate

# The seed's name for it.
migrate-docker: migrate

image: build ## build the image's last stage without Docker, and read a scan with it
	@scripts/image

test: ## everything: format, lint, build, tests on both databases, browser, API fuzzing, the image
	@scripts/test

soak: ## an hour of load, ten thousand histories, and what kills and races a hundred times
	@TURNO_SOAK=1 scripts/test soak

lint: ## formatting, clippy without warnings, house rules
	@scripts/tools build
	@cargo fmt --all --check
	@cargo test --quiet -p tidy
	@cargo clippy --workspace --all-targets -- -D warnings

format: ## format all Rust sources
	@cargo fmt --all

bench: models ## benchmarks in the release profile (BENCH="parts", DATA=real documents)
	@scripts/tools build
	@case "$(BENCH)" in *peers*) bench/peers/prepare;; esac
	@cargo build --release --workspace --bin turno --bin bench
	@# The tests' PostgreSQL does not wait for its disk; figures are of one that does.
	@export POSTGRES_AT=$(CARGO_TARGET_DIR)/bench/postgres; \
		export TEST_POSTGRES_URL=$$(scripts/test-postgres start); \
		DATA=$(DATA) $(CARGO_TARGET_DIR)/release/bench $(BENCH); code=$$?; \
		scripts/test-postgres stop; exit $$code

pictures: build ## every page as a picture, wide, narrow, both languages and colours: target/pictures
	@scripts/tools test
	@cd e2e && node pictures.mjs $(PAGES)

tools: ## install what the tests need and this machine lacks
	@scripts/tools test

clean: ## remove everything that was built; data/ and models/ stay
	@if [ -d "$(CARGO_TARGET_DIR)/cluster" ] || \
		[ "$$(scripts/cluster kind 2>/dev/null)" = docker ]; then scripts/cluster clean || true; fi
	@scripts/test-postgres stop
	@scripts/test-rabbitmq stop
	@cargo clean
	@rm -rf e2e/node_modules
