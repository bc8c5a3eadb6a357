# One command per chore; `make help` prints this file's ## lines.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
WHEEL  := build/wheel/.built
export NO_MKDOCS_2_WARNING := 1

help:  ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */\1\t/' | expand -t 14

# Built twice: first to be read from the file system, as the archive that the site then carries.
site: $(VENV)/.site $(WHEEL)  ## Build the published site from committed evidence into site/
	OFFLINE=true $(BIN)/mkdocs build --quiet --clean --site-dir build/offline
	$(BIN)/mkdocs build --quiet --clean --site-dir build/site-next
	rm -rf build/site-before
	if [ -d site ]; then mv site build/site-before; fi
	mv build/site-next site

# What the notebooks install. Built anew, since setuptools would keep modules that are gone.
build/wheel/.built: pyproject.toml $(shell find tools/gpu100 -type f ! -name '*.pyc' 2>/dev/null) | $(VENV)/.site
	rm -rf build/wheel build/lib build/bdist*
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w build/wheel .
	@touch $@

serve: $(VENV)/.site  ## Show the site on this machine; a change shows in a second or two
	$(BIN)/mkdocs serve --dirty --livereload

evidence: $(VENV)/.cuda  ## Capture on this machine's GPU, or compare the model with evidence; DAYS="2 5" for some
	$(BIN)/gpu100 evidence capture $(DAYS)

new-day: $(VENV)/.site  ## Begin a day: make new-day DAY=37 writes its page, program and quiz
	$(BIN)/gpu100 new-day $(or $(DAY),$(error Which day? make new-day DAY=37))

practice: $(VENV)/.cuda  ## Solve a day's exercise, checked at each save: make practice DAY=5; without DAY, list them
	$(BIN)/gpu100 practice $(if $(DAY),$(DAY) --watch)

test: $(VENV)/.dev  ## Run the tests
	$(BIN)/pytest -n auto --maxprocesses 8 --dist loadfile

check: $(VENV)/.dev site  ## Lint, types, evidence, and everything that a page, program or quiz may lack
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/gpu100 evidence check
	$(BIN)/gpu100 check

bench: $(VENV)/.dev  ## Hold what building, capturing and the model cost to their limits; takes minutes
	PYTHONPATH=tests $(BIN)/python -m bench

requirements: $(VENV)/.dev  ## Pin the requirements files again from pyproject.toml
	$(BIN)/pip install --quiet uv
	for extra in site cuda dev; do \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	    --extra $$extra -o requirements/$$extra.txt pyproject.toml requirements/build.in; \
	done

clean:  ## Remove what was built; evidence and the environment stay
	rm -rf build site .cache

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Installed when its pins change. The package itself is linked, so editing it needs no install.
$(VENV)/.%: requirements/%.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.PHONY: help site serve evidence new-day practice test check bench requirements clean
.SECONDARY: $(VENV)/.site $(VENV)/.cuda $(VENV)/.dev
.DEFAULT_GOAL := help
