"""What can be asked for at a table of Roche, beside what any banked card game takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.kernel.commands import Command


@dataclass(frozen=True, slots=True)
class Burn(Command):
    """Discard cards from the deck face down."""

    verb = "burn"
    count: Any
