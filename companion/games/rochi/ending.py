"""End of a Rochi hand: winner of the pot, penalties, and division of the pots after the last hand.

Source: "Winning and Penalties", "Shields", "Last Hand"; rulings 6, 7, 8, 9 and 11 on Rochi.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from companion.games.rochi.board import Stack, locked_suits
from companion.games.rochi.events import HandDecided, Shortfall
from companion.games.rochi.state import InHand, Phase, State
from companion.kernel.accounts import Account
from companion.kernel.game import Effect
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.values import changed
from companion.kernel.words import SUITS

Outcome = tuple[State, tuple[Effect, ...]]

SHIELDS_FOR_NOTHING: Final = 2
"""Number of Shields in the winning suit that waives the penalty; one halves it."""


def penalty(suit: int, shields: int) -> int:
    """Return a player's penalty: the suit's rank; half, rounded up, with one Shield; nothing with two.

    >>> [penalty(5, shields) for shields in (0, 1, 2, 3)]
    [5, 3, 0, 0]
    """
    if shields >= SHIELDS_FOR_NOTHING:
        return 0
    return (suit + 1) // 2 if shields else suit


def penalty_words(suit: int) -> Message:
    """Return the reason on a penalty's transfer."""
    return message("penalty, {suit} cut", suit=SUITS[suit])


def pot_words(suit: int) -> Message:
    """Return the reason on the transfer of the suit's pot."""
    return message("wins the pot of {suit}", suit=SUITS[suit])


def penalties(stack: Stack, players: Sequence[InHand]) -> Iterator[tuple[str, int]]:
    """Yield (player, penalty) if the suit is cut now, for players who have acted in this hand and not folded."""
    for player in players:
        if player.has_acted and not player.has_folded and player.name != stack.owner:
            due = penalty(stack.suit, stack.shields_of(player.name))
            if due:
                yield player.name, due


def won_by_cut(state: State, stack: Stack, ledger: Ledger) -> Outcome:
    """Decide the hand by a cut: the suit's owner gets the pot and the penalties."""
    assert stack.owner is not None
    moves = _pot(stack, ledger)
    short: list[Shortfall] = []
    for name, due in penalties(stack, state.hand.players):
        paid = due if state.rules.credit else min(due, ledger.balance(name))
        why = penalty_words(stack.suit)
        if paid:
            moves.append(Transfer(Account.player(name), Account.player(stack.owner), paid, why))
        if paid < due:
            short.append(Shortfall(name, why, due, paid))
    return _over(state, stack, moves, short, ledger)


def won_alone(state: State, stack: Stack, ledger: Ledger) -> Outcome:
    """Decide the hand for the last player's only suit, without penalties."""
    return _over(state, stack, _pot(stack, ledger), [], ledger)


def won_by_nobody(state: State, ledger: Ledger) -> Outcome:
    """Decide the hand without a winner: no cut is possible, or the last player owns no suit. The pots stay."""
    return _over(state, None, [], [], ledger)


def _pot(stack: Stack, ledger: Ledger) -> list[Transfer]:
    pot = Account.pot(stack.suit)
    coins = ledger.coins(pot)
    assert stack.owner is not None
    return [Transfer(pot, Account.player(stack.owner), coins, pot_words(stack.suit))] if coins else []


def _over(
    state: State, won: Stack | None, moves: list[Transfer], short: Sequence[Shortfall], ledger: Ledger
) -> Outcome:
    winner = won.owner if won else None
    suit = won.suit if won else None
    if state.is_last:
        rest = {pot: ledger.coins(Account.pot(pot)) for pot in state.pots if pot != suit}
        shares = last_shares(sum(rest.values()), [p.name for p in state.hand.from_leader], winner)
        why = message("last hand, share of the pots")
        moves += shared_out(rest, [(p.name, shares[p.name]) for p in state.hand.players], why)
    phase = Phase.FINISHED if state.is_last else Phase.BETWEEN
    decided = HandDecided(winner, suit, locked_suits(state.hand.stacks), tuple(moves), tuple(short))
    return changed(state, phase=phase), (decided, *moves)


def last_shares(coins: int, from_leader: Sequence[str], winner: str | None) -> dict[str, int]:
    """Return the shares of the pots after the last hand: equal, with odd coins to the winner.

    Without a winner, odd coins go one each from the leader leftwards.

    >>> last_shares(8, ["Bo", "Cy", "Ann"], None)
    {'Bo': 3, 'Cy': 3, 'Ann': 2}
    >>> last_shares(8, ["Bo", "Cy", "Ann"], "Ann")
    {'Bo': 2, 'Cy': 2, 'Ann': 4}
    """
    share, odd = divmod(coins, len(from_leader))
    shares = dict.fromkeys(from_leader, share)
    lucky = [winner] * odd if winner else from_leader[:odd]
    for name in lucky:
        shares[name] += 1
    return shares


def shared_out(pots: Mapping[int, int], shares: Sequence[tuple[str, int]], why: Message) -> list[Transfer]:
    """Return transfers that empty the pots, lowest suit first, and pay the shares.

    >>> moves = shared_out({2: 3, 7: 2}, [("Ann", 2), ("Bo", 3)], Message("last hand"))
    >>> [(t.payer.text, t.payee.text, t.coins) for t in moves]
    [('pot/2', 'player/Ann', 2), ('pot/2', 'player/Bo', 1), ('pot/7', 'player/Bo', 2)]
    """
    moves = []
    due = dict(shares)
    for suit, coins in sorted(pots.items()):
        for name in due:
            paid = min(coins, due[name])
            if paid:
                moves.append(Transfer(Account.pot(suit), Account.player(name), paid, why))
                coins, due[name] = coins - paid, due[name] - paid
    return moves
