# Everything starts from a bare python3 >= 3.10: `make demo` and `make test` install what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CXX_SOURCES := $(shell git ls-files 'harness/*.cpp' 'harness/*.h' 'samples/*.cpp' 'samples/*.h')
DEMO_OUT ?= out/demo

.PHONY: help setup dev demo test kills lint format bench e2e cases operators buffers fixes parse memory fuzz sweep tilings landscapes rules measurements examples goldens snapshots client clean

help: ## what there is
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup:
	@$(PYTHON) tools/bootstrap.py --venv $(VENV)

dev:
	@$(PYTHON) tools/bootstrap.py --venv $(VENV) --dev

demo: setup ## check, run and tune a sample on the model device
	@tools/demo.sh samples/scaled_add $(DEMO_OUT)

test: dev ## all tests but the browser
	@$(BIN)/ascendopt device doctor
	@$(BIN)/pytest -q tests

kills: dev ## fifty runs of the tiling search killed at random moments, and resumed
	@KILLS=50 $(BIN)/pytest -q tests/harness/test_kill_resume.py

lint: dev ## format, lint, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports
	@$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	@tests/e2e/with-node.sh npm --prefix vscode-client run check

format: dev ## rewrite sources in the house style
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .
	@$(BIN)/clang-format -i $(CXX_SOURCES)

bench: dev ## speed, as ratios, CPU time and counts
	@$(BIN)/python tests/bench/run.py

cases: dev ## faulty inputs found at their line: CASES=folder
	@if [ -n "$(CASES)" ]; then $(BIN)/python tests/sweeps/cases.py $(CASES); else echo "skipped: say where, CASES=folder"; fi

operators: dev ## operators of cann-ops on the model device: CANN_OPS=checkout
	@if [ -n "$(CANN_OPS)" ]; then $(BIN)/python tests/sweeps/operators.py $(CANN_OPS); else echo "skipped: say where, CANN_OPS=checkout"; fi

buffers: dev ## InitBuffer lengths of cann-ops that the analysis resolves: CANN_OPS=checkout
	@if [ -n "$(CANN_OPS)" ]; then $(BIN)/python tests/sweeps/buffers.py $(CANN_OPS); else echo "skipped: say where, CANN_OPS=checkout"; fi

parse: dev ## AscendC sources with a syntax error, and why: CHECKOUTS="checkout .."
	@if [ -n "$(CHECKOUTS)" ]; then $(BIN)/python tests/sweeps/parse.py $(CHECKOUTS); else echo "skipped: say where, CHECKOUTS=\"checkout ..\""; fi

fixes: dev ## every fix offered in cann-ops tried alone: CANN_OPS=checkout [FIXES=options]
	@if [ -n "$(CANN_OPS)" ]; then $(BIN)/python tests/sweeps/fixes.py $(CANN_OPS) $(FIXES); else echo "skipped: say where, CANN_OPS=checkout"; fi

memory: dev ## the language server's memory with cann-ops as its workspace: CANN_OPS=checkout
	@if [ -n "$(CANN_OPS)" ]; then $(BIN)/python tests/sweeps/memory.py $(CANN_OPS) $(MEMORY); else echo "skipped: say where, CANN_OPS=checkout"; fi

fuzz: dev ## 10,000 random edits, each compared with a fresh analysis: FUZZ="count seed"
	@$(BIN)/python tests/fuzz/run.py $(FUZZ)

sweep: dev ## every operator of cann-ops on the model device: CANN_OPS=checkout
	@mkdir -p out
	@if [ -n "$(CANN_OPS)" ]; then $(BIN)/python tests/sweeps/corpus.py $(CANN_OPS) --json out/sweep.json $(SWEEP); else echo "skipped: say where, CANN_OPS=checkout"; fi

tilings: dev ## the tiling search against random search, TPE and a grid: CANN_OPS=checkout
	@if [ -n "$(CANN_OPS)" ]; then $(BIN)/python tests/sweeps/tilings.py $(CANN_OPS) $(TILINGS); else echo "skipped: say where, CANN_OPS=checkout"; fi

goldens: dev ## operators of cann-ops judged by the goldens of other checkouts: CANN_OPS=checkout GOLDENS="checkout .."
	@mkdir -p out
	@if [ -n "$(CANN_OPS)" ] && [ -n "$(GOLDENS)" ]; then $(BIN)/python tests/sweeps/goldens.py $(CANN_OPS) $(GOLDENS) --json out/goldens.json; else echo "skipped: say where, CANN_OPS=checkout GOLDENS=\"checkout ..\""; fi

examples: dev ## the kernel-launch examples of asc-devkit, by their own checks: ASC_DEVKIT=checkout
	@mkdir -p out
	@if [ -n "$(ASC_DEVKIT)" ]; then $(BIN)/python tests/sweeps/examples.py $(ASC_DEVKIT) --json out/examples.json $(EXAMPLES); else echo "skipped: say where, ASC_DEVKIT=checkout"; fi

measurements: dev ## published kernel times against the model device
	@$(BIN)/python tests/sweeps/measurements.py $(MEASUREMENTS)

rules: dev ## docs/rules from the docstrings
	@$(BIN)/python tools/rule_pages.py docs/rules

snapshots: dev ## the facts of the samples that a test compares with
	@for sample in foreach_lerp mish rms_scale scaled_add vector_scale/vector_scale.asc; do \
		$(BIN)/ascendopt facts samples/$$sample --static --json > tests/cli/facts/$$(basename $$sample .asc).json; done

landscapes: dev ## the samples' tilings enumerated, which a test of the search runs against
	@$(BIN)/python tests/harness/search/enumerate_samples.py

client: ## the VS Code extension as a .vsix
	@tests/e2e/with-node.sh npm --prefix vscode-client run package

e2e: dev ## VS Code in a real browser
	@tests/e2e/run.sh

clean:
	rm -rf $(VENV) .e2e .node out build vscode-client/node_modules vscode-client/dist
