"""Evidence for every card read by the camera: its picture and the confidence of the reading.

A bounded ring on disk, ``DATA/evidence``: ``NAME.jpg`` is the card rectified to a top view, ``NAME.json`` what was
read and when. The journal's record of the deal has the name, so that any payout can be traced to what was seen. The
name ends with the hash of both files, so that changing or exchanging them is detected, as in the journal itself.
Evidence is flushed to disk before a command that refers to it is journaled.

The oldest files are deleted when the folder exceeds its size limit, or when they exceed the maximum age. Age is never
decided by the clock alone, which on a single-board computer can be years off until it is set from the network: the
latest exhibits are never too old, and while the clock is not synchronised, no gap between two exhibits counts for more
than a week.
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
"""Number of the latest exhibits that are never too old: at least an evening's. Only the size limit deletes them."""
_MAX_GAP_DAYS: Final = 7
"""Maximum gap between two exhibits, in days, that counts while the clock is not synchronised."""
_TIME_ERROR: Final = 5
"""TIME_ERROR: the kernel's status of a clock that is not synchronised."""
_DIGEST_LENGTH: Final = 32
_PX_PER_MM: Final = 5.0
_NAME: Final = re.compile(r"\d{8}T\d{6}\.\d{3}-[0-9A-Za-z]{1,4}-\d+(?:-([0-9a-f]{32}))?")
"""The hash at the end is missing in names from before it was introduced."""
_DATE: Final = "%Y%m%dT%H%M%S.%f"
_SYNCING: Final = 3
"""Files flushed in parallel: together they take about as long as one."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


def clock_is_kept() -> bool:
    """Whether the system clock is synchronised, such as by NTP, according to the kernel.

    False without time synchronisation, and until its first success after boot.
    """
    try:
        asked = ctypes.create_string_buffer(1024)  # all zero: set nothing
        said: int = ctypes.CDLL(None).adjtimex(asked)
    except (OSError, AttributeError):  # not Linux
        return False
    return 0 <= said < _TIME_ERROR


class NoEvidence(CompanionError):
    """The requested evidence does not exist, or was deleted from the ring."""


CHANGED: Final = "changed since the camera read it"
"""Wording for a picture that does not match the hash in its name."""


class ChangedEvidence(NoEvidence):
    """The files do not match the hash in their name."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One card's evidence."""

    name: str
    jpeg: bytes
    facts: Mapping[str, object]

    @classmethod
    def of(cls, at: datetime, card: str, track: int, jpeg: bytes, facts: Mapping[str, object]) -> Self:
        """Return new evidence; its name has the time, the card, the track and the hash of picture and facts."""
        return cls(f"{evidence_name(at, card, track)}-{_digest(_written(facts), jpeg)}", jpeg, facts)


def _written(facts: Mapping[str, object]) -> bytes:
    return json.dumps(dict(facts), separators=(",", ":")).encode()


def _digest(facts: bytes, jpeg: bytes) -> str:
    return hashlib.sha256(b"%d " % len(facts) + facts + jpeg).hexdigest()[:_DIGEST_LENGTH]


@dataclass(frozen=True, slots=True)
class Held:
    """The size of the ring.

    Attributes:
        count: number of exhibits.
        bytes: size on disk.
        since: date of the oldest, YYYYMMDD; None for an empty ring.
        ahead: number of exhibits dated in the future, from when the clock was wrong.
    """

    count: int
    bytes: int
    since: str | None
    ahead: int = 0


@dataclass(slots=True)
class _Kept:
    """An exhibit on disk.

    Attributes:
        order: sort key, oldest first: the name's date, or a later one if it was kept after an exhibit dated later.
    """

    name: str
    size: int
    order: str

    @property
    def date(self) -> str:
        """Time at which it was kept, by the clock of that time."""
        return _date_of(self.name)

    def dated(self, today: str) -> str:
        """Return the latest possible time at which it was kept: it is no older than exhibits kept before it."""
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
    """Return the days between two dates that count while the clock is not synchronised: 0 to `_MAX_GAP_DAYS`."""
    return max(0, min(_day(next_[:8]) - _day(one[:8]), _MAX_GAP_DAYS))


