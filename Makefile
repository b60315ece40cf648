# make venv         the environment .venv, with everything in it
# make test         every gate below, one after another
# make train        train both games, some five minutes on two cores
# make bench        measure the speed of the engine
# make clean        remove the environments, the caches and the builds
#
# The gates: lint types imports unit recache boundscheck coverage test-rllib

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

BIN := .venv/bin
STAMP := .venv/.stamp
RLLIB_BIN := .venv-rllib/bin
RLLIB_STAMP := .venv-rllib/.stamp
TEST_PROCESSES ?= 2

# The interpreter for the environment: python3.11 if it runs, else python3 if it is new enough.
PYTHON ?= $(shell for name in python3.11 python3; do \
	if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
	then echo "$$name"; break; fi; done)

# Spinning threads of torch and OpenMP slow each other down on few cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.PHONY: help
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

# --- the environment -------------------------------------------------------------------------

# Says what is missing where no environment can be made.
define check_python
@if [ -z "$(PYTHON)" ]; then \
	echo "Python 3.11 or newer is needed, for example: apt install python3.11 python3.11-venv" >&2; \
	exit 1; \
fi
@if ! "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
	echo "$(PYTHON) is not a Python 3.11 or newer" >&2; exit 1; \
fi
@if ! "$(PYTHON)" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	version=$$("$(PYTHON)" -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")'); \
	echo "$(PYTHON) lacks the module venv, for example: apt install python$$version-venv" >&2; \
	exit 1; \
fi
endef

.PHONY: venv
venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(check_python)
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt \
		--editable '.[cli,onnx,openspiel,policy,sb3,tianshou,torchrl,train,dev]'
	$(BIN)/python -m pip check
	@touch $@

# Ray pins an older gymnasium than the rest is tested with.
$(RLLIB_STAMP): pyproject.toml constraints-rllib.txt
	$(check_python)
	@$(RLLIB_BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear .venv-rllib
	$(RLLIB_BIN)/python -m pip install --quiet --constraint constraints-rllib.txt torch
	$(RLLIB_BIN)/python -m pip install --quiet --constraint constraints-rllib.txt \
		--editable '.[cli,rllib,train]' pytest
	$(RLLIB_BIN)/python -m pip check
	@touch $@

# --- the gates -------------------------------------------------------------------------------

# Numba's cache does not see an edit in another file, so each run of the tests starts from a
# fresh cache. `make test` sets CACHES: the second run uses the cache that the first one filled.
# The slow reference plays TERZ_PARITY_DEALS deals a game in a run.
FRESH_CACHES = caches="$(CACHES)"; if [ -z "$$caches" ]; then \
	caches=$$(mktemp -d); trap 'rm -rf "$$caches"' EXIT; fi
PYTEST = $(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist worksteal
SLOWEST = --durations=25 --durations-min=5

.PHONY: test
test: $(STAMP)
	@caches=$$(mktemp -d); trap 'rm -rf "$$caches"' EXIT; \
	$(MAKE) --no-print-directory CACHES="$$caches" \
		lint types imports unit recache boundscheck coverage test-rllib

.PHONY: lint
lint: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

.PHONY: types
types: $(STAMP)
	$(BIN)/mypy

.PHONY: imports
imports: $(STAMP)
	$(BIN)/lint-imports

# Everything, compiled. The test of `terz compile` comes first and leaves its cache to the others:
# else each of them compiles, in every process, what it is the first to use.
AHEAD = tests/test_compiling.py::test_after_terz_compile_nothing_is_left_to_compile
.PHONY: unit
unit: $(STAMP)
	@echo "tests, compiled"
	@$(FRESH_CACHES); export NUMBA_CACHE_DIR="$$caches/plain" TERZ_PARITY_DEALS=20000; \
	TERZ_CACHE_TO_FILL="$$caches/plain" $(BIN)/python -m pytest $(AHEAD); \
	$(PYTEST) $(SLOWEST) --deselect $(AHEAD)

# What works with networks, matches and other libraries, above the kernels, and what starts programs
# that compile in a way of their own: it runs once, compiled.
ABOVE_KERNELS = $(foreach part,adapters evaluation training test_compiling.py \
	test_installation.py,--ignore tests/$(part))

# Once more on the cache of the run before (by itself: twice on one cache).
.PHONY: recache
recache: $(STAMP)
	@echo "tests, compiled, on a cache that is already filled"
	@$(FRESH_CACHES); export NUMBA_CACHE_DIR="$$caches/plain" TERZ_PARITY_DEALS=100; \
	for run in $(if $(CACHES),second,first second); do \
		$(PYTEST) -m 'not slow' $(ABOVE_KERNELS); done

# Compiled with a check of every index.
.PHONY: boundscheck
boundscheck: $(STAMP)
	@echo "tests, compiled with bounds checks"
	@$(FRESH_CACHES); \
	export NUMBA_CACHE_DIR="$$caches/boundscheck" NUMBA_BOUNDSCHECK=1 TERZ_PARITY_DEALS=500; \
	printf '%s\n' terz tetka | xargs -P 2 -n 1 $(BIN)/terz compile --game; \
	$(PYTEST) -m 'not slow' $(ABOVE_KERNELS)

# Not compiled: the same rules as plain Python, every branch of them. What has no rules of the games
# is left out.
.PHONY: coverage
coverage: $(STAMP)
	@echo "tests, not compiled, with coverage"
	@export NUMBA_DISABLE_JIT=1 TERZ_PARITY_DEALS=100; \
	$(PYTEST) -m 'not slow' $(ABOVE_KERNELS) --ignore tests/search \
		--cov --cov-report=term

# What works with RLlib, in its own environment: the same Numba, so the same compiled kernels.
.PHONY: test-rllib
test-rllib: $(RLLIB_STAMP)
	@echo "tests with RLlib, compiled"
	@$(FRESH_CACHES); export NUMBA_CACHE_DIR="$$caches/plain"; \
	$(RLLIB_BIN)/python -m pytest tests/rllib

# --- the jobs --------------------------------------------------------------------------------

.PHONY: train
train: $(STAMP)
	$(BIN)/python -m training train-both configs/terz/small.yaml configs/tetka/small.yaml

.PHONY: bench
bench: $(STAMP)
	$(BIN)/terz bench

.PHONY: clean
clean:
	rm -rf .venv .venv-rllib build dist
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	rm -rf .coverage .coverage.* htmlcov
	find terz_env training tests -name __pycache__ -type d -prune -exec rm -rf {} +
