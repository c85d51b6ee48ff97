"""Meaning of a new card, from its position and what the round expects. Pure.

The result is a command, or a doubt. A card's owner is never guessed: it must lie in the box whose turn it is and on one
hand, or the dealer is asked.
"""

from collections.abc import Iterator
from typing import Final

from companion.games.blackjack.camera import doubts
from companion.games.blackjack.camera.doubts import Doubt, way
from companion.games.blackjack.camera.laid import Laid, is_face_down, lies_in, lies_just_on
from companion.games.blackjack.commands import DEALER as TO_DEALER
from companion.games.blackjack.mats.places import BOX, DEALER
from companion.games.blackjack.state import Phase, State
from companion.games.blackjack.view import next_card
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.kernel.situation import Situation
from companion.service.questions import Choice
from companion.tracking.cards.hands import BESIDE, hand_of, lies_across, touch
from companion.tracking.cards.observations import LyingCard

_OUT_OF_SIGHT_S: Final = 0.8


def meaning(card: LyingCard, laid: Laid, now: Situation) -> Record | Doubt:
    """Return the command or doubt for a new card."""
    state: State = now.state
    if card.zone is None:
        return doubts.nowhere(card)
    if card.zone != DEALER and not card.zone.startswith(BOX):
        return doubts.nowhere(card)
    if is_face_down(card):
        return _face_down(card, laid, now)
    return _checked(_MEANINGS[state.phase](card, laid, state, now), card, now)


def _checked(found: Record | Doubt, card: LyingCard, now: Situation) -> Record | Doubt:
    return found if isinstance(found, Doubt) or now.accepts(found) else doubts.refused(card)


def _face_down(card: LyingCard, laid: Laid, now: Situation) -> Record | Doubt:
    record = {"do": "hole"}
    lies_on_other = any(lies_just_on(card, one) for one in laid.dealer)
    if card.zone != DEALER or now.state.phase is not Phase.DEALING or lies_on_other or not now.accepts(record):
        return doubts.face_down(card)
    following = next_card(now.state)
    is_next = following is not None and following["do"] == "hole"
    return record if is_next else doubts.face_down(card, record)  # it may be a face-up card that cannot be read


# ---- dealing


def _dealing(card: LyingCard, laid: Laid, state: State, now: Situation) -> Record | Doubt:
    if not state.boxes:
        return doubts.no_bets(card)
    following = next_card(state)
    assert following is not None, "cards are dealt"
    to = TO_DEALER if card.zone == DEALER else _player_in(card, state)
    if to is None:
        return doubts.no_bet(card)
    record = {"do": "deal", "to": to, "card": card.id}
    is_next = following["do"] == "deal" and following["to"] == to
    if to == TO_DEALER and state.has_hole and state.dealer:
        return doubts.flashed()
    if to == TO_DEALER:
        ways = (way(message("It is the dealer's"), record),) if not is_next and now.accepts(record) else ()
        return record if is_next else doubts.dealer_not_next(card, _whose(following["to"], following["do"]), ways)
    place = next(n for n, box in enumerate(state.boxes) if box.player == to), 0
    if len(state.boxes[place[0]].hands[0].cards) == 2:
        return doubts.too_many(card, to)
    if laid.hands[place] and touch(card, laid.hands[place]) <= BESIDE:
        return doubts.apart(card, to)
    return record if is_next else doubts.out_of_order(card, to, _whose(following["to"], following["do"]), record)


def _whose(to: str, do: str) -> str:
    """Return the recipient of a card, as text."""
    if do == "hole":
        return message("the dealer's face-down card")
    return message("the dealer") if to == TO_DEALER else to


def _player_in(card: LyingCard, state: State) -> str | None:
    return next((box.player for box in state.boxes if card.zone == f"{BOX}{box.seat}"), None)


# ---- players' decisions


def _playing(card: LyingCard, laid: Laid, state: State, now: Situation) -> Record | Doubt:
    assert state.at is not None, "somebody decides"
    box, turn = state.boxes[state.at[0]], str(state.turn)
    if card.zone == DEALER:
        return doubts.shown_early(turn, _stands(state, now))
    if card.zone != f"{BOX}{box.seat}":
        later = any(lies_in(card, f"{BOX}{other.seat}") for other in state.boxes[state.at[0] + 1 :])
        return doubts.other_turn(card, turn, _stands(state, now) if later else ())
    own = [laid.hands[state.at[0], place] for place in range(len(box.hands))]
    return _on_own(card, own, state, now)


def _stands(state: State, now: Situation) -> tuple[Choice, ...]:
    """Return the choice that the player to act stands, if legal."""
    record = {"do": "stand", "player": str(state.turn)}
    return (
        (way(message("{player} stands", player=str(state.turn)), record, name="stand"),) if now.accepts(record) else ()
    )


