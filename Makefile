# Two commands do everything on a fresh machine: `make run` and `make test`.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Number of test processes. Tests spend a third of their time waiting for pages and processes; each needs 1.7 GB.
PROCESSES ?= $(shell awk '/MemTotal/ { print ($$2 > 7000000) ? 3 : 2 }' /proc/meminfo)
# Tests that a change of a rule can break: rules, audits, referees, messages, and conformance to the engine's protocols.
RULES_TESTS := tests/companion/kernel tests/companion/games
# Linter and formatter for the pages' scripts (settings in biome.json); needs Node.js.
BIOME := npx --yes @biomejs/biome@2.6.8
# Debian packages: the decoder for pyzbar, and the browser, MQTT broker and other programs that the tests start.
RUN_PACKAGES := libzbar0
TEST_PACKAGES := libzbar0 chromium systemd espeak-ng mosquitto postgresql
# The same browser without a user interface takes a third less CPU per test; systems without this package use chromium.
TEST_SHELL := chromium-headless-shell
# The server of a house of many tables.
FLOOR_PACKAGES := postgresql mosquitto
HIL_PACKAGES := qemu-system-x86 mmdebstrap e2fsprogs cpio busybox-static

.PHONY: help setup run test test-rules test-thorough test-slow hil hil-programs check messages format-js types bench fuzz fuzz-inputs mutation simulate power-cuts soak night screenshots hero floor lock clean install uninstall deb
help:
	@echo "make run         install and run the table (the demo table if no camera is connected)"
	@echo "make test        install the test dependencies and run the tests: about ten minutes"
	@echo "make test-rules  only the tests of rules and odds: half a minute"
	@echo "make test-thorough  every page in every size and color scheme, evenings read from rendered pictures: ten minutes"
	@echo "make test-slow   the long tests: whole evenings, thousands of rounds, many crashes"
	@echo "make hil         hardware scenarios on a virtual machine with simulated pins and camera: takes long, see docs/hardware.md"
	@echo "make format-js   format the pages' scripts with Biome (downloaded by npx)"
	@echo "make messages    update the translation files from the source"
	@echo "make types       regenerate the type hints of the pages' scripts from the Python types"
	@echo "make bench       run all benchmarks and list changes from the baseline (ARGS=--keep stores a new baseline)"
	@echo "make fuzz        send unusual requests generated from the OpenAPI document (ARGS=\"--minutes 30\")"
	@echo "make fuzz-inputs fuzz scripts, settings, codes, pictures, backups and requests (ARGS=\"--minutes 30\", ARGS=--keep)"
	@echo "make mutation    mutation tests: small source changes that a test has to notice (ARGS=\"--group ledger --sample 40\")"
	@echo "make simulate    simulated evenings with crashes and faults (ARGS=\"--evenings 10000\", ARGS=\"--seed 7\")"
	@echo "make power-cuts  cut a virtual machine's power while it acknowledges commands (ARGS=\"--cuts 20\")"
	@echo "make soak        a long evening of every game on a simulated clock: memory, threads and open files must not grow"
	@echo "make screenshots take pictures of every page, into screenshots/"
	@echo "make hero        take the README's pictures, into docs/"
	@echo "make floor       run the server of a house of many tables with six demo tables; installs PostgreSQL and mosquitto"
	@echo "make install     (with sudo) install or upgrade the service, which starts at boot"
	@echo "make uninstall   (with sudo) remove the service; data and settings stay"
	@echo "make deb         build a Debian package for this machine's architecture, into dist/"
	@echo "make lock        resolve the newest versions of all dependencies into constraints.txt"

setup: $(VENV)/.installed

run: setup
	@$(BIN)/companion run $(ARGS)

