"""A tray under a camera that stands aside: one and the same die in it, drawn with the face up that a test asks for."""

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))

import plain_dice

from companion.app.die_axis import AxisSetting
from companion.objects.dice import DieKind
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.dice.shapes import AxisSource
from companion.vision.dice.axis import Axis, Lens
from companion.vision.frame import Frame

ASIDE = Axis(24.0, 250.0)
SIZE = (560, 420)
_SKIN = (140, 175, 225)
_LOOK = plain_dice.Look(body=(120, 50, 30), glare=0.1)
_HALVES: dict[str, list[int]] = {f"{number}{half}": [] for number in range(1, 5) for half in "dn"}
for _value in range(1, 21):
    _number, _is_night = plain_dice.rugen_face(_value)
    _HALVES[f"{_number}{'n' if _is_night else 'd'}"].append(_value)


def drawn(kind: DieKind, *faces: str, axis: Axis = ASIDE, seed: int = 1, hand: bool = False) -> np.ndarray:
    """Dice on felt with these faces up, under a camera; with ``hand`` one reaches into the picture."""
    rng = np.random.default_rng([seed, *map(ord, "".join(faces))])
    scene = plain_dice.Scene(plain_dice.ground("felt", SIZE, rng))
    for place, face in enumerate(faces):
        value = int(face) if face.isdigit() else _HALVES[face][seed % len(_HALVES[face])]
        at = (int(rng.integers(160, 240)) + 200 * place, int(rng.integers(150, 260)))
        plain_dice.put(
            scene, kind, value, at, 115, _LOOK, rng, tilt_deg=axis.tilt_deg, towards_deg=axis.towards_deg, order=5
        )
    if hand:
        bare = scene.image.copy()
        cv2.line(scene.image, (490, 480), (470, 270), _SKIN, 66, cv2.LINE_AA)
        for k in range(4):
            cv2.line(scene.image, (440 + 16 * k, 280), (415 + 18 * k, 190), _SKIN, 17, cv2.LINE_AA)
        scene.image = plain_dice.rounded(scene.image, bare)
    return plain_dice.finish(scene.image, rng)


@dataclass
class Tray:
    """A camera over whatever a test lays there; each look is a new frame. Also a source for a `TableWatch`."""

    image: np.ndarray
    number: int = 0
    later: np.ndarray | None = None
    "What lies there from the next frame on."
    name: str = "tray"
    axis: Axis = ASIDE
    _seed: int = field(default=0)

    def show(self, kind: DieKind, *faces: str, hand: bool = False) -> None:
        """Throw the die anew, so that it comes to lie with this face up; none takes it away."""
        self._seed += 1
        self.image = drawn(kind, *faces, axis=self.axis, seed=self._seed, hand=hand)

    def frame(self) -> Frame:
        self.number += 1
        image, self.later = self.image, self.later
        if self.later is not None:
            self.image, self.later = self.later, None
        return Frame(image, self.number / 10, self.number)

    def read(self, timeout_s: float) -> Frame | None:
        time.sleep(0.15)
        return self.frame()

    def close(self) -> None:
        """Nothing is open."""


@dataclass
class FakeRig:
    """The equipment of a game with a die; remembers how it was told to look."""

    axis_session: AxisSession | None
    enrollment: DieEnrollment | None = None
    axis_now: tuple[AxisSource, Axis | None] = ("none", None)
    told: list[AxisSetting] = field(default_factory=list)
    view_deg: float | None = None

    def set_axis(self, axis: AxisSetting, view: float | None) -> None:
        self.view_deg = view
        self.told.append(axis)
        self.axis_now = ("told", Axis(*axis, Lens.of_view(view))) if isinstance(axis, tuple) else ("none", None)
