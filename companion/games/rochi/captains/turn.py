"""A turn of Captain's Rochi: seed, play, deal, end, pass.

Rules: "Captain's Rochi" of the Rochi rules 1.3; rulings 1, 2 and 4 to 7 on it.
"""

from typing import Any

from companion.games.rochi.board import Stack, checked_stack, with_stack
from companion.games.rochi.captains.cut import Outcome, cut
from companion.games.rochi.captains.state import (
    Phase,
    State,
    filled,
    next_turn,
    reshuffled,
    reshuffled_if_empty,
    with_cards,
)
from companion.games.rochi.commands import DealCard, End, Pass, Play, Seed
from companion.games.rochi.events import CardSeeded, HandThrownAway, Reshuffled, SuitCleared, TurnStarted
from companion.games.rochi.turn import bought, not_the_turn_of, revealed
from companion.kernel.game import Effect, seat_of
from companion.kernel.ledger import Ledger
from companion.kernel.values import changed


def seed(state: State, command: Seed, ledger: Ledger) -> Outcome:
    """Lay a seed card. A suit cut by seed cards is discarded at once without replacement, and starts over."""
    stack = checked_stack(state.stacks, state.deck_kind, command.card, state.discards)
    after = stack.with_dealt(command.card)
    left = state.to_seed - 1
    happened: list[Effect] = [CardSeeded(command.card, stack.suit, len(after.cards), left)]
    discards = state.discards
    if after.is_locked:
        discards, after = discards + after.cards, Stack(stack.suit)
        happened.append(SuitCleared(stack.suit, "is cut by seed cards"))
    phase = Phase.SEEDING if left else Phase.TURNS
    if not left:
        happened.append(TurnStarted(state.actor))
    stacks = with_stack(state.stacks, after)
    after_seed = changed(state, stacks=stacks, discards=discards, deck=state.deck - 1, to_seed=left, phase=phase)
    return after_seed, tuple(happened)


def play(state: State, command: Play, ledger: Ledger) -> Outcome:
    """Play a card: it buys the suit, as in Rochi."""
    need_turn(state, command.player)
    stack = checked_stack(state.stacks, state.deck_kind, command.card, state.discards)
    happened = bought(stack, command.card, state.actor, ledger)
    after = stack.with_played(command.card, state.actor)
    cards = with_cards(state.cards, state.turn, state.cards[state.turn] - 1)
    return _gone_on(state, after, happened, cards=cards, has_played=True)


def deal(state: State, command: DealCard, ledger: Ledger) -> Outcome:
    """Turn over the top card. A cut is settled at once and ends the turn; an unclaimed suit is locked instead.

    After the deck's last card the discards are reshuffled first; the cards of its cut wait for the next shuffle.
    """
    need_turn(state, command.player)
    stack = checked_stack(state.stacks, state.deck_kind, command.card, state.discards)
    after = stack.with_dealt(command.card)
    happened = revealed(stack, after, command.card)
    deck = state.deck - 1
    if deck and not after.is_cut:
        return _gone_on(state, after, happened, deck=deck, has_dealt=True)
    state, shuffled = reshuffled_if_empty(changed(state, deck=deck))
    if not after.is_cut:
        return _gone_on(state, after, happened + shuffled, has_dealt=True)
    state = changed(state, stacks=with_stack(state.stacks, after), has_dealt=True)
    state, more = cut(state, after, ledger)
    return state, happened + shuffled + more


def _buried(state: State, stack: Stack) -> Outcome:
    """Clear a suit whose 2r cards are all face up: discard it and reshuffle. The pot stays."""
    stacks = with_stack(state.stacks, Stack(stack.suit))
    state = changed(state, stacks=stacks, discards=state.discards + stack.open_cards)
    state, shuffled = reshuffled(state)
    return state, (SuitCleared(stack.suit, "is dead on the table"), *shuffled)


def end(state: State, command: End, ledger: Ledger) -> Outcome:
    """End the turn after a play or a deal."""
    need_turn(state, command.player)
    return _over(state, ())


def pass_turn(state: State, command: Pass, ledger: Ledger) -> Outcome:
    """Throw the hand away, reshuffle, and fill both hands to seven, the passing player first."""
    need_turn(state, command.player)
    deck = state.deck + state.cards[state.turn] + len(state.discards)
    happened = (HandThrownAway(state.actor), Reshuffled(deck))
    state = changed(state, deck=deck, discards=(), cards=with_cards(state.cards, state.turn, 0))
    state, drawn = filled(state, state.turn)
    return _over(state, (*happened, *drawn))


# ---- small steps


def need_turn(state: State, player: Any) -> None:
    """Raise if a command names a player who is not to act.

    Raises:
        UnknownPlayer: no such player.
        NotYourTurn: the other player is to act.
    """
    if player is None or player == state.actor:
        return
    seat_of(state.seats, player)
    raise not_the_turn_of(player, state.actor)


def _gone_on(state: State, stack: Stack, happened: tuple[Effect, ...], **changes: Any) -> Outcome:
    """Return the state after a card came to a stack. A turn ends after both a play and a deal."""
    stacks = with_stack(state.stacks, stack)
    is_over = (state.has_played or "has_played" in changes) and (state.has_dealt or "has_dealt" in changes)
    if is_over:
        changes |= {"turn": 1 - state.turn, "has_played": False, "has_dealt": False}
    state = changed(state, stacks=stacks, **changes)
    if len(stack.open_cards) == 2 * stack.suit:
        state, died = _buried(state, stack)
        happened += died
    return state, (*happened, TurnStarted(state.actor)) if is_over else happened


def _over(state: State, happened: tuple[Effect, ...]) -> Outcome:
    state = next_turn(state)
    return state, (*happened, TurnStarted(state.actor))
