"""Outputs of a run: a JUnit report valid by its schema, the table of times, and a replayable trace."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
import xmlschema

from companion.cli import run_command_line as run
from companion.cli.hil import make_sight
from companion.testing import INSTALLED
from hardware.harness.replay import replay
from hardware.harness.report import SCHEMA, ReportError, timing_rows, write_junit
from hardware.harness.runner import Failure, Measured, Result
from hardware.harness.scenario import load_scenario
from hardware.harness.trace import TraceError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BUNDLED = INSTALLED["roche"].scenarios
SCENARIO = load_scenario(BUNDLED / "roche-betting-buttons.toml", INSTALLED)
RESULTS = [
    Result(SCENARIO, "mock", 1.5, measured=(Measured("press NEXT", "lamp/undo on", 20.0),)),
    Result(SCENARIO, "mock", 0.5, failure=Failure(3, 12, "lamp/deal should be on \x00 <&>"),
           measured=(Measured("press DEAL", "lamp/undo on", 30.0), Measured("card at rest", "suit/6 on", 220.0))),
    Result(SCENARIO, "gpiosim", 0.0, skipped="Only for the rigs mock."),
]  # fmt: skip


def test_the_report_is_what_its_schema_says(tmp_path: Path) -> None:
    """Passed, failed and skipped tests, with characters that XML forbids; validated against the schema file."""
    path = tmp_path / "new folder" / "report.xml"
    write_junit(path, RESULTS, NOW)
    schema = xmlschema.XMLSchema(str(SCHEMA))
    schema.validate(str(path))
    suite = schema.to_dict(str(path))["testsuite"][0]
    assert (suite["@tests"], suite["@failures"], suite["@skipped"]) == (3, 1, 1)
    assert "line" not in suite["testcase"][0]
    assert ":12, step 3" in path.read_text()


def test_a_report_that_breaks_the_schema_is_found_out(tmp_path: Path) -> None:
    """Proves that the test above can fail."""
    path = tmp_path / "report.xml"
    write_junit(path, RESULTS, NOW)
    path.write_text(path.read_text().replace('failures="1"', 'failures="many"'))
    assert not xmlschema.XMLSchema(str(SCHEMA)).is_valid(str(path))


def test_a_report_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="Choose another --junit"):
        write_junit(tmp_path / "file" / "report.xml", RESULTS, NOW)


def test_times_are_put_together_by_their_cause() -> None:
    rows = {(row.cause, row.line): (row.count, row.median, row.slowest) for row in timing_rows(RESULTS)}
    assert rows == {("press", "lamp"): (2, 25.0, 30.0), ("card at rest", "suit"): (1, 220.0, 220.0)}


# ---- traces


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real trace: buttons, bounces, a card read from pictures, a question and its answer."""
    folder = tmp_path_factory.mktemp("traces")
    scenario = BUNDLED / "question-just-changed.toml"
    assert run(["hil", "run", str(scenario), "--trace", str(folder), "--junit", str(folder / "report.xml")]) == 0
    xmlschema.XMLSchema(str(SCHEMA)).validate(str(folder / "report.xml"))
    return folder / "question-just-changed"


def test_a_trace_replays_to_the_very_same_entries_and_lights(trace: Path) -> None:
    """Twice: the same pictures, contacts and times give the same entries and line changes, to the microsecond."""
    first, second = replay(trace, make_sight), replay(trace, make_sight)
    assert first.difference is None
    assert first == second
    assert first.pictures > 20
    assert first.entries >= 3
    assert first.changes > 20


@pytest.mark.thorough
def test_a_trace_of_a_camera_that_was_lost_replays_too(tmp_path: Path) -> None:
    """The journal names the recovered camera, which had another name in the replay."""
    scenario = BUNDLED / "camera-lost-in-mid-deal.toml"
    assert run(["hil", "run", str(scenario), "--trace", str(tmp_path)]) == 0
    found = replay(tmp_path / "camera-lost-in-mid-deal", make_sight)
    assert found.difference is None
    assert found.entries == 8


def test_another_outcome_is_a_difference(trace: Path, tmp_path: Path) -> None:
    """Such as a lamp that is a millisecond late."""
    copy = tmp_path / "copy"
    shutil.copytree(trace, copy)
    lines = [json.loads(line) for line in (copy / "trace.jsonl").read_text().splitlines()]
    wrong = next(line for line in lines if line["kind"] == "line" and line["line"] == "lamp/undo")
    wrong["t"] += 0.001
    (copy / "trace.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = replay(copy, make_sight)
    assert found.difference is not None
    assert found.difference.startswith("Change of a line")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. Make it again."),
        ("nonsense", "line 1: this is no line of a trace. Copy the trace again."),
        ('{"kind": "header", "t": 0, "version": 99}', "line 1: this is no trace of version 1. Make it again."),
    ],
)
def test_a_file_that_is_no_trace_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "trace.jsonl").write_text(text)
    with pytest.raises(TraceError) as raised:
        replay(tmp_path, make_sight)
    assert str(raised.value).endswith(message)


def test_the_command_replays_and_tells_the_difference(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hil", "replay", str(trace), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["difference"] is None


BOWL = """
name = "a"
game = "chinchirorin"
options = { banker = 1 }
players = [{ name = "Ann" }, { name = "Bo" }]
[[step]]
command = { do = "bank", amount = 5 }
[[step]]
press = "next"
[[step]]
happen = "throw 6-3-6 two"
"""


@pytest.mark.thorough
def test_a_trace_of_a_bowl_replays_from_its_pictures(tmp_path: Path) -> None:
    """The bowl was filmed, so nothing has to be acted again."""
    (tmp_path / "bowl.toml").write_text(BOWL)
    assert run(["hil", "run", str(tmp_path / "bowl.toml"), "--trace", str(tmp_path)]) == 0
    found = replay(tmp_path / "bowl", make_sight)
    assert found.difference is None
    assert found.pictures > 20
