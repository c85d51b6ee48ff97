"""A tournament at one moment: its level and clock, who has come in, who is out, and what is played for."""

from collections.abc import Mapping

from companion.games.holdem.tournament.levels import Level
from companion.kernel.values import quick


@quick
class Out:
    """A player who has lost everything: in which hand, and the coins at its start."""

    player: str
    hand: int
    stack: int


@quick
class Race:
    """A chip race: chips of the new kind for those who have odd coins, at most one each.

    Attributes:
        chip: the new chip.
        chips: how many are raced for.
        rest: coins that make no chip; they go to the first left of the button.
        odd: player -> odd coins, clockwise from left of the button.
    """

    chip: int
    chips: int
    rest: int
    odd: tuple[tuple[str, int], ...]


@quick
class Place:
    """Where a player finished, and the prize; two who share a place have the same."""

    place: int
    player: str
    coins: int


@quick
class Tour:
    """A tournament. The coins are the chips: what was bought in lies on the table until the prizes are paid from it."""

    levels: tuple[Level, ...]
    prizes: tuple[int, ...]
    "Hundredths of all coins for the first place, the second, …"
    rebuy_until: int = 0
    "The last level with rebuys; 0: none."
    add_on: int = 0
    "The coins of an add-on; 0: none."
    big_blind_ante: bool = False
    "Whether the big blind puts in one ante for everybody."
    buy_in: int = 0
    "The coins with which everybody comes after another game; 0: the usual number of blinds."
    at: int = 0
    "The place of the level in ``levels``."
    stack: int = 0
    "What everybody began with; 0 before the first hand."
    entrants: tuple[str, ...] = ()
    "Everybody who has come in."
    rebuys: int = 0
    added: tuple[str, ...] = ()
    "Who has had an add-on."
    is_closed: bool = False
    "Whether rebuys were closed before their last level."
    pool: int = 0
    "All coins in play."
    runs: bool = False
    "Whether the clock does."
    since: str | None = None
    "Since when it runs, as the command said; None where none did."
    used: int = 0
    "Seconds of the level that were over by then."
    out: tuple[Out, ...] = ()
    race: Race | None = None
    "The chip race that comes before the next hand."
    places: tuple[Place, ...] = ()
    "Once it is decided."

    @property
    def level(self) -> Level:
        """The level or break that is on."""
        return self.levels[self.at]

    @property
    def following(self) -> Level | None:
        """The level or break that comes next; None in the last one, which goes on."""
        return self.levels[self.at + 1] if self.at + 1 < len(self.levels) else None

    @property
    def has_begun(self) -> bool:
        """Whether the first hand has been dealt."""
        return self.stack > 0

    @property
    def has_rebuys(self) -> bool:
        """Whether whoever has no coins may come in again."""
        return self.has_begun and not self.is_closed and self.level.number <= self.rebuy_until

    @property
    def has_add_ons(self) -> bool:
        """Whether add-ons are sold: in the last level with rebuys, and the break after it."""
        return bool(self.add_on) and self.has_rebuys and self.level.number == self.rebuy_until

    @property
    def alive(self) -> tuple[str, ...]:
        """Who has coins, in the order in which they came in."""
        gone = {out.player for out in self.out}
        return tuple([name for name in self.entrants if name not in gone])

    @property
    def may_add(self) -> tuple[str, ...]:
        """Who may have an add-on."""
        return tuple([name for name in self.alive if name not in self.added]) if self.has_add_ons else ()

    @property
    def is_decided(self) -> bool:
        """Whether one player has everything, and nobody else may come in again."""
        return self.has_begun and len(self.alive) == 1 and not self.has_rebuys


def payouts(tour: Tour, seats: Mapping[str, int]) -> tuple[Place, ...]:
    """Return everybody's place and prize, the first place first.

    Whoever lasts longer places higher; of those who went out in one hand, who had more coins at its start. Those who
    had as many share their places and prizes; coins that cannot be divided go one each in seat order.

    Args:
        seats: player -> seat. Who has left comes after those who are here.
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
    """Return the prize of each place: the first has what rounding, and places that nobody takes, leave."""
    coins = [tour.pool * share // 100 for share in tour.prizes[: len(tour.entrants)]]
    coins[0] += tour.pool - sum(coins)
    return coins + [0] * (len(tour.entrants) - len(coins))


def prize_list(tour: Tour) -> tuple[int, ...]:
    """Return the prizes that are paid now, the first place's first; none before anybody has come in."""
    return tuple([coins for coins in _prizes(tour) if coins]) if tour.entrants else ()
