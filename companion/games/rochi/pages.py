"""The pages of Rochi and Captain's Rochi."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.plugins.web import Page, WebPart


def page_data(page: Page, view: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the cards that are played, for the dealer."""
    if page != "dealer":
        return {}
    from companion.objects.cards import deck_cards

    return {"cards": deck_cards("red" if view.get("deck") == "red" else "roche")}


WEB: Final = WebPart(package="companion.games.rochi", family="rochi", styles=("rochi.css",), data=page_data)
