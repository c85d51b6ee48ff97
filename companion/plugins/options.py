"""A game's options as one pydantic model, used for the configuration, the header and the set-up form.

Each field is an option. Its type and bounds are checked in the configuration file; a `Setting` in the annotation adds
where it can be set. Options shared by several games go under ``[table]``, the rest in a table named after the game.
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
        is_shared: it is under ``[table]``, where other games may use it as well.
        by_hand: it can be set only in the file, such as prices and paths: the dealer's PIN must not give access to
            files, nor allow giving coins away.
        by_house: the floor of a house of many tables may set it nevertheless: its list is checked and records the
            author.
        in_form: the set-up page has a field for it.
        values: the values offered on the set-up page, if the type does not define them.
    """

    is_shared: bool = False
    by_hand: bool = False
    by_house: bool = False
    in_form: bool = True
    values: tuple[str, ...] = ()


SHARED: Final = Setting(is_shared=True)


class OptionError(Exception):
    """Unusable options or files named by them; ``key`` is the option's name, followed by keys inside it."""

    def __init__(self, key: Sequence[str], what: str) -> None:
        super().__init__(what)
        self.key = tuple(key)
        self.what = what


class GameOptions(BaseModel):
    """Base class of a game's options; has none itself."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    has_turns: ClassVar[bool] = False
    "Whether players take turns, so that the turn timer can be set."
    decks_option: ClassVar[str | None] = None
    "The option with the number of decks played together; None: always one."

    def header(self, folder: Path) -> Options:
        """Return the header's options, without the limits.

        Args:
            folder: the configuration file's folder, which paths in it are relative to.

        Raises:
            OptionError: the options cannot be used.
        """
        return self.model_dump(exclude_none=True)

    def check_limits(self, limits: Options) -> None:
        """Check the table's limits against the game.

        Raises:
            OptionError: the game cannot be played under a limit.
        """

    def for_edges(self, chosen: Options) -> Options:
        """Return the header's options for which the house edge is shown next to a choice."""
        return chosen


def setting(field: FieldInfo) -> Setting:
    """Return the `Setting` of an option; the default one if it has none."""
    return next((one for one in field.metadata if isinstance(one, Setting)), Setting())


def place_of(game: str, model: type[GameOptions], option: str) -> str:
    """Return the configuration table of an option; an unknown option is a limit, under ``[table]``."""
    field = model.model_fields.get(option)
    return TABLE if field is None or setting(field).is_shared else game


def settable_keys(game: str, model: type[GameOptions]) -> tuple[str, ...]:
    """Return the options that the set-up page may write, as dotted configuration keys."""
    found = ((name, setting(field)) for name, field in model.model_fields.items())
    return tuple(f"{TABLE if how.is_shared else game}.{name}" for name, how in found if not how.by_hand)


def choices(model: type[GameOptions]) -> dict[str, tuple[str, ...]]:
    """Return the values of each option with a fixed set of them; these may change the house edge.

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
        key: the dotted configuration key.
        kind: the kind of field.
        title: the label if the page has no text of its own.
        option: the header's option if it may change the house edge, else None.
        of: the values of a choice.
        least: the minimum of a number; 0 if its type defines none.
        needed: whether a number is mandatory.
        coins: whether a number is an amount of coins.
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
    """Return the set-up page's fields for a game's options; ``has_edges``: whether choices show a house edge."""
    shown = ((name, field) for name, field in model.model_fields.items()
             if setting(field).in_form and not setting(field).by_hand)  # fmt: skip
    made = (_form_field(place_of(game, model, name), name, field, has_edges) for name, field in shown)
    return tuple(field for field in made if field is not None)


def _form_field(place: str, name: str, field: FieldInfo, has_edge: bool) -> FormField | None:
    """Return the field for an option; None if there is no field for its type."""
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
