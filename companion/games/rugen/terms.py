"""The Rugen tables' words in plain English, for players who hear them for the first time."""

from __future__ import annotations

from typing import Final

from companion.games.terms import DAY_AND_NIGHT
from companion.plugins.words import Term

BREAK_THE_CHAIN: Final = Term(
    "Break the chain",
    "A number breaks when it has been thrown as many times as it says: one 1, two 2s, three 3s or four 4s.",
)
CENTER: Final = Term(
    "Center",
    "A bet on the next throw alone, on the middle of a number's space.",
)
CHAIN: Final = Term(
    "Chain",
    "The throws until a number breaks, at most seven.",
)
POINT: Final = Term(
    "Point",
    "The number of the shooter's first throw. He has to bet on it; it is not part of the chain.",
)
SHOOTER: Final = Term(
    "Shooter",
    "Who throws the die. He keeps it if he wins, else it passes to the winner.",
)
TIMES: Final = Term(
    "Times",
    'How many units are bet: "ten times" on the 3 is forty coins.',
)

_ALL: Final = (
    DAY_AND_NIGHT,
    BREAK_THE_CHAIN,
    CHAIN,
)
HOUSE: Final = (*_ALL, CENTER)
STREET: Final = (*_ALL, POINT, SHOOTER, TIMES)
CAPITAL: Final = (*_ALL, TIMES)
