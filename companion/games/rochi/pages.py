"""The pages of Rochi and Captain's Rochi."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.plugins.web import PAGES, Page, WebPart


def page_data(page: Page, view: Mapping[str, object]) -> Mapping[str, object]:
    """Return the cards that are played, for the dealer."""
    if page != "dealer":
        return {}
    from companion.games.roche_deck.design import FULL_DECK, RED_DECK

    return {"cards": RED_DECK if view.get("deck") == "red" else FULL_DECK}


WEB: Final = WebPart(
    package="companion.games.rochi", family="rochi", pages=PAGES, styles=("rochi.css",), data=page_data
)
