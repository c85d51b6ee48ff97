"""Reads the cards of an enrolled deck in a picture by their indices, and by the whole face if it is visible.

A card is identified if an index fits closely, no other card fits nearly as well, and no other visible part of the card
contradicts it. Every other object that looks like a card is returned without an id.
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
from companion.vision.own_deck.matching import Match, Matcher, index_pose
from companion.vision.own_deck.paper import Corner, Paper, find_papers, share_on_paper

Array = NDArray[np.float64]
Result = TypeVar("Result")
Steps = Generator[None, None, Result]

SURE_FIT: Final = 0.96
SURE_MARGIN: Final = 0.6
SURE_SEPARATION: Final = 0.12
SURE_BOTH: Final = 1.0
"""Minimum sum of margin and separation; wrong matches of similar cards without an index reach 0.88."""
CLOSE_FIT: Final = 0.985
CLOSE_MARGIN: Final = 0.8
CLOSE_SEPARATION: Final = 0.05
"""Separation that is enough for a nearly perfect fit: similar suits such as clubs and spades reach no more."""
_FACE_MARGIN: Final = 0.7
_FACE_FIT: Final = 0.80
_ASPECTS: Final = (1.2, 1.75)  # height by width of a whole card
_SAME_INDEX_MM: Final = 5.0
_SAME_DIRECTION: Final = 0.8  # cosine
_SAME_CARD: Final = 0.2  # distance of centers relative to a card's width
_MIN_SIDE_PX: Final = 60.0
_STRAIGHT: Final = 0.9995  # cosine
_MIN_FILL: Final = 0.93  # share of the corners' quad that a whole card's paper fills (less 0.05)
_MIN_ON_PAPER: Final = 0.5  # share of a card's outline
_SIZE_TOLERANCE: Final = 0.15  # relative to the identified cards
_SAMPLE: Final = ("2S", "5H", "9D", "7C", "AS", "4H")
_MIN_MATCH_FIT: Final = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class CardRead:
    """A card in the picture.

    Attributes:
        card: its id; None if it is not identified.
        outline: (4, 2) px, clockwise from the card's own top left or bottom right, which look alike.
        matches: the matches of its indices and its face.
    """

    card: str | None
    outline: Points
    matches: tuple[Match, ...]


class DeckReader:
    """Reads the cards of one deck."""

    def __init__(self, faces: DeckFaces) -> None:
        self.faces, self.matcher, self.marks = faces, Matcher(faces), MarkFinder(faces)
        self._small = _small_faces(faces)
        self._index_distance_mm = self._index_distance()

    def read(self, image: Image) -> tuple[CardRead, ...]:
        """Return the cards in a picture, uint8 (H, W, 3)."""
        steps = self.reading(image)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return tuple(end.value)

    def reading(
        self, image: Image, known: Sequence[Array] = (), is_wanted: Callable[[Paper], bool] = lambda paper: True
    ) -> Steps[Sequence[CardRead]]:
        """Read a picture in small steps; yields after each, and returns the cards.

        Args:
            known: outlines (4, 2) px of cards that were read before, which give the scale.
            is_wanted: whether to read a piece of paper.
        """
        everything = find_papers(image)
        papers = [paper for paper in everything if is_wanted(paper)]
        yield
        whole = [(paper, quad) for paper in papers if (quad := whole_card(paper)) is not None]
        reads: list[CardRead] = []
        others = list(papers)
        for paper, quad in whole:
            read = self._read_whole(image, quad)
            yield
            if read.card is not None:
                reads.append(read)
                others.remove(paper)
        scale = [*known, *(np.asarray(r.outline, np.float64) for r in reads)]
        others.sort(key=lambda one: -one.area)
        printed = []
        for paper in others:
            printed.append((yield from self._match_print(image, paper, scale)))
            scale += [
                np.asarray(outline_of(m.pose, self.faces.width_mm), np.float64) for m in printed[-1] if is_sure(m)
            ]
        if not scale:
            for paper in others:
                scale += yield from self._find_scale(image, paper)
        size = (image.shape[1], image.shape[0])
        for paper, matches in zip(others, printed, strict=True):
            found = (yield from self._match_paper(image, paper, scale, matches)) if scale else matches
            reads += self._cards(found, everything, size)
        return without_wrong_sizes(without_duplicates(reads))

    def _match_print(self, image: Image, paper: Paper, known: Sequence[Array]) -> Steps[list[Match]]:
        """Return the matches of the print on a piece of paper that looks like an index."""
        middle = np.mean([edge.start for edge in paper.edges], axis=0)
        mm = float(np.sqrt(abs(np.linalg.det(self._to_px(middle, known))))) if known else None
        places = yield from self.marks.candidates_on(image, paper, mm)
        found: list[Match] = []
        for place in places:
            if any(is_sure(one) and _is_same_index(place.pose, one.pose) for one in found):
                continue
            match = self.matcher.at_ink(image, place.pose, place.templates)
            yield
            if match is not None and match.fit > _MIN_MATCH_FIT:
                found.append(match)
        return found

    def _find_scale(self, image: Image, paper: Paper) -> Steps[list[Array]]:
        """Return a card's outline, as the scale, found by trying each whole side of a paper as a side of a card."""
        for before, after in whole_sides(paper):
            for side_mm in (HEIGHT_MM, self.faces.width_mm):
                known = [_card_from_side(np.array([before.at, after.at]), side_mm, self.faces.width_mm)]
                places = (at for corner in (before, after) for at in self._at_corner(corner, known))
                found = yield from self._match_poses(image, places, ())
                if any(match.fit >= SURE_FIT for match in found):
                    return known
        return []

    # ---- a whole card

    def _read_whole(self, image: Image, quad: Points) -> CardRead:
        width = self.faces.width_mm
        matches = [self.matcher.index(image, index_pose(quad, width, HEIGHT_MM, corner)) for corner in (0, 2)]
        seen = [one for one in matches if one is not None]
        face = self._match_face(image, quad)
        card = decide(seen, face)
        return CardRead(card, quad, tuple(seen) if face is None else (*seen, face))

    def _match_face(self, image: Image, quad: Points) -> Match | None:
        """Return the match of the whole face."""
        darkness = darkness_of(rectified(image, quad, self.faces.size_px))
        small = _half_size(darkness)
        both = np.stack([small, small[::-1, ::-1]]).reshape(2, -1)
        fits = both @ self._small / np.maximum(np.linalg.norm(both, axis=1)[:, None], 1e-6)
        each = fits.max(axis=0)
        first, second = np.argsort(-each)[:2].tolist()
        between = 1 - float(self._small[:, first] @ self._small[:, second])
        separation = float(each[first] - each[second]) / max(between, 1e-6)
        margin = 1 - (1 - float(each[first]) ** 2) / max(1e-9, 1 - float(each[second]) ** 2)
        at = index_pose(quad, self.faces.width_mm, HEIGHT_MM, 0)
        return Match(self.faces.cards[first], self.faces.cards[second], float(each[first]), margin, separation, at)

    # ---- partly covered cards

    def _match_paper(
        self, image: Image, paper: Paper, known: Sequence[Array], printed: Sequence[Match]
    ) -> Steps[list[Match]]:
        """Return the matches on a piece of paper, the best first, without duplicates."""
        sure = [m for m in printed if is_sure(m)]
        known = [*known, *(np.asarray(outline_of(m.pose, self.faces.width_mm), np.float64) for m in sure)]
        found = [*printed, *(yield from self._match_poses(image, self._index_poses(paper, known, sure), sure))]
        found.sort(key=lambda one: -one.fit)
        kept: list[Match] = []
        for match in found:
            if not any(_is_same_index(match.pose, other.pose) for other in kept):
                kept.append(match)
        return kept

    def _match_poses(
        self, image: Image, places: Iterator[Array], known: Sequence[Match], min_fit: float = 0.7
    ) -> Steps[list[Match]]:
        found: list[Match] = []
        for at in places:
            if any(is_sure(one) and _is_same_index(at, one.pose) for one in (*known, *found)):
                continue
            match = self.matcher.index(image, at, min_fit)
            yield
            if match is not None and match.fit > _MIN_MATCH_FIT:
                found.append(match)
        return found

    def _index_distance(self) -> float | None:
        """Return the distance (mm) of a card's two upper indices, or None for a deck with only two indices per card."""
        far = self.faces.width_mm - 2 * float(self.faces.marks_mm[0][0])
        at = FACE_PX * np.array([[far, 0.0], [1.0, 0.0], [0.0, 1.0]])
        found = [self.matcher.index(self.faces.pictures[self.faces.cards.index(card)], at) for card in _SAMPLE]
        same = [m is not None and is_sure(m) and m.card == card for m, card in zip(found, _SAMPLE, strict=True)]
        return far if sum(same) > len(_SAMPLE) // 2 else None

    def _possible_outlines(self, match: Match) -> list[Points]:
        """Return the possible outlines of an index's card: two for a deck with four indices per card."""
        near = outline_of(match.pose, self.faces.width_mm)
        if self._index_distance_mm is None:
            return [near]
        return [near, np.asarray(near - self._index_distance_mm * match.pose[1], np.float32)]

    def _cards(self, kept: Sequence[Match], papers: Sequence[Paper], size: tuple[int, int]) -> list[CardRead]:
        """Return the cards that the matches belong to; a card mostly off the paper is not identified."""
        cards: list[tuple[list[Match], list[Points]]] = []
        for match in kept:
            outlines = self._possible_outlines(match)
            for k, (matches, others) in enumerate(cards):
                agreed = [one for one in others if any(_is_same_card(one, other) for other in outlines)]
                if agreed and not (is_sure(match) and is_sure(matches[0]) and match.card != matches[0].card):
                    cards[k] = ([*matches, match], agreed if match.card == matches[0].card else others)
                    break
            else:
                cards.append(([match], outlines))
        out = []
        for matches, outlines in cards:
            shares = [share_on_paper(papers, np.asarray(one, np.float64), size) for one in outlines]
            best = max(range(len(shares)), key=lambda k: round(shares[k], 1))
            card = decide(matches, None) if shares[best] > _MIN_ON_PAPER else None
            out.append(CardRead(card, outlines[best], tuple(matches)))
        return out

    def _index_poses(self, paper: Paper, known: Sequence[Array], read: Sequence[Match]) -> Iterator[Array]:
        """Yield possible index poses at the corners of the paper, except those of cards that were read."""
        taken = [(m, outline_of(m.pose, self.faces.width_mm)) for m in read]
        for corner in paper.corners:
            if corner is not None and not any(_is_corner_of_card(corner.at, m, outline) for m, outline in taken):
                yield from self._at_corner(corner, known)

    def _at_corner(self, corner: Corner, known: Sequence[Array]) -> Iterator[Array]:
        width = self.faces.width_mm
        out, back = self._steps(corner, known)  # steps of one mm along the edges after and before the corner
        yield np.vstack([corner.at, out, back])
        yield np.vstack([corner.at + width * back, -back, out])
        yield np.vstack([corner.at + HEIGHT_MM * out, back, -out])
        yield np.vstack([corner.at + width * out + HEIGHT_MM * back, -out, -back])

    def _steps(self, corner: Corner, known: Sequence[Array]) -> tuple[Array, Array]:
        to_mm = np.linalg.inv(self._to_px(corner.at, known))
        out, back = corner.after.along, -corner.before.along
        return out / np.linalg.norm(to_mm @ out), back / np.linalg.norm(to_mm @ back)

    def _to_px(self, place: Array, known: Sequence[Array]) -> Array:
        """Return the linear map (2, 2) from mm to pixels at a place, from the nearest known card."""
        near = min(known, key=lambda quad: float(np.linalg.norm(quad.mean(axis=0) - place)))
        x = (near[1] - near[0] + near[2] - near[3]) / 2 / self.faces.width_mm
        y = (near[3] - near[0] + near[2] - near[1]) / 2 / HEIGHT_MM
        return np.column_stack([x, y])


