"""The bank's maximum loss in a round of Roche, exact over all continuations of the deal.

Exactly one suit cuts. Which of its cards are among the cut, and which comes last, can be chosen freely among those
not dealt yet, and so can the other suits' cards: all hidden (then every starlight of a suit not shown wins)
or all one short (then cavalry wins, and no starlight). Burned cards are unknown, so they rule nothing out. That leaves
few candidates per suit, and the best of them is the maximum itself, not a bound: each is a possible deal.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from companion.games.roche.paytable import Paytable
from companion.kernel.shared.banked import Stakes, Worst, highest_win
from companion.objects.cards import SUIT_CARDS, cards_of_suit

Gains = Mapping[str, int]
"""Spot -> the bank's extra loss when the spot wins than when it does not; 0 for a spot without bets."""


@dataclass(frozen=True, slots=True)
class Ending:
    """One possible ending of a deal. ``included`` are the cards of the cut, ``last`` the one that cuts."""

    suit: int
    included: tuple[str, ...]
    last: str
    is_cavalry: bool
    "Whether every suit is one short just before; otherwise no other suit gets a further card."

    @property
    def half(self) -> str:
        """The common half of all cards of the cut, otherwise neutral."""
        halves = {SUIT_CARDS[card].half for card in self.included}
        return halves.pop() if len(halves) == 1 else "neutral"

    def winners(self, ranks: Sequence[int], shown: Counter[int]) -> tuple[str, ...]:
        """Return the spots that win."""
        inside = set(self.included)
        own = [f"card/{card}" if card in inside else f"oscura/{card}" for card in cards_of_suit(self.suit)]
        half = [f"{self.half}/{self.suit}"]
        others = [f"starlight/{rank}" for rank in ranks if rank != self.suit and not shown[rank]]
        return (f"cut/{self.suit}", f"terminus/{self.last}", *own, *half, *(["cavalry"] if self.is_cavalry else others))

    def deal(self, ranks: Sequence[int], dealt: Sequence[str]) -> tuple[str, ...]:
        """Return cards that lead to this ending if dealt now."""
        more: list[str] = []
        for rank in ranks if self.is_cavalry else ():
            if rank != self.suit:
                shown = sum(card in dealt for card in cards_of_suit(rank))
                more += [card for card in cards_of_suit(rank) if card not in dealt][: rank - 1 - shown]
        own = [card for card in self.included if card not in dealt and card != self.last]
        return (*more, *own, self.last)


def worst_cut(ranks: Sequence[int], prices: Paytable, stakes: Stakes, dealt: Sequence[str]) -> Worst | None:
    """Return the most expensive ending for the bank, net of lost stakes; None without bets.

    >>> from companion.kernel.shared.banked import Stake
    >>> from companion.games.roche.paytable import load_paytable
    >>> bets = (Stake("Ann", "cut/6", 10), Stake("Bo", "day/6", 1), Stake("Bo", "cut/3", 20))
    >>> worst = worst_cut((2, 3, 4, 5, 6, 7), load_paytable("full"), bets, ())
    >>> worst.coins, worst.when["cut"], worst.when["half"]
    (4060, 6, 'day')
    """
    if not stakes:
        return None
    wins = [_winnings(prices, stake.on, stake.amount) for stake in stakes]
    gains: Counter[str] = Counter()
    for stake, won in zip(stakes, wins, strict=True):
        gains[stake.on] += won + stake.amount
    more, ending = _worst_ending(ranks, gains, dealt)
    winners = set(ending.winners(ranks, _shown(dealt)))
    won_bets = [(stake, won) for stake, won in zip(stakes, wins, strict=True) if stake.on in winners]
    half = ending.half if gains[f"{ending.half}/{ending.suit}"] else "neutral"
    when = {"cut": ending.suit, "half": half, "cavalry": ending.is_cavalry and gains["cavalry"] > 0}
    commands = tuple({"do": "deal", "card": card} for card in ending.deal(ranks, dealt))
    return Worst(more - sum(stake.amount for stake in stakes), when, highest_win(won_bets), commands)


def most_won(ranks: Sequence[int], prices: Paytable, stakes: Stakes) -> int:
    """Return the largest total win of these bets, ignoring lost stakes, since those may still be taken back."""
    gains: Counter[str] = Counter()
    for stake in stakes:
        gains[stake.on] += _winnings(prices, stake.on, stake.amount)
    return _worst_ending(ranks, gains, ())[0]


def _winnings(prices: Paytable, on: str, amount: int) -> int:
    price = prices.price(on)
    assert price is not None, f"{on} was bet on, so it has a price"
    return price.winnings(amount)


def _shown(dealt: Sequence[str]) -> Counter[int]:
    return Counter(SUIT_CARDS[card].rank for card in dealt)


def _worst_ending(ranks: Sequence[int], gains: Gains, dealt: Sequence[str]) -> tuple[int, Ending]:
    """Return the ending with the largest total gain of its winning spots."""
    shown = _shown(dealt)
    found = [
        (sum(gains.get(on, 0) for on in ending.winners(ranks, shown)), ending)
        for rank in ranks
        for ending in _endings(rank, gains, dealt)
    ]
    return max(found, key=lambda one: one[0])


def _endings(rank: int, gains: Gains, dealt: Sequence[str]) -> Iterator[Ending]:
    """Yield candidate endings of a suit, the most expensive one among them."""
    for included, last in _cuts(rank, gains, dealt):
        yield Ending(rank, included, last, is_cavalry=False)
        if gains.get("cavalry"):
            yield Ending(rank, included, last, is_cavalry=True)


def _cuts(rank: int, gains: Gains, dealt: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the cut's cards and its last one: the most expensive, and all of one half, with every last card bet on."""
    suit = cards_of_suit(rank)
    open_cards = tuple(card for card in suit if card in dealt)
    hidden = sorted((card for card in suit if card not in dealt), key=lambda card: -_for_being_in(card, gains))
    bet_last = [card for card in hidden if gains.get(f"terminus/{card}")]
    missing = rank - len(open_cards)
    yield (*open_cards, *hidden[:missing]), hidden[missing - 1]
    for last in bet_last:
        others = [card for card in hidden if card != last]
        yield (*open_cards, *others[: missing - 1], last), last
    for half in ("day", "night"):
        if all(SUIT_CARDS[card].half == half for card in open_cards):
            whole = tuple(card for card in suit if SUIT_CARDS[card].half == half)
            left = [card for card in hidden if card in whole]
            yield from ((whole, last) for last in [left[0], *(card for card in bet_last if card in left)])


def _for_being_in(card: str, gains: Gains) -> int:
    """Return the bank's extra loss when this card is among the cut than when it is not."""
    return gains.get(f"card/{card}", 0) - gains.get(f"oscura/{card}", 0)
