"""Plug-in for Roche and Grand Roche. Camera and renderer code is imported on demand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from companion.games.roche.demo.felt import felt_of
from companion.games.roche.demo.players import NAMES
from companion.games.roche.mats.zones import MATS
from companion.games.roche.odds.exact import bets_now, together
from companion.games.roche.panel import RochePanel
from companion.games.roche.practice import TERMS, practice
from companion.games.roche.rules import Roche, State
from companion.games.roche.shapes import RocheView
from companion.games.roche_deck.design import CARDS_OF, DECKS
from companion.games.roche_deck.names import CARD_NAMES
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception, CardSettings
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import PAGES, Page, Texts, WebPart

if TYPE_CHECKING:
    from companion.tracking.cards.proposal import Interpreter

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
    """Return the deck's cards for the dealer's page; card names and the mat's betting zones for public pages."""
    if page == "dealer":
        return {"cards": CARDS_OF[str(view["deck"])]}
    return {"zones": mat_zones(view), "card_names": CARD_NAMES} if page in ("table", "replay") else {}


def mat_zones(view: Mapping[str, object]) -> dict[str, tuple[float, ...]]:
    """Return the printed mat's betting zones: spot -> x, y, width, height in millimetres."""
    wanted = "grand-roche" if view.get("layout") == "grand" else "roche"
    mat = next(mat for mat in MATS if mat.name == wanted)
    spots = cast("Mapping[str, str]", view.get("spots", {}))
    zones = ((name.removeprefix("bet/"), box) for name, box in mat.zones.items() if name.startswith("bet/"))
    return {on: (box.x, box.y, box.width, box.height) for on, box in zones if on in spots}


def _interpreter(settings: CardSettings) -> Interpreter:
    from companion.games.roche.camera.interpreter import RocheInterpreter

    return RocheInterpreter(deck=settings.deck_id, verify=settings.verify)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.roche.demo.agent import RocheAgent
    from hardware.demo.card_table import new_card_table

    deck = setting.deck()
    table = new_card_table(deck, felt_of(deck.cards), size=setting.size)
    return DemoWorld(table, RocheAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


ROCHE: Final = GamePlugin(
    rules=Roche(),
    house=State,
    view=RocheView,
    perception=CardPerception(_interpreter),
    demo=Demo(NAMES, 200, _demo),
    panel=RochePanel(),
    felt=felt_of,
    scenarios=Path(__file__).parent / "scenarios",
    practice=practice,
    terms=TERMS,
    steps=practice.steps,
    options=OnDemand("companion.games.roche.options:RocheOptions").get,
    preferred=True,
    odds=OddsPart(bets=bets_now, together=together, ask=OnDemand("companion.games.roche.odds.command:ask")),
    web=WebPart(
        package="companion.games.roche",
        family="roche",
        pages=PAGES,
        styles=("roche.css",),
        spot=spot_words,
        data=page_data,
    ),
    decks=DECKS,
    mats=MATS,
)
