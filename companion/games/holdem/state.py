"""State of a hold'em table: seats, the hand's players and stakes, board and pots."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Final

from companion.games.holdem.events import HandDecided
from companion.games.holdem.tournament.tour import Tour
from companion.kernel.errors import BadScript
from companion.kernel.game import Options, Seat
from companion.kernel.shared.options import check_names
from companion.kernel.shared.seating import PlayerStake
from companion.kernel.values import quick

TITLE: Final = "Texas hold'em"
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 10
BLINDS: Final = (25, 50)
MIN_CHIP: Final = 25


class Phase(Enum):
    """Phase of a hand or tournament."""

    READY = "ready"
    "Between hands; players may join, leave, buy in and cash out."
    HOLE = "hole"
    "Hole cards are being dealt."
    PREFLOP = "preflop"
    "First betting round."
    DEAL_FLOP = "deal-flop"
    "Waiting for the flop."
    FLOP = "flop"
    "Second betting round."
    DEAL_TURN = "deal-turn"
    "Waiting for the turn card."
    TURN = "turn"
    "Third betting round."
    DEAL_RIVER = "deal-river"
    "Waiting for the river card."
    RIVER = "river"
    "Last betting round."
    SHOWDOWN = "showdown"
    "Remaining players show or muck in order."
    BREAK = "break"
    "Tournament break between two levels."
    OVER = "over"
    "The tournament was decided or called off."


BETTING: Final = (Phase.PREFLOP, Phase.FLOP, Phase.TURN, Phase.RIVER)
AFTER: Final = {
    Phase.PREFLOP: Phase.DEAL_FLOP,
    Phase.DEAL_FLOP: Phase.FLOP,
    Phase.FLOP: Phase.DEAL_TURN,
    Phase.DEAL_TURN: Phase.TURN,
    Phase.TURN: Phase.DEAL_RIVER,
    Phase.DEAL_RIVER: Phase.RIVER,
    Phase.RIVER: Phase.SHOWDOWN,
}
"""Phase -> next phase."""


@quick
class Player:
    """A player's part in the hand."""

    name: str
    seat: int
    coins: int
    "Chips behind; 0 means all-in."
    stake: int = 0
    "Coins put in during this round."
    total: int = 0
    "Coins put in during the whole hand, including this round."
    acted_at: int | None = None
    "The bet after the player's last action in this round; None before the first."
    folded: bool = False
    cards: tuple[str, ...] = ()
    "Shown hole cards; empty before."
    mucked: bool = False
    dead: int = 0
    "Big blind ante posted by this player: dead money in the main pot, not part of a stake."

    @property
    def is_live(self) -> bool:
        """Whether the player can still act: neither folded nor all-in."""
        return self.coins > 0 and not self.folded


@quick
class Pot:
    """A pot in play; ``claims`` are the eligible players, clockwise from left of the button."""

    name: str
    coins: int
    claims: tuple[str, ...]


@quick
class State:
    """State of a hold'em table. ``players`` are those in the hand, clockwise from left of the button to the button."""

    seats: tuple[Seat, ...]
    blinds: tuple[int, int]
    min_chip: int
    button: int
    "Seat of the button; before the first hand, the seat that gets it first."
    hand: int = 0
    "Number of hands started."
    phase: Phase = Phase.READY
    players: tuple[Player, ...] = ()
    at: int | None = None
    "Index of the player to act in ``players``; None if it is nobody's turn."
    bet: int = 0
    "The current bet: the stake to match in this round."
    step: int = 0
    "Minimum raise over ``bet``."
    aggressor: int | None = None
    "Index of the last player to bet or raise in this round."
    board: tuple[str, ...] = ()
    filled: tuple[Pot, ...] = ()
    "Main pot first, then side pots."
    decided: HandDecided | None = None
    "Result of the last hand."
    ante: int = 0
    "Ante per hand; only in tournaments."
    tour: Tour | None = None
    "Tournament state; None in a cash game."

    @property
    def actor(self) -> Player:
        """The player to act. Asserts that there is one."""
        assert self.at is not None, "it is nobody's turn"
        return self.players[self.at]

    @property
    def turn(self) -> str | None:
        """Name of the player to act, or None."""
        return None if self.at is None else self.players[self.at].name

    @property
    def pots(self) -> tuple[str, ...]:
        """Names of the pots."""
        return tuple([pot.name for pot in self.filled])

    @property
    def stakes(self) -> tuple[PlayerStake, ...]:
        """Stakes of this round, in seat order."""
        return tuple([PlayerStake(player.name, player.stake) for player in in_seat_order(self.players) if player.stake])

    @property
    def button_name(self) -> str | None:
        """Name of the player on the button, or None for an empty seat."""
        return next((seat.player for seat in self.seats if seat.number == self.button), None)


def in_seat_order(players: Iterable[Player]) -> list[Player]:
    """Return the players in seat order, as results and pages list them."""
    return sorted(players, key=lambda player: player.seat)


def clockwise(seats: Iterable[Seat], number: int) -> list[Seat]:
    """Return the seats clockwise, starting left of seat ``number``.

    >>> [seat.number for seat in clockwise([Seat(1, "Ann"), Seat(2, "Bo"), Seat(4, "Cy")], 2)]
    [4, 1, 2]
    """
    return sorted(seats, key=lambda seat: (seat.number <= number, seat.number))


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the state before the first hand.

    Raises:
        BadScript: an unknown option, a bad value, or too many players. Too few are fine: more may join.
    """
    check_names(TITLE, options, ("blinds", "min_chip", "button"))
    if len(seats) > MAX_PLAYERS:
        raise BadScript.saying(
            "{game} is for {fewest} to {most} players, and {count} sit here.",
            game=TITLE,
            fewest=MIN_PLAYERS,
            most=MAX_PLAYERS,
            count=len(seats),
        )
    small, big, chip = _blinds(options)
    return State(tuple(seats), (small, big), chip, _button(options, len(seats)))


def _blinds(options: Options) -> tuple[int, int, int]:
    """Return small blind, big blind and smallest chip."""
    blinds, chip = options.get("blinds", BLINDS), options.get("min_chip", MIN_CHIP)
    if not isinstance(blinds, (list, tuple)) or len(blinds) != 2 or not all(map(_is_coins, blinds)):
        raise BadScript(f"Option 'blinds' is two numbers of coins above zero, [25, 50], got {blinds!r}.")
    small, big = blinds
    if small > big:
        raise BadScript(f"The small blind is no larger than the big blind, got {blinds!r}.")
    if not _is_coins(chip) or small % chip or big % chip:
        raise BadScript(f"Option 'min_chip' is a number of coins that divides both blinds, got {chip!r}.")
    return small, big, chip


def _is_coins(value: Any) -> bool:
    return type(value) is int and value > 0


def _button(options: Options, count: int) -> int:
    """Return the first button's seat: the last seat (seat 1 heads-up), so that seat 1 acts first before the flop."""
    if "button" not in options:
        return 1 if count == 2 else max(count, 1)
    button, most = options["button"], count or MAX_PLAYERS
    if type(button) is not int or not 1 <= button <= most:
        raise BadScript(f"Option 'button' is the seat of a player, 1 to {most}, got {button!r}.")
    return button
