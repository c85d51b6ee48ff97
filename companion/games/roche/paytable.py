"""The price table of a Roche layout.

A `Paytable` has one price per family of bets and suit (``cut/6``; all twelve ``card/6D3`` … share one), and one for
``cavalry``. The printed prices are packaged; a table's owner or a script's header may change single ones.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, Literal, cast, get_args

from companion.config.toml_lines import line_of
from companion.games.roche_deck.design import RED_RANKS
from companion.kernel.errors import BadScript, CompanionError
from companion.kernel.price import Price
from companion.objects.cards import RANKS, SUIT_CARDS, cards_of_suit

Layout = Literal["basic", "grand"]
RocheDeck = Literal["full", "red"]
Changes = Mapping[str, str | Mapping[str, str]]
"""Prices by family, or by family and suit: ``{"cut": {"6": "8:1"}, "cavalry": "290:1"}``."""

BASIC_FAMILIES: Final = ("cut", "day", "night")
CARD_FAMILIES: Final = ("card", "oscura", "terminus")
FAMILIES: Final = (*BASIC_FAMILIES, *CARD_FAMILIES, "starlight")
CAVALRY: Final = "cavalry"


class PaytableError(CompanionError):
    """A price table file that cannot be used; the message names the file, the line and the key."""


@dataclass(frozen=True, slots=True)
class Paytable:
    """The prices of one deck, by ``cut/6``, ``card/6``, …, ``cavalry``; a value, and hashable."""

    deck: RocheDeck
    prices: tuple[tuple[str, Price], ...]
    _by_spot: dict[str, Price] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_spot", dict(self.prices))

    def price(self, on: str) -> Price | None:
        """Return the price of ``cut/6``, ``card/6D3``, ``cavalry``, …; None if there is no such bet.

        >>> table = load_paytable("full")
        >>> print(table.price("cut/3"), table.price("terminus/6D3"), table.price("cut/6D3"))
        7:2 107:1 None
        """
        spot = _spot(on)
        return None if spot is None else self._by_spot.get(spot)

    def with_changes(self, changes: Mapping[str, object]) -> Paytable:
        """Return this table with some prices replaced.

        Args:
            changes: shaped like ``{"cut": {"6": "8:1"}, "cavalry": 290}``, or ``{"cut/6": "8:1"}``.

        Raises:
            BadScript: an unknown key or suit, or a bad price; the message names the key.
        """
        if not isinstance(changes, Mapping):
            raise BadScript(
                'The paytable must be an object like {"cut": {"6": "8:1"}}, '
                f"not {_short(changes)}. Correct it, or leave it out for the printed prices."
            )
        prices = dict(self.prices)
        for key, value in changes.items():
            prices.update(_changes_of(str(key), value, self.deck))
        return Paytable(self.deck, tuple(prices.items()))

    def as_changes(self) -> Changes:
        """Return all prices in the JSON form accepted by `with_changes`."""
        shape: dict[str, str | dict[str, str]] = {}
        for spot, price in self.prices:
            family, _, rank = spot.partition("/")
            of_family = shape.setdefault(family, {}) if rank else None
            if isinstance(of_family, dict):
                of_family[rank] = str(price)
            else:
                shape[family] = str(price)
        return shape


def deck_ranks(deck: RocheDeck) -> tuple[int, ...]:
    """Return the ranks of the deck's suits.

    >>> deck_ranks("red")
    (3, 4, 5, 6, 7)
    """
    return RANKS if deck == "full" else RED_RANKS


@cache
def bets(layout: Layout, deck: RocheDeck) -> tuple[str, ...]:
    """Return all bets of the layout, suit by suit, in a fixed order.

    >>> bets("basic", "red")[:4]
    ('cut/3', 'day/3', 'night/3', 'cut/4')
    >>> len(bets("basic", "full")), len(bets("grand", "full")), len(bets("grand", "red"))
    (18, 187, 171)
    """
    offered: list[str] = []
    for rank in deck_ranks(deck):
        offered += [f"{family}/{rank}" for family in BASIC_FAMILIES]
        if layout == "grand":
            offered.append(f"starlight/{rank}")
            offered += [f"{family}/{card}" for family in CARD_FAMILIES for card in cards_of_suit(rank)]
    return (*offered, CAVALRY) if layout == "grand" else tuple(offered)


@cache
def load_paytable(deck: RocheDeck) -> Paytable:
    """Return the printed prices of the full or the red deck."""
    source = resources.files("companion.games.roche").joinpath(f"paytable_{deck}.toml")
    prices = tomllib.loads(source.read_text(encoding="utf-8"))
    del prices["deck"]
    table = Paytable(deck, ()).with_changes(prices)
    # in the order of `bets`, independent of the file's order
    return Paytable(deck, tuple((spot, table._by_spot[spot]) for spot in _spots(deck)))


def load_paytable_file(path: Path) -> Paytable:
    """Return a custom price table: ``deck = "full"`` or ``"red"``, then the prices that differ.

    Raises:
        PaytableError: the file cannot be read or used; the message names the line and the key.
    """
    try:
        text = path.read_text(encoding="utf-8")
        changes = tomllib.loads(text)
    except OSError as error:
        raise PaytableError(f"The price table {path} cannot be read ({error.strerror}). Check the path.") from error
    except UnicodeDecodeError as error:
        raise PaytableError(f"The price table {path} is not a text file ({error}). Check the path.") from error
    except tomllib.TOMLDecodeError as error:
        raise PaytableError(f"The price table {path} is not valid TOML: {error}. Correct that line.") from error
    deck = changes.pop("deck", None)
    if deck not in get_args(RocheDeck):
        raise PaytableError(
            f'{_place(path, text, "deck")}: deck is {_short(deck)}. Write deck = "full" or "red" there.'
        )
    return _changed(load_paytable(cast(RocheDeck, deck)), changes, path, text)


def _changed(table: Paytable, changes: Mapping[str, object], path: Path, text: str) -> Paytable:
    """Apply a file's prices one by one, so that an error names its line."""
    for key, value in changes.items():
        by_rank = value if key in FAMILIES and isinstance(value, dict) else {}
        parts = by_rank.items() or [(None, value)]
        for rank, price in parts:
            try:
                table = table.with_changes({key: price if rank is None else {rank: price}})
            except BadScript as error:
                raise PaytableError(f"{_place(path, text, key, rank)}: {error}") from error
    return table


