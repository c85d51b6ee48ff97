"""Exact odds of every Roche bet, from the start or from the middle of a deal.

The unseen cards are in random order, so the future depends only on the number of cards dealt of each suit. Suit s, k
cards short of its cut, is cut by the (n + 1)st further card if the n cards before it contain exactly k - 1 of s, and
of every other suit fewer than it is short of. Such sets of n cards are counted by multiplying one small polynomial per
suit, in which the coefficient of x^j is the number of ways to choose j of its cards. All arithmetic is in integers,
until a single `Fraction` at the end.

Which cards of the suit make the cut, and in which order, is uniformly random, which gives the bets on halves and single
cards. Burnt cards are unknown like all others, and never count.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, prod
from typing import Final

from companion.games.roche.paytable import CAVALRY, Layout, Paytable, RocheDeck, bets, deck_ranks
from companion.games.roche.rules import Phase, State
from companion.kernel.errors import CardSeen, UnknownCard, WrongPhase
from companion.kernel.price import Price
from companion.objects.cards import SUIT_CARDS, cards_of_suit
from companion.odds.bet_odds import BetOdds
from companion.odds.endings import Endings, Staked, as_endings

_NEVER: Final = Fraction(0)
_ALWAYS: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of one round so far, in the order they were dealt.

    ``counts``: number of dealt cards per suit; ``cut``: the suit that was cut, or None.
    """

    deck: RocheDeck
    seen: tuple[str, ...]
    counts: Mapping[int, int]
    cut: int | None

    @property
    def left(self) -> int:
        """Number of unseen cards, including burnt ones."""
        return sum(2 * rank for rank in self.counts) - len(self.seen)

    def short(self, rank: int) -> int:
        """Return the number of further cards that would cut the suit."""
        return rank - self.counts[rank]

    def unseen(self, rank: int) -> int:
        """Return the number of unseen cards of the suit."""
        return 2 * rank - self.counts[rank]


def deal_so_far(deck: RocheDeck, seen: tuple[str, ...]) -> Deal:
    """Return the round in which these cards were dealt, in this order.

    Raises:
        UnknownCard: the deck has no such card.
        CardSeen: a card is named twice.
        WrongPhase: there are cards after the one that cut a suit.
    """
    counts = dict.fromkeys(deck_ranks(deck), 0)
    cut = None
    for place, card in enumerate(seen):
        if cut is not None:
            raise WrongPhase(
                f"{card} comes after {seen[place - 1]}, which cut suit {cut} and ended the round. "
                "Leave out the cards after the cut."
            )
        rank = _rank_in(deck, card)
        if card in seen[:place]:
            raise CardSeen(f"{card} is named twice. A deck has each card once: take one of the two out.")
        counts[rank] += 1
        cut = rank if counts[rank] == rank else None
    return Deal(deck, seen, counts, cut)


def probabilities(layout: Layout, deck: RocheDeck, seen: tuple[str, ...] = ()) -> dict[str, Fraction]:
    """Return the exact probability of every bet of the layout, in the order of `companion.games.roche.paytable.bets`.

    Args:
        seen: the cards dealt so far, in order; with a cut among them every bet is decided (0 or 1).

    Raises:
        UnknownCard, CardSeen, WrongPhase: as `deal_so_far`.

    >>> chances = probabilities("basic", "red")
    >>> sum(chances[f"cut/{rank}"] for rank in (3, 4, 5, 6, 7))
    Fraction(1, 1)
    """
    deal = deal_so_far(deck, seen)
    pairs = _open_bets(deal, layout) if deal.cut is None else _decided_bets(deal, deal.cut)
    known = dict(pairs)
    return {on: known[on] for on in bets(layout, deck)}


