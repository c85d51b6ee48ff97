"""Finds the dice in and around a bowl in one picture, and what each seems to show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, combinations
from math import atan2, ceil, degrees, hypot, sqrt
from pathlib import Path
from typing import Final, Literal, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.canvas import (
    CLOSE_PX,
    SIDE,
    SIZE_UNIT,
    STRIDE,
    Frame,
    blob,
    close_blob,
    close_up,
    drawn,
    framed,
)
from companion.games.chinchirorin.camera.rim import SIGNED_DEG, Rim, rim_in
from companion.games.chinchirorin.camera.turns import UPRIGHT, turned_back
from companion.games.chinchirorin.commands import DICE
from companion.vision.dice.axis import ORTHOGRAPHIC, Axis, Slant, seen_from_above
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.faces.classifier import shared_classifier
from companion.vision.dice.faces.nets import Probabilities as Chances
from companion.vision.dice.faces.nets import softmax
from companion.vision.dice.faces.predictions import KIND_ORDER
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.finding.heat import HeatNet
from companion.vision.frame import Image, check_image
from companion.vision.networks import Network, packaged_model

Place = Literal["in", "rim", "out"]
Direction = tuple[float, float, float]
"""Right and down the picture, towards the camera; of any length."""
View = tuple[float, float, bool]
"""Zoom and turn (degrees) of a look, and whether it is told how the camera is tilted: each is a little different."""
VIEWS: Final[tuple[View, ...]] = (
    (1.0, 0.0, True),
    (1.08, 72.0, True),
    (0.94, 144.0, True),
    (1.04, -144.0, True),
    (0.97, -72.0, False),
)
FIRST: Final[tuple[View, ...]] = tuple((zoom, turn, False) for zoom, turn, _ in VIEWS[:3])
"""Looks that tell how the camera is tilted."""
Part = tuple[View, int, int]
"""What a canvas shows on which dice are found: all of the bowl (0, 0), or a corner of its surroundings, left or right
and up or down (-1 or 1), which meets its middle."""
_BOWL: Final[tuple[Part, ...]] = tuple((view, 0, 0) for view in VIEWS[:3])
PARTS: Final[tuple[Part, ...]] = (*_BOWL, *((VIEWS[0], x, y) for x in (-1, 1) for y in (-1, 1)))
"""Parts in which dice are looked for, the bowl some times."""
PARTS_AT_ONCE: Final = 2
AT_ONCE: Final = 6
"""Close-ups of one picture: more take too long for a camera's next one."""
FIND: Final = 0.53
"""The rim's size on the canvas on which dice are found, by the usual one."""
_DOES: Final = "reads a bowl"
_LEAST: Final = 0.1  # of the chance of a die before it counts
_ON_TABLE: Final = 0.4  # of a die beside the bowl, in the one look that it gets
_MOST_BESIDE: Final = 4
_WORTH: Final = 0.15  # on the mean, before it is seen from close by
_LIKELIEST: Final = 6  # spots between which others are looked for
_ROOM: Final = (1.3, 2.4)  # sizes of dice between two dice, between which a third may lie
_CLOSE: Final = 0.25  # of two sizes between the middles of spots of which another one is of no use
_SAME: Final = 0.36  # of two dice's sizes between their middles: nearer they are the same
_SOME_DIE: Final = 0.9
CLEAR: Final = 0.95
"""The chance of a value that only a die shows: a table's print shows none."""
_APART: Final = 0.6  # of a die's size between the places of a search: one of them is near any die's middle
_BESIDE: Final = 1.15  # of a die's size, at most, between its middle and that of one that touches it, or lies under it
_UNSEEN: Final = 0.0  # the chance of a spot at which nothing was looked for yet
_FOLLOWS: Final = 0.4  # of the way to where a look sees a die the next one goes: all of it may lead to its neighbour
_ON_RIM: Final = (0.9, 1.06)
_LEAST_SIDE: Final = 32
_D6: Final = KIND_ORDER.index("d6")
HARDLY_D6: Final = 0.3
"""The chance of six sides; less is another die."""
_RATHER_D6, _LEANS = 0.5, 0.5
_AROUND: Final = 0.075  # of a die's size that is shown more on each side
ON_TRAY: Final = (0.0, 0.04)
"""The same in the looks of the networks for trays, of which the lesser chances count."""
_TURNS_DEG: Final = (0.0, 90.0, 180.0, 270.0)
_STEP: Final = 2 * STRIDE
_SOME: Final = 0.1
_MOST: Final = 16  # things that are looked at
_NONE: Final = -3.0  # log-odds of a die: less is none, once and for all
_FACES, _TURN = slice(13, 22), slice(22, 37)  # of what the network says of a die


