"""Enrolls a deck of the house's own on the running table: a session over many requests, with the table's own camera.

Every picture taken is stored on disk, so an interrupted enrollment can be continued, even after a restart. During
enrollment no card on the table counts. A deck already enrolled under that name stays in use until the new one is
complete.
"""

import json
import shutil
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from companion.kernel.messages import Message, message
from companion.objects.cards import STANDARD_CARDS
from companion.objects.keeping import NotKept, keep_file
from companion.tracking.deck_shapes import CardSeen, DeckEnrollmentJson, OwnDecksJson
from companion.tracking.enrollment import (
    APART_S,
    Camera,
    EnrollError,
    LiveEnrollment,
    LivePicture,
    OtherSessionOpen,
    UnusablePicture,
    data_uri,
)
from companion.vision.draw import to_jpeg
from companion.vision.frame import Image, Points, to_gray
from companion.vision.own_deck.enrollment import DeckEnrollment, card_in
from companion.vision.own_deck.reader import rectified
from companion.vision.own_deck.store import OwnDecks

DRAFT: Final = ".unfinished"
"""Folder of an incomplete enrollment, inside the folder of the enrolled decks."""
_DRAFT_FILE: Final = "draft.json"
_CROP_MARGIN: Final = 0.35
"""Margin of a stored picture around the card, relative to the card's longer side."""
_MOTION_THRESHOLD: Final = 4.0
"""Mean grey-level difference above which the card counts as moving."""
_SAME_CARD_CORRELATION: Final = 0.97  # correlation above which two pictures show the same card
_COMPARED_SIZE: Final = (63, 88)
_PREVIEW_PX: Final = 720
_OUTLINE_COLOR: Final = (90, 200, 60)


class DeckAlreadyEnrolled(EnrollError):
    """A deck of this name is already enrolled, and the request does not ask to replace it."""

    code = "deck-known"


