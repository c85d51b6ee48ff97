"""Chip race: converts odd chips into whole ones when the smallest chip is retired.

Chips are coins, so none are created: the odd coins pay for the chips raced for, at most one per player. Nobody is
raced out: a player with no more than one new chip's worth keeps it and does not take part.
"""

from collections.abc import Collection, Mapping

from companion.games.holdem.tournament.tour import Race
from companion.kernel.accounts import Account
from companion.kernel.errors import NotOffered
from companion.kernel.ledger import Transfer
from companion.kernel.messages import listed, message, plural

RACE = message("chip race")
"""Reason on the transfers of a chip race."""


def race_for(chip: int, coins: Mapping[str, int]) -> Race | None:
    """Return the race for a new smallest chip; None if nobody has odd coins.

    Args:
        coins: player -> coins, clockwise from left of the button.

    >>> race_for(100, {"Ann": 1075, "Bo": 350, "Cy": 75, "Di": 175})
    Race(chip=100, chips=2, rest=0, odd=(('Ann', 75), ('Bo', 50), ('Di', 75)))
    """
    odd = tuple([(name, had % chip) for name, had in coins.items() if had > chip and had % chip])
    total = sum(coins for _, coins in odd)
    return Race(chip, total // chip, total % chip, odd) if odd else None


def check_winners(race: Race, winners: Collection[str]) -> None:
    """Raise unless there is one winner per chip, all of them in the race.

    Raises:
        NotOffered: the wrong number of winners, or one who is not in the race.
    """
    names = [name for name, _ in race.odd]
    strangers = [name for name in winners if name not in names]
    if strangers or len(winners) != race.chips:
        raise NotOffered(
            plural(
                "{n} chip of {chip} is raced for, among {names}. Name as many winners, each once.",
                "{n} chips of {chip} are raced for, among {names}. Name as many winners, each once.",
                race.chips,
                chip=race.chip,
                names=listed(names),
            )
        )


def moves(race: Race, winners: Collection[str]) -> tuple[Transfer, ...]:
    """Return the transfers: odd coins in, chips out; the remainder goes to the first left of the button."""
    pile = Account.pot("race")
    won = dict.fromkeys(winners, race.chip)
    first = race.odd[0][0]
    won[first] = won.get(first, 0) + race.rest
    given = [Transfer(Account.player(name), pile, coins, RACE) for name, coins in race.odd]
    return (*given, *(Transfer(pile, Account.player(name), coins, RACE) for name, coins in won.items() if coins))
