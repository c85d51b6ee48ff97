"""A trace: all inputs and outputs of a table, in the order in which they happened.

``trace.jsonl`` has one object a line: first the table (``header``), then contacts, commands and camera frames as they
came, and the resulting lines and journal entries. Pictures lie beside it as JPEG; the table is given the pictures as
decoded from JPEG, so that a replay sees the very same pixels.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

import cv2
import numpy as np

from companion.journal.hash_chain import EntryJson
from companion.kernel.commands import Record
from companion.kernel.errors import CompanionError
from companion.vision.frame import Frame
from hardware.cameras.steady import Status
from hardware.harness.scenario import Scenario

FILE_NAME: Final = "trace.jsonl"
VERSION: Final = 1
_QUALITY: Final = 92


class TraceError(CompanionError):
    """A trace cannot be written or read; says which file and line."""


class Fields(TypedDict, total=False):
    """The fields of a line beyond its kind and time; each kind has its own of these."""

    version: int
    scenario: str
    clock: str
    deck: str | None
    table: Record
    panel: dict[str, object]
    button: str
    down: bool
    line: str
    on: bool
    record: Record
    seq: int
    do: str
    source: str
    camera: str
    state: Status
    text: str
    picture: str
    frame_t: float
    number: int
    why: str


class Line(Fields):
    """A line: the ``header``, a ``contact``, ``command``, ``turn``, ``line`` or ``entry``, the ``end``."""

    kind: str
    t: float


def about(scenario: Scenario, clock: str, deck: str | None) -> Fields:
    """Return what a header tells."""
    table, panel = scenario.header.to_json(), scenario.panel.model_dump(mode="json")
    return {
        "version": VERSION, "scenario": scenario.name, "clock": clock, "deck": deck, "table": table, "panel": panel,
    }  # fmt: skip


def told(entry: EntryJson) -> Fields:
    """Return what the line of a journal entry tells."""
    return {"seq": entry["seq"], "do": entry["do"], "source": entry["source"], "record": entry["record"]}


class Recorder:
    """Writes a trace into a folder. Not thread-safe.

    Raises:
        TraceError: the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob("*.jpg"):
                old.unlink()
            self._file = (folder / FILE_NAME).open("w", encoding="utf-8")
        except OSError as error:
            raise TraceError(f"The trace cannot be written into {folder}: {error.strerror}. Choose another.") from error

    def note(self, kind: str, t: float, **fields: Unpack[Fields]) -> None:
        """Write one line."""
        self._file.write(json.dumps({"kind": kind, "t": t, **fields}, ensure_ascii=False) + "\n")

    def picture(self, frame: Frame) -> tuple[str, Frame]:
        """Keep a picture; return its name and the frame as a replay will see it."""
        name = f"{frame.number:06d}.jpg"
        done, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        if not done:
            raise TraceError("A picture of the trace cannot be packed as JPEG. This OpenCV lacks JPEG.")
        (self.folder / name).write_bytes(data.tobytes())
        return name, Frame(_unpacked(data), frame.t, frame.number)

    def close(self) -> None:
        """Finish the file. May be called twice."""
        self._file.close()


def _unpacked(data: Any) -> Any:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def load_picture(folder: Path, name: str, t: float, number: int) -> Frame:
    """Read a picture of a trace.

    Raises:
        TraceError: it is not there, or is no picture.
    """
    path = folder / Path(name).name
    try:
        image = _unpacked(path.read_bytes())
    except (OSError, cv2.error) as error:
        raise TraceError(f"The trace lacks its picture {path}. Copy the whole folder.") from error
    if image is None:
        raise TraceError(f"{path} is no picture. Copy the trace again.")
    return Frame(image, t, number)


def read_trace(folder: Path) -> Iterator[Line]:
    """Yield the lines of a trace, the table first.

    Raises:
        TraceError: there is no trace, or a line that is none; names file and line.
    """
    path = folder / FILE_NAME if folder.is_dir() else folder
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"There is no trace at {path}. Name the folder that `hil run --trace` made.") from error
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            kind, _ = record["kind"], record["t"]
        except (ValueError, TypeError, KeyError) as error:
            raise TraceError(f"{path}, line {number}: this is no line of a trace. Copy the trace again.") from error
        if number == 1 and (kind != "header" or record.get("version") != VERSION):
            raise TraceError(f"{path}, line 1: this is no trace of version {VERSION}. Make it again.")
        yield record
