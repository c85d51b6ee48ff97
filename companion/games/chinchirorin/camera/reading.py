"""Reads the bowl in one picture step by step, and again in other colors where that leaves a doubt.

Of wood or swirls and pips, one is often told by lightness and the other by hue; and much print vanishes in gray. Each
step takes no longer than a camera's pictures are apart.
"""

from collections.abc import Generator
from itertools import chain
from typing import Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.camera.sight import (
    AT_ONCE,
    FIRST,
    ON_TRAY,
    PARTS,
    PARTS_AT_ONCE,
    VIEWS,
    Looker,
    Sight,
    Spot,
    joined,
    next_spots,
    worth_a_look,
)
from companion.games.chinchirorin.camera.verdict import (
    Verdict,
    doubted,
    is_near,
    upright,
    verdict,
    with_second_opinion,
)
from companion.games.chinchirorin.commands import DICE
from companion.vision.frame import Image

T = TypeVar("T")
Steps = Generator[None, None, T]
Color = tuple[float, float]
"""How far apart lightness and hue are made, by how far apart they are."""
Lab = NDArray[np.floating]
PAIRS: Final[tuple[tuple[Color, Color], ...]] = (((0.5, 1.5), (0.3, 2.0)), ((1.0, 0.0), (2.0, 0.0)))
"""Each two that do much the same: a picture that is read by chance in one is hardly read so in the other."""
_BANDS: Final = 4  # of a picture, which are recolored one a step
_SAMPLED: Final = 64  # rows of a bowl, for its usual color


def finished(steps: Steps[T]) -> T:
    """Return what steps lead to, taken at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def reading(eyes: Looker, picture: Image, rim: Rim) -> Steps[Verdict]:
    """Read the dice of a bowl, with the second opinion about what is doubtful."""
    found = verdict(*(yield from sights(eyes, picture, rim)))
    return (yield from second_opinion(eyes, picture, found))


def second_opinion(eyes: Looker, picture: Image, found: Verdict) -> Steps[Verdict]:
    """Have the networks for trays settle values that are not sure, a look at a die a step."""
    for die in doubted(found):
        looks = []
        for around in ON_TRAY:
            looks.append(eyes.values_on_tray(picture, die.box, die.upper, around))
            yield
        found = with_second_opinion(found, die, np.minimum.reduce(looks))
    return found


def sights(eyes: Looker, picture: Image, rim: Rim) -> Steps[tuple[list[Sight], list[Sight]]]:
    """Return all looks at one picture, and the first ones, which only told how the camera is tilted."""
    found: list[tuple[Spot, ...]] = []
    for part in PARTS:
        found.append(eyes.spots(picture, rim, part))
        if len(found) % PARTS_AT_ONCE == 0:
            yield
    spots = worth_a_look(found)
    done: list[Sight] = []
    for view in (*FIRST, *VIEWS):
        if len(done) == len(FIRST):
            rim = upright(rim, done)
        looks = []
        for k in range(0, max(1, len(spots)), AT_ONCE):
            looks.append(eyes.look(picture, rim, spots[k : k + AT_ONCE], view))
            yield
        sight = joined(looks)
        spots = next_spots(sight, len(done))
        done.append(sight)
    return done[len(FIRST) :], done[: len(FIRST)]


def may_be_read_in_other_colors(found: Verdict) -> bool:
    """Say whether three dice may lie there that are not read for their looks."""
    return found.trouble in {"unsure", "doubtful"} or (found.trouble == "count" and len(found.dice) > DICE)


def in_other_colors(eyes: Looker, picture: Image, rim: Rim, plain: Verdict) -> Steps[Verdict]:
    """Return the throw that both readings of a pair of colors show and no other reading contradicts, or the plain one.

    Args:
        plain: the reading in the picture's own colors.
    """
    x, y, w, h = rim.box
    usual = usual_color(picture[max(0, y) : y + h, max(0, x) : x + w])
    rounds: list[list[Verdict]] = []
    for colors in zip(*PAIRS, strict=True):
        found: list[Verdict] = []
        for color in colors:
            bands = []
            for band in np.array_split(picture, _BANDS):
                bands.append(recolored(band, usual, color))
                yield
            found.append((yield from reading(eyes, np.concatenate(bands), rim)))
            yield
        if all(each.values is None for each in found):
            return plain
        rounds.append(found)
    every = [plain, *chain.from_iterable(rounds)]
    for one, other in zip(rounds[0], rounds[1], strict=True):
        if one.values is not None and other.values is not None and not any(_differs(one, each) for each in every):
            return one
    return plain


def _differs(throw: Verdict, other: Verdict) -> bool:
    """Say whether another reading is sure of a die that is none of a throw's, or shows something else in it."""
    return any(
        die.value is not None and not any(die.value == own.value and is_near(die.box, own.box) for own in throw.dice)
        for die in other.dice
    )


def recolored(picture: Image, usual: Lab, color: Color) -> Image:
    """Return a picture, uint8 (H, W, 3) BGR, whose colors differ more or less from a usual one.

    >>> red_on_gray = np.full((1, 4, 3), 90, np.uint8)
    >>> red_on_gray[0, 3] = 60, 60, 120
    >>> recolored(red_on_gray, usual_color(red_on_gray), (1.0, 0.0))[0, 3].tolist()
    [77, 77, 77]
    """
    apart = np.array([color[0], color[1], color[1]])
    table = np.clip(usual + (np.arange(256)[:, None] - usual) * apart, 0, 255).round().astype(np.uint8)
    lab = cv2.LUT(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), table[None])
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.uint8)


def usual_color(picture: Image) -> Lab:
    """Return the median color, (3,), of a picture, uint8 (H, W, 3) BGR."""
    few = max(1, min(picture.shape[:2]) // _SAMPLED)
    lab = cv2.cvtColor(np.ascontiguousarray(picture[::few, ::few]), cv2.COLOR_BGR2LAB)
    return np.asarray(np.median(lab.reshape(-1, 3), axis=0))
