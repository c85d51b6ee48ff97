"""Retroactive corrections: undo a premature decision and replay the right command, visibly.

Two cases are corrected without asking, if nothing else has happened since and the evidence is conclusive: a card
counted as dealt whose token then went to the player; and a turn that was ended by hand before its card was read, so
that it counted as a fold, or the card as another player's. If it is unclear whose card it was, a question offers both,
and the answer makes the correction.
"""

from dataclasses import dataclass
from typing import Final

from companion.games.rochi.camera.decision import is_confirmed
from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.camera.hypotheses import Evidence, Hypothesis, hypotheses_for
from companion.games.rochi.camera.pieces import Piece, Pieces
from companion.games.rochi.camera.questions import way_of
from companion.games.rochi.camera.tokens import seat_in, tokens_seen
from companion.kernel.commands import Record
from companion.tracking.cards.observations import TrackedTable

_SURE_S: Final = 0.15
_CLEAR_S: Final = 1.0
_LIKELY: Final = 3.0
_MARGIN: Final = 1.5
_EARLY_KEPT_S: Final = 6.0
_UNREAD_S: Final = 1.0  # a hand may hide a card on the table for this long
_DONE_S: Final = 3.0  # a player who ends the turn has moved the token by then


@dataclass(slots=True)
class Plan:
    """Commands to play in order, as long as nothing else happens at the table.

    Attributes:
        revision: table revision at which the next command applies.
        piece: the card being corrected.
    """

    name: str
    steps: list[Record]
    piece: Piece
    revision: int

    def step(self, game: Game) -> Record | None:
        """Return the next command; None if the plan is finished or interrupted."""
        return self.steps[0] if self.steps and game.now.revision == self.revision else None

    def drop(self) -> None:
        """Abandon an interrupted plan; its card is evaluated anew."""
        if self.steps:
            self.piece.forced, self.piece.replays = None, False

    def done(self) -> None:
        """Advance to the next step."""
        if self.steps:
            self.steps.pop(0)
            self.revision += 1


@dataclass(frozen=True, slots=True)
class _Did:
    """The camera's last decision: a dealt card, and the table before it."""

    card: str
    track: int
    before: Game


@dataclass(frozen=True, slots=True)
class _Early:
    """A turn that was ended by hand: the table before, the time, and the revision after it."""

    before: Game
    t: float
    revision: int


