"""Plug-in for Rochi and Captain's Rochi. Camera and demo code is imported on demand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.roche_deck.design import CARDS_OF, DECKS
from companion.games.roche_deck.names import CARD_NAMES
from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.demo.players import NAMES
from companion.games.rochi.mats.zones import MAT
from companion.games.rochi.odds.cuts import next_captains_cuts, next_cuts
from companion.games.rochi.panel import CaptainsPanel, RochiPanel
from companion.games.rochi.practice import CAPTAINS_STEPS, CAPTAINS_TERMS, ROCHI_STEPS, ROCHI_TERMS, practice
from companion.games.rochi.rules import Rochi
from companion.games.rochi.shapes import CaptainsView, RochiView
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception, CardSettings
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import PAGES, Page, WebPart

if TYPE_CHECKING:
    from companion.tracking.cards.proposal import Interpreter


def page_data(page: Page, view: Mapping[str, object]) -> Mapping[str, object]:
    """Return the deck's cards for the dealer's page, and card names for the public pages."""
    if page == "dealer":
        return {"cards": CARDS_OF[str(view["deck"])]}
    return {"card_names": CARD_NAMES} if page in ("table", "replay") else {}


def _interpreter(settings: CardSettings) -> Interpreter:
    from companion.games.rochi.camera.interpreter import RochiInterpreter

    return RochiInterpreter(deck=settings.deck_id, verify=settings.verify)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.rochi.demo.agent import RochiAgent
    from companion.games.rochi.demo.table import new_rochi_table

    table = new_rochi_table(setting.deck(), size=setting.size)
    return DemoWorld(table, RochiAgent(setting.service, table))


_plugin: Final = partial(
    GamePlugin,
    perception=CardPerception(_interpreter),
    scenarios=Path(__file__).parent / "scenarios",
    practice=practice,
    web=WebPart(package="companion.games.rochi", family="rochi", pages=PAGES, styles=("rochi.css",), data=page_data),
    decks=DECKS,
)

ROCHI: Final = _plugin(
    rules=Rochi(),
    view=RochiView,
    demo=Demo(NAMES[:4], 200, _demo),
    panel=RochiPanel(),
    terms=ROCHI_TERMS,
    steps=ROCHI_STEPS,
    options=OnDemand("companion.games.rochi.options:RochiOptions").get,
    odds=OddsPart(next_events=next_cuts),
    mats=(MAT,),
)
CAPTAINS: Final = _plugin(
    rules=Captains(),
    view=CaptainsView,
    demo=Demo(NAMES[:2], 200, _demo),
    panel=CaptainsPanel(),
    terms=CAPTAINS_TERMS,
    steps=CAPTAINS_STEPS,
    options=OnDemand("companion.games.rochi.options:CaptainsOptions").get,
    odds=OddsPart(next_events=next_captains_cuts),
)
