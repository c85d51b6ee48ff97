"""Remembers decoded codes and tags while nothing changes in their place, or something only passes over them.

The appearance of each code and tag is kept. After a change in its place the picture is compared with it: all of its
modules must match, or some of them (a hand or glare may cover the rest). If none is visible and the place shows bare
table or other paper, it is *no longer claimed* until it is seen or read again. Below anything else it counts as covered
and is claimed for some seconds more, but not across an abrupt change of the picture (a cut, lost frames, a table that
was rearranged at once).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from companion.objects.cards import MAT_TAGS
from companion.objects.codes import parse_code
from companion.vision.decoders.qr import is_same_place, side_of
from companion.vision.frame import Gray, Image
from companion.vision.live.background_model import BackgroundModel
from companion.vision.live.change import CELL_PX, SHRINK, Box, Cells
from companion.vision.patch import Patch
from companion.vision.sightings import CodeSeen, Quad, TagSeen, center_of, is_within, scaled, to_points

_TABLE_LEVELS: Final = 18.0  # gray levels by which the table may differ from its surroundings
_TABLE_SPREAD: Final = 9.0  # maximum standard deviation of the table's gray levels
_MIN_PAPER: Final = 0.05  # share of a place that has turned from black to paper white: another card lies there
_MIN_BARE: Final = 0.4  # share of a place as bright as the table around it
_MIN_CODE: Final = 0.4  # visible share; another code in exactly the same place matches in at most 0.36 by chance
_MIN_TAG: Final = 0.75
_FULLY_VISIBLE: Final = 0.9
_MAX_LOST_AT_ONCE: Final = 0.5  # share of the fully visible ones; a hand does not cover more within one frame
_CHECKED_IN_TURN: Final = 1  # number of unchanged items that are compared in each frame
_CORE: Final = 0.9  # share of a card's width and height; a neighbor may show beyond it
_BARE_S: Final = 0.1
_GONE_AFTER_S: Final = 3.0
_COVERED_FOR_S: Final = 8.0  # where the background is known, so that a removed card would be noticed


@dataclass(slots=True, eq=False)
class Remembered:
    """A code or tag in the place where it was last read.

    Attributes:
        box: bounding box, px.
        patch: its appearance when it was read.
        table_level: gray level of the table around it.
        last_read, first_read: times (s) of the readings in this place.
        visible: share that is visible.
        doubtful: whether its place has changed since it was read.
        lost_since: time (s) since which it is not visible.
        bare_since: time (s) since which the bare table shows in its place.
        is_claimed: whether it is reported as present.
    """

    seen: CodeSeen | TagSeen
    box: Box
    patch: Patch
    table_level: float
    last_read: float
    first_read: float
    visible: float = 1.0
    doubtful: bool = False
    lost_since: float | None = None
    bare_since: float | None = None
    is_claimed: bool = True

    @property
    def is_seen(self) -> bool:
        """Whether enough of it is visible to be sure that it is there."""
        return self.visible >= (_MIN_CODE if isinstance(self.seen, CodeSeen) else _MIN_TAG)

    def compare(self, image: Image) -> None:
        """Update the visible share; below the minimum it becomes 0."""
        self.visible = self.patch.visible_share(image)
        if not self.is_seen:
            self.visible, self.doubtful = 0.0, True

    def name(self) -> str | int:
        return self.seen.text if isinstance(self.seen, CodeSeen) else self.seen.number


class Memory:
    """The codes and tags on the table.

    Attributes:
        items: all of them, claimed or not.
        contradicted: ids of the cards in whose place the last frame showed other code modules.
        is_broken: whether the last frame differs too abruptly from the previous one to be the same scene.
    """

    def __init__(self) -> None:
        self.items: list[Remembered] = []
        self.is_broken = False
        self.contradicted: set[str] = set()
        self._turn = 0

    @property
    def codes(self) -> tuple[CodeSeen, ...]:
        return tuple(i.seen for i in self.items if i.is_claimed and isinstance(i.seen, CodeSeen))

    @property
    def tags(self) -> tuple[TagSeen, ...]:
        return tuple(i.seen for i in self.items if i.is_claimed and isinstance(i.seen, TagSeen))

    @property
    def unsure(self) -> tuple[Quad, ...]:
        """Corners of what may still be there, but is neither visible nor claimed."""
        return tuple(i.seen.corners for i in self.items if not i.is_claimed and i.bare_since is None)

    @property
    def doubtful(self) -> set[Quad]:
        """Corners of all codes and tags whose place has changed since they were read."""
        return {i.seen.corners for i in self.items if i.doubtful}

    def remember(self, found: Iterable[CodeSeen | TagSeen], gray: Gray, small: Gray, t: float) -> bool:
        """Remember new readings; return whether anything is new, has moved or is claimed again.

        Args:
            gray: uint8 (H, W), the picture.
            small: the picture at a quarter of its size.
        """
        has_news = False
        for seen in found:
            old, first_read = self._same(seen), t
            if old is not None:
                if _moved_away(old.seen.corners, seen.corners):
                    has_news = True
                else:
                    seen, first_read = (
                        old.seen,
                        old.first_read,
                    )  # the same place to a pixel: avoid jitter of the corners
                    has_news |= not old.is_claimed
                self.items.remove(old)
            else:
                has_news = True
            has_news |= self._forget_moved_from(seen, gray, t)
            self.items = [i for i in self.items if not _is_replaced(i, seen)]
            self.items.append(_remembered(seen, gray, small, t, first_read))
        return has_news

    def forget_below_new(self, outline: Quad, just_read: set[Quad], t: float) -> bool:
        """Forget what a newly arrived card covers; return whether anything was forgotten.

        Otherwise the new card's code and the old card's tags would look like one forged card. If something that was
        read there earlier is visible within the outline, the card is not new: it was lost for a moment.
        """
        inside = [i for i in self.items if is_within(center_of(i.seen.corners), outline)]
        core = scaled(outline, _CORE)
        if any(i.is_seen and i.first_read < t and is_within(center_of(i.seen.corners), core) for i in inside):
            return False
        under = [i for i in inside if i.doubtful and i.seen.corners not in just_read]
        self.items = [i for i in self.items if i not in under]
        return bool(under)

    def forget_moved(self, ids: set[str | None]) -> bool:
        """Forget invisible codes of cards whose tag was just read elsewhere; return whether any was forgotten."""
        gone = [
            i
            for i in self.items
            if isinstance(i.seen, CodeSeen) and i.doubtful and not i.is_seen and _id_of(i.seen) in ids
        ]
        self.items = [i for i in self.items if i not in gone]
        return bool(gone)

    def mark_changed(self, changed: Cells) -> None:
        """Mark what lies in changed cells as doubtful."""
        if not changed.any():
            return
        for item in self.items:
            if not item.doubtful and changed[_cells(item.box, changed.shape)].any():
                item.doubtful = True

    def check(
        self,
        image: Image,
        small: Gray,
        busy: Cells,
        background: BackgroundModel,
        t: float,
        *,
        cut: bool,
        everything: bool = False,
    ) -> bool:
        """Compare the doubtful items with the picture and forget those that are gone.

        Args:
            image: uint8 (H, W, 3), the picture.
            small: the picture at a quarter of its size.
            busy: cells that move or still have to be scanned: no item that may be covered is given up there.
            background: the bare table; an item in whose place it shows is gone.
            cut: whether the picture does not continue the previous one: invisible items are no longer claimed.
            everything: whether unchanged items are compared, too.

        Returns:
            whether the claimed items have changed.
        """
        fully_visible = [i for i in self.items if i.is_claimed and i.visible >= _FULLY_VISIBLE]
        for item in self.items if cut or everything else self._to_compare():
            item.compare(image)
        invisible = sum(not i.is_seen for i in fully_visible)
        self.is_broken = cut or invisible > _MAX_LOST_AT_ONCE * len(fully_visible)
        doubtful = [i for i in self.items if i.doubtful]
        claimed = sum(i.is_claimed for i in doubtful)
        gone = [
            i for i in doubtful if _shows_bare_table(i, image, background, t) | _is_gone(i, small, busy, background, t)
        ]
        self.contradicted = set()
        for item in doubtful:
            item.is_claimed = item.is_seen or (item.is_claimed and self._may_be_covered(item, image, small))
        for item in gone:
            self.items.remove(item)
        return bool(gone) or claimed != sum(i.is_claimed for i in doubtful)

    def _to_compare(self) -> list[Remembered]:
        """Return the doubtful items and one other in turn, so that no change goes unnoticed forever."""
        self._turn = (self._turn + _CHECKED_IN_TURN) % max(1, len(self.items))
        return [i for k, i in enumerate(self.items) if i.doubtful or 0 <= k - self._turn < _CHECKED_IN_TURN]

    def _may_be_covered(self, item: Remembered, image: Image, small: Gray) -> bool:
        """Whether an invisible item may be covered by a hand: neither the table nor another card shows in its place."""
        white, black = item.patch.changed_colors(image)
        if min(white, black) >= _MIN_PAPER and isinstance(item.seen, CodeSeen):
            self.contradicted.add(_id_of(item.seen) or "")
        off = np.abs(_crop(small, item.box) - item.table_level)
        is_bare = item.bare_since is not None or float((off < _TABLE_LEVELS).mean()) >= _MIN_BARE
        return not (self.is_broken or is_bare or white >= _MIN_PAPER)

    def forget_below(self, cards: Iterable[tuple[Quad, Quad]]) -> bool:
        """Forget invisible items below a visible card; return whether anything was forgotten.

        Args:
            cards: for each card the corners of its code or tag, and its outline. Only a card that arrived after the
                last reading of an item can lie on it.
        """
        seen = {i.seen.corners: i for i in self.items if not i.doubtful}
        invisible = [i for i in self.items if i.doubtful and not i.is_seen]
        lies_on = [(outline, seen[corners].first_read) for corners, outline in cards if corners in seen]
        under = [
            i
            for i in invisible
            if any(first_read > i.last_read and is_within(center_of(i.seen.corners), o) for o, first_read in lies_on)
        ]
        self.items = [i for i in self.items if i not in under]
        return bool(under)

    def _same(self, seen: CodeSeen | TagSeen) -> Remembered | None:
        name = seen.text if isinstance(seen, CodeSeen) else seen.number
        same = (i for i in self.items if i.name() == name and is_same_place(i.seen.corners, seen.corners))
        return next(same, None)

    def _forget_moved_from(self, seen: CodeSeen | TagSeen, gray: Gray, t: float) -> bool:
        """Forget what was moved: read elsewhere now, while its old place has changed.

        A card's second tag has the same number, so a tag's old place must have changed considerably.
        """
        name = seen.text if isinstance(seen, CodeSeen) else seen.number
        left = _FULLY_VISIBLE if isinstance(seen, CodeSeen) else _MIN_TAG
        old = [
            i
            for i in self.items
            if i.name() == name and i.doubtful and i.last_read < t and i.patch.visible_share(gray) < left
        ]
        self.items = [i for i in self.items if i not in old]
        return bool(old)


def _remembered(seen: CodeSeen | TagSeen, gray: Gray, small: Gray, t: float, first_read: float) -> Remembered:
    points = to_points(seen.corners)
    x0, y0 = np.floor(points.min(axis=0)).astype(int)
    x1, y1 = np.ceil(points.max(axis=0)).astype(int)
    box = (int(x0), int(y0), int(x1), int(y1))
    return Remembered(seen, box, Patch.of(seen, gray), _table_level(small, box), t, first_read)


def _is_gone(item: Remembered, small: Gray, busy: Cells, background: BackgroundModel, t: float) -> bool:
    is_busy = bool(busy[_cells(item.box, busy.shape)].any())
    if item.visible >= _FULLY_VISIBLE:
        item.doubtful = is_busy
    if item.is_seen or is_busy:
        item.lost_since = None
        return False
    item.lost_since = t if item.lost_since is None else item.lost_since
    if background.knows(item.box):
        return t - item.lost_since > _COVERED_FOR_S
    return _is_table(_crop(small, item.box), item.table_level) or t - item.lost_since > _GONE_AFTER_S


def _shows_bare_table(item: Remembered, image: Image, background: BackgroundModel, t: float) -> bool:
    """Whether the bare table has shown for 0.1 s in the place of an item."""
    if isinstance(item.seen, TagSeen) and item.seen.number in MAT_TAGS:
        return False  # it is part of the bare table
    if item.visible >= _FULLY_VISIBLE or not background.is_bare(image, item.box):
        item.bare_since = None
        return False
    item.bare_since = t if item.bare_since is None else item.bare_since
    return t - item.bare_since >= _BARE_S - 1e-6


def _is_table(now: Gray, level: float) -> bool:
    if now.size == 0:
        return True
    return abs(float(np.median(now)) - level) < _TABLE_LEVELS and float(now.std()) < _TABLE_SPREAD


def _table_level(small: Gray, box: Box) -> float:
    """Return the table's gray level: the median along a frame two code lengths around a box."""
    reach = max(box[2] - box[0], box[3] - box[1]) * 2
    wide = _crop(small, (box[0] - reach, box[1] - reach, box[2] + reach, box[3] + reach))
    edge = np.concatenate([wide[0], wide[-1], wide[:, 0], wide[:, -1]]) if wide.size else wide.ravel()
    return float(np.median(edge)) if edge.size else 0.0


