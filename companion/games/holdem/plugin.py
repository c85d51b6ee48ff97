"""Hold'em plugin. Heavy modules are loaded on demand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.holdem.demo.players import NAMES, PURSE
from companion.games.holdem.odds.equity import chances_now
from companion.games.holdem.panel import HoldemPanel
from companion.games.holdem.practice import TERMS, practice
from companion.games.holdem.printed.mat import HOLDEM_MAT
from companion.games.holdem.rules import Holdem
from companion.games.holdem.shapes import HoldemView
from companion.games.standard_deck.design import STANDARD
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld, ScriptedTable, ScriptedTableSetting
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception
from companion.plugins.phone import Phone
from companion.plugins.plugin import GamePlugin
from companion.plugins.slips import Slips, SlipSettings
from companion.plugins.web import WebPart

if TYPE_CHECKING:
    from companion.printing.pieces import Piece


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.holdem.demo.agent import HoldemAgent
    from companion.games.holdem.demo.table import new_holdem_table

    table = new_holdem_table(setting.deck(), size=setting.size)
    return DemoWorld(table, HoldemAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


def scripted_table(setting: ScriptedTableSetting) -> ScriptedTable:
    """Return a demo table without an agent, for scenarios."""
    from companion.games.holdem.demo.table import new_holdem_table

    assert setting.deck is not None, "hold'em is played with cards"
    return new_holdem_table(setting.deck, size=setting.size, pace=setting.pace, real_clock=setting.clock)


def _button(settings: SlipSettings) -> tuple[Piece, ...]:
    from companion.games.holdem.printed.mat_art import button_pieces

    return button_pieces()


PHONE: Final = Phone(
    own_commands={
        "check": frozenset(),
        "call": frozenset(),
        "bet": frozenset({"to"}),
        "raise": frozenset({"to"}),
        "fold": frozenset(),
        "all-in": frozenset(),
        "muck": frozenset(),
    }
)
"""Commands allowed from a player's phone: decisions only. Cards, including shown ones, are entered by the dealer."""


HOLDEM: Final = GamePlugin(
    rules=Holdem(),
    view=HoldemView,
    phone=PHONE,
    practice=practice,
    terms=TERMS,
    steps=practice.steps,
    options=OnDemand("companion.games.holdem.options:HoldemOptions").get,
    odds=OddsPart(next_events=chances_now),
    panel=HoldemPanel(),
    demo=Demo(NAMES, PURSE, _demo, scripted_table),
    scenarios=Path(__file__).parent / "scenarios",
    perception=CardPerception(
        OnDemand("companion.games.holdem.camera.interpreter:HoldemInterpreter"), has_chips=True, is_secret=True
    ),
    web=WebPart(
        package="companion.games.holdem",
        family="holdem",
        pages=("dealer", "seat", "table", "replay", "overlay"),
        styles=("holdem.css",),
    ),
    decks=(STANDARD,),
    mats=(HOLDEM_MAT,),
    slips=Slips(_button),
)
