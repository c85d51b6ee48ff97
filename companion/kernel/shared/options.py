"""Parsing of header options: the same checks and error texts for every game."""

from collections.abc import Collection, Sequence

from companion.kernel.errors import BadScript
from companion.kernel.game import Options


def check_names(game: str, options: Options, known: Collection[str]) -> None:
    """Check that the game has all these options.

    Raises:
        BadScript: an unknown option; the message names it.
    """
    for key in options:
        if key not in known:
            raise BadScript(f"{game} has no option {key!r}. It knows {', '.join(sorted(known))}.")


def choice(options: Options, key: str, values: Sequence[str]) -> str:
    """Return an option's value, by default the first choice.

    Raises:
        BadScript: not one of the choices.

    >>> choice({"deck": "red"}, "deck", ("full", "red")), choice({}, "deck", ("full", "red"))
    ('red', 'full')
    """
    value = options.get(key, values[0])
    if value not in values:
        raise BadScript(f"Option {key!r} is {' or '.join(values)}, got {value!r}.")
    return str(value)


def switch(options: Options, key: str, default: bool = False) -> bool:
    """Return a boolean option.

    Raises:
        BadScript: not true or false.
    """
    value = options.get(key, default)
    if not isinstance(value, bool):
        raise BadScript(f"Option {key!r} is true or false, got {value!r}.")
    return value


def whole_number(options: Options, key: str, of: str = "coins") -> int | None:
    """Return an option's whole number, or None if it is not set.

    Args:
        of: the unit, for the error message.

    Raises:
        BadScript: not a whole number above zero.
    """
    value = options.get(key)
    if value is None:
        return None
    if type(value) is not int or value <= 0:
        raise BadScript(f"Option {key!r} is a whole number of {of} above zero, got {value!r}.")
    return value
