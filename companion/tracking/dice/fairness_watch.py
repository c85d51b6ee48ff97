"""Runs the fairness test on all throws in the journal, whether read by the camera or entered by hand.

The camera's throws alone would be biased: a face that is read less reliably would seem too rare.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.timeline import Timeline
from companion.odds import fairness

Entries = Callable[[int], Sequence[EntryJson]]
"""Returns the journal's entries after a sequence number, in batches of some hundreds; empty at the end."""


class FaceReport(TypedDict):
    """Observed and expected count of a face."""

    face: str
    seen: int
    expected: float


class FairnessReport(TypedDict):
    """Result of the fairness test so far."""

    die: str
    throws: int
    e_value: float
    e_best: float
    verdict: str
    faces: list[FaceReport]


class DieFairness:
    """Collects the effective throws of a journal and tests the die.

    Args:
        entries: reads the journal.
    """

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._seq = 0
        self._session: Any = None
        self._line: Timeline[str | None] = Timeline()
        self._before: list[str] = []
        self._watched: tuple[tuple[str, ...], fairness.Watch] | None = None

    def report(self) -> FairnessReport:
        """Read the journal's new entries; return counts and verdict for the kind of die thrown last."""
        self._read_on()
        throws = [*self._before, *(shown for shown in self._line.done if shown is not None)]
        kind = (fairness.kind_of(throws[-1]) if throws else None) or fairness.KINDS[0]
        return _told(kind, self._watch(fairness.FAIR[kind], tuple(t for t in throws if fairness.kind_of(t) == kind)))

    def _watch(self, fair: Mapping[str, float], throws: tuple[str, ...]) -> fairness.Watch:
        """Extend the previous test if nothing was undone, so that each throw is computed only once."""
        done, state = self._watched or ((), fairness.Watch.start(fair))
        if throws[: len(done)] != done or state.fair is not fair:
            done, state = (), fairness.Watch.start(fair)
        for shown in throws[len(done) :]:
            state = state.after(shown)
        self._watched = throws, state
        return state

    def _read_on(self) -> None:
        while found := self._entries(self._seq):
            self._take(found)
            self._seq = found[-1]["seq"]

    def _take(self, entries: Iterable[Mapping[str, Any]]) -> None:
        for entry in entries:
            if entry.get("session") != self._session:
                self._session = entry.get("session")
                self._before += [shown for shown in self._line.done if shown is not None]
                self._line = Timeline()
            if entry.get("kind") == "command":
                record = entry["record"]
                self._line.follow(record["do"], _shown(record) if record["do"] == "throw" else None)


def _shown(record: Record) -> str | None:
    value = record.get("d20")
    shown = record.get("face") if value is None else str(value)
    return shown if shown is not None and fairness.kind_of(shown) else None


def _told(kind: str, watch: fairness.Watch) -> FairnessReport:
    return {
        "die": kind,
        "throws": watch.throws,
        "e_value": round(watch.e_value, 2),
        "e_best": round(watch.e_best, 2),
        "verdict": watch.verdict,
        "faces": [{"face": f.face, "seen": f.seen, "expected": round(f.expected, 2)} for f in watch.faces],
    }
