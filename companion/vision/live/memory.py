"""What was read stays known while nothing changes there, and while something only passes over it.

For each code and tag its look is kept. When its place changes, the picture must support it there: the same modules,
or some of them (a hand or glare covers the rest). Where nothing of it can be seen, bare table and paper are no cover:
it is *not claimed* from that picture on, and known again only when it is seen or read again. Under anything else it is
covered, and claimed for some seconds more, but not across an abrupt change of the picture (a cut, pictures that were
lost, a table laid anew at once): what cannot be seen after that is not claimed either.
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

_TABLE_LEVEL: Final = 18.0
_TABLE_TEXTURE: Final = 9.0
_PAPER_SHARE: Final = 0.05  # of a place, that makes it another card's
_BARE_SHARE: Final = 0.4  # of a place, as light as the table round it
_CODE_SHARE: Final = 0.4  # of its modules seen: another code at exactly the same place has at most 0.36 alike by chance
_TAG_SHARE: Final = 0.75
_OPEN_SHARE: Final = 0.9
_LOST_AT_ONCE: Final = 0.5  # of all that lay open; a hand does not cover more from one picture to the next
_ROUND: Final = 1  # so many things are compared in each picture though nothing seems to have changed there
_CORE: Final = 0.9  # of a card's width and height: beyond it a neighbor may show
_BARE_S: Final = 0.1
_GONE_AFTER_S: Final = 3.0
_COVERED_FOR_S: Final = 8.0  # where the bare table is known: something lies or rests upon it


@dataclass(slots=True, eq=False)
class Remembered:
    """One code or tag, where it was last read and how it looked there."""

    seen: CodeSeen | TagSeen
    box: Box  # px
    patch: Patch
    table: float  # grey level round it
    t_read: float
    came: float  # when it was first read there
    visible: float = 1.0
    doubtful: bool = False  # its place has changed since it was read
    lost_since: float | None = None
    bare_since: float | None = None
    is_claimed: bool = True  # it may be said to lie there

    @property
    def is_seen(self) -> bool:
        """Whether enough of it can be seen to be sure that it is there."""
        return self.visible >= (_CODE_SHARE if isinstance(self.seen, CodeSeen) else _TAG_SHARE)

    def compare(self, image: Image) -> None:
        """See how much of it the picture shows."""
        self.visible = self.patch.support(image)
        if not self.is_seen:
            self.visible, self.doubtful = 0.0, True

    def name(self) -> str | int:
        return self.seen.text if isinstance(self.seen, CodeSeen) else self.seen.number


class Memory:
    """The codes and tags that lie on the table.

    Attributes:
        items: all of them, also those that are not claimed.
        denied: the cards whose code has made way for other modules in the last picture checked.
        is_broken: whether the last picture checked follows the one before it too abruptly to be the same scene.
    """

    def __init__(self) -> None:
        self.items: list[Remembered] = []
        self.is_broken = False
        self.denied: set[str] = set()
        self._round = 0

    @property
    def codes(self) -> tuple[CodeSeen, ...]:
        return tuple(i.seen for i in self.items if i.is_claimed and isinstance(i.seen, CodeSeen))

    @property
    def tags(self) -> tuple[TagSeen, ...]:
        return tuple(i.seen for i in self.items if i.is_claimed and isinstance(i.seen, TagSeen))

    @property
    def unsure(self) -> tuple[Quad, ...]:
        """Where something lay that may be there yet, but cannot be seen and is not claimed."""
        return tuple(i.seen.corners for i in self.items if not i.is_claimed and i.bare_since is None)

    @property
    def doubtful(self) -> set[Quad]:
        """The corners of what lies, or lay, where something has changed since it was read."""
        return {i.seen.corners for i in self.items if i.doubtful}

    def keep(self, found: Iterable[CodeSeen | TagSeen], gray: Gray, small: Gray, t: float) -> bool:
        """Remember what was read just now; return whether anything is new, has moved or is claimed again.

        Args:
            gray: the picture.
            small: the picture at a quarter of its size.
        """
        news = False
        for seen in found:
            old, came = self._same(seen), t
            if old is not None:
                if _moved_away(old.seen.corners, seen.corners):
                    news = True
                else:
                    seen, came = old.seen, old.came  # the same place to a pixel: keep its corners steady
                    news |= not old.is_claimed
                self.items.remove(old)
            else:
                news = True
            news |= self._forget_elsewhere(seen, gray, t)
            self.items = [i for i in self.items if not _is_replaced(i, seen)]
            self.items.append(_remembered(seen, gray, small, t, came))
        return news

    def forget_under(self, outline: Quad, just_read: set[Quad], t: float) -> bool:
        """Forget what a card that has just arrived lies upon. Return whether anything was forgotten.

        Without it the new card's code would be held against the old card's tags: a forgery that is none. A card on
        which something is seen that was read there before did not arrive: it was lost for a moment.
        """
        inside = [i for i in self.items if is_within(center_of(i.seen.corners), outline)]
        core = scaled(outline, _CORE)
        if any(i.is_seen and i.came < t and is_within(center_of(i.seen.corners), core) for i in inside):
            return False
        under = [i for i in inside if i.doubtful and i.seen.corners not in just_read]
        self.items = [i for i in self.items if i not in under]
        return bool(under)

    def forget_moved(self, ids: set[str | None]) -> bool:
        """Forget codes that cannot be seen any more of cards whose tag has just been read elsewhere."""
        gone = [
            i
            for i in self.items
            if isinstance(i.seen, CodeSeen) and i.doubtful and not i.is_seen and _id_of(i.seen) in ids
        ]
        self.items = [i for i in self.items if i not in gone]
        return bool(gone)

    def doubt(self, changed: Cells) -> None:
        """Mark what lies where something has changed."""
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
        """Compare what is doubtful with the picture; forget what is gone. Return whether the claims have changed.

        Args:
            image: the picture.
            small: the picture at a quarter of its size.
            busy: cells in motion, or that still wait to be read; nothing is given up there that may be covered.
            background: the table where nothing lies; what shows it is gone.
            cut: the picture is no continuation of the one before it: what cannot be seen in it is not claimed.
            everything: compare also what does not seem to have changed.
        """
        lay_open = [i for i in self.items if i.is_claimed and i.visible >= _OPEN_SHARE]
        for item in self.items if cut or everything else self._to_compare():
            item.compare(image)
        lost = sum(not i.is_seen for i in lay_open)
        self.is_broken = cut or lost > _LOST_AT_ONCE * len(lay_open)
        doubtful = [i for i in self.items if i.doubtful]
        claimed = sum(i.is_claimed for i in doubtful)
        gone = [i for i in doubtful if _is_swept(i, image, background, t) | _is_gone(i, small, busy, background, t)]
        self.denied = set()
        for item in doubtful:
            item.is_claimed = item.is_seen or (item.is_claimed and self._may_be_covered(item, image, small))
        for item in gone:
            self.items.remove(item)
        return bool(gone) or claimed != sum(i.is_claimed for i in doubtful)

    def _to_compare(self) -> list[Remembered]:
        """Return what is doubtful, and a few others in turn: no change must go unnoticed for ever."""
        self._round = (self._round + _ROUND) % max(1, len(self.items))
        return [i for k, i in enumerate(self.items) if i.doubtful or 0 <= k - self._round < _ROUND]

    def _may_be_covered(self, item: Remembered, image: Image, small: Gray) -> bool:
        """Say whether a hand may lie where nothing of this can be seen; bare table and another's paper are none."""
        white, black = item.patch.strange(image)
        if min(white, black) >= _PAPER_SHARE and isinstance(item.seen, CodeSeen):
            self.denied.add(_id_of(item.seen) or "")
        off = np.abs(_crop(small, item.box) - item.table)
        is_bare = item.bare_since is not None or float((off < _TABLE_LEVEL).mean()) >= _BARE_SHARE
        return not (self.is_broken or is_bare or white >= _PAPER_SHARE)

    def uncover(self, cards: Iterable[tuple[Quad, Quad]]) -> bool:
        """Forget what a card that is seen lies upon. Return whether anything was forgotten.

        Args:
            cards: the corners of each card's code or tag, and its outline. A card that was there before something was
                last read lies under that, not upon it.
        """
        seen = {i.seen.corners: i for i in self.items if not i.doubtful}
        lost = [i for i in self.items if i.doubtful and not i.is_seen]
        lies_on = [(outline, seen[corners].came) for corners, outline in cards if corners in seen]
        under = [
            i for i in lost if any(came > i.t_read and is_within(center_of(i.seen.corners), o) for o, came in lies_on)
        ]
        self.items = [i for i in self.items if i not in under]
        return bool(under)

    def _same(self, seen: CodeSeen | TagSeen) -> Remembered | None:
        name = seen.text if isinstance(seen, CodeSeen) else seen.number
        same = (i for i in self.items if i.name() == name and is_same_place(i.seen.corners, seen.corners))
        return next(same, None)

    def _forget_elsewhere(self, seen: CodeSeen | TagSeen, gray: Gray, t: float) -> bool:
        """The same code read at a new place, and its old place has changed: it was moved.

        A card's own second tag has the same number, so a tag must look quite different to count as moved.
        """
        name = seen.text if isinstance(seen, CodeSeen) else seen.number
        left = _OPEN_SHARE if isinstance(seen, CodeSeen) else _TAG_SHARE
        old = [
            i for i in self.items if i.name() == name and i.doubtful and i.t_read < t and i.patch.support(gray) < left
        ]
        self.items = [i for i in self.items if i not in old]
        return bool(old)


