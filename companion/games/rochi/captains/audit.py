"""Independent audit of Captain's Rochi: each account's change, and the winner of a cut.

It shares no code with the rules: it reads plain facts of the state before a command, and the ledger.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from companion.games.rochi.audit import Changes, Won, compare
from companion.kernel.accounts import CAGE, Account
from companion.kernel.events import Event
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message


def differences(before: Any, command: Any, happened: Sequence[Event | Transfer], ledger: Ledger) -> tuple[Message, ...]:
    """Compare a command's transfers with the audit's own result; empty if all agree.

    Args:
        before: the `companion.games.rochi.captains.state.State` before the command.
        ledger: the accounts before the command.
    """
    changes: Changes = defaultdict(int)
    won: Won | None = None
    if command.verb == "play":
        _price(before, command.card, changes)
    elif command.verb == "deal":
        won = _cut(before, int(command.card[0]), ledger, changes)
    elif command.verb == "odd-coin":
        won = _odd_coin(before, command.pot, ledger, changes)
    elif command.verb == "new-game":
        for suit in (s.suit for s in before.stacks):
            for seat in before.seats:
                _move(changes, Account.player(seat.player), Account.pot(suit), 1)
    elif command.verb == "join" and command.coins:
        _move(changes, CAGE, Account.player(command.player), command.coins)
    elif command.verb in ("stop", "drop"):
        _share_out(before, command, ledger, changes)
    return compare(changes, won, happened)


def _move(changes: Changes, payer: Account, payee: Account, coins: int) -> None:
    changes[payer] -= coins
    changes[payee] += coins


def _stack(before: Any, suit: int) -> Any:
    for stack in before.stacks:
        if stack.suit == suit:
            return stack
    raise LookupError(f"no stack of suit {suit}")


def _price(before: Any, card: str, changes: Changes) -> None:
    suit, buyer = int(card[0]), before.names[before.turn]
    stack = _stack(before, suit)
    if not stack.is_locked and stack.owner != buyer:
        owner = Account.player(stack.owner) if stack.owner else Account.pot(suit)
        _move(changes, Account.player(buyer), owner, min(len(stack.cards) + 1, suit - 1))


def _cut(before: Any, suit: int, ledger: Ledger, changes: Changes) -> Won | None:
    """Add the settlement of a cut: the penalty, and the pot unless an odd coin must be placed first."""
    stack = _stack(before, suit)
    if not stack.owner or len(stack.cards) + 1 != suit:
        return None
    winner = stack.owner
    (loser,) = (name for name in before.names if name != winner)
    shields = [s for s in stack.shields if s.holder == loser]
    owed = suit * Fraction(max(0, 2 - len(shields)), 2)
    has = ledger.coins(Account.player(loser))
    whole = min(int(owed), has)
    _move(changes, Account.player(loser), Account.player(winner), whole)
    if owed.denominator == 2 and has > whole:
        return None
    _pot(suit, winner, loser, ledger, changes)
    return winner, suit


def _odd_coin(before: Any, pot: int, ledger: Ledger, changes: Changes) -> Won:
    cut = before.cut
    if ledger.coins(Account.player(cut.loser)) > 0:
        _move(changes, Account.player(cut.loser), Account.pot(pot), 1)
    _pot(cut.suit, cut.winner, cut.loser, ledger, changes)
    return cut.winner, cut.suit


def _pot(suit: int, winner: str, loser: str, ledger: Ledger, changes: Changes) -> None:
    """Add the pot's changes: all but one coin to the winner, then one coin from the loser."""
    pot = Account.pot(suit)
    lies = ledger.coins(pot) + changes[pot]
    _move(changes, pot, Account.player(winner), max(0, lies - 1))
    if ledger.coins(Account.player(loser)) + changes[Account.player(loser)] > 0:
        _move(changes, Account.player(loser), pot, 1)


def _share_out(before: Any, command: Any, ledger: Ledger, changes: Changes) -> None:
    pots = [Account.pot(s.suit) for s in before.stacks]
    total = sum(ledger.coins(pot) for pot in pots)
    first, second = before.names
    if command.verb == "drop":
        mine = 0 if command.player == first else total
    else:
        mine = total // 2 + (total % 2 if before.latest_winner in (None, first) else 0)
    for pot in pots:
        changes[pot] -= ledger.coins(pot)
    changes[Account.player(first)] += mine
    changes[Account.player(second)] += total - mine
