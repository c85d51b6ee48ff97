"""Commands of King of Roulette.

Malformed values are rejected on construction, before the rules check whether the command is legal.
"""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript
from companion.kernel.values import quick

_SPACES_OF_ONE: Final = 2


@quick
class Vote(Command):
    """Vote for the first king; voting again replaces the earlier vote."""

    player: str
    for_: str


@dataclass(frozen=True, slots=True)
class SetRule(Command):
    """The king's rigging rule: one sentence, the two spaces that earn 1 point and the one that earns 2."""

    verb = "rule"
    text: Any
    one: Any
    two: Any
    player: Any = None

    def __post_init__(self) -> None:
        checked_actor(self.player)
        if not (isinstance(self.text, str) and self.text.strip()):
            raise BadScript.saying("The rule is one sentence. Write it down.")
        if not isinstance(self.one, list) or len(self.one) != _SPACES_OF_ONE:
            raise BadScript.saying("'one' lists the two spaces that earn 1 point, such as [2, 3].")
        for space in (*self.one, self.two):
            checked_space(space)


@dataclass(frozen=True, slots=True)
class Guess(Command):
    """The king's guess of how many others will earn points."""

    range: str
    player: Any = None
    follows: bool = False
    "Whether it was sealed together with the player's previous command."

    def __post_init__(self) -> None:
        checked_actor(self.player)
        checked_follows(self.follows)


@dataclass(frozen=True, slots=True)
class BetOnSpace(Command):
    """Bet on a space, without coins; betting again replaces the earlier bet."""

    verb = "bet"
    player: str
    space: Any
    follows: bool = False
    "As for `Guess`."

    def __post_init__(self) -> None:
        checked_space(self.space)
        checked_follows(self.follows)


@quick
class BuyBonus(Command):
    """Buy a Double Bonus from the house."""

    player: str


@dataclass(frozen=True, slots=True)
class UseBonus(Command):
    """Double the player's own points in this round."""

    player: str
    follows: bool = False
    "As for `Guess`."

    def __post_init__(self) -> None:
        checked_follows(self.follows)


@dataclass(frozen=True, slots=True)
class Reveal(Command):
    """Reveal rule, guess and bets, and settle the round."""


@dataclass(frozen=True, slots=True)
class Elect(Command):
    """The king decides who the next king is."""

    player: str


@dataclass(frozen=True, slots=True)
class Choose(Command):
    """The highest scorers name the Elimination Candidate among those tied for last."""

    player: str


@dataclass(frozen=True, slots=True)
class NewGame(Command):
    """Start another game with the seated players."""


def checked_space(space: Any) -> None:
    """Check a space's type: an integer or non-empty string.

    Raises:
        BadScript: anything else.
    """
    if type(space) not in (int, str) or space == "":
        raise BadScript.saying("A space is a number from 1 to 6 or 'king', got {space}.", space=repr(space)[:40])


def checked_actor(player: Any) -> None:
    """Check an optional player name: None or a non-empty string.

    Raises:
        BadScript: anything else.
    """
    if player is not None and not (isinstance(player, str) and player):
        raise BadScript.saying("'player' is a name, got {player}.", player=repr(player)[:40])


def checked_follows(follows: bool) -> None:
    """Check that ``follows`` is a boolean; otherwise an undo could revert only part of the commands sealed together.

    Raises:
        BadScript: anything else.
    """
    if not isinstance(follows, bool):
        raise BadScript(f"'follows' is true or false, got {str(follows)[:40]!r}.")
