"""What Rugen says about the throws that a camera sees."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from companion.service.questions import Choice
from companion.tracking.dice.questions import FIRST
from companion.tracking.dice.throws import ThrowRules


def close_first(expected: Collection[str]) -> Choice | None:
    """Return the way in which a throw that came before the bets were closed begins the chain."""
    if "close" not in expected:
        return None
    return Choice(FIRST, "Close; it is the first throw of the chain", {"do": "close"})


THROWS: Final = ThrowRules("a d20 or a Rugen die", close_first)
