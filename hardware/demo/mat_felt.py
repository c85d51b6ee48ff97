"""A demo table with a mat, drawn by the code of `companion print mat`."""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from companion.objects.mat import Mat
from companion.printing.pen import Pen
from companion.printing.pieces import Piece
from companion.printing.raster import DPI
from hardware.demo.felt import light_on, nap
from hardware.demo.layers import Image, Texture, apply_shadow, composite, shadow_of, warp
from hardware.demo.layout import Pose
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import draw

PX_PER_MM: Final = 4.2  # of the mat's texture; more than twice the camera's resolution
FELT: Final = (52, 58, 30)
_INK_SCALE: Final = 0.80  # reduced contrast of matt paper under a lamp: neither pure black nor pure white
_INK_FLOOR: Final = 24.0


def draw_mat_table(camera: Pinhole, printed: Texture, seed: int) -> Image:
    """Render the camera's view of a table with only a mat on it, uint8 (H, W, 3) BGR, without sensor noise."""
    rng = np.random.default_rng(seed)
    width, height = camera.size
    seen = np.empty((height, width, 3), np.uint8)
    seen[:] = FELT
    cloth = np.clip(seen.astype(np.float32) + nap(rng, camera.size)[..., None], 0, 255).astype(np.uint8)
    corners = camera.project(Pose(0, 0).corners(*printed.size_mm))
    layer = warp(printed, corners, supersampling=2)
    shadow, at = shadow_of(layer, soft_px=1.2 * camera.px_per_mm, strength=0.5)
    apply_shadow(cloth, shadow, (at[0] + 1, at[1] + 2))
    composite(cloth, layer)
    paper = rng.standard_normal((height, width), dtype=np.float32)
    grain = cv2.GaussianBlur(paper, (0, 0), 1.1) * 2.0
    lit = (cloth.astype(np.float32) + grain[..., None]) * light_on(camera.size)[..., None]
    picture: Image = np.clip(cv2.GaussianBlur(lit, (0, 0), 0.55), 0, 255).astype(np.uint8)
    return picture


def print_mat(mat: Mat, draw_mat: Callable[[Pen], None]) -> Texture:
    """Render a mat's texture at `PX_PER_MM`; at the printer's 300 dpi it would take 175 MB."""
    scale = PX_PER_MM / (DPI / 25.4)

    def draw_small(pen: Pen) -> None:
        with pen.at(scale=scale):
            draw_mat(pen)

    piece = Piece(mat.name, mat.width_mm * scale, mat.height_mm * scale, draw_small)
    colour = cv2.convertScaleAbs(draw(piece), alpha=_INK_SCALE, beta=_INK_FLOOR).astype(np.uint8, copy=False)
    return Texture(colour, np.full(colour.shape[:2], 255, np.uint8), (mat.width_mm, mat.height_mm))
