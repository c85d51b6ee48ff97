"""Positions on the mat, located live by its tags; a card's zone by the share of its area."""

from dataclasses import replace

import numpy as np
import pytest

from companion.objects.geometry import Box
from companion.testing import MATS
from companion.tracking.cards.observations import LyingCard, LyingToken, TrackedTable
from companion.tracking.cards.zones import Zones, place_of
from companion.vision.mat import calibrate_mat
from companion.vision.sightings import FrameReading, TagSeen

MAT = MATS["rochi"]
SIZE = (1920, 1080)
SCALE = 1.9
SIDE_BY_SIDE = {"a": Box(0, 0, 70, 200), "b": Box(73, 0, 70, 200)}


def px(point, dx=100.0):
    return (dx + SCALE * point[0], 20 + SCALE * point[1])


def tags(skip=(), dx=100.0):
    return tuple(
        TagSeen(number, tuple(px(corner, dx) for corner in box.corners))
        for number, box in MAT.tags.items()
        if number not in skip
    )


def seen(zones, *, skip=(), dx=100.0, frames=2):
    for _ in range(frames):
        zones.see(FrameReading(SIZE, mat_tags=tags(skip, dx)))
    return zones


def card_at(x, y, track=1):
    outline = tuple(px(p) for p in ((x, y), (x + 63, y), (x + 63, y + 88), (x, y + 88)))
    return LyingCard(track, "6D1", "K7QX", "ok", outline, outline, 1, 1, 1.2, 1.2, 9)


def token_at(x, y):
    corners = tuple(px(p) for p in ((x - 8, y - 8), (x + 8, y - 8), (x + 8, y + 8), (x - 8, y + 8)))
    return LyingToken(5, "T6", corners, 1, 1, 1)


def placed(zones, *cards, tokens=()):
    return zones.place(TrackedTable(1.0, cards, (), tokens))


def zone_of(zones, point):
    found = zones.calibration
    return None if found is None else found.mat.zone_at(*found.mm(point))


def test_without_a_mat_nothing_has_a_zone():
    tracked = placed(Zones(MATS), card_at(500, 220))
    assert (tracked.mat, tracked.lying[0].zone) == (None, None)


def test_the_mat_is_found_from_its_own_tags_when_two_frames_agree():
    zones = seen(Zones(MATS), frames=1)
    assert zones.source == "none"
    seen(zones, frames=1)
    assert (zones.source, zones.mat.name, zones.version) == ("mat", "rochi", 1)
    assert zone_of(zones, px((530, 300))) == "stack/6"
    assert zones.report()["px_per_mm"] == pytest.approx(SCALE, abs=0.01)


def test_three_tags_are_enough_two_are_not():
    first, second = list(MAT.tags)[:2]
    assert seen(Zones(MATS), skip=(first,)).source == "mat"
    assert seen(Zones(MATS), skip=(first, second)).source == "none"


def stored():
    """The stored calibration."""
    return calibrate_mat([tags()], MAT, SIZE)


COVERED = tuple(MAT.tags)[:2]


def test_the_stored_calibration_stands_in_while_two_tags_are_covered():
    zones = seen(Zones(MATS, stored()), skip=COVERED, frames=1)
    assert (zones.source, zones.report()["calibration"], zones.version) == ("stored", "stored", 1)
    assert zone_of(zones, px((530, 300))) == "stack/6"
    assert placed(zones, card_at(500, 220)).lying[0].zone == "stack/6"
    assert seen(zones).source == "mat", "what is seen now counts more"


def test_the_stored_calibration_is_believed_only_if_two_tags_confirm_it():
    zones = seen(Zones(MATS, stored()), skip=tuple(MAT.tags))
    assert zones.source == "none"
    assert seen(zones, skip=tuple(MAT.tags)[:3]).source == "none", "one tag may lie there by chance"
    assert seen(Zones(MATS, stored()), skip=COVERED, dx=106.0).source == "none", "the mat was pushed since"


def test_the_stored_calibration_is_dropped_when_the_mat_is_pushed_and_kept_while_hands_cover_all():
    zones = seen(Zones(MATS, stored()), skip=COVERED)
    assert seen(zones, skip=tuple(MAT.tags)).source == "stored"
    assert seen(zones, skip=tuple(MAT.tags)[:3]).source == "stored"
    assert seen(zones, skip=COVERED, dx=130.0).source == "none"
    assert zones.version == 2


def test_another_picture_size_or_another_mat_is_no_confirmation():
    assert seen(Zones(MATS, replace(stored(), size=(1280, 720))), skip=COVERED).source == "none"
    other = replace(stored(), mat=MATS["roche"])
    assert seen(Zones(MATS, other), skip=COVERED).source == "none"


