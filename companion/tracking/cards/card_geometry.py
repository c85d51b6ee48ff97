"""Centre and width of a sighted card, derived from whichever of its codes was read."""

import math
from typing import Final

from companion.objects.geometry import POKER, Box
from companion.vision.sightings import CardSighting, Point, Quad, center_of

_CODE_READ: Final = ("ok", "forged", "foreign")


def card_center(card: CardSighting) -> Point:
    """Return the card's centre, px: from its outline, else derived from the code read.

    Either tag gives the same centre, because the second one is printed upside down in the opposite corner.
    """
    if card.outline is not None:
        return center_of(card.outline)
    box = _box_read(card)
    if box is None:
        return center_of(card.corners)
    along = (POKER.width / 2 - box.x) / box.width
    down = (POKER.height / 2 - box.y) / box.height
    (ax, ay), (bx, by), _, (dx, dy) = card.corners
    return (ax + along * (bx - ax) + down * (dx - ax), ay + along * (by - ay) + down * (dy - ay))


def card_width(card: CardSighting) -> float:
    """Return the card's width, px, at least 1."""
    if card.outline is not None:
        return max(1.0, _narrow_side(card.outline))
    box = _box_read(card)
    side = _narrow_side(card.corners)
    return max(1.0, side if box is None else side * POKER.width / box.width)


def apart(a: Point, b: Point) -> float:
    """Return the distance of two points."""
    return math.hypot(a[0] - b[0], a[1] - b[1])


def quad_rotation(quad: Quad) -> float:
    """Return a quad's rotation, 0 to 180 degrees; upside down is not distinguished."""
    (ax, ay), (bx, by) = quad[0], quad[1]
    return math.degrees(math.atan2(by - ay, bx - ax)) % 180.0


def holds(outline: Quad, point: Point) -> bool:
    """Whether a convex quad contains a point.

    >>> holds(((0, 0), (4, 0), (4, 4), (0, 4)), (1, 1)), holds(((0, 0), (4, 0), (4, 4), (0, 4)), (5, 1))
    (True, False)
    """
    sides = [
        (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)
        for (ax, ay), (bx, by) in zip(outline, outline[1:] + outline[:1], strict=True)
    ]
    return all(s >= 0 for s in sides) or all(s <= 0 for s in sides)


def _box_read(card: CardSighting) -> Box | None:
    """Return the printed code or tag whose corners the sighting holds; None if the card was not read."""
    if card.status in _CODE_READ:
        return POKER.qr
    return POKER.first_tag if card.status == "tag" else None


def _narrow_side(quad: Quad) -> float:
    a, b, c, d = quad
    return min((apart(a, b) + apart(c, d)) / 2, (apart(b, c) + apart(d, a)) / 2)
