"""The blackjack mat under a camera, with printed cards and chips, and a table that plays the camera's commands."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import cv2
import numpy as np
from chip_table import PX_PER_MM, SIZE, bgr, noise

from companion.games.blackjack.camera.interpreter import BlackjackInterpreter
from companion.games.blackjack.mats.zones import MAT
from companion.games.standard_deck.design import STANDARD
from companion.kernel.errors import TableError
from companion.kernel.table import Table
from companion.objects.chips import CHIP_MM, CHIPS
from companion.objects.decks import Deck
from companion.objects.geometry import POKER
from companion.plugins.perception import CardSettings
from companion.printing.chips import chip_pieces
from companion.printing.mats.sheet import mat_piece
from companion.printing.pieces import back_piece, card_pieces
from companion.testing import DECKS, MATS, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.zones import Zones
from companion.tracking.chips import ChipsOnMat
from companion.vision.frame import Frame, Image
from companion.vision.live.reader import Reader

DECK = Deck("K7QX", STANDARD, "Home", b"k" * 32, "2026-01-01T00:00:00.000+00:00")
FORGED = Deck("K7QX", STANDARD, "Home", b"f" * 32, "2026-01-01T00:00:00.000+00:00")
STRANGE = Deck("QX4K", STANDARD, "Other", b"s" * 32, "2026-01-01T00:00:00.000+00:00")
CORNERS = np.float32([[70, 40], [1852, 30], [1896, 1030], [22, 1012]])  # of the mat in the picture, slightly askew
BACK = "back"
STEP_S = 0.1
DOWN = 24.0
"""Offset of a hand's next card below the last one, mm."""
_SMALL = 0.35


@cache
def mat_picture() -> Image:
    return cv2.resize(bgr(mat_piece(MAT)), None, fx=_SMALL, fy=_SMALL, interpolation=cv2.INTER_AREA)


@cache
def picture_of(piece: str, deck: Deck = DECK) -> Image:
    if piece == BACK:
        return bgr(back_piece())
    return bgr(chip_pieces((piece,))[0] if piece in CHIPS else card_pieces(deck, "poker", (piece,))[0])


@cache
def to_px() -> np.ndarray:
    wide, high = MAT.width_mm, MAT.height_mm
    return cv2.getPerspectiveTransform(np.float32([[0, 0], [wide, 0], [wide, high], [0, high]]), CORNERS)


