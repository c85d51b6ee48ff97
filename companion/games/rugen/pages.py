"""The pages of House, Street and Capital Rugen."""

from __future__ import annotations

from typing import Final

from companion.plugins.web import PAGES, Texts, WebPart


def house_spot(on: str, t: Texts) -> str:
    """Return a spot of House Rugen's layout in words: "Center 3"."""
    kind, _, number = on.partition("/")
    return t(f"rspot_{kind}", n=number)


def capital_spot(on: str, t: Texts) -> str:
    """Return what is bet on in Capital Rugen: a number."""
    return t("number_n", n=on.partition("/")[2])


HOUSE_WEB: Final = WebPart(
    package="companion.games.rugen", family="rugen", pages=PAGES, styles=("rugen.css",), spot=house_spot
)
STREET_WEB: Final = WebPart(package="companion.games.rugen", family="rugen", pages=PAGES, styles=("rugen.css",))
CAPITAL_WEB: Final = WebPart(
    package="companion.games.rugen", family="rugen", pages=PAGES, styles=("rugen.css",), spot=capital_spot
)
