"""The chips on one place of a mat, and what to do or ask about them. Pure."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeVar

from companion.kernel.commands import Record
from companion.kernel.messages import Message, Value, message, slots_of
from companion.service.questions import Choice, Question
from companion.tracking.chips import LOST_S, TrackedChip

PlaceT = TypeVar("PlaceT", bound=Hashable)
"""What holds one bet of one player: a box, or a spot of the layout together with the player's name."""
Kind = Literal["bet", "taken-up", "known", "moved", "earlier", "stack", "hidden", "refused", "late"]

LEAVE_CHOICE: Final = Choice("leave", message("Leave it"))
_TAKEN_BACK_LABEL: Final = message("Taken back")
_STILL_THERE_CHOICE: Final = Choice("there", message("They lie there"))
HIDDEN_S: Final = 15.0
"""A bet's chip out of sight for this long is asked about: by then a resting hand would have moved away."""
_ANSWER_OVERLAP_S: Final = 1.0
"""A chip that came this shortly before an answer was not yet considered in the question."""


@dataclass(frozen=True, slots=True)
class Spot(Generic[PlaceT]):
    """The state of one place. Amounts are coins.

    Attributes:
        place: the place.
        chips: its settled chips that may be bets; a gone chip is included while its coins are bet.
        bet: the current bet.
        booked: the part of the bet that is in chips.
        unknown: the part of the bet that is not in chips known to the camera: a hand may have hidden them when the
            camera started, or they were cleared before the round was undone.
        earlier: the worth of the chips that belong to an earlier, still undecided bet.
        away: the part of that earlier bet that is not seen there.
        nudged: chips that may be non-bet chips, moved.
        came: all settled chips on the mat, here or elsewhere.
        just_vanished: whether one of its chips went out of sight a moment ago.
    """

    place: PlaceT
    chips: tuple[TrackedChip, ...]
    bet: int
    booked: int
    unknown: int
    earlier: int
    away: int
    nudged: tuple[TrackedChip, ...]
    came: Sequence[TrackedChip]
    just_vanished: bool

    @property
    def missing(self) -> int:
        """The worth of its chips that is not bet yet."""
        return worth(self.chips) - self.earlier - self.booked

    @property
    def late(self) -> int:
        """The worth of the chips laid after betting closed. Bets stand even if chips are picked up."""
        return worth(self.lying) - self.earlier - self.booked - self.unknown

    @property
    def is_all(self) -> bool:
        """Whether the whole bet is in chips, so that it can be taken back with them."""
        return 0 < self.booked == self.bet

    @property
    def lying(self) -> tuple[TrackedChip, ...]:
        """Its chips without those that are gone."""
        return tuple(chip for chip in self.chips if not chip.is_gone)

    @property
    def gone(self) -> tuple[TrackedChip, ...]:
        """The chips that are gone, except those whose bet the dealer said stays."""
        return tuple(chip for chip in self.chips if chip.is_gone and chip.statement != "left")

    @property
    def doubtful(self) -> tuple[TrackedChip, ...]:
        """The chips that may not be there: unseen, or perhaps pulled out and laid beside the stack."""
        beside = [chip for chip in self.chips if not chip.is_covered]
        found = []
        for chip in self.chips:
            later = (one for one in beside if chip.cover is not None and _is_later(one, chip, chip.cover.since))
            twin = next((one for one in later if one.chip == chip.chip), None)
            if not chip.is_sure:
                found.append(chip)
            elif twin is not None:
                beside.remove(twin)
                found.append(chip)
        return tuple(found)

    @property
    def hidden(self) -> tuple[TrackedChip, ...]:
        """The chips that may have been removed unseen: long out of sight, or an equal one appeared elsewhere since."""
        unseen = (chip for chip in self.lying if not chip.is_seen and (chip.is_covered or chip.is_lost))
        return tuple(chip for chip in unseen if self._is_long_hidden(chip) or self._is_perhaps_elsewhere(chip))

    def _is_long_hidden(self, chip: TrackedChip) -> bool:
        return not chip.is_vouched_for and chip.unseen_s >= (LOST_S if chip.is_covered else HIDDEN_S)

    def _is_perhaps_elsewhere(self, chip: TrackedChip) -> bool:
        return any(self._may_be(chip, one) for one in self.came)

    @property
    def is_long_hidden(self) -> bool:
        """Whether all hidden chips are in doubt because of the time alone."""
        return all(map(self._is_long_hidden, self.hidden))

    def _may_be(self, chip: TrackedChip, other: TrackedChip) -> bool:
        is_elsewhere = all(other is not one for one in (*self.chips, chip.cover))
        return is_elsewhere and other.chip == chip.chip and _is_later(other, chip, chip.last)

    @property
    def kind(self) -> Kind | None:
        """The pending action: ``bet``, a kind of question, or None."""
        if self.gone:
            return "taken-up"
        if self.missing <= 0:
            return "hidden" if self.booked and self.hidden else None
        if self.unknown:
            return "known"
        if self.nudged:
            return "moved"
        if self.away:
            return None if self.just_vanished else "earlier"
        if self.doubtful:
            return "stack"
        return None if self.just_vanished else "bet"


