"""Joining and leaving, during the vote for the first king."""

from collections.abc import Sequence
from dataclasses import replace

from companion.games.king.state import MAX_PLAYERS, Player, State
from companion.kernel.commands import Join, Leave
from companion.kernel.errors import NotOffered
from companion.kernel.game import Effect, Seat
from companion.kernel.ledger import Ledger
from companion.kernel.shared.seating import sit_down, stand_up

Outcome = tuple[State, tuple[Effect, ...]]


def join(state: State, command: Join, ledger: Ledger) -> Outcome:
    """Seat a player, whose vote is then needed too."""
    if len(state.players) >= MAX_PLAYERS:
        raise NotOffered.saying("The table is full: {n} can play.", n=MAX_PLAYERS)
    seats, happened = sit_down(state.seats, command)
    return _seated(state, seats), happened


def leave(state: State, command: Leave, ledger: Ledger) -> Outcome:
    """Remove a player and clear all votes, so that leaving cannot decide the vote."""
    seats, happened = stand_up(state.seats, command, ledger, has_stakes=False)
    return _seated(state.all_changed(vote=None), seats), happened


def _seated(state: State, seats: Sequence[Seat]) -> State:
    known = {player.seat: player for player in state.players}
    return replace(state, players=tuple(known.get(seat, Player(seat)) for seat in seats))
