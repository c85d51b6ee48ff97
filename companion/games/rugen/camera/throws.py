"""Rugen's rules for throws read by the camera."""

from typing import Final

from companion.kernel.messages import message
from companion.kernel.situation import Situation
from companion.service.questions import Choice
from companion.tracking.dice.questions import FIRST
from companion.tracking.dice.throws import ThrowRules


def close_first(now: Situation) -> Choice | None:
    """Return the way in which a throw that came before the bets were closed begins the chain."""
    if "close" not in now.expected:
        return None
    return Choice(FIRST, message("Close; it is the first throw of the chain"), {"do": "close"})


THROWS: Final = ThrowRules(message("a d20 or a Rugen die"), close_first)
