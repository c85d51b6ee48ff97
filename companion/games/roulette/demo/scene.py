"""Renders the roulette table from above: a small wheel beside the printed layout, chips, hands."""

from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from companion.games.roulette.mats.spots import MATS
from companion.games.roulette.wheel import RIMS, color_of
from companion.games.roulette.wheel import Wheel as WheelName
from companion.objects.chips import CHIP_MM
from companion.printing.chips import chip_pieces
from companion.printing.mats.art import draw_mat
from companion.rendering.wheels.rotor_art import Bgr, Pocket
from companion.rendering.wheels.shape import Ball, Eye
from companion.rendering.wheels.wheel import Place, Wheel
from hardware.demo.faces import PX_PER_MM, Faces, Make
from hardware.demo.felt import light_on, nap, read_only
from hardware.demo.layers import Image, Texture, apply_shadow, composite, shadow_of, warp
from hardware.demo.layout import Pose
from hardware.demo.mat_felt import print_mat
from hardware.demo.pinhole import TelephotoCamera
from hardware.demo.printer import draw
from hardware.demo.scene import Scene

WHEEL_AT: Final = (-410.0, 0.0)
"""The wheel's axis on the table, mm."""
WHEEL_MM: Final = 198.0
MAT_AT: Final = (-160.0, -200.0)
"""The mat's upper left corner on the table, mm."""
_VIEW_MM: Final = 1238.0
_FELT: Final = (40, 74, 36)
_GROUNDS: Final[dict[str, Bgr]] = {"red": (30, 26, 178), "black": (28, 26, 26), "green": (60, 130, 30)}
_INK_SCALE, _INK_FLOOR = 0.86, 22


class HighCamera(TelephotoCamera):
    """The camera two metres above wheel and layout."""

    @property
    def height_mm(self) -> float:
        """Height above the table."""
        return self.focal_px / self.px_per_mm


class ChipFaces(Faces):
    """Printed betting chips by their names."""

    def __init__(self) -> None:
        super().__init__(_print_chip)
        self._chips: dict[str, Texture] = {}

    def texture(self, piece: str, make: Make = "genuine") -> Texture:
        """Return a chip's face, the same on both sides."""
        if piece not in self._chips:
            self._chips[piece] = _cut_out(_print_chip(piece, make))
        return self._chips[piece]


def _print_chip(piece: str, make: Make) -> Image:
    return draw(chip_pieces((piece,))[0])


def _cut_out(printed: Image) -> Texture:
    side = round(CHIP_MM * PX_PER_MM)
    small = cv2.resize(printed, (side, side), interpolation=cv2.INTER_AREA)
    ink = cv2.convertScaleAbs(small, alpha=_INK_SCALE, beta=_INK_FLOOR)
    mask = np.zeros((4 * side, 4 * side), np.uint8)
    cv2.circle(mask, (2 * side, 2 * side), 2 * side - 2, 255, -1)
    cover = np.asarray(cv2.resize(mask, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    colour = cv2.multiply(ink, cv2.cvtColor(cover, cv2.COLOR_GRAY2BGR), scale=1 / 255)
    return Texture(np.asarray(colour, np.uint8), cover, (CHIP_MM, CHIP_MM))


class RouletteScene(Scene):
    """The wheel, the mat and the chips. Not thread-safe; has no clock.

    Attributes:
        turn: angle at which the wheel's first pocket begins.
        ball: position of the ball; None if it is not on the wheel.
    """

    def __init__(self, wheel: WheelName, size: tuple[int, int] = (1920, 1080), seed: int = 1) -> None:
        camera = HighCamera(size, size[0] / _VIEW_MM, tilt_deg=0.0, roll_deg=0.0)
        self.wheel = new_wheel(wheel, camera)
        empty = draw_table(camera, wheel, seed).copy()
        self.wheel.draw_still(empty)
        super().__init__(ChipFaces(), camera, empty, deck_at=Pose(0, 0), seed=seed)
        self.turn = 0.4
        self.ball: Ball | None = None
        self._calm: tuple[object, Image] | None = None

    def _background(self) -> Image:
        """Return the table with the current rotor and ball; cached until something moves."""
        now = self.turn, self.ball, tuple(id(thing) for thing in self.lying)
        if self._calm is None or self._calm[0] != now:
            image = self._still_image.copy()
            self.wheel.draw(image, self.turn, self.ball)
            self._calm = now, image
        return self._calm[1]


def new_wheel(wheel: WheelName, camera: HighCamera) -> Wheel:
    """Return a wheel at its place on the table."""
    x, y = camera.project(np.array([[*WHEEL_AT, 0.0]]))[0]
    eye = Eye(-WHEEL_AT[0], -WHEEL_AT[1], camera.height_mm)
    pockets = [Pocket(pocket, _GROUNDS[color_of(pocket)]) for pocket in RIMS[wheel]]
    return Wheel(pockets, Place((float(x), float(y)), WHEEL_MM, camera.px_per_mm, eye))


@lru_cache(maxsize=2)
def draw_table(camera: HighCamera, wheel: WheelName, seed: int) -> Image:
    """Return the table with the mat under the lamp as the camera sees it, (H, W, 3) BGR, without wheel and noise."""
    rng, mat = np.random.default_rng(seed), MATS[wheel]
    printed = print_mat(mat, lambda pen: draw_mat(pen, mat, None))
    width, height = camera.size
    cloth = np.empty((height, width, 3), np.float32)
    cloth[:] = _FELT
    seen = np.clip(cloth + nap(rng, camera.size)[..., None] * 0.6, 0, 255).astype(np.uint8)
    middle = Pose(MAT_AT[0] + mat.width_mm / 2, MAT_AT[1] + mat.height_mm / 2)
    layer = warp(printed, camera.project(middle.corners(*printed.size_mm)), supersampling=2)
    shadow, at = shadow_of(layer, soft_px=1.2 * camera.px_per_mm, strength=0.5)
    apply_shadow(seen, shadow, (at[0] + 1, at[1] + 2))
    composite(seen, layer)
    lit = seen.astype(np.float32) * light_on(camera.size)[..., None]
    return read_only(np.clip(cv2.GaussianBlur(lit, (0, 0), 0.55), 0, 255).astype(np.uint8))
