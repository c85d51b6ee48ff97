"""Chinchirorin plugin. Heavy modules are loaded on demand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.chinchirorin.commands import DICE
from companion.games.chinchirorin.demo.players import NAMES, PURSE
from companion.games.chinchirorin.odds.command import Sides, ask, bets_now, together
from companion.games.chinchirorin.panel import ChinchirorinPanel
from companion.games.chinchirorin.practice import TERMS, practice
from companion.games.chinchirorin.rules import Chinchirorin
from companion.games.chinchirorin.shapes import ChinchirorinView
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld, ScriptedTable, ScriptedTableSetting
from companion.plugins.odds import OddsPart
from companion.plugins.perception import Vessel, WatchPerception
from companion.plugins.phone import Phone
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import PAGES, Texts, WebPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from companion.vision.dice.reader import DiceSeen
    from companion.vision.frame import Image


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.chinchirorin.demo.agent import ChinchirorinAgent
    from companion.games.chinchirorin.demo.table import BowlTable

    table = BowlTable(size=setting.size)
    return DemoWorld(table, ChinchirorinAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


def _scripted_table(setting: ScriptedTableSetting) -> ScriptedTable:
    from companion.games.chinchirorin.demo.table import BowlTable

    return BowlTable(size=setting.size, seed=1, pace=setting.pace, real_clock=setting.clock)


def _reader() -> Callable[[Image], DiceSeen | None]:
    from companion.games.chinchirorin.camera.reader import BowlReader

    return BowlReader().read


def _follower() -> Callable[[Image, float], DiceSeen | None]:
    from companion.games.chinchirorin.camera.reader import BowlFilm

    return BowlFilm().see


def spot(on: str, t: Texts) -> str:
    """Return the name of a bet, or of a side of the odds."""
    return t(f"cspot_{on}")


PHONE: Final = Phone(
    own_commands={
        "bet": frozenset({"amount"}),
        "take-back": frozenset(),
        "bank": frozenset({"amount"}),
        "keep-bank": frozenset(),
        "pass-bank": frozenset(),
    }
)
"""Commands allowed from a player's phone: decisions only. Throws and the close are entered by the dealer."""


CHINCHIRORIN: Final = GamePlugin(
    rules=Chinchirorin(),
    view=ChinchirorinView,
    phone=PHONE,
    practice=practice,
    terms=TERMS,
    steps=practice.steps,
    options=OnDemand("companion.games.chinchirorin.options:ChinchirorinOptions").get,
    perception=WatchPerception(
        OnDemand("companion.games.chinchirorin.camera.watch:BowlWatch"),
        "throw",
        frozenset({"banker", "player"}),
        is_asked=True,
    ),
    vessel=Vessel("d6", DICE, _reader, _follower),
    odds=OddsPart(bets=bets_now, together=together, rounds=Sides, ask=ask),
    scenarios=Path(__file__).parent / "scenarios",
    demo=Demo(NAMES[:3], PURSE, _demo, _scripted_table),
    panel=ChinchirorinPanel(),
    web=WebPart(
        package="companion.games.chinchirorin",
        family="chinchirorin",
        pages=PAGES,
        styles=("chinchirorin.css",),
        spot=spot,
    ),
)
