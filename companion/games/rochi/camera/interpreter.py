"""Interprets cards and tokens in Rochi and Captain's Rochi: commands to play now, and what to ask.

Pure: maps the tracked table, the public game state and the dealer's answers to a proposal. Whether a new card was
seeded, played or dealt follows from its place, its token, the arm that laid it, and whether that arm was at the deck. A
button press decides outright. Coins move only on observed evidence; mistakes are corrected visibly, or asked about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from companion.games.roche.camera.questions import Ask, Effect
from companion.games.rochi.camera.checks import Checks
from companion.games.rochi.camera.corrections import Corrections, Plan
from companion.games.rochi.camera.decision import Decision, decide
from companion.games.rochi.camera.game_model import ON_TABLE, Game
from companion.games.rochi.camera.hypotheses import Act, Evidence
from companion.games.rochi.camera.pieces import Piece, Pieces
from companion.games.rochi.camera.questions import record_of
from companion.games.rochi.camera.tokens import thrown, tokens_seen
from companion.kernel.commands import Record
from companion.kernel.messages import Message
from companion.kernel.situation import Situation
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.observations import TrackedTable
from companion.tracking.cards.pieces import PlayStatus
from companion.tracking.cards.proposal import Proposal, Waiting

Verify = Literal["strict", "relaxed"]

_RETRY_S: Final = 1.0
_ASKED_KEPT: Final = 300
_INTENDED_S: Final = 60.0
_HANDS_S: Final = 8.0  # hands may be busy with coins for this long before the token moves
_HANDS_SOON_S: Final = 4.0  # the same, when another card has come since
_MAX_AT_ONCE: Final = 3  # cards explained by one hypothesis
_VERB_OF: Final[Mapping[Effect, Intention]] = {
    "as-play": "play", "redo-play": "play", "as-deal": "deal", "redo-deal": "deal",
}  # fmt: skip
"""Answer effect -> verb."""


@dataclass(slots=True)
class _Memory:
    """Recent events."""

    game: Game | None = None
    turn_began: float = float("-inf")
    intention: tuple[Intention, float] | None = None
    intended_in: tuple[object, ...] | None = None
    "Turn and actions so far when the intention was announced, see `_turn_of`; None before the first frame."
    told: list[tuple[Piece, int]] = field(default_factory=list)
    "Cards answered about since the last frame, with the table revision after the answer's command."
    effects: dict[tuple[str, str], tuple[Effect, tuple[int, ...]]] = field(default_factory=dict)
    waits_for: Message | None = None


class RochiInterpreter:
    """Reads a Rochi table; see `companion.tracking.cards.proposal.Interpreter`.

    Args:
        deck: ID of the deck in play; None accepts any stored deck.
        verify: `relaxed` counts cards identified by corner tags only without asking.
    """

    games: Final = ("rochi", "captains")
    asks_about_unread_objects: Final = False  # hands and discards lie face down

    def __init__(self, *, deck: str | None = None, verify: Verify = "strict") -> None:
        self.pieces = Pieces()
        self._checks = Checks(self.pieces, deck=deck, is_strict=verify == "strict")
        self._corrections = Corrections(self.pieces)
        self._plan: Plan | None = None
        self._now = _Memory()
        self._names: Mapping[int, str] = {}
        self._plans = 0

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str] | None = None) -> Proposal:
        """Return the command to play now, and the questions."""
        before = self._now.game
        game = before if before is not None and before.now is now else Game.of(now)
        self._names = evidence or {}
        self.pieces.follow(tracked, game)
        self._note_change(game, tracked.t)
        self._use_intention(game, tracked.t)
        asked = self._checks.asks(tracked, game)
        if self._plan is not None and game.hold is None:
            step = self._plan.step(game)
            if step is not None:
                self._remember(asked)
                return self._proposal(step, f"{self._plan.name}.{len(self._plan.steps)}", None, asked)
            self._plan.drop()
            self._plan = None
        decision = Decision()
        if game.hold is None and not any(a.question.blocks for a in asked):
            decision = self._decide(tracked, game)
        self._now.waits_for = decision.waits_for
        asked = [*asked, *decision.asks]
        self._remember(asked)
        if decision.record is None:
            return Proposal(questions=tuple(a.question for a in asked))
        return self._proposal(decision.record, decision.about, decision.piece, asked)

    def _proposal(self, record: Record, about: str, piece: Piece | None, asked: Sequence[Ask]) -> Proposal:
        questions = tuple(a.question for a in asked)
        card = self.pieces.of(record.get("card")) if piece is None else piece
        if card is None:
            return Proposal(record, about, questions=questions)
        name = self._names.get(card.card.track)
        if name is not None and "card" in record:
            record = {**record, "evidence": name}
        since = card.card.rest_since if record["do"] == "seed" else None
        return Proposal(record, about, card.card.track, since, questions)

    # ---- proposals

    def _decide(self, tracked: TrackedTable, game: Game) -> Decision:
        plan = self._corrections.plan(tracked, game)
        if plan is not None:
            begun = self._begin_plan(plan)
            return Decision(record=begun.step(game), about=f"{begun.name}.{len(begun.steps)}")
        ready, asks = self._checks.ready(tracked, game)
        if game.phase == "between-hands" or game.phase == "seeding":
            return self._begin(tracked, game, ready, asks)
        if not ready or game.phase not in ON_TABLE:
            return Decision(asks=asks)
        pending = ready[:_MAX_AT_ONCE]
        seen = self._evidence(tracked, game, pending)
        unended = self._corrections.before_end(pending[0], tracked, game)
        return decide(game, pending, seen, tracked.t, asks, unended=unended)

    def _begin_plan(self, plan: Plan) -> Plan:
        self._plans += 1
        self._plan = Plan(f"repair{self._plans}", plan.steps, plan.piece, plan.revision)
        return self._plan

    def _begin(self, tracked: TrackedTable, game: Game, ready: Sequence[Piece], asks: Sequence[Ask]) -> Decision:
        """Decide between hands and during seeding."""
        if game.phase == "between-hands":
            if "next-hand" in game.expected and self._checks.is_next_hand(tracked, game):
                return Decision({"do": "next-hand"}, f"next-hand{game.hand}", asks=asks)
            return Decision(asks=asks)
        if not ready:
            return Decision(asks=asks)
        head = ready[0]
        return Decision({"do": "seed", "card": head.id}, f"seed-{head.card.track}", head, asks)

    def _evidence(self, tracked: TrackedTable, game: Game, pending: Sequence[Piece]) -> Evidence:
        still = tracked.t - tracked.motion.last
        waited = {}
        for piece in pending:
            since = tracked.t - piece.card.settled
            may_take = _HANDS_S if piece is pending[-1] else _HANDS_SOON_S
            waited[piece.card.track] = max(min(still, since), since - may_take)
        tokens = tokens_seen(tracked, game, pending[0].trace.laid)
        return Evidence(tokens, tracked.mat is not None, waited, thrown(tracked, game, self._now.turn_began), still)

    # ---- outcome

    def played(self, proposal: Proposal, before: Situation) -> None:
        """Record the accepted command."""
        assert proposal.command is not None, "only commands are played"
        if self._plan is not None:
            self._plan.done()
        game = Game.of(before)
        piece = None if proposal.track is None else self.pieces.by_track.get(proposal.track)
        verb = proposal.command["do"]
        self._corrections.did(verb, piece, game)
        if piece is not None and verb in ("play", "deal", "seed"):
            piece.forced, piece.forced_in, piece.refusals = None, None, 0

    def refused(self, proposal: Proposal, t: float) -> None:
        """Retry a rejected command a little later, and count the refusal."""
        self._plan = None
        piece = None if proposal.track is None else self.pieces.by_track.get(proposal.track)
        if piece is not None:
            piece.retry = t + _RETRY_S
            piece.refusals += 1

    def intend(self, intention: Intention, t: float) -> None:
        """Record what a button or tap said about the next card, or about the one waiting."""
        self._now.intention = intention, t
        self._now.intended_in = None if self._now.game is None else _turn_of(self._now.game)

    def _use_intention(self, game: Game, t: float) -> None:
        turn = _turn_of(game)
        for told, revision in self._now.told:
            told.forced_in = turn if game.now.revision == revision else ()  # else of no turn: something came in between
        self._now.told = []
        for said in self.pieces.by_track.values():
            if said.forced_in not in (None, turn):
                said.forced = said.forced_in = None
        if self._now.intention is None:
            return
        if self._now.intended_in not in (None, turn):  # it was about a card of that turn, or one entered by hand since
            self._now.intention = None
            return
        self._now.intended_in = turn
        what, since = self._now.intention
        piece = next(iter(self.pieces.waiting), None)
        if piece is not None:
            piece.forced, piece.forced_in = what, turn
        if piece is not None or t - since > _INTENDED_S:
            self._now.intention = None

    def answered(self, question: Question, choice: Choice) -> None:
        """Apply the dealer's answer."""
        effect, tracks = self._now.effects.get((question.id, choice.id), ("deal", ()))
        if effect == "leave":
            self._checks.dismiss(question.id)
        for track in tracks:
            piece = self.pieces.by_track.get(track)
            if piece is None:
                self._checks.ignore_arrival(track)
            elif effect == "before-end":
                self._put_before_end(piece, choice.id)
            else:
                _apply(effect, question.kind, choice.id, piece)
                if effect in _VERB_OF and self._now.game is not None:
                    self._now.told.append((piece, self._now.game.now.revision + (choice.command is not None)))

    def _put_before_end(self, piece: Piece, way: str) -> None:
        game = self._now.game
        plan = None if game is None else self._corrections.put_before_end(way, piece, game)
        if plan is not None:
            self._begin_plan(plan)

    def report(self) -> Waiting:
        """Return what the interpreter is waiting for."""
        return {"waits_for": self._now.waits_for}

    def _remember(self, asked: Sequence[Ask]) -> None:
        """Remember recent questions: an answer may arrive after its question has changed or disappeared."""
        effects = self._now.effects
        for ask in asked:
            for way, effect in ask.effects:
                effects.pop((ask.question.id, way), None)
                effects[ask.question.id, way] = (effect, ask.tracks)
        while len(effects) > _ASKED_KEPT:
            del effects[next(iter(effects))]

    def _note_change(self, game: Game, t: float) -> None:
        before = self._now.game
        if before is None or (before.hand, before.turn, before.phase) != (game.hand, game.turn, game.phase):
            self._now.turn_began = t
        self._corrections.note(before, game, t)
        self._now.game = game


def _turn_of(game: Game) -> tuple[object, ...]:
    """Return a key that changes when a card counts or the turn ends."""
    return game.hand, game.turn, game.phase, game.has_played, game.has_dealt


def _apply(effect: Effect, kind: str, way: str, piece: Piece) -> None:
    if effect in _VERB_OF:
        piece.forced, piece.forced_in = _VERB_OF[effect], None
    if effect.startswith("redo") or effect == "approve":
        piece.play_status, piece.is_approved, piece.refusals = PlayStatus.NEW, True, 0
        piece.replays = effect.startswith("redo")
    elif effect == "aside":
        piece.play_status = PlayStatus.ASIDE
    elif effect == "first":
        piece.is_first = piece.id == way
    if effect in ("leave", "aside", "approve", "as-play", "as-deal"):
        piece.dismissed_questions.add(kind)


__all__ = ["Act", "RochiInterpreter", "record_of"]
