"""From codes and tags to cards: what belongs together, whether it agrees, and whether it is genuine.

Pure geometry on what was read, no pixels. A tag belongs to a code if it lies where the card's layout
puts it, seen from the code, in the right size and the right way round. No other card's tag can lie there
without covering the code, so a tag there with another number is a card that was tampered with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.cards import LEADER_BUTTON, MAT_TAGS, PIECE_OF_TAG, ROCHE_CARDS, STANDARD_DECK, TOKENS
from companion.codes import Code, CodeStatus, check_code, parse_code
from companion.geometry import CARD_GEOMETRY, Box, CardGeometry
from companion.vision.decode import side_of
from companion.vision.frame import Points
from companion.vision.sightings import (
    CardSighting,
    CodeSeen,
    Quad,
    TagSeen,
    TokenSighting,
    center_of,
    to_points,
    to_quad,
)

_TAG_TOLERANCE_MM: Final = 4.0  # 2.2 at most in 900 measured; another card's tag is 17 mm away or more
_TWIN_TOLERANCE_MM: Final = 7.0  # from one 12 mm tag to the other, 76 mm off; 3.3 at most in 700 measured
_ALL_TOKENS: Final = frozenset((*TOKENS, LEADER_BUTTON))
_CARD_SIZES: Final = tuple(CARD_GEOMETRY.values())


@dataclass(frozen=True, slots=True)
class Understood:
    """Cards, tokens and warnings that a set of codes and tags adds up to."""

    cards: tuple[CardSighting, ...]
    tokens: tuple[TokenSighting, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A card as it lies in the picture: its printed geometry and the way from mm to pixels, (3, 3)."""

    geometry: CardGeometry
    to_px: np.ndarray

    def px(self, points_mm: Iterable[tuple[float, float]]) -> Points:
        """Return points of the card (mm) in the picture, float32 (N, 2)."""
        points = np.array(list(points_mm), np.float32)
        return np.asarray(cv2.perspectiveTransform(points[None], self.to_px)[0], np.float32)

    @property
    def outline(self) -> Quad:
        g = self.geometry
        return to_quad(self.px(Box(0, 0, g.width, g.height).corners))

    @property
    def code(self) -> Points:
        return self.px(self.geometry.qr.corners)


def tag_boxes(geometry: CardGeometry) -> tuple[Points, Points]:
    """Return the corners (mm) of both tags, each from the tag's own top left; the second is upside down."""
    first = np.array(geometry.first_tag.corners, np.float32)
    second = np.array(geometry.second_tag.corners, np.float32)
    return first, np.roll(second, 2, axis=0)


def understand(
    codes: Sequence[CodeSeen],
    tags: Sequence[TagSeen],
    keys: Mapping[str, bytes],
    broken: Sequence[Quad] = (),
) -> Understood:
    """Say which cards and tokens lie there.

    Args:
        codes: every QR code that was read, once.
        tags: every tag that was read, once.
        keys: the house's decks, deck id to key.
        broken: places where a code lies that could not be read.
    """
    cards: list[CardSighting] = []
    tokens: list[TokenSighting] = []
    warnings: list[str] = []
    free = [tag for tag in tags if tag.number not in MAT_TAGS]
    usual = usual_geometry(codes, free)
    for seen in codes:
        code = parse_code(seen.text)
        if code is None:
            warnings.append(_no_card(seen.text))
            continue
        if code.id in _ALL_TOKENS and check_code(code, keys) is CodeStatus.OK:
            tokens.append(TokenSighting(code.id, seen.corners, code.deck))
            continue
        layout, own = card_of_code(seen.corners, free, usual)
        free = [tag for tag in free if tag not in own]
        cards.append(_judged(code, seen, layout, own, keys, warnings))
    lone_cards, lone_tokens = _from_tags(free, cards, usual, warnings)
    cards += lone_cards
    tokens += [t for t in lone_tokens if not any(_near(t.corners, k.corners) for k in tokens)]
    cards += [CardSighting(None, None, "unreadable", q) for q in broken if not _explained(q, cards, tokens)]
    warnings += _duplicates(cards, tokens)
    return Understood(tuple(cards), tuple(tokens), tuple(dict.fromkeys(warnings)))


def card_of_code(
    corners: Quad, tags: Sequence[TagSeen], usual: CardGeometry
) -> tuple[Layout, tuple[TagSeen, ...]]:
    """Return how the card lies whose code was read, and the tags that belong to it.

    Args:
        usual: the size taken where no tag tells it.
    """
    matches = []
    for geometry in _CARD_SIZES:
        to_px = _affine(np.array(geometry.qr.corners, np.float32), to_points(corners))
        matches.append((Layout(geometry, to_px), *_tags_at_home(to_px, geometry, tags)))
    # A poker card's first tag is nobody's on a tarot card: the size with more tags at home is right.
    layout, own, homes = max(matches, key=lambda m: (len(m[1]), m[0].geometry is usual))
    if not own:
        return layout, ()
    mm = np.concatenate([np.array(layout.geometry.qr.corners, np.float32), *homes])
    px = np.concatenate([to_points(corners), *(to_points(tag.corners) for tag in own)])
    better, _ = cv2.findHomography(mm, px)
    return (layout if better is None else Layout(layout.geometry, better)), own


