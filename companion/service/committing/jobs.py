"""Requests to the table thread, and their queue."""

import json
import queue
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Self

from companion.journal.hash_chain import Entry, Kind, events_of
from companion.journal.replay import dumps
from companion.kernel.commands import Record, Redo, Undo
from companion.kernel.errors import BadAmount, BadScript, Internal, MayStillCount, NoAnswer
from companion.kernel.events import EventJson
from companion.kernel.header import Header
from companion.kernel.messages import Message

TIME: Final = "at"
"""Field of a timed command in which the table records its time."""
ACCEPT_LOSS: Final = "accept-loss"
"""Verb with which the owner accepts a damaged or incomplete journal as it is."""
MISDEAL: Final = "misdeal"
"""Verb that undoes the whole current round, in games that allow misdeals."""
GROUP: Final = 256  # maximum number of jobs in one commit
MAX_TEXT: Final = 65_536  # maximum length of a command, in characters
MAX_COINS: Final = 10**15  # a larger amount is a typing error


@dataclass(frozen=True, slots=True)
class Accepted:
    """An applied and committed command or notice. ``events`` are in the form of `companion.kernel.events.to_json`."""

    seq: int
    events: tuple[EventJson, ...]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(entry.seq, tuple(events_of(entry)))


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


def command_job(
    record: Record, source: str, key: str | None = None, session: int | None = None, *, can_misdeal: bool = False
) -> Job:
    """Return the job that applies a command.

    Args:
        key: idempotency key.
        session: the session that the command is meant for; None: any.
        can_misdeal: whether the current game allows misdeals.

    Raises:
        BadScript: the command, source or key is malformed.
        BadAmount: a number is beyond `MAX_COINS`.
    """
    job = Job("command", command_text(record), short_text(source, "source"), key, session)
    if record.get("do") == MISDEAL and can_misdeal:
        job.text, job.is_misdeal = command_text({"do": Undo.verb, "note": MISDEAL}), True
    elif record.get("do") in (Undo.verb, Redo.verb) and record.get("whole") is not None:
        if not isinstance(record["whole"], bool):  # else half of what was sealed together would be undone
            raise BadScript(f"'whole' of {record['do']!r} is true or false, got {str(record['whole'])[:40]!r}.")
        if record["whole"] and "only" not in record:
            job.text, job.is_whole = command_text({"do": record["do"]}), True
    return job


def notice_job(text: str, source: str, data: Mapping[str, object] | None, *, private: bool = False) -> Job:
    """Return the job that records a notice; a private one is shown to the dealer only."""
    kept = text if isinstance(text, Message) else text[:2000]
    record = {"text": kept, "data": dict(data or {})} | ({"private": True} if private else {})
    return Job("notice", dumps(record), short_text(source, "source"))


def short_text(text: str, what: str) -> str:
    """Return a source or key unchanged if it is short and printable.

    Raises:
        BadScript: it is empty, longer than 200 characters, not printable or not text.
    """
    if not isinstance(text, str) or not 0 < len(text) <= 200 or not text.isprintable():
        raise BadScript(f"A {what} is a short printable text, got {str(text)[:40]!r}.")
    return text


def command_text(record: Record) -> str:
    """Return the command as stored. The command that is applied is parsed from this same text.

    Raises:
        BadScript: not a plain JSON object, or too long.
        BadAmount: a number is beyond `MAX_COINS`.
    """
    if not isinstance(record, Mapping):
        raise BadScript('A command is an object: {"do": "…", …}. This is something else.')
    try:
        text = dumps(dict(record))
        json.dumps(dict(record), ensure_ascii=False).encode()  # fails on a lone surrogate
    except (TypeError, ValueError, RecursionError) as error:
        raise BadScript(f"This command cannot be written down: {error}. Send plain JSON.") from error
    if len(text) > MAX_TEXT:
        raise BadScript(f"This command has {len(text)} letters, more than {MAX_TEXT}. Send less.")
    for name, value in record.items():
        if isinstance(value, int) and abs(value) > MAX_COINS:
            raise BadAmount.saying("{name} is beyond {most}. Say a smaller number.", name=repr(name), most=MAX_COINS)
    return text


def our_mistake() -> Internal:
    """Return the answer to a job on which the program failed."""
    return Internal.saying("The companion made a mistake with this command. See its log.")
