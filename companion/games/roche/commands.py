"""Commands of Roche besides those of every banked card game."""

from dataclasses import dataclass
from typing import Any

from companion.kernel.commands import Command


@dataclass(frozen=True, slots=True)
class Burn(Command):
    """Discard cards from the deck face down."""

    count: Any
