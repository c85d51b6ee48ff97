"""Public view of Captain's Rochi, and the ``state`` object of the API."""

from collections.abc import Mapping
from functools import reduce
from typing import Final

from companion.games.rochi.board import Stack
from companion.games.rochi.captains.cut import penalty
from companion.games.rochi.captains.state import HAND_SIZE, PLAYERS, SEEDS, Phase, State
from companion.games.rochi.captains.when import refusal
from companion.games.rochi.shapes import CaptainsView, RochiStack
from companion.games.rochi.view import board_facts, stack_view, still_to_seed
from companion.kernel.messages import Message, message
from companion.kernel.values import changed


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object."""
    return {
        **board_facts(state.stacks),
        "turn": actor(state),
        "done": {"play": state.has_played, "deal": state.has_dealt},
        "players": {n: {"cards": cards} for n, cards in zip(state.names, state.cards, strict=True) if n},
        "to_seed": state.to_seed,
        "deck": state.deck,
        "discards": list(state.discards),
        "cuts": state.cuts,
        "latest_winner": state.latest_winner,
        "odd_coin": state.cut.loser if state.cut else None,
    }


def view(state: State) -> CaptainsView:
    """Return Captain's Rochi's part of the table view."""
    return {
        "prompt": prompt(state),
        "deck": state.deck_kind,
        "left": state.deck,
        "to_seed": state.to_seed,
        "turn": actor(state),
        "done": {"play": state.has_played, "deal": state.has_dealt},
        "cuts": state.cuts,
        "odd_coin": state.cut.loser if state.cut else None,
        "stacks": [_stack_view(state, stack) for stack in state.stacks],
        "hands": [
            {"player": name, "cards": cards, "is_turn": name == actor(state)}
            for name, cards in zip(state.names, state.cards, strict=True)
            if name
        ],
        "discards": list(state.discards),
    }


def actor(state: State) -> str | None:
    return state.actor if state.phase is Phase.TURNS else None


def _stack_view(state: State, stack: Stack) -> RochiStack:
    if state.cut and state.cut.suit == stack.suit:  # its token is back at the centre, its cards lie there still
        return {**stack_view(changed(stack, owner=state.cut.winner)), "owner": None, "if_cut": []}
    if stack.owner is None:
        return {**stack_view(stack), "if_cut": []}
    loser = state.other(stack.owner)
    coins, odd = penalty(stack.suit, stack.shields_of(loser))
    return {**stack_view(stack), "if_cut": [{"player": loser, "coins": coins, "odd_coin": odd}]}


_WAYS: Final[Mapping[str, Message]] = {
    "play": message("play a card"),
    "deal": message("deal"),
    "end": message("end the turn"),
    "pass": message("pass"),
}


def prompt(state: State) -> Message:
    """Return the next step."""
    if state.phase is Phase.WAITING:
        here = len(state.seats)
        if here == PLAYERS:
            return message("Begin the game")
        return message("Captain's Rochi needs {players} players: {here} here", players=PLAYERS, here=here)
    if state.phase is Phase.SEEDING:
        if state.to_seed < SEEDS:
            return still_to_seed(state.to_seed)
        return message("Shuffle, deal {cards} cards to both, then seed {seeds}", cards=HAND_SIZE, seeds=SEEDS)
    if state.cut is not None:
        return message("{player}: put the odd coin into a pot of your choice", player=state.cut.loser)
    if state.phase is Phase.FINISHED:
        return message("The game is over and the pots are shared out")
    ways = [words for verb, words in _WAYS.items() if refusal(state, verb) is None]
    either = reduce(lambda way, other: message("{way} or {other}", way=way, other=other), ways)
    return message("{player}: {ways}", player=state.actor, ways=either)
