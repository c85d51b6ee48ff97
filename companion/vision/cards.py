"""Combines codes and tags into cards: groups them, checks that they agree, and verifies signatures.

Pure geometry on decoded codes, no pixels. A tag belongs to a code if its position, size and orientation relative to the
code match the card's layout. No other card's tag can be there without covering the code, so a tag there with another
number means that the card was tampered with.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, get_args

import numpy as np

from companion.objects.cards import MAT_TAGS
from companion.objects.codes import Code, CodeStatus, check_code, parse_code
from companion.objects.designs import Designs
from companion.objects.geometry import GEOMETRIES, Box, CardGeometry, CardLayout
from companion.vision.decoders.qr import side_of
from companion.vision.frame import Points
from companion.vision.sightings import (
    CardSighting,
    CodeSeen,
    Quad,
    TagSeen,
    TokenSighting,
    center_of,
    is_within,
    to_points,
    to_quad,
)

_TAG_TOLERANCE_MM: Final = 4.0  # at most 2.2 in 900 measured; another card's tag is at least 17 mm away
_TWIN_TOLERANCE_MM: Final = (
    7.0  # extrapolated from a 12 mm tag to the other one, 76 mm away; at most 3.3 in 700 measured
)
_SAME_DIRECTION: Final = 0.94  # cosine of 20 degrees
_ANY_LAYOUT: Final[tuple[CardLayout, ...]] = get_args(CardLayout)
_BOTH_TAGS: Final = 2
_ID_LENGTH: Final = 3  # a code begins with the piece's id, padded to this length

FittingTags = dict[CardGeometry, list[tuple[TagSeen, Points]]]
"""For each geometry the tags in the places of its tags, each with the corners (mm) of its printed box."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The cards and tokens identified from a set of codes and tags, with warnings for people."""

    cards: tuple[CardSighting, ...]
    tokens: tuple[TokenSighting, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A card's pose in the picture: its printed geometry, and the affine map (3, 3) from mm to pixels."""

    geometry: CardGeometry
    to_px: np.ndarray

    def px(self, points_mm: Iterable[tuple[float, float]]) -> Points:
        """Map points of the card (mm) to the picture, float32 (N, 2) px."""
        points = np.array(list(points_mm), np.float64)
        return np.asarray(points @ self.to_px[:2, :2].T + self.to_px[:2, 2], np.float32)

    @property
    def outline(self) -> Quad:
        g = self.geometry
        return to_quad(self.px(Box(0, 0, g.width, g.height).corners))

    @property
    def code(self) -> Points:
        return self.px(self.geometry.qr.corners)


@cache
def tag_boxes(geometry: CardGeometry) -> tuple[Points, Points]:
    """Return the corners (mm) of both tags, each beginning at the tag's own top left; the second is upside down."""
    first = np.array(geometry.first_tag.corners, np.float32)
    second = np.array(geometry.second_tag.corners, np.float32)
    return first, np.roll(second, 2, axis=0)


def identify(
    codes: Sequence[CodeSeen],
    tags: Sequence[TagSeen],
    keys: Mapping[str, bytes],
    designs: Designs,
    broken: Sequence[Quad] = (),
) -> Pieces:
    """Identify the cards and tokens of a picture.

    Args:
        codes: the decoded QR codes, without duplicates.
        tags: the decoded tags, without duplicates.
        keys: deck id to key, of the stored decks.
        designs: the designs of decks that exist.
        broken: corners of codes that were detected but could not be decoded.
    """
    cards: list[CardSighting] = []
    tokens: list[TokenSighting] = []
    warnings: list[str] = []
    free = [tag for tag in tags if tag.number not in MAT_TAGS]
    fitting = fitting_tags_of(codes, free, designs)
    usual = usual_geometry(fitting)
    taken: set[int] = set()
    for seen, fits in zip(codes, fitting, strict=True):
        code = parse_code(seen.text)
        if code is None:
            warnings.append(_no_card(seen.text))
            continue
        if code.id in designs.tokens and check_code(code, keys, designs.tokens) is CodeStatus.OK:
            tokens.append(TokenSighting(code.id, seen.corners, code.deck))
            continue
        geometry = _geometry_of(code.id, seen, fits, usual, designs)
        own = [(tag, box) for tag, box in fits[geometry] if id(tag) not in taken]
        taken |= {id(tag) for tag, _ in own}
        layout = card_of_code(seen.corners, own, geometry)
        cards.append(_verified(code, seen, layout, [tag for tag, _ in own], keys, designs, warnings))
    lone = [tag for tag in free if id(tag) not in taken]
    lone_cards, lone_tokens = _from_tags(lone, cards, usual, designs, warnings)
    cards += lone_cards
    tokens += [t for t in lone_tokens if not any(_near(t.corners, k.corners) for k in tokens)]
    cards += [CardSighting(None, None, "unreadable", q) for q in broken if not _explained(q, cards, tokens)]
    warnings += _duplicates(cards, tokens, designs, len(keys))
    return Pieces(tuple(cards), tuple(tokens), tuple(dict.fromkeys(warnings)))


def _geometry_of(
    card: str, seen: CodeSeen, fits: FittingTags, usual: CardGeometry | None, designs: Designs
) -> CardGeometry:
    """Return the geometry that fits most of a card's own tags, and fits them best; without tags the likeliest."""

    def agreeing(geometry: CardGeometry) -> tuple[int, int, float]:
        own = sum(designs.piece_of_tag.get(tag.number) == card for tag, _ in fits[geometry])
        return own, len(fits[geometry]), -_misfit(seen, fits[geometry], geometry)

    known = [one for one in designs.geometries_of(card) if fits[one]]
    if len(known) < 2:
        return known[0] if known else _likeliest(card, usual, designs)
    return max(known, key=agreeing)


def _misfit(seen: CodeSeen, own: Sequence[tuple[TagSeen, Points]], geometry: CardGeometry) -> float:
    """Return the mean distance (px) of tags from where their card's code predicts them."""
    layout = card_of_code(seen.corners, (), geometry)
    return float(np.mean([np.abs(layout.px(box.tolist()) - to_points(tag.corners)).mean() for tag, box in own]))


def _likeliest(card: str, usual: CardGeometry | None, designs: Designs) -> CardGeometry:
    """Return a card's geometry without evidence of its own: that of the other cards, else that of the current print."""
    known = designs.geometries_of(card)
    if usual is None or usual in known:
        return usual or known[0]
    return next((one for one in known if one.size == usual.size), known[0])


def fitting_tags_of(codes: Sequence[CodeSeen], tags: Sequence[TagSeen], designs: Designs) -> list[FittingTags]:
    """Return for each code and geometry the tags in the places of that geometry's tags.

    The right geometry is the one with more fitting tags: a poker card's second tag fits no tarot card. The layouts of
    earlier decks are tried only if no current one explains both tags: a single tag may fit several layouts within the
    tolerance.
    """
    out: list[FittingTags] = [{g: [] for g in GEOMETRIES} for _ in codes]
    if not codes or not tags:
        return out
    layouts = [designs.layouts_of.get(seen.text[:_ID_LENGTH].strip("-"), _ANY_LAYOUT) for seen in codes]
    tags_px = _stacked(tags)
    codes_px = np.array([c.corners for c in codes], np.float64)
    for is_earlier in (False, True):
        incomplete = [i for i, fits in enumerate(out) if max(map(len, fits.values())) < _BOTH_TAGS]
        for geometry in GEOMETRIES:
            of = [i for i in incomplete if geometry.layout in (layouts[i][1:] if is_earlier else layouts[i][:1])]
            for code, tag, box in _fits_of(codes_px[of], tags_px, geometry):
                out[of[code]][geometry].append((tags[tag], box))
    return out


def _fits_of(codes_px: np.ndarray, tags_px: Points, geometry: CardGeometry) -> Iterator[tuple[int, int, Points]]:
    """Yield code index, tag index and printed box (mm) of each tag that fits a code with this geometry."""
    if not len(codes_px):
        return
    maps = _solver(geometry.qr) @ codes_px  # (codes, 3, 2): maps rows (x, y, 1) mm to pixels
    at = _back_to_mm(maps, tags_px)
    for box in tag_boxes(geometry):
        # The root mean square of the four corner distances is below the tolerance.
        off = np.square(at - box).sum(axis=(2, 3))
        for code, tag in np.argwhere(off < 4 * _TAG_TOLERANCE_MM**2).tolist():
            yield code, tag, box


def _back_to_mm(maps: np.ndarray, points: Points) -> np.ndarray:
    """Map tags (N, 4, 2) px to mm by the inverse of each map (M, 3, 2): (M, N, 4, 2), infinite if it is degenerate."""
    linear = maps[:, :2]
    flat = np.abs(np.linalg.det(linear)) < 1e-9
    linear = np.where(flat[:, None, None], np.eye(2), linear)
    moved = points[None] - maps[:, None, None, 2]
    back = np.matmul(moved.reshape(len(maps), -1, 2), np.linalg.inv(linear)).reshape(moved.shape)
    return np.where(flat[:, None, None, None], np.inf, back)


def usual_geometry(fitting: Sequence[FittingTags]) -> CardGeometry | None:
    """Return the geometry that most tags of the picture fit, or None."""
    counts = {g: sum(len(fits[g]) for fits in fitting) for g in GEOMETRIES}
    return max(GEOMETRIES, key=lambda g: counts[g]) if any(counts.values()) else None


def card_of_code(corners: Quad, own: Sequence[tuple[TagSeen, Points]], geometry: CardGeometry) -> Layout:
    """Return the layout of a card from its code, and its tags if any were read: with them it is more accurate.

    Args:
        own: the card's tags, each with its printed box (mm).
    """
    px = to_points(corners)
    if not own:
        return Layout(geometry, _map(geometry.qr, px))
    mm = np.concatenate([np.array(geometry.qr.corners, np.float32), *(box for _, box in own)])
    return Layout(geometry, _affine(mm, np.concatenate([px, *(to_points(tag.corners) for tag, _ in own)])))


def card_of_tag(tag: TagSeen, geometry: CardGeometry) -> Layout:
    """Return the layout of a card from one of its tags.

    It may be either tag: a half turn maps them to each other. Extrapolated from 12 mm, it is accurate to some
    millimeters at the far corner.
    """
    return Layout(geometry, _map(geometry.first_tag, to_points(tag.corners)))


def card_of_two_tags(first: TagSeen, second: TagSeen, geometry: CardGeometry) -> Layout:
    """Return the layout of a card from both of its tags (in either order)."""
    printed = np.concatenate(tag_boxes(geometry))
    px = np.concatenate([to_points(first.corners), to_points(second.corners)])
    return Layout(geometry, _affine(printed, px))


def twins(tag: TagSeen, others: Sequence[TagSeen], geometry: CardGeometry) -> list[tuple[float, TagSeen]]:
    """Return the tags in the place of the other tag of the same card, with their offset (mm)."""
    second = tag_boxes(geometry)[1]
    at = _to_mm(_map(geometry.first_tag, to_points(tag.corners)), _stacked(others))
    off = np.linalg.norm(at.mean(axis=1) - second.mean(axis=0), axis=1)
    upright = [float(np.dot(_direction(points), _direction(second))) > _SAME_DIRECTION for points in at]
    found = [(float(d), o) for d, o, u in zip(off, others, upright, strict=True) if u and o is not tag]
    return [(d, o) for d, o in found if d < _TWIN_TOLERANCE_MM]


def _verified(
    code: Code,
    seen: CodeSeen,
    layout: Layout,
    own: Sequence[TagSeen],
    keys: Mapping[str, bytes],
    designs: Designs,
    warnings: list[str],
) -> CardSighting:
    status = check_code(code, keys, designs.cards)
    other = [tag.number for tag in own if designs.piece_of_tag.get(tag.number) != code.id]
    if status is CodeStatus.FOREIGN:
        warnings.append(
            f"foreign: {code.id} of deck {code.deck} is not of this house. Take the card off the table, "
            "or restore its deck from a backup."
        )
    elif status is CodeStatus.FORGED:
        warnings.append(
            f"forged: the code of {code.id} says deck {code.deck} but is not signed with that deck's key. "
            "Take the card off the table."
        )
    elif other:
        status = CodeStatus.FORGED
        named = " and ".join(dict.fromkeys(_tag_name(number, designs) for number in other))
        warnings.append(
            f"forged: one card's code says {code.id} and its corner tag says {named}. Take the card off the table."
        )
    numbers = tuple(tag.number for tag in own)
    return CardSighting(code.id, code.deck, status.value, seen.corners, layout.outline, numbers)


def _from_tags(
    tags: Sequence[TagSeen],
    known: Sequence[CardSighting],
    usual: CardGeometry | None,
    designs: Designs,
    warnings: list[str],
) -> tuple[list[CardSighting], list[TokenSighting]]:
    """Return the cards and tokens that are known only by their tags."""
    named = [(t, designs.piece_of_tag.get(t.number)) for t in tags]
    tokens = [TokenSighting(piece, t.corners) for t, piece in named if piece in designs.tokens]
    left = [t for t, piece in named if piece in designs.cards and not _belongs_to(t, piece, known)]
    cards: list[CardSighting] = []
    while left:
        tag = left.pop(0)
        twin = _twin_of(tag, left)
        if twin is None:
            outline = card_of_tag(tag, _likeliest(designs.piece_of_tag[tag.number], usual, designs)).outline
            cards.append(_by_tag(tag, outline, (tag.number,), designs))
            continue
        other, geometry = twin
        left.remove(other)
        outline = card_of_two_tags(tag, other, geometry).outline
        card = _by_tag(tag, outline, (tag.number, other.number), designs)
        cards.append(card if tag.number == other.number else _forged_by_tags(card, tag, other, designs, warnings))
    return cards, tokens


def _by_tag(tag: TagSeen, outline: Quad, numbers: tuple[int, ...], designs: Designs) -> CardSighting:
    return CardSighting(designs.piece_of_tag[tag.number], None, "tag", tag.corners, outline, numbers)


def _forged_by_tags(
    card: CardSighting, tag: TagSeen, other: TagSeen, designs: Designs, warnings: list[str]
) -> CardSighting:
    warnings.append(
        f"forged: one card's corner tags say {_tag_name(tag.number, designs)} and {_tag_name(other.number, designs)}. "
        "Take the card off the table."
    )
    return CardSighting(card.id, None, "forged", card.corners, card.outline, card.tags)


def _twin_of(tag: TagSeen, others: Sequence[TagSeen]) -> tuple[TagSeen, CardGeometry] | None:
    """Return the card's other tag and the card's geometry; a tag with another number only if it fits closely."""
    found = [(d, o, g) for g in GEOMETRIES for d, o in twins(tag, others, g)]
    same = [f for f in found if f[1].number == tag.number]
    close = same or [f for f in found if f[0] < _TAG_TOLERANCE_MM]
    if not close:
        return None
    _, other, geometry = min(close, key=lambda f: f[0])
    return other, geometry


def _belongs_to(tag: TagSeen, piece: str, known: Sequence[CardSighting]) -> bool:
    """Whether a tag belongs to a known card although it is out of place: a bent card, an inaccurate code corner."""
    return any(
        card.id == piece and card.outline is not None and is_within(center_of(tag.corners), card.outline)
        for card in known
    )


def _duplicates(
    cards: Sequence[CardSighting], tokens: Sequence[TokenSighting], designs: Designs, decks: int
) -> list[str]:
    warnings = []
    for piece in dict.fromkeys(c.id for c in cards if c.id is not None):
        same = [c for c in cards if c.id == piece and c.status in ("ok", "tag")]
        if len(same) > 1 and not _of_several_decks(same, designs, decks):
            warnings.append(f"duplicate: {piece} lies on the table {_times(len(same))}. Take all but one away.")
    for piece in dict.fromkeys(t.id for t in tokens):
        count = sum(t.id == piece for t in tokens)
        if count > 1:
            warnings.append(f"duplicate: {piece} lies on the table {_times(count)}. Take all but one away.")
    return warnings


def _of_several_decks(same: Sequence[CardSighting], designs: Designs, decks: int) -> bool:
    """Whether cards with one id may all belong to different decks.

    Args:
        decks: number of stored decks. If it exceeds the number of tag sets, two decks may share their tag numbers, and
            only codes prove that one deck has a card twice.
    """
    tag_sets = designs.twice.get(same[0].id or "", 0)
    proven = [c.deck for c in same if c.deck is not None]
    if not tag_sets or len(set(proven)) < len(proven):
        return False
    numbers = [c.tags[0] if c.tags else None for c in same]
    by_tag = None not in numbers and len(set(numbers)) == len(numbers)
    return len(proven) == len(same) or decks > tag_sets or by_tag


def _explained(quad: Quad, cards: Sequence[CardSighting], tokens: Sequence[TokenSighting]) -> bool:
    middle = center_of(quad)
    return any(is_within(middle, c.outline or c.corners) or _near(quad, c.corners) for c in cards) or any(
        _near(quad, t.corners) for t in tokens
    )


def _near(a: Quad, b: Quad) -> bool:
    (ax, ay), (bx, by) = center_of(a), center_of(b)
    return float(np.hypot(ax - bx, ay - by)) < 0.7 * max(side_of(a), side_of(b))


@cache
def _solver(box: Box) -> np.ndarray:
    return np.linalg.pinv(np.column_stack([np.array(box.corners), np.ones(4)]))


def _map(box: Box, px: Points) -> np.ndarray:
    """Return the least-squares affine map (3, 3) from a printed box (mm) to four points of the picture.

    Affine on purpose: extrapolated far beyond the box, a homography would amplify the errors of the corners (7 mm
    instead of 2 at the far tag of a card).
    """
    return np.vstack([(_solver(box) @ px).T, [0.0, 0.0, 1.0]])


def _affine(mm: Points, px: Points) -> np.ndarray:
    """Return the least-squares affine map (3, 3) from many points (mm) to the picture."""
    design = np.ones((len(mm), 3))
    design[:, :2] = mm
    rows = np.linalg.solve(design.T @ design, design.T @ px)  # printed points are never collinear
    return np.vstack([rows.T, [0.0, 0.0, 1.0]])


def _stacked(tags: Sequence[TagSeen]) -> Points:
    return np.array([tag.corners for tag in tags], np.float32).reshape(-1, 4, 2)


def _to_mm(to_px: np.ndarray, points: Points) -> Points:
    """Map points (px) to mm by the inverse of an affine map; infinite if it is degenerate."""
    (a, b, x), (c, d, y) = to_px[:2]
    det = a * d - b * c
    if abs(det) < 1e-9:
        return np.full(points.shape, np.inf, np.float32)
    back = np.array([[d, -c], [-b, a]]) / det
    return np.asarray((points - (x, y)) @ back, np.float32)


def _direction(points: Points) -> Points:
    edge = points[1] - points[0]
    return np.asarray(edge / max(1e-9, float(np.linalg.norm(edge))), np.float32)


def _tag_name(number: int, designs: Designs) -> str:
    return designs.piece_of_tag.get(number, f"no card (number {number})")


def _no_card(text: str) -> str:
    shown = text if len(text) <= 40 else text[:39] + "…"
    return f"no card: a QR code says {shown!r}, which is no card's code. Take it out of the picture."


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"
