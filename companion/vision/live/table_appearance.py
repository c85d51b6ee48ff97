"""The appearance of the table in a small, blurred picture: now, as last accepted, and bare.

`accepted` is what the table is known to look like with everything that lies on it; it follows slow changes of the
light. A difference between `now` and `accepted` means that something came or went. `bare` is the table without cards,
which shows again when they are removed.
"""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.frame import Image, Points
from companion.vision.live.change import CELL_PX, Box, Cells

Mask = NDArray[np.uint8]
"""(rows, columns) of the small picture, or of a part of it: 255 where something holds, else 0."""
Gains = NDArray[np.float64]
"""(3,): one factor each for blue, green and red."""
Part = tuple[slice, slice]
"""Rows and columns of the small picture."""

_WIDTH_PX: Final = 480  # approximate width of the small picture
_LEARN_AFTER_S: Final = 0.5  # time without motion before a place is learned
_FOLLOW_INTERVAL_S: Final = 0.3
_DIFFERENCE: Final = 14  # levels of a color channel; the noise of the blurred picture is below
_GAIN_LIMITS: Final = (0.7, 1.4)
_ROW_STEP: Final = 4  # every fourth row is enough to measure the brightness of the table


class TableAppearance:
    """The small pictures of one camera's table.

    Args:
        size: (width, height) of the full picture.

    Attributes:
        scale: full-size pixels per pixel of the small picture.
        size: (width, height) of the small picture.
        now: the current picture, its light matched to that of `accepted`.
        accepted: the known appearance, including all that lies on the table.
        known: where `accepted` has been learned.
        bare: the appearance of the bare table.
        bare_known: where `bare` has been learned.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self.scale = max(1, round(size[0] / _WIDTH_PX))
        self.size = (max(1, size[0] // self.scale), max(1, size[1] // self.scale))
        shape = self.size[::-1]
        self.now: Image = np.zeros((*shape, 3), np.uint8)
        self.accepted: Image = np.zeros((*shape, 3), np.uint8)
        self.known: Mask = np.zeros(shape, np.uint8)
        self.bare: Image = np.zeros((*shape, 3), np.uint8)
        self.bare_known: Mask = np.zeros(shape, np.uint8)
        self._bare_drift: Gains = np.ones(3)
        "Change of the table's brightness since it was last applied to the covered parts of `bare`."
        self._gains: Gains | None = None
        self._refreshed = float("-inf")
        self._followed = float("-inf")

    def update(self, image: Image, last_motion: NDArray[np.float64], moved_since: float, t: float) -> None:
        """Update `now` at time t (s): where something has moved since, and all of it every 0.3 s.

        Args:
            image: uint8 (H, W, 3), the full picture.
            last_motion: time (s) of the last motion in each cell.
        """
        if t - self._refreshed >= _FOLLOW_INTERVAL_S - 1e-6:
            self._refreshed = t
            now = self._shrunk(image, (0, 0, *self.size))
            self._gains = self._gains_to_accepted(now)
            self.now = now if self._gains is None else _with_gains(now, self._gains)
            return
        rows, columns = np.nonzero(last_motion >= moved_since)
        if rows.size:
            side, (w, h) = CELL_PX / self.scale, self.size
            left, top = int((columns.min() - 1) * side), int((rows.min() - 1) * side)
            right, below = int((columns.max() + 2) * side), int((rows.max() + 2) * side)
            x0, y0, x1, y1 = box = (max(0, left), max(0, top), min(w, right), min(h, below))
            now = self._shrunk(image, box)
            self.now[y0:y1, x0:x1] = now if self._gains is None else _with_gains(now, self._gains)

    def _shrunk(self, image: Image, box: Box) -> Image:
        """Return a box of the small picture, resized from the full one and blurred."""
        side, (w, h) = self.scale, self.size
        x0, y0, x1, y1 = max(0, box[0] - 1), max(0, box[1] - 1), min(w, box[2] + 1), min(h, box[3] + 1)
        part = image[y0 * side : y1 * side, x0 * side : x1 * side]
        small = cv2.blur(cv2.resize(part, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR), (3, 3))
        return np.asarray(small[box[1] - y0 : box[3] - y0, box[0] - x0 : box[2] - x0], np.uint8)

    def _gains_to_accepted(self, now: Image) -> Gains | None:
        """Return the gains that match the light of `now` to `accepted`; None if it needs no correction."""
        known = self.known[::8, ::8] > 0
        if int(known.sum()) < 50:
            return None
        a, b = now[::8, ::8][known].astype(float), self.accepted[::8, ::8][known].astype(float)
        # The median of differences pixel by pixel, not the difference of two medians: a hand in the picture changes
        # the median level, and `accepted` would follow it.
        if (np.median(a, axis=0) < 8).any() or (np.abs(np.median(b - a, axis=0)) < 2.0).all():
            return None
        return np.asarray(np.clip(np.median(b / np.maximum(a, 1.0), axis=0), *_GAIN_LIMITS), np.float64)

    def still(self, last_motion: NDArray[np.float64], t: float, still_s: float) -> Mask:
        """Return where nothing has moved for `still_s` seconds at time t (s)."""
        cells: Cells = np.asarray(t - last_motion >= still_s - 1e-6)
        side = CELL_PX / self.scale
        size = (round(cells.shape[1] * side), round(cells.shape[0] * side))
        mask = cv2.resize(cells.astype(np.uint8) * 255, size, interpolation=cv2.INTER_NEAREST)
        h, w = self.known.shape
        below, right = max(0, h - mask.shape[0]), max(0, w - mask.shape[1])
        full = cv2.copyMakeBorder(mask, 0, below, 0, right, cv2.BORDER_REPLICATE)
        return np.ascontiguousarray(full[:h, :w], np.uint8)

    def learn(self, last_motion: NDArray[np.float64], covers: Iterable[Points], t: float) -> None:
        """Learn still places that are not known yet.

        Args:
            last_motion: time (s) of the last motion in each cell.
            covers: outlines of cards, which hide the bare table.
        """
        if self.known.all():
            return
        new = cv2.bitwise_and(self.still(last_motion, t, _LEARN_AFTER_S), cv2.bitwise_not(self.known))
        cv2.copyTo(self.now, new, self.accepted)
        self.known |= np.asarray(new, np.uint8)
        free = cv2.bitwise_and(new, cv2.bitwise_not(self.mask_of(covers)))
        cv2.copyTo(self.now, free, self.bare)
        self.bare_known |= np.asarray(free, np.uint8)

    def relearn(self, still: Mask, covers: Iterable[Points]) -> None:
        """Forget everything and learn the still places anew, `bare` without the outlines of cards."""
        for mask in (self.known, self.bare_known):
            mask[:] = still
        self.accept(still)
        cv2.copyTo(self.now, still, self.bare)
        self.bare_known &= np.asarray(cv2.bitwise_not(self.mask_of(covers)), np.uint8)

    def accept(self, mask: Mask) -> None:
        """Accept the current appearance where the mask is set."""
        cv2.copyTo(self.now, mask, self.accepted)

    def accept_as_bare(self, mask: Mask) -> None:
        """Accept the current appearance as that of the bare table."""
        self.accept(mask)
        self.bare_known |= mask
        cv2.copyTo(self.now, mask, self.bare)

    def restore_bare(self, mask: Mask) -> None:
        """Let `accepted` show the bare table again, as far as it is known."""
        cv2.copyTo(self.bare, np.asarray(cv2.bitwise_and(mask, self.bare_known), np.uint8), self.accepted)

    def follow(self, t: float) -> None:
        """Let the known appearances follow slow changes of the light, every 0.3 s."""
        if t - self._followed < _FOLLOW_INTERVAL_S - 1e-6:
            return
        self._followed = t
        self._blend(self.accepted, self.known)
        before = self.bare[::_ROW_STEP].copy()
        self._relight_covered(before, self._blend(self.bare, self.bare_known))

    def _blend(self, picture: Image, known: Mask) -> Mask:
        """Blend `now` into a known appearance where they match; return where they do."""
        same = np.asarray(cv2.bitwise_and(cv2.bitwise_not(differences(self.now, picture)), known), np.uint8)
        cv2.copyTo(cv2.addWeighted(picture, 0.73, self.now, 0.27, 0), same, picture)
        return same

    def _relight_covered(self, before: Image, visible: Mask) -> None:
        """Apply the change of the light to the covered parts of `bare`, so that they match when they show again.

        Args:
            before: the sampled rows of `bare` before the last blending.
            visible: where the bare table is visible now.
        """
        old, new = (np.array(cv2.mean(rows, visible[::_ROW_STEP])[:3]) for rows in (before, self.bare[::_ROW_STEP]))
        if (old < 1).any():
            return
        self._bare_drift *= new / old
        if (np.abs(self._bare_drift - 1) * new < 1).all():
            return
        covered = cv2.bitwise_and(self.bare_known, cv2.bitwise_not(visible))
        cv2.copyTo(_with_gains(self.bare, self._bare_drift), covered, self.bare)
        self._bare_drift = np.ones(3)

    def mask_of(self, outlines: Iterable[Points]) -> Mask:
        """Return a mask of convex outlines, in pixels of the small picture."""
        mask = np.zeros(self.known.shape, np.uint8)
        for outline in outlines:
            cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
        return mask

    def is_accepted(self, part: Part) -> NDArray[np.bool_]:
        """Return where a part of the picture looks as accepted."""
        return np.asarray((differences(self.now[part], self.accepted[part]) == 0) & (self.known[part] > 0))

    def is_bare(self, part: Part) -> NDArray[np.bool_]:
        """Return where a part of the picture shows the bare table."""
        return np.asarray((differences(self.now[part], self.bare[part]) == 0) & (self.bare_known[part] > 0))


def differences(now: Image, then: Image) -> Mask:
    """Return where any color channel of two pictures of one size differs."""
    # The gray value of the thresholded channels is above 0 where any of them is set: faster than splitting them.
    channels = cv2.threshold(cv2.absdiff(now, then), _DIFFERENCE, 255, cv2.THRESH_BINARY)[1]
    return np.asarray(cv2.threshold(cv2.cvtColor(channels, cv2.COLOR_BGR2GRAY), 0, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _with_gains(picture: Image, gains: Gains) -> Image:
    return np.asarray(cv2.transform(picture, np.diag(gains)), np.uint8)
