# Two commands do everything on a fresh machine: `make run` and `make test`.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# So many tests run at the same time.
# Tests wait for pages and processes a third of their time; each process needs 1.7 GB.
PROCESSES ?= $(shell awk '/MemTotal/ { print ($$2 > 7000000) ? 3 : 2 }' /proc/meminfo)
# What a change of a rule can break: rules, audits, referees, what they say, and a game's promises to the engine.
RULES_TESTS := tests/companion/kernel tests/companion/games
# The linter and formatter of the pages' scripts (biome.json), where Node.js is at hand.
BIOME := npx --yes @biomejs/biome@2.6.8
# Debian packages: the decoder that pyzbar calls, the browser that the tests drive, and the broker that they start.
RUN_PACKAGES := libzbar0
TEST_PACKAGES := libzbar0 chromium systemd espeak-ng mosquitto postgresql
# The same browser without windows takes a third less CPU for each test; a system without this package uses chromium.
TEST_SHELL := chromium-headless-shell
# The server of a house of many tables.
FLOOR_PACKAGES := postgresql mosquitto
HIL_PACKAGES := qemu-system-x86 mmdebstrap e2fsprogs cpio busybox-static

.PHONY: help setup run test test-rules test-thorough test-slow hil hil-programs check messages format-js types bench fuzz fuzz-inputs mutation simulate power-cuts soak night screenshots hero floor lock clean install uninstall deb
help:
	@echo "make run         install, then run the table (the demo table where there is no camera)"
	@echo "make test        install what the tests need and run them, in some ten minutes"
	@echo "make test-rules  only the tests of rules and odds, in half a minute"
	@echo "make test-thorough  every page at every size and light, evenings read from drawn pictures: ten minutes more"
	@echo "make test-slow   the long tests: whole evenings, thousands of rounds, many crashes"
	@echo "make hil         scenarios on a virtual machine with simulated pins and camera: long, see docs/hardware.md"
	@echo "make format-js   format the pages' scripts with Biome, which npx fetches"
	@echo "make messages    bring the translations' files up to date with the source"
	@echo "make types       the type hints of the pages' scripts anew, from the program's types"
	@echo "make bench       every benchmark with its table, and what moved since the baseline (ARGS=--keep makes a new one)"
	@echo "make fuzz        requests that no page makes, from the API's description (ARGS=\"--minutes 30\")"
	@echo "make fuzz-inputs changed scripts, settings, codes, pictures, backups and requests (ARGS=\"--minutes 30\", ARGS=--keep)"
	@echo "make mutation    small changes of the source that a test has to notice (ARGS=\"--group ledger --sample 40\")"
	@echo "make simulate    evenings with crashes and faults from a seed (ARGS=\"--evenings 10000\", ARGS=\"--seed 7\")"
	@echo "make power-cuts  the power of a virtual machine goes while commands are acknowledged (ARGS=\"--cuts 20\")"
	@echo "make soak        a long evening of every game on a simulated clock: memory, threads, files stay as they are"
	@echo "make screenshots pictures of every page, into screenshots/"
	@echo "make hero        the README's pictures, into docs/"
	@echo "make floor       the server of a house of many tables with six demo tables: installs PostgreSQL and mosquitto, prints its address"
	@echo "make install     (with sudo) as a service that starts with the machine; also upgrades"
	@echo "make uninstall   (with sudo) take the service off again; data and settings stay"
	@echo "make deb         a Debian package for this machine's kind, into dist/"
	@echo "make lock        choose the newest versions anew and write constraints.txt"

setup: $(VENV)/.installed

run: setup
	@$(BIN)/companion run $(ARGS)

# Where picamera2 is installed for the system's Python (Raspberry Pi OS), the environment must see it, and NumPy
# must stay the one that it was built with.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "The companion needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(call install,python3-venv)
	@if $(PYTHON) -c 'import picamera2' 2>/dev/null; then system=--system-site-packages; fi; \
	  $(PYTHON) -m venv $$system $(VENV)

$(VENV)/constraints.txt: constraints.txt | $(VENV)/bin/python
	@if grep -q 'include-system-site-packages = true' $(VENV)/pyvenv.cfg; then grep -v '^numpy==' $< > $@; else cp $< $@; fi

