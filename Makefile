# Needs Python >= 3.11 with venv, make and a C++20 compiler; everything else is installed, pinned,
# into $(VENV). PYTHON, VENV and CXX may be given: make demo PYTHON=python3.12
PYTHON ?= python3
VENV ?= .venv
export PYTHON VENV
BIN := $(VENV)/bin
# Tests run commands in folders of their own; what they reach is gathered here.
export COVERAGE_FILE := $(CURDIR)/.coverage

# Folders count too: a file that was taken away must not stay installed.
SOURCES := $(shell find solstat -name __pycache__ -prune -o -print) README.md LICENSE
PINS := pyproject.toml constraints.txt
STUB := $(VENV)/_kernel.pyi
PYTEST_FLAGS ?=
RUNS ?= runs
# What a soak takes: small decks of each game, winning lines of the family spider,
DECKS ?= 1000000
LINES ?= 10000
# processes killed at random during a survey of so many deals, and damaged inputs of each kind.
KILLS ?= 1000
CHAOS_DEALS ?= 500000
EXAMPLES ?= 20000
# The surveys that the notebooks read, smallest first: configs/NAME.toml into results/NAME.
RESULTS := wisp-100 wisp-100-plain wasp-100 wasp-563 wasp-563-plain wisp-606 scorpion-1000 scorpion-20000 \
           wasp-20000 spiderette-1000 wisp-2000 flow-20000
# Those with too many rows to keep: configs/NAME.toml into $(RUNS)/NAME, summed up in results/NAME.json.
SUMMARIES := wave-motion wave-grid flow
# The games that the players play.
PLAYED := wasp scorpion will-o-the-wisp 'will-o-the-wisp(finished_runs=optional)' \
          'will-o-the-wisp(finished_runs=return)' spiderette wave-motion flow

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test soak sanitize bench bench-compare tune results summaries difficulty notebooks check format \
        stubs golden docs constraints clean

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.solstat ## a survey of 100 Wasp deals at 250,000 positions
	@$(BIN)/solstat run configs/wasp-100-demo.toml --out $(RUNS)/wasp-100-demo

test: $(VENV)/.solstat $(VENV)/.test $(VENV)/.browser ## all tests, against the installed package (COVERAGE=yes: and what they reach)
ifdef COVERAGE
	@# The tracer would treble the time of the long comparison with the exhaustive search.
	$(BIN)/pytest $(PYTEST_FLAGS) -n auto --dist loadfile --ignore=tests/test_twin.py --cov
else
	$(BIN)/pytest $(PYTEST_FLAGS) -n auto --dist loadfile --ignore=tests/test_twin.py
endif
	$(BIN)/pytest $(PYTEST_FLAGS) -n auto tests/test_twin.py

soak: $(VENV)/.solstat $(VENV)/.test ## a million small decks a game against exhaustive search: two processes, some hours
	@$(BIN)/python -c 'from solstat.games import presets; print(*(game.name for game in presets()))' | \
	    xargs -n 1 | SOLSTAT_TWIN_DECKS=$(DECKS) xargs -P 2 -I GAME \
	    $(BIN)/pytest $(PYTEST_FLAGS) tests/test_twin.py -k 'GAME and exhaustive'
	SOLSTAT_SPIDER_LINES=$(LINES) $(BIN)/pytest $(PYTEST_FLAGS) tests/test_spider.py -k winning_line
	SOLSTAT_CHAOS_KILLS=$(KILLS) SOLSTAT_CHAOS_DEALS=$(CHAOS_DEALS) \
	    $(BIN)/pytest $(PYTEST_FLAGS) tests/survey/test_chaos.py
	SOLSTAT_FUZZ_EXAMPLES=$(EXAMPLES) $(BIN)/pytest $(PYTEST_FLAGS) tests/survey/test_fuzz.py

sanitize: $(VENV)/.created ## the kernel's own tests, and a fuzz target, under sanitizers
	@echo test_kernel test_spider test_spider_dead test_wave test_wave_sets test_wave_referee fuzz_kernel | \
	    xargs -n 1 | xargs -P 2 -I NAME sh -c '$(CXX) -std=c++20 -O1 -g -Wall -Wextra -Werror \
	    -fsanitize=address,undefined -DSTANDALONE -fno-sanitize-recover=all \
	    solstat/kernel/tests/NAME.cpp -o $(VENV)/NAME && $(VENV)/NAME'

