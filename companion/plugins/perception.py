"""What the camera follows in a game, and what the game makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from companion.tracking.cards.proposal import Interpreter

if TYPE_CHECKING:
    from companion.tracking.dice.throws import ThrowRules

Verify = Literal["strict", "relaxed"]


@dataclass(frozen=True, slots=True)
class CardWishes:
    """What the owner wants of a game's eyes.

    Attributes:
        deck_id: the only deck that counts; None for any of the house's.
        verify: whether a card that is known by its corner tags alone is asked about.
    """

    deck_id: str | None = None
    verify: Verify = "strict"


@dataclass(frozen=True, slots=True)
class CardPerception:
    """Cards and tokens on the table.

    Attributes:
        interpreter: says what they mean in the game.
    """

    interpreter: Callable[[CardWishes], Interpreter]


@dataclass(frozen=True, slots=True)
class DiePerception:
    """One die in a tray; its game takes ``throw {face}`` and ``throw {d20}``, and its state counts ``throws``.

    Attributes:
        rules: returns what the game says about throws; None: nothing of its own.
    """

    rules: Callable[[], ThrowRules] | None = None


Perception = CardPerception | DiePerception
