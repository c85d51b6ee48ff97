"""Exchange of jobs and results between the host and the virtual machine.

A job is a shared folder: ``job.json`` lists the scenario files beside it, and the machine appends its results to
``results.jsonl``. The last line is ``{"kind": "end"}``; without it, the job was not completed.
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
    """The fields of a line; each kind uses some of them."""

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
    """A line of the results; the kind is ``machine``, ``begin``, ``result`` or ``end``."""

    kind: str
    fields: Fields


def write_job(folder: Path, scenarios: Sequence[Scenario]) -> dict[str, Scenario]:
    """Write a job; return its scenarios by their file names in the folder.

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
        RigError: there is no job, or it has another version.
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
    """Return the line of a result."""
    failure = result.failure
    progress = {
        "kind": "result", "file": name,
        "seconds": round(result.seconds, 3), "rig_seconds": round(result.rig_seconds, 3),
        "failure": None if failure is None else [failure.step, failure.line, failure.text],
        "measured": [[m.cause, m.line, round(m.ms, 2)] for m in result.measured], **more,
    }  # fmt: skip
    return json.dumps(progress, ensure_ascii=False)


def as_result(progress: Progress, named: Mapping[str, Scenario]) -> tuple[str, Result]:
    """Parse the line of a result; return the scenario's file name in the job, and the result.

    Raises:
        RigError: the fields are invalid, or the scenario does not belong to this job.
    """
    fields = progress.fields
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
    """Reads the results of a job incrementally."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / RESULTS
        self._at = 0

    def new_lines(self) -> Iterator[Progress]:
        """Yield the complete lines written since the last call.

        Raises:
            RigError: a line is invalid.
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
                yield _parse(line)


def _parse(line: bytes) -> Progress:
    try:
        fields = json.loads(line)
        return Progress(str(fields.pop("kind")), fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RigError(f"The machine writes {line[:80]!r}, which is no result. See console.log beside it.") from error


def unfinished(scenario: Scenario, why: str) -> Result:
    """Return the failure of a scenario that the machine did not finish."""
    return Result(scenario, RIG, 0.0, failure=Failure(0, 1, why))
