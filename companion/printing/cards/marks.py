"""The machine-readable marks: the signed QR code and the AprilTags, as black modules on white paper."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import cv2

from companion.objects.codes import Code
from companion.objects.geometry import QR_QUIET_MM, TAG_QUIET_MM, TOKEN_MM, TOKEN_QR_MM, TOKEN_TAG_MM, Box, CardGeometry
from companion.objects.qr_modules import qr_modules
from companion.printing.pen import Path, Pen, rectangle

BLACK: Final = "#000000"
WHITE: Final = "#FFFFFF"
TAG_MODULES: Final = 8
TAG_WHITE_MM: Final = 2.6  # quiet zone of a token's tag: slightly more than one module
CODE_WHITE_MM: Final = 2.4  # quiet zone of a token's code: slightly over two modules, the most that fits
Modules = tuple[tuple[bool, ...], ...]


@cache
def tag_modules(number: int) -> Modules:
    """Return a 36h11 tag's 8 x 8 modules, including the black frame; True is black."""
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    image = cv2.aruco.generateImageMarker(family, number, TAG_MODULES)
    return tuple(tuple(bool(value == 0) for value in row) for row in image)


def draw_qr(pen: Pen, code: Code, box: Box, *, quiet: float = QR_QUIET_MM) -> None:
    """Draw a code with its white quiet zone; ``box`` is the code without it."""
    draw_modules(pen, qr_modules(code.text), box, quiet)


def draw_tag(pen: Pen, number: int, box: Box, *, quiet: float = TAG_QUIET_MM, upside_down: bool = False) -> None:
    """Draw a tag with its white quiet zone; ``box`` is the black square."""
    modules = tag_modules(number)
    if upside_down:
        modules = tuple(row[::-1] for row in modules[::-1])
    draw_modules(pen, modules, box, quiet)


def draw_codes(pen: Pen, geometry: CardGeometry, code: Code, tag: int) -> None:
    """Draw the signed code and both tags of a card."""
    draw_tag(pen, tag, geometry.first_tag)
    draw_tag(pen, tag, geometry.second_tag, upside_down=True)
    draw_qr(pen, code, geometry.qr, quiet=geometry.qr_quiet)


def draw_token_tag(pen: Pen, tag: int) -> None:
    """Draw the tag in the center of a token's face."""
    half = TOKEN_TAG_MM / 2
    with pen.at(TOKEN_MM / 2, TOKEN_MM / 2):
        draw_tag(pen, tag, Box(-half, -half, TOKEN_TAG_MM, TOKEN_TAG_MM), quiet=TAG_WHITE_MM)


def draw_token_code(pen: Pen, code: Code) -> None:
    """Draw the signed code in the center of a token's back."""
    half = TOKEN_QR_MM / 2
    with pen.at(TOKEN_MM / 2, TOKEN_MM / 2):
        draw_qr(pen, code, Box(-half, -half, TOKEN_QR_MM, TOKEN_QR_MM), quiet=CODE_WHITE_MM)


def draw_modules(pen: Pen, modules: Modules, box: Box, quiet: float) -> None:
    """Draw black modules into a box, with a white border."""
    white = rectangle(box.x - quiet, box.y - quiet, box.width + 2 * quiet, box.height + 2 * quiet)
    pen.fill(white, WHITE)
    pen.fill(_outline(modules, box), BLACK)


def _outline(modules: Modules, box: Box) -> Path:
    """Return one path for all black modules: filled at once, so that there are no hairlines between them."""
    steps: list[tuple[Any, ...]] = []
    height = box.height / len(modules)
    for row, line in enumerate(modules):
        for start, end in _runs(line):
            width = box.width / len(line)
            steps.extend(rectangle(box.x + start * width, box.y + row * height, (end - start) * width, height).steps)
    return Path(tuple(steps))


def _runs(line: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the (start, end) of each run of black modules.

    >>> _runs([True, True, False, True])
    [(0, 2), (3, 4)]
    """
    edges = [i for i in range(len(line) + 1) if (i < len(line) and line[i]) != (i > 0 and line[i - 1])]
    return list(zip(edges[::2], edges[1::2], strict=True))
