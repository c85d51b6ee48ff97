"""What is true at a table of King of Roulette: the players with their points and secrets, and the king's rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from companion.games.king.events import GameEnded, RoundRevealed
from companion.games.king.spaces import Rule, Space
from companion.kernel.game import Seat
from companion.kernel.values import changed as but

FEWEST: Final = 4
MOST: Final = 12
"""Players: seven by the rules, 4 to 12 by the rulings."""
ROUNDS: Final = 7
BUY_IN: Final = 6
"""Garnets: the first two Double Bonuses cost 2 and 3."""


class Phase(Enum):
    """What the table waits for."""

    VOTE = "vote"
    "Everybody votes for the first king."
    ROUND = "round"
    "The king writes rule and guess, the others bet; all of it is secret."
    SUCCESSION = "succession"
    "The king says who follows."
    CHOOSE = "choose"
    "The highest scorers name the candidate among those tied for last."
    OVER = "over"
    "Tokens and candidate are known."


@dataclass(frozen=True, slots=True)
class Player:
    """One player. ``vote``, ``space`` and ``uses_bonus`` are secret."""

    seat: Seat
    points: int = 0
    bonuses: int = 0
    "Not used up; one that is in use counts until the reveal."
    bought: int = 0
    vote: str | None = None
    space: Space | None = None
    uses_bonus: bool = False

    @property
    def name(self) -> str:
        return self.seat.player


@dataclass(frozen=True, slots=True)
class State:
    """A game. ``rule`` and ``guess`` are secret; ``tied`` are those who may be elected or chosen."""

    rounds: int
    players: tuple[Player, ...]
    phase: Phase = Phase.VOTE
    round: int = 1
    king: str | None = None
    rule: Rule | None = None
    guess: str | None = None
    tied: tuple[str, ...] = ()
    revealed: RoundRevealed | None = None
    "The last round, for the pages."
    ended: GameEnded | None = None
    vote_tied: bool = False
    "The vote before was tied: everybody votes again."
    buy_in: int = BUY_IN
    "Garnets with which a player usually comes."

    @property
    def seats(self) -> tuple[Seat, ...]:
        return tuple(player.seat for player in self.players)

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody, in seat order."""
        return tuple([player.seat.player for player in self.players])

    @property
    def others(self) -> tuple[Player, ...]:
        """Everybody but the king."""
        return tuple(player for player in self.players if player.name != self.king)

    def player(self, name: str) -> Player:
        """Return a player who is known to be here."""
        return next(player for player in self.players if player.name == name)

    def changed(self, name: str, **changes: Any) -> State:
        """Return the state with some fields of one player changed."""
        at = self.names.index(name)
        after = but(self.players[at], **changes)
        return but(self, players=(*self.players[:at], after, *self.players[at + 1 :]))

    def all_changed(self, **changes: Any) -> State:
        """Return the state with some fields of every player changed."""
        return but(self, players=tuple([but(one, **changes) for one in self.players]))

    @property
    def is_ready(self) -> bool:
        """Say whether rule, guess and every bet are there."""
        if not (self.rule and self.guess):
            return False
        return all(player.space is not None or player.seat.player == self.king for player in self.players)


def ranges(players: int) -> tuple[str, ...]:
    """Return what the king may guess: 0-1, 2-3, … up to all others; a last single number stands alone.

    >>> ranges(7), ranges(4)
    (('0-1', '2-3', '4-5', '6'), ('0-1', '2-3'))
    """
    return tuple(str(low) if low == players - 1 else f"{low}-{low + 1}" for low in range(0, players, 2))


def range_points(guess: str, players: int) -> int:
    """Return what a right guess is worth: 4, 3, 2, then 1 for each further range.

    >>> [range_points(guess, 10) for guess in ranges(10)]
    [4, 3, 2, 1, 1]
    """
    return max(4 - ranges(players).index(guess), 1)


def is_right(guess: str, earned: int) -> bool:
    """Say whether so many others lie in the king's range.

    >>> is_right("2-3", 3), is_right("6", 5)
    (True, False)
    """
    low, _, high = guess.partition("-")
    return int(low) <= earned <= int(high or low)


def price(player: Player) -> int:
    """Return what the player's next Double Bonus costs: 2 garnets, and 1 more for each bought before."""
    return 2 + player.bought


def lowest(players: Sequence[Player]) -> tuple[str, ...]:
    """Return who has the fewest points."""
    return _at(players, min)


def highest(players: Sequence[Player]) -> tuple[str, ...]:
    """Return who has the most points."""
    return _at(players, max)


def _at(players: Sequence[Player], which: Callable[[list[int]], int]) -> tuple[str, ...]:
    points = which([player.points for player in players])
    return tuple(player.name for player in players if player.points == points)
