"""Reconciles the chips on a mat with the bets: which part of a bet is in chips, which chips are not bets.

Chips at rest on a place are bet there once per round. A bet taken back or undone by hand is not placed again, a redone
one keeps its chips, and bets from phones and the dealer are left alone. The game supplies a chip's place, the current
bets and the texts; `Spot` derives what to do or ask.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Generic

from companion.kernel.messages import message
from companion.service.questions import Choice, Question
from companion.tracking.chip_spots import (
    LEAVE_CHOICE,
    ChipQuestion,
    Kind,
    PlaceT,
    Spot,
    Terms,
    question_about,
    standing,
)
from companion.tracking.chips import DealerStatement, TrackedChip

_PAID_CHOICES: Final = (
    Choice("stay", message("Paid: chips there are bets")),
    Choice("away", message("Paid: chips there are no bets")),
)
_MAX_UNDONE_KEPT: Final = 20
_INITIAL_OBSERVATION_S: Final = 1.5  # initial observation before any chip is bet
_RETRY_DELAY_S: Final = 3.0  # before a refused bet is tried again


class ChipBets(Generic[PlaceT]):
    """Compares the chips on a mat with the current bets. Not thread-safe.

    Args:
        terms: the game's texts and commands.
        all_laid_s: how long after the latest chip a refused bet is reported; until then, further chips may complete it.

    Attributes:
        is_started: whether the initial observation is over.
        is_paying: whether a round was decided and the dealer has not said yet if the chips on the mat are bets.
        booked: by place, the coins of the bet that are in chips.
    """

    def __init__(self, terms: Terms[PlaceT], all_laid_s: float = 0.0) -> None:
        self.is_started = self.is_paying = False
        self.booked: dict[PlaceT, int] = {}
        self._unknown: dict[PlaceT, int] = {}
        "By place, the coins of the bet that are not in chips known to the camera; see `Spot`."
        self._terms, self._all_laid_s = terms, all_laid_s
        self._chips: Sequence[TrackedChip] = ()
        self._bets: Mapping[PlaceT, int] = {}
        self._earlier: Mapping[PlaceT, int] = {}
        self._where: dict[int, PlaceT] = {}
        "Places of the settled chips, by chip id."
        self._t = 0.0
        self._since: float | None = None
        self._undone: deque[tuple[object, dict[PlaceT, int], set[int]]] = deque(maxlen=_MAX_UNDONE_KEPT)
        "For each reduction of bets: the state before it, `booked` at that time, and the chips that were not bets."
        self._refused: dict[PlaceT, tuple[int, float]] = {}
        self._dismissed: set[str] = set()

    # ---- chips, bets and rounds

    def see(
        self,
        chips: Sequence[TrackedChip],
        bets: Mapping[PlaceT, int],
        place_of: Callable[[TrackedChip], PlaceT | None],
        t: float,
        *,
        has_mat: bool,
        earlier: Mapping[PlaceT, int] | None = None,
    ) -> bool:
        """Update from the chips on the mat and the current bets; return whether it was already started.

        At the start, existing bets are assumed to be in the chips lying there; the rest is asked about.

        Args:
            chips: the tracked chips.
            bets: the current bets, coins by place.
            place_of: returns the place a chip lies on; None: none.
            t: the frame's time, s.
            has_mat: whether the mat's position is known.
            earlier: bets of earlier rounds that are still undecided, coins by place.
        """
        self._chips = [*chips, *self._untracked_chips({chip.id for chip in chips})]
        self._bets, self._earlier, self._t = bets, earlier or {}, t
        places = {chip.id: place_of(chip) for chip in self._chips if chip.is_settled}
        self._where = {id_: place for id_, place in places.items() if place is not None}
        for chip in self._chips:
            if chip.is_seen:
                chip.statement = None
            elif chip.may_be_gone and not self._is_booked(chip):  # not a bet until it is seen again
                chip.statement = "away"
        if has_mat and self._since is None:
            self._since = t
        if self.is_started or self._since is None or t - self._since < _INITIAL_OBSERVATION_S:
            return self.is_started
        self._start_round()
        self._book_present_chips()
        self.is_started, self.is_paying = True, any(spot.missing > 0 for spot in self.spots())
        return False

    def _untracked_chips(self, here: set[int]) -> Iterator[TrackedChip]:
        """Return the chips of current bets that are no longer tracked; they are marked as gone."""
        for chip in self._chips:
            if chip.id not in here and self._is_booked(chip) and self._counts(chip):
                chip.is_seen, chip.cover, chip.hidden_s = False, None, float("inf")
                yield chip

    def reset_for_round(self, *, is_paying: bool, is_undone: bool) -> None:
        """Reset after a round was decided, or that was undone: then the chips there are the bets from before."""
        self.is_paying = is_paying
        self.booked, self._unknown, self._refused, self._dismissed = {}, {}, {}, set()
        self._start_round()
        if is_undone:
            for chip in self._chips:
                chip.is_bet = True
            self._book_present_chips()

    def follow(self, before: object, state: object) -> None:
        """Track bets that were reduced by hand or undone, or redone, between two states of the table."""
        less = [place for place, coins in self.booked.items() if self._bet(place) < coins]
        if less:
            no_bets = {chip.id for chip in self._chips if not chip.is_bet}
            self._undone.append((before, dict(self.booked), no_bets))
        for place in less:  # their chips are still to be picked up
            self.exclude_from_bets(self.spot(place).chips)
            del self.booked[place]
        while any(known is state for known, _, _ in self._undone):  # redone: restore the chips of the bets
            _, self.booked, no_bets = self._undone.pop()
            for chip in self._chips:
                chip.is_bet = chip.id not in no_bets
        self._prune_unknown()

    def book(self, place: PlaceT, coins: int) -> None:
        """Record a bet placed from chips."""
        self._refused.pop(place, None)
        if coins:
            self.booked[place] = self.booked.get(place, 0) + coins

    def refuse(self, place: PlaceT, coins: int) -> None:
        """Record a refused bet from chips; it is retried after `_RETRY_DELAY_S`."""
        self._refused[place] = coins, self._t

    @staticmethod
    def exclude_from_bets(chips: Iterable[TrackedChip]) -> None:
        """Exclude chips from betting until the next round."""
        for chip in chips:
            chip.is_bet = False

    def seat(self, before: Mapping[int, str], now: Mapping[int, str]) -> None:
        """Update the players by seat: chips already lying there when somebody sits down are not their bets."""
        new = {seat for seat, player in now.items() if before.get(seat) != player}
        self.exclude_from_bets(chip for chip in self._chips if chip.chip.seat in new)

    # ---- the chips on the mat

    def present_chips(self) -> Iterator[TrackedChip]:
        """Return all chips on the mat, as far as known."""
        return (chip for chip in self._chips if chip.statement != "away")

    def settled_chips(self) -> Iterator[TrackedChip]:
        """Return the settled chips that may be bets."""
        return (chip for chip in self._chips if self._counts(chip))

    def forgettable_chips(self) -> list[TrackedChip]:
        """Return the chips that are gone without any effect on a bet; they need not be tracked further."""
        return [chip for chip in self._chips if chip.is_gone and (chip.statement == "away" or not chip.is_bet)]

    def spots(self) -> Iterator[Spot[PlaceT]]:
        """Return the places with chips that may be bets."""
        found: dict[PlaceT, list[TrackedChip]] = defaultdict(list)
        for chip in self.settled_chips():
            if chip.id in self._where:
                found[self._where[chip.id]].append(chip)
        return (self._spot(place, chips) for place, chips in found.items())

    def spot(self, place: PlaceT) -> Spot[PlaceT]:
        """Return the current view of a place."""
        return self._spot(place, [chip for chip in self.settled_chips() if self._where.get(chip.id) == place])

    def due_bets(self) -> Iterator[Spot[PlaceT]]:
        """Return the places where a bet is to be placed now."""
        if not self.is_started or self.is_paying:
            return
        for spot in self.spots():
            if spot.kind == "bet" and not self.awaits_retry(spot.place, spot.missing):
                yield spot

    def is_refused(self, place: PlaceT, coins: int) -> bool:
        """Whether a bet of exactly this many coins was refused there."""
        return place in self._refused and self._refused[place][0] == coins

    def awaits_retry(self, place: PlaceT, coins: int) -> bool:
        """Whether such a bet was refused less than `_RETRY_DELAY_S` ago."""
        return self.is_refused(place, coins) and self._t - self._refused[place][1] < _RETRY_DELAY_S

    def _is_booked(self, chip: TrackedChip) -> bool:
        place = self._where.get(chip.id)
        return place is not None and place in self.booked

    @staticmethod
    def _counts(chip: TrackedChip) -> bool:
        return chip.is_settled and chip.is_bet and chip.statement != "away"

    def _spot(self, place: PlaceT, chips: Sequence[TrackedChip]) -> Spot[PlaceT]:
        laid = [chip for chip in self.present_chips() if self._where.get(chip.id) == place]
        most = self._earlier.get(place, 0)
        seen = [chip for chip in laid if chip.is_sure and not chip.is_covered]
        no_bets = [chip for chip in self.present_chips() if not chip.is_bet]
        return Spot(
            place,
            tuple(chips),
            bet=self._bet(place),
            booked=self.booked.get(place, 0),
            unknown=self._unknown.get(place, 0),
            earlier=sum(chip.earlier for chip in standing(most, chips)),
            away=most - sum(chip.earlier for chip in standing(most, seen)),
            nudged=tuple(chip for chip in chips if any(may_be_nudged(chip, other) for other in no_bets)),
            came=[chip for chip in self._chips if chip.is_settled],
            just_vanished=any(chip.just_vanished for chip in laid),
        )

    def _bet(self, place: PlaceT) -> int:
        return self._bets.get(place, 0)

    def _start_round(self) -> None:
        """Start a round: the settled chips may be those of earlier, undecided bets."""
        for chip in self._chips:
            chip.earlier = chip.chip.value if chip.is_settled else 0
            if chip.statement == "there" and not chip.is_vouched_for:
                chip.statement = None

    def _book_present_chips(self) -> None:
        self.booked = {}  # so that `Spot.missing` is everything lying there, except for earlier bets
        lying = {spot.place: min(spot.bet, max(0, spot.missing)) for spot in self.spots()}
        self.booked = {place: coins for place, coins in lying.items() if coins}
        self._unknown = dict(self._bets)
        self._prune_unknown()

    def _prune_unknown(self) -> None:
        """Reduce `_unknown` to the part of each bet that is neither booked nor gone."""
        for place, coins in list(self._unknown.items()):
            self._unknown[place] = min(coins, self._bet(place) - self.booked.get(place, 0))
            if self._unknown[place] <= 0:
                del self._unknown[place]

    # ---- questions

    def questions(self) -> Iterator[Question]:
        """Return the open questions about places while bets are open, except those the dealer has dismissed."""
        for spot in self.spots():
            if spot.kind not in (None, "bet"):
                yield from self.ask(spot, spot.kind)
            elif spot.missing > 0 and self.is_refused(spot.place, spot.missing) and self._is_complete(spot):
                yield from self.ask(spot, "refused")

    def ask(self, spot: Spot[PlaceT], kind: Kind, *, is_open: bool = True) -> Iterator[Question]:
        """Return the question about a place, unless the dealer has dismissed it; see `question_about`."""
        yield from self.unanswered([question_about(spot, kind, self._terms, is_open=is_open)])

    def unanswered(self, asked: Iterable[Question]) -> Iterator[Question]:
        """Return the questions that the dealer has not dismissed."""
        return (question for question in asked if question.id not in self._dismissed)

    def _is_complete(self, spot: Spot[PlaceT]) -> bool:
        return self._t - max(chip.since for chip in spot.chips) >= self._all_laid_s

    def answered(self, question: Question, choice: Choice) -> None:
        """Process an answer."""
        if question.kind == "paying":
            self._process_paid(choice)
        elif choice == LEAVE_CHOICE and question.kind != "taken-up":
            self._dismissed.add(question.id)
        elif isinstance(question, ChipQuestion) and question.spot is not None:
            self._process_answer(question.spot, question, choice)

    def _process_answer(self, spot: Spot[PlaceT], question: ChipQuestion[PlaceT], choice: Choice) -> None:
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
            self._process_earlier(spot, is_same=choice.id == "same")
        else:
            self._process_chips(spot, question, choice)

    def _process_chips(self, spot: Spot[PlaceT], question: ChipQuestion[PlaceT], choice: Choice) -> None:
        """Process an answer about which chips are there, or are bets."""
        away: Sequence[TrackedChip] = ()
        if question.kind == "stack" and choice.id in ("top", "back"):
            away = spot.doubtful
        elif question.kind == "moved":  # the unseen equal chip is not there; or this is that chip, moved
            away = [chip for chip in self.present_chips() if any(may_be_nudged(one, chip) for one in question.chips)]
        elif choice.id == "back":
            away = question.chips
        self._confirm_present(question.chips)
        self._record_statement("away", away)
        if choice.id == "none":
            self.exclude_from_bets(question.chips)

    def _confirm_present(self, chips: Iterable[TrackedChip]) -> None:
        for chip in chips:
            if not chip.is_seen:
                self._record_statement("left" if chip.is_gone else "there", [chip])

    def _record_statement(self, statement: DealerStatement, chips: Iterable[TrackedChip]) -> None:
        for chip in chips:
            chip.statement, chip.stated_at = statement, self._t

    def mark_removed(self, chips: Iterable[TrackedChip]) -> None:
        """Mark chips as no longer there, unless they are seen again."""
        self._record_statement("away", chips)

    def _process_earlier(self, spot: Spot[PlaceT], *, is_same: bool) -> None:
        """Process an answer about whether new chips are those picked up from an earlier bet."""
        stand = standing(self._earlier.get(spot.place, 0), spot.chips)
        self._confirm_present(spot.chips)
        self.mark_removed(chip for chip in stand if chip.is_gone or (is_same and chip.is_covered))
        coins = min(spot.missing, spot.away) if is_same else 0
        for chip in spot.chips:
            if coins > 0 and all(chip is not one for one in stand):
                chip.earlier = min(coins, chip.chip.value)
                coins -= chip.earlier

    def about_paying(self, text: str, rounds: int) -> Question:
        """Return the question asked after a round until the dealer has paid."""
        return Question(f"chip-paying:{rounds}", "paying", text, _PAID_CHOICES)

    def _process_paid(self, choice: Choice) -> None:
        """Process the answer that the dealer has paid, and whether the chips on the mat are bets."""
        self.is_paying = False
        for chip in self._chips:
            chip.is_bet = choice.id == "stay"
        if choice.id == "away":  # bets that still exist, after an undo, are not in these chips
            for place, coins in self.booked.items():
                self._unknown[place] = self._unknown.get(place, 0) + coins
            self.booked = {}


def may_be_nudged(chip: TrackedChip, other: TrackedChip) -> bool:
    """Whether a chip covers an equal one that is no longer seen: it may be that chip, nudged."""
    return other.cover is chip and other.chip == chip.chip
