"""The faces of an enrolled deck as templates: the darkness of each pixel and channel relative to the paper.

Faces are rectified, `FACE_PX` pixels per millimeter. An index is matched in a window at a corner of the card: the
smallest window that distinguishes all cards of the deck, so that it shows even beside an overlapping card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image

Patch = NDArray[np.float32]
"""Darkness, float32 (h, w, 3): 0 as white as the paper, 1 black."""

FACE_PX: Final = 4
HEIGHT_MM: Final = 88.0
INSET_MM: Final = 0.75  # ignored rim, where the cloth or another card may show
_RADIUS_MM: Final = 3.5  # of a card's round corner
_WINDOWS: Final = ((9, 19), (10, 22), (11, 24), (12, 26), (13, 28), (15, 32), (17, 36))
_USUAL_WINDOW: Final = (12, 26)  # mm; contains the index of nearly any deck
_MIN_OF_USUAL: Final = 0.9  # share of the distance in the usual window that a window must reach
_ENOUGH_MM2: Final = 1.5  # distance of any two indices that is enough, mm² of full contrast
_PAPER_PERCENTILE: Final = 88  # of a picture's levels
_INK: Final = 0.4  # minimum darkness of ink
BLURS_MM: Final = (0.0, 0.14, 0.25, 0.36)


@dataclass(frozen=True, eq=False)
class DeckFaces:
    """One deck's faces.

    Attributes:
        cards: ids, in the order of the templates.
        pictures: uint8 (352, w, 3) BGR, one per card.
    """

    cards: tuple[str, ...]
    pictures: tuple[Image, ...]

    @classmethod
    def of(cls, pictures: Mapping[str, Image]) -> DeckFaces:
        return cls(tuple(pictures), tuple(pictures.values()))

    @property
    def size_px(self) -> tuple[int, int]:
        """(width, height) of the pictures."""
        h, w = self.pictures[0].shape[:2]
        return w, h

    @property
    def width_mm(self) -> float:
        return self.size_px[0] / FACE_PX

    @cached_property
    def darkness(self) -> NDArray[np.float32]:
        """The darkness of all faces, (cards, h, w, 3)."""
        return np.stack([darkness_of(picture) for picture in self.pictures])

    @cached_property
    def corners(self) -> NDArray[np.float32]:
        """The darkness of all index corners, upright: (2 * cards, h, w, 3) of 17 × 36 mm, all top left ones first."""
        w, h = (side * FACE_PX for side in _WINDOWS[-1])
        first = self.darkness[:, :h, :w]
        second = self.darkness[:, ::-1, ::-1][:, :h, :w]
        return np.ascontiguousarray(np.concatenate([first, second]))

    @cached_property
    def window_mm(self) -> tuple[int, int]:
        """(width, height) of the window in which an index is matched, mm."""
        enough = min(_ENOUGH_MM2, _MIN_OF_USUAL * self.min_distance(_USUAL_WINDOW))
        return next((size for size in _WINDOWS if self.min_distance(size) >= enough), _WINDOWS[-1])

    def min_distance(self, size: tuple[int, int]) -> float:
        """Return the distance (mm² of full contrast) of the two most similar indices in a window (width, height) mm."""
        return float(self._distances(size).min())

    def _distances(self, size: tuple[int, int]) -> NDArray[np.float64]:
        """Return the squared distances (cards, cards) of the most similar corners; infinite on the diagonal."""
        w, h = (side * FACE_PX for side in size)
        flat = self.corners[:, :h, :w].reshape(len(self.corners), -1).astype(np.float64)
        squares = np.square(flat).sum(axis=1)
        far = (squares[:, None] + squares[None] - 2 * flat @ flat.T) / (3 * FACE_PX**2)
        n = len(self.cards)
        nearest = far.reshape(2, n, 2, n).min(axis=(0, 2))
        np.fill_diagonal(nearest, np.inf)
        return np.asarray(nearest)

    @cached_property
    def marks_mm(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The typical (median) centers of rank and suit, each (2,) mm from the card's corner."""
        w, h = self.window_mm
        found = [_marks(corner[: h * FACE_PX, : w * FACE_PX]) for corner in self.corners]
        pairs = np.array([pair for pair in found if pair is not None]).reshape(-1, 2, 2)
        rank, suit = np.median(pairs, axis=0) if len(pairs) else np.array([[4.0, 6.0], [4.0, 14.0]])
        return np.asarray(rank), np.asarray(suit)

    def most_similar(self) -> tuple[str, str]:
        """Return the two cards with the most similar indices."""
        i, j = np.unravel_index(int(self._distances(self.window_mm).argmin()), (len(self.cards),) * 2)
        return self.cards[int(i)], self.cards[int(j)]


def darkness_of(picture: Image, paper: Sequence[float] | None = None) -> Patch:
    """Return the darkness of a picture relative to its paper.

    Args:
        paper: the paper's color, BGR; by default that of the picture's brightest part.
    """
    levels = picture.astype(np.float32)
    white = np.asarray(
        paper if paper is not None else np.percentile(levels.reshape(-1, 3), _PAPER_PERCENTILE, axis=0), np.float32
    )
    return np.clip(1 - levels / np.maximum(white, 1.0), 0, 1)


def darkest(patch: Patch) -> NDArray[np.float32]:
    """Return the maximum darkness over the channels, (h, w)."""
    blue, green, red = cv2.split(patch)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def window_mask(size_mm: tuple[int, int], px: int = FACE_PX) -> NDArray[np.float32]:
    """Return the mask of an index window, (h, w): 0 at the rim and outside the round corner, else 1."""
    w, h = (side * px for side in size_mm)
    y, x = np.mgrid[:h, :w]
    x_mm, y_mm = (x + 0.5) / px, (y + 0.5) / px
    inside = (x_mm > INSET_MM) & (y_mm > INSET_MM)
    dx, dy = np.maximum(_RADIUS_MM - x_mm, 0), np.maximum(_RADIUS_MM - y_mm, 0)
    inside &= np.hypot(dx, dy) < _RADIUS_MM - INSET_MM / 2
    return np.asarray(inside, np.float32)


def blurred(patches: NDArray[np.float32], sigma_mm: float) -> NDArray[np.float32]:
    """Return patches (n, h, w, 3) with a Gaussian blur."""
    if sigma_mm <= 0:
        return patches
    sigma = sigma_mm * FACE_PX
    return np.stack([cv2.GaussianBlur(patch, (0, 0), sigma) for patch in patches])


def _marks(corner: Patch) -> NDArray[np.float64] | None:
    """Return the centers (2, 2) mm of the topmost print in an index window and of the one below it, or None."""
    h, w = corner.shape[:2]
    mask = window_mask((w // FACE_PX, h // FACE_PX))
    ink = ((darkest(corner) > _INK) & (mask > 0)).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink)
    found = sorted((stats[k] for k in range(1, count) if stats[k][4] >= FACE_PX * FACE_PX), key=lambda one: int(one[1]))
    if not found:
        return None
    below = next((one for one in found[1:] if one[1] >= found[0][1] + 0.7 * found[0][3]), None)
    if below is None:
        return None
    return np.array([[(x + w / 2) / FACE_PX, (y + h / 2) / FACE_PX] for x, y, w, h, _ in (found[0], below)])
