"""A place on a mat at a look: the chips that may be its bet, and what has to be done or asked about them. Pure."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeVar

from companion.kernel.commands import Record
from companion.kernel.messages import Message, Value, message, slots_of
from companion.service.questions import Choice, Question
from companion.tracking.chips import LOST_S, ChipLying

PlaceT = TypeVar("PlaceT", bound=Hashable)
"""What takes one bet of one player: a box, or a spot of the layout with the player's name."""
Kind = Literal["bet", "taken-up", "known", "moved", "earlier", "stack", "hidden", "refused", "late"]

LEAVE: Final = Choice("leave", message("Leave it"))
_BACK: Final = message("Taken back")
_THERE: Final = Choice("there", message("They lie there"))
HIDDEN_S: Final = 15.0
"""A chip that is bet and out of sight for so long is asked about: a hand that rests is gone by then, a chip isn't."""
_NEWS_S: Final = 1.0
"""What came so shortly before an answer the question did not know of."""


@dataclass(frozen=True, slots=True)
class Spot(Generic[PlaceT]):
    """What is known of a place.

    Attributes:
        chips: all that lie still there and may be bets; one that is gone belongs to them while its coins are bet.
        bet: what is bet there.
        booked: how much of that came from chips.
        unknown: how much of it lies in no chips that the camera knows: a hand may have hidden them when it began to
            look, or they were cleared before the round was undone.
        earlier: how much of these chips lies there for an earlier bet, which a round has left undecided.
        away: how much of that bet is not seen there.
        nudged: those of the chips that may be some that are no bets, moved.
        came: all chips that lie still on the mat, here or elsewhere.
        is_looked_for: one of its chips went out of sight a moment ago.
    """

    place: PlaceT
    chips: tuple[ChipLying, ...]
    bet: int
    booked: int
    unknown: int
    earlier: int
    away: int
    nudged: tuple[ChipLying, ...]
    came: Sequence[ChipLying]
    is_looked_for: bool

    @property
    def missing(self) -> int:
        """How much of what lies there is not bet yet."""
        return worth(self.chips) - self.earlier - self.booked

    @property
    def late(self) -> int:
        """How much of it was laid since no bets are taken any more. What is bet stands, whatever was taken up."""
        return worth(self.lying) - self.earlier - self.booked - self.unknown

    @property
    def is_all(self) -> bool:
        """Whether all that is bet there came from chips: then it can be taken back with them."""
        return 0 < self.booked == self.bet

    @property
    def lying(self) -> tuple[ChipLying, ...]:
        """Its chips but for those that are gone."""
        return tuple(chip for chip in self.chips if not chip.is_gone)

    @property
    def gone(self) -> tuple[ChipLying, ...]:
        """Those that are gone, and of which the dealer has not said that their bet stays."""
        return tuple(chip for chip in self.chips if chip.is_gone and chip.word != "left")

    @property
    def doubtful(self) -> tuple[ChipLying, ...]:
        """Those that may not lie there: unseen, or perhaps pulled out and laid beside."""
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
    def hidden(self) -> tuple[ChipLying, ...]:
        """Those that may have been taken away unseen: out of sight for long, or one like it came elsewhere since."""
        unseen = (chip for chip in self.lying if not chip.is_seen and (chip.is_covered or chip.is_lost))
        return tuple(chip for chip in unseen if self._is_long_hidden(chip) or self._is_perhaps_elsewhere(chip))

    def _is_long_hidden(self, chip: ChipLying) -> bool:
        return not chip.is_vouched_for and chip.unseen_s >= (LOST_S if chip.is_covered else HIDDEN_S)

    def _is_perhaps_elsewhere(self, chip: ChipLying) -> bool:
        return any(self._may_be(chip, one) for one in self.came)

    @property
    def is_long_hidden(self) -> bool:
        """Whether time alone makes all those doubtful."""
        return all(map(self._is_long_hidden, self.hidden))

    def _may_be(self, chip: ChipLying, other: ChipLying) -> bool:
        is_elsewhere = all(other is not one for one in (*self.chips, chip.cover))
        return is_elsewhere and other.chip == chip.chip and _is_later(other, chip, chip.last)

    @property
    def kind(self) -> Kind | None:
        """What has to be done: a bet, a question, or nothing."""
        if self.gone:
            return "taken-up"
        if self.missing <= 0:
            return "hidden" if self.booked and self.hidden else None
        if self.unknown:
            return "known"
        if self.nudged:
            return "moved"
        if self.away:
            return None if self.is_looked_for else "earlier"
        if self.doubtful:
            return "stack"
        return None if self.is_looked_for else "bet"


