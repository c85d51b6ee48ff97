"""Bets from chips on a mat: what of each bet came from chips, which chips are no bets, and what only the dealer knows.

Chips that lie still on a place are bet there once, in every round anew. What was taken back or undone by hand is not
bet again, what is done again has its chips, and what phones and the dealer bet is left alone. A game says which place
a chip lies on, what is bet there, and which command and sentence goes with it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic, TypeVar

from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.service.questions import Choice, Question
from companion.tracking.chips import ChipLying, may_be
from companion.tracking.earlier_chips import EarlierChips

PlaceT = TypeVar("PlaceT", bound=Hashable)
"""What takes one bet of one player: a box, or a spot of the layout with the player's name."""

LEAVE: Final = Choice("leave", message("Leave it"))
PAID: Final = (
    Choice("stay", message("Paid: chips there are bets")),
    Choice("away", message("Paid: chips there are no bets")),
)
_UNDONE_KEPT: Final = 20
_START_S: Final = 1.5  # so long chips are looked for before any is bet
_AGAIN_S: Final = 3.0


class ChipBets(Generic[PlaceT]):
    """Holds the chips on a mat against what is bet. Not thread-safe.

    Attributes:
        is_started: chips were looked for long enough.
        is_paying: a round was decided, and the dealer has not said yet which of the chips there are bets.
        booked: what of each bet came from chips.
        before: what is bet and lies in no chips that the camera knows: a hand may have hidden them when it began to
            look, or they were cleared before the round was undone.
    """

    def __init__(self) -> None:
        self.is_started = self.is_paying = False
        self.booked: dict[PlaceT, int] = {}
        self.before: dict[PlaceT, int] = {}
        self._chips: Sequence[ChipLying] = ()
        self._bets: Mapping[PlaceT, int] = {}
        self._where: dict[int, PlaceT] = {}
        "Chips that lie still, and their places."
        self._t = 0.0
        self._since: float | None = None
        self._no_bets: set[int] = set()
        "Chips that lie there and are none: after a round, or taken back by hand."
        self._not_there: set[int] = set()
        "Chips of which the dealer has said that they were taken away unseen."
        self._undone: deque[tuple[object, dict[PlaceT, int], set[int]]] = deque(maxlen=_UNDONE_KEPT)
        "Tables from before something was taken back or undone, what was booked then, and which chips were no bets."
        self._earlier: EarlierChips[PlaceT] = EarlierChips()
        self._refused: dict[PlaceT, tuple[int, float]] = {}
        self._excused: set[str] = set()

    # ---- what is seen and played

    def see(
        self,
        chips: Sequence[ChipLying],
        bets: Mapping[PlaceT, int],
        place_of: Callable[[ChipLying], PlaceT | None],
        t: float,
        *,
        has_mat: bool,
        earlier: Mapping[PlaceT, int] | None = None,
    ) -> bool:
        """Take note of the chips on the mat and of what is bet. Return whether it had been started before.

        At first, what is bet and lies there was bet with these chips; the rest is asked about.

        Args:
            earlier: what earlier rounds have left undecided.
        """
        self._chips, self._bets, self._t = chips, bets, t
        self._earlier.see(earlier or {})
        places = {chip.id: place_of(chip) for chip in chips if chip.is_settled}
        self._where = {id_: place for id_, place in places.items() if place is not None}
        self._no_bets &= {chip.id for chip in chips}
        self._not_there &= {chip.id for chip in chips if not chip.is_seen}
        if has_mat and self._since is None:
            self._since = t
        if self.is_started or self._since is None or t - self._since < _START_S:
            return self.is_started
        self._earlier.begin(chips)
        self._book_what_lies()
        self.is_started, self.is_paying = True, any(self.missing(place) > 0 for place in self.groups())
        return False

    def turn_round(self, *, is_paying: bool, is_undone: bool) -> None:
        """A round was decided, or that was undone: then the bets from before lie there, whatever was undone since."""
        self.is_paying = is_paying
        self.booked, self.before, self._refused, self._excused = {}, {}, {}, set()
        self._earlier.begin(self._chips)
        if is_undone:
            self._no_bets = set()
            self._book_what_lies()

    def follow(self, before: object, state: object) -> None:
        """Take note of bets that were taken back or undone by hand, or done again, between two states of the table."""
        less = [place for place, coins in self.booked.items() if self._bet(place) < coins]
        if less:
            self._undone.append((before, dict(self.booked), set(self._no_bets)))
        for place in less:  # the chips wait to be taken up
            self._no_bets |= {chip.id for chip in self.at(place)}
            del self.booked[place]
        while any(known is state for known, _, _ in self._undone):  # done again: with the chips that it was bet with
            _, self.booked, self._no_bets = self._undone.pop()
        self._forget_known()

    def book(self, place: PlaceT, coins: int) -> None:
        """A bet of chips was played."""
        self._refused.pop(place, None)
        if coins:
            self.booked[place] = self.booked.get(place, 0) + coins

    def refuse(self, place: PlaceT, coins: int) -> None:
        """A bet of chips was refused: it is tried again every few seconds."""
        self._refused[place] = coins, self._t

    def count_none_of(self, chips: Iterable[ChipLying]) -> None:
        """These chips are no bets until the next round."""
        self._no_bets |= {chip.id for chip in chips}

    def seat(self, before: Mapping[int, str], now: Mapping[int, str]) -> None:
        """Take note of who sits where: chips that lay there when somebody sat down are not theirs."""
        new = {seat for seat, player in now.items() if before.get(seat) != player}
        self.count_none_of(chip for chip in self._chips if chip.chip.seat in new)

    def take_away(self, chips: Iterable[ChipLying]) -> None:
        """These chips do not lie there any more, unless they are seen again."""
        self._not_there |= {chip.id for chip in chips}

    # ---- what lies there

    def here(self) -> Iterator[ChipLying]:
        """Return all chips that lie there, as far as anybody knows."""
        return (chip for chip in self._chips if chip.id not in self._not_there)

    def settled(self) -> Iterator[ChipLying]:
        """Return the chips that lie still, but for those that are no bets."""
        out = self._no_bets | self._not_there
        return (chip for chip in self._chips if chip.id not in out and chip.is_settled)

    def done_with(self) -> list[ChipLying]:
        """Return the chips that are gone, and whose going means nothing."""
        out = self._no_bets | self._not_there
        return [chip for chip in self._chips if chip.id in out and chip.is_gone]

    def groups(self) -> dict[PlaceT, list[ChipLying]]:
        """Return the settled chips of each place, but for those that are no bets."""
        found: dict[PlaceT, list[ChipLying]] = defaultdict(list)
        for chip in self.settled():
            if chip.id in self._where:
                found[self._where[chip.id]].append(chip)
        return found

    def at(self, place: PlaceT) -> list[ChipLying]:
        """Return the chips of a place."""
        return self.groups().get(place, [])

    def missing(self, place: PlaceT, *, is_paid: bool = True) -> int:
        """Return how much of what lies there is not bet yet.

        Args:
            is_paid: else whatever is left undecided is taken to lie there in chips.
        """
        chips = self.at(place)
        earlier = self._earlier.worth(place, chips) if is_paid else self._earlier.bet(place)
        return worth(chips) - earlier - self.booked.get(place, 0)

    def away(self, place: PlaceT) -> int:
        """Return how much of an earlier bet the camera does not see there, nor knows under a hand."""
        here = (chip for chip in self._laid(place) if is_sure(chip) and not chip.is_covered)
        return self._earlier.bet(place) - self._earlier.worth(place, here)

    def _laid(self, place: PlaceT) -> Iterator[ChipLying]:
        """Return all settled chips of a place, also those that are no bets."""
        return (chip for chip in self.here() if self._where.get(chip.id) == place)

    def moved(self, chips: Sequence[ChipLying]) -> list[ChipLying]:
        """Return the chips that may be some that are no bets and were nudged."""
        no_bets = [chip for chip in self._chips if chip.id in self._no_bets]
        return [chip for chip in chips if not chip.is_counted and may_be(chip, no_bets)]

    def is_refused(self, place: PlaceT, coins: int) -> bool:
        """Say whether the table has refused to bet just so much there."""
        return place in self._refused and self._refused[place][0] == coins

    def waits(self, place: PlaceT, coins: int) -> bool:
        """Say whether it has done so a moment ago."""
        return self.is_refused(place, coins) and self._t - self._refused[place][1] < _AGAIN_S

    def due(self) -> Iterator[tuple[PlaceT, list[ChipLying], int]]:
        """Return where how much more has to be bet, with the chips there: nothing speaks against it."""
        if not self.is_started or self.is_paying:
            return
        for place, chips in self.groups().items():
            more = self.missing(place)
            is_clear = place not in self.before and not doubtful(chips) and not self.moved(chips)
            is_clear = is_clear and not self.is_looking(place) and not self.away(place)
            if more > 0 and is_clear and not self.waits(place, more):
                yield place, chips, more

    def is_looking(self, place: PlaceT) -> bool:
        """Say whether a chip there went out of sight a moment ago: another one may be that one, moved."""
        return any(not (chip.is_seen or chip.is_covered or chip.is_out) for chip in self._laid(place))

    def is_all(self, place: PlaceT) -> bool:
        """Say whether all that is bet there came from chips: then it can be taken back with them."""
        return 0 < self.booked.get(place, 0) == self._bet(place)

    def _bet(self, place: PlaceT) -> int:
        return self._bets.get(place, 0)

    def _unbooked(self, place: PlaceT) -> int:
        """Return what of a bet did not come from chips, as far as the camera knows."""
        return self._bet(place) - self.booked.get(place, 0)

    def _book_what_lies(self) -> None:
        self.booked = {}  # so what is missing is all that lies there, but for chips of earlier bets
        lying = {place: min(self._bet(place), max(0, self.missing(place))) for place in self.groups()}
        self.booked = {place: coins for place, coins in lying.items() if coins}
        self.before = {place: self._unbooked(place) for place in self._bets}
        self._forget_known()

    def _forget_known(self) -> None:
        """Keep of what was bet before only what is bet still, and in no chips."""
        known = {place: min(coins, self._unbooked(place)) for place, coins in self.before.items()}
        self.before = {place: coins for place, coins in known.items() if coins > 0}

    # ---- what is asked

    def unanswered(self, asked: Iterable[Question]) -> tuple[Question, ...]:
        """Return the questions that the dealer has not left."""
        return tuple(question for question in asked if question.id not in self._excused)

    def how_much(
        self, place: PlaceT, bet: Callable[[int], Record], back: Record | None = None
    ) -> tuple[Choice, ...]:  # fmt: skip
        """Return the answers to how much lies where chips may be there or not, each with the bet that it makes.

        Args:
            back: takes the place's bet back, all of which came from chips: where less lies there, the rest is bet anew.
        """
        chips, missing = self.at(place), self.missing(place)
        every, unseen = worth(chips), worth(doubtful(chips))
        ways = (("all", every, missing), ("top", every - unseen, missing - unseen))
        less = (Choice("back", message("{coins} in all", coins=every - unseen), back),) if missing < unseen else ()
        more = (_in_all(name, coins, more, bet) for name, coins, more in ways if more >= 0)
        return (*more, *(less if back is not None else ()), LEAVE)

    def how_much_known(self, place: PlaceT, bet: Callable[[int], Record]) -> tuple[Choice, ...]:
        """Return the answers to whether chips that came to light are what is bet there already, or more."""
        missing = self.missing(place)
        ways = (("same", max(0, missing - self.before[place])), ("more", missing))
        return (*(_in_all(name, self._bet(place) + more, more, bet) for name, more in ways), LEAVE)

    def how_much_anew(self, place: PlaceT) -> tuple[int, int]:
        """Return how much is bet anew if chips that came are what was taken up of an earlier bet, and if they are not.

        The answers to it are called "same" and "more".
        """
        missing = self.missing(place)
        return max(0, missing - self.away(place)), missing

    def how_much_moved(self, place: PlaceT, bet: Callable[[int], Record]) -> tuple[Choice, ...]:
        """Return the answers to whether a chip is another or one that is no bet and was nudged."""
        missing = self.missing(place)
        return _in_all("all", self._bet(place) + missing, missing, bet), Choice("none", message("It is no bet"))

    def answered(self, question: Question, choice: Choice, place: PlaceT | None) -> None:
        """Take an answer; ``place`` is the one that it is about, if any."""
        ids = {int(part) for part in question.id.split(":")[1].split("-") if part.isdigit()}
        chips = [chip for chip in self._chips if chip.id in ids]
        if choice.id == LEAVE.id:
            self._excused.add(question.id)
        elif question.kind == "paying":
            self._take_paid(choice)
        elif place is not None and (question.kind == "taken-up" or choice.id == "back"):
            self.take_away(doubtful(chips))
            self.booked.pop(place, None)
        elif place is not None and question.kind == "known":
            self._take_known(place, choice)
        elif place is not None and question.kind == "earlier":
            self._take_earlier(place, choice)
        elif question.kind in ("stack", "moved"):
            self._take_chips(chips, place, choice)

    def _take_chips(self, chips: Sequence[ChipLying], place: PlaceT | None, choice: Choice) -> None:
        """The dealer said which of these chips lie there, or are bets."""
        if choice.command is not None and place is not None:
            self.book(place, choice.command["amount"])
        if choice.id == "top":
            self.take_away(doubtful(chips))
        elif choice.id == "none":
            self.count_none_of(chips)
        for chip in chips:
            chip.is_counted = True

    def _take_paid(self, choice: Choice) -> None:
        """The dealer has paid, and said whether chips there are bets."""
        self.is_paying = False
        self._no_bets = set()
        if choice.id == "away":  # what is bet all the same, after an undo, is in no chips that are seen
            self._no_bets = {chip.id for chip in self._chips}
            for place, coins in self.booked.items():
                self.before[place] = self.before.get(place, 0) + coins
            self.booked = {}

    def _take_earlier(self, place: PlaceT, choice: Choice) -> None:
        """The dealer said whether chips that came are what was taken up of an earlier bet."""
        standing = self._earlier.standing(place, self.at(place))
        self.take_away(chip for chip in standing if chip.is_gone or (choice.id == "same" and chip.is_covered))
        if choice.id == "same":
            self._earlier.take(place, self.at(place), min(self.missing(place), self.away(place)))
        if choice.command is not None:
            self.book(place, choice.command["amount"])

    def _take_known(self, place: PlaceT, choice: Choice) -> None:
        """The dealer said whether chips are what is bet there already, or more."""
        if choice.command is not None:
            self.book(place, choice.command["amount"])
        self.book(place, min(max(0, self.missing(place)), self.before.get(place, 0)))
        if choice.id == "more":
            self.before.pop(place, None)


