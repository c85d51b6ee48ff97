"""What is asked for at a table of chinchirorin. A value that cannot be is refused before anything else is looked at."""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript

DICE: Final = 3
PIPS: Final = range(1, 7)


@dataclass(frozen=True, slots=True)
class ThrowForBank(Command):
    """A player throws one die for the first bank."""

    player: str
    die: Any

    def __post_init__(self) -> None:
        _check_pips(self.die)


@dataclass(frozen=True, slots=True)
class Bank(Command):
    """The banker says how much he risks."""

    amount: Any
    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)


@dataclass(frozen=True, slots=True)
class Bet(Command):
    """A player bets against the bank; ``allowed`` is the banker's word for more than the bank."""

    player: str
    amount: Any
    allowed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.allowed, bool):
            raise BadScript(f"'allowed' of 'bet' is true or false, got {self.allowed!r}.")


@dataclass(frozen=True, slots=True)
class TakeBack(Command):
    """A player takes the whole bet back."""

    player: str


@dataclass(frozen=True, slots=True)
class Close(Command):
    """No more bets."""


@dataclass(frozen=True, slots=True)
class Throw(Command):
    """Three dice came to rest in the bowl, or one of them jumped ``out`` of it."""

    dice: Any = None
    out: bool = False
    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)
        if not isinstance(self.out, bool) or self.out == (self.dice is not None):
            raise BadScript('A throw is {"dice": [6, 3, 6]}, or {"out": true} if a die left the bowl; one of the two.')
        if not self.out:
            _check_dice(self.dice)


@dataclass(frozen=True, slots=True)
class KeepBank(Command):
    """After a wash: the banker keeps the bank."""

    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)


@dataclass(frozen=True, slots=True)
class PassBank(Command):
    """After a wash: the banker passes the bank on."""

    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)


OfTurn = Bank | Throw | KeepBank | PassBank
"""What only whoever's turn it is may say. The player may be named, and is then checked."""


def _check_name(command: OfTurn) -> None:
    if command.player is not None and not isinstance(command.player, str):
        raise BadScript(f"'player' of {command.verb!r} is text, got {command.player!r}.")


def _check_dice(dice: Any) -> None:
    if not isinstance(dice, (list, tuple)) or len(dice) != DICE:
        raise BadScript(f"The dice of a throw are three numbers, [6, 3, 6], got {dice!r}.")
    for die in dice:
        _check_pips(die)


def _check_pips(die: Any) -> None:
    if type(die) is not int or die not in PIPS:
        raise BadScript.saying("A die shows a number from 1 to 6, got {value}. Read the die again.", value=repr(die))
