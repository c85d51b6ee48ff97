"""Spaces of King of Roulette, and the king's rule for which of them earn points."""

from dataclasses import dataclass
from typing import Final

from companion.kernel.messages import Message, message

Space = int | str
KING: Final = "king"
"""Its bettors compete for the crown; it never earns points."""
RIGGED: Final = (1, 2, 3, 4, 5, 6)
"""Spaces a rule can name."""
SPACES: Final[tuple[Space, ...]] = (*RIGGED, KING)


@dataclass(frozen=True, slots=True)
class Rule:
    """The king's rigging rule."""

    text: str
    one: tuple[int, int]
    two: int

    @property
    def plain(self) -> Message:
        """Default wording of the rule, used if the king writes none.

        >>> Rule("", (2, 3), 5).plain
        'Spaces 2 and 3 earn 1 point and space 5 earns 2 points.'
        """
        a, b = self.one
        return message("Spaces {a} and {b} earn 1 point and space {c} earns 2 points.", a=a, b=b, c=self.two)

    @property
    def sayings(self) -> tuple[Message, ...]:
        """Sentences in which a simulated king says the rule."""
        a, b = self.one
        spaces = {"a": a, "b": b, "c": self.two}
        return (
            message("{a} and {b} bring home 1 point, {c} brings home 2.", **spaces),
            message("The careful get 1 point on {a} or {b}, and whoever dares to take {c} gets 2.", **spaces),
            message("My left hand pays 1 on {a} and {b}, my right hand pays 2 on {c}.", **spaces),
            message("Two loyal servants, {a} and {b}, earn 1 each. My favorite is {c} and earns 2.", **spaces),
        )

    @property
    def words(self) -> str:
        """The king's wording; a translatable `Message` if it is one of the program's own."""
        return next((ours for ours in (self.plain, *self.sayings) if ours == self.text), self.text)

    def points(self, space: Space | None) -> int:
        """Return the points of a bet on a space.

        >>> [Rule("", (2, 3), 5).points(space) for space in (1, 2, 3, 5, "king")]
        [0, 1, 1, 2, 0]
        """
        return 2 if space == self.two else int(space in self.one)
