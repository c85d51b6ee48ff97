"""The timing table of a run: what was measured, put together by what caused it. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from hardware.harness.runner import Result


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
