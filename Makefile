# Two commands, each from nothing on a machine with Python 3.11+ and make:
#   make demo   train a small language model on the standard library's sources, in minutes
#   make test   everything CI runs
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# A python that already has torch (a GPU image, say) keeps it: the venv sees it and installs no other.
HAS_TORCH := $(shell $(PYTHON) -c 'import torch' 2>/dev/null && echo yes)

.PHONY: demo test lint static pytest compiled clean
.DEFAULT_GOAL := test

$(VENV)/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(if $(HAS_TORCH),--system-site-packages) $(VENV)
	$(if $(HAS_TORCH),$(BIN)/python -m pip install -q -e '.[dev]',$(BIN)/python -m pip install -q -c constraints.txt torch && $(BIN)/python -m pip install -q -c constraints.txt -e '.[dev]')
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/typedtorch train

test: lint static pytest

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

static: $(VENV)/.installed
	$(BIN)/mypy typedtorch tests examples

pytest: $(VENV)/.installed
	$(BIN)/python -m pytest -n auto --dist worksteal --typedtorch-check=typedtorch

# The checker's engine compiled by mypyc, in a copy of what is committed, and the checker's tests on that.
COPY := $(CURDIR)/build/compiled
compiled: $(VENV)/.installed
	rm -rf $(COPY)
	git archive --prefix=build/compiled/ HEAD | tar -x
	cd $(COPY) && TYPEDTORCH_COMPILE=1 $(abspath $(BIN))/python setup.py -q build_ext --inplace
	cd $(COPY) && PYTHONPATH=$(COPY) $(abspath $(BIN))/python -m pytest -n auto $(addprefix tests/,$(CHECKER))
CHECKER := static shapes check mypy_plugin accounting

clean:
	rm -rf $(VENV) .mypy_cache .typedtorch_cache .pytest_cache .ruff_cache build *.egg-info
