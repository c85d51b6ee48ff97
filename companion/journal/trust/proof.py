"""Checks of a journal beyond its own hash chain: against keys, the high-water mark, witnesses and receipts."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from companion.journal.hash_chain import Entry, Head, genesis
from companion.journal.trust.guard import WAY_OUT, Heads, Trouble, wrong_mark
from companion.journal.trust.mark import MarkFound, mark_path, read_mark
from companion.journal.trust.signing import HeadCheck, KeyBook, KeyUnusable, brief
from companion.journal.trust.witness import Statement, first_unlike, read_witness
from companion.kernel.messages import message

MIN_DIGITS: Final = 12
"""Minimum length of a hash prefix to look for: a shorter one could match another entry by chance."""

Wrong = tuple[str, int | None]
"""What is wrong, and the seq of the entry at fault, if it is a particular one."""


def floor_witness(data_dir: Path) -> Path:
    """Return the path of the witness with the heads that the house's floor has countersigned."""
    return data_dir / "floor" / "journal.witness"


@dataclass(frozen=True, slots=True)
class Loss:
    """A journal's trouble that its owner has accepted.

    Attributes:
        accepted: seq of the entry that accepts it.
        at: that entry's time.
        state: the trouble's `State`.
        first, last: the entries concerned, if known.
    """

    accepted: int
    at: str
    state: str
    first: int | None = None
    last: int | None = None

    @classmethod
    def of(cls, entry: Entry) -> Self | None:
        """Return the loss that an entry accepts, or None."""
        if entry.kind != "notice" or '"loss"' not in entry.record:
            return None
        data = json.loads(entry.record).get("data", {}).get("loss")
        if not isinstance(data, dict):
            return None
        return cls(entry.seq, entry.at, str(data.get("state")), data.get("first"), data.get("last"))

    def covers(self, seq: int) -> bool:
        """Whether an entry's loss or replacement was accepted by this."""
        if self.state not in ("tail-lost", "rewritten") or self.last is None:
            return False
        return (self.first or 1) <= seq <= self.last

    @property
    def words(self) -> str:
        """Description of what was accepted, and where."""
        what = f"entries {self.first} to {self.last}" if self.first is not None else self.state
        return f"{what}, by entry {self.accepted} of {self.at}"


def unexplained_key(changes: Iterable[tuple[int, int]], losses: Sequence[Loss]) -> int | None:
    """Return the first entry signed by another key without the owner's acceptance, or None.

    Being listed as a former key is not enough: an attacker who replaces the key file can list the old public key
    there. A change of key needs an accepting entry in the journal.

    Args:
        changes: for each change of key, the last entry signed with one key and the first with the next.
    """
    for before, seq in changes:
        if not any(before < loss.accepted <= seq or loss.covers(seq) for loss in losses):
            return seq
    return None


def key_trouble(changes: Iterable[tuple[int, int]], losses: Sequence[Loss]) -> Trouble | None:
    """Return the trouble of a journal signed by another key without the owner's acceptance, or None."""
    seq = unexplained_key(changes, losses)
    if seq is None:
        return None
    text = message(
        "From entry {seq} on another key signs the journal, and its owner never accepted that: somebody has replaced "
        "the key. {way_out}",
        seq=seq,
        way_out=WAY_OUT,
    )
    return Trouble("rewritten", text, last=seq)


@dataclass(frozen=True, slots=True)
class VerifiedChain:
    """A journal whose hash chain has been verified."""

    id: str
    hashes: Sequence[str]
    "The hash of every entry, in order."
    losses: Sequence[Loss] = ()
    "Those that the owner has accepted."

    @property
    def head(self) -> Head:
        return Head(len(self.hashes), self.hashes[-1] if self.hashes else genesis(self.id))

    def hash_at(self, seq: int) -> str | None:
        """Return an entry's hash, or None; for seq 0, the genesis hash."""
        if seq == 0:
            return genesis(self.id)
        return self.hashes[seq - 1] if 0 < seq <= len(self.hashes) else None

    def is_loss_accepted(self, seq: int) -> bool:
        """Whether the owner has accepted an entry's loss or replacement."""
        return any(loss.covers(seq) for loss in self.losses)


