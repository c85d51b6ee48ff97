"""Reads in which pocket the ball rests, from one picture of a wheel. A wrong pocket is far worse than none."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.roulette.camera.ball import Blob, find_blobs, pocket_rows
from companion.games.roulette.camera.ellipses import spotted_rings
from companion.games.roulette.camera.finding import Plane, find_edges, find_plane, middles
from companion.games.roulette.camera.heat import BallHeat, Peak, at_once, highest, ring_odds, shared_nets, still_ring
from companion.games.roulette.camera.rotor import STEPS, Ring, Strip, find_ring, unroll
from companion.games.roulette.wheel import RIMS
from companion.plugins.perception import WatchReading
from companion.vision.frame import Image, check_image

_GOOD_FIT: Final = 0.5
_GREEN: Final = 0.4
_MOST_WRONG: Final = 3
_LARGE_PX: Final = 1920  # a wheel in a larger picture is looked for in a smaller one
_SMALL_PX: Final = 540
_LEAST_CONTRAST: Final = 60.0
_STEEP: Final = 0.46
_LESS_STEEP: Final = 0.33
_STRIKING: Final = 42.0
_UNLIKE: Final = 0.6  # what is no ball is less of a rival
_FADING: Final = 0.2
_BORDER: Final = 0.25  # pockets off its middle: nearer to a border it may be the next one's
_ROUND: Final = 0.9
_SAME: Final = 0.35  # pockets
_LIKELY: Final = 1.0  # log-odds
_CERTAIN: Final = 1.3
_APART: Final = 1.5
_FAINT: Final = "faint"
BALL_HIGH: Final = 0.03
"""How high the ball's middle is above the numbers, in radii of the ring: a pocket is about as deep as half a ball."""


