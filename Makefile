# Two words for a newcomer: `make demo`, `make test`. Each makes what it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test check docs bench bench-client stress fuzz audit clean

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "hookwright needs Python 3.11 or newer; say: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable '.[dev]'
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
	$(INSTALL) --editable '.[bench]'
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/command.py
	$(BIN)/python bench/resident.py

bench-client: $(READY)
	$(BIN)/python bench/real_client.py

# Every fault at every change, 64 processes, ten minutes of events to the resident server, a journal of a gigabyte:
# prints the table of docs/reliability.md in about an hour. A brief look: make stress STRESS='--sample 1 --seconds 5 --resident-seconds 5'
stress: $(READY)
	@$(BIN)/python -m stress $(STRESS)

# Ten million inputs to every reader of ours: for a night.
fuzz: $(READY)
	$(INSTALL) --editable '.[fuzz]'
	$(BIN)/python -m stress.fuzz $(FUZZ)

# Known holes in what we install; asks a service on the internet.
audit: $(READY)
	$(INSTALL) pip-audit
	$(BIN)/pip-audit --disable-pip --no-deps -r constraints.txt

clean:
	rm -rf $(VENV) .build
