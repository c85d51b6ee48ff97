"""Settlement of a blackjack round: outcome per hand, and transfers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from companion.games.blackjack.hands import MAX_TOTAL, Box, End, Hand, is_blackjack, is_short, total
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.events import EndedBet
from companion.kernel.ledger import Transfer
from companion.kernel.messages import message

INSURANCE: Final = "insurance"
STAKED: Final = message("bet")
INSURED: Final = message("insurance")
BACK: Final = message("stake back")
LOST: Final = message("stake lost")
WON: Final = message("won")
HALF: Final = message("half for the house")


def stake_of(player: str) -> Account:
    """Return the account of the stakes on all of a player's hands."""
    return Account.stake(player, "hand")


def insurance_of(player: str) -> Account:
    """Return the account of a player's insurance."""
    return Account.stake(player, INSURANCE)


def half_of(amount: int) -> int:
    """Return the cost of a surrender: half the stake, rounded down.

    >>> half_of(51)
    25
    """
    return amount // 2


def blackjack_pays(amount: int) -> int:
    """Return the win of a blackjack: 3:2, rounded down.

    >>> blackjack_pays(51)
    76
    """
    return 3 * amount // 2


def must_draw(boxes: Iterable[Box], dealer: Sequence[str], soft17: str) -> bool:
    """Whether the dealer draws: too low a total, and a hand left to compare with."""
    return any(hand.end is End.STOOD for box in boxes for hand in box.hands) and is_short(dealer, soft17)


def settle(boxes: Iterable[Box], dealer: Sequence[str]) -> tuple[EndedBet, ...]:
    """Return the outcome of all bets against the dealer's cards: each player's hands, then the insurance."""
    points, natural = total(dealer).points, is_blackjack(dealer)
    return tuple(_settled(boxes, points, natural))


def _settled(boxes: Iterable[Box], points: int, natural: bool) -> Iterator[EndedBet]:
    for box in boxes:
        for number, hand in enumerate(box.hands, start=1):
            yield _ended(box.player, number, hand, outcome(hand, points, natural))
        if box.insured:
            won = 2 * box.insured if natural else 0
            back, said = (box.insured, "win") if natural else (0, "lose")
            yield EndedBet(box.player, INSURANCE, box.insured, won, natural, back, said)


def outcome(hand: Hand, dealer: int, natural: bool) -> str:
    """Return a hand's outcome; a dealer's blackjack (``natural``) beats everything but a blackjack."""
    if hand.end is End.BUST:
        return "bust"
    if hand.end is End.GIVEN_UP or (hand.end is End.SURRENDERED and not natural):
        return "surrender"
    if hand.end is End.BLACKJACK:
        return "push" if natural else "blackjack"
    if natural:
        return "lose"
    mine = total(hand.cards).points
    return "win" if dealer > MAX_TOTAL or mine > dealer else "push" if mine == dealer else "lose"


def _ended(player: str, number: int, hand: Hand, said: str) -> EndedBet:
    amount = hand.amount
    won = blackjack_pays(amount) if said == "blackjack" else amount if said == "win" else 0
    is_won = said in _KEEPS_STAKE
    back = amount if is_won else amount - half_of(amount) if said == "surrender" else 0
    return EndedBet(player, f"hand/{number}", amount, won, is_won, back, said)


_KEEPS_STAKE: Final = ("win", "blackjack", "push")


def payments(boxes: Iterable[Box], paid: Sequence[EndedBet]) -> tuple[Transfer, ...]:
    """Return the transfers at the end of a round, without hands that were settled earlier."""
    bets = iter(paid)
    moves: list[Transfer] = []
    for box in boxes:
        for hand in box.hands:
            bet = next(bets)
            if hand.stake:
                moves += _moves(stake_of(box.player), bet)
        if box.insured:
            moves += _moves(insurance_of(box.player), next(bets))
    return tuple(moves)


def _moves(stake: Account, bet: EndedBet) -> Iterator[Transfer]:
    player, lost = Account.player(bet.player), bet.amount - bet.returned
    if bet.returned:
        yield Transfer(stake, player, bet.returned, BACK)
    if lost:
        yield Transfer(stake, HOUSE, lost, HALF if bet.returned else LOST)
    if bet.won:
        yield Transfer(HOUSE, player, bet.won, WON)
