"""User-visible names of spots, pockets, and of commands for undo."""

from collections.abc import Callable, Mapping
from typing import Final

from companion.games.roulette.wheel import color_of
from companion.kernel.commands import Record
from companion.kernel.messages import Message, joined, message

COLORS: Final[Mapping[str, Message]] = {"red": message("red"), "black": message("black"), "green": message("green")}

_PLAIN: Final[Mapping[str, Message]] = {
    "red": message("red"),
    "black": message("black"),
    "odd": message("odd"),
    "even": message("even"),
    "low": message("1 to 18"),
    "high": message("19 to 36"),
}
_DOZENS: Final = (message("first dozen"), message("second dozen"), message("third dozen"))


def _run(kind: Callable[[int, int], Message], count: int) -> Callable[[str], Message]:
    return lambda first: kind(int(first), int(first) + count - 1)


_KINDS: Final[Mapping[str, Callable[[str], Message]]] = {
    "straight": lambda n: message("number {n}", n=n),
    "split": lambda pair: message("split {pair}", pair=pair),
    "street": _run(lambda first, last: message("street {first} to {last}", first=first, last=last), 3),
    "corner": lambda n: message("corner {numbers}", numbers=_corner(int(n))),
    "line": _run(lambda first, last: message("line {first} to {last}", first=first, last=last), 6),
    "dozen": lambda d: _DOZENS[int(d) - 1],
    "column": lambda c: message("column {c}", c=c),
}


def _corner(n: int) -> Message:
    return joined([str(one) for one in (n, n + 1, n + 3, n + 4)], "/")


def spot_words(on: str) -> Message:
    """Return a spot's name.

    >>> spot_words("straight/00"), spot_words("corner/17"), spot_words("line/13"), spot_words("low")
    ('number 00', 'corner 17/18/20/21', 'line 13 to 18', '1 to 18')
    """
    kind, _, what = on.partition("/")
    return _KINDS[kind](what) if what else _PLAIN[kind]


def pocket_words(pocket: str) -> Message:
    """Return a pocket with its color.

    >>> pocket_words("17")
    '17, black'
    """
    return message("{pocket}, {color}", pocket=pocket, color=COLORS[color_of(pocket)])


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "spin": lambda r: message("the spin: {pocket}", pocket=pocket_words(r["pocket"])),
}
