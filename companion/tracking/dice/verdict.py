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
"""Why there is no value: nothing wrong, not sure enough, the die does not lie flat, it is no die of this game, it
touches the tray's wall and may lean on it, or the camera may look from aside: another face than the upper is seen."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reading of a die.

    Attributes:
        kind: of die (see `companion.vision.dice.boxes.DieKind`); None where not even that is sure.
        value: the number on the face; None if not sure.
        face: number and half, as ``3n``, that the face shows or stands for; None if not sure.
        confidence: 0 to 1.
        trouble: why there is no value.
        likely: what it may be, the likeliest first: values of a d20, or faces.
    """

    kind: str | None
    value: int | None = None
    face: str | None = None
    confidence: float = 0.0
    trouble: Trouble = ""
    likely: tuple[str, ...] = ()

    @property
    def shown(self) -> str | None:
        """What a person would say it shows: a d20's value or a face; None if not sure.

        >>> Verdict("d20", 17, "4n").shown, Verdict("halves", 3, "3n").shown, Verdict("d20").shown
        ('17', '3n', None)
        """
        if self.value is None or self.face is None:
            return None
        return str(self.value) if self.kind == "d20" else self.face


class DieReader(Protocol):
    """Detects dice and reads them. Not thread-safe."""

    def find(self, image: Image) -> Sequence[Spot]:
        """Return the dice of any kind in a picture."""
        ...

    def start(self) -> None:
        """A die has come to rest: reset."""
        ...

    def observe(self, image: Image, spot: Spot) -> Verdict | None:
        """Process one more picture of the resting die; return a verdict as soon as there is one, sure or not."""
        ...

    def know(self, dice: Sequence[EnrolledDie]) -> None:
        """Recognise these enrolled dice from now on. May be called from another thread."""
        ...

    def look_by(self, axis: Axis | None) -> None:
        """Take the camera to look so from the next throw on. May be called from another thread."""
        ...


def throw_record(shown: str) -> Record:
    """Return the command for what a die shows.

    >>> throw_record("17"), throw_record("3n")
    ({'do': 'throw', 'd20': 17}, {'do': 'throw', 'face': '3n'})
    """
    return {"do": "throw", "d20": int(shown)} if shown.isdigit() else {"do": "throw", "face": shown}


def kind_words(kind: str) -> str:
    """Return a kind of die in words; what is none stays as it is.

    >>> kind_words("d20")
    'd20'
    """
    return next((words for known, words in DIE_NAMES.items() if known == kind), kind)


def shown_words(shown: str) -> Message:
    """Return what a die shows in words.

    >>> shown_words("17"), shown_words("3n")
    ('17 (night 4)', 'night 3')
    """
    if not shown.isdigit():
        return face_words(shown)
    return message("{value} ({face})", value=shown, face=face_words(D20_FACES[int(shown) - 1]))
