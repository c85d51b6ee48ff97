"""Rochi as the room may see it, and the facts of the public contract. Nobody's cards in hand: nobody knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from companion.games.rochi.board import Stack, Stacks, condition, locked_suits
from companion.games.rochi.ending import penalties
from companion.games.rochi.shapes import RochiHand, RochiStack, RochiView, SuitStack
from companion.games.rochi.state import (
    FEWEST_PLAYERS,
    HAND_SIZE,
    MOST_PLAYERS,
    SEEDS_PER_EMPTY_PLACE,
    Hand,
    InHand,
    Phase,
    State,
)
from companion.games.six_suits import pot_name
from companion.kernel.accounts import Account
from companion.kernel.commands import Record
from companion.kernel.words import card_words, command_words
from companion.objects.cards import SUIT_NAMES


def facts(state: State) -> Mapping[str, object]:
    """Return the ``state`` object of a result; stacks, owners and locks as they lie until the next hand."""
    hand = state.hand
    return {
        **board_facts(hand.stacks),
        "hand": state.number,
        "leader": _leader(state),
        "turn": actor(state),
        "done": {"play": hand.has_played, "deal": hand.has_dealt},
        "players": {p.name: {"cards": p.cards, "acted": p.has_acted, "folded": p.has_folded} for p in hand.players},
        "to_seed": hand.to_seed,
        "deck": hand.deck,
        "gone": list(hand.gone),
        "last_hand": state.is_last,
        "away": {away.player: {"since": away.since, "marker": away.marker} for away in state.away},
    }


def board_facts(stacks: Stacks) -> Mapping[str, object]:
    """Return stacks, owners, locks and Shields; keys are suits as text, the lowest first."""
    return {
        "stacks": {str(stack.suit): list(stack.cards) for stack in stacks},
        "owners": {str(stack.suit): stack.owner for stack in stacks},
        "locked": list(locked_suits(stacks)),
        "shields": {str(stack.suit): shields(stack) for stack in stacks},
    }


def shields(stack: Stack) -> dict[str, list[str]]:
    """Return the Shields of one suit: player -> cards."""
    held: dict[str, list[str]] = {}
    for shield in stack.shields:
        held.setdefault(shield.holder, []).append(shield.card)
    return held


def actor(state: State) -> str | None:
    """Return whose turn it is, if it is anybody's."""
    return state.hand.actor.name if state.phase in (Phase.TURNS, Phase.LAST_PLAYER) else None


def _leader(state: State) -> str | None:
    return next((seat.player for seat in state.seats if seat.number == state.leader), None)


def view(state: State) -> RochiView:
    """Return the game's part of the room's view."""
    hand = state.hand
    following = state.next_leader
    return {
        "prompt": prompt(state),
        "hand": state.number,
        "deck": state.rules.deck,
        "left": hand.deck,
        "to_seed": hand.to_seed,
        "leader": _leader(state),
        "next_leader": following.player if following else None,
        "turn": actor(state),
        "done": {"play": hand.has_played, "deal": hand.has_dealt},
        "last_hand": state.is_last,
        "join_fee": state.rules.join_fee,
        "stacks": [_stack_view(state, stack) for stack in hand.stacks],
        "hands": [_player_view(state, p.name, p.cards, p.has_acted, p.has_folded) for p in hand.players],
        "away": [{"player": away.player, "since": away.since, "marker": away.marker} for away in state.away],
        "gone": list(hand.gone),
    }


def _stack_view(state: State, stack: Stack) -> RochiStack:
    owed = penalties(stack, _if_dealt_now(state.hand)) if stack.owner and state.phase is Phase.TURNS else ()
    return {
        **stack_view(stack, state.hand.gone),
        "if_cut": [{"player": player, "coins": coins} for player, coins in owed],
    }


def _if_dealt_now(hand: Hand) -> Sequence[InHand]:
    """The players as they would be when the next card is dealt: the actor has acted then."""
    dealer = InHand(hand.actor.name, hand.actor.cards, True, hand.actor.has_folded)
    return (*hand.players[: hand.turn], dealer, *hand.players[hand.turn + 1 :])


