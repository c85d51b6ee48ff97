"""`companion odds` for Street, House and Capital Rugen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from companion.games.rugen import capital as rugen_capital
from companion.games.rugen import house as rugen_house
from companion.games.rugen import street as rugen_street
from companion.games.rugen.odds.bets import WaysOdds, capital_odds, house_odds, meaning, street_odds
from companion.kernel.errors import BadScript
from companion.kernel.game import Options
from companion.kernel.script import parse_line
from companion.kernel.shared.banked import LIMITS
from companion.objects.dice import NUMBERS
from companion.odds.asked import Asked, parse_options, parse_seen, whole_number_in
from companion.odds.table import cells

if TYPE_CHECKING:
    import numpy as np

HOUSE_OPTIONS: Final = ("chain_day_night", "better_half", "late_chain", *LIMITS)
STREET_OPTIONS: Final = ("taken", "minimum")
CAPITAL_OPTIONS: Final = ("taken", "schedule", *LIMITS)
CHAINS_THROWN: Final = "chains thrown"


def ask_house(seen: str, pairs: Iterable[str]) -> Asked:
    """Parse a query about House Rugen.

    Raises:
        BadScript: an unknown option or an invalid value.
    """
    options = parse_options("rugen-house", pairs, HOUSE_OPTIONS, "chain_day_night=own")
    return HouseAsked(parse_seen(seen), rugen_house.parse_rules(_header_options(options)))


def ask_street(seen: str, pairs: Iterable[str]) -> Asked:
    """Parse a query about Street Rugen; raises as `ask_house`."""
    options = parse_options("rugen-street", pairs, STREET_OPTIONS, "taken=1,3")
    taken = _taken(options.pop("taken", None), NUMBERS)
    rugen_street.parse_minimum(_header_options(options))
    return StreetAsked(parse_seen(seen), taken)


def ask_capital(seen: str, pairs: Iterable[str]) -> Asked:
    """Parse a query about Capital Rugen; raises as `ask_house`."""
    options = parse_options("rugen-capital", pairs, CAPITAL_OPTIONS, "taken=1,3")
    taken = _taken(options.pop("taken", None), ())
    return CapitalAsked(parse_seen(seen), taken, rugen_capital.parse_rules(_header_options(options)))


@dataclass(frozen=True)
class HouseAsked:
    """Query about a House layout. Not slotted, because of `cached_property`."""

    seen: tuple[str, ...]
    rules: rugen_house.Rules
    played = CHAINS_THROWN

    @cached_property
    def _odds(self) -> tuple[WaysOdds, ...]:
        return house_odds(self.rules.reading, self.rules.better_half, self.seen)

    def odds(self) -> tuple[WaysOdds, ...]:
        return self._odds

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (cells(bet, bet.on, meaning(bet.on, self.rules.reading)) for bet in self._odds)

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.rugen.odds.simulation import simulate_house

        return simulate_house(rounds, random, self.rules.reading, self.seen, progress)


@dataclass(frozen=True)
class StreetAsked:
    """Query about a Street game, with the taken numbers."""

    seen: tuple[str, ...]
    taken: tuple[int, ...]
    played = CHAINS_THROWN

    def odds(self) -> tuple[WaysOdds, ...]:
        return street_odds(self.taken, self.seen)

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (cells(bet, bet.on, meaning(bet.on)) for bet in self.odds())

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.rugen.odds.simulation import simulate_takes

        return simulate_takes(rounds, random, self.taken, self.seen, progress)


@dataclass(frozen=True)
class CapitalAsked:
    """Query about a Capital game, with the numbers taken by players; the bank has the others."""

    seen: tuple[str, ...]
    taken: tuple[int, ...]
    rules: rugen_capital.Rules
    played = CHAINS_THROWN

    def odds(self) -> tuple[WaysOdds, ...]:
        return capital_odds(self.rules.schedule, self.taken, self.seen)

    def lines(self) -> Iterable[tuple[str, ...]]:
        return (cells(bet, bet.on, meaning(bet.on)) for bet in self.odds())

    def simulate(self, rounds: int, random: np.random.Generator, progress: Callable[[int], object]) -> dict[str, int]:
        from companion.games.rugen.odds.simulation import simulate_takes

        return simulate_takes(rounds, random, NUMBERS, self.seen, progress)


# ---- options


def _taken(text: str | None, default: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers held by players, lowest first."""
    if text is None:
        return default
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    allowed = {str(number): number for number in NUMBERS}
    if len(set(parts)) < len(parts) or not set(parts) <= set(allowed):
        raise BadScript(f"taken is {text!r}. Name each number that somebody holds once, like taken=1,3.")
    return tuple(sorted(allowed[part] for part in parts))


def _header_options(options: dict[str, str]) -> Options:
    """Convert the options to header format."""
    return {key: _value(key, text) for key, text in options.items()}


def _value(key: str, text: str) -> object:
    if key == "late_chain":
        return {"true": True, "false": False}.get(text, text)
    if key in (*LIMITS, "minimum"):
        return whole_number_in(text)
    if key == "schedule" and text.lstrip().startswith("{"):
        try:
            return parse_line(text)
        except (ValueError, RecursionError) as error:
            raise BadScript(f"--option schedule is not valid JSON ({error}). Correct it.") from error
    return text
