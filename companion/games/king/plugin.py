"""King of Roulette plugin. Heavy modules are loaded on demand."""

from pathlib import Path
from typing import Final

from companion.games.king.demo.players import NAMES, PURSE
from companion.games.king.odds.chances import bets_now
from companion.games.king.panel import KingPanel
from companion.games.king.phone import PHONE
from companion.games.king.practice import TERMS, practice
from companion.games.king.printed.deck import KING_DECK
from companion.games.king.printed.mat import KING_MAT
from companion.games.king.rules import KingOfRoulette
from companion.games.king.shapes import KingView
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception
from companion.plugins.plugin import GamePlugin
from companion.plugins.slips import Slips
from companion.plugins.web import PAGES, WebPart


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.king.demo.agent import KingAgent
    from companion.games.king.demo.table import new_king_table

    table = new_king_table(setting.deck(), size=setting.size)
    return DemoWorld(table, KingAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


KING_OF_ROULETTE: Final = GamePlugin(
    rules=KingOfRoulette(),
    view=KingView,
    phone=PHONE,
    odds=OddsPart(bets=bets_now, ask=OnDemand("companion.games.king.odds.command:ask")),
    panel=KingPanel(),
    perception=CardPerception(
        OnDemand("companion.games.king.camera.interpreter:KingInterpreter"), has_chips=True, is_secret=True
    ),
    demo=Demo(NAMES, PURSE, _demo),
    scenarios=Path(__file__).parent / "scenarios",
    practice=practice,
    terms=TERMS,
    steps=practice.steps,
    options=OnDemand("companion.games.king.options:KingOptions").get,
    web=WebPart(
        package="companion.games.king",
        family="king",
        pages=PAGES,
        styles=("king.css",),
    ),
    decks=(KING_DECK,),
    mats=(KING_MAT,),
    slips=Slips(OnDemand("companion.games.king.printed.slips:slips")),
)
