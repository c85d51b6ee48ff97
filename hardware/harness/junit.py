"""The JUnit report of a run: one test suite, a test case for each scenario. Its schema lies beside (``junit.xsd``)."""

from __future__ import annotations

import re
import socket
import xml.etree.ElementTree as ET
from collections.abc import Sequence
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
