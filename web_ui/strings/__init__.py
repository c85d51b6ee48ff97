"""All text that the pages show, in one catalogue per language.

A text may hold ``{names}`` and, where it counts something, one form each for ``one`` and ``other``. The set-up page's
texts lie in files of their own, so that the other pages need not carry them. Sentences that the table itself makes are
translated by `web_ui.phrases`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch", "es": "Español"}
"""The languages that there are, each by its own name; English is the one that the others are translated from."""

Catalogue = dict[str, Any]


@cache
def catalogue(language: str = "en", *parts: str) -> Catalogue:
    """Return a language's texts by key, in English where it lacks one.

    Args:
        parts: further files of texts, such as ``setup``.
    """
    texts: Catalogue = {}
    for one in dict.fromkeys(("en", language)):
        texts |= _file(f"{one}.json")
        for part in parts:
            texts |= _file(f"{one}.{part}.json")
    return texts


@cache
def phrases(language: str) -> dict[str, str]:
    """Return the table's English sentences with their translations; empty for English."""
    return {} if language == "en" else dict(_file(f"{language}.phrases.json"))


def _file(name: str) -> Catalogue:
    found: Catalogue = json.loads(resources.files("web_ui.strings").joinpath(name).read_text(encoding="utf-8"))
    return found


def text(key: str, language: str = "en", **values: object) -> str:
    """Return one text with its values filled in.

    Raises:
        KeyError: the catalogue has no such text, which is a mistake of ours.

    >>> text("to_cut", count=1), text("to_cut", count=2)
    ('1 to cut', '2 to cut')
    """
    found = catalogue(language, "setup", "history", "enroll", "risk")[key]
    if isinstance(found, dict):
        found = found["one" if values.get("count") == 1 else "other"]
    return str(found).format(**values)


def spot_text(on: str, language: str = "en") -> str:
    """Return a bet's spot in words.

    >>> spot_text("cut/6"), spot_text("terminus/6N2")
    ('Kin cuts', 'Kin night 2 comes last')
    """
    kind, _, what = on.partition("/")
    if len(what) <= 1:
        return text(f"spot_{kind}", language, suit=text(f"suit_{what}", language) if what else "")
    return text(f"spot_{kind}", language, card=card_text(what, language))


def card_text(card: str, language: str = "en") -> str:
    """Return a card in words.

    >>> card_text("6D3")
    'Kin day 3'
    """
    half = text("day" if card[1] == "D" else "night", language)
    return text("card_name", language, suit=text(f"suit_{card[0]}", language), half=half, number=card[2:])
