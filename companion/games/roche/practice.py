"""Practice at a table of Roche: what happens now and what can be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.kernel.messages import Message, message
from companion.plugins.words import View


def practice(view: View) -> str:
    """Explain a step of Roche."""
    return _PHASES.get(view["phase"], "")


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
