"""Frame rate too low: it is reported, every throw is read and asked about, and nothing counts without asking."""

import pytest

from companion.tracking.dice.pace import NEEDED, Pace

HERE, THERE = (150.0, 150.0), (300.0, 140.0)


@pytest.fixture
def slow(film, here):
    """A table with an empty tray and one frame every other second."""
    tray = film(fps=0.5)
    frames(tray, 8)
    return tray


def frames(tray, count):
    for _ in range(count):
        tray.frame()


def lay(tray, here, at, shown):
    tray.dice[:] = [here(*at, shown)]


def test_a_slow_camera_is_told_with_its_rate_what_is_needed_and_what_helps(slow):
    assert slow.kinds == ["slow-camera"]
    assert slow.questions[0].text.startswith("The camera gives 0.5 pictures a second, the die needs 5: until then")
    assert "[camera] width and height" in slow.questions[0].text
    assert slow.sight.report()["slow"] == slow.questions[0].text
    assert len(slow.notes) == 1
    slow.answer("slow-camera", "again")
    frames(slow, 20)
    assert (slow.kinds, len(slow.notes)) == ([], 1), "once is enough"
    assert slow.sight.report()["slow"] is not None


def test_a_thrown_die_is_read_and_asked_about_within_four_pictures(slow, here):
    lay(slow, here, HERE, "17")
    frames(slow, 4)
    assert (slow.throws, slow.kinds) == (0, ["unseen", "slow-camera"])
    slow.answer("unseen", "count")
    frames(slow, 20)
    assert (slow.chain, slow.kinds) == (["4n"], ["slow-camera"])
    lay(slow, here, THERE, "8")
    frames(slow, 4)
    slow.answer("unseen", "count")
    assert slow.chain == ["4n", "3d"]


def test_a_die_that_lies_elsewhere_in_every_picture_is_not_read(slow, here):
    for i in range(10):
        lay(slow, here, (100.0 + 30 * i, 150.0), str(1 + i))
        slow.frame()
    assert (slow.throws, slow.kinds) == (0, ["slow-camera"])


def test_a_die_that_cannot_be_read_is_asked_about_too(slow, here):
    lay(slow, here, HERE, "?")
    frames(slow, 20)
    assert (slow.throws, slow.kinds) == (0, ["unread", "slow-camera"])
    slow.answer("unread", "count-9")
    frames(slow, 3)
    assert (slow.chain, slow.kinds) == (["3d"], ["slow-camera"])


def test_it_is_forgotten_once_the_camera_is_fast_enough_and_throws_count_again(slow):
    slow.fps = 30.0
    slow.run(10)
    assert (slow.kinds, slow.sight.report()["slow"]) == ([], None)
    slow.throw("5")
    assert slow.chain == ["2n"]


def test_a_die_thrown_into_the_empty_tray_while_the_camera_was_away_is_asked_about(tray, here):
    tray.t += 30.0
    lay(tray, here, HERE, "18")
    tray.run(1)
    assert (tray.throws, tray.kinds) == (0, ["unseen"])


@pytest.mark.parametrize(("fps", "is_slow"), [(30, False), (NEEDED, False), (4, True), (0.4, True)])
def test_the_rate_is_the_usual_one_whatever_a_hiccup_makes_of_it(fps, is_slow):
    pace, t = Pace(), 0.0
    for i in range(max(8, round(12 * fps))):
        t += 1 / fps if i % 9 else 3.0
        pace.frame(t)
    assert (pace.slow is not None) is is_slow
    assert pace.per_second == pytest.approx(fps)
