"""Independent audit of chinchirorin: each account's change, computed without the rules' code and tables.

It reads the dice as text, recounts the throws and finds a short banker's shares by bisection. The table compares both
results before coins move.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Protocol

from companion.kernel.accounts import Account
from companion.kernel.game import Seat
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message
from companion.kernel.shared.audit import wrong_sums

_TIMES: Final[Mapping[str, Mapping[str, int]]] = {
    "banker": {"out": 1, "111": 3, "222": 2, "333": 2, "444": 2, "555": 2, "666": 2, "123": 2, "456": -2},
    "player": {"out": -1, "111": -3, "222": 3, "333": 3, "444": 3, "555": 3, "666": 3, "123": -2, "456": 2},
}
"""Thrower -> sorted dice -> a bettor's gain per coin bet; negative for a loss."""


Changes = defaultdict[Account, int]
"""Account -> change in coins."""


class _Stake(Protocol):
    @property
    def player(self) -> str: ...
    @property
    def amount(self) -> int: ...


class Before(Protocol):
    """The parts of the state before the throw that the audit reads."""

    @property
    def seats(self) -> Sequence[Seat]: ...
    @property
    def banker(self) -> str | None: ...
    @property
    def stakes(self) -> Sequence[_Stake]: ...
    @property
    def throws(self) -> Sequence[object]: ...
    @property
    def banker_score(self) -> int | None: ...


def differences(
    thrower: str, before: Before, thrown: Any, moved: Collection[Transfer], ledger: Ledger
) -> tuple[Message, ...]:
    """Compare a throw's transfers with the audit's own result.

    Args:
        thrower: ``banker`` or ``player``.
        thrown: three numbers, or ``out``.

    Returns:
        One sentence per account whose change differs; empty if all agree.
    """
    return wrong_sums(_changes(thrower, before, thrown, ledger), moved)


def _changes(thrower: str, before: Before, thrown: Any, ledger: Ledger) -> Changes:
    """Return account -> change in coins."""
    changes: Changes = defaultdict(int)
    dice = thrown if thrown == "out" else "".join(sorted(map(str, thrown)))
    times = _times(thrower, dice, len(before.throws) + 1, before.banker_score) if before.stakes else None
    if times is None or before.banker is None:
        return changes
    bank = Account.player(before.banker)
    level = _level(before, times, ledger.coins(bank))
    odd = ledger.coins(bank) - sum(min(stake.amount * times, level) for stake in before.stakes) if times > 0 else 0
    seats = {seat.player: seat.number for seat in before.seats}
    for stake in sorted(before.stakes, key=lambda stake: seats[stake.player]):
        purse, owed = Account.player(stake.player), stake.amount * times
        extra = int(owed > level and odd > 0)
        odd -= extra
        gain = max(min(owed, level) + extra, -stake.amount - ledger.coins(purse))
        changes[Account.stake(stake.player, "bet")] -= stake.amount
        changes[purse] += stake.amount + gain
        changes[bank] -= gain
    return changes


def _times(thrower: str, dice: str, count: int, banker_score: int | None) -> int | None:
    """Return a bettor's gain per coin bet; None while the round continues."""
    if dice in _TIMES[thrower]:
        return _TIMES[thrower][dice]
    odd_one = [die for die in dice if dice.count(die) == 1]
    if len(odd_one) == 3 and count < 3:
        return None
    if thrower == "banker":
        return None
    score, against = (int(odd_one[0]) if len(odd_one) == 1 else 0), banker_score or 0
    return (score > against) - (score < against)


def _level(before: Before, times: int, funds: int) -> int:
    """Return the highest equal payment per bettor that the banker can afford, by bisection."""
    low, high = 0, max(stake.amount for stake in before.stakes) * max(times, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(stake.amount * times, middle) for stake in before.stakes) <= funds:
            low = middle
        else:
            high = middle - 1
    return low
