"""Jobs in the table's queue: commands and notices, each with the text to be written to the journal."""

import json
import queue
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Self

from companion.journal.hash_chain import Draft, Entry, Kind, happenings
from companion.journal.replay import Open, dumps
from companion.journal.seals import PROOF, SEALED
from companion.kernel.commands import Record, Undo
from companion.kernel.errors import (
    BadAmount,
    BadScript,
    KeyReused,
    MayStillCount,
    NoAnswer,
    NothingDone,
    Outdated,
    OverLimit,
    TableError,
    WrongPhase,
)
from companion.kernel.events import EventJson
from companion.kernel.header import Header
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Message, Words
from companion.kernel.table import Table, is_disputed
from companion.service.paying.due import Due

FLOOR: Final = "floor"
"""The source of commands that move coins between the table and a purse of the house."""
TRANSFER: Final = "transfer"
"""The field of those commands that names the transfer, and what their keys begin with."""
TIME: Final = "at"
"""The field of a timed command into which the table writes when it was given."""
GROUP: Final = 256  # commands in one commit, at most
MOST_TEXT: Final = 65_536  # letters of one command or notice
MOST_COINS: Final = 10**15  # more than that is a slip of the finger, and browsers cannot count it
MOST_COUNTED: Final = 2**53 - 1
"""So far every whole number is exact in a browser; beyond, it shows a sum that is not the one in the books."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A command that was played and is on disk. ``events`` are those of `companion.kernel.events.to_json`."""

    seq: int
    events: tuple[EventJson, ...]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(entry.seq, tuple(happenings(entry)))


@dataclass(slots=True)
class Job:
    """One journal write: a command to play first, or a notice."""

    kind: Kind
    text: str
    source: str
    key: str | None = None
    session: int | None = None
    "The session that it is meant for; None: whichever is on."
    after: int | None = None
    "The journal's entry up to which its giver has seen the table: refused where it has gone on since. None: it counts."
    header: Header | None = None
    "For another game: what is played from now on. Its text is empty."
    spares_sheet: bool = False
    "Whether another game is refused while a pay sheet is begun."
    accepts: bool = False
    "Whether it accepts what is wrong with the journal. Its text is empty."
    is_misdeal: bool = False
    "Whether its undo is repeated until the whole round under way is taken back."
    is_whole: bool = False
    "Whether its undo or redo is about a whole step: all commands that somebody gave together."
    spares_disputed: bool = False
    "Whether it is refused while two settlements differ: its giver cannot have seen that."
    sheet: str | None = None
    "The pay sheet that it ticks: refused once that is another one."
    future: Future[Accepted] = field(default_factory=Future)

    @property
    def is_alone(self) -> bool:
        """Whether it is written by itself, never with others."""
        return self.header is not None or self.accepts


class JobQueue:
    """What waits for the table's thread. Thread-safe; the groups are that thread's alone."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._put_off: Job | None = None
        self._gate = threading.Lock()
        self._closed = False

    def put(self, *jobs: Job) -> None:
        """Add jobs, one right after the other.

        Raises:
            NoAnswer: the queue is closed.
        """
        with self._gate:
            if self._closed:
                raise NoAnswer.saying("The table is closed. Start it again.")
            for job in jobs:
                self._jobs.put(job)

    def put_own(self, job: Job) -> None:
        """Add what the table's thread itself asks for; behind the end of the queue it is not done any more."""
        self._jobs.put(job)

    def close(self) -> bool:
        """Take no more jobs, and end after those that are there; False if that was said before."""
        with self._gate:
            first, self._closed = not self._closed, True
            if first:
                self._jobs.put(None)
        return first

    def next_group(self, timeout_s: float) -> tuple[list[Job], bool]:
        """Wait briefly for a job and return it with all queued after it; False when closing.

        Another game is a group of its own, and so is accepting what is wrong with the journal.
        """
        group: list[Job] = []
        job, self._put_off = self._put_off, None
        try:
            job = job or self._jobs.get(timeout=timeout_s)
            while job is not None:
                if job.is_alone and group:
                    self._put_off = job
                    return group, True
                if job.future.set_running_or_notify_cancel():
                    group.append(job)
                if job.is_alone or len(group) >= GROUP:
                    return group, True
                job = self._jobs.get_nowait()
        except queue.Empty:
            return group, True
        return group, False

    def empty(self) -> bool:
        """Say whether nothing waits; a job that was put off is looked at next in any case."""
        return self._jobs.empty()


def answer_to(job: Job, timeout_s: float) -> Accepted:
    """Wait for the answer to a job that was queued.

    Raises:
        TableError: it was refused; or (``no-answer``) the table was too slow, and it was not played or still may be.
    """
    try:
        return job.future.result(timeout_s)
    except TimeoutError:
        if job.future.cancel():
            raise NoAnswer.saying(
                "The table did not get to it in {seconds} s; it was not played. Try again.", seconds=f"{timeout_s:g}"
            ) from None
        raise MayStillCount.saying(
            "The table did not answer in {seconds} s; the command may still count. Look before trying again.",
            seconds=f"{timeout_s:g}",
        ) from None


def tell(job: Job, answer: Accepted | TableError) -> None:
    """Give a job its answer."""
    if isinstance(answer, TableError):
        job.future.set_exception(answer)
    else:
        job.future.set_result(answer)


