"""Interprets cards and chips at a blackjack table. Pure: no clock, no camera.

A card counts without confirmation only if it is genuine, from this shoe, and laid when and where the round expects it
(see `meaning`). Everything else becomes a question.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.games.blackjack.camera import doubts
from companion.games.blackjack.camera.bets import BetChips
from companion.games.blackjack.camera.doubts import ASIDE, Doubt
from companion.games.blackjack.camera.laid import Laid, is_face_down, matched_cards, taken_up
from companion.games.blackjack.camera.meaning import is_hidden_for_long, lies_below, lies_for_another, meaning
from companion.games.blackjack.commands import DEALER as TO_DEALER
from companion.games.blackjack.mats.places import BOX, DEALER
from companion.games.blackjack.mats.zones import MAT
from companion.games.blackjack.state import Phase, State
from companion.games.standard_cards import is_card
from companion.kernel.commands import Record
from companion.kernel.messages import Message, joined
from companion.kernel.situation import Situation
from companion.kernel.words import playing_card_words
from companion.plugins.perception import CardSettings
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.proposal import Proposal, Waiting
from companion.tracking.entered_cards import EnteredCards

_LOOK_S: Final = 0.15
"""Delay until the next frame shows what a new card covers."""
_ASK_S: Final = 0.8
"""Delay before a question; a card may still be moved on, or be read in the next frame."""
_UNREAD_S: Final = 3.0
"""How long to wait for an earlier, still unread object that may be a card."""
_GONE_S: Final = 1.5
_RETRY_S: Final = 1.0
_TOGETHER_S: Final = 0.25
_GATHERING_S: Final = 5.0
"""Time after a leftover's removal in which it may reappear while the cards are gathered."""


