"""User-visible names of throws, and of commands for undo."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.games.chinchirorin.throws import Kind, Throw, reading
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message

_KINDS: Final[Mapping[Kind, Callable[[str], Message]]] = {
    Kind.ONES: lambda dice: message("{dice}, three ones", dice=dice),
    Kind.TRIPLE: lambda dice: message("{dice}, a triple", dice=dice),
    Kind.LOW: lambda dice: message("{dice}, the low straight", dice=dice),
    Kind.HIGH: lambda dice: message("{dice}, the high straight", dice=dice),
    Kind.NOTHING: lambda dice: message("{dice}, nothing", dice=dice),
}


def dice_words(throw: Throw) -> Message:
    """Return the dice of a throw as text.

    >>> dice_words((6, 3, 6)), dice_words("out")
    ('6-3-6', 'Out of the bowl')
    """
    return message("Out of the bowl") if isinstance(throw, str) else Message("-".join(map(str, throw)))


def throw_words(throw: Throw) -> Message:
    """Return a throw and its meaning as text.

    >>> throw_words((6, 3, 6)), throw_words((6, 5, 4)), throw_words("out")
    ('6-3-6, a score of 3', '6-5-4, the high straight', 'a die out of the bowl')
    """
    if isinstance(throw, str):
        return message("a die out of the bowl")
    read, dice = reading(throw), dice_words(throw)
    if read.score is not None:
        return message("{dice}, a score of {score}", dice=dice, score=read.score)
    return _KINDS[read.kind](dice)


def _thrown(record: Record) -> Message:
    if record.get("out"):
        return message("the throw out of the bowl")
    return message("the throw of {thrown}", thrown=dice_words(tuple(record["dice"])))


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "throw-for-bank": lambda r: message("{player}'s {die} for the bank", player=r["player"], die=r["die"]),
    "bank": lambda r: message("the bank of {coins}", coins=r["amount"]),
    "bet": lambda r: message("{player}'s bet of {amount}", player=r["player"], amount=r["amount"]),
    "take-back": lambda r: message("{player} taking the bet back", player=r["player"]),
    "close": lambda r: message("no more bets"),
    "throw": _thrown,
    "keep-bank": lambda r: message("keeping the bank"),
    "pass-bank": lambda r: message("passing the bank"),
}
