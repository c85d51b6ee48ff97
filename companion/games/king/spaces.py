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
    def words(self) -> str:
        """The king's wording, or the translatable default."""
        return self.plain if self.text == self.plain else self.text

    def points(self, space: Space | None) -> int:
        """Return the points of a bet on a space.

        >>> [Rule("", (2, 3), 5).points(space) for space in (1, 2, 3, 5, "king")]
        [0, 1, 1, 2, 0]
        """
        return 2 if space == self.two else int(space in self.one)
