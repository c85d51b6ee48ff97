"""Practice at a roulette table: what happens now and what can be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.kernel.messages import Message, message
from companion.plugins.words import View


def practice(view: View) -> str:
    """Explain a step of roulette."""
    return _PHASES.get(view["phase"], "")


_PHASES: Final[Mapping[str, Message]] = {
    "betting": message(
        "Bet on a number, on several numbers that touch, or on a half or a third of them. The fewer numbers, the more "
        "it pays."
    ),
    "spin": message("No more bets. The pocket in which the ball comes to rest decides all of them."),
}
