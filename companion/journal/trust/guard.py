"""Guards the journal against loss and tampering: signs each commit, keeps the high-water mark, checks both at startup.

A mismatch holds the table: no command is accepted until a backup is restored, or the owner accepts the loss, which is
itself recorded.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from companion.journal.hash_chain import Head
from companion.journal.trust.mark import Mark, Marked, MarkFound, mark_path, read_mark, write_mark
from companion.journal.trust.signing import HeadCheck, KeyBook, Signer, head_text
from companion.kernel.messages import Value, linked, message

State = Literal[
    "unsaved", "gone", "tail-lost", "journal-missing", "mark-missing", "rewritten", "key-missing", "replay-differs"
]
"""Why a journal must not be written at present.

``unsaved``: the disk does not take a write; ``gone``: a file being written is no longer in its place.
"""

MENDED_BY_ITSELF: Final[frozenset[State]] = frozenset({"unsaved", "gone"})
"""States that end with their cause; all others need a backup or the owner's acceptance."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the journal must not be written.

    Attributes:
        first, last: the entries concerned, such as the missing ones, if known.
        hash: hash of the last of them, if known.
    """

    state: State
    text: str
    first: int | None = None
    last: int | None = None
    hash: str | None = None

    @property
    def can_accept(self) -> bool:
        """Whether the owner can accept it; otherwise its cause must be fixed."""
        return self.state not in MENDED_BY_ITSELF

    def to_json(self) -> dict[str, Any]:
        """Return the form recorded by the entry that accepts it."""
        fields = {"state": self.state, "first": self.first, "last": self.last, "head": self.hash}
        return {name: value for name, value in fields.items() if value is not None}


class Heads(Protocol):
    """The entries of a journal's file, by their hashes."""

    @property
    def id(self) -> str: ...
    @property
    def head(self) -> Head: ...
    def hash_at(self, seq: int) -> str | None: ...


class Facts(Heads, Protocol):
    """The properties of a journal's file that the guard checks."""

    @property
    def latest_at(self) -> str: ...
    def signature_at(self, seq: int) -> tuple[str, bytes] | None: ...
    def signers(self) -> frozenset[str]: ...


WAY_OUT: Final = message(
    "Restore a backup; or accept the loss on the dealer's page or with `companion journal accept`."
)


def compare(facts: Facts, book: KeyBook, found: MarkFound, signer: Signer | None) -> Trouble | None:
    """Return the first mismatch between journal, high-water mark and key, or None.

    Args:
        found: the mark as read.
        signer: the table's, if it has a key.
    """
    return wrong_mark(facts, book, found) or _wrong_signature(facts, book, signer)


def replay_differs(seq: int, what: Value) -> Trouble:
    """Return the trouble of an entry whose replay differs although the rules are the same."""
    text = message(
        "Entry {seq} of the journal says something else than the rules that wrote it: it {what}. Somebody wrote the "
        "journal anew, or the companion made a mistake. {way_out}",
        seq=seq,
        what=what,
        way_out=WAY_OUT,
    )
    return Trouble("replay-differs", text, last=seq)


def secrets_missing(seq: int, files: Sequence[str]) -> Trouble:
    """Return the trouble of an entry that cannot be replayed, as sealed commands before it cannot be opened."""
    text = message(
        "Entry {seq} of the journal cannot be played again: what opens the sealed commands before it, {files}, is not "
        "here. Bring both from where the table was played and start it again. Or accept the loss on the dealer's page "
        "or with `companion journal accept`: everybody keeps their coins, and the game begins anew.",
        seq=seq,
        files=linked(files),
    )
    return Trouble("replay-differs", text, last=seq)