def _crop(small: Gray, box: Box) -> Gray:
    h, w = small.shape
    x0, y0, x1, y1 = (v // SHRINK for v in box)
    return small[max(0, y0) : min(h, y1 + 1), max(0, x0) : min(w, x1 + 1)]


def _cells(box: Box, shape: tuple[int, ...]) -> tuple[slice, slice]:
    x0, y0, x1, y1 = box
    rows = slice(max(0, y0 // CELL_PX), max(1, min(shape[0], y1 // CELL_PX + 1)))
    return rows, slice(max(0, x0 // CELL_PX), max(1, min(shape[1], x1 // CELL_PX + 1)))


def _is_replaced(item: Remembered, seen: CodeSeen | TagSeen) -> bool:
    """Whether another code or tag is now read in the place of an item."""
    return (
        isinstance(item.seen, CodeSeen) is isinstance(seen, CodeSeen)
        and item.doubtful
        and is_same_place(item.seen.corners, seen.corners)
    )


def _id_of(code: CodeSeen) -> str | None:
    parts = parse_code(code.text)
    return None if parts is None else parts.id


def _moved_away(old: Quad, new: Quad) -> bool:
    (ax, ay), (bx, by) = center_of(old), center_of(new)
    return bool(np.hypot(ax - bx, ay - by) > max(1.5, 0.03 * side_of(new)))
