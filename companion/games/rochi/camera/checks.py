"""Detects irregularities on a Rochi table, and selects the new cards that may count."""

from collections.abc import Iterator, Sequence
from typing import Final

from companion.games.roche.camera import questions as common
from companion.games.roche.camera.questions import Ask
from companion.games.rochi.camera import questions as asks
from companion.games.rochi.camera.game_model import ON_TABLE, Game
from companion.games.rochi.camera.pieces import Piece, Pieces
from companion.games.rochi.camera.tokens import TokenCheck, seat_in, thrown
from companion.objects.cards import LEADER_BUTTON
from companion.tracking.cards.observations import Arriving, TrackedTable
from companion.tracking.cards.pieces import PlayStatus

_APART_S: Final = 0.35
_TAG_S: Final = 0.7
_HIDDEN_S: Final = 3.0
_MOVED_S: Final = 3.0
_VANISHED_S: Final = 1.5
_UNDONE_S: Final = 1.0
_BARE_S: Final = 1.0
_BARE_ASK_S: Final = 5.0
_FOLD_S: Final = 2.0
_SEVENTH_S: Final = 2.0
_WRONG_S: Final = 0.8


class Checks:
    """Detects irregularities.

    Args:
        pieces: the cards.
        deck: id of the deck in play, None for any.
        is_strict: ask about cards identified by corner tags only.
    """

    def __init__(self, pieces: Pieces, *, deck: str | None, is_strict: bool) -> None:
        self._pieces, self._deck, self._is_strict = pieces, deck, is_strict
        self._tokens = TokenCheck()
        self._left: set[str] = set()
        self._arrivals: set[int] = set()
        self._bare_since: float | None = None
        self._seen_in: int | None = None  # last hand with a card in view; without one there is nothing to gather
        self._leader_at: tuple[int | None, int, bool] = (None, -1, False)
        self._last_seed: tuple[float, int | None] = (float("-inf"), None)
        self._thrown: tuple[int, int, float] | None = None

    def dismiss(self, question: str) -> None:
        """The dealer dismissed a question."""
        self._left.add(question)

    def ignore_arrival(self, track: int) -> None:
        """The dealer said that an unidentified object is no card."""
        self._arrivals.add(track)

    # ---- questions

    def asks(self, tracked: TrackedTable, game: Game) -> list[Ask]:
        """Return the questions about irregularities."""
        self._note(tracked, game)
        found = [a for p in self._pieces.lying for a in self._about(p, tracked, game)]
        left = [
            p
            for p in self._pieces.lying
            if p.play_status is PlayStatus.LEFTOVER
            and not p.is_stranger
            and p.card.where == "open"  # not just swept away
            if game.name == "rochi" or p.id not in game.places  # in Captain's Rochi cut cards are removed later
        ]
        if left and game.phase in ON_TABLE:
            found.append(asks.about_leftovers(left, game))
        found += self._about_vanished(tracked, game)
        found += self._tokens.asks(tracked, game, self._pieces)
        found += self._about_phase(tracked, game)
        return [a for a in found if a.question.id not in self._left]

    def _about(self, piece: Piece, tracked: TrackedTable, game: Game) -> Iterator[Ask]:
        if piece.is_stranger:
            if piece.card.status not in piece.dismissed_questions and piece.play_status is not PlayStatus.ASIDE:
                yield common.about_stranger(piece)
        elif piece.card.disputed is not None and "conflict" not in piece.dismissed_questions:
            yield common.about_conflict(piece)
        elif self._is_twin(piece) and "duplicate" not in piece.dismissed_questions:
            yield common.about_twin(piece)
        elif piece.play_status in (PlayStatus.UNDONE, PlayStatus.FOUND) and game.phase in ON_TABLE:
            if tracked.t - piece.since >= _UNDONE_S:
                yield asks.about_uncounted(piece, game)
        elif piece.play_status is PlayStatus.LATE and game.phase == "between-hands":
            yield asks.about_late(piece)
        elif self._lies_wrong(piece, tracked, game):
            yield asks.about_moved(piece)

    def _is_twin(self, piece: Piece) -> bool:
        twin = None if piece.card.twin_of is None else self._pieces.by_track.get(piece.card.twin_of)
        return twin is not None and twin.gone is None

    def _lies_wrong(self, piece: Piece, tracked: TrackedTable, game: Game) -> bool:
        """Whether a counted card was moved to another stack or seat."""
        if (
            piece.play_status is not PlayStatus.COUNTED
            or game.phase not in ON_TABLE
            or "wrong-stack" in piece.dismissed_questions
        ):
            return False
        zone = piece.card.zone
        return (
            zone is not None
            and zone != piece.place
            and zone.partition("/")[0] in ("stack", "seat")
            and tracked.t - max(piece.card.moved, piece.since) > _MOVED_S
        )

    def _about_vanished(self, tracked: TrackedTable, game: Game) -> Iterator[Ask]:
        if game.phase not in ON_TABLE:
            return
        here = {p.id for p in self._pieces.lying}
        gone = [
            p
            for p in self._pieces.gone
            if p.play_status is PlayStatus.COUNTED
            and p.hand == game.hand
            and game.places.get(p.id or "", "discard") != "discard"
            and p.id not in here
            and tracked.t - (p.gone or 0.0) >= _VANISHED_S
            and "vanished" not in p.dismissed_questions
        ]
        latest = list({p.id: p for p in gone}.values())
        if latest:
            yield asks.about_vanished(latest, game)

    def _about_phase(self, tracked: TrackedTable, game: Game) -> Iterator[Ask]:
        if game.phase == "odd-coin":
            yield asks.about_odd_coin(game, list(game.suits))
        bare_s = 0.0 if self._bare_since is None else tracked.t - self._bare_since
        is_gathered = bare_s >= _BARE_ASK_S and self._seen_in == game.hand
        if "next-hand" in game.expected and game.hand > 0 and is_gathered:
            yield asks.about_next_hand(game)
        since = self._since_thrown(tracked, game)
        if since is not None and tracked.t - since >= _FOLD_S and not self._pieces.waiting:
            yield asks.about_fold(game)

    def _since_thrown(self, tracked: TrackedTable, game: Game) -> float | None:
        """Return since when all tokens of the player to act have been at the centre; None if they are not."""
        player = game.actor
        may_fold = player is not None and "fold" in game.expected and game.owned_by(player.name)
        if player is None or not may_fold or player.seat not in thrown(tracked, game, tracked.t):
            self._thrown = None
        elif self._thrown is None or self._thrown[:2] != (game.hand, player.seat):
            self._thrown = (game.hand, player.seat, tracked.t)
        return None if self._thrown is None else self._thrown[2]

    # ---- the next hand

    def _note(self, tracked: TrackedTable, game: Game) -> None:
        bare = self._pieces.is_bare() and not any(p.play_status is PlayStatus.NEW for p in self._pieces.lying)
        self._bare_since = (tracked.t if self._bare_since is None else self._bare_since) if bare else None
        button = next((k for k in tracked.tokens if k.id == LEADER_BUTTON), None)
        seat = None if button is None else seat_in(button)
        before, hand, _ = self._leader_at
        if hand != game.hand or game.phase != "between-hands":
            self._leader_at = (seat if seat is not None else before, game.hand, False)
        elif seat is not None and seat != before:
            self._leader_at = (seat, hand, True)
        for piece in self._pieces.by_track.values():
            if piece.play_status is PlayStatus.COUNTED and piece.gone is None:
                self._seen_in = game.hand
            if piece.play_status is PlayStatus.COUNTED and game.phase == "seeding":
                self._last_seed = max(self._last_seed, (piece.trace.laid, piece.trace.arm), key=lambda s: s[0])

    def is_next_hand(self, tracked: TrackedTable, game: Game) -> bool:
        """Whether the next hand has begun: the button was passed on, or a card came onto the empty table."""
        if any(p.came_alone and p.card.status == "ok" for p in self._pieces.waiting) and self._pieces.is_bare():
            return True
        seat, _, has_moved = self._leader_at
        is_bare = self._bare_since is not None and tracked.t - self._bare_since >= _BARE_S
        return is_bare and has_moved and seat is not None and seat == game.seats.get(game.next_leader or "")

    # ---- which cards may count

    def ready(self, tracked: TrackedTable, game: Game) -> tuple[list[Piece], list[Ask]]:
        """Return the cards that may count now, in order, and what blocks the others."""
        waiting = [p for p in self._pieces.waiting if p.id not in game.places]
        found: list[Piece] = []
        for piece in waiting:
            asked = self._before(piece, tracked, game)
            if asked is not None:
                return found, [a for a in asked if a.question.id not in self._left]
            found.append(piece)
        together = self._together(found, tracked, game)
        if len(together) > 1:
            return [], [asks.about_order(together)]
        if found and self._is_seventh(found[0], game):
            return [], [asks.about_seventh(found[0], game)]
        return found, []

    def _before(self, piece: Piece, tracked: TrackedTable, game: Game) -> list[Ask] | None:
        """Return the questions that block a card; an empty list means wait, None means not blocked."""
        waited = tracked.t - piece.card.settled
        if piece.retry > tracked.t:
            return []
        wrong_deck = self._deck is not None and piece.card.deck not in (self._deck, None)
        if (piece.id not in game.cards or wrong_deck) and not piece.is_approved:
            return [asks.about_unknown(piece, game)]
        if piece.card.status == "tag" and self._is_strict and not piece.is_approved:
            return [asks.about_tag(piece)] if waited > _TAG_S else []
        hidden = self._hidden_before(piece, tracked)
        if hidden:
            return [common.about_arriving(hidden[0])] if waited > _HIDDEN_S else []
        if waited < _HIDDEN_S and tracked.hides_before(piece.card):
            return []
        if tracked.mat is None or piece.is_approved:
            return None
        return self._misplaced(piece, game, waited)

    def _misplaced(self, piece: Piece, game: Game, waited: float) -> list[Ask] | None:
        if piece.card.astride:
            return [asks.about_astride(piece)] if waited > _WRONG_S else []
        kind, _, number = (piece.card.zone or "").partition("/")
        wrong = (kind == "stack" and number != (piece.id or "")[0]) or kind in ("deck", "pot")
        wrong = wrong or (kind == "seat" and game.phase == "seeding")
        if wrong:
            return [asks.about_wrong_place(piece, game)] if waited > _WRONG_S else []
        return None

    def _hidden_before(self, head: Piece, tracked: TrackedTable) -> list[Arriving]:
        """Return unidentified objects that came before this card."""
        until = head.card.rest_since
        return [
            a
            for a in tracked.arriving
            if a.track not in self._arrivals and a.votes >= 2 and a.first_seen <= until and a.rest_since <= until
        ]

    def _together(self, ready: Sequence[Piece], tracked: TrackedTable, game: Game) -> list[Piece]:
        """Return the first card and those whose order to it is unknown: other hand, unknown hand, or not observed."""
        if not ready or game.phase != "turns" or ready[0].is_first:
            return []
        head = ready[0]
        return [
            p
            for p in ready
            if p is head
            or (p.card.found and p.card.found == head.card.found)
            or (p.card.rest_since - head.card.rest_since < _APART_S and p.trace.arm != head.trace.arm)
            or (p.trace.arm is None and tracked.came_at_once(head.card, p.card))
        ]

    def _is_seventh(self, piece: Piece, game: Game) -> bool:
        """Whether this is probably a surplus seed card, laid by the seeding hand and not the leader."""
        if game.undoes.get("do") != "seed" or game.phase != "turns" or "seventh-seed" in piece.dismissed_questions:
            return False
        t, arm = self._last_seed
        leader = game.actor
        if piece.forced is not None or leader is None or piece.card.rest_since - t > _SEVENTH_S * 3:
            return False
        if piece.trace.arm is None or arm is None:
            return piece.card.rest_since - t < _SEVENTH_S
        return piece.trace.arm == arm and arm != leader.seat and piece.trace.from_deck is not False