class BlackjackInterpreter:
    """See `companion.tracking.cards.proposal.Interpreter`."""

    games: Final = ("blackjack",)
    asks_about_unread_objects: Final = True

    def __init__(self, settings: CardSettings) -> None:
        self._settings = settings
        self._chips = BetChips()
        self._state: State | None = None
        self._t = 0.0
        self._rounds = 0
        "Number of decided rounds."
        self._left: set[int] = set()
        "Tracks of leftovers from the previous round."
        self._here: dict[int, LyingCard] = {}
        "Cards in the last frame, by track."
        self._gathered: dict[tuple[str | None, str | None], float] = {}
        "Removed leftover (ID, deck) -> time of removal."
        self._aside: dict[int, float] = {}
        "Card set aside by the dealer -> its last motion at that time."
        self._counted: set[int] = set()
        "Tracks of cards that counted in this round."
        self._before: set[int] = set()
        "Tracks on the table when the last round was decided."
        self._seen: set[tuple[str, str]] = set()
        "(Card, zone) pairs that counted and were seen."
        self._where: dict[tuple[str | None, str | None], str] = {}
        "(ID, deck) -> zone where the card counted in this round."
        self._missing: dict[tuple[str, str], float] = {}
        "Missing counted (card, zone) -> since when."
        self._off: set[int] = set()
        "Tracks of removed cards; new cards in their place do not hide them."
        self._excused: set[str] = set()
        self._entered = EnteredCards(_zone_of, _words, settings)
        self._retry = 0.0

    # ---- proposals

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> Proposal:
        tracked = self._entered.follow(tracked, now, evidence)
        proposal = self._proposal(tracked, now, evidence)
        asked = (*proposal.questions, *self._entered.questions(now))
        return replace(proposal, questions=asked, notes=self._entered.notes())

    def _proposal(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> Proposal:
        state: State = now.state
        self._t = tracked.t
        self._follow(now, tracked)
        if tracked.mat != MAT.name or now.hold is not None:
            return Proposal()
        was_off = self._off | taken_up(tracked)
        self._off = {card.track for card in tracked.lying if card.track in was_off and not _is_in_view(card)}
        aside = {track for track, moved in self._aside.items() if self._here[track].moved <= moved}
        laid = matched_cards(tracked, state, self._left | aside | self._off, self._counted)
        self._note(laid)
        self._entered.update(_unknown(laid, state), {card.track for card in laid.known} | aside | self._off)
        asked = [*self._about_missing(now, laid), *self._about_leftovers(laid, tracked)]
        asked += self._chips.questions(state)
        if tracked.t < self._retry:
            return Proposal(questions=tuple(asked))
        bet = self._chips.bet(state)
        if bet is not None:
            return Proposal(bet[1], bet[0], questions=tuple(asked))
        return self._next_card(laid, tracked, now, evidence, asked)

    def _next_card(
        self, laid: Laid, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str], asked: list[Question]
    ) -> Proposal:
        found = [(card, self._interpreted(card, laid, now)) for card in laid.extras]
        asked += [one.about(card) for card, one in found if isinstance(one, Doubt) and self._is_due(card, tracked)]
        ready = [(card, one) for card, one in found if not isinstance(one, Doubt)]
        first = next(iter(ready), None)
        dealt = tuple(card.id for card in laid.known if card.id)
        if first is None or any(question.kind in ("gather", "vanished") for question in asked):
            return Proposal(questions=tuple(asked), dealt=dealt)
        at_once = [(card, one) for card, one in ready if card.rest_since - first[0].rest_since <= _TOGETHER_S]
        if len(at_once) > 1 and _is_ordered(now.state):
            asked.append(doubts.together([card for card, _ in at_once], [one for _, one in at_once]))
        elif self._is_sure(first[0], laid, tracked, now.state, [card for card, one in found if isinstance(one, Doubt)]):
            card, record = first
            record = {**record, "evidence": evidence[card.track]} if card.track in evidence else record
            name = f"{record['do']}-{card.track}"
            return Proposal(record, name, card.track, card.rest_since, tuple(asked), dealt)
        return Proposal(questions=tuple(asked), dealt=dealt)

    def _interpreted(self, card: LyingCard, laid: Laid, now: Situation) -> Record | Doubt:
        """Return a card's command or doubt; problems with the card itself come first."""
        stranger = self._stranger(card)
        if stranger is not None:
            return stranger
        means = meaning(card, laid, now)
        record = None if isinstance(means, Doubt) else means
        if isinstance(means, Doubt) and not is_face_down(card):
            return means
        if card.track in self._counted:
            return doubts.undone(card, record, self._entered.undone(card))
        if card.track in self._aside:
            return doubts.moved(card, record)
        if card.deck is not None and _holds(now.state, self._where.get(_name(card)), card.id):
            return doubts.again(card, record)
        if card.found:
            return doubts.unseen(card, record)
        if card.status == "tag" and self._settings.verify == "strict":
            return doubts.by_tag(card, record)
        if record is not None and not is_face_down(card) and lies_for_another(card, laid, now.state):
            return doubts.incomplete(card, record)
        below = [one for one in lies_below(card, laid) if not is_face_down(card)]
        if below and self._t - card.settled >= _ASK_S and any(map(is_hidden_for_long, below)):
            ways = () if record is None else (doubts.way(doubts.counts_words(card), record),)
            return doubts.hidden(card, str(now.state.turn or ""), ways)
        return means

    def _stranger(self, card: LyingCard) -> Doubt | None:
        if card.status == "forged":
            return doubts.forged(card)
        if card.status == "foreign":
            return doubts.foreign(card)
        if card.disputed is not None:
            return doubts.two_ways(card)
        if card.id is not None and not is_card(card.id):
            return doubts.no_playing_card(card)
        if not self._settings.plays(card.deck):
            return doubts.other_deck(card)
        is_twin = card.twin_of is not None and card.twin_of not in self._off
        return doubts.twice(card) if is_twin else None

    def _is_due(self, card: LyingCard, tracked: TrackedTable) -> bool:
        """Whether a card has been doubtful long enough to ask about it."""
        waits = tracked.t - max(card.settled, card.moved)
        return waits >= (_UNREAD_S if tracked.hides_before(card) else _ASK_S)

    def _is_sure(
        self, card: LyingCard, laid: Laid, tracked: TrackedTable, state: State, doubtful: Sequence[LyingCard]
    ) -> bool:
        """Whether a card can count now: it hides no card, and no unclear card came before it."""
        if tracked.t - card.settled < _LOOK_S or (not is_face_down(card) and lies_below(card, laid)):
            return False
        if not _is_ordered(state):
            return True
        came_before = any(one.zone is not None and one.rest_since <= card.rest_since + _TOGETHER_S for one in doubtful)
        waits = tracked.hides_before(card, _TOGETHER_S) and tracked.t - card.settled < _UNREAD_S
        return not came_before and not waits and card.where == "open"

    # ---- memory

    def _follow(self, now: Situation, tracked: TrackedTable) -> None:
        """Track the end of rounds, whose cards stay as leftovers until they are removed."""
        here = {card.track for card in tracked.lying}
        before, self._state = self._state, now.state
        state: State = now.state
        is_undone, self._rounds = now.rounds < self._rounds, now.rounds
        if before is not None and before.decided is not state.decided:
            self._turn_round(here, is_undone=is_undone)
        elif before is None and state.phase is Phase.BETTING:
            self._left |= here
        self._follow_left(tracked, here)
        self._aside = {track: moved for track, moved in self._aside.items() if track in here}
        self._counted &= here
        self._chips.see(tracked.chips, state, tracked.t, is_undone=is_undone, has_mat=tracked.mat == MAT.name)

    def _follow_left(self, tracked: TrackedTable, here: set[int]) -> None:
        """Track leftovers, including ones that reappear while the cards are gathered."""
        before, self._here = self._here, {card.track: card for card in tracked.lying}
        self._gathered |= {_name(before[track]): tracked.t for track in self._left - here if track in before}
        self._left &= here
        for card in tracked.lying:
            since = self._gathered.get(_name(card), float("-inf"))
            if card.track not in before and card.id is not None and tracked.t - since < _GATHERING_S:
                self._left.add(card.track)

    def _turn_round(self, here: set[int], *, is_undone: bool) -> None:
        """Start a new round, or return to the last one after an undo; its counted cards are asked about again."""
        if is_undone:
            self._counted, self._before = self._before & here, set()
            self._left -= self._counted
        else:
            self._left |= here
            self._before, self._counted, self._seen, self._where = here, set(), set(), {}

    def _note(self, laid: Laid) -> None:
        """Record the counted cards that are visible, and those that are missing."""
        known = list(laid.known)
        tracks = {card.track for card in (*known, *([laid.hole] if laid.hole is not None else []))}
        self._counted |= tracks
        self._left -= tracks
        self._seen |= {(str(card.id), str(card.zone)) for card in known if card.zone is not None}
        self._where |= {_name(card): card.zone for card in known if card.zone is not None}
        gone = {one for one in laid.missing if one in self._seen}
        self._missing = {one: self._missing.get(one, self._t) for one in gone}

    def _about_missing(self, now: Situation, laid: Laid) -> Iterator[Question]:
        state: State = now.state
        number = int(now.latest.get("number", 0))
        for (card, zone), since in self._missing.items():
            question = doubts.vanished(card, number, _undo_of(now, card))
            if self._t - since >= _GONE_S and _is_compared(state, card, zone) and question.id not in self._excused:
                yield question

    def _about_leftovers(self, laid: Laid, tracked: TrackedTable) -> Iterator[Question]:
        left = [card for card in tracked.lying if card.track in self._left and card.zone is not None]
        if left and any(not is_face_down(card) for card in laid.extras) and laid.extras[0].zone is not None:
            yield doubts.leftovers(left)

    # ---- results

    def played(self, proposal: Proposal, before: Situation) -> None:
        if proposal.track is None and proposal.command is not None:
            self._chips.book(proposal.command)

    def refused(self, proposal: Proposal, t: float) -> None:
        self._retry = t + _RETRY_S
        if proposal.track is None and proposal.command is not None:
            self._chips.refuse(proposal.command)

    def answered(self, question: Question, choice: Choice) -> None:
        if self._chips.answered(question, choice) or self._entered.answered(question, choice):
            return
        if question.kind == "gather":
            self._aside |= dict.fromkeys(self._left, float("inf"))
            self._left = set()
        elif choice.id == ASIDE:
            track = int(question.id.split(":")[1])
            self._aside[track] = self._here[track].moved if track in self._here else self._t
        elif choice.command is None:
            self._excused.add(question.id)

    def intend(self, intention: Intention, t: float) -> None:
        """Ignored: a card's meaning follows from its zone."""

    def report(self) -> Waiting:
        return {}


