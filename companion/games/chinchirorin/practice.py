"""Practice mode of chinchirorin: glossary and a hint per phase."""

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import ByPhase, Term

TERMS: Final = (
    Term(
        message("Bank"),
        message("What the banker risks in this round: all bets together are no more, unless the banker allows it."),
    ),
    Term(message("Banker"), message("Who throws first, and pays or collects all bets. The bank passes to the left.")),
    Term(
        message("Player"),
        message("The highest bettor, who throws for all who have bet; of equal bets the first left of the banker."),
    ),
    Term(
        message("Score"),
        message("The third die beside a pair: 6-3-6 is a score of 3. Three throws without one are a score of 0."),
    ),
    Term(
        message("Storm"),
        message("A throw that decides at once and pays two or three times the bets: a triple, 1-2-3 or 4-5-6."),
    ),
    Term(
        message("Out of the bowl"),
        message("A die that leaves the bowl loses the round at once, for one time the bets."),
        (message("Piss"),),
    ),
    Term(message("Wash"), message("Equal scores: the bets go back, and the banker may keep the bank.")),
)


_STEPS: Final = {
    "draw": message("Everybody throws one die. The highest has the first bank; who ties for it throws again."),
    "bank": message("The banker says how much the bank is: all bets together may come to that much."),
    "betting": message(
        "The others bet one after another, clockwise from the banker; who was passed may not bet any more. The highest "
        "bettor throws for all."
    ),
    "banker": message(
        "The banker throws three dice, up to three times. A pair makes the third die the score. 4-5-6 collects two "
        "times the bets; 1-2-3 and triples pay two times, 1-1-1 three times; a die out of the bowl pays the bets."
    ),
    "player": message(
        "The player throws against the banker's score, up to three times. 4-5-6 collects two times the bets, a triple "
        "three times; 1-2-3 pays two times, 1-1-1 three times; a die out of the bowl loses the bets."
    ),
    "wash": message("Nobody wins: the bets went back. The banker may keep the bank or pass it to the left."),
    "over": message("At most one player has coins left: the game is over."),
}
practice: Final = ByPhase(_STEPS)
