"""Double-entry ledger of coins: all accounts always sum to zero.

`companion.kernel.accounts` defines the accounts. Entries are never edited: a mistake is corrected by a further
transfer.
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
"""Why coins go from a player to what they have aside, or back."""
_CAGE: Final = Kind.CAGE
_PLAYER: Final = Kind.PLAYER  # a lookup in an enum costs more than the comparison
_STAKE: Final = Kind.STAKE


def checked_coins(value: object, what: str) -> int:
    """Return the value if it is a whole number of coins above zero.

    Raises:
        BadAmount: anything else; also ``true`` and ``5.0``, which JSON would let slip through.

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
    """Coins that moved from one account to another, and why."""

    payer: Account
    payee: Account
    coins: int
    why: str

    def to_json(self) -> TransferRecord:
        """Return the transfer as the journal keeps it."""
        return {"payer": self.payer.text, "payee": self.payee.text, "coins": self.coins, "why": self.why}

    def told(self) -> TransferJson:
        """Return the transfer as results and pages show it.

        >>> Transfer(Account.player("Ann"), Account.pot(6), 2, "ante").told()
        {'from': 'Ann', 'to': 'pot/6', 'coins': 2, 'why': 'ante'}
        """
        return {"from": self.payer.label, "to": self.payee.label, "coins": self.coins, "why": self.why}

    @classmethod
    def from_json(cls, record: TransferRecord) -> Self:
        """Return the transfer that `to_json` wrote.

        Raises:
            ValueError: it names no account.
        """
        return cls(Account.parse(record["payer"]), Account.parse(record["payee"]), record["coins"], record["why"])


@dataclass(frozen=True, slots=True)
class Ledger:
    """The balance of every account. A value: `post` returns a new one.

    >>> ledger = Ledger().post([Transfer(CAGE, Account.player("Ann"), 10, "buy-in")])
    >>> ledger.balance("Ann"), ledger.total
    (10, 0)
    """

    accounts: Mapping[Account, int] = field(default_factory=dict)
    credit: bool = False
    "Whether players may owe: their coins may be fewer than none."
    brought: Mapping[str, int] = field(default_factory=dict)
    "Coins that each player got at the cage, less what he gave back there."

    def post(self, transfers: Iterable[Transfer]) -> Ledger:
        """Return the ledger after these transfers, made all together or not at all.

        Raises:
            NotEnoughCoins: a player (without credit), stake or pot would fall below zero.
            ValueError: a transfer of less than one coin (our own mistake, never a person's).
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
            del accounts[account]  # a settled bet leaves nothing behind, however long the evening

    def coins(self, account: Account) -> int:
        """What an account holds; 0 for one that was never used."""
        return self.accounts.get(account, 0)

    def balance(self, name: str) -> int:
        """The coins in front of a player."""
        return self.coins(Account.player(name))

    def aside(self, name: str) -> int:
        """The coins that a player has put aside."""
        return self.coins(Account.aside(name))

    @property
    def players(self) -> dict[str, int]:
        """Everybody who ever had coins here: name -> coins."""
        return {a.name: coins for a, coins in self.accounts.items() if a.kind is _PLAYER}

    @property
    def house(self) -> int:
        """The bank's net gain since the start, below zero when it has lost."""
        return self.coins(HOUSE)

    @property
    def staked(self) -> int:
        """All coins on undecided bets."""
        return sum(coins for account, coins in self.accounts.items() if account.kind is _STAKE)

    @property
    def total(self) -> int:
        """The sum of all accounts: zero, or the ledger is broken."""
        return sum(self.accounts.values())


def _with_brought(brought: Mapping[str, int], transfer: Transfer) -> Mapping[str, int]:
    """Return who has brought how much after coins went over the cage's counter; a recount brings nothing."""
    account, coins = (transfer.payee, transfer.coins) if transfer.payer == CAGE else (transfer.payer, -transfer.coins)
    if account.kind is not _PLAYER or transfer.why not in (BUY_IN, CASH_OUT):
        return brought
    return {**brought, account.name: brought.get(account.name, 0) + coins}
