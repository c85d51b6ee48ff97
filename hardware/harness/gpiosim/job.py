"""The exchange between host and virtual machine: the job's files in, one line per result out.

A job is a folder that both see: ``job.json`` names the scenarios beside it, ``results.jsonl`` grows line by line. The
last line is ``{"kind": "end"}``: a job without it did not finish, whatever else it says.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from hardware.harness.rig import RigError
from hardware.harness.runner import Failure, Measured, Result
from hardware.harness.scenario import Scenario

VERSION: Final = 1
JOB: Final = "job.json"
RESULTS: Final = "results.jsonl"
RIG: Final = "gpiosim"


class Fields(TypedDict, total=False):
    """The fields of a line; each kind has its own of these."""

    file: str
    kernel: str
    up_s: float
    seconds: float
    rig_seconds: float
    failure: tuple[int, int, str] | None
    measured: list[tuple[str, str, float]]
    tries: int
    late_ms: float


@dataclass(frozen=True, slots=True)
class Progress:
    """A line that the machine has written: ``machine``, ``begin``, ``result`` or ``end``, with its fields."""

    kind: str
    fields: Fields


def write_job(folder: Path, scenarios: Sequence[Scenario]) -> dict[str, Scenario]:
    """Put scenarios into a job's folder; return them by the names that they have there.

    Raises:
        RigError: the folder cannot be written.
    """
    named = {f"{place:02d}-{scenario.path.name}": scenario for place, scenario in enumerate(scenarios)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RESULTS).unlink(missing_ok=True)
        for name, scenario in named.items():
            shutil.copyfile(scenario.path, folder / name)
        (folder / JOB).write_text(json.dumps({"version": VERSION, "scenarios": list(named)}))
    except OSError as error:
        raise RigError(f"The job cannot be written into {folder}: {error.strerror}. Is the disk full?") from error
    return named


def read_job(folder: Path) -> list[Path]:
    """Return a job's scenario files.

    Raises:
        RigError: there is no job, or one of another version.
    """
    try:
        job = json.loads((folder / JOB).read_text())
        if job["version"] != VERSION:
            raise RigError(f"The job is of version {job['version']}, not {VERSION}. Build the machine again: make hil.")
        return [folder / name for name in job["scenarios"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RigError(f"There is no job in {folder}: {error}. `companion hil run --rig gpiosim` makes one.") from error


# ---- results


def as_line(result: Result, name: str, **more: float) -> str:
    """Return a result as the line that tells it."""
    failure = result.failure
    told = {
        "kind": "result", "file": name,
        "seconds": round(result.seconds, 3), "rig_seconds": round(result.rig_seconds, 3),
        "failure": None if failure is None else [failure.step, failure.line, failure.text],
        "measured": [[m.cause, m.line, round(m.ms, 2)] for m in result.measured], **more,
    }  # fmt: skip
    return json.dumps(told, ensure_ascii=False)


def as_result(told: Progress, named: Mapping[str, Scenario]) -> tuple[str, Result]:
    """Return the result that a line tells, and the scenario's name in the job.

    Raises:
        RigError: it is of no scenario of this job.
    """
    fields = told.fields
    try:
        name = str(fields["file"])
        failure = None if fields["failure"] is None else Failure(*fields["failure"])
        measured = tuple(Measured(*each) for each in fields["measured"])
        return name, Result(
            named[name], RIG, float(fields["seconds"]), float(fields["rig_seconds"]), failure, measured=measured
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RigError(f"The machine tells a result that is none: {dict(fields)}. Build it again: make hil.") from error


class Reader:
    """Reads the results of a job as they are written."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RESULTS
        self._at = 0

    def news(self) -> Iterator[Progress]:
        """Yield the whole lines that were written since the last call; half a line waits for its end.

        Raises:
            RigError: a line that nobody but a broken machine writes.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(self._at)
                more = file.read()
        except FileNotFoundError:
            return
        whole, newline, _ = more.rpartition(b"\n")
        self._at += len(whole) + len(newline)
        for line in whole.split(b"\n"):
            if line.strip():
                yield _told(line)


def _told(line: bytes) -> Progress:
    try:
        fields = json.loads(line)
        return Progress(str(fields.pop("kind")), fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RigError(f"The machine writes {line[:80]!r}, which is no result. See console.log beside it.") from error


def unfinished(scenario: Scenario, why: str) -> Result:
    """Return the result of a scenario that the machine did not finish: it failed, whatever the reason."""
    return Result(scenario, RIG, 0.0, failure=Failure(0, 1, why))
