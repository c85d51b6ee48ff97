"""Joining and leaving in Captain's Rochi: two players sit down before a game and stand up after one."""

from companion.games.rochi.captains.cut import Outcome
from companion.games.rochi.captains.state import ANTE, PLAYERS, State, begun
from companion.games.rochi.commands import NewGame
from companion.games.rochi.events import GameBegun
from companion.kernel.accounts import Account
from companion.kernel.commands import Join, Leave
from companion.kernel.errors import NotEnoughCoins, NotOffered
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import message
from companion.kernel.shared.seating import sit_down, stand_up
from companion.kernel.values import changed


def antes(state: State) -> tuple[Transfer, ...]:
    """Return the antes: one coin from each seated player into each pot."""
    return tuple(
        Transfer(Account.player(seat.player), Account.pot(suit), ANTE, message("ante"))
        for suit in state.pots
        for seat in state.seats
    )


def new_game(state: State, command: NewGame, ledger: Ledger) -> Outcome:
    """Begin a game with the two seated players: antes into the pots, seven cards each, then seed cards."""
    due = ANTE * len(state.pots)
    for seat in state.seats:
        if ledger.balance(seat.player) < due:
            raise NotEnoughCoins.saying(
                "{player} has {coins} coins, and the antes take {antes}. Buy in first.",
                player=seat.player,
                coins=ledger.balance(seat.player),
                antes=due,
            )
    fresh = begun(state.deck_kind, state.seats)
    return fresh, (GameBegun(), *antes(fresh))


def join(state: State, command: Join, ledger: Ledger) -> Outcome:
    """A player takes one of the two seats."""
    if type(command.seat) is int and command.seat > PLAYERS:
        raise NotOffered.saying(
            "There are {seats} seats, and no seat {seat}. Choose another seat.", seats=PLAYERS, seat=command.seat
        )
    seats, happened = sit_down(state.seats, command)
    return changed(state, seats=seats), happened


def leave(state: State, command: Leave, ledger: Ledger) -> Outcome:
    """A player without coins stands up."""
    seats, happened = stand_up(state.seats, command, ledger, has_stakes=False)
    return changed(state, seats=seats), happened
