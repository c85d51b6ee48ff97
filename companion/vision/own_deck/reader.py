"""Reads the cards of an enrolled deck in a picture: by their corner indices, and by the whole face where it shows.

A card is *sure* where an index fits closely and no other card comes near, and nothing else that is seen of the card
says otherwise. Every other place that looks like a card is returned without an id.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, Points
from companion.vision.own_deck.faces import FACE_PX, HEIGHT_MM, DeckFaces, darkness_of
from companion.vision.own_deck.marks import MarkFinder
from companion.vision.own_deck.matching import Match, Matcher, quad_at
from companion.vision.own_deck.paper import Corner, Paper, find_papers, share_on

At = NDArray[np.float64]
Result = TypeVar("Result")
Steps = Generator[None, None, Result]

SURE_FIT: Final = 0.96
SURE_MARGIN: Final = 0.6
SURE_APART: Final = 0.12
SURE_BOTH: Final = 1.0
"""Least sum of margin and apart: cards without an index that look alike reach 0.88 by mistake."""
CLOSE_FIT: Final = 0.985
CLOSE_MARGIN: Final = 0.8
CLOSE_APART: Final = 0.05
"""Where nearly all that is seen is explained, suits as alike as club and spade may lie as near to each other."""
_FACE_MARGIN: Final = 0.7
_FACE_FIT: Final = 0.80
_ASPECT: Final = (1.2, 1.75)
_SAME_MM: Final = 5.0
_SAME_WAY: Final = 0.8
_ONE_PLACE: Final = 0.2  # of a card's width
_SIDE_PX: Final = 60.0
_STRAIGHT: Final = 0.9995
_FULL: Final = 0.93
_ON_PAPER: Final = 0.5
_OTHER_SIZE: Final = 0.15  # more or less than the cards that were read
_SAMPLE: Final = ("2S", "5H", "9D", "7C", "AS", "4H")
_ANY_FIT: Final = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class CardRead:
    """A card in the picture.

    Attributes:
        card: its id; None where it is not sure.
        outline: (4, 2) px, clockwise from the card's own top left, or from its lower right: the same for its index.
        matches: what its places were like.
    """

    card: str | None
    outline: Points
    matches: tuple[Match, ...]


class DeckReader:
    """Reads the cards of one deck."""

    def __init__(self, faces: DeckFaces) -> None:
        self.faces, self.matcher, self.marks = faces, Matcher(faces), MarkFinder(faces)
        self._small = _small_faces(faces)
        self._mirror_mm = self._far_index()

    def read(self, image: Image) -> tuple[CardRead, ...]:
        """Return the cards in a picture, uint8 (H, W, 3)."""
        steps = self.reading(image)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return tuple(end.value)

    def reading(
        self, image: Image, known: Sequence[At] = (), is_wanted: Callable[[Paper], bool] = lambda paper: True
    ) -> Steps[Sequence[CardRead]]:
        """Read a picture in small steps; yields after each, and returns the cards.

        Args:
            known: outlines of cards that were read before: how large cards are.
            is_wanted: which pieces of paper are read.
        """
        everything = find_papers(image)
        papers = [paper for paper in everything if is_wanted(paper)]
        yield
        whole = [(paper, quad) for paper in papers if (quad := whole_card(paper)) is not None]
        reads: list[CardRead] = []
        others = list(papers)
        for paper, quad in whole:
            read = self._whole(image, quad)
            yield
            if read.card is not None:
                reads.append(read)
                others.remove(paper)
        scale = [*known, *(np.asarray(r.outline, np.float64) for r in reads)]
        others.sort(key=lambda one: -one.area)
        printed = []
        for paper in others:
            printed.append((yield from self._printed(image, paper, scale)))
            scale += [np.asarray(outline_of(m.at, self.faces.width_mm), np.float64) for m in printed[-1] if is_sure(m)]
        if not scale:
            for paper in others:
                scale += yield from self._scale(image, paper)
        size = (image.shape[1], image.shape[0])
        for paper, matches in zip(others, printed, strict=True):
            found = (yield from self._on(image, paper, scale, matches)) if scale else matches
            reads += self._cards(found, everything, size)
        return as_large_as_the_others(each_once(reads))

    def _printed(self, image: Image, paper: Paper, known: Sequence[At]) -> Steps[list[Match]]:
        """Return what is read on a piece of paper where print is like an index."""
        middle = np.mean([edge.start for edge in paper.edges], axis=0)
        mm = float(np.sqrt(abs(np.linalg.det(self._to_px(middle, known))))) if known else None
        places = yield from self.marks.finding(image, paper, mm)
        found: list[Match] = []
        for place in places:
            if any(is_sure(one) and _is_same_place(place.at, one.at) for one in found):
                continue
            match = self.matcher.near(image, place.at, place.templates)
            yield
            if match is not None and match.fit > _ANY_FIT:
                found.append(match)
        return found

    def _scale(self, image: Image, paper: Paper) -> Steps[list[At]]:
        """Return the outline of a card that a whole side of a paper's outline belongs to: how large cards are."""
        for before, after in whole_sides(paper):
            for side_mm in (HEIGHT_MM, self.faces.width_mm):
                known = [_square_card(np.array([before.at, after.at]), side_mm, self.faces.width_mm)]
                places = (at for corner in (before, after) for at in self._at_corner(corner, known))
                found = yield from self._matched(image, places, ())
                if any(match.fit >= SURE_FIT for match in found):
                    return known
        return []

    # ---- a whole card

    def _whole(self, image: Image, quad: Points) -> CardRead:
        width = self.faces.width_mm
        matches = [self.matcher.index(image, quad_at(quad, width, HEIGHT_MM, corner)) for corner in (0, 2)]
        seen = [one for one in matches if one is not None]
        face = self._face(image, quad)
        card = decide(seen, face)
        return CardRead(card, quad, tuple(seen) if face is None else (*seen, face))

    def _face(self, image: Image, quad: Points) -> Match | None:
        """Return what the whole face is like."""
        darkness = darkness_of(rectified(image, quad, self.faces.size_px))
        small = _shrunk(darkness)
        both = np.stack([small, small[::-1, ::-1]]).reshape(2, -1)
        fits = both @ self._small / np.maximum(np.linalg.norm(both, axis=1)[:, None], 1e-6)
        each = fits.max(axis=0)
        first, second = np.argsort(-each)[:2].tolist()
        between = 1 - float(self._small[:, first] @ self._small[:, second])
        apart = float(each[first] - each[second]) / max(between, 1e-6)
        margin = 1 - (1 - float(each[first]) ** 2) / max(1e-9, 1 - float(each[second]) ** 2)
        at = quad_at(quad, self.faces.width_mm, HEIGHT_MM, 0)
        return Match(self.faces.cards[first], self.faces.cards[second], float(each[first]), margin, apart, at)

    # ---- cards that others cover

    def _on(self, image: Image, paper: Paper, known: Sequence[At], printed: Sequence[Match]) -> Steps[list[Match]]:
        """Return what is read on a piece of paper, the best first, each place once."""
        sure = [m for m in printed if is_sure(m)]
        known = [*known, *(np.asarray(outline_of(m.at, self.faces.width_mm), np.float64) for m in sure)]
        found = [*printed, *(yield from self._matched(image, self._hypotheses(paper, known, sure), sure))]
        found.sort(key=lambda one: -one.fit)
        kept: list[Match] = []
        for match in found:
            if not any(_is_same_place(match.at, other.at) for other in kept):
                kept.append(match)
        return kept

    def _matched(
        self, image: Image, places: Iterator[At], known: Sequence[Match], hopeless: float = 0.7
    ) -> Steps[list[Match]]:
        found: list[Match] = []
        for at in places:
            if any(is_sure(one) and _is_same_place(at, one.at) for one in (*known, *found)):
                continue
            match = self.matcher.index(image, at, hopeless)
            yield
            if match is not None and match.fit > _ANY_FIT:
                found.append(match)
        return found

    def _far_index(self) -> float | None:
        """Return how far beside its index another of the same card is printed, mm, if there are four on a card."""
        far = self.faces.width_mm - 2 * float(self.faces.marks_mm[0][0])
        at = FACE_PX * np.array([[far, 0.0], [1.0, 0.0], [0.0, 1.0]])
        found = [self.matcher.index(self.faces.pictures[self.faces.cards.index(card)], at) for card in _SAMPLE]
        same = [m is not None and is_sure(m) and m.card == card for m, card in zip(found, _SAMPLE, strict=True)]
        return far if sum(same) > len(_SAMPLE) // 2 else None

    def _outlines(self, match: Match) -> list[Points]:
        """Return the outlines that the card of an index may have: two, where it has four indices."""
        near = outline_of(match.at, self.faces.width_mm)
        if self._mirror_mm is None:
            return [near]
        return [near, np.asarray(near - self._mirror_mm * match.at[1], np.float32)]

    def _cards(self, kept: Sequence[Match], papers: Sequence[Paper], size: tuple[int, int]) -> list[CardRead]:
        """Return the cards that indices belong to; one that lies mostly beside the paper is not sure."""
        cards: list[tuple[list[Match], list[Points]]] = []
        for match in kept:
            outlines = self._outlines(match)
            for k, (matches, others) in enumerate(cards):
                agreed = [one for one in others if any(_is_one_card(one, other) for other in outlines)]
                if agreed and not (is_sure(match) and is_sure(matches[0]) and match.card != matches[0].card):
                    cards[k] = ([*matches, match], agreed if match.card == matches[0].card else others)
                    break
            else:
                cards.append(([match], outlines))
        out = []
        for matches, outlines in cards:
            shares = [share_on(papers, np.asarray(one, np.float64), size) for one in outlines]
            best = max(range(len(shares)), key=lambda k: round(shares[k], 1))
            card = decide(matches, None) if shares[best] > _ON_PAPER else None
            out.append(CardRead(card, outlines[best], tuple(matches)))
        return out

    def _hypotheses(self, paper: Paper, known: Sequence[At], read: Sequence[Match]) -> Iterator[At]:
        """Yield where an index may lie: at each corner of the paper that is no card's that was read."""
        taken = [(m, outline_of(m.at, self.faces.width_mm)) for m in read]
        for corner in paper.corners:
            if corner is not None and not any(_is_corner_of(corner.at, m, outline) for m, outline in taken):
                yield from self._at_corner(corner, known)

    def _at_corner(self, corner: Corner, known: Sequence[At]) -> Iterator[At]:
        width = self.faces.width_mm
        out, back = self._steps(corner, known)  # along the edges after and before the corner, a mm each
        yield np.vstack([corner.at, out, back])
        yield np.vstack([corner.at + width * back, -back, out])
        yield np.vstack([corner.at + HEIGHT_MM * out, back, -out])
        yield np.vstack([corner.at + width * out + HEIGHT_MM * back, -out, -back])

    def _steps(self, corner: Corner, known: Sequence[At]) -> tuple[At, At]:
        to_mm = np.linalg.inv(self._to_px(corner.at, known))
        out, back = corner.after.along, -corner.before.along
        return out / np.linalg.norm(to_mm @ out), back / np.linalg.norm(to_mm @ back)

    def _to_px(self, place: At, known: Sequence[At]) -> At:
        """Return how a millimeter of the table looks at a place, by the nearest known card, (2, 2)."""
        near = min(known, key=lambda quad: float(np.linalg.norm(quad.mean(axis=0) - place)))
        x = (near[1] - near[0] + near[2] - near[3]) / 2 / self.faces.width_mm
        y = (near[3] - near[0] + near[2] - near[1]) / 2 / HEIGHT_MM
        return np.column_stack([x, y])


