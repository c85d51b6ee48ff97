"""Practice at a table of Rugen: what happens now and what can be done."""

from __future__ import annotations

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import View


def house(view: View) -> str:
    """Explain a step of House Rugen."""
    return _HOUSE.get(view["phase"], "")


_HOUSE: Final = {
    "chain-start": message(
        "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or four "
        "4s. Center, day and night bets are on the next throw alone; chain bets are on the number that breaks, and are "
        "made now, before the first throw."
    ),
    "chain": message(
        "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or four "
        "4s. Center, day and night bets are on the next throw alone; chain bets are on the number that breaks, and are "
        "closed until it does."
    ),
}


def street(view: View) -> str:
    """Explain a step of Street Rugen."""
    return _STREET.get(view["phase"], "")


_STREET: Final = {
    "point": message("The shooter throws once: the number is his point, and he has to bet on it."),
    "stake": message(
        "The shooter says for how many units he plays: 1 costs eight coins a unit, 2 five, 3 four and 4 three."
    ),
    "taking": message("The others may each take a number that is left, for as many units, or bet among themselves."),
    "chain": message(
        "The shooter throws until a taken number has come as many times as it says; who has it takes all stakes."
    ),
}


def capital(view: View) -> str:
    """Explain a step of Capital Rugen."""
    return _CAPITAL.get(view["phase"], "")


_CAPITAL: Final = {
    "taking": message("Players take numbers at the printed price; the house covers the rest for a little less."),
    "chain": message(
        "The die is thrown until a number has come as many times as it says; who has it takes all stakes."
    ),
}
