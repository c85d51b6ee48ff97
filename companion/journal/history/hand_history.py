"""Hand history: lists hands and rounds, and replays each step by step.

A step's view is computed by replaying the commands up to it, from the nearest hand whose initial position is cached
rather than from the beginning of the session. A command that was undone later stays in the list, struck through.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

from typing_extensions import TypedDict

from companion.journal.evening import TABLE
from companion.journal.hash_chain import Entry, Kind, sentences
from companion.journal.history.filter import EVERY_HAND, HandFilter
from companion.journal.history.follower import Fetch, JournalFollower
from companion.journal.history.index import Hand, HandIndex
from companion.journal.history.results import Outcome, decision_in
from companion.journal.history.settlements import Settlement, settled_twice
from companion.journal.replay import Open, keep_sealed, replay_command, transfers
from companion.kernel.accounts import Account
from companion.kernel.accounts import Kind as AccountKind
from companion.kernel.commands import Record
from companion.kernel.errors import NothingDone, TableError
from companion.kernel.events import Result
from companion.kernel.game import Game, Rulebook
from companion.kernel.header import Header
from companion.kernel.ledger import Transfer, TransferJson
from companion.kernel.messages import Message, Words, joined
from companion.kernel.table import Position, Table, TableView

T = TypeVar("T")
Look = Callable[[Table, Position], T]
"""Receives the table after an entry, and its position before it."""

MAX_POSITIONS: Final = 2000
"""Maximum number of cached hand starts; others are computed from these."""


class HandJson(TypedDict):
    """Summary of a hand or round."""

    id: str
    "``SESSION-NUMBER``."
    session: int
    number: int
    "Of the hand within its session."
    game: str
    players: list[str]
    "Those seated during it, sorted."
    first: int
    "Seq of its first entry."
    last: int
    "Seq of its last entry so far."
    begun: str
    ended: str | None
    decided: int | None
    "Seq of the entry that decided it."
    head: str | None
    "The hash of that entry."
    result: Result | None
    "As printed by `companion replay`; null while undecided."
    told: Words | None
    "The result as a sentence."
    is_undone: bool
    "Whether all of it was undone."
    sentences: list[Words]
    "What happened, without undone commands."


class StepJson(TypedDict):
    """One entry of a hand."""

    seq: int
    at: str
    source: str
    kind: Kind
    sentence: Words
    command: Record | None
    transfers: list[TransferJson]
    evidence: str | None
    "Name of the camera's evidence."
    is_undone: bool
    "Whether it was undone later."
    hash: str
    view: TableView | None
    "The table after it; null if the current rules cannot replay it."


MoveJson = TypedDict("MoveJson", {"seq": int, "at": str, "from": str, "to": str, "coins": int, "why": Words})
"""A transfer of coins, with its entry's seq and time."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a hand."""

    seq: int
    at: str
    source: str
    sentence: Message
    record: Record
    is_undone: bool
    "Whether it was undone later, and so is shown struck through; never set for an undo or redo itself."
    view: TableView | None
    "The room's view of the table after it; None if the current rules cannot replay it."
    kind: Kind = "command"
    transfers: tuple[Transfer, ...] = ()
    evidence: str | None = None
    "Name of the camera's evidence, if the command came from the camera."
    hash: str = ""
    "The entry's hash."

    def to_json(self) -> StepJson:
        """Return the step for a page."""
        return {
            "seq": self.seq,
            "at": self.at,
            "source": self.source,
            "kind": self.kind,
            "sentence": self.sentence,
            "command": dict(self.record) if self.kind == "command" else None,
            "transfers": [transfer.public_json() for transfer in self.transfers],
            "evidence": self.evidence,
            "is_undone": self.is_undone,
            "hash": self.hash,
            "view": self.view,
        }


