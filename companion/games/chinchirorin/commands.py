"""Commands of chinchirorin. Malformed values are rejected on construction."""

from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.errors import BadScript

DICE: Final = 3
PIPS: Final = range(1, 7)


@dataclass(frozen=True, slots=True)
class ThrowForBank(Command):
    """Throw one die for the first bank."""

    player: str
    die: Any

    def __post_init__(self) -> None:
        _check_pips(self.die)


@dataclass(frozen=True, slots=True)
class Bank(Command):
    """Announce the bank: the amount the banker risks."""

    amount: Any
    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)


@dataclass(frozen=True, slots=True)
class Bet(Command):
    """Bet against the bank; ``allowed``: the banker accepts bets beyond the bank."""

    player: str
    amount: Any
    allowed: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.allowed, bool):
            raise BadScript(f"'allowed' of 'bet' is true or false, got {self.allowed!r}.")


@dataclass(frozen=True, slots=True)
class TakeBack(Command):
    """Take back the whole bet."""

    player: str


@dataclass(frozen=True, slots=True)
class Close(Command):
    """Close the betting."""


@dataclass(frozen=True, slots=True)
class Throw(Command):
    """Enter a throw: three dice, or ``out`` if a die left the bowl."""

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
    """Keep the bank after a wash."""

    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)


@dataclass(frozen=True, slots=True)
class PassBank(Command):
    """Pass on the bank after a wash."""

    player: str | None = None

    def __post_init__(self) -> None:
        _check_name(self)


OfTurn = Bank | Throw | KeepBank | PassBank
"""Commands reserved for the player to act. ``player`` is optional and checked."""


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
