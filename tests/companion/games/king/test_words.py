"""What King of Roulette says: one form of address, lists of alternatives, a tie that is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.games.king import plugin

LOCALE = Path(plugin.__file__).parent / "locale"
FAMILIAR = {
    "de": r"\b(du|dich|dir|deine?[mnrs]?|ihr|euch|[Dd]ecke|[Bb]estimme|[Mm]anipuliere|[Vv]erschieb|nenne|[Ww]ähle)(?!\w)",
    "es": r"\b(tú|tus?|ti|te|vuestr[oa]s?|[Hh]as|elegid|Amaña la ronda(?! en))(?!\w)",
}
"""Words that address somebody as a friend; the product says "Sie" and "usted" throughout."""


def said_in(language: str) -> list[str]:
    """What a language's catalogues say, without their English keys."""
    pages = (LOCALE / f"{language}.json").read_text(encoding="utf-8")
    po = (LOCALE / f"{language}.po").read_text(encoding="utf-8")
    return [*re.findall(r'": (.*)', pages), *re.findall(r"msgstr(?:\[\d\])? ((?:\".*\"\n)+)", po)]


@pytest.mark.parametrize("language", ["de", "es"])
def test_everybody_is_addressed_formally(language):
    said = said_in(language)
    assert len(said) > 150
    assert [text for text in said if re.search(FAMILIAR[language], text)] == []
