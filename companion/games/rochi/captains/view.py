"""Captain's Rochi as the room may see it, and the facts of the public contract."""

from __future__ import annotations

from collections.abc import Mapping

from companion.games.rochi.board import Stack
from companion.games.rochi.captains.cut import penalty
from companion.games.rochi.captains.state import HAND_SIZE, PLAYERS, SEEDS, Phase, State
from companion.games.rochi.captains.when import refusal
from companion.games.rochi.shapes import CaptainsView, RochiStack
from companion.games.rochi.view import board_facts, stack_view


def facts(state: State) -> Mapping[str, object]:
    """Return the ``state`` object of a result."""
    return {
        **board_facts(state.stacks),
        "turn": _actor(state),
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
    """Return the game's part of the room's view."""
    return {
        "prompt": prompt(state),
        "deck": state.deck_kind,
        "left": state.deck,
        "to_seed": state.to_seed,
        "turn": _actor(state),
        "done": {"play": state.has_played, "deal": state.has_dealt},
        "cuts": state.cuts,
        "odd_coin": state.cut.loser if state.cut else None,
        "stacks": [_stack_view(state, stack) for stack in state.stacks],
        "hands": [
            {"player": name, "cards": cards, "is_turn": name == _actor(state)}
            for name, cards in zip(state.names, state.cards, strict=True)
            if name
        ],
        "discards": list(state.discards),
    }


def _actor(state: State) -> str | None:
    return state.actor if state.phase is Phase.TURNS else None


def _stack_view(state: State, stack: Stack) -> RochiStack:
    if stack.owner is None:
        return {**stack_view(stack), "if_cut": []}
    loser = state.other(stack.owner)
    coins, odd = penalty(stack.suit, stack.shields_of(loser))
    return {**stack_view(stack), "if_cut": [{"player": loser, "coins": coins, "odd_coin": odd}]}


def prompt(state: State) -> str:
    """Return the one thing to do next."""
    if state.phase is Phase.WAITING:
        here = len(state.seats)
        return "Begin the game" if here == PLAYERS else f"Captain's Rochi needs {PLAYERS} players: {here} here"
    if state.phase is Phase.SEEDING:
        if state.to_seed < SEEDS:
            return f"Seed the stacks: {state.to_seed} more"
        return f"Shuffle, deal {HAND_SIZE} cards to both, then seed {SEEDS}"
    if state.cut is not None:
        return f"{state.cut.loser}: put the odd coin into a pot of your choice"
    if state.phase is Phase.FINISHED:
        return "The game is over and the pots are shared out"
    open_ = [verb for verb in ("play", "deal", "end", "pass") if refusal(state, verb) is None]
    words = {"play": "play a card", "deal": "deal", "end": "end the turn", "pass": "pass"}
    return f"{state.actor}: {' or '.join(words[verb] for verb in open_)}"
