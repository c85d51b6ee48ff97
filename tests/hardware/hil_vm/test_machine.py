"""The virtual machine from outside: streamed results, and machines that stall, die or never boot."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from companion.testing import INSTALLED
from hardware.harness.gpiosim.host import TimeLimits, run_machine
from hardware.harness.gpiosim.image import Image, exclusive_lock
from hardware.harness.gpiosim.job import Reader, as_line, as_result, read_job, write_job
from hardware.harness.rig import RigError
from hardware.harness.runner import Failure, Measured, Result
from hardware.harness.scenario import load_scenario

SCENARIO = 'name = "{name}"\ngame = "roche"\n{more}\n[[players]]\nname = "Ann"\n[[step]]\npress = "next"\n'
IMPATIENT = TimeLimits(boot_s=3.0, scenario_s=1.5, all_s=20.0, boots=2)

TELLING = textwrap.dedent("""
    import json, sys, time
    from pathlib import Path
    job = Path(sys.argv[1])
    assert (job / "job.sh").read_text().startswith("#!/bin/bash")
    out = (job / "results.jsonl").open("a")
    def tell(**fields):
        out.write(json.dumps(fields) + "\\n"); out.flush()
    names = json.loads((job / "job.json").read_text())["scenarios"]
    def result(name, failure=None):
        tell(kind="begin", file=name)
        times = [["press NEXT", "lamp/next off", 12.5]]
        tell(kind="result", file=name, seconds=2.5, rig_seconds=1.5, failure=failure, measured=times)
