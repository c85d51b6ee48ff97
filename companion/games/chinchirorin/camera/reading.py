"""Reads the bowl step by step, and again in other colors if a die remains uncertain.

Lightness often separates wood grain or swirls, and hue separates the pips, or the reverse; in gray many prints vanish.
Each step is short enough for the time between two frames of the camera.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from itertools import chain, cycle, islice, repeat
from typing import Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.chinchirorin.camera.decision import (
    BowlResult,
    decide,
    is_near,
    uncertain_dice,
    upright,
    with_tray_values,
)
from companion.games.chinchirorin.camera.detection import (
    CROPS_PER_STEP,
    REGIONS,
    REGIONS_PER_STEP,
    TILT_VIEWS,
    TRAY_MARGINS,
    VIEWS,
    Candidate,
    Networks,
    Pass,
    View,
    joined,
    merged_candidates,
    next_candidates,
)
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.commands import DICE
from companion.vision.frame import Image

MIN_PASSES: Final = len(VIEWS)
"""Passes that must agree on an answer."""
T = TypeVar("T")
Steps = Generator[None, None, T]
"""Each step begins with a yield."""
Color = tuple[float, float]
"""Factors by which differences in lightness and in hue are enlarged."""
Lab = NDArray[np.floating]
RECOLORINGS: Final[tuple[tuple[Color, Color], ...]] = (((0.5, 1.5), (0.3, 2.0)), ((1.0, 0.0), (2.0, 0.0)))
"""Pairs of similar colors: what is read by chance in one is rarely read the same way in the other."""
_BANDS: Final = 4
"""Bands of a picture, one of which is recolored per step."""
_SAMPLES: Final = 64
"""Rows of the bowl from which the median color is taken."""


def run(steps: Steps[T]) -> T:
    """Take all steps at once and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


def read_bowl(networks: Networks, rim: Rim, pictures: Iterator[Image], most: int = MIN_PASSES) -> Steps[BowlResult]:
    """Read the dice: find candidates, estimate the tilt, then classify the candidates in different views.

    Args:
        pictures: of the same dice at rest; each step takes one.
        most: passes before an uncertain result is returned; the last `MIN_PASSES` are combined.
    """
    found: list[tuple[Candidate, ...]] = []
    for begin in range(0, len(REGIONS), REGIONS_PER_STEP):
        yield
        picture = next(pictures)
        found += [networks.candidates(picture, rim, region) for region in REGIONS[begin : begin + REGIONS_PER_STEP]]
    candidates = merged_candidates(found)
    if not candidates:
        return decide([Pass(rim, ())])
    tilt_passes: list[Pass] = []
    for view in TILT_VIEWS:
        tilt_passes.append((yield from _classify(networks, rim, pictures, candidates, view)))
        candidates = next_candidates(tilt_passes[-1], len(tilt_passes) - 1)
    rim, passes = upright(rim, tilt_passes), deque[Pass](maxlen=MIN_PASSES)
    for done, view in enumerate(islice(cycle(VIEWS), most), 1):
        passes.append((yield from _classify(networks, rim, pictures, candidates, view)))
        candidates = next_candidates(passes[-1], len(tilt_passes))
        if done >= MIN_PASSES:
            result = decide(passes, tilt_passes)
            if not result.reason:
                return result
    return (yield from check_with_tray_networks(networks, pictures, result))


def _classify(
    networks: Networks, rim: Rim, pictures: Iterator[Image], candidates: Sequence[Candidate], view: View
) -> Steps[Pass]:  # fmt: skip
    parts = []
    for begin in range(0, max(1, len(candidates)), CROPS_PER_STEP):
        yield
        parts.append(networks.classify(next(pictures), rim, candidates[begin : begin + CROPS_PER_STEP], view))
    return joined(parts)


def check_with_tray_networks(networks: Networks, pictures: Iterator[Image], result: BowlResult) -> Steps[BowlResult]:
    """Combine uncertain values with those of the networks for dice on trays, one crop per step."""
    for die in uncertain_dice(result):
        values = []
        for margin in TRAY_MARGINS:
            yield
            values.append(networks.tray_values(next(pictures), die.box, die.upper, margin))
        result = with_tray_values(result, die, np.minimum.reduce(values))
    return result


def is_worth_recoloring(result: BowlResult) -> bool:
    """Whether three dice may lie there whose appearance alone prevents an answer."""
    return result.reason in {"unsure", "doubtful"} or (result.reason == "count" and len(result.dice) > DICE)


def read_in_other_colors(networks: Networks, picture: Image, rim: Rim, plain: BowlResult) -> Steps[BowlResult]:
    """Return the throw that both colors of a pair show and no other result contradicts, otherwise the plain result.

    Args:
        plain: the result in the picture's own colors.
    """
    x, y, w, h = rim.box
    median = median_color(picture[max(0, y) : y + h, max(0, x) : x + w])
    rounds: list[list[BowlResult]] = []
    for colors in zip(*RECOLORINGS, strict=True):
        results: list[BowlResult] = []
        for color in colors:
            bands = []
            for band in np.array_split(picture, _BANDS):
                yield
                bands.append(recolored(band, median, color))
            results.append((yield from read_bowl(networks, rim, repeat(np.concatenate(bands)))))
        if all(each.values is None for each in results):
            return plain
        rounds.append(results)
    every = [plain, *chain.from_iterable(rounds)]
    for one, other in zip(rounds[0], rounds[1], strict=True):
        if one.values is not None and other.values is not None and not any(_contradicts(one, each) for each in every):
            return one
    return plain


def _contradicts(throw: BowlResult, other: BowlResult) -> bool:
    """Whether another result has a confident value that the throw does not have at that place."""
    return any(
        die.value is not None and not any(die.value == own.value and is_near(die.box, own.box) for own in throw.dice)
        for die in other.dice
    )


def recolored(picture: Image, median: Lab, color: Color) -> Image:
    """Return a picture, uint8 (H, W, 3) BGR, with its differences from a median color scaled.

    >>> red_on_gray = np.full((1, 4, 3), 90, np.uint8)
    >>> red_on_gray[0, 3] = 60, 60, 120
    >>> recolored(red_on_gray, median_color(red_on_gray), (1.0, 0.0))[0, 3].tolist()
    [77, 77, 77]
    """
    factors = np.array([color[0], color[1], color[1]])
    table = np.clip(median + (np.arange(256)[:, None] - median) * factors, 0, 255).round().astype(np.uint8)
    lab = cv2.LUT(cv2.cvtColor(picture, cv2.COLOR_BGR2LAB), table[None])
    return np.asarray(cv2.cvtColor(lab, cv2.COLOR_LAB2BGR), np.uint8)


def median_color(picture: Image) -> Lab:
    """Return the median color, L*a*b* (3,), of a picture, uint8 (H, W, 3) BGR."""
    step = max(1, min(picture.shape[:2]) // _SAMPLES)
    lab = cv2.cvtColor(np.ascontiguousarray(picture[::step, ::step]), cv2.COLOR_BGR2LAB)
    return np.asarray(np.median(lab.reshape(-1, 3), axis=0))
