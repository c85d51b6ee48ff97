"""Reads a running camera: cheap change detection on every frame, decoding only where something changed.

Unchanged regions are remembered; changed ones are decoded once they are still. The whole picture is rescanned about
once a second, spread over several frames, so that no frame takes long.
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
from companion.vision.cards import Layout, Pieces, card_of_code, identify, tag_boxes
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
from companion.vision.live.unread_objects import UnreadObjectTracker
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
from companion.vision.still import code_places, places_on, retry_code

_BARE_MS: Final = 0.1  # estimated cost of skipping a task on the bare table
_BACKGROUND_STILL_S: Final = 0.5
_TOKEN_SCALE: Final = 2.6  # width of a token relative to its tag
_CODE_PX: Final = 110.0  # assumed side of a code before the first was read: about 5 px per module
_MAX_TRIES: Final = 3  # retries for a card known by tag, until something changes there
_PREPARED_PER_CALL: Final = 4  # known codes prepared each time that they are needed but incomplete
_COMPARED_AT: Final = (1, 10, 40)  # frames after an unread object was detected
_FRAME_S: Final = 1 / 30  # frame interval that `work_ms` refers to
_MAX_WORK_FACTOR: Final = 3.0
_MIN_RESCAN_S: Final = 1.0  # interval at which the whole picture is rescanned; doubled while nothing changes
_MAX_RESCAN_S: Final = 15.0
_STARTUP_FRAMES: Final = 60  # maximum number of frames until the whole picture was scanned once
_ARRIVED_S: Final = 0.5
_MAX_GAP_S: Final = 1.5  # time without frames after which objects can no longer be tracked
_CUT_SHARE: Final = 0.6  # share of moving cells: another scene, a lamp, somebody leaning over the table
_RETRY_INTERVAL_S: Final = 0.1
_RETRIES: Final = 6  # in a row, until the next rescan
_TILE_PX: Final = 320
_TAG_TILE_PX: Final = 160
_MANY: Final = 8
_MANY_CELLS: Final = 80  # maximum number of cells compared with the background in one frame


class Reader:
    """Reads the frames of one source in order. Not thread-safe.

    Args:
        keys: deck id to key, of the stored decks.
        designs: the designs of decks that exist.
        expect: names of the `Designs.groups` that may lie on the table; None for all.
        work_ms: decoding budget of a frame, in estimated milliseconds of a desktop core.
        thorough: whether everything changed is decoded in every frame, moving or not, at any cost (for files).
    """

    def __init__(
        self,
        keys: Mapping[str, bytes],
        designs: Designs,
        *,
        expect: Collection[str] | None = None,
        work_ms: float = 5.0,
        thorough: bool = False,
    ) -> None:
        self.keys = dict(keys)
        self.designs, self.expected = designs, expected_pieces(expect, designs)
        self.work_ms, self.thorough = work_ms, thorough
        self._finder = TagFinder()
        self._known_codes = KnownCodes(self.keys, self.expected)
        self._size = (-1, -1)
        self._reset()

    def read(self, frame: Frame) -> FrameReading:
        """Return what lies on the table as of this frame.

        Raises:
            ValueError: the frame holds no picture.
        """
        image = check_image(frame.image)
        size = (image.shape[1], image.shape[0])
        if image.size == 0:
            return FrameReading(size)
        if size != self._size:
            self._size = size
            self._reset()
        return self._read(image, frame.t)

    def _reset(self) -> None:
        self._watch = ChangeWatch((max(1, self._size[0]), max(1, self._size[1])))
        self._background = BackgroundModel((max(1, self._size[0]), max(1, self._size[1])))
        self._memory = Memory()
        self._unread = UnreadObjectTracker((max(1, self._size[0]), max(1, self._size[1])))
        self._scheduler = DecodeScheduler()
        self._pending = PendingRegions(self._watch.shape)
        self._rest_times = RestTimes(_ARRIVED_S)
        self._tries: dict[Quad, int] = {}
        self._card_shapes: tuple[Quad, ...] = ()  # possible unread cards of the last rescan
        self._compared: dict[Quad, int] = {}  # number of frames since each unread object was detected
        self._arrived: dict[Quad, float] = {}  # codes and the time (s) of their first reading
        self._retries: dict[Quad, int] = {}
        self._retried = float("-inf")
        self._pieces = Pieces((), (), ())
        self._continuity = Continuity(trust_s=1e9) if self.thorough else Continuity()
        self._rescanned: float | None = None
        self._rescan_interval_s = _MIN_RESCAN_S
        self._scanned = np.zeros(self._watch.shape, bool)  # cells without a pending scan
        self._rescans = 0
        self._t: float | None = None
        self._step_s = 0.0
        self._startup_left = _STARTUP_FRAMES
        self._overlap = _overlap_px(())
        self._dirty = False

    def _read(self, image: Image, t: float) -> FrameReading:
        self._step_s = 0.0 if self._t is None else t - self._t
        self._t = t
        changes = self._watch.update(to_gray(image[::2]), t)  # every other row is enough to detect changes
        self._rescanned = t if self._rescanned is None else self._rescanned
        self._memory.mark_changed(changes.changed | changes.moving)
        self._scanned &= ~changes.changed
        self._arrived = {quad: arrived for quad, arrived in self._arrived.items() if t - arrived < _ARRIVED_S}
        self._plan(image, changes, t)
        if self._scheduler:
            self._work(image, changes, t)
            self._pending.clear_scanned(task.box for task in self._scheduler.urgent)
        busy = changes.moving | self._busy_cells(changes)
        cut = self._step_s > _MAX_GAP_S or changes.moving.mean() > _CUT_SHARE
        self._dirty |= self._memory.check(
            image, changes.small, busy, self._background, t, cut=bool(cut), everything=self.thorough
        )
        self._identify()
        self._rest_times.note(self._pieces.cards, self._watch.last_motion, t)
        if self._background.is_due(t):
            self._learn(image, t)
        return self._reading(image, changes, t)

    def _learn(self, image: Image, t: float) -> None:
        """Update the background model where no card lies."""
        items, doubtful = self._memory.items, self._memory.doubtful
        cards = [(card.outline or card.corners, card.corners not in doubtful) for card in self._pieces.cards]
        covers = [quad for quad, _ in cards] + [item.seen.corners for item in items]
        covers += [scaled(token.corners, _TOKEN_SCALE) for token in self._pieces.tokens]
        still = self._watch.still(t, _BACKGROUND_STILL_S) & self._scanned
        self._background.learn(image, still, covers, [quad for quad, sure in cards if sure], t)

    def _bare_cells(self, image: Image, changes: Changes, t: float) -> Cells:
        """Return the due cells that show the bare table and need no scan; mark them as scanned."""
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
        """Return the cells to scan: changed cells that are still, and pending cells that were hidden by a hand."""
        bare = self._bare_cells(image, changes, t)
        self._pending.discard(bare)
        due = changes.due & ~bare | self._pending.unplanned(self._watch.still(t))
        self._pending.add(due, self._watch.last_motion)
        return due

    def _plan(self, image: Image, changes: Changes, t: float) -> None:
        """Queue scans of the due cells, retries, comparisons and the periodic rescan."""
        due = changes.changed if self.thorough else self._due(image, changes, t)
        for box in boxes_of(due, self._size):
            self._watch.accept(box, changes.small, t)
            # White moving over white is no change: a code may extend beyond the changed box by half its side.
            wide = grown(box, self._overlap // 2, self._size)
            tasks = [Task("codes", tile) for tile in tiles(wide, _TILE_PX, self._overlap)]
            # The newest change first: what has waited for long can wait a little longer.
            self._scheduler.put_first(box, (*tasks, Task("plan", box)))
            self._tries = {q: n for q, n in self._tries.items() if not do_overlap(bounds(q), box)}
        if due.any():
            self._scheduler.prioritize(lambda: self._unknown_paper(changes.small))
        if not self._scheduler.urgent and t - self._retried >= _RETRY_INTERVAL_S:
            self._queue_retries(t)
        self._queue_comparisons()
        if changes.changed.any():
            self._rescan_interval_s = _MIN_RESCAN_S
        if t - (self._rescanned or 0.0) >= self._rescan_interval_s and not self._scheduler.routine:
            self._rescan_interval_s = min(2 * self._rescan_interval_s, _MAX_RESCAN_S)
            self._rescans += 1
            self._rescanned = t
            self._scheduler.routine.append(Task("rescan", (0, 0, *self._size)))
            self._tries = dict.fromkeys(self._tries, 0)
            self._retries = {}

    def _unknown_paper(self, small: Gray) -> Cells:
        """Return the cells with detail that no verified card explains."""
        doubtful = self._memory.doubtful
        doubtful -= self._rest_times.fresh  # the hand that laid the card still moves over it
        known = [c.outline for c in self._pieces.cards if c.outline and c.status == "ok" and c.corners not in doubtful]
        return textured(small, self._watch.shape, known)

    def _queue_retries(self, t: float) -> None:
        """Queue retries for the codes of cards known by tag only, each time with a different margin."""
        self._retried = t
        doubtful = self._memory.doubtful
        lone = [c for c in self._pieces.cards if c.status == "tag" and c.corners not in doubtful]
        for card in lone[:_MANY]:
            tries = self._retries.get(card.corners, 0)
            if tries < _RETRIES and card.outline is not None:
                self._retries[card.corners] = tries + 1
                box = grown(bounds(card.outline), 8 + 13 * tries % 41, self._size)
                self._scheduler.urgent.append(Task("codes", box))

    def _queue_comparisons(self) -> None:
        """Queue comparisons of the unread objects with the known codes."""
        quads = (*self._unread.possible_cards, *self._card_shapes)
        if not quads or not self.keys or not self._known_codes.prepare(None if self.thorough else _PREPARED_PER_CALL):
            return
        for quad in quads:
            frames = self._compared[quad] = self._compared.get(quad, 0) + 1
            if frames in _COMPARED_AT:
                # Not urgent: an urgent task marks the place as busy, so that the memory would not give it up.
                tasks = [Task("known", bounds(quad), place) for place in places_on(quad)]
                self._scheduler.routine.extendleft(reversed(tasks))
        self._compared = {quad: self._compared[quad] for quad in quads}

    def _work(self, image: Image, changes: Changes, t: float) -> None:
        """Process the queues within the budget of one frame, at least one task."""
        gray, small = to_gray(image), changes.small
        self._startup_left -= 1
        budget = left = 1e9 if self.thorough else self.work_ms * self._work_factor()
        routine_left = round(self._work_factor())
        for queue in (self._scheduler.urgent, self._scheduler.routine):
            while queue and (left >= queue[0].cost_ms or left == budget):
                task = queue.popleft()
                if task.kind != "known":
                    self._pending.mark_scanned(task.box, changes.moving)
                if not task.is_check and self._is_skipped(task, image):
                    left -= _BARE_MS
                    self._note_scanned(task)
                    continue
                left -= task.cost_ms
                if self._run_task(task, gray, small, t, queue):  # may identify and so clear the flag itself
                    self._dirty = True
                self._note_scanned(task)
                routine_left -= queue is self._scheduler.routine
                if routine_left <= 0 and not self.thorough and not self._is_starting:
                    break

    def _work_factor(self) -> float:
        """Return the factor on the budget of a frame: at 10 frames per second three times that at 30."""
        return _MAX_WORK_FACTOR if self._is_starting else min(_MAX_WORK_FACTOR, max(1.0, self._step_s / _FRAME_S))

    @property
    def _is_starting(self) -> bool:
        """Whether the whole picture has not been scanned yet."""
        return self._rescans < 2 and self._startup_left > 0  # a rescan starts only when the previous one is done

    def _note_scanned(self, task: Task) -> None:
        """After a tag scan whatever else the box shows is the bare table."""
        if task.kind == "tags":
            self._scanned[cells_of(task.box, self._scanned.shape)] = True

    def _is_skipped(self, task: Task, image: Image) -> bool:
        """Whether a search can be skipped because its box shows only the bare table."""
        return task.kind in ("codes", "tags") and self._background.is_all_bare(image, task.box)

    def _run_task(self, task: Task, gray: Gray, small: Gray, t: float, queue: deque[Task]) -> bool:
        if task.kind == "codes":
            return self._find_codes(task.box, gray, small, t)
        if task.kind == "tags":
            return self._memory.remember(self._tags_in(gray, task.box), gray, small, t)
        if task.place is not None:
            if task.kind == "known":
                found = self._known_codes.read(gray, task.place)
                return found is not None and self._remember_codes([found], gray, small, t)
            seen = retry_code(gray, task.place)
            return self._memory.remember([seen], gray, small, t) if seen is not None else False
        is_detailed = self._plan_scans(task, small, queue)
        if task.kind == "rescan" and self.keys:
            known = [c.outline for c in self._pieces.cards if c.outline is not None]
            shapes = card_shapes(gray) if is_detailed else ()
            new = (quad for quad in shapes if not any(is_within(center_of(quad), o) for o in known))
            self._card_shapes = tuple(islice(new, _MANY))
        return False

    def _find_codes(self, box: Box, gray: Gray, small: Gray, t: float) -> bool:
        return self._remember_codes(
            [_in_picture(c, box) for c in read_codes(crop(gray, box), 2.0).read], gray, small, t
        )

    def _remember_codes(self, seen: Sequence[CodeSeen], gray: Gray, small: Gray, t: float) -> bool:
        known = {code.text for code in self._memory.codes}
        found: list[CodeSeen | TagSeen] = list(seen)
        arrived: list[Quad] = []
        for code in seen:
            # The tags are read together with the code, so that a forged card is never `ok` at first.
            if code.text in known and not self._is_doubtful(code):
                continue
            found += self._tags_of(code, gray)
            if code.text not in known:
                self._arrived[code.corners] = t
                arrived.append(card_of_code(code.corners, (), self._geometries_of(code)[0]).outline)
        just_read = {one.corners for one in found}
        has_news = self._memory.remember(found, gray, small, t) if found else False
        for outline in arrived:
            has_news |= self._memory.forget_below_new(outline, just_read, t)
        return has_news

    def _is_doubtful(self, code: CodeSeen) -> bool:
        return any(i.doubtful for i in self._memory.items if i.name() == code.text)

    def _geometries_of(self, code: CodeSeen) -> tuple[CardGeometry, ...]:
        known = parse_code(code.text)
        return self.designs.geometries_of(known.id if known is not None else None)

    def _tags_of(self, code: CodeSeen, gray: Gray) -> list[TagSeen]:
        """Search for the tags of a code's card, in small crops where they must be."""
        found: list[TagSeen] = []
        for geometry in self._geometries_of(code):
            layout = card_of_code(code.corners, (), geometry)
            for tag_mm in tag_boxes(geometry):
                found += self._tags_in(gray, clip(_tag_crop(layout, tag_mm), self._size))
            if found:
                break
        return found

    def _tags_in(self, gray: Gray, box: Box) -> list[TagSeen]:
        tags = self._finder.find(crop(gray, box))
        return [replace(tag, corners=moved(tag.corners, box[0], box[1])) for tag in tags]

    def _plan_scans(self, task: Task, small: Gray, queue: deque[Task]) -> bool:
        """Queue retries, and searches of cells with unexplained detail; return whether there are such cells."""
        self._identify()
        known = [c for c in self._pieces.cards if c.outline is not None and c.status != "tag"]
        if task.kind == "plan":  # a token may have been put on a card that lay there before
            known = [c for c in known if c.corners in self._arrived]
        cells = textured(small, self._watch.shape, [c.outline for c in known if c.outline is not None])
        inside = np.zeros_like(cells)
        inside[cells_of(task.box, cells.shape)] = True
        self._scanned |= inside & ~cells
        tasks = []
        parts = boxes_of(cells & inside, self._size)
        self._scheduler.drop_inside(parts)
        for part in parts:
            check = task.kind == "rescan"
            scans = tiles(part, _TAG_TILE_PX, self._overlap // 2)
            tasks += [Task("tags", tile, is_check=check) for tile in scans]
            if check:
                codes = tiles(part, _TILE_PX, self._overlap)
                tasks += [Task("codes", tile, is_check=True) for tile in codes]
        tasks += self._retries_in(task.box)
        self._scheduler.follow_up(tasks, queue)
        return bool(parts)

    def _retries_in(self, box: Box) -> list[Task]:
        lone = {card.corners for card in self._pieces.cards if card.status == "tag"}
        cards = self.designs.cards
        tags = [t for t in self._memory.tags if t.corners in lone and self.designs.piece_of_tag.get(t.number) in cards]
        tasks = []
        for tag in tags:
            tries = self._tries.get(tag.corners, 0)
            if tries < _MAX_TRIES and do_overlap(bounds(tag.corners), box):
                self._tries[tag.corners] = tries + 1
                places = code_places(tag, (), self.designs.geometries_of(self.designs.piece_of_tag[tag.number]))
                tasks += [Task("retry", bounds(tag.corners), place) for place in places]
                if tries and self._known_codes.prepare(None if self.thorough else _PREPARED_PER_CALL):
                    tasks += [Task("known", bounds(tag.corners), place) for place in places]
        return tasks

    def _busy_cells(self, changes: Changes) -> Cells:
        cells = changes.changed.copy() if not self.thorough else np.zeros_like(changes.changed)
        for task in self._scheduler.urgent:
            cells[cells_of(task.box, cells.shape)] = True
        return cells

    def _identify(self) -> None:
        if not self._dirty:
            return
        self._dirty = False
        self._overlap = _overlap_px(self._memory.codes)
        found = identify(self._memory.codes, self._memory.tags, self.keys, self.designs)
        unchanged = {item.seen.corners for item in self._memory.items if not item.doubtful}
        stale = self._memory.forget_below((c.corners, c.outline) for c in found.cards if c.outline is not None)
        stale |= self._memory.forget_moved({c.id for c in found.cards if c.status == "tag" and c.corners in unchanged})
        if stale:
            found = identify(self._memory.codes, self._memory.tags, self.keys, self.designs)
        self._pieces = found

    def _tracked(self, cards: tuple[CardSighting, ...], t: float) -> tuple[CardSighting, ...]:
        if self._memory.is_broken:
            self._continuity.cut(t)
        return self._continuity.follow(cards, t, self._memory.contradicted)

    def _reading(self, image: Image, changes: Changes, t: float) -> FrameReading:
        shown = only_expected(self._pieces, self.expected)
        visible = {item.seen.corners: item.visible for item in self._memory.items if item.doubtful}
        cards = tuple(replace(c, visible=visible[c.corners]) if c.corners in visible else c for c in shown.cards)
        tokens = tuple(replace(k, visible=visible[k.corners]) if k.corners in visible else k for k in shown.tokens)
        mat = tuple(tag for tag in self._memory.tags if tag.number in MAT_TAGS)
        chips = tuple(tag for tag in self._memory.tags if tag.number in CHIP_OF_TAG)
        moving = bool(np.count_nonzero(changes.moving) > 1)
        cards = self._rest_times.annotated(self._tracked(cards, t))
        unread = (
            self._pending.first_settled(self._unknown_paper(changes.small), changes.moving) if self._pending else None
        )
        since: float | None = unread
        unread_objects: tuple[CardSighting, ...] = ()
        if not self.thorough:
            self._unread.update(image, cards, self._watch.last_motion, t)
            times = [s for s in (unread, self._unread.candidate_since(cards)) if s is not None]
            since, unread_objects = min(times, default=None), self._unread.objects
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
            unread_objects=unread_objects,
        )


def _overlap_px(codes: Sequence[CodeSeen]) -> int:
    """Return the overlap of tiles with which every code lies completely in one of them."""
    return int(1.5 * max((side_of(code.corners) for code in codes), default=_CODE_PX)) + 8


def _in_picture(code: CodeSeen, box: Box) -> CodeSeen:
    return CodeSeen(code.text, moved(code.corners, box[0], box[1]))


def _tag_crop(layout: Layout, tag_mm: np.ndarray) -> Box:
    """Return the box (px) of a tag with its quiet zone and a margin of 4 mm."""
    (x0, y0), (x1, y1) = tag_mm.min(axis=0) - 5.0, tag_mm.max(axis=0) + 5.0
    points = layout.px([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    return bounds(((points[0][0], points[0][1]), *((p[0], p[1]) for p in points[1:])))  # type: ignore[arg-type]