@dataclass(frozen=True, slots=True, eq=False)
class SeenDie:
    """What may be a die, as one picture shows it.

    Attributes:
        box: where it is, and how much it looks like a die (0 to 1).
        values: chances (6,) of its value, if it has one.
        flat: the chance that it has one, and is neither cocked nor mostly covered.
        place: in the bowl, over its rim, or outside.
        turn: how it is turned in the picture (15, see `turns`).
        faces: the normals of its faces 1, 2 and 3, shorter the less they are known: right and down the picture, towards
            the camera.
    """

    box: DieBox
    values: Chances
    flat: float
    place: Place
    turn: NDArray[np.float32] = field(default_factory=lambda: UPRIGHT)
    faces: NDArray[np.float32] = field(default_factory=lambda: np.zeros((3, 3), np.float32))


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """The bowl in one picture, what may be dice, and the spots at which another look is worth it."""

    rim: Rim
    dice: tuple[SeenDie, ...]
    spots: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a die may be: its middle and its size in the picture, px, and the chance of one."""

    x: float
    y: float
    size: float
    chance: float

    def is_near(self, other: Spot, share: float = _SAME) -> bool:
        return hypot(self.x - other.x, self.y - other.y) < share * (self.size + other.size) / 2


class Looker(Protocol):
    """Looks at a bowl, as `Eyes` do."""

    def rim(self, picture: Image) -> Rim | None: ...
    def spots(self, picture: Image, rim: Rim, part: Part) -> tuple[Spot, ...]: ...
    def look(self, picture: Image, rim: Rim, spots: Sequence[Spot], view: View) -> Sight: ...
    def d6_chances(self, picture: Image, boxes: Sequence[DieBox]) -> NDArray[np.float32]: ...
    def values_on_tray(self, picture: Image, die: DieBox, upper: Direction, around: float) -> Chances: ...


class Eyes:
    """Looks at bowls with four networks: where the bowl is and dice may lie, what each shows, and is. Thread-safe."""

    def __init__(self) -> None:
        self._view = HeatNet(_model("bowl_view"), _DOES)
        self._dice = Network(_model("bowl_dice"), _DOES)
        self._die = Network(_model("bowl_die"), _DOES, at_once=AT_ONCE)

    def rim(self, picture: Image) -> Rim | None:
        """Return the rim of the bowl in a picture, uint8 (H, W, 3) BGR; None where no whole bowl is seen."""
        if min(check_image(picture).shape[:2]) < _LEAST_SIDE:
            return None
        return rim_in(picture, self._view)

    def spots(self, picture: Image, rim: Rim, part: Part = PARTS[0]) -> tuple[Spot, ...]:
        """Return where dice may lie in a part of the picture, the likeliest first; rather too many than too few."""
        frame = found_frame(rim, part)
        found = spots_in(self._dice.run(blob(drawn(picture, frame), frame, rim.center))[0][0], frame)
        if part in _BOWL:
            return found
        height, width = picture.shape[:2]
        out = (spot for spot in found if spot.chance > _ON_TABLE and rim.off((spot.x, spot.y)) > _ON_RIM[1])
        return tuple(spot for spot in out if 0 < spot.x < width and 0 < spot.y < height)

    def look(self, picture: Image, rim: Rim, spots: Sequence[Spot], view: View = VIEWS[0]) -> Sight:
        """Return what is seen at some spots."""
        if not spots:
            return Sight(rim, ())
        says, frames = self._says(picture, rim, spots, view)
        seen = [_seen(*each, rim) for each in zip(says, frames, strict=True)]
        worth = (_centered(*each) for each in zip(spots, seen, says[:, 0], strict=True))
        return Sight(rim, _distinct(seen), tuple(spot for spot in worth if spot is not None))

    def d6_chances(self, picture: Image, boxes: Sequence[DieBox]) -> NDArray[np.float32]:
        """Return, (n,), how likely each die is one of six sides, by the network that knows other dice, too.

        It doubts now and then which kind a d6 is, but hardly ever whichever way it is turned: what it doubts is turned,
        then shown with more around it, and of all these looks two must agree.
        """
        crops = [close_crop(picture, box) for box in boxes]
        looks = np.zeros((2 * len(_TURNS_DEG), len(crops)), np.float32)
        for k, turn_deg in enumerate(_TURNS_DEG):
            doubted = _doubted(looks)
            looks[k, doubted] = _d6([crops[die] for die in doubted], turn_deg)
        doubted = _doubted(looks)
        wide = [close_crop(picture, _grown(boxes[die], _AROUND)) for die in doubted]
        for k, turn_deg in enumerate(_TURNS_DEG, len(_TURNS_DEG)):
            looks[k, doubted] = _d6(wide, turn_deg)
        looks.sort(axis=0)
        return np.asarray(np.where(looks[-1] < _RATHER_D6, looks[-2], looks[-1]), np.float32)

    def values_on_tray(self, picture: Image, die: DieBox, upper: Direction, around: float) -> Chances:
        """Return the chances (6,) of a die's value by the networks for dice on trays.

        They read numerals upright, which the bowl's does not, but know no slopes: it is shown to them as if it were
        seen from above its upper face. Nought if it rather leans to them even so.

        Args:
            upper: where its upper face looks. around: see `ON_TRAY`.
        """
        crop = seen_from_above(close_crop(picture, _grown(die, around)), _aside(*upper))
        (told,) = shared_classifier().predict([crop])
        return np.asarray(told.d6 * (told.lean < _LEANS), np.float32)

    def _says(
        self, picture: Image, rim: Rim, spots: Sequence[Spot], view: View
    ) -> tuple[NDArray[np.float32], list[Frame]]:  # fmt: skip
        """Return what the network says of each spot, (n, 38), and how it was shown."""
        zoom, turn, is_told = view
        frames = [close_up((spot.x, spot.y), spot.size / zoom, rim.longer, turn, rim.tilt_deg) for spot in spots]
        away = rim.away_deg - turn if is_told else None
        seen = [close_blob(drawn(picture, frame), frame, rim.center, away) for frame in frames]
        return self._die.run(np.stack(seen))[0], frames


def _aside(right: float, down: float, forward: float) -> Slant:
    """Return how a camera looks at a die whose upper face looks this way."""
    tilt, towards = atan2(hypot(right, down), forward), atan2(down, -right)
    return Axis(degrees(tilt), degrees(towards), ORTHOGRAPHIC).along()


def _doubted(looks: NDArray[np.float32]) -> list[int]:
    """Return the dice that no look (looks, n) takes for a d6."""
    return [int(die) for die in np.flatnonzero(looks.max(axis=0) < _RATHER_D6)]


def _d6(crops: Sequence[Image], turn_deg: float) -> NDArray[np.float32]:
    return shared_classifier().kinds(crops, turn_deg)[:, _D6] if crops else np.zeros(0, np.float32)


def _grown(die: DieBox, around: float) -> DieBox:
    x, y, w, h = die.box
    return replace(die, box=(round(x - around * w), round(y - around * h),
                             round(w + 2 * around * w), round(h + 2 * around * h)))  # fmt: skip


@cache
def shared_eyes() -> Eyes:
    """Return the eyes of this process: the networks are loaded once."""
    return Eyes()


def _model(name: str) -> Path:
    return packaged_model("companion.games.chinchirorin.camera", f"{name}.onnx")


def found_frame(rim: Rim, part: Part) -> Frame:
    """Return the frame of the canvas on which dice are found: only turned a little where the camera is tilted."""
    (view_zoom, turn, _), *corner = part
    zoom = FIND * view_zoom
    turn_deg = rim.away_deg + (turn if rim.tilt_deg < SIGNED_DEG else _SOME * turn)
    side = _STEP * ceil(SIDE * zoom / _STEP)
    frame = framed(rim.center, rim.longer, turn_deg, rim.tilt_deg, zoom=zoom, side=side)
    where = frame.where.copy()
    where[:, 2] -= np.array(corner) * (side / 2)
    return replace(frame, where=where)


def worth_a_look(found: Sequence[Sequence[Spot]]) -> tuple[Spot, ...]:
    """Return the spots at which a die is likely on the mean of some looks, and some between two of them.

    Of three dice in a row that touch, the middle one is often taken for a part of its neighbours.

    Args:
        found: the spots in each of `PARTS`.
    """
    bowl, beside = found[: len(_BOWL)], found[len(_BOWL) :]
    groups: list[list[Spot]] = []
    for spot in chain.from_iterable(bowl):
        own = next((group for group in groups if spot.is_near(group[0])), None)
        if own is None:
            groups.append([spot])
        else:
            own.append(spot)
    means = [replace(group[0], chance=sum(spot.chance for spot in group) / len(bowl)) for group in groups]
    worth = sorted((spot for spot in means if spot.chance > _WORTH), key=lambda spot: -spot.chance)
    for one, other in combinations(worth[:_LIKELIEST], 2):
        between = Spot((one.x + other.x) / 2, (one.y + other.y) / 2, (one.size + other.size) / 2, _WORTH)
        is_room = _ROOM[0] < hypot(one.x - other.x, one.y - other.y) / between.size < _ROOM[1]
        if is_room and not any(between.is_near(spot, _CLOSE) for spot in worth):
            worth.append(between)
    out = sorted(chain.from_iterable(beside), key=lambda spot: -spot.chance)[:_MOST_BESIDE]
    return (*worth[:_MOST], *(spot for spot in out if not any(spot.is_near(other) for other in worth)))


def next_spots(sight: Sight, before: int) -> tuple[Spot, ...]:
    """Return where to look after a look that some came before.

    The second look searches all around what the first one reads, or the whole bowl if that is less than is thrown: two
    dice that touch are often found as one, and a die is overlooked where one lies on it or everything is patterned.
    Where it reads none, nothing tells how large they are.
    """
    if before:
        return _apart(sight.spots)
    found = [die.box for die in sight.dice if die.box.score > _SOME_DIE and _shows_a_value(die)]
    inside = [box for box in found if place_of(box, sight.rim) == "in"]
    if not inside:
        return sight.spots
    places = _all_over(sight.rim, float(np.median([box.size_px for box in inside])))
    if len(found) >= DICE:
        dice = [Spot(*box.center, box.size_px, box.score) for box in inside]
        places = (spot for spot in places if any(spot.is_near(die, _BESIDE) for die in dice))
    return (*sight.spots, *places)


def _apart(spots: Iterable[Spot]) -> tuple[Spot, ...]:
    """Return spots of which none is near one before it."""
    kept: list[Spot] = []
    for spot in spots:
        if not any(spot.is_near(old, _CLOSE) for old in kept):
            kept.append(spot)
    return tuple(kept)


def _all_over(rim: Rim, size: float) -> Iterator[Spot]:
    """Return spots of a size all over a bowl, those of every other row between those of the rows beside it."""
    across, down = _APART * size, _APART * size * sqrt(3) / 2
    rows, columns = ceil(rim.longer / 2 / down), ceil(rim.longer / 2 / across)
    for row in range(-rows, rows + 1):
        for column in range(-columns, columns + 1):
            spot = Spot(rim.center[0] + (column + row % 2 / 2) * across, rim.center[1] + row * down, size, _UNSEEN)
            if rim.off((spot.x, spot.y)) < _ON_RIM[0]:
                yield spot


def _shows_a_value(die: SeenDie) -> bool:
    return float(die.values.max()) > CLEAR


def joined(parts: Sequence[Sight]) -> Sight:
    """Return looks at some spots each as one look at all of them."""
    dice, spots = ([each for part in parts for each in getattr(part, name)] for name in ("dice", "spots"))
    return Sight(parts[-1].rim, _distinct(dice), tuple(spots))


def _distinct(dice: Sequence[SeenDie]) -> tuple[SeenDie, ...]:
    """Return the dice, the likeliest first; two of one die are one."""
    done: list[SeenDie] = []
    for die in sorted(dice, key=lambda die: -die.box.score):
        if not any(_is_same(die.box, other.box) for other in done):
            done.append(die)
    return tuple(done)


def _is_same(a: DieBox, b: DieBox) -> bool:
    return hypot(a.center[0] - b.center[0], a.center[1] - b.center[1]) < _SAME * (a.size_px + b.size_px) / 2


def spots_in(maps: NDArray[np.float32], frame: Frame) -> tuple[Spot, ...]:
    """Return where dice may lie, the likeliest first."""
    kept: list[Spot] = []
    for chance, row, column in _peaks(maps[:4]):
        dx, dy, size = maps[4:7, row, column]
        at = STRIDE * (column + 0.5 + float(dx)), STRIDE * (row + 0.5 + float(dy))
        (x, y), px = frame.back(np.array([at]))[0], SIZE_UNIT * float(np.exp(np.clip(size, -2, 2))) / frame.scale
        spot = Spot(float(x), float(y), px, chance)
        if not any(spot.is_near(other) for other in kept):
            kept.append(spot)
        if len(kept) == _MOST:
            break
    return tuple(kept)


def _peaks(heat: NDArray[np.float32]) -> list[tuple[float, int, int]]:
    """Return the local maxima of the four parts of each place's heat: their chances and places, likeliest first."""
    _, h, w = heat.shape
    fine = np.ascontiguousarray(heat.reshape(2, 2, h, w).transpose(2, 0, 3, 1).reshape(2 * h, 2 * w))
    chances = 1 / (1 + np.exp(-fine))
    rows, columns = np.nonzero((fine >= cv2.dilate(fine, np.ones((3, 3), np.uint8))) & (chances > _LEAST))
    found = [(float(chances[r, c]), int(r) // 2, int(c) // 2) for r, c in zip(rows, columns, strict=True)]
    return sorted(found, reverse=True)


def dice_of(says: NDArray[np.float32], frames: Sequence[Frame], rim: Rim) -> tuple[SeenDie, ...]:
    """Return what close-ups show, the likeliest die first; two of one die are one."""
    return _distinct([_seen(*each, rim) for each in zip(says, frames, strict=True)])


def _seen(says: NDArray[np.float32], frame: Frame, rim: Rim) -> SeenDie:
    chance, flat = map(float, 1 / (1 + np.exp(-says[[0, 4]])))
    dx, dy, size = says[1:4]
    at = np.array([[dx, dy]], np.float32) * CLOSE_PX + frame.side / 2
    (x, y), px = frame.back(at)[0], CLOSE_PX * float(np.exp(np.clip(size, -1, 1))) / frame.scale
    side = max(1, round(px))
    box = DieBox((round(x - px / 2), round(y - px / 2), side, side), chance)
    to, faces = frame.where[:, :2] / frame.scale, says[_FACES].reshape(3, 3).copy()
    faces[:, :2] @= to
    values = softmax(says[None, 5:11])[0]
    return SeenDie(box, values, flat, place_of(box, rim), turned_back(says[_TURN], to), faces)


def _centered(spot: Spot, seen: SeenDie, odds: float) -> Spot | None:
    """Return the spot for the next look: nearer to the middle of the die there, if there is one; None if hardly."""
    if odds < (0 if spot.chance == _UNSEEN else _NONE):
        return None
    spot = replace(spot, chance=max(spot.chance, _WORTH))
    there = Spot(*seen.box.center, seen.box.size_px, spot.chance)
    if odds <= 0 or not there.is_near(spot):
        return spot
    pairs = ((spot.x, there.x), (spot.y, there.y), (spot.size, there.size))
    x, y, size = (old + _FOLLOWS * (new - old) for old, new in pairs)
    return Spot(x, y, size, spot.chance)


def place_of(die: DieBox, rim: Rim) -> Place:
    """Return where a die lies: over the rim is too near it to tell."""
    off = rim.off(die.center)
    return "in" if off < _ON_RIM[0] else "rim" if off < _ON_RIM[1] else "out"
