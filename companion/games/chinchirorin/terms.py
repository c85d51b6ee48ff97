"""Chinchirorin's words in plain English, for players who hear them for the first time."""

from __future__ import annotations

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import Term

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
