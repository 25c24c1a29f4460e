# murder_envs: `make` alone says what there is to do.
#
# Each target makes a virtual environment in $(VENV) and installs what it needs. It installs again only when
# pyproject.toml or constraints.txt has changed since. On Windows, run make from Git Bash.

VENV   ?= .venv
JOBS   ?= 2

ifeq ($(OS),Windows_NT)
PYTHON ?= python
PY     := $(VENV)/Scripts/python
else
PYTHON ?= python3
PY     := $(VENV)/bin/python
endif

PIP    := $(PY) -m pip --disable-pip-version-check
PYTEST := $(PY) -m pytest -n $(JOBS) --dist worksteal

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help train test test-fast test-debug test-nojit test-openspiel test-clients coverage lint types format hooks \
	bench pictures pages docs warm release clean distclean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  For train: GAME=name STEPS=n SEED=n PLAYERS=n ARGS='...'    e.g. make train STEPS=500000 SEED=1"
	@echo "  For bench: GAME=name ARGS='...'    For warm: GAME=name    For tests: JOBS=n, processes at a time"
	@echo "  For test-clients: CLIENT=library"
	@echo "  For all:   PYTHON=interpreter VENV=folder"

train: $(VENV)/.installed-train  ## train agents by self-play; results go to runs/
	$(PY) -m agents.train $(if $(GAME),--game $(GAME)) $(if $(STEPS),--steps $(STEPS)) $(if $(SEED),--seed $(SEED)) \
		$(if $(PLAYERS),--players $(PLAYERS)) $(ARGS)

# -- Tests ------------------------------------------------------------------------------------------------------------

# One torch thread a process, or the processes would take each other's cores.
test test-fast test-debug test-nojit test-openspiel coverage: export OMP_NUM_THREADS := 1

# Compiling ahead: the test processes then find everything in the cache and do not compile the same kernels twice.
test: test-nojit test-debug  ## all tests
	$(PY) -m murder_envs.warm --jobs $(JOBS)
	$(PYTEST)

test-fast: $(VENV)/.installed-test  ## the rulings, signatures and interface promises, in under two minutes
	$(PYTEST) -m fast

# With bounds checks and the invariants that kernels state as `if DEBUG:`; slower, so without the longest tests.
test-debug: $(VENV)/.installed-test  ## the tests of compiled code, with bounds checks and invariants
	MURDER_ENVS_DEBUG=1 $(PY) -m murder_envs.warm --jobs $(JOBS)
	MURDER_ENVS_DEBUG=1 $(PYTEST) -m "kernels and not slow"

# Kernels as plain Python: shows that compiled and uncompiled code agree, and that a debugger can be used.
test-nojit: $(VENV)/.installed-test  ## a small part of the tests, uncompiled
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m nojit

# Apart from `test`, which needs no OpenSpiel and leaves these tests out where OpenSpiel is not installed.
test-openspiel: $(VENV)/.installed-openspiel  ## the tests of the games as OpenSpiel sees them
	$(PYTEST) tests/test_openspiel.py tests/test_site.py::test_the_programs_of_the_pages_run

# Other people's libraries; each has a virtual environment of its own in .clients/ (some gigabytes in all).
test-clients:  ## what other libraries make of the games; writes docs/clients.md
	$(PYTHON) -m tests.clients $(CLIENT)

# Uncompiled, since a compiled kernel cannot be followed line by line.
coverage: $(VENV)/.installed-test  ## which lines of the rules the uncompiled tests run, file by file
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m nojit --cov --cov-report=term-missing

pictures: $(VENV)/.installed-test  ## draw the pictures of README and docs anew
	$(PY) -m tests.sample_pictures

pages: $(VENV)/.installed-train  ## write the pages of documentation that follow from the code
	$(PY) -m docs.generate

docs: $(VENV)/.installed-docs  ## build the site of documentation into build/site
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict
	@echo "The site is in build/site: open build/site/index.html"

# -- Code -------------------------------------------------------------------------------------------------------------

# The formatter also checks the Python programs in Markdown files.
lint: $(VENV)/.installed-test  ## ruff (rules and format) and mypy
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

types: $(VENV)/.installed-test  ## mypy alone
	$(PY) -m mypy

format: $(VENV)/.installed-test  ## let ruff mend what it can
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

hooks: $(VENV)/.installed-test  ## lint at every commit, by pre-commit
	$(PY) -m pre_commit install

bench: $(VENV)/.installed-bench  ## measure the speed, beside that of other libraries
	$(PY) -m benchmarks.throughput $(if $(GAME),--game $(GAME)) $(ARGS)

warm: $(VENV)/.installed-train  ## compile ahead, into the cache
	$(PY) -m murder_envs.warm $(GAME)

release: $(VENV)/.installed-test  ## build wheel and sdist into dist/, check them, name the tag to set; publishes nothing
	$(PY) .ci/release.py

clean:  ## remove what builds and tools leave behind (keeps runs/ and the virtual environment)
	rm -rf build dist htmlcov .coverage .coverage.* *.egg-info .pytest_cache .mypy_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -name .clients -prune -o -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean  ## the same, and the virtual environment
	rm -rf $(VENV) .clients

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
	$(PIP) install -c constraints.txt -e '.[train,dev,notebooks,pictures,play]'
	@touch $@ $(VENV)/.installed-train

$(VENV)/.installed-openspiel: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[train,dev,notebooks,pictures,play,openspiel]'
	@touch $@ $(VENV)/.installed-test $(VENV)/.installed-train

$(VENV)/.installed-docs: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[docs]'
	@touch $@

# With the libraries that the benchmark compares with.
$(VENV)/.installed-bench: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[train,bench]'
	@touch $@ $(VENV)/.installed-train