$(VENV)/.installed: pyproject.toml $(VENV)/constraints.txt
	@echo "Installing the companion into $(VENV)/ ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e .
	@ldconfig -p 2>/dev/null | grep -q libzbar.so || $(call install,$(RUN_PACKAGES)) || \
	  echo "Going on without libzbar0: the last-resort decoder is off, everything else works."
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[dev,mqtt,floor]'
	@{ command -v chromium && command -v systemd-analyze && command -v espeak-ng && PATH=$$PATH:/usr/sbin command -v mosquitto && ls /usr/lib/postgresql/*/bin/initdb && ldconfig -p | grep libzbar.so; } >/dev/null || $(call install,$(TEST_PACKAGES))
	@command -v $(TEST_SHELL) >/dev/null || $(call install,$(TEST_SHELL)) || echo "Going on without $(TEST_SHELL): the tests of pages take longer."
	@touch $@

# A test that waits for ever ends its process and fails, with where all threads stood; another process does the others.
LONGEST_S ?= 300
ENDS_HANGS := -o faulthandler_timeout=$(LONGEST_S) -o faulthandler_exit_on_timeout=true

# Workers and the programs that tests start share what was compiled, also where Python is told to keep nothing of it.
test test-rules test-thorough test-slow: export PYTHONDONTWRITEBYTECODE =

# What tests write lies in memory where there is room for it and programs may be started from there: a table waits for
# its disk with every command. Power cuts and the long tests keep to a real disk.
IN_MEMORY := $(shell awk '$$2 == "/dev/shm" && $$4 !~ /noexec/' /proc/mounts 2>/dev/null | grep -q . && \
  [ "$$(df --output=avail -k /dev/shm | tail -1)" -gt 4000000 ] && echo /dev/shm)
test test-rules test-thorough: export PYTEST_DEBUG_TEMPROOT = $(IN_MEMORY)
test test-rules test-thorough: ENDS_HANGS += -o tmp_path_retention_policy=failed -o tmp_path_retention_count=1

test: check
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal $(ENDS_HANGS) -m "not thorough and not slow and not hil" $(ARGS)

# The rules, odds and audits of all games, and what they stand on: half a minute, after each change of a rule.
test-rules: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q -n $(PROCESSES) --dist worksteal $(ENDS_HANGS) -m "not thorough and not slow and not browser" --ignore-glob='*second_way*' $(RULES_TESTS) $(ARGS)

# What a change of pages, reading or drawing can break where the quick tests do not look.
test-thorough: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal $(ENDS_HANGS) -m "thorough and not slow and not hil" $(ARGS)

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "slow and not hil" $(ARGS)

# What both targets with a virtual machine need.
hil-programs:
	@{ command -v qemu-system-x86_64 && command -v mmdebstrap && command -v mke2fs && command -v cpio && command -v busybox; } \
	  >/dev/null || $(call install,$(HIL_PACKAGES))

# Everything that it builds is kept in ~/.cache/companion-hil (COMPANION_HIL names another folder), so that the next
# run only boots. No other target needs it. SCENARIOS=FILE... runs only these.
hil: $(VENV)/.installed hil-programs
	$(BIN)/companion hil run --rig gpiosim --junit build/hil/junit.xml --trace build/hil/trace $(SCENARIOS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if $(BIOME) --version >/dev/null 2>&1; then $(BIOME) check --error-on-warnings; else echo "No npx here, or it cannot fetch Biome: the pages' scripts were not checked."; fi

messages: $(VENV)/.installed
	$(BIN)/python -m tools.messages

format-js:
	$(BIOME) check --write

types: $(VENV)/.installed
	$(BIN)/python -m tools.browser_types

bench: $(VENV)/.installed-dev
	$(BIN)/python tests/bench/baselines.py $(ARGS)

# Schemathesis brings thirty packages that nothing else needs: it has an environment of its own.
build/fuzz/bin/schemathesis: | $(VENV)/bin/python
	@mkdir -p build && $(PYTHON) -m venv build/fuzz && build/fuzz/bin/python -m pip install --quiet 'schemathesis>=4.3,<5'

fuzz: $(VENV)/.installed-dev build/fuzz/bin/schemathesis
	$(BIN)/python tests/bench/fuzz_api.py --schemathesis $(CURDIR)/build/fuzz/bin/schemathesis $(ARGS)

# Atheris lies beside the environment: it runs the program's own libraries.
build/atheris/atheris/__init__.py: $(VENV)/.installed-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/atheris 'atheris>=3,<4'

fuzz-inputs: $(VENV)/.installed-dev build/atheris/atheris/__init__.py
	PYTHONPATH=$(CURDIR)/build/atheris $(BIN)/python tests/bench/fuzz.py $(ARGS)

build/mutation-tool/bin/cosmic-ray: | $(VENV)/bin/python
	@mkdir -p build && $(PYTHON) -m venv build/mutation-tool && build/mutation-tool/bin/python -m pip install --quiet 'cosmic-ray>=8.4,<9'

mutation: $(VENV)/.installed-dev build/mutation-tool/bin/cosmic-ray
	$(BIN)/python tests/bench/mutate.py --cosmic-ray $(CURDIR)/build/mutation-tool/bin/cosmic-ray $(ARGS)

# Two hundred evenings take a minute; a night has time for 10,000. A seed tells the same evening again, step by step.
simulate: $(VENV)/.installed
	$(BIN)/python -m tools.simulate $(ARGS)

# The machine is that of `make hil`, booted with the companion alone, on a disk that loses its cache with the power.
power-cuts: $(VENV)/.installed-dev hil-programs
	$(BIN)/python -m tests.crash.power.cuts $(ARGS)

# What takes hours, one after the other. A fault that one of them finds comes with the command that shows it again.
night: test-slow
	$(MAKE) simulate ARGS="--evenings 10000"
	$(MAKE) power-cuts ARGS="--cuts 20"
	$(MAKE) fuzz ARGS="--minutes 60"
	$(MAKE) fuzz-inputs ARGS="--minutes 20"
	$(MAKE) soak
	$(MAKE) mutation

soak: $(VENV)/.installed
	$(BIN)/python -m tools.soak $(ARGS)

screenshots: $(VENV)/.installed-dev
	$(BIN)/python tests/e2e/screenshots.py $(ARGS)

hero: $(VENV)/.installed-dev
	$(BIN)/python tests/e2e/hero.py

# One command from a clean clone to a house: packages, database, broker, certificates, six demo tables that join it.
$(VENV)/.installed-floor: $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[mqtt,floor]'
	@{ ls /usr/lib/postgresql/*/bin/initdb && PATH=$$PATH:/usr/sbin command -v mosquitto; } >/dev/null 2>&1 || $(call install,$(FLOOR_PACKAGES))
	@touch $@

