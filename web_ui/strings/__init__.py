"""All texts of the pages, in one catalog per language.

A text may contain ``{placeholders}`` and, for counts, a form each for ``one`` and ``other``. Larger pages' texts
are in separate files, so that the other pages need not load them; each game's are in its package. The
table's own messages are translated by `companion.locale`.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from babel.numbers import format_decimal

from companion.plugins.web import WebPart

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch", "es": "Español"}
"""The available languages with their native names; English is the source language."""

_PARTS: Final = (
    "setup", "history", "enroll", "dealer", "seat", "risk", "trust", "sheets", "season", "pay", "floor", "pit",
)  # fmt: skip

Catalogue = dict[str, Any]

PARTS: Final = ("setup", "history", "enroll", "dealer", "seat", "risk", "trust", "season", "floor", "pit")
"""The text files that templates may use, besides the common one."""


@cache
def catalogue(language: str = "en", *parts: str) -> Catalogue:
    """Return a language's texts by key, with English as the fallback.

    Args:
        parts: further files of texts, such as ``setup``.
    """
    texts: Catalogue = {}
    for one in dict.fromkeys(("en", language)):
        texts |= _file(f"{one}.json")
        for part in parts:
            texts |= _file(f"{one}.{part}.json")
    return texts


def _file(name: str) -> Catalogue:
    found: Catalogue = json.loads(resources.files("web_ui.strings").joinpath(name).read_text(encoding="utf-8"))
    return found


def text(key: str, language: str = "en", **values: object) -> str:
    """Return one text with its values filled in.

    Raises:
        KeyError: the catalog has no such text: a bug.

    >>> text("to_cut", count=1), text("to_cut", count=2)
    ('1 to cut', '2 to cut')
    """
    return filled(catalogue(language, *_PARTS)[key], language, **values)


def filled(found: Any, language: str = "en", /, **values: object) -> str:
    """Return a catalog's text with its values filled in, and numbers localized.

    >>> filled({"one": "{count} coin", "other": "{count} coins"}, "de", count=2000)
    '2.000 coins'
    """
    if isinstance(found, dict):
        found = found["one" if values.get("count") == 1 else "other"]
    written = {
        name: format_decimal(value, locale=language) if type(value) is int else value for name, value in values.items()
    }
    return str(found).format(**written)


def game_catalogue(web: WebPart, language: str = "en", *parts: str) -> Catalogue:
    """Return a game's own texts by key, with English as the fallback.

    Args:
        parts: further files of texts, such as ``setup``, if the game has them.
    """
    return _locale(web.package, language, *parts)


@cache
def _locale(package: str, language: str, *parts: str) -> Catalogue:
    texts: Catalogue = {}
    for one in dict.fromkeys(("en", language)):
        for name in (f"{one}.json", *(f"{one}.{part}.json" for part in parts)):
            file = resources.files(package).joinpath("locale", name)
            if file.is_file():
                texts |= json.loads(file.read_text(encoding="utf-8"))
    return texts
