"""Runs a job's scenarios inside the virtual machine: ``python -m hardware.harness.gpiosim.guest FOLDER``, as root."""

import contextlib
import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError
from companion.plugins.registry import installed_games
from hardware.harness.card_world import deck_design
from hardware.harness.gpiosim.chip import SimChip
from hardware.harness.gpiosim.job import RESULTS, as_line, read_job
from hardware.harness.gpiosim.rig import LATE_MS, GpiosimRig
from hardware.harness.gpiosim.unit import Unit
from hardware.harness.runner import Failure, Result, run_scenario
from hardware.harness.scenario import Scenario, load_scenario
from hardware.harness.trace import Fields, Recorder, about, told

TRIES: Final = 3


class Watched(GpiosimRig):
    """The rig, with a trace of what went into the table and what came out: contacts, commands, lines and entries.

    `hardware.harness.replay` puts contacts and commands into a table again; what the camera saw is not kept.
    """

    recorder: Recorder | None = None
    notes: list[tuple[str, float, Fields]]

    def begin(self, recorder: Recorder, scenario: Scenario) -> None:
        """Write a trace of the next scenario."""
        self.recorder, self.notes = recorder, []
        design = deck_design(scenario)
        self.recorder.note(
            "header", self.now(), **about(scenario, "monotonic", None if design is None else design.kind)
        )

    def command(self, record: Record) -> str | None:
        self.notes.append(("command", self.now(), {"record": dict(record)}))
        return super().command(record)

    def close(self) -> None:
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            try:
                self._gather()
            except CompanionError as error:
                self.notes.append(("lost", self.now(), {"why": str(error)}))
            for kind, t, fields in sorted(self.notes, key=lambda note: note[1]):
                recorder.note(kind, t, **fields)
            recorder.note("end", self.now())
            recorder.close()
        super().close()

    def _gather(self) -> None:
        for change in self.changes(0):
            kind, _, name = change.line.partition("/")
            if kind == "button":
                self.notes.append(("contact", change.t, {"button": name, "down": change.on}))
            else:
                self.notes.append(("line", change.t, {"line": change.line, "on": change.on}))
        for entry in self.journal(0):
            self.notes.append(("entry", self.now(), told(entry)))


def run_job(folder: Path, make: Callable[[], Watched]) -> int:
    """Run a job; return how many of its scenarios failed."""
    scenarios, games = read_job(folder), installed_games()
    failed = 0
    with (folder / RESULTS).open("a", encoding="utf-8") as out:

        def tell(line: str) -> None:
            out.write(line + "\n")
            out.flush()

        rig = make()
        up = float(Path("/proc/uptime").read_text().split()[0])
        tell(json.dumps({"kind": "machine", "kernel": platform.release(), "up_s": up}))
        for path in scenarios:
            tell(json.dumps({"kind": "begin", "file": path.name}))
            result, tries, late_ms = run_calmly(rig, load_scenario(path, games), folder / "trace" / path.stem)
            failed += result.failure is not None
            tell(as_line(result, path.name, tries=tries, late_ms=round(late_ms, 1)))
        tell(json.dumps({"kind": "end"}))
    return failed


def run_calmly(rig: Watched, scenario: Scenario, trace: Path) -> tuple[Result, int, float]:
    """Run a scenario; again, if its contacts came so late that they were not the ones it asks for.

    Returns:
        The result, how often it was run, and how late the last run's latest contact was, milliseconds.
    """
    tries = 0
    while True:
        tries += 1
        rig.begin(Recorder(trace), scenario)
        result = run_scenario(rig, scenario)
        with contextlib.suppress(OSError, CompanionError):
            (trace / "companion.log").write_text(rig.logged())
        if result.failure is None or rig.late_ms <= LATE_MS or tries == TRIES:
            return said_late(result, rig.late_ms), tries, rig.late_ms


def said_late(result: Result, late_ms: float) -> Result:
    """Return the result with the rig's own fault told, where it had one."""
    if result.failure is None or late_ms <= LATE_MS:
        return result
    text = f"{result.failure.text} (a contact came {late_ms:.0f} ms late: the machine is overloaded)"
    failure = Failure(result.failure.step, result.failure.line, text)
    return Result(result.scenario, result.rig, result.seconds, result.rig_seconds, failure, measured=result.measured)


if __name__ == "__main__":
    sys.exit(min(1, run_job(Path(sys.argv[1]), lambda: Watched(SimChip(), Unit()))))
