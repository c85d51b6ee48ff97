"""Plug-in for House, Street and Capital Rugen. Renderer code is imported on demand."""

from functools import partial
from pathlib import Path
from typing import Final

from companion.games.rugen.capital import RugenCapital
from companion.games.rugen.capital import State as CapitalState
from companion.games.rugen.demo.players import NAMES
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.house import State as HouseState
from companion.games.rugen.mats.zones import MAT
from companion.games.rugen.odds.bets import (
    Wagers,
    capital_bets,
    house_bets,
    house_throw,
    on_one_chain,
    on_one_throw,
    street_bets,
)
from companion.games.rugen.panel import RugenPanel
from companion.games.rugen.practice import CAPITAL_TERMS, HOUSE_TERMS, STEPS, STREET_TERMS, practice
from companion.games.rugen.shapes import RugenCapitalView, RugenHouseView, RugenStreetView
from companion.games.rugen.street import RugenStreet
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.odds import OddsPart
from companion.plugins.perception import DiePerception
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import PAGES, Texts, WebPart


def house_spot(on: str, t: Texts) -> str:
    """Return a House Rugen spot's name, "Center 3"."""
    kind, _, number = on.partition("/")
    return t(f"rspot_{kind}", n=number)


def capital_spot(on: str, t: Texts) -> str:
    """Return a Capital Rugen bet's name: its number."""
    return t("number_n", n=on.partition("/")[2])


_web: Final = partial(WebPart, package="companion.games.rugen", family="rugen", pages=PAGES, styles=("rugen.css",))


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.rugen.demo.agent import RugenAgent, new_tray

    tray = new_tray(size=setting.size, rugen=setting.die == "rugen")
    return DemoWorld(tray, RugenAgent(setting.service, tray, names=NAMES if setting.may_seat else ()), tray.zone)


_plugin: Final = partial(
    GamePlugin,
    perception=DiePerception(OnDemand("companion.games.rugen.camera.throws:THROWS").get),
    demo=Demo(NAMES[:3], 200, _demo),
    panel=RugenPanel(),
    scenarios=Path(__file__).parent / "scenarios",
    practice=practice,
)

HOUSE: Final = _plugin(
    rules=RugenHouse(),
    house=HouseState,
    view=RugenHouseView,
    terms=HOUSE_TERMS,
    steps=STEPS["rugen-house"],
    options=OnDemand("companion.games.rugen.options:HouseOptions").get,
    odds=OddsPart(
        bets=house_bets,
        together=on_one_throw,
        decided_by=house_throw,
        ask=OnDemand("companion.games.rugen.odds.command:ask_house"),
    ),
    web=_web(spot=house_spot),
    mats=(MAT,),
)
STREET: Final = _plugin(
    rules=RugenStreet(),
    view=RugenStreetView,
    terms=STREET_TERMS,
    steps=STEPS["rugen-street"],
    options=OnDemand("companion.games.rugen.options:StreetOptions").get,
    odds=OddsPart(
        bets=street_bets,
        together=on_one_chain,
        rounds=Wagers,
        ask=OnDemand("companion.games.rugen.odds.command:ask_street"),
    ),
    web=_web(),
)
CAPITAL: Final = _plugin(
    rules=RugenCapital(),
    house=CapitalState,
    view=RugenCapitalView,
    terms=CAPITAL_TERMS,
    steps=STEPS["rugen-capital"],
    options=OnDemand("companion.games.rugen.options:CapitalOptions").get,
    odds=OddsPart(
        bets=capital_bets,
        together=on_one_chain,
        rounds=Wagers,
        ask=OnDemand("companion.games.rugen.odds.command:ask_capital"),
    ),
    web=_web(spot=capital_spot),
)
