"""Interprets the cards on a Roche table: which to deal now, and what to ask the dealer.

Pure: maps the tracked table, the public game state and the dealer's answers to a proposal, which the rules may reject.
A card is dealt automatically only if it is genuine, of the deck in play, newly laid during the deal, and its place in
the order is certain; anything else becomes a question.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from companion.games.roche.camera import questions as asks
from companion.games.roche.camera.backs import Backs, is_back, is_waiting
from companion.games.roche.camera.pieces import UNCONFIRMED, Game, Piece, Pieces
from companion.games.roche.camera.questions import Ask, Effect
from companion.games.roche_deck.design import CARDS_OF
from companion.kernel.commands import Record
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.card_geometry import holds
from companion.tracking.cards.observations import Arriving, TrackedTable
from companion.tracking.cards.pieces import PlayStatus
from companion.tracking.cards.proposal import Proposal, Waiting
from companion.vision.sightings import center_of

Verify = Literal["strict", "relaxed"]

_APART_S: Final = 0.4  # cards that come to rest within this count as simultaneous: a frame or three may be missing
_EARLY_S: Final = 0.4
_TAG_S: Final = 0.7  # a code may still be read for this long before the dealer is asked about the tags
_HIDDEN_S: Final = 3.0
_BURIED_S: Final = 0.8
_STAGGERED_S: Final = 2.5  # the part visible beside the upper card must have been rescanned
_RETRY_S: Final = 1.0
_ASKED_KEPT: Final = 300


class RocheInterpreter:
    """Reads a Roche table; see `companion.tracking.cards.proposal.Interpreter`.

    Args:
        deck: ID of the deck in play; None takes that of the round's first card.
        verify: `relaxed` deals cards identified by corner tags only without asking.
    """

    games: Final = ("roche",)
    asks_about_unread_objects: Final = True

    def __init__(self, *, deck: str | None = None, verify: Verify = "strict") -> None:
        self.deck = deck
        self.verify = verify
        self._backs = Backs()
        self.pieces = Pieces(self._backs.is_pile)
        self._excused_arrivals: set[int] = set()
        self._effects: dict[tuple[str, str], tuple[Effect, tuple[int, ...]]] = {}
        self._evidence: Mapping[int, str] = {}

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str] | None = None) -> Proposal:
        """Return the card to deal now, if any, and the questions."""
        game = Game.of(now)
        self._evidence = evidence or {}
        self._backs.begin(tracked, game)
        tracked = self._backs.ordered(tracked)
        self.pieces.follow(tracked, game)
        self._note_denied(game)
        self._backs.follow(tracked, game, self.pieces)
        asked = self._asks(tracked, game)
        self._remember(asked)
        questions = tuple(a.question for a in asked)
        if game.phase != "dealing" or game.hold is not None or any(q.blocks for q in questions):
            return Proposal(questions=questions, dealt=game.dealt)
        head = self._head(tracked, game)
        if head is None:
            return Proposal(questions=questions, dealt=game.dealt)
        track = head.card.track
        return Proposal(self._deal(head), f"deal-{track}", track, head.card.rest_since, questions, game.dealt)

    def played(self, proposal: Proposal, before: Situation) -> None:
        """Record the accepted deal."""
        if proposal.track is not None:
            self.pieces.count(proposal.track, before.state.round)

    def refused(self, proposal: Proposal, t: float) -> None:
        """Retry a rejected deal a little later."""
        piece = None if proposal.track is None else self.pieces.by_track.get(proposal.track)
        if piece is not None:
            piece.retry = t + _RETRY_S

    def answered(self, question: Question, choice: Choice) -> None:
        """Apply the dealer's answer."""
        effect, tracks = self._effects.get((question.id, choice.id), ("deal", ()))
        if effect in ("turned", "not-it"):
            self._apply_to_back(effect, tracks)
            return
        for track in tracks:
            self._apply(effect, question.kind, track)

    def intend(self, intention: Intention, t: float) -> None:
        """Ignored: in Roche every card is dealt."""

    def report(self) -> Waiting:
        """Return nothing: everything Roche waits for is a question."""
        return {}

    def _remember(self, asked: Sequence[Ask]) -> None:
        """Remember recent questions: an answer may arrive after its question has changed or disappeared."""
        for ask in asked:
            for way, effect in ask.effects:
                self._effects.pop((ask.question.id, way), None)
                self._effects[ask.question.id, way] = (effect, ask.tracks)
        while len(self._effects) > _ASKED_KEPT:
            del self._effects[next(iter(self._effects))]

    def _apply_to_back(self, effect: Effect, tracks: Sequence[int]) -> None:
        """Apply the dealer's answer whether a card is the former face-down one."""
        back, piece = self._backs.open.get(tracks[0]), self.pieces.by_track.get(tracks[1])
        if back is not None:
            self._backs.settle(back, piece if effect == "turned" else None)
        hidden = self.pieces.by_track.get(tracks[0])
        if hidden is not None:
            hidden.play_status = PlayStatus.ASIDE

    def _apply(self, effect: Effect, kind: str, track: int) -> None:
        piece = self.pieces.by_track.get(track)
        if piece is None:
            self._excused_arrivals.add(track)
        elif effect == "aside":
            piece.play_status = PlayStatus.ASIDE
            piece.dismissed_questions.add(kind)
        elif effect == "approve":
            piece.play_status, piece.is_approved = PlayStatus.NEW, True
        elif effect == "leave":
            piece.dismissed_questions.add(kind)
            if kind == "unreadable":
                self._backs.exclude_pile(piece)
        elif effect == "replaced":
            piece.play_status, piece.is_replaced = PlayStatus.ASIDE, True

    def _note_denied(self, game: Game) -> None:
        """Handle a card that appears after the dealer denied it: others have been dealt before it."""
        for track in self._excused_arrivals & self.pieces.by_track.keys():
            piece = self.pieces.by_track[track]
            if is_waiting(piece) and piece.id not in game.dealt and game.phase == "dealing":
                piece.play_status = PlayStatus.FOUND
                self._excused_arrivals.discard(track)

    def _deal(self, piece: Piece) -> Record:
        record = {"do": "deal", "card": piece.id or ""}
        name = self._evidence.get(piece.card.track)
        return record if name is None else record | {"evidence": name}

    # ---- which card is next

    def _waiting(self, t: float) -> list[Piece]:
        """Return new cards that may be dealt, in the order they came to rest."""
        return [p for p in self.pieces.lying if p.play_status is PlayStatus.NEW and not p.is_stranger and p.retry <= t]

    def _head(self, tracked: TrackedTable, game: Game) -> Piece | None:
        waiting = [p for p in self._waiting(tracked.t) if p.id not in game.dealt]
        if not waiting or (waiting[0].card.status == "tag" and self.verify == "strict"):
            return None
        head = waiting[0]
        if self._is_lost(head) or self._buries(head, tracked.t, game):
            return None
        is_sure = tracked.t - head.card.settled >= _HIDDEN_S or not tracked.hides_before(head.card, _APART_S)
        return head if is_sure and not self._before(head, tracked) else None

    def _before(self, head: Piece, tracked: TrackedTable) -> list[Arriving]:
        """Return unidentified objects that came before or together with this card."""
        together = head.card.rest_since + _APART_S
        return [
            a
            for a in tracked.arriving
            if a.track not in self._excused_arrivals
            and self._backs.is_arriving(a)
            and (a.votes >= 2 or a.first_seen == a.rest_since)  # not known to move
            and a.first_seen <= together
            and a.rest_since <= together
        ]

    def _buries(self, head: Piece, t: float, game: Game) -> bool:
        """Whether this card hides a dealt one, which may have been taken away."""
        is_new = head.card.settled >= t  # what it covers is reported with the next frame
        return any(
            is_new and _lies_over(head, p)
            if p.card.where == "hidden"
            else p.card.cover == head.card.track and (p.card.is_under or p.card.buried_s > 0)
            for p in self._unseen(game)
        )

    def _is_lost(self, head: Piece) -> bool:
        """Whether a waiting card is out of sight at its turn, and may have been picked up again."""
        card = head.card
        is_buried = (
            card.where == "covered"
            and (card.is_under or card.buried_s > 0)
            and "covered" not in head.dismissed_questions
        )
        return card.where == "hidden" or is_buried

    def _unseen(self, game: Game) -> list[Piece]:
        """Return the cards, dealt or to be dealt, that cannot be seen and were not asked about."""
        return [
            p
            for p in self.pieces.lying
            if p.card.where != "open" and "covered" not in p.dismissed_questions
            if (p.play_status is PlayStatus.COUNTED and p.id in game.dealt)
            or (is_waiting(p) and p.id not in game.dealt)
        ]

    def _buried(self, game: Game) -> list[Piece]:
        return [p for p in self._unseen(game) if p.card.where == "covered"]

    # ---- questions

    def _asks(self, tracked: TrackedTable, game: Game) -> list[Ask]:
        found = [a for p in self.pieces.lying for a in self._about(p, tracked.t, game)]
        found += self._about_leftovers(game)
        found += self._about_backs(game)
        if game.phase == "dealing":
            found += self._about_buried(game)
            found += self._about_vanished(game)
            found += self._about_waiting(tracked, game)
        return found

    def _about(self, piece: Piece, t: float, game: Game) -> list[Ask]:
        """Return the question about one card, if any."""
        if is_back(piece):
            return self._about_back(piece, game)
        if piece.is_stranger:
            return [] if piece.card.status in piece.dismissed_questions else [asks.about_stranger(piece)]
        if piece.card.disputed is not None and "conflict" not in piece.dismissed_questions:
            return [asks.about_conflict(piece)]
        if self._is_twin(piece) and "duplicate" not in piece.dismissed_questions:
            return [asks.about_twin(piece)]
        if piece.play_status is PlayStatus.EARLY and game.phase == "betting":
            return [asks.about_early(piece, game)] if t - piece.card.rest_since >= _EARLY_S else []
        if piece.play_status is PlayStatus.LATE and game.phase == "settled":
            return [asks.about_late(piece)]
        if (
            piece.play_status in UNCONFIRMED
            and piece.play_status is not PlayStatus.LEFTOVER
            and game.phase == "dealing"
        ):
            return [asks.about_uncounted(piece, self._deal)]
        return []

    def _about_back(self, piece: Piece, game: Game) -> list[Ask]:
        """Ask about an unreadable card, which stops the deal; first seen after the cut, it may still be part of it."""
        if piece.play_status is PlayStatus.ASIDE or piece.dismissed_questions or game.phase == "betting":
            return []
        if game.phase == "dealing":
            return [asks.about_back(piece)]
        last = next((p for p in self.pieces.by_track.values() if game.dealt and p.id == game.dealt[-1]), None)
        is_late = last is None or piece.card.rest_since > last.card.rest_since
        return [] if is_late else [asks.about_hidden_back(piece, game)]

    def _about_backs(self, game: Game) -> list[Ask]:
        """Ask about lifted backs, and about cards that may be one of them."""
        found = self._backs.doubtful(self.pieces)
        if found is not None:
            return [asks.about_turned(found[0].piece, found[1])]
        return [asks.about_back(back.piece) for back in self._backs.lifted(self.pieces)]

    def _about_buried(self, game: Game) -> list[Ask]:
        by_track = self.pieces.by_track
        found = [(p, by_track.get(p.card.cover or 0)) for p in self._buried(game) if _is_out_of_sight(p)]
        return [asks.about_buried(p, over, game) for p, over in found if over is not None and not over.is_stranger]

    def _is_twin(self, piece: Piece) -> bool:
        twin = None if piece.card.twin_of is None else self.pieces.by_track.get(piece.card.twin_of)
        return twin is not None and twin.gone is None

    def _about_leftovers(self, game: Game) -> list[Ask]:
        left = [p for p in self.pieces.lying if p.play_status is PlayStatus.LEFTOVER and not p.is_stranger]
        if not left or game.phase == "settled":
            return []
        return [asks.about_leftovers(left, game)]

    def _about_vanished(self, game: Game) -> list[Ask]:
        here = {p.id for p in self.pieces.lying}
        gone = [
            p
            for p in self.pieces.gone
            if p.play_status is PlayStatus.COUNTED
            and p.id in game.dealt
            and p.id not in here
            and "vanished" not in p.dismissed_questions
        ]
        latest = list({p.id: p for p in gone}.values())
        return [asks.about_vanished(latest, game)] if latest else []

    def _about_waiting(self, tracked: TrackedTable, game: Game) -> list[Ask]:
        """Ask about obstacles to dealing the next card."""
        waiting = [p for p in self._waiting(tracked.t) if p.id not in game.dealt]
        strange = [a for p in waiting for a in self._about_deck(p, game)]
        if strange or not waiting:
            return strange
        head = waiting[0]
        together = self._together(waiting)
        if len(together) > 1:
            return [asks.about_order(together, self._deal)]
        hidden = self._before(head, tracked)
        if hidden and tracked.t - head.card.settled > _HIDDEN_S:
            return [asks.about_arriving(hidden[0])]
        if head.card.status == "tag" and self.verify == "strict" and tracked.t - head.card.settled > _TAG_S:
            return [asks.about_tag(head, self._deal)]
        return []

    def _about_deck(self, piece: Piece, game: Game) -> list[Ask]:
        if piece.id not in CARDS_OF[game.deck]:
            return [asks.about_unknown(piece, game)]
        deck = self._deck_in_play()
        if deck is None or piece.card.deck in (deck, None):
            return []
        return [asks.about_wrong_deck(piece, deck, self._deal)]

    def _deck_in_play(self) -> str | None:
        if self.deck is not None:
            return self.deck
        counted = (
            p.card.deck for p in self.pieces.by_track.values() if p.play_status is PlayStatus.COUNTED and p.card.deck
        )
        most = Counter(counted).most_common(1)
        return most[0][0] if most else None

    def _together(self, waiting: Sequence[Piece]) -> list[Piece]:
        """Return the first card and those that arrived indistinguishably at the same time."""
        head = waiting[0]
        return [
            p
            for p in waiting
            if p is head
            or p.card.rest_since - head.card.rest_since < _APART_S
            or (p.card.found and p.card.found == head.card.found)
        ]


def _is_out_of_sight(piece: Piece) -> bool:
    """Whether a covered card was out of sight so long that it may have been taken away."""
    return piece.card.buried_s >= (_BURIED_S if piece.card.is_under else _STAGGERED_S)


def _lies_over(head: Piece, other: Piece) -> bool:
    """Whether a card covers another one's centre."""
    return holds(head.card.outline or head.card.corners, center_of(other.card.outline or other.card.corners))