@dataclass(frozen=True, slots=True)
class _Known:
    """Cached state from which the table is restored in the middle of a session."""

    position: Position
    record: Record | None
    "The latest effective command."
    rounds: int
    "Number of decided rounds."
    latest: Result
    "Result of the latest decided round."
    count: int
    "Number of effective commands."

    @classmethod
    def of(cls, table: Table) -> _Known:
        """Capture a table's state, without the commands that could be redone."""
        record = table.records[-1] if table.records else None
        latest = table.results[-1][1] if table.results else {}
        return cls(table.position, record, len(table.results), latest, len(table.records))

    def table(self, header: Header) -> Table:
        """Restore the table. Only valid if no command before this point is undone later."""
        records = [] if self.record is None else [self.record] * self.count  # only the latest one matters
        return _Window.resumed(header, records, self.position, [(-1, self.latest)] * self.rounds)


class _Window(Table):
    """A table without its first commands, which refuses to undo them."""

    def _refold(self) -> None:
        raise NothingDone("The commands before this hand are not at hand. Fold the session from its start.")


@dataclass(frozen=True, slots=True)
class Move:
    """A transfer of coins, with the seq, time and verb of its entry."""

    seq: int
    at: str
    verb: str
    transfer: Transfer

    def to_json(self) -> MoveJson:
        """Return the transfer for a page."""
        return {"seq": self.seq, "at": self.at, **self.transfer.public_json()}


