"""Vision pipeline of a card game: frames → reader → tracker → interpreter → commands and questions."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final, Protocol

import cv2
import numpy as np

from companion.journal.evidence import EvidenceRing, exhibit_of
from companion.kernel.messages import message
from companion.kernel.situation import Situation
from companion.kernel.words import card_words
from companion.objects.mat import Mat
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.motion_log import MotionWatch
from companion.tracking.cards.observations import (
    CardGone,
    CardSettled,
    Conflict,
    Duplicate,
    LyingCard,
    Observation,
    StrangerSeen,
    TrackedTable,
)
from companion.tracking.cards.proposal import Interpreter, Proposal, Waiting
from companion.tracking.cards.tokens import TokenTracker
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.words import reading_words
from companion.tracking.cards.zones import MatReport, Zones
from companion.tracking.chips import ChipsOnMat, TrackedChip
from companion.tracking.house_decks import HouseDecks, NoHouse, named, stranger_words
from companion.tracking.optics import Optics, OpticsReport
from companion.tracking.sight import NO_PROPOSAL, JournalNote, JournalNoteData, SightProposal
from companion.vision.draw import Mark, MarkKind
from companion.vision.frame import Frame
from companion.vision.sightings import FrameReading

IDLE_AFTER_S: Final = 5.0


class CardReport(MatReport, OpticsReport, Waiting):
    """The card tracking report on the dealer's page."""

    cards: int
    tokens: list[str]


NO_PLACE: Final = "no-place"
"""The kind of a question about a player whose seat the mat has no place for."""


class FrameReader(Protocol):
    """Reads the cards, tokens and tags of a frame; `companion.vision.live.reader.Reader` implements it."""

    def read(self, frame: Frame) -> FrameReading: ...


