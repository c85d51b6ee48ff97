"""Reads one still picture exhaustively, in some tenths of a second."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import cv2
import numpy as np

from companion.objects.cards import MAT_TAGS
from companion.objects.designs import Designs
from companion.objects.geometry import GEOMETRIES, Box, CardGeometry
from companion.vision.cards import Layout, Pieces, card_of_tag, identify
from companion.vision.decoders.known import known_codes
from companion.vision.decoders.qr import Codes, merge_codes, read_codes, read_rectified, sharpened, sharpened_for_tags
from companion.vision.decoders.tags import TagFinder, merge_tags
from companion.vision.expect import expected_pieces, only_expected
from companion.vision.frame import Gray, Points, check_image, to_gray
from companion.vision.objects import card_shapes, unread_cards
from companion.vision.sightings import (
    CardSighting,
    CodeSeen,
    FrameReading,
    Quad,
    TagSeen,
    center_of,
    is_within,
    to_points,
    to_quad,
)

Rescue = Callable[[Gray], str | None]
"""A second decoder for a rectified crop: returns its text, or None."""

_BIG_PX: Final = 4_000_000  # larger pictures are not enlarged: it would take seconds and they have enough detail
_SMALL_PX: Final = 500_000
_MAX_SHAPES: Final = 80  # a brick wall has hundreds
_ASPECT_TOLERANCE: Final = 0.12  # of width by height, for a slanting view


def read_image(
    image: Any,
    keys: Mapping[str, bytes],
    designs: Designs,
    *,
    expect: Collection[str] | None = None,
    rescue: Rescue | None = None,
) -> FrameReading:
    """Return the cards and tokens of one picture.

    Args:
        image: uint8 (H, W, 3) BGR, any size, may be empty. Not modified.
        keys: deck id to key, of the stored decks.
        designs: the designs of decks that exist.
        expect: names of the `Designs.groups` that may lie on the table; None for all.
        rescue: last decoder for codes that no other reads.

    Raises:
        ValueError: the array is no picture, or `expect` has an unknown name.
    """
    gray = to_gray(check_image(image))
    wanted = expected_pieces(expect, designs)
    size = (gray.shape[1], gray.shape[0])
    if gray.size == 0:
        return FrameReading(size)
    codes, tags = scan(gray)
    codes = Codes(merge_codes((*codes.read, *_retried(gray, codes, tags, keys, designs, rescue))), codes.broken)
    codes = Codes(merge_codes((*codes.read, *_recognized(gray, codes, tags, keys, designs))), codes.broken)
    found = identify(codes.read, tags, keys, designs, codes.broken)
    found = _with_unread(gray, found)
    shown = only_expected(found, wanted)
    mat_tags = tuple(t for t in tags if t.number in MAT_TAGS)
    return FrameReading(size, shown.cards, shown.tokens, shown.warnings, mat_tags=mat_tags)


def scan(gray: Gray) -> tuple[Codes, tuple[TagSeen, ...]]:
    """Search the whole picture for codes and tags, at several scales."""
    passes = [read_codes(gray)]
    if gray.size > _BIG_PX:
        passes.append(read_codes(_half(gray)))
        passes[-1] = _doubled(passes[-1])
        tags = TagFinder(decimate=2.0).find(gray)
    else:
        scale = 2.0 if gray.size > _SMALL_PX else 3.0
        passes += [read_codes(gray, scale), read_codes(sharpened(gray), scale)]
        finder = TagFinder()
        tags = (*finder.find(gray), *(tag for tag in finder.find(sharpened_for_tags(gray)) if tag.errors == 0))
    read = merge_codes(code for one in reversed(passes) for code in one.read)
    broken = unread_places([q for one in passes for q in one.broken], [c.corners for c in read])
    return Codes(read, broken), merge_tags(tags)


def unread_places(broken: Iterable[Quad], known: Sequence[Quad]) -> tuple[Quad, ...]:
    """Return the places without duplicates, except where a code was read."""
    kept: list[Quad] = []
    for quad in broken:
        if not any(is_within(center_of(quad), k) for k in (*known, *kept)):
            kept.append(quad)
    return tuple(kept)


def code_places(
    tag: TagSeen, layouts: Iterable[Layout] = (), geometries: Iterable[CardGeometry] = GEOMETRIES
) -> list[Points]:
    """Return the possible corners of the code of a tag's card, float32 (4, 2) each.

    The tag may be the first or the second one of a card of any of the geometries.
    """
    tries = [card_of_tag(tag, geometry) for geometry in geometries]
    places = []
    for layout in (*layouts, *tries):
        g = layout.geometry
        turned = [(g.width - x, g.height - y) for x, y in g.qr.corners]
        places += [layout.code, layout.px(turned)]
    return places


def places_on(outline: Quad) -> list[Points]:
    """Return the possible corners of the code on a card with this outline, float32 (4, 2) each.

    The card may be upside down, and of every geometry whose proportions fit, as far as a slanting view leaves it open.
    """
    points = to_points(outline)
    first, second = (float(np.linalg.norm(points[k + 1] - points[k])) for k in (0, 1))
    ring = points if first < second else np.roll(points, -1, axis=0)
    shape = min(first, second) / max(first, second, 1e-6)
    off = {g: abs(g.width / g.height - shape) for g in GEOMETRIES}
    places = []
    for geometry in (g for g in sorted(off, key=lambda g: off[g]) if off[g] < _ASPECT_TOLERANCE):
        card = np.array(Box(0, 0, geometry.width, geometry.height).corners, np.float32)
        code = np.array([geometry.qr.corners], np.float32)
        maps = (cv2.getPerspectiveTransform(card, np.roll(ring, turn, axis=0)) for turn in (0, 2))
        places += [np.asarray(cv2.perspectiveTransform(code, one)[0], np.float32) for one in maps]
    return places


def retry_code(gray: Gray, place: Points, rescue: Rescue | None = None) -> CodeSeen | None:
    """Try all decoders on the code at one place: its expected corners, float32 (4, 2) px."""
    h, w = gray.shape
    if (place.max(axis=0) < 0).any() or (place.min(axis=0) > (w, h)).any() or not cv2.isContourConvex(place):
        return None
    seen = read_rectified(gray, place)
    if seen is not None or rescue is None:
        return seen
    text = rescue(_flat(gray, place))
    return None if text is None else CodeSeen(text, to_quad(place))


def _retried(
    gray: Gray,
    codes: Codes,
    tags: Sequence[TagSeen],
    keys: Mapping[str, bytes],
    designs: Designs,
    rescue: Rescue | None,
) -> list[CodeSeen]:
    """Read the codes at the places given by tags and by detected but undecoded codes."""
    first = identify(codes.read, tags, keys, designs)
    lone = [c for c in first.cards if c.status == "tag"]
    by_tag = {t.corners: t for t in tags if designs.piece_of_tag.get(t.number) in designs.cards}
    found: list[CodeSeen] = []
    for card in lone:
        for place in code_places(by_tag[card.corners], (), designs.geometries_of(card.id)):
            seen = retry_code(gray, place)
            if seen is not None:
                found.append(seen)
                break
    for quad in codes.broken:
        seen = retry_code(gray, to_points(quad), rescue)
        # The rescue decoder returns no position: a code that was already read elsewhere is a neighbor in the crop.
        is_neighbor = seen is not None and seen.corners == quad and seen.text in {c.text for c in (*codes.read, *found)}
        if seen is not None and not is_neighbor:
            found.append(seen)
    return found


def _recognized(
    gray: Gray, codes: Codes, tags: Sequence[TagSeen], keys: Mapping[str, bytes], designs: Designs
) -> list[CodeSeen]:
    """Compare undecoded places with the known codes: at tags, at broken codes, and on card-shaped objects."""
    if not keys:
        return []
    first = identify(codes.read, tags, keys, designs, codes.broken)
    by_corners = {tag.corners: tag for tag in tags}
    places = [
        code_places(by_corners[card.corners], (), designs.geometries_of(card.id))
        for card in first.cards
        if card.status == "tag"
    ]
    places += [[to_points(quad)] for quad in codes.broken]
    known = [card.outline for card in first.cards if card.outline is not None and card.status != "tag"]
    new = (quad for quad in card_shapes(gray) if not any(is_within(center_of(quad), k) for k in known))
    places += [places_on(quad) for quad in islice(new, _MAX_SHAPES)]
    if not places:
        return []
    genuine = known_codes(frozenset(keys.items()), designs.cards | designs.tokens)
    found: list[CodeSeen] = []
    for group in places:
        if not any(is_within(center_of(to_quad(place)), code.corners) for code in found for place in group):
            found += islice(filter(None, (genuine.read(gray, place) for place in group)), 1)
    return found


def _with_unread(gray: Gray, found: Pieces) -> Pieces:
    taken = [c.outline or c.corners for c in found.cards] + [t.corners for t in found.tokens]
    sizes = [c.outline for c in found.cards if c.outline is not None and c.status in ("ok", "tag")]
    more = [CardSighting(None, None, "unreadable", q, q) for q in unread_cards(gray, taken, sizes)]
    return Pieces((*found.cards, *more), found.tokens, found.warnings)


def _flat(gray: Gray, place: Points, side: int = 216) -> Gray:
    edge = side * 3 / 27
    flat = np.array([[edge, edge], [side - edge, edge], [side - edge, side - edge], [edge, side - edge]], np.float32)
    matrix = cv2.getPerspectiveTransform(place, flat)
    return np.asarray(cv2.warpPerspective(gray, matrix, (side, side), flags=cv2.INTER_CUBIC), np.uint8)


def _half(gray: Gray) -> Gray:
    return np.asarray(cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def _doubled(codes: Codes) -> Codes:
    read = tuple(CodeSeen(c.text, to_quad(to_points(c.corners) * 2)) for c in codes.read)
    return Codes(read, tuple(to_quad(to_points(q) * 2) for q in codes.broken))
