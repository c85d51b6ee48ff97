"""Commands from people, scripts and the camera: one frozen class per verb, parsed from a plain record.

A record is the JSON object of a hand script, ``{"do": "deal", "card": "7H"}``; the dashboard, the buttons and the
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
    """Base of all commands. Amounts are not validated here: the rules report what is wrong with them."""

    verb: ClassVar[str] = ""
    "The class's name in lower case with hyphens, ``take-back`` for ``TakeBack``, unless the class says another."

    def __init_subclass__(cls) -> None:
        if "verb" not in vars(cls):
            cls.verb = re.sub("(?<=[a-z])(?=[A-Z])", "-", cls.__name__).lower()


@dataclass(frozen=True, slots=True)
class Undo(Command):
    """Take back the latest command that counts.

    ``only`` names what the giver saw as the latest, by what the view says of it: its ``number`` and the keys of
    `undoes`, or some of them. If something else is the latest by now, nothing is undone; one that was undone and given
    again in the same words is the same by these, and another one by the journal's entry. With ``whole`` true, and no
    ``only``, a live table undoes all commands that somebody gave as one step, each with an undo of its own.
    """

    only: Any = None
    whole: Any = None


@dataclass(frozen=True, slots=True)
class Redo(Command):
    """Redo the latest undone command; with ``whole`` true a live table redoes all that somebody gave as one step."""

    whole: Any = None


@dataclass(frozen=True, slots=True)
class Hold(Command):
    """Stop the table until it is released; ``why`` says it in a few words."""

    why: Any = None


@dataclass(frozen=True, slots=True)
class Release(Command):
    """Go on after a hold."""


@dataclass(frozen=True, slots=True)
class BuyIn(Command):
    """A player gets coins: those that they have put aside, then others from the cage."""

    player: str
    coins: Any
    transfer: Any = None
    "Names the coins that come from the player's purse in the house, and so from nowhere else; None where they do not."


@dataclass(frozen=True, slots=True)
class CashOut(Command):
    """A player takes all coins off the table, in front of them and aside."""

    player: str


@dataclass(frozen=True, slots=True)
class Recount(Command):
    """Set the ledger to the coins that were counted, in front of a player or in a pot."""

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
    """Take the whole stake on a spot back."""

    player: str
    on: str


@dataclass(frozen=True, slots=True)
class NoMoreBets(Command):
    """Close the betting."""


@quick
class Deal(Command):
    """Turn the top card of the deck over."""

    card: str


@dataclass(frozen=True, slots=True)
class NewRound(Command):
    """Gather the cards and open the betting again."""


@dataclass(frozen=True, slots=True)
class Join(Command):
    """A new player sits down, in the seat asked for or else the lowest free one."""

    player: str
    coins: Any = 0
    seat: Any = None
    aside: Any = 0
    "Coins that they bring besides, and do not play with."


@dataclass(frozen=True, slots=True)
class Leave(Command):
    """A player without coins or bets stands up; the seat is free."""

    player: str


Verbs = Mapping[str, type[Command]]


def verbs(*commands: type[Command]) -> Verbs:
    """Return the commands by verb."""
    return {command.verb: command for command in commands}


TABLE_VERBS: Final[Verbs] = verbs(Undo, Redo, Hold, Release, BuyIn, CashOut, Recount)
"""What every game takes."""
NAMES: Final = frozenset({"player", "for", "to"})
"""The fields of commands that name a player, where they are text."""
CASHIER: Final = frozenset({BuyIn.verb, CashOut.verb, Recount.verb})
"""Those with which coins come to the table or leave it."""


def parse_command(record: Record, known: Verbs, empty_text: bool = True) -> Command:
    """Return the command that a record asks for.

    Args:
        known: the verbs of the game at the table, `TABLE_VERBS` included.
        empty_text: whether the game looks an empty text up as any other, a player or card that is not there.

    Raises:
        BadScript: no verb, a field is missing, or text is expected and something else came.
        UnknownVerb: the game has no such verb.

    >>> parse_command({"do": "deal", "card": "7H"}, verbs(Deal))
    Deal(card='7H')
    """
    verb = record.get("do") if isinstance(record, Mapping) else None
    if not isinstance(verb, str):
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
            if is_player and isinstance(value, str):  # also where naming somebody is optional
                value = same_name(value)
            is_empty = value == "" and (text or is_player) and not empty_text
            if is_empty or (text and not isinstance(value, str)):
                raise BadScript(f"{name!r} of {verb!r} is text, got {record[name]!r}.")
            values[attribute] = value
        elif needed:
            raise BadScript(f"{verb!r} needs {name!r}. Add it to the command.")
    return kind(**values)


def field_name(field: Field[Any]) -> str:
    """Return what a command's field is called in records: ``for`` for ``for_``, which Python cannot call so."""
    return field.name.rstrip("_")


def type_words(field: Field[Any]) -> str:
    """Return a field's type as it is written, whether its module reads annotations at once or leaves them as text."""
    return field.type.__name__ if isinstance(field.type, type) else str(field.type)


@cache
def _fields_of(kind: type[Command]) -> tuple[tuple[str, str, bool, bool, bool], ...]:
    """Name in the record, attribute, is it text, is it a player's name, is it needed: for each field of a command."""
    return tuple(
        (field_name(f), f.name, type_words(f) == "str", _is_name(f), f.default is MISSING) for f in fields(kind)
    )


def _is_name(field: Field[Any]) -> bool:
    """Say whether a field names a player; `to` something that is no text is to an amount."""
    name = field_name(field)
    return name in NAMES and (name == "player" or type_words(field).startswith("str"))
