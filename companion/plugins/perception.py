"""A game's perception: what the camera tracks, and how the game interprets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from companion.tracking.cards.proposal import Interpreter

if TYPE_CHECKING:
    from companion.tracking.dice.throws import ThrowRules

Verify = Literal["strict", "relaxed"]


@dataclass(frozen=True, slots=True)
class CardWishes:
    """The owner's settings for card recognition.

    Attributes:
        deck_id: the only deck that counts; None for any stored deck.
        verify: whether a card that is known by its corner tags alone is asked about.
    """

    deck_id: str | None = None
    verify: Verify = "strict"


@dataclass(frozen=True, slots=True)
class CardPerception:
    """Perception of cards and tokens.

    Attributes:
        interpreter: says what they mean in the game.
    """

    interpreter: Callable[[CardWishes], Interpreter]


@dataclass(frozen=True, slots=True)
class DiePerception:
    """Perception of one die in a tray, for a game with ``throw {face}`` and ``throw {d20}`` that counts ``throws``.

    Attributes:
        rules: returns what the game says about throws; None: nothing of its own.
    """

    rules: Callable[[], ThrowRules] | None = None


@dataclass(frozen=True, slots=True)
class Indicator:
    """Another object that ``companion read`` may be told to expect, such as a wheel.

    Attributes:
        name: in ``--expect``, and the field of the answer.
        unread: the answer where nothing can be made out; it names no value.
    """

    name: str
    unread: Mapping[str, str | float | None]


Perception = CardPerception | DiePerception
