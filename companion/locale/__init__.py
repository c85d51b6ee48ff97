"""Translations of the program's messages: gettext catalogs ``de.po`` and ``es.po``.

The catalogs beside this module contain the program's own messages; each game's are in its package's ``locale`` folder.
Keys are those of `companion.kernel.messages`; ``make messages`` updates the files from the source.
"""

import re
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from gettext import c2py
from importlib import resources
from io import BytesIO
from typing import Final

from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from companion.kernel.messages import Message, Value, filled, slots_of

PACKAGE: Final = "companion"
_ENGLISH: Final = "en"
_WRITTEN_OUT: Final = "de"
"""A language whose catalog contains every message."""
_PUT_TOGETHER: Final = re.compile(r"(?:\{item\d+\}|[^\w{}]|\d)*")
"""Formats with only punctuation and digits between plain slots, as `joined` makes them, or a throw of dice (1-2-4)."""
_COUNTED: Final = "n"
"""The slot with the number in a plural message; see `companion.kernel.messages.plural`."""
_GROUPED: Final = 1000
"""Smallest number written with thousands separators."""
_TITLES: Final = frozenset({"game", "before"})
"""Slots that may contain a game's title as plain text, as in journals; it is translated, too."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A language's translations: key -> plural forms, and the rule that selects one for a number.

    Attributes:
        counted: English plural form -> singular form, which is the key.
    """

    forms: Mapping[str, tuple[str, ...]]
    form_for: Callable[[int], int]
    counted: Mapping[str, str] = field(default_factory=dict)


class Translator:
    """Translates messages; falls back to English.

    >>> from companion.kernel.messages import message
    >>> Translator([])(message("Undone: {what}", what="the hold"), "de")
    'Zurückgenommen: the hold'

    Args:
        packages: Python packages with a ``locale`` folder besides the program's own: those of the games.
        first: returns the package that takes precedence: that of the game on the table.
    """

    def __init__(self, packages: Iterable[str], first: Callable[[], str] = lambda: PACKAGE) -> None:
        self._packages, self._first = tuple(packages), first

    def __call__(self, text: str, language: str) -> str:
        """Return a text in a language. Texts that are not messages, such as free text, are returned unchanged."""
        if language == _ENGLISH or not isinstance(text, Message):
            return str(text)
        found = catalogue(language, (PACKAGE, self._first(), *self._packages))
        sentence = self._sentence(text, found)
        if sentence is None:
            return str(text)
        values = {slot: self._value(_titled(slot, value, found), language) for slot, value in text.values.items()}
        return filled(sentence, values)

    def _value(self, value: Value, language: str) -> Value:
        if type(value) is int:
            return format_decimal(value, locale=language) if abs(value) >= _GROUPED else str(value)
        return Message(self(value, language)) if isinstance(value, Message) else value

    @staticmethod
    def _sentence(text: Message, found: Catalogue) -> str | None:
        """Return a message's translated format string; None if it is not translated."""
        forms = found.forms.get(text.key)
        if forms is None:
            return None if _has_words(text.key) else text.key
        if text.plural is None or len(forms) == 1:
            return forms[0]
        return forms[found.form_for(int(text.values["n"]))]


def known_message(
    say: str, values: Mapping[str, object], packages: tuple[str, ...] = (), deep: int = 6
) -> Message | None:
    """Return a message received from another machine; None if this program does not define it, or its slots differ.

    Security: a message is a format string, so foreign ones are never formatted.

    Args:
        say: the format string; the plural form of a counted message.
        values: values of the slots; a nested message is an object with ``say`` and ``with``.
        packages: further packages that may define it: those of the games.
        deep: deepest nesting accepted.

    >>> known_message("the dealer asked for it", {})
    'the dealer asked for it'
    >>> known_message("{player.__class__}", {"player": "Ann"})
    >>> known_message("Undone: {what}", {"what": {"say": "the dealer asked for it", "with": {}}})
    'Undone: the dealer asked for it'
    >>> known_message("{item0}; {item1}", {"item0": "Ann", "item1": {"say": "the dealer asked for it", "with": {}}})
    'Ann; the dealer asked for it'
    >>> known_message("{n} bets", {"n": 1})
    '1 bet'
    """
    known_ones = catalogue(_WRITTEN_OUT, (PACKAGE, *packages))
    one = known_ones.counted.get(say)
    wanted = slots_of(say) if one is None else slots_of(say) | slots_of(one) | {_COUNTED}
    if not (one or say in known_ones.forms or _PUT_TOGETHER.fullmatch(say)) or wanted != values.keys():
        return None
    if one is not None and type(values[_COUNTED]) is not int:
        return None
    known = {slot: _known_value(value, packages, deep - 1) for slot, value in values.items()}
    given = {slot: value for slot, value in known.items() if value is not None}
    if given.keys() != known.keys():
        return None
    try:
        return Message(say, given) if one is None else Message(one, given, say)
    except (ValueError, TypeError):  # a value of the wrong type for its slot
        return None


def _known_value(value: object, packages: tuple[str, ...], deep: int) -> Value | None:
    if type(value) is str or type(value) is int:
        return value
    if not isinstance(value, Mapping) or value.keys() != {"say", "with"} or not deep:
        return None
    say, values = value["say"], value["with"]
    return known_message(say, values, packages, deep) if type(say) is str and isinstance(values, Mapping) else None


def _titled(slot: str, value: Value, found: Catalogue) -> Value:
    """Return a game's title in another language; other values, such as free text, unchanged."""
    return found.forms.get(value, (value,))[0] if slot in _TITLES and type(value) is str else value


@cache
def catalogue(language: str, packages: tuple[str, ...]) -> Catalogue:
    """Return a language's translations; for duplicate keys the first package takes precedence."""
    found = [own for package in _with_parents(packages) if (own := _own(language, package)) is not None]
    forms = {key: said for own in reversed(found) for key, said in own.forms.items()}
    counted = {several: one for own in reversed(found) for several, one in own.counted.items()}
    return Catalogue(forms, found[-1].form_for if found else int, counted)


@cache  # `catalogue` is cached per order of packages, which changes with the game on the table
def _own(language: str, package: str) -> Catalogue | None:
    """Return a package's own translations; None if it has none for the language."""
    file = resources.files(package).joinpath("locale", f"{language}.po")
    if not file.is_file():
        return None
    read = read_po(BytesIO(file.read_bytes()), locale=language)
    forms: dict[str, tuple[str, ...]] = {}
    counted: dict[str, str] = {}
    for entry in read:
        keys, said = _forms(entry.id), _forms(entry.string)
        if keys and all(said) and all(slots_of(one) <= slots_of(keys[-1]) for one in said):
            forms.setdefault(keys[0], said)
            counted |= dict.fromkeys(keys[1:], keys[0])
    return Catalogue(forms, c2py(read.plural_expr), counted)


def _forms(texts: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the forms of a key or translation: one, or several if it is a plural."""
    return ((texts,) if texts else ()) if isinstance(texts, str) or texts is None else tuple(texts)


def _with_parents(packages: Iterable[str]) -> Iterable[str]:
    """Return packages and their parents, whose texts they share; innermost first."""
    every = (package.split(".") for package in packages)
    return dict.fromkeys(".".join(parts[:size]) for parts in every for size in range(len(parts), 0, -1))


@cache
def _has_words(key: str) -> bool:
    return any(c.isalpha() for literal, _, _, _ in string.Formatter().parse(key) for c in literal)
