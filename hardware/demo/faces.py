"""Textures of the printed sides of cards, tokens and chips, rendered on demand and cached."""

import threading
from collections.abc import Callable, Sequence
from typing import Final, Literal

import cv2
import numpy as np

from companion.objects import chips
from companion.objects.cards import LEADER_BUTTON, TOKENS
from companion.objects.geometry import POKER, TOKEN_MM
from hardware.demo.layers import Image, Texture
from hardware.demo.layout import CORNER_MM

Make = Literal["genuine", "forged", "foreign"]
BACK: Final = "back"
CHIP: Final = "chip/"
CHIP_MM: Final = 22.0
PX_PER_MM: Final = 5.0

Printer = Callable[[str, Make], Image]
"""Renders a piece's side at 300 dpi, (H, W, 3) BGR: a card, token or betting chip, `BACK`, or a coin as ``chip/5``."""


class Faces:
    """Textures of a deck's cards, tokens and chips by id. Thread-safe.

    Args:
        printer: renders a side at full resolution.
    """

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._drawn: dict[tuple[str, Make], Texture] = {}

    def texture(self, piece: str, make: Make = "genuine") -> Texture:
        """Return the texture of a piece's face, or of a card's back for `BACK`."""
        found = self._drawn.get((piece, make))
        if found is None:  # two threads may render the same one; the first result is kept
            found = self._drawn.setdefault((piece, make), as_texture(self._printer(piece, make), piece))
        return found

    def draw_in_background(self, pieces: Sequence[str]) -> threading.Thread:
        """Render the back and these pieces on a new thread, so that no frame has to wait for them."""

        def draw_all() -> None:
            for piece in (BACK, *pieces):
                if not threading.main_thread().is_alive():  # the program is exiting
                    return
                self.texture(piece)

        # not a daemon thread, because interrupting the renderer crashes the process
        thread = threading.Thread(target=draw_all, name="demo faces")
        thread.start()
        return thread


def as_texture(print_300dpi: Image, piece: str = BACK) -> Texture:
    """Scale a print down to `PX_PER_MM` and cut it out: cards with rounded corners, tokens and chips as circles."""
    width_mm, height_mm = size_of(piece)
    width, height = round(width_mm * PX_PER_MM), round(height_mm * PX_PER_MM)
    small = cv2.resize(print_300dpi, (width, height), interpolation=cv2.INTER_AREA)
    ink = cv2.convertScaleAbs(small, alpha=0.86, beta=22)  # printed black is not fully black, and paper not fully white
    alpha = _rounded(width, height, width / 2 if _is_round(piece) else CORNER_MM * PX_PER_MM)
    colour = cv2.multiply(ink, cv2.cvtColor(alpha, cv2.COLOR_GRAY2BGR), scale=1 / 255)
    return Texture(colour.astype(np.uint8, copy=False), alpha, (width_mm, height_mm))


def size_of(piece: str) -> tuple[float, float]:
    """Return the width and height of a card, token or chip, mm.

    >>> size_of("6D3"), size_of("T6"), size_of("C3-25")
    ((63.0, 88.0), (40.0, 40.0), (27.0, 27.0))
    """
    if piece in chips.CHIPS:
        return (chips.CHIP_MM, chips.CHIP_MM)
    if piece.startswith(CHIP):
        return (CHIP_MM, CHIP_MM)
    return (TOKEN_MM, TOKEN_MM) if _is_round(piece) else (POKER.width, POKER.height)


def _is_round(piece: str) -> bool:
    return piece.startswith(CHIP) or piece == LEADER_BUTTON or piece in TOKENS or piece in chips.CHIPS


def _rounded(width: int, height: int, radius: float) -> Image:
    fine, r = 4, round(radius * 4)
    mask = np.zeros((height * fine, width * fine), np.uint8)
    right, bottom = width * fine - 1, height * fine - 1
    cv2.rectangle(mask, (r, 0), (right - r, bottom), 255, -1)
    cv2.rectangle(mask, (0, r), (right, bottom - r), 255, -1)
    for centre in ((r, r), (right - r, r), (right - r, bottom - r), (r, bottom - r)):
        cv2.circle(mask, centre, r, 255, -1)
    return cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)
