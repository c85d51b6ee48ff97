"""Practice mode of roulette: glossary and a hint per phase."""

from collections.abc import Mapping
from typing import Final

from companion.kernel.messages import Message, message
from companion.plugins.words import ByPhase, Term

TERMS: Final = (
    Term(message("Straight up"), message("A bet on a single number; it pays 35:1.")),
    Term(message("Split"), message("A bet on two numbers that touch on the layout; it pays 17:1.")),
    Term(message("Street"), message("A bet on a row of three numbers; it pays 11:1.")),
    Term(message("Corner"), message("A bet on four numbers that meet in a point; it pays 8:1.")),
    Term(message("Line"), message("A bet on two rows, six numbers; it pays 5:1.")),
    Term(message("Dozen"), message("A bet on 1 to 12, 13 to 24 or 25 to 36; it pays 2:1.")),
    Term(message("Column"), message("A bet on a column of twelve numbers; it pays 2:1.")),
    Term(
        message("Even money"),
        message("Red, black, odd, even, 1 to 18 and 19 to 36 pay 1:1. Zeros belong to none of them."),
    ),
    Term(
        message("En prison"),
        message(
            "When the ball rests in a zero, even-money bets stay for the next spin: a win brings the stake back "
            "without winnings, a loss takes it, another zero keeps it."
        ),
    ),
    Term(
        message("Surrender"),
        message("When the ball rests in a zero, even-money bets lose half of their stake, rounded down."),
    ),
)


_PHASES: Final[Mapping[str, Message]] = {
    "betting": message(
        "Bet on a number, on several numbers that touch, or on a half or a third of them. The fewer numbers, the more "
        "it pays."
    ),
    "spin": message("No more bets. The pocket in which the ball comes to rest decides all of them."),
}
practice: Final = ByPhase(_PHASES)
