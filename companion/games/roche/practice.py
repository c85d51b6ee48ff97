"""Practice at a table of Roche: what happens now and what can be done."""

from __future__ import annotations

from typing import Final

from companion.plugins.words import View


def practice(view: View) -> str:
    """Explain a step of Roche."""
    return _PHASES.get(view["phase"], "")


_PHASES: Final = {
    "betting": "Bet on the suit that will be cut first: of which half the cards are turned over before any other's.",
    "dealing": "No more bets. Cards are turned over one by one until one suit has half of its cards on the table.",
    "settled": "A suit is cut: bets on it are paid at the printed prices, with the stake; all others are lost.",
}
