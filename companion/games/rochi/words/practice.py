"""Practice at a table of Rochi or Captain's Rochi: what happens now and what can be done."""

from __future__ import annotations

from typing import Final

from companion.plugins.words import View


def practice(view: View) -> str:
    """Explain a step of Rochi or Captain's Rochi."""
    phase = view["phase"]
    if phase == "turns":
        return f"{_turn(view)} {_ripe(view)}".rstrip()
    return _PHASES.get(phase, "")


_PHASES: Final = {
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
