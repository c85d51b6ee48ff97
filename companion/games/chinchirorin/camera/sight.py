"""Finds the dice in and around a bowl in one picture, and what each seems to show."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from math import hypot
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.rim import SIGNED_DEG, Rim, rim_in
from companion.vision.dice.boxes import CROP_PX, CROP_SIDE, DieBox, square_of
from companion.vision.dice.faces.nets import Chances, NoNetwork, softmax
from companion.vision.dice.finding.heat import HeatNet, Spot, padded, spots
from companion.vision.frame import Image, check_image

Place = Literal["in", "rim", "out"]
View = tuple[float, float]
"""Zoom and turn (degrees) of a crop: each look at a die is a little different."""
VIEWS: Final[tuple[View, ...]] = (
    (1.0, 0.0), (0.92, 8.0), (1.08, -8.0), (0.75, 0.0), (0.85, 15.0), (0.85, -15.0), (1.0, 180.0), (1.0, 90.0),
    (1.0, -90.0),
)  # fmt: skip
"""The farther ones show what lies beside a side that was taken for the whole die. The quarter turns contradict what is
known of the tilt: what is said of a die must not come from that alone."""
_WORTH: Final = 0.15  # the evidence of a die that is worth more views
_USUAL: Final = 3  # of the views say what a die shows; all together how sure that is
_ACROSS_PX: Final = 216.0  # of the rim's longer axis in the picture in which dice are found
_AROUND: Final = 1.45  # of the rim's half axis: so far outside dice are searched
_LEAST_ODDS: Final = -2.5
_LEAST_SCORE: Final = 0.15
_CLOSE_PX: Final = 128
_CLOSE_DIE_PX: Final = 40.0
_STRAYS_PX: Final = 18.0  # from its place to that in the closer look
_SAME: Final = 0.5  # of two dice's sizes between their middles: nearer they are the same
_ON_RIM: Final = (0.97, 1.06)
_TILT_UNIT: Final = 30.0
_UNKNOWN: Final = -1.0
_LEAST_TILT: Final = 3.0
_LEAST_SIDE: Final = 32
_NO_DIE: Final = 2
_MOST: Final = 8  # things that are looked at


@dataclass(frozen=True, slots=True, eq=False)
class SeenDie:
    """What may be a die, as one picture shows it.

    Attributes:
        box: where it is, and how much it looks like a die (0 to 1).
        values: chances (6,) of its value, if it has one.
        states: chances (3,) that it is a die with a value, one without (cocked, mostly covered), no die.
        place: in the bowl, over its rim, or outside.
        off_upright: how far what seems to be its upper face is from lying flat there, 0 to 2.
        said: chances of values and states by each view of it, (n, 6) and (n, 3); None: there is one view.
    """

    box: DieBox
    values: Chances
    states: Chances
    place: Place
    off_upright: float = 0.0
    said: tuple[Chances, Chances] | None = None

    @property
    def views(self) -> tuple[Chances, Chances]:
        """What each view of it says: chances of values (n, 6) and states (n, 3)."""
        return self.said or (self.values[None], self.states[None])


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """The bowl in one picture, and what may be dice."""

    rim: Rim
    dice: tuple[SeenDie, ...]


class Eyes:
    """Looks at bowls with three networks: where the bowl is, where dice are, what a die shows. Thread-safe."""

    def __init__(self) -> None:
        self._view = HeatNet(_packaged("bowl_view.onnx"))
        self._finder = HeatNet(_packaged("bowl_finder.onnx"))
        self._lock = threading.Lock()
        self._dice: cv2.dnn.Net | None = None

    def rim(self, picture: Image) -> Rim | None:
        """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None where no whole bowl is seen.

        Which way a camera is tilted the dice tell best: more of their sides is seen on the side on which it stands.
        """
        if min(check_image(picture).shape[:2]) < _LEAST_SIDE:
            return None
        rim = rim_in(picture, self._view)
        if rim is None or rim.tilt_deg < SIGNED_DEG:
            return rim
        dice = find(picture, rim, self._finder)[:_MOST]
        if not dice:
            return rim
        crops = np.stack([crop(picture, die, 0.0) for die in dice])
        _, states, normals = self.read(crops, _UNKNOWN)
        return rim.directed([die.center for die in dice], normals, 1 - states[:, _NO_DIE])

    def look(self, picture: Image, rim: Rim, views: Sequence[View] = VIEWS) -> Sight:
        """Return what may be dice in a bowl and around it; what is said of each is the mean of some views of it."""
        dice = find(picture, rim, self._finder)[:_MOST]
        tilt, turn = tilt_of(rim)
        values, states, normals, said = [], [], [], []
        for die in dice:
            value, state, normal = self._seen(picture, die, (tilt, turn), views[:_USUAL])
            values.append(_mean(value))
            states.append(_mean(state))
            normals.append(normal)
            if len(views) > _USUAL and die.score * (1 - states[-1][_NO_DIE]) > _WORTH:
                more = self._seen(picture, die, (tilt, turn), views[_USUAL:])
                value, state = np.concatenate([value, more[0]]), np.concatenate([state, more[1]])
            said.append((value, state))
        weights = np.array([1 - state[_NO_DIE] for state in states])
        off = rim.off_upright([die.center for die in dice], np.array(normals).reshape(-1, 2), weights)
        return Sight(rim, tuple(
            SeenDie(die, values[i], states[i], place_of(die, rim), float(off[i]), said[i])
            for i, die in enumerate(dice)
        ))  # fmt: skip

    def _seen(
        self, picture: Image, die: DieBox, turned: tuple[float, float], views: Sequence[View]
    ) -> tuple[Chances, Chances, NDArray[np.floating]]:
        """Return what some views say of a die each, and the mean of its normals in the picture."""
        tilt, turn = turned
        crops = np.stack([crop(picture, die, turn + t, zoom) for zoom, t in views])
        values, states, normals = self.read(crops, tilt)
        back = [_turned(normal, turn + t) for normal, (_, t) in zip(normals, views, strict=True)]
        return values, states, np.mean(back, axis=0)

    def read(self, crops: NDArray[np.uint8], tilt: float) -> tuple[Chances, Chances, NDArray[np.float32]]:
        """Return what crops, uint8 (n, 96, 96, 3) BGR, show: chances of values (n, 6) and states (n, 3), normals.

        Args:
            tilt: the camera's as `tilt_of` has it.
        """
        blob = np.ascontiguousarray(crops[..., ::-1].transpose(0, 3, 1, 2), np.float32)
        blob *= np.float32(1 / 255)
        said = [self._read(blob[i : i + 1], tilt) for i in range(len(blob))]
        values, states, normals = (np.concatenate([each[k] for each in said]) for k in range(3))
        return softmax(values), softmax(states), normals

    def _read(self, blob: NDArray[np.float32], tilt: float) -> list[NDArray[np.float32]]:
        with self._lock:
            if self._dice is None:
                self._dice = cv2.dnn.readNetFromONNX(np.frombuffer(_packaged("bowl_dice.onnx"), np.uint8))
            self._dice.setInput(blob, "crop")
            self._dice.setInput(np.full((1, 1), tilt, np.float32), "tilt")
            return [np.array(out, np.float32) for out in self._dice.forward(("value", "state", "normal"))]


@cache
def shared_eyes() -> Eyes:
    """Return the eyes of this process: the networks are loaded once."""
    return Eyes()


def _packaged(name: str) -> bytes:
    try:
        return resources.files("companion.games.chinchirorin.camera").joinpath(f"models/{name}").read_bytes()
    except OSError as error:
        raise NoNetwork(f"The network that reads a bowl ({name}) is missing. Install the program again.") from error


def find(picture: Image, rim: Rim, net: HeatNet) -> tuple[DieBox, ...]:
    """Return what may be dice in a bowl and around it, the likeliest first; the score is 0 to 1."""
    height, width = picture.shape[:2]
    half = _AROUND * rim.longer / 2
    left, top = max(0, int(rim.center[0] - half)), max(0, int(rim.center[1] - half))
    part = picture[top : min(height, int(rim.center[1] + half)), left : min(width, int(rim.center[0] + half))]
    scale = _ACROSS_PX / rim.longer
    size = (max(8, round(part.shape[1] * scale)), max(8, round(part.shape[0] * scale)))
    small = np.asarray(
        cv2.resize(part, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR), np.uint8
    )
    found = spots(net.maps(padded(small)[None])[0], _LEAST_ODDS)
    first = _apart([_box(spot, scale, left, top) for spot in found if spot.x < size[0] and spot.y < size[1]])
    closer = (_closer(picture, die, net) for die in first[:_MOST])
    return _apart(sorted((die for die in closer if die.score > _LEAST_SCORE), key=lambda die: -die.score))


def _closer(picture: Image, die: DieBox, net: HeatNet) -> DieBox:
    """Return the die as a second look sees it, from near and at the size that the network knows best."""
    side = max(4.0, die.size_px * _CLOSE_PX / _CLOSE_DIE_PX)
    square = square_of(picture, die.center, side)
    way = cv2.INTER_AREA if square.shape[0] > _CLOSE_PX else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(square, (_CLOSE_PX, _CLOSE_PX), interpolation=way), np.uint8)
    near = [
        s
        for s in spots(net.maps(small[None])[0], _LEAST_ODDS - 1)
        if hypot(s.x - _CLOSE_PX / 2, s.y - _CLOSE_PX / 2) < _STRAYS_PX
    ]
    if not near:
        return replace(die, score=0.3 * die.score)
    left, top = round(die.center[0] - side / 2), round(die.center[1] - side / 2)
    again = _box(near[0], _CLOSE_PX / square.shape[0], left, top)
    return replace(again, score=(again.score + die.score) / 2)


def _box(spot: Spot, scale: float, left: int, top: int) -> DieBox:
    w, h = spot.width / scale, spot.height / scale
    x, y = left + spot.x / scale - w / 2, top + spot.y / scale - h / 2
    return DieBox((round(x), round(y), max(1, round(w)), max(1, round(h))), float(1 / (1 + np.exp(-spot.odds))))


def _apart(dice: list[DieBox]) -> tuple[DieBox, ...]:
    """Keep the likeliest of those whose middles are too near to be two dice."""
    kept: list[DieBox] = []
    for die in dice:
        x, y = die.center
        near = (hypot(x - k.center[0], y - k.center[1]) < _SAME * (die.size_px + k.size_px) / 2 for k in kept)
        if not any(near):
            kept.append(die)
    return tuple(kept)


def _turned(normal: NDArray[np.floating], turn_deg: float) -> NDArray[np.floating]:
    """Return a normal of the picture from that of a crop, which was turned counter-clockwise."""
    c, s = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return np.array([c * normal[0] - s * normal[1], s * normal[0] + c * normal[1]])


def _mean(chances: Chances) -> Chances:
    """Return the geometric mean: looks that differ make each other unsure."""
    mean = np.exp(np.log(chances + 1e-6).mean(axis=0))
    return np.asarray(mean / mean.sum(), np.float32)


def tilt_of(rim: Rim) -> tuple[float, float]:
    """Return the camera's tilt as the network takes it, and how far to turn a crop so that up leads away from it."""
    if rim.away_deg is None:
        return _UNKNOWN, 0.0
    return rim.tilt_deg / _TILT_UNIT, rim.away_deg if rim.tilt_deg > _LEAST_TILT else 0.0


def crop(picture: Image, die: DieBox, turn_deg: float, zoom: float = 1.0) -> Image:
    """Return a die's surroundings turned counter-clockwise, uint8 (96, 96, 3) BGR."""
    side = CROP_SIDE * die.size_px / zoom
    square = square_of(picture, die.center, 1.5 * side)
    n = CROP_PX * 3 // 2
    way = cv2.INTER_AREA if square.shape[0] > n else cv2.INTER_LINEAR
    near = cv2.resize(square, (n, n), interpolation=way)
    where = np.asarray(cv2.getRotationMatrix2D(((n - 1) / 2, (n - 1) / 2), turn_deg, 1.0), np.float64)
    where[:, 2] += float(CROP_PX - n) / 2
    cut = cv2.warpAffine(near, where, (CROP_PX, CROP_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cut, np.uint8)


def place_of(die: DieBox, rim: Rim) -> Place:
    """Return where a die lies: over the rim is too near it to tell."""
    off = rim.off(die.center)
    return "in" if off < _ON_RIM[0] else "rim" if off < _ON_RIM[1] else "out"
