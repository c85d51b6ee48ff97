"""King of Roulette for the table companion. What is heavy is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.king.demo.players import NAMES, PURSE
from companion.games.king.odds.chances import bets_now
from companion.games.king.panel import KingPanel
from companion.games.king.phone import PHONE
from companion.games.king.practice import STEPS, TERMS, practice
from companion.games.king.printed.deck import KING_DECK
from companion.games.king.printed.mat import KING_MAT
from companion.games.king.rules import KingOfRoulette
from companion.games.king.shapes import KingView
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception, CardWishes
from companion.plugins.plugin import GamePlugin
from companion.plugins.slips import Slips, SlipWishes
from companion.plugins.web import PAGES, WebPart

if TYPE_CHECKING:
    from companion.odds.asked import Asked
    from companion.plugins.options import GameOptions
    from companion.printing.pieces import Piece
    from companion.tracking.cards.proposal import Interpreter


def _ask(seen: str, options: Iterable[str]) -> Asked:
    from companion.games.king.odds.command import ask

    return ask(seen, options)


def _options() -> type[GameOptions]:
    from companion.games.king.options import KingOptions

    return KingOptions


def _interpreter(wishes: CardWishes) -> Interpreter:
    from companion.games.king.camera.interpreter import KingInterpreter

    return KingInterpreter(wishes)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.king.demo.agent import KingAgent
    from companion.games.king.demo.table import new_king_table

    table = new_king_table(setting.deck(), size=setting.size)
    return DemoWorld(table, KingAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


def _slips(wishes: SlipWishes) -> tuple[Piece, ...]:
    from companion.games.king.printed.slips import slips

    return slips(wishes.say)


KING_OF_ROULETTE: Final = GamePlugin(
    rules=KingOfRoulette(),
    view=KingView,
    phone=PHONE,
    odds=OddsPart(bets=bets_now, ask=_ask),
    panel=KingPanel(),
    perception=CardPerception(_interpreter, has_chips=True, is_secret=True),
    demo=Demo(NAMES, PURSE, _demo),
    scenarios=Path(__file__).parent / "scenarios",
    practice=practice,
    terms=TERMS,
    steps=STEPS,
    options=_options,
    web=WebPart(
        package="companion.games.king",
        family="king",
        pages=PAGES,
        styles=("king.css",),
    ),
    decks=(KING_DECK,),
    mats=(KING_MAT,),
    slips=Slips(_slips),
)
