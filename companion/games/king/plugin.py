"""King of Roulette for the table companion. What is heavy is loaded when it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.king.panel import KingPanel
from companion.games.king.phone import PHONE
from companion.games.king.practice import TERMS, practice
from companion.games.king.printed.deck import KING_DECK
from companion.games.king.printed.mat import KING_MAT
from companion.games.king.rules import KingOfRoulette
from companion.games.king.shapes import KingView
from companion.plugins.perception import CardPerception, CardWishes
from companion.plugins.plugin import GamePlugin
from companion.plugins.web import WebPart

if TYPE_CHECKING:
    from companion.plugins.options import GameOptions
    from companion.printing.pieces import Piece
    from companion.tracking.cards.proposal import Interpreter


def _options() -> type[GameOptions]:
    from companion.games.king.options import KingOptions

    return KingOptions


def _interpreter(wishes: CardWishes) -> Interpreter:
    from companion.games.king.camera.interpreter import KingInterpreter

    return KingInterpreter(wishes)


def _slips() -> tuple[Piece, ...]:
    from companion.games.king.printed.slips import slips

    return slips()


KING_OF_ROULETTE: Final = GamePlugin(
    rules=KingOfRoulette(),
    view=KingView,
    phone=PHONE,
    panel=KingPanel(),
    perception=CardPerception(_interpreter, has_chips=True, is_secret=True),
    scenarios=Path(__file__).parent / "scenarios",
    practice=practice,
    terms=TERMS,
    options=_options,
    web=WebPart(
        package="companion.games.king",
        family="king",
        pages=("dealer", "seat", "table", "replay"),
        styles=("king.css",),
    ),
    decks=(KING_DECK,),
    mats=(KING_MAT,),
    slips=_slips,
)
