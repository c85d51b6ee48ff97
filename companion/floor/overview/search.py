"""Player search by part of the name, over all tables and purses. Pure."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from companion.floor.overview.board import Line
from companion.kernel.shared.names import alike

MOST: Final = 100
"""Most players in a result."""


@dataclass(frozen=True, slots=True)
class Place:
    """A player's seat. `is_now` is false if the table is offline and the data is its last known state."""

    table: str
    coins: int
    staked: int
    is_now: bool


@dataclass(slots=True)
class Found:
    """A player with their seats, and their purse's number and coins if they have one."""

    player: str
    places: list[Place] = field(default_factory=list)
    purse: int | None = None
    in_purse: int = 0

    @property
    def coins(self) -> int:
        """All their coins: at tables, on bets and in the purse."""
        return self.in_purse + sum(place.coins + place.staked for place in self.places)


def find(part: str, lines: Iterable[Line], purses: Iterable[tuple[int, str, int]]) -> list[Found]:
    """Return the players whose names contain a text, sorted by name; empty for an empty text.

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
    """Return a name in lower case, without accents and repeated spaces.

    >>> _plain("  José  Å. ")
    'jose a.'
    """
    letters = unicodedata.normalize("NFKD", name.casefold())
    return " ".join("".join(one for one in letters if not unicodedata.combining(one)).split())