def _place(path: Path, text: str, *keys: str | None) -> str:
    """Return "table.toml, line 7": the line of the key or its table, otherwise the first line."""
    return f"{path}, line {line_of(text, [key for key in keys if key is not None])}"


def _spot(on: str) -> str | None:
    """Return the price table's key for a bet: ``card/6`` for ``card/6D3``."""
    family, slash, target = on.partition("/")
    if family in CARD_FAMILIES:
        card = SUIT_CARDS.get(target)
        return None if card is None else f"{family}/{card.rank}"
    return on if slash or on == CAVALRY else None


def _spots(deck: RocheDeck) -> tuple[str, ...]:
    return (*(f"{family}/{rank}" for rank in deck_ranks(deck) for family in FAMILIES), CAVALRY)


def _changes_of(key: str, value: object, deck: RocheDeck) -> dict[str, Price]:
    if key == CAVALRY:
        return {CAVALRY: _price(key, value)}
    if "/" in key:  # "cut/6", like a bet
        key, _, suit = key.partition("/")
        value = {suit: value}
    if key not in FAMILIES:
        known = ", ".join((*FAMILIES, CAVALRY))
        raise BadScript(f"The paytable has no bets named {_short(key)}. Use {known}.")
    if not isinstance(value, Mapping):
        raise BadScript(f'The paytable\'s {key} is {_short(value)}. Give a price for each suit, like {{"6": "8:1"}}.')
    ranks = {str(rank) for rank in deck_ranks(deck)}
    for rank in value:
        if str(rank) not in ranks:
            raise BadScript(
                f"The paytable's {key} names suit {_short(rank)}, which the {deck} deck does not have. "
                f"Use {', '.join(sorted(ranks))}."
            )
    return {f"{key}/{rank}": _price(f"{key}/{rank}", price) for rank, price in value.items()}


def _price(key: str, value: object) -> Price:
    try:
        return Price.parse(value)
    except ValueError as error:
        raise BadScript(
            f"The paytable's price for {key} cannot be used: {_short(str(error), 120)}. "
            'Write one like "7:2", or a whole number.'
        ) from error


def _short(value: object, width: int = 40) -> str:
    text = value if isinstance(value, str) and width > 40 else repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"
