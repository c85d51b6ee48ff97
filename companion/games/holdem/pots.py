"""End of a betting round: uncalled bets are returned, stakes go to the main pot and side pots."""

from collections.abc import Sequence
from typing import Final

from companion.games.holdem.events import StakeReturned
from companion.games.holdem.state import Player, Pot, State
from companion.kernel.accounts import Account
from companion.kernel.game import Effect
from companion.kernel.ledger import Transfer
from companion.kernel.messages import message
from companion.kernel.values import changed, quick

ON: Final = "bet"
"""Bet name of all stake accounts."""
STAKED: Final = message("stake")
RETURNED: Final = message("not matched")
COLLECTED: Final = message("into the pot")
ANTE: Final = message("ante")


def stake_of(player: str) -> Account:
    """Return the account of a player's stake in this round."""
    return Account.stake(player, ON)


@quick
class _Level:
    """A pot's slice of each player's total: the coins above ``low``, up to ``high`` (None: no limit)."""

    name: str
    low: int
    high: int | None

    def part(self, below: int, total: int) -> int:
        """Return the part of this slice that was added when a player's total grew from ``below`` to ``total``."""
        top = total if self.high is None or total < self.high else self.high
        return max(top - max(below, self.low), 0)


def collect(state: State) -> tuple[State, tuple[Effect, ...]]:
    """Move the round's stakes into the pots; return the new state and the events."""
    players, happened = _give_back(state.players)
    levels = _levels(players)
    for player in players:
        if player.stake:
            happened += _into_pots(player, levels)
    pots = tuple([_pot(level, players) for level in levels])
    cleared = tuple([_next_round(player) for player in players])
    return changed(state, players=cleared, filled=pots, at=None, bet=0, step=0), tuple(happened)


def _next_round(player: Player) -> Player:
    if not player.stake and player.acted_at is None:
        return player
    return changed(player, stake=0, acted_at=None)


def _give_back(players: Sequence[Player]) -> tuple[Sequence[Player], list[Effect]]:
    """Return the uncalled bet: the highest stake's excess over the second highest. Folded players' stakes count."""
    second, top = sorted([player.stake for player in players])[-2:]
    over = top - second
    if not over:
        return players, []
    owner = next(player for player in players if player.stake == top)
    left = changed(owner, coins=owner.coins + over, stake=second, total=owner.total - over)
    moved = Transfer(stake_of(owner.name), Account.player(owner.name), over, RETURNED)
    after = [left if player is owner else player for player in players]
    return after, [StakeReturned(owner.name, over), moved]


def _levels(players: Sequence[Player]) -> list[_Level]:
    """Return one level per distinct total among players who have not folded."""
    tops = sorted({player.total for player in players if not player.folded})
    highs: list[int | None] = [*tops[:-1], None]
    names = ["main", *(f"side-{number}" for number in range(1, len(tops)))]
    return [_Level(*level) for level in zip(names, [0, *tops], highs, strict=False)]


def _into_pots(player: Player, levels: Sequence[_Level]) -> list[Effect]:
    below, stake = player.total - player.stake, stake_of(player.name)
    parts = [(level.name, level.part(below, player.total)) for level in levels]
    return [Transfer(stake, Account.pot(name), coins, COLLECTED) for name, coins in parts if coins]


def _pot(level: _Level, players: Sequence[Player]) -> Pot:
    coins = sum([level.part(0, player.total) + (0 if level.low else player.dead) for player in players])
    claims = tuple([player.name for player in players if not player.folded and player.total > level.low])
    return Pot(level.name, coins, claims)
