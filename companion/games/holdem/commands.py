"""Commands of hold'em. Malformed values are rejected on construction."""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript

BOARDS: Final = (3, 1)
"""Numbers of cards dealt to the board at a time: three for the flop, one each for turn and river."""


@dataclass(frozen=True, slots=True)
class Post(Command):
    """Start a hand: move the button, post antes and blinds."""


@dataclass(frozen=True, slots=True)
class Hole(Command):
    """A player got two hole cards; their faces stay unknown."""

    player: str


@dataclass(frozen=True, slots=True)
class OfTurn(Command):
    """Action of the player to act. ``player`` is optional and checked against the turn."""

    player: str | None = None

    def __post_init__(self) -> None:
        if self.player is not None and not (isinstance(self.player, str) and self.player):
            raise BadScript(f"'player' of {self.verb!r} is text, got {self.player!r}.")


@dataclass(frozen=True, slots=True)
class Check(OfTurn):
    """Check: no bet to call."""


@dataclass(frozen=True, slots=True)
class Call(OfTurn):
    """Call the bet, or all-in for less."""


@dataclass(frozen=True, slots=True)
class Fold(OfTurn):
    """Fold the hand."""


@dataclass(frozen=True, slots=True)
class AllIn(OfTurn):
    """Go all-in."""


@dataclass(frozen=True, slots=True)
class BetTo(Command):
    """Open the betting; ``to`` is the player's total stake in this round."""

    verb = "bet"
    to: Any
    player: str | None = None

    def __post_init__(self) -> None:
        OfTurn.__post_init__(self)  # type: ignore[arg-type]  # the same field


@dataclass(frozen=True, slots=True)
class RaiseTo(Command):
    """Raise the bet; ``to`` is the player's total stake in this round."""

    verb = "raise"
    to: Any
    player: str | None = None

    def __post_init__(self) -> None:
        OfTurn.__post_init__(self)  # type: ignore[arg-type]  # the same field


@dataclass(frozen=True, slots=True)
class Board(Command):
    """Deal the flop, turn or river."""

    cards: Any

    def __post_init__(self) -> None:
        _check_cards(self.cards, BOARDS, "3 cards for the flop, then 1 and 1")


@dataclass(frozen=True, slots=True)
class TableHand(Command):
    """Turn both hole cards face up before the showdown, once no more betting is possible."""

    verb = "table"
    player: str
    cards: Any

    def __post_init__(self) -> None:
        _check_cards(self.cards, (2,), "2 cards")


@dataclass(frozen=True, slots=True)
class Show(Command):
    """Show both hole cards at the showdown."""

    player: str
    cards: Any

    def __post_init__(self) -> None:
        _check_cards(self.cards, (2,), "2 cards")


@dataclass(frozen=True, slots=True)
class Muck(Command):
    """Muck: concede at the showdown without showing."""

    player: str


def _check_cards(cards: Any, counts: tuple[int, ...], wanted: str) -> None:
    is_list = isinstance(cards, (list, tuple)) and len(cards) in counts
    if not is_list or not all(isinstance(card, str) and card for card in cards):
        raise BadScript(f'Name {wanted}, such as ["AS", "TD"], got {cards!r}.')
