"""Roche's pages: the words for its spots, and what its scripts get beside the view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from companion.plugins.web import PAGES, Page, Texts, WebPart

_CARD_PLACES: Final = 2
"""A spot's second part is a suit if it is shorter than this, else a card."""


def spot_words(on: str, t: Texts) -> str:
    """Return a bet's spot in words: "Kin cuts", "Kin night 2 comes last"."""
    kind, _, what = on.partition("/")
    if len(what) < _CARD_PLACES:
        return t(f"spot_{kind}", suit=t(f"suit_{what}") if what else "")
    return t(f"spot_{kind}", card=card_words(what, t))


def card_words(card: str, t: Texts) -> str:
    """Return a card in words: "Kin day 3"."""
    half = t("day" if card[1] == "D" else "night")
    return t("card_name", suit=t(f"suit_{card[0]}"), half=half, number=card[2:])


def page_data(page: Page, view: Mapping[str, object]) -> Mapping[str, object]:
    """Return the cards that are dealt, for the dealer, and where the printed mat has the bets, for the room."""
    if page == "dealer":
        from companion.games.roche_deck.design import FULL_DECK, RED_DECK

        return {"cards": RED_DECK if view.get("deck") == "red" else FULL_DECK}
    return {"zones": mat_zones(view)} if page in ("table", "replay") else {}


def mat_zones(view: Mapping[str, object]) -> dict[str, tuple[float, ...]]:
    """Where the printed mat has the bets: spot -> x, y, width, height in millimetres."""
    from companion.games.roche.mats.zones import MATS

    wanted = "grand-roche" if view.get("layout") == "grand" else "roche"
    mat = next(mat for mat in MATS if mat.name == wanted)
    spots = cast("Mapping[str, str]", view.get("spots", {}))
    zones = ((name.removeprefix("bet/"), box) for name, box in mat.zones.items() if name.startswith("bet/"))
    return {on: (box.x, box.y, box.width, box.height) for on, box in zones if on in spots}


WEB: Final = WebPart(
    package="companion.games.roche", family="roche", pages=PAGES, styles=("roche.css",), spot=spot_words, data=page_data
)
