"""Reads the bowl in one picture step by step, and again in other colors where that leaves a doubt.

Of wood or swirls and pips, one is often told by lightness and the other by hue; and much print vanishes in gray. Each
step takes no longer than a camera's pictures are apart.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from itertools import chain, cycle, islice, repeat
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
    View,
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

ENOUGH: Final = len(VIEWS)
"""Looks that must agree before there is an answer."""
T = TypeVar("T")
Steps = Generator[None, None, T]
"""Each step begins with a yield."""
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


def reading(eyes: Looker, rim: Rim, pictures: Iterator[Image], most: int = ENOUGH) -> Steps[Verdict]:
    """Read the dice of a bowl: find them, then the tilt, then look again and again, a little differently.

    Args:
        pictures: of the same dice at rest; each step takes one.
        most: looks after which there is a question; the last `ENOUGH` must agree.
    """
    found: list[tuple[Spot, ...]] = []
    for begin in range(0, len(PARTS), PARTS_AT_ONCE):
        yield
        picture = next(pictures)
        found += [eyes.spots(picture, rim, part) for part in PARTS[begin : begin + PARTS_AT_ONCE]]
    spots = worth_a_look(found)
    if not spots:
        return verdict([Sight(rim, ())])
    first: list[Sight] = []
    for view in FIRST:
        first.append((yield from _look(eyes, rim, pictures, spots, view)))
        spots = next_spots(first[-1], len(first) - 1)
    rim, looks = upright(rim, first), deque[Sight](maxlen=ENOUGH)
    for done, view in enumerate(islice(cycle(VIEWS), most), 1):
        looks.append((yield from _look(eyes, rim, pictures, spots, view)))
        spots = next_spots(looks[-1], len(first))
        if done >= ENOUGH and not verdict(looks, first).trouble:
            break
    return (yield from second_opinion(eyes, pictures, verdict(looks, first)))


def _look(eyes: Looker, rim: Rim, pictures: Iterator[Image], spots: Sequence[Spot], view: View) -> Steps[Sight]:
    parts = []
    for begin in range(0, max(1, len(spots)), AT_ONCE):
        yield
        parts.append(eyes.look(next(pictures), rim, spots[begin : begin + AT_ONCE], view))
    return joined(parts)


def second_opinion(eyes: Looker, pictures: Iterator[Image], found: Verdict) -> Steps[Verdict]:
    """Have the networks for trays settle values that are not sure, a look at a die a step."""
    for die in doubted(found):
        looks = []
        for around in ON_TRAY:
            yield
            looks.append(eyes.values_on_tray(next(pictures), die.box, die.upper, around))
        found = with_second_opinion(found, die, np.minimum.reduce(looks))
    return found


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
                yield
                bands.append(recolored(band, usual, color))
            found.append((yield from reading(eyes, rim, repeat(np.concatenate(bands)))))
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
