"""Reports of a run: the timing table, and a JUnit report with a test case per scenario (schema: ``junit.xsd``)."""

import re
import socket
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from companion.kernel.errors import CompanionError
from hardware.harness.runner import Result

SCHEMA: Final = Path(__file__).with_name("junit.xsd")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


class ReportError(CompanionError):
    """The report cannot be written."""


def write_junit(path: Path, results: Sequence[Result], now: datetime | None = None) -> None:
    """Write the JUnit report.

    Raises:
        ReportError: the file cannot be written.
    """
    suite = TestSuite("hil")
    suite.timestamp = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%S")
    suite.hostname = socket.gethostname()
    suite.add_testcases([_case(result) for result in results])
    report = JUnitXml()
    report.add_testsuite(suite)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        report.write(str(path), pretty=True)
    except OSError as error:
        raise ReportError(f"The report {path} cannot be written: {error.strerror}. Choose another --junit.") from error


def _case(result: Result) -> TestCase:
    case = TestCase(
        _clean(result.scenario.name), f"hil.{result.rig}.{result.scenario.path.stem}", round(result.seconds, 3)
    )
    if result.skipped is not None:
        case.result = Skipped(_clean(result.skipped))
    if result.failure is not None:
        where = f"{result.scenario.path}:{result.failure.line}, step {result.failure.step}"
        case.result = Failure(_clean(result.failure.text), "NotSeen")
        case.result[0].text = _clean(f"{where}: {result.failure.text}")
    if result.measured:
        case.system_out = _clean("\n".join(f"{m.cause} -> {m.line}: {m.ms:.1f} ms" for m in result.measured))
    return case


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)


# ---- timing table


@dataclass(frozen=True, slots=True)
class Row:
    """Delays between one kind of cause and one kind of line, milliseconds."""

    cause: str
    line: str
    count: int
    median: float
    slowest: float


def timing_rows(results: Sequence[Result]) -> list[Row]:
    """Return a row for each kind of cause and of line (``lamp``, ``suit`` …), sorted by both."""
    times: dict[tuple[str, str], list[float]] = {}
    for result in results:
        for measured in result.measured:
            how = measured.cause.split(" ")[0]
            cause = how if how in ("press", "hold") else measured.cause
            kind = measured.line.split(" ")[0].split("/")[0]
            times.setdefault((cause, kind), []).append(measured.ms)
    rows = [Row(c, k, len(ms), statistics.median(ms), max(ms)) for (c, k), ms in times.items()]
    return sorted(rows, key=lambda row: (row.cause, row.line))
