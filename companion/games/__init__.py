"""The games this companion knows, one file of pure rules each."""

from __future__ import annotations

from typing import Any, Final

from companion.errors import BadScript
from companion.games.base import Game
from companion.games.captains import Captains
from companion.games.roche import Roche
from companion.games.rochi import Rochi
from companion.games.rugen_capital import RugenCapital
from companion.games.rugen_house import RugenHouse
from companion.games.rugen_street import RugenStreet

GAMES: Final[dict[str, Game[Any]]] = {
    game.name: game for game in (Roche(), Rochi(), Captains(), RugenStreet(), RugenHouse(), RugenCapital())
}

LIVE_GAMES: Final = tuple(GAMES)
"""Those that `companion run` can watch and show."""


def game_named(name: object) -> Game[Any]:
    """Return the rules of a game.

    Raises:
        BadScript: there is no such game.
    """
    game = GAMES.get(name) if isinstance(name, str) else None
    if game is None:
        raise BadScript(f"There is no game {name!r} here. It knows {', '.join(GAMES)}.")
    return game
