"""Public view of Rochi, and the ``state`` object of the API. Hand cards are unknown to the table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.games.rochi.board import Stack, Stacks, condition, locked_suits
from companion.games.rochi.ending import penalties
from companion.games.rochi.shapes import RochiHand, RochiStack, RochiView, SuitStack
from companion.games.rochi.state import (
    HAND_SIZE,
    MAX_PLAYERS,
    MIN_PLAYERS,
    SEEDS_PER_EMPTY_PLACE,
    Hand,
    InHand,
    Phase,
    State,
)
from companion.kernel.accounts import Account
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.words import SUITS, card_words


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object; stacks, owners and locks are kept until the next hand."""
    hand = state.hand
    return {
        **board_facts(hand.stacks),
        "hand": state.number,
        "leader": leader(state),
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
    """Return stacks, owners, locks and Shields; keys are suits as strings, lowest first."""
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
    """Return the player to act, or None."""
    return state.hand.actor.name if state.phase in (Phase.TURNS, Phase.LAST_PLAYER) else None


def leader(state: State) -> str | None:
    return next((seat.player for seat in state.seats if seat.number == state.leader), None)


def view(state: State) -> RochiView:
    """Return Rochi's part of the table view."""
    hand = state.hand
    following = state.next_leader
    return {
        "prompt": prompt(state),
        "hand": state.number,
        "deck": state.rules.deck,
        "left": hand.deck,
        "to_seed": hand.to_seed,
        "leader": leader(state),
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
    """Return the players as after a deal: the actor has acted."""
    dealer = InHand(hand.actor.name, hand.actor.cards, True, hand.actor.has_folded)
    return (*hand.players[: hand.turn], dealer, *hand.players[hand.turn + 1 :])


def stack_view(stack: Stack, gone: Sequence[str] = ()) -> SuitStack:
    """Return the public view of a suit; ``price`` is for players who do not own it."""
    is_open = not stack.is_locked and not stack.is_cut
    payee = Account.player(stack.owner) if stack.owner else Account.pot(stack.suit)
    return {
        "suit": stack.suit,
        "name": SUITS[stack.suit],
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
        "is_leader": name == leader(state),
        "is_turn": name == actor(state),
        "suits": [stack.suit for stack in state.hand.stacks if stack.owner == name],
        "shields": {str(s.suit): shields(s)[name] for s in state.hand.stacks if s.shields_of(name)},
    }


def prompt(state: State) -> Message:
    """Return the dealer's next step."""
    hand = state.hand
    if state.phase is Phase.SEEDING:
        seeds = SEEDS_PER_EMPTY_PLACE * (MAX_PLAYERS - len(hand.players))
        if hand.to_seed < seeds:
            return still_to_seed(hand.to_seed)
        return message("Shuffle, deal {cards} cards to everybody, then seed {seeds}", cards=HAND_SIZE, seeds=seeds)
    if state.phase is Phase.TURNS:
        turn = _choices(hand)
        if not _just_begun(hand):
            return turn
        return message("Shuffle and deal {cards} cards to everybody. {turn}", cards=HAND_SIZE, turn=turn)
    if state.phase is Phase.LAST_PLAYER:
        return message("{player} is the last player: deal until one of their suits is cut", player=hand.actor.name)
    if state.phase is Phase.FINISHED:
        return message("The last hand is over and the pots are divided")
    return _next_prompt(state)


def still_to_seed(left: int) -> Message:
    """Return the prompt during seeding."""
    return message("Seed the stacks: {count} more", count=left)


def _just_begun(hand: Hand) -> bool:
    """Whether nothing was seeded, played, dealt or folded yet; six players do not seed."""
    idle = not (hand.has_played or hand.has_dealt or any(p.has_acted or p.has_folded for p in hand.players))
    return idle and not any(stack.cards for stack in hand.stacks)


def _choices(hand: Hand) -> Message:
    player, has_cards = hand.actor.name, hand.actor.cards > 0
    if hand.has_played:
        return message("{player}: deal a card or end the turn", player=player)
    if hand.has_dealt and has_cards:
        return message("{player}: play a card or end the turn", player=player)
    if hand.has_dealt:
        return message("{player}: end the turn", player=player)
    if has_cards:
        return message("{player}: play, deal, both or fold", player=player)
    return message("{player}: deal or fold", player=player)


def _next_prompt(state: State) -> Message:
    present = state.present
    if len(present) < MIN_PLAYERS or state.next_leader is None:
        return message("Rochi needs {players} players: {here} are here", players=MIN_PLAYERS, here=len(present))
    seeds = SEEDS_PER_EMPTY_PLACE * (MAX_PLAYERS - len(present))
    leader = state.next_leader.player
    if state.is_last and seeds:
        return message(
            "Leader button to {player}. Shuffle and deal {cards} cards each for the last hand, then seed {seeds}",
            player=leader,
            cards=HAND_SIZE,
            seeds=seeds,
        )
    if state.is_last:
        return message(
            "Leader button to {player}. Shuffle and deal {cards} cards each for the last hand",
            player=leader,
            cards=HAND_SIZE,
        )
    if seeds:
        return message(
            "Leader button to {player}. Shuffle and deal {cards} cards each for the next hand, then seed {seeds}",
            player=leader,
            cards=HAND_SIZE,
            seeds=seeds,
        )
    return message(
        "Leader button to {player}. Shuffle and deal {cards} cards each for the next hand",
        player=leader,
        cards=HAND_SIZE,
    )


COMMANDS: Final[Mapping[str, Callable[[Record], Message]]] = {
    "seed": lambda r: message("the seed card {card}", card=card_words(r["card"])),
    "play": lambda r: message("the play of {card}", card=card_words(r["card"])),
    "discard": lambda r: message("{player}'s swap of {card}", player=r["player"], card=card_words(r["card"])),
    "end": lambda r: message("the end of a turn"),
    "fold": lambda r: message("a fold"),
    "pass": lambda r: message("a pass"),
    "next-hand": lambda r: message("the next hand"),
    "last-hand": lambda r: message("the call of the last hand"),
    "new-game": lambda r: message("the new game"),
    "join": lambda r: message("{player} sitting down", player=r["player"]),
    "leave": lambda r: message("{player} leaving", player=r["player"]),
    "sit-out": lambda r: message("{player} sitting out", player=r["player"]),
    "return": lambda r: message("{player}'s return", player=r["player"]),
    "odd-coin": lambda r: message("the odd coin"),
    "stop": lambda r: message("the agreed end"),
    "drop": lambda r: message("{player} dropping out", player=r["player"]),
}
