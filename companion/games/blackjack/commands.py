"""What is asked for at a blackjack table. Who is asked to act may be named, and is then checked."""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript
from companion.kernel.values import quick

DEALER: Final = "dealer"
"""Who a card is dealt ``to`` where it is no player."""
NOBODY: Final = ""
"""Where a verb of the turn names no player. An empty text in a record is refused, so this is never one."""
ONLY: Final = frozenset({"hand", "cards", "stake", "dealer"})
"""What the ``only`` of a decision may name of the hand that it is about, as the state has it."""


@quick
class Bet(Command):
    """A player stakes coins on the next deal; a second bet adds to the first."""

    player: str
    amount: Any


@dataclass(frozen=True, slots=True)
class TakeBack(Command):
    """A player takes the whole bet back."""

    player: str


@quick
class Deal(Command):
    """A card is dealt face up to a player or to the dealer. The first one ends the betting."""

    to: str
    card: str


@dataclass(frozen=True, slots=True)
class Hole(Command):
    """The dealer has a face-down card. Nobody knows which."""


@quick
class Hit(Command):
    """The hand takes a card."""

    card: str
    player: str = NOBODY


@quick
class Stand(Command):
    """The hand takes no more cards. With ``only`` it has to be the hand that was looked at; so with those below."""

    player: str = NOBODY
    only: Any = None


@dataclass(frozen=True, slots=True)
class Double(Command):
    """The stake again, one card, and the hand ends."""

    card: str
    player: str = NOBODY


@dataclass(frozen=True, slots=True)
class Split(Command):
    """Two cards of a rank become two hands: the left one, or both, have their second card in ``cards``."""

    cards: Any
    player: str = NOBODY

    def __post_init__(self) -> None:
        cards = self.cards
        if not isinstance(cards, (list, tuple)) or len(cards) not in (1, 2) or not all(map(_is_text, cards)):
            raise BadScript(f'The cards of a split are the second card of one or both hands, ["TD"], got {cards!r}.')


@dataclass(frozen=True, slots=True)
class Surrender(Command):
    """The hand is given up for half its stake."""

    player: str = NOBODY
    only: Any = None


@dataclass(frozen=True, slots=True)
class Insure(Command):
    """A player insures the hand against a blackjack of the dealer's, for half the stake."""

    player: str
    only: Any = None


@quick
class Reveal(Command):
    """The dealer's face-down card is turned."""

    card: str


@quick
class DealerHit(Command):
    """The dealer takes a card."""

    card: str


OfTurn = Hit | Stand | Double | Split | Surrender
"""What only the player whose turn it is decides."""


def _is_text(card: Any) -> bool:
    return isinstance(card, str) and card != ""