class HandHistory(JournalFollower):
    """The hands of a journal. Thread-safe; reads new entries on every query."""

    def __init__(self, fetch: Fetch, games: Rulebook, unsealed: Open = keep_sealed) -> None:
        super().__init__(fetch)
        self.unsealed: Final = unsealed
        self._games = games
        self._sessions: list[HandIndex] = []
        self._known: dict[tuple[int, int], _Known] = {}
        "State at the beginning of hands, by session and number."
        self._staked: dict[tuple[int, int], dict[Account, int]] = {}
        "Undecided stakes at the beginning of hands, by session and number."

    def hands(
        self, limit: int = 50, before: tuple[int, int] | None = None, asked: HandFilter = EVERY_HAND
    ) -> list[HandJson]:
        """Return summaries of hands, latest first.

        Args:
            limit: maximum number; negative for all.
            before: session and number of the last hand of the previous page, for paging.
            asked: filter.
        """
        with self._lock:
            self._refresh()
            found = (
                (index, hand)
                for index in reversed(self._sessions)
                for hand in reversed(index.hands)
                if (before is None or (hand.session, hand.number) < before) and asked.takes(hand)
            )
            return [self._summary(index, hand) for index, hand in islice(found, limit if limit >= 0 else None)]

    def hand(self, session: int, number: int) -> HandJson | None:
        """Return the summary of a hand, or None."""
        with self._lock:
            found = self._find(session, number)
            return None if found is None else self._summary(*found)

    def outcome(self, session: int, number: int) -> Outcome | None:
        """Return the outcome of a hand; None if it does not exist or is not decided."""
        with self._lock:
            found = self._find(session, number)
            return None if found is None else found[1].outcome

    def latest(self) -> tuple[int, int] | None:
        """Return session and number of the latest hand among the entries read so far, or None."""
        with self._lock:
            return (self._sessions[-1].session, len(self._sessions[-1].hands)) if self._sessions else None

    def steps(self, session: int, number: int) -> tuple[Step, ...] | None:
        """Return a hand's steps, including undone ones; None if there is no such hand."""
        with self._lock:
            found = self._find(session, number)
            return None if found is None else self._steps(*found)

    def moves(self, session: int, number: int) -> tuple[Move, ...]:
        """Return a hand's transfers, without undone ones; empty if there is no such hand.

        Coins carried over from the previous session are not transfers of the hand.
        """
        with self._lock:
            found = self._find(session, number)
            if found is None:
                return ()
            return self._moves(*found)

    def staked_before(self, session: int, number: int) -> dict[Account, int]:
        """Return the undecided stakes at the beginning of a hand, from the recorded transfers."""
        with self._lock:
            found = self._find(session, number)
            if found is None:
                return {}
            index = found[0]
            known = self._nearest_staked(index, number)
            staked = Counter(self._staked.get((session, known), {}))
            for earlier in index.hands[known - 1 : number - 1]:
                for move in self._moves(index, earlier):
                    add_staked(staked, move.transfer)
                staked = +staked
                _bounded(self._staked)[session, earlier.number + 1] = dict(staked)
            return dict(staked)

    def _nearest_staked(self, index: HandIndex, number: int) -> int:
        """Return the latest hand, up to this one, whose initial stakes are cached and still valid; else the first.

        They are valid as long as no command before the hand has been undone since.
        """
        latest = len(index.depths) - 1
        for hand in reversed(index.hands[1:number]):
            if (index.session, hand.number) in self._staked and index.lowest(hand.starts_at, latest) >= hand.depth:
                return hand.number
        return 1

    def settlements(self, session: int, number: int) -> dict[int, Settlement]:
        """Return both settlements of a hand's effective commands, by seq; empty if there is no such hand."""
        with self._lock:
            found = self._find(session, number)
            if found is None:
                return {}
            index, hand = found
            settled = self._map_steps(index, hand, settled_twice)
            return {index.first_seq + at: one for at, one in settled.items() if one is not None and index.counts(at)}

    def _find(self, session: int, number: int) -> tuple[HandIndex, Hand] | None:
        self._refresh()
        index = next((index for index in self._sessions if index.session == session), None)
        if index is None or not 0 < number <= len(index.hands):
            return None
        return index, index.hands[number - 1]

    def entries(self, after: int, limit: int) -> Iterable[Entry]:
        """Return the journal's entries after seq ``after``, including private ones; all if ``limit`` is negative."""
        return self._fetch(after, limit)

    def _add(self, entry: Entry) -> None:
        if entry.kind == "start":
            self._sessions.append(HandIndex(entry, self._games))
        else:
            self._sessions[-1].add(entry)

    def _entries(self, index: HandIndex, first: int, last: int) -> dict[int, Entry]:
        """Return the session's entries between two offsets, inclusive, by offset."""
        found = self._fetch(index.first_seq + first - 1, last - first + 1)
        return {entry.seq - index.first_seq: entry for entry in found}

    # ---- one hand

    def _moves(self, index: HandIndex, hand: Hand) -> tuple[Move, ...]:
        entries = self._entries(index, hand.places[0], hand.places[-1])
        counting = (
            entries[at]
            for at in hand.places
            if index.counts(at) and not (index.continues is not None and entries[at].source == TABLE)
        )
        return tuple(Move(e.seq, e.at, _verb(e), transfer) for e in counting for transfer in transfers(e))

    def _summary(self, index: HandIndex, hand: Hand) -> HandJson:
        entries = self._entries(index, hand.places[0], hand.places[-1])
        lines = [line for at in hand.places if index.counts(at) for line in _said(index.header.rules, entries[at])]
        decided = entries.get(hand.decided_at) if hand.decided_at is not None else None
        decision = decision_in(decided) if decided else None
        first, last = entries[hand.places[0]], entries[hand.places[-1]]
        return {
            "id": f"{hand.session}-{hand.number}",
            "session": hand.session,
            "number": hand.number,
            "game": hand.game,
            "players": sorted(hand.players),
            "first": first.seq,
            "last": last.seq,
            "begun": first.at,
            "ended": decided.at if decided else None,
            "decided": decided.seq if decided else None,
            "head": decided.hash if decided else None,
            "result": decision["result"] if decision else None,
            "told": decision["text"] if decision else None,
            "is_undone": hand.number > 1 and not any(map(index.counts, hand.places)),
            "sentences": lines,
        }

    def _steps(self, index: HandIndex, hand: Hand) -> tuple[Step, ...]:
        entries = self._entries(index, hand.places[0], hand.places[-1])
        views = self._map_steps(index, hand, _view)
        return tuple(
            Step(
                seq=entry.seq,
                at=entry.at,
                source=entry.source,
                sentence=joined(_said(index.header.rules, entry), ". "),
                record=entry.to_json("room")["record"],
                is_undone=at in index.undone,
                view=views.get(at),
                kind=entry.kind,
                transfers=() if at in index.corrections else transfers(entry),
                evidence=json.loads(entry.record).get("evidence") if entry.kind == "command" else None,
                hash=entry.hash,
            )
            for at, entry in ((at, entries[at]) for at in hand.places)
        )

    # ---- the table at each step

    def _map_steps(self, index: HandIndex, hand: Hand, look: Look[T]) -> dict[int, T]:
        """Return the result of ``look`` after each of the hand's entries, as far as the rules accept the commands."""
        border = _replay_start(index, hand)
        seen: dict[int, T] = {}
        with suppress(TableError):
            self._scan(index, hand, border.starts_at, self._table_at(index, border), look, seen)
            return seen
        seen.clear()  # more consecutive undos than a table retains, or other rules: try from the session's start
        with suppress(TableError):
            self._scan(index, hand, 0, Table(index.header), look, seen)
        return seen

    def _scan(self, index: HandIndex, hand: Hand, first: int, table: Table, look: Look[T], seen: dict[int, T]) -> None:
        """Replay the entries from an offset on, and call ``look`` after each of the hand's.

        Raises:
            TableError: the table refuses a command.
        """
        wanted = set(hand.places)
        for at, entry in self._entries(index, first, hand.places[-1]).items():
            before = table.position
            if entry.kind == "command":
                replay_command(table, json.loads(entry.record), self.unsealed)
            if at in wanted:
                seen[at] = look(table, before)

    def _table_at(self, index: HandIndex, border: Hand) -> Table:
        """Return the table before a hand's first entry.

        Raises:
            TableError: the rules no longer accept the session's commands.
        """
        known = next((h for h in reversed(index.hands[: border.number]) if self._can_reach(index, h, border)), None)
        if known is None:
            known, table = index.hands[0], Table(index.header)
        else:
            table = self._known[index.session, known.number].table(index.header)
        begins = {hand.starts_at: hand for hand in index.hands[known.number - 1 : border.number]}
        for at, entry in self._entries(index, known.starts_at, border.starts_at).items():
            if at in begins:
                self._keep(begins[at], _Known.of(table))
            if entry.kind == "command" and at < border.starts_at:
                replay_command(table, json.loads(entry.record), self.unsealed)
        return _Known.of(table).table(index.header)

    def _can_reach(self, index: HandIndex, hand: Hand, border: Hand) -> bool:
        """Whether a hand's initial position is cached, and sufficient to reach that of another hand."""
        is_known = (index.session, hand.number) in self._known
        return is_known and index.lowest(hand.starts_at, border.starts_at) >= hand.depth

    def _keep(self, hand: Hand, known: _Known) -> None:
        _bounded(self._known)[hand.session, hand.number] = known