class CardSight:
    """Pipeline for cards, tokens and printed chips; see `companion.tracking.sight.Sight`.

    Args:
        reader: reads frames.
        interpreter: the meaning of cards in this game.
        zones: maps picture positions to the mat's zones.
        tracker: tracks cards over time; a new one if not given.
        chips: tracks printed chips on the mat; None: the game does not use them.
        evidence: where pictures of cards are stored; None: not stored.
        shoe: ids of the decks played together; cards of other decks are reported. Empty: any deck.
        is_secret: whether cards may be hidden information: then only the interpreter's notes name cards.
        house: the decks of the house's other tables; None: there are none.
    """

    def __init__(
        self,
        reader: FrameReader,
        interpreter: Interpreter,
        *,
        zones: Zones,
        tracker: Tracker | None = None,
        chips: ChipsOnMat | None = None,
        evidence: EvidenceRing | None = None,
        shoe: Container[str] = (),
        is_secret: bool = False,
        house: HouseDecks | None = None,
    ) -> None:
        self._reader, self._interpreter = reader, interpreter
        self._tracker = tracker or Tracker()
        self._tokens = TokenTracker()
        self._zones, self._chips, self._is_secret = zones, chips, is_secret
        self._house: HouseDecks = house or NoHouse()
        self._motion = MotionWatch()
        self._optics = Optics()
        self._evidence, self._shoe = evidence, shoe
        self._tracked = TrackedTable()
        self._names: dict[int, str] = {}
        self._times: dict[str, int] = {}
        self._proposed = Proposal()
        self._told: list[JournalNote] = []
        "Notes of the interpreter, to be returned by the next `see`."
        self._left: set[str] = set()
        "Questions about seats without a place that the dealer has acknowledged."
        self._moved = float("inf")
        self._is_enrolling: Callable[[], bool] = lambda: False

    def suspend_while(self, is_enrolling: Callable[[], bool]) -> None:
        """Suspend the pipeline while ``is_enrolling()``: a deck is being enrolled."""
        self._is_enrolling = is_enrolling

    def set_reader(self, reader: FrameReader) -> None:
        """Replace the reader, after a deck was enrolled."""
        self._reader = reader

    # ---- a frame

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
        if self._is_enrolling():
            return ()
        reading = self._reader.read(frame)
        if reading.unread_objects and self._interpreter.asks_about_unread_objects:
            reading = replace(reading, cards=(*reading.cards, *reading.unread_objects))
        seen = self._tracker.update(reading, t)
        self._tracked = self._table_of(frame, reading, t)
        self._optics.see(frame.image, reading, t)
        self._moved = t if reading.moving else min(self._moved, t)
        for observation in seen:
            self._keep(frame, observation)
            if isinstance(observation, StrangerSeen) and observation.status == "foreign" and not self._is_secret:
                self._house.met(frame.image, observation.corners, observation.deck or "")
        told, self._told = self._told, []
        if not self._is_secret:
            told += [note for observation in seen for note in self._notes(observation)]
        return tuple(told)

    @property
    def is_idle(self) -> bool:
        """Whether nothing has moved for `IDLE_AFTER_S`: a lower frame rate is enough to notice a hand."""
        return self._tracked.t - self._moved >= IDLE_AFTER_S

    def _table_of(self, frame: Frame, reading: FrameReading, t: float) -> TrackedTable:
        tracked = self._tracker.tracked()
        self._tokens.update(reading, tracked.lying, t)
        self._zones.see(reading)
        tracked = replace(
            tracked,
            tokens=self._tokens.lying,
            lost=self._tokens.lost,
            chips=self._chips_in(frame, reading, t),
            motion=self._motion.update(reading.motion, self._zones, t),
        )
        return self._zones.place(tracked)

    def _chips_in(self, frame: Frame, reading: FrameReading, t: float) -> tuple[TrackedChip, ...]:
        mat = self._zones.calibration
        if self._chips is None or mat is None:
            return ()
        gray = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8)
        self._chips.see(gray, reading.chip_tags, mat, t)
        self._chips.forget([chip for chip in self._chips.lying if chip.is_gone])
        return tuple(self._chips.lying)

    def _keep(self, frame: Frame, seen: Observation) -> None:
        """Store the picture of a settled card as evidence before the observation is used."""
        if isinstance(seen, CardGone):
            self._names.pop(seen.track, None)
        if self._evidence is None or not isinstance(seen, CardSettled | StrangerSeen):
            return
        facts: dict[str, object] = {
            "id": seen.id, "deck": seen.deck, "status": seen.status, "corners": seen.corners,
            "outline": seen.outline, "t": round(seen.t, 3), "frame": frame.number,
        }  # fmt: skip
        if isinstance(seen, CardSettled):
            facts |= {"votes": seen.votes, "rest_s": round(seen.t - seen.rest_since, 3)}
        exhibit = exhibit_of(frame.image, seen.outline or seen.corners, facts, seen.track, datetime.now(UTC))
        if self._evidence.keep(exhibit):
            self._names[seen.track] = exhibit.name

    def _notes(self, seen: Observation) -> Iterator[JournalNote]:
        data: JournalNoteData = {"kind": type(seen).__name__, "card": seen.id}
        if seen.track in self._names:
            data["evidence"] = self._names[seen.track]
        card = card_words(seen.id) if seen.id else message("card")
        if isinstance(seen, StrangerSeen) and seen.status != "unreadable":
            text = message("A foreign {card} lies on the table.", card=card)
            if seen.status == "forged":
                text = message("A forged {card} lies on the table.", card=card)
            elif seen.status == "foreign":
                text = stranger_words(self._house, seen.id, seen.deck) or text
            yield JournalNote(text, {**data, "deck": seen.deck})
        elif isinstance(seen, CardSettled) and self._shoe and seen.status == "ok" and seen.deck not in self._shoe:
            text = message("{card} of deck {deck} is not of this shoe. Take it off.", card=card, deck=str(seen.deck))
            yield JournalNote(text, {**data, "deck": seen.deck})
        elif isinstance(seen, Duplicate):
            yield JournalNote(message("{card} lies on the table twice.", card=card), data)
        elif isinstance(seen, Conflict):
            other = reading_words(seen.other)
            yield JournalNote(message("A card reads as {card} and as {other}.", card=card, other=other), data)

    # ---- interpretation

    def propose(self, now: Situation) -> SightProposal:
        if now.rules.name not in self._interpreter.games or self._is_enrolling():
            return NO_PROPOSAL
        proposal = self._proposed = self._interpreter.interpret(self._tracked, now, self._names)
        self._told += proposal.notes
        questions = named(self._house, proposal.questions, self._tracked.lying)
        questions += tuple(one for one in without_place(self._zones.mat, now) if one.id not in self._left)
        if proposal.command is None:
            return SightProposal(questions=questions)
        key = f"{proposal.about}-{self._times.get(proposal.about, 0)}"
        return SightProposal(proposal.command, key, questions, proposal.rest_since)

    def played(self, proposal: SightProposal, before: Situation) -> None:
        about = self._proposed.about
        self._times[about] = self._times.get(about, 0) + 1
        self._interpreter.played(self._proposed, before)

    def refused(self, proposal: SightProposal) -> None:
        self._interpreter.refused(self._proposed, self._tracked.t)

    def answered(self, question: Question, choice: Choice) -> None:
        if question.kind == NO_PLACE:
            self._left.add(question.id)
            return
        self._interpreter.answered(question, choice)

    def intend(self, intention: Intention) -> None:
        self._interpreter.intend(intention, self._tracked.t)

    # ---- for pages

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        chips = () if self._chips is None else self._chips.marks()
        cards = marks_of(self._tracked, self._proposed.dealt, questions, has_backs=self._is_secret)
        return (*cards, *chips)

    def report(self) -> CardReport:
        tokens = [token.id for token in self._tracked.tokens]
        return {
            **self._zones.report(),
            **self._optics.report(),
            "cards": len(self._tracked.lying),
            "tokens": tokens,
            **self._interpreter.report(),
        }