@dataclass(frozen=True, slots=True)
class Terms(Generic[PlaceT]):
    """How a game says and plays what is about a place.

    Attributes:
        texts: by kind, with slots for ``coins`` and those of the place. A stack has three: ``stack`` for a chip on
            another, ``beside`` where one may have been pulled out, ``more`` where one is not seen any more. So have
            hidden chips: ``hidden``, ``elsewhere`` where one like it came, ``closed`` if no bet can be taken back.
        slots: of a place.
        fields: of a place, in a command.
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
    """A question about chips of a place."""

    spot: Spot[PlaceT] | None = field(default=None, compare=False)
    chips: tuple[ChipLying, ...] = field(default=(), compare=False)


def question_about(spot: Spot[PlaceT], kind: Kind, terms: Terms[PlaceT], *, is_open: bool = True) -> Question:
    """Return a question; bets are taken, and can be taken back, only while they are open."""
    chips, name, coins = spot.chips, str(kind), worth(spot.chips)
    if kind == "stack":
        is_beside = all(chip.is_sure for chip in chips)
        name = "beside" if is_beside else "more" if any(chip.is_out for chip in chips) else "stack"
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

    taken = () if back is None else (Choice("back", _BACK, back),)
    if kind == "taken-up":
        return (*taken, LEAVE)
    if kind == "hidden":
        return (_THERE, *taken, LEAVE)
    if kind == "known":  # is it what is bet there already, or more?
        same = max(0, missing - spot.unknown)
        return in_all("same", spot.bet + same, same), in_all("more", spot.bet + missing, missing), LEAVE
    if kind == "moved":  # is it another one, or that which is no bet?
        return in_all("all", spot.bet + missing, missing), Choice("none", message("It is no bet"))
    if kind == "earlier":  # is it what was taken up of the earlier bet, or a new one?
        return as_new("same", max(0, missing - spot.away)), as_new("more", missing), LEAVE
    if kind == "stack":
        ways = (("all", every, missing), ("top", every - unseen, missing - unseen))
        less = back is not None and missing < unseen
        rest = (Choice("back", message("{coins} in all", coins=every - unseen), back),) if less else ()
        return (*(in_all(name, coins, more) for name, coins, more in ways if more >= 0), *rest, LEAVE)
    return (LEAVE,)


def worth(chips: Iterable[ChipLying]) -> int:
    """Return the coins that chips stand for."""
    return sum(chip.chip.value for chip in chips)


def _is_later(one: ChipLying, unseen: ChipLying, since: float) -> bool:
    """Say whether one chip came after another went out of sight, and after the dealer's latest word on that."""
    return one.since > max(since, unseen.said_at - _NEWS_S)


def standing(most: int, chips: Iterable[ChipLying]) -> tuple[ChipLying, ...]:
    """Return those of a place's chips that make up most of an earlier bet, and no more than it.

    A chip that is worth more than that bet does not stand for it unless the dealer has said so.
    """
    sums: dict[int, tuple[ChipLying, ...]] = {0: ()}
    for chip in chips if most else ():
        more = {so_far + chip.earlier: (*some, chip) for so_far, some in sums.items() if so_far + chip.earlier <= most}
        sums = {**more, **sums}
    return sums[max(sums)]


def id_of(kind: str, chips: Iterable[ChipLying]) -> str:
    """Return the id of a question about chips."""
    return f"{kind}:{'-'.join(str(chip.id) for chip in chips)}"
