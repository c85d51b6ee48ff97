"""What can be asked for at a table of King of Roulette.

What is malformed is refused as the command is made, before anybody asks whether it may be given now.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

from companion.kernel.commands import Command, field_name
from companion.kernel.errors import BadScript
from companion.kernel.messages import message

_SPACES_OF_ONE: Final = 2


class _Checked:
    """Refuses texts that are empty, and whatever else a command's ``_check`` finds malformed.

    Raises:
        BadScript: there is something.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # whatever derives from it is a dataclass
            if getattr(self, field.name) == "":
                name = repr(field_name(field))
                raise BadScript(message("{field} is empty. Write something there.", field=name))
        self._check()

    def _check(self) -> None:
        """Look at what is the command's own."""


@dataclass(frozen=True, slots=True)
class Vote(_Checked, Command):
    """Vote for the first king; voting again replaces the earlier vote."""

    verb = "vote"
    player: str
    for_: str


@dataclass(frozen=True, slots=True)
class SetRule(_Checked, Command):
    """The king's rigging rule: one sentence, the two spaces that earn 1 point and the one that earns 2."""

    verb = "rule"
    text: str
    one: Any
    two: Any
    player: Any = None

    def _check(self) -> None:
        checked_actor(self.player)
        if not self.text.strip():
            raise BadScript(message("The rule is one sentence. Write it down."))
        if not isinstance(self.one, list) or len(self.one) != _SPACES_OF_ONE:
            raise BadScript(message("'one' lists the two spaces that earn 1 point, such as [2, 3]."))
        for space in (*self.one, self.two):
            checked_space(space)


@dataclass(frozen=True, slots=True)
class Guess(_Checked, Command):
    """The king's guess of how many others will earn points."""

    verb = "guess"
    range: str
    player: Any = None

    def _check(self) -> None:
        checked_actor(self.player)


@dataclass(frozen=True, slots=True)
class BetOnSpace(_Checked, Command):
    """Bet on a space, without coins; betting again replaces the earlier bet."""

    verb = "bet"
    player: str
    space: Any

    def _check(self) -> None:
        checked_space(self.space)


@dataclass(frozen=True, slots=True)
class BuyBonus(_Checked, Command):
    """Buy a Double Bonus of the house."""

    verb = "buy-bonus"
    player: str


@dataclass(frozen=True, slots=True)
class UseBonus(_Checked, Command):
    """Double one's own points of this round."""

    verb = "use-bonus"
    player: str


@dataclass(frozen=True, slots=True)
class Reveal(Command):
    """Show rule, guess and bets, and settle the round."""

    verb = "reveal"


@dataclass(frozen=True, slots=True)
class Elect(_Checked, Command):
    """The king decides who the next king is."""

    verb = "elect"
    player: str


@dataclass(frozen=True, slots=True)
class Choose(_Checked, Command):
    """The highest scorers name the Elimination Candidate among those tied for last."""

    verb = "choose"
    player: str


@dataclass(frozen=True, slots=True)
class NewGame(Command):
    """Begin another game with whoever sits here."""

    verb = "new-game"


def checked_space(space: Any) -> None:
    """Refuse what can be no space at all: neither a number nor a text.

    Raises:
        BadScript: it is neither.
    """
    if type(space) not in (int, str):
        raise BadScript(message("A space is a number from 1 to 6 or 'king', got {space}.", space=repr(space)[:40]))


def checked_actor(player: Any) -> None:
    """Refuse a player that is no name; none at all is whose turn it is.

    Raises:
        BadScript: it is no name.
    """
    if player is not None and not isinstance(player, str):
        raise BadScript(message("'player' is a name, got {player}.", player=repr(player)[:40]))
