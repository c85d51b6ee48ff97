"""A `companion odds` query: the request passed to a game, and parsing of its ``--option``s."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Protocol

from companion.kernel.errors import BadScript
from companion.kernel.shared.banked import LIMITS
from companion.odds.bet_odds import AnyBet

if TYPE_CHECKING:
    import numpy as np  # only for simulations: the exact odds start faster without it

_NUMBER: Final = re.compile(r"\d{1,18}", re.ASCII)
_SHARE: Final = re.compile(r"\d{1,9}(/\d{1,9}|\.\d{1,9})?", re.ASCII)
"""Without exponents: parsing 1e-99999999 would take hours."""


class Asked(Protocol):
    """A query for odds: a game with its options, and the cards or faces seen so far."""

    @property
    def played(self) -> str:
        """Description of the simulation for people: "rounds dealt"."""
        ...

    def odds(self) -> Sequence[AnyBet]:
        """Return the exact odds of every bet."""
        ...

    def lines(self) -> Iterable[tuple[str, ...]]:
        """Return the cells of the printed table, under `companion.odds.table.HEADINGS`."""
        ...

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        """Simulate rounds, and return bet -> number of rounds won."""
        ...


def parse_options(game: str, pairs: Iterable[str], known: Sequence[str], example: str) -> dict[str, str]:
    """Return the ``KEY=VALUE`` options by key.

    Raises:
        BadScript: an option is malformed, unknown, or given twice with different values.

    >>> parse_options("coin-toss", ["coin=old"], ("coin", "tosses"), "coin=new")
    {'coin': 'old'}
    """
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise BadScript(f"--option {pair!r} is not of the form KEY=VALUE. Write it like {example}.")
        if key not in known:
            raise BadScript(f"The odds of {game} have no option {key!r}. Use {', '.join(known)}.")
        if options.get(key, value) != value:
            raise BadScript(f"--option {key} is given twice, as {options[key]!r} and {value!r}. Leave one out.")
        options[key] = value
    return options


def parse_seen(seen: str) -> tuple[str, ...]:
    """Return the cards or faces of a ``--seen``.

    >>> parse_seen("3d, 1n"), parse_seen("")
    (('3d', '1n'), ())
    """
    return tuple(part.strip() for part in seen.split(",")) if seen.strip() else ()


def limit_options(options: Mapping[str, str]) -> dict[str, int | str]:
    """Return the limits among the options, as numbers if possible.

    >>> limit_options({"deck": "red", "max": "5", "cap": "lots"})
    {'max': 5, 'cap': 'lots'}
    """
    given = {key: options[key] for key in LIMITS if key in options}
    return {key: whole_number_in(text) for key, text in given.items()}


def whole_number_in(text: str) -> int | str:
    """Return an option's whole number; otherwise the unchanged text, which the game rejects.

    >>> whole_number_in("12"), whole_number_in("lots")
    (12, 'lots')
    """
    return int(text) if _NUMBER.fullmatch(text) else text


def share_in(text: str) -> Fraction | None:
    """Return an option's share; None if it is malformed or has more than nine digits on a side.

    >>> share_in("1/50"), share_in("0.02"), share_in("1e-9"), share_in("1/0")
    (Fraction(1, 50), Fraction(1, 50), None, None)
    """
    if not _SHARE.fullmatch(text):
        return None
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None
