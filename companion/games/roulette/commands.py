"""Commands of roulette, in addition to those of any banked game."""

from dataclasses import dataclass

from companion.kernel.commands import Command


@dataclass(frozen=True, slots=True)
class Spin(Command):
    """Enter the pocket in which the ball came to rest."""

    pocket: str
