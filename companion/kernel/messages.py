"""Translatable messages for people: a sentence with placeholders (slots), and their values.

A `Message` is a `str` with the English text, so it works wherever text does. It also keeps the unfilled sentence,
``{player} buys in for {coins}``, which is its key in the translation catalogs (see `companion.locale`).
Concatenating messages with plain string operations loses the translation; combine them with another message.
"""

from collections.abc import Callable, Iterable, KeysView, Mapping, Sequence
from functools import cache, reduce
from string import Formatter
from typing import Any, Final, Self

Words = str
"""Text for people in a JSON object that leaves the process.

Such an object is a `TypedDict` next to the code that builds it, usually named ``...Json``. The API description
(`web_ui.openapi`) and the pages' type hints (`tools.browser_types`) are generated from these types, including the class
docstring and the string below each field.
"""

Value = str | int
"""The value of a slot. A `Message` as a value is translated along with the message that contains it."""

_SAY: Final = "say"
_PLURAL: Final = "plural"
_WITH: Final = "with"


class Message(str):
    """A translatable English sentence.

    Attributes:
        key: the English sentence with unfilled slots; the singular if there is a plural.
        plural: the plural form; None if nothing is counted.
        values: slot -> value. ``n`` is the count that selects the plural.
    """

    __slots__ = ("key", "plural", "values")
    key: str
    plural: str | None
    values: Mapping[str, Value]

    def __new__(cls, key: str, values: Mapping[str, Value] | None = None, plural: str | None = None) -> Self:
        given = values or {}
        self = super().__new__(cls, filled(key if plural is None or given["n"] == 1 else plural, given))
        self.key, self.plural, self.values = key, plural, given
        return self

    def __str__(self) -> str:
        return self

    def __deepcopy__(self, memo: Mapping[int, object]) -> Self:
        return self

    def __format__(self, spec: str) -> str:
        """Return the text; the format spec ``capital`` capitalizes its first letter."""
        return self[:1].upper() + self[1:] if spec == "capital" else str.__format__(self, spec)

    def __reduce__(self) -> tuple[type[Self], tuple[str, Mapping[str, Value], str | None]]:
        return type(self), (self.key, self.values, self.plural)

    def to_json(self) -> dict[str, Any]:
        """Return the message in the journal's form."""
        several = {} if self.plural is None else {_PLURAL: self.plural}
        return {_SAY: self.key, **several, _WITH: packed(self.values)}


def filled(sentence: str, values: Mapping[str, Value]) -> str:
    """Return a sentence with its slots filled, and English thousands separators in numbers.

    >>> filled("{player} buys in for {coins}", {"player": "Ann", "coins": 1200})
    'Ann buys in for 1,200'
    """
    if not values:
        return sentence
    return sentence.format_map({slot: f"{value:,}" if type(value) is int else value for slot, value in values.items()})


@cache
def slots_of(sentence: str) -> KeysView[str]:
    """Return the slot names of a sentence, in order.

    >>> list(slots_of("{player} buys in for {coins}: {player} is brave"))
    ['player', 'coins']
    """
    return dict.fromkeys(slot for _, slot, _, _ in Formatter().parse(sentence) if slot).keys()


def message(key: str, /, **values: Value) -> Message:
    """Return a message.

    Args:
        key: the English sentence, with a ``{slot}`` for each value. Must be a string literal in the call: the catalogs
            are extracted from the source.

    >>> message("{player} bets on {spot}", player="Ann", spot=message("red"))
    'Ann bets on red'
    """
    return Message(key, values)


def plural(one: str, several: str, n: int, /, **values: Value) -> Message:
    """Return a message with singular and plural forms, and the count as ``{n}``.

    >>> plural("{n} card burned", "{n} cards burned", 3)
    '3 cards burned'
    """
    return Message(one, {"n": n, **values}, several)


def listed(items: Sequence[Value]) -> Value:
    """Return the items joined by commas, with "and" before the last; an empty text for none.

    >>> listed(["Ann"]), listed(["Ann", "Bo", "Cy"])
    ('Ann', 'Ann, Bo and Cy')
    """
    if not items:
        return ""
    if len(items) == 1:
        return items[0]
    return message("{items} and {last}", items=joined(items[:-1]), last=items[-1])


def either(items: Sequence[Value]) -> Value:
    """Return the items joined by commas, with "or" before the last; an empty text for none.

    >>> either(["Ann"]), either(["Ann", "Bo", "Cy"])
    ('Ann', 'Ann, Bo or Cy')
    """
    if len(items) < 2:
        return items[0] if items else ""
    return message("{items} or {last}", items=joined(items[:-1]), last=items[-1])


def linked(items: Sequence[Value]) -> Value:
    """Return the items joined by "and"; an empty text for none.

    >>> linked(["Ann", "Bo", "Cy"])
    'Ann and Bo and Cy'
    """
    return reduce(lambda before, item: message("{items} and {last}", items=before, last=item), items) if items else ""


def joined(items: Iterable[Value], between: str = ", ") -> Message:
    """Return the items joined by a separator; messages among them are translated with the whole.

    >>> joined(["Ann", "Bo"])
    'Ann, Bo'
    """
    slots = {f"item{number}": item for number, item in enumerate(items)}
    return Message(between.join(f"{{{slot}}}" for slot in slots), slots)


Translate = Callable[[Message], str]


def in_words_of(value: Any, translate: Translate) -> Any:
    """Return a value with all messages translated, also those nested in lists and dictionaries.

    >>> in_words_of({"log": [message("red"), "Ann"]}, lambda found: {"red": "rot"}[found.key])
    {'log': ['rot', 'Ann']}
    """
    if isinstance(value, Message):
        return translate(value)
    if isinstance(value, Mapping):
        return {name: in_words_of(inner, translate) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [in_words_of(inner, translate) for inner in value]
    return value


def packed(value: Any) -> Any:
    """Return a JSON value for the journal, with messages as objects that `unpacked` reads.

    >>> packed(["Ann", message("red")])
    ['Ann', {'say': 'red', 'with': {}}]
    """
    if isinstance(value, Message):
        return value.to_json()
    if isinstance(value, Mapping):
        return {name: packed(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [packed(inner) for inner in value]
    return value


def unpacked(found: dict[str, Any]) -> Any:
    """Return the message that a journal's JSON object stands for, or the object: an ``object_hook`` for `json.loads`.

    Both keys are checked by type: a mapping from player names could have the keys "say" and "with".

    >>> unpacked({"say": "{player} folds", "with": {"player": "Ann"}})
    'Ann folds'
    >>> unpacked({"say": 2, "with": 3})
    {'say': 2, 'with': 3}
    """
    if isinstance(found.get(_SAY), str) and isinstance(found.get(_WITH), dict):
        return Message(found[_SAY], found[_WITH], found.get(_PLURAL))
    return found
