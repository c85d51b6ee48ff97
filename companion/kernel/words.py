"""Codes in words for people: a card, a spot of the layout, and a command in a few words for the undo button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from companion.objects.cards import SUIT_CARDS, SUIT_NAMES

GAME_NAMES: Final[Mapping[str, str]] = {
    "roche": "Roche",
    "rochi": "Rochi",
    "captains": "Captain's Rochi",
    "rugen-house": "House Rugen",
    "rugen-street": "Street Rugen",
    "rugen-capital": "Capital Rugen",
}
_OF_SUIT: Final = {"cut": "{} to cut", "day": "{} by day", "night": "{} by night", "starlight": "no {} at all"}
_OF_CARD: Final = {"card": "{} in the cut", "terminus": "{} to come last", "oscura": "{} not in the cut"}


def card_words(card: str) -> str:
    """Return a card in words; what is no card of the six suits stays as it is.

    >>> card_words("6D3"), card_words("TS")
    ('Kin day 3', 'TS')
    """
    known = SUIT_CARDS.get(card)
    return f"{known.suit_name} {known.half} {known.number}" if known else card


def spot_words(on: str) -> str:
    """Return what a bet is on; other games' spots stay as they are.

    >>> spot_words("cut/6"), spot_words("terminus/6N2"), spot_words("cavalry")
    ('Kin to cut', 'Kin night 2 to come last', 'cavalry')
    """
    kind, _, what = on.partition("/")
    if kind in _OF_SUIT and what.isascii() and what.isdigit() and int(what) in SUIT_NAMES:
        return _OF_SUIT[kind].format(SUIT_NAMES[int(what)])
    if kind in _OF_CARD and what in SUIT_CARDS:
        return _OF_CARD[kind].format(card_words(what))
    return on


def counted(count: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "card"), counted(2, "card")
    ('1 card', '2 cards')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def win_words(won: int, stake: int, bets: int = 1) -> str:
    """Return what winning bets come to: winnings to pay, stakes that go back, and both together.

    >>> win_words(40, 4)
    '40 won, stake of 4 back: 44 in all'
    """
    back = "stake" if bets == 1 else "stakes"
    return f"{won} won, {back} of {stake} back: {won + stake} in all"


def command_words(record: Mapping[str, Any]) -> str:
    """Return an accepted command in a few words, to follow "Undo:" or "Done again:".

    >>> command_words({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5})
    "Ann's bet of 5 on Kin to cut"
    >>> command_words({"do": "deal", "card": "6D3"}), command_words({"do": "no-more-bets"})
    ('the deal of Kin day 3', 'no more bets')
    """
    said = _COMMANDS.get(record["do"])
    return str(record["do"]).replace("-", " ") if said is None else said(record)


def _purse_words(record: Mapping[str, Any]) -> str:
    return str(record["player"]) if record.get("player") else f"the pot of {SUIT_NAMES[record['pot']]}"


_COMMANDS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "bet": lambda r: f"{r['player']}'s bet of {r['amount']} on {spot_words(r['on'])}",
    "take-back": lambda r: f"{r['player']} taking back {spot_words(r['on'])}",
    "burn": lambda r: f"burning {counted(r['count'], 'card')}",
    "deal": lambda r: f"the deal of {card_words(r['card'])}",
    "new-round": lambda r: "the new round",
    "join": lambda r: f"{r['player']} sitting down",
    "leave": lambda r: f"{r['player']} standing up",
    "buy-in": lambda r: f"{r['player']} buying in for {r['coins']}",
    "cash-out": lambda r: f"{r['player']} cashing out",
    "recount": lambda r: f"the recount of {_purse_words(r)} to {r['coins']}",
    "hold": lambda r: "the hold",
    "release": lambda r: "the release",
}
