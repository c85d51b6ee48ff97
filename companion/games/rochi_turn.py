"""A hand of Rochi from the first seed card on: seed, play, deal, swap, end, fold.

Rules: "Seeding the Stacks" to "Fold"; rulings 1 to 9 on Rochi.
"""

from __future__ import annotations

from typing import Any

from companion.cards import SUIT_NAMES
from companion.errors import NotEnoughCoins, NotOffered, NotYourTurn
from companion.events import CardDealt
from companion.games.base import Happening, seat_of
from companion.games.rochi_board import Stack, checked_stack, owned_by, with_stack
from companion.games.rochi_commands import DealCard, Discard, End, Fold, Play, Seed
from companion.games.rochi_ending import Outcome, won_alone, won_by_cut, won_by_nobody
from companion.games.rochi_events import (
    CardPlayed,
    CardSeeded,
    CardSwapped,
    LastPlayerLeft,
    LockedCardLaid,
    PlayerFolded,
    SuitLocked,
    TurnStarted,
)
from companion.games.rochi_state import Hand, InHand, Phase, State
from companion.games.values import changed
from companion.ledger import Ledger, Transfer, player_account, pot_account


def seed(state: State, command: Seed, ledger: Ledger) -> Outcome:
    """Lay a seed card; a suit that seed cards cut is locked. After the last one the leader's turn begins."""
    hand = state.hand
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    after = stack.with_dealt(command.card)
    left = hand.to_seed - 1
    hand = changed(hand, stacks=with_stack(hand.stacks, after), to_seed=left, deck=hand.deck - 1)
    happened: list[Happening] = [CardSeeded(command.card, stack.suit, len(after.cards), left)]
    if after.is_locked and not stack.is_locked:
        happened.append(SuitLocked(stack.suit))
    if left:
        return changed(state, hand=hand), tuple(happened)
    happened.append(TurnStarted(hand.actor.name))
    return changed(state, hand=hand, phase=Phase.TURNS), tuple(happened)


# ---- playing


def play(state: State, command: Play, ledger: Ledger) -> Outcome:
    """Play a card: it buys the suit, at the number of cards in its stack, from its owner or the pot."""
    hand = state.hand
    need_turn(state, command.player)
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    event, moves = bought(stack, command.card, hand.actor.name, ledger, state.rules.credit)
    actor = changed(hand.actor, cards=hand.actor.cards - 1, has_acted=True)
    after = stack.with_played(command.card, actor.name)
    hand = _with_actor(hand, actor, stacks=with_stack(hand.stacks, after), has_played=True)
    return _go_on(state, hand, (event, *moves))


def bought(
    stack: Stack, card: str, player: str, ledger: Ledger, credit: bool = False
) -> tuple[Happening, tuple[Transfer, ...]]:
    """Return what playing a card of this suit does, and the price on its way to the owner or the pot.

    Raises:
        NotEnoughCoins: the player cannot pay it and has no credit.
    """
    if stack.is_locked:
        return LockedCardLaid(card, stack.suit), ()
    price = stack.price_for(player)
    shield_of = stack.shield_for(player)
    if not price:
        return CardPlayed(player, card, stack.suit, 0, None, shield_of), ()
    if price > ledger.balance(player) and not credit:
        raise NotEnoughCoins(
            f"{SUIT_NAMES[stack.suit]} costs {price} and {player} has {ledger.balance(player)} coins. "
            "Play another card, or buy in."
        )
    payee = player_account(stack.owner) if stack.owner is not None else pot_account(stack.suit)
    moved = Transfer(player_account(player), payee, price, f"buys {SUIT_NAMES[stack.suit]}")
    return CardPlayed(player, card, stack.suit, price, payee.removeprefix("player/"), shield_of), (moved,)


# ---- dealing


def deal(state: State, command: DealCard, ledger: Ledger) -> Outcome:
    """Turn the top card over. Where it cuts an owned suit the owner wins; an unclaimed one is locked.

    When it was the deck's last card and cut no owned suit, nobody can win any more and the hand is over.
    """
    hand = state.hand
    need_turn(state, command.player)
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    after = stack.with_dealt(command.card)
    actor = hand.actor if hand.actor.has_acted else changed(hand.actor, has_acted=True)
    hand = _with_actor(hand, actor, stacks=with_stack(hand.stacks, after), deck=hand.deck - 1, has_dealt=True)
    happened = revealed(stack, after, command.card)
    if after.is_cut:
        return _then(happened, won_by_cut(changed(state, hand=hand), after, ledger))
    if not hand.deck:
        return _then(happened, won_by_nobody(changed(state, hand=hand), ledger))
    if state.phase is Phase.LAST_PLAYER:
        return changed(state, hand=hand), happened
    return _go_on(state, hand, happened)


