"""A floor with its database, and tables with invented journals that are chained and signed like real ones."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import psycopg

from companion.floor import tables
from companion.floor.cluster import APP, Cluster
from companion.floor.errors import FloorError
from companion.floor.ingest.chain import Batch
from companion.floor.ingest.heads import Countersigner
from companion.floor.ingest.writer import Answer, Ingest, Shipment
from companion.floor.tables import Installation, Known
from companion.journal.hash_chain import Entry, Head, entry_hash, genesis
from companion.journal.trust.signing import SeedSigner, head_text
from companion.journal.trust.witness import Statement

AT = "2026-05-01T20:15:00.000Z"
_PRINTS = itertools.count(1)


@dataclass
class Chain:
    """A table's journal in memory."""

    journal: str = "a" * 32
    entries: list[Entry] = field(default_factory=list)
    signer: SeedSigner = field(default_factory=lambda: SeedSigner(b"k" * 32))

    @property
    def head(self) -> Head:
        return self.head_at(len(self.entries))

    def head_at(self, seq: int) -> Head:
        return Head(seq, self.entries[seq - 1].hash if seq else genesis(self.journal))

    def add(self, record: dict[str, Any], *, kind: str = "command", key: str | None = None, events: Any = ()) -> Entry:
        head = self.head
        parts = (AT, 1, kind, "dealer", key, json.dumps(record), json.dumps(list(events)))
        digest = entry_hash(head.hash, head.seq + 1, *parts)
        entry = Entry(head.seq + 1, *parts, head.hash, digest)  # type: ignore[arg-type]
        self.entries.append(entry)
        return entry

    def play(self, count: int, word: str = "bet") -> Self:
        for _ in range(count):
            self.add({"do": word, "number": len(self.entries) + 1})
        return self

    def copy(self, upto: int | None = None) -> Chain:
        return replace(self, entries=self.entries[:upto])

    def statement(self, seq: int | None = None) -> Statement:
        head = self.head if seq is None else self.head_at(seq)
        signature = self.signer.sign(head_text(self.journal, head)).hex()
        return Statement(self.journal, head.seq, head.hash, AT, self.signer.public, signature)


def start(chain: Chain, coins: int, continues: int | None = None) -> None:
    record = {"game": "roulette", "players": [{"name": "Ann", "coins": coins}], "options": {}}
    chain.add(record | ({} if continues is None else {"continues": continues}), kind="start")


def lost(chain: Chain, coins: int) -> None:
    transfer = {"event": "Transfer", "payer": "player/Ann", "payee": "house", "coins": coins, "why": "lost"}
    chain.add({"do": "lose"}, events=[transfer])


class House:
    """A floor: its writer, and a database connection with the floor's role."""

    def __init__(self, cluster: Cluster, database: str) -> None:
        self.dsn = cluster.dsn(APP, database)
        self.connection = psycopg.connect(self.dsn, autocommit=True)
        self.floor_signer = SeedSigner(b"f" * 32)
        self.ingest = Ingest(self.dsn, Countersigner(self.floor_signer))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.ingest.close()
        self.connection.close()

    def restart(self) -> None:
        """Restart the writer, as after a crash of the floor."""
        self.ingest.close()
        self.ingest = Ingest(self.dsn, Countersigner(self.floor_signer))

    def joined(self, name: str = "Table 1") -> Installation:
        """Let a machine join as a table."""
        code = tables.invite(self.connection, name)
        return tables.join(self.connection, code, lambda _: f"print-{next(_PRINTS)}")

    def begun(self, chain: Chain, name: str = "Table 1", fork: int = 0) -> Seat:
        """Let a machine join and begin an epoch with its journal."""
        who = self.joined(name)
        known = tables.begin_epoch(self.connection, who, chain.journal, chain.head_at(fork), chain.signer.public)
        return Seat(self, replace(who, epoch=known.epoch), chain)

    def known(self, table_id: int = 1) -> Known:
        found = tables.known(self.connection, table_id)
        assert found is not None
        return found

    def stored(self, table_id: int = 1, epoch: int = 1) -> list[Entry]:
        query = (
            "SELECT seq, at, session, kind, source, key, record, events, prev, hash FROM floor.entry "
            "WHERE table_id = %s AND epoch = %s ORDER BY seq"
        )
        return [Entry(*row) for row in self.connection.execute(query, (table_id, epoch))]

    def stored_all(self, table_id: int) -> list[Entry]:
        """Return a table's valid entries over all its epochs."""
        query = (
            "SELECT e.seq, e.at, e.session, e.kind, e.source, e.key, e.record, e.events, e.prev, e.hash "
            "FROM floor.entry e JOIN floor.history h USING (table_id, epoch, seq) WHERE e.table_id = %s ORDER BY e.seq"
        )
        return [Entry(*row) for row in self.connection.execute(query, (table_id,))]

    def incidents(self) -> list[tuple[str, int | None, int | None]]:
        rows = self.connection.execute("SELECT kind, first, last FROM floor.incident WHERE closed IS NULL ORDER BY id")
        return rows.fetchall()


@dataclass
class Seat:
    """A table's machine, connected to the floor."""

    house: House
    who: Installation
    chain: Chain
    run: str = "run-1"
    ticket: str = ""

    def batch(self, entries: Sequence[Entry] = (), *, statement: Statement | None = None) -> Batch:
        return Batch(self.who.epoch or 0, self.run, self.ticket, self.chain.head, tuple(entries), statement)

    def send(self, batch: Batch) -> Answer:
        """Send a batch over the fake connection, and store the answer's ticket."""
        on_the_wire = json.loads(json.dumps(batch.to_json()))
        shipment = Shipment(self.who, Batch.parse(on_the_wire), time.monotonic())
        answer = self.house.ingest.write([shipment]).answers[0]
        if isinstance(answer, FloorError):
            raise answer
        self.ticket = answer.ticket
        return answer

    def ship(self, first: int = 1, last: int | None = None, *, statement: Statement | None = None) -> Answer:
        """Send a range of entries of the chain."""
        return self.send(self.batch(self.chain.entries[first - 1 : last], statement=statement))

    def report(self) -> Answer:
        """Send an empty batch twice: a reported head counts from the second time on."""
        self.send(self.batch())
        return self.send(self.batch())
