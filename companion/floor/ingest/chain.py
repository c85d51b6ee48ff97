"""Compares a shipped batch with the floor's copy of the journal. Pure: no database, no clock.

An entry's hash covers everything before it, so equal hashes at one entry mean equal chains up to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

from companion.journal.hash_chain import Break, Entry, HashChain, Head
from companion.journal.trust.witness import Statement
from companion.kernel.errors import CompanionError

MAX_ENTRIES: Final = 1_000
"""Most entries in one batch."""
_KINDS: Final = frozenset({"start", "command", "notice"})
_LONGEST_NUMBER: Final = 2**63 - 1

FaultKind = Literal["broken", "rewritten", "tail-cut", "cloned", "signer", "transfer", "restored"]
"""Kinds of incidents, open until somebody in the pit closes them.

broken: the batch's hash chain is inconsistent; rewritten: an entry differs from the floor's copy; tail-cut: the table's
journal is shorter than the floor's copy; cloned: two machines act as this table; signer: heads signed with another key;
transfer: coins moved without the house's knowledge; restored: a new epoch forked before the end of the last one.
"""


class BadBatch(CompanionError):
    """A malformed batch."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a table's data: a message for people, and the entries concerned."""

    kind: FaultKind
    text: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch of journal entries from a table, with the position of its journal's head.

    Attributes:
        run: id of the sending process; new after each start.
        ticket: token from the floor's last response; empty in the first request.
        head: the journal's latest entry.
        statement: a head signed by the table, to be countersigned.
    """

    epoch: int
    run: str
    ticket: str
    head: Head
    entries: tuple[Entry, ...] = ()
    statement: Statement | None = None

    @classmethod
    def parse(cls, told: Any) -> Self:
        """Parse a batch.

        Raises:
            BadBatch: malformed; the message says where.
        """
        try:
            head = told["head"]
            entries = tuple(map(_entry, told["entries"]))
            statement = told.get("statement")
            batch = cls(
                _whole(told["epoch"]),
                _text(told["run"]),
                _text(told["ticket"]),
                Head(_whole(head["seq"]), _text(head["hash"])),
                entries,
                None if statement is None else Statement.parse(_text(statement)),
            )
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise BadBatch(f"This is no batch of entries ({error!r}).") from error
        if len(entries) > MAX_ENTRIES:
            raise BadBatch(f"A batch has at most {MAX_ENTRIES} entries, this one has {len(entries)}.")
        return batch

    def to_json(self) -> dict[str, Any]:
        """Return the wire format."""
        return {
            "epoch": self.epoch,
            "run": self.run,
            "ticket": self.ticket,
            "head": {"seq": self.head.seq, "hash": self.head.hash},
            "entries": list(self.entries),
            "statement": None if self.statement is None else self.statement.to_line(),
        }


@dataclass(frozen=True, slots=True)
class Fitted:
    """The new part of a batch, and any fault found.

    Attributes:
        new: entries that follow the floor's head without a gap.
        is_gap: entries before the batch are missing; the table must resend from the floor's head.
    """

    new: tuple[Entry, ...] = ()
    fault: Fault | None = None
    is_gap: bool = False


HashAt = Callable[[int], str | None]
"""Returns the hash of the floor's copy of an entry; None if it has none."""


def fit(known: Head, entries: Sequence[Entry], hash_at: HashAt) -> Fitted:
    """Return the entries that extend the floor's copy.

    Args:
        known: the floor's head for this table.
        hash_at: hashes of entries up to that head.
    """
    if not entries:
        return Fitted()
    if (broken := _break_in(entries)) is not None:
        return Fitted(fault=Fault("broken", f"A batch is no chain: {broken}.", broken.seq, broken.seq))
    first, last = entries[0].seq, entries[-1].seq
    if first > known.seq + 1:
        return Fitted(is_gap=True)
    if first <= known.seq:
        overlap = entries[min(last, known.seq) - first]
        if _differs(overlap, known, hash_at):
            unlike = next((one for one in entries if _differs(one, known, hash_at)), overlap)
            return Fitted(fault=rewritten(unlike.seq, known.seq))
    new = tuple(entries[known.seq + 1 - first :])
    if new and first == known.seq + 1 and new[0].prev != known.hash:
        return Fitted(fault=rewritten(known.seq, known.seq))
    return Fitted(new)


def fault_of_head(claimed: Head, known: Head, hash_at: HashAt) -> Fault | None:
    """Return the fault if a table's head is behind the floor's copy or differs from it, else None."""
    if claimed.seq > known.seq:
        return None
    found = known.hash if claimed.seq == known.seq else hash_at(claimed.seq)
    if found != claimed.hash:
        return rewritten(claimed.seq, known.seq)
    if claimed.seq < known.seq:
        first = claimed.seq + 1
        text = f"The table's journal ends with entry {claimed.seq}; the floor has it up to {known.seq}."
        return Fault("tail-cut", text, first, known.seq)
    return None


def rewritten(seq: int, last: int) -> Fault:
    """Return the fault for a chain that diverges at an entry."""
    return Fault("rewritten", f"Entry {seq} of the table's journal is another one than the floor has.", seq, last)


def _differs(entry: Entry, known: Head, hash_at: HashAt) -> bool:
    found = known.hash if entry.seq == known.seq else hash_at(entry.seq)
    return entry.seq <= known.seq and found != entry.hash


def _break_in(entries: Sequence[Entry]) -> Break | None:
    chain = HashChain(entries[0].prev)
    chain.head = Head(entries[0].seq - 1, entries[0].prev)
    return next((found for entry in entries if (found := chain.check(entry)) is not None), None)


def _entry(told: Any) -> Entry:
    seq, at, session, kind, source, key, record, events, prev, digest = told
    if kind not in _KINDS:
        raise ValueError(f"{kind!r} is no kind of entry")
    if seq < 1:
        raise ValueError("entries are counted from 1 on")
    name = None if key is None else _text(key)
    return Entry(
        _whole(seq), _text(at), _whole(session), kind, _text(source), name, _text(record), _text(events),
        _text(prev), _text(digest),
    )  # fmt: skip


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _LONGEST_NUMBER:
        raise ValueError(f"{value!r} is no count")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("text was expected")
    value.encode()  # raises for a lone surrogate
    return value