@lru_cache(maxsize=512)
def live_odds(layout: Layout, deck: RocheDeck, seen: tuple[str, ...], paytable: Paytable) -> tuple[BetOdds, ...]:
    """Return the odds of every bet of the layout at this point of the deal; cached.

    Raises:
        UnknownCard, CardSeen, WrongPhase: as `deal_so_far`.
    """
    chances = probabilities(layout, deck, seen)
    return tuple(BetOdds(on, chance, _price(paytable, on)) for on, chance in chances.items())


def bets_now(state: State) -> tuple[BetOdds, ...]:
    """Return the current odds of every bet.

    After a decided round, these are the odds of the next one, from a full deck.
    """
    seen = state.dealt if state.phase is not Phase.SETTLED else ()
    return live_odds(state.rules.layout, state.rules.deck, seen, state.rules.prices)


def together(state: State, bets: Staked) -> Endings | None:
    """Return the joint results of bets in a round, by the suit that cuts and its half.

    Only for bets on cuts and halves; None with any other.
    """
    rules = state.rules
    if any(on.partition("/")[0] not in ("cut", "day", "night") for on, _ in bets):
        return None
    odds = {bet.on: bet for bet in live_odds(rules.layout, rules.deck, (), rules.prices)}
    found: dict[int, Fraction] = {}
    for rank in deck_ranks(rules.deck):
        for wins, chance in _ways(odds[f"cut/{rank}"], odds[f"day/{rank}"], odds[f"night/{rank}"]):
            net = sum(odds[on].pays.winnings(amount) if on in wins else -amount for on, amount in bets)
            found[net] = found.get(net, _NEVER) + chance
    return as_endings(found)


def _ways(cut: BetOdds, day: BetOdds, night: BetOdds) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """Yield the ways in which a suit cuts, as (winning bets, probability)."""
    yield (cut.on, day.on), day.probability
    yield (cut.on, night.on), night.probability
    yield (cut.on,), cut.probability - day.probability - night.probability


def players_edges(paytable: Paytable, layout: Layout = "grand") -> tuple[BetOdds, ...]:
    """Return the bets that give the players the edge at these prices; none for a sound table."""
    return tuple(odds for odds in live_odds(layout, paytable.deck, (), paytable) if odds.edge < 0)


def _price(paytable: Paytable, on: str) -> Price:
    price = paytable.price(on)
    if price is None:
        raise ValueError(f"the {paytable.deck} deck's price table has no price for {on}")
    return price


def _rank_in(deck: RocheDeck, card: str) -> int:
    known = SUIT_CARDS.get(card)
    if known is None:
        raise UnknownCard(f"There is no Roche card {card!r}. Cards are named like 6D3: rank, Day or Night, number.")
    if known.rank not in deck_ranks(deck):
        raise UnknownCard(f"{card} is not in the {deck} deck. Take it out, or choose the full deck.")
    return known.rank


# --- Before the cut --------------------------------------------------------------------------------------


def _open_bets(deal: Deal, layout: Layout) -> Iterator[tuple[str, Fraction]]:
    """Yield the probability of each bet while no suit has cut."""
    below = {rank: _ways_below_cut(deal, rank) for rank in deal.counts}
    whole = factorial(deal.left)
    for rank in deal.counts:
        ways = _ways_to_cut(deal, rank, below)
        yield from _suit_bets(deal, rank, ways, whole)
        if layout == "grand":
            yield from _card_bets(deal, rank, ways, whole)
            yield f"starlight/{rank}", _starlight(deal, rank, below)
    if layout == "grand":
        yield CAVALRY, _cavalry(deal)


def _ways_below_cut(deal: Deal, rank: int) -> list[int]:
    """Return the polynomial of a suit that does not cut: ways to deal 0, 1, … further cards of it."""
    return [comb(deal.unseen(rank), j) for j in range(deal.short(rank))]


