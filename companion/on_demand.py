"""What is imported only once it is needed: most of a game is not, to play a hand script or to say what is installed."""

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any


@dataclass(frozen=True, slots=True)
class OnDemand:
    """A function, a class or a value by its module and its name there.

    >>> OnDemand("math:gcd")(12, 18), OnDemand("math:inf").get()
    (6, inf)
    """

    where: str

    def get(self) -> Any:
        """Import and return it."""
        return resolve_name(self.where)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Import and call it."""
        return self.get()(*arguments, **named)