bench: $(VENV)/.solstat ## speed, strength and memory of fixed deals; writes bench.json
	$(BIN)/python tools/bench.py bench.json

bench-compare: $(VENV)/.solstat ## two of its files side by side: make bench-compare A=old.json B=new.json
	$(BIN)/python tools/bench.py --compare $(A) $(B)

tune: $(VENV)/.solstat $(VENV)/.tune ## weights of the score of family spider: make tune ARGS="1000000:1000700"
	$(BIN)/python tools/tune.py $(ARGS) solstat/kernel/spider_weights.hpp

results: $(VENV)/.solstat ## do the surveys that the notebooks read, or what is missing of them
	@for name in $(RESULTS); do \
	    $(BIN)/solstat run configs/$$name.toml --out results/$$name || exit 1; \
	done
	@for game in $(PLAYED); do \
	    $(BIN)/solstat play-model -g "$$game" --deals 0:10k -o results/players || exit 1; \
	done

summaries: $(VENV)/.solstat ## do the surveys of which the notebooks read summaries: millions of deals
	@for name in $(SUMMARIES); do \
	    $(BIN)/solstat run configs/$$name.toml --out $(RUNS)/$$name && \
	    $(BIN)/solstat export $(RUNS)/$$name --format summary -o results/$$name.json || exit 1; \
	done

difficulty: $(VENV)/.solstat ## what players make of winnable boards, for the notebook on difficulty: half an hour
	$(BIN)/python tools/difficulty.py players results/difficulty.parquet

notebooks: $(VENV)/.solstat $(VENV)/.test ## run the notebooks and keep their outputs
	$(BIN)/python tools/notebooks.py notebooks/*.ipynb

check: $(VENV)/.check $(STUB) ## lint, format, types, layers, the kernel's stub
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	diff solstat/_kernel.pyi $(STUB)  # if they differ: make stubs

format: $(VENV)/.check ## put the Python sources in shape
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

stubs: $(STUB) ## write the kernel's stub anew
	cp $(STUB) solstat/_kernel.pyi

golden: $(VENV)/.solstat ## write the golden verdicts anew, under a new search version
	$(BIN)/python tools/golden.py tests/data/golden.csv

docs: $(VENV)/.solstat ## write the outputs shown in README and docs anew
	$(BIN)/python tools/consoles.py --write README.md docs/cli.md

constraints: $(VENV)/.created ## pin the newest releases anew
	$(BIN)/pip install -q uv
	$(BIN)/python tools/requirements.py | $(BIN)/uv pip compile - --quiet --upgrade --universal \
	    --python-version 3.11 --no-annotate --no-emit-index-url \
	    --custom-compile-command 'make constraints' -o constraints.txt

clean: ## remove the environment and what was built
	rm -rf $(VENV) build

# ---- the environment, step by step; each step leaves a stamp ----

$(VENV)/.created:
	@tools/setup.sh venv
	@touch $@

$(VENV)/.run: $(VENV)/.created $(PINS)
	@tools/setup.sh requirements build run
	@touch $@

$(VENV)/.test $(VENV)/.check: $(VENV)/.%: $(VENV)/.run $(PINS)
	@tools/setup.sh requirements report notebooks dask $*
	@touch $@

$(VENV)/.tune: $(VENV)/.run $(PINS)
	@tools/setup.sh requirements tune
	@touch $@

$(VENV)/.test: $(VENV)/.tune  # a test tunes a little

$(VENV)/.browser: $(VENV)/.created
	@tools/setup.sh browser
	@touch $@

$(VENV)/.solstat: $(VENV)/.run $(PINS) $(SOURCES)
	@tools/setup.sh install
	@touch $@

# stubgen imports from the folder it runs in first, and here is no kernel.
$(STUB): $(VENV)/.solstat
	@cd $(BIN) && ./python -m nanobind.stubgen -q -m solstat._kernel -o ../_kernel.pyi