def revealed(before: Stack, after: Stack, card: str) -> tuple[Happening, ...]:
    """Return what a dealt card tells about its suit."""
    if before.is_locked:
        return (LockedCardLaid(card, before.suit),)
    dealt = CardDealt(card, after.suit, len(after.cards), after.suit)
    return (dealt, SuitLocked(after.suit)) if after.is_locked else (dealt,)


def discard(state: State, command: Discard, ledger: Ledger) -> Outcome:
    """Swap a card of a locked suit in hand for a new one from the deck, at the start of the turn."""
    hand = state.hand
    seat_of(state.seats, command.player)
    need_turn(state, command.player)
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    if not stack.is_locked:
        raise NotOffered(f"{SUIT_NAMES[stack.suit]} is not locked, so {command.card} stays in the hand. Play or deal.")
    hand = changed(hand, deck=hand.deck - 1, gone=(*hand.gone, command.card))
    swapped = (CardSwapped(command.player, command.card),)
    if not hand.deck:
        return _then(swapped, won_by_nobody(changed(state, hand=hand), ledger))
    return changed(state, hand=hand), swapped


# ---- the end of a turn


def end(state: State, command: End, ledger: Ledger) -> Outcome:
    """The turn is over; with nothing done this is a fold."""
    need_turn(state, command.player)
    if not (state.hand.has_played or state.hand.has_dealt):
        return _folded(state, ledger)
    return _next_turn(state, state.hand, ())


def fold(state: State, command: Fold, ledger: Ledger) -> Outcome:
    """Give the hand up: suits go back to the centre, cards and Shields onto the discard pile."""
    need_turn(state, command.player)
    return _folded(state, ledger)


def _folded(state: State, ledger: Ledger) -> Outcome:
    hand = state.hand
    name = hand.actor.name
    suits = tuple(stack.suit for stack in owned_by(hand.stacks, name))
    shields = tuple(s.card for stack in hand.stacks for s in stack.shields if s.holder == name)
    stacks = tuple(stack.without(name) for stack in hand.stacks)
    folder = changed(hand.actor, cards=0, has_folded=True)
    hand = _with_actor(hand, folder, stacks=stacks, gone=hand.gone + shields)
    folded = (PlayerFolded(name, suits),)
    if len(hand.left) == 1:
        return _then(folded, _last_player(changed(state, hand=hand), ledger))
    return _next_turn(state, hand, folded)


def _last_player(state: State, ledger: Ledger) -> Outcome:
    """One player is left: no suit, nobody wins; one, it wins at once; several, he deals until one is cut."""
    hand = state.hand
    (last,) = hand.left
    owned = owned_by(hand.stacks, last.name)
    if not owned:
        return won_by_nobody(state, ledger)
    if len(owned) == 1:
        return won_alone(state, owned[0], ledger)
    hand = changed(hand, turn=hand.players.index(last), has_played=False, has_dealt=False)
    return changed(state, hand=hand, phase=Phase.LAST_PLAYER), (LastPlayerLeft(last.name),)


# ---- small steps


def need_turn(state: State, player: Any) -> None:
    """Refuse what somebody does out of turn; a command that names nobody is the actor's.

    Raises:
        UnknownPlayer, NotYourTurn: nobody of that name, or somebody else is to act.
    """
    actor = state.hand.actor.name
    if player is None or player == actor:
        return
    seat_of(state.seats, player)
    raise NotYourTurn(f"It is {actor}'s turn, not {player}'s. Wait for it, or undo what was recorded wrong.")


def _with_actor(hand: Hand, actor: InHand, **changes: Any) -> Hand:
    players = (*hand.players[: hand.turn], actor, *hand.players[hand.turn + 1 :])
    return changed(hand, players=players, **changes)


def _then(happened: tuple[Happening, ...], outcome: Outcome) -> Outcome:
    state, more = outcome
    return state, happened + more


def _go_on(state: State, hand: Hand, happened: tuple[Happening, ...]) -> Outcome:
    """A turn is over when its player has played and dealt."""
    if hand.has_played and hand.has_dealt:
        return _next_turn(state, hand, happened)
    return changed(state, hand=hand), happened


def _next_turn(state: State, hand: Hand, happened: tuple[Happening, ...]) -> Outcome:
    turn = (hand.turn + 1) % len(hand.players)
    while hand.players[turn].has_folded:
        turn = (turn + 1) % len(hand.players)
    hand = changed(hand, turn=turn, has_played=False, has_dealt=False)
    return changed(state, hand=hand), (*happened, TurnStarted(hand.actor.name))