def _ways_to_cut(deal: Deal, rank: int, below: Mapping[int, list[int]]) -> int:
    """Return the number of the ``left!`` orders of the unseen cards in which this suit is cut first.

    Args:
        below: rank -> `_ways_below_cut`; this suit's own entry is not used.
    """
    others = [1]
    for suit, ways in below.items():
        if suit != rank:
            others = _product(others, ways)
    before = deal.short(rank) - 1
    own = comb(deal.unseen(rank), before) * (deal.unseen(rank) - before)
    # k cards of other suits and `before` own ones in any order, the cutting card, the rest in any order.
    orders = (ways * factorial(before + k) * factorial(deal.left - before - k - 1) for k, ways in enumerate(others))
    return own * sum(orders)


def _suit_bets(deal: Deal, rank: int, ways: int, whole: int) -> Iterator[tuple[str, Fraction]]:
    yield f"cut/{rank}", Fraction(ways, whole)
    seen_days = sum(card[0] == str(rank) and card[1] == "D" for card in deal.seen)
    seen_nights = deal.counts[rank] - seen_days
    hands = comb(deal.unseen(rank), deal.short(rank))
    for half, seen, other in (("day", seen_days, seen_nights), ("night", seen_nights, seen_days)):
        pure = 0 if other else comb(rank - seen, deal.short(rank))
        yield f"{half}/{rank}", Fraction(ways * pure, whole * hands)


def _card_bets(deal: Deal, rank: int, ways: int, whole: int) -> Iterator[tuple[str, Fraction]]:
    unseen, short = deal.unseen(rank), deal.short(rank)
    cut = Fraction(ways, whole)
    dealt, left_out, last = (Fraction(ways * n, whole * unseen) for n in (short, unseen - short, 1))
    for card in cards_of_suit(rank):
        lies = card in deal.seen
        yield f"card/{card}", cut if lies else dealt
        yield f"oscura/{card}", _NEVER if lies else left_out
        yield f"terminus/{card}", _NEVER if lies else last


def _starlight(deal: Deal, rank: int, below: Mapping[int, list[int]]) -> Fraction:
    """Return the probability that another suit is cut before the first card of this one."""
    if deal.counts[rank]:
        return _NEVER
    none_of_it = {**below, rank: [1]}
    ways = sum(_ways_to_cut(deal, suit, none_of_it) for suit in deal.counts if suit != rank)
    return Fraction(ways, factorial(deal.left))


def _cavalry(deal: Deal) -> Fraction:
    """Return the probability that every suit is one short of its cut after sum(r - 1) cards."""
    missing = {rank: deal.short(rank) - 1 for rank in deal.counts}
    ways = prod(comb(deal.unseen(rank), cards) for rank, cards in missing.items())
    return Fraction(ways, comb(deal.left, sum(missing.values())))


def _product(left: list[int], right: list[int]) -> list[int]:
    """Return the product of two polynomials given by their coefficients, constant first."""
    out = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            out[i + j] += a * b
    return out


# --- After the cut ---------------------------------------------------------------------------------------


def _decided_bets(deal: Deal, cut: int) -> Iterator[tuple[str, Fraction]]:
    """Yield 0 or 1 for every bet: the last card seen has cut a suit."""
    halves = {SUIT_CARDS[card].half for card in deal.seen if card[0] == str(cut)}
    for rank, count in deal.counts.items():
        yield f"cut/{rank}", _sure(rank == cut)
        yield f"day/{rank}", _sure(rank == cut and halves == {"day"})
        yield f"night/{rank}", _sure(rank == cut and halves == {"night"})
        yield f"starlight/{rank}", _sure(count == 0)
        for card in cards_of_suit(rank):
            yield f"card/{card}", _sure(rank == cut and card in deal.seen)
            yield f"oscura/{card}", _sure(rank == cut and card not in deal.seen)
            yield f"terminus/{card}", _sure(card == deal.seen[-1])
    # all suits were one short, so any next card cut
    yield CAVALRY, _sure(all(count >= rank - 1 for rank, count in deal.counts.items()))


def _sure(won: bool) -> Fraction:
    return _ALWAYS if won else _NEVER
