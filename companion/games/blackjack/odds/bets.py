"""Odds of blackjack's bets: the hand, insurance, and the actions of a hand in play."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Final

from companion.games.blackjack.events import RoundDecided
from companion.games.blackjack.odds.advice import rules_of
from companion.games.blackjack.odds.cards import TEN, full_shoe
from companion.games.blackjack.odds.edges import deviation, edges
from companion.games.blackjack.odds.rule_set import RuleSet
from companion.games.blackjack.state import Phase, State
from companion.kernel.events import Decided, EndedBet
from companion.kernel.price import Price
from companion.odds.bet_odds import AnyBet, BetOdds, BetOddsJson, PriceWhen, odds_json
from companion.odds.endings import Played, mean, variance

if TYPE_CHECKING:
    from companion.games.blackjack.odds.live import Choice

HAND: Final = "hand"
INSURANCE: Final = "insurance"
_PAYS: Final = (("win", "1:1"), ("blackjack", "3:2"))
_DIGITS: Final = 10**12


@dataclass(frozen=True, slots=True)
class HandOdds:
    """An optimally played hand. It has no single payout, since its stake can be doubled, split or halved.

    Attributes:
        probability: of a win; after a split, of a win by a random one of its hands.
        edge: house edge per coin of the initial stake.
        prices: (condition, payout) pairs.
    """

    on: str
    probability: Fraction
    edge: Fraction
    prices: tuple[tuple[str, str], ...] = _PAYS

    @property
    def fair(self) -> None:
        """None: there is no single fair payout."""
        return

    @property
    def pays(self) -> str:
        return ", ".join(price for _, price in self.prices)

    def as_json(self) -> BetOddsJson:
        """Return the `companion odds --json` form."""
        prices: list[PriceWhen] = [{"when": when, "pays": pays} for when, pays in self.prices]
        return odds_json(self, prices if len(prices) > 1 else self.pays)


def bets(rules: RuleSet, *, basic: bool = False) -> tuple[AnyBet, ...]:
    """Return the bets of a new round. Insurance wins with the probability of a ten-value under an ace in a full shoe.

    Args:
        basic: assume basic strategy instead of optimal play for the cards seen.

    >>> [bet.on for bet in bets(RuleSet())]
    ['hand', 'insurance']
    """
    found, shoe = edges(rules), full_shoe(rules.decks)
    win, edge = (found.table_win, found.table_edge) if basic else (found.win, found.edge)
    hand = HandOdds(HAND, _fraction(win), _fraction(edge))
    return hand, BetOdds(INSURANCE, Fraction(shoe[TEN], sum(shoe) - 1), Price(2))


class Hands:
    """Expected results of played rounds, with basic strategy and a full shoe.

    Ignores that odd stakes lose half a coin to rounding on a blackjack or a surrender.
    """

    def has_begun(self, state: State) -> bool:
        return state.phase is Phase.BETTING and bool(state.boxes)

    def bets(self, state: State, decided: Decided) -> Iterable[Played]:
        """Yield the result of each box, all hands combined, and of each insurance."""
        assert isinstance(decided, RoundDecided)
        rules = rules_of(state.rules)
        hand, insurance = bets(rules, basic=True)
        assert isinstance(insurance, BetOdds)
        for box in state.boxes:
            first = sum(one.amount for one in box.hands)
            mine = [bet for bet in decided.paid if bet.player == box.player]
            net = sum(_net(bet) for bet in mine if bet.on != INSURANCE)
            yield Played(box.player, HAND, first, net, -hand.edge * first, deviation(rules) * first)
            for bet in mine:
                if bet.on == INSURANCE:
                    ways = insurance.endings(bet.amount)
                    yield Played(box.player, INSURANCE, bet.amount, _net(bet), mean(ways), sqrt(variance(ways)))


def _net(bet: EndedBet) -> int:
    return bet.won + bet.back - bet.amount


def players_edge(rules: RuleSet) -> Fraction | None:
    """Return the players' edge under these rules; None if the house has the edge.

    >>> players_edge(RuleSet()), f"{float(players_edge(RuleSet(surrender='early'))):.2%}"
    (None, '0.55%')
    """
    edge = bets(rules)[0].edge
    return -edge if edge < 0 else None


def of_choice(choice: Choice) -> HandOdds:
    """Return one action of a hand in play as a bet."""
    pays = "2:1" if choice.action == "double" else "—" if choice.action == "surrender" else "1:1"
    return HandOdds(choice.action, _fraction(choice.win), _fraction(-choice.coins), (("win", pays),))


def _fraction(figure: float) -> Fraction:
    return Fraction(figure).limit_denominator(_DIGITS)
