"""Reference model (test oracle): requests, responses and balances, kept as simply as possible.

Shares no code with the table's ledger, undo or journal. `Model.check_journal` checks the journal against it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from companion.journal.evening import TABLE
from companion.journal.hash_chain import Entry, HashChain
from companion.journal.seals import PROOF, Seals
from companion.journal.trust.guard import Trouble
from companion.kernel.errors import KeyReused, TableError
from companion.kernel.header import Header
from companion.kernel.ledger import Transfer
from companion.kernel.table import Table
from companion.plugins.registry import Games
from companion.service.committing.jobs import TIME, Accepted, Job

_ADDED = frozenset({PROOF, TIME})
"""Fields that the table itself adds to commands."""


class InvariantViolation(Exception):
    """The table violated an invariant; the message describes it."""


def expect(is_so: bool, otherwise: str) -> None:
    """Assert an invariant.

    Raises:
        InvariantViolation: it does not hold.
    """
    if not is_so:
        raise InvariantViolation(otherwise)


def said(text: str) -> str:
    """Return a command's JSON text without the fields added by the table, for comparison."""
    return json.dumps({k: v for k, v in json.loads(text).items() if k not in _ADDED}, sort_keys=True)


class Balances:
    """All balances, recomputed from the journal's transfers with a dictionary and an undo list."""

    def __init__(self, start: Mapping[str, Any], taken: Iterable[Transfer]) -> None:
        self._opening = Counter({f"player/{one['name']}": int(one["coins"]) for one in start["players"]})
        for transfer in taken:  # antes
            self._opening[transfer.payer.text] -= transfer.coins
            self._opening[transfer.payee.text] += transfer.coins
        self._done: list[list[tuple[str, str, int]]] = []
        self._undone: list[list[tuple[str, str, int]]] = []

    def follow(self, verb: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Apply a command's transfers."""
        if verb == "undo":
            self._undone.append(self._done.pop())
        elif verb == "redo":
            self._done.append(self._undone.pop())
        else:
            moved = [(e["payer"], e["payee"], e["coins"]) for e in events if e["event"] == "Transfer"]
            self._done.append(moved)
            self._undone = []

    def coins(self) -> Counter[str]:
        """Return the balance of every account."""
        held = Counter(self._opening)
        for payer, payee, coins in (move for moves in self._done for move in moves):
            held[payer] -= coins
            held[payee] += coins
        return held


@dataclass
class Request:
    """A request to the table, and its response as far as the sender has received it."""

    job: Job
    seq: int | None = None
    "Sequence number of its entry, once acknowledged."

    @property
    def future(self) -> Future[Accepted]:
        return self.job.future


@dataclass
class Model:
    """Invariants over a whole evening, across restarts of the table.

    Attributes:
        games: the installed games.
    """

    games: Games
    asked: list[Request] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    "The journal as read."
    known: int = 0
    "Number of entries that existed before the test."
    accepted: int = 0
    refused: int = 0
    _open: list[Request] = field(default_factory=list)
    _new: list[Request] = field(default_factory=list)
    "Acknowledged, not yet checked in the journal."
    _chain: HashChain | None = None
    _balances: Balances | None = None
    _keys: dict[str, Entry] = field(default_factory=dict)
    _unkeyed: Counter[tuple[str, str]] = field(default_factory=Counter)
    _given: dict[str, Request] = field(default_factory=dict)
    _given_unkeyed: Counter[tuple[str, str]] = field(default_factory=Counter)

    # ---- requests and responses

    def record_request(self, job: Job) -> None:
        """Record a request."""
        asked = Request(job)
        self.asked.append(asked)
        self._open.append(asked)
        if job.kind != "command":
            return
        if job.key is None:
            self._given_unkeyed[job.source, said(job.text)] += 1
        else:
            self._given.setdefault(job.key, asked)

    def record_responses(self, *, is_disk_well: bool) -> None:
        """Record and check the responses received.

        Args:
            is_disk_well: no disk fault justifies refusing to save a command.
        """
        for asked in [one for one in self._open if one.future.done()]:
            self._open.remove(asked)
            error = asked.future.exception()
            if error is None:
                asked.seq = asked.future.result().seq
                self._new.append(asked)
                self.accepted += 1
            else:
                self.refused += 1
                code = getattr(error, "code", type(error).__name__)
                expect(isinstance(error, TableError), f"a command was answered with {code}: {error}")
                expect(code != "internal", f"the companion made a mistake with {asked.job.text[:200]}")
                is_repeated = code == KeyReused.code and self._was_accepted(asked.job)
                expect(not is_repeated, f"what was accepted is refused when asked again: {error}")
                expect(code != "not-saved" or not is_disk_well, f"nothing is wrong with the disk, and it says: {error}")

    def _was_accepted(self, job: Job) -> bool:
        """Whether an identical request with the same key was acknowledged before."""
        asked = (one.job for one in self.asked if one.seq is not None)
        return any(
            (one.key, one.source, one.kind) == (job.key, job.source, job.kind) and said(one.text) == said(job.text)
            for one in asked
        )

    def drop_pending(self) -> None:
        """Drop pending requests: their responses are lost."""
        self._open.clear()

    # ---- the journal

    def read(self, new: Iterable[Entry], genesis: str) -> None:
        """Read new journal entries; checks numbers, hashes, duplicate keys, and commands that were never sent."""
        self._chain = self._chain or HashChain(genesis)
        for entry in new:
            broken = self._chain.check(entry)
            expect(broken is None, f"the journal's chain is broken: {broken}")
            self.entries.append(entry)
            if entry.kind == "start":
                start = json.loads(entry.record)
                header = Header.parse(start, self.games)
                antes = header.rules.opening(header.rules.start(header.seats, header.options))
                self._balances = Balances(start, antes)
            elif entry.kind == "command":
                self._read_command(entry)

    def reread(self, all_: Sequence[Entry], genesis: str) -> None:
        """Reread the journal from the beginning, as after a restart."""
        before, self._new = self.entries, [one for one in self.asked if one.seq is not None]
        self.entries, self._chain, self._balances = [], None, None
        self._keys, self._unkeyed = {}, Counter()
        self.read(all_, genesis)
        for old, new in zip(before, all_, strict=False):
            expect(old == new, f"entry {old.seq} of the journal has changed: it was {old}, it is {new}")

    def _read_command(self, entry: Entry) -> None:
        assert self._balances is not None, "a start entry comes first"
        record = json.loads(entry.record)
        self._balances.follow(record["do"], json.loads(entry.events))
        if entry.source == TABLE or entry.seq <= self.known:
            return
        if entry.key is not None:
            expect(entry.key not in self._keys, f"the command with the key {entry.key} was played twice")
            self._keys[entry.key] = entry
            given = self._given.get(entry.key)
            expect(given is not None, f"entry {entry.seq} has the key {entry.key}, which nobody gave")
        elif record["do"] != "sealed":
            name = (entry.source, said(entry.record))
            self._unkeyed[name] += 1
            expect(
                self._unkeyed[name] <= self._given_unkeyed[name],
                f"entry {entry.seq} was never asked for, or is there twice: {entry.record[:200]}",
            )

    # ---- invariants

    def check_journal(self, unsealed: Any) -> None:
        """Check the journal against the responses: every acknowledged command is in it exactly once and unchanged."""
        new, self._new = self._new, []
        for one in new:
            assert one.seq is not None, "these were acknowledged"
            expect(one.seq <= len(self.entries), f"entry {one.seq} was acknowledged and is gone: {one.job.text[:200]}")
            entry = self.entries[one.seq - 1]
            if one.job.kind == "command":
                record = unsealed(json.loads(entry.record))
                is_same = said(json.dumps(record)) == said(one.job.text)
                expect(
                    is_same and entry.key == one.job.key, f"entry {one.seq} is not what was acknowledged as {one.seq}"
                )

    def check_balances(self, view: Mapping[str, Any]) -> None:
        """Check the balances shown by the table against the model's."""
        if self._balances is None:
            return
        mine = self._balances.coins()
        for player in view["players"]:
            want = mine.pop(f"player/{player['name']}", 0)
            expect(player["coins"] == want, f"{player['name']} is shown {player['coins']} coins and has {want}")
        staked = sum(coins for account, coins in mine.items() if account.startswith("stake/"))
        expect(view["staked"] == staked, f"{view['staked']} coins are shown as staked, it is {staked}")
        pots = sum(coins for account, coins in mine.items() if account.startswith("pot/"))
        expect(
            sum(view["pots"].values()) == pots, f"{sum(view['pots'].values())} coins are shown in pots, it is {pots}"
        )

    def check_replay(self, view: Mapping[str, Any], unsealed: Any) -> None:
        """Replay the latest session without the startup code; the table must show the same state."""
        table = fold(self.entries, self.games, unsealed)
        expect(table.position.ledger.total == 0, "the coins of the replayed table do not sum to zero")
        for name, value in table.view().items():
            if name not in ("undo", "undoes", "expected", "reasons"):  # these depend on what may be undone
                expect(view[name] == value, f"{name} is {view[name]!r} at the table, and {value!r} when played again")

    def check_loss_report(self, trouble: Trouble, kept: int, known: int | None) -> None:
        """Check that the table reports exactly the entries that are missing after the disk lost synced data.

        Args:
            known: the last entry known outside of the disk; None: all that were acknowledged.
        """
        last = max((one.seq or 0 for one in self.asked), default=0) if known is None else known
        expect(
            trouble.first == kept + 1, f"entries from {kept + 1} on are missing, the table says from {trouble.first}"
        )
        expect((trouble.last or 0) >= last, f"entry {last} was acknowledged, the table misses up to {trouble.last}")

    def accept_loss(self, first: int) -> None:
        """The owner accepts the loss of all entries from this one on."""
        for one in self.asked:
            if one.seq is not None and one.seq >= first:
                one.seq = None
        del self.entries[first - 1 :]


def fold(entries: Sequence[Entry], games: Games, unsealed: Any) -> Table:
    """Replay the latest session's commands on a new table."""
    start = max(place for place, entry in enumerate(entries) if entry.kind == "start")
    table = Table(Header.parse(json.loads(entries[start].record), games))
    for entry in entries[start + 1 :]:
        if entry.kind == "command":
            table.do(unsealed(json.loads(entry.record)))
    return table


def opener(journal: Any) -> Any:
    """Return the function that opens a journal's sealed commands."""
    return Seals.beside(journal).open
