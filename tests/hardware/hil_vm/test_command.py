"""`companion hil run --rig gpiosim` as its user sees it, with a fake machine."""

import json
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from companion.cli.hil import command
from hardware.harness.gpiosim import host as gpiosim
from hardware.harness.gpiosim import image as gpiosim_image
from hardware.harness.gpiosim.image import Image
from hardware.harness.rig import RigError

MACHINE = textwrap.dedent("""
    import json, sys
    from pathlib import Path
    job = Path(sys.argv[1])
    names = json.loads((job / "job.json").read_text())["scenarios"]
    (job / "trace" / "00-one").mkdir(parents=True)
    (job / "trace" / "00-one" / "trace.jsonl").write_text("{}")
    lines = [{"kind": "machine", "kernel": "6.12", "up_s": 20.8}]
    for name, failure in zip(names, (None, [2, 8, "suit/6 should be on"])):
        times = [["press NEXT", "lamp/next off", 21.5]]
        result = {"kind": "result", "file": name, "seconds": 70, "rig_seconds": 4, "failure": failure}
        result["measured"] = times
        lines += [{"kind": "begin", "file": name}, result]
    lines.append({"kind": "end"})
    (job / "results.jsonl").write_text("".join(json.dumps(line) + "\\n" for line in lines))
""")


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name in ("one", "two"):
        text = f'name = "Scenario {name}"\ngame = "roche"\n[[players]]\nname = "Ann"\n[[step]]\npress = "next"\n'
        (tmp_path / f"{name}.toml").write_text(text)
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(gpiosim_image, "check_programs", lambda: None)
    monkeypatch.setattr(gpiosim_image, "build", lambda cache, say: Image(tmp_path / "cache"))
    monkeypatch.setattr(
        gpiosim, "_boot",
        lambda image, job, limit_s: subprocess.Popen([sys.executable, "-c", MACHINE, str(job)], start_new_session=True),
    )  # fmt: skip
    return tmp_path


def hil(*words):
    return CliRunner().invoke(command, ["run", "--rig", "gpiosim", *map(str, words)], standalone_mode=False)


def test_it_tells_results_times_and_how_many_failed(files):
    told = hil(files / "one.toml", files / "two.toml", "--junit", files / "junit.xml", "--trace", files / "kept")
    assert told.return_value == 1
    assert "ok    Scenario one" in told.stdout
    assert f"FAIL  Scenario two  (70.0 s)\n      {files}/two.toml, line 8: step 2: suit/6 should be on" in told.stdout
    assert "21.5" in told.stdout
    assert told.stdout.rstrip().endswith("1 passed, 1 failed")
    assert "up after 21 s of its own, kernel 6.12" in told.stderr
    suite = ET.parse(files / "junit.xml").find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert (files / "kept" / "00-one" / "trace.jsonl").exists()


def test_json_stays_json_while_progress_goes_elsewhere(files):
    told = hil(files / "one.toml", "--json")
    assert told.return_value == 0
    assert [json.loads(line)["ok"] for line in told.stdout.splitlines()] == [True]


def test_what_is_missing_is_told_before_anything_is_built(files, monkeypatch):
    monkeypatch.setattr(gpiosim_image, "build", lambda cache, say: pytest.fail("built"))

    def missing() -> None:
        raise RigError("The gpiosim rig needs cpio. Run `make hil`, or: apt install cpio")

    monkeypatch.setattr(gpiosim_image, "check_programs", missing)
    assert isinstance(hil(files / "one.toml").exception, RigError)