@dataclass(frozen=True, slots=True)
class Proof:
    """What a journal is checked against.

    Attributes:
        keys: the table's public keys; empty if unknown.
        book: the table's key book, if available.
        mark: the high-water mark, if it is to be compared.
        head: a hash, or its beginning, that the journal must contain.
        witness: the heads of a witness, or None.
        missing_key: why the table's own key is unavailable.
        must_be_signed: whether an unsigned journal is refused.
    """

    keys: frozenset[str] = frozenset()
    book: KeyBook | None = None
    mark: MarkFound | None = None
    head: str | None = None
    witness: Sequence[Statement] | None = None
    missing_key: str | None = None
    must_be_signed: bool = False

    @classmethod
    def beside(cls, journal: Path, *, with_mark: bool = True) -> Self:
        """Return the proof found beside a journal.

        Args:
            with_mark: also check against the high-water mark and the floor's witness; False for a copy.

        Raises:
            WitnessUnusable: the floor's witness cannot be read.
        """
        try:
            book = KeyBook.beside(journal)
        except KeyUnusable as error:
            return cls(missing_key=str(error))
        signer = book.signer()
        kept = floor_witness(journal.parent)
        witness = read_witness(kept) if with_mark and kept.exists() else None
        mark = read_mark(mark_path(journal), None if signer is None else signer.mac)
        return cls(book.trusted(), book, mark if with_mark else None, witness=witness)

    def trusting(self, keys: Iterable[str]) -> Self:
        """Return the proof with these public keys as the table's; unchanged without any."""
        given = frozenset(keys)
        return replace(self, keys=given, must_be_signed=True) if given else self

    def wrong_with(self, walked: VerifiedChain) -> Wrong | None:
        """Return the mismatch with a journal whose chain and signatures are valid, or None."""
        return self._wrong_mark(walked) or self._wrong_head(walked) or self._wrong_witness(walked)

    def _wrong_mark(self, walked: VerifiedChain) -> Wrong | None:
        if self.book is None or self.mark is None:
            return None
        trouble: Trouble | None = wrong_mark(walked, self.book, self.mark)
        return None if trouble is None else (trouble.text, trouble.first)

    def _wrong_head(self, walked: VerifiedChain) -> Wrong | None:
        if self.head is None or any(known.startswith(self.head) for known in (walked.hash_at(0) or "", *walked.hashes)):
            return None
        return f"no entry has the hash {self.head}: it was written anew, cut off, or is another journal.", None

    def _wrong_witness(self, walked: VerifiedChain) -> Wrong | None:
        if self.witness is None:
            return None
        for number, statement in enumerate(self.witness, start=1):
            is_known = not self.keys or statement.public in self.keys or statement.journal != walked.id
            if not statement.is_signed or not is_known:
                return f"line {number} of the witness is not signed with this table's key.", None
        if all(one.journal != walked.id for one in self.witness):
            return "the witness has no head of this journal: another one lies in its place.", None
        kept = [one for one in self.witness if not walked.is_loss_accepted(one.seq)]
        unlike = first_unlike(kept, walked.id, walked.head.seq, walked.hash_at)
        if unlike is None:
            return None
        if unlike.seq > walked.head.seq:
            last = max(one.seq for one in kept if one.journal == walked.id)
            return f"the witness knows entries up to {last}: those from {walked.head.seq + 1} on are missing.", None
        return f"the witness has kept another entry {unlike.seq}, of {unlike.at}: it was written anew.", unlike.seq