def add_staked(staked: Counter[Account], transfer: Transfer) -> None:
    """Update the undecided stakes by a transfer."""
    if transfer.payee.kind is AccountKind.STAKE:
        staked[transfer.payee] += transfer.coins
    if transfer.payer.kind is AccountKind.STAKE:
        staked[transfer.payer] -= transfer.coins


def _bounded(known: dict[tuple[int, int], T]) -> dict[tuple[int, int], T]:
    """Return a cache, after dropping every second item if it has reached `MAX_POSITIONS`."""
    if len(known) >= MAX_POSITIONS:
        for key in tuple(known)[::2]:
            del known[key]
    return known


def _view(table: Table, _: Position) -> TableView:
    return table.view()


def _verb(entry: Entry) -> str:
    return str(json.loads(entry.record).get("do"))


def _replay_start(index: HandIndex, hand: Hand) -> Hand:
    """Return the latest hand, up to this one, before whose beginning no undo up to this hand's end reaches back."""
    lowest = index.lowest(hand.starts_at, hand.places[-1])
    later = hand
    for other in reversed(index.hands[: hand.number]):
        lowest = min(lowest, index.lowest(other.starts_at, later.starts_at))
        if other.depth <= lowest:
            return other
        later = other
    return index.hands[0]


def _said(rules: Game[Any], entry: Entry) -> list[str]:
    """Return an entry's public sentences; for a command without any, its description by the rules."""
    whole = entry.to_json("room")
    texts = sentences(whole)
    if texts or entry.kind != "command":
        return texts
    words = rules.describe(whole["record"])
    return [Message("{what:capital}", {"what": words if isinstance(words, Message) else Message(words)})]
