"""QR decoding. Wraps zxing-cpp behind `read_codes`; nothing else imports it.

Restricted to QR codes it searches a whole 1080p frame in 5 ms, or enlarged twice in 20 ms. The enlargement makes small
(2.3 px per module) and slightly blurred codes readable.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

import cv2
import numpy as np
import zxingcpp

from companion.vision.frame import Gray, Points
from companion.vision.sightings import CodeSeen, Quad, TagSeen, center_of, moved, to_points, to_quad

_MIN_SIDE_PX: Final = 21  # one pixel per module
_CODE_MARGIN: Final = 3.0  # margin of a rectified crop, modules

SeenT = TypeVar("SeenT", CodeSeen, TagSeen)


@dataclass(frozen=True, slots=True)
class Codes:
    """Decoded codes, and the corners of codes that were detected but could not be decoded."""

    read: tuple[CodeSeen, ...] = ()
    broken: tuple[Quad, ...] = ()


def read_codes(gray: Gray, scale: float = 1.0) -> Codes:
    """Detect and decode all QR codes.

    Args:
        gray: uint8 (H, W), any size.
        scale: enlargement before the search.
    """
    if min(gray.shape) * scale < _MIN_SIDE_PX:
        return Codes()
    if scale != 1.0:
        gray = np.asarray(cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8)
    kinds = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
    found = zxingcpp.read_barcodes(np.ascontiguousarray(gray), formats=kinds, try_invert=False, return_errors=True)
    read, broken = [], []
    for code in found:
        corners = moved(_corners(code.position), 0, 0, scale)
        if code.valid:
            read.append(CodeSeen(code.text, corners))
        elif _is_square(corners):
            broken.append(corners)
    return Codes(tuple(read), tuple(broken))


def read_rectified(gray: Gray, code_px: Points, px_per_module: float = 8.0) -> CodeSeen | None:
    """Decode the code that is expected at a place, from a rectified crop.

    Args:
        gray: uint8 (H, W).
        code_px: float32 (4, 2), px: the expected corners of the code; accurate to a few modules.

    Returns:
        the code, with its corners in pixels of the whole picture, or None.
    """
    side = (21 + 2 * _CODE_MARGIN) * px_per_module
    a, b = _CODE_MARGIN * px_per_module, side - _CODE_MARGIN * px_per_module
    flat = np.array([[a, a], [b, a], [b, b], [a, b]], np.float32)
    to_crop = cv2.getPerspectiveTransform(code_px.astype(np.float32), flat)
    crop = np.asarray(
        cv2.warpPerspective(
            gray, to_crop, (int(side), int(side)), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        ),
        np.uint8,
    )
    for variant in variants(crop):
        seen = read_codes(variant).read
        if seen:
            back = cv2.perspectiveTransform(to_points(seen[0].corners)[None], np.linalg.inv(to_crop))
            return CodeSeen(seen[0].text, to_quad(back[0]))
    return None


def variants(crop: Gray) -> Iterable[Gray]:
    """Yield a crop unchanged, sharpened, and with equalized local contrast."""
    yield crop
    soft = cv2.GaussianBlur(crop, (0, 0), 4.0)
    yield np.asarray(cv2.addWeighted(crop, 2.5, soft, -1.5, 0), np.uint8)
    yield np.asarray(cv2.createCLAHE(4.0, (4, 4)).apply(crop), np.uint8)


def sharpened(gray: Gray) -> Gray:
    """Return the picture sharpened, against defocus."""
    return _unsharp_mask(gray, 1.2, 1.5)


def sharpened_for_tags(gray: Gray) -> Gray:
    """Return the picture sharpened strongly: a tag's modules are larger than a code's."""
    return _unsharp_mask(gray, 3.0, 2.0)


def _unsharp_mask(gray: Gray, amount: float, sigma: float) -> Gray:
    soft = cv2.GaussianBlur(gray, (0, 0), sigma)
    return np.asarray(cv2.addWeighted(gray, 1 + amount, soft, -amount, 0), np.uint8)


def merge_codes(codes: Iterable[CodeSeen]) -> tuple[CodeSeen, ...]:
    """Return the codes without duplicates: same text, centers closer than half a side. The first one stays."""
    return without_duplicates(codes, lambda code: code.text)


def without_duplicates(found: Iterable[SeenT], name: Callable[[SeenT], object]) -> tuple[SeenT, ...]:
    """Return codes or tags without those that have the name and the place of an earlier one."""
    kept: list[SeenT] = []
    for thing in found:
        if not any(name(k) == name(thing) and is_same_place(k.corners, thing.corners) for k in kept):
            kept.append(thing)
    return tuple(kept)


def is_same_place(a: Quad, b: Quad) -> bool:
    """Whether the centers of two codes or tags are closer than half a side."""
    (ax, ay), (bx, by) = center_of(a), center_of(b)
    return float(np.hypot(ax - bx, ay - by)) < 0.5 * side_of(a)


def side_of(quad: Quad) -> float:
    """Return the mean length of a quad's sides, px."""
    points = to_points(quad)
    return float(np.linalg.norm(points - np.roll(points, -1, axis=0), axis=1).mean())


def _corners(position: zxingcpp.Position) -> Quad:
    p = position
    corners = (p.top_left, p.top_right, p.bottom_right, p.bottom_left)
    return to_quad(np.array([(c.x, c.y) for c in corners], np.float32))


def _is_square(corners: Quad) -> bool:
    """Whether the sides are nearly equal, as those of a code seen at up to 30 degrees; false detections rarely are."""
    points = to_points(corners)
    sides = np.linalg.norm(points - np.roll(points, -1, axis=0), axis=1)
    return bool(sides.min() > 0.7 * sides.max() and sides.min() > _MIN_SIDE_PX and cv2.isContourConvex(points))
