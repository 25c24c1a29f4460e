# murder_envs: `make` alone says what there is to do.
#
# `train` and `test` make a virtual environment in $(VENV) and install what they need. They install again only when
# pyproject.toml or constraints.txt has changed since.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 2

PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check
PYTEST := $(PY) -m pytest -n $(JOBS) --dist worksteal

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help train test test-debug test-nojit test-openspiel bench lint warm clean distclean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  For train: GAME=name STEPS=n SEED=n PLAYERS=n ARGS='...'    e.g. make train STEPS=500000 SEED=1"
	@echo "  For bench: GAME=name ARGS='...'    For warm: GAME=name    For test: JOBS=n, processes at a time"
	@echo "  For all:   PYTHON=interpreter VENV=folder"

train: $(VENV)/.installed-train  ## train agents by self-play; results go to runs/
	$(PY) -m agents.train $(if $(GAME),--game $(GAME)) $(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(PLAYERS),--players $(PLAYERS)) $(ARGS)

# Compiling ahead: the test processes then find everything in the cache and do not compile the same kernels twice.
# One torch thread a process, or the processes would take each other's cores.
test test-debug test-nojit: export OMP_NUM_THREADS := 1
test: test-nojit test-debug  ## all tests
	$(PY) -m murder_envs.warm
	$(PYTEST)

# With bounds checks and the invariants that kernels state as `if DEBUG:`; slower, so without the longest tests.
test-debug: $(VENV)/.installed-test  ## the tests that are not slow, with bounds checks and invariants
	MURDER_ENVS_DEBUG=1 $(PY) -m murder_envs.warm
	MURDER_ENVS_DEBUG=1 $(PYTEST) -m "not slow"

# Kernels as plain Python: shows that compiled and uncompiled code agree, and that a debugger can be used.
test-nojit: $(VENV)/.installed-test  ## a small part of the tests, uncompiled
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m nojit

# Apart from `test`, which needs no OpenSpiel and leaves these tests out where there is none.
test-openspiel: $(VENV)/.installed-openspiel  ## the tests of the games as OpenSpiel knows them
	$(PYTEST) tests/test_openspiel.py

bench: $(VENV)/.installed-bench  ## measure the speed, beside that of other libraries
	$(PY) -m benchmarks.throughput $(if $(GAME),--game $(GAME)) $(ARGS)

lint: $(VENV)/.installed-test  ## ruff and mypy
	$(PY) -m ruff check .
	$(PY) -m mypy

warm: $(VENV)/.installed-train  ## compile ahead, into the cache
	$(PY) -m murder_envs.warm $(GAME)

clean:  ## remove what builds and tools leave behind (keeps runs/ and the virtual environment)
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## the same, and the virtual environment
	rm -rf $(VENV)

# -- The virtual environment ------------------------------------------------------------------------------------------

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { echo "There is no '$(PYTHON)' here. Python 3.11 to 3.14 is needed:" \
		"install it (Debian: apt install python3 python3-venv), or say which one with PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' || { \
		echo "'$(PYTHON)' is $$($(PYTHON) --version 2>&1), and Python 3.11 to 3.14 is needed:" \
		"say which interpreter to use, as in: make PYTHON=python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "'$(PYTHON)' cannot make virtual environments:" \
		"its venv or ensurepip module is missing (Debian: apt install python3-venv)." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed-train: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[train]'
	@touch $@

# The tests' set contains the training's.
$(VENV)/.installed-test: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[train,dev,notebooks]'
	@touch $@ $(VENV)/.installed-train

$(VENV)/.installed-openspiel: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[train,dev,notebooks,openspiel]'
	@touch $@ $(VENV)/.installed-test $(VENV)/.installed-train

# play and openspiel: the libraries that the benchmark compares with.
$(VENV)/.installed-bench: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[train,play,openspiel]'
	@touch $@ $(VENV)/.installed-train
