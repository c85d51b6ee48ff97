"""What the dashboard asks of the rest: the table's thread, the camera's watch, the demo table.

`companion.service.TableService`, `companion.tracking.watch.TableWatch` and the demo's control fit these; a page
never reaches past them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from companion.evidence import Exhibit
from companion.history import HandHistory


class Accepted(Protocol):
    """A command that is durable: its number in the journal, and what happened."""

    @property
    def seq(self) -> int: ...
    @property
    def events(self) -> Sequence[Mapping[str, Any]]: ...


class Service(Protocol):
    """The one thread that owns the table."""

    @property
    def history(self) -> HandHistory: ...
    def submit(
        self, record: Mapping[str, Any], *, source: str, key: str | None = None, timeout_s: float = 5.0
    ) -> Accepted: ...
    def view(self, viewer: str = "room") -> dict[str, Any]: ...
    def view_json(self, viewer: str) -> bytes: ...
    def wait(self, after_version: int, timeout_s: float) -> int: ...
    def events(self, after: int, limit: int, viewer: str = "room") -> list[dict[str, Any]]: ...
    def answer(self, question_id: str, choice_id: str, *, source: str) -> Accepted | None: ...
    def intend(self, what: Any, *, source: str) -> None: ...
    def notice(
        self, text: str, *, source: str, data: dict[str, Any] | None = None, private: bool = False
    ) -> object: ...


class Watch(Protocol):
    """The camera's thread."""

    def picture(self) -> bytes | None:
        """Return the newest frame as JPEG with what is recognised drawn on it; None before the first."""
        ...

    def stats(self) -> Mapping[str, Any]: ...


class Demo(Protocol):
    """What a visitor may do to the demo table."""

    def state(self) -> Mapping[str, Any]: ...
    def auto(self, on: bool) -> object: ...
    def deal(self) -> object: ...
    def gather(self) -> object: ...
    def mischief(self, kind: str) -> object: ...


class Exhibits(Protocol):
    """What was kept of what the camera read."""

    def get(self, name: str) -> Exhibit: ...


class DeckInfo(Protocol):
    """What the set-up page tells about a deck."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...


class Decks(Protocol):
    """The decks of this data directory."""

    def all(self) -> Sequence[DeckInfo]: ...
