"""Compares cards entered by hand with what the camera later reads on the cards that lay there unaccounted for.

The entry counts, and the physical card is treated as the entered one; the dealer is told once. Pure, like the
interpreters that use it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from companion.kernel.commands import Record
from companion.kernel.messages import Message
from companion.kernel.situation import Situation
from companion.plugins.perception import CardSettings
from companion.service.questions import Choice, Question
from companion.tracking.cards.hands import touch
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.entered import DIFFERS, LEAVE_CHOICE_ID, Difference, records_since
from companion.tracking.sight import JournalNote

_MIN_REST_S: Final = 0.8
"""Minimum time at rest: excludes a card that is only being moved across."""
_MIN_OVERLAP: Final = 0.8
"""Minimum overlap, as a share of the card, between a card face down and the same card turned over."""


@dataclass(slots=True)
class _Entry:
    """A command that was entered by hand.

    Attributes:
        record: the command.
        number: the number of effective commands, this one included.
        rounds: the number of rounds decided before it; the entry is dropped once cards are entered in a later round.
        zone: the mat zone of its cards.
        missing: its cards that have not been seen in the zone yet.
        there: the cards in the zone at that time that were not accounted for, read or not.
        taken: tracks of cards that were accounted for already.
        stands: the cards that lie there instead: the entered card by track.
        difference: the contradiction, once it is certain.
    """

    record: Record
    number: int
    rounds: int
    zone: str
    missing: list[str]
    there: Sequence[LyingCard]
    taken: Collection[int]
    stands: dict[int, str] = field(default_factory=dict)
    difference: Difference | None = None

    def is_one(self, card: LyingCard, lying: Mapping[int, LyingCard]) -> bool:
        """Whether a card is one of those in `there`, possibly turned over since."""
        return any(card.track == one.track or _is_turned_over(one, lying.get(one.track), card) for one in self.there)


class EnteredCards:
    """Reports entries by hand that the camera's sure readings contradict.

    Args:
        zone_of: returns the mat zone of a command's cards, given the situation before it; None: no zone.
        words: formats cards in short.
        settings: the decks that count.
    """

    def __init__(
        self,
        zone_of: Callable[[Record, Situation], str | None],
        words: Callable[[Sequence[str]], Message],
        settings: CardSettings,
    ) -> None:
        self._zone_of, self._words, self._settings = zone_of, words, settings
        self._entries: list[_Entry] = []
        self._before: Situation | None = None
        self._candidates: Sequence[LyingCard] = ()
        self._late_zones: Collection[str] = ()
        self._taken: Collection[int] = ()
        self._undone: dict[int, str] = {}
        self._notes: list[JournalNote] = []

    def follow(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> TrackedTable:
        """Track entries and undos, and compare the entries with the cards on the table.

        Returns:
            the tracked table, with a contradicted card under the name that was entered for it.
        """
        before, self._before = self._before, now
        entered = self._record_entries(before, now) if before is not None else set[str]()
        open_ = {card.track for card in tracked.lying if card.id not in entered}
        self._undone = {track: card for track, card in self._undone.items() if track in open_}
        for entry in self._entries:
            self._compare(entry, tracked, evidence)
        self._entries = [entry for entry in self._entries if entry.missing]
        stands = {track: card for entry in self._entries for track, card in entry.stands.items()}
        lying = (replace(card, id=stands.get(card.track, card.id)) for card in tracked.lying)
        return replace(tracked, lying=tuple(lying)) if stands else tracked

    def update(self, free: Sequence[LyingCard], taken: Collection[int], late: Collection[str] = ()) -> None:
        """Store the game's current view of the cards on the table.

        Args:
            free: cards without a meaning so far, read or not: candidates for the next entry.
            taken: tracks of cards that count, or that the dealer has ruled out.
            late: zones where a free card belongs to an earlier entry even if it arrived after it.
        """
        self._candidates, self._taken, self._late_zones = free, taken, late

    def _record_entries(self, before: Situation, now: Situation) -> set[str]:
        """Record the cards entered and undone since; return those entered."""
        said: set[str] = set()
        kept = now.undone_since(before.revision)
        counted = before.latest["number"] if kept is None else kept
        for entry in (entry for entry in self._entries if entry.number > counted):
            self._undone |= entry.stands
        self._entries = [entry for entry in self._entries if entry.number <= counted]
        for number, record in records_since(counted, now):
            cards, zone = _cards_of(record), self._zone_of(record, before)
            said.update(cards)
            if cards and zone is not None:
                self._entries = [entry for entry in self._entries if entry.rounds >= before.rounds]
                there = [card for card in self._candidates if _lies_in(card, zone)]
                self._entries.append(_Entry(record, number, before.rounds, zone, cards, there, self._taken))
        return said

    def _compare(self, entry: _Entry, tracked: TrackedTable, evidence: Mapping[int, str]) -> None:
        lying = {card.track: card for card in tracked.lying}
        here = [card for card in tracked.lying if _lies_in(card, entry.zone)]
        seen = {card.id for card in here if card.track not in entry.taken}
        entry.missing = [name for name in entry.missing if name not in seen]
        entry.stands = {card.track: entry.stands[card.track] for card in here if card.track in entry.stands}
        if entry.difference is not None or not entry.missing:
            return
        taken = {*self._taken, *(track for other in self._entries for track in other.stands)} - entry.stands.keys()
        late = {card.track for card in self._candidates} if entry.zone in self._late_zones else set()
        others = (card for card in here if card.track not in taken and card.id not in _cards_of(entry.record))
        read = [card for card in others if not _is_removed(card) and (card.track in late or entry.is_one(card, lying))]
        if len(read) != len(entry.missing):
            return
        entry.stands = {card.track: name for card, name in zip(read, entry.missing, strict=True)}
        if not all(self._is_sure(card, tracked.t) for card in read):
            return
        shown = self._words([str(card.id) for card in read])
        track, picture = read[0].track, next((evidence[card.track] for card in read if card.track in evidence), None)
        found = Difference(entry.record, entry.number, track, self._words(entry.missing), shown, picture)
        entry.difference = found
        self._notes.append(found.note())

    def _is_sure(self, card: LyingCard, t: float) -> bool:
        is_read = card.status == "ok" and card.disputed is None and card.twin_of is None
        is_still = card.where == "open" and t - max(card.settled, card.moved) >= _MIN_REST_S
        return is_read and is_still and self._settings.plays(card.deck)

    def undone(self, card: LyingCard) -> str | None:
        """Return the other card that was entered for this one and undone since, or None."""
        entered = self._undone.get(card.track)
        return None if entered == card.id else entered

    # ---- notes and questions

    def notes(self) -> tuple[JournalNote, ...]:
        """Return the notes for the journal since the last call."""
        notes, self._notes = tuple(self._notes), []
        return notes

    def questions(self, now: Situation) -> tuple[Question, ...]:
        """Return the open questions to the dealer."""
        found = [entry.difference for entry in self._entries if entry.difference is not None]
        return tuple(one.question(now) for one in found if one.stage == "told")

    def answered(self, question: Question, choice: Choice) -> bool:
        """Process an answer; return whether the question was one of these."""
        for entry in self._entries:
            if entry.difference is not None and entry.difference.id == question.id and choice.id == LEAVE_CHOICE_ID:
                entry.difference = entry.difference.acknowledged()
        return question.kind == DIFFERS


def _cards_of(record: Record) -> list[str]:
    cards = record.get("cards", [record["card"]] if "card" in record else [])
    return list(cards)


def _lies_in(card: LyingCard, zone: str) -> bool:
    return card.zone == zone or zone in card.astride


def _is_removed(card: LyingCard) -> bool:
    """Whether a card is no longer seen in its place: it was picked up, or turned over (a card exactly on top is it)."""
    return card.is_absent or (card.where == "covered" and card.is_under)


def _is_turned_over(one: LyingCard, now: LyingCard | None, card: LyingCard) -> bool:
    """Whether a card is ``one``, which lay face down, turned over."""
    is_away = now is None or _is_removed(now)
    return one.status == "unreadable" and is_away and touch(card, (one,)) >= _MIN_OVERLAP