def each_once(reads: Sequence[CardRead]) -> list[CardRead]:
    """Return the reads without those of a card that was read already; a second deck's lies in another place."""
    kept: list[CardRead] = []
    for read in reads:
        same = [one for one in kept if read.card is not None and one.card == read.card]
        if not any(_is_one_card(one.outline, read.outline) for one in same):
            kept.append(read)
    return kept


def as_large_as_the_others(reads: Sequence[CardRead]) -> list[CardRead]:
    """Return the reads without unsure ones of another size than the cards that were read: a pip is like an index."""
    sizes = [float(np.sqrt(cv2.contourArea(read.outline))) for read in reads]
    usual = np.median([size for read, size in zip(reads, sizes, strict=True) if read.card is not None] or [0.0])
    return [
        read
        for read, size in zip(reads, sizes, strict=True)
        if read.card is not None or not usual or abs(size / usual - 1) < _OTHER_SIZE
    ]


def _is_one_card(a: Points, b: Points) -> bool:
    width = float(np.linalg.norm(a[1] - a[0]))
    return float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0))) < _ONE_PLACE * width


def decide(seen: Sequence[Match], face: Match | None) -> str | None:
    """Return the card that all that is seen agrees on; None where it is not sure.

    Args:
        seen: the index corners.
        face: the whole face; None where it does not show.
    """
    sure = {m.card for m in seen if is_sure(m)}
    if face is not None and face.fit >= _FACE_FIT and face.margin >= _FACE_MARGIN and face.apart >= SURE_APART:
        if any(m.card == face.card for m in seen):
            sure.add(face.card)
        elif sure != {face.card}:
            return None
    if len(sure) != 1:
        return None
    card = sure.pop()
    if face is not None and face.card != card and face.second != card:
        return None
    return card


