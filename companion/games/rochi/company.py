"""Between hands of Rochi: next hand, last hand, joining, leaving, sitting out and returning.

Source: "Entering and Leaving the Game", "Last Hand"; rulings 10 to 12 on Rochi and "Sitting down and leaving".
"""

from collections.abc import Mapping
from typing import Any, Final

from companion.games.rochi.commands import JoinRochi, LastHand, NewGame, NextHand, ReturnToPlay, SitOut
from companion.games.rochi.ending import Outcome
from companion.games.rochi.events import (
    GameBegun,
    HandStarted,
    LastHandCalled,
    PlayerReturned,
    PlayerSatOut,
    TurnStarted,
)
from companion.games.rochi.state import MAX_PLAYERS, Away, Phase, State, with_next_hand
from companion.kernel.accounts import CAGE, Account
from companion.kernel.errors import BadAmount, BadScript, NotEnoughCoins, NothingDone, NotOffered
from companion.kernel.events import PlayerJoined, PlayerLeft
from companion.kernel.game import Effect, Seat, free_seat, seat_of
from companion.kernel.ledger import BUY_IN, Ledger, Transfer, checked_coins
from companion.kernel.messages import Message, message
from companion.kernel.shared.names import seat_name
from companion.kernel.values import changed

FREE_HANDS: Final = 2
"""Maximum number of hands to sit out with a free return."""


def next_hand(state: State, command: NextHand, ledger: Ledger) -> Outcome:
    """Begin the next hand: the button moves left, skipping empty seats; five cards each, then seed cards."""
    state = with_next_hand(state)
    leader = state.hand.actor.name
    happened: tuple[Effect, ...] = (HandStarted(state.number, leader, state.hand.to_seed),)
    if state.phase is Phase.TURNS:
        happened += (TurnStarted(leader),)
    return state, happened


def last_hand(state: State, command: LastHand, ledger: Ledger) -> Outcome:
    """Make the current hand, or between hands the next one, the last."""
    return changed(state, is_last=True), (LastHandCalled(),)


def new_game(state: State, command: NewGame, ledger: Ledger) -> Outcome:
    """Begin a new game after the last one; players may join and leave before its first hand."""
    return changed(state, phase=Phase.BETWEEN, is_last=False), (GameBegun(),)


