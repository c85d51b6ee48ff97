"""JSON objects of the enrollment page."""

from __future__ import annotations

from typing_extensions import TypedDict

from companion.kernel.messages import Words


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
