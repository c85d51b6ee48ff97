"""Roche and Grand Roche for the table companion. What needs a camera or a renderer is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.roche.demo.felt import felt_of
from companion.games.roche.demo.players import NAMES
from companion.games.roche.mats.zones import MATS
from companion.games.roche.odds.exact import bets_now
from companion.games.roche.pages import WEB
from companion.games.roche.panel import RochePanel
from companion.games.roche.practice import practice
from companion.games.roche.rules import Roche, State
from companion.games.roche.shapes import RocheView
from companion.games.roche.terms import TERMS
from companion.games.roche_deck.design import DECKS
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception, CardWishes
from companion.plugins.plugin import GamePlugin


def _interpreter(wishes: CardWishes) -> Interpreter:
    from companion.games.roche.camera.interpreter import RocheInterpreter

    return RocheInterpreter(deck=wishes.deck_id, verify=wishes.verify)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.roche.demo.dealer import DemoHouse
    from hardware.demo.card_table import new_card_table

    deck = setting.deck()
    table = new_card_table(deck, felt_of(deck.cards), size=setting.size)
    return DemoWorld(table, DemoHouse(setting.service, table, names=NAMES if setting.may_seat else ()))


if TYPE_CHECKING:
    from companion.odds.asked import Asked
    from companion.plugins.options import GameOptions
    from companion.tracking.cards.proposal import Interpreter


def _ask(seen: str, options: Iterable[str]) -> Asked:
    from companion.games.roche.odds.command import ask

    return ask(seen, options)


def _options() -> type[GameOptions]:
    from companion.games.roche.options import RocheOptions

    return RocheOptions


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
    options=_options,
    preferred=True,
    odds=OddsPart(bets=bets_now, ask=_ask),
    web=WEB,
    decks=DECKS,
    mats=MATS,
)
