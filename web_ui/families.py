"""Which games share a page's script: the games of stacks, the games of the die, and Roche."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FAMILIES: Final[Mapping[str, str]] = {
    "rochi": "rochi",
    "captains": "rochi",
    "rugen-house": "rugen",
    "rugen-street": "rugen",
    "rugen-capital": "rugen",
}
"""The family of each game that has pages of its own; any other game is shown by the first pages, Roche's."""


def page_files(page: str, game: str) -> dict[str, str | None]:
    """Return the script of a page for a game, and its family's style sheet.

    >>> page_files("table", "captains")
    {'script': 'js/table_rochi.js', 'style': 'css/rochi.css'}
    >>> page_files("table", "roche")
    {'script': 'js/table.js', 'style': None}
    """
    family = FAMILIES.get(game)
    if family is None:
        return {"script": f"js/{page}.js", "style": None}
    return {"script": f"js/{page}_{family}.js", "style": f"css/{family}.css"}
