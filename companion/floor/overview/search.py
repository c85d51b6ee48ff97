"""Finds players over all tables and purses, by a part of their name. Pure."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from companion.floor.overview.board import Line
from companion.kernel.shared.names import alike

MOST: Final = 100
"""Players that one search finds."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a player sits. `is_now` is false where the table is offline: it is as it was then."""

    table: str
    coins: int
    staked: int
    is_now: bool


@dataclass(slots=True)
class Found:
    """A player, where they sit, and their purse's number and coins, if they have one."""

    player: str
    places: list[Place] = field(default_factory=list)
    purse: int | None = None
    in_purse: int = 0

    @property
    def coins(self) -> int:
        """All their coins: at tables, on bets and in the purse."""
        return self.in_purse + sum(place.coins + place.staked for place in self.places)


def find(part: str, lines: Iterable[Line], purses: Iterable[tuple[int, str, int]]) -> list[Found]:
    """Return the players whose names have a part in them, by name; nobody for an empty part.

    Args:
        purses: number, player and coins of each.
    """
    wanted = _plain(part)
    found: dict[str, Found] = {}
    if not wanted:
        return []
    for line in lines:
        for one in line.picture.players if line.picture is not None else ():
            if wanted in _plain(one.name):
                who = found.setdefault(alike(one.name), Found(one.name))
                who.places.append(Place(line.name, one.coins, one.staked, line.is_online))
    for number, player, coins in purses:
        if wanted in _plain(player):
            who = found.setdefault(alike(player), Found(player))
            who.purse, who.in_purse = number, who.in_purse + coins
    return sorted(found.values(), key=lambda one: _plain(one.player))[:MOST]


def _plain(name: str) -> str:
    """Return a name without case, accents and double spaces.

    >>> _plain("  José  Å. ")
    'jose a.'
    """
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(one for one in letters if not unicodedata.combining(one)).split())
