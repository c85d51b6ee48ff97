"""Paper slips for tables without phones: votes for the first king, and the king's rule."""

from collections.abc import Callable
from functools import partial
from typing import Final

from companion.games.king.state import MAX_PLAYERS, ROUNDS
from companion.kernel.messages import Message, message
from companion.plugins.slips import SlipSettings
from companion.printing.cards.emblems import draw_sign
from companion.printing.cards.palette import INK
from companion.printing.fonts import BOLD, TITLE
from companion.printing.pen import Pen, rectangle
from companion.printing.pieces import Piece

Say = Callable[[Message], str]

_SIZE: Final = (92.0, 66.0)
_GREY: Final = "#8A8A92"
_GOLD: Final = "#A8781C"
_INSET: Final = 7.0


def slips(settings: SlipSettings) -> tuple[Piece, ...]:
    """Return one vote slip per player and one rule slip per round."""
    say = settings.say
    votes = tuple(Piece(f"vote-{n}", *_SIZE, partial(_vote, say=say)) for n in range(1, MAX_PLAYERS + 1))
    rules = tuple(Piece(f"rule-{n}", *_SIZE, partial(_rule, number=n, say=say)) for n in range(1, ROUNDS + 1))
    return votes + rules


def _vote(pen: Pen, *, say: Say) -> None:
    _head(pen, say(message("Vote for the first king")))
    _field(pen, 34, say(message("My king is")))
    _field(pen, 50, say(message("I am")))
    _foot(pen, 60, say(message("Fold it once. The dealer tells nobody.")))


def _rule(pen: Pen, *, number: int, say: Say) -> None:
    _head(pen, say(message("The king's rule, round {number}", number=number)))
    pen.line(_INSET, 25.5, _SIZE[0] - _INSET, 25.5, _GREY, 0.3)
    pen.line(_INSET, 34.5, _SIZE[0] - _INSET, 34.5, _GREY, 0.3)
    one, two, guess = say(message("1 point")), say(message("2 points")), say(message("guess"))
    for i, label in enumerate((one, one, two, guess)):
        x = _INSET + i * 20.5
        pen.stroke(rectangle(x, 39.5, 16.5, 11), INK, 0.3)
        pen.text(x + 8.25, 54.8, label, 3.2, INK, font=BOLD, align="center", fit=20.0)
    _foot(pen, 60.0, say(message("Three different spaces from 1 to 6; how many others earn.")))


def _foot(pen: Pen, y: float, words: str) -> None:
    pen.text(_SIZE[0] / 2, y, words, 2.8, _GREY, align="center", fit=_SIZE[0] - 2 * _INSET)


def _head(pen: Pen, title: str) -> None:
    wide, high = _SIZE
    pen.stroke(rectangle(2, 2, wide - 4, high - 4), _GOLD, 0.4)
    draw_sign(pen, "crown", _INSET + 4, 12, 4, _GOLD)
    pen.text(_INSET + 12, 14, title, 5.4, INK, font=TITLE, fit=wide - 2 * _INSET - 14)


def _field(pen: Pen, y: float, label: str) -> None:
    pen.text(_INSET, y, label, 4.2, INK, font=BOLD, fit=23.0)
    pen.line(_INSET + 24, y + 0.8, _SIZE[0] - _INSET, y + 0.8, _GREY, 0.3)
