"""Commands of blackjack. Naming the player to act is optional and checked."""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript
from companion.kernel.values import quick

DEALER: Final = "dealer"
"""Value of ``to`` for the dealer's cards."""
NOBODY: Final = ""
"""Default of an optional ``player``. Records cannot contain it: empty strings are rejected."""
ONLY: Final = frozenset({"hand", "cards", "stake", "dealer"})
"""Keys allowed in ``only``, a decision's precondition on its hand."""


@quick
class Bet(Command):
    """Bet on the next deal; a second bet adds to the first."""

    player: str
    amount: Any


@dataclass(frozen=True, slots=True)
class TakeBack(Command):
    """Take back the whole bet."""

    player: str


@quick
class Deal(Command):
    """Deal a card face up to a player or the dealer. The first one closes the betting."""

    to: str
    card: str


@dataclass(frozen=True, slots=True)
class Hole(Command):
    """Deal the dealer's face-down card, which stays unknown."""


@quick
class Hit(Command):
    """Hit: take a card."""

    card: str
    player: str = NOBODY


@quick
class Stand(Command):
    """Stand. ``only``, here and below, requires the hand to be unchanged since it was displayed."""

    player: str = NOBODY
    only: Any = None


@dataclass(frozen=True, slots=True)
class Double(Command):
    """Double the stake, take one card and end the hand."""

    card: str
    player: str = NOBODY


@dataclass(frozen=True, slots=True)
class Split(Command):
    """Split a pair; ``cards`` are the second cards of the left hand or of both."""

    cards: Any
    player: str = NOBODY

    def __post_init__(self) -> None:
        cards = self.cards
        if not isinstance(cards, (list, tuple)) or len(cards) not in (1, 2) or not all(map(_is_text, cards)):
            raise BadScript(f'The cards of a split are the second card of one or both hands, ["TD"], got {cards!r}.')


@dataclass(frozen=True, slots=True)
class Surrender(Command):
    """Surrender the hand for half its stake."""

    player: str = NOBODY
    only: Any = None


@dataclass(frozen=True, slots=True)
class Insure(Command):
    """Insure against a dealer's blackjack, for half the stake."""

    player: str
    only: Any = None


@quick
class Reveal(Command):
    """Turn the dealer's face-down card."""

    card: str


@quick
class DealerHit(Command):
    """The dealer draws a card."""

    card: str


OfTurn = Hit | Stand | Double | Split | Surrender
"""Decisions reserved for the player to act."""


def _is_text(card: Any) -> bool:
    return isinstance(card, str) and card != ""