def without_duplicates(reads: Sequence[CardRead]) -> list[CardRead]:
    """Return the reads without duplicates: the same card in the same place. Another place means a second deck."""
    kept: list[CardRead] = []
    for read in reads:
        same = [one for one in kept if read.card is not None and one.card == read.card]
        if not any(_is_same_card(one.outline, read.outline) for one in same):
            kept.append(read)
    return kept


def without_wrong_sizes(reads: Sequence[CardRead]) -> list[CardRead]:
    """Return the reads without unidentified ones of a wrong size, because pips look like indices."""
    sizes = [float(np.sqrt(cv2.contourArea(read.outline))) for read in reads]
    usual = np.median([size for read, size in zip(reads, sizes, strict=True) if read.card is not None] or [0.0])
    return [
        read
        for read, size in zip(reads, sizes, strict=True)
        if read.card is not None or not usual or abs(size / usual - 1) < _SIZE_TOLERANCE
    ]


def _is_same_card(a: Points, b: Points) -> bool:
    width = float(np.linalg.norm(a[1] - a[0]))
    return float(np.linalg.norm(a.mean(axis=0) - b.mean(axis=0))) < _SAME_CARD * width


def decide(seen: Sequence[Match], face: Match | None) -> str | None:
    """Return the card on which all matches agree, or None.

    Args:
        seen: matches of the indices.
        face: match of the whole face; None if it is not visible.
    """
    sure = {m.card for m in seen if is_sure(m)}
    if (
        face is not None
        and face.fit >= _FACE_FIT
        and face.margin >= _FACE_MARGIN
        and face.separation >= SURE_SEPARATION
    ):
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
    """Whether the match of an index alone identifies the card."""
    if match.fit >= CLOSE_FIT and match.margin >= CLOSE_MARGIN and match.separation >= CLOSE_SEPARATION:
        return True
    both = match.margin + match.separation
    return (
        match.fit >= SURE_FIT
        and match.margin >= SURE_MARGIN
        and match.separation >= SURE_SEPARATION
        and both >= SURE_BOTH
    )


