"""Index of hands and rounds in a session: the entries where each begins and ends, with undo and redo applied.

A session's entries are contiguous in the journal, so an entry's offset in its session locates it. Only offsets and
outcomes are kept, so that a journal of months takes little memory.
"""

import json
from dataclasses import dataclass, field
from typing import Final

from companion.journal.hash_chain import Entry, events_of
from companion.journal.history.results import Outcome, decision_in
from companion.kernel.commands import Undo
from companion.kernel.game import Rulebook
from companion.kernel.header import Header
from companion.kernel.timeline import CORRECTIONS, Timeline

_SEATS: Final = ('"PlayerJoined"', '"PlayerLeft"')


@dataclass(slots=True)
class Hand:
    """A hand or round: its entries from its beginning until the next one begins. Read-only for others.

    If undos reach back across its end, some of its entries come after those of a later hand.
    """

    session: int
    number: int
    game: str
    starts_at: int
    "Offset of its first entry in the session, from 0."
    depth: int
    "Number of effective commands before it."
    places: list[int] = field(default_factory=list)
    "Offsets of its entries in the session."
    decided_at: int | None = None
    "Offset of the entry that decided it, if still in effect."
    outcome: Outcome | None = None
    "Its outcome, once decided."
    seated: frozenset[str] = frozenset()
    "Players seated at its beginning."
    joined: dict[int, str] = field(default_factory=dict)
    "Players who sat down during it, by the offset of the entry."

    @property
    def players(self) -> frozenset[str]:
        """The players of this hand; those seated after its decision belong to the next one."""
        end = self.decided_at
        return self.seated.union(name for place, name in self.joined.items() if end is None or place < end)


@dataclass(frozen=True, slots=True)
class _Done:
    """A command, in effect or undone: its offset, its hand, and the players it seated and left seated."""

    place: int
    hand: Hand
    joined: str | None
    seated: frozenset[str]


class HandIndex:
    """The hands of one session, updated entry by entry. One thread at a time."""

    def __init__(self, start: Entry, games: Rulebook) -> None:
        self.session = start.session
        self.first_seq = start.seq
        record = json.loads(start.record)
        self.header = Header.parse(record, games)
        self.continues: int | None = record.get("continues")
        "The session whose players and coins it took over."
        here = frozenset(name for name, _ in self.header.players)
        self.hands: list[Hand] = [Hand(self.session, 1, self.header.game, 0, 0, [0], seated=here)]
        self.undone: set[int] = set()
        "Offsets of commands that were undone and not redone."
        self.corrections: set[int] = set()
        "Offsets of undos and redos."
        self.depths: list[int] = [0]
        "Number of effective commands after each entry."
        self._line: Timeline[_Done] = Timeline()
        self._deciding: dict[int, Outcome] = {}

    def add(self, entry: Entry) -> None:
        """Add the session's next entry."""
        place = len(self.depths)
        if entry.kind == "command":
            self._count(place, entry)
        else:
            self.current.places.append(place)
        self.depths.append(len(self._line.done))

    @property
    def current(self) -> Hand:
        """The current hand: that of the latest command in effect."""
        done = self._line.done
        return done[-1].hand if done else self.hands[0]

    @property
    def _seated(self) -> frozenset[str]:
        done = self._line.done
        return done[-1].seated if done else self.hands[0].seated

    def counts(self, place: int) -> bool:
        """Whether the entry at an offset is in effect: neither undone nor itself an undo."""
        return place not in self.undone and place not in self.corrections

    def lowest(self, first: int, last: int) -> int:
        """Return the lowest number of effective commands between two offsets, inclusive."""
        return min(self.depths[first : last + 1])

    def _count(self, place: int, entry: Entry) -> None:
        verb = str(json.loads(entry.record).get("do"))
        if verb in CORRECTIONS:
            self.corrections.add(place)
            done = self._line.correct(verb)
            if verb == Undo.verb:
                self._undo(place, done)
            else:
                self.undone.discard(done.place)
                self._put(place, done)
        else:
            decision = decision_in(entry)
            if decision is not None:
                self._deciding[place] = Outcome.of(decision)
            done = self._new(place, entry, verb)
            self._line.add(done)
            self._put(place, done)

    def _new(self, place: int, entry: Entry, verb: str) -> _Done:
        hand, seated = self._hand_of(place, entry, verb), self._seated
        if not any(sign in entry.events for sign in _SEATS):
            return _Done(place, hand, None, seated)
        joined = {e["player"] for e in events_of(entry) if e["event"] == "PlayerJoined"}
        left = {e["player"] for e in events_of(entry) if e["event"] == "PlayerLeft"}
        return _Done(place, hand, min(joined, default=None), seated - left | joined)

    def _undo(self, place: int, done: _Done) -> None:
        """Record that the entry at ``place`` undoes a command."""
        self.undone.add(done.place)
        done.hand.joined.pop(done.place, None)
        if done.hand.decided_at == done.place:
            done.hand.decided_at = done.hand.outcome = None
        done.hand.places.append(place)

    def _put(self, place: int, done: _Done) -> None:
        """Record that the entry at ``place`` puts a command into effect, possibly again."""
        hand = done.hand
        hand.places.append(place)
        if done.joined is not None:
            hand.joined[done.place] = done.joined
        if done.place in self._deciding:
            hand.decided_at, hand.outcome = done.place, self._deciding[done.place]

    def _hand_of(self, place: int, entry: Entry, verb: str) -> Hand:
        """Return the hand of a new command: the current one, or the next."""
        hand = self.current
        is_over = hand.decided_at is not None
        rounds = self.header.rules.rounds
        begins = verb in rounds.begin_with or any(f'"{name}"' in entry.events for name in rounds.begin_at)
        if rounds.follow_on and is_over and verb not in ("hold", "release"):
            begins = True
        if not begins or (not is_over and hand.number == 1 and not self._line.done):
            return hand
        if hand.number < len(self.hands):
            again = self.hands[hand.number]  # it was undone entirely, and begins again
            again.seated = self._seated
            return again
        fresh = Hand(self.session, hand.number + 1, self.header.game, place, len(self._line.done), seated=self._seated)
        self.hands.append(fresh)
        return fresh
