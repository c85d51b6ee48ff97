"""Rochi's and Captain's Rochi's words in plain English, for players who hear them for the first time."""

from __future__ import annotations

from typing import Final

from companion.games.terms import CUT, DAY_AND_NIGHT
from companion.plugins.words import Term

BUY: Final = Term(
    "Buy",
    "Play a card of a suit and take its token. You pay as many coins as the stack then has cards: to the "
    "owner, or into the suit's pot if nobody owns it. Your own suit costs nothing.",
)
COUNT: Final = Term(
    "Count",
    'How many cards lie in a stack, and so what its suit costs: "paying the count" is paying that many '
    "coins. Also the penalty that the losers pay the winner.",
    also=("forfeit",),
)
DEAD: Final = Term(
    "Dead",
    "So many cards of the suit are Shields or discarded that too few are left to cut it.",
)
FOLD: Final = Term(
    "Fold",
    "Give the hand up: cards, tokens and Shields go, and you can neither win nor lose any more. Doing "
    "nothing in your turn is folding.",
)
FRESH: Final = Term(
    "Fresh",
    "A suit of which hardly anything lies open yet.",
    also=("green",),
)
HAND: Final = Term(
    "Hand",
    "One play of Rochi, from the deal until a suit is cut; the whole evening is the game.",
    also=("round",),
)
LAST_HAND: Final = Term(
    "Last hand",
    "If everybody agrees, the game ends with this hand: what is left in the pots is divided evenly, and "
    "the odd coins go to the winner.",
)
LEADER_BUTTON: Final = Term(
    "Leader button",
    "Whoever has it acts first. It moves one seat to the left after every hand.",
)
LOCKED: Final = Term(
    "Locked",
    "Cut while nobody owned it. A locked suit can neither be bought nor win; its token lies on its stack.",
)
MARK: Final = Term(
    "Mark",
    "A card played on a ripe stack does not enter it: it lies before the player who owned the suit, or "
    "before you if nobody did. One halves the penalty when that suit wins; with two you pay nothing.",
    also=("Shield",),
)
MARKER: Final = Term(
    "Marker",
    "What somebody who sits out is credited when he comes back: his share of the pots as they were.",
)
PASS: Final = Term(
    "Pass",
    "Captain's Rochi: throw the hand away instead of acting, and both draw up to seven new cards.",
)
PENALTY: Final = Term(
    "Penalty",
    "What each player who has acted and not folded pays the winner: as many coins as the winning suit's rank.",
)
POKE: Final = Term(
    "Poke",
    "The coins in the pots, one pot to a suit.",
    also=("pot",),
)
RIPE: Final = Term(
    "Ripe",
    "One card short of its cut.",
)
ROTTEN: Final = Term(
    "Rotten",
    "Many cards of the suit are Shields or discarded, so it is hard to cut.",
)
ROUND: Final = Term(
    "Round",
    "Also a series of hands in which every player leads once.",
)
SEED: Final = Term(
    "Seed",
    "With fewer than six players, cards from the deck go onto the stacks before the first turn: two for "
    "each player missing.",
)
STACKS: Final = Term(
    "Stacks",
    "The six piles of open cards, one to a suit. Rochi itself is also called playing the stacks.",
    also=("stories",),
)

_ALL: Final = (
    BUY,
    COUNT,
    CUT,
    DAY_AND_NIGHT,
    DEAD,
    FRESH,
    LOCKED,
    MARK,
    PENALTY,
    POKE,
    RIPE,
    ROTTEN,
    SEED,
    STACKS,
)
ROCHI: Final = (*_ALL, FOLD, HAND, LAST_HAND, LEADER_BUTTON, MARKER, ROUND)
CAPTAINS: Final = (*_ALL, PASS)
