"""The games' words in plain English, for players who hear them for the first time. Rules: "Rochi Terms" and others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.errors import BadScript

_ROCHI: Final = ("rochi", "captains")
_DECK: Final = ("roche", "rochi", "captains")
_RUGEN: Final = ("rugen-street", "rugen-house", "rugen-capital")


@dataclass(frozen=True, slots=True)
class Term:
    """A word as the players say it, what else they say for it, and what it means."""

    word: str
    means: str
    games: tuple[str, ...]
    also: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the term for a page."""
        return {"word": self.word, "also": list(self.also), "means": self.means, "games": list(self.games)}


TERMS: Final = (
    Term("Buy", "Play a card of a suit and take its token. You pay as many coins as the stack then has cards: to the "
         "owner, or into the suit's pot if nobody owns it. Your own suit costs nothing.", _ROCHI),
    Term("Count", "How many cards lie in a stack, and so what its suit costs: \"paying the count\" is paying that many "
         "coins. Also the penalty that the losers pay the winner.", _ROCHI, ("forfeit",)),
    Term("Cut", "Half of a suit lies open: 2 Mages, 3 Realm, 4 World, 5 Valor, 6 Kin or 7 Commons. Only a card from "
         "the deck can cut a suit. \"The cut of Kin is 6\" says at how many it is cut.", _DECK),
    Term("Day and night", "The two halves of a suit, and of a die's faces: a thin double border is day, a thick single "
         "one night.", (*_DECK, *_RUGEN)),
    Term("Dead", "So many cards of the suit are Shields or discarded that too few are left to cut it.", _ROCHI),
    Term("Fold", "Give the hand up: cards, tokens and Shields go, and you can neither win nor lose any more. Doing "
         "nothing in your turn is folding.", ("rochi",)),
    Term("Fresh", "A suit of which hardly anything lies open yet.", _ROCHI, ("green",)),
    Term("Hand", "One play of Rochi, from the deal until a suit is cut; the whole evening is the game.", ("rochi",),
         ("round",)),
    Term("Last hand", "If everybody agrees, the game ends with this hand: what is left in the pots is divided evenly, "
         "and the odd coins go to the winner.", ("rochi",)),
    Term("Leader button", "Whoever has it acts first. It moves one seat to the left after every hand.", ("rochi",)),
    Term("Locked", "Cut while nobody owned it. A locked suit can neither be bought nor win; its token lies on its "
         "stack.", _ROCHI),
    Term("Mark", "A card played on a ripe stack does not enter it: it lies before the player who owned the suit, or "
         "before you if nobody did. One halves the penalty when that suit wins; with two you pay nothing.", _ROCHI,
         ("Shield",)),
    Term("Marker", "What somebody who sits out is credited when he comes back: his share of the pots as they were.",
         ("rochi",)),
    Term("Pass", "Captain's Rochi: throw the hand away instead of acting, and both draw up to seven new cards.",
         ("captains",)),
    Term("Penalty", "What each player who has acted and not folded pays the winner: as many coins as the winning "
         "suit's rank.", _ROCHI),
    Term("Poke", "The coins in the pots, one pot to a suit.", _ROCHI, ("pot",)),
    Term("Ripe", "One card short of its cut.", _ROCHI),
    Term("Rotten", "Many cards of the suit are Shields or discarded, so it is hard to cut.", _ROCHI),
    Term("Round", "Also a series of hands in which every player leads once.", ("rochi",)),
    Term("Seed", "With fewer than six players, cards from the deck go onto the stacks before the first turn: two for "
         "each player missing.", _ROCHI),
    Term("Stacks", "The six piles of open cards, one to a suit. Rochi itself is also called playing the stacks.",
         _ROCHI, ("stories",)),
    Term("Cavalry", "A bet that at some moment every suit is one card short of its cut.", ("roche",)),
    Term("Oscura", "A bet that a suit cuts and this card is not among the cards of the cut.", ("roche",)),
    Term("Starlight", "A bet that the game ends before any card of this suit was dealt.", ("roche",)),
    Term("Terminus", "A bet that this very card cuts its suit: it is the last one dealt.", ("roche",)),
    Term("Break the chain", "A number breaks when it has been thrown as many times as it says: one 1, two 2s, three 3s "
         "or four 4s.", _RUGEN),
    Term("Center", "A bet on the next throw alone, on the middle of a number's space.", ("rugen-house",)),
    Term("Chain", "The throws until a number breaks, at most seven.", _RUGEN),
    Term("Point", "The number of the shooter's first throw. He has to bet on it; it is not part of the chain.",
         ("rugen-street",)),
    Term("Shooter", "Who throws the die. He keeps it if he wins, else it passes to the winner.", ("rugen-street",)),
    Term("Times", "How many units are bet: \"ten times\" on the 3 is forty coins.", ("rugen-street", "rugen-capital")),
)  # fmt: skip


def glossary(games: Collection[str], game: str | None = None) -> tuple[Term, ...]:
    """Return the words of a game, or of all games, in alphabetical order.

    Raises:
        BadScript: there is no such game.

    >>> [term.word for term in glossary({"rugen-house"}, "rugen-house")]
    ['Break the chain', 'Center', 'Chain', 'Day and night']
    """
    if game is not None and game not in games:
        raise BadScript(f"There is no game {game[:40]!r} here. It knows {', '.join(games)}.")
    return tuple(sorted((t for t in TERMS if game is None or game in t.games), key=lambda term: term.word))
