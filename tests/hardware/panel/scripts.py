"""Games played by chance and by the rules, for the panel to look at: every phase comes by."""

from __future__ import annotations

import random
from typing import Any

import captains_referee
import referee
import rochi_referee
import rugen_referee

GAMES = ("roche", "rochi", "captains", "rugen-street", "rugen-house", "rugen-capital")


def script(game: str, seed: int, length: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a header and so many legal commands, undo and redo among them."""
    rng = random.Random(f"{game} {seed}")
    if game == "roche":
        whole = referee.random_script(rng, 3)[0]
    elif game == "rochi":
        whole = rochi_referee.random_evening(rng, 5)[0]
    elif game == "captains":
        whole = captains_referee.random_duel(rng, length)[0]
    else:
        whole = rugen_referee.random_script(rng, game, length)[0]
    return whole[0], whole[1 : length + 1]
