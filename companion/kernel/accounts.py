"""The ledger's accounts and their text form.

Code passes `Account`s around, never text: a player's name may contain slashes or even look like another account.
`Account.text` is the form in journal, snapshot and JSON; `Account.parse` reads it back.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., object])

REMEMBERED: Final = 4096
"""Cache size for shared accounts: more than one table ever has at a time."""


class Kind(StrEnum):
    """Kinds of accounts. The value is the prefix of the account's text."""

    PLAYER = "player"
    "Coins in front of a player."
    STAKE = "stake"
    "Coins on an undecided bet."
    POT = "pot"
    "Coins in a pot, such as the one beside a suit."
    HOUSE = "house"
    "The bank's net gain."
    ASIDE = "aside"
    "A player's coins that are set aside while the current game has its own coins."
    CAGE = "cage"
    "The cashier: buy-ins come from it, so its balance is minus the coins at the table."
    POTS = "pots"
    "All pots together, in sums by party rather than by account."
    RECOUNT = "recount"
    "Coins removed by recounts, separate from the rest of the cage in sums by party."


_NAMED: Final = (Kind.PLAYER, Kind.STAKE, Kind.POT, Kind.ASIDE)
_NOT_NAMES: Final = frozenset(Kind)
_NOT_BEGINNINGS: Final = tuple(f"{kind}/" for kind in _NAMED)


def _shared(function: F) -> F:
    """Cache a function's results; unlike plain `lru_cache`, this keeps the function's type."""
    return lru_cache(REMEMBERED)(function)  # type: ignore[return-value]  # called in the same way


class Account(NamedTuple):
    """One account. A tuple, because the ledger needs fast hashing and comparison.

    Create one with `player`, `aside`, `stake` or `pot`; `HOUSE` and `CAGE` are constants.

    >>> Account.stake("A/B", "cut/6").owner == Account.player("A/B")
    True
    """

    kind: Kind
    name: str = ""
    "The player's or pot's name. Empty for a stake of the bank."
    on: str = ""
    "The spot that the stake is on."

    @staticmethod
    @_shared
    def player(name: str) -> Account:
        """The coins in front of a player."""
        return Account(Kind.PLAYER, name)

    @staticmethod
    @_shared
    def aside(name: str) -> Account:
        """The coins that a player has put aside."""
        return Account(Kind.ASIDE, name)

    @staticmethod
    @_shared
    def stake(name: str | None, on: str) -> Account:
        """The coins of a player (None: the bank) on an undecided bet."""
        return Account(Kind.STAKE, name or "", on)

    @staticmethod
    def pot(key: int | str) -> Account:
        """A pot."""
        return _SUITS.get(key) or Account(Kind.POT, str(key))

    @staticmethod
    def purse(name: str | None) -> Account:
        """The coins of a player (None: the bank) that stakes come from and winnings go to."""
        return HOUSE if name is None else Account.player(name)

    @property
    def owner(self) -> Account:
        """The account that owns the coins: for a stake its player's or the bank's, for coins aside their player's,
        otherwise the account itself."""
        if self.kind is not Kind.STAKE:
            return Account.player(self.name) if self.kind is Kind.ASIDE else self
        return Account.player(self.name) if self.name else HOUSE

    @property
    def text(self) -> str:
        """The text form; `parse` reads it.

        >>> [Account.player("A/B").text, Account.stake("A/B", "cut/6").text, Account.stake(None, "take/3").text]
        ['player/A/B', 'stake/A%2FB/cut/6', 'stake//take/3']
        >>> Account.pot(6).text, HOUSE.text
        ('pot/6', 'house')
        """
        if self.kind is Kind.STAKE:
            return f"{self.kind}/{escaped(self.name)}/{self.on}"
        return f"{self.kind}/{self.name}" if self.kind in _NAMED else str(self.kind)

    @classmethod
    def parse(cls, text: str) -> Account:
        """Return the account of a `text`.

        Raises:
            ValueError: not the text of an account.

        >>> Account.parse("stake/A%2FB/cut/6") == Account.stake("A/B", "cut/6")
        True
        """
        first, slash, rest = text.partition("/")
        kind = Kind(first) if first in _NOT_NAMES else None
        if kind is Kind.STAKE:
            name, _, on = rest.partition("/")
            if on:
                return cls(kind, _unescaped(name), on)
        elif kind is not None and (kind in _NAMED) == bool(rest) == bool(slash):
            return cls(kind, rest)
        raise ValueError(f"{text!r} names no account")

    @property
    def label(self) -> str:
        """The short form in results and on pages: a player's name, or the account's `text`.

        A player whose name looks like another account gets the full text, so that labels are unique.

        >>> Account.player("Ann").label, Account.pot(6).label, Account.player("pot/6").label
        ('Ann', 'pot/6', 'player/pot/6')
        """
        is_clear = self.kind is Kind.PLAYER and not (self.name in _NOT_NAMES or self.name.startswith(_NOT_BEGINNINGS))
        return self.name if is_clear else self.text

    @classmethod
    def from_label(cls, label: str) -> Account:
        """Return the account of a `label`.

        >>> [Account.from_label(Account.player(name).label).name for name in ("Ann", "A/B", "pot/6", "player/Ann")]
        ['Ann', 'A/B', 'pot/6', 'player/Ann']
        """
        is_text = label in _NOT_NAMES or label.startswith(_NOT_BEGINNINGS)
        return cls.parse(label) if is_text else cls.player(label)

    def __str__(self) -> str:
        return self.text


_SUITS: Final[dict[int | str, Account]] = {suit: Account(Kind.POT, str(suit)) for suit in range(2, 8)}
"""The pots beside the suits, created once."""
HOUSE: Final = Account(Kind.HOUSE)
"""The bank's net gain."""
CAGE: Final = Account(Kind.CAGE)
"""The cashier."""
POTS: Final = Account(Kind.POTS)
RECOUNT: Final = Account(Kind.RECOUNT)


def escaped(name: str) -> str:
    """Return a name escaped for the text of a stake, without slashes.

    >>> escaped("A/B"), escaped("50 %")
    ('A%2FB', '50 %25')
    """
    return name.replace("%", "%25").replace("/", "%2F")


def _unescaped(name: str) -> str:
    return name.replace("%2F", "/").replace("%25", "%")
