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
from hardware.harness.trace import Fields, Recorder, entry_fields, header_fields

TRIES: Final = 3


class TracedRig(GpiosimRig):
    """The rig with a trace of contacts, commands, changes of lines and journal entries.

    The trace has no frames, so `hardware.harness.replay` reproduces only what follows from contacts and commands.
    """

    recorder: Recorder | None = None
    notes: list[tuple[str, float, Fields]]

    def begin(self, recorder: Recorder, scenario: Scenario) -> None:
        """Start the trace of the next scenario."""
        self.recorder, self.notes = recorder, []
        design = deck_design(scenario)
        self.recorder.write(
            "header", self.now(), **header_fields(scenario, "monotonic", None if design is None else design.kind)
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
            for kind, t, fields in sorted(self.notes, key=lambda write: write[1]):
                recorder.write(kind, t, **fields)
            recorder.write("end", self.now())
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
            self.notes.append(("entry", self.now(), entry_fields(entry)))


def run_job(folder: Path, make: Callable[[], TracedRig]) -> int:
    """Run a job; return the number of failed scenarios."""
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
            result, tries, late_ms = run_with_retries(rig, load_scenario(path, games), folder / "trace" / path.stem)
            failed += result.failure is not None
            tell(as_line(result, path.name, tries=tries, late_ms=round(late_ms, 1)))
        tell(json.dumps({"kind": "end"}))
    return failed


def run_with_retries(rig: TracedRig, scenario: Scenario, trace: Path) -> tuple[Result, int, float]:
    """Run a scenario; if it fails and contacts were played too late to be valid, repeat it up to `TRIES` times.

    Returns:
        The result, the number of runs, and the maximum delay of a contact in the last run, milliseconds.
    """
    tries = 0
    while True:
        tries += 1
        rig.begin(Recorder(trace), scenario)
        result = run_scenario(rig, scenario)
        with contextlib.suppress(OSError, CompanionError):
            (trace / "companion.log").write_text(rig.logged())
        if result.failure is None or rig.late_ms <= LATE_MS or tries == TRIES:
            return _with_lateness(result, rig.late_ms), tries, rig.late_ms


def _with_lateness(result: Result, late_ms: float) -> Result:
    """Return the result, with a note in the failure text if contacts were played too late."""
    if result.failure is None or late_ms <= LATE_MS:
        return result
    text = f"{result.failure.text} (a contact came {late_ms:.0f} ms late: the machine is overloaded)"
    failure = Failure(result.failure.step, result.failure.line, text)
    return Result(result.scenario, result.rig, result.seconds, result.rig_seconds, failure, measured=result.measured)


if __name__ == "__main__":
    sys.exit(min(1, run_job(Path(sys.argv[1]), lambda: TracedRig(SimChip(), Unit()))))
