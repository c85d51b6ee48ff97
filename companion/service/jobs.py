"""The table thread's job queue, and the checks on a job: each is a command or a notice, with its journal text."""

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
"""Source of the commands that move coins between the table and a purse of the house."""
TRANSFER: Final = "transfer"
"""Field with the transfer's id in those commands, and the prefix of their keys."""
TIME: Final = "at"
"""Field of a timed command in which the table records its time."""
GROUP: Final = 256  # maximum number of jobs in one commit
MOST_TEXT: Final = 65_536  # maximum length of a command, in characters
MOST_COINS: Final = 10**15  # a larger amount is a typing error
MOST_COUNTED: Final = 2**53 - 1
"""Largest integer up to which every integer is exact in JavaScript; beyond, pages would show wrong sums."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An applied and committed command or notice. ``events`` are in the form of `companion.kernel.events.to_json`."""

    seq: int
    events: tuple[EventJson, ...]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(entry.seq, tuple(happenings(entry)))


@dataclass(slots=True)
class Job:
    """A request to the table thread: a command to apply and record, a notice, or a change of game."""

    kind: Kind
    text: str
    source: str
    key: str | None = None
    session: int | None = None
    "The session that it is meant for; None: any."
    after: int | None = None
    "Seq of the last entry its giver has seen: refused if the table has changed since. None: no check."
    header: Header | None = None
    "For a change of game, the new game and its options; the job's text is empty then."
    spares_sheet: bool = False
    "Whether a change of game is refused while the pay sheet is partly ticked."
    accepts: bool = False
    "Whether it accepts the journal as it is, despite its trouble; the job's text is empty then."
    is_misdeal: bool = False
    "Whether its undo is repeated until the whole current round is undone."
    is_whole: bool = False
    "Whether its undo or redo covers a whole step: all commands given together."
    spares_disputed: bool = False
    "Whether it is refused while a payout is disputed."
    sheet: str | None = None
    "Id of the pay sheet that it ticks: refused once another sheet is current."
    future: Future[Accepted] = field(default_factory=Future)

    @property
    def is_alone(self) -> bool:
        """Whether it needs a commit of its own."""
        return self.header is not None or self.accepts


class JobQueue:
    """Job queue of the table thread. Thread-safe, but only that thread may call `next_group`."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._postponed: Job | None = None
        self._lock = threading.Lock()
        self._closed = False

    def put(self, *jobs: Job) -> None:
        """Add jobs, with no other job in between.

        Raises:
            NoAnswer: the queue is closed.
        """
        with self._lock:
            if self._closed:
                raise NoAnswer.saying("The table is closed. Start it again.")
            for job in jobs:
                self._jobs.put(job)

    def put_own(self, job: Job) -> None:
        """Add a job of the table thread itself. Accepted even when closed, but then never processed."""
        self._jobs.put(job)

    def close(self) -> bool:
        """Accept no more jobs, and end after the queued ones. Returns False if already closed."""
        with self._lock:
            first, self._closed = not self._closed, True
            if first:
                self._jobs.put(None)
        return first

    def next_group(self, timeout_s: float) -> tuple[list[Job], bool]:
        """Return the next job with those queued behind it, at most `GROUP`, and False once the queue has ended.

        Waits up to ``timeout_s`` for the first; the group may be empty. A job that needs its own commit is a group of
        its own.
        """
        group: list[Job] = []
        job, self._postponed = self._postponed, None
        try:
            job = job or self._jobs.get(timeout=timeout_s)
            while job is not None:
                if job.is_alone and group:
                    self._postponed = job
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
        """Whether the queue is empty. Ignores a postponed job, which `next_group` returns next in any case."""
        return self._jobs.empty()


def answer_to(job: Job, timeout_s: float) -> Accepted:
    """Wait for the answer to a queued job.

    Raises:
        TableError: the job was refused.
        NoAnswer: the table was too slow; the job was withdrawn.
        MayStillCount: the table was too slow; the job may still be applied.
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
    """Resolve a job's future with its answer."""
    if isinstance(answer, TableError):
        job.future.set_exception(answer)
    else:
        job.future.set_result(answer)


def check_same(known: Draft | Entry, job: Job, unsealed: Open) -> None:
    """Check that a repeated key comes with the same command as before.

    A sealed command must also come from the same source, so that nobody can find out a secret by trying.

    Args:
        known: the entry or draft with this key.
        unsealed: opens sealed commands.

    Raises:
        KeyReused: the key belongs to another command.
    """
    given = unsealed(record := json.loads(known.record))
    is_mine = given is record or known.source == job.source
    if not is_mine or _as_given(given) != _as_given(json.loads(job.text)):
        what = known.record if given is record else SEALED
        raise KeyReused(f"The key {job.key!r} belongs to another command ({what}). Give each command its own key.")


