"""Physics of the demo table: hands and cards."""

import subprocess
import sys
import threading
from itertools import pairwise

import numpy as np
import pytest
from demo_world import driven

from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from companion.objects.cards import cards_of_suit
from companion.objects.geometry import POKER, STAGGER_MM
from hardware.cameras import CameraLost, ReconnectingCamera
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import CardTable, empty_table
from hardware.demo.felt_table import DemoError
from hardware.demo.layout import DECK, Pose, slot
from hardware.demo.pinhole import Pinhole


def ids(table):
    return [card.id for card in table.lying]


@pytest.mark.thorough
def test_a_shuffled_deck_deals_all_54_cards_once(felt):
    felt.shuffle(5)
    for _ in FULL_DECK:
        felt.deal()
    felt.run(seconds=400)
    assert sorted(ids(felt)) == sorted(FULL_DECK)
    assert felt.deck_left == ()
    felt.deal()
    felt.run()
    assert len(felt.lying) == 54


def test_the_same_seed_gives_the_same_pictures(felt, plain_faces):
    """Felt, noise, deck order and crookedness of two tables agree bit for bit."""
    twin = CardTable(plain_faces, FULL_DECK, felt_of(FULL_DECK), size=felt.size, seed=3, pace=4)
    for table in (felt, twin):
        table.shuffle(9)
        table.deal()
    for i in range(40):
        assert np.array_equal(felt.picture(i / 15), twin.picture(i / 15))


def test_busy_until_the_hand_is_gone(felt):
    felt.shuffle(1)
    felt.run()
    empty = felt.run()
    felt.deal()
    assert felt.busy
    moving = felt.run(until_idle=False, seconds=0.2)
    assert np.abs(moving.astype(int) - empty).max() > 80
    felt.run()
    assert not felt.busy


def test_gathering_leaves_the_bare_felt(felt):
    """No pixel of a card or shadow remains: the picture is the same as before, up to sensor noise."""
    before = felt.run()
    felt.shuffle(2)
    for _ in range(20):
        felt.deal()
    felt.put("2D1", 100, 150, 33)
    felt.run(seconds=200)
    felt.gather()
    after = felt.run(seconds=60)
    assert ids(felt) == []
    assert felt.deck_left == ()
    assert np.abs(after.astype(int) - before).max() <= 24


def test_removing_a_card_restores_what_was_below(felt):
    felt.restore(["6D1", "6D2"])
    before = felt.run()
    felt.put("6D3", *pose_xy(6, 1))
    felt.run()
    felt.remove("6D3")
    after = felt.run()
    assert ids(felt) == ["6D1", "6D2"]
    assert np.abs(after.astype(int) - before).max() <= 24


def place(rank, count):
    suit = cards_of_suit(rank)
    return slot(felt_of(FULL_DECK), suit[0], suit[:count])


def pose_xy(rank, count):
    pose = place(rank, count)
    return pose.x, pose.y


def test_a_restored_table_lies_as_told_at_once(felt):
    felt.shuffle(2)
    felt.deal()
    felt.run(until_idle=False, seconds=0.5)
    felt.restore(["7D1", "7N1", "3D1"])
    felt.run()
    assert ids(felt) == ["7D1", "7N1", "3D1"]
    assert len(felt.deck_left) == 51
    assert not {"7D1", "7N1", "3D1"} & set(felt.deck_left)


def test_at_least_21_mm_of_every_card_in_a_stack_shows(felt):
    """However crooked, measured along the card's left and right edges."""
    for seed in range(6):
        felt.restore([card for card in FULL_DECK if card[0] == "7"][: 7 + seed % 2])
        poses = [thing.pose for thing in felt._stage.scene.lying]
        for below, above in pairwise(poses):
            for side in (0, 1):  # top left, top right
                gap = above.corners()[side] - below.corners()[side]
                assert gap[1] >= STAGGER_MM


def test_every_stack_and_the_deck_are_in_the_picture():
    camera = Pinhole((1920, 1080), 2.3)
    poses = [place(rank, count) for rank in range(2, 8) for count in range(rank + 1)] + [Pose(*DECK)]
    corners = np.vstack([camera.project(pose.corners()) for pose in poses])
    assert corners.min() > 20
    assert (corners < (1900, 1060)).all()


def test_the_camera_sees_millimetres_in_perspective():
    """A known point, a height, and the scale required for a 30 mm code (3 px per module)."""
    camera = Pinhole((1920, 1080), 2.3, tilt_deg=0, roll_deg=0)
    assert camera.project(np.array([[0.0, 0, 0], [100, 0, 0]])).tolist() == [[960, 540], [1190, 540]]
    high = camera.project(np.array([[100.0, 0, 50]]))[0]
    assert high[0] > 1190
    tilted = Pinhole((1920, 1080), 2.3)
    for pose in (place(2, 0), place(7, 6)):
        corners = tilted.project(pose.corners())
        assert np.linalg.norm(corners[1] - corners[0]) / POKER.width * 30 / 21 > 2.95


