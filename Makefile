# Two commands do all the set-up on a fresh machine with Python 3.11+: make demo, make test.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_WORKERS ?= auto
# joints in many combinations and shapes in many pairs, each of which would compile anew; see tests/conftest.py
INTERPRETED := tests/joints tests/rows tests/run/test_joint_series.py tests/solvers/test_agreement.py \
  tests/space/test_convex_meshes.py tests/test_joint_simulation.py

.PHONY: install dev demo test proof bench browser lint types clean

install: $(VENV)/.installed

dev: $(VENV)/.installed-dev

# what the page of the live view is built from, see hatch_build.py
PAGE_SOURCES := hatch_build.py $(wildcard client/*.json client/*.ts client/*.html client/.npmrc client/src/*.ts client/src/*.css) \
  $(addprefix src/gelenk/view/,from_page.py limits.py messages.py to_page.py typescript.py)

$(VENV)/.installed: pyproject.toml $(filter-out client/src/messages.ts,$(PAGE_SOURCES))
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Gelenk needs Python 3.11 or later; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12 install"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Gelenk with NumPy, SciPy, Numba, HDF5, Matplotlib and Trimesh into $(VENV), and building its page, once"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the checks need into $(VENV), once: pytest, hypothesis, ruff, mypy"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: install
	$(BIN)/gelenk run bobsleigh
	@echo; echo "Drive it yourself:  $(BIN)/gelenk drive bobsleigh  (space starts, arrows or a gamepad steer, c changes the camera)"

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: dev
	$(BIN)/mypy

# Debian's chromium for the tests of the live view, where apt-get may install it; else those tests alone are skipped
CHROMIUM := chromium chromium-browser google-chrome
browser:
	@for name in $(CHROMIUM); do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing chromium for the tests of the live view, once"; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; } >/dev/null 2>&1 || \
	    echo "chromium could not be installed: the tests in a browser are skipped"; \
	else echo "no chromium here, and no right to install it: the tests in a browser are skipped"; fi

test: lint types browser
	$(BIN)/gelenk warmup
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not proof"
	GELENK_COMPILE=0 $(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not proof" $(INTERPRETED)

proof: dev browser
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS)
	GELENK_COMPILE=0 $(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m "not proof" $(INTERPRETED) tests/model

bench: install
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/gelenk bench

clean:
	rm -rf $(VENV) runs build dist client/node_modules client/src/messages.ts src/gelenk/view/page
