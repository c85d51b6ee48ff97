"""Practice: what happens now and what can be done, for players who have never played. From the room's view alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

View = Mapping[str, Any]


def practice_text(view: View) -> str | None:
    """Return two or three sentences about this step; None where there is nothing to explain."""
    if view.get("hold"):
        return "The table is on hold: nothing counts until it is released."
    explain = _GAMES.get(str(view.get("game")))
    return explain(view) if explain else None


# ---- Rochi and Captain's Rochi


def _rochi(view: View) -> str:
    phase = view["phase"]
    if phase == "turns":
        return f"{_turn(view)} {_ripe(view)}".rstrip()
    return _ROCHI.get(phase, "")


_ROCHI: Final = {
    "waiting": "Two players sit down with their coins. The antes go into the pots as the game begins.",
    "seeding": (
        "With fewer than six players some cards come from the deck before anybody plays, each onto its suit's stack. "
        "A suit of which half the cards lie there is cut; nobody owns it yet, so it is locked and out of the hand."
    ),
    "last-player": (
        "Everybody else has folded. The last player turns cards over until one of his suits is cut; "
        "he takes its pot, and nobody pays a penalty."
    ),
    "between-hands": (
        "The hand is over. The winner has taken his suit's pot and the penalties; the other pots stay for later hands. "
        "Players may come and go now. The leader button moves one seat to the left."
    ),
    "odd-coin": "Half of an odd penalty leaves half a coin: the loser puts a whole one into a pot of his choice.",
    "finished": "The game is over. What lay in the pots has been shared out.",
}


def _turn(view: View) -> str:
    name, done, can = view["turn"], view["done"], view["expected"]
    if done["play"]:
        more = "He may also turn over the deck's top card, or end the turn." if "deal" in can else "He ends the turn."
        return f"{name} has bought a suit and owns it until somebody buys it. {more}"
    if done["deal"]:
        more = "He may also play a card from his hand, or end the turn." if "play" in can else "He ends the turn."
        return f"{name} has turned a card over. {more}"
    pass_ = "pass, for a new hand of cards" if view["game"] == "captains" else "fold, and be out of this hand"
    return (
        f"It is {name}'s turn: {_ways('play' in can, 'deal' in can)}; or {pass_}. A played card buys its suit: he pays "
        "as many coins as the stack then has cards, to the owner, or into the pot if nobody owns it. Only a card from "
        "the deck can cut a suit, and the suit's owner wins."
    )


def _ways(can_play: bool, can_deal: bool) -> str:
    """Captain's Rochi allows no deal on its first turn; who has no card left cannot play one."""
    if can_play and can_deal:
        return "play a card from the hand, turn over the deck's top card, or both, in any order"
    return "play a card from the hand" if can_play else "turn over the deck's top card"


def _ripe(view: View) -> str:
    ripe = [stack for stack in view["stacks"] if stack["condition"] in ("ripe", "rotten") and stack["to_cut"] == 1]
    said = []
    for stack in ripe:
        owner = stack["owner"]
        outcome = f"{owner} wins" if owner else "it is locked, because nobody owns it"
        said.append(f"{stack['name']} is ripe: with the next {stack['name']} card from the deck {outcome}.")
    return " ".join(said)


# ---- Roche and Rugen


def _roche(view: View) -> str:
    return _ROCHE.get(view["phase"], "")


_ROCHE: Final = {
    "betting": "Bet on the suit that will be cut first: of which half the cards are turned over before any other's.",
    "dealing": "No more bets. Cards are turned over one by one until one suit has half of its cards on the table.",
    "settled": "A suit is cut: bets on it are paid at the printed prices, with the stake; all others are lost.",
}


def _house(view: View) -> str:
    return (
        "A number breaks the chain when it has been thrown as many times as it says: one 1, two 2s, three 3s or four "
        "4s. Center, day and night bets are on the next throw alone; chain bets are on the number that breaks, and are "
        + ("made now, before the first throw." if view["phase"] == "chain-start" else "closed until it does.")
    )


def _street(view: View) -> str:
    return _STREET.get(view["phase"], "")


_STREET: Final = {
    "point": "The shooter throws once: the number is his point, and he has to bet on it.",
    "stake": "The shooter says for how many units he plays: 1 costs eight coins a unit, 2 five, 3 four and 4 three.",
    "taking": "The others may each take a number that is left, for as many units, or bet among themselves.",
    "chain": "The shooter throws until a taken number has come as many times as it says; who has it takes all stakes.",
}


def _capital(view: View) -> str:
    if view["phase"] == "taking":
        return "Players take numbers at the printed price; the house covers the rest for a little less."
    return "The die is thrown until a number has come as many times as it says; who has it takes all stakes."


_GAMES: Final[Mapping[str, Callable[[View], str]]] = {
    "rochi": _rochi,
    "captains": _rochi,
    "roche": _roche,
    "rugen-house": _house,
    "rugen-street": _street,
    "rugen-capital": _capital,
}
