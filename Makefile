# make demo   plays hands on the simulated table and shows them on the display
# make test   everything that has to hold before a change lands
# make setup  installs what the program needs (demo and test do it themselves)
# make display  builds the display page

ARGS ?=
PYTHON = .venv/bin/python

# The tests start some hundred programs: Python is to keep what it has compiled, also where that is turned off.
export PYTHONDONTWRITEBYTECODE =
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/.venv/bytecode

.PHONY: setup demo test display check

setup:
	@.ci/setup run

display:
	@.ci/setup display

demo: setup
	@.venv/bin/longzhuo demo $(ARGS)

check:
	@.ci/setup test
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	@for folder in tests/*.py tests/*/; do $(PYTHON) -m mypy --no-error-summary $$folder || exit 1; done

test: check
	$(PYTHON) -m pytest --numprocesses 4 --dist loadgroup --no-loadscope-reorder $(ARGS)
