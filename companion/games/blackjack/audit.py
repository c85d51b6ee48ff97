"""Independent audit of blackjack: each account's change per command, computed without the rules' code.

Ranks are valued by their index in a string, and a round is settled from each stake's final value. The table compares
both results before coins move.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from companion.games.blackjack.hands import Box, End, Hand
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import Command
from companion.kernel.game import Effect
from companion.kernel.messages import Message
from companion.kernel.shared.audit import wrong_sums

_COUNTS_AS: Final = " A23456789"
"""A rank's index is its value; other ranks count ten."""
Changes = defaultdict[Account, int]
"""Account -> change in coins."""


class Rules(Protocol):
    """The table rules that settlement depends on."""

    @property
    def soft17(self) -> str: ...
    @property
    def surrender(self) -> str: ...


class Before(Protocol):
    """The parts of the state before the command that the audit reads."""

    @property
    def rules(self) -> Rules: ...
    @property
    def boxes(self) -> Sequence[Box]: ...
    @property
    def dealer(self) -> Sequence[str]: ...
    @property
    def at(self) -> tuple[int, int] | None: ...


def differences(before: Before, command: Command, happened: Iterable[Effect]) -> tuple[Message, ...]:
    """Compare a command's transfers with the audit's own result.

    Returns:
        One sentence per account whose change differs; empty if all agree.
    """
    due = _DUE.get(command.verb)
    return () if due is None else wrong_sums(due(before, command), happened)


def points(cards: Iterable[str]) -> int:
    """Return the best total: aces as 1, one of them as 11 if that does not bust.

    >>> points(["AS", "AD", "9H"]), points(["AS", "KD", "AD", "9C"])
    (21, 21)
    """
    cards = tuple(cards)
    low = _low(cards)
    return low + 10 if "A" in "".join(cards) and low < 12 else low


def _low(cards: Iterable[str]) -> int:
    return sum(_COUNTS_AS.find(card[0]) if card[0] in _COUNTS_AS else 10 for card in cards)


def _acting(before: Before) -> tuple[Box, Hand]:
    assert before.at is not None, "somebody decides"
    box = before.boxes[before.at[0]]
    return box, box.hands[before.at[1]]


def _staked(changes: Changes, player: str, coins: int, on: str = "hand") -> None:
    """Move coins from a player to a stake, or back if negative."""
    changes[Account.player(player)] -= coins
    changes[Account.stake(player, on)] += coins


def _taken(changes: Changes, player: str, coins: int) -> None:
    """Move coins from a player's stake to the house."""
    changes[Account.stake(player, "hand")] -= coins
    changes[HOUSE] += coins


def _hit(before: Before, command: Command) -> Mapping[Account, int]:
    changes: Changes = defaultdict(int)
    box, hand = _acting(before)
    if points((*hand.cards, command.card)) > 21:  # type: ignore[attr-defined]  # a hit has a card
        _taken(changes, box.player, hand.amount)
    return changes


def _double(before: Before, command: Command) -> Mapping[Account, int]:
    changes: Changes = defaultdict(int)
    box, hand = _acting(before)
    _staked(changes, box.player, hand.amount)
    if points((*hand.cards, command.card)) > 21:  # type: ignore[attr-defined]  # a double has a card
        _taken(changes, box.player, 2 * hand.amount)
    return _without_nothing(changes)


def _split(before: Before, command: Command) -> Mapping[Account, int]:
    changes: Changes = defaultdict(int)
    box, hand = _acting(before)
    _staked(changes, box.player, hand.amount)
    return changes


def _surrender(before: Before, command: Command) -> Mapping[Account, int]:
    changes: Changes = defaultdict(int)
    box, hand = _acting(before)
    if before.rules.surrender == "early":
        lost = (hand.amount - hand.amount % 2) // 2
        _taken(changes, box.player, lost)
        _staked(changes, box.player, lost - hand.amount)
    return _without_nothing(changes)


def _insure(before: Before, command: Command) -> Mapping[Account, int]:
    changes: Changes = defaultdict(int)
    player = command.player  # type: ignore[attr-defined]  # an insurance has a player
    amount = next(hand.amount for box in before.boxes if box.player == player for hand in box.hands)
    _staked(changes, player, (amount - amount % 2) // 2, "insurance")
    return changes


def _dealer(before: Before, command: Command) -> Mapping[Account, int]:
    """Settle the round if this dealer's card ends it."""
    changes: Changes = defaultdict(int)
    cards = (*before.dealer, command.card)  # type: ignore[attr-defined]  # so do these
    if _goes_on(before, cards):
        return changes
    natural = len(cards) == 2 and points(cards) == 21
    for box in before.boxes:
        for hand in box.hands:
            _pay(changes, box.player, "hand", hand.amount, _worth(hand, points(cards), natural))
        if box.insured:
            _pay(changes, box.player, "insurance", box.insured, 3 * box.insured if natural else 0)
    return _without_nothing(changes)


def _goes_on(before: Before, cards: Sequence[str]) -> bool:
    if all(hand.end is not End.STOOD for box in before.boxes for hand in box.hands):
        return False
    has_high_ace = points(cards) > _low(cards)
    return points(cards) < 17 or (before.rules.soft17 == "hit" and points(cards) == 17 and has_high_ace)


def _worth(hand: Hand, dealer: int, natural: bool) -> int | None:
    """Return a hand's payout including its stake; None if it was settled earlier."""
    stake = hand.amount
    if hand.end in (End.BUST, End.GIVEN_UP):
        return None
    if natural:
        return stake if hand.end is End.BLACKJACK else 0
    if hand.end is End.BLACKJACK:
        return stake + stake + stake // 2
    if hand.end is End.SURRENDERED:
        return stake - stake // 2
    mine = points(hand.cards)
    return 2 * stake if dealer > 21 or dealer < mine else stake if dealer == mine else 0


def _pay(changes: Changes, player: str, on: str, stake: int, worth: int | None) -> None:
    if worth is not None:
        changes[Account.stake(player, on)] -= stake
        changes[Account.player(player)] += worth
        changes[HOUSE] += stake - worth


def _without_nothing(changes: Changes) -> Mapping[Account, int]:
    return {account: coins for account, coins in changes.items() if coins}


_DUE: Final = {
    "hit": _hit,
    "double": _double,
    "split": _split,
    "surrender": _surrender,
    "insure": _insure,
    "reveal": _dealer,
    "dealer-hit": _dealer,
}
