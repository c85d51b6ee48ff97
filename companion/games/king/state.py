"""State of a King of Roulette table: players with points and secrets, and the king's rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from companion.games.king.events import GameEnded, RoundRevealed
from companion.games.king.spaces import Rule, Space
from companion.kernel.game import Seat
from companion.kernel.values import changed as but

MIN_PLAYERS: Final = 4
MAX_PLAYERS: Final = 12
"""Player limit: seven by the rules, 4 to 12 by the rulings."""
ROUNDS: Final = 7
BUY_IN: Final = 6
"""Garnets: the first two Double Bonuses cost 2 and 3."""


class Phase(Enum):
    """What the table is waiting for."""

    VOTE = "vote"
    "Secret vote for the first king."
    ROUND = "round"
    "The king sets rule and guess, the others bet, all in secret."
    SUCCESSION = "succession"
    "The king elects a successor."
    CHOOSE = "choose"
    "The highest scorers name the candidate among those tied for last."
    OVER = "over"
    "The game is over; tokens and candidate are decided."


@dataclass(frozen=True, slots=True)
class Player:
    """A player. ``vote``, ``space`` and ``uses_bonus`` are secret."""

    seat: Seat
    points: int = 0
    bonuses: int = 0
    "Unused bonuses; one in use still counts until the reveal."
    bought: int = 0
    vote: str | None = None
    space: Space | None = None
    uses_bonus: bool = False

    @property
    def name(self) -> str:
        return self.seat.player


@dataclass(frozen=True, slots=True)
class State:
    """State of a game. ``rule`` and ``guess`` are secret; ``tied`` are the players eligible for election or choice."""

    rounds: int
    players: tuple[Player, ...]
    phase: Phase = Phase.VOTE
    round: int = 1
    king: str | None = None
    rule: Rule | None = None
    guess: str | None = None
    tied: tuple[str, ...] = ()
    revealed: RoundRevealed | None = None
    "Last revealed round, for display."
    ended: GameEnded | None = None
    vote_tied: bool = False
    "Whether the previous vote was tied and is being repeated."
    buy_in: int = BUY_IN
    "Garnets of the usual buy-in."

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(player.seat for player in self.players)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all players, in seat order."""
        return tuple([player.seat.player for player in self.players])

    @property
    def others(self) -> tuple[Player, ...]:
        """All players but the king."""
        return tuple(player for player in self.players if player.name != self.king)

    def player(self, name: str) -> Player:
        """Return a player by name, who must be at the table."""
        return next(player for player in self.players if player.name == name)

    def changed(self, name: str, **changes: Any) -> State:
        """Return a copy with fields of one player changed."""
        at = self.names.index(name)
        after = but(self.players[at], **changes)
        return but(self, players=(*self.players[:at], after, *self.players[at + 1 :]))

    def all_changed(self, **changes: Any) -> State:
        """Return a copy with fields of every player changed."""
        return but(self, players=tuple([but(one, **changes) for one in self.players]))

    @property
    def is_ready(self) -> bool:
        """Whether rule, guess and all bets are in."""
        if not (self.rule and self.guess):
            return False
        return all(player.space is not None or player.seat.player == self.king for player in self.players)


def ranges(players: int) -> tuple[str, ...]:
    """Return the king's possible guesses: 0-1, 2-3, … up to the number of others; an odd last number stands alone.

    >>> ranges(7), ranges(4)
    (('0-1', '2-3', '4-5', '6'), ('0-1', '2-3'))
    """
    return tuple(str(low) if low == players - 1 else f"{low}-{low + 1}" for low in range(0, players, 2))


def range_points(guess: str, players: int) -> int:
    """Return the points of a correct guess: 4, 3, 2, then 1 for each further range.

    >>> [range_points(guess, 10) for guess in ranges(10)]
    [4, 3, 2, 1, 1]
    """
    return max(4 - ranges(players).index(guess), 1)


def is_right(guess: str, earned: int) -> bool:
    """Whether the number of earners lies in the guessed range.

    >>> is_right("2-3", 3), is_right("6", 5)
    (True, False)
    """
    low, _, high = guess.partition("-")
    return int(low) <= earned <= int(high or low)


def price(player: Player) -> int:
    """Return the price of the player's next Double Bonus: 2 garnets, plus 1 for each bought before."""
    return 2 + player.bought


def lowest(players: Sequence[Player]) -> tuple[str, ...]:
    """Return the players with the fewest points."""
    return _at(players, min)


def highest(players: Sequence[Player]) -> tuple[str, ...]:
    """Return the players with the most points."""
    return _at(players, max)


def _at(players: Sequence[Player], which: Callable[[list[int]], int]) -> tuple[str, ...]:
    points = which([player.points for player in players])
    return tuple(player.name for player in players if player.points == points)