def _capped_age(kept: Iterable[_Kept], today: str) -> int:
    """Return the first exhibit's age in days with every gap limited, so that a clock jump counts as a single gap."""
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
        folder: created when the first exhibit is kept.
        limit_mb: size limit, in megabytes.
        days: maximum age; older exhibits are deleted by `keep` and `tidy`. 0: no limit.
        now: source of the current time.
        is_kept: returns whether that clock is synchronised.
        latest: the number of latest exhibits that are never too old.
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
        """Write evidence, and delete what exceeds the limits.

        Returns:
            False if it could not be written: the log says why, and play continues.
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
            self._warn(error)
            self._delete_partial(exhibit.name)
            return False
        self._failed = False
        kept.append(_Kept(exhibit.name, len(facts) + len(exhibit.jpeg), self._place(exhibit.name, kept)))
        self._bytes += kept[-1].size
        self._drop_oldest(kept)
        return True

    def bring_to_disk(self, names: Iterable[str]) -> None:
        """Flush evidence to disk, so that after a power cut no payout is without its evidence.

        `keep` does not flush, so as not to block the camera thread. Failures are logged: play continues. Thread-safe;
        the evidence may have been kept by another ring of the same folder.
        """
        known = [name for name in names if _NAME.fullmatch(name)]
        paths = [self._path(name, ending) for name in known for ending in ("jpg", "json")]
        if not paths:
            return
        with ThreadPoolExecutor(_SYNCING, thread_name_prefix="evidence") as pool:
            for done in [pool.submit(sync, path) for path in (*paths, self.folder)]:
                try:
                    done.result()
                except FileNotFoundError:  # never kept, or deleted since
                    continue
                except OSError as error:
                    self._warn(error)
                    return
        self._failed = False

    def tidy(self) -> None:
        """Delete what exceeds the limits. Failures are ignored, and tried again next time."""
        with suppress(OSError):
            self._drop_oldest(self._list())

    def held(self) -> Held:
        """Return the size of the ring."""
        names, now = self.names(), _stamp(self._now())
        ahead = sum(_date_of(name) > now for name in names)
        return Held(len(names), sum(map(self._size, names)), names[0][:8] if names else None, ahead)

    def get(self, name: str) -> Exhibit:
        """Return one card's evidence.

        Raises:
            NoEvidence: there is none of that name, or none any more.
            ChangedEvidence: it does not match the hash in its name.
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
        """Return the names of all evidence, oldest first."""
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
        """Return an exhibit's sort key: its date, or the file time in the future that `_place` may have set."""
        with suppress(OSError, OverflowError, ValueError):
            touched = self._path(name, "json").stat().st_mtime
            if touched > now:
                return max(_date_of(name), _stamp(datetime.fromtimestamp(touched, UTC)))
        return _date_of(name)

    def _place(self, name: str, kept: deque[_Kept]) -> str:
        """Return a new exhibit's sort key: after all others, even if the clock was ahead and has been corrected since.

        A key later than the exhibit's date is stored as the file's time, from which `_order_of` restores it after a
        restart. Otherwise older exhibits with future dates would outlive newer ones.
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
        """Delete exhibits that are too old. Those dated in the future, of unknown age, are skipped and stay."""
        today, border = _stamp(now), _stamp(now - timedelta(days=self.days))
        ahead: list[_Kept] = []
        age = None
        try:
            while len(ahead) + len(kept) > self._latest and kept and not border <= kept[0].dated(today) <= today:
                if kept[0].date > today:
                    ahead.append(kept.popleft())
                    continue
                age = _capped_age(kept, today) if age is None and not self._is_kept() else age
                if age is not None and age <= self.days:
                    break
                one = kept.popleft()
                if age is not None and kept:
                    age -= _days_between(one.date, kept[0].date)
                self._drop(one)
        finally:
            kept.extendleft(reversed(ahead))

    def _delete_partial(self, name: str) -> None:
        """Delete the files of an exhibit that could not be written completely: half a picture proves nothing."""
        with suppress(OSError):
            self._path(name, "json").unlink(missing_ok=True)
            self._path(name, "jpg").unlink(missing_ok=True)

    def _drop(self, one: _Kept) -> None:
        self._bytes -= one.size
        self._path(one.name, "json").unlink(missing_ok=True)
        self._path(one.name, "jpg").unlink(missing_ok=True)

    def _warn(self, error: OSError) -> None:
        if not self._failed:
            log.warning("Evidence cannot be written to %s: %s. Make room on the disk.", self.folder, error.strerror)
        self._failed = True


def exhibit_of(image: Image, outline: Quad, facts: Mapping[str, object], track: int, at: datetime) -> Exhibit:
    """Return the evidence for a card: its rectified picture and the facts of the reading.

    Args:
        image: uint8 (H, W, 3) BGR.
        outline: the card's corners in it, px.
        facts: JSON-serialisable; ``id`` is the card's id.
        track: number of the card's track.
        at: the time of the reading.
    """
    card = str(facts.get("id") or "none")
    whole = dict(facts) | {"at": at.astimezone(UTC).isoformat(timespec="milliseconds")}
    return Exhibit.of(at, card, track, to_jpeg(rectified(image, outline), 85), whole)
