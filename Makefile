# `make demo` and `make test` do all set-up by themselves, in .venv.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock
KERNELS := $(wildcard src/driftlearn/kernels/*.py src/driftlearn/kernels/*.pxd)
export DRIFTLEARN_DATA ?=

.PHONY: demo test test-uncompiled bench lint docs build clean

demo: .venv/ready
	$(BIN)/driftlearn demo --out demo

test: .venv/ready
	$(BIN)/python -m pytest -n 2 --dist worksteal -q

test-uncompiled: .venv/ready
	DRIFTLEARN_PURE=1 $(BIN)/python -m pytest -n 2 --dist worksteal -q

bench: .venv/ready
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/ready
	DRIFTLEARN_PURE=1 $(PIP) --no-build-isolation -e ".[docs]"
	$(BIN)/sphinx-build -q -W docs docs/_build

build: .venv/ready
	$(BIN)/pip wheel -q --no-deps -w dist .

.venv/ready: .venv/installed $(KERNELS)
	$(BIN)/python setup.py -q build_ext --inplace
	@touch $@

.venv/installed: pyproject.toml setup.py requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) setuptools wheel Cython
	DRIFTLEARN_PURE=1 $(PIP) --no-build-isolation -e ".[all,test]"
	@touch $@

clean:
	rm -rf .venv build dist src/*.egg-info src/driftlearn/kernels/*.so src/driftlearn/kernels/*.c
