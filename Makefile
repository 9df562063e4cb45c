# Everything runs in a virtual environment of its own; nothing is installed twice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
FRESH := $(abspath build)
UNPACKED := $(FRESH)/unpacked
DEMO := sample_data/breast_cancer.parquet --metric accuracy

.DEFAULT_GOAL := help
.PHONY: help demo test sweep browser slow fuzz lowest coverage lint docs check-docs site check bench \
validate mutants sample-data dist clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/installed-report ## Install, correct the winner's performance on sample data, make a page of it
	@echo "177 models were cross-validated on 100 tumours. How good is the best of them?"
	@echo
	$(BIN)/bbc correct $(DEMO)
	@echo
	@echo "The same as a page with figures:"
	$(BIN)/bbc correct $(DEMO) --output report.html

test: $(VENV)/installed-test ## Run the tests (minutes); ROOM=reading: every case of a room
	@$(BIN)/python -m compileall -q bbccli # what is compiled once, no process need compile again
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist worksteal \
	  $(if $(ROOM),tests/$(ROOM) -m "not slow and not browser")

sweep: $(VENV)/installed-test ## Run the cases that the tests leave out: whole products (minutes)
	$(BIN)/python -m pytest -q -n auto --dist worksteal \
	  -m "(sweep or hypothesis) and not slow and not browser" --hypothesis-profile sweep

browser: $(VENV)/installed-test .cache/axe.min.js ## Look at pages in Chromium (minutes)
	@{ command -v chromium && command -v chromedriver; } > /dev/null || \
	{ echo "chromium is not installed: apt-get install chromium chromium-driver poppler-utils"; exit 1; }
	$(BIN)/python -m pytest -q -m browser tests/browser

slow: $(VENV)/installed-test ## Run every fault and kill too, with more examples (minutes)
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "slow or not slow" --hypothesis-profile thorough

fuzz: $(VENV)/installed-test ## Run random commands on mutated files (5 minutes; ARGS='--seconds 60 --trees')
	$(BIN)/python -m tests.fuzz $(ARGS)

mutants: $(VENV)/installed-mutants ## Plant mutations, see the tests fail (half an hour on two cores; ARGS='--room metrics')
	$(BIN)/python -m tests.mutants $(ARGS)

lowest: ## Run the tests with the oldest versions of everything that pyproject.toml allows
	$(PYTHON) -m venv $(LOWEST)
	@$(PYTHON) -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
	extras = project['optional-dependencies']; \
	needed = sum((extras[name] for name in ('fast', 'dask', 'report', 'test')), project['dependencies']); \
	print(*(one.replace('>=', '==') for one in needed if '>=' in one), sep='\n')" > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOWEST)/constraints.txt -e '.[test]'
	$(LOWEST)/bin/python -m pytest -q -n auto --dist worksteal \
	  -m "not slow and not browser" --hypothesis-profile sweep

coverage: $(VENV)/installed-coverage ## Run the tests, and show which lines and branches they reach
	$(BIN)/python -m pytest -q -n auto --dist worksteal --cov -m "not slow and not browser"

lint: $(VENV)/installed-lint ## Check style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/budget.py

docs: $(VENV)/installed ## Update the output shown in README and docs
	$(BIN)/python docs/refresh.py

check-docs: $(VENV)/installed ## Check that the output shown in README and docs is current
	$(BIN)/python docs/refresh.py --check

site: $(VENV)/installed-site ## Build the documentation site in build/site, and check its links (a minute)
	$(BIN)/python docs/site/build.py build/site

check: lint test check-docs ## Lint, test, check the docs

bench: $(VENV)/installed-test ## Measure speed and memory (under 15 minutes)
	$(BIN)/python -m benchmarks

validate: $(VENV)/installed-bank ## Measure bias and inclusion (10 minutes; hours with ARGS=--full)
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.bank $(ARGS)

sample-data: $(VENV)/installed-dev ## Rebuild sample_data/ from bundled data sets (minutes)
	$(BIN)/python sample_data/make.py

dist: $(VENV)/created ## Build sdist and wheel; install each afresh, run the demo, and the tests of the sdist
	rm -rf dist build/from-* $(UNPACKED) && mkdir -p $(UNPACKED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build
	tar -xzf dist/*.tar.gz -C $(UNPACKED) --strip-components 1
	$(MAKE) --no-print-directory from-whl from-gz
	$(FRESH)/from-gz/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.gz)[test]"
	cd $(UNPACKED) && $(FRESH)/from-gz/bin/python -m pytest -q -n auto --dist worksteal

# An environment with nothing but the wheel, or the sdist: it holds what the source does, and works.
from-%:
	$(PYTHON) -m venv $(FRESH)/$@
	$(FRESH)/$@/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.$*)[report]"
	cd $(UNPACKED) && diff -r -x __pycache__ bbccli $(FRESH)/$@/lib/python3*/site-packages/bbccli
	cd $(UNPACKED) && $(FRESH)/$@/bin/bbc correct $(DEMO) --output $(FRESH)/$@/report.html
	cd $(UNPACKED) && $(FRESH)/$@/bin/bbc correct $(DEMO)

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) $(LOWEST) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* *.egg-info

# Looks for barriers in pages; of the tests alone, no part of the package.
AXE := axe-core@4.14.1
.cache/axe.min.js:
	@mkdir -p .cache
	cd .cache && npm pack --silent $(AXE) && tar -xzf axe-core-*.tgz package/axe.min.js
	mv .cache/package/axe.min.js $@

# The package is installed in place, so a change of the source needs no new installation; a change
# of pyproject.toml does.
$(VENV)/created:
	@echo "Making an environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/created pyproject.toml
	@echo "Installing bbc into $(VENV) (a minute or two, with a network) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-%: $(VENV)/installed
	@echo "Installing what '$*' needs ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$*]'
	@touch $@
