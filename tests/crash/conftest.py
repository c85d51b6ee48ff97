"""What the crash tests of the whole companion need: random commands, and the checks after a kill."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.games.roche.paytable import bets
from companion.games.roche_deck.design import FULL_DECK
from companion.journal.hash_chain import Entry
from companion.journal.store import JournalReader
from companion.journal.verify import verify
from companion.kernel.table import Header, Table
from companion.testing import INSTALLED


def random_commands(rng: random.Random, players: tuple[str, ...], layout: str = "grand") -> Iterator[dict[str, Any]]:
    """Yield commands for ever, most of them possible: rounds with bets, undo and redo, coins coming and going."""
    spots = bets("grand" if layout == "grand" else "basic", "full")
    while True:
        for _ in range(rng.randint(2, 8)):
            yield {"do": "bet", "player": rng.choice(players), "on": rng.choice(spots), "amount": rng.randint(1, 4)}
        yield {"do": "buy-in", "player": rng.choice(players), "coins": rng.randint(1, 30)}
        yield {"do": "no-more-bets"}
        for card in rng.sample(FULL_DECK, 22):
            yield {"do": "deal", "card": card}
            if rng.random() < 0.15:
                yield {"do": rng.choice(["undo", "redo", "undo", "hold", "release"])}
        yield {"do": "release"}
        yield {"do": "new-round"}


@dataclass
class Client:
    """What a client remembers over all the kills."""

    sent: dict[str, dict[str, Any]] = field(default_factory=dict)
    "Key -> command."
    acknowledged: dict[str, int] = field(default_factory=dict)
    "Key -> the journal number that came back."
    refused: set[str] = field(default_factory=set)
    prefix: str = ""
    "What the way in puts before a client's key."

    @property
    def unanswered(self) -> list[str]:
        return [key for key in self.sent if key not in self.acknowledged and key not in self.refused]

    def check(self, journal: Path) -> None:
        """After a kill: the chain holds, coins sum to zero, nothing acknowledged is missing, nothing is there twice."""
        with JournalReader.open(journal) as reader:
            entries = list(reader.entries())
            found = verify(reader, INSTALLED)
        assert found.wrong is None, found
        by_key = {entry.key: entry for entry in entries if entry.key}
        for key, seq in self.acknowledged.items():
            entry = by_key.get(self.prefix + key)
            assert entry is not None, f"{key} was acknowledged as entry {seq} and is gone"
            assert (entry.seq, json.loads(entry.record)) == (seq, self.sent[key])
        for key in self.refused:
            assert self.prefix + key not in by_key, f"{key} was refused and is in the journal"
        assert max(Counter(entry.key for entry in entries if entry.key).values(), default=1) == 1


def folded(entries: list[Entry]) -> Table:
    """Play the latest session's commands through a new table, with nothing of the start-up's code."""
    start = max(place for place, entry in enumerate(entries) if entry.kind == "start")
    table = Table(Header.parse(json.loads(entries[start].record), INSTALLED))
    for entry in entries[start + 1 :]:
        if entry.kind == "command":
            table.do(json.loads(entry.record))
    assert table.position.ledger.total == 0
    return table


@pytest.fixture
def client() -> Client:
    return Client()
