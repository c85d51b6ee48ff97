"""Latest snapshot of each table, in memory only: for display, never a source of truth about coins."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from companion.kernel.messages import Message
from companion.locale import known_message

log = logging.getLogger(__name__)

_Word = Annotated[str, Field(max_length=80)]
MAX_COINS: Final = 2**53 - 1
"""Largest number of coins that a table counts, which JavaScript still represents exactly."""

_Coins = Annotated[int, Field(ge=-MAX_COINS, le=MAX_COINS)]


class _Shown(BaseModel):
    """Base for untrusted input from tables: what everybody's page shows has known types and bounded sizes."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class Said(_Shown):
    """A translatable message with its values; see `companion.kernel.messages`."""

    say: Annotated[str, Field(max_length=1000)]
    values: Annotated[
        dict[_Word, Annotated[str, Field(max_length=1000)] | int | Said], Field(max_length=20, alias="with")
    ]


class LivePlayer(_Shown):
    """A player at a table, with the coins in front of them and on undecided bets."""

    name: _Word
    coins: _Coins
    staked: _Coins


class LiveSnapshot(_Shown):
    """A table's public snapshot. Times are ISO 8601 in UTC.

    Attributes:
        seq: the latest journal entry that it includes.
        in_play: coins on undecided bets and in pots.
        on_table: `in_play` plus the players' coins.
        house: the bank's net gain in this session.
        hold: why the table is on hold; a `Message` if the program worded it.
        hold_said: `hold` as a message without nested messages, for older floors.
        hold_told: `hold` as a message that may nest messages and plurals; older tables send none.
        disputed: the two settlements of a payout differ.
        asked_since: since when a question waits for the dealer.
        camera: `ok`, `poor`, `lost`, `ended` or `none`.
        behind_s: seconds since the table thread's last loop iteration; 0 while it keeps up.
        prices_refused: why the floor's newest prices cannot apply at the table; a `Message` as with `hold`.
        prices_said: `prices_refused` as a message.
    """

    game: _Word
    title: _Word
    seq: Annotated[int, Field(ge=0)]
    rounds: Annotated[int, Field(ge=0)]
    phase: _Word
    players: Annotated[list[LivePlayer], Field(max_length=100)]
    in_play: _Coins
    on_table: _Coins
    house: _Coins
    hold: Annotated[str, Field(max_length=1000)] | None
    disputed: bool
    asked_since: _Word | None
    camera: _Word
    panel: Literal["ok", "trouble", "none"]
    disk: Literal["ok", "low", "full"]
    journal: _Word
    behind_s: Annotated[int, Field(ge=0)]
    prices_refused: Annotated[str, Field(max_length=1000)] | None = None
    hold_said: Annotated[Said | None, Field(exclude=True)] = None
    hold_told: Annotated[Any, Field(exclude=True)] = None
    prices_said: Annotated[Any, Field(exclude=True)] = None


class LiveSnapshots:
    """The latest snapshot of each table. Thread-safe.

    Args:
        packages: returns the games' packages, whose messages tables may use, too.
    """

    def __init__(self, packages: Callable[[], tuple[str, ...]] = tuple) -> None:
        self._packages = packages
        self._lock = threading.Lock()
        self._pictures: dict[int, LiveSnapshot] = {}

    def take(self, table_id: int, told: object) -> None:
        """Replace a table's snapshot; logs and ignores an invalid one."""
        if not isinstance(told, Mapping):
            return
        try:
            picture = LiveSnapshot.model_validate(dict(told))
        except (ValidationError, RecursionError) as error:
            where: Any = error.errors()[0]["loc"] if isinstance(error, ValidationError) else "nesting"
            log.warning("Ignored an invalid snapshot of table %s (%s)", table_id, where)
            return
        with self._lock:
            self._pictures[table_id] = self._in_words(picture)

    def pictures(self) -> dict[int, LiveSnapshot]:
        """Return the latest snapshot of each table."""
        with self._lock:
            return dict(self._pictures)

    def _in_words(self, picture: LiveSnapshot) -> LiveSnapshot:
        """Return a snapshot with known messages in place of their English texts."""
        held, refused = picture.hold, picture.prices_refused
        if held is not None and picture.hold_told is not None:
            held = said_by_table(picture.hold_told, self._packages()) or held
        if held is picture.hold and held is not None and picture.hold_said is not None:
            held = _known(picture.hold_said, ()) or held
        if refused is not None and picture.prices_said is not None:
            refused = said_by_table(picture.prices_said, self._packages()) or refused
        return picture.model_copy(
            update={
                "hold": held,
                "hold_said": None,
                "hold_told": None,
                "prices_refused": refused,
                "prices_said": None,
            }
        )


def said_by_table(told: object, packages: tuple[str, ...] = ()) -> Message | None:
    """Return a table's message if this program or one of these packages defines it, else None."""
    try:
        return _known(Said.model_validate(told), packages)
    except (ValidationError, RecursionError):
        return None


def _known(said: Said, packages: tuple[str, ...]) -> Message | None:
    return known_message(said.say, said.model_dump(by_alias=True)["with"], packages)
