"""Commands of a Rochi hand: seed, play, deal, swap, end, fold.

Source: "Seeding the Stacks" to "Fold"; rulings 1 to 9 on Rochi.
"""

from typing import Any

from companion.games.rochi.board import Stack, Stacks, checked_stack, owned_by, with_stack
from companion.games.rochi.commands import DealCard, Discard, End, Fold, Play, Seed
from companion.games.rochi.ending import Outcome, won_alone, won_by_cut, won_by_nobody
from companion.games.rochi.events import (
    CardPlayed,
    CardSeeded,
    CardSwapped,
    LastPlayerLeft,
    LockedCardLaid,
    PlayerFolded,
    SuitLocked,
    TurnStarted,
)
from companion.games.rochi.state import Hand, InHand, Phase, State
from companion.games.six_suits import CardDealt
from companion.kernel.accounts import Account
from companion.kernel.errors import NotEnoughCoins, NotOffered, NotYourTurn
from companion.kernel.game import Effect, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import message
from companion.kernel.values import changed
from companion.kernel.words import SUITS


def seed(state: State, command: Seed, ledger: Ledger) -> Outcome:
    """Lay a seed card; a suit cut by seed cards is locked. After the last one the leader's turn begins."""
    hand = state.hand
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    after = stack.with_dealt(command.card)
    left = hand.to_seed - 1
    hand = changed(hand, stacks=with_stack(hand.stacks, after), to_seed=left, deck=hand.deck - 1)
    state = state.with_hand(hand)
    happened: list[Effect] = [CardSeeded(command.card, stack.suit, len(after.cards), left)]
    if after.is_locked and not stack.is_locked:
        happened.append(SuitLocked(stack.suit))
    if left:
        return state, tuple(happened)
    happened.append(TurnStarted(hand.actor.name))
    return changed(state, phase=Phase.TURNS), tuple(happened)


# ---- playing


def play(state: State, command: Play, ledger: Ledger) -> Outcome:
    """Play a card: it buys the suit, at the number of cards in its stack, from its owner or the pot."""
    hand = state.hand
    need_turn(state, command.player)
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    actor = hand.actor
    happened = bought(stack, command.card, actor.name, ledger, state.rules.credit)
    stacks = with_stack(hand.stacks, stack.with_played(command.card, actor.name))
    players = _with_actor(hand, InHand(actor.name, actor.cards - 1, True))
    return _gone_on(state, players, stacks, hand.deck, happened, has_played=True)


def bought(stack: Stack, card: str, player: str, ledger: Ledger, credit: bool = False) -> tuple[Effect, ...]:
    """Return the events of playing a card of this suit, including the price's transfer to the owner or pot.

    Raises:
        NotEnoughCoins: the player cannot pay and has no credit.
    """
    if stack.is_locked:
        return (LockedCardLaid(card, stack.suit),)
    price = stack.price_for(player)
    shield_of = stack.shield_for(player)
    if not price:
        return (CardPlayed(player, card, stack.suit, 0, None, shield_of),)
    if price > ledger.balance(player) and not credit:
        raise NotEnoughCoins.saying(
            "{suit} costs {price} and {player} has {coins} coins. Play another card, or buy in.",
            suit=SUITS[stack.suit],
            price=price,
            player=player,
            coins=ledger.balance(player),
        )
    payee = Account.pot(stack.suit) if stack.owner is None else Account.player(stack.owner)
    moved = Transfer(Account.player(player), payee, price, message("buys {suit}", suit=SUITS[stack.suit]))
    return CardPlayed(player, card, stack.suit, price, payee, shield_of), moved


# ---- dealing


def deal(state: State, command: DealCard, ledger: Ledger) -> Outcome:
    """Turn over the top card. Cutting an owned suit wins for the owner; an unclaimed one is locked.

    If the deck's last card cuts no owned suit, the hand ends without a winner.
    """
    hand = state.hand
    need_turn(state, command.player)
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    after = stack.with_dealt(command.card)
    actor = hand.actor
    players = hand.players if actor.has_acted else _with_actor(hand, InHand(actor.name, actor.cards, True))
    stacks = with_stack(hand.stacks, after)
    happened = revealed(stack, after, command.card)
    deck = hand.deck - 1
    if deck and not after.is_cut:
        return _gone_on(state, players, stacks, deck, happened, has_dealt=True)
    state = state.with_hand(changed(hand, players=players, stacks=stacks, deck=deck, has_dealt=True))
    return _then(happened, won_by_cut(state, after, ledger) if after.is_cut else won_by_nobody(state, ledger))


