"""What is asked for at a table of hold'em. A value that cannot be is refused before anything else is looked at."""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript

BOARDS: Final = (3, 1)
"""How many cards are laid at a time: the flop's three, then the turn and the river."""


@dataclass(frozen=True, slots=True)
class Post(Command):
    """A hand starts: the button moves and the blinds are put in."""


@dataclass(frozen=True, slots=True)
class Hole(Command):
    """A player has got two cards; nobody says which."""

    player: str


@dataclass(frozen=True, slots=True)
class OfTurn(Command):
    """What only whoever's turn it is may say. The player may be named, and is then checked."""

    player: str | None = None

    def __post_init__(self) -> None:
        if self.player is not None and not (isinstance(self.player, str) and self.player):
            raise BadScript(f"'player' of {self.verb!r} is text, got {self.player!r}.")


@dataclass(frozen=True, slots=True)
class Check(OfTurn):
    """Put nothing in where nothing is missing."""


@dataclass(frozen=True, slots=True)
class Call(OfTurn):
    """Put in what is missing, or all there is."""


@dataclass(frozen=True, slots=True)
class Fold(OfTurn):
    """Give the hand up."""


@dataclass(frozen=True, slots=True)
class AllIn(OfTurn):
    """Put everything in."""


@dataclass(frozen=True, slots=True)
class BetTo(Command):
    """Bet where no bet lies; ``to`` is the player's whole stake of the round."""

    verb = "bet"
    to: Any
    player: str | None = None

    def __post_init__(self) -> None:
        OfTurn.__post_init__(self)  # type: ignore[arg-type]  # the same field


@dataclass(frozen=True, slots=True)
class RaiseTo(Command):
    """Raise the bet that lies; ``to`` is the player's whole stake of the round."""

    verb = "raise"
    to: Any
    player: str | None = None

    def __post_init__(self) -> None:
        OfTurn.__post_init__(self)  # type: ignore[arg-type]  # the same field


@dataclass(frozen=True, slots=True)
class Board(Command):
    """Cards are laid in the middle of the table."""

    cards: Any

    def __post_init__(self) -> None:
        _check_cards(self.cards, BOARDS, "3 cards for the flop, then 1 and 1")


@dataclass(frozen=True, slots=True)
class TableHand(Command):
    """A player turns both cards up before the showdown, once nobody can bet any more."""

    verb = "table"
    player: str
    cards: Any

    def __post_init__(self) -> None:
        _check_cards(self.cards, (2,), "2 cards")


@dataclass(frozen=True, slots=True)
class Show(Command):
    """A player turns both cards up."""

    player: str
    cards: Any

    def __post_init__(self) -> None:
        _check_cards(self.cards, (2,), "2 cards")


@dataclass(frozen=True, slots=True)
class Muck(Command):
    """A player gives up without showing."""

    player: str


def _check_cards(cards: Any, counts: tuple[int, ...], wanted: str) -> None:
    is_list = isinstance(cards, (list, tuple)) and len(cards) in counts
    if not is_list or not all(isinstance(card, str) and card for card in cards):
        raise BadScript(f'Name {wanted}, such as ["AS", "TD"], got {cards!r}.')