def is_sure(match: Match) -> bool:
    """Say whether an index alone tells the card."""
    if match.fit >= CLOSE_FIT and match.margin >= CLOSE_MARGIN and match.apart >= CLOSE_APART:
        return True
    both = match.margin + match.apart
    return match.fit >= SURE_FIT and match.margin >= SURE_MARGIN and match.apart >= SURE_APART and both >= SURE_BOTH


def whole_card(paper: Paper) -> Points | None:
    """Return the outline of a card that lies apart, (4, 2) px, clockwise from the start of a short side."""
    corners = [corner for corner in paper.corners if corner is not None]
    if len(corners) != 4 or len(paper.edges) > 7:
        return None
    quad = np.array([corner.at for corner in corners], np.float32)
    area = float(cv2.contourArea(quad))
    if area < 1 or paper.area / area < _FULL - 0.05 or not cv2.isContourConvex(quad):
        return None
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    first, second = float(sides[0] + sides[2]), float(sides[1] + sides[3])
    if not _ASPECT[0] < max(first, second) / max(1e-6, min(first, second)) < _ASPECT[1]:
        return None
    return quad if first < second else np.roll(quad, -1, axis=0)


def whole_sides(paper: Paper) -> list[tuple[Corner, Corner]]:
    """Return the corners at both ends of each side of the outline that is whole, the longest side first."""
    there = [corner for corner in paper.corners if corner is not None]
    found = [(before, after) for before in there for after in there if _is_side(before, after)]
    return sorted(found, key=lambda ends: -float(np.linalg.norm(ends[1].at - ends[0].at)))