@dataclass(frozen=True, slots=True)
class Terms(Generic[PlaceT]):
    """A game's texts and commands for its places.

    Attributes:
        texts: by kind, with slots for ``coins`` and the place. A stack has three texts: ``stack`` for a chip on
            another, ``beside`` if one may have been pulled out, ``more`` if one is no longer seen. So do hidden chips:
            ``hidden``, ``elsewhere`` if an equal one appeared, ``closed`` if bets can no longer be taken back.
        slots: returns a place's text slots.
        fields: returns a place's command fields.
    """

    texts: Mapping[str, Message]
    slots: Callable[[PlaceT], Mapping[str, Value]]
    fields: Callable[[PlaceT], Mapping[str, str]]

    def bet(self, place: PlaceT, coins: int) -> Record:
        return {"do": "bet", **self.fields(place), "amount": coins}

    def back(self, place: PlaceT) -> Record:
        return {"do": "take-back", **self.fields(place)}

    def text(self, name: str, place: PlaceT, coins: int) -> Message:
        key = self.texts[name].key
        slots = {**self.slots(place), "coins": coins}
        return Message(key, {slot: slots[slot] for slot in slots_of(key)})


@dataclass(frozen=True, slots=True)
class ChipQuestion(Question, Generic[PlaceT]):
    """A question about the chips of a place; ``chips`` are those it names."""

    spot: Spot[PlaceT] | None = field(default=None, compare=False)
    chips: tuple[TrackedChip, ...] = field(default=(), compare=False)


def question_about(spot: Spot[PlaceT], kind: Kind, terms: Terms[PlaceT], *, is_open: bool = True) -> Question:
    """Return the question of this kind about a place; ``is_open``: whether bets can be placed and taken back."""
    chips, name, coins = spot.chips, str(kind), worth(spot.chips)
    if kind == "stack":
        is_beside = all(chip.is_sure for chip in chips)
        name = "beside" if is_beside else "more" if any(chip.may_be_gone for chip in chips) else "stack"
    elif kind == "taken-up":
        chips, coins = spot.gone, worth(spot.gone)
    elif kind == "hidden":
        chips, coins = spot.hidden, worth(spot.hidden)
        name = "closed" if not is_open else "hidden" if spot.is_long_hidden else "elsewhere"
    elif kind == "moved":
        chips = spot.nudged
    elif kind in ("known", "earlier"):
        coins = spot.unknown if kind == "known" else spot.away
    text = terms.text(name, spot.place, coins)
    choices = _choices(spot, kind, terms, is_open=is_open)
    return ChipQuestion(id_of(f"chip-{kind}", chips), kind, text, choices, spot=spot, chips=tuple(chips))


def _choices(spot: Spot[PlaceT], kind: Kind, terms: Terms[PlaceT], *, is_open: bool) -> tuple[Choice, ...]:
    missing, place = spot.missing, spot.place
    every, unseen = worth(spot.chips), worth(spot.doubtful)
    back = terms.back(place) if spot.is_all and is_open else None

    def in_all(name: str, coins: int, more: int) -> Choice:
        return Choice(name, message("{coins} in all", coins=coins), terms.bet(place, more) if more else None)

    def as_new(name: str, coins: int) -> Choice:
        label = message("{coins} as a new bet", coins=coins) if coins else message("Nothing: it is the earlier bet")
        return Choice(name, label, terms.bet(place, coins) if coins else None)

    taken = () if back is None else (Choice("back", _TAKEN_BACK_LABEL, back),)
    if kind == "taken-up":
        return (*taken, LEAVE_CHOICE)
    if kind == "hidden":
        return (_STILL_THERE_CHOICE, *taken, LEAVE_CHOICE)
    if kind == "known":  # are these chips the existing bet, or additional?
        same = max(0, missing - spot.unknown)
        return in_all("same", spot.bet + same, same), in_all("more", spot.bet + missing, missing), LEAVE_CHOICE
    if kind == "moved":  # is it a new chip, or the non-bet one?
        return in_all("all", spot.bet + missing, missing), Choice("none", message("It is no bet"))
    if kind == "earlier":  # are these the chips picked up from the earlier bet, or a new bet?
        return as_new("same", max(0, missing - spot.away)), as_new("more", missing), LEAVE_CHOICE
    if kind == "stack":
        ways = (("all", every, missing), ("top", every - unseen, missing - unseen))
        less = back is not None and missing < unseen
        rest = (Choice("back", message("{coins} in all", coins=every - unseen), back),) if less else ()
        return (*(in_all(name, coins, more) for name, coins, more in ways if more >= 0), *rest, LEAVE_CHOICE)
    return (LEAVE_CHOICE,)


def worth(chips: Iterable[TrackedChip]) -> int:
    """Return the total value of chips, coins."""
    return sum(chip.chip.value for chip in chips)


def _is_later(one: TrackedChip, unseen: TrackedChip, since: float) -> bool:
    """Whether one chip came after another went out of sight, and after the dealer's latest statement on it."""
    return one.since > max(since, unseen.stated_at - _ANSWER_OVERLAP_S)


def standing(most: int, chips: Iterable[TrackedChip]) -> tuple[TrackedChip, ...]:
    """Return the subset of a place's chips with the largest total of `earlier` coins not above ``most``.

    A chip worth more than the earlier bet does not stand for it unless the dealer has said so (which lowers `earlier`).
    """
    sums: dict[int, tuple[TrackedChip, ...]] = {0: ()}
    for chip in chips if most else ():
        more = {so_far + chip.earlier: (*some, chip) for so_far, some in sums.items() if so_far + chip.earlier <= most}
        sums = {**more, **sums}
    return sums[max(sums)]


def id_of(kind: str, chips: Iterable[TrackedChip]) -> str:
    """Return the id of a question about chips."""
    return f"{kind}:{'-'.join(str(chip.id) for chip in chips)}"