def wrong_mark(facts: Heads, book: KeyBook, found: MarkFound) -> Trouble | None:
    """Return the mismatch between a journal and its high-water mark, or None."""
    marked, head = found.latest, facts.head
    if marked is None:
        return _without_mark(facts, book, found)
    if marked.journal != facts.id:
        return None if marked.seq == 0 else _journal_missing(facts, marked)
    if marked.seq > head.seq:
        return _tail_lost(head, marked)
    if facts.hash_at(marked.seq) != marked.hash:
        text = message(
            "Entry {seq} of the journal is not the one that was acknowledged: the journal was replaced or written anew."
            " {way_out}",
            seq=marked.seq,
            way_out=WAY_OUT,
        )
        return Trouble("rewritten", text, last=marked.seq, hash=marked.hash)
    if found.is_torn and head.seq == marked.seq:
        return _mark_unusable(message("is damaged, so entries behind {seq} may be missing", seq=marked.seq))
    return None


def _without_mark(facts: Heads, book: KeyBook, found: MarkFound) -> Trouble | None:
    if found.exists and facts.id in book.journals:
        return _mark_unusable(message("is damaged, or was written with another key"))
    if facts.id in book.journals:
        return _mark_unusable(message("is gone"))
    return None if book.is_empty else _journal_missing(facts, None)


def _mark_unusable(seen: Value) -> Trouble:
    text = message(
        "The file that says how far the journal goes {seen}: whether entries are missing cannot be told. {way_out}",
        seen=seen,
        way_out=WAY_OUT,
    )
    return Trouble("mark-missing", text)


def _journal_missing(facts: Heads, marked: Marked | None) -> Trouble:
    if marked is None:
        text = message("The journal of this table is gone, another one lies in its place. {way_out}", way_out=WAY_OUT)
        return Trouble("journal-missing", text)
    text = message(
        "The journal of this table is gone: {count} entries, the latest written at {at}. The one that lies in its "
        "place has {kept}. {way_out}",
        count=marked.seq,
        at=marked.at,
        kept=facts.head.seq,
        way_out=WAY_OUT,
    )
    return Trouble("journal-missing", text, 1, marked.seq, marked.hash)


def _tail_lost(head: Head, marked: Marked) -> Trouble:
    text = message(
        "The end of the journal is lost: it has {kept} entries, but {count} were acknowledged, the latest at {at}. "
        "Missing: {first} to {last}. {way_out}",
        kept=head.seq,
        count=marked.seq,
        at=marked.at,
        first=head.seq + 1,
        last=marked.seq,
        way_out=WAY_OUT,
    )
    return Trouble("tail-lost", text, head.seq + 1, marked.seq, marked.hash)


def _wrong_signature(facts: Facts, book: KeyBook, signer: Signer | None) -> Trouble | None:
    head, first = facts.head, book.journals.get(facts.id)
    if head.seq == 0 or (first is not None and head.seq < first):
        return None
    strangers = facts.signers() - book.trusted()
    if (signer is None and not book.is_empty) or (strangers and (signer is None or first is None)):
        text = message("The key with which this journal was signed is gone. {way_out}", way_out=WAY_OUT)
        return Trouble("key-missing", text)
    signed = facts.signature_at(head.seq)
    if first is None and signed is None:
        return None  # a journal from before there were signatures
    own = None if signer is None else signer.public  # a former key may not sign new entries
    if signed is None or signed[0] != own or not HeadCheck(facts.id).is_right(head, *signed):
        text = message(
            "The journal's last entry, {seq}, is not signed with this table's key: somebody else wrote it. {way_out}",
            seq=head.seq,
            way_out=WAY_OUT,
        )
        return Trouble("rewritten", text, last=head.seq)
    return None


Place = tuple[int, int]


