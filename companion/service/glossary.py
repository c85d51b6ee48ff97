"""The glossary: each game's terms explained in plain English for newcomers."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import TypedDict

from companion.plugins.registry import Games
from companion.plugins.words import Term


class TermJson(TypedDict):
    """A word of the games in plain English."""

    word: str
    also: list[str]
    "What else players call it."
    means: str
    games: list[str]


@dataclass(frozen=True, slots=True)
class Explained:
    """A word, and the games that use it in this sense."""

    term: Term
    games: tuple[str, ...]

    def to_json(self) -> TermJson:
        """Return the word for a page."""
        term = self.term
        return {"word": term.word, "also": list(term.also), "means": term.means, "games": list(self.games)}


def glossary(games: Games, game: str | None = None) -> tuple[Explained, ...]:
    """Return the words of a game, or of all games, in alphabetical order.

    Raises:
        BadScript: there is no such game.
    """
    terms = {term for plugin in games.values() for term in plugin.terms}
    wanted = terms if game is None else set(games.named(game).terms)
    found = (Explained(term, tuple(name for name in games if term in games[name].terms)) for term in wanted)
    return tuple(sorted(found, key=lambda explained: explained.term.word))