def _zone_of(record: Record, before: Situation) -> str | None:
    """Return the zone in which a command lays its card."""
    state: State = before.state
    if record["do"] in ("reveal", "dealer-hit") or record.get("to") == TO_DEALER:
        return DEALER
    player = record.get("to") or record.get("player") or state.turn
    return next((f"{BOX}{seat.number}" for seat in state.seats if seat.player == player), None)


def _words(cards: Sequence[str]) -> Message:
    return joined([playing_card_words(card) for card in cards])


def _unknown(laid: Laid, state: State) -> list[LyingCard]:
    """Return unaccounted cards; at the reveal also the hole card."""
    return [*laid.extras, *([laid.hole] if laid.hole is not None and state.phase is Phase.REVEAL else [])]


def _name(card: LyingCard) -> tuple[str | None, str | None]:
    return card.id, card.deck


def _holds(state: State, zone: str | None, card: str | None) -> bool:
    """Whether a card counts in a zone, including hands already lost and removed."""
    if zone == DEALER:
        return card in state.dealer
    return any(card in hand.cards for box in state.boxes if zone == f"{BOX}{box.seat}" for hand in box.hands)


def _is_in_view(card: LyingCard) -> bool:
    return card.where == "open" and not card.is_absent


def _is_ordered(state: State) -> bool:
    """Whether the order of two cards matters; it does not during the deal, where each box gets its own."""
    return state.phase not in (Phase.BETTING, Phase.DEALING)


def _undo_of(now: Situation, card: str) -> Record | None:
    latest = now.latest
    return {"do": "undo", "only": dict(latest)} if latest.get("card") == card else None


def _is_compared(state: State, card: str, zone: str) -> bool:
    """Whether a card must still be on the table; settled hands are removed at once."""
    boxes = (box for box in state.boxes if zone.endswith(f"/{box.seat}"))
    return zone == "dealer" or any(card in hand.cards and hand.stake for box in boxes for hand in box.hands)
