"""Blackjack plugin. Heavy modules are loaded on demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from companion.games.blackjack.demo.players import NAMES, PURSE
from companion.games.blackjack.mats.zones import MAT
from companion.games.blackjack.panel import BlackjackPanel
from companion.games.blackjack.practice import STEPS, TERMS, practice
from companion.games.blackjack.rules import Blackjack
from companion.games.blackjack.shapes import BlackjackView
from companion.games.blackjack.state import State
from companion.games.standard_deck.design import STANDARD
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld, ScriptedTable, ScriptedTableSetting
from companion.plugins.odds import OddsPart
from companion.plugins.perception import CardPerception
from companion.plugins.phone import Phone
from companion.plugins.plugin import GamePlugin
from companion.plugins.slips import Slips
from companion.plugins.web import Page, Texts, WebPart

if TYPE_CHECKING:
    from companion.odds.bet_odds import AnyBet


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.blackjack.demo.agent import BlackjackAgent
    from companion.games.blackjack.demo.table import new_blackjack_table

    table = new_blackjack_table(setting.deck(), size=setting.size)
    return DemoWorld(table, BlackjackAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


def _scripted_table(setting: ScriptedTableSetting) -> ScriptedTable:
    from companion.games.blackjack.demo.table import new_blackjack_table

    assert setting.deck is not None, "it is played with cards"
    table = new_blackjack_table(setting.deck, size=setting.size, pace=setting.pace)
    table.restore(())
    return table


def _bets(state: Any) -> Iterable[AnyBet]:
    """Return the odds of a new round; those of the hand in play would amount to card counting."""
    from companion.games.blackjack.odds.advice import rules_of
    from companion.games.blackjack.odds.bets import bets

    return bets(rules_of(state.rules))


def _page_data(page: Page, view: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the basic strategy card, for the pages that show it."""
    from companion.games.blackjack.odds.card import strategy_card
    from companion.games.blackjack.odds.rule_set import RuleSet

    rules = RuleSet(*(view[rule] for rule in ("decks", "soft17", "surrender", "split_aces")))
    return {"strategy": strategy_card(rules)} if page in ("dealer", "seat", "odds") else {}


def spot(on: str, t: Texts) -> str:
    """Return a bet's name."""
    hand = on.removeprefix("hand/")
    return t(f"bjspot_{on}") if hand == on else t("hand_n", n=int(hand))


PHONE: Final = Phone(
    own_commands={
        "bet": frozenset({"amount"}),
        "take-back": frozenset(),
        "insure": frozenset({"only"}),
        "stand": frozenset({"only"}),
        "surrender": frozenset({"only"}),
    }
)
"""Commands allowed from a player's phone: decisions without a card. Dealt cards are entered by the dealer."""


BLACKJACK: Final = GamePlugin(
    rules=Blackjack(),
    house=State,
    view=BlackjackView,
    phone=PHONE,
    practice=practice,
    terms=TERMS,
    steps=STEPS,
    options=OnDemand("companion.games.blackjack.options:BlackjackOptions").get,
    decks=(STANDARD,),
    mats=(MAT,),
    demo=Demo(NAMES, PURSE, _demo, _scripted_table),
    scenarios=Path(__file__).parent / "scenarios",
    perception=CardPerception(
        OnDemand("companion.games.blackjack.camera.interpreter:BlackjackInterpreter"), has_chips=True
    ),
    odds=OddsPart(
        bets=_bets,
        next_events=OnDemand("companion.games.blackjack.odds.advice:next_cards"),
        advice=OnDemand("companion.games.blackjack.odds.advice:advice"),
        rounds=OnDemand("companion.games.blackjack.odds.bets:Hands"),
        ask=OnDemand("companion.games.blackjack.odds.command:ask"),
    ),
    panel=BlackjackPanel(),
    slips=Slips(OnDemand("companion.games.blackjack.printed.slips:slips"), sizes=("card", "a5")),
    web=WebPart(
        package="companion.games.blackjack",
        family="blackjack",
        pages=("dealer", "seat", "table", "odds", "replay"),
        styles=("blackjack.css",),
        spot=spot,
        data=_page_data,
    ),
)
