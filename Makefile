PY ?= .venv/bin/python

.PHONY: check lint types contracts test docs setup

check: lint types contracts test   ## everything that must hold, doc tests included

setup:   ## a virtual environment with all tools
	python3 -m venv .venv
	.venv/bin/pip install -q -e '.[dev]'

lint:
	$(PY) -m ruff check .

types:
	$(PY) -m mypy -p cenotaph
	MYPYPATH=src:tests:tests/core:tests/surfaces:tests/dialects:tests/store:tests/providers:tests/sdk \
		$(PY) -m mypy --strict --exclude conftest tests

contracts:
	$(PY) -c "from importlinter.cli import lint_imports_command; lint_imports_command()"

test:
	$(PY) -m pytest -n auto

docs:   ## rewrites the generated pages
	$(PY) docs/generate.py
