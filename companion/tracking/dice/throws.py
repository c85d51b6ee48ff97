"""Interprets a die at rest: which throw to play now, and what to ask the dealer.

Pure. One throw is one command: each rest of the die counts at most once, and without asking only if the die was thrown.
A throw that cannot be read waits for the dealer's answer even if the die is picked up meanwhile; later throws queue
behind it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from typing import Final, Protocol, runtime_checkable

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Question
from companion.tracking.dice import questions as asks
from companion.tracking.dice.questions import AGAIN, FIRST, with_evidence
from companion.tracking.dice.tray import Lie
from companion.tracking.dice.verdict import Verdict, throw_record

RETRY_S: Final = 1.0
_SAME_PLACE: Final = 0.2
_ENTRY_LEAD_S: Final = 6.0
_MAX_RESTS_KEPT: Final = 50


class ThrowStatus(Enum):
    """The status of one rest of the die."""

    NEW = "new"
    "Thrown and read: to be played."
    COUNTED = "counted"
    "Its throw was played, by the camera or by hand."
    ASIDE = "aside"
    "It does not count."
    UNSURE = "unsure"
    "Thrown, but not readable: the dealer is asked, and later throws wait."
    ASKED = "asked"
    "The dealer is asked for as long as the die lies there."
    UNDONE = "undone"
    "Its throw was undone."


@dataclass(slots=True)
class Rest:
    """A rest of the die with its reading; ``kind`` is the kind of its open question, empty without one."""

    lie: Lie
    verdict: Verdict
    status: ThrowStatus
    kind: str = ""
    evidence: str | None = None
    retry: float = 0.0
    times: int = 0
    question: Question | None = None

    @property
    def shown(self) -> str | None:
        return self.verdict.shown

    @property
    def key(self) -> str:
        return f"throw-{self.lie.id}-{self.times}"

    @property
    def record(self) -> Record:
        """The corresponding command."""
        assert self.shown is not None
        return with_evidence(throw_record(self.shown), self.evidence)


def no_way(now: Situation) -> Choice | None:
    """Return None: an early throw cannot be made to count."""
    return None


@dataclass(frozen=True, slots=True)
class ThrowRules:
    """A game's rules about throws.

    Attributes:
        dice: the game's dice, in words.
        early: returns the `FIRST` choice that makes an early throw count; None without one.
    """

    dice: Message = message("the die of this game")  # noqa: RUF009 (a frozen value)
    early: Callable[[Situation], Choice | None] = no_way


ANY_THROW: Final = ThrowRules()


class Throws:
    """Tracks the rests of the die and their status."""

    def __init__(self, rules: ThrowRules) -> None:
        self._rules = rules
        self.rests: list[Rest] = []
        self._known_count: int | None = None
        self._early_entry: float | None = None
        "When a throw was entered by hand that may belong to a die not read yet."
        self._effective: list[Rest | None] = []
        "The rests of the effective throws, latest last; None for an entry by hand without a rest that was seen."

    @property
    def current(self) -> Rest | None:
        """The latest rest; the die may have been picked up since."""
        return self.rests[-1] if self.rests else None

    # ---- a die came to rest and was read

    def take(self, lie: Lie, verdict: Verdict, evidence: str | None, now: Situation, *, same: bool) -> Rest:
        """Add a rest whose reading is complete.

        Args:
            same: whether the die lies unchanged in the same place.
        """
        before = self.current
        if before is not None and _is_same_rest(before, lie, verdict, same):
            before.lie = replace(lie, id=before.lie.id)
            return before
        rest = Rest(lie, verdict, ThrowStatus.ASIDE, evidence=evidence)
        rest.status, rest.kind = self._classify(rest, is_due(now))
        self.lifted()  # the die may have been thrown again before the tray was ever seen empty
        self.rests.append(rest)
        del self.rests[:-_MAX_RESTS_KEPT]
        return rest

    def _classify(self, rest: Rest, due: bool) -> tuple[ThrowStatus, str]:
        lie, trouble = rest.lie, rest.verdict.trouble
        if trouble == "wrong-kind":
            return ThrowStatus.ASKED, "wrong-die"
        if lie.origin == "there":
            return ThrowStatus.ASIDE, ""
        if lie.origin != "thrown" and lie.alone and trouble != "leaning":
            kind = "unseen" if lie.origin == "found" else "placed"
            return ThrowStatus.ASKED, "unread" if rest.shown is None else kind
        if trouble == "leaning":
            return ThrowStatus.ASKED, "leaning"
        ahead, self._early_entry = self._early_entry, None
        if not due:
            return (ThrowStatus.ASKED, "early") if rest.shown else (ThrowStatus.ASIDE, "")
        if rest.shown is None:
            return (ThrowStatus.UNSURE, "unsure") if lie.alone else (ThrowStatus.ASIDE, "")
        if not lie.alone:
            return ThrowStatus.ASKED, "two-dice"
        if ahead is not None and lie.since - ahead < _ENTRY_LEAD_S:
            return ThrowStatus.ASKED, "twice"
        return ThrowStatus.NEW, ""

    def lifted(self) -> None:
        """The die was picked up: close the questions that depend on its lying there."""
        for rest in self.rests:
            if rest.status in (ThrowStatus.ASKED, ThrowStatus.UNDONE):
                rest.status = ThrowStatus.ASIDE if rest.status is ThrowStatus.ASKED else ThrowStatus.UNDONE
                rest.kind = ""

    # ---- the table

    def follow(self, count: int, t: float, on_its_way: bool) -> None:
        """Register throws entered by hand or undone since the last call.

        Args:
            count: the number of effective throws.
            on_its_way: whether a die is in motion or not read yet.
        """
        more = 0 if self._known_count is None else count - self._known_count
        self._known_count = count
        for _ in range(more):
            self._assign_entry(t, on_its_way)
        for _ in range(-more):
            self._undo_latest()

    def _assign_entry(self, t: float, on_its_way: bool) -> None:
        """Assign an entry by hand: to the oldest waiting throw, else to an undone one, else to the one asked about.

        If none waits and a die is on its way, the entry may be for that die instead; `_early_entry` notes it.
        """
        waiting = [r for r in self.rests if r.status in (ThrowStatus.NEW, ThrowStatus.UNSURE)]
        if not waiting and on_its_way:
            self._early_entry = t
        waiting += [r for r in self.rests if r.status is ThrowStatus.UNDONE][-1:]
        waiting += [r for r in self.rests[-1:] if r.status is ThrowStatus.ASKED]
        if waiting:
            waiting[0].status, waiting[0].kind = ThrowStatus.COUNTED, ""
        self._add_effective(waiting[0] if waiting else None)

    def _add_effective(self, rest: Rest | None) -> None:
        self._effective = [*self._effective, rest][-_MAX_RESTS_KEPT:]

    def _undo_latest(self) -> None:
        """The latest throw was undone; nothing changes if it was entered by hand without a rest that was seen."""
        rest = self._effective.pop() if self._effective else None
        if rest is not None:
            rest.status = ThrowStatus.UNDONE
            rest.kind = "undone" if rest is self.current else ""

    def next(self, now: Situation, t: float) -> Rest | None:
        """Return the throw to play now, or None; no throw overtakes an unread one that is being asked about."""
        waiting = next((r for r in self.rests if r.status in (ThrowStatus.NEW, ThrowStatus.UNSURE)), None)
        if waiting is None or waiting.status is ThrowStatus.UNSURE or waiting.retry > t or not is_due(now):
            return None
        return waiting

    def played(self, rest: Rest) -> None:
        """The throw was played."""
        rest.status, rest.kind, rest.times = ThrowStatus.COUNTED, "", rest.times + 1
        self._known_count = (self._known_count or 0) + 1
        self._add_effective(rest)

    def refused(self, rest: Rest, t: float) -> None:
        """The throw was refused; retry after `RETRY_S`."""
        rest.retry = t + RETRY_S

    # ---- questions

    def questions(self, now: Situation) -> tuple[Question, ...]:
        """Return the open questions."""
        leaning = sum(1 for _ in takewhile(lambda rest: rest.verdict.trouble == "leaning", reversed(self.rests)))
        for rest in self.rests:
            rest.question = _question(rest, now, self._rules, leaning)
        return tuple(rest.question for rest in self.rests if rest.question is not None)

    def answered(self, question: Question, choice: Choice) -> None:
        """The dealer answered a question about one of the rests."""
        number = question.id.rpartition(":")[2]
        rest = next((r for r in self.rests if str(r.lie.id) == number), None)
        if rest is None or rest.status is ThrowStatus.COUNTED:
            return
        if choice.id == AGAIN:
            rest.status, rest.kind = ThrowStatus.ASIDE, ""
        elif choice.id == FIRST:
            rest.status, rest.kind = ThrowStatus.NEW, ""
        elif choice.command is not None:
            self.played(rest)


@runtime_checkable
class CountsThrows(Protocol):
    """State of a game that counts throws."""

    @property
    def throws(self) -> int:
        """The number of effective throws; an undo lowers it."""
        ...


def is_due(now: Situation) -> bool:
    """Whether the game accepts a throw now."""
    return "throw" in now.expected


def _is_same_rest(before: Rest, lie: Lie, verdict: Verdict, same: bool) -> bool:
    """Whether this is the previous rest again, interrupted only by a shadow, a hand over it or a nudge."""
    if None not in (before.shown, verdict.shown) and before.shown != verdict.shown:
        return False
    near = before.lie.spot.apart(lie.spot) < _SAME_PLACE
    if near and same and before.status is not ThrowStatus.UNSURE:
        return True
    alike = verdict.shown is not None and verdict.shown == before.shown
    return alike and (lie.origin == "bumped" or (lie.origin == "found" and near))


def _question(rest: Rest, now: Situation, rules: ThrowRules, leaning: int) -> Question | None:
    key, shown, evidence = rest.lie.id, rest.shown, rest.evidence
    if rest.status is ThrowStatus.UNSURE:
        return asks.about_unsure(key, rest.verdict, evidence)
    if rest.kind == "leaning":
        return asks.about_leaning(key, in_a_row=leaning)
    if rest.kind == "wrong-die":
        return asks.about_wrong_kind(key, rest.verdict.kind, rules.dice)
    if rest.kind == "unread":
        return asks.about_unread(key, rest.verdict, evidence)
    if not rest.kind or shown is None:
        return None
    if rest.kind == "early":
        return asks.about_early(key, shown, rules.early(now))
    about = {
        "placed": asks.about_placed,
        "unseen": asks.about_unseen,
        "twice": asks.about_twice,
        "undone": asks.about_undone,
        "two-dice": asks.about_left,
    }[rest.kind]
    return about(key, shown, evidence)
