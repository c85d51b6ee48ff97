"""Rochi and Captain's Rochi for the table companion. Camera and demo are loaded when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from companion.games.roche_deck.design import DECKS
from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.demo.players import NAMES
from companion.games.rochi.mat import MAT
from companion.games.rochi.rules import Rochi
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.perception import CardPerception, CardWishes
from companion.plugins.plugin import GamePlugin

if TYPE_CHECKING:
    from companion.tracking.cards.proposal import Interpreter


def _interpreter(wishes: CardWishes) -> Interpreter:
    from companion.games.rochi.camera.interpreter import RochiInterpreter

    return RochiInterpreter(deck=wishes.deck_id, verify=wishes.verify)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.rochi.demo.house import DemoRochi
    from companion.games.rochi.demo.table import new_rochi_table

    table = new_rochi_table(setting.deck(), size=setting.size)
    return DemoWorld(table, DemoRochi(setting.service, table))


ROCHI: Final = GamePlugin(
    rules=Rochi(), perception=CardPerception(_interpreter), demo=Demo(NAMES[:4], 200, _demo), decks=DECKS, mats=(MAT,)
)
CAPTAINS: Final = GamePlugin(
    rules=Captains(), perception=CardPerception(_interpreter), demo=Demo(NAMES[:2], 200, _demo), decks=DECKS
)
