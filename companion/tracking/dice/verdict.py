"""The reading of a resting die: the interface between dice recognition and the interpretation of throws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.words import face_words
from companion.objects.dice import D20_FACES, DIE_NAMES
from companion.tracking.dice.tray import Spot
from companion.vision.dice.axis import Axis
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.frame import Image

Trouble = Literal["", "unsure", "leaning", "wrong-kind", "at-wall", "aside"]
"""Why there is no value.

``unsure``: not certain enough. ``leaning``: the die does not lie flat. ``wrong-kind``: not a die of this game.
``at-wall``: it touches the tray's wall and may lean on it. ``aside``: the camera may look at an angle, so that the face
seen may not be the upper one. Empty: no trouble.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reading of a die.

    Attributes:
        kind: the kind of die (see `companion.objects.dice.DieKind`); None if uncertain.
        value: the number on the face; None if uncertain.
        face: number and half, as ``3n``, that the face shows or stands for; None if uncertain.
        confidence: 0 to 1.
        trouble: why there is no value.
        likely: candidates, most likely first: values of a d20, or faces.
    """

    kind: str | None
    value: int | None = None
    face: str | None = None
    confidence: float = 0.0
    trouble: Trouble = ""
    likely: tuple[str, ...] = ()

    @property
    def shown(self) -> str | None:
        """The result as people call it: a d20's value, or a face; None if uncertain.

        >>> Verdict("d20", 17, "4n").shown, Verdict("halves", 3, "3n").shown, Verdict("d20").shown
        ('17', '3n', None)
        """
        if self.value is None or self.face is None:
            return None
        return str(self.value) if self.kind == "d20" else self.face


class DieReader(Protocol):
    """Detects dice and reads them. Not thread-safe."""

    def find(self, image: Image) -> Sequence[Spot]:
        """Return the dice in a picture, of any kind."""
        ...

    def start(self) -> None:
        """A die has come to rest: reset."""
        ...

    def observe(self, image: Image, spot: Spot) -> Verdict | None:
        """Process one more picture of the resting die; return the verdict once reached, certain or not, else None."""
        ...

    def set_known_dice(self, dice: Sequence[EnrolledDie]) -> None:
        """Recognise these enrolled dice from now on. May be called from another thread."""
        ...

    def set_axis(self, axis: Axis | None) -> None:
        """Set the camera's axis, from the next throw on; None if unknown. May be called from another thread."""
        ...


def throw_record(shown: str) -> Record:
    """Return the command for a die's result.

    >>> throw_record("17"), throw_record("3n")
    ({'do': 'throw', 'd20': 17}, {'do': 'throw', 'face': '3n'})
    """
    return {"do": "throw", "d20": int(shown)} if shown.isdigit() else {"do": "throw", "face": shown}


def kind_words(kind: str) -> str:
    """Return a kind of die in words; an unknown kind is returned unchanged.

    >>> kind_words("d20")
    'd20'
    """
    return next((words for known, words in DIE_NAMES.items() if known == kind), kind)


def shown_words(shown: str) -> Message:
    """Return a die's result in words.

    >>> shown_words("17"), shown_words("3n")
    ('17 (night 4)', 'night 3')
    """
    if not shown.isdigit():
        return face_words(shown)
    return message("{value} ({face})", value=shown, face=face_words(D20_FACES[int(shown) - 1]))
