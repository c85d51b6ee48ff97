"""A game's own web assets: scripts, style sheets and texts in its package, served beside the program's."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final, Literal, Protocol

Page = Literal["dealer", "seat", "table", "odds", "replay", "overlay"]
PAGES: Final[tuple[Page, ...]] = ("dealer", "seat", "table", "odds", "replay")
"""The dealer's console, a player's phone, the room's screen, the odds, and a hand of the history.

A game may have a page for ``overlay`` as well, which lies over a video; the generic one shows players and results.
"""

_FAMILY: Final = re.compile(r"[a-z][a-z0-9-]*")


class Texts(Protocol):
    """Looks up a text of the game's or the program's catalogue in the page's language."""

    def __call__(self, key: str, /, **values: object) -> str: ...


PageData = Callable[[Page, Mapping[str, object]], Mapping[str, object]]
"""A page script's data besides the view, from page and view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPart:
    """The web assets of a game or a family of games.

    The package may have a folder ``web`` with scripts and style sheets, served below ``/static/…/games/FAMILY/``, and a
    folder ``locale`` with a catalogue for each language, ``en.json``, ``de.json``, ``es.json``: English at least. What
    only the set-up page shows, ``about_GAME`` among it, lies beside in ``en.setup.json`` and the others. A script
    imports the program's own modules as ``../../js/dom.js``.

    Attributes:
        package: the Python package with these folders, like ``companion.games.poker``.
        family: the folder's name in addresses.
        pages: what the game draws itself, by a script ``PAGE.js`` each; the others are generic, and mostly all are.
        styles: its style sheets, on all its pages.
        spot: a bet's spot in words; None: as the rules' offers call it.
        data: see `PageData`.

    Raises:
        ValueError: the family's name is none.
    """

    package: str
    family: str
    pages: tuple[Page, ...] = ()
    styles: tuple[str, ...] = ()
    spot: Callable[[str, Texts], str] | None = None
    data: PageData | None = None

    def missing(self) -> tuple[str, ...]:
        """Return the scripts and style sheets that it names and its package does not have.

        Raises:
            ModuleNotFoundError: there is no such package.
        """
        names = (f"web/{name}" for name in (*(f"{page}.js" for page in self.pages), *self.styles))
        folder = resources.files(self.package)
        return tuple(name for name in names if not folder.joinpath(name).is_file())

    def __post_init__(self) -> None:
        if not _FAMILY.fullmatch(self.family):
            raise ValueError(f"a family's name is lower case, digits and hyphens, not {self.family!r}")
