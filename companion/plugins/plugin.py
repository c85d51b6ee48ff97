"""Everything that one game brings, as one frozen object: its rules, and what each part of the engine asks of it.

What a game leaves out is shown generically by whoever asks; nothing of another game is ever taken instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.game import Game
from companion.objects.designs import DeckDesign
from companion.objects.mat import Mat
from companion.plugins.demo import Demo
from companion.plugins.perception import Perception

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlugin:
    """One game, as its package lists it in the entry-point group ``table_companion.games``.

    Raises:
        ValueError: the rules' name is none.
    """

    rules: Game[Any]
    perception: Perception | None = None
    "What the camera follows; None: everything is entered by hand."
    demo: Demo | None = None
    "Who plays at the demo table; None: the game has none."

    # ---- printed things
    decks: tuple[DeckDesign, ...] = ()
    "The designs of the decks it is played with, the usual one first; none if it needs no cards of its own."
    mats: tuple[Mat, ...] = ()
    "The printed mats to play it on, the usual one first."

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.rules.name):
            raise ValueError(f"a game's name is lower case, digits and single hyphens, not {self.rules.name!r}")

    @property
    def name(self) -> str:
        """The game's id in commands, scripts and configuration."""
        return self.rules.name

    @property
    def title(self) -> str:
        """What people call the game."""
        return self.rules.title

    def deck_for(self, options: Mapping[str, Any]) -> DeckDesign | None:
        """Return the design that is dealt: the one that the option ``deck`` names, else the usual one, if any."""
        named = (design for design in self.decks if design.kind == options.get("deck"))
        return next(named, next(iter(self.decks), None))