@dataclass(slots=True)
class Signatures:
    """Verifies the signatures along the chain.

    Attributes:
        journal: the journal's id.
        of: seq -> public key and signature.
        covered: the latest entry covered by a valid signature, as are all before it.
        by: the public keys of the signatures, in order of appearance.
        changes: for each change of key, the last entry signed with one key and the first with the next.
    """

    journal: str
    of: Mapping[int, tuple[str, bytes]]
    proof: Proof
    covered: int = 0
    by: dict[str, None] = field(default_factory=dict)
    changes: list[tuple[int, int]] = field(default_factory=list)
    _latest: str | None = None
    _check: HeadCheck | None = None

    def wrong_at(self, seq: int, digest: str) -> str | None:
        """Return what is wrong with an entry's signature; None if it is valid or missing."""
        signed = self.of.get(seq)
        if signed is None:
            return None
        self._check = self._check or HeadCheck(self.journal)
        if not self._check.is_right(Head(seq, digest), *signed):
            return message(
                "its signature does not fit: what is written in entries {first} to {last} is not what the table wrote.",
                first=str(self.covered + 1), last=str(seq),
            )  # fmt: skip
        if self.proof.keys and signed[0] not in self.proof.keys:
            return message("it is signed with another key than this table's ({key}).", key=brief(signed[0]))
        if self._latest not in (None, signed[0]):
            self.changes.append((self.covered, seq))
        self.covered, self._latest = seq, signed[0]
        self.by[signed[0]] = None
        return None

    def wrong_at_end(self, last: int, losses: Sequence[Loss] = ()) -> Wrong | None:
        """Return what is wrong with the signatures as a whole, or None.

        Args:
            last: seq of the journal's latest entry.
            losses: those that the owner has accepted.
        """
        beyond = max(self.of, default=0)
        if beyond > last:
            missing = message(
                "entries {first} to {last} were signed and are missing.", first=str(last + 1), last=str(beyond)
            )
            return missing, last + 1
        book = self.proof.book
        first = None if book is None else book.journals.get(self.journal)
        must = bool(self.of) or (first is not None and first <= last)
        if must and self.covered < last:
            unsigned = message(
                "entries {first} to {last} are not signed: the table did not write them.",
                first=str(self.covered + 1), last=str(last),
            )  # fmt: skip
            return unsigned, last
        is_home = book is not None and not book.is_empty and first is None  # the table signs journals, but not this one
        if (changed := unexplained_key(self.changes, losses)) is not None:
            return message(
                "from here on another key signs, which the owner never accepted: the key was replaced."
            ), changed
        if not must and last and (is_home or self.proof.must_be_signed):
            return message(
                "nothing in it is signed with this table's key: it is another journal, or was written anew."
            ), None
        return None


def witness_trouble(statements: Sequence[Statement], heads: Heads, losses: Sequence[Loss]) -> Trouble | None:
    """Return the trouble of a journal that contradicts a witness, or None.

    Args:
        statements: the witness's heads.
        losses: those that the owner has accepted.
    """
    mine = (one for one in statements if one.journal == heads.id)
    kept = [one for one in mine if not any(loss.covers(one.seq) for loss in losses)]
    unlike = first_unlike(kept, heads.id, heads.head.seq, heads.hash_at)
    if unlike is None:
        return None
    last = max(kept, key=lambda one: one.seq)
    text = message(
        "The witness knows another journal than this one: entry {seq}, written at {at}, is missing here or is another "
        "one. It has kept entries up to {last}, here are {kept}. {way_out}",
        seq=unlike.seq,
        at=unlike.at,
        last=last.seq,
        kept=heads.head.seq,
        way_out=WAY_OUT,
    )
    first = min(unlike.seq, heads.head.seq + 1)
    return Trouble("rewritten" if unlike.seq <= heads.head.seq else "tail-lost", text, first, last.seq, last.hash)


# ---- receipts


@dataclass(frozen=True, slots=True)
class ReceiptCode:
    """The content of a receipt's code.

    Attributes:
        session, number: the round.
        head: the hash of the entry that decided it, or its beginning.
        text: the whole code if it is the text form, which includes the payments.
    """

    session: int
    number: int
    head: str
    text: str | None = None

    @classmethod
    def parse(cls, code: str) -> Self | None:
        """Parse a code: the URL of a QR code or the text below it; None for anything else.

        >>> ReceiptCode.parse("http://table.local:8080/history/1/7#head=abababababababababababab").number
        7
        >>> ReceiptCode.parse("poker 1-7 2026-05-01T20:15:00Z Ann-5 #99 abababababababab").head
        'abababababababab'
        """
        address = re.search(r"/history/([0-9]{1,9})/([0-9]{1,9})(?:/receipt)?#head=([0-9a-f]{12,64})$", code.strip())
        if address is not None:
            return cls(int(address[1]), int(address[2]), address[3])
        text = re.fullmatch(r"\S+ ([0-9]{1,9})-([0-9]{1,9}) \S+.* #\d+ ([0-9a-f]{12,64})", code.strip())
        return None if text is None else cls(int(text[1]), int(text[2]), text[3], code.strip())

    def wrong_with(self, made: Any) -> str | None:
        """Return how the journal's own receipt of that round differs, or None.

        Args:
            made: a `Receipt`; None if there is no such round.
        """
        if made is None:
            return f"there is no decided round {self.session}-{self.number}, of which there is a receipt."
        if not made.head.startswith(self.head):
            return (
                f"round {self.session}-{self.number} was decided by an entry with the hash "
                f"{made.head[: len(self.head)]}, the receipt says {self.head}."
            )
        if self.text is not None and self.text not in made.texts:
            return f"the receipt says {self.text}, the journal {made.text}."
        return None
