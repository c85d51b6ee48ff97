"""Enrollment of an ordinary deck: one picture of each card, with a reason for every unusable picture.

Cards are shown to the camera one at a time, either way up. A card that looks like one that was already shown is
refused, so that no card is enrolled under two names.
"""

from typing import Final, Literal

import cv2
import numpy as np

from companion.kernel.messages import Message, message
from companion.objects.cards import STANDARD_CARDS
from companion.vision.frame import Image, Points, to_gray
from companion.vision.own_deck.faces import FACE_PX, HEIGHT_MM, DeckFaces, Patch, darkness_of
from companion.vision.own_deck.paper import find_papers
from companion.vision.own_deck.reader import rectified, whole_card
from companion.vision.own_deck.store import OwnDeck, OwnDecks, checked_name

MIN_PX_PER_MM: Final = 4.0
"""Minimum resolution, pixels per millimeter."""
MIN_DISTANCE_MM2: Final = 0.4
"""Minimum distance of any two indices of a deck, mm² of full contrast."""
_MIN_CORRELATION: Final = 0.93  # of two pictures of the same card
_MAX_DIFFERENCE: Final = 0.22  # of their darkness (mean of the channels) at any pixel
_SHIFT: Final = 2  # search range, pixels of a half-size face
_THIRDS: Final = np.full((1, 3), 1 / 3, np.float32)
_CARD_SHARE: Final = (0.002, 0.8)  # of the picture's area
_MIN_SHARPNESS: Final = 12.0  # gray levels per pixel

Why = Message | Literal[""]
"""Why a picture is unusable; "" if it is usable."""


class DeckEnrollment:
    """Enrolls one deck, card by card, in any order. Not thread-safe."""

    def __init__(self, name: str) -> None:
        self.name = checked_name(name)
        self._taken: dict[str, Image] = {}
        self._width: int | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """The cards that are still missing, in the deck's order."""
        return tuple(card for card in STANDARD_CARDS if card not in self._taken)

    @property
    def shown(self) -> tuple[str, ...]:
        """The enrolled cards, in the order in which they were shown."""
        return tuple(self._taken)

    def picture(self, card: str) -> Image | None:
        """Return the rectified picture of a card, or None."""
        return self._taken.get(card)

    def take(self, image: Image, card: str) -> Why:
        """Enroll a card from a picture, uint8 (H, W, 3); return "" or why the picture is unusable.

        Case does not matter in the card's name. A card that was shown before is replaced.
        """
        card = card.upper()
        if card not in STANDARD_CARDS:
            return message("there is no card {card}", card=repr(card[:20]))
        quad, why = card_in(image)
        if quad is None:
            return why
        face = rectified(image, quad, (self._face_width(quad), round(HEIGHT_MM * FACE_PX)))
        twin = self._twin_of(face, card)
        if twin:
            return message("this is the card that was shown as {card}", card=twin)
        self._taken.pop(card, None)
        self._taken[card] = face
        return ""

    def undo(self, card: str | None = None) -> str | None:
        """Remove a card, by default the last one; return its name, or None if it is not enrolled."""
        card = card or next(reversed(self._taken), None)
        return card if card is not None and self._taken.pop(card, None) is not None else None

    def finish(self, decks: OwnDecks) -> OwnDeck | Message:
        """Store the deck and return it, or the reason why its cards cannot be distinguished.

        Raises:
            OwnDeckError: cards are missing.
        """
        if not self.wanted:
            faces = DeckFaces.of({card: self._taken[card] for card in STANDARD_CARDS})
            if faces.min_distance(faces.window_mm) < MIN_DISTANCE_MM2:
                first, second = faces.most_similar()
                return message(
                    "the corners of {first} and {second} look the same; show both again, or use another deck",
                    first=first,
                    second=second,
                )
        return decks.store(self.name, self._taken)

    def _face_width(self, quad: Points) -> int:
        """Return the width of this deck's pictures, from the proportions of its first card."""
        if self._width is None:
            sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
            ratio = float((sides[0] + sides[2]) / (sides[1] + sides[3]))
            self._width = round(HEIGHT_MM * FACE_PX * min(0.74, max(0.60, ratio)))
        return self._width

    def _twin_of(self, face: Image, card: str) -> str:
        """Return another card with the same picture, upright or upside down; "" if there is none."""
        ways = [_small(face), _small(np.ascontiguousarray(face[::-1, ::-1]))]
        for other, picture in self._taken.items():
            if other != card and any(_is_same(way, _small(picture)) for way in ways):
                return other
        return ""


def _small(face: Image) -> Patch:
    """Return the darkness of a face at half size, blurred so that sharpness does not matter but suits still differ."""
    half = cv2.resize(darkness_of(face), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(half, (0, 0), 0.3 * FACE_PX)[2:-2, 2:-2], np.float32)


def _is_same(a: Patch, b: Patch) -> bool:
    """Whether two faces match everywhere at some small shift."""
    inner = a[_SHIFT:-_SHIFT, _SHIFT:-_SHIFT]
    if float(np.vdot(a, b)) < _MIN_CORRELATION * float(np.sqrt(np.vdot(a, a) * np.vdot(b, b))):
        return False
    h, w = inner.shape[:2]
    moved = (b[y : y + h, x : x + w] for y in range(2 * _SHIFT + 1) for x in range(2 * _SHIFT + 1))
    return any(float(cv2.transform(cv2.absdiff(inner, one), _THIRDS).max()) < _MAX_DIFFERENCE for one in moved)


def card_in(image: Image) -> tuple[Points | None, Why]:
    """Return the outline of the only card in a picture, (4, 2) px, or None and the reason."""
    area = image.shape[0] * image.shape[1]
    papers = [paper for paper in find_papers(image) if paper.area > _CARD_SHARE[0] * area]
    quads = [quad for paper in papers if (quad := whole_card(paper)) is not None]
    if not papers:
        return None, message("no card is to be seen; lay it flat on a darker cloth")
    if len(quads) > 1:
        return None, message("{count} cards are to be seen: leave only one", count=len(quads))
    if not quads:
        return None, message("the card's four corners are not to be seen; lay it apart, with no hand over it")
    quad = quads[0]
    height = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    if height < MIN_PX_PER_MM * HEIGHT_MM:
        wanted = round(MIN_PX_PER_MM * HEIGHT_MM)
        return None, message(
            "the card is too small: {size} px high, wants {wanted}; move the camera closer",
            size=round(height),
            wanted=wanted,
        )
    if _sharpness(rectified(image, quad, (252, 352))) < _MIN_SHARPNESS:
        return None, message("the picture is blurred")
    return quad, ""


def _sharpness(face: Image) -> float:
    """Return the steepness of the sharpest edges (99th percentile of the gradient), gray levels per pixel."""
    gray = to_gray(face).astype(np.float32)
    steps = np.hypot(cv2.Sobel(gray, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(gray, cv2.CV_32F, 0, 1, scale=1 / 8))
    inner = steps[12:-12, 12:-12]
    return float(np.percentile(inner, 99))
