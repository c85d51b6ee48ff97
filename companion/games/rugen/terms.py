"""The Rugen tables' words in plain English, for players who hear them for the first time."""

from __future__ import annotations

from typing import Final

from companion.games.terms import DAY_AND_NIGHT
from companion.kernel.messages import message
from companion.plugins.words import Term

BREAK_THE_CHAIN: Final = Term(
    message("Break the chain"),
    message("A number breaks when it has been thrown as many times as it says: one 1, two 2s, three 3s or four 4s."),
)
CENTER: Final = Term(
    message("Center"),
    message("A bet on the next throw alone, on the middle of a number's space."),
)
CHAIN: Final = Term(
    message("Chain"),
    message("The throws until a number breaks, at most seven."),
)
POINT: Final = Term(
    message("Point"),
    message("The number of the shooter's first throw. He has to bet on it; it is not part of the chain."),
)
SHOOTER: Final = Term(
    message("Shooter"),
    message("Who throws the die. He keeps it if he wins, else it passes to the winner."),
)
TIMES: Final = Term(
    message("Times"),
    message('How many units are bet: "ten times" on the 3 is forty coins.'),
)

_ALL: Final = (
    DAY_AND_NIGHT,
    BREAK_THE_CHAIN,
    CHAIN,
)
HOUSE: Final = (*_ALL, CENTER)
STREET: Final = (*_ALL, POINT, SHOOTER, TIMES)
CAPITAL: Final = (*_ALL, TIMES)