def revealed(before: Stack, after: Stack, card: str) -> tuple[Effect, ...]:
    """Return the events of a dealt card."""
    if before.is_locked:
        return (LockedCardLaid(card, before.suit),)
    dealt = CardDealt(card, after.suit, len(after.cards), after.suit)
    return (dealt, SuitLocked(after.suit)) if after.is_locked else (dealt,)


def discard(state: State, command: Discard, ledger: Ledger) -> Outcome:
    """Exchange a hand card of a locked suit for a new one from the deck, at the start of the turn."""
    hand = state.hand
    seat_of(state.seats, command.player)
    need_turn(state, command.player)
    stack = checked_stack(hand.stacks, state.rules.deck, command.card, hand.gone)
    if not stack.is_locked:
        raise NotOffered.saying(
            "{suit} is not locked, so {card} stays in the hand. Play or deal.",
            suit=SUITS[stack.suit],
            card=command.card,
        )
    hand = changed(hand, deck=hand.deck - 1, gone=(*hand.gone, command.card))
    swapped = (CardSwapped(command.player, command.card),)
    if not hand.deck:
        return _then(swapped, won_by_nobody(changed(state, hand=hand), ledger))
    return changed(state, hand=hand), swapped


# ---- the end of a turn


def end(state: State, command: End, ledger: Ledger) -> Outcome:
    """End the turn; without any action this is a fold."""
    need_turn(state, command.player)
    if not (state.hand.has_played or state.hand.has_dealt):
        return _folded(state, ledger)
    hand = state.hand
    return _gone_on(state, hand.players, hand.stacks, hand.deck, (), has_played=True, has_dealt=True)


def fold(state: State, command: Fold, ledger: Ledger) -> Outcome:
    """Fold: suits return to the centre, cards and Shields go onto the discard pile."""
    need_turn(state, command.player)
    return _folded(state, ledger)


def _folded(state: State, ledger: Ledger) -> Outcome:
    hand = state.hand
    name = hand.actor.name
    suits = tuple(stack.suit for stack in owned_by(hand.stacks, name))
    shields = tuple(s.card for stack in hand.stacks for s in stack.shields if s.holder == name)
    stacks = tuple(stack.without(name) for stack in hand.stacks)
    players = _with_actor(hand, changed(hand.actor, cards=0, has_folded=True))
    state = state.with_hand(changed(hand, players=players, stacks=stacks, gone=hand.gone + shields))
    folded = (PlayerFolded(name, suits),)
    if len(state.hand.left) == 1:
        return _then(folded, _last_player(state, ledger))
    return _gone_on(state, players, stacks, hand.deck, folded, has_played=True, has_dealt=True)


def _last_player(state: State, ledger: Ledger) -> Outcome:
    """Handle the last player: no suit, nobody wins; one suit wins at once; with several, deal until one is cut."""
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
    """Raise if a command names a player who is not to act.

    Raises:
        UnknownPlayer: no such player.
        NotYourTurn: another player is to act.
    """
    actor = state.hand.actor.name
    if player is None or player == actor:
        return
    seat_of(state.seats, player)
    raise not_the_turn_of(player, actor)


def not_the_turn_of(player: str, actor: str) -> NotYourTurn:
    """Return the error for acting out of turn."""
    return NotYourTurn.saying(
        "It is {actor}'s turn, not {player}'s. Wait for it, or undo what was recorded wrong.",
        actor=actor,
        player=player,
    )


def _with_actor(hand: Hand, actor: InHand) -> tuple[InHand, ...]:
    return (*hand.players[: hand.turn], actor, *hand.players[hand.turn + 1 :])


def _then(happened: tuple[Effect, ...], outcome: Outcome) -> Outcome:
    state, more = outcome
    return state, happened + more


def _gone_on(
    state: State,
    players: tuple[InHand, ...],
    stacks: Stacks,
    deck: int,
    happened: tuple[Effect, ...],
    *,
    has_played: bool = False,
    has_dealt: bool = False,
) -> Outcome:
    """Return the state after an action. The turn ends after both a play and a deal."""
    hand = state.hand
    has_played, has_dealt = has_played or hand.has_played, has_dealt or hand.has_dealt
    turn = hand.turn
    if has_played and has_dealt:
        turn = _left_of(players, turn)
        has_played = has_dealt = False
        happened = (*happened, TurnStarted(players[turn].name))
    after = Hand(players, stacks, deck, hand.to_seed, hand.leader, turn, has_played, has_dealt, hand.gone)
    return state.with_hand(after), happened


def _left_of(players: tuple[InHand, ...], turn: int) -> int:
    turn = (turn + 1) % len(players)
    while players[turn].has_folded:
        turn = (turn + 1) % len(players)
    return turn
