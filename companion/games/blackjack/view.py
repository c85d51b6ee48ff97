"""Public table view, and the ``state`` object of the API."""

from collections.abc import Mapping
from typing import Final

from companion.games.blackjack.commands import DEALER
from companion.games.blackjack.events import RoundDecided
from companion.games.blackjack.hands import Box, Hand, total
from companion.games.blackjack.settlement import blackjack_pays
from companion.games.blackjack.shapes import (
    BlackjackView,
    BoxJson,
    DealerJson,
    HandFacts,
    HandJson,
    HandStateId,
    NextCardJson,
    SettledJson,
)
from companion.games.blackjack.state import ON, Phase, State, choices, may_insure
from companion.games.blackjack.words import hand_words, outcome_words, total_words
from companion.kernel.messages import Message, message
from companion.kernel.shared.banked import Limits, StakeJson, Wish


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object."""
    return {
        "turn": state.turn,
        "hand": state.at[1] + 1 if state.at is not None else None,
        "dealer": list(state.dealer),
        "hands": {box.player: [_hand_facts(hand) for hand in box.hands] for box in state.boxes},
        "insured": {box.player: box.insured for box in state.boxes if box.insured},
    }


def _hand_facts(hand: Hand) -> HandFacts:
    return {"cards": list(hand.cards), "stake": hand.stake, "total": total(hand.cards).points}


def view(state: State) -> BlackjackView:
    """Return blackjack's part of the table view."""
    rules, decided = state.rules, state.decided
    shown: BlackjackView = {
        "prompt": prompt(state),
        "turn": state.turn,
        "hand": state.at[1] + 1 if state.at is not None else 0,
        "limits": rules.limits.to_json(),
        "decks": rules.decks,
        "soft17": rules.soft17,
        "surrender": rules.surrender,
        "split_aces": rules.split_aces,
        "bets": _bets(state),
        "boxes": [
            _box_json(box, state.at[1] if state.turn == box.player and state.at else None) for box in state.boxes
        ],
        "dealer": _dealer_json(state),
        "next_card": next_card(state),
        "choices": list(choices(state)),
        "may_insure": may_insure(state),
        "used_up": sorted({card for card in state.seen if state.seen.count(card) == rules.decks}),
        "result": decided.result if decided else None,
        "settled": _settled(decided) if decided else [],
        "last": [_box_json(box, None) for box in decided.boxes] if decided else [],
        "summary": decided.sentence if decided else None,
    }
    if not rules.hints:
        shown["hints"] = False
    most = _most_bet(rules.limits)
    if most != rules.limits.maximum:
        shown["most_bet"] = most
    return shown


def _most_bet(limits: Limits) -> int | None:
    """Return the largest bet of a player who is alone at the table; None without a maximum."""
    if limits.maximum is None:
        return None
    return limits.room(Wish("", limits.maximum, blackjack_pays, blackjack_pays, limits.maximum))


def _bets(state: State) -> list[StakeJson]:
    """Return the bets that can still be changed."""
    if state.phase is not Phase.BETTING:
        return []
    return [{"player": box.player, "on": ON, "amount": box.hands[0].amount} for box in state.boxes]


def _box_json(box: Box, at: int | None) -> BoxJson:
    hands = [_hand_json(hand, place, at == place) for place, hand in enumerate(box.hands)]
    return {"player": box.player, "seat": box.seat, "insured": box.insured, "hands": hands}


def _hand_json(hand: Hand, place: int, is_its_turn: bool) -> HandJson:
    return {
        **_hand_facts(hand),
        "number": place + 1,
        "is_soft": total(hand.cards).is_soft,
        "amount": hand.amount,
        "state": _state_of(hand, is_its_turn),
    }


def _state_of(hand: Hand, is_its_turn: bool) -> HandStateId:
    if hand.end is not None:
        return _ENDS[hand.end.value]
    return "turn" if is_its_turn else "waiting" if hand.is_waiting else "open"


_ENDS: Final[Mapping[str, HandStateId]] = {
    "blackjack": "blackjack",
    "stood": "stood",
    "bust": "bust",
    "surrendered": "surrendered",
    "given-up": "given-up",
}


def _dealer_json(state: State) -> DealerJson:
    points, is_soft = total(state.dealer)
    return {
        "cards": list(state.dealer),
        "total": points,
        "is_soft": is_soft,
        "has_hole": state.has_hole and len(state.dealer) == 1,
        "must_draw": state.phase is Phase.DEALER,
    }


def _settled(decided: RoundDecided) -> list[SettledJson]:
    return [{**bet.public_json(), "text": outcome_words(bet.outcome)} for bet in decided.paid]


def next_card(state: State) -> NextCardJson | None:
    """Return the recipient of the next card in the usual order: twice around the table, the dealer last."""
    if state.phase is Phase.PLAYING and state.hand is not None and state.at is not None:
        do = "deal" if state.hand.is_waiting else "hit"
        return {"do": do, "to": state.turn or "", "hand": state.at[1] + 1}
    if state.phase is Phase.REVEAL:
        return {"do": "reveal", "to": DEALER, "hand": 0}
    if state.phase is Phase.DEALER:
        return {"do": "dealer-hit", "to": DEALER, "hand": 0}
    return _next_dealt(state) if state.phase is Phase.DEALING or state.boxes else None


def _next_dealt(state: State) -> NextCardJson:
    for count in (0, 1):
        for box in state.boxes:
            if len(box.hands[0].cards) == count:
                return {"do": "deal", "to": box.player, "hand": 1}
        if count == 0 and not state.dealer:
            return {"do": "deal", "to": DEALER, "hand": 0}
    return {"do": "hole", "to": DEALER, "hand": 0}


# ---- the dealer's next step


def prompt(state: State) -> Message:
    """Return the dealer's next step."""
    if state.phase is Phase.BETTING:
        return message("Take bets, then deal") if state.boxes else message("Place your bets")
    if state.phase is Phase.DEALING:
        return _dealing_prompt(_next_dealt(state))
    if state.phase is Phase.PLAYING:
        return _playing_prompt(state)
    if state.phase is Phase.REVEAL:
        return message("Turn the dealer's face-down card")
    return message("The dealer has {total} and must draw", total=total_words(state.dealer))


def _dealing_prompt(card: NextCardJson) -> Message:
    if card["do"] == "hole":
        return message("Deal the dealer's second card face down")
    if card["to"] == DEALER:
        return message("Deal the dealer a card face up")
    return message("Deal {player} a card", player=card["to"])


def _playing_prompt(state: State) -> Message:
    hand, box = state.hand, state.box_of(state.turn or "")
    assert hand is not None, "somebody decides"
    assert box is not None, "with a bet"
    whose = hand_words(box.player, box.hands.index(hand) + 1, len(box.hands))
    if hand.is_waiting:
        return message("Deal {hand} its second card", hand=whose)
    return message("{hand} decides on {total}", hand=whose, total=total_words(hand.cards))
