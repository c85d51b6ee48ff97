"""JSON objects of the enrollment page."""

from typing import Literal

from typing_extensions import TypedDict

from companion.kernel.messages import Words

AxisSource = Literal["told", "mat", "demo", "none"]
"""Who says how the camera looks at the tray: the configuration, the calibrated mat, or the demo, whose camera looks
straight down; none: the camera is taken to look so."""


class DieName(TypedDict):
    """One of the house's dice."""

    name: str
    kind: str


class FaceShown(TypedDict):
    """A face, and whether it was shown."""

    face: str
    shown: bool


class FacePicture(TypedDict):
    """The picture that was taken last."""

    face: str
    picture: str
    "A data: address of a JPEG."


class EnrollmentJson(DieName):
    """How far the enrollment is."""

    faces: list[FaceShown]
    wanted: list[str]
    "The faces that are missing."
    last: FacePicture | None


class EnrollmentsJson(TypedDict):
    """The house's dice, and the enrollment that goes on."""

    dice: list[DieName]
    enrollment: EnrollmentJson | None


class DieSeen(TypedDict):
    """What the camera sees of the die."""

    picture: str
    "A data: address of a JPEG: of the die, or of the whole tray where none is seen."
    trouble: Words
    "Why the picture will not do; empty if it will."
    says: str | None
    "The face that is surely up."
    likely: list[str]


class FaceTold(FacePicture):
    """A picture of which it was told what lies on top."""

    number: int
    "The picture's own; none other ever has it."
    fits: bool
    "Whether it fits the others, as far as that is known."


class AxisTellingJson(TypedDict):
    """How far the faces of a die are told that say how the camera looks at the tray."""

    kind: str
    faces: list[str]
    "All that such a die has."
    asked: int
    "So many pictures are wanted."
    told: list[FaceTold]
    "Those that were taken, the first first."
    setting: list[int] | None
    "What was found, as `axis` in the configuration; null until enough pictures fit each other."
    found: Words
    "The same in words; empty."
    trouble: Words
    "Why enough pictures tell no axis, and what to do about it; empty."


class DieLooked(TypedDict):
    """What the camera sees of the tray."""

    picture: str
    "A data: address of a JPEG: the tray, with the die marked."
    trouble: Words
    "Why no face can be told of it; empty if one can."
    told: str
    "The face as which it was taken already; empty: it was not."


class AxisNow(TypedDict):
    """By what dice are read."""

    source: AxisSource
    axis: list[float] | None
    "Degrees off the vertical, and the direction in the picture; null where it is not known."
    text: Words
    view: float | None
    "The camera's horizontal angle of view in degrees, as `view` in the configuration; null where it is not set."
    view_text: Words
    "By which angle of view dice are read, in words; empty for the demo's drawn camera."


class AxesJson(TypedDict):
    """How the camera looks at the tray, and how far it is being told anew."""

    now: AxisNow
    views: list[int]
    "The least and the most angle of view that can be set, in degrees."
    can_tell: bool
    "Whether the running game's camera looks at a die in the tray."
    enrolled: list[str]
    "The dice that have to be enrolled anew once the axis is another."
    enrollment: AxisTellingJson | None
