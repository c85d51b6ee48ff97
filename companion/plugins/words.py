"""Texts for newcomers: a game's glossary entries and practice-mode explanations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

View = Mapping[str, Any]

Practice = Callable[[View], str]
"""Explains a step in two or three sentences, from the room's view alone; empty if there is nothing to explain."""


@dataclass(frozen=True, slots=True)
class ByPhase:
    """`Practice` of a game whose phase alone says what comes next: a text for each, in order."""

    texts: Mapping[str, str]

    def __call__(self, view: View) -> str:
        return self.texts.get(view["phase"], "")

    @property
    def steps(self) -> tuple[str, ...]:
        """How a round goes."""
        return tuple(dict.fromkeys(self.texts.values()))


@dataclass(frozen=True, slots=True)
class Term:
    """A glossary entry: the players' term, its meaning, and its synonyms."""

    word: str
    means: str
    also: tuple[str, ...] = ()
