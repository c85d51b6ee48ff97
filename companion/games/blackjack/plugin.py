"""Blackjack for the table companion. What is heavy is loaded when it is asked for."""

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
from companion.plugins.demo import Demo, DemoSetting, DemoWorld, Staged, StageSetting
from companion.plugins.odds import EventChance, OddsPart, Rounds
from companion.plugins.perception import CardPerception, CardWishes
from companion.plugins.phone import Phone
from companion.plugins.plugin import GamePlugin
from companion.plugins.slips import Slips, SlipWishes
from companion.plugins.web import Page, Texts, WebPart

if TYPE_CHECKING:
    from companion.odds.asked import Asked
    from companion.odds.bet_odds import AnyBet
    from companion.plugins.options import GameOptions
    from companion.printing.pieces import Piece
    from companion.tracking.cards.proposal import Interpreter


def _options() -> type[GameOptions]:
    from companion.games.blackjack.options import BlackjackOptions

    return BlackjackOptions


def _interpreter(wishes: CardWishes) -> Interpreter:
    from companion.games.blackjack.camera.interpreter import BlackjackInterpreter

    return BlackjackInterpreter(wishes)


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.blackjack.demo.agent import BlackjackAgent
    from companion.games.blackjack.demo.table import new_blackjack_table

    table = new_blackjack_table(setting.deck(), size=setting.size)
    return DemoWorld(table, BlackjackAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


def _stage(setting: StageSetting) -> Staged:
    from companion.games.blackjack.demo.table import new_blackjack_table

    assert setting.deck is not None, "it is played with cards"
    table = new_blackjack_table(setting.deck, size=setting.size, pace=setting.pace)
    table.restore(())
    return table


def _bets(state: Any) -> Iterable[AnyBet]:
    """Return the odds of a new round: those of the hand in play would count the cards for whoever looks."""
    from companion.games.blackjack.odds.advice import rules_of
    from companion.games.blackjack.odds.bets import bets

    return bets(rules_of(state.rules))


def _advice(state: Any, viewer: str) -> Mapping[str, object]:
    from companion.games.blackjack.odds.advice import advice

    return advice(state, viewer)


def _rounds() -> Rounds:
    from companion.games.blackjack.odds.bets import Hands

    return Hands()


def _next_cards(state: Any) -> Iterable[EventChance]:
    from companion.games.blackjack.odds.advice import next_cards

    return next_cards(state)


def _page_data(page: Page, view: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the basic strategy's card, for the pages that show it."""
    from companion.games.blackjack.odds.card import strategy_card
    from companion.games.blackjack.odds.rule_set import RuleSet

    rules = RuleSet(*(view[rule] for rule in ("decks", "soft17", "surrender", "split_aces")))
    return {"strategy": strategy_card(rules)} if page in ("dealer", "seat", "odds") else {}


def _ask(seen: str, options: Iterable[str]) -> Asked:
    from companion.games.blackjack.odds.command import ask

    return ask(seen, options)


def _slips(wishes: SlipWishes) -> tuple[Piece, ...]:
    from companion.games.blackjack.printed.slips import slips

    return slips(wishes)


def spot(on: str, t: Texts) -> str:
    """Return what a bet is on."""
    hand = on.removeprefix("hand/")
    return t(f"bjspot_{on}") if hand == on else t("hand_n", n=int(hand))


PHONE: Final = Phone(
    own={
        "bet": frozenset({"amount"}),
        "take-back": frozenset(),
        "insure": frozenset({"only"}),
        "stand": frozenset({"only"}),
        "surrender": frozenset({"only"}),
    }
)
"""What a player decides without a card. A card that is dealt the dealer says."""


BLACKJACK: Final = GamePlugin(
    rules=Blackjack(),
    house=State,
    view=BlackjackView,
    phone=PHONE,
    practice=practice,
    terms=TERMS,
    steps=STEPS,
    options=_options,
    decks=(STANDARD,),
    mats=(MAT,),
    demo=Demo(NAMES, PURSE, _demo, _stage),
    scenarios=Path(__file__).parent / "scenarios",
    perception=CardPerception(_interpreter, has_chips=True),
    odds=OddsPart(bets=_bets, next_events=_next_cards, advice=_advice, rounds=_rounds, ask=_ask),
    panel=BlackjackPanel(),
    slips=Slips(_slips, sizes=("card", "a5")),
    web=WebPart(
        package="companion.games.blackjack",
        family="blackjack",
        pages=("dealer", "seat", "table", "odds", "replay"),
        styles=("blackjack.css",),
        spot=spot,
        data=_page_data,
    ),
)
