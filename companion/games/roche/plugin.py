"""Roche and Grand Roche for the table companion. What needs a camera or a renderer is loaded when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from companion.games.roche.demo.players import NAMES
from companion.games.roche.mats import MATS
from companion.games.roche.rules import Roche
from companion.games.roche_deck.design import DECKS
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.perception import CardPerception, CardWishes
from companion.plugins.plugin import GamePlugin

if TYPE_CHECKING:
    from companion.tracking.cards.proposal import Interpreter


def _interpreter(wishes: CardWishes) -> Interpreter:
    from companion.games.roche.camera.interpreter import RocheInterpreter

    return RocheInterpreter(deck=wishes.deck_id, verify=wishes.verify)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.roche.demo.dealer import DemoHouse
    from companion.games.roche.demo.table import new_table

    table = new_table(setting.deck(), size=setting.size)
    return DemoWorld(table, DemoHouse(setting.service, table, names=NAMES if setting.may_seat else ()))


ROCHE: Final = GamePlugin(
    rules=Roche(), perception=CardPerception(_interpreter), demo=Demo(NAMES, 200, _demo), decks=DECKS, mats=MATS
)