def _remembered(seen: CodeSeen | TagSeen, gray: Gray, small: Gray, t: float, came: float) -> Remembered:
    points = to_points(seen.corners)
    x0, y0 = np.floor(points.min(axis=0)).astype(int)
    x1, y1 = np.ceil(points.max(axis=0)).astype(int)
    box = (int(x0), int(y0), int(x1), int(y1))
    return Remembered(seen, box, Patch.of(seen, gray), _table_level(small, box), t, came)


def _is_gone(item: Remembered, small: Gray, busy: Cells, background: BackgroundModel, t: float) -> bool:
    waits = bool(busy[_cells(item.box, busy.shape)].any())
    if item.visible >= _OPEN_SHARE:
        item.doubtful = waits
    if item.is_seen or waits:
        item.lost_since = None
        return False
    item.lost_since = t if item.lost_since is None else item.lost_since
    if background.knows(item.box):
        return t - item.lost_since > _COVERED_FOR_S
    return _is_table(_crop(small, item.box), item.table) or t - item.lost_since > _GONE_AFTER_S


def _is_swept(item: Remembered, image: Image, background: BackgroundModel, t: float) -> bool:
    """Say whether the bare table has shown for a moment where this was."""
    if isinstance(item.seen, TagSeen) and item.seen.number in MAT_TAGS:
        return False  # it is part of the bare table
    if item.visible >= _OPEN_SHARE or not background.is_bare(image, item.box):
        item.bare_since = None
        return False
    item.bare_since = t if item.bare_since is None else item.bare_since
    return t - item.bare_since >= _BARE_S - 1e-6


def _is_table(now: Gray, level: float) -> bool:
    if now.size == 0:
        return True
    return abs(float(np.median(now)) - level) < _TABLE_LEVEL and float(now.std()) < _TABLE_TEXTURE


def _table_level(small: Gray, box: Box) -> float:
    """Return the cloth's grey level: the darker half of what lies a card's length round the code."""
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
    """Something else is read just where this was read before: another card lies there now."""
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