@pytest.mark.parametrize("zones", [Zones(MATS), Zones(MATS, stored())], ids=["seen", "stored"])
def test_a_mat_is_forgotten_when_the_pictures_have_another_size(zones):
    """Its tags may be covered just then: what lies there now lay elsewhere in the smaller pictures."""
    seen(zones, skip=COVERED)
    seen(zones, skip=COVERED[:1] if zones.source == "none" else COVERED)
    assert zones.source != "none"
    zones.see(FrameReading((1280, 720)))
    assert (zones.source, zone_of(zones, px((530, 300)))) == ("none", None)
    assert seen(zones).source == "mat"


def test_a_mat_that_was_pushed_is_found_anew():
    zones = seen(Zones(MATS))
    before = zone_of(zones, px((530, 300)))
    seen(zones, dx=160.0)
    assert zones.version == 2
    assert zone_of(zones, px((530, 300), dx=160.0)) == before == "stack/6"


def test_a_card_lies_in_the_zone_that_holds_most_of_it():
    tracked = placed(seen(Zones(MATS)), card_at(500, 220))
    assert (tracked.mat, tracked.lying[0].zone, tracked.lying[0].astride) == ("rochi", "stack/6", ())


def test_a_card_half_on_two_zones_lies_in_neither():
    tracked = placed(seen(Zones(MATS)), card_at(535, 220))
    assert tracked.lying[0].zone is None
    assert set(tracked.lying[0].astride) == {"stack/6", "stack/7"}


def test_a_card_beside_all_zones_has_none():
    tracked = placed(seen(Zones(MATS)), card_at(690, 440))
    assert (tracked.lying[0].zone, tracked.lying[0].astride) == (None, ())


def test_a_card_that_is_nudged_over_a_border_keeps_its_zone():
    zones = seen(Zones(MATS))
    placed(zones, card_at(500, 220))
    assert placed(zones, card_at(531, 220)).lying[0].zone == "stack/6"
    assert placed(zones, card_at(560, 220)).lying[0].zone == "stack/7"


def test_a_token_keeps_its_zone_at_the_border():
    zones = seen(Zones(MATS))
    assert placed(zones, tokens=(token_at(530, 150),)).tokens[0].zone == "pot/6"
    assert placed(zones, tokens=(token_at(570, 150),)).tokens[0].zone == "pot/6"
    assert placed(zones, tokens=(token_at(590, 150),)).tokens[0].zone == "pot/7"


@pytest.mark.parametrize(
    ("left", "zone", "astride"),
    [(0, "a", ()), (20, "a", ()), (40, None, ("a", "b")), (60, "b", ()), (150, None, ())],
)
def test_half_and_half_is_told(left, zone, astride):
    found = place_of([(left, 0), (left + 63, 0), (left + 63, 88), (left, 88)], SIDE_BY_SIDE)
    assert (found.zone, tuple(sorted(found.astride))) == (zone, astride)


def test_a_turned_card_is_measured_as_it_lies():
    diamond = [(35, 0), (80, 45), (35, 90), (-10, 45)]
    assert place_of(diamond, SIDE_BY_SIDE).zone == "a"


@pytest.mark.parametrize("turn_deg", [0.0, 4.0])
def test_a_mat_that_is_moved_while_two_corners_are_covered_is_followed(turn_deg):
    """Locating the mat needs three tags; following a known mat needs two."""
    zones, turn = seen(Zones(MATS)), np.exp(1j * np.radians(turn_deg))

    def moved(point):
        z = (complex(*px(point)) - 900 - 500j) * turn + 960 + 470j
        return z.real, z.imag

    there = [TagSeen(n, tuple(map(moved, box.corners))) for n, box in MAT.tags.items() if n not in COVERED]
    zones.see(FrameReading(SIZE, mat_tags=tuple(there)))
    assert zone_of(zones, px((530, 300))) == "stack/6", "one frame proves nothing"
    zones.see(FrameReading(SIZE, mat_tags=tuple(there)))
    for name, box in MAT.zones.items():
        assert zone_of(zones, moved((box.x + 2, box.y + 2))) == name
    zones.see(FrameReading(SIZE, mat_tags=tuple(there)))
    assert zones.version == 2, "it lies still since"


def test_a_token_that_stays_while_another_mat_is_laid_lies_where_the_new_one_says():
    zones = Zones(MATS)
    for mat in (MATS["roche"], MAT):
        corners = {number: tuple(px(corner) for corner in box.corners) for number, box in mat.tags.items()}
        for _ in range(2):
            zones.see(FrameReading(SIZE, mat_tags=tuple(TagSeen(number, quad) for number, quad in corners.items())))
        tracked = placed(zones, tokens=(token_at(530, 300 if mat is MAT else 301),))
    assert (tracked.mat, tracked.tokens[0].zone) == ("rochi", "stack/6")
