"""A game's own web assets: scripts, style sheets and texts in its package, served alongside the program's."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final, Literal, Protocol

Page = Literal["dealer", "seat", "table", "odds", "replay", "overlay"]
PAGES: Final[tuple[Page, ...]] = ("dealer", "seat", "table", "odds", "replay")
"""The dealer's console, a player's phone, the room's screen, the odds, and the replay of a hand.

A game may also have an ``overlay`` page, shown over a video; the generic one shows players and results.
"""

_FAMILY: Final = re.compile(r"[a-z][a-z0-9-]*")


class Texts(Protocol):
    """Looks up a text of the game's or the program's catalogue in the page's language."""

    def __call__(self, key: str, /, **values: object) -> str: ...


PageData = Callable[[Page, Mapping[str, object]], Mapping[str, object]]
"""Returns a page script's data besides the view, given the page and the view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPart:
    """The web assets of a game or a family of games.

    The package may have a folder ``web`` with scripts and style sheets, served below ``/static/…/games/FAMILY/``, and a
    folder ``locale`` with a catalogue per language, ``en.json``, ``de.json``, ``es.json``; English is required. Texts
    that only the set-up page shows, such as ``about_GAME``, are in ``en.setup.json`` and so on. A script imports the
    program's own modules as ``../../js/dom.js``.

    Attributes:
        package: the Python package with these folders, such as ``companion.games.poker``.
        family: the folder's name in URLs.
        pages: the pages that the game draws itself, each with a script ``PAGE.js``; the others are generic.
        styles: its style sheets, included on all its pages.
        spot: returns a bet's spot in words; None: the wording of the rules' offers is used.
        data: see `PageData`.

    Raises:
        ValueError: the family's name is invalid.
    """

    package: str
    family: str
    pages: tuple[Page, ...] = ()
    styles: tuple[str, ...] = ()
    spot: Callable[[str, Texts], str] | None = None
    data: PageData | None = None

    def missing(self) -> tuple[str, ...]:
        """Return the scripts and style sheets that it names but its package lacks.

        Raises:
            ModuleNotFoundError: there is no such package.
        """
        names = (f"web/{name}" for name in (*(f"{page}.js" for page in self.pages), *self.styles))
        folder = resources.files(self.package)
        return tuple(name for name in names if not folder.joinpath(name).is_file())

    def __post_init__(self) -> None:
        if not _FAMILY.fullmatch(self.family):
            raise ValueError(f"a family's name is lower case, digits and hyphens, not {self.family!r}")
