"""Physical execution of moves, with variations: speed, tidiness, coins before or after the token."""

from typing import Final

from companion.games.rochi.demo.acts import discard_card, discard_hand, knock, move_token, pay, play_card, straighten
from companion.games.rochi.demo.layout import CENTRE
from companion.games.rochi.demo.moves import Deal, Fold, Knock, Move, MoveToken, Pay, Play, ThrowIn
from companion.games.rochi.demo.stage import RochiStage
from hardware.demo.hands.acts import deal_card, go_home
from hardware.demo.hands.arm import HandMotion, in_sequence
from hardware.demo.layout import Pose
from hardware.demo.scene import Card

GOES_HOME_BETWEEN: Final = 0.35
"""Probability that a hand leaves the table between two steps."""
PAYS_FIRST: Final = 0.3
SELLER_GIVES: Final = 0.3
"""Probability that the seller hands over the token instead of the buyer taking it."""
STRAIGHTENS: Final = 0.15
_PAUSE_S: Final = (0.05, 0.9)


def act_of(stage: RochiStage, move: Move) -> HandMotion:
    """Return the act for a move; all hands leave the table at its end."""
    match move:
        case Play():
            return _play(stage, move)
        case Deal():
            return _deal(stage, move)
        case Fold():
            return _fold(stage, move)
        case ThrowIn():
            return _alone(stage, move.seat, discard_hand(stage, move.seat))
        case MoveToken():
            return _alone(stage, move.seat, move_token(stage, move.seat, move.token, move.to))
        case Pay():
            payment = move.payment
            return _alone(stage, move.seat, pay(stage, move.seat, payment.giver, payment.taker, payment.coins))
        case Knock():
            return _alone(stage, move.seat, knock(stage, move.seat))


def _alone(stage: RochiStage, seat: int, act: HandMotion) -> HandMotion:
    yield from act
    yield from go_home(stage.arms[seat])


def _play(stage: RochiStage, move: Play) -> HandMotion:
    seat, arm, rng = move.seat, stage.arms[move.seat], stage.rng
    yield from _lay(stage, move)
    rest: list[HandMotion] = []
    if move.token is not None:
        rest.append(_hand_over(stage, move))
    if (due := move.price) is not None:
        rest.insert(0 if rng.random() < PAYS_FIRST else len(rest), pay(stage, seat, due.giver, due.taker, due.coins))
    if move.token is None and move.to.startswith("stack/"):
        rest.append(keep_on_top(stage, seat, int(move.to[6:])))
    for part in rest:
        yield from _pause(stage, seat)
        yield from part
    yield from go_home(arm)


def _lay(stage: RochiStage, move: Play) -> HandMotion:
    yield from play_card(stage, move.seat, Card(move.card, move.make), place_in(stage, move.to), move.to)
    if stage.rng.random() < STRAIGHTENS:
        yield from straighten(stage, move.seat, move.to)


def place_in(stage: RochiStage, to: str) -> Pose:
    """Return the place of a stack's next card, or of a seat's next Shield."""
    kind, _, number = to.partition("/")
    return stage.stack_place(int(number)) if kind == "stack" else stage.shield_place(int(number))


def _hand_over(stage: RochiStage, move: Play) -> HandMotion:
    """Have the buyer take the token, or the seller hand it over."""
    assert move.token is not None
    seller = int(move.token_from[5:]) if move.token_from.startswith("seat/") else None
    if seller is None or seller not in stage.arms or stage.rng.random() >= SELLER_GIVES:
        yield from move_token(stage, move.seat, move.token, move.token_to)
        return
    yield from go_home(stage.arms[move.seat])
    yield from move_token(stage, seller, move.token, move.token_to)
    yield from go_home(stage.arms[seller])


def _pause(stage: RochiStage, seat: int) -> HandMotion:
    """Pause between two steps: the hand goes home, or hovers."""
    if stage.rng.random() < GOES_HOME_BETWEEN:
        yield from go_home(stage.arms[seat])
    yield from stage.arms[seat].wait(stage.rng.uniform(*_PAUSE_S))


def _deal(stage: RochiStage, move: Deal) -> HandMotion:
    card = move.card
    if card is None:
        if not stage.order:
            return
        card = stage.order.pop(0)
    elif card in stage.order and move.make == "genuine":
        stage.order.remove(card)
    to = move.to or f"stack/{card[0]}"
    yield from deal_card(stage, stage.arms[move.seat], Card(card, move.make), lambda: place_in(stage, to), to)
    if stage.rng.random() < STRAIGHTENS:
        yield from straighten(stage, move.seat, to)
    if to.startswith("stack/"):
        yield from keep_on_top(stage, move.seat, int(to[6:]))
    yield from go_home(stage.arms[move.seat])


def keep_on_top(stage: RochiStage, seat: int, rank: int) -> HandMotion:
    """Move a locked suit's token onto the suit's new last card."""
    token = stage.token(f"T{rank}")
    if token is not None and token.where == f"stack/{rank}":
        yield from move_token(stage, seat, f"T{rank}", f"stack/{rank}")


def _fold(stage: RochiStage, move: Fold) -> HandMotion:
    seat, arm = move.seat, stage.arms[move.seat]
    parts = [move_token(stage, seat, token, CENTRE) for token in move.tokens]
    parts += [discard_card(stage, seat, thing) for thing in stage.at(f"seat/{seat}")]
    parts.insert(0 if stage.rng.random() < 0.5 else len(parts), discard_hand(stage, seat))
    yield from in_sequence(*parts, go_home(arm))


def tokens_home(stage: RochiStage, seat: int) -> HandMotion:
    """Return all suit tokens to the centre."""
    away = [thing for thing in stage.scene.lying if thing.card.id[0] == "T" and thing.where != CENTRE]
    yield from in_sequence(*(move_token(stage, seat, thing.card.id, CENTRE) for thing in away))
    if away:
        yield from go_home(stage.arms[seat])


def relaid(stage: RochiStage, token: str, where: str) -> None:
    """Place a token at once, without a hand."""
    thing = stage.token(token)
    if thing is not None:
        stage.scene.lift(thing)
    stage.scene.lay_down(Card(token), stage.token_place(token, where), where)