class Guard:
    """Signs a journal's commits and keeps its high-water mark. For the writer's thread. Create with `open_guard`."""

    def __init__(self, journal: Path, book: KeyBook, facts: Facts, trouble: Trouble | None) -> None:
        self.trouble = trouble
        "Why nothing may be written, or None. Set at startup, or by the journal when it finds trouble later."
        self._journal = journal
        self._book = book
        self._facts = facts
        self._signer: Signer | None = book.signer()
        self._mark: Mark | None = None
        self._unwritten: tuple[Head, str] | None = None
        self._identities: dict[Path, Place] = {}
        if trouble is None:
            self._register(frozenset())

    def _register(self, former: frozenset[str]) -> None:
        """Ensure that there is a key, register the journal with it, and bring the mark up to date.

        Args:
            former: public keys to be trusted from now on.

        Raises:
            OSError: key or mark cannot be written.
        """
        self.close()
        book = self._book.with_key()
        if book.seed is not self._book.seed:
            book.write()  # before the key is used
        signer = self._signer = self._signer or book.signer()
        assert signer is not None, "the book has a key now"
        path, id_, head = mark_path(self._journal), self._facts.id, self._facts.head
        found = read_mark(path, signer.mac)
        turn = 0 if found.latest is None else found.latest.turn
        if found.latest is None or found.is_torn or (found.latest.journal, found.latest.head) != (id_, head):
            turn += 1
            write_mark(path, Marked(id_, head.seq, head.hash, self._facts.latest_at, turn), signer.mac)
        if id_ not in book.journals or former:
            book = book.signing(id_, book.journals.get(id_, head.seq + 1), former)
            book.write()
        self._book = book
        self._mark = Mark(path, turn, signer.mac)

    def watch(self, wal: Path) -> None:
        """Remember the identity of the files being written, to notice when they are gone or replaced."""
        names = [self._journal, wal, *([self._mark.path] if self._mark is not None else [])]
        self._identities = {path: _identity(os.stat(path)) for path in names}

    def missing_file(self) -> Trouble | None:
        """Return trouble if a file being written is gone or was replaced, else None."""
        for path, place in self._identities.items():
            try:
                is_there = _identity(os.stat(path)) == place
            except OSError:
                is_there = False
            if not is_there:
                return Trouble(
                    "gone",
                    message(
                        "{file} is gone from under the table, or another file lies in its place. Nothing is played "
                        "until it is back. Is the disk still there? Else stop the table and restore a backup.",
                        file=str(path),
                    ),
                )
        return None

    def signature(self, head: Head) -> tuple[str, bytes] | None:
        """Return the public key and the signature of a commit's head; None while there is no key."""
        signer = self._signer
        return None if signer is None else (signer.public, signer.sign(head_text(self._facts.id, head)))

    def code(self, text: bytes) -> str:
        """Return a MAC of a text, made with the signing key; empty while there is no key."""
        return "" if self._signer is None else self._signer.mac(text)

    def catch_up(self) -> None:
        """Write the mark if an earlier attempt failed.

        Raises:
            OSError: it failed again.
        """
        if self._unwritten is not None and self._mark is not None:
            self._mark.write(self._facts.id, *self._unwritten)
            self._unwritten = None

    def committed(self, head: Head, at: str) -> None:
        """Advance the high-water mark after a commit, before it is acknowledged.

        Raises:
            OSError: the mark could not be written; `catch_up` tries again.
        """
        if self._mark is not None:  # else the owner is accepting a loss
            self._unwritten = (head, at)
            self.catch_up()

    def prepare_to_accept(self) -> None:
        """Ensure that there is a key, to sign the entries that accept the loss.

        Raises:
            OSError: the key cannot be written.
        """
        if self._signer is None:
            self._book = self._book.with_key()
            self._book.write()
            self._signer = self._book.signer()

    def accepted(self) -> None:
        """Accept the journal as it is, including the keys that signed it, and end the trouble.

        Raises:
            OSError: key or mark cannot be written; the table stays held.
        """
        self._register(self._facts.signers() - self._book.trusted())
        self.trouble = None

    def close(self) -> None:
        """Close the mark's file; may be called twice."""
        if self._mark is not None:
            self._mark.close()
            self._mark = None


def open_guard(journal: Path, facts: Facts) -> Guard:
    """Check a journal against its high-water mark and key, and return its guard.

    Raises:
        KeyUnusable: the key cannot be read.
        OSError: key or mark cannot be written.
    """
    book = KeyBook.beside(journal)
    signer = book.signer()
    found = read_mark(mark_path(journal), None if signer is None else signer.mac)
    return Guard(journal, book, facts, compare(facts, book, found, signer))


def _identity(found: os.stat_result) -> Place:
    return found.st_dev, found.st_ino
