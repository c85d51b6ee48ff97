"""Poker hand evaluation: the best five of up to seven cards.

Each suit is a 13-bit mask, one bit per rank. `strength` packs category, ranks that make the hand, and kickers into
one comparable integer.
"""

from collections.abc import Sequence
from typing import Final, Literal, get_args

from companion.games.standard_cards import CARDS, RANKS, SUITS

RankId = Literal[
    "high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
    "straight-flush", "royal-flush",
]  # fmt: skip
RANK_IDS: Final[tuple[RankId, ...]] = get_args(RankId)
"""Hand categories, lowest first."""

_HIGH, _PAIR, _TWO_PAIR, _THREE, _STRAIGHT, _FLUSH, _FULL, _FOUR, _STRAIGHT_FLUSH, _ROYAL = range(10)
_WIDTH: Final = 13
_ALL: Final = (1 << _WIDTH) - 1
_ACE: Final = 1 << 12
_NUMBER: Final = {card: RANKS.index(card[0]) for card in CARDS}
_BIT: Final = {card: 1 << (SUITS.index(card[1]) * _WIDTH + _NUMBER[card]) for card in CARDS}


def strength(cards: Sequence[str]) -> int:
    """Return the strength of the best five out of five to seven distinct cards; higher wins.

    >>> strength("AS KS QS JS TS 2D 2H".split()) > strength("2S 3S 4S 5S AS KD KH".split())
    True
    >>> strength("AS KD QH JC 9S".split()) == strength("AD KH QC JS 9D".split())
    True
    """
    laid = 0
    for card in cards:
        laid |= _BIT[card]
    s, h, d, c = laid & _ALL, laid >> 13 & _ALL, laid >> 26 & _ALL, laid >> 39
    for suit in (s, h, d, c):
        if suit.bit_count() >= 5:
            return _of_suit(suit)  # seven cards with five of a suit cannot hold quads or a full house
    ranks, twice = s | h | d | c, s & h | d & c | (s | h) & (d | c)
    if not twice:
        top = _straight(ranks)
        return _worth(_STRAIGHT, top) if top else _worth(_HIGH, _highest(ranks, 5))
    return _with_pairs(ranks, twice, s & h & (d | c) | d & c & (s | h), s & h & d & c)


def _with_pairs(ranks: int, twice: int, thrice: int, four: int) -> int:
    """Return the strength of a hand with paired ranks; the masks hold ranks that occur at least 1, 2, 3 and 4 times."""
    if four:
        return _worth(_FOUR, four, _highest(ranks ^ four, 1))
    if thrice:
        three = _highest(thrice, 1)
        if twice != three:
            return _worth(_FULL, three, _highest(twice ^ three, 1))
    top = _straight(ranks)
    if top:
        return _worth(_STRAIGHT, top)
    if thrice:
        return _worth(_THREE, thrice, _highest(ranks ^ thrice, 2))
    pairs = _highest(twice, 2)
    if pairs & (pairs - 1):
        return _worth(_TWO_PAIR, pairs, _highest(ranks ^ pairs, 1))
    return _worth(_PAIR, pairs, _highest(ranks ^ pairs, 3))


def _of_suit(suit: int) -> int:
    top = _straight(suit)
    if top:
        return _worth(_ROYAL if top == _ACE else _STRAIGHT_FLUSH, top)
    return _worth(_FLUSH, _highest(suit, 5))


def _worth(kind: int, made: int, others: int = 0) -> int:
    return (kind << _WIDTH | made) << _WIDTH | others


def _highest(ranks: int, count: int) -> int:
    """Return the ``count`` highest ranks of a mask."""
    while ranks.bit_count() > count:
        ranks &= ranks - 1
    return ranks


def _straight(ranks: int) -> int:
    """Return the highest rank of a straight as a mask, or 0. The ace also counts low."""
    low = ranks << 1 | ranks >> 12
    run = low & low >> 1 & low >> 2 & low >> 3 & low >> 4
    return 1 << (run.bit_length() + 2) if run else 0


def rank_of(worth: int) -> RankId:
    """Return the category of a `strength`.

    >>> rank_of(strength("AS AD AH KC KS".split()))
    'full-house'
    """
    return RANK_IDS[worth >> 2 * _WIDTH]


def best_five(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the best five cards: those that make the hand first, then kickers, each part in descending rank.

    Among cards of equal value the first given ones are taken.

    >>> best_five("2S 2D 7H KC 9S 9D 3H".split())
    ('9S', '9D', '2S', '2D', 'KC')
    >>> best_five("AS 2D 3H 4C 5S KD KH".split())
    ('5S', '4C', '3H', '2D', 'AS')
    """
    worth = strength(cards)
    kind, made, others = worth >> 2 * _WIDTH, worth >> _WIDTH & _ALL, worth & _ALL
    if kind in (_STRAIGHT, _STRAIGHT_FLUSH, _ROYAL):
        top = made.bit_length() - 1
        made_ranks = [(top - down) % _WIDTH for down in range(5)]
    else:
        made_ranks = _downwards(made)
    chosen = _of_one_suit(cards) if kind in (_FLUSH, _STRAIGHT_FLUSH, _ROYAL) else cards
    times = {_PAIR: 2, _TWO_PAIR: 2, _THREE: 3, _FULL: 3, _FOUR: 4}.get(kind, 1)
    other_times = 2 if kind == _FULL else 1
    parts = [(rank, times) for rank in made_ranks] + [(rank, other_times) for rank in _downwards(others)]
    return tuple([card for rank, count in parts for card in _of_rank(chosen, rank)[:count]])


def _downwards(ranks: int) -> list[int]:
    return [rank for rank in reversed(range(_WIDTH)) if ranks >> rank & 1]


def _of_rank(cards: Sequence[str], rank: int) -> list[str]:
    return [card for card in cards if _NUMBER[card] == rank]


def _of_one_suit(cards: Sequence[str]) -> list[str]:
    """Return the cards of the most frequent suit."""
    suits = [card[1] for card in cards]
    most = max(SUITS, key=suits.count)
    return [card for card in cards if card[1] == most]
