"""Rochi's and Captain's Rochi's words in plain English, for players who hear them for the first time."""

from __future__ import annotations

from typing import Final

from companion.games.terms import CUT, DAY_AND_NIGHT
from companion.kernel.messages import message
from companion.plugins.words import Term

BUY: Final = Term(
    message("Buy"),
    message(
        "Play a card of a suit and take its token. You pay as many coins as the stack then has cards: to the "
        "owner, or into the suit's pot if nobody owns it. Your own suit costs nothing."
    ),
)
COUNT: Final = Term(
    message("Count"),
    message(
        'How many cards lie in a stack, and so what its suit costs: "paying the count" is paying that many '
        "coins. Also the penalty that the losers pay the winner."
    ),
    also=(message("forfeit"),),
)
DEAD: Final = Term(
    message("Dead"),
    message("So many cards of the suit are Shields or discarded that too few are left to cut it."),
)
FOLD: Final = Term(
    message("Fold"),
    message(
        "Give the hand up: cards, tokens and Shields go, and you can neither win nor lose any more. Doing "
        "nothing in your turn is folding."
    ),
)
FRESH: Final = Term(
    message("Fresh"),
    message("A suit of which hardly anything lies open yet."),
    also=(message("green"),),
)
HAND: Final = Term(
    message("Hand"),
    message("One play of Rochi, from the deal until a suit is cut; the whole evening is the game."),
    also=(message("round"),),
)
LAST_HAND: Final = Term(
    message("Last hand"),
    message(
        "If everybody agrees, the game ends with this hand: what is left in the pots is divided evenly, and "
        "the odd coins go to the winner."
    ),
)
LEADER_BUTTON: Final = Term(
    message("Leader button"),
    message("Whoever has it acts first. It moves one seat to the left after every hand."),
)
LOCKED: Final = Term(
    message("Locked"),
    message("Cut while nobody owned it. A locked suit can neither be bought nor win; its token lies on its stack."),
)
MARK: Final = Term(
    message("Mark"),
    message(
        "A card played on a ripe stack does not enter it: it lies before the player who owned the suit, or "
        "before you if nobody did. One halves the penalty when that suit wins; with two you pay nothing."
    ),
    also=(message("Shield"),),
)
MARKER: Final = Term(
    message("Marker"),
    message("What somebody who sits out is credited when he comes back: his share of the pots as they were."),
)
PASS: Final = Term(
    message("Pass"),
    message("Captain's Rochi: throw the hand away instead of acting, and both draw up to seven new cards."),
)
PENALTY: Final = Term(
    message("Penalty"),
    message("What each player who has acted and not folded pays the winner: as many coins as the winning suit's rank."),
)
POKE: Final = Term(
    message("Poke"),
    message("The coins in the pots, one pot to a suit."),
    also=(message("pot"),),
)
RIPE: Final = Term(
    message("Ripe"),
    message("One card short of its cut."),
)
ROTTEN: Final = Term(
    message("Rotten"),
    message("Many cards of the suit are Shields or discarded, so it is hard to cut."),
)
ROUND: Final = Term(
    message("Round"),
    message("Also a series of hands in which every player leads once."),
)
SEED: Final = Term(
    message("Seed"),
    message(
        "With fewer than six players, cards from the deck go onto the stacks before the first turn: two for "
        "each player missing."
    ),
)
STACKS: Final = Term(
    message("Stacks"),
    message("The six piles of open cards, one to a suit. Rochi itself is also called playing the stacks."),
    also=(message("stories"),),
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
