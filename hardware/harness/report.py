"""What is told of a run: the timing table, and the JUnit report with a test case for each scenario.

The report's schema lies beside (``junit.xsd``).
"""

from __future__ import annotations

import re
import socket
import statistics
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError
from hardware.harness.runner import Result

SCHEMA: Final = Path(__file__).with_name("junit.xsd")
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


class ReportError(CompanionError):
    """The report cannot be written."""


def write_junit(path: Path, results: Sequence[Result], now: datetime | None = None) -> None:
    """Write the report.

    Raises:
        ReportError: the file cannot be written.
    """
    tree = ET.ElementTree(junit(results, now or datetime.now(UTC)))
    ET.indent(tree)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tree.write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise ReportError(f"The report {path} cannot be written: {error.strerror}. Choose another --junit.") from error


def junit(results: Sequence[Result], now: datetime) -> ET.Element:
    """Return the report as XML."""
    root = ET.Element("testsuites")
    suite = ET.SubElement(
        root,
        "testsuite",
        name="hil",
        tests=str(len(results)),
        failures=str(sum(result.failure is not None for result in results)),
        errors="0",
        skipped=str(sum(result.skipped is not None for result in results)),
        time=f"{sum(result.seconds for result in results):.3f}",
        timestamp=now.strftime("%Y-%m-%dT%H:%M:%S"),
        hostname=socket.gethostname(),
    )
    for result in results:
        _case(suite, result)
    return root


def _case(suite: ET.Element, result: Result) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        name=_clean(result.scenario.name),
        classname=f"hil.{result.rig}.{result.scenario.path.stem}",
        time=f"{result.seconds:.3f}",
    )
    if result.skipped is not None:
        ET.SubElement(case, "skipped", message=_clean(result.skipped))
    if result.failure is not None:
        where = f"{result.scenario.path}:{result.failure.line}, step {result.failure.step}"
        failure = ET.SubElement(case, "failure", message=_clean(result.failure.text), type="NotSeen")
        failure.text = _clean(f"{where}: {result.failure.text}")
    if result.measured:
        told = "\n".join(f"{m.cause} -> {m.line}: {m.ms:.1f} ms" for m in result.measured)
        ET.SubElement(case, "system-out").text = _clean(told)


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)


# ---- times


@dataclass(frozen=True, slots=True)
class Row:
    """How long one kind of line took to follow one kind of cause, milliseconds."""

    cause: str
    line: str
    count: int
    median: float
    slowest: float


def timing_rows(results: Sequence[Result]) -> list[Row]:
    """Return a row for each cause and kind of line (``lamp``, ``suit`` …), slowest cause last."""
    times: dict[tuple[str, str], list[float]] = {}
    for result in results:
        for measured in result.measured:
            how = measured.cause.split(" ")[0]
            cause = how if how in ("press", "hold") else measured.cause
            kind = measured.line.split(" ")[0].split("/")[0]
            times.setdefault((cause, kind), []).append(measured.ms)
    rows = [Row(c, k, len(ms), statistics.median(ms), max(ms)) for (c, k), ms in times.items()]
    return sorted(rows, key=lambda row: (row.cause, row.line))