def without_place(mat: Mat | None, now: Situation) -> Iterator[Question]:
    """Yield a question for each player whose seat has no place on the mat: no card of theirs can be read there."""
    places = () if mat is None else mat.seats
    for seat in now.rules.seats(now.state) if places else ():
        if seat.number not in places:
            text = message(
                "{player} sits at seat {seat}, but the mat has places {first} to {last} only. Let them sit there "
                "(Players, Name or seat), or enter their cards by hand.",
                player=seat.player, seat=seat.number, first=places[0], last=places[-1],
            )  # fmt: skip
            name = f"{NO_PLACE}:{seat.number}:{seat.player}"
            yield Question(name, NO_PLACE, text, (Choice("leave", message("Understood")),))


# ---- marks


def marks_of(
    tracked: TrackedTable, dealt: Sequence[str], questions: Sequence[Question], *, has_backs: bool = False
) -> tuple[Mark, ...]:
    """Return a mark for every card in view.

    Args:
        dealt: the dealt cards in order; each mark shows its number.
        questions: the open questions; their cards are marked.
        has_backs: whether cards usually lie face down, so that an unreadable one is not marked as a stranger.
    """
    places = {card: i for i, card in enumerate(dealt, start=1)}
    asked = {q.card: q.kind for q in questions if q.card is not None}
    return tuple(
        mark
        for card in tracked.lying
        if card.where == "open" and card.outline is not None  # one under a hand may be leaving the table
        for mark in (_back(card) if has_backs and card.status == "unreadable" else _mark(card, places, asked),)
    )


def _back(card: LyingCard) -> Mark:
    assert card.outline is not None
    return Mark(card.outline, "", "seen")


def _mark(card: LyingCard, places: Mapping[str, int], asked: Mapping[str, str]) -> Mark:
    assert card.outline is not None
    name = card.id or "?"
    kind: MarkKind = "seen"
    if card.status in ("forged", "foreign", "unreadable"):
        label, kind = f"{name} {card.status}" if card.id else "unreadable", "stranger"
    elif card.twin_of is not None:
        label, kind = f"{name} twice?", "asked"
    elif name in asked:
        label, kind = f"{name} {asked[name]}?", "asked"
    elif name in places:
        label, kind = f"{places[name]}. {name}", "counted"
    elif card.status == "tag":
        label, kind = f"{name} tag", "tag"
    else:
        label = name
    return Mark(card.outline, label, kind)
