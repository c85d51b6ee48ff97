"""Evidence for every card dealt by the camera: its picture and the confidence of the reading.

A bounded ring on disk, ``DATA/evidence``: ``NAME.jpg`` is the card rectified to a top view, ``NAME.json`` what was
read and when. The journal's record of the deal holds the name, so that any payout can be traced to what was seen; the
name ends with the hash of both files, so that whoever changes or exchanges them is noticed, as with the journal itself.
When the folder exceeds its limit, or files are older than they may become, the oldest are deleted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, Self

import cv2
import numpy as np

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.objects.geometry import POKER
from companion.vision.draw import to_jpeg
from companion.vision.frame import Image
from companion.vision.sightings import Quad

log = logging.getLogger(__name__)

LIMIT_MB: Final = 200.0
_DIGEST_LENGTH: Final = 32
_PX_PER_MM: Final = 5.0
_NAME: Final = re.compile(r"\d{8}T\d{6}\.\d{3}-[0-9A-Za-z]{1,4}-\d+(?:-([0-9a-f]{32}))?")
"""Names from before there were hashes in them have none."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class NoEvidence(CompanionError):
    """The requested evidence does not exist, or was deleted from the ring."""


class ChangedEvidence(NoEvidence):
    """What lies there is not what was kept under that name."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One card's evidence."""

    name: str
    jpeg: bytes
    facts: Mapping[str, object]

    @classmethod
    def of(cls, at: datetime, card: str, track: int, jpeg: bytes, facts: Mapping[str, object]) -> Self:
        """Return new evidence; its name says when and of what, and binds picture and facts."""
        return cls(f"{evidence_name(at, card, track)}-{_digest(_written(facts), jpeg)}", jpeg, facts)


def _written(facts: Mapping[str, object]) -> bytes:
    return json.dumps(dict(facts), separators=(",", ":")).encode()


def _digest(facts: bytes, jpeg: bytes) -> str:
    return hashlib.sha256(b"%d " % len(facts) + facts + jpeg).hexdigest()[:_DIGEST_LENGTH]


@dataclass(frozen=True, slots=True)
class Held:
    """How much evidence is kept: exhibits, bytes on the disk, and the oldest one's day, YYYYMMDD."""

    count: int
    bytes: int
    since: str | None


def evidence_name(at: datetime, card: str, track: int) -> str:
    """Return the beginning of a name, which sorts by time.

    >>> evidence_name(datetime(2026, 3, 1, 20, 15, 7, 120000, UTC), "6D3", 17)
    '20260301T201507.120-6D3-17'
    """
    at = at.astimezone(UTC)
    return f"{at:%Y%m%dT%H%M%S}.{at.microsecond // 1000:03d}-{card}-{track}"


def rectified(image: Image, outline: Quad, px_per_mm: float = _PX_PER_MM) -> Image:
    """Return a card rectified to a top view.

    Args:
        image: uint8 (H, W, 3) BGR.
        outline: the card's corners in it, px.
    """
    size = (round(POKER.width * px_per_mm), round(POKER.height * px_per_mm))
    flat = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float32)
    move = cv2.getPerspectiveTransform(np.array(outline, np.float32), flat)
    return np.asarray(cv2.warpPerspective(image, move, size, flags=cv2.INTER_LINEAR), np.uint8)


