"""The odds of Roche by three independent methods: recursion over all counts, integrals, and enumeration of all orders
of the remaining cards."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.roche.odds.exact import probabilities
from companion.games.roche.paytable import RocheDeck
from companion.games.roche_deck.design import FULL_DECK, RED_DECK

DECKS: dict[RocheDeck, tuple[str, ...]] = {"full": FULL_DECK, "red": RED_DECK}
POSITIONS: list[tuple[RocheDeck, str]] = [
    ("full", ""),
    ("red", ""),
    ("full", "6D3,5N1"),
    ("full", "2D1,7N3,7N4,3D1,4N2"),
    ("full", "7D1,7D2,7D3,6N1,6N2,6N3,6N4,6N5,5D1,5N5,4D4,3N2"),
    ("red", "3D1,3D2,4N1"),
    ("red", "5D1,5D2,5D3,5D4,7N1,7N2,6D6,4D1,4D2,4D3"),
]


def _cards(seen: str) -> tuple[str, ...]:
    return tuple(seen.split(",")) if seen else ()


# --- Recursion over all counts, card by card -------------------------------------------------------------


def walk(deck: RocheDeck, seen: Sequence[str], marked: frozenset[str]) -> dict[str, Fraction]:
    """Enumerate all sequences of counts, tracking the number of marked cards dealt.

    Returns:
        Probabilities of ``cut/R/M`` (suit R cuts with M marked cards dealt), ``last/R`` (and a marked card was last),
        ``starlight/R`` and ``cavalry``.
    """
    ranks = sorted({int(card[0]) for card in DECKS[deck]})
    counts = Counter(int(card[0]) for card in seen)
    start = (tuple(counts[rank] for rank in ranks), sum(card in marked for card in seen))
    marked_of = Counter(int(card[0]) for card in marked)
    open_marks = Counter(int(card[0]) for card in marked if card in seen)
    chances: dict[str, Fraction] = {}
    layer = {start: Fraction(1)}
    while layer:
        following: dict[tuple[tuple[int, ...], int], Fraction] = {}
        for (dealt, marks), chance in layer.items():
            if all(n == rank - 1 for n, rank in zip(dealt, ranks, strict=True)):
                _add(chances, "cavalry", chance)
            left = 2 * sum(ranks) - sum(dealt)
            for place, rank in enumerate(ranks):
                # Only one suit is marked, so all marks so far are of it.
                good = marked_of[rank] - marks if marked_of[rank] else 0
                for is_marked, number in ((1, good), (0, 2 * rank - dealt[place] - good)):
                    if not number:
                        continue
                    share = chance * Fraction(number, left)
                    now = (*dealt[:place], dealt[place] + 1, *dealt[place + 1 :])
                    if now[place] < rank:
                        _add(following, (now, marks + is_marked), share)
                        continue
                    _add(chances, f"cut/{rank}/{marks + is_marked}", share)
                    if is_marked:
                        _add(chances, f"last/{rank}", share)
                    for other, n in zip(ranks, now, strict=True):
                        if not n:
                            _add(chances, f"starlight/{other}", share)
        layer = following
    assert sum(open_marks.values()) == start[1]
    return chances


def _add(table, key, share) -> None:  # type: ignore[no-untyped-def]
    table[key] = table.get(key, 0) + share


@pytest.mark.thorough
@pytest.mark.parametrize(("deck", "seen"), POSITIONS)
def test_a_walk_over_all_counts(deck: RocheDeck, seen: str) -> None:
    """Every bet, suit by suit, with the suit's day cards marked, then one seen and one unseen card."""
    chances = probabilities("grand", deck, _cards(seen))
    for rank in sorted({int(card[0]) for card in DECKS[deck]}):
        own = [card for card in DECKS[deck] if card[0] == str(rank)]
        days = walk(deck, _cards(seen), frozenset(card for card in own if card[1] == "D"))
        assert chances[f"day/{rank}"] == days.get(f"cut/{rank}/{rank}", 0)
        assert chances[f"night/{rank}"] == days.get(f"cut/{rank}/0", 0)
        assert chances[f"cut/{rank}"] == sum(days.get(f"cut/{rank}/{n}", 0) for n in range(rank + 1))
        assert chances[f"starlight/{rank}"] == days.get(f"starlight/{rank}", 0)
        assert chances["cavalry"] == days.get("cavalry", 0)
        lying = [card for card in _cards(seen) if card in own]
        for card in {own[-1], *lying[:1]}:
            single = walk(deck, _cards(seen), frozenset({card}))
            assert chances[f"card/{card}"] == single.get(f"cut/{rank}/1", 0)
            assert chances[f"oscura/{card}"] == single.get(f"cut/{rank}/0", 0)
            assert chances[f"terminus/{card}"] == single.get(f"last/{rank}", 0)


