"""The ledger's accounts and their text form.

Inside the process an account is an `Account`, never text: a player's name may contain slashes and even read like
another account. `Account.text` writes it to journal, snapshot and JSON; `Account.parse` reads it back.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., object])

REMEMBERED: Final = 4096
"""Accounts that are made once and shared: more than one table ever has at a time."""


class Kind(StrEnum):
    """What an account is for. The values begin the account's text."""

    PLAYER = "player"
    "Coins in front of a player."
    STAKE = "stake"
    "Coins on an undecided bet."
    POT = "pot"
    "Coins beside a suit."
    HOUSE = "house"
    "The bank's net gain."
    ASIDE = "aside"
    "Coins of a player that are not played with, while the game that is on has coins of its own."
    CAGE = "cage"
    "The world outside: coins bought in come from it, so it is below zero by what lies on the table."
    POTS = "pots"
    "All pots together, where a sum is over parties and not over accounts."
    RECOUNT = "recount"
    "What recounts took out of the books, told apart from the rest of the cage in such a sum."


_NAMED: Final = (Kind.PLAYER, Kind.STAKE, Kind.POT, Kind.ASIDE)
_NOT_NAMES: Final = frozenset(Kind)
_NOT_BEGINNINGS: Final = tuple(f"{kind}/" for kind in _NAMED)


def _shared(function: F) -> F:
    """Give the same value again for the same texts; keeps the function's type, which `lru_cache` loses."""
    return lru_cache(REMEMBERED)(function)  # type: ignore[return-value]  # called in the same way


class Account(NamedTuple):
    """One account. A tuple, so that it is hashed and compared as quickly as the ledger's fold needs.

    Make one with `player`, `aside`, `stake` or `pot`; there is one `HOUSE` and one `CAGE`.

    >>> Account.stake("A/B", "cut/6").owner == Account.player("A/B")
    True
    """

    kind: Kind
    name: str = ""
    "Of the player; of the pot. Empty for a stake of the bank."
    on: str = ""
    "What the stake is on."

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
        """The coins that a player (None: the bank) has on an undecided bet."""
        return Account(Kind.STAKE, name or "", on)

    @staticmethod
    def pot(key: int | str) -> Account:
        """The pot beside a suit."""
        return _SUITS.get(key) or Account(Kind.POT, str(key))

    @staticmethod
    def purse(name: str | None) -> Account:
        """The coins of a player, or of the bank (None): where stakes come from and winnings go to."""
        return HOUSE if name is None else Account.player(name)

    @property
    def owner(self) -> Account:
        """Whose the coins are: a stake is its player's, or the bank's, until it is decided; so is what lies aside."""
        if self.kind is not Kind.STAKE:
            return Account.player(self.name) if self.kind is Kind.ASIDE else self
        return Account.player(self.name) if self.name else HOUSE

    @property
    def text(self) -> str:
        """The account as it is written down; `parse` reads it.

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
        """Return the account that a text names.

        Raises:
            ValueError: it names none.

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
        """Who it is, as results and pages name who pays whom: a player by the name, others by their text.

        A player whose name reads like another account is written out, so that no two labels are the same.

        >>> Account.player("Ann").label, Account.pot(6).label, Account.player("pot/6").label
        ('Ann', 'pot/6', 'player/pot/6')
        """
        is_clear = self.kind is Kind.PLAYER and not (self.name in _NOT_NAMES or self.name.startswith(_NOT_BEGINNINGS))
        return self.name if is_clear else self.text

    @classmethod
    def from_label(cls, label: str) -> Account:
        """Return the account that a label means.

        >>> [Account.from_label(Account.player(name).label).name for name in ("Ann", "A/B", "pot/6", "player/Ann")]
        ['Ann', 'A/B', 'pot/6', 'player/Ann']
        """
        is_text = label in _NOT_NAMES or label.startswith(_NOT_BEGINNINGS)
        return cls.parse(label) if is_text else cls.player(label)

    def __str__(self) -> str:
        return self.text


_SUITS: Final[dict[int | str, Account]] = {suit: Account(Kind.POT, str(suit)) for suit in range(2, 8)}
"""The pots that there are at any table, made once."""
HOUSE: Final = Account(Kind.HOUSE)
"""The bank's net gain."""
CAGE: Final = Account(Kind.CAGE)
"""The world outside."""
POTS: Final = Account(Kind.POTS)
RECOUNT: Final = Account(Kind.RECOUNT)


def escaped(name: str) -> str:
    """Return a name as the text of a stake has it, without a slash.

    >>> escaped("A/B"), escaped("50 %")
    ('A%2FB', '50 %25')
    """
    return name.replace("%", "%25").replace("/", "%2F")


def _unescaped(name: str) -> str:
    return name.replace("%2F", "/").replace("%25", "%")
