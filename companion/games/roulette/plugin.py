"""Roulette plugin."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from companion.games.roulette.demo.players import NAMES, PURSE
from companion.games.roulette.mats.zones import AMERICAN, EUROPEAN
from companion.games.roulette.odds.exact import bets_now
from companion.games.roulette.odds.spins import together
from companion.games.roulette.panel import RoulettePanel
from companion.games.roulette.practice import TERMS, practice
from companion.games.roulette.rules import Phase, Roulette, State
from companion.games.roulette.shapes import RouletteView
from companion.games.roulette.wheel import RIMS
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld, ScriptedTable, ScriptedTableSetting
from companion.plugins.odds import OddsPart
from companion.plugins.perception import Indicator, WatchPerception
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import PAGES, Page, Texts, WebPart


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.roulette.demo.agent import RouletteAgent
    from companion.games.roulette.demo.table import RouletteTable

    table = RouletteTable(setting.service.moment().state.rules.wheel, size=setting.size)
    return DemoWorld(table, RouletteAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


def _scripted_table(setting: ScriptedTableSetting) -> ScriptedTable:
    from companion.games.roulette.demo.table import RouletteTable

    return RouletteTable(
        setting.state.rules.wheel, size=setting.size, seed=1, pace=setting.pace, real_clock=setting.clock
    )


_RUNS: Final = {"street": 3, "line": 6}


def spot_words(on: str, t: Texts) -> str:
    """Return a spot's name, "Split 17/20"."""
    kind, _, what = on.partition("/")
    if kind in _RUNS:
        return t(f"spot_{kind}", first=what, last=int(what) + _RUNS[kind] - 1)
    if kind == "corner":
        return t("spot_corner", n="/".join(str(int(what) + more) for more in (0, 1, 3, 4)))
    return t(f"spot_{kind}_{what}") if kind == "dozen" else t(f"spot_{kind}", n=what)


def page_data(page: Page, view: Mapping[str, object]) -> Mapping[str, object]:
    """Return the pockets in wheel order."""
    return {"rim": RIMS["american" if view.get("wheel") == "american" else "european"]}


ROULETTE: Final = GamePlugin(
    rules=Roulette(),
    house=State,
    view=RouletteView,
    practice=practice,
    terms=TERMS,
    steps=practice.steps,
    options=OnDemand("companion.games.roulette.options:RouletteOptions").get,
    odds=OddsPart(bets=bets_now, together=together, ask=OnDemand("companion.games.roulette.odds.command:ask")),
    perception=WatchPerception(
        OnDemand("companion.games.roulette.camera.watch:WheelWatch"),
        "spin",
        frozenset({Phase.SPIN.value}),
        is_asked=True,
        second_pipeline=OnDemand("companion.games.roulette.camera.layout:LayoutSight"),
    ),
    indicators=(
        Indicator(
            "roulette",
            {"pocket": None, "confidence": 0.0},
            OnDemand("companion.games.roulette.camera.reader:read_wheel"),
            OnDemand("companion.games.roulette.camera.watch:WheelWatch"),
        ),
    ),
    scenarios=Path(__file__).parent / "scenarios",
    demo=Demo(NAMES[:3], PURSE, _demo, _scripted_table),
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