def _as_given(record: Record) -> str:
    """Return a command without the fields that the table adds."""
    return json.dumps({name: value for name, value in record.items() if name not in (PROOF, TIME)}, sort_keys=True)


def check_kind(entry: Entry, job: Job) -> None:
    """Check that a repeated key comes with the same kind of request as before.

    Raises:
        KeyReused: the key belongs to another kind.
    """
    if entry.kind != job.kind:
        raise KeyReused(f"The key {job.key!r} belongs to another request ({entry.kind}). Give each its own key.")


def check_session(job: Job, session: int) -> None:
    """Check that a job is meant for the current session: a command for one game must not count in another.

    Raises:
        WrongPhase: it is meant for another session.
    """
    if job.session is not None and job.session != session:
        raise WrongPhase.saying("Another game has begun meanwhile, so this was not played. Look at the table.")


def check_unchanged(job: Job, latest: int, head: int) -> None:
    """Check that the table has not changed since the job's giver saw it.

    So two people who react to the same state act only once.

    Args:
        latest: seq of the last entry that changed the table; notices do not.
        head: seq of the journal's last entry. A later one was seen in another journal, before a backup was restored.

    Raises:
        Outdated: the table has changed.
    """
    if job.after is not None and not latest <= job.after <= head:
        raise Outdated.saying("Something came in between, so this was not played. Look at the table.")


def check_transfer(job: Job, table: Table) -> None:
    """Check that only the floor's link transfers coins from or to the house, and that no transfer is undone.

    Raises:
        BadScript: a command names a transfer, but is not the floor's under that transfer's key.
        WrongPhase: an undo would revert a transfer at this table, but not in the house's books.
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
    """Refuse a job with ``spares_disputed`` while a payout is disputed: the dispute may be newer than the request.

    Args:
        hold: why the table is on hold, or None.

    Raises:
        WrongPhase: a payout is disputed.
    """
    if job.spares_disputed and is_disputed(hold):
        raise WrongPhase.saying("A payout is disputed. Look at it, and release it on the dealer's page.")


def checked_sheet(sheet: str, due: Due | None, steps: Sequence[str] | None = None) -> Due:
    """Return the current pay sheet if it has this id, and any of these steps.

    Args:
        sheet: the id of the sheet to tick.
        due: the current sheet.
        steps: keys of steps; None: no check.

    Raises:
        NothingDone: another sheet is current, or it has none of these steps that can be ticked.
    """
    if due is None or due.id != sheet or (steps is not None and not due.steps(steps)):
        raise NothingDone.saying("The pay sheet is another one now, so nothing was ticked. Look at it again.")
    return due


def notice_job(text: str, source: str, data: Mapping[str, object] | None, *, private: bool = False) -> Job:
    """Return the job that records a notice; a private one is shown to the dealer only."""
    kept = text if isinstance(text, Message) else text[:2000]
    record = {"text": kept, "data": dict(data or {})} | ({"private": True} if private else {})
    return Job("notice", dumps(record), plain(source, "source"))


def plain(text: str, what: str) -> str:
    """Return a source or key unchanged if it is short and printable.

    Raises:
        BadScript: it is empty, longer than 200 characters, not printable or not text.
    """
    if not isinstance(text, str) or not 0 < len(text) <= 200 or not text.isprintable():
        raise BadScript(f"A {what} is a short printable text, got {str(text)[:40]!r}.")
    return text


def written(record: Record) -> str:
    """Return the command as stored. The command that is applied is parsed from this same text.

    Raises:
        BadScript: not a plain JSON object, or too long.
        BadAmount: a number is beyond `MOST_COINS`.
    """
    if not isinstance(record, Mapping):
        raise BadScript('A command is an object: {"do": "…", …}. This is something else.')
    try:
        text = dumps(dict(record))
        json.dumps(dict(record), ensure_ascii=False).encode()  # fails on a lone surrogate
    except (TypeError, ValueError, RecursionError) as error:
        raise BadScript(f"This command cannot be written down: {error}. Send plain JSON.") from error
    if len(text) > MOST_TEXT:
        raise BadScript(f"This command has {len(text)} letters, more than {MOST_TEXT}. Send less.")
    for name, value in record.items():
        if isinstance(value, int) and abs(value) > MOST_COINS:
            raise BadAmount.saying("{name} is beyond {most}. Say a smaller number.", name=repr(name), most=MOST_COINS)
    return text


def check_counted(ledger: Ledger) -> None:
    """Check that pages can show every sum of the table's coins exactly.

    Raises:
        OverLimit: the coins exceed `MOST_COUNTED`.
    """
    if sum(map(abs, ledger.accounts.values())) > MOST_COUNTED:
        raise OverLimit.saying(
            "More than {most} coins would be counted at this table, and pages could not show them exactly. Take "
            "smaller amounts, or undo the largest bet.",
            most=MOST_COUNTED,
        )