# --- Integrals: every unseen card appears at an independent uniform time between 0 and 1 -----------------

Polynomial = tuple[Fraction, ...]


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    out = [Fraction(0)] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            out[i + j] += a * b
    return tuple(out)


@cache
def exactly(k: int, n: int) -> Polynomial:
    """Return C(n, k) t^k (1 - t)^(n - k): exactly k of n cards have appeared at time t."""
    late = [Fraction((-1) ** j * comb(n - k, j)) for j in range(n - k + 1)]
    return tuple([Fraction(0)] * k + [comb(n, k) * c for c in late])


def fewer(k: int, n: int) -> Polynomial:
    """Return the probability that fewer than k of n cards have appeared at time t."""
    total = [Fraction(0)] * (n + 1)
    for j in range(k):
        for power, c in enumerate(exactly(j, n)):
            total[power] += c
    return tuple(total)


def integral(p: Polynomial) -> Fraction:
    return sum((c / (power + 1) for power, c in enumerate(p)), Fraction(0))


@pytest.mark.parametrize(("deck", "seen"), POSITIONS)
def test_integrals_over_the_moment_of_the_cut(deck: RocheDeck, seen: str) -> None:
    """P(suit cuts) = the integral over t of: its cutting card appears at t, no other suit has cut by then."""
    chances = probabilities("grand", deck, _cards(seen))
    counts = Counter(int(card[0]) for card in _cards(seen))
    ranks = sorted({int(card[0]) for card in DECKS[deck]})

    def cuts(rank: int, absent: int | None = None) -> Fraction:
        unseen, short = 2 * rank - counts[rank], rank - counts[rank]
        # unseen * P(short - 1 of the other unseen - 1 cards were earlier): the density of the cutting card
        density = tuple(unseen * c for c in exactly(short - 1, unseen - 1))
        for other in ranks:
            if other != rank:
                limit = 1 if other == absent else other - counts[other]
                density = times(density, fewer(limit, 2 * other - counts[other]))
        return integral(density)

    for rank in ranks:
        assert chances[f"cut/{rank}"] == cuts(rank)
        stars = sum((cuts(other, rank) for other in ranks if other != rank), Fraction(0))
        assert chances[f"starlight/{rank}"] == (0 if counts[rank] else stars)


# --- Enumeration of all orders ---------------------------------------------------------------------------


@st.composite
def late_deals(draw: st.DrawFn) -> tuple[RocheDeck, tuple[str, ...]]:
    """Draw deals with almost every suit one card short, so that at most three more cards decide the round."""
    deck = draw(st.sampled_from(("full", "red")))
    luck = random.Random(draw(st.integers(0, 2**32)))
    seen: list[str] = []
    for rank in sorted({int(card[0]) for card in DECKS[deck]}):
        seen += luck.sample([card for card in DECKS[deck] if card[0] == str(rank)], rank - 1)
    luck.shuffle(seen)
    return deck, tuple(seen[: len(seen) - draw(st.integers(0, 2))])


@given(late_deals())
@settings(max_examples=8, deadline=None)
def test_every_order_of_the_last_cards(winners, deal: tuple[RocheDeck, tuple[str, ...]]) -> None:  # type: ignore[no-untyped-def]
    """Deal all possible sequences of cards and settle every bet by the rules."""
    deck, seen = deal
    expected: Counter[str] = Counter()

    def go_on(dealt: tuple[str, ...], share: Fraction) -> None:
        won = winners(deck, dealt)
        if won is not None:
            expected.update(dict.fromkeys(won, share))
            return
        coming = [card for card in DECKS[deck] if card not in dealt]
        for card in coming:
            go_on((*dealt, card), share / len(coming))

    go_on(seen, Fraction(1))
    chances = probabilities("grand", deck, seen)
    for on, chance in chances.items():
        assert chance == expected[on], on
