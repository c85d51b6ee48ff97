"""Practice at a table of Rochi or Captain's Rochi: what happens now and what can be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from companion.kernel.messages import Message, joined, message
from companion.plugins.words import View

_NOTHING: Final = Message("")


def practice(view: View) -> Message:
    """Explain a step of Rochi or Captain's Rochi."""
    phase = view["phase"]
    if phase == "turns":
        return joined([_turn(view), *_ripe(view)], " ")
    return _PHASES.get(phase, _NOTHING)


_PHASES: Final[Mapping[str, Message]] = {
    "waiting": message("Two players sit down with their coins. The antes go into the pots as the game begins."),
    "seeding": message(
        "With fewer than six players some cards come from the deck before anybody plays, each onto its suit's stack. "
        "A suit of which half the cards lie there is cut; nobody owns it yet, so it is locked and out of the hand."
    ),
    "last-player": message(
        "Everybody else has folded. The last player turns cards over until one of his suits is cut; "
        "he takes its pot, and nobody pays a penalty."
    ),
    "between-hands": message(
        "The hand is over. The winner has taken his suit's pot and the penalties; the other pots stay for later hands. "
        "Players may come and go now. The leader button moves one seat to the left."
    ),
    "odd-coin": message(
        "Half of an odd penalty leaves half a coin: the loser puts a whole one into a pot of his choice."
    ),
    "finished": message("The game is over. What lay in the pots has been shared out."),
}


def _turn(view: View) -> Message:
    name, done, can = view["turn"], view["done"], view["expected"]
    if done["play"]:
        more = message("He may also turn over the deck's top card, or end the turn.") if "deal" in can else _END
        return message("{player} has bought a suit and owns it until somebody buys it. {more}", player=name, more=more)
    if done["deal"]:
        more = message("He may also play a card from his hand, or end the turn.") if "play" in can else _END
        return message("{player} has turned a card over. {more}", player=name, more=more)
    pass_ = message("fold, and be out of this hand")
    if view["game"] == "captains":
        pass_ = message("pass, for a new hand of cards")
    return message(
        "It is {player}'s turn: {ways}; or {giving_up}. A played card buys its suit: he pays as many coins as the "
        "stack then has cards, to the owner, or into the pot if nobody owns it. Only a card from the deck can cut a "
        "suit, and the suit's owner wins.",
        player=name,
        ways=_ways("play" in can, "deal" in can),
        giving_up=pass_,
    )


_END: Final = message("He ends the turn.")


def _ways(can_play: bool, can_deal: bool) -> Message:
    """Captain's Rochi allows no deal on its first turn; who has no card left cannot play one."""
    if can_play and can_deal:
        return message("play a card from the hand, turn over the deck's top card, or both, in any order")
    return message("play a card from the hand") if can_play else message("turn over the deck's top card")


def _ripe(view: View) -> Iterator[Message]:
    for stack in view["stacks"]:
        if stack["condition"] not in ("ripe", "rotten") or stack["to_cut"] != 1:
            continue
        owner, suit = stack["owner"], stack["name"]
        if owner:
            yield message(
                "{suit} is ripe: with the next {suit} card from the deck {player} wins.", suit=suit, player=owner
            )
        else:
            yield message(
                "{suit} is ripe: with the next {suit} card from the deck it is locked, because nobody owns it.",
                suit=suit,
            )
