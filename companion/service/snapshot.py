"""What the table's thread shows to everybody else: immutable snapshots, and the views made from them."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypedDict

from companion.journal.hash_chain import Entry, sentences
from companion.kernel.messages import in_words_of, message
from companion.kernel.situation import Situation
from companion.odds.exposure import house_state, risk_of
from companion.service.view_extensions import Around, extras

LOG_LENGTH: Final = 30
NOTICES_KEPT: Final = 20


@dataclass(frozen=True, slots=True)
class Camera:
    """How the camera fares: ``ok``, ``lost``, ``ended`` or ``none``, and a sentence about it."""

    status: str = "none"
    text: str = message("No camera")
    name: str = ""

    def to_json(self) -> dict[str, str]:
        return {"status": self.status, "text": self.text, "name": self.name}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything visible at one version. ``table`` is `Table.view`'s object; nobody changes it any more.

    ``log`` is the dealer's; ``public_log`` lacks what is private.
    """

    version: int
    session: int
    seq: int
    head: str
    table: Mapping[str, Any]
    situation: Situation
    log: tuple[Mapping[str, Any], ...] = ()
    public_log: tuple[Mapping[str, Any], ...] = ()
    notices: tuple[Mapping[str, Any], ...] = ()
    questions: tuple[Mapping[str, Any], ...] = ()
    camera: Camera = field(default_factory=Camera)
    sight: Mapping[str, Any] = field(default_factory=dict)
    intention: str | None = None
    trouble: str | None = None
    around: Around = field(default_factory=Around)

    @property
    def state(self) -> Any:
        """The game's."""
        return self.situation.state


class Lines(TypedDict):
    """The lines of a `Snapshot`."""

    log: tuple[Mapping[str, Any], ...]
    public_log: tuple[Mapping[str, Any], ...]
    notices: tuple[Mapping[str, Any], ...]


class Log:
    """The latest sentences of the journal, and the latest notices."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._all: deque[Mapping[str, Any]] = deque(maxlen=LOG_LENGTH)
        self._public: deque[Mapping[str, Any]] = deque(maxlen=LOG_LENGTH)
        self._notices: deque[Mapping[str, Any]] = deque(maxlen=NOTICES_KEPT)
        self.add(entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Take in what these entries tell."""
        for entry in entries:
            whole = entry.to_json()
            record = whole["record"]
            told = {name: whole[name] for name in ("seq", "at", "source", "kind")}
            if entry.kind == "notice" and record.get("private"):
                told["private"] = True
            lines = [told | {"text": text} for text in sentences(whole)]
            self._all += lines
            self._public += [] if "private" in told else lines
            if entry.kind == "notice":
                self._notices.append(told | {"text": record["text"], "data": record.get("data") or {}})

    def shown(self) -> Lines:
        """Return what a `Snapshot` shows of it, each with the newest last."""
        return {"log": tuple(self._all), "public_log": tuple(self._public), "notices": tuple(self._notices)}


def view_of(snapshot: Snapshot, viewer: str, odds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a viewer may see: ``room``, ``dealer`` or ``seat/3``."""
    view = {
        **snapshot.table,
        **extras(snapshot.table, snapshot.state, snapshot.around),
        "seq": snapshot.seq,
        "version": snapshot.version,
        "session": snapshot.session,
        "head": snapshot.head,
        "odds": odds,
        "log": list(snapshot.public_log),
        "camera": snapshot.camera.to_json(),
        "trouble": snapshot.trouble,
    }
    kind, _, number = viewer.partition("/")
    if kind == "dealer":
        private = {"questions": snapshot.questions, "notices": snapshot.notices, "log": snapshot.log}
        view |= {name: list(told) for name, told in private.items()}
        view |= {"sight": dict(snapshot.sight), "intention": snapshot.intention}
        view["risk"] = risk_of(snapshot.state, snapshot.around.ledger)
        if (house := house_state(snapshot.state)) is not None:
            view.setdefault("limits", house.rules.limits.to_json())
    if kind == "seat":
        view["you"] = next((p for p in snapshot.table["players"] if str(p["seat"]) == number), None)
    return view


class Views:
    """Makes each view once per version, in the thread of whoever asks first: never in the table's own.

    Args:
        translate: says a message in a language.
    """

    def __init__(self, translate: Callable[[str, str], str]) -> None:
        self._translate = translate
        self._lock = threading.Lock()
        self._version = -1
        self._odds: list[dict[str, Any]] | None = None
        self._made: dict[str, dict[str, Any]] = {}
        self._written: dict[tuple[str, str], bytes] = {}

    def get(self, snapshot: Snapshot, viewer: str) -> dict[str, Any]:
        """Return the view as an object, not to be changed."""
        with self._lock:
            return self._get(snapshot, viewer)

    def written(self, snapshot: Snapshot, viewer: str, language: str) -> bytes:
        """Return the view as JSON, its messages in a language."""
        with self._lock:
            view, known = self._get(snapshot, viewer), (viewer, language)
            if known not in self._written:
                said = in_words_of(view, lambda text: self._translate(text, language)) if language != "en" else view
                text = json.dumps(said, separators=(",", ":"), ensure_ascii=False)
                self._written[known] = text.encode(errors="backslashreplace")
            return self._written[known]

    def _get(self, snapshot: Snapshot, viewer: str) -> dict[str, Any]:
        if snapshot.version != self._version:
            self._version, self._odds, self._made, self._written = snapshot.version, None, {}, {}
        if viewer not in self._made:
            if self._odds is None:
                self._odds = snapshot.around.odds.shown(snapshot.state)
            self._made[viewer] = view_of(snapshot, viewer, self._odds)
        return self._made[viewer]
