"""A table of hold'em at one moment: who sits here, the hand's players and stakes, the board and the pots."""

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
FEWEST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 10
BLINDS: Final = (25, 50)
MIN_CHIP: Final = 25


class Phase(Enum):
    """Where a hand stands."""

    READY = "ready"
    "Between hands. Coins and players may come and go."
    HOLE = "hole"
    "Everybody gets two cards."
    PREFLOP = "preflop"
    "The first betting round, on the blinds."
    DEAL_FLOP = "deal-flop"
    "Three cards are laid."
    FLOP = "flop"
    "The second betting round."
    DEAL_TURN = "deal-turn"
    "The fourth card is laid."
    TURN = "turn"
    "The third betting round."
    DEAL_RIVER = "deal-river"
    "The fifth card is laid."
    RIVER = "river"
    "The last betting round."
    SHOWDOWN = "showdown"
    "Who is left shows or mucks, in order."
    BREAK = "break"
    "Between two levels of a tournament. Nobody plays."
    OVER = "over"
    "A tournament has been decided, or was called off."


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
"""Phase -> the next one."""


@quick
class Player:
    """A player's part in the hand."""

    name: str
    seat: int
    coins: int
    "In front of the player: those who have none are all-in."
    stake: int = 0
    "Of this round."
    total: int = 0
    "Of the whole hand, this round included."
    acted_at: int | None = None
    "The bet to match when the player last acted in this round; None for who has not."
    folded: bool = False
    cards: tuple[str, ...] = ()
    "Once they were shown."
    mucked: bool = False
    dead: int = 0
    "The ante that this player, as the big blind, put in for everybody: in the main pot, no part of a stake."

    @property
    def is_live(self) -> bool:
        """Whether the player still decides something: neither folded nor all-in."""
        return self.coins > 0 and not self.folded


@quick
class Pot:
    """A pot: its coins, and who may win it, clockwise from left of the button."""

    name: str
    coins: int
    claims: tuple[str, ...]


@quick
class State:
    """A table of hold'em. ``players`` are those in the hand, clockwise from left of the button, who comes last."""

    seats: tuple[Seat, ...]
    blinds: tuple[int, int]
    min_chip: int
    button: int
    "The button's seat; before the first hand, where it begins."
    hand: int = 0
    "How many hands have begun."
    phase: Phase = Phase.READY
    players: tuple[Player, ...] = ()
    at: int | None = None
    "Whose turn it is, as a place in ``players``; None: the table's."
    bet: int = 0
    "What a stake of this round must come to."
    step: int = 0
    "By how much a full bet or raise goes over that."
    aggressor: int | None = None
    "Who bet or raised last in this round."
    board: tuple[str, ...] = ()
    filled: tuple[Pot, ...] = ()
    "The pots, from the lowest level up."
    decided: HandDecided | None = None
    "The latest hand."
    ante: int = 0
    "What everybody in the hand puts in before the blinds; only in tournaments."
    tour: Tour | None = None
    "The tournament; None at a cash game."

    @property
    def actor(self) -> Player:
        """Who is to act. Only where it is somebody's turn."""
        assert self.at is not None, "it is nobody's turn"
        return self.players[self.at]

    @property
    def turn(self) -> str | None:
        """Whose turn it is; None where it is the table's."""
        return None if self.at is None else self.players[self.at].name

    @property
    def pots(self) -> tuple[str, ...]:
        """The pots' names."""
        return tuple([pot.name for pot in self.filled])

    @property
    def stakes(self) -> tuple[PlayerStake, ...]:
        """What lies in front of the players in this round, in seat order."""
        return tuple([PlayerStake(player.name, player.stake) for player in in_seat_order(self.players) if player.stake])

    @property
    def button_name(self) -> str | None:
        """Who has the button."""
        return next((seat.player for seat in self.seats if seat.number == self.button), None)


def in_seat_order(players: Iterable[Player]) -> list[Player]:
    """Return players as results and pages list them."""
    return sorted(players, key=lambda player: player.seat)


def clockwise(seats: Iterable[Seat], number: int) -> list[Seat]:
    """Return the seats clockwise, beginning left of a number.

    >>> [seat.number for seat in clockwise([Seat(1, "Ann"), Seat(2, "Bo"), Seat(4, "Cy")], 2)]
    [4, 1, 2]
    """
    return sorted(seats, key=lambda seat: (seat.number <= number, seat.number))


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the table before the first hand.

    Raises:
        BadScript: an unknown option or value, or too many players. Fewer than two wait for others.
    """
    check_names(TITLE, options, ("blinds", "min_chip", "button"))
    if len(seats) > MOST_PLAYERS:
        raise BadScript.saying(
            "{game} is for {fewest} to {most} players, got {count}.",
            game=TITLE,
            fewest=FEWEST_PLAYERS,
            most=MOST_PLAYERS,
            count=len(seats),
        )
    small, big, chip = _blinds(options)
    return State(tuple(seats), (small, big), chip, _button(options, len(seats)))


def _blinds(options: Options) -> tuple[int, int, int]:
    """Return both blinds and the smallest chip."""
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
    """Return the seat of the first button: the last one, of two players the first; so seat 1 acts first."""
    if "button" not in options:
        return 1 if count == 2 else max(count, 1)
    button, most = options["button"], count or MOST_PLAYERS
    if type(button) is not int or not 1 <= button <= most:
        raise BadScript(f"Option 'button' is the seat of a player, 1 to {most}, got {button!r}.")
    return button
