"""Settling up at the end of the evening: who pays whom, with the fewest payments.

Coins count as lent at the buy-in; if the bank sells them for money, the cash-outs have settled everything and nobody
needs this list. A group whose gains and losses cancel out settles with one payment fewer than it has members, so the
more such groups, the fewer payments. The groups are found by exhaustive search.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from typing_extensions import TypedDict

from companion.kernel.accounts import CAGE, POTS, RECOUNT, Account, Kind
from companion.kernel.ledger import Ledger

MAX_EXACT_PARTIES: Final = 12
"""Maximum number of parties for which the list is the shortest possible; with more it may not be."""


SettlePaymentJson = TypedDict("SettlePaymentJson", {"from": str, "to": str, "coins": int})
"""A payment from one party to another, by their labels."""


@dataclass(frozen=True, slots=True)
class SettlePayment:
    """A payment from one party to another."""

    payer: Account
    payee: Account
    coins: int

    def to_json(self) -> SettlePaymentJson:
        """Return the payment for a page."""
        return {"from": self.payer.label, "to": self.payee.label, "coins": self.coins}


def nets(ledger: Ledger, gains: Mapping[Account, int]) -> dict[Account, int]:
    """Return each party's net result, negative for a loss; the sum is zero.

    Parties are the players, the bank, `POTS` (coins not won yet) and `RECOUNT` (coins that a recount took out of the
    books).

    Args:
        gains: each party's net result at the beginning of the session.
    """
    found = dict(gains)
    for account, coins in ledger.accounts.items():
        if account != CAGE:
            party = party_of(account)
            found[party] = found.get(party, 0) + coins
    for name, coins in ledger.brought.items():
        player = Account.player(name)
        found[player] = found.get(player, 0) - coins
    found[RECOUNT] = found.get(RECOUNT, 0) + ledger.coins(CAGE) + sum(ledger.brought.values())
    return found


def party_of(account: Account) -> Account:
    """Return the party that settles up for an account: the owner of a stake, `POTS` for every pot.

    >>> party_of(Account.stake("Ann", "cut/6")).text, party_of(Account.stake(None, "take/1")).text
    ('player/Ann', 'house')
    """
    return POTS if account.kind is Kind.POT else account.owner


def settle(found: Mapping[Account, int]) -> tuple[SettlePayment, ...]:
    """Return payments after which everybody is even: the fewest possible, for up to `MAX_EXACT_PARTIES` parties.

    Raises:
        ValueError: the gains and losses do not cancel out, which is a bug.

    >>> won = {"Ann": 5, "Bo": -5, "Cy": 3, "Di": -2, "Ed": -1}
    >>> payments = settle({Account.player(name): coins for name, coins in won.items()})
    >>> [tuple(payment.to_json().values()) for payment in payments]
    [('Di', 'Cy', 2), ('Ed', 'Cy', 1), ('Bo', 'Ann', 5)]
    """
    open_ = tuple((party, coins) for party, coins in found.items() if coins)
    if sum(coins for _, coins in open_):
        raise ValueError(f"gains and losses do not cancel out: {found}")
    return _settled(open_)


@lru_cache(maxsize=64)
def _settled(open_: tuple[tuple[Account, int], ...]) -> tuple[SettlePayment, ...]:
    groups = _groups(tuple(coins for _, coins in open_)) if len(open_) <= MAX_EXACT_PARTIES else (range(len(open_)),)
    return tuple(payment for group in groups for payment in _within({open_[i][0]: open_[i][1] for i in group}))


def _groups(coins: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the largest partition into groups that each sum to zero, as indices into ``coins``.

    Dynamic programming over subsets: the best count of a subset follows from those with one party fewer; whenever a
    subset sums to zero, another group is complete.
    """
    full = (1 << len(coins)) - 1
    sums = [0] * (full + 1)
    best = [0] * (full + 1)
    last = [0] * (full + 1)
    for subset in range(1, full + 1):
        low = subset & -subset
        sums[subset] = sums[subset ^ low] + coins[low.bit_length() - 1]
        singles = [1 << at for at in range(len(coins)) if subset >> at & 1]
        last[subset] = max(singles, key=lambda bit: best[subset ^ bit])
        best[subset] = best[subset ^ last[subset]] + (sums[subset] == 0)
    return _unwound(full, sums, last)


def _unwound(subset: int, sums: list[int], last: list[int]) -> tuple[tuple[int, ...], ...]:
    groups: list[list[int]] = []
    while subset:
        if sums[subset] == 0:
            groups.append([])
        groups[-1].append(last[subset].bit_length() - 1)
        subset ^= last[subset]
    return tuple(tuple(sorted(group)) for group in reversed(groups))


def _within(group: Mapping[Account, int]) -> list[SettlePayment]:
    """Settle one group: the largest debtor pays the largest creditor, until all are even."""
    rest = dict(group)
    payments = []
    while any(rest.values()):
        payer, payee = min(rest, key=rest.__getitem__), max(rest, key=rest.__getitem__)
        coins = min(-rest[payer], rest[payee])
        payments.append(SettlePayment(payer, payee, coins))
        rest[payer] += coins
        rest[payee] -= coins
    return payments
