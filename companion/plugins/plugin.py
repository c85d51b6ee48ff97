"""Everything that one game brings, as one frozen object: its rules, and what each part of the engine asks of it.

What a game leaves out is shown generically by whoever asks; nothing of another game is ever taken instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.game import Game
from companion.plugins.demo import Demo
from companion.plugins.perception import Perception
from companion.plugins.web import WebPart

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

    # ---- its pages
    web: WebPart | None = None
    "Its own scripts, style sheets and texts; None: it is shown by the generic pages."

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
