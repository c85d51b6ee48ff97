"""Practice at a table of chinchirorin: what happens now and what can be done."""

from __future__ import annotations

from typing import Final

from companion.kernel.messages import message
from companion.plugins.words import View


def practice(view: View) -> str:
    """Explain a step."""
    return _STEPS.get(view["phase"], "")


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
