"""`GamePlugin`: everything one game provides, as one frozen object: its rules and its optional parts.

A missing part gets a generic default, never another game's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from companion.kernel.commands import Record
from companion.kernel.game import Game, Options
from companion.objects.designs import DeckDesign
from companion.objects.mat import Mat
from companion.odds.exposure import HouseState
from companion.odds.house_edges import EdgeRange, edge_ranges
from companion.plugins.demo import Demo, Felt
from companion.plugins.odds import OddsPart
from companion.plugins.panel import ANY_GAME, PanelPart
from companion.plugins.perception import Indicator, Perception, Vessel
from companion.plugins.phone import Phone
from companion.plugins.slips import Slips
from companion.plugins.web import WebPart
from companion.plugins.words import Practice, Term

if TYPE_CHECKING:
    from companion.plugins.options import GameOptions

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlugin:
    """One game, registered by its package in the entry-point group ``table_companion.games``.

    Raises:
        ValueError: the rules' name is invalid.
    """

    rules: Game[Any]
    house: type[HouseState] | None = None
    "The class of its states in a banked game: offers, limits, worst case; None: there is no house."
    perception: Perception | None = None
    "What the camera tracks; None: everything is entered by hand."
    indicators: tuple[Indicator, ...] = ()
    "Further objects to recognise in pictures of its table."
    vessel: Vessel | None = None
    "A vessel for its dice with its own reading; None: dice are read as on any table."
    demo: Demo | None = None
    "The demo; None: the game has none."
    panel: PanelPart = ANY_GAME
    "The behaviour of the dealer's buttons and lights."
    felt: Callable[[Sequence[str]], Felt] | None = None
    "The felt layout for cards without a mat; None: a mat is required."
    scenarios: Path | None = None
    "The folder of its scenarios for ``companion hil``; None: it has none. Games of one package may share it."

    # ---- views and timed commands
    view: type[Any] | None = None
    "The `TypedDict` returned by the rules' `view`, a `GameView`; None: the game's own fields are unspecified."

    phone: Phone | None = None
    "What a player's phone may do; None: the default of most games, such as betting and taking back."

    due: Callable[[Any, str], Record | None] | None = None
    """Returns the command due in a state at a time (in the format of commands), such as the end of a break; the table's
    clock plays it. None: the game has no timed commands."""

    # ---- words
    practice: Practice | None = None
    "Explains each step in practice mode; None: only the prompt is shown."
    terms: tuple[Term, ...] = ()
    "The game's glossary."
    steps: tuple[str, ...] = ()
    "The course of a round, step by step, for the printed rules card; mostly the sentences of practice mode."

    # ---- options
    options: Callable[[], type[GameOptions]] | None = None
    "Returns the options model, imported on demand; None: no options."
    preferred: bool = False
    "Whether it is the default game."

    # ---- odds
    odds: OddsPart = OddsPart()  # noqa: RUF009 (a frozen value)
    "The exact odds; the default has none, and pages show none."

    # ---- its pages
    web: WebPart | None = None
    "Its own web assets; None: generic pages."

    # ---- printed things
    decks: tuple[DeckDesign, ...] = ()
    "The designs of the decks it is played with, the default first; empty if it needs no cards of its own."
    mats: tuple[Mat, ...] = ()
    "The printed mats it can be played on, the default first."
    slips: Slips | None = None
    "Paper slips, for writing or for reference; None: there are none."

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.rules.name):
            raise ValueError(f"a game's name is lower case, digits and single hyphens, not {self.rules.name!r}")

    @property
    def name(self) -> str:
        """The game's id in commands, scripts and the configuration."""
        return self.rules.name

    @property
    def title(self) -> str:
        """The game's display name."""
        return self.rules.title

    @property
    def package(self) -> str:
        """The Python package with its texts; empty for a game that is a top-level module."""
        return self.web.package if self.web is not None else type(self.rules).__module__.rpartition(".")[0]

    def house_state(self, state: Any) -> HouseState | None:
        """Return a state as a `HouseState`; None in a game without a house."""
        return state if self.house is not None else None

    def house_edges(self, options: Options) -> tuple[EdgeRange, ...]:
        """Return the house edges of the game's bets by family, under a header's options; empty without a house.

        Raises:
            BadScript: an option is not one of the game's.
        """
        return edge_ranges(self.odds.bets(self.rules.start((), options))) if self.house is not None else ()

    def deck_for(self, options: Options) -> DeckDesign | None:
        """Return the deck design to deal: the one named by the option ``deck``, else the default one, or None."""
        named = (design for design in self.decks if design.kind == options.get("deck"))
        return next(named, next(iter(self.decks), None))
