"""JSON objects of the pages for die enrollment and axis calibration."""

from typing import Literal

from typing_extensions import TypedDict

from companion.kernel.messages import Words

AxisSource = Literal["told", "mat", "demo", "none"]
"""Source of the camera's axis: ``told``: the configuration; ``mat``: the calibrated mat; ``demo``: its camera looks
straight down; ``none``: unknown, assumed to look straight down."""


class DieName(TypedDict):
    """An enrolled die."""

    name: str
    kind: str


class FaceShown(TypedDict):
    """A face, and whether it has been shown."""

    face: str
    shown: bool


class FacePicture(TypedDict):
    """A picture taken, with its face."""

    face: str
    picture: str
    "A data: URL of a JPEG."


class EnrollmentJson(DieName):
    """Progress of the enrollment."""

    faces: list[FaceShown]
    wanted: list[str]
    "The missing faces."
    last: FacePicture | None


class EnrollmentsJson(TypedDict):
    """The enrolled dice, and the open enrollment."""

    dice: list[DieName]
    enrollment: EnrollmentJson | None


class DieSeen(TypedDict):
    """The die as the camera sees it now."""

    picture: str
    "A data: URL of a JPEG: the die, or the whole tray if none is seen."
    trouble: Words
    "Why the picture is unusable; empty if it is usable."
    says: str | None
    "The face on top if the reading is certain."
    likely: list[str]


class FaceTold(FacePicture):
    """A picture labelled with the face on top."""

    number: int
    "The picture's number, never reused."
    fits: bool
    "Whether it is consistent with the other pictures; true until there are enough of them."


class AxisTellingJson(TypedDict):
    """Progress of the axis calibration."""

    kind: str
    faces: list[str]
    "All faces of this kind of die."
    asked: int
    "The number of pictures required."
    told: list[FaceTold]
    "The pictures taken, oldest first."
    setting: list[int] | None
    "The axis found, as `axis` in the configuration; null until enough pictures are consistent."
    found: Words
    "The axis found, in words; empty without one."
    trouble: Words
    "Why the required number of pictures gives no axis, with the remedy; empty otherwise."


class DieLooked(TypedDict):
    """The tray as the camera sees it now."""

    picture: str
    "A data: URL of a JPEG: the tray, with the die marked."
    trouble: Words
    "Why the picture cannot be labelled; empty if it can."
    told: str
    "The face under which this position of the die was already taken; empty if it was not."


class AxisNow(TypedDict):
    """The camera geometry used for reading dice."""

    source: AxisSource
    axis: list[float] | None
    "Degrees off the vertical, and the direction in the picture; null if unknown."
    text: Words
    view: float | None
    "The camera's horizontal angle of view in degrees, as `view` in the configuration; null if not set."
    view_text: Words
    "The angle of view used for reading dice, in words; empty for the demo's drawn camera."


class AxesJson(TypedDict):
    """The camera geometry in use, and the open calibration."""

    now: AxisNow
    views: list[int]
    "The minimum and maximum angle of view that can be set, in degrees."
    can_tell: bool
    "Whether calibration is possible: the running game has a camera on the dice tray."
    enrolled: list[str]
    "The dice that have to be enrolled again when the axis changes."
    enrollment: AxisTellingJson | None
