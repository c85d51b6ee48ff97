"""All texts of chinchirorin are completely translated into German and Spanish."""

import json
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.games.chinchirorin.practice import TERMS, practice
from companion.kernel.errors import BadScript, TableError, UnknownVerb
from companion.kernel.events import to_json
from companion.kernel.messages import Message
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED, new_header, say

sys.path.insert(0, str(Path(__file__).parents[1]))
from chinchirorin_referee import Referee, anything, likely, random_players

SCRIPTS = sorted((Path(__file__).parents[3] / "playthroughs" / "chinchirorin").glob("*.jsonl"))
ENGLISH = re.compile(
    r"(?<![\w/])(the|and|is|are|has|throws?|bets?|coins?|of|to|it|this|banker|player|score|wash|storm|round|collects|pays"
    r"|gets|again|nothing|out)(?![\w/])"
)


def played(table: Table, records: Iterator[dict[str, object]]) -> Iterator[str]:
    """Yield all texts that result from these commands, including refusals."""
    for record in records:
        try:
            yield from (found["text"] for event in table.do(record) if "text" in (found := to_json(event)))
        except (BadScript, UnknownVerb):
            continue  # errors of API clients are in English
        except TableError as error:
            yield error.args[0]
        view = table.view()
        yield from (view["prompt"], *table.reasons().values(), *(view["summary"],) * bool(view["summary"]))
        yield from (one["text"] for one in view["throws"])
        if table.records:
            yield table.describe(table.records[-1])


def recorded() -> Iterator[str]:
    for script in SCRIPTS:
        header, *records = [json.loads(line) for line in script.read_text().splitlines() if line[0] != "#"]
        yield from played(Table(Header.parse(header, INSTALLED)), iter(records))


def at_random() -> Iterator[str]:
    for seed in range(40):
        rng = random.Random(f"words {seed}")
        players, options = random_players(rng)
        referee = Referee(players, options.get("banker"))

        def records(rng: random.Random = rng, referee: Referee = referee) -> Iterator[dict[str, object]]:
            for _ in range(60):
                record = anything(rng, referee) if rng.random() < 0.2 else likely(rng, referee)
                referee.do(record)
                yield record

        yield from played(Table(new_header("chinchirorin", players, options)), records())


def explained() -> Iterator[str]:
    for phase in ("draw", "bank", "betting", "banker", "player", "wash", "over"):
        yield practice({"phase": phase})
    for term in TERMS:
        yield from (term.word, term.means)


@pytest.mark.parametrize("language", ["de", "es"])
def test_all_that_is_said_is_said_in_every_language(language: str) -> None:
    said = set(recorded()) | set(at_random()) | set(explained())
    assert len(said) > 200
    english = {text for text in said if type(text) is not Message}
    assert not english, english
    left = {found for text in said if ENGLISH.search(found := say(text, language))}
    assert not left, sorted(left)[:20]
