"""Decoding order: first codes on paper, then the rest; a sleeve never delays a card."""

import numpy as np

from companion.vision.boxes import clip, do_overlap, grown, tiles
from companion.vision.live.decode_scheduler import DecodeScheduler, Task

CARD, SLEEVE, BARE = (64, 64, 256, 288), (416, 704, 768, 1056), (1024, 64, 1152, 192)


def detailed() -> np.ndarray:
    """Cells (34 x 60) with detail on the card and on the sleeve."""
    cells = np.zeros((34, 60), bool)
    for x0, y0, x1, y1 in (CARD, SLEEVE):
        cells[y0 // 32 : y1 // 32, x0 // 32 : x1 // 32] = True
    return cells


def kinds(todo: DecodeScheduler) -> list[tuple[str, tuple[int, int, int, int]]]:
    return [(task.kind, task.box) for task in todo.urgent]


def test_a_cards_code_is_looked_for_before_the_tags_of_a_sleeve() -> None:
    """The sleeve settled a moment earlier and its tag search is queued: the new card does not wait for it."""
    todo = DecodeScheduler()
    todo.put_first(SLEEVE, [Task("codes", SLEEVE), Task("plan", SLEEVE)])
    todo.urgent.popleft()
    plan = todo.urgent.popleft()
    todo.follow_up([Task("tags", box) for box in tiles(plan.box, 160, 60)], todo.urgent)
    todo.put_first(CARD, [Task("codes", CARD), Task("plan", CARD)])
    todo.prioritize(detailed)
    assert kinds(todo)[0] == ("codes", CARD)


def test_what_a_plan_asks_for_comes_after_the_codes_that_wait() -> None:
    todo = DecodeScheduler()
    todo.urgent.extend([Task("codes", CARD), Task("plan", CARD)])
    todo.follow_up([Task("tags", SLEEVE)], todo.urgent)
    assert [kind for kind, _ in kinds(todo)] == ["codes", "tags", "plan"]


def test_bare_felt_waits_for_paper() -> None:
    todo = DecodeScheduler()
    todo.urgent.extend([Task("codes", BARE), Task("plan", BARE), Task("plan", CARD), Task("codes", CARD)])
    todo.prioritize(detailed)
    assert kinds(todo) == [("codes", CARD), ("plan", CARD), ("codes", BARE), ("plan", BARE)]


def test_a_plan_for_the_whole_picture_is_done_calmly() -> None:
    todo = DecodeScheduler()
    todo.follow_up([Task("tags", BARE)] * 9, todo.urgent)
    assert (len(todo.urgent), len(todo.routine), bool(todo)) == (0, 9, True)


def test_a_place_that_changed_again_is_not_looked_at_twice() -> None:
    """Pending searches inside are dropped, except checks and retries, which concern more than the change."""
    todo = DecodeScheduler()
    inside = grown(CARD, -8, (1920, 1080))
    todo.urgent.extend([Task("codes", inside), Task("tags", BARE)])
    todo.routine.extend([Task("tags", inside), Task("tags", inside, is_check=True)])
    todo.put_first(CARD, [Task("codes", CARD), Task("plan", CARD)])
    assert kinds(todo) == [("codes", CARD), ("plan", CARD), ("tags", BARE)]
    assert [task.is_check for task in todo.routine] == [True]


def test_tiles_cover_a_box_and_overlap_by_a_code() -> None:
    covered = np.zeros((700, 900), int)
    for x0, y0, x1, y1 in tiles((10, 20, 890, 690), 320, 100):
        covered[y0:y1, x0:x1] += 1
    assert covered[20:690, 10:890].min() >= 1
    assert covered.sum() == covered[20:690, 10:890].sum()


def test_boxes_stay_in_the_picture() -> None:
    assert clip((-5, -5, 50, 3000), (1920, 1080)) == (0, 0, 50, 1080)
    assert do_overlap((0, 0, 10, 10), (9, 9, 20, 20))
    assert not do_overlap((0, 0, 10, 10), (10, 0, 20, 10))
