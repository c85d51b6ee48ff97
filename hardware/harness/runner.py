"""Runs a scenario on a rig, step by step, and records the measurements."""

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError
from hardware.harness import steps as s
from hardware.harness.checks import (
    contains_cue,
    durations,
    follows_rhythm,
    has_fields,
    interval_text,
    matches,
    value_at,
)
from hardware.harness.rig import Contact, Rig, Supervised
from hardware.harness.scenario import LocatedStep, Scenario
from hardware.panel.texts import NAMES

log = logging.getLogger(__name__)

TRIES: Final = 3
"""Attempts to verify a blink pattern in real time, because a busy machine may delay a change."""


class ExpectationFailed(CompanionError):
    """An expectation was not met in time."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The delay between a cause and a line's change."""

    cause: str
    line: str
    ms: float


@dataclass(frozen=True, slots=True)
class Failure:
    """The step at which a scenario failed, its line in the file, and the reason."""

    step: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a scenario.

    Attributes:
        seconds: duration in real time.
        rig_seconds: duration on the rig's clock.
        skipped: the reason if it was not run.
        measured: the measured delays.
    """

    scenario: Scenario
    rig: str
    seconds: float
    rig_seconds: float = 0.0
    failure: Failure | None = None
    skipped: str | None = None
    measured: tuple[Measured, ...] = ()


def run_scenario(rig: Rig, scenario: Scenario) -> Result:
    """Run one scenario up to the first step that fails."""
    begun = time.monotonic()
    runner = Runner(rig, scenario)
    failure: Failure | None = None
    start = 0.0
    try:
        rig.open(scenario)
        start = rig.now()
        failure = runner.run()
    except CompanionError as error:
        failure = Failure(0, 1, str(error))
    finally:
        spent = rig.now() - start if start else 0.0
        rig.close()
    return Result(scenario, rig.name, time.monotonic() - begun, spent, failure, measured=tuple(runner.measured))


@dataclass(slots=True)
class Runner:
    """The state of one run.

    Attributes:
        seq: sequence number of the last journal entry checked.
        cause: name and time of the latest press or movement.
        commanded: when the latest command was sent; its cue may sound before the reply arrives.
    """

    rig: Rig
    scenario: Scenario
    seq: int = 0
    cause: tuple[str, float] | None = None
    commanded: float | None = None
    measured: list[Measured] = field(default_factory=list)
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def run(self) -> Failure | None:
        """Execute the steps; return the failure, if any."""
        self.seq = max((entry["seq"] for entry in self.rig.journal(0)), default=0)
        for number, placed in enumerate(self.scenario.steps, start=1):
            try:
                self.do(placed)
            except CompanionError as error:
                return Failure(number, placed.line, str(error))
        return None

    def do(self, placed: LocatedStep) -> None:
        """Execute one step with the method named after its first key.

        Raises:
            CompanionError: the action is not possible, or the expectation is not met.
        """
        log.debug("Step in line %d: %r", placed.line, placed.step)
        do: Callable[[s.Step], None] = getattr(self, next(iter(type(placed.step).model_fields)))
        do(placed.step)

    # ---- actions

    def press(self, step: s.Press) -> None:
        for _ in range(step.times):
            contacts = [
                contact
                for place, button in enumerate(step.press)
                for contact in self._contacts(button, place * step.apart_ms / 1000, step.for_ms / 1000, step.bounce_ms)
            ]
            self.rig.wait(step.after_ms / 1000)
            began = self.rig.play(sorted(contacts, key=lambda contact: contact.at))
        how = "hold" if {"undo", "hold"} & set(step.press) else "press"
        self.cause = (f"{how} {'+'.join(NAMES[button] for button in step.press)}", began)

    def _contacts(self, button: str, at: float, lasts: float, bounce_ms: int) -> list[Contact]:
        return [*self._bounce(button, True, at, bounce_ms), *self._bounce(button, False, at + lasts, bounce_ms)]

    def _bounce(self, button: str, is_down: bool, at: float, bounce_ms: int) -> list[Contact]:
        """Return an edge followed by contact bounce; the last edge restores the intended level."""
        edges, t, level = [Contact(button, is_down, at)], at, is_down
        ends = at + bounce_ms / 1000
        while (t := t + self.rng.uniform(0.0002, 0.0015)) < ends or level != is_down:
            level = not level
            edges.append(Contact(button, level, t))
        return edges

    def down(self, step: s.Down) -> None:
        self.cause = (f"{NAMES[step.down]} down", self.rig.play([Contact(step.down, True, 0.0)]))

    def up(self, step: s.Up) -> None:
        self.cause = (f"{NAMES[step.up]} up", self.rig.play([Contact(step.up, False, 0.0)]))

    def noise(self, step: s.Noise) -> None:
        contacts, t, level = [], 0.0, False
        while (t := t + self.rng.uniform(0.0005, 0.004)) < step.for_ms / 1000:
            level = not level
            contacts.append(Contact(step.noise, level, t))
        contacts.append(Contact(step.noise, False, step.for_ms / 1000))
        self.cause = (f"noise on {NAMES[step.noise]}", self.rig.play(contacts))

    def command(self, step: s.Command) -> None:
        self.commanded = self.rig.now()
        code = self.rig.command(step.command)
        if code != step.refused:
            raise ExpectationFailed(f"The command was {'accepted' if code is None else f'refused ({code})'}.")
        self.cause = None

    def move(self, step: s.Step) -> None:
        words = {s.Lay: "card at rest", s.Take: "card taken", s.Gather: "gathered", s.Hand: "hand", s.Camera: "camera",
                 s.Happen: "at rest"}  # fmt: skip
        self.cause = (words[type(step)], self.rig.move(step))

    lay = take = gather = hand = happen = camera = move

    def wait_ms(self, step: s.Wait) -> None:
        self.rig.wait(step.wait_ms / 1000)

    def kill(self, step: s.Kill) -> None:
        self.rig.kill()

    def start(self, step: s.Start) -> None:
        self.rig.start()
        self.cause = None

    def hang(self, step: s.Hang) -> None:
        self._supervised().hang()

    def _supervised(self) -> Supervised:
        if not isinstance(self.rig, Supervised):
            raise ExpectationFailed(
                f"Nobody watches over the table of the {self.rig.name} rig. Run it with --rig gpiosim."
            )
        return self.rig

    # ---- expectations

    def until(self, check: Callable[[], str | None], within_ms: float) -> None:
        """Poll a check until it returns None instead of a complaint.

        Raises:
            ExpectationFailed: the last complaint, after the timeout.
        """
        ends = self.rig.now() + (within_ms + self.rig.extra_timeout_ms) / 1000
        while (complaint := check()) is not None:
            if self.rig.now() >= ends:
                raise ExpectationFailed(f"{complaint} (waited {within_ms:.0f} ms)")
            self.rig.wait(self.rig.poll_s)

    def expect(self, step: s.Expect) -> None:
        def check() -> str | None:
            view = self.rig.view()
            for path, wanted in step.expect.items():
                found = value_at(view, path)
                if not matches(found, wanted):
                    return f"{path} is {found!r}, not {wanted!r}"
            return None

        self.until(check, step.within_ms)

    def journal(self, step: s.Journal) -> None:
        """Compare the commands journaled since the last check; entries up to here count as checked."""
        self.until(lambda: self._compare(step.journal), step.within_ms)
        self.seq = max([self.seq, *(entry["seq"] for entry in self.rig.journal(self.seq))])

    def _compare(self, wanted: tuple[Record, ...]) -> str | None:
        entries = [entry for entry in self.rig.journal(self.seq) if entry["kind"] == "command"]
        fits = len(entries) == len(wanted) and all(
            has_fields(entry, part) for entry, part in zip(entries, wanted, strict=True)
        )
        if fits:
            return None
        found = "; ".join(f"{e['do']} by {e['source']}" for e in entries) or "nothing"
        return f"The journal has {found}; wanted: {'; '.join(str(dict(part)) for part in wanted) or 'nothing'}"

    def balances(self, step: s.Balances) -> None:
        shown = self.rig.view()
        accounts = {player["name"]: player["coins"] for player in shown["players"]}
        accounts |= {"house": shown["house"], **{f"pot/{suit}": coins for suit, coins in shown["pots"].items()}}
        wrong = [
            f"{name} has {accounts.get(name)}, not {n}" for name, n in step.balances.items() if accounts.get(name) != n
        ]
        if wrong:
            raise ExpectationFailed("; ".join(wrong))

    def lines(self, step: s.Lines) -> None:
        since = self.cause[1] if self.cause else self.rig.now()
        left = max(0.0, since + step.within_ms / 1000 - self.rig.now()) * 1000
        self.until(lambda: self._lines_differ(step.lines), left)
        self._measure(step, since)
        if step.for_ms:
            self.rig.wait(step.for_ms / 1000)
            if (complaint := self._lines_differ(step.lines)) is not None:
                raise ExpectationFailed(f"{complaint} ({step.for_ms} ms later)")

    def _lines_differ(self, wanted: Mapping[str, bool]) -> str | None:
        shown = self.rig.lines()
        unknown = [line for line in wanted if line not in shown]
        if unknown:
            raise ExpectationFailed(f"There is no line {unknown[0]!r}. This panel has {', '.join(sorted(shown))}.")
        wrong = [line for line, on in wanted.items() if shown[line] != on]
        return f"{', '.join(wrong)} should be {'on' if wanted[wrong[0]] else 'off'}" if wrong else None

    def _measure(self, step: s.Lines, since: float) -> None:
        """Record the delay of each line's change to the expected state.

        Raises:
            ExpectationFailed: a change came too late, even if the state is right by now.
        """
        if self.cause is None:
            return
        changes = self.rig.changes(0)
        for line, on in step.lines.items():
            times = [change.t for change in changes if change.line == line and change.on == on and change.t >= since]
            if not times:
                continue  # it was already in this state
            took = (times[0] - since) * 1000
            self.measured.append(Measured(self.cause[0], f"{line} {'on' if on else 'off'}", took))
            if took > step.within_ms + self.rig.slack_ms:
                raise ExpectationFailed(f"{line} took {took:.0f} ms, more than {step.within_ms}")

    def blinks(self, step: s.Blinks) -> None:
        rhythm = step.rhythm if isinstance(step.rhythm, tuple) else self._pattern(step.rhythm)
        tries = TRIES if self.rig.slack_ms else 1
        for left in reversed(range(tries)):
            since = self.rig.now()
            self.rig.wait(sum(rhythm) * (step.cycles + 1) / 1000)
            intervals = durations(self.rig.changes(0), step.blinks, since)
            if follows_rhythm(intervals, rhythm, step.slack_ms + self.rig.slack_ms) and len(intervals) >= step.cycles:
                return
            if not left:
                raise ExpectationFailed(f"{step.blinks} was {interval_text(intervals)}; its rhythm is {rhythm}")

    def _pattern(self, name: str) -> tuple[int, ...]:
        found = getattr(self.scenario.panel.patterns, name, None)
        if found is None:
            raise ExpectationFailed(
                f"There is no pattern {name!r}. Patterns: {', '.join(type(self.scenario.panel.patterns).model_fields)}."
            )
        rhythm: tuple[int, ...] = tuple(found)
        return rhythm

    def still(self, step: s.Still) -> None:
        since = self.rig.now()
        self.rig.wait(step.for_ms / 1000)
        moved = sorted({c.line for c in self.rig.changes(0) if c.t > since and c.line in step.still})
        if moved:
            raise ExpectationFailed(f"{', '.join(moved)} changed within {step.for_ms} ms, and should not")

    def buzzes(self, step: s.Buzzes) -> None:
        wanted = tuple(getattr(self.scenario.panel.cues, step.buzzes, ()))
        if not wanted:
            raise ExpectationFailed(
                f"There is no cue {step.buzzes!r}. Cues: {', '.join(type(self.scenario.panel.cues).model_fields)}."
            )
        since = self.cause[1] if self.cause else self.commanded or self.rig.now()

        def check() -> str | None:
            intervals = durations(self.rig.changes(0), "buzzer", since)
            if contains_cue(intervals, wanted, step.slack_ms + self.rig.slack_ms):
                return None
            return f"The buzzer was {interval_text(intervals)}; {step.buzzes} is {wanted}"

        self.until(check, step.within_ms)

    def page(self, step: s.Page) -> None:
        def check() -> str | None:
            text = self.rig.page(step.page)
            if step.has is not None and step.has not in text:
                return f"{step.page} lacks {step.has!r}"
            return f"{step.page} has {step.lacks!r}" if step.lacks is not None and step.lacks in text else None

        self.until(check, step.within_ms)

    def notice(self, step: s.Notice) -> None:
        def check() -> str | None:
            texts = [notice["text"] for notice in self.rig.view()["notices"]]
            return (
                None if any(step.notice in text for text in texts) else f"No notice says {step.notice!r}; told: {texts}"
            )

        self.until(check, step.within_ms)

    def says(self, step: s.Says) -> None:
        start = len(self.rig.display_history() or ())

        def check() -> str | None:
            shown = self.rig.display_history()
            if shown is None:
                raise ExpectationFailed("This rig has no display. Leave the step out, or run it on the mock rig.")
            recent = shown[max(0, start - 1) :]
            screen = " ".join(f"{upper} {lower}" for upper, lower in recent)
            apart = " ".join(upper for upper, _ in recent), " ".join(lower for _, lower in recent)
            return (
                None if any(step.says in " ".join(text.split()) for text in (screen, *apart)) else f"It says {screen!r}"
            )

        self.until(check, step.within_ms)

    def log(self, step: s.Log) -> None:
        supervised = self._supervised()
        self.until(lambda: None if step.log in supervised.logged() else f"The log lacks {step.log!r}", step.within_ms)


assert all(hasattr(Runner, name) for name in s.KINDS)
