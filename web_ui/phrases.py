"""The table's own sentences in other languages: what happened, what to do next, what is asked, why
something is refused.

The rules speak English, and so does the journal, for good. A phrase is such a sentence with slots for what differs,
``{player} buys in for {n}``: the English is the message's name, the slots its parameters, and the pages find both again
in the sentence. What no phrase fits stays English: no sentence is ever lost or half translated.

`static/js/phrases.js` does the same in the browser; a test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from web_ui.strings import catalogue, phrases

_SUITS: Final = "Mages|Realm|World|Valor|Kin|Commons"
_CARD: Final = rf"(?:{_SUITS}) (?:day|night) \d"
SLOTS: Final[Mapping[str, str]] = {
    "card": _CARD,
    "cards": rf"{_CARD}(?:, {_CARD})*(?: and {_CARD})?",
    "suit": _SUITS,
    "half": "day|night",
    "n": r"[+−-]?\d[\d.,]*",
    "face": "[1-4][dn]",
    "said": ".+",
    "player": "[^:;,.!?]{1,40}?",  # a name, as far as it cannot be mistaken for half a sentence
}
"""Slot -> what may stand there; of a slot's name a number at its end does not count. Any other slot takes any text."""

_SLOT: Final = re.compile(r"\{([a-z_]+?)(\d*)\}")
_SUIT_RANKS: Final = {name: rank for rank, name in enumerate(_SUITS.split("|"), start=2)}
_DEEPEST: Final = 4


def say(text: str, language: str) -> str:
    """Return a sentence of the table in a language; in English if no phrase fits.

    >>> say("Aubrey buys in for 50", "de")
    'Aubrey kauft sich für 50 ein'
    >>> say("Something new", "de")
    'Something new'
    """
    return text if language == "en" or not text else _said(str(text), language, 0)


@lru_cache(maxsize=4096)
def _said(text: str, language: str, depth: int) -> str:
    for pattern, names, translation in _book(language):
        found = pattern.fullmatch(text)
        if found is not None:
            values = {
                name: _value(name, value, language, depth) for name, value in zip(names, found.groups(), strict=True)
            }
            return translation.format_map(values)
    return text


def _value(name: str, value: str, language: str, depth: int) -> str:
    kind = name.rstrip("0123456789")
    texts = catalogue(language)
    if kind == "said":
        return _said(value, language, depth + 1) if depth < _DEEPEST else value
    if kind == "suit":
        return str(texts[f"suit_{_SUIT_RANKS[value]}"])
    if kind == "half":
        return str(texts[value])
    if kind == "card":
        return _card(value, texts)
    if kind == "cards":
        several = re.sub(_CARD, lambda found: _card(found[0], texts), value)
        return several.replace(" and ", f" {texts['and']} ")
    return value


def _card(words: str, texts: Mapping[str, str]) -> str:
    suit, half, number = words.split(" ")
    return texts["card_name"].format(suit=texts[f"suit_{_SUIT_RANKS[suit]}"], half=texts[half], number=number)


Phrase = tuple[re.Pattern[str], tuple[str, ...], str]


@cache
def _book(language: str) -> tuple[Phrase, ...]:
    """Return the language's phrases, those with the most letters of their own first."""
    listed = sorted(phrases(language).items(), key=lambda item: -len(_SLOT.sub("", item[0])))
    return tuple((pattern_of(english), names_in(english), translation) for english, translation in listed)


def names_in(phrase: str) -> tuple[str, ...]:
    """Return a phrase's slots in order.

    >>> names_in("{player} plays {card}, pays {player2} {n}")
    ('player', 'card', 'player2', 'n')
    """
    return tuple(slot[1] + slot[2] for slot in _SLOT.finditer(phrase))


def pattern_of(phrase: str) -> re.Pattern[str]:
    """Return what finds a phrase's parameters in a sentence."""
    parts, end = [], 0
    for slot in _SLOT.finditer(phrase):
        parts += [re.escape(phrase[end : slot.start()]), f"({SLOTS.get(slot[1], '.+?')})"]
        end = slot.end()
    return re.compile("".join((*parts, re.escape(phrase[end:]))), re.DOTALL)