class Corrections:
    """Checks that the last decision still fits the evidence."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._did: _Did | None = None
        self._early: _Early | None = None
        self._is_ours = False

    def did(self, verb: str, piece: Piece | None, before: Game) -> None:
        """Record the camera's accepted command; ``before`` is the table before it."""
        self._is_ours = True
        if verb == "deal" and piece is not None and piece.id is not None:
            self._did = _Did(piece.id, piece.card.track, before)
        else:
            self._did = None

    def note(self, before: Game | None, now: Game, t: float) -> None:
        """Record a turn that was ended by hand, with no other command since the table ``before``."""
        if before is None or before.now.revision == now.now.revision:
            return
        kept = now.now.undone_since(before.now.revision)
        if self._did is not None and kept is not None and kept <= self._did.before.commands:
            self._did = None  # undone; an equal command now is a new one
        is_next = now.now.revision == before.now.revision + 1 and now.commands == before.commands + 1
        said_end = is_next and now.undoes.get("do") in ("end", "fold", "pass") and before.turn is not None
        was_turn = before.phase == "turns" and len(before.places) == len(now.places)
        self._early = _Early(before, t, now.now.revision) if said_end and was_turn and not self._is_ours else None
        self._is_ours = False

    def plan(self, tracked: TrackedTable, game: Game) -> Plan | None:
        """Return the correction, None if none is needed."""
        return self._was_played(tracked, game) or self._was_early(tracked, game)

    def before_end(self, head: Piece, tracked: TrackedTable, game: Game) -> Game | None:
        """Return the table before the last manual end, if this card may belong to the ended turn."""
        early = self._early
        if (
            early is None
            or game.now.revision != early.revision
            or early.before.actor is None
            or head.forced is not None
        ):
            return None
        arm, player = head.trace.arm, game.actor
        if player is not None and arm == player.seat != early.before.actor.seat:
            return None
        hidden_s = _UNREAD_S if arm is None else 0.0
        return early.before if head.trace.laid <= early.t + hidden_s else None

    def put_before_end(self, way: str, head: Piece, game: Game) -> Plan | None:
        """Return the plan to count a card in the turn ended before it was read; None if no longer possible.

        Args:
            way: the dealer's answer, verb and seat: "deal1".
        """
        early = self._early
        if early is None or game.now.revision != early.revision or head.id is None:
            return None
        ways = hypotheses_for(early.before, [head], Evidence())
        best = next((s for s in ways if way_of(s) == way), None)
        return None if best is None else self._put_before_end(best, early, head, game)

    def _was_played(self, tracked: TrackedTable, game: Game) -> Plan | None:
        """Return the correction for a card counted as dealt whose token went to the player."""
        did = self._did
        piece = None if did is None else self._pieces.by_track.get(did.track)
        if did is None or piece is None or game.undoes != {"do": "deal", "card": did.card}:
            return None
        player, rank = did.before.actor, did.before.suit_of(did.card).rank
        if player is None or not did.before.may("play") or game.phase != "turns" or tracked.mat is None:
            return None
        token = next((k for k in tracked.tokens if k.id == f"T{rank}"), None)
        if token is None or seat_in(token) != player.seat or did.before.home_of(rank) == player.seat:
            return None
        if token.moved < piece.trace.laid - 4.0 or tracked.t - token.moved < _SURE_S:
            return None
        if piece.trace.from_deck is True and not self._is_taken_for(piece, token.moved, tracked.t):
            return None
        piece.forced, piece.forced_in, piece.replays = "play", None, True
        return Plan("", [game.undo, {"do": "play", "card": did.card}], piece, game.now.revision)

    def _is_taken_for(self, piece: Piece, moved: float, t: float) -> bool:
        """Whether a token was clearly moved for this card, though the card seemed to come from the deck."""
        return moved > piece.trace.laid and t - moved >= _CLEAR_S and not self._pieces.waiting

    def _was_early(self, tracked: TrackedTable, game: Game) -> Plan | None:
        """Return the correction for a turn that was ended before its card was read."""
        early = self._early
        if early is None or tracked.t - early.t > _EARLY_KEPT_S or game.undoes.get("do") not in ("end", "fold", "pass"):
            return None
        head = next(iter(self._pieces.waiting), None)
        player = early.before.actor
        if head is None or player is None or head.id is None or head.trace.laid > early.t:
            return None
        if head.trace.arm != player.seat or head.card.status != "ok":
            return None
        waited = {head.card.track: max(_DONE_S, tracked.t - head.trace.laid)}
        seen = Evidence(tokens_seen(tracked, early.before, head.trace.laid), tracked.mat is not None, waited)
        ways = [s for s in hypotheses_for(early.before, [head], seen) if len(s.acts) == 1]
        if not ways or ways[0].cost > _LIKELY or (len(ways) > 1 and ways[1].cost - ways[0].cost < _MARGIN):
            return None
        best = ways[0]
        if best.acts[0].verb == "play" and not is_confirmed(best.acts[0], early.before, seen):
            return None
        return self._put_before_end(best, early, head, game)

    def _put_before_end(self, hypothesis: Hypothesis, early: _Early, head: Piece, game: Game) -> Plan:
        self._early = None
        head.forced, head.forced_in = "play" if hypothesis.acts[0].verb == "play" else "deal", None
        record: Record = {"do": hypothesis.acts[0].verb, "card": head.id}
        steps = [game.undo, record]
        if hypothesis.after is not None and hypothesis.after.turn == early.before.turn:
            steps.append({"do": "end"})
        return Plan("", steps, head, game.now.revision)


__all__ = ["Corrections", "Plan"]
