"""Host side of the gpiosim rig: boots the virtual machine with a job, follows its results, and enforces time limits.

One machine at a time. Its output stays in the cache's ``job`` folder: ``console.log``, ``companion.log``,
``results.jsonl`` and a trace for each scenario.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from hardware.harness.gpiosim.image import ROOT, Image, Say, exclusive_lock
from hardware.harness.gpiosim.job import RIG, Progress, Reader, as_result, unfinished, write_job
from hardware.harness.rig import RigError
from hardware.harness.runner import Result
from hardware.harness.scenario import Scenario

VM: Final = ROOT / "hardware" / "harness" / "vm"
_POLL_S: Final = 0.2
_GRACE_S: Final = 60.0
_MAX_FACTOR: Final = 8.0


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Time limits of the machine, seconds.

    Attributes:
        boot_s: without output until the machine is up.
        scenario_s: without output afterwards.
        all_s: in total.
        boots: maximum number of boot attempts, if the machine dies before its job begins.
    """

    boot_s: float = 600.0
    scenario_s: float = 900.0
    all_s: float = 3 * 3600.0
    boots: int = 2


def time_limits_for(load: float, processors: int, say: Say = lambda text: None) -> TimeLimits:
    """Return the time limits, extended on a busy host in proportion to its load.

    >>> [time_limits_for(load, 2).boot_s for load in (0.4, 6.0, 99.0)]
    [600.0, 1800.0, 4800.0]
    """
    times = min(_MAX_FACTOR, max(1.0, load / processors))
    if times >= 2:
        say(f"this machine is busy (load {load:.0f} on {processors} processors): waiting {times:.0f} times as long.")
    usual = TimeLimits()
    return TimeLimits(usual.boot_s * times, usual.scenario_s * times, usual.all_s * times)


Boot = Callable[[Image, Path, float], "subprocess.Popen[bytes]"]
OnResult = Callable[[Result], None]


def run_machine(
    image: Image,
    scenarios: Sequence[Scenario],
    tell: OnResult,
    say: Say,
    *,
    patience: TimeLimits | None = None,
    boot: Boot | None = None,
) -> list[Result]:
    """Run scenarios in the machine; return their results in order.

    A scenario that the machine does not finish has failed, with the reason. Scenarios for other rigs are skipped.

    Args:
        tell: called with each result as soon as it is available.
        say: called with progress messages.
        patience: time limits; None: depending on the host's load.
        boot: starts the machine with a job and a time limit in seconds; None: with qemu.

    Raises:
        RigError: the machine is already in use, or cannot be started.
    """
    selected = [scenario for scenario in scenarios if RIG in scenario.rigs]
    results: dict[int, Result] = {}

    def keep(result: Result) -> None:
        results[id(result.scenario)] = result
        tell(result)

    for scenario in scenarios:
        if scenario not in selected:
            keep(Result(scenario, RIG, 0.0, skipped=f"Only for the rigs {', '.join(scenario.rigs)}."))
    if selected:
        with exclusive_lock(image.folder), exit_on_sigterm():
            patience = patience or time_limits_for(os.getloadavg()[0], os.cpu_count() or 1, say)
            _Session(image, selected, keep, say, patience, boot or _boot).run()
    return [results[id(scenario)] for scenario in scenarios]


@contextlib.contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM (from a timeout or a service manager) into SystemExit, so that the machine is stopped as well."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Session:
    """A job from its first boot attempt to its end."""

    def __init__(
        self, image: Image, scenarios: Sequence[Scenario], keep: OnResult, say: Say, patience: TimeLimits, boot: Boot
    ) -> None:
        self._image, self._keep, self._say, self._patience, self._boot = image, keep, say, patience, boot
        self._scenarios = scenarios
        self._job = image.folder / "job"
        self._remaining: dict[str, Scenario] = {}
        self._running: str | None = None
        self._is_up = self._is_over = False

    def run(self) -> None:
        ends = time.monotonic() + self._patience.all_s
        why = ""
        for attempt in range(1, self._patience.boots + 1):
            self._say(
                "booting the machine (emulated: a minute or several) ..." if attempt == 1 else f"{why} Once more."
            )
            why = self._run_once(ends)
            if self._is_over or self._is_up:
                break
        for name, scenario in self._remaining.items():
            is_cause = name == self._running or self._running is None
            self._keep(unfinished(scenario, why if is_cause else f"It was not run. {why}"))

    def _run_once(self, ends: float) -> str:
        """Boot once and follow the job; return the reason for its end, '' if it was completed."""
        shutil.rmtree(self._job, ignore_errors=True)
        named = write_job(self._job, self._scenarios)
        shutil.copyfile(VM / "job.sh", self._job / "job.sh")
        self._remaining = dict(named)
        process = self._boot(self._image, self._job, ends - time.monotonic())
        try:
            return self._follow_machine(process, Reader(self._job), named, ends)
        finally:
            _terminate(process, _GRACE_S if self._is_over else 0.0)

    def _follow_machine(
        self, process: subprocess.Popen[bytes], reader: Reader, named: Mapping[str, Scenario], ends: float
    ) -> str:
        last_news_at = time.monotonic()
        while True:
            is_dead = process.poll() is not None  # checked first, so that its last output is still read
            for progress in reader.new_lines():
                last_news_at = time.monotonic()
                self._process(progress, named)
            if self._is_over:
                return ""
            if is_dead:
                return f"The machine ended before its job did. {self._output_tail()}"
            allowed = self._patience.scenario_s if self._is_up else self._patience.boot_s
            if time.monotonic() > min(last_news_at + allowed, ends):
                what = "told nothing" if self._is_up else "not come up"
                silent_s = time.monotonic() - last_news_at
                return f"The machine has {what} for {silent_s:.0f} s and was ended. {self._output_tail()}"
            time.sleep(_POLL_S)

    def _process(self, progress: Progress, named: Mapping[str, Scenario]) -> None:
        if progress.kind == "machine":
            self._is_up = True
            self._say(
                f"up after {progress.fields.get('up_s', 0):.0f} s of its own, kernel {progress.fields.get('kernel')}"
            )
        elif progress.kind == "begin":
            self._running = str(progress.fields.get("file"))
        elif progress.kind == "result":
            name, result = as_result(progress, named)
            self._remaining.pop(name, None)
            self._keep(result)
        elif progress.kind == "end":
            self._is_over = True

    def _output_tail(self) -> str:
        for name in ("job.out", "console.log"):
            with contextlib.suppress(OSError):
                lines = (self._job / name).read_text(errors="replace").strip().splitlines()
                if lines:
                    return f"{name} ends with: {lines[-1][:200]} (all of it in {self._job})"
        return f"It said nothing in {self._job}."


def _boot(image: Image, job: Path, limit_s: float) -> subprocess.Popen[bytes]:
    """Start qemu in its own session, so that all its processes can be killed."""
    log: IO[bytes] = (job / "qemu.log").open("wb")
    with log:
        try:
            return subprocess.Popen(
                ["bash", str(VM / "boot.sh"), str(image.folder), str(job)],
                env={**os.environ, "LIMIT": f"{max(1.0, limit_s):.0f}"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise RigError(f"The machine cannot be started: {error.strerror}. Install bash and qemu.") from error


def _terminate(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """Stop the machine with all its processes, after a grace period for its own shutdown."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(grace_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