""")


@pytest.fixture
def scenarios(tmp_path):
    made = []
    for name, more in (("one", ""), ("two", ""), ("elsewhere", 'rigs = ["mock"]')):
        path = tmp_path / f"{name}.toml"
        path.write_text(SCENARIO.format(name=name, more=more))
        made.append(load_scenario(path, INSTALLED))
    return made


@pytest.fixture
def image(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    return Image(folder)


def machine(body: str):
    """Return a command that boots a machine with this behaviour."""
    booted = []

    def boot(image: Image, job: Path, limit_s: float) -> subprocess.Popen[bytes]:
        booted.append(limit_s)
        words = [sys.executable, "-c", TELLING + textwrap.dedent(body), str(job), str(len(booted))]
        return subprocess.Popen(words, start_new_session=True)

    boot.booted = booted
    return boot


def run(image, scenarios, body, patience=IMPATIENT):
    told, said, boot = [], [], machine(body)
    results = run_machine(image, scenarios, told.append, said.append, patience=patience, boot=boot)
    assert sorted(result.scenario.name for result in told) == sorted(result.scenario.name for result in results)
    return results, said, boot


def test_results_come_back_in_order_with_their_times(image, scenarios):
    results, said, _ = run(
        image, scenarios,
        """
        tell(kind="machine", kernel="6.12", up_s=41.0)
        result(names[0]); result(names[1], [3, 17, "suit/6 should be on"])
        tell(kind="end")
        """,
    )  # fmt: skip
    assert [result.scenario.name for result in results] == ["one", "two", "elsewhere"]
    assert results[0].failure is None
    assert results[0].measured == (Measured("press NEXT", "lamp/next off", 12.5),)
    assert results[1].failure == Failure(3, 17, "suit/6 should be on")
    assert results[2].skipped == "Only for the rigs mock."
    assert any("41 s" in line and "6.12" in line for line in said)


@pytest.mark.thorough
def test_a_machine_that_stalls_fails_what_it_was_at_and_what_was_left(image, scenarios):
    results, _, boot = run(
        image, scenarios,
        'tell(kind="machine", kernel="6", up_s=1)\ntell(kind="begin", file=names[0])\ntime.sleep(60)',
    )  # fmt: skip
    assert "told nothing for" in results[0].failure.text
    assert results[1].failure.text.startswith("It was not run.")
    assert len(boot.booted) == 1, "a machine that was up is not booted again: its failure is a result"


def test_whoever_ends_the_run_ends_the_machine(image, scenarios):
    """A CI timeout sends SIGTERM: no emulator may keep running on its own."""
    started = []
    base = machine("time.sleep(60)")

    def boot(*what):
        started.append(base(*what))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
        return started[0]

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        run_machine(image, scenarios, lambda result: None, lambda text: None, patience=IMPATIENT, boot=boot)
    assert ended.value.code == 128 + signal.SIGTERM
    assert started[0].poll() is not None
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.thorough
def test_a_machine_that_is_ended_leaves_no_qemu_behind(image, scenarios, tmp_path, monkeypatch):
    """`timeout` created its own process group: qemu kept running for half a day after the benchmark was interrupted."""
    fake, pids = tmp_path / "bin" / "qemu-system-x86_64", tmp_path / "pids"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho $$ >> "{pids}"\nexec sleep 60\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    patience = TimeLimits(boot_s=3.0, scenario_s=1.0, all_s=20.0, boots=1)
    (result,) = run_machine(image, scenarios[:1], lambda told: None, lambda text: None, patience=patience)
    assert "not come up" in result.failure.text
    (pid,) = map(int, pids.read_text().split())
    assert _is_gone_within(5.0, pid)


def _is_gone_within(seconds: float, pid: int) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":  # ended, not yet reaped
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False


def test_a_machine_that_dies_while_it_boots_is_booted_once_more(image, scenarios):
    results, said, boot = run(
        image, scenarios,
        """
        if sys.argv[2] == "1":
            (job / "console.log").write_text("Kernel panic - not syncing\\n"); sys.exit(1)
        tell(kind="machine", kernel="6", up_s=1)
        for name in names: result(name)
        tell(kind="end")
        """,
    )  # fmt: skip
    assert [result.failure for result in results] == [None, None, None]
    assert len(boot.booted) == 2
    assert any("Kernel panic" in line and "Once more" in line for line in said)


@pytest.mark.thorough
def test_a_machine_that_never_comes_up_is_told_with_its_last_words(image, scenarios):
    results, _, boot = run(
        image, scenarios, '(job / "console.log").write_text("stuck here\\n"); time.sleep(60)',
        TimeLimits(boot_s=1.0, scenario_s=1.0, all_s=20.0, boots=2),
    )  # fmt: skip
    assert len(boot.booted) == 2
    assert "not come up" in results[0].failure.text
    assert "console.log ends with: stuck here" in results[0].failure.text
    assert results[1].failure is not None


def test_a_job_without_its_last_line_has_not_ended_well(image, scenarios):
    results, _, _ = run(image, scenarios, 'tell(kind="machine", kernel="6", up_s=1)\nresult(names[0])')
    assert results[0].failure is None
    assert "ended before its job did" in results[1].failure.text


@pytest.mark.thorough
def test_the_whole_run_has_a_limit(image, scenarios):
    results, _, _ = run(
        image, scenarios,
        'tell(kind="machine", kernel="6", up_s=1)\nwhile True: tell(kind="begin", file=names[0]); time.sleep(0.1)',
        TimeLimits(boot_s=5.0, scenario_s=5.0, all_s=2.0),
    )  # fmt: skip
    assert results[0].failure is not None


def test_nothing_is_booted_when_no_scenario_is_for_this_rig(image, scenarios):
    results, _, boot = run(image, scenarios[2:], "sys.exit(1)")
    assert results[0].skipped is not None
    assert boot.booted == []


def test_only_one_machine_runs_at_once(image, scenarios):
    with exclusive_lock(image.folder), pytest.raises(RigError, match="is in use already"):
        run(image, scenarios, "")


# ---- the job's files


def test_a_job_travels_with_its_scenarios_even_those_of_the_same_name(tmp_path, scenarios):
    named = write_job(tmp_path / "job", [scenarios[0], scenarios[0], scenarios[1]])
    assert [path.name for path in read_job(tmp_path / "job")] == ["00-one.toml", "01-one.toml", "02-two.toml"]
    assert list(named) == ["00-one.toml", "01-one.toml", "02-two.toml"]
    assert load_scenario(tmp_path / "job" / "02-two.toml", INSTALLED).name == "two"


def test_an_old_machine_refuses_a_new_job(tmp_path):
    (tmp_path / "job.json").write_text(json.dumps({"version": 99, "scenarios": []}))
    with pytest.raises(RigError, match="version 99"):
        read_job(tmp_path)
    with pytest.raises(RigError, match="no job"):
        read_job(tmp_path / "nowhere")


def test_half_a_line_waits_for_its_end(tmp_path, scenarios):
    reader = Reader(tmp_path)
    assert list(reader.new_lines()) == []
    whole = as_line(Result(scenarios[0], "gpiosim", 2.0, 1.0, Failure(1, 2, "nö")), "00-one.toml", tries=2)
    file = tmp_path / "results.jsonl"
    file.write_bytes(whole.encode()[:30])
    assert list(reader.new_lines()) == []
    file.write_bytes(whole.encode() + b'\n{"kind": "end"}\n')
    told = list(reader.new_lines())
    assert [each.kind for each in told] == ["result", "end"]
    name, result = as_result(told[0], {"00-one.toml": scenarios[0]})
    assert (name, result.failure, result.seconds) == ("00-one.toml", Failure(1, 2, "nö"), 2.0)
    assert list(reader.new_lines()) == []


@pytest.mark.parametrize("line", [b"not json\n", b"[1]\n", b'{"no": "kind"}\n'])
def test_a_line_that_is_no_result_is_told(tmp_path, line):
    (tmp_path / "results.jsonl").write_bytes(line)
    with pytest.raises(RigError, match="no result"):
        list(Reader(tmp_path).new_lines())


def test_a_result_of_no_scenario_of_ours_is_told(tmp_path, scenarios):
    (tmp_path / "results.jsonl").write_text(as_line(Result(scenarios[0], "gpiosim", 1.0), "other.toml") + "\n")
    told = next(iter(Reader(tmp_path).new_lines()))
    with pytest.raises(RigError, match="result that is none"):
        as_result(told, {})