class EvidenceRing:
    """The folder of evidence. One thread writes; any may read.

    Args:
        folder: made when the first exhibit is kept.
        limit_mb: of disk space.
        days: what is older is deleted when the next one is kept, and by `tidy`; 0: nothing is too old.
        now: the time of day.
    """

    def __init__(
        self, folder: Path, limit_mb: float = LIMIT_MB, days: int = 0, now: Callable[[], datetime] = _utc_now
    ) -> None:
        self.folder = folder
        self.limit_bytes = int(limit_mb * 1_000_000)
        self.days = days
        self._now = now
        self._kept: deque[tuple[str, int]] | None = None
        self._bytes = 0
        self._failed = False

    def keep(self, exhibit: Exhibit) -> bool:
        """Write evidence and delete the oldest if the folder is full.

        Returns:
            False if it could not be written: the table continues, and the log says why.
        """
        facts = _written(exhibit.facts)
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept = self._list()
            (self.folder / f"{exhibit.name}.json").write_bytes(facts)
            (self.folder / f"{exhibit.name}.jpg").write_bytes(exhibit.jpeg)
        except OSError as error:
            self._tell(error)
            return False
        self._failed = False
        kept.append((exhibit.name, len(facts) + len(exhibit.jpeg)))
        self._bytes += kept[-1][1]
        self._drop_oldest(kept)
        return True

    def tidy(self) -> None:
        """Delete what is too old or too much. What cannot be deleted is tried again another time."""
        with suppress(OSError):
            self._drop_oldest(self._list())

    def held(self) -> Held:
        """Return how much evidence there is, and since when."""
        names = self.names()
        return Held(len(names), sum(map(self._size, names)), names[0][:8] if names else None)

    def get(self, name: str) -> Exhibit:
        """Return one card's evidence.

        Raises:
            NoEvidence: there is none of that name (any more).
            ChangedEvidence: it is not what was kept.
        """
        try:
            text, jpeg = self._path(name, "json").read_bytes(), self._path(name, "jpg").read_bytes()
            if b"" in (text, jpeg):
                raise ValueError("it had not come to the disk when the power went")
            digest = name.rpartition("-")[2]
            if len(digest) == _DIGEST_LENGTH and digest != _digest(text, jpeg):
                raise ChangedEvidence(
                    message(
                        "The evidence {name} was changed since the camera read it, or another picture lies in its "
                        "place: it proves nothing.",
                        name=repr(name[:60]),
                    )
                )
            return Exhibit(name, jpeg, json.loads(text))
        except (OSError, ValueError) as error:
            raise NoEvidence(
                message(
                    "There is no evidence {name} here (any more). Raise the limit of the evidence folder to keep it "
                    "for longer.",
                    name=repr(name[:60]),
                )
            ) from error

    def names(self) -> tuple[str, ...]:
        """Return the names of all evidence, the oldest first."""
        found = (path.stem for path in self.folder.glob("*.json"))
        return tuple(sorted(name for name in found if _NAME.fullmatch(name)))

    def _path(self, name: str, ending: Literal["json", "jpg"]) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of evidence")
        return self.folder / f"{name}.{ending}"

    def _list(self) -> deque[tuple[str, int]]:
        if self._kept is None:
            self._kept = deque((name, self._size(name)) for name in self.names())
            self._bytes = sum(size for _, size in self._kept)
        return self._kept

    def _size(self, name: str) -> int:
        paths = (self._path(name, "json"), self._path(name, "jpg"))
        return sum(path.stat().st_size for path in paths if path.exists())

    def _drop_oldest(self, kept: deque[tuple[str, int]]) -> None:
        border = evidence_name(self._now() - timedelta(days=self.days), "", 0) if self.days else ""
        while (self._bytes > self.limit_bytes and len(kept) > 1) or (kept and kept[0][0] < border):
            name, size = kept.popleft()
            self._bytes -= size
            self._path(name, "json").unlink(missing_ok=True)
            self._path(name, "jpg").unlink(missing_ok=True)

    def _tell(self, error: OSError) -> None:
        if not self._failed:
            log.warning("Evidence cannot be written to %s: %s. Make room on the disk.", self.folder, error.strerror)
        self._failed = True


def exhibit_of(image: Image, outline: Quad, facts: Mapping[str, object], track: int, at: datetime) -> Exhibit:
    """Return the evidence for a card: its crop and what was read.

    Args:
        facts: JSON-serialisable; ``id`` names the card.
    """
    card = str(facts.get("id") or "none")
    whole = dict(facts) | {"at": at.astimezone(UTC).isoformat(timespec="milliseconds")}
    return Exhibit.of(at, card, track, to_jpeg(rectified(image, outline), 85), whole)
