"""What the companion asks the dealer when it is not sure, or when something on the table is not right.

A question names what was seen and offers ways out; one press answers it. Questions are not part of the game's
state: the answer is a command like any other, or none.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from companion.kernel.commands import Record

Intention = Literal["play", "deal"]
"""What a button or a tap said about the next card, before it came to rest."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way out: its label for the button, and the command it gives, if any."""

    id: str
    label: str
    command: Record | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Something for the dealer to decide.

    ``id`` stays the same while the same thing is asked; ``kind`` is one word (``early``, ``duplicate``, ``forged``,
    ``foreign``, ``vanished``, ``unsure``, ``gather`` …); ``blocks`` says that cards read by the camera wait until
    it is answered.
    """

    id: str
    kind: str
    text: str
    choices: tuple[Choice, ...]
    card: str | None = None
    blocks: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the question for a page: what is asked and the labels of the ways out."""
        record = asdict(self)
        record["choices"] = [{"id": c.id, "label": c.label} for c in self.choices]
        return record