def card_of_tag(tag: TagSeen, geometry: CardGeometry) -> Layout:
    """Return how a card lies of which one tag was read.

    Either tag: turned by half a turn the card's tags look the same. Extrapolated from 12 mm, so good to
    some millimetres at the far corner.
    """
    home = tag_boxes(geometry)[0]
    return Layout(geometry, _affine(home, to_points(tag.corners)))


def card_of_two_tags(first: TagSeen, second: TagSeen, geometry: CardGeometry) -> Layout:
    """Return how a card lies of which both tags were read (either may be the first)."""
    homes = np.concatenate(tag_boxes(geometry))
    px = np.concatenate([to_points(first.corners), to_points(second.corners)])
    to_px, _ = cv2.findHomography(homes, px)
    return card_of_tag(first, geometry) if to_px is None else Layout(geometry, to_px)


def usual_geometry(codes: Sequence[CodeSeen], tags: Sequence[TagSeen]) -> CardGeometry:
    """Return the card size that most of the picture's codes and tags agree with; poker if none tells."""

    def votes(geometry: CardGeometry) -> int:
        homes = np.array(geometry.qr.corners, np.float32)
        by_code = sum(
            len(_tags_at_home(_affine(homes, to_points(c.corners)), geometry, tags)[0]) for c in codes
        )
        return by_code + sum(is_twin(a, b, geometry) for a in tags for b in tags if a.number == b.number)

    return max(_CARD_SIZES, key=votes)


def is_twin(a: TagSeen, b: TagSeen, geometry: CardGeometry, tolerance_mm: float = _TWIN_TOLERANCE_MM) -> bool:
    """Say whether two tags lie to each other like the two tags of one card."""
    if a is b:
        return False
    first, second = tag_boxes(geometry)
    home = _mm(_affine(first, to_points(a.corners)), b.corners)
    if home is None:
        return False
    off = home.mean(axis=0) - second.mean(axis=0)
    spin = float(np.dot(_along(home), _along(second)))
    return float(np.hypot(*off)) < tolerance_mm and spin > 0.94


def _tags_at_home(
    to_px: np.ndarray, geometry: CardGeometry, tags: Sequence[TagSeen]
) -> tuple[tuple[TagSeen, ...], list[Points]]:
    own, homes = [], []
    for tag in tags:
        at = _mm(to_px, tag.corners)
        for home in tag_boxes(geometry) if at is not None else ():
            if float(np.linalg.norm(at - home, axis=1).mean()) < _TAG_TOLERANCE_MM:
                own.append(tag)
                homes.append(home)
    return tuple(own), homes


def _judged(
    code: Code,
    seen: CodeSeen,
    layout: Layout,
    own: Sequence[TagSeen],
    keys: Mapping[str, bytes],
    warnings: list[str],
) -> CardSighting:
    status = check_code(code, keys)
    other = [tag.number for tag in own if PIECE_OF_TAG.get(tag.number) != code.id]
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
        named = " and ".join(dict.fromkeys(_tag_name(number) for number in other))
        warnings.append(
            f"forged: one card's code says {code.id} and its corner tag says {named}. "
            "Take the card off the table."
        )
    numbers = tuple(tag.number for tag in own)
    return CardSighting(code.id, code.deck, status.value, seen.corners, layout.outline, numbers)


def _from_tags(
    tags: Sequence[TagSeen], known: Sequence[CardSighting], usual: CardGeometry, warnings: list[str]
) -> tuple[list[CardSighting], list[TokenSighting]]:
    """Turn tags without a code into cards known by tag, and tokens."""
    tokens = [
        TokenSighting(PIECE_OF_TAG[t.number], t.corners)
        for t in tags
        if PIECE_OF_TAG.get(t.number) in _ALL_TOKENS
    ]
    left = [t for t in tags if is_card_tag(t)]
    left = [t for t in left if not _belongs_to(t, known)]
    cards: list[CardSighting] = []
    while left:
        tag = left.pop(0)
        twin = _twin_of(tag, left)
        if twin is None:
            outline = card_of_tag(tag, usual).outline
            cards.append(_by_tag(tag, outline, (tag.number,)))
            continue
        other, geometry = twin
        left.remove(other)
        outline = card_of_two_tags(tag, other, geometry).outline
        card = _by_tag(tag, outline, (tag.number, other.number))
        cards.append(card if tag.number == other.number else _two_minds(card, tag, other, warnings))
    return cards, tokens


