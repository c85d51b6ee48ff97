"""The King of Roulette mat under a camera, with printed cards and chips, and a table."""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from chip_table import PX_PER_MM, SIZE, bgr, noise

from companion.games.king.camera.interpreter import KingInterpreter
from companion.games.king.printed.deck import KING_DECK
from companion.games.king.printed.mat import KING_MAT
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
from companion.tracking.cards.zones import Zones
from companion.tracking.chips import ChipsOnMat
from companion.vision.frame import Frame, Image
from companion.vision.live.reader import Reader

DECK = Deck("K7QX", KING_DECK, "Home", b"k" * 32, "2026-01-01T00:00:00.000+00:00")
CORNERS = np.float32([[86, 60], [1830, 48], [1886, 1010], [40, 990]])  # of the mat in the picture, slightly askew
BACK = "back"
_SMALL = 0.4
STEP_S = 0.2


@cache
def mat_picture() -> Image:
    return cv2.resize(bgr(mat_piece(KING_MAT)), None, fx=_SMALL, fy=_SMALL, interpolation=cv2.INTER_AREA)


@cache
def picture_of(piece: str) -> Image:
    if piece == BACK:
        return bgr(back_piece())
    return bgr(chip_pieces((piece,))[0] if piece in CHIPS else card_pieces(DECK, "poker", (piece,))[0])


@cache
def to_px() -> np.ndarray:
    wide, high = KING_MAT.width_mm, KING_MAT.height_mm
    return cv2.getPerspectiveTransform(np.float32([[0, 0], [wide, 0], [wide, high], [0, high]]), CORNERS)


def place(zone: str, share: float = 0.5, row: float = 0.5) -> tuple[float, float]:
    """Return a point of a zone, mm, at shares of its width and height."""
    box = KING_MAT.zones[zone]
    return box.x + share * box.width, box.y + row * box.height


@dataclass(frozen=True)
class Thing:
    """A card or chip on the mat; a face-down card shows its back."""

    piece: str
    at: tuple[float, float]
    turn: float
    is_up: bool


@dataclass
class KingTable:
    """The mat with its objects (`lay`, `take`), time (`wait`), and the table."""

    names: tuple[str, ...] = ("Ann", "Bo", "Cy", "Dee")
    things: list[Thing] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = Table(new_header("king-of-roulette", tuple((name, 9) for name in self.names), {}))
        reader, eyes = Reader({DECK.id: DECK.key}, DECKS, work_ms=80.0), KingInterpreter(CardSettings())
        self.sight = CardSight(reader, eyes, zones=Zones(MATS), chips=ChipsOnMat(), is_secret=True)
        self.t, self.number = 0.0, 0
        self.notes, self.advised = [], []
        self.drawn: tuple[object, list[Image]] = (None, [])
        for name in self.names:
            self.table.do({"do": "vote", "player": name, "for": self.names[0]})
        while self.sight.report()["mat"] is None:
            self.wait(1.0)

    # ---- actions

    def lay(self, piece: str, at: tuple[float, float], turn: float = 3.0, *, is_up: bool = True) -> None:
        self.things.append(Thing(piece, at, turn, is_up))

    def take(self, *pieces: str) -> None:
        self.things = [one for one in self.things if one.piece not in pieces]

    def do(self, **record) -> None:
        self.table.do(record)
        self.wait(0.4)

    def wait(self, seconds: float) -> None:
        end = self.t + seconds
        while self.t < end:
            self.t, self.number = self.t + STEP_S, self.number + 1
            self.notes += self.sight.see(Frame(self.picture(), self.t, self.number), self.t)
            self.follow()

    def follow(self) -> None:
        advice = self.sight.propose(self.table.situation())
        while advice.command is not None:
            before = self.table.situation()
            self.advised.append((advice.command["do"], advice.key))
            try:
                self.table.do(advice.command)
            except TableError:
                self.sight.refused(advice)
                return
            self.sight.played(advice, before)
            advice = self.sight.propose(self.table.situation())

    # ---- questions

    @property
    def questions(self):
        return self.sight.propose(self.table.situation()).questions

    def kinds(self) -> list[str]:
        return sorted(question.id.partition(":")[0] for question in self.questions)

    def answer(self, choice: str) -> None:
        """Choose an answer of the only question that offers it."""
        (question,) = (one for one in self.questions if any(each.id == choice for each in one.choices))
        self.sight.answered(question, next(one for one in question.choices if one.id == choice))
        self.wait(0.6)

    @property
    def state(self):
        return self.table.situation().state

    @property
    def bets(self):
        return {player.name: player.space for player in self.state.others}

    # ---- the camera's picture

    def picture(self) -> Image:
        """Return the scene with one of three noise fields; only changed parts are redrawn."""
        key = tuple(self.things)
        if self.drawn[0] != key:
            scene = self.compose()
            self.drawn = (key, [cv2.add(cv2.subtract(scene, less), more) for less, more in noise()])
        return self.drawn[1][self.number % 3]

    def compose(self) -> Image:
        image = np.full((SIZE[1], SIZE[0], 3), (52, 70, 46), np.uint8)
        _warp(mat_picture(), to_px() @ np.diag([1 / (_SMALL * PX_PER_MM), 1 / (_SMALL * PX_PER_MM), 1.0]), image)
        for thing in self.things:
            size = (CHIP_MM, CHIP_MM) if thing.piece in CHIPS else (POKER.width, POKER.height)
            part = picture_of(thing.piece if thing.is_up else BACK)
            _warp(part, to_px() @ _pose(thing, size, part), image, is_round=thing.piece in CHIPS)
        return cv2.GaussianBlur(image, (3, 3), 0.6)


def _pose(thing: Thing, size: tuple[float, float], part: Image) -> np.ndarray:
    """Return the matrix from a printed piece's pixels to the mat, mm."""
    turn, half = np.radians(thing.turn), np.array(size) / 2
    rotate = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    shift = np.array(thing.at) - rotate @ half
    pose = np.vstack([np.column_stack([rotate, shift]), [0, 0, 1]])
    return pose @ np.diag([size[0] / part.shape[1], size[1] / part.shape[0], 1.0])


def _warp(part: Image, matrix: np.ndarray, image: Image, *, is_round: bool = False) -> None:
    mask = np.full(part.shape[:2], 0 if is_round else 255, np.uint8)
    if is_round:
        cv2.circle(mask, (part.shape[1] // 2, part.shape[0] // 2), part.shape[0] // 2, 255, -1)
    warped = cv2.warpPerspective(cv2.GaussianBlur(part, (0, 0), 2.0), matrix, SIZE, flags=cv2.INTER_AREA)
    here = cv2.warpPerspective(mask, matrix, SIZE, flags=cv2.INTER_LINEAR) > 127
    image[here] = warped[here]
