"""A trace: all inputs and outputs of a table, in chronological order.

``trace.jsonl`` has one object per line: first the ``header`` with the table's settings, then contacts, commands and
camera frames, and the resulting changes of lines and journal entries. Frames are stored beside it as JPEG. During
recording, the table already gets the frames as decoded from JPEG, so that a replay uses identical pixels.
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
from hardware.cameras.reconnecting import Status
from hardware.harness.scenario import Scenario

FILE_NAME: Final = "trace.jsonl"
VERSION: Final = 1
_QUALITY: Final = 92


class TraceError(CompanionError):
    """A trace cannot be written or read; the message names the file, and the line if there is one."""


class Fields(TypedDict, total=False):
    """The fields of a line besides kind and time; each kind uses some of them."""

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
    """A line; the kind is ``header``, ``contact``, ``command``, ``turn``, ``line``, ``entry``, ``lost`` or ``end``."""

    kind: str
    t: float


def header_fields(scenario: Scenario, clock: str, deck: str | None) -> Fields:
    """Return the fields of a header."""
    table, panel = scenario.header.to_json(), scenario.panel.model_dump(mode="json")
    return {
        "version": VERSION, "scenario": scenario.name, "clock": clock, "deck": deck, "table": table, "panel": panel,
    }  # fmt: skip


def entry_fields(entry: EntryJson) -> Fields:
    """Return the fields of a journal entry's line."""
    return {"seq": entry["seq"], "do": entry["do"], "source": entry["source"], "record": entry["record"]}


class Recorder:
    """Writes a trace into a folder, replacing an older one. Not thread-safe.

    Raises:
        TraceError: the folder or the file cannot be created.
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

    def write(self, kind: str, t: float, **fields: Unpack[Fields]) -> None:
        """Write one line."""
        self._file.write(json.dumps({"kind": kind, "t": t, **fields}, ensure_ascii=False) + "\n")

    def picture(self, frame: Frame) -> tuple[str, Frame]:
        """Store a frame as JPEG; return its file name and the frame as decoded from JPEG."""
        name = f"{frame.number:06d}.jpg"
        done, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
        if not done:
            raise TraceError("A picture of the trace cannot be packed as JPEG. This OpenCV lacks JPEG.")
        (self.folder / name).write_bytes(data.tobytes())
        return name, Frame(_decode(data), frame.t, frame.number)

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._file.close()


def _decode(data: Any) -> Any:
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def load_picture(folder: Path, name: str, t: float, number: int) -> Frame:
    """Read a frame of a trace.

    Raises:
        TraceError: the file is missing or not an image.
    """
    path = folder / Path(name).name
    try:
        image = _decode(path.read_bytes())
    except (OSError, cv2.error) as error:
        raise TraceError(f"The trace lacks its picture {path}. Copy the whole folder.") from error
    if image is None:
        raise TraceError(f"{path} is no picture. Copy the trace again.")
    return Frame(image, t, number)


def read_trace(folder: Path) -> Iterator[Line]:
    """Yield the lines of a trace, starting with the header.

    Raises:
        TraceError: there is no trace, it has another version, or a line is invalid.
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
