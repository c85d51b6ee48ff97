"""Fast frozen dataclasses: cheaper construction and `dataclasses.replace`.

A replay runs tens of thousands of commands a second, and each creates a dozen new values. A frozen dataclass
sets its fields through `object.__setattr__`; here they are written directly into their slots.
"""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, TypeVar, dataclass_transform

V = TypeVar("V")
_Copy = Callable[[Any], Any]
_Put = Callable[[Any, Any], None]


@dataclass_transform(frozen_default=True)
def quick(kind: type[V]) -> type[V]:
    """Make a class a frozen dataclass with slots that is quicker to create.

    ``default_factory`` and ``__post_init__`` are not supported.

    >>> @quick
    ... class Chip:
    ...     value: int
    ...     colour: str = "red"
    >>> Chip(5), Chip(5) == Chip(value=5, colour="red")
    (Chip(value=5, colour='red'), True)
    """
    made: Any = dataclass(frozen=True, slots=True)(kind)
    known: dict[str, object] = {**_puts(made)}
    parameters = []
    for field in fields(made):
        assert field.default_factory is MISSING, "a default is a value here"
        parameters.append(field.name if field.default is MISSING else f"{field.name}=default_{field.name}")
        known[f"default_{field.name}"] = field.default
    body = [f" put_{field.name}(self, {field.name})" for field in fields(made)]
    exec("\n".join((f"def __init__(self, {', '.join(parameters)}):", *body)), known)
    made.__init__ = known["__init__"]
    return made  # type: ignore[no-any-return]


def changed(value: V, **changes: Any) -> V:
    """Return a copy of a frozen, slotted dataclass with some fields changed. Does not run ``__post_init__``.

    Raises:
        KeyError: no such field: a bug, not a user's mistake.

    >>> from companion.kernel.game import Seat
    >>> changed(Seat(1, "Ann"), number=2)
    Seat(number=2, player='Ann')
    """
    copied, setters = _copier(type(value))  # type: ignore[arg-type]  # a class is hashable
    new: V = copied(value)
    for name, changed_to in changes.items():
        setters[name](new, changed_to)
    return new


@cache
def _copier(kind: type) -> tuple[_Copy, dict[str, _Put]]:
    """Return a class's copy function, and the setter of each field.

    The copy function is generated once per class, as `dataclasses` generates ``__init__``.
    """
    names = [field.name for field in fields(kind)]
    known: dict[str, Any] = {"make": object.__new__, "kind": kind, **_puts(kind)}
    lines = ["def copied(value):", " new = make(kind)", *(f" put_{n}(new, value.{n})" for n in names), " return new"]
    exec("\n".join(lines), known)
    return known["copied"], {name: known[f"put_{name}"] for name in names}


def _puts(kind: type) -> dict[str, _Put]:
    """Return each field's slot setter as ``put_<name>``."""
    return {f"put_{field.name}": getattr(kind, field.name).__set__ for field in fields(kind)}
