"""Practice mode of hold'em: glossary and a hint per phase."""

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import ByPhase, Term

TERMS: Final = (
    Term(
        message("Button"),
        message("The place of the dealer in the order of betting. It moves one player to the left after every hand."),
    ),
    Term(
        message("Blinds"),
        message("Bets that the two players left of the button put in before they see their cards."),
    ),
    Term(message("Hole cards"), message("The two cards that only their player sees.")),
    Term(message("Board"), message("The five cards in the middle that everybody uses: flop, turn and river.")),
    Term(message("Check"), message("To stay in without putting coins in. Possible while nothing is missing.")),
    Term(message("Call"), message("To put in what is missing to the bet, or all there is.")),
    Term(
        message("Raise"),
        message("To go over the bet, by at least as much as the bet or raise before it, or with everything."),
    ),
    Term(
        message("All-in"),
        message("With all coins in. Nothing more can be asked of that player, who can win only what others matched."),
    ),
    Term(
        message("Side pot"),
        message("Coins that a player who is all-in has not matched. Only those who did can win them."),
    ),
    Term(message("Showdown"), message("After the last round: who is left shows both cards, or mucks.")),
    Term(message("Muck"), message("To give up without showing. Nobody ever learns these cards.")),
)


_BETTING: Final = message(
    "One after another checks, calls, bets, raises or folds. The round is over when everybody who is left has put in "
    "the same, or everything."
)
_STEPS: Final = {
    "ready": message(
        "The button moves one player to the left. The next two put in the blinds; with two players the button has the "
        "small one."
    ),
    "hole": message("Everybody gets two cards, clockwise from left of the button. Only the player looks at them."),
    "preflop": _BETTING,
    "flop": _BETTING,
    "turn": _BETTING,
    "river": _BETTING,
    "deal-flop": message("Three cards are laid in the middle, for everybody to use."),
    "deal-turn": message("A fourth card is laid in the middle."),
    "deal-river": message("The fifth and last card is laid in the middle."),
    "showdown": message(
        "The best five of a player's two cards and the board count. Whoever bet or raised last on the river shows "
        "first; who is beaten may muck."
    ),
}
practice: Final = ByPhase(_STEPS)