def _is_side(before: Corner, after: Corner) -> bool:
    step = after.at - before.at
    length = float(np.linalg.norm(step))
    if length < _SIDE_PX:
        return False
    return min(float(np.dot(step, e.along)) for e in (before.after, after.before)) > _STRAIGHT * length


def _square_card(start: At, side_mm: float, width_mm: float) -> At:
    """Return the outline of a card seen straight on, of which a side begins at a place and is so long."""
    first, second = start[0], start[1]
    step = (second - first) / side_mm
    across = np.array([-step[1], step[0]])
    w, h = width_mm, HEIGHT_MM
    return np.array([first, first + w * step, first + w * step + h * across, first + h * across])


def rectified(image: Image, quad: Points, size: tuple[int, int]) -> Image:
    """Return a card as seen from straight above, (height, width, 3)."""
    w, h = size
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), corners)
    return np.asarray(cv2.warpPerspective(image, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def outline_of(at: At, width_mm: float) -> Points:
    """Return a card's outline from its index corner."""
    x, y = width_mm * at[1], HEIGHT_MM * at[2]
    return np.asarray([at[0], at[0] + x, at[0] + x + y, at[0] + y], np.float32)


def _is_same_place(a: At, b: At) -> bool:
    size, other = float(np.linalg.norm(a[1])), float(np.linalg.norm(b[1]))
    near = float(np.linalg.norm(a[0] - b[0])) < _SAME_MM * size
    return near and float(np.dot(a[1], b[1])) > _SAME_WAY * size * other


def _is_corner_of(place: At, match: Match, outline: Points) -> bool:
    reach = _SAME_MM * float(np.linalg.norm(match.at[1]))
    return bool((np.linalg.norm(outline - place, axis=1) < reach).any())


def _small_faces(faces: DeckFaces) -> NDArray[np.float32]:
    flat = np.stack([_shrunk(face) for face in faces.darkness]).reshape(len(faces.cards), -1)
    return np.ascontiguousarray((flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)).T)


def _shrunk(darkness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a face at half the size without its rim: what it is told by as a whole."""
    rim = 2 * FACE_PX
    inner = darkness[rim:-rim, rim:-rim]
    return np.asarray(
        cv2.GaussianBlur(cv2.resize(inner, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    )
