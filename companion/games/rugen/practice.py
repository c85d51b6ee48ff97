"""Practice texts of the Rugen games: glossary terms, and the options at each step."""

from collections.abc import Mapping
from typing import Final

from companion.games.terms import DAY_AND_NIGHT
from companion.kernel.messages import Message, message
from companion.plugins.words import Term, View

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
    message("The number of the shooter's first throw. The shooter has to bet on it; it is not part of the chain."),
)
SHOOTER: Final = Term(
    message("Shooter"),
    message("Who throws the die. A shooter who wins keeps it, else it passes to the winner."),
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
HOUSE_TERMS: Final = (*_ALL, CENTER)
STREET_TERMS: Final = (*_ALL, POINT, SHOOTER, TIMES)
CAPITAL_TERMS: Final = (*_ALL, TIMES)


def practice(view: View) -> str:
    """Return the practice hint for the current step."""
    if view.get("late_chain"):
        return _LATE.get(view["phase"], "")
    return _STEPS[view["game"]].get(view["phase"], "")


_STEPS: Final[Mapping[str, Mapping[str, Message]]] = {
    "rugen-house": {
        "chain-start": message(
            "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or "
            "four 4s. Center, day and night bets are on the next throw alone; chain bets are on the number that "
            "breaks, and are made now, before the first throw."
        ),
        "chain": message(
            "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or "
            "four 4s. Center, day and night bets are on the next throw alone; chain bets are on the number that "
            "breaks, and are closed until it does."
        ),
    },
    "rugen-street": {
        "point": message("The shooter throws once: the number is the point, and the shooter has to bet on it."),
        "stake": message(
            "The shooter says how many units to play for: 1 costs eight coins a unit, 2 five, 3 four and 4 three."
        ),
        "taking": message(
            "The others may each take a number that is left, for as many units, or bet among themselves."
        ),
        "chain": message(
            "The shooter throws until a taken number has come as many times as it says; who has it takes all stakes."
        ),
    },
    "rugen-capital": {
        "taking": message("Players take numbers at the printed price; the house covers the rest for a little less."),
        "chain": message(
            "The die is thrown until a number has come as many times as it says; who has it takes all stakes."
        ),
    },
}
_LATE: Final[Mapping[str, Message]] = {
    "chain-start": message(
        "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or four "
        "4s. Center, day and night bets are on the next throw alone; chain bets are on the number that breaks, and are "
        "made now, or later on a number that has no marker yet."
    ),
    "chain": message(
        "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or four "
        "4s. Center, day and night bets are on the next throw alone; chain bets are on the number that breaks, and are "
        "still taken on a number without a marker."
    ),
}
"""Hints for House Rugen with late chain bets."""
_HOUSE: Final = (
    message(
        "Players bet. Center, day and night bets are on the next throw alone. Chain bets are on the number that "
        "breaks: they are made before the chain's first throw or, where the table allows it, as long as that number "
        "has no marker, and stay until the chain breaks."
    ),
    message(
        "The die is thrown until a number has come as many times as it says: one 1, two 2s, three 3s or four 4s. It "
        "breaks the chain, and the next one begins."
    ),
)
"""Each sentence once; practice hints stand alone and explain the chain in both phases."""
STEPS: Final = {game: tuple(steps.values()) for game, steps in _STEPS.items()} | {"rugen-house": _HOUSE}
"""Game -> hints of a chain, in order."""