def check_same(known: Draft | Entry, job: Job, unsealed: Open) -> None:
    """Check that a key came again with its own command; a sealed one from whoever gave it: nobody tries out secrets.

    Args:
        known: what was written for the key.
        unsealed: opens sealed commands.

    Raises:
        KeyReused: it came with another.
    """
    given = unsealed(record := json.loads(known.record))
    is_mine = given is record or known.source == job.source
    if not is_mine or _as_given(given) != _as_given(json.loads(job.text)):
        what = known.record if given is record else SEALED
        raise KeyReused(f"The key {job.key!r} belongs to another command ({what}). Give each command its own key.")


def _as_given(record: Record) -> str:
    """Return a command without what the table has written into it."""
    return json.dumps({name: value for name, value in record.items() if name not in (PROOF, TIME)}, sort_keys=True)


def check_kind(entry: Entry, job: Job) -> None:
    """Check that a key came again for the same kind of thing.

    Raises:
        KeyReused: it came for another.
    """
    if entry.kind != job.kind:
        raise KeyReused(f"The key {job.key!r} belongs to another request ({entry.kind}). Give each its own key.")


def check_session(job: Job, session: int) -> None:
    """Check that a job is meant for the session that is on: what was meant for another game must not count in this.

    Raises:
        WrongPhase: it is not.
    """
    if job.session is not None and job.session != session:
        raise WrongPhase.saying("Another game has begun meanwhile, so this was not played. Look at the table.")


def check_unchanged(job: Job, latest: int, head: int) -> None:
    """Check that nothing came in between: what two do who look at the same moment is done once.

    Args:
        latest: the journal's entry that has brought the table where it is. Notices do not move it.
        head: the journal's last entry; one beyond is another journal's, from before a backup was restored.

    Raises:
        Outdated: something did.
    """
    if job.after is not None and not latest <= job.after <= head:
        raise Outdated.saying("Something came in between, so this was not played. Look at the table.")


def check_transfer(job: Job, table: Table) -> None:
    """Check that the coins of a transfer with the house move as the house hears of it, and are never undone.

    Raises:
        BadScript: only the floor's own link moves them, each under its transfer's key.
        WrongPhase: an undo would take such coins back at this table alone.
    """
    if job.kind != "command" or not (TRANSFER in job.text or Undo.verb in job.text):
        return
    record = json.loads(job.text)
    named = record.get(TRANSFER)
    if named is not None and (job.source != FLOOR or job.key != f"{TRANSFER}/{named}"):
        raise BadScript(f"Only the house's floor moves coins with a {TRANSFER!r}. Leave it out.")
    if record.get("do") != Undo.verb:
        return
    count = table.misdealt() if job.is_misdeal else 1
    if any(TRANSFER in record for record in table.records[-count:]):
        raise WrongPhase.saying(
            "Coins came from or went to the house's purse since, and the house has booked that. Buy in or "
            "cash out instead of undoing it."
        )


def check_disputed(job: Job, hold: Words | None) -> None:
    """Check that nobody releases a payout who may not: it may be disputed since they have asked.

    Args:
        hold: why the table is on hold.

    Raises:
        WrongPhase: they would.
    """
    if job.spares_disputed and is_disputed(hold):
        raise WrongPhase.saying("A payout is disputed. Look at it, and release it on the dealer's page.")


def checked_sheet(sheet: str, due: Due | None, steps: Sequence[str] | None = None) -> Due:
    """Return the pay sheet that is due, if it is still this one, and has any of these steps.

    Raises:
        NothingDone: it is another one, or has none of them.
    """
    if due is None or due.id != sheet or (steps is not None and not due.steps(steps)):
        raise NothingDone.saying("The pay sheet is another one now, so nothing was ticked. Look at it again.")
    return due


def notice_job(text: str, source: str, data: Mapping[str, object] | None, *, private: bool = False) -> Job:
    """Return the job that records a notice, for the dealer alone if it is private."""
    kept = text if isinstance(text, Message) else text[:2000]
    record = {"text": kept, "data": dict(data or {})} | ({"private": True} if private else {})
    return Job("notice", dumps(record), plain(source, "source"))


def plain(text: str, what: str) -> str:
    """Return a source or key if it is short and printable.

    Raises:
        BadScript: it is not.
    """
    if not isinstance(text, str) or not 0 < len(text) <= 200 or not text.isprintable():
        raise BadScript(f"A {what} is a short printable text, got {str(text)[:40]!r}.")
    return text


def written(record: Record) -> str:
    """Return the command as stored. The command played is parsed from this same text.

    Raises:
        BadScript: it is no plain JSON object, or too long.
        BadAmount: a number that is a slip of the finger.
    """
    if not isinstance(record, Mapping):
        raise BadScript('A command is an object: {"do": "…", …}. This is something else.')
    try:
        text = dumps(dict(record))
        json.dumps(dict(record), ensure_ascii=False).encode()  # half a letter (a lone surrogate) is no text
    except (TypeError, ValueError, RecursionError) as error:
        raise BadScript(f"This command cannot be written down: {error}. Send plain JSON.") from error
    if len(text) > MOST_TEXT:
        raise BadScript(f"This command has {len(text)} letters, more than {MOST_TEXT}. Send less.")
    for name, value in record.items():
        if isinstance(value, int) and abs(value) > MOST_COINS:
            raise BadAmount.saying("{name} is beyond {most}. Say a smaller number.", name=repr(name), most=MOST_COINS)
    return text


def check_counted(ledger: Ledger) -> None:
    """Check that a page can show each sum of the coins at the table exactly.

    Raises:
        OverLimit: it could not.
    """
    if sum(map(abs, ledger.accounts.values())) > MOST_COUNTED:
        raise OverLimit.saying(
            "More than {most} coins would be counted at this table, and pages could not show them exactly. Take "
            "smaller amounts, or undo the largest bet.",
            most=MOST_COUNTED,
        )