def _on_own(card: LyingCard, own: list[list[LyingCard]], state: State, now: Situation) -> Record | Doubt:
    """Interpret a card in the acting player's box by the hand it touches and how it lies."""
    assert state.at is not None, "somebody decides"
    assert state.hand is not None, "somebody decides"
    place, turn, hand = state.at[1], str(state.turn), state.hand
    mine, ways = own[place], tuple(_ways(card, state, now))
    if len(mine) < len(hand.cards):
        return doubts.hidden(card, turn, ways)
    if len(mine) == 2 and touch(mine[1], mine[:1]) <= BESIDE:
        return _split(card, own, state, now)
    on = hand_of(card, own)
    if on is None:
        return doubts.on_no_hand(card, turn, ways)
    if on != place:
        return doubts.other_turn(card, turn, _stands(state, now) if on > place else ())
    if hand.is_waiting:
        return {"do": "deal", "to": turn, "card": card.id}
    return _hit_or_double(card, mine, turn, ways)


def _ways(card: LyingCard, state: State, now: Situation) -> Iterator[Choice]:
    """Yield the legal meanings of a card for the hand to act."""
    turn = str(state.turn)
    for do, label in (("hit", message("A hit")), ("double", message("A double"))):
        record = {"do": do, "player": turn, "card": card.id}
        if now.accepts(record):
            yield way(label, record, name=do)
    record = {"do": "deal", "to": turn, "card": card.id}
    if now.accepts(record):
        yield way(message("The second card of the hand"), record, name="deal")


def _hit_or_double(card: LyingCard, mine: list[LyingCard], turn: str, ways: tuple[Choice, ...]) -> Record | Doubt:
    across = lies_across(card, mine[0])
    if across is None:
        return doubts.across(card, turn, ways)
    verb = "double" if across else "hit"
    found = next((choice.command for choice in ways if choice.id == verb), None)
    if found is None:
        return doubts.no_double(card, turn, ways) if across else doubts.refused(card)
    return found


def _split(card: LyingCard, own: list[list[LyingCard]], state: State, now: Situation) -> Record | Doubt:
    """Interpret a card after a pair was moved apart: a card on the first one splits the hand."""
    assert state.at is not None, "somebody decides"
    place, turn = state.at[1], str(state.turn)
    first, second = own[place]
    on = hand_of(card, [*own[:place], [first], [second], *own[place + 1 :]])
    record = {"do": "split", "player": turn, "cards": [card.id]}
    if not now.accepts(record):
        return doubts.no_split(card, turn)
    if on == place + 1:
        return doubts.split_other(card, turn)
    return record if on == place else doubts.on_no_hand(card, turn, ())


# ---- the dealer's cards


def _reveal(card: LyingCard, laid: Laid, state: State, now: Situation) -> Record | Doubt:
    if card.zone != DEALER:
        return doubts.too_late(card)
    record = {"do": "reveal", "card": card.id}
    hole = laid.hole
    if hole is not None and not hole.is_absent and not lies_just_on(card, hole):
        return doubts.hole_there(card, record)
    return record


def _drawing(card: LyingCard, laid: Laid, state: State, now: Situation) -> Record | Doubt:
    return {"do": "dealer-hit", "card": card.id} if card.zone == DEALER else doubts.too_late(card)


_MEANINGS: Final = {
    Phase.BETTING: _dealing,
    Phase.DEALING: _dealing,
    Phase.PLAYING: _playing,
    Phase.REVEAL: _reveal,
    Phase.DEALER: _drawing,
}


# ---- is it certain yet?


def lies_below(card: LyingCard, laid: Laid) -> list[LyingCard]:
    """Return matched cards that a new card may hide and that are not visible."""
    return [one for one in laid.known if touch(one, (card,)) > BESIDE and is_out_of_sight(one)]


def lies_for_another(card: LyingCard, laid: Laid, state: State) -> bool:
    """Whether a new card may replace a missing one of its zone, which was entered wrongly or exchanged.

    Not during decisions: that hand's cards are checked anyway, and other hands may be removed.
    """
    return state.phase is not Phase.PLAYING and any(lies_in(card, zone) for _, zone in laid.missing)


def is_out_of_sight(card: LyingCard) -> bool:
    """Whether a card may have been removed unnoticed."""
    return card.where == "hidden" or (card.where == "covered" and (card.is_under or card.buried_s > 0))


def is_hidden_for_long(card: LyingCard) -> bool:
    """Whether a card was out of sight so long that the dealer has to check."""
    return card.where == "hidden" or card.buried_s >= _OUT_OF_SIGHT_S