# If picamera2 is installed for the system's Python (Raspberry Pi OS), the environment must see it, and must use the
# NumPy version that it was built with.
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
	  echo "Continuing without libzbar0: the last-resort decoder is off, everything else works."
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing the test dependencies ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(VENV)/constraints.txt -e '.[dev,mqtt,floor]'
	@{ command -v chromium && command -v systemd-analyze && command -v espeak-ng && PATH=$$PATH:/usr/sbin command -v mosquitto && ls /usr/lib/postgresql/*/bin/initdb && ldconfig -p | grep libzbar.so; } >/dev/null || $(call install,$(TEST_PACKAGES))
	@command -v $(TEST_SHELL) >/dev/null || $(call install,$(TEST_SHELL)) || echo "Continuing without $(TEST_SHELL): the browser tests take longer."
	@touch $@

# A test that hangs fails and ends its process, with a traceback of all threads; another process runs the rest.
LONGEST_S ?= 300
ENDS_HANGS := -o faulthandler_timeout=$(LONGEST_S) -o faulthandler_exit_on_timeout=true

# Test processes and the programs that they start share compiled bytecode, even if the environment turns it off.
test test-rules test-thorough test-slow: export PYTHONDONTWRITEBYTECODE =

# Temporary files of tests are in memory if it has enough space and permits executables, because a table waits for its
# disk with every command. The power cuts and long tests use a real disk.
IN_MEMORY := $(shell awk '$$2 == "/dev/shm" && $$4 !~ /noexec/' /proc/mounts 2>/dev/null | grep -q . && \
  [ "$$(df --output=avail -k /dev/shm | tail -1)" -gt 4000000 ] && echo /dev/shm)
test test-rules test-thorough: export PYTEST_DEBUG_TEMPROOT = $(IN_MEMORY)
test test-rules test-thorough: ENDS_HANGS += -o tmp_path_retention_policy=failed -o tmp_path_retention_count=1

test: check
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal $(ENDS_HANGS) -m "not thorough and not slow and not hil" $(ARGS)

# The rules, odds and audits of all games and the kernel: half a minute, for use after each change of a rule.
test-rules: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q -n $(PROCESSES) --dist worksteal $(ENDS_HANGS) -m "not thorough and not slow and not browser" --ignore-glob='*second_way*' $(RULES_TESTS) $(ARGS)

# Tests of pages, recognition and rendering that the quick tests leave out.
test-thorough: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal $(ENDS_HANGS) -m "thorough and not slow and not hil" $(ARGS)

test-slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "slow and not hil" $(ARGS)

# Dependencies of both targets with a virtual machine.
hil-programs:
	@{ command -v qemu-system-x86_64 && command -v mmdebstrap && command -v mke2fs && command -v cpio && command -v busybox; } \
	  >/dev/null || $(call install,$(HIL_PACKAGES))

# The virtual machine is kept in ~/.cache/companion-hil (COMPANION_HIL names another folder), so that later runs only
# boot it. SCENARIOS=FILE... runs only these.
hil: $(VENV)/.installed hil-programs
	$(BIN)/companion hil run --rig gpiosim --junit build/hil/junit.xml --trace build/hil/trace $(SCENARIOS)

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if $(BIOME) --version >/dev/null 2>&1; then $(BIOME) check --error-on-warnings; else echo "npx is missing or cannot download Biome: the pages' scripts were not checked."; fi

messages: $(VENV)/.installed
	$(BIN)/python -m tools.messages

format-js:
	$(BIOME) check --write

types: $(VENV)/.installed
	$(BIN)/python -m tools.browser_types

bench: $(VENV)/.installed-dev
	$(BIN)/python tests/bench/baselines.py $(ARGS)

# Schemathesis needs thirty packages that nothing else does, so it has its own environment.
build/fuzz/bin/schemathesis: | $(VENV)/bin/python
	@mkdir -p build && $(PYTHON) -m venv build/fuzz && build/fuzz/bin/python -m pip install --quiet 'schemathesis>=4.3,<5'

fuzz: $(VENV)/.installed-dev build/fuzz/bin/schemathesis
	$(BIN)/python tests/bench/fuzz_api.py --schemathesis $(CURDIR)/build/fuzz/bin/schemathesis $(ARGS)

# Atheris is installed beside the environment, because it runs with the program's own libraries.
build/atheris/atheris/__init__.py: $(VENV)/.installed-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/atheris 'atheris>=3,<4'

fuzz-inputs: $(VENV)/.installed-dev build/atheris/atheris/__init__.py
	PYTHONPATH=$(CURDIR)/build/atheris $(BIN)/python tests/bench/fuzz.py $(ARGS)

build/mutation-tool/bin/cosmic-ray: | $(VENV)/bin/python
	@mkdir -p build && $(PYTHON) -m venv build/mutation-tool && build/mutation-tool/bin/python -m pip install --quiet 'cosmic-ray>=8.4,<9'

mutation: $(VENV)/.installed-dev build/mutation-tool/bin/cosmic-ray
	$(BIN)/python tests/bench/mutate.py --cosmic-ray $(CURDIR)/build/mutation-tool/bin/cosmic-ray $(ARGS)

# Two hundred evenings take a minute; a night has time for 10,000. --seed repeats one evening and prints every step.
simulate: $(VENV)/.installed
	$(BIN)/python -m tools.simulate $(ARGS)

# Uses the machine of `make hil`, booted with the companion alone, on a disk that loses its cache at a power cut.
power-cuts: $(VENV)/.installed-dev hil-programs
	$(BIN)/python -m tests.crash.power.cuts $(ARGS)

# Everything that takes hours, one after the other. Each fault is reported with the command that reproduces it.
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

# From a clean clone to a running house: packages, database, MQTT broker, certificates, six demo tables.
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

# The service is installed outside of this folder, which may be deleted afterwards.
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

# $(call install,PACKAGES): installs Debian packages, with sudo unless run as root.
define install
{ sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
  echo "Installing Debian packages: $(1)"; \
  $$sudo apt-get update -qq && $$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) >/dev/null; }
endef
