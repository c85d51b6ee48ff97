"""Reads the ball's pocket from a single picture of a wheel. A wrong pocket is far worse than none."""

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
_MAX_WRONG: Final = 3
_LARGE_PX: Final = 1920  # larger pictures are reduced for the search
_SMALL_PX: Final = 540
_MIN_CONTRAST: Final = 60.0
_STEEP: Final = 0.46
_LESS_STEEP: Final = 0.33
_STRIKING: Final = 42.0
_UNLIKE: Final = 0.6  # weight of a rival that is not round
_FADING: Final = 0.2
_BORDER: Final = 0.25  # pockets; distance from a pocket's center up to which the pocket is certain
_ROUND: Final = 0.9
_SAME: Final = 0.35  # pockets
_LIKELY: Final = 1.0  # log-odds
_CERTAIN: Final = 1.3
_APART: Final = 1.5
_FAINT: Final = "faint"
BALL_HIGH: Final = 0.03
"""Height of the ball's center above the numbers, in radii of the ring: a pocket is about half a ball deep."""


@dataclass(frozen=True)
class Wheel:
    """A detected wheel under a fixed camera."""

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
        """Return its unrolled ring in a picture."""
        return unroll(picture, self.ring, self.maps)


@dataclass(frozen=True, slots=True)
class Sighting:
    """The ball in the ring of one picture.

    Attributes:
        strip: the unrolled ring.
        blob: the presumed ball, at its foot.
        others: the other outliers.
        doubts: failed checks, one word each.
        peak: the network's most ball-like place, at the ball's foot; None without the network.
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
        """Confidence in the pocket, 0 to 1: that of the weakest cue."""
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
    """Return the wheel in a picture, uint8 (H, W, 3) BGR, or None without a certain one."""
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
    """Yield the reduction factors for the search; the second is tried if the first finds no wheel.

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
    """Read a still picture, uint8 (H, W, 3) BGR; there is an answer only if all cues agree."""
    wheel = find_wheel(picture)
    if wheel is None:
        return WatchReading(moving=False)
    seen = sight(picture, wheel, shared_nets())
    if seen.doubts or seen.pocket is None:
        return WatchReading(moving=False, box=wheel.box)
    return WatchReading(False, {"pocket": seen.pocket}, seen.confidence, wheel.box)


def sight(picture: Image, wheel: Wheel, heat: BallHeat | None = None) -> Sighting:
    """Locate the ball in the pockets of a wheel, with or without the network."""
    return at_once(sight_steps(picture, wheel, heat))


def sight_steps(picture: Image, wheel: Wheel, heat: BallHeat | None) -> Generator[None, None, Sighting]:
    """Locate the ball in steps of some milliseconds each."""
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
    """Return the ball's pocket in a known wheel, in steps: reliable enough to propose, not to answer.

    None unless all cues agree; a ball that is faint to the network is accepted if the pixel differences are sure of it.
    """
    seen = yield from sight_steps(picture, wheel, heat)
    return seen.pocket if not seen.doubts or (seen.doubts == (_FAINT,) and _counted_too(seen)) else None


def _counted_too(seen: Sighting) -> bool:
    """Whether the pixel differences alone are certain, too, and give the same pocket."""
    if _doubts(seen.strip, seen.blob, seen.others):
        return False
    return replace(seen, peak=None).pocket == seen.pocket


def surely_seen(strip: Strip) -> bool:
    """Whether the pockets' order and the zero match a wheel."""
    return strip.is_amid and strip.fit >= 0.45 and len(strip.wrong) <= _MAX_WRONG and strip.zero >= _GREEN


def parallax(wheel: Wheel, place: float, radius: float, turn: float | NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the parallax on the rotor, in pockets per unit of height above the ring's plane.

    Args:
        place: in pockets from the start of the zero's.
        radius: in radii of the ring, the unit of height.
        turn: start of the zero's pocket, in pockets on the ring's plane.
    """
    pockets = len(wheel.rim)
    angle = (np.asarray(turn) + place) * 2 * np.pi / pockets
    x, y = wheel.ring.plane.lean
    return np.asarray((y * np.cos(angle) - x * np.sin(angle)) / radius * pockets / (2 * np.pi))


def _on_the_floor(blob: Blob, wheel: Wheel, turn: float) -> Blob:
    """Return the blob moved from the ball's center to where it touches the pocket."""
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
    """Return the failed checks of the network's place."""
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
    """Whether it is brighter or sharper than a lamp's reflection, the only difference in a single picture."""
    if blob.steep >= _STEEP:
        return blob.contrast >= _MIN_CONTRAST
    return blob.steep >= _LESS_STEEP and blob.contrast * blob.steep >= _STRIKING
