"""Rugen's rules for throws read by the camera."""

from typing import Final

from companion.kernel.messages import message
from companion.kernel.situation import Situation
from companion.service.questions import Choice
from companion.tracking.dice.questions import FIRST
from companion.tracking.dice.throws import ThrowRules


def close_first(now: Situation) -> Choice | None:
    """Return the choice that lets a throw before the close begin the chain; None if closing is not possible."""
    if "close" not in now.expected:
        return None
    return Choice(FIRST, message("Close; it is the first throw of the chain"), {"do": "close"})


THROWS: Final = ThrowRules(message("a d20 or a Rugen die"), close_first)
