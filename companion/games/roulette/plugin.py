"""Roulette for the table companion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from companion.games.roulette.mats.zones import AMERICAN, EUROPEAN
from companion.games.roulette.odds.exact import bets_now
from companion.games.roulette.panel import RoulettePanel
from companion.games.roulette.practice import TERMS, practice
from companion.games.roulette.rules import Roulette, State
from companion.games.roulette.shapes import RouletteView
from companion.games.roulette.wheel import RIMS
from companion.plugins.odds import OddsPart
from companion.plugins.perception import Indicator
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import PAGES, Page, Texts, WebPart

if TYPE_CHECKING:
    from companion.odds.asked import Asked
    from companion.plugins.options import GameOptions


def _ask(seen: str, options: Iterable[str]) -> Asked:
    from companion.games.roulette.odds.command import ask

    return ask(seen, options)


def _options() -> type[GameOptions]:
    from companion.games.roulette.options import RouletteOptions

    return RouletteOptions


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


ROULETTE: Final = GamePlugin(
    rules=Roulette(),
    house=State,
    view=RouletteView,
    practice=practice,
    terms=TERMS,
    options=_options,
    odds=OddsPart(bets=bets_now, ask=_ask),
    indicators=(Indicator("roulette", {"pocket": None, "confidence": 0.0}),),  # nothing reads a wheel's pocket yet
    panel=RoulettePanel(),
    web=WebPart(
        package="companion.games.roulette",
        family="roulette",
        pages=PAGES,
        styles=("roulette.css",),
        spot=spot_words,
        data=page_data,
    ),
    mats=(EUROPEAN, AMERICAN),
)
