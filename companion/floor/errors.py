"""What the floor refuses."""

from __future__ import annotations

from companion.kernel.errors import CompanionError


class FloorError(CompanionError):
    """Something that the floor refuses. ``code`` never changes; the message says what to do."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class PurseError(FloorError):
    """Coins that do not move, and why."""
