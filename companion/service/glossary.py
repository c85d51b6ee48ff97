"""The glossary: the games' terms explained for newcomers."""

from typing_extensions import TypedDict

from companion.plugins.registry import Games


class TermJson(TypedDict):
    """A term, its explanation, and the games that use it."""

    word: str
    also: list[str]
    "Synonyms."
    means: str
    games: list[str]


def glossary(games: Games, game: str | None = None) -> list[TermJson]:
    """Return the terms of a game, or of all games, in alphabetical order.

    Raises:
        BadScript: there is no such game.
    """
    terms = {term for plugin in games.values() for term in plugin.terms}
    wanted = terms if game is None else set(games.named(game).terms)
    found: list[TermJson] = [
        {"word": term.word, "also": list(term.also), "means": term.means,
         "games": [name for name in games if term in games[name].terms]}
        for term in wanted
    ]  # fmt: skip
    return sorted(found, key=lambda one: one["word"])