def joining_fee(state: State, ledger: Ledger) -> int:
    """Return the joining fee: the sum of all pots divided by the players present, rounded up."""
    present = len(state.present)
    if not present or not state.rules.join_fee:
        return 0
    return -(-_all_pots(state, ledger) // present)


def return_fee(state: State, away: Away, ledger: Ledger) -> int:
    """Return the fee for returning: 0 after up to `FREE_HANDS` hands, otherwise the joining fee less the marker."""
    if state.number - away.since <= FREE_HANDS:
        return 0
    return max(0, joining_fee(state, ledger) - away.marker)


def _all_pots(state: State, ledger: Ledger) -> int:
    return sum(ledger.coins(Account.pot(suit)) for suit in state.pots)


# ---- newcomers


def join(state: State, command: JoinRochi, ledger: Ledger) -> Outcome:
    """Seat a newcomer at the requested or the lowest free seat, and place the joining fee."""
    name = seat_name(command.player, (seat.player for seat in state.seats))
    number = _free_seat(state, command.seat)
    is_penniless = type(command.coins) is int and command.coins == 0
    coins = 0 if is_penniless else checked_coins(command.coins, message("coming to the table"))
    fee = joining_fee(state, ledger)
    paid = _into_pots(state, name, command.into, fee, message("joining fee"))
    _check_purse(state, name, ledger.balance(name) + coins, fee)
    brought = (Transfer(CAGE, Account.player(name), coins, BUY_IN),) if coins else ()
    seats = tuple(sorted((*state.seats, Seat(number, name)), key=lambda seat: seat.number))
    return changed(state, seats=seats), (PlayerJoined(name, number), *brought, *paid)


def _free_seat(state: State, wanted: Any) -> int:
    if wanted is None:
        return free_seat(state.seats)
    if type(wanted) is not int or wanted < 1:
        raise BadScript(f"A seat is a number from 1 to {MAX_PLAYERS}, got {wanted!r}.")
    if wanted > MAX_PLAYERS:
        raise NotOffered.saying(
            "There are {seats} seats, and no seat {seat}. Choose another seat.", seats=MAX_PLAYERS, seat=wanted
        )
    if any(seat.number == wanted for seat in state.seats):
        raise NotOffered.saying("Seat {seat} is taken. Choose another seat.", seat=wanted)
    return wanted


def _into_pots(state: State, name: str, into: Any, fee: int, why: Message) -> tuple[Transfer, ...]:
    """Return the transfers that place the fee as the player chose: ``{"6": 3, "2": 1}``.

    Raises:
        BadScript, NotOffered, BadAmount: no such mapping, no such pot, or not exactly the fee.
    """
    into = {} if into is None else into
    if not isinstance(into, Mapping):
        raise BadScript(f"'into' says how much goes into which pot, {{\"6\": 3}}, got {into!r}.")
    pots = {str(suit): suit for suit in state.pots}
    for suit, coins in into.items():
        if str(suit) not in pots:
            raise NotOffered.saying(
                "There is no pot {pot} at this table. It has {pots}.", pot=repr(suit), pots=", ".join(pots)
            )
        if type(coins) is not int or coins < 0:
            raise BadAmount.saying(
                "{coins} is not an amount for pot {pot}. Say a whole number of coins.", coins=repr(coins), pot=str(suit)
            )
    if sum(into.values()) != fee:
        raise BadAmount.saying(
            "{player} puts {coins} into the pots, and {fee} are due. Say where all of it goes, for example {example}.",
            player=name,
            coins=sum(into.values()),
            fee=fee,
            example=f'"into": {{"{state.pots[0]}": {fee}}}',
        )
    payer = Account.player(name)
    placed = sorted((pots[str(suit)], coins) for suit, coins in into.items() if coins)
    return tuple(Transfer(payer, Account.pot(suit), coins, why) for suit, coins in placed)


def _check_purse(state: State, name: str, has: int, fee: int) -> None:
    if fee > has and not state.rules.credit:
        raise NotEnoughCoins.saying(
            "{player} has {coins} coins, and the pots are owed {fee}. Bring more.", player=name, coins=has, fee=fee
        )


# ---- sitting out, returning, leaving


def sit_out(state: State, command: SitOut, ledger: Ledger) -> Outcome:
    """Let a player sit out; with the option, a marker records their share of the pots, rounded down."""
    if state.away_of(command.player) is not None:
        raise NothingDone.saying("{player} sits out already. Use return to come back.", player=command.player)
    marker = _all_pots(state, ledger) // len(state.present) if state.rules.marker else 0
    away = (*state.away, Away(command.player, state.number, marker))
    return changed(state, away=away), (PlayerSatOut(command.player, marker),)


def return_to_play(state: State, command: ReturnToPlay, ledger: Ledger) -> Outcome:
    """Let a player return, for the fee due."""
    away = state.away_of(command.player)
    if away is None:
        raise NothingDone.saying("{player} does not sit out. There is nothing to return from.", player=command.player)
    fee = return_fee(state, away, ledger)
    paid = _into_pots(state, away.player, command.into, fee, message("returning"))
    _check_purse(state, away.player, ledger.balance(away.player), fee)
    still_away = tuple(other for other in state.away if other is not away)
    return changed(state, away=still_away), (PlayerReturned(away.player, fee), *paid)


def leave(state: State, command: Any, ledger: Ledger) -> Outcome:
    """Remove a player; their coins stay on their account until they cash out."""
    seat = seat_of(state.seats, command.player)
    seats = tuple(other for other in state.seats if other is not seat)
    away = tuple(other for other in state.away if other.player != seat.player)
    return changed(state, seats=seats, away=away), (PlayerLeft(seat.player, seat.number),)
