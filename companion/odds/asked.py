"""A `companion odds` query: the request passed to a game, and parsing of its ``--option``s."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from companion.kernel.errors import BadScript
from companion.kernel.shared.banked import LIMITS
from companion.odds.bet_odds import AnyBet

if TYPE_CHECKING:
    import numpy as np  # only for simulations: the exact odds start faster without it


class Asked(Protocol):
    """A query for odds: a game with its options, and the cards or faces seen so far."""

    @property
    def played(self) -> str:
        """What a simulation does, for people: "rounds dealt"."""
        ...

    def odds(self) -> Sequence[AnyBet]:
        """Return the exact odds of every bet."""
        ...

    def lines(self) -> Iterable[tuple[str, ...]]:
        """Return the cells of the table that people read, under `companion.odds.table.HEADINGS`."""
        ...

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        """Play so many rounds and return how many of them each bet won."""
        ...


def parse_options(game: str, pairs: Iterable[str], known: Sequence[str], example: str) -> dict[str, str]:
    """Return the ``KEY=VALUE`` options by key.

    Raises:
        BadScript: one is of another form, unknown, or given twice with different values.

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
    """Return the limits among options, as numbers where they are.

    >>> limit_options({"deck": "red", "max": "5", "cap": "lots"})
    {'max': 5, 'cap': 'lots'}
    """
    given = {key: options[key] for key in LIMITS if key in options}
    return {key: int(text) if text.isdecimal() else text for key, text in given.items()}
