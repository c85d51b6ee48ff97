"""A game's options as one pydantic model: used for configuration, header and set-up form.

Each field is an option. Type, bounds and default are checked in the configuration file; a `Setting` in the
annotation adds more. Options shared by several games go under ``[table]``, the rest in a table named after the game.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import ClassVar, Final, Literal, NotRequired, get_args, get_origin

from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo
from typing_extensions import TypedDict

from companion.kernel.game import Options

TABLE: Final = "table"
"""The configuration table of options shared by games."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Where an option can be set; part of its field's annotation.

    Attributes:
        is_shared: it stands under ``[table]``, where other games may have it, too.
        by_hand: it can be set in the file alone. Prices and paths are: whoever has the dealer's PIN must not reach
            files, nor give coins away.
        by_house: the floor of a house of many tables may set it all the same: its list is checked and says who set it.
        in_form: the set-up page has a field for it.
        values: what the set-up page offers, where the type does not say so.
    """

    is_shared: bool = False
    by_hand: bool = False
    by_house: bool = False
    in_form: bool = True
    values: tuple[str, ...] = ()


SHARED: Final = Setting(is_shared=True)


class OptionError(Exception):
    """Options that cannot be used together, or files that they name; the key is the option's, then those inside it."""

    def __init__(self, key: Sequence[str], what: str) -> None:
        super().__init__(what)
        self.key = tuple(key)
        self.what = what


class GameOptions(BaseModel):
    """Base of a game's options. This one has none."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    has_turns: ClassVar[bool] = False
    "Whether players take turns, so that the turn timer can be set."
    decks_option: ClassVar[str | None] = None
    "The option that says how many decks are played together; None where one is."

    def header(self, folder: Path) -> Options:
        """Return the header's options, but for the limits.

        Args:
            folder: of the configuration file, from where paths in it start.

        Raises:
            OptionError: they cannot be used.
        """
        return self.model_dump(exclude_none=True)

    def check_limits(self, limits: Options) -> None:
        """Refuse limits of the table under which the game cannot be played.

        Raises:
            OptionError: what is wrong with which of them.
        """

    def for_edges(self, chosen: Options) -> Options:
        """Return the header's options under which the house edge is shown beside a choice."""
        return chosen


def setting(field: FieldInfo) -> Setting:
    """Return how an option is set."""
    return next((one for one in field.metadata if isinstance(one, Setting)), Setting())


def place_of(game: str, model: type[GameOptions], option: str) -> str:
    """Return the configuration's table in which an option stands; an unknown one is a limit."""
    field = model.model_fields.get(option)
    return TABLE if field is None or setting(field).is_shared else game


def settable_keys(game: str, model: type[GameOptions]) -> tuple[str, ...]:
    """Return the options that the set-up page may write, as dotted keys of the configuration."""
    found = ((name, setting(field)) for name, field in model.model_fields.items())
    return tuple(f"{TABLE if how.is_shared else game}.{name}" for name, how in found if not how.by_hand)


def choices(model: type[GameOptions]) -> dict[str, tuple[str, ...]]:
    """Return the values of each option that is one of a few; these may change the house edge.

    >>> class Toss(GameOptions):
    ...     coin: Literal["old", "new"] = "old"
    ...     twice: bool = False
    >>> choices(Toss)
    {'coin': ('old', 'new')}
    """
    found = {name: _values(field) for name, field in model.model_fields.items() if not setting(field).by_hand}
    return {name: values for name, values in found.items() if values}


FieldKind = Literal["choice", "number", "switch"]


class FormFieldJson(TypedDict):
    """One field of the set-up page; see `FormField`."""

    key: str
    kind: FieldKind
    title: str
    option: NotRequired[str]
    of: tuple[str, ...]
    least: NotRequired[int]
    needed: bool
    coins: bool


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of the set-up page.

    Attributes:
        key: dotted, in the configuration.
        title: what it is called where the page has no words of its own.
        option: the header's option if it changes the house edge, else None.
        of: the values of a choice.
        least: the least that a number can be; 0 where its type does not say.
        needed: whether a number cannot be left out.
        coins: whether a number is one of coins.
    """

    key: str
    kind: FieldKind
    title: str
    option: str | None = None
    of: tuple[str, ...] = ()
    least: int | None = None
    needed: bool = False
    coins: bool = False

    def to_json(self) -> FormFieldJson:
        """Return the field for the page."""
        told: FormFieldJson = {"key": self.key, "kind": self.kind, "title": self.title, "of": self.of,
                               "needed": self.needed, "coins": self.coins}  # fmt: skip
        if self.option is not None:
            told["option"] = self.option
        if self.least is not None:
            told["least"] = self.least
        return told


def form_fields(game: str, model: type[GameOptions], *, has_edges: bool) -> tuple[FormField, ...]:
    """Return the set-up page's fields for a game's options; against a house each choice has an edge."""
    shown = ((name, field) for name, field in model.model_fields.items()
             if setting(field).in_form and not setting(field).by_hand)  # fmt: skip
    made = (_form_field(place_of(game, model, name), name, field, has_edges) for name, field in shown)
    return tuple(field for field in made if field is not None)


def _form_field(place: str, name: str, field: FieldInfo, has_edge: bool) -> FormField | None:
    """Return the field for an option; None for a type that no field is for."""
    key, title = f"{place}.{name}", field.title or name.replace("_", " ").capitalize()
    if values := _values(field):
        return FormField(key, "choice", title, name if has_edge else None, values)
    if field.annotation is bool:
        return FormField(key, "switch", title)
    kinds = set(get_args(field.annotation)) or {field.annotation}
    if kinds - {NoneType} != {int}:
        return None
    least = next((bound.ge for bound in field.metadata if hasattr(bound, "ge")), 0)
    return FormField(key, "number", title, least=least, needed=NoneType not in kinds)


def _values(field: FieldInfo) -> tuple[str, ...]:
    is_literal = get_origin(field.annotation) is Literal
    return setting(field).values or (get_args(field.annotation) if is_literal else ())