def is_card_tag(tag: TagSeen) -> bool:
    """Say whether the tag is one that is printed on cards."""
    piece = PIECE_OF_TAG.get(tag.number)
    return piece in ROCHE_CARDS or piece in STANDARD_DECK


def _by_tag(tag: TagSeen, outline: Quad, numbers: tuple[int, ...]) -> CardSighting:
    return CardSighting(PIECE_OF_TAG[tag.number], None, "tag", tag.corners, outline, numbers)


def _two_minds(card: CardSighting, tag: TagSeen, other: TagSeen, warnings: list[str]) -> CardSighting:
    warnings.append(
        f"forged: one card's corner tags say {_tag_name(tag.number)} and {_tag_name(other.number)}. "
        "Take the card off the table."
    )
    return CardSighting(card.id, None, "forged", card.corners, card.outline, card.tags)


def _twin_of(tag: TagSeen, others: Sequence[TagSeen]) -> tuple[TagSeen, CardGeometry] | None:
    same = [
        (o, g) for o in others for g in _CARD_SIZES if o.number == tag.number and is_twin(tag, o, g)
    ]
    if same:
        return same[0]
    close = [(o, g) for o in others for g in _CARD_SIZES if is_twin(tag, o, g, _TAG_TOLERANCE_MM)]
    return close[0] if close else None


def _belongs_to(tag: TagSeen, known: Sequence[CardSighting]) -> bool:
    """A tag of the same card, seen a little off its place (a bent card, a code's corner misjudged)."""
    piece = PIECE_OF_TAG.get(tag.number)
    return any(
        card.id == piece and card.outline is not None and _inside(center_of(tag.corners), card.outline)
        for card in known
    )


def _duplicates(cards: Sequence[CardSighting], tokens: Sequence[TokenSighting]) -> list[str]:
    warnings = []
    for piece in dict.fromkeys(c.id for c in cards if c.id is not None):
        same = [c for c in cards if c.id == piece and c.status in ("ok", "tag")]
        if len(same) > 1 and not _of_two_decks(same):
            warnings.append(f"duplicate: {piece} lies on the table {_times(len(same))}. Take all but one away.")
    for piece in dict.fromkeys(t.id for t in tokens):
        count = sum(t.id == piece for t in tokens)
        if count > 1:
            warnings.append(f"duplicate: {piece} lies on the table {_times(count)}. Take all but one away.")
    return warnings


def _of_two_decks(same: Sequence[CardSighting]) -> bool:
    """Two standard decks may be in play; each card of the two has its own tag number and deck."""
    if same[0].id not in STANDARD_DECK:
        return False
    decks = [c.deck for c in same]
    numbers = [c.tags[0] if c.tags else None for c in same]
    by_deck = None not in decks and len(set(decks)) == len(decks)
    return by_deck or (None not in numbers and len(set(numbers)) == len(numbers))


def _explained(quad: Quad, cards: Sequence[CardSighting], tokens: Sequence[TokenSighting]) -> bool:
    middle = center_of(quad)
    return any(
        _inside(middle, c.outline or c.corners) or _near(quad, c.corners) for c in cards
    ) or any(_near(quad, t.corners) for t in tokens)


def _near(a: Quad, b: Quad) -> bool:
    (ax, ay), (bx, by) = center_of(a), center_of(b)
    return float(np.hypot(ax - bx, ay - by)) < 0.7 * max(side_of(a), side_of(b))


def _inside(point: tuple[float, float], quad: Quad) -> bool:
    return cv2.pointPolygonTest(to_points(quad), point, False) >= 0


def _affine(mm: Points, px: Points) -> np.ndarray:
    """Return the best affine map as (3, 3): steadier than a homography when led far outside its points."""
    design = np.column_stack([mm, np.ones(len(mm))])
    rows, *_ = np.linalg.lstsq(design, px, rcond=None)
    return np.vstack([rows.T, [0.0, 0.0, 1.0]])


def _mm(to_px: np.ndarray, quad: Quad) -> Points | None:
    if abs(np.linalg.det(to_px)) < 1e-12:
        return None
    back = cv2.perspectiveTransform(to_points(quad)[None], np.linalg.inv(to_px))
    return np.asarray(back[0], np.float32)


def _along(points: Points) -> Points:
    edge = points[1] - points[0]
    return np.asarray(edge / max(1e-9, float(np.linalg.norm(edge))), np.float32)


def _tag_name(number: int) -> str:
    return PIECE_OF_TAG.get(number, f"no card (number {number})")


def _no_card(text: str) -> str:
    shown = text if len(text) <= 40 else text[:39] + "…"
    return f"no card: a QR code says {shown!r}, which is no card's code. Take it out of the picture."


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"
