"""The real machine: ``pytest -m hil`` builds missing parts, boots it, and runs scenarios like `make hil`."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from companion.testing import INSTALLED
from hardware.harness.gpiosim.image import check_programs
from hardware.harness.rig import RigError

pytestmark = [pytest.mark.hil, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _machine():
    if os.geteuid() != 0:
        pytest.skip("building the machine needs root")
    try:
        check_programs()
    except RigError as error:
        pytest.skip(str(error))


def test_a_press_reaches_the_journal_and_a_lamp_through_a_real_kernel(tmp_path):
    names = ("service-starts-as-on-a-pi", "contact-bounce", "service-watchdog", "idle-stays-dark")
    words = [sys.executable, "-m", "companion", "hil", "run", "--rig", "gpiosim", "--json",
             "--junit", str(tmp_path / "junit.xml"), "--trace", str(tmp_path / "trace")]  # fmt: skip
    words += [str(INSTALLED["roche"].scenarios / f"{name}.toml") for name in names]
    done = subprocess.run(words, capture_output=True, text=True, timeout=3 * 3600, check=False)
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [result["failure"] for result in results] == [None] * len(names), done.stderr[-2000:]
    assert done.returncode == 0
    times = [each for result in results for each in result["times"]]
    assert times
    assert all(0 < each["ms"] < 1000 for each in times)
    assert ET.parse(tmp_path / "junit.xml").find("testsuite").get("tests") == str(len(names))
    trace = (tmp_path / "trace" / "00-service-starts-as-on-a-pi" / "trace.jsonl").read_text()
    assert '"line": "button/next"' in trace
    assert '"do": "no-more-bets"' in trace