def spot(seat: int, hand: int = 0, card: int = 0) -> tuple[float, float]:
    """Return the position of a card in a seat's hand: hands side by side, each further card lower."""
    box = MAT.zones[f"box/{seat}"]
    return box.x + 33.0 + 76.0 * (hand % 2), box.y + 48.0 + DOWN * card + 140.0 * (hand // 2)


def dealers(card: int) -> tuple[float, float]:
    """Return the position of a dealer's card."""
    box = MAT.zones["dealer"]
    return box.x + 36.0 + 68.0 * card, box.y + 62.0


def bets(seat: int, chip: int = 0) -> tuple[float, float]:
    """Return the position of a chip in a seat's bet box."""
    box = MAT.zones[f"bet/{seat}"]
    return box.x + 26.0 + 32.0 * chip, box.y + box.height / 2


@dataclass(frozen=True)
class Thing:
    """A card or chip on the mat; a face-down card shows its back."""

    piece: str
    at: tuple[float, float]
    turn: float = 2.0
    is_up: bool = True
    deck: Deck = DECK


@dataclass
class BlackjackTable:
    """The mat with its objects (`lay`, `take`), time (`wait`), and the table."""

    names: tuple[str, ...] = ("Ann", "Bo", "Cy")
    options: dict[str, Any] = field(default_factory=dict)
    settings: CardSettings = field(default_factory=CardSettings)
    things: list[Thing] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = Table(new_header("blackjack", tuple((name, 2000) for name in self.names), self.options))
        keys = {DECK.id: DECK.key}
        reader, eyes = Reader(keys, DECKS, work_ms=80.0), BlackjackInterpreter(self.settings)
        tracker = Tracker(several=DECKS.twice)
        self.sight = CardSight(reader, eyes, zones=Zones(MATS), tracker=tracker, chips=ChipsOnMat())
        self.t, self.number = 0.0, 0
        self.played: list[dict[str, Any]] = []
        self.drawn: tuple[object, list[Image]] = (None, [])
        while self.sight.report()["mat"] is None:
            self.wait(0.5)
        self.wait(2.0)

    # ---- actions

    def lay(self, piece: str, at: tuple[float, float], turn: float = 2.0, wait: float = 1.2, **more: Any) -> None:
        self.things.append(Thing(piece, at, turn, **more))
        self.wait(wait)

    def take(self, *pieces: str, wait: float = 0.0) -> None:
        self.things = [one for one in self.things if one.piece not in pieces]
        self.wait(wait)

    def move(self, piece: str, at: tuple[float, float], wait: float = 1.2) -> None:
        self.take(piece)
        self.wait(0.3)
        self.lay(piece, at, wait=wait)

    def clear(self) -> None:
        """Take all cards off the mat."""
        self.things = [one for one in self.things if one.piece in CHIPS]
        self.wait(3.0)

    def do(self, do: str, **record: Any) -> None:
        self.table.do({"do": do, **record})
        self.wait(0.4)

    def wait(self, seconds: float) -> None:
        end = self.t + seconds - 1e-6
        while self.t < end:
            self.t, self.number = self.t + STEP_S, self.number + 1
            self.sight.see(Frame(self.picture(), self.t, self.number), self.t)
            self.follow()

    def follow(self) -> None:
        advice = self.sight.propose(self.table.situation())
        while advice.command is not None:
            before = self.table.situation()
            try:
                self.table.do(advice.command)
            except TableError:
                self.sight.refused(advice)
                return
            self.played.append(dict(advice.command))
            self.sight.played(advice, before)
            advice = self.sight.propose(self.table.situation())

    # ---- questions

    @property
    def questions(self):
        return self.sight.propose(self.table.situation()).questions

    def kinds(self) -> list[str]:
        return sorted(question.kind for question in self.questions)

    def answer(self, choice: str) -> None:
        """Choose an answer of the only question that offers it."""
        (question,) = (one for one in self.questions if any(each.id == choice for each in one.choices))
        chosen = next(one for one in question.choices if one.id == choice)
        if chosen.command is not None:
            self.table.do(chosen.command)
        self.sight.answered(question, chosen)
        self.wait(0.6)

    @property
    def state(self):
        return self.table.situation().state

    def coins(self) -> dict[str, int]:
        return {name: self.table.position.ledger.balance(name) for name in self.names}

    # ---- the camera's picture

    def picture(self) -> Image:
        """Return the scene with one of three noise fields; only changed parts are redrawn."""
        key = tuple(self.things)
        if self.drawn[0] != key:
            scene = self.compose()
            self.drawn = (key, [cv2.add(cv2.subtract(scene, less), more) for less, more in noise()])
        return self.drawn[1][self.number % 3]

    def compose(self) -> Image:
        image = empty().copy()
        for thing in self.things:
            size = (CHIP_MM, CHIP_MM) if thing.piece in CHIPS else (POKER.width, POKER.height)
            part = picture_of(thing.piece, thing.deck) if thing.is_up else picture_of(BACK)
            _warp(part, to_px() @ _pose(thing, size, part), image, is_round=thing.piece in CHIPS)
        return cv2.GaussianBlur(image, (3, 3), 0.6)


@cache
def empty() -> Image:
    image = np.full((SIZE[1], SIZE[0], 3), (52, 70, 46), np.uint8)
    _warp(mat_picture(), to_px() @ np.diag([1 / (_SMALL * PX_PER_MM), 1 / (_SMALL * PX_PER_MM), 1.0]), image)
    return image


def _pose(thing: Thing, size: tuple[float, float], part: Image) -> np.ndarray:
    """Return the matrix from a printed piece's pixels to the mat, mm."""
    turn, half = np.radians(thing.turn), np.array(size) / 2
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    shift = np.array(thing.at) - rotate @ half
    pose = np.vstack([np.column_stack([rotate, shift]), [0, 0, 1]])
    return pose @ np.diag([size[0] / part.shape[1], size[1] / part.shape[0], 1.0])


def _warp(part: Image, matrix: np.ndarray, image: Image, *, is_round: bool = False) -> None:
    """Draw a part at its position, within its bounding box."""
    height, width = part.shape[:2]
    corners = cv2.perspectiveTransform(np.float32([[[0, 0], [width, 0], [width, height], [0, height]]]), matrix)[0]
    (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int) - 2, np.ceil(corners.max(0)).astype(int) + 2
    x0, y0, x1, y1 = max(0, x0), max(0, y0), min(SIZE[0], x1), min(SIZE[1], y1)
    here = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]]) @ matrix
    mask = np.full(part.shape[:2], 0 if is_round else 255, np.uint8)
    if is_round:
        cv2.circle(mask, (width // 2, height // 2), height // 2, 255, -1)
    soft = cv2.GaussianBlur(part, (0, 0), 2.0)
    seen = cv2.warpPerspective(soft, here, (x1 - x0, y1 - y0), flags=cv2.INTER_AREA)
    inside = cv2.warpPerspective(mask, here, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR) > 127
    image[y0:y1, x0:x1][inside] = seen[inside]
