"""Renders the dice tray from above: wooden rim, cloth, dice and hands."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from companion.rendering.lights import Lighting, lamp
from companion.rendering.painter import View, paint
from hardware.demo.dice.flight import DiePose
from hardware.demo.dice.models import RADIUS_MM, DieKind, model
from hardware.demo.faces import Faces, Make
from hardware.demo.felt import light_on, nap, read_only
from hardware.demo.layers import Image
from hardware.demo.layout import Pose
from hardware.demo.pinhole import Pinhole, TelephotoCamera
from hardware.demo.scene import Scene

HALF_MM: Final = (143.0, 92.0)
"""Half of the tray's inner width and height."""
RIM_MM: Final = 9.0
VIEW_MM: Final = 372.0
"""Width of the camera's view."""
_CLOTH: Final = (42, 34, 96)  # BGR: a wine-red baize
_WOOD: Final = (38, 66, 104)
_TABLE: Final = (52, 78, 58)


@dataclass(frozen=True, slots=True, eq=False)
class DieView:
    """A visible die; ``before`` is its pose at the start of the exposure while it moves, for motion blur."""

    kind: DieKind
    pose: DiePose
    before: DiePose | None = None


class TrayScene(Scene):
    """The tray with its dice. Not thread-safe, and independent of time."""

    def __init__(self, size: tuple[int, int] = (1920, 1080), seed: int = 1) -> None:
        camera = TelephotoCamera(size, size[0] / VIEW_MM, tilt_deg=0.0, roll_deg=0.4)
        super().__init__(Faces(_no_cards), camera, draw_tray(camera, seed), deck_at=Pose(0, 0), seed=seed)
        self.dice: tuple[DieView, ...] = ()
        self._lights = Lighting(
            (lamp(-125, 58, (0.62, 0.62, 0.60)),), (0.5, 0.5, 0.5), shadow=0.5, softness=0.22, sway=0.05
        )  # fmt: skip
        self._cached: tuple[tuple[DieView, ...], Image] | None = None

    @property
    def zone(self) -> tuple[float, float, float, float]:
        """The tray's inside in the image: x, y, width and height as fractions of the image size."""
        (width, height), (half_x, half_y) = self.camera.size, HALF_MM
        corners = [(x, y, 0.0) for x in (-half_x, half_x) for y in (-half_y, half_y)]
        px = self.camera.project(np.array(corners))
        (x0, y0), (x1, y1) = px.min(axis=0) / (width, height), px.max(axis=0) / (width, height)
        return float(x0), float(y0), float(x1 - x0), float(y1 - y0)

    def _background(self) -> Image:
        if self._cached is not None and self._cached[0] == self.dice:
            return self._cached[1]
        image = self._still_image.copy()
        for die in self.dice:
            self._draw_die(image, die)
        self._cached = self.dice, image
        return image

    def _draw_die(self, image: Image, die: DieView) -> None:
        if die.before is None:
            self._paint(image, die.kind, die.pose)
            return
        first = image.copy()  # average of two moments of the exposure
        self._paint(first, die.kind, _midpoint(die.before, die.pose))
        self._paint(image, die.kind, die.pose)
        cv2.addWeighted(image, 0.5, first, 0.5, 0.0, dst=image)

    def _paint(self, image: Image, kind: DieKind, pose: DiePose) -> None:
        radius = RADIUS_MM[kind]
        distance = self.camera.focal_px / self.camera.px_per_mm
        height = pose.z + 0.79 * radius
        x, y = self.camera.project(np.array([[pose.x, pose.y, height]]))[0]
        away = math.hypot(pose.x, pose.y)
        view = View(
            (float(x), float(y)),
            radius * self.camera.px_per_mm * distance / (distance - height),
            (distance - height) / radius,
            math.degrees(math.atan2(away, distance)),
            math.degrees(math.atan2(pose.y, -pose.x)),
        )
        paint(image, model(kind), pose.turn, view, self._lights)


def _midpoint(a: DiePose, b: DiePose) -> DiePose:
    return DiePose((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2, a.turn)


@lru_cache(maxsize=2)
def draw_tray(camera: Pinhole, seed: int) -> Image:
    """Render the empty tray, uint8 (H, W, 3) BGR, read-only, without sensor noise."""
    rng = np.random.default_rng(seed)
    width, height = camera.size
    image = np.empty((height, width, 3), np.float32)
    image[:] = _TABLE
    image += nap(rng, camera.size)[..., None] * 0.8
    _wood(image, camera, rng)
    _fill(image, camera, HALF_MM, _CLOTH)
    cloth = np.zeros((height, width), np.float32)
    _fill(cloth, camera, HALF_MM, 1.0)
    image += (nap(rng, camera.size) * cloth)[..., None] * 0.9
    _inner_shadow(image, camera)
    image *= light_on(camera.size)[..., None]
    return read_only(np.clip(cv2.GaussianBlur(image, (0, 0), 0.7), 0, 255).astype(np.uint8))


def _corners(camera: Pinhole, half: tuple[float, float]) -> Image:
    points = np.array(
        [(-half[0], -half[1], 0.0), (half[0], -half[1], 0), (half[0], half[1], 0), (-half[0], half[1], 0)]
    )
    return np.asarray((camera.project(points) * 16).round().astype(np.int32))


def _fill(image: object, camera: Pinhole, half: tuple[float, float], colour: object) -> None:
    cv2.fillConvexPoly(image, _corners(camera, half), colour, cv2.LINE_AA, 4)  # type: ignore[call-overload]


def _wood(image: object, camera: Pinhole, rng: np.random.Generator) -> None:
    """Draw the rim of dark wood, with horizontal grain."""
    assert isinstance(image, np.ndarray)
    half = (HALF_MM[0] + RIM_MM, HALF_MM[1] + RIM_MM)
    mask = np.zeros(image.shape[:2], np.float32)
    _fill(mask, camera, half, 1.0)
    lines = rng.standard_normal((image.shape[0], 1)).astype(np.float32)
    grain = cv2.GaussianBlur(np.repeat(lines, image.shape[1], axis=1), (0, 0), sigmaX=1.0, sigmaY=1.6) * 14
    wood = np.array(_WOOD, np.float32) + grain[..., None]
    image[:] = image * (1 - mask[..., None]) + wood * mask[..., None]


def _inner_shadow(image: object, camera: Pinhole) -> None:
    """Draw the rim's shadow along the upper and left edge of the cloth."""
    assert isinstance(image, np.ndarray)
    inside = np.zeros(image.shape[:2], np.float32)
    _fill(inside, camera, HALF_MM, 1.0)
    shift = np.array([[1, 0, 26.0], [0, 1, 30.0]], np.float32)
    lit = cv2.warpAffine(inside, shift, (image.shape[1], image.shape[0]))
    soft = cv2.GaussianBlur(inside * (1 - lit), (0, 0), 9.0)
    image *= (1 - 0.34 * soft * inside)[..., None]


def _no_cards(piece: str, make: Make) -> Image:
    raise LookupError(f"No card {piece} ({make}) lies in the dice tray.")
