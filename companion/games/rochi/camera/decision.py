"""Decides whether the evidence supports the best hypothesis: a command now, a question, or waiting."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.roche.camera.questions import Ask
from companion.games.rochi.camera import questions as asks
from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.camera.hypotheses import Act, Evidence, Hypothesis, hypotheses_for
from companion.games.rochi.camera.pieces import Piece
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.words import card_words

_MARGIN: Final = 2.0
_MARGIN_CUT: Final = 3.5  # for a card that decides the hand
_MARGIN_UNSEEN: Final = 2.5  # for a play without an observed token move, if another card has come since
_UNLIKELY: Final = 5.0
_UNLIKELY_S: Final = 1.5
_PATIENCE_S: Final = 10.0
_BUSY_S: Final = 0.8  # a hand that moved more recently may be about to take the token
_MAX_PATIENCE_S: Final = 16.0
_NO_MAT_S: Final = 1.5  # shorter without a mat, since hardly any more evidence is to come
_SAID: Final = 1.0


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about the pending cards."""

    record: Record | None = None
    about: str = ""
    piece: Piece | None = None
    asks: Sequence[Ask] = ()
    waits_for: Message | None = None


def decide(
    game: Game,
    pending: Sequence[Piece],
    seen: Evidence,
    t: float,
    before: Sequence[Ask] = (),
    *,
    unended: Game | None = None,
) -> Decision:
    """Decide about the first pending card.

    Args:
        pending: at least one card, in order of arrival.
        before: other pending questions.
        unended: the table before the last manual end, if the first card may belong to that turn.
    """
    head = pending[0]
    hypotheses = hypotheses_for(game, pending, seen)
    early = [] if unended is None else [s for s in hypotheses_for(unended, pending[:1], seen) if len(s.acts) == 1]
    if not hypotheses and not early:
        is_asked = t - head.card.settled > _UNLIKELY_S and "out-of-turn" not in head.dismissed_questions
        asked = [asks.about_nothing(head, game)] if is_asked else []
        return Decision(asks=[*before, *asked], waits_for=_waiting(head))
    if head.refusals >= 2:
        return Decision(asks=[*before, asks.about_refused(head, game)], waits_for=_waiting(head))
    if unended is not None and early:
        if not head.is_asked and t - head.card.settled <= _patience(seen):
            return Decision(asks=before, waits_for=_waiting(head))
        head.is_asked = True
        return Decision(asks=[*before, _whose(head, early, hypotheses, unended)], waits_for=_waiting(head))
    best = hypotheses[0]
    rival = next((hypothesis for hypothesis in hypotheses if hypothesis.first != best.first), None)
    margin = 99.0 if rival is None else rival.cost - best.cost
    if best.cost < _UNLIKELY and margin >= _needed(best, game, pending, seen):
        act = best.acts[0]
        return Decision(asks.record_of(act), f"{act.verb}-{head.card.track}", head, before)
    waited = t - head.card.settled
    if head.is_asked or (best.odd >= _UNLIKELY and waited > _UNLIKELY_S) or waited > _patience(seen):
        head.is_asked = True  # stays asked until resolved, so that the question does not flicker
        which = asks.about_way(head, hypotheses, _why(head, hypotheses, game, seen))
        return Decision(asks=[*before, which], waits_for=_waiting(head))
    return Decision(asks=before, waits_for=_waiting(head))


def _patience(seen: Evidence) -> float:
    """Return how long to wait for the token before asking about a card."""
    if not seen.has_mat:
        return _NO_MAT_S
    return _PATIENCE_S if seen.still_s > _BUSY_S else _MAX_PATIENCE_S


def _needed(best: Hypothesis, game: Game, pending: Sequence[Piece], seen: Evidence) -> float:
    """Return the required lead of the best hypothesis."""
    act, head = best.acts[0], pending[0]
    if head.forced is not None:
        return _SAID
    if act.verb == "fold":
        return _MARGIN if best.cost < 3.0 else 99.0
    if not seen.has_mat and not (
        act.verb == "play" and is_confirmed(act, game, seen) and _is_of_play(act, game, pending)
    ):
        return 99.0
    if best.after is None and len(best.acts) == 1:
        return _MARGIN_CUT
    if act.verb == "play" and not is_confirmed(act, game, seen):
        return _MARGIN_UNSEEN if len(pending) > 1 else 99.0
    return _MARGIN


def is_confirmed(act: Act, game: Game, seen: Evidence) -> bool:
    """Whether a play is confirmed by a Shield or the token at the player, or moves no coins."""
    assert act.card is not None, "a card is played"
    suit = game.suit_of(act.card)
    if suit.is_locked or suit.owner == act.player.name or is_shield(act, seen):
        return True
    token = seen.tokens.get(suit.rank)
    return token is not None and token.seat == act.player.seat


def _is_of_play(act: Act, game: Game, pending: Sequence[Piece]) -> bool:
    """Whether a token that moved without a mat, destination unknown, can only have moved for this play.

    Not if the suit is ripe, where a dealt card also moves the token, or if another pending card has this suit.
    """
    assert act.card is not None, "a card is played"
    suit = game.suit_of(act.card)
    return not suit.is_ripe and all(p is pending[0] or p.id is None or game.suit_of(p.id) != suit for p in pending)


def is_shield(act: Act, seen: Evidence) -> bool:
    """Whether the card lies in a seat's zone, where no card is dealt."""
    return seen.has_mat and (act.place or "").startswith("seat/")


def _whose(head: Piece, early: Sequence[Hypothesis], hypotheses: Sequence[Hypothesis], unended: Game) -> Ask:
    """Ask about a card laid before a turn was ended: it may belong to that turn or the next."""
    player = unended.actor
    assert player is not None, "somebody ended the turn"
    why = message("{card} lay there before {player} was done.", card=card_words(head.id or "?"), player=player.name)
    return asks.about_way(head, hypotheses, why, early)


def _why(head: Piece, hypotheses: Sequence[Hypothesis], game: Game, seen: Evidence) -> Message:
    """Return the reason for asking about a card."""
    name, player = card_words(head.id or "?"), game.actor
    whose = message("it is nobody's turn")
    if player is not None:
        whose = message("it is {player}'s turn", player=player.name)
    zone = head.card.zone or ""
    if zone.startswith("seat/") and hypotheses[0].odd >= _UNLIKELY:
        return message(
            "{card} lies before {holder} as a Shield, where it does not belong now, and {whose}.",
            card=name,
            holder=asks.holder_at(int(zone[5:]), game),
            whose=whose,
        )
    arm = game.at_seat(head.trace.arm) if head.trace.arm is not None else None
    if arm is not None and player is not None and arm != player.name:
        return message("{player} laid {card}, and {whose}.", player=arm, card=name, whose=whose)
    token = seen.tokens.get(game.suit_of(head.id or "2").rank)
    taker = game.at_seat(token.seat) if token is not None and token.seat else None
    if taker is not None and player is not None and taker != player.name:
        return message(
            "{card} came, its token lies before {player}, and {whose}.", card=name, player=taker, whose=whose
        )
    return message(
        "{card} came, and its token did not tell whether it was played or dealt; {whose}.", card=name, whose=whose
    )


def _waiting(head: Piece) -> Message:
    return message("{card}: played or dealt?", card=card_words(head.id or "?"))