DEMO_TABLES ?= 6
floor: $(VENV)/.installed-floor
	@$(BIN)/companion floor --demo $(DEMO_TABLES) $(ARGS)

lock: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --upgrade --python-version 3.11 --all-extras --no-header \
	  --no-annotate --output-file constraints.txt pyproject.toml

# The service lives outside of this folder, which may be deleted afterwards.
SERVICE_PYTHON ?= /usr/bin/python3

install:
	@[ "$$(id -u)" = 0 ] || { echo "This changes the system. Run: sudo make install"; exit 1; }
	@$(SERVICE_PYTHON) -c 'import ensurepip' 2>/dev/null || $(call install,python3-venv)
	@ldconfig -p | grep -q libzbar.so || $(call install,$(RUN_PACKAGES)) || true
	@[ -z "$(FLOOR)" ] || { ls /usr/lib/postgresql/*/bin/initdb && PATH=$$PATH:/usr/sbin command -v mosquitto; } >/dev/null 2>&1 || $(call install,$(FLOOR_PACKAGES))
	@FLOOR=$(FLOOR) PYTHON=$(SERVICE_PYTHON) bash systemd/install.sh install

uninstall:
	@bash systemd/install.sh uninstall

deb:
	@PYTHON=$(SERVICE_PYTHON) bash systemd/build-deb.sh dist

clean:
	rm -rf $(VENV) build dist *.egg-info

# $(call install,PACKAGES): Debian packages, with sudo where we are not root.
define install
{ sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
  echo "Installing Debian packages: $(1)"; \
  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) >/dev/null; }
endef
