# Turno: what you can do here. `make` alone lists it.

CARGO_TARGET_DIR ?= target
LISTEN ?= 127.0.0.1:8000
BENCH ?=

.DEFAULT_GOAL := help
.PHONY: help run build test lint format bench tools clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The development profile reaches the first page sooner: its dependencies are optimised, thin LTO is
# not worth the wait here. For a real shop: cargo build --release.
run: build ## build, start with a demo shop, print the address (LISTEN=127.0.0.1:8000)
	@echo "Turno: http://$(LISTEN)/  (Ctrl-C stops it; its files are in data/)"
	@$(CARGO_TARGET_DIR)/debug/turno serve --demo --listen $(LISTEN) --data-dir data

build: ## build the binary (development profile)
	@scripts/tools build
	@cargo build --workspace --bin turno

test: ## everything: format, lint, build, tests on SQLite and PostgreSQL, browser, API fuzzing
	@scripts/test

lint: ## formatting, clippy without warnings, house rules
	@scripts/tools build
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets -- -D warnings
	@cargo test --workspace --quiet --test tidy

format: ## format all Rust sources
	@cargo fmt --all

bench: ## benchmarks in the release profile (BENCH="arguments")
	@scripts/tools build
	@cargo build --release --workspace --bin turno --bin bench
	@$(CARGO_TARGET_DIR)/release/bench $(BENCH)

tools: ## install what the tests need and this machine lacks
	@scripts/tools test

clean: ## remove everything that was built; data/ stays
	@scripts/test-postgres stop
	@cargo clean
	@rm -rf e2e/node_modules
