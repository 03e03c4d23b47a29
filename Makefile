# Two words for a newcomer: `make demo`, `make test`. Each makes what it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check docs bench bench-client stress fuzz clean

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hookwright needs Python 3.11 or newer; say: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)
	@$(BIN)/python scripts/demo.py

test: $(READY) check
	$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(READY)
	$(BIN)/hookwright schema --markdown > docs/config.md
	$(BIN)/python -c "from hookwright.setup.diagnosis import markdown; print(markdown(), end=str())" > docs/troubleshooting.md

bench: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/command.py
	$(BIN)/python bench/resident.py

bench-client: $(READY)
	$(BIN)/python bench/real_client.py

# Every fault at every change, many processes at once, a journal of a gigabyte: about twenty minutes.
stress: $(READY)
	$(BIN)/python -m stress.faults
	$(BIN)/python -m stress.load
	$(BIN)/python -m stress.big_journal

# Ten million inputs to every reader of ours: for a night.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m stress.fuzz

clean:
	rm -rf $(VENV) .build
