"""Codes in words for people: a card, an amount, and a command in a few words for the undo button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from companion.kernel.commands import Record
from companion.objects.cards import SUIT_CARDS


def card_words(card: str) -> str:
    """Return a card in words; what is no card of the six suits stays as it is.

    >>> card_words("6D3"), card_words("TS")
    ('Kin day 3', 'TS')
    """
    known = SUIT_CARDS.get(card)
    return f"{known.suit_name} {known.half} {known.number}" if known else card


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


def pot_words(pot: int) -> str:
    """Return what a pot is called where the game has no name for it.

    >>> pot_words(2)
    'pot 2'
    """
    return f"pot {pot}"


def command_words(record: Record, spot: Callable[[str], str] = str, pot: Callable[[int], str] = pot_words) -> str:
    """Return an accepted command in a few words, to follow "Undo:" or "Done again:".

    A verb that not every table knows is said as it stands, with what belongs to it.

    Args:
        spot: says what a bet is on.
        pot: says what a pot is called.

    >>> command_words({"do": "bet", "player": "Ann", "on": "red", "amount": 5})
    "Ann's bet of 5 on red"
    >>> command_words({"do": "no-more-bets"}), command_words({"do": "spin", "number": 17})
    ('no more bets', 'spin (number 17)')
    """
    verb = record["do"]
    if verb == "recount":
        whose = record["player"] if record.get("player") else pot(record["pot"])
        return f"the recount of {whose} to {record['coins']}"
    if verb in ("bet", "take-back"):
        whose, on = record["player"], spot(record["on"])
        return f"{whose}'s bet of {record['amount']} on {on}" if verb == "bet" else f"{whose} taking back {on}"
    said = _COMMANDS.get(verb)
    if said is not None:
        return said(record)
    fields = ", ".join(f"{name} {value}" for name, value in record.items() if name != "do")
    return str(verb).replace("-", " ") + (f" ({fields})" if fields else "")


_COMMANDS: Final[Mapping[str, Callable[[Record], str]]] = {
    "deal": lambda r: f"the deal of {card_words(r['card'])}",
    "new-round": lambda r: "the new round",
    "join": lambda r: f"{r['player']} sitting down",
    "leave": lambda r: f"{r['player']} standing up",
    "buy-in": lambda r: f"{r['player']} buying in for {r['coins']}",
    "cash-out": lambda r: f"{r['player']} cashing out",
    "hold": lambda r: "the hold",
    "release": lambda r: "the release",
}
