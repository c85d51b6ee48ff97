"""Is the die fair? Watches the throws that count in the journal, whoever entered them.

Not only the camera's own: a face that it reads less surely would seem to come too rarely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from companion.kernel.timeline import Timeline
from companion.objects.dice import RUGEN_FACES
from companion.odds import fairness

Entries = Callable[[int], Sequence[Mapping[str, Any]]]
"""The journal's entries behind a number, some hundreds at a time."""

RUGEN: Final[Mapping[str, float]] = MappingProxyType({face.id: face.number / 20 for face in RUGEN_FACES.values()})
"""The eight kinds of faces of a Rugen die; a kind with number N is on N of the 20 faces."""
_FAIR: Final[Mapping[str, Mapping[str, float]]] = {"d20": fairness.D20, "rugen": RUGEN}


class DieFairness:
    """Keeps the throws of a journal as they count, and what they say about the die.

    Args:
        entries: where to read on.
    """

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._seq = 0
        self._session: Any = None
        self._line: Timeline[str | None] = Timeline()
        self._before: list[str] = []
        self._watched: tuple[tuple[str, ...], fairness.Watch] | None = None

    def report(self) -> Mapping[str, Any]:
        """Read on in the journal and return counts and verdict of the die thrown last."""
        self._read_on()
        throws = [*self._before, *(shown for shown in self._line.done if shown is not None)]
        kind = "rugen" if throws and not throws[-1].isdigit() else "d20"
        return _told(kind, self._watch(kind, tuple(t for t in throws if t.isdigit() == (kind == "d20"))))

    def _watch(self, kind: str, throws: tuple[str, ...]) -> fairness.Watch:
        """Go on from the watch before where nothing was undone: the test is worked out once for each throw."""
        done, state = self._watched or ((), fairness.Watch.start(_FAIR[kind]))
        if throws[: len(done)] != done or state.fair is not _FAIR[kind]:
            done, state = (), fairness.Watch.start(_FAIR[kind])
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


def _shown(record: Mapping[str, Any]) -> str | None:
    value = record.get("d20")
    shown = record.get("face") if value is None else str(value)
    return shown if shown in fairness.D20 or shown in RUGEN else None


def _told(kind: str, watch: fairness.Watch) -> Mapping[str, Any]:
    return {
        "die": kind,
        "throws": watch.throws,
        "e_value": round(watch.e_value, 2),
        "e_best": round(watch.e_best, 2),
        "verdict": watch.verdict,
        "faces": [{"face": f.face, "seen": f.seen, "expected": round(f.expected, 2)} for f in watch.faces],
    }
