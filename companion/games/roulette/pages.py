"""Roulette's pages: the words for its spots, and the wheel's rim for their scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.games.roulette.wheel import RIMS
from companion.plugins.web import PAGES, Page, Texts, WebPart

_RUNS: Final = {"street": 3, "line": 6}


def spot_words(on: str, t: Texts) -> str:
    """Return a bet's spot in words: "Split 17/20"."""
    kind, _, what = on.partition("/")
    if kind in _RUNS:
        return t(f"spot_{kind}", first=what, last=int(what) + _RUNS[kind] - 1)
    if kind == "corner":
        return t("spot_corner", n="/".join(str(int(what) + more) for more in (0, 1, 3, 4)))
    return t(f"spot_{kind}_{what}") if kind == "dozen" else t(f"spot_{kind}", n=what)


def page_data(page: Page, view: Mapping[str, object]) -> Mapping[str, object]:
    """Return the pockets as they lie round the wheel."""
    return {"rim": RIMS["american" if view.get("wheel") == "american" else "european"]}


WEB: Final = WebPart(
    package="companion.games.roulette",
    family="roulette",
    pages=PAGES,
    styles=("roulette.css",),
    spot=spot_words,
    data=page_data,
)
