"""A drawn bowl with grey squares as dice, whose values are known."""

from collections.abc import Sequence

import cv2
import numpy as np
from test_decision import RIM, die

from companion.games.chinchirorin.camera.detection import REGIONS, Candidate, Detection, Direction, Pass, Region, View
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.watch import BowlWatch
from companion.plugins.perception import WatchReading
from companion.vision.dice.boxes import DieBox

STEP_S = 0.1
Lying = Sequence[tuple[int, tuple[int, int]]]
ONE: Lying = ((4, (120, 180)), (5, (200, 240)), (6, (260, 150)))
OTHER: Lying = ((4, (150, 250)), (2, (240, 180)), (1, (200, 110)))
EMPTY: Lying = ()


class FakeTable:
    """Draws a bowl with grey squares as dice, and acts as networks that know their values."""

    def __init__(self) -> None:
        self.lying: Lying = EMPTY
        self.hand: int | None = None
        self.t = 0.0
        self.looks = 0
        self.regions: list[Region] = []
        self.blind = 0
        self.d6_probability = 1.0
        self.second = np.zeros(6, np.float32)
        self.watch = BowlWatch(self)

    def rim(self, picture: np.ndarray) -> Rim | None:
        return RIM

    def candidates(self, picture: np.ndarray, rim: Rim, region: Region) -> tuple[Candidate, ...]:
        self.regions = [*self.regions, region][-len(REGIONS) :]
        return tuple(Candidate(x, y, 60, 0.9) for _, (x, y) in self.lying)

    def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
        self.looks += 1
        dice = tuple(self.die(value, at) for value, at in self.lying[self.blind :])
        return Pass(RIM, dice)

    def d6_probabilities(self, picture: np.ndarray, boxes: Sequence[DieBox]) -> np.ndarray:
        return np.full(len(boxes), self.d6_probability)

    def tray_values(self, picture: np.ndarray, die: DieBox, upper: Direction, around: float) -> np.ndarray:
        return self.second

    def die(self, value: int, at: tuple[int, int]) -> Detection:
        off = RIM.relative_radius(at)
        return die(value, at, place="in" if off < 0.97 else "rim" if off < 1.06 else "out")

    def picture(self) -> np.ndarray:
        picture = np.full((400, 400, 3), 90, np.uint8)
        for value, (x, y) in self.lying:
            cv2.rectangle(picture, (x - 30, y - 30), (x + 30, y + 30), (200 + 5 * value,) * 3, -1)
        if self.hand is not None:
            cv2.circle(picture, (self.hand, 200), 90, (120, 150, 210), -1)
        return picture

    def show(self, lying: Lying | None = None, *, seconds: float = 3.2) -> list[WatchReading]:
        self.lying = self.lying if lying is None else lying
        readings = []
        for _ in range(round(seconds / STEP_S)):
            readings.append(self.watch.see(self.picture(), self.t))
            self.t += STEP_S
        return readings

    def wave(self) -> list[WatchReading]:
        """Pass a hand over the bowl."""
        readings = []
        for self.hand in range(0, 400, 40):
            readings += self.show(seconds=STEP_S)
        self.hand = None
        return readings