def test_the_empty_plane_agrees_with_the_projection():
    camera = Pinhole((1920, 1080), 2.3)
    point = np.array([120.0, -80.0, 1.0])
    flat = camera.plane(30) @ point
    assert np.allclose(flat[:2] / flat[2], camera.project(np.array([[120.0, -80.0, 30.0]]))[0])


@pytest.mark.parametrize("card", ["8D1", "", "AS", "6d3"])
def test_a_card_that_does_not_exist_is_named(felt, card):
    with pytest.raises(DemoError, match=rf"^The deck on this table has no card '{card}'\. Name one like 2D1\.$"):
        felt.deal(card)
    with pytest.raises(DemoError, match="has no card"):
        felt.put_down(card)
    assert not felt.lying


def test_a_card_that_does_not_lie_there_cannot_be_taken_away(felt):
    with pytest.raises(DemoError, match="6D3 does not lie on the demo table"):
        felt.remove("6D3")


def test_a_late_command_for_a_card_that_is_gone_does_not_stop_the_camera(felt):
    felt.restore(["6D3"])
    felt.remove("6D3")
    felt.remove("6D3")
    felt.run()
    assert ids(felt) == []
    assert felt.run() is not None


def test_commands_from_many_threads_are_all_done(felt):
    felt.shuffle(1)
    threads = [threading.Thread(target=lambda: [felt.deal() for _ in range(4)]) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    felt.run(seconds=200)
    assert len(felt.lying) == 20


def test_a_lost_camera_comes_back(plain_faces):
    now = [10.0]
    felt = CardTable(plain_faces, FULL_DECK, felt_of(FULL_DECK), size=(480, 270), clock=lambda: now[0])
    steady = ReconnectingCamera(lambda: DemoCamera(felt, paced=False), clock=lambda: now[0])
    assert steady.read(0) is not None
    felt.lose_camera(5)
    assert steady.read(0) is None
    assert steady.status.state == "lost"
    assert "comes back by itself" in steady.status.text
    for _ in range(20):
        now[0] += 1
        frame = steady.read(0)
    assert frame is not None
    assert steady.status.state == "ok"


def test_a_lost_camera_is_plugged_in_again(felt):
    felt.lose_camera(1000)
    with pytest.raises(CameraLost):
        DemoCamera(felt)
    felt.restore_camera()
    assert not felt.camera_lost
    assert DemoCamera(felt, paced=False).read(0) is not None


class Clock:
    def __init__(self):
        self.now, self.slept = 5.0, []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def test_the_camera_keeps_time_and_a_slow_reader_misses_frames(felt):
    clock = Clock()
    with DemoCamera(felt, 25, clock=clock, sleep=clock.sleep) as camera:
        frames = [camera.read(1) for _ in range(4)]
        assert [f.number for f in frames] == [0, 1, 2, 3]
        clock.now += 1.0
        late = camera.read(1)
        assert late.number == 28
        assert late.t == pytest.approx(28 / 25)
        assert camera.read(0.001) is None
    with pytest.raises(CameraLost):
        camera.read(0)


def test_frames_are_new_arrays(felt):
    with DemoCamera(felt, paced=False) as camera:
        first = camera.read(0).image
        copy = first.copy()
        camera.read(0).image[:] = 0
        assert np.array_equal(first, copy)
        assert (first.dtype, first.shape) == (np.uint8, (270, 480, 3))


def test_a_program_that_ends_while_faces_are_drawn_ends_properly():
    """The PDF renderer must not be interrupted: that crashed the whole process."""
    script = (
        "import time; from hardware.demo.card_table import new_card_table; "
        "from hardware.demo.printer import standalone_deck; "
        "from companion.games.roche_deck.design import FULL; "
        "new_card_table(standalone_deck(FULL), size=(96, 54)); time.sleep(0.2); raise SystemExit(3)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (3, b"")


def test_cards_without_a_lane_are_dealt_in_rows(plain_faces):
    """On a table without a layout: eight cards side by side, the ninth below the first."""
    felt = driven(CardTable(plain_faces, FULL_DECK, size=(480, 270), seed=3, pace=4), 20.0)
    for card in FULL_DECK[:9]:
        felt.deal(card)
    felt.run()
    first, second, *_, ninth = (thing.pose for thing in felt._stage.scene.lying)
    assert second.x - first.x > POKER.width
    assert ninth.y - first.y > POKER.height
    assert abs(ninth.x - first.x) < 3


def test_an_empty_table_can_be_swept_and_reached_over():
    """Games without cards use this table for a rig's camera."""
    felt = driven(empty_table((480, 270)), 20.0)
    felt.wave_hand()
    felt.gather()
    felt.shuffle()
    felt.restore(())
    assert felt.run().shape == (270, 480, 3)
    with pytest.raises(DemoError, match=r"^The deck on this table has no card '6D3'\.$"):
        felt.deal("6D3")
