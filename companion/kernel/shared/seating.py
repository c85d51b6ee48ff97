"""Joining and leaving a running table, for games in which players may come and go at any time."""

from collections.abc import Sequence
from dataclasses import Field, replace
from typing import Any, ClassVar, Protocol, TypeVar

from companion.kernel.accounts import CAGE, Account
from companion.kernel.commands import Join, Leave
from companion.kernel.errors import BadScript, NotOffered, WrongPhase
from companion.kernel.events import PlayerJoined, PlayerLeft
from companion.kernel.game import Effect, Seat, free_seat, seat_of
from companion.kernel.ledger import ASIDE, BUY_IN, Ledger, Transfer, checked_coins
from companion.kernel.messages import message
from companion.kernel.shared.names import seat_name
from companion.kernel.values import quick


@quick
class PlayerStake:
    """A player's coins on undecided bets."""

    player: str
    amount: int


class _Stake(Protocol):
    @property
    def player(self) -> str: ...


class Open(Protocol):
    """A game state with free seating; a player with stakes cannot leave."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def seats(self) -> tuple[Seat, ...]: ...

    @property
    def stakes(self) -> Sequence[_Stake]: ...


StateT = TypeVar("StateT", bound=Open)
Seating = tuple[tuple[Seat, ...], tuple[Effect, ...]]


def sit_down(seats: Sequence[Seat], command: Join) -> Seating:
    """Return the seats including a new player, and the events and transfers.

    Raises:
        BadName: the name is empty or taken.
        BadScript: not a seat number.
        NotOffered: the seat is taken.
        BadAmount: the coins are not a whole number, 0 or more.
    """
    name = seat_name(command.player, (seat.player for seat in seats))
    number = command.seat if command.seat is not None else free_seat(seats)
    if type(number) is not int or number < 1:
        raise BadScript.saying("A seat is a number from 1 upwards, got {seat}.", seat=repr(command.seat))
    if any(seat.number == number for seat in seats):
        raise NotOffered.saying("Seat {seat} is taken. Choose another seat.", seat=number)
    coins, aside = (_checked_coming(some) for some in (command.coins, command.aside))
    player = Account.player(name)
    happened: tuple[Effect, ...] = (PlayerJoined(name, number),)
    happened += (Transfer(CAGE, player, coins + aside, BUY_IN),) if coins + aside else ()
    happened += (Transfer(player, Account.aside(name), aside, ASIDE),) if aside else ()
    return tuple(sorted((*seats, Seat(number, name)), key=lambda seat: seat.number)), happened


def _checked_coming(coins: object) -> int:
    """Return a newcomer's coins if they are a whole number, 0 or more; ``false`` is rejected.

    Raises:
        BadAmount: anything else.
    """
    is_none = type(coins) is int and coins == 0
    return 0 if is_none else checked_coins(coins, message("coming to the table"))


def stand_up(seats: Sequence[Seat], command: Leave, ledger: Ledger, has_stakes: bool) -> Seating:
    """Return the seats without a player, and the events.

    Raises:
        UnknownPlayer: nobody of that name is seated.
        WrongPhase: the player has stakes on the table.
        NotOffered: the player has coins left.
    """
    leaving = seat_of(seats, command.player)
    if has_stakes:
        raise WrongPhase.saying(
            "{player} has bets on the table. Settle them or take them back first.", player=command.player
        )
    if coins := ledger.balance(command.player) + ledger.aside(command.player):
        raise NotOffered.saying(
            "{player} still has {coins} coins. Cash out first, then leave.", player=command.player, coins=coins
        )
    return tuple(seat for seat in seats if seat is not leaving), (PlayerLeft(leaving.player, leaving.number),)


def join(state: StateT, command: Join, ledger: Ledger) -> tuple[StateT, tuple[Effect, ...]]:
    """Seat a new player; raises like `sit_down`."""
    seats, happened = sit_down(state.seats, command)
    return replace(state, seats=seats), happened


def leave(state: StateT, command: Leave, ledger: Ledger) -> tuple[StateT, tuple[Effect, ...]]:
    """Remove a player without stakes; raises like `stand_up`."""
    has_stakes = any(stake.player == command.player for stake in state.stakes)
    seats, happened = stand_up(state.seats, command, ledger, has_stakes)
    return replace(state, seats=seats), happened
