"""Bets from chips on a mat: what of each bet came from chips, which chips are no bets, and what only the dealer knows.

Chips that lie still on a place are bet there once, in every round anew. What was taken back or undone by hand is not
bet again, what is done again has its chips, and what phones and the dealer bet is left alone. A game says which place
a chip lies on, what is bet there, and which words go with it; `Spot` says what follows.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic

from companion.kernel.messages import message
from companion.service.questions import Choice, Question
from companion.tracking.chip_spots import LEAVE, ChipQuestion, Kind, PlaceT, Spot, Terms, question_about, standing
from companion.tracking.chips import ChipLying, Word

_PAID: Final = (
    Choice("stay", message("Paid: chips there are bets")),
    Choice("away", message("Paid: chips there are no bets")),
)
_UNDONE_KEPT: Final = 20
_START_S: Final = 1.5  # so long chips are looked for before any is bet
_AGAIN_S: Final = 3.0


class ChipBets(Generic[PlaceT]):
    """Holds the chips on a mat against what is bet. Not thread-safe.

    Args:
        terms: how the game says and plays it.
        all_laid_s: so long after a refused bet's last chip no other is coming that makes it up.

    Attributes:
        is_started: chips were looked for long enough.
        is_paying: a round was decided, and the dealer has not said yet which of the chips there are bets.
        booked: what of each bet came from chips.
    """

    def __init__(self, terms: Terms[PlaceT], all_laid_s: float = 0.0) -> None:
        self.is_started = self.is_paying = False
        self.booked: dict[PlaceT, int] = {}
        self._unknown: dict[PlaceT, int] = {}
        "What is bet and lies in no chips that the camera knows; see `Spot`."
        self._terms, self._all_laid_s = terms, all_laid_s
        self._chips: Sequence[ChipLying] = ()
        self._bets: Mapping[PlaceT, int] = {}
        self._earlier: Mapping[PlaceT, int] = {}
        self._where: dict[int, PlaceT] = {}
        "Chips that lie still, and their places."
        self._t = 0.0
        self._since: float | None = None
        self._undone: deque[tuple[object, dict[PlaceT, int], set[int]]] = deque(maxlen=_UNDONE_KEPT)
        "Tables from before something was taken back or undone, what was booked then, and which chips were no bets."
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
        self._chips = [*chips, *self._forgotten({chip.id for chip in chips})]
        self._bets, self._earlier, self._t = bets, earlier or {}, t
        places = {chip.id: place_of(chip) for chip in self._chips if chip.is_settled}
        self._where = {id_: place for id_, place in places.items() if place is not None}
        for chip in self._chips:
            if chip.is_seen:
                chip.word = None
            elif chip.is_out and not self._is_booked(chip):  # no bet before it is seen again
                chip.word = "away"
        if has_mat and self._since is None:
            self._since = t
        if self.is_started or self._since is None or t - self._since < _START_S:
            return self.is_started
        self._begin()
        self._book_what_lies()
        self.is_started, self.is_paying = True, any(spot.missing > 0 for spot in self.spots())
        return False

    def _forgotten(self, here: set[int]) -> Iterator[ChipLying]:
        """Return the chips whose coins are bet, and which are gone so surely that nobody follows them."""
        for chip in self._chips:
            if chip.id not in here and self._is_booked(chip) and self._counts(chip):
                chip.is_seen, chip.cover, chip.hidden_s = False, None, float("inf")
                yield chip

    def turn_round(self, *, is_paying: bool, is_undone: bool) -> None:
        """A round was decided, or that was undone: then the bets from before lie there, whatever was undone since."""
        self.is_paying = is_paying
        self.booked, self._unknown, self._refused, self._excused = {}, {}, {}, set()
        self._begin()
        if is_undone:
            for chip in self._chips:
                chip.is_bet = True
            self._book_what_lies()

    def follow(self, before: object, state: object) -> None:
        """Take note of bets that were taken back or undone by hand, or done again, between two states of the table."""
        less = [place for place, coins in self.booked.items() if self._bet(place) < coins]
        if less:
            no_bets = {chip.id for chip in self._chips if not chip.is_bet}
            self._undone.append((before, dict(self.booked), no_bets))
        for place in less:  # the chips wait to be taken up
            self.count_none_of(self.spot(place).chips)
            del self.booked[place]
        while any(known is state for known, _, _ in self._undone):  # done again: with the chips that it was bet with
            _, self.booked, no_bets = self._undone.pop()
            for chip in self._chips:
                chip.is_bet = chip.id not in no_bets
        self._forget_known()

    def book(self, place: PlaceT, coins: int) -> None:
        """A bet of chips was played."""
        self._refused.pop(place, None)
        if coins:
            self.booked[place] = self.booked.get(place, 0) + coins

    def refuse(self, place: PlaceT, coins: int) -> None:
        """A bet of chips was refused: it is tried again every few seconds."""
        self._refused[place] = coins, self._t

    @staticmethod
    def count_none_of(chips: Iterable[ChipLying]) -> None:
        """These chips are no bets until the next round."""
        for chip in chips:
            chip.is_bet = False

    def seat(self, before: Mapping[int, str], now: Mapping[int, str]) -> None:
        """Take note of who sits where: chips that lay there when somebody sat down are not theirs."""
        new = {seat for seat, player in now.items() if before.get(seat) != player}
        self.count_none_of(chip for chip in self._chips if chip.chip.seat in new)

    # ---- what lies there

    def here(self) -> Iterator[ChipLying]:
        """Return all chips that lie there, as far as anybody knows."""
        return (chip for chip in self._chips if chip.word != "away")

    def settled(self) -> Iterator[ChipLying]:
        """Return the chips that lie still, but for those that are no bets."""
        return (chip for chip in self._chips if self._counts(chip))

    def done_with(self) -> list[ChipLying]:
        """Return the chips that are gone, and whose going means nothing."""
        return [chip for chip in self._chips if chip.is_gone and (chip.word == "away" or not chip.is_bet)]

    def spots(self) -> Iterator[Spot[PlaceT]]:
        """Return the places where chips lie that may be bets."""
        found: dict[PlaceT, list[ChipLying]] = defaultdict(list)
        for chip in self.settled():
            if chip.id in self._where:
                found[self._where[chip.id]].append(chip)
        return (self._spot(place, chips) for place, chips in found.items())

    def spot(self, place: PlaceT) -> Spot[PlaceT]:
        """Return a place."""
        return self._spot(place, [chip for chip in self.settled() if self._where.get(chip.id) == place])

    def due(self) -> Iterator[Spot[PlaceT]]:
        """Return where something has to be bet: nothing speaks against it."""
        if not self.is_started or self.is_paying:
            return
        for spot in self.spots():
            if spot.kind == "bet" and not self.waits(spot.place, spot.missing):
                yield spot

    def is_refused(self, place: PlaceT, coins: int) -> bool:
        """Say whether the table has refused to bet just so much there."""
        return place in self._refused and self._refused[place][0] == coins

    def waits(self, place: PlaceT, coins: int) -> bool:
        """Say whether it has done so a moment ago."""
        return self.is_refused(place, coins) and self._t - self._refused[place][1] < _AGAIN_S

    def _is_booked(self, chip: ChipLying) -> bool:
        place = self._where.get(chip.id)
        return place is not None and place in self.booked

    @staticmethod
    def _counts(chip: ChipLying) -> bool:
        return chip.is_settled and chip.is_bet and chip.word != "away"

    def _spot(self, place: PlaceT, chips: Sequence[ChipLying]) -> Spot[PlaceT]:
        laid = [chip for chip in self.here() if self._where.get(chip.id) == place]
        most = self._earlier.get(place, 0)
        seen = [chip for chip in laid if chip.is_sure and not chip.is_covered]
        no_bets = [chip for chip in self.here() if not chip.is_bet]
        return Spot(
            place,
            tuple(chips),
            bet=self._bet(place),
            booked=self.booked.get(place, 0),
            unknown=self._unknown.get(place, 0),
            earlier=sum(chip.earlier for chip in standing(most, chips)),
            away=most - sum(chip.earlier for chip in standing(most, seen)),
            nudged=tuple(chip for chip in chips if any(lies_where(chip, other) for other in no_bets)),
            came=[chip for chip in self._chips if chip.is_settled],
            is_looked_for=any(chip.is_looked_for for chip in laid),
        )

    def _bet(self, place: PlaceT) -> int:
        return self._bets.get(place, 0)

    def _begin(self) -> None:
        """The chips that lie there now may be those of earlier bets."""
        for chip in self._chips:
            chip.earlier = chip.chip.value if chip.is_settled else 0
            if chip.word == "there" and not chip.is_vouched_for:
                chip.word = None

    def _book_what_lies(self) -> None:
        self.booked = {}  # so what is missing is all that lies there, but for chips of earlier bets
        lying = {spot.place: min(spot.bet, max(0, spot.missing)) for spot in self.spots()}
        self.booked = {place: coins for place, coins in lying.items() if coins}
        self._unknown = dict(self._bets)
        self._forget_known()

    def _forget_known(self) -> None:
        """Keep of what lies in no chips that are known only what is bet still, and not booked."""
        for place, coins in list(self._unknown.items()):
            self._unknown[place] = min(coins, self._bet(place) - self.booked.get(place, 0))
            if self._unknown[place] <= 0:
                del self._unknown[place]

    # ---- what is asked

    def questions(self) -> Iterator[Question]:
        """Return what is asked about places while bets are taken, but for what the dealer has left."""
        for spot in self.spots():
            if spot.kind not in (None, "bet"):
                yield from self.ask(spot, spot.kind)
            elif spot.missing > 0 and self.is_refused(spot.place, spot.missing) and self._is_all_laid(spot):
                yield from self.ask(spot, "refused")

    def ask(self, spot: Spot[PlaceT], kind: Kind, *, is_open: bool = True) -> Iterator[Question]:
        """Ask about a place, unless the dealer has left that; see `question_about`."""
        yield from self.unanswered([question_about(spot, kind, self._terms, is_open=is_open)])

    def unanswered(self, asked: Iterable[Question]) -> Iterator[Question]:
        """Return the questions that the dealer has not left."""
        return (question for question in asked if question.id not in self._excused)

    def _is_all_laid(self, spot: Spot[PlaceT]) -> bool:
        return self._t - max(chip.since for chip in spot.chips) >= self._all_laid_s

    def answered(self, question: Question, choice: Choice) -> None:
        """Take an answer."""
        if question.kind == "paying":
            self._take_paid(choice)
        elif choice == LEAVE and question.kind != "taken-up":
            self._excused.add(question.id)
        elif isinstance(question, ChipQuestion) and question.spot is not None:
            self._take_answer(question.spot, question, choice)

    def _take_answer(self, spot: Spot[PlaceT], question: ChipQuestion[PlaceT], choice: Choice) -> None:
        if choice.id == "back":
            self.booked.pop(spot.place, None)
        missing, coins = spot.missing, int((choice.command or {}).get("amount", 0))
        if question.kind == "known":
            self.book(spot.place, missing)
            if choice.id == "more":
                self._unknown.pop(spot.place, None)
            return
        self.book(spot.place, coins)
        if question.kind == "earlier":
            self._take_earlier(spot, is_same=choice.id == "same")
        else:
            self._take_chips(spot, question, choice)

    def _take_chips(self, spot: Spot[PlaceT], question: ChipQuestion[PlaceT], choice: Choice) -> None:
        """The dealer said which of these chips lie there, or are bets."""
        away: Sequence[ChipLying] = ()
        if question.kind == "stack" and choice.id in ("top", "back"):
            away = spot.doubtful
        elif question.kind == "moved":  # the other one is not there, or this is that one
            away = [chip for chip in self.here() if any(lies_where(one, chip) for one in question.chips)]
        elif choice.id == "back":
            away = question.chips
        self._stay(question.chips)
        self._say("away", away)
        if choice.id == "none":
            self.count_none_of(question.chips)

    def _stay(self, chips: Iterable[ChipLying]) -> None:
        for chip in chips:
            if not chip.is_seen:
                self._say("left" if chip.is_gone else "there", [chip])

    def _say(self, word: Word, chips: Iterable[ChipLying]) -> None:
        for chip in chips:
            chip.word, chip.said_at = word, self._t

    def take_away(self, chips: Iterable[ChipLying]) -> None:
        """These chips do not lie there any more, unless they are seen again."""
        self._say("away", chips)

    def _take_earlier(self, spot: Spot[PlaceT], *, is_same: bool) -> None:
        """The dealer said whether chips that came are what was taken up of an earlier bet."""
        stand = standing(self._earlier.get(spot.place, 0), spot.chips)
        self._stay(spot.chips)
        self.take_away(chip for chip in stand if chip.is_gone or (is_same and chip.is_covered))
        coins = min(spot.missing, spot.away) if is_same else 0
        for chip in spot.chips:
            if coins > 0 and all(chip is not one for one in stand):
                chip.earlier = min(coins, chip.chip.value)
                coins -= chip.earlier

    def about_paying(self, text: str, rounds: int) -> Question:
        """Return what is asked after a round until the dealer has paid."""
        return Question(f"chip-paying:{rounds}", "paying", text, _PAID)

    def _take_paid(self, choice: Choice) -> None:
        """The dealer has paid, and said whether chips there are bets."""
        self.is_paying = False
        for chip in self._chips:
            chip.is_bet = choice.id == "stay"
        if choice.id == "away":  # what is bet all the same, after an undo, is in no chips that are seen
            for place, coins in self.booked.items():
                self._unknown[place] = self._unknown.get(place, 0) + coins
            self.booked = {}


def lies_where(chip: ChipLying, other: ChipLying) -> bool:
    """Say whether a chip lies where an equal one is not seen any more: it may be that one, nudged."""
    return other.cover is chip and other.chip == chip.chip
