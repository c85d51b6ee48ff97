"""Blackjack for the table companion. What is heavy is loaded when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from companion.games.blackjack.panel import BlackjackPanel
from companion.games.blackjack.practice import TERMS, practice
from companion.games.blackjack.rules import Blackjack
from companion.games.blackjack.shapes import BlackjackView
from companion.games.blackjack.state import State
from companion.plugins.phone import Phone
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import Texts, WebPart

if TYPE_CHECKING:
    from companion.plugins.options import GameOptions


def _options() -> type[GameOptions]:
    from companion.games.blackjack.options import BlackjackOptions

    return BlackjackOptions


def spot(on: str, t: Texts) -> str:
    """Return what a bet is on."""
    return t(f"bjspot_{on}")


PHONE: Final = Phone(
    own={
        "bet": frozenset({"amount"}),
        "take-back": frozenset(),
        "insure": frozenset(),
        "stand": frozenset(),
        "surrender": frozenset(),
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
    options=_options,
    panel=BlackjackPanel(),
    web=WebPart(
        package="companion.games.blackjack",
        family="blackjack",
        pages=("dealer", "seat", "table", "replay"),
        styles=("blackjack.css",),
        spot=spot,
    ),
)
