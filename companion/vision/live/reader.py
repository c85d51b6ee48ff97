"""Reads a running camera: cheap change detection on every frame, decoding only where something changed.

Unchanged regions are remembered, changed ones are decoded once still. The rest of the picture is rescanned about
once a second, a little in each frame, so that no frame takes long.
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

import numpy as np

from companion.objects.cards import MAT_TAGS
from companion.objects.chips import CHIP_OF_TAG
from companion.objects.codes import parse_code
from companion.objects.designs import Designs
from companion.objects.geometry import CardGeometry
from companion.vision.boxes import bounds, clip, crop, do_overlap, grown, tiles
from companion.vision.cards import Layout, Understood, card_of_code, tag_boxes, understand
from companion.vision.decoders.known import KnownCodes
from companion.vision.decoders.qr import read_codes, side_of
from companion.vision.decoders.tags import TagFinder
from companion.vision.expect import expected_pieces, only_expected
from companion.vision.frame import Frame, Gray, Image, check_image, to_gray
from companion.vision.live.background_model import BackgroundModel
from companion.vision.live.change import CELL_PX, Box, Cells, Changes, ChangeWatch, boxes_of, cells_of, textured
from companion.vision.live.continuity import Continuity
from companion.vision.live.decode_scheduler import DecodeScheduler, Task
from companion.vision.live.memory import Memory
from companion.vision.live.pending_regions import PendingRegions, RestTimes
from companion.vision.newcomers import Newcomers
from companion.vision.objects import card_shapes
from companion.vision.sightings import (
    CardSighting,
    CodeSeen,
    FrameReading,
    Quad,
    TagSeen,
    center_of,
    is_within,
    moved,
    scaled,
)
from companion.vision.still import Rescue, code_places, places_on, retry_code

_BARE_MS: Final = 0.1
_GROUND_STILL_S: Final = 0.5
_DISK: Final = 2.6  # a token is so much wider than its tag
_CODE_PX: Final = 110.0  # a code's side where none has been seen yet: 5 px a module
_MOST_TRIES: Final = 3  # retries for a card that is known by tag, until something changes there
_PREPARED: Final = 4  # of the house's codes, each time that they are wanted and not all are there
_COMPARED_AT: Final = (1, 10, 40)  # frames after a thing was seen
_FRAME_S: Final = 1 / 30  # `work_ms` is for so long
_MOST_LEISURE: Final = 3.0
_CALMEST_S: Final = 15.0  # between two scans of a picture in which nothing has changed for long
_COLD_FRAMES: Final = 60  # at most, until the whole picture was scanned once
_ARRIVED_S: Final = 0.5
_BLIND_S: Final = 1.5  # without a picture for so long, anything may have happened
_CUT_SHARE: Final = 0.6  # of the cells change at once: another picture, a lamp, somebody who leans over the table
_RETRY_S: Final = 0.1
_RETRIES: Final = 6  # in a row; then as often as the whole picture is rescanned
_TILE_PX: Final = 320
_TAG_TILE_PX: Final = 160
_MANY: Final = 8
_MANY_CELLS: Final = 80  # compared with the bare table in one frame


class Reader:
    """Reads one camera's frames in order. For one thread and one source.

    Args:
        keys: deck id to key, of the stored decks.
        designs: the kinds of decks there are.
        expect: what may lie on the table, of `Designs.groups`; None for all of it.
        work_ms: decoding to do in one frame, in estimated milliseconds of a desktop's core.
        still_s: how long a place must lie still before it is read.
        rescan_s: how often the whole picture is rescanned; less and less often while nothing changes.
        thorough: read all that changed in every frame, moving or not, whatever it takes (for files).
        rescue: asked last for the code of a card that is known by its tag; it must answer at once.
    """

    def __init__(
        self,
        keys: Mapping[str, bytes],
        designs: Designs,
        *,
        expect: Collection[str] | None = None,
        work_ms: float = 5.0,
        still_s: float = 0.06,
        rescan_s: float = 1.0,
        thorough: bool = False,
        rescue: Rescue | None = None,
    ) -> None:
        self.keys = dict(keys)
        self.designs, self.expected = designs, expected_pieces(expect, designs)
        self.work_ms, self.still_s, self.rescan_s, self.thorough = work_ms, still_s, rescan_s, thorough
        self._rescue = rescue
        self._finder = TagFinder()
        self._house = KnownCodes(self.keys, self.expected)
        self._size = (-1, -1)
        self._forget()

    def read(self, frame: Frame) -> FrameReading:
        """Say what lies on the table as of this frame.

        Raises:
            ValueError: the frame holds no picture.
        """
        image = check_image(frame.image)
        size = (image.shape[1], image.shape[0])
        if image.size == 0:
            return FrameReading(size)
        if size != self._size:
            self._size = size
            self._forget()
        return self._read(image, frame.t)

    def _forget(self) -> None:
        self._watch = ChangeWatch((max(1, self._size[0]), max(1, self._size[1])), still_s=self.still_s)
        self._background = BackgroundModel((max(1, self._size[0]), max(1, self._size[1])))
        self._memory = Memory()
        self._newcomers = Newcomers((max(1, self._size[0]), max(1, self._size[1])))
        self._scheduler = DecodeScheduler()
        self._pending = PendingRegions(self._watch.shape)
        self._rest_times = RestTimes(_ARRIVED_S)
        self._tries: dict[Quad, int] = {}
        self._shapes: tuple[Quad, ...] = ()  # what looked like an unread card in the last round
        self._compared: dict[Quad, int] = {}  # how often each unread thing was compared with the house's codes
        self._arrived: dict[Quad, float] = {}  # codes that came a moment ago
        self._retries: dict[Quad, int] = {}
        self._retried = float("-inf")
        self._found = Understood((), (), ())
        self._continuity = Continuity(trust_s=1e9) if self.thorough else Continuity()
        self._rescanned: float | None = None
        self._pause_s = self.rescan_s
        self._scanned = np.zeros(self._watch.shape, bool)  # cells without pending scans
        self._rounds = 0
        self._t: float | None = None
        self._step_s = 0.0
        self._cold_left = _COLD_FRAMES
        self._overlap = _overlap_px(())
        self._dirty = False

    def _read(self, image: Image, t: float) -> FrameReading:
        self._step_s = 0.0 if self._t is None else t - self._t
        self._t = t
        changes = self._watch.update(to_gray(image[::2]), t)  # every other row is enough to see change
        self._rescanned = t if self._rescanned is None else self._rescanned
        self._memory.doubt(changes.changed | changes.moving)
        self._scanned &= ~changes.changed
        self._arrived = {quad: came for quad, came in self._arrived.items() if t - came < _ARRIVED_S}
        self._plan(image, changes, t)
        if self._scheduler:
            self._work(image, changes, t)
            self._pending.done(task.box for task in self._scheduler.fresh)
        busy = changes.moving | self._unsettled(changes)
        cut = self._step_s > _BLIND_S or changes.moving.mean() > _CUT_SHARE
        self._dirty |= self._memory.check(
            image, changes.small, busy, self._background, t, cut=bool(cut), everything=self.thorough
        )
        self._understand()
        self._rest_times.note(self._found.cards, self._watch.last_motion, t)
        if self._background.is_due(t):
            self._learn(image, t)
        return self._reading(image, changes, t)

    def _learn(self, image: Image, t: float) -> None:
        """Update the background model where no card lies."""
        items, doubtful = self._memory.items, self._memory.doubtful
        cards = [(card.outline or card.corners, card.corners not in doubtful) for card in self._found.cards]
        covers = [quad for quad, _ in cards] + [item.seen.corners for item in items]
        covers += [scaled(token.corners, _DISK) for token in self._found.tokens]
        still = self._watch.still_for(_GROUND_STILL_S, t) & self._scanned
        self._background.learn(image, still, covers, [quad for quad, sure in cards if sure], t)

    def _swept(self, image: Image, changes: Changes, t: float) -> Cells:
        """Return the cells due for a scan that show the bare table: there is nothing to read."""
        bare = np.zeros_like(changes.due)
        for row, column in np.argwhere(changes.due)[:_MANY_CELLS].tolist():
            x, y = column * CELL_PX, row * CELL_PX
            box = clip((x, y, x + CELL_PX, y + CELL_PX), self._size)
            bare[row, column] = self._background.is_all_bare(image, box)
            if bare[row, column]:
                self._watch.accept(box, changes.small, t)
                self._scanned[row, column] = True
        return bare

    def _due(self, image: Image, changes: Changes, t: float) -> Cells:
        """Return the cells to scan: what has changed and lies still, and what was missed under a hand."""
        bare = self._swept(image, changes, t)
        self._pending.bare(bare)
        due = changes.due & ~bare | self._pending.missed(self._watch.still_for(self.still_s, t))
        self._pending.came(due, self._watch.last_motion)
        return due

    def _plan(self, image: Image, changes: Changes, t: float) -> None:
        """Queue what is due now, and now and then everything."""
        due = changes.changed if self.thorough else self._due(image, changes, t)
        for box in boxes_of(due, self._size):
            self._watch.accept(box, changes.small, t)
            # White that slides over white is no change: a code may reach out of the box by half its side.
            wide = grown(box, self._overlap // 2, self._size)
            tasks = [Task("codes", tile) for tile in tiles(wide, _TILE_PX, self._overlap)]
            # The newest change first: what has waited for long can wait a little longer.
            self._scheduler.put_first(box, (*tasks, Task("tags", box)))
            self._tries = {q: n for q, n in self._tries.items() if not do_overlap(bounds(q), box)}
        if due.any():
            self._scheduler.paper_first(lambda: self._unknown_paper(changes.small))
        if not self._scheduler.fresh and t - self._retried >= _RETRY_S:
            self._retry(t)
        self._compare()
        if changes.changed.any():
            self._pause_s = self.rescan_s
        if t - (self._rescanned or 0.0) >= self._pause_s and not self._scheduler.calm:
            self._pause_s = min(2 * self._pause_s, max(self.rescan_s, _CALMEST_S))
            self._rounds += 1
            self._rescanned = t
            self._scheduler.calm.append(Task("again", (0, 0, *self._size)))
            self._tries = dict.fromkeys(self._tries, 0)
            self._retries = {}

    def _unknown_paper(self, small: Gray) -> Cells:
        """Return the cells with detail that no card known for sure explains."""
        doubtful = self._memory.doubtful
        doubtful -= self._rest_times.fresh  # the hand that laid it is over it yet
        known = [c.outline for c in self._found.cards if c.outline and c.status == "ok" and c.corners not in doubtful]
        return textured(small, self._watch.shape, known)

    def _retry(self, t: float) -> None:
        """Retry the code of each card known by tag only, with a slightly different crop each time."""
        self._retried = t
        doubtful = self._memory.doubtful
        lone = [c for c in self._found.cards if c.status == "tag" and c.corners not in doubtful]
        for card in lone[:_MANY]:
            tries = self._retries.get(card.corners, 0)
            if tries < _RETRIES and card.outline is not None:
                self._retries[card.corners] = tries + 1
                box = grown(bounds(card.outline), 8 + 13 * tries % 41, self._size)
                self._scheduler.fresh.append(Task("codes", box))

    def _compare(self) -> None:
        """Compare what lies there like a card and is not read with the house's own codes."""
        quads = (*self._newcomers.unread_places, *self._shapes)
        if not quads or not self.keys or not self._house.prepare(None if self.thorough else _PREPARED):
            return
        for quad in quads:
            times = self._compared[quad] = self._compared.get(quad, 0) + 1
            if times in _COMPARED_AT:
                # A fresh task would keep the place from being compared with what is remembered of it.
                tasks = [Task("known", bounds(quad), place) for place in places_on(quad)]
                self._scheduler.calm.extendleft(reversed(tasks))
        self._compared = {quad: self._compared[quad] for quad in quads}

    def _work(self, image: Image, changes: Changes, t: float) -> None:
        """Do as much of the queues as fits into one frame, one thing at least."""
        gray, small = to_gray(image), changes.small
        self._cold_left -= 1
        most = left = 1e9 if self.thorough else self.work_ms * self._leisure()
        calm = round(self._leisure())
        for queue in (self._scheduler.fresh, self._scheduler.calm):
            while queue and (left >= queue[0].cost_ms or left == most):
                task = queue.popleft()
                if task.kind != "known":
                    self._pending.mark_scanned(task.box, changes.moving)
                if not task.is_check and self._is_idle(task, image):
                    left -= _BARE_MS
                    self._note_scanned(task)
                    continue
                left -= task.cost_ms
                if self._do(task, gray, small, t, queue):  # it may itself understand, and so clean up
                    self._dirty = True
                self._note_scanned(task)
                calm -= queue is self._scheduler.calm
                if calm <= 0 and not self.thorough and not self._is_cold:
                    break

    def _leisure(self) -> float:
        """Return how much more work a frame may take: at 10 frames a second three times that at 30."""
        return _MOST_LEISURE if self._is_cold else min(_MOST_LEISURE, max(1.0, self._step_s / _FRAME_S))

    @property
    def _is_cold(self) -> bool:
        """Whether the whole picture has not been scanned yet."""
        return self._rounds < 2 and self._cold_left > 0  # a round begins when the one before is through

    def _note_scanned(self, task: Task) -> None:
        """Nothing that a scan did not find is left in its box: what it shows else is the bare table."""
        if task.kind == "scan":
            self._scanned[cells_of(task.box, self._scanned.shape)] = True

    def _is_idle(self, task: Task, image: Image) -> bool:
        """Say whether the table is bare by now where a scan was planned."""
        return task.kind in ("codes", "scan") and self._background.is_all_bare(image, task.box)

    def _do(self, task: Task, gray: Gray, small: Gray, t: float, queue: deque[Task]) -> bool:
        if task.kind == "codes":
            return self._find_codes(task.box, gray, small, t)
        if task.kind == "scan":
            return self._memory.keep(self._tags_in(gray, task.box), gray, small, t)
        if task.place is not None:
            if task.kind == "known":
                found = self._house.read(gray, task.place)
                return found is not None and self._keep_codes([found], gray, small, t)
            seen = retry_code(gray, task.place, self._rescue)
            return self._memory.keep([seen], gray, small, t) if seen is not None else False
        is_detailed = self._plan_scans(task, small, queue)
        if task.kind == "again" and self.keys:
            known = [c.outline for c in self._found.cards if c.outline is not None]
            shapes = card_shapes(gray) if is_detailed else ()
            new = (quad for quad in shapes if not any(is_within(center_of(quad), o) for o in known))
            self._shapes = tuple(islice(new, _MANY))
        return False

    def _find_codes(self, box: Box, gray: Gray, small: Gray, t: float) -> bool:
        return self._keep_codes([_in_picture(c, box) for c in read_codes(crop(gray, box), 2.0).read], gray, small, t)

    def _keep_codes(self, seen: Sequence[CodeSeen], gray: Gray, small: Gray, t: float) -> bool:
        known = {code.text for code in self._memory.codes}
        found: list[CodeSeen | TagSeen] = list(seen)
        arrived: list[Quad] = []
        for code in seen:
            # A card's tags are checked before it counts, so that a forgery is never `ok` first.
            if code.text in known and not self._is_doubtful(code):
                continue
            found += self._tags_of(code, gray)
            if code.text not in known:
                self._arrived[code.corners] = t
                arrived.append(card_of_code(code.corners, (), self._geometries_of(code)[0]).outline)
        just_read = {thing.corners for thing in found}
        has_news = self._memory.keep(found, gray, small, t) if found else False
        for outline in arrived:
            has_news |= self._memory.forget_under(outline, just_read, t)
        return has_news

    def _is_doubtful(self, code: CodeSeen) -> bool:
        return any(i.doubtful for i in self._memory.items if i.name() == code.text)

    def _geometries_of(self, code: CodeSeen) -> tuple[CardGeometry, ...]:
        known = parse_code(code.text)
        return self.designs.geometries_of(known.id if known is not None else None)

    def _tags_of(self, code: CodeSeen, gray: Gray) -> list[TagSeen]:
        """Search for a card's own tags, in small crops where they must lie."""
        found: list[TagSeen] = []
        for geometry in self._geometries_of(code):
            layout = card_of_code(code.corners, (), geometry)
            for home in tag_boxes(geometry):
                found += self._tags_in(gray, clip(_tag_crop(layout, home), self._size))
            if found:
                break
        return found

    def _tags_in(self, gray: Gray, box: Box) -> list[TagSeen]:
        tags = self._finder.find(crop(gray, box))
        return [replace(tag, corners=moved(tag.corners, box[0], box[1])) for tag in tags]

    def _plan_scans(self, task: Task, small: Gray, queue: deque[Task]) -> bool:
        """Queue scans where there is detail that no known card explains, and retries; say whether there is any."""
        self._understand()
        known = [c for c in self._found.cards if c.outline is not None and c.status != "tag"]
        if task.kind == "tags":  # a change on a card that lay there before: a token may have been put on it
            known = [c for c in known if c.corners in self._arrived]
        cells = textured(small, self._watch.shape, [c.outline for c in known if c.outline is not None])
        inside = np.zeros_like(cells)
        inside[cells_of(task.box, cells.shape)] = True
        self._scanned |= inside & ~cells
        tasks = []
        parts = boxes_of(cells & inside, self._size)
        self._scheduler.drop_inside(parts)
        for part in parts:
            check = task.kind == "again"
            scans = tiles(part, _TAG_TILE_PX, self._overlap // 2)
            tasks += [Task("scan", tile, is_check=check) for tile in scans]
            if check:
                codes = tiles(part, _TILE_PX, self._overlap)
                tasks += [Task("codes", tile, is_check=True) for tile in codes]
        tasks += self._retries_in(task.box)
        self._scheduler.follow_up(tasks, queue)
        return bool(parts)

    def _retries_in(self, box: Box) -> list[Task]:
        lone = {card.corners for card in self._found.cards if card.status == "tag"}
        cards = self.designs.cards
        tags = [t for t in self._memory.tags if t.corners in lone and self.designs.piece_of_tag.get(t.number) in cards]
        tasks = []
        for tag in tags:
            tries = self._tries.get(tag.corners, 0)
            if tries < _MOST_TRIES and do_overlap(bounds(tag.corners), box):
                self._tries[tag.corners] = tries + 1
                places = code_places(tag, (), self.designs.geometries_of(self.designs.piece_of_tag[tag.number]))
                tasks += [Task("retry", bounds(tag.corners), place) for place in places]
                if tries and self._house.prepare(None if self.thorough else _PREPARED):
                    tasks += [Task("known", bounds(tag.corners), place) for place in places]
        return tasks

    def _unsettled(self, changes: Changes) -> Cells:
        cells = changes.changed.copy() if not self.thorough else np.zeros_like(changes.changed)
        for task in self._scheduler.fresh:
            cells[cells_of(task.box, cells.shape)] = True
        return cells

    def _understand(self) -> None:
        if not self._dirty:
            return
        self._dirty = False
        self._overlap = _overlap_px(self._memory.codes)
        found = understand(self._memory.codes, self._memory.tags, self.keys, self.designs)
        fresh = {item.seen.corners for item in self._memory.items if not item.doubtful}
        stale = self._memory.uncover((c.corners, c.outline) for c in found.cards if c.outline is not None)
        stale |= self._memory.forget_moved({c.id for c in found.cards if c.status == "tag" and c.corners in fresh})
        if stale:
            found = understand(self._memory.codes, self._memory.tags, self.keys, self.designs)
        self._found = found

    def _followed(self, cards: tuple[CardSighting, ...], t: float) -> tuple[CardSighting, ...]:
        if self._memory.is_broken:
            self._continuity.cut(t)
        return self._continuity.follow(cards, t, self._memory.denied)

    def _reading(self, image: Image, changes: Changes, t: float) -> FrameReading:
        shown = only_expected(self._found, self.expected)
        visible = {item.seen.corners: item.visible for item in self._memory.items if item.doubtful}
        cards = tuple(replace(c, visible=visible[c.corners]) if c.corners in visible else c for c in shown.cards)
        tokens = tuple(replace(k, visible=visible[k.corners]) if k.corners in visible else k for k in shown.tokens)
        mat = tuple(tag for tag in self._memory.tags if tag.number in MAT_TAGS)
        chips = tuple(tag for tag in self._memory.tags if tag.number in CHIP_OF_TAG)
        moving = bool(np.count_nonzero(changes.moving) > 1)
        cards = self._rest_times.told(self._followed(cards, t))
        unread = self._pending.first(self._unknown_paper(changes.small), changes.moving) if self._pending else None
        since: float | None = unread
        things: tuple[CardSighting, ...] = ()
        if not self.thorough:
            self._newcomers.update(image, cards, self._watch.last_motion, t)
            times = [s for s in (unread, self._newcomers.unsure_since(cards)) if s is not None]
            since, things = min(times, default=None), self._newcomers.things
        return FrameReading(
            self._size,
            cards,
            tokens,
            shown.warnings,
            moving,
            mat,
            chips,
            motion=changes.moving,
            unread_since=since,
            unsure=self._memory.unsure,
            cut=self._memory.is_broken,
            things=things,
        )


def _overlap_px(codes: Sequence[CodeSeen]) -> int:
    """Return how far tiles must overlap so that each code lies whole in one of them."""
    return int(1.5 * max((side_of(code.corners) for code in codes), default=_CODE_PX)) + 8


def _in_picture(code: CodeSeen, box: Box) -> CodeSeen:
    return CodeSeen(code.text, moved(code.corners, box[0], box[1]))


def _tag_crop(layout: Layout, home: np.ndarray) -> Box:
    """Return where a tag may lie, with its quiet zone and 4 mm to spare."""
    (x0, y0), (x1, y1) = home.min(axis=0) - 5.0, home.max(axis=0) + 5.0
    points = layout.px([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    return bounds(((points[0][0], points[0][1]), *((p[0], p[1]) for p in points[1:])))  # type: ignore[arg-type]
