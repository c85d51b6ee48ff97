"""Worst-case cost of a round to the house, with current stakes: no more doubles, splits or hits.

Usually that is blackjacks for the highest bets still to be dealt and a dealer bust; with surrendered or insured hands,
a dealer's blackjack may cost more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from companion.games.blackjack.commands import DEALER
from companion.games.blackjack.hands import MAX_TOTAL, Box, End, Hand, end_of_split, is_blackjack, total
from companion.games.blackjack.settlement import must_draw, payments, settle
from companion.games.standard_cards import CARDS
from companion.kernel.accounts import HOUSE
from companion.kernel.commands import Record
from companion.kernel.shared.banked import Stake, Worst, highest_win
from companion.kernel.values import changed

if TYPE_CHECKING:
    from companion.games.blackjack.state import State

_BY_POINTS: Final = tuple(tuple(card for card in CARDS if card[0] in ranks) for ranks in ("TJQK", *"98765432", "A"))
_TENS, _ACES = _BY_POINTS[0], _BY_POINTS[-1]
_SMALL: Final = tuple(card for kind in _BY_POINTS[1:-1] for card in kind)
Shoe = Counter[str]
"""Card -> number left in the shoe."""


Ending = Callable[[Sequence[str]], bool]
"""Predicate for the wanted final hand of the dealer."""


def worst_case(state: State) -> Worst | None:
    """Return the most expensive ending for the house; None without bets or with too few cards in the shoe."""
    if not state.boxes:
        return None
    shoe: Shoe = Counter(dict.fromkeys(CARDS, state.rules.decks)) - Counter(state.seen)
    commands: list[Record] = []
    boxes = tuple(_dealt_to(box, shoe, commands) for box in _highest_bets_first(state))
    dealer = state.dealer or (_taken(shoe, _SMALL, _TENS, _ACES),)
    if not state.dealer:
        commands.append({"do": "deal", "to": DEALER, "card": dealer[0]})
    if not state.has_hole:
        commands.append({"do": "hole"})
    boxes = tuple(
        _played(box, shoe, state.rules.split_aces, commands) for box in sorted(boxes, key=lambda box: box.seat)
    )
    endings = _endings(boxes, dealer, shoe, state.rules.soft17)
    worst = (_cost(boxes, cards, (*commands, *_drawn(cards[len(dealer) :], len(dealer)))) for cards in endings)
    return max(worst, key=lambda one: one.coins, default=None)


def _highest_bets_first(state: State) -> Sequence[Box]:
    return sorted(state.boxes, key=lambda box: -box.hands[0].amount)


def _taken(shoe: Shoe, *kinds: Sequence[str]) -> str:
    """Take a card of the first kind that is left."""
    card = next((card for kind in kinds for card in kind if shoe[card] > 0), "")
    shoe[card] -= 1
    return card


def _dealt_to(box: Box, shoe: Shoe, commands: list[Record]) -> Box:
    """Complete a box's first two cards, to a blackjack if possible."""
    cards = box.hands[0].cards
    while len(cards) < 2 and len(box.hands) == 1:
        kinds = (_TENS, _ACES) if not cards or cards[0] in _ACES else (_ACES, _TENS)
        card = _taken(shoe, *kinds, _SMALL)
        commands.append({"do": "deal", "to": box.player, "card": card})
        cards = (*cards, card)
        box = changed(box, hands=(changed(box.hands[0], cards=cards, end=_natural(cards)),))
    return box


def _natural(cards: Sequence[str]) -> End | None:
    return End.BLACKJACK if is_blackjack(cards) else None


def _played(box: Box, shoe: Shoe, split_aces: str, commands: list[Record]) -> Box:
    """Let all open hands of a box stand."""
    return changed(box, hands=tuple(_stood(box.player, hand, shoe, split_aces, commands) for hand in box.hands))


def _stood(player: str, hand: Hand, shoe: Shoe, split_aces: str, commands: list[Record]) -> Hand:
    if hand.end is not None:
        return hand
    if hand.is_waiting:
        card = _taken(shoe, _SMALL, _TENS, _ACES)
        commands.append({"do": "deal", "to": player, "card": card})
        hand = changed(hand, cards=(*hand.cards, card))
    if not (hand.is_split and end_of_split(hand.cards, split_aces)):
        commands.append({"do": "stand", "player": player})
    return changed(hand, end=End.STOOD)


def _endings(boxes: Sequence[Box], dealer: Sequence[str], shoe: Shoe, soft17: str) -> Iterator[tuple[str, ...]]:
    """Yield the dealer's hands that may cost most: a blackjack, and the best reachable one for the players."""
    endings: Sequence[Ending] = (
        is_blackjack,
        _is_bust,
        *(partial(_ends_on, points) for points in range(2, MAX_TOTAL + 1)),
    )
    for number, is_wanted in enumerate(endings):
        found = _search(boxes, tuple(dealer), shoe, soft17, is_wanted)
        if found is not None:
            yield found
            if number:
                return


def _is_bust(cards: Sequence[str]) -> bool:
    return total(cards).points > MAX_TOTAL


def _ends_on(points: int, cards: Sequence[str]) -> bool:
    return total(cards).points == points and not is_blackjack(cards)


def _search(
    boxes: Sequence[Box], cards: tuple[str, ...], shoe: Shoe, soft17: str, is_wanted: Ending
) -> tuple[str, ...] | None:
    """Return a final hand of the dealer that satisfies ``is_wanted``; None if impossible."""
    if len(cards) > 1 and not must_draw(boxes, cards, soft17):
        return cards if is_wanted(cards) else None
    for kind in _BY_POINTS:
        card = next((card for card in kind if shoe[card] > 0), None)
        if card is None:
            continue
        shoe[card] -= 1
        found = _search(boxes, (*cards, card), shoe, soft17, is_wanted)
        shoe[card] += 1
        if found is not None:
            return found
    return None


def _drawn(cards: Sequence[str], had: int) -> Iterator[Record]:
    for number, card in enumerate(cards, start=had):
        yield {"do": "reveal" if number == 1 else "dealer-hit", "card": card}


def _cost(boxes: Sequence[Box], dealer: Sequence[str], commands: tuple[Record, ...]) -> Worst:
    paid = settle(boxes, dealer)
    moves = payments(boxes, paid)
    coins = sum(move.coins * ((move.payer == HOUSE) - (move.payee == HOUSE)) for move in moves)
    won = ((Stake(bet.player, bet.on, bet.amount), bet.won) for bet in paid)
    ending = "blackjack" if is_blackjack(dealer) else "bust" if total(dealer).points > MAX_TOTAL else "lower"
    return Worst(coins, {"dealer": ending}, highest_win(won), commands)
