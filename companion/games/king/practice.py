"""Practice mode of King of Roulette: glossary and a hint per phase."""

from collections.abc import Mapping
from typing import Final

from companion.kernel.messages import Message, message
from companion.plugins.words import ByPhase, Term

TERMS: Final = (
    Term(
        message("King"),
        message("Rigs the round in secret, does not bet, and earns by guessing how many others will earn points."),
    ),
    Term(
        message("Rigging rule"),
        message("One sentence about spaces: two of them earn 1 point, one earns 2. The king space never does."),
    ),
    Term(
        message("King space"), message("Its only bettor is the next king; of several the one with the fewest points.")
    ),
    Term(
        message("Double Bonus"),
        message("Doubles its owner's points of one round. The first costs 2 garnets, each further one more."),
    ),
    Term(message("Garnet"), message("The game's coin. Everybody gets one for every 5 points.")),
    Term(message("Token of Life"), message("Two for the most points alone, one each for two or three who are tied.")),
    Term(
        message("Elimination Candidate"),
        message("Who has the fewest points at the end; the highest scorers choose among tied ones."),
    ),
)


_PHASES: Final[Mapping[str, Message]] = {
    "vote": message(
        "Everybody votes in secret, also for themselves. The most votes make the king; a tie is voted again."
    ),
    "round": message(
        "The king writes a rule, two spaces for 1 point and one for 2, and guesses how many others will earn points. "
        "The others bet on a space. Nobody sees anything until the reveal."
    ),
    "succession": message(
        "Several are tied for the crown, or nobody bet on the king space: the king says who is king next."
    ),
    "choose": message("Several are tied for last: whoever has the most points names the Elimination Candidate."),
    "over": message("The game is over. The most points win Tokens of Life; the fewest make the Elimination Candidate."),
}
practice: Final = ByPhase(_PHASES)
