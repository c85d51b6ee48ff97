"""The games this companion knows, one file of pure rules each."""

from __future__ import annotations

from typing import Any, Final

from companion.games.roche.rules import Roche
from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.rules import Rochi
from companion.games.rugen.capital import RugenCapital
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.street import RugenStreet
from companion.kernel.errors import BadScript
from companion.kernel.game import Game

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