def worth(chips: Iterable[ChipLying]) -> int:
    """Return the coins that chips stand for."""
    return sum(chip.chip.value for chip in chips)


def is_sure(chip: ChipLying) -> bool:
    """Say whether a chip lies there: it is seen, or was so a moment ago, or the dealer has counted it."""
    is_under = chip.cover is None or (chip.is_counted and not chip.cover.is_out)
    return is_under and not chip.is_out


def doubtful(chips: Iterable[ChipLying]) -> list[ChipLying]:
    """Return those of a place's chips that may not lie there: unseen, or perhaps pulled out and laid beside."""
    chips = list(chips)
    beside = [chip for chip in chips if not (chip.is_covered or chip.is_counted)]
    found = []
    for chip in chips:
        later = (one for one in beside if chip.cover is not None and one.since > chip.cover.since)
        twin = next((one for one in later if one.chip == chip.chip), None)
        if not is_sure(chip):
            found.append(chip)
        elif twin is not None:
            beside.remove(twin)
            found.append(chip)
    return found


def id_of(kind: str, chips: Iterable[ChipLying]) -> str:
    """Return the id of a question about chips."""
    return f"{kind}:{'-'.join(str(chip.id) for chip in chips)}"


def _in_all(name: str, coins: int, more: int, bet: Callable[[int], Record]) -> Choice:
    return Choice(name, message("{coins} in all", coins=coins), bet(more) if more else None)