class OwnDeckEnrollment(LiveEnrollment[DeckEnrollment]):
    """Enrolls one deck at a time. Thread-safe.

    Args:
        camera: the running table's camera; None at a table without one.
        decks: the enrolled decks.
        in_play: ids of the decks that the table is set up with.
        on_change: called after a deck was enrolled or deleted.
        clock: monotonic time, s.
        sleep: waits for some seconds.
    """

    no_session_message = message("No deck is being taught. Begin with its name.")

    def __init__(
        self,
        camera: Camera | None,
        decks: OwnDecks,
        *,
        in_play: Collection[str | None] = (),
        on_change: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(LivePicture(camera, clock=clock, sleep=sleep), on_change, clock)
        self._decks, self._in_play = decks, in_play
        self._draft = _Draft(decks.folder / DRAFT)
        self._taken = 0

    def state(self) -> OwnDecksJson:
        """Return the enrolled decks and the progress of the open or interrupted enrollment."""
        with self._lock:
            session, draft = self._session, self._draft.read()
            return {
                "decks": [
                    {"id": deck.id, "name": deck.name, "in_play": deck.id in self._in_play}
                    for deck in self._decks.all()
                ],
                "enrollment": None if session is None else self._told(session),
                "unfinished": None
                if session is not None or draft is None
                else {"name": draft[0], "shown": len(draft[1])},
            }

    # ---- enrollment

    def begin(self, name: str, *, replace: bool = False) -> OwnDecksJson:
        """Start enrolling a deck, or continue its interrupted enrollment.

        Raises:
            OtherSessionOpen: another enrollment is open or interrupted.
            DeckAlreadyEnrolled: a deck of this name is enrolled, and ``replace`` is False.
            CompanionError: the name is invalid.
        """
        with self._lock:
            session, draft = DeckEnrollment(name), self._draft.read()
            open_name = self._session.name if self._session else draft[0] if draft else None
            if self._session is not None or (open_name is not None and open_name.lower() != session.name.lower()):
                raise OtherSessionOpen.saying(
                    "{deck} is not complete yet. Go on with it, or discard it first.", deck=str(open_name)
                )
            known = next((deck for deck in self._decks.all() if deck.name.lower() == session.name.lower()), None)
            if known is not None and draft is None and not replace:
                raise DeckAlreadyEnrolled.saying(
                    "{deck} is known already. Replace it, or choose another name.", deck=known.name
                )
            if draft is not None:
                session = DeckEnrollment(draft[0])
                for card in draft[1]:
                    self._draft.take_again(session, card)
            self._draft.note(session)
            self._session, self._touched, self._taken = session, self._clock(), 0
            return self.state()

    def inspect(self) -> CardSeen:
        """Check whether the current picture is usable.

        Raises:
            EnrollError: no enrollment is open, or there is no camera.
        """
        with self._lock:
            session, image = self._open(), self._live.now()
            quad, why = card_in(image)
            last = session.picture(session.shown[-1]) if session.shown else None
            return {
                "picture": data_uri(_shown(image, quad)),
                "trouble": why,
                "is_last": quad is not None and last is not None and _is_same(image, quad, last),
            }

    def take(self, card: str) -> OwnDecksJson:
        """Enroll a card from the current picture.

        Raises:
            UnusablePicture: the picture is unusable; the message says why.
            EnrollError: no enrollment is open, or there is no camera or no such card.
        """
        with self._lock:
            session = self._open()
            if card not in STANDARD_CARDS:
                raise EnrollError.saying("There is no card {card}. Choose one on the page.", card=repr(card[:20]))
            before, image = self._live.now(), self._live.now(APART_S)
            quad, why = card_in(image)
            if quad is None:
                raise self._bad(why, image, None)
            if _moved(before, image, quad):
                raise self._bad(message("the card still moves"), image, quad)
            refused = self._learn(session, image, quad, card)
            if refused:
                raise self._bad(refused, image, quad)
            self._taken += 1
            return self.state()

    def _learn(self, session: DeckEnrollment, image: Image, quad: Points, card: str) -> Message | str:
        """Enroll a card from a crop of the picture or else from the whole, and store the one used.

        Returns:
            why neither is usable; empty on success.
        """
        why: Message | str = ""
        for picture in (_around(image, quad), image):
            why = session.take(picture, card)
            if not why:
                self._draft.keep(session, card, picture)
                break
        return why

    @staticmethod
    def _bad(why: Message | str, image: Image, quad: Points | None) -> UnusablePicture:
        return UnusablePicture(message("Not this picture: {why}.", why=why), data_uri(_shown(image, quad)))

    def picture(self, card: str) -> bytes:
        """Return the picture taken of a card, at half size, as JPEG.

        Raises:
            EnrollError: there is none.
        """
        with self._lock:
            face = self._session.picture(card) if self._session is not None else None
            if face is None:
                raise EnrollError.saying("No such picture was taken yet. Show the card first.")
            return to_jpeg(np.asarray(cv2.resize(face, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8))

    def undo(self, card: str | None = None) -> OwnDecksJson:
        """Remove the picture of a card, by default of the card taken last.

        Raises:
            EnrollError: there is none.
        """
        with self._lock:
            session = self._open()
            if session.undo(card) is None:
                raise EnrollError.saying("No such picture was taken yet. Show the card first.")
            self._draft.note(session)
            return self.state()

    def pause(self) -> OwnDecksJson:
        """Interrupt the enrollment: its pictures are kept, and the game goes on."""
        with self._lock:
            self._open()
            self._session = None
            return self.state()

    def discard(self) -> OwnDecksJson:
        """Discard the enrollment and its pictures; a deck already enrolled under this name stays enrolled."""
        with self._lock:
            if self._session is None and self._draft.read() is None:
                self._open()
            self._session = None
            self._draft.clear()
            return self.state()

    def finish(self) -> OwnDecksJson:
        """Store the complete deck.

        Raises:
            EnrollError: cards are missing, or cannot be told apart.
        """
        with self._lock:
            session = self._open()
            deck = session.finish(self._decks)
            if isinstance(deck, str):
                raise EnrollError.saying("{deck} is not stored: {why}.", deck=session.name, why=deck)
            self._session = None
            self._draft.clear()
        self._on_change()
        return self.state()

    def forget(self, name: str) -> OwnDecksJson:
        """Delete an enrolled deck.

        Raises:
            CompanionError: no deck of this name is enrolled, or the table plays with it.
        """
        with self._lock:
            deck = self._decks.named(name)
            if deck.id in self._in_play:
                raise EnrollError.saying("{deck} is in play. Choose another deck in the set-up first.", deck=deck.name)
            self._decks.forget(name)
        self._on_change()
        return self.state()

    # ---- inside

    def _told(self, session: DeckEnrollment) -> DeckEnrollmentJson:
        shown = session.shown
        return {
            "name": session.name,
            "cards": [{"card": card, "shown": card in shown} for card in STANDARD_CARDS],
            "wanted": list(session.wanted),
            "last": shown[-1] if shown else None,
            "taken": self._taken,
        }


class _Draft:
    """The stored pictures of an incomplete enrollment. A card whose picture cannot be read counts as not shown."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self) -> tuple[str, list[str]] | None:
        """Return the deck's name and its cards in the order shown; None without a readable draft."""
        try:
            record = json.loads((self._folder / _DRAFT_FILE).read_text())
            return str(record["name"]), [str(card) for card in record["cards"] if card in STANDARD_CARDS]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def take_again(self, session: DeckEnrollment, card: str) -> None:
        picture = cv2.imread(str(self._folder / f"{card}.png"))
        if picture is not None:
            session.take(np.asarray(picture, np.uint8), card)

    def keep(self, session: DeckEnrollment, card: str, picture: Image) -> None:
        try:
            data = cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, 2])[1].tobytes()
            keep_file(self._folder / f"{card}.png", data)
        except NotKept:
            session.undo(card)
            raise
        self.note(session)

    def note(self, session: DeckEnrollment) -> None:
        keep_file(self._folder / _DRAFT_FILE, json.dumps({"name": session.name, "cards": session.shown}).encode())

    def clear(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _around(image: Image, quad: Points) -> Image:
    """Return a crop of the card with a margin."""
    low, high = quad.min(axis=0), quad.max(axis=0)
    more = _CROP_MARGIN * float((high - low).max())
    x0, y0 = np.maximum(low - more, 0).astype(int).tolist()
    x1, y1 = (high + more).astype(int).tolist()
    return np.ascontiguousarray(image[y0:y1, x0:x1])


def _moved(before: Image, now: Image, quad: Points) -> bool:
    """Whether the card's place has changed since a moment ago, apart from lighting."""
    if before.shape != now.shape:
        return True
    a, b = (to_gray(rectified(image, quad, _COMPARED_SIZE)).astype(np.float32) for image in (before, now))
    change = cv2.GaussianBlur(a - b, (3, 3), 0)
    return float(np.mean(np.abs(change - np.median(change)))) > _MOTION_THRESHOLD


def _is_same(image: Image, quad: Points, picture: Image) -> bool:
    """Whether the card is the one in a picture, either way up."""
    now, then = (
        _flat(rectified(image, quad, _COMPARED_SIZE)),
        _flat(cv2.resize(picture, _COMPARED_SIZE, interpolation=cv2.INTER_AREA)),
    )
    return max(float((now * then).sum()), float((now[::-1, ::-1] * then).sum())) > _SAME_CARD_CORRELATION


def _flat(face: np.ndarray) -> np.ndarray:
    gray = cv2.GaussianBlur(to_gray(np.asarray(face, np.uint8)).astype(np.float32), (3, 3), 0)[4:-4, 4:-4]
    gray = gray - gray.mean()
    return np.asarray(gray / max(1e-6, float(np.linalg.norm(gray))))


def _shown(image: Image, quad: Points | None) -> Image:
    """Return the picture for people: smaller, with the card outlined."""
    scale = min(1.0, _PREVIEW_PX / image.shape[1])
    small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8).copy()
    if quad is not None:
        cv2.polylines(small, [np.round(quad * scale).astype(np.int32)], True, _OUTLINE_COLOR, 3, cv2.LINE_AA)
    return small
