"""Commands from people, scripts and the camera: one frozen class per verb, parsed from a plain record.

A record is a JSON object as in a hand script, ``{"do": "deal", "card": "7H"}``; the dashboard, the buttons and the
camera send the same records. Unknown keys are ignored, so a record may carry a note.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from typing import Any, ClassVar, Final

from companion.kernel.errors import BadScript, UnknownVerb
from companion.kernel.shared.names import same_name
from companion.kernel.values import quick

Record = Mapping[str, Any]
"""A verb, ``do``, and its fields. Values are unchecked: `parse_command` and the rules validate them."""


@dataclass(frozen=True, slots=True)
class Command:
    """Base of all commands. Amounts are validated by the rules, not here."""

    verb: ClassVar[str] = ""
    "By default the class name in lower case with hyphens: ``take-back`` for ``TakeBack``."

    def __init_subclass__(cls) -> None:
        if "verb" not in vars(cls):
            cls.verb = re.sub("(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()


@dataclass(frozen=True, slots=True)
class Undo(Command):
    """Undo the latest effective command.

    ``only`` guards against a race: it holds the latest command's ``number`` and the keys of the view's `undoes`, or
    some of them, as the sender saw them. If the latest command no longer matches, nothing is undone. A command that was
    undone and repeated identically still matches; only its journal entry differs. With ``whole`` true and no ``only``,
    a live table undoes all commands of the latest user action, with one undo each.
    """

    only: Any = None
    whole: Any = None


@dataclass(frozen=True, slots=True)
class Redo(Command):
    """Redo the latest undone command; with ``whole`` true a live table redoes all commands of the user action."""

    whole: Any = None


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Put the table on hold until it is released; ``why`` is a short reason."""

    why: Any = None


@dataclass(frozen=True, slots=True)
class Release(Command):
    """Release a hold."""


@dataclass(frozen=True, slots=True)
class BuyIn(Command):
    """A player buys in: coins put aside are used first, the rest comes from the cage."""

    player: str
    coins: Any
    transfer: Any = None
    "ID of the transfer from the player's purse in the house that these coins come from; None without one."


@dataclass(frozen=True, slots=True)
class CashOut(Command):
    """A player cashes out all coins, those in front of them and those put aside."""

    player: str


@dataclass(frozen=True, slots=True)
class Recount(Command):
    """Set a player's balance or a pot to the coins counted."""

    coins: Any
    reason: Any
    player: Any = None
    pot: Any = None


@quick
class Bet(Command):
    """Stake coins on a spot of the layout; a second bet there adds to the first."""

    player: str
    on: str
    amount: Any


@dataclass(frozen=True, slots=True)
class TakeBack(Command):
    """Withdraw the whole stake on a spot."""

    player: str
    on: str


@dataclass(frozen=True, slots=True)
class NoMoreBets(Command):
    """Close betting."""


@quick
class Deal(Command):
    """Turn the top card of the deck over."""

    card: str


@dataclass(frozen=True, slots=True)
class NewRound(Command):
    """Collect the cards and reopen betting."""


@dataclass(frozen=True, slots=True)
class Join(Command):
    """A new player sits down, in the requested seat or the lowest free one."""

    player: str
    coins: Any = 0
    seat: Any = None
    aside: Any = 0
    "Additional coins that they bring and set aside."


@dataclass(frozen=True, slots=True)
class Leave(Command):
    """A player without coins or bets gives up their seat."""

    player: str


Verbs = Mapping[str, type[Command]]


def verbs(*commands: type[Command]) -> Verbs:
    """Return the commands by verb."""
    return {command.verb: command for command in commands}


TABLE_VERBS: Final[Verbs] = verbs(Undo, Redo, Hold, Release, BuyIn, CashOut, Recount)
"""Commands common to all games."""
NAMES: Final = frozenset({"player", "for", "to"})
"""Command fields that, if text, hold a player's name."""
CASHIER: Final = frozenset({BuyIn.verb, CashOut.verb, Recount.verb})
"""Verbs that change the total of coins at the table."""


def parse_command(record: Record, known: Verbs, empty_text: bool = True) -> Command:
    """Return a record as a command.

    Args:
        known: the verbs of the game being played, including `TABLE_VERBS`.
        empty_text: whether empty text fields are accepted; the game then refuses them as an unknown player or card.

    Raises:
        BadScript: the verb is missing or empty, a required field is missing, or a text field is not text.
        UnknownVerb: the game has no such verb.

    >>> parse_command({"do": "deal", "card": "7H"}, verbs(Deal))
    Deal(card='7H')
    """
    verb = record.get("do") if isinstance(record, Mapping) else None
    if not isinstance(verb, str) or not verb:
        raise BadScript('A command says what to do: {"do": "…", …}. This one does not.')
    kind = known.get(verb)
    if kind is None:
        raise UnknownVerb.saying(
            "There is no {verb} in this game. It knows {verbs}.", verb=repr(verb), verbs=", ".join(sorted(known))
        )
    values = {}
    for name, attribute, text, is_player, needed in _fields_of(kind):  # type: ignore[arg-type]  # a class is hashable
        if name in record:
            value = record[name]
            if is_player and isinstance(value, str):  # includes optional player fields
                value = same_name(value)
            is_empty = value == "" and (text or is_player) and not empty_text
            if is_empty or (text and not isinstance(value, str)):
                raise BadScript(f"{name!r} of {verb!r} is text, got {record[name]!r}.")
            values[attribute] = value
        elif needed:
            raise BadScript(f"{verb!r} needs {name!r}. Add it to the command.")
    return kind(**values)


def field_name(field: Field[Any]) -> str:
    """Return a field's key in records: ``for`` for ``for_``, since ``for`` is a Python keyword."""
    return field.name.rstrip("_")


def type_words(field: Field[Any]) -> str:
    """Return a field's type annotation as text, with or without postponed evaluation of annotations."""
    return field.type.__name__ if isinstance(field.type, type) else str(field.type)


@cache
def _fields_of(kind: type[Command]) -> tuple[tuple[str, str, bool, bool, bool], ...]:
    """Return (record key, attribute, is text, is a player's name, is required) for each field of a command."""
    return tuple(
        (field_name(f), f.name, type_words(f) == "str", _is_name(f), f.default is MISSING) for f in fields(kind)
    )


def _is_name(field: Field[Any]) -> bool:
    """Whether a field holds a player's name. A `to` that is not text is an amount ("raise to")."""
    name = field_name(field)
    return name in NAMES and (name == "player" or type_words(field).startswith("str"))
