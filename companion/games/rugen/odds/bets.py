"""Exact odds of every bet of the three Rugen games, from any position in a chain."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Final

from companion.games.rugen import capital, house, street
from companion.games.rugen.events import ChainBroken
from companion.games.rugen.odds.chain import Reading, break_chances, chain_chances, chain_so_far, one_roll_chances
from companion.games.rugen.prices import ONE_ROLL, SPOTS, STREET_UNIT, Schedule, spot_parts, spot_price
from companion.kernel.events import Decided
from companion.kernel.messages import Message, message
from companion.objects.cards import Half
from companion.objects.dice import D20_FACES, NUMBERS
from companion.odds.bet_odds import BetOddsJson, PriceWhen, odds_json
from companion.odds.endings import Endings, Played, Staked, as_endings, mean, variance, won_or_lost

_NEVER: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to win a bet: its probability, and a payout of ``win`` coins per ``per`` coins staked."""

    when: str
    probability: Fraction
    win: int
    per: int

    @property
    def pays(self) -> str:
        return f"{self.win}:{self.per}"


@dataclass(frozen=True, slots=True)
class WaysOdds:
    """A bet with one or more ways to win, at different prices; ``ways`` is not empty.

    >>> bet = WaysOdds("chain/4", (Way("day", Fraction(1, 10), 5, 1), Way("night", Fraction(1, 10), 4, 1)))
    >>> bet.probability, bet.fair, bet.edge, bet.pays
    (Fraction(1, 5), Fraction(4, 1), Fraction(-1, 10), '5:1/4:1')
    """

    on: str
    ways: tuple[Way, ...]

    @property
    def probability(self) -> Fraction:
        """Probability to win at any price."""
        return sum((way.probability for way in self.ways), Fraction(0))

    @property
    def fair(self) -> Fraction | None:
        """The fair price, x to 1; None for a bet that cannot win."""
        return (1 - self.probability) / self.probability if self.probability else None

    @property
    def edge(self) -> Fraction:
        """Edge of the bank (in Street: of the other players) per coin bet."""
        returns = (way.probability * Fraction(way.win + way.per, way.per) for way in self.ways)
        return 1 - sum(returns, Fraction(0))

    @property
    def prices(self) -> tuple[str, ...]:
        """The distinct prices."""
        return tuple(dict.fromkeys(way.pays for way in self.ways))

    @property
    def pays(self) -> str:
        """The prices in the layout's format, the day's first."""
        return "/".join(self.prices)

    def endings(self, amount: int) -> Endings:
        """Return the possible results of a stake in coins."""
        return won_or_lost(((way.probability, way.win * (amount // way.per)) for way in self.ways), amount)

    def as_json(self) -> BetOddsJson:
        """Return the `companion odds --json` form."""
        by_half: list[PriceWhen] = [{"when": way.when, "pays": way.pays} for way in self.ways]
        return odds_json(self, by_half if len(self.prices) > 1 else self.prices[0])


def house_odds(reading: Reading, better_half: Half, seen: Sequence[str] = ()) -> tuple[WaysOdds, ...]:
    """Return the odds of every bet of the House layout, in the layout's order.

    The one-roll bets are on the next throw; with a broken chain the chain bets are decided (0 or 1).

    Args:
        seen: the throws of the chain so far, in order.

    Raises:
        UnknownCard, WrongPhase: as `companion.games.rugen.odds.chain.chain_so_far`.
    """
    chances = one_roll_chances() | chain_chances(chain_so_far(seen), reading)
    return tuple(_house_bet(on, chances[on], better_half) for on in SPOTS)


def _house_bet(on: str, chances: dict[Half, Fraction], better_half: Half) -> WaysOdds:
    prices = {half: spot_price(on, half, better_half) for half in chances}
    return WaysOdds(on, tuple(Way(h, chances[h], price.win, price.per) for h, price in prices.items()))


def street_odds(taken: Sequence[int] = NUMBERS, seen: Sequence[str] = ()) -> tuple[WaysOdds, ...]:
    """Return the odds of ``take/1`` to ``take/4`` in Street Rugen; a free number cannot win.

    Args:
        taken: the numbers held by players, including the shooter's point.
        seen: the throws of the chain so far, in order.

    Raises:
        UnknownCard, WrongPhase: as `companion.games.rugen.odds.chain.chain_so_far`.
    """
    chances = break_chances(chain_so_far(seen, taken))
    stakes = {number: STREET_UNIT[number] for number in taken}
    return tuple(_take(n, chances.get(n, _NEVER), stakes, STREET_UNIT[n]) for n in NUMBERS)


def capital_odds(schedule: Schedule, taken: Sequence[int] = (), seen: Sequence[str] = ()) -> tuple[WaysOdds, ...]:
    """Return the odds of ``take/1`` to ``take/4`` in Capital Rugen, where the bank covers free numbers.

    Args:
        taken: the numbers held by players. Any other is shown as if one more player took it.
        seen: the throws of the chain so far, in order.

    Raises:
        UnknownCard, WrongPhase: as `companion.games.rugen.odds.chain.chain_so_far`.
    """
    chances = break_chances(chain_so_far(seen))
    stakes = {n: schedule.player_price(n) if n in taken else schedule.house_price(n) for n in NUMBERS}
    return tuple(_take(n, chances[n], stakes, schedule.player_price(n)) for n in NUMBERS)


def _take(number: int, chance: Fraction, stakes: dict[int, int], own: int) -> WaysOdds:
    """Return the odds of a number, which wins the stakes on all others."""
    others = sum(coins for other, coins in stakes.items() if other != number)
    return WaysOdds(f"take/{number}", (Way("", chance, others, own),))


def meaning(on: str, reading: Reading = "all") -> Message:
    """Return a short description of when a bet wins.

    >>> meaning("chain-day/3", "own")
    '3 breaks, every 3 by day'
    """
    kind, _, number = on.partition("/")
    own = message("every {n}", n=number) if reading == "own" else message("all")
    return {
        "center": message("next throw a {n}", n=number),
        "day": message("next throw a day {n}", n=number),
        "night": message("next throw a night {n}", n=number),
        "chain": message("{n} breaks the chain", n=number),
        "chain-day": message("{n} breaks, {own} by day", n=number, own=own),
        "chain-night": message("{n} breaks, {own} by night", n=number, own=own),
        "take": message("{n} breaks first", n=number),
    }[kind]


def house_bets(state: house.State) -> Iterable[WaysOdds]:
    """Return the odds of every bet of the layout."""
    return _live_odds(state.rules.reading, state.rules.better_half, state.chain)


@lru_cache(maxsize=1024)
def _live_odds(reading: Reading, better_half: Half, chain: tuple[str, ...]) -> tuple[WaysOdds, ...]:
    return house_odds(reading, better_half, chain)


class Wagers:
    """Expected results of numbers in Street and Capital, before the first throw."""

    def has_begun(self, state: street.State | capital.State) -> bool:
        return state.phase in (street.Phase.CHAIN, capital.Phase.CHAIN) and not state.chain

    def bets(self, state: street.State | capital.State, decided: Decided) -> Iterable[Played]:
        """Yield each player's number: the breaker wins the stakes on all others. Side bets are excluded."""
        assert isinstance(decided, ChainBroken)
        claims = state.wager.claims
        whole = sum(claim.amount for claim in claims)
        chances = break_chances(chain_so_far((), [claim.number for claim in claims]))
        for claim in claims:
            if claim.player is not None:
                others, amount = whole - claim.amount, claim.amount
                ways = won_or_lost([(chances[claim.number], others)], amount)
                net = others if claim.number == decided.number else -amount
                yield Played(claim.player, f"take/{claim.number}", amount, net, mean(ways), sqrt(variance(ways)))


def on_one_chain(state: street.State | capital.State, bets: Staked) -> Endings:
    """Return the joint results of numbers in one game: one of them wins the stakes on all others."""
    claims = state.wager.claims
    whole = sum(claim.amount for claim in claims)
    found: dict[int, Fraction] = {}
    for number, chance in break_chances(chain_so_far((), [claim.number for claim in claims])).items():
        net = sum(whole - amount if on == f"take/{number}" else -amount for on, amount in bets)
        found[net] = found.get(net, _NEVER) + chance
    return as_endings(found)


def house_throw(state: house.State, on: str) -> int | None:
    """Return the number of the throw that decides a bet; None for one that waits until the chain breaks."""
    return state.throws if spot_parts(on)[0] in ONE_ROLL else None


def on_one_throw(state: house.State, bets: Staked) -> Endings:
    """Return the joint results of one-roll bets on the same throw."""
    found: dict[int, Fraction] = {}
    for face in D20_FACES:
        prices = [(house.one_roll_price(state.rules, on, face), amount) for on, amount in bets]
        net = sum(price.winnings(amount) if price else -amount for price, amount in prices)
        found[net] = found.get(net, _NEVER) + Fraction(1, len(D20_FACES))
    return as_endings(found)


def capital_bets(state: capital.State) -> Iterable[WaysOdds]:
    """Return the odds of all numbers, including the bank's."""
    taken = [claim.number for claim in state.wager.claims if claim.player is not None]
    return capital_odds(state.rules.schedule, taken, state.chain)


def street_bets(state: street.State) -> Iterable[WaysOdds]:
    """Return the odds of the taken numbers; of all numbers during taking, and of none once the game is decided."""
    if state.phase is not street.Phase.CHAIN:
        return street_odds(NUMBERS)
    if state.wager.decided is not None or not state.wager.claims:
        return ()
    return street_odds(sorted(state.wager.numbers), state.chain)
