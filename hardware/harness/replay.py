"""Replays a trace: the same contacts, commands and frames at the same times must give the same result."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.config.panel import PanelConfig
from companion.kernel.table import Header
from companion.plugins.registry import installed_games
from companion.vision.frame import Frame
from hardware.cameras.reconnecting import CameraStatus
from hardware.harness.fast_table import FastTable
from hardware.harness.mock_rig import MakeSight, harness_deck
from hardware.harness.trace import Line, TraceError, load_picture, read_trace


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay: the numbers of compared entries, changes and frames, and the first difference, if any."""

    entries: int
    changes: int
    pictures: int
    difference: str | None = None


class TraceCamera:
    """A camera that replays the frames and states of a trace."""

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        self.name = "trace"
        self._folder, self._clock = folder, clock
        self.next: Line = {"kind": "turn", "t": clock(), "state": "lost", "text": "The trace begins."}
        self.status = CameraStatus("lost", "The trace begins.", clock())
        self.shown = 0

    def read(self, timeout_s: float) -> Frame | None:
        """Return the frame of the current ``turn`` record; None if it has none."""
        record = self.next
        self.name = record.get("camera", self.name)  # the watch records it in the journal
        if (record["state"], record["text"]) != (self.status.state, self.status.text):
            self.status = CameraStatus(record["state"], record["text"], self._clock())
        if "picture" not in record:
            return None
        self.shown += 1
        return load_picture(self._folder, record["picture"], record["frame_t"], record["number"])

    def close(self) -> None:
        """Nothing to close."""


def replay(folder: Path, make_sight: MakeSight) -> Replayed:
    """Replay a trace and compare the journal entries and the changes of lines.

    Raises:
        TraceError: the trace cannot be read.
    """
    records = list(read_trace(folder))
    if not records:
        raise TraceError(f"The trace {folder} is empty. Make it again.")
    header = records[0]
    where = folder if folder.is_dir() else folder.parent
    with tempfile.TemporaryDirectory(prefix="hil-replay-") as data:
        albums: list[TraceCamera] = []
        is_filmed = any(record["kind"] == "turn" for record in records)
        table = _table(header, Path(data), where, make_sight if is_filmed else None, albums)
        try:
            for record in records[1:]:
                _replay_input(table, record, albums)
            return _compare_outputs(table, header, records, albums[0].shown if albums else 0)
        finally:
            table.close()


def _table(
    header: Line, data: Path, folder: Path, make_sight: MakeSight | None, albums: list[TraceCamera]
) -> FastTable:

    def album(clock: Callable[[], float]) -> TraceCamera:
        albums.append(TraceCamera(folder, clock))
        return albums[0]

    panel, games = PanelConfig.model_validate(header["panel"]), installed_games()
    deck = None if header["deck"] is None else harness_deck(games.decks.named(header["deck"]))
    keys = {} if deck is None else {deck.id: deck.key}
    sight = None if make_sight is None else make_sight(games.named(header["table"]["game"]), keys)
    table = Header.parse(header["table"], games)
    return FastTable(table, panel, data, games, sight=sight, camera=album, start=header["t"], fps=0)


def _replay_input(table: FastTable, record: Line, albums: Sequence[TraceCamera]) -> None:
    kind = record["kind"]
    if kind not in ("contact", "command", "turn", "end"):
        return
    table.run(record["t"])
    if kind == "contact":
        table.contact(record["button"], record["down"])
    elif kind == "command":
        table.command(record["record"])
    elif kind == "turn":
        albums[0].next = record
        table.turn()


def _compare_outputs(table: FastTable, header: Line, records: Sequence[Line], pictures: int) -> Replayed:
    entries = [(r["do"], r["source"], r["record"]) for r in records if r["kind"] == "entry"]
    now = [(entry["do"], entry["source"], entry["record"]) for entry in table.journal()]
    is_exact = header["clock"] == "fast"
    lines = _lines([(r["t"], r["line"], r["on"]) for r in records if r["kind"] == "line"], is_exact)
    shown = _lines([(c.t, c.line, c.on) for c in table.changes() if not c.line.startswith("button/")], is_exact)
    difference = _difference("Entry", entries, now) or _difference("Change of a line", lines, shown)
    return Replayed(len(entries), len(lines), pictures, difference)


def _lines(changes: Sequence[tuple[float, str, bool]], is_exact: bool) -> list[tuple[object, ...]]:
    """Return the changes in comparable form: with their times only if the clock was simulated."""
    if is_exact:
        return sorted((round(t, 6), line, on) for t, line, on in changes)
    # In real time, only the sequence of each lamp counts: simultaneous changes come in any order.
    return [(line, on) for line, _, on in sorted((line, t, on) for t, line, on in changes) if line.startswith("lamp/")]


def _difference(what: str, then: Sequence[object], now: Sequence[object]) -> str | None:
    for place, (a, b) in enumerate(zip(then, now, strict=False), start=1):
        if a != b:
            return f"{what} {place} was {a}, and is {b} now."
    if len(then) != len(now):
        return f"There were {len(then)} of this kind ({what.lower()}), and there are {len(now)} now."
    return None
