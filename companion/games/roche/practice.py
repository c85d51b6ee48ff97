"""Practice texts of Roche: glossary terms, and the options at each step."""

from collections.abc import Mapping
from typing import Final

from companion.games.terms import CUT, DAY_AND_NIGHT
from companion.kernel.messages import Message, message
from companion.plugins.words import ByPhase, Term

CAVALRY: Final = Term(
    message("Cavalry"),
    message("A bet that at some moment every suit is one card short of its cut."),
)
OSCURA: Final = Term(
    message("Oscura"),
    message("A bet that a suit cuts and this card is not among the cards of the cut."),
)
STARLIGHT: Final = Term(
    message("Starlight"),
    message("A bet that the game ends before any card of this suit was dealt."),
)
TERMINUS: Final = Term(
    message("Terminus"),
    message("A bet that this very card cuts its suit: it is the last one dealt."),
)

TERMS: Final = (
    CUT,
    DAY_AND_NIGHT,
    CAVALRY,
    OSCURA,
    STARLIGHT,
    TERMINUS,
)


_PHASES: Final[Mapping[str, Message]] = {
    "betting": message(
        "Bet on the suit that will be cut first: of which half the cards are turned over before any other's."
    ),
    "dealing": message(
        "No more bets. Cards are turned over one by one until one suit has half of its cards on the table."
    ),
    "settled": message(
        "A suit is cut: bets on it are paid at the printed prices, with the stake; all others are lost."
    ),
}
practice: Final = ByPhase(_PHASES)