def whole_card(paper: Paper) -> Points | None:
    """Return the outline of a separate card, (4, 2) px, clockwise from the start of a short side, or None."""
    corners = [corner for corner in paper.corners if corner is not None]
    if len(corners) != 4 or len(paper.edges) > 7:
        return None
    quad = np.array([corner.at for corner in corners], np.float32)
    area = float(cv2.contourArea(quad))
    if area < 1 or paper.area / area < _MIN_FILL - 0.05 or not cv2.isContourConvex(quad):
        return None
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    first, second = float(sides[0] + sides[2]), float(sides[1] + sides[3])
    if not _ASPECTS[0] < max(first, second) / max(1e-6, min(first, second)) < _ASPECTS[1]:
        return None
    return quad if first < second else np.roll(quad, -1, axis=0)


def whole_sides(paper: Paper) -> list[tuple[Corner, Corner]]:
    """Return the end corners of each complete straight side of an outline, the longest side first."""
    there = [corner for corner in paper.corners if corner is not None]
    found = [(before, after) for before in there for after in there if _is_side(before, after)]
    return sorted(found, key=lambda ends: -float(np.linalg.norm(ends[1].at - ends[0].at)))


def _is_side(before: Corner, after: Corner) -> bool:
    step = after.at - before.at
    length = float(np.linalg.norm(step))
    if length < _MIN_SIDE_PX:
        return False
    return min(float(np.dot(step, e.along)) for e in (before.after, after.before)) > _STRAIGHT * length


