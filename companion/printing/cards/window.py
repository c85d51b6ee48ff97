"""The areas of a card's face that the codes leave free: one L-shaped window, and the strip for the index."""

from typing import Final

from companion.objects.geometry import MARGIN_MM, QR_QUIET_MM, TAG_MM, TAG_QUIET_MM, Box, CardGeometry
from companion.printing.pen import Path, polygon

CLEAR_MM: Final = 0.6  # between art and a quiet zone
INSET_MM: Final = MARGIN_MM + 0.3  # the window's frame from the card's edge
_TAG_END: Final = MARGIN_MM + TAG_MM + 2 * TAG_QUIET_MM  # 19 mm: where the first tag's quiet zone ends


def panel(geometry: CardGeometry) -> Box:
    """Return the widest part of the window: below the code, above the second tag."""
    top = geometry.qr.y + geometry.qr.height + QR_QUIET_MM + CLEAR_MM
    bottom = geometry.second_tag.y - TAG_QUIET_MM - CLEAR_MM
    return Box(INSET_MM, top, geometry.width - 2 * INSET_MM, bottom - top)


def column(geometry: CardGeometry) -> Box:
    """Return the window's part beside the code, under the first tag."""
    top = _TAG_END + CLEAR_MM
    right = geometry.qr.x - QR_QUIET_MM - CLEAR_MM
    return Box(INSET_MM, top, right - INSET_MM, panel(geometry).y - top)


def plate(geometry: CardGeometry) -> Box:
    """Return the window's bottom part, left of the second tag, for the name."""
    top = panel(geometry).y + panel(geometry).height
    right = geometry.second_tag.x - TAG_QUIET_MM - CLEAR_MM
    return Box(INSET_MM, top, right - INSET_MM, geometry.height - INSET_MM - top)


def window(geometry: CardGeometry) -> Path:
    """Return the common outline of column, panel and plate."""
    return outline(column(geometry), panel(geometry), plate(geometry))


def outline(high: Box, wide: Box, low: Box) -> Path:
    """Return the common outline of three boxes: the widest in the middle, one above it and one below, left-aligned."""
    right, bottom = wide.x + wide.width, low.y + low.height
    return polygon(
        [
            (high.x, high.y),
            (high.x + high.width, high.y),
            (high.x + high.width, wide.y),
            (right, wide.y),
            (right, low.y),
            (low.x + low.width, low.y),
            (low.x + low.width, bottom),
            (low.x, bottom),
        ]
    )


def index_middle(geometry: CardGeometry) -> float:
    """Return the x of the strip between the first tag and the code: 3 mm wide, visible in a staggered stack."""
    return (_TAG_END + geometry.qr.x - QR_QUIET_MM) / 2
