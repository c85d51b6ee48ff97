"""A roulette mat under a camera, with printed chips, and a real table that plays the camera's proposals."""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np

from companion.games.roulette.camera.layout import LayoutSight
from companion.games.roulette.mats.spots import MATS
from companion.games.roulette.mats.zones import CELL, FIRST
from companion.kernel.errors import TableError
from companion.kernel.table import Table
from companion.objects.chips import CHIP_MM
from companion.printing.chips import chip_pieces
from companion.printing.mats.sheet import mat_piece
from companion.printing.raster import DPI, render
from companion.service.questions import Choice, Question
from companion.testing import new_header
from companion.vision.frame import Frame, Image

SIZE = (1920, 1080)
PX_PER_MM = DPI / 25.4
(LEFT, TOP), (WIDE, HIGH) = FIRST, CELL
CORNERS = np.float32([[96, 60], [1810, 44], [1872, 1010], [60, 985]])  # of the mat in the picture, slightly askew


def bgr(piece) -> Image:
    (image,) = render([piece])
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


@cache
def mat_picture(wheel: str) -> Image:
    return cv2.resize(bgr(mat_piece(MATS[wheel])), None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)


@cache
def chip_picture(name: str) -> Image:
    return bgr(chip_pieces((name,))[0])


@cache
def noise() -> list[tuple[Image, Image]]:
    """Return three noise fields, each as its negative and positive part."""
    rng = np.random.default_rng(5)
    fields = [rng.normal(0, 3, (SIZE[1], SIZE[0], 3)) for _ in range(3)]
    return [((-np.minimum(one, 0)).astype(np.uint8), np.maximum(one, 0).astype(np.uint8)) for one in fields]


def middle(number: int) -> tuple[float, float]:
    """Return the centre of a number's cell on the mat, mm."""
    return LEFT + ((number - 1) // 3 + 0.5) * WIDE, TOP + (2.5 - (number - 1) % 3) * HIGH


def to_px(wheel: str) -> np.ndarray:
    mat = MATS[wheel]
    corners = np.float32([[0, 0], [mat.width_mm, 0], [mat.width_mm, mat.height_mm], [0, mat.height_mm]])
    return cv2.getPerspectiveTransform(corners, CORNERS)


@dataclass
class ChipTable:
    """The mat with its chips (`lay`, `take`), time (`wait`), and the table."""

    wheel: str = "european"
    players: tuple[tuple[str, int], ...] = (("Ann", 100), ("Bo", 100))
    chips: list[tuple[str, tuple[float, float], float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = Table(new_header("roulette", self.players, {"wheel": self.wheel}))
        self.sight = self.make_sight()
        self.t, self.number = 0.0, 0
        self.hand: tuple[float, float] | None = None
        self.drawn: tuple[object, list[Image]] = (None, [])

    def make_sight(self) -> LayoutSight:
        return LayoutSight()

    # ---- actions

    def lay(self, chip: str, at: tuple[float, float], turn: float = 20.0) -> None:
        self.chips.append((chip, at, turn))
        self.wait(1.5)

    def take(self, chip: str) -> None:
        self.chips.remove(next(one for one in reversed(self.chips) if one[0] == chip))
        self.wait(4.0)

    def do(self, **record) -> None:
        self.table.do(record)
        self.wait(0.4)

    def wait(self, seconds: float) -> None:
        end = self.t + seconds
        while self.t < end:
            self.t += 0.2
            self.number += 1
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
            self.sight.played(advice, before)
            advice = self.sight.propose(self.table.situation())

    # ---- questions

    @property
    def questions(self):
        return self.sight.propose(self.table.situation()).questions

    def kinds(self) -> list[str]:
        return [question.kind for question in self.questions]

    def answer(self, kind: str, choice: str) -> None:
        question = next(one for one in self.questions if one.kind == kind)
        self.answer_to(question, next(one for one in question.choices if one.id == choice))

    def answer_to(self, question: Question, choice: Choice) -> None:
        if choice.command is not None:
            self.table.do(choice.command)
        self.sight.answered(question, choice)
        self.wait(0.6)

    @property
    def bets(self) -> dict[tuple[str, str], int]:
        return {(bet["player"], bet["on"]): bet["amount"] for bet in self.table.view()["bets"]}

    # ---- the camera's picture

    def picture(self) -> Image:
        """Return the scene with one of three noise fields; only changed parts are redrawn."""
        key = (tuple(self.chips), self.hand)
        if self.drawn[0] != key:
            scene = self.compose()
            self.drawn = (key, [cv2.add(cv2.subtract(scene, less), more) for less, more in noise()])
        return self.drawn[1][self.number % 3]

    def compose(self) -> Image:
        scale = np.diag([1 / (0.4 * PX_PER_MM), 1 / (0.4 * PX_PER_MM), 1.0])
        image = np.full((SIZE[1], SIZE[0], 3), (52, 70, 46), np.uint8)
        _warp(mat_picture(self.wheel), to_px(self.wheel) @ scale, image)
        for name, (x, y), turn in self.chips:
            _warp_disc(chip_picture(name), to_px(self.wheel) @ _pose(x, y, turn), image)
        if self.hand is not None:
            x, y = (to_px(self.wheel) @ [*self.hand, 1.0])[:2] / (to_px(self.wheel) @ [*self.hand, 1.0])[2]
            cv2.ellipse(image, (int(x), int(y)), (150, 90), 30, 0, 360, (120, 150, 205), -1)
        return cv2.GaussianBlur(image, (3, 3), 0.6)


def _pose(x: float, y: float, turn: float) -> np.ndarray:
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    r = CHIP_MM / 2
    to_mm = np.diag([1 / PX_PER_MM, 1 / PX_PER_MM, 1.0])
    return np.array([[c, -s, x - c * r + s * r], [s, c, y - s * r - c * r], [0, 0, 1]]) @ to_mm


def _warp(part: Image, matrix: np.ndarray, image: Image, mask: np.ndarray | None = None) -> None:
    mask = np.full(part.shape[:2], 255, np.uint8) if mask is None else mask
    warped = cv2.warpPerspective(part, matrix, SIZE, flags=cv2.INTER_AREA)
    here = cv2.warpPerspective(mask, matrix, SIZE, flags=cv2.INTER_LINEAR) > 127
    image[here] = warped[here]


def _warp_disc(part: Image, matrix: np.ndarray, image: Image) -> None:
    side = part.shape[0]
    mask = np.zeros((side, side), np.uint8)
    cv2.circle(mask, (side // 2, side // 2), side // 2, 255, -1)
    _warp(cv2.GaussianBlur(part, (0, 0), 2.5), matrix, image, mask)
