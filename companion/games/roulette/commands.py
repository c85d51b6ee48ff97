"""What can be asked for at a roulette table, beside what any banked game takes."""

from dataclasses import dataclass

from companion.kernel.commands import Command


@dataclass(frozen=True, slots=True)
class Spin(Command):
    """The ball rests in a pocket."""

    pocket: str
