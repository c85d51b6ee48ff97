"""Measurements of a camera's picture for the set-up page: glare, flicker, focus and scale."""

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from companion.app.setup.shapes import Meters
from companion.kernel.errors import CompanionError
from companion.objects.cards import MAT_TAGS
from companion.objects.geometry import TAG_MM
from companion.objects.mat import Mats
from companion.tracking.optics import edge_px, flicker_share, glare_share
from companion.vision.decoders.tags import TagFinder, merge_tags
from companion.vision.frame import Image, to_gray
from companion.vision.mat import calibrate_mat, mat_in
from companion.vision.sightings import TagSeen


def meters(image: Image, mats: Mats, before: Sequence[Image] = ()) -> Meters:
    """Return a picture's glare, flicker, focus and scale; focus and scale need tags of a mat or of cards in view.

    Args:
        image: uint8 (H, W, 3) BGR.
        before: the preceding pictures, for flicker.
    """
    wavering = flicker_share([*before, image])
    gray = to_gray(image)
    tags = merge_tags(TagFinder().find(gray))
    sharp = [w for tag in tags[:6] if (w := _edge(gray, tag)) is not None]
    height, width = gray.shape
    return {
        "size": [int(width), int(height)],
        "glare_percent": round(100 * glare_share(image), 1),
        "flicker_percent": None if wavering is None else round(100 * wavering, 1),
        "edge_px": round(sorted(sharp)[len(sharp) // 2], 1) if sharp else None,
        "px_per_mm": _scale(tags, mats),
        "tags": len(tags),
    }


def _edge(gray: Any, tag: TagSeen) -> float | None:
    xs, ys = [p[0] for p in tag.corners], [p[1] for p in tag.corners]
    crop = gray[max(0, int(min(ys))) : int(max(ys)) + 1, max(0, int(min(xs))) : int(max(xs)) + 1]
    return edge_px(crop) if crop.size else None


def _scale(tags: tuple[TagSeen, ...], mats: Mats) -> float | None:
    """Return pixels per millimeter, from a mat in the picture, else from cards' tags; None without either."""
    try:
        return round(calibrate_mat([tags], mat_in([tags], mats), (0, 0), least=1).px_per_mm, 2)
    except (CompanionError, cv2.error):
        sides = [_side(tag) / TAG_MM for tag in tags if tag.number not in MAT_TAGS]
        return round(sorted(sides)[len(sides) // 2], 2) if sides else None


def _side(tag: TagSeen) -> float:
    """Return a tag's mean side length, px."""
    corners = np.array(tag.corners)
    return float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).mean())