def stack_view(stack: Stack, gone: Sequence[str] = ()) -> SuitStack:
    """Return one suit as the room sees it; ``price`` is what it costs whoever does not own it."""
    is_open = not stack.is_locked and not stack.is_cut
    payee = Account.player(stack.owner) if stack.owner else Account.pot(stack.suit)
    return {
        "suit": stack.suit,
        "name": SUIT_NAMES[stack.suit],
        "cards": list(stack.cards),
        "count": len(stack.cards),
        "cut_at": stack.suit,
        "to_cut": max(0, stack.suit - len(stack.cards)),
        "owner": stack.owner,
        "is_locked": stack.is_locked,
        "is_cut": stack.is_cut,
        "condition": condition(stack, gone),
        "price": stack.price_for("") if is_open else None,
        "pays_to": payee.label if is_open else None,
        "shields": shields(stack),
    }


def _player_view(state: State, name: str, cards: int, has_acted: bool, has_folded: bool) -> RochiHand:
    return {
        "player": name,
        "cards": cards,
        "has_acted": has_acted,
        "has_folded": has_folded,
        "is_leader": name == _leader(state),
        "is_turn": name == actor(state),
        "suits": [stack.suit for stack in state.hand.stacks if stack.owner == name],
        "shields": {str(s.suit): shields(s)[name] for s in state.hand.stacks if s.shields_of(name)},
    }


def prompt(state: State) -> str:
    """Return the one thing to do next, for whoever runs the table."""
    hand = state.hand
    if state.phase is Phase.SEEDING:
        seeds = SEEDS_PER_EMPTY_PLACE * (MOST_PLAYERS - len(hand.players))
        if hand.to_seed < seeds:
            return f"Seed the stacks: {hand.to_seed} more"
        return f"Shuffle, deal {HAND_SIZE} cards to everybody, then seed {seeds}"
    if state.phase is Phase.TURNS:
        first = f"Shuffle and deal {HAND_SIZE} cards to everybody. " if _just_begun(hand) else ""
        return f"{first}{hand.actor.name}: {_choices(hand)}"
    if state.phase is Phase.LAST_PLAYER:
        return f"{hand.actor.name} is the last player: deal until one of his suits is cut"
    if state.phase is Phase.FINISHED:
        return "The last hand is over and the pots are divided"
    return _next_prompt(state)


def _just_begun(hand: Hand) -> bool:
    """Is nothing seeded, played, dealt or folded yet? With six players nothing is seeded."""
    idle = not (hand.has_played or hand.has_dealt or any(p.has_acted or p.has_folded for p in hand.players))
    return idle and not any(stack.cards for stack in hand.stacks)


def _choices(hand: Hand) -> str:
    if hand.has_played:
        return "deal a card or end the turn"
    if hand.has_dealt:
        return "play a card or end the turn" if hand.actor.cards else "end the turn"
    return "play, deal, both or fold" if hand.actor.cards else "deal or fold"


def _next_prompt(state: State) -> str:
    present = state.present
    if len(present) < FEWEST_PLAYERS or state.next_leader is None:
        return f"Rochi needs {FEWEST_PLAYERS} players: {len(present)} are here"
    seeds = SEEDS_PER_EMPTY_PLACE * (MOST_PLAYERS - len(present))
    last = "the last hand" if state.is_last else "the next hand"
    return f"Leader button to {state.next_leader.player}. Shuffle and deal {HAND_SIZE} cards each for {last}" + (
        f", then seed {seeds}" if seeds else ""
    )


_WORDS: Final[dict[str, str]] = {
    "seed": "the seed card {card}",
    "play": "the play of {card}",
    "discard": "{player}'s swap of {card}",
    "end": "the end of a turn",
    "fold": "a fold",
    "pass": "a pass",
    "next-hand": "the next hand",
    "last-hand": "the call of the last hand",
    "new-game": "the new game",
    "join": "{player} sitting down",
    "leave": "{player} leaving",
    "sit-out": "{player} sitting out",
    "return": "{player}'s return",
    "odd-coin": "the odd coin",
    "stop": "the agreed end",
    "drop": "{player} dropping out",
}


def described(record: Record) -> str:
    """Return an accepted command of Rochi or Captain's Rochi in a few words, to follow "Undo:".

    >>> described({"do": "play", "card": "6D3"}), described({"do": "sit-out", "player": "Ann"})
    ('the play of Kin day 3', 'Ann sitting out')
    """
    said = _WORDS.get(record["do"])
    if said is None:
        return command_words(record, pot=pot_name)
    return said.format(card=card_words(str(record.get("card"))), player=record.get("player"))