def _card_from_side(start: Array, side_mm: float, width_mm: float) -> Array:
    """Return a card's outline, without perspective, from the ends (2, 2) of a side with a known length."""
    first, second = start[0], start[1]
    step = (second - first) / side_mm
    across = np.array([-step[1], step[0]])
    w, h = width_mm, HEIGHT_MM
    return np.array([first, first + w * step, first + w * step + h * across, first + h * across])


def rectified(image: Image, quad: Points, size: tuple[int, int]) -> Image:
    """Return the rectified picture of a quad (4, 2) px, (height, width, 3); size is (width, height)."""
    w, h = size
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(np.asarray(quad, np.float32), corners)
    return np.asarray(cv2.warpPerspective(image, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def outline_of(pose: Array, width_mm: float) -> Points:
    """Return a card's outline from the pose of its index corner."""
    x, y = width_mm * pose[1], HEIGHT_MM * pose[2]
    return np.asarray([pose[0], pose[0] + x, pose[0] + x + y, pose[0] + y], np.float32)


def _is_same_index(a: Array, b: Array) -> bool:
    size, other = float(np.linalg.norm(a[1])), float(np.linalg.norm(b[1]))
    near = float(np.linalg.norm(a[0] - b[0])) < _SAME_INDEX_MM * size
    return near and float(np.dot(a[1], b[1])) > _SAME_DIRECTION * size * other


def _is_corner_of_card(place: Array, match: Match, outline: Points) -> bool:
    reach = _SAME_INDEX_MM * float(np.linalg.norm(match.pose[1]))
    return bool((np.linalg.norm(outline - place, axis=1) < reach).any())


def _small_faces(faces: DeckFaces) -> NDArray[np.float32]:
    flat = np.stack([_half_size(face) for face in faces.darkness]).reshape(len(faces.cards), -1)
    return np.ascontiguousarray((flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6)).T)


def _half_size(darkness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a face at half size without its rim, for the match of whole faces."""
    rim = 2 * FACE_PX
    inner = darkness[rim:-rim, rim:-rim]
    return np.asarray(
        cv2.GaussianBlur(cv2.resize(inner, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    )
