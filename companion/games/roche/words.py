"""Roche in words for people: spots of the layout, and commands for the undo button."""

from __future__ import annotations

from typing import Final

from companion.games.six_suits import pot_name
from companion.kernel.commands import Record
from companion.kernel.words import card_words, command_words, counted
from companion.objects.cards import SUIT_CARDS, SUIT_NAMES

_OF_SUIT: Final = {"cut": "{} to cut", "day": "{} by day", "night": "{} by night", "starlight": "no {} at all"}
_OF_CARD: Final = {"card": "{} in the cut", "terminus": "{} to come last", "oscura": "{} not in the cut"}


def spot_words(on: str) -> str:
    """Return what a bet is on; what is no spot stays as it is.

    >>> spot_words("cut/6"), spot_words("terminus/6N2"), spot_words("cavalry")
    ('Kin to cut', 'Kin night 2 to come last', 'cavalry')
    """
    kind, _, what = on.partition("/")
    if kind in _OF_SUIT and what.isascii() and what.isdigit() and int(what) in SUIT_NAMES:
        return _OF_SUIT[kind].format(SUIT_NAMES[int(what)])
    if kind in _OF_CARD and what in SUIT_CARDS:
        return _OF_CARD[kind].format(card_words(what))
    return on


def describe(record: Record) -> str:
    """Return an accepted command in a few words, to follow "Undo:".

    >>> describe({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}), describe({"do": "burn", "count": 1})
    ("Ann's bet of 5 on Kin to cut", 'burning 1 card')
    >>> describe({"do": "deal", "card": "6D3"}), describe({"do": "no-more-bets"})
    ('the deal of Kin day 3', 'no more bets')
    """
    if record["do"] == "burn":
        return f"burning {counted(record['count'], 'card')}"
    return command_words(record, spot_words, pot_name)
