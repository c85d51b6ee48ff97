"""Evidence for open disputes, fetched from a table while somebody in the pit looks at it; in memory, bounded.

The table is asked in the floor's next response, and sends only what its own pages show to everybody in the room, so
hidden cards do not leave it before they are revealed.
"""

import base64
import binascii
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from companion.floor.errors import FloorError
from companion.floor.overview.snapshots import MAX_COINS

WANTED_S: Final = 15.0
"""How long evidence keeps being requested after somebody last looked."""
KEPT_S: Final = 120.0
EVERY_S: Final = 3.0
MAX_TABLES: Final = 20
"""Most tables whose evidence is kept at once."""
MAX_PICTURES: Final = 12
MAX_MESSAGES: Final = 200
LONGEST_PICTURE: Final = 80_000
MAX_BYTES: Final = 1 << 20
_JPEG: Final = b"\xff\xd8\xff"

_Text = Annotated[str, Field(max_length=600)]
_Word = Annotated[str, Field(max_length=80)]
_Coins = Annotated[int, Field(ge=-MAX_COINS, le=MAX_COINS)]


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Asked(_Told):
    """A pending question for the dealer, with its choices."""

    kind: _Word
    text: _Text
    choices: Annotated[list[_Text], Field(max_length=20)]


class SettledLine(_Told):
    """Both settlements of an account; `second` is None where the audit does not check."""

    account: _Word
    first: _Coins
    second: _Coins | None


class Settled(_Told):
    """A command that moved coins, or would have, with both settlements."""

    seq: Annotated[int, Field(ge=0)]
    text: _Text
    differences: Annotated[list[_Text], Field(max_length=40)]
    lines: Annotated[list[SettledLine], Field(max_length=100)]


class Picture(_Told):
    """A camera image and its reading; votes, confidence and margin are among the facts."""

    seq: Annotated[int, Field(ge=0)]
    text: _Text
    is_undone: bool
    facts: Annotated[dict[_Word, _Word], Field(max_length=20)]
    jpeg: Annotated[str, Field(max_length=LONGEST_PICTURE * 4 // 3 + 4)] | None

    @field_validator("jpeg")
    @classmethod
    def _is_picture(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                is_jpeg = base64.b64decode(value, validate=True).startswith(_JPEG)
            except binascii.Error:
                is_jpeg = False
            if not is_jpeg:
                raise ValueError("no JPEG")
        return value


class Dossier(_Told):
    """Everything a table reports about open questions and disputes.

    Attributes:
        said: English text -> message, so that the pit reads it in its own language.
    """

    seq: Annotated[int, Field(ge=0)]
    round: _Text
    hold: _Text | None
    disputed: bool
    questions: Annotated[list[Asked], Field(max_length=20)]
    settlements: Annotated[list[Settled], Field(max_length=20)]
    pictures: Annotated[list[Picture], Field(max_length=MAX_PICTURES)]
    said: Annotated[dict[_Text, Any], Field(max_length=MAX_MESSAGES)] = {}


@dataclass(frozen=True, slots=True)
class Kept:
    """A dossier and when it arrived: seconds since 1970, and monotonic seconds."""

    dossier: Dossier
    at: float
    monotonic_s: float


@dataclass(slots=True)
class _Wish:
    name: str
    until: float
    after: float


class Disputes:
    """Requested and received evidence. Thread-safe.

    Args:
        wall_clock: seconds since 1970.
        clock: monotonic seconds.
    """

    def __init__(
        self, wall_clock: Callable[[], float] = time.time, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wall_clock, self._clock = wall_clock, clock
        self._lock = threading.Lock()
        self._wishes: dict[int, _Wish] = {}
        self._kept: dict[int, Kept] = {}

    def look(self, table_id: int) -> Kept | None:
        """Return the latest evidence, and request fresh evidence from the table."""
        now = self._clock()
        with self._lock:
            self._forget(now)
            wish = self._wishes.get(table_id)
            if wish is not None:
                wish.until = now + WANTED_S
            elif len(self._wishes) < MAX_TABLES:
                self._wishes[table_id] = _Wish(secrets.token_hex(8), now + WANTED_S, now)
            return self._kept.get(table_id)

    def wanted_of(self, table_id: int) -> str | None:
        """Return the name of the request pending for a table; None while nobody looks."""
        now = self._clock()
        with self._lock:
            wish = self._wishes.get(table_id)
            return None if wish is None or not wish.after <= now < wish.until else wish.name

    def take(self, table_id: int, name: str, told: object) -> None:
        """Store a table's evidence.

        Raises:
            FloorError: not requested, or malformed; nothing was stored.
        """
        now = self._clock()
        with self._lock:
            wish = self._wishes.get(table_id)
            if wish is None or wish.name != name:
                raise FloorError("nothing-asked", "Nobody in the pit has asked for this.")
        try:
            dossier = Dossier.model_validate(told)
        except (ValidationError, RecursionError) as error:
            raise FloorError("bad-request", "This is no account of what is open.") from error
        with self._lock:
            self._kept[table_id] = Kept(dossier, self._wall_clock(), now)
            wish.name, wish.after = secrets.token_hex(8), now + EVERY_S

    def picture(self, table_id: int, number: int) -> bytes:
        """Return an image of the latest evidence.

        Raises:
            FloorError: it is no longer available.
        """
        with self._lock:
            kept = self._kept.get(table_id)
        pictures = [] if kept is None else kept.dossier.pictures
        found = next((one.jpeg for one in pictures if one.seq == number and one.jpeg is not None), None)
        if found is None:
            raise FloorError.coded("no-picture", "This picture is not here any more. Load the page again.")
        return base64.b64decode(found)

    def _forget(self, now: float) -> None:
        self._wishes = {table: one for table, one in self._wishes.items() if now < one.until}
        fresh = {table: one for table, one in self._kept.items() if now - one.monotonic_s < KEPT_S}
        newest = sorted(fresh, key=lambda table: fresh[table].monotonic_s)[-MAX_TABLES:]
        self._kept = {table: fresh[table] for table in newest}


def to_json(kept: Kept) -> Mapping[str, Any]:
    """Return the evidence as the pit's page needs it; images are fetched separately."""
    told = kept.dossier.model_dump()
    told["pictures"] = [{**one, "jpeg": one["jpeg"] is not None} for one in told["pictures"]]
    return {**told, "at": kept.at}
