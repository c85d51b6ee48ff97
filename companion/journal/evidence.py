"""Evidence for every card dealt by the camera: its picture and the confidence of the reading.

A bounded ring on disk, ``DATA/evidence``: ``NAME.jpg`` is the card rectified to a top view, ``NAME.json`` what was
read and when. The journal's record of the deal holds the name, so that any payout can be traced to what was seen; the
name ends with the hash of both files, so that whoever changes or exchanges them is noticed, as with the journal itself.
When the folder exceeds its limit, or files are older than they may become, the oldest are deleted. No clock alone
decides that they are too old: a small computer's can be years off until the network sets it right. The latest stay in
any case, and where nobody keeps the clock, no pause between two exhibits counts for more than a week. Before a command
that names evidence is journaled, that evidence is on the disk.
"""

import ctypes
import hashlib
import json
import logging
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, Self

import cv2
import numpy as np

from companion.journal.durable import sync, sync_folder
from companion.kernel.errors import CompanionError
from companion.objects.geometry import POKER
from companion.vision.draw import to_jpeg
from companion.vision.frame import Image
from companion.vision.sightings import Quad

log = logging.getLogger(__name__)

LIMIT_MB: Final = 200.0
LATEST: Final = 500
"""Exhibits that are never too old: an evening's, or a long argument's. Only a full folder takes them."""
_LONGEST_PAUSE: Final = 7
"""Days between two exhibits that a clock which nobody keeps is believed."""
_NOT_KEPT: Final = 5
"""What the kernel answers where the time has come from nobody: TIME_ERROR."""
_DIGEST_LENGTH: Final = 32
_PX_PER_MM: Final = 5.0
_NAME: Final = re.compile(r"\d{8}T\d{6}\.\d{3}-[0-9A-Za-z]{1,4}-\d+(?:-([0-9a-f]{32}))?")
"""Names from before there were hashes in them have none."""
_DATE: Final = "%Y%m%dT%H%M%S.%f"
_SYNCING: Final = 3
"""Files that are brought to the disk at once: together they wait for it about as long as one."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


def clock_is_kept() -> bool:
    """Say whether the kernel knows the time from somebody else, such as the network, and keeps the clock by it.

    A computer that asks nobody, or has not been answered since it started, does not.
    """
    try:
        asked = ctypes.create_string_buffer(1024)  # all zero: nothing is to be set
        said: int = ctypes.CDLL(None).adjtimex(asked)
    except (OSError, AttributeError):  # a system that has no such call
        return False
    return 0 <= said < _NOT_KEPT


class NoEvidence(CompanionError):
    """The requested evidence does not exist, or was deleted from the ring."""


CHANGED: Final = "changed since the camera read it"
"""The trouble with a picture that is not the one that was kept."""


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
    """How much evidence is kept: exhibits, bytes on the disk, and the oldest one's day, YYYYMMDD.

    Attributes:
        ahead: exhibits whose date has not come yet: the clock was wrong when they were kept.
    """

    count: int
    bytes: int
    since: str | None
    ahead: int = 0


@dataclass(slots=True)
class _Kept:
    """An exhibit on the disk.

    Attributes:
        order: what the oldest have the least of: the name's date, unless it was kept after one that is dated later.
    """

    name: str
    size: int
    order: str

    @property
    def date(self) -> str:
        """When it was kept, by the clock of that time."""
        return _date_of(self.name)

    def dated(self, today: str) -> str:
        """Return since when it lies here at the latest: what was kept after others is no older than they are."""
        return self.order if self.order <= today else self.date


def evidence_name(at: datetime, card: str, track: int) -> str:
    """Return the beginning of a name, which sorts by time.

    >>> evidence_name(datetime(2026, 3, 1, 20, 15, 7, 120000, UTC), "6D3", 17)
    '20260301T201507.120-6D3-17'
    """
    return f"{_stamp(at)}-{card}-{track}"


def _stamp(at: datetime) -> str:
    at = at.astimezone(UTC)
    return f"{at:%Y%m%dT%H%M%S}.{at.microsecond // 1000:03d}"


def _date_of(name: str) -> str:
    return name.partition("-")[0]


@lru_cache(maxsize=4096)
def _day(day: str) -> int:
    try:
        return date(int(day[:4]), int(day[4:6]), int(day[6:])).toordinal()
    except ValueError:
        return 0


def _days_between(one: str, next_: str) -> int:
    """Return the days from one date to the next that count although nobody keeps the clock; none if it went back."""
    return max(0, min(_day(next_[:8]) - _day(one[:8]), _LONGEST_PAUSE))


def _days_shown(kept: Iterable[_Kept], today: str) -> int:
    """Return how old the first one is at least, by what was kept since: a clock that jumps is one pause too long."""
    return sum(_days_between(one, next_) for one, next_ in pairwise([*(one.date for one in kept), today]))


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
        is_kept: says whether somebody sees to it that this is the time of day.
        latest: so many are never too old.
    """

    def __init__(
        self,
        folder: Path,
        limit_mb: float = LIMIT_MB,
        days: int = 0,
        now: Callable[[], datetime] = _utc_now,
        *,
        is_kept: Callable[[], bool] = clock_is_kept,
        latest: int = LATEST,
    ) -> None:
        self.folder = folder
        self.limit_bytes = int(limit_mb * 1_000_000)
        self.days = days
        self._now, self._is_kept = now, is_kept
        self._latest = latest
        self._kept: deque[_Kept] | None = None
        self._bytes = 0
        self._failed = False

    def keep(self, exhibit: Exhibit) -> bool:
        """Write evidence and delete the oldest if the folder is full.

        Returns:
            False if it could not be written: the table continues, and the log says why.
        """
        facts = _written(exhibit.facts)
        try:
            if not self.folder.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                sync_folder(self.folder.parent)
            kept = self._list()
            (self.folder / f"{exhibit.name}.json").write_bytes(facts)
            (self.folder / f"{exhibit.name}.jpg").write_bytes(exhibit.jpeg)
        except OSError as error:
            self._tell(error)
            self._take_away(exhibit.name)
            return False
        self._failed = False
        kept.append(_Kept(exhibit.name, len(facts) + len(exhibit.jpeg), self._place(exhibit.name, kept)))
        self._bytes += kept[-1].size
        self._drop_oldest(kept)
        return True

    def bring_to_disk(self, names: Iterable[str]) -> None:
        """Bring evidence to the disk, so that a power cut leaves no payout without what it was paid for.

        `keep` does not wait for the disk, as the camera's thread would. What cannot be brought there is logged: the
        table continues. Thread-safe, and another ring of the same folder may have kept it.
        """
        known = [name for name in names if _NAME.fullmatch(name)]
        paths = [self._path(name, ending) for name in known for ending in ("jpg", "json")]
        if not paths:
            return
        with ThreadPoolExecutor(_SYNCING, thread_name_prefix="evidence") as pool:
            for done in [pool.submit(sync, path) for path in (*paths, self.folder)]:
                try:
                    done.result()
                except FileNotFoundError:  # nothing was kept, or it was dropped because the folder is full
                    continue
                except OSError as error:
                    self._tell(error)
                    return
        self._failed = False

    def tidy(self) -> None:
        """Delete what is too old or too much. What cannot be deleted is tried again another time."""
        with suppress(OSError):
            self._drop_oldest(self._list())

    def held(self) -> Held:
        """Return how much evidence there is, and since when."""
        names, now = self.names(), _stamp(self._now())
        ahead = sum(_date_of(name) > now for name in names)
        return Held(len(names), sum(map(self._size, names)), names[0][:8] if names else None, ahead)

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
                raise ChangedEvidence.saying(
                    "The evidence {name} was changed since the camera read it, or another picture lies in its "
                    "place: it proves nothing.",
                    name=repr(name[:60]),
                )
            return Exhibit(name, jpeg, json.loads(text))
        except (OSError, ValueError) as error:
            raise NoEvidence.saying(
                "There is no evidence {name} here (any more). Raise the limit of the evidence folder to keep it "
                "for longer.",
                name=repr(name[:60]),
            ) from error

    def names(self) -> tuple[str, ...]:
        """Return the names of all evidence, the oldest first."""
        found = (path.stem for path in self.folder.glob("*.json"))
        return tuple(sorted(name for name in found if _NAME.fullmatch(name)))

    def _path(self, name: str, ending: Literal["json", "jpg"]) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of evidence")
        return self.folder / f"{name}.{ending}"

    def _list(self) -> deque[_Kept]:
        if self._kept is None:
            now = self._now().timestamp()
            found = [_Kept(name, self._size(name), self._order_of(name, now)) for name in self.names()]
            self._kept = deque(sorted(found, key=lambda one: one.order))
            self._bytes = sum(one.size for one in found)
        return self._kept

    def _order_of(self, name: str, now: float) -> str:
        """Return an exhibit's place as `_place` left it: only what was kept after a future date has a file's in it."""
        with suppress(OSError, OverflowError, ValueError):
            touched = self._path(name, "json").stat().st_mtime
            if touched > now:
                return max(_date_of(name), _stamp(datetime.fromtimestamp(touched, UTC)))
        return _date_of(name)

    def _place(self, name: str, kept: deque[_Kept]) -> str:
        """Return a new exhibit's place: behind all others, even where the clock was ahead and was set right since.

        The next start sorts by date: the file's time tells it, so that what is dated in the future is not kept in the
        place of what came later.
        """
        date = _date_of(name)
        if not kept or kept[-1].order <= date:
            return date
        with suppress(OSError, OverflowError, ValueError):
            at = datetime.strptime(kept[-1].order, _DATE).replace(tzinfo=UTC) + timedelta(milliseconds=1)
            os.utime(self._path(name, "json"), (at.timestamp(), at.timestamp()))
            return _stamp(at)
        return kept[-1].order

    def _size(self, name: str) -> int:
        paths = (self._path(name, "json"), self._path(name, "jpg"))
        return sum(path.stat().st_size for path in paths if path.exists())

    def _drop_oldest(self, kept: deque[_Kept]) -> None:
        while self._bytes > self.limit_bytes and len(kept) > 1:
            self._drop(kept.popleft())
        if self.days:
            self._drop_aged(kept, self._now())

    def _drop_aged(self, kept: deque[_Kept], now: datetime) -> None:
        """Delete what is too old. Nobody knows how old what is dated in the future is: it stays, and stops nothing."""
        today, border = _stamp(now), _stamp(now - timedelta(days=self.days))
        ahead: list[_Kept] = []
        age = None
        try:
            while len(ahead) + len(kept) > self._latest and kept and not border <= kept[0].dated(today) <= today:
                if kept[0].date > today:
                    ahead.append(kept.popleft())
                    continue
                age = _days_shown(kept, today) if age is None and not self._is_kept() else age
                if age is not None and age <= self.days:
                    break
                one = kept.popleft()
                if age is not None and kept:
                    age -= _days_between(one.date, kept[0].date)
                self._drop(one)
        finally:
            kept.extendleft(reversed(ahead))

    def _take_away(self, name: str) -> None:
        """Delete what came to a full disk of an exhibit: half a picture proves nothing, and takes others' room."""
        with suppress(OSError):
            self._path(name, "json").unlink(missing_ok=True)
            self._path(name, "jpg").unlink(missing_ok=True)

    def _drop(self, one: _Kept) -> None:
        self._bytes -= one.size
        self._path(one.name, "json").unlink(missing_ok=True)
        self._path(one.name, "jpg").unlink(missing_ok=True)

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
