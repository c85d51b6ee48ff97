"""Tournament state: level, clock, entrants, eliminations and prizes."""

from collections.abc import Mapping

from companion.games.holdem.tournament.levels import Level
from companion.kernel.values import quick


@quick
class Out:
    """An eliminated player: the hand, and the coins at its start."""

    player: str
    hand: int
    stack: int


@quick
class Race:
    """A chip race: new chips among the players with odd coins, at most one each.

    Attributes:
        chip: value of the new smallest chip.
        chips: number of chips raced for.
        rest: remaining coins, less than a chip; they go to the first left of the button.
        odd: (player, odd coins) pairs, clockwise from left of the button.
    """

    chip: int
    chips: int
    rest: int
    odd: tuple[tuple[str, int], ...]


@quick
class Place:
    """A player's place and prize; tied players have the same place."""

    place: int
    player: str
    coins: int


@quick
class Tour:
    """Tournament state. Coins are chips: buy-ins stay on the table until the prizes are paid from them."""

    levels: tuple[Level, ...]
    prizes: tuple[int, ...]
    "Percent of all coins for first place, second, …"
    rebuy_until: int = 0
    "Last level with rebuys; 0 for none."
    add_on: int = 0
    "Coins of an add-on; 0 for none."
    big_blind_ante: bool = False
    "Whether the big blind posts the ante for the whole table."
    buy_in: int = 0
    "Starting stack after another game; 0 for the usual number of blinds."
    at: int = 0
    "Index of the current level in ``levels``."
    stack: int = 0
    "Starting stack; 0 before the first hand."
    entrants: tuple[str, ...] = ()
    "All players who have entered."
    rebuys: int = 0
    added: tuple[str, ...] = ()
    "Players who have bought an add-on."
    is_closed: bool = False
    "Whether rebuys were closed early."
    pool: int = 0
    "Sum of all coins in play."
    runs: bool = False
    "Whether the clock is running."
    since: str | None = None
    "Time stamp of the command that started the clock or level; None while paused or without one."
    used: int = 0
    "Seconds of the level elapsed by ``since``, or while paused in total."
    out: tuple[Out, ...] = ()
    race: Race | None = None
    "Chip race pending before the next hand."
    places: tuple[Place, ...] = ()
    "Empty until the tournament is decided."

    @property
    def level(self) -> Level:
        """The current level or break."""
        return self.levels[self.at]

    @property
    def following(self) -> Level | None:
        """The next level or break; None in the last level, which has no end."""
        return self.levels[self.at + 1] if self.at + 1 < len(self.levels) else None

    @property
    def has_begun(self) -> bool:
        """Whether the first hand has been dealt."""
        return self.stack > 0

    @property
    def has_rebuys(self) -> bool:
        """Whether rebuys and late entries are open."""
        return self.has_begun and not self.is_closed and self.level.number <= self.rebuy_until

    @property
    def has_add_ons(self) -> bool:
        """Whether add-ons are sold: in the last rebuy level and the break after it."""
        return bool(self.add_on) and self.has_rebuys and self.level.number == self.rebuy_until

    @property
    def alive(self) -> tuple[str, ...]:
        """Players with coins, in order of entry."""
        gone = {out.player for out in self.out}
        return tuple([name for name in self.entrants if name not in gone])

    @property
    def may_add(self) -> tuple[str, ...]:
        """Players who may buy an add-on."""
        return tuple([name for name in self.alive if name not in self.added]) if self.has_add_ons else ()

    @property
    def is_decided(self) -> bool:
        """Whether one player has all coins and rebuys are closed."""
        return self.has_begun and len(self.alive) == 1 and not self.has_rebuys


def payouts(tour: Tour, seats: Mapping[str, int]) -> tuple[Place, ...]:
    """Return all places and prizes, first place first.

    Players eliminated in the same hand rank by their coins at its start. Ties share a place and split the prizes;
    odd coins go one each in seat order.

    Args:
        seats: player -> seat. Players who have left come last.
    """
    prizes, places = _prizes(tour), []
    groups: dict[tuple[int, int], list[str]] = {}
    for out in sorted(tour.out, key=lambda out: (-out.hand, -out.stack)):
        groups.setdefault((out.hand, out.stack), []).append(out.player)
    place = 1
    for group in (*([name] for name in tour.alive), *groups.values()):
        coins = sum(prizes[place - 1 : place - 1 + len(group)])
        each, odd = divmod(coins, len(group))
        for number, name in enumerate(sorted(group, key=lambda name: seats.get(name, len(seats) + 1))):
            places.append(Place(place, name, each + (number < odd)))
        place += len(group)
    return tuple(places)


def _prizes(tour: Tour) -> list[int]:
    """Return the prize per place; first place also gets the rounding rest and prizes of places without an entrant."""
    coins = [tour.pool * share // 100 for share in tour.prizes[: len(tour.entrants)]]
    coins[0] += tour.pool - sum(coins)
    return coins + [0] * (len(tour.entrants) - len(coins))


def prize_list(tour: Tour) -> tuple[int, ...]:
    """Return the current prizes, first place first; empty without entrants."""
    return tuple([coins for coins in _prizes(tour) if coins]) if tour.entrants else ()
