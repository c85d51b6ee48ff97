"""What tests of games need, ours and third parties'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from companion.kernel.header import Header
from companion.kernel.table import Table
from companion.objects.designs import Designs
from companion.objects.mat import Mats
from companion.plugins.registry import Games, installed_games

INSTALLED: Final[Games] = installed_games()
"""The installed games."""

MATS: Final[Mats] = INSTALLED.mats
"""The mats that they are played on."""

DECKS: Final[Designs] = INSTALLED.decks
"""The kinds of decks that they are played with, and the standard one."""


def new_header(game: str, players: Iterable[tuple[str, int]] = (), options: Mapping[str, Any] | None = None) -> Header:
    """Return the header of a session of an installed game."""
    return Header(INSTALLED.rules(game), tuple(players), dict(options or {}))


def new_table(game: str, players: Iterable[tuple[str, int]] = (), options: Mapping[str, Any] | None = None) -> Table:
    """Return a new table at which an installed game is played.

    >>> new_table("roche", [("Ann", 10)]).position.ledger.balance("Ann")
    10
    """
    return Table(new_header(game, players, options))
