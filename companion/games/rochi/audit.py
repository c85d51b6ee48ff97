"""Independent audit of Rochi: each account's change, and the winner, computed without the rules' code.

It reads plain facts of the state before a command (cards, owners, Shields, who has acted) and the ledger. The table
compares both results before coins move.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, Final

from companion.games.rochi.events import HandDecided
from companion.kernel.accounts import CAGE, Account
from companion.kernel.events import Event
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.shared.audit import wrong_sums

Changes = dict[Account, int]
"""Account -> change in coins."""

_NOTHING: Final[Changes] = {}

Won = tuple[str | None, int | None]
"""Winner and suit of a decided hand; (None, None) if nobody won."""


def differences(before: Any, command: Any, happened: Sequence[Event | Transfer], ledger: Ledger) -> tuple[Message, ...]:
    """Compare a command's transfers and decision with the audit's own result.

    Args:
        before: the `companion.games.rochi.state.State` before the command.
        ledger: the accounts before the command.

    Returns:
        One sentence per account or winner that differs; empty if all agree.
    """
    won = decided(before, command)
    should = expected_changes(before, command, ledger, won)
    return compare(should, won, happened)


def compare(should: Changes, won: Won | None, happened: Sequence[Event | Transfer]) -> tuple[Message, ...]:
    """Return the differences between claimed and expected transfers and decision."""
    claimed: Won | None = None
    for event in happened:
        if isinstance(event, HandDecided):
            claimed = event.winner, event.suit
    wrong = []
    if claimed != won:
        wrong = [
            message(
                "the hand is decided as {decided}, the second settlement says {second}",
                decided=str(claimed),
                second=str(won),
            )
        ]
    return (*wrong, *wrong_sums(should, happened))


def decided(before: Any, command: Any) -> Won | None:
    """Return the winner by this command; None if it decides nothing."""
    hand = before.hand
    if command.verb == "deal":
        suit = int(command.card[0])
        for stack in hand.stacks:
            if stack.suit == suit and stack.owner and len(stack.cards) == suit - 1:
                return stack.owner, suit
    if command.verb in ("deal", "discard") and hand.deck == 1:
        return None, None
    passive = command.verb == "end" and not hand.has_played and not hand.has_dealt
    if command.verb == "fold" or passive:
        folds = hand.players[hand.turn].name
        others = [p.name for p in hand.players if p.name != folds and not p.has_folded]
        if len(others) == 1:
            suits = [s.suit for s in hand.stacks if s.owner == others[0]]
            if len(suits) < 2:
                return (others[0], suits[0]) if suits else (None, None)
    return None


def expected_changes(before: Any, command: Any, ledger: Ledger, won: Won | None) -> Changes:
    """Return each account's change due to this command."""
    if command.verb == "play":
        return _price(before, command.card)
    if command.verb == "join":
        return _joined(before, command, ledger)
    if command.verb == "return":
        return _fee(before, command, ledger, _marker(before, command.player))
    return _NOTHING if won is None else _settlement(before, command, ledger, *won)


def _price(before: Any, card: str) -> Changes:
    """Price of a play: the number of cards in the stack afterwards, at most r - 1."""
    suit = int(card[0])
    buyer = before.hand.players[before.hand.turn].name
    for stack in before.hand.stacks:
        if stack.suit == suit and not stack.is_locked and stack.owner != buyer:
            price = min(len(stack.cards) + 1, suit - 1)
            payee = Account.player(stack.owner) if stack.owner else Account.pot(suit)
            return {Account.player(buyer): -price, payee: price}
    return _NOTHING


def _settlement(before: Any, command: Any, ledger: Ledger, winner: str | None, suit: int | None) -> Changes:
    pots = {s.suit: ledger.coins(Account.pot(s.suit)) for s in before.hand.stacks}
    changes: Changes = defaultdict(int)
    if winner is not None and suit is not None:
        changes[Account.pot(suit)] -= pots[suit]
        changes[Account.player(winner)] += pots.pop(suit)
        for loser, coins in _penalties(before, command, ledger, winner, suit):
            changes[Account.player(loser)] -= coins
            changes[Account.player(winner)] += coins
    if before.is_last:
        _divide(before, pots, winner, changes)
    return changes


def _penalties(before: Any, command: Any, ledger: Ledger, winner: str, suit: int) -> Iterable[tuple[str, int]]:
    """Yield (player, penalty). Only a deal causes penalties, for losers in the hand who have had a turn."""
    hand = before.hand
    if command.verb != "deal":
        return
    (stack,) = (s for s in hand.stacks if s.suit == suit)
    for at, player in enumerate(hand.players):
        had_a_turn = player.has_acted or at == hand.turn
        if player.name == winner or player.has_folded or not had_a_turn:
            continue
        shields = [s for s in stack.shields if s.holder == player.name]
        due = (suit * max(0, 2 - len(shields)) + 1) // 2  # halves, rounded up
        yield player.name, due if before.rules.credit else min(due, ledger.coins(Account.player(player.name)))


def _divide(before: Any, pots: dict[int, int], winner: str | None, changes: Changes) -> None:
    """Divide all pots equally; the remainder goes to the winner, or one coin each from the leader on."""
    names = [p.name for p in before.hand.players]
    start = before.hand.leader
    rounds, over = divmod(sum(pots.values()), len(names))  # not coin by coin: a recount may set a pot to billions
    for suit, coins in pots.items():
        changes[Account.pot(suit)] -= coins
    for name in names:
        changes[Account.player(name)] += rounds
    for coin in range(over):
        changes[Account.player(winner or names[(start + coin) % len(names)])] += 1


def _joined(before: Any, command: Any, ledger: Ledger) -> Changes:
    changes = _fee(before, command, ledger, 0)
    changes[Account.player(command.player)] += command.coins
    changes[CAGE] -= command.coins
    return changes


def _marker(before: Any, player: str) -> int | None:
    """Return the marker of a player who sat out; None if returning is free."""
    (away,) = (a for a in before.away if a.player == player)
    missed = before.number - away.since
    return None if missed <= 2 else int(away.marker)


def _fee(before: Any, command: Any, ledger: Ledger, credit: int | None) -> Changes:
    """Return the fee's transfers: an equal share of all pots, rounded up, less the credit, into the chosen pots."""
    away = {a.player for a in before.away}
    players = sum(seat.player not in away for seat in before.seats)
    pots = sum(ledger.coins(Account.pot(s.suit)) for s in before.hand.stacks)
    is_free = credit is None or not players or not before.rules.join_fee
    fee = 0 if is_free else max(0, ceil(Fraction(pots, players)) - (credit or 0))
    changes: Changes = defaultdict(int, {Account.pot(suit): coins for suit, coins in (command.into or {}).items()})
    changes[Account.player(command.player)] -= fee
    return changes
