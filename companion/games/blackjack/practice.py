"""Practice mode of blackjack: glossary and a hint per step."""

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import Term, View

TERMS: Final = (
    Term(message("Box"), message("A player's place with a bet, and the cards dealt there.")),
    Term(
        message("Blackjack"),
        message("An ace and a ten-value in the first two cards. It pays 3:2, rounded down, and beats any other 21."),
        (message("Natural"),),
    ),
    Term(message("Hit"), message("Take another card. Over 21 the hand is bust and loses at once.")),
    Term(message("Stand"), message("Take no more cards.")),
    Term(message("Double"), message("With two cards: the stake again, exactly one more card, and the hand ends.")),
    Term(
        message("Split"),
        message("Two cards of the same rank become two hands, each with the stake; up to four hands."),
    ),
    Term(message("Surrender"), message("Give up the first two cards for half the stake, where the house offers it.")),
    Term(
        message("Insurance"),
        message("Half the stake on the dealer having blackjack, when the dealer shows an ace. It pays 2:1."),
    ),
    Term(message("Push"), message("Equal totals: the stake comes back.")),
    Term(message("Soft hand"), message("A hand in which an ace counts 11 without going over 21.")),
    Term(
        message("Face-down card"),
        message("The dealer's second card. Nobody looks at it before the players have decided."),
        (message("Hole card"),),
    ),
)


def practice(view: View) -> str:
    """Return the practice hint for the current step."""
    if view["phase"] == "playing" and view["may_insure"]:
        return _INSURANCE
    return _STEPS.get(view["phase"], "")


_INSURANCE: Final = message(
    "The dealer shows an ace. Before anybody decides, each player may insure the hand for half the stake: it pays 2:1 "
    "if the dealer has blackjack and is lost otherwise."
)
_STEPS: Final = {
    "betting": message("Everybody who wants to play bets. The first card that is dealt closes the bets."),
    "dealing": message("Two cards face up for each bet; one for the dealer face up, one face down."),
    "playing": message(
        "The players decide in seat order: hit for another card, stand, double the stake for exactly one card, split a "
        "pair, or surrender. Over 21 loses at once."
    ),
    "reveal": message("All have decided. The dealer turns the face-down card."),
    "dealer": message("The dealer has no choice: below 17 the dealer draws, then stands."),
}
STEPS: Final = tuple(dict.fromkeys(_STEPS.values()))
"""Hints of a round, in order."""
