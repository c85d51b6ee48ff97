"""Renders the bowl from above: lacquer on a felt, three dice in it or beside it, hands."""

from dataclasses import dataclass
from functools import cache
from math import hypot, pi
from typing import Final

import cv2
import numpy as np

from companion.rendering import painter
from companion.rendering.bowls.rays import Camera, Die, Lamp, Scene, Surface
from companion.rendering.bowls.renderer import BowlRenderer
from companion.rendering.bowls.shapes import Array, Bowl, Pose, rest, upright
from companion.rendering.faces import FaceArt, pip_faces
from companion.rendering.layouts import d6_layout
from companion.rendering.lights import Lighting, lamp
from companion.rendering.materials import Material
from companion.rendering.solids import Points, solid
from hardware.demo.faces import Faces, Make
from hardware.demo.layers import Image
from hardware.demo.layout import Pose as FlatPose
from hardware.demo.pinhole import TelephotoCamera
from hardware.demo.scene import Scene as HandScene

EDGE_MM: Final = 16.0
BOWL: Final = Bowl(radius=4.3, height=1.6, depth=1.45, power=2.6, flat=0.3, lip=0.2, foot=0.6)
"""Lengths in units of a die's edge."""
VIEW_MM: Final = 400.0
RADIUS_MM: Final = EDGE_MM * 3**0.5 / 2
"""Distance from a die's centre to its corners."""
_ART: Final = 256
_MATERIAL: Final = Material((222, 232, 236), gloss=0.35, rounding=0.06)
_INK: Final = (30, 26, 24)


class BowlCamera(TelephotoCamera):
    """The camera straight above the bowl."""

    @property
    def traced(self) -> Camera:
        """The same camera, in the ray tracer's form."""
        edge_px = EDGE_MM * self.px_per_mm
        distance = self.focal_px / edge_px
        return Camera(self.size, self.focal_px, distance, roll=pi / 2, middle=(0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class FlyingDie:
    """A die in motion: its centre in mm (y down in the image, z up from the table), and its rotation quaternion."""

    x: float
    y: float
    z: float
    turn: Points


class BowlScene(HandScene):
    """The bowl with its dice. Not thread-safe; has no clock.

    Attributes:
        rested: image of the resting dice.
        flying: dice in motion.
    """

    def __init__(self, size: tuple[int, int] = (1920, 1080), seed: int = 1) -> None:
        camera = BowlCamera(size, size[0] / VIEW_MM, tilt_deg=0.0, roll_deg=0.0)
        self.renderer = _renderer(camera)
        super().__init__(Faces(_no_cards), camera, self.renderer.empty, deck_at=FlatPose(0, 0), seed=seed)
        self.rested: Image = self.renderer.empty
        self.flying: tuple[FlyingDie, ...] = ()
        self._lights = Lighting(
            (lamp(-125, 62, (0.72, 0.72, 0.70)),), (0.5, 0.5, 0.5), shadow=0.4, softness=0.5, sway=0.05
        )  # fmt: skip

    def _background(self) -> Image:
        if not self.flying:
            return self.rested
        image = self.rested.copy()
        for die in self.flying:
            self._paint(image, die)
        return image

    def _paint(self, image: Image, die: FlyingDie) -> None:
        distance = self.camera.focal_px / self.camera.px_per_mm
        x, y = self.camera.project(np.array([[die.x, die.y, die.z]]))[0]
        grow = distance / (distance - die.z)
        view = painter.View(
            (float(x), float(y)),
            RADIUS_MM * self.camera.px_per_mm * grow,
            (distance - die.z) / RADIUS_MM,
            float(np.degrees(np.arctan2(hypot(die.x, die.y), distance))),
            float(np.degrees(np.arctan2(die.y, -die.x))),
        )
        painter.paint(image, _painted_die(), die.turn, view, self._lights)


# ---- the dice


@cache
def _art() -> tuple[FaceArt, ...]:
    return pip_faces(d6_layout("western"), "western", _INK, [0.0] * 6, radius=0.19, spread=0.5)


@cache
def _painted_die() -> painter.Die:
    return painter.Die(solid("d6"), _art(), _MATERIAL)


def die_at(pose: Pose) -> Die:
    """Return a die of the demo in a pose."""
    return Die(_art(), _MATERIAL, pose)


def shows_up(value: int, yaw: float) -> Array:
    """Return a rotation matrix with a value on top.

    >>> shown_by(shows_up(5, 0.3))
    5
    """
    normal = solid("d6").normals[d6_layout("western").index(value)]
    axis = int(abs(normal).argmax())
    return upright(axis, int(np.sign(normal[axis])), yaw)


def shown_by(turn: Array) -> int:
    """Return the value of the face that points up most."""
    return d6_layout("western")[int((solid("d6").normals @ turn.T[:, 2]).argmax())]


def lying(value: int, x: float, y: float, yaw: float) -> Pose | None:
    """Return a die's resting pose (die edges from the bowl's centre, y up); None if it cannot rest there."""
    far = hypot(x, y)
    if far > BOWL.radius + BOWL.lip:
        return Pose(np.array([x, y, 0.5]), shows_up(value, yaw)) if far > BOWL.radius + BOWL.lip + 0.8 else None
    return rest(BOWL, x, y, shows_up(value, yaw))


# ---- the bowl


@cache
def _renderer(camera: BowlCamera) -> BowlRenderer:
    inner = Surface(_lacquer((24, 20, 104)), 2 * BOWL.radius, 0.55, 0.0, 0.35)
    outer = Surface(_lacquer((16, 14, 18)), 2.6 * BOWL.radius, 0.6, 0.0, 0.3)
    table = Surface(_felt(), 14.0, 0.0)
    lamps = (Lamp(_way(-0.25, 0.3, 0.92), 0.08, (0.5, 0.52, 0.54)), Lamp(_way(0.3, 0.2, 0.93), 0.2, (0.2, 0.2, 0.2)))
    sky = np.full((64, 64, 3), 0.42, np.float32)
    cv2.circle(sky, (18, 16), 5, (2.2, 2.2, 2.2), -1, cv2.LINE_AA)
    return BowlRenderer(Scene(BOWL, inner, outer, table, (), lamps, (0.5, 0.5, 0.5), sky, camera.traced, 0.42))


def _way(x: float, y: float, z: float) -> Array:
    way = np.array([x, y, z])
    return np.asarray(way / np.linalg.norm(way))


def _lacquer(base: tuple[int, int, int]) -> Image:
    art = np.full((_ART, _ART, 3), base, np.uint8)
    for ring in (0.6, 0.64):
        cv2.circle(art, (_ART // 2, _ART // 2), round(ring * _ART / 2), (70, 130, 165), 1, cv2.LINE_AA)
    return art


def _felt() -> Image:
    cloth = np.random.default_rng(5).normal(0, 1, (_ART, _ART)).astype(np.float32)
    cloth = cv2.GaussianBlur(cloth, (0, 0), 1.0) * 9 + cv2.GaussianBlur(cloth, (0, 0), 12) * 40
    return np.asarray(np.clip(np.array((70, 92, 52), np.float32) + cloth[..., None], 0, 255), np.uint8)


def _no_cards(piece: str, make: Make) -> Image:
    raise LookupError(f"nobody lays {piece} here")
