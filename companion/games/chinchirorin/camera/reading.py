"""Reads the bowl step by step, and again in other colors if a die remains uncertain.

Each step is short enough for the time between two frames of the camera.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import cycle, islice, repeat
from typing import Final, TypeVar

import numpy as np

from companion.games.chinchirorin.camera.decision import (
    BowlResult,
    DieResult,
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
from companion.games.chinchirorin.camera.recoloring import body_colors, with_clear_ink
from companion.games.chinchirorin.camera.rim import Rim
from companion.games.chinchirorin.commands import DICE
from companion.vision.frame import Image

MIN_PASSES: Final = len(VIEWS)
"""Passes that must agree on an answer."""
T = TypeVar("T")
Steps = Generator[None, None, T]
"""Each step begins with a yield."""
KEPT: Final = (1.0, 0.5, 0.25)
"""Factors of the differences within the bodies' colors: one for each color in which uncertain dice are read again."""
MIN_AGREEING: Final = 2
"""Results, in the picture's own or other colors, that must agree on each value and on there being three dice."""
VALUES_PER_COCKED: Final = 2
"""Results with a die's value needed for each one in which it is cocked."""
_BANDS: Final = 4
"""Bands of a picture, one of which is recolored per step."""


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
    """Whether three dice may lie there whose appearance alone prevents an answer.

    Not if one looks cocked: bold grain may be the cause, but so may a die under it.
    """
    is_doubtful = result.reason in {"unsure", "doubtful"} or (result.reason == "count" and len(result.dice) > DICE)
    return is_doubtful and bool(result.dice)


def read_in_other_colors(networks: Networks, picture: Image, rim: Rim, plain: BowlResult) -> Steps[BowlResult]:
    """Return the throw that several colors show and none contradicts, otherwise the plain result.

    Args:
        plain: the result in the picture's own colors, with at least one die.
    """
    yield
    body = body_colors(picture, [die.box for die in plain.dice])
    results = [plain]
    for kept in KEPT:
        bands = []
        for band in np.array_split(picture, _BANDS):
            yield
            bands.append(with_clear_ink(band, body, kept=kept))
        results.append((yield from read_bowl(networks, rim, repeat(np.concatenate(bands)))))
    return agreed(results) or plain


def agreed(results: Sequence[BowlResult]) -> BowlResult | None:
    """Return the throw that results in several colors agree on; None without one, or if any result contradicts it."""
    complete = [each for each in results if _shows_three(each)]
    more = sum(len(each.dice) > DICE for each in results)
    for places in complete:
        alike = sum(all(_is_at_a_place(die, places) for die in each.dice) for each in complete)
        throw = _throw_at(places, results)
        if throw is not None and alike >= max(MIN_AGREEING, more):
            return throw
    return None


def _shows_three(result: BowlResult) -> bool:
    """Whether a result shows exactly three dice, all in the bowl, whatever their values."""
    return len(result.dice) == DICE and result.reason in {"", "unsure", "cocked"}


def _is_at_a_place(die: DieResult, places: BowlResult) -> bool:
    return any(is_near(die.box, place.box) for place in places.dice)


def _throw_at(places: BowlResult, results: Sequence[BowlResult]) -> BowlResult | None:
    """Return the throw at the places of a result's dice; None if a value is missing or there is a die elsewhere."""
    dice = [die for place in places.dice if (die := _agreed_die(place, results)) is not None]
    valued = (die for each in results for die in each.dice if die.value is not None)
    if len(dice) < DICE or not all(_is_at_a_place(die, places) for die in valued):
        return None
    return replace(places, dice=tuple(dice), reason="")


def _agreed_die(place: DieResult, results: Sequence[BowlResult]) -> DieResult | None:
    """Return the die at a place with the value that several results and no others have; None if cocked too often."""
    seen = [die for each in results for die in each.dice if is_near(place.box, die.box)]
    valued = [die for die in seen if die.value is not None]
    cocked = sum(die.reason == "cocked" for die in seen)
    if len(valued) < max(MIN_AGREEING, VALUES_PER_COCKED * cocked) or len({die.value for die in valued}) > 1:
        return None
    return valued[0]
