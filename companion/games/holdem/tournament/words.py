"""Texts of a tournament: command names for undo, glossary, and a practice hint per phase."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.games.holdem import practice as hand
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.plugins.words import Term, View

TERMS: Final = (
    *hand.TERMS,
    Term(message("Level"), message("A time with the same blinds. The next level's are higher.")),
    Term(message("Ante"), message("Coins that everybody in the hand puts into the pot before the blinds.")),
    Term(message("Rebuy"), message("A new stack for a player who has lost everything, as long as rebuys are open.")),
    Term(message("Add-on"), message("More coins for whoever wants them, once, in the last level with rebuys.")),
    Term(message("Stack"), message("The coins in front of a player. Everybody begins with the same.")),
    Term(
        message("Chip race"),
        message(
            "When the smallest chip goes out, odd chips become chips of the next kind: cards are dealt for them, and "
            "the highest win one each. Nobody loses the last chip by it."
        ),
    ),
    Term(message("Place"), message("Whoever lasts longer places higher. The prizes go to the first places.")),
)


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "start-clock": lambda r: message("the start of the clock"),
    "pause-clock": lambda r: message("the clock's pause"),
    "next-level": lambda r: message("the next level"),
    "rebuy": lambda r: message("{player}'s rebuy", player=r["player"]),
    "add-on": lambda r: message("{player}'s add-on", player=r["player"]),
    "close-rebuys": lambda r: message("the end of the rebuys"),
    "chip-race": lambda r: message("the chip race"),
    "call-off": lambda r: message("the end of the tournament"),
}


def practice(view: View) -> str:
    """Return the practice hint for the current step."""
    return _STEPS.get(view["phase"]) or hand.practice(view)


_STEPS: Final = {
    "break": message("Nobody plays. The clock ends the break, or whoever deals."),
    "over": message("The prizes are paid from the coins on the table. Everybody may cash out."),
}
STEPS: Final = (*hand.practice.steps, *_STEPS.values())
"""Hints for a hand's phases, and for the steps between hands."""
