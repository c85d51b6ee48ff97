"""Double-entry ledger of coins: all accounts always sum to zero.

`companion.kernel.accounts` defines the accounts. Entries are never edited; mistakes are corrected by new transfers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from typing_extensions import TypedDict

from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.errors import BadAmount, NotEnoughCoins
from companion.kernel.messages import Words
from companion.kernel.values import quick

BUY_IN: Final = "buy-in"
CASH_OUT: Final = "cash-out"
ASIDE: Final = "aside"
"""Reason on transfers of coins set aside, in both directions."""
_CAGE: Final = Kind.CAGE
_PLAYER: Final = Kind.PLAYER  # bound once: the enum lookup costs more than the comparison
_STAKE: Final = Kind.STAKE


def checked_coins(value: object, what: str) -> int:
    """Return the value if it is a whole number of coins above zero.

    Raises:
        BadAmount: anything else, including JSON's ``true`` and ``5.0``.

    >>> checked_coins(5, "a bet")
    5
    """
    if type(value) is not int or value <= 0:
        raise BadAmount.saying(
            "{value} is not an amount for {what}. Say a whole number of coins above zero.", value=repr(value), what=what
        )
    return value


class TransferRecord(TypedDict):
    """A transfer as stored in the journal, with accounts as text."""

    payer: str
    payee: str
    coins: int
    why: Words


TransferJson = TypedDict("TransferJson", {"from": str, "to": str, "coins": int, "why": Words})
"""A transfer as results and pages show it, the parties by their labels."""


@quick
class Transfer:
    """Coins moved from one account to another, with the reason."""

    payer: Account
    payee: Account
    coins: int
    why: str

    def to_json(self) -> TransferRecord:
        """Return the transfer in the journal's form."""
        return {"payer": self.payer.text, "payee": self.payee.text, "coins": self.coins, "why": self.why}

    def public_json(self) -> TransferJson:
        """Return the transfer in the form used in results and on pages.

        >>> Transfer(Account.player("Ann"), Account.pot(6), 2, "ante").public_json()
        {'from': 'Ann', 'to': 'pot/6', 'coins': 2, 'why': 'ante'}
        """
        return {"from": self.payer.label, "to": self.payee.label, "coins": self.coins, "why": self.why}

    @classmethod
    def from_json(cls, record: TransferRecord) -> Self:
        """Return the transfer that `to_json` wrote.

        Raises:
            ValueError: a party is not an account's text.
        """
        return cls(Account.parse(record["payer"]), Account.parse(record["payee"]), record["coins"], record["why"])


@dataclass(frozen=True, slots=True)
class Ledger:
    """The balance of every account. Immutable: `post` returns a new one.

    >>> ledger = Ledger().post([Transfer(CAGE, Account.player("Ann"), 10, "buy-in")])
    >>> ledger.balance("Ann"), ledger.total
    (10, 0)
    """

    accounts: Mapping[Account, int] = field(default_factory=dict)
    credit: bool = False
    "Whether players may have negative balances."
    brought: Mapping[str, int] = field(default_factory=dict)
    "Each player's buy-ins less cash-outs."

    def post(self, transfers: Iterable[Transfer]) -> Ledger:
        """Return the ledger after these transfers, applied atomically.

        Raises:
            NotEnoughCoins: a player (without credit), stake or pot would end below zero.
            ValueError: a transfer of less than one coin: a bug, not a user's mistake.
        """
        accounts = dict(self.accounts)
        brought = self.brought
        paid: set[Account] = set()
        for transfer in transfers:
            payer, payee, coins = transfer.payer, transfer.payee, transfer.coins
            if coins <= 0:
                raise ValueError(f"a transfer moves coins, got {transfer}")
            accounts[payer] = accounts.get(payer, 0) - coins
            accounts[payee] = accounts.get(payee, 0) + coins
            paid.add(payer)
            if payer.kind is _CAGE or payee.kind is _CAGE:
                brought = _with_brought(brought, transfer)
        for account in paid:
            self._check(account, accounts)
        return Ledger(accounts, self.credit, brought)

    def _check(self, account: Account, accounts: dict[Account, int]) -> None:
        left = accounts[account]
        if left < 0 and account not in (HOUSE, CAGE) and not (self.credit and account.kind is _PLAYER):
            who = account.name if account.kind is _PLAYER else account
            raise NotEnoughCoins.saying(
                "{player} would be {coins} coins short. Take a smaller amount or buy in.", player=str(who), coins=-left
            )
        if left == 0 and account.kind is _STAKE:
            del accounts[account]  # settled stakes would pile up during a long session

    def coins(self, account: Account) -> int:
        """The balance of an account; 0 if it was never used."""
        return self.accounts.get(account, 0)

    def balance(self, name: str) -> int:
        """The coins in front of a player."""
        return self.coins(Account.player(name))

    def aside(self, name: str) -> int:
        """The coins that a player has put aside."""
        return self.coins(Account.aside(name))

    @property
    def players(self) -> dict[str, int]:
        """Name -> balance of everyone who ever had coins here."""
        return {a.name: coins for a, coins in self.accounts.items() if a.kind is _PLAYER}

    @property
    def house(self) -> int:
        """The bank's net gain since the start, negative for a loss."""
        return self.coins(HOUSE)

    @property
    def staked(self) -> int:
        """All coins on undecided bets."""
        return sum(coins for account, coins in self.accounts.items() if account.kind is _STAKE)

    @property
    def total(self) -> int:
        """The sum of all accounts; anything but zero is a bug."""
        return sum(self.accounts.values())


def _with_brought(brought: Mapping[str, int], transfer: Transfer) -> Mapping[str, int]:
    """Return `Ledger.brought` after a transfer from or to the cage; recounts do not count."""
    account, coins = (transfer.payee, transfer.coins) if transfer.payer == CAGE else (transfer.payer, -transfer.coins)
    if account.kind is not _PLAYER or transfer.why not in (BUY_IN, CASH_OUT):
        return brought
    return {**brought, account.name: brought.get(account.name, 0) + coins}