@dataclass(frozen=True)
class Wheel:
    """A wheel that was found, under a camera that does not move."""

    ring: Ring

    @cached_property
    def maps(self) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
        """The maps that unroll its ring."""
        return self.ring.maps()

    @property
    def rim(self) -> tuple[str, ...]:
        """Its pockets, clockwise from the zero."""
        return RIMS[self.ring.wheel]

    @cached_property
    def box(self) -> tuple[int, int, int, int]:
        """x, y, width and height of the rotor in the picture, px."""
        angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        rotor = 1.2 * np.stack([np.cos(angle), np.sin(angle)], 1)
        x, y, w, h = cv2.boundingRect(self.ring.plane.to_picture(rotor.astype(np.float32)))
        return int(x), int(y), int(w), int(h)

    def unroll(self, picture: Image) -> Strip:
        """Return its ring as it is turned in a picture."""
        return unroll(picture, self.ring, self.maps)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A picture's ball in a wheel's ring.

    Attributes:
        strip: the ring.
        blob: what is taken for the ball, where its foot stands.
        others: what stands out besides.
        doubts: why it is not sure, in one word each.
        peak: the place that looks most like a ball to the network, where it stands; None where it was not asked.
    """

    strip: Strip
    blob: Blob | None
    others: tuple[Blob, ...]
    doubts: tuple[str, ...]
    peak: Peak | None = None

    @property
    def pocket(self) -> str | None:
        """The pocket in which the ball is."""
        place = self.peak.place if self.peak is not None else self.blob.place if self.blob is not None else None
        return None if place is None else self.strip.rim[int(place) % len(self.strip.rim)]

    @property
    def confidence(self) -> float:
        """How sure the pocket is, 0 to 1: not surer than the least sure of the cues."""
        if self.doubts:
            return 0.0
        if self.peak is not None:
            return 0.9 + 0.099 * min(1.0, self.strip.fit / 0.6, self.strip.zero / 0.8, self.peak.odds / _CERTAIN)
        if self.blob is None:
            return 0.0
        rival = max((other.contrast for other in self.others), default=0.0)
        cues = (self.strip.fit / 0.6, self.strip.zero / 0.8, self.blob.contrast / (2 * rival + 1), self.blob.round)
        return 0.9 + 0.099 * max(0.0, min(1.0, *cues))


def find_wheel(picture: Image) -> Wheel | None:
    """Return the wheel in a picture, uint8 (H, W, 3) BGR; None where none is sure."""
    check_image(picture)
    if min(picture.shape[:2]) < 100:
        return None
    best: tuple[float, Wheel] | None = None
    for zoom in _zooms(max(picture.shape[:2])):
        for ring in _rings(_reduced(picture, zoom)):
            wheel = Wheel(replace(ring, plane=ring.plane.enlarged(zoom)))
            strip = wheel.unroll(picture)
            if strip.is_amid and strip.fit > _GOOD_FIT and len(strip.wrong) <= 1 and strip.zero > _GREEN:
                return wheel
            quality = strip.is_amid + strip.fit - len(strip.wrong) / len(strip.rim)
            if best is None or quality > best[0]:
                best = quality, wheel
    return None if best is None else best[1]


def _zooms(longest: int) -> Iterator[float]:
    """Yield how much a picture is reduced to look for a wheel in it; twice as much if it is not found so.

    >>> list(_zooms(720)), list(_zooms(1920)), list(_zooms(3840))
    ([1.0], [1.0, 2.0], [2.0, 4.0])
    """
    first = max(1.0, longest / _LARGE_PX)
    yield first
    if longest >= 2 * _SMALL_PX * first:
        yield 2 * first


def _reduced(picture: Image, zoom: float) -> Image:
    if zoom == 1:
        return picture
    return np.asarray(cv2.resize(picture, None, fx=1 / zoom, fy=1 / zoom, interpolation=cv2.INTER_AREA), np.uint8)


def _rings(picture: Image) -> Iterator[Ring]:
    for plane in _planes(picture):
        ring = find_ring(picture, plane)
        if ring is not None:
            yield ring


def _planes(picture: Image) -> Iterator[Plane]:
    yield from spotted_rings(picture)
    for everywhere in (True, False):
        edges = find_edges(picture, everywhere=everywhere)
        for middle in middles(edges, (picture.shape[1], picture.shape[0])):
            plane = find_plane(edges, middle)
            if plane is not None:
                yield plane


def read_wheel(picture: Image) -> WatchReading:
    """Read a still picture, uint8 (H, W, 3) BGR, on its own; no answer unless everything in it agrees."""
    wheel = find_wheel(picture)
    if wheel is None:
        return WatchReading(moving=False)
    seen = sight(picture, wheel, shared_nets())
    if seen.doubts or seen.pocket is None:
        return WatchReading(moving=False, box=wheel.box)
    return WatchReading(False, {"pocket": seen.pocket}, seen.confidence, wheel.box)


def sight(picture: Image, wheel: Wheel, heat: BallHeat | None = None) -> Sighting:
    """Look for the ball in the pockets of a wheel, with a network or without."""
    return at_once(sight_steps(picture, wheel, heat))


def sight_steps(picture: Image, wheel: Wheel, heat: BallHeat | None) -> Generator[None, None, Sighting]:
    """Look for the ball in steps that take some milliseconds each."""
    strip = wheel.unroll(picture)
    turn = (strip.turn + 0.5) / STEPS
    yield
    rows = pocket_rows(strip)
    yield
    blobs = [_on_the_floor(blob, wheel, turn) for blob in find_blobs(strip, rows)]
    blob = next((blob for blob in blobs if blob.looks_like_a_ball), None)
    others = tuple(other for other in blobs if other is not blob)
    if heat is None:
        return Sighting(strip, blob, others, tuple(_doubts(strip, blob, others)))
    yield
    peak = highest((yield from ring_odds(heat, "still", still_ring(strip))))
    shift = BALL_HIGH * float(parallax(wheel, peak.place, peak.radius, turn))
    peak = replace(peak, place=(peak.place - shift) % len(wheel.rim))
    return Sighting(strip, blob, others, tuple(_peak_doubts(strip, peak, blobs)), peak)


def read_wheel_of(picture: Image, wheel: Wheel, heat: BallHeat) -> Generator[None, None, str | None]:
    """Find the pocket of the ball in a wheel that was found, in steps: sure enough to ask about, not to answer.

    None unless everything agrees; but a ball that is faint to the network counts where the counted look is sure of it.
    """
    seen = yield from sight_steps(picture, wheel, heat)
    return seen.pocket if not seen.doubts or (seen.doubts == (_FAINT,) and _counted_too(seen)) else None


def _counted_too(seen: Sighting) -> bool:
    """Whether the look without the network has no doubts either, and sees the ball in the same pocket."""
    if _doubts(seen.strip, seen.blob, seen.others):
        return False
    return replace(seen, peak=None).pocket == seen.pocket


def surely_seen(strip: Strip) -> bool:
    """Whether the order of the pockets and the zero fit what is known of wheels."""
    return strip.is_amid and strip.fit >= 0.45 and len(strip.wrong) <= _MOST_WRONG and strip.zero >= _GREEN


def parallax(wheel: Wheel, place: float, radius: float, turn: float | NDArray[np.floating]) -> NDArray[np.floating]:
    """Return by how many pockets something on the rotor seems shifted for each unit that it is above the ring's plane.

    Args:
        place: in pockets from where the zero's begins.
        radius: in radii of the ring, as the unit is.
        turn: where the zero's pocket begins, in pockets on the ring's plane.
    """
    pockets = len(wheel.rim)
    angle = (np.asarray(turn) + place) * 2 * np.pi / pockets
    x, y = wheel.ring.plane.lean
    return np.asarray((y * np.cos(angle) - x * np.sin(angle)) / radius * pockets / (2 * np.pi))


def _on_the_floor(blob: Blob, wheel: Wheel, turn: float) -> Blob:
    """Return the blob where the ball touches the pocket, which is below its middle."""
    shift = BALL_HIGH * float(parallax(wheel, blob.place, blob.radius, turn))
    return replace(blob, place=(blob.place - shift) % len(wheel.rim))


def _doubts(strip: Strip, blob: Blob | None, others: tuple[Blob, ...]) -> list[str]:
    if blob is None:
        return ["no ball"]
    pockets = len(strip.rim)
    here = int(blob.place) % pockets
    near = {(here + k) % pockets for k in (-2, -1, 1, 2)}
    rival = max((other.contrast * (1 if other.looks_like_a_ball else _UNLIKE) for other in others), default=0.0)
    checks = {
        "order": surely_seen(strip),
        "neighbours": not near & set(strip.wrong),
        "soft": _is_sharp(blob) and blob.fading <= _FADING and blob.round >= _ROUND,
        "another": blob.contrast >= 1.6 * rival,
        "border": abs(blob.place % 1 - 0.5) <= _BORDER,
    }
    return [doubt for doubt, ok in checks.items() if not ok]


def _peak_doubts(strip: Strip, peak: Peak, blobs: Sequence[Blob]) -> list[str]:
    """Return why the place that looks most like a ball may be none, or may be in another pocket."""
    pockets = len(strip.rim)
    here = int(peak.place) % pockets
    near = {(here + k) % pockets for k in (-2, -1, 1, 2)}
    found = any(abs((blob.place - peak.place + pockets / 2) % pockets - pockets / 2) < _SAME for blob in blobs)
    checks = {
        "order": surely_seen(strip),
        "neighbours": not near & set(strip.wrong),
        _FAINT: peak.odds >= (_LIKELY if found else _CERTAIN),
        "another": peak.odds - peak.rival >= _APART,
        "border": abs(peak.place % 1 - 0.5) <= _BORDER,
    }
    return [doubt for doubt, ok in checks.items() if not ok]


def _is_sharp(blob: Blob) -> bool:
    """Whether it is brighter or ends more sharply than a lamp's reflection, which a single picture tells by no more."""
    if blob.steep >= _STEEP:
        return blob.contrast >= _LEAST_CONTRAST
    return blob.steep >= _LESS_STEEP and blob.contrast * blob.steep >= _STRIKING
