"""From contacts to presses: bouncing, holding, sticking, and two at once. Times are arguments, in seconds."""

import random

import pytest

from companion.config.panel import PanelConfig
from hardware.panel.debouncer import Debouncer, Freed, Pressed, Stuck, Tapped, Timing, Together, timing_of

TIMING = Timing(0.010, 0.020, 15.0, {"undo": 0.7, "hold": 0.7})


def make() -> Debouncer:
    return Debouncer(("deal", "play", "fold", "undo", "next", "hold"), TIMING)


def play(presses: Debouncer, *edges: tuple[str, bool, float], until: float) -> list[object]:
    """Feed edges as the panel does: timers due before an edge fire before it."""
    events: list[object] = []
    for button, is_down, t in edges:
        events += presses.poll(t)
        presses.edge(button, is_down, t)
    return events + list(presses.poll(until))


def tap(button: str, at: float, lasts: float = 0.08) -> tuple[tuple[str, bool, float], tuple[str, bool, float]]:
    return (button, True, at), (button, False, at + lasts)


def test_a_press_counts_once_from_its_first_touch() -> None:
    assert play(make(), *tap("deal", 1.0), until=2.0) == [Pressed("deal", 1.0)]


def test_it_counts_after_the_time_in_which_another_button_might_follow() -> None:
    presses = make()
    presses.edge("deal", True, 1.0)
    assert presses.poll(1.019) == ()
    assert presses.due() == pytest.approx(1.020)
    assert presses.poll(1.020) == (Pressed("deal", 1.0),)


@pytest.mark.parametrize("seed", range(20))
def test_a_contact_that_bounces_counts_once(seed: int) -> None:
    """Up to 9 ms of bounce at both ends, as with cheap buttons."""
    rng = random.Random(seed)
    edges, level = [], False
    for start, final in ((1.0, True), (1.1, False)):
        t = start
        while t < start + 0.009:
            level = not level
            edges.append(("deal", level, t))
            t += rng.uniform(0.0002, 0.0015)
        if level != final:
            edges.append(("deal", final, t))
            level = final
    assert play(make(), *edges, until=2.0) == [Pressed("deal", 1.0)]


def test_a_flicker_that_never_rests_is_no_press() -> None:
    edges = [("deal", place % 2 == 0, 1.0 + place * 0.004) for place in range(50)]
    assert play(make(), *edges, ("deal", False, 1.3), until=2.0) == []


def test_a_wire_that_is_disturbed_for_long_does_not_hold_undo() -> None:
    """Only the time since the last 30 ms of chatter counts as held."""
    edges = [("undo", place % 2 == 0, 1.0 + place * 0.004) for place in range(151)]
    assert edges[-1] == ("undo", True, pytest.approx(1.6))
    events = play(make(), *edges, until=2.2)
    assert events == []


def test_a_quick_tap_shorter_than_the_wait_still_counts() -> None:
    assert play(make(), *tap("deal", 1.0, 0.012), until=2.0) == [Pressed("deal", 1.0)]


def test_undo_counts_once_it_has_been_held() -> None:
    assert play(make(), ("undo", True, 1.0), until=1.69) == []
    assert play(make(), ("undo", True, 1.0), until=1.71) == [Pressed("undo", 1.0)]


def test_a_tap_of_a_guarded_button_only_tells() -> None:
    assert play(make(), *tap("hold", 1.0, 0.6), until=3.0) == [Tapped("hold", 1.0)]


@pytest.mark.parametrize("apart", [0.0, 0.005, 0.009])
def test_two_at_once_count_for_neither(apart: float) -> None:
    edges = sorted((*tap("deal", 1.0), *tap("play", 1.0 + apart)), key=lambda edge: edge[2])
    assert play(make(), *edges, until=2.0) == [Together(("deal", "play"))]


def test_a_second_that_follows_while_the_first_is_down_does_not_count() -> None:
    edges = sorted((*tap("deal", 1.0, 0.3), *tap("play", 1.08)), key=lambda edge: edge[2])
    assert play(make(), *edges, until=2.0) == [Pressed("deal", 1.0), Together(("deal", "play"), counted="deal")]


def test_two_one_after_the_other_both_count() -> None:
    events = play(make(), *tap("deal", 1.0), *tap("play", 1.2), until=2.0)
    assert events == [Pressed("deal", 1.0), Pressed("play", 1.2)]


def test_a_button_that_sticks_is_told_once_and_taken_up_again() -> None:
    presses = make()
    assert play(presses, ("deal", True, 1.0), until=60.0) == [Pressed("deal", 1.0), Stuck("deal")]
    assert play(presses, ("deal", False, 61.0), until=62.0) == [Freed("deal")]
    assert play(presses, *tap("deal", 63.0), until=64.0) == [Pressed("deal", 63.0)]


def test_a_button_that_sticks_does_not_spoil_the_others() -> None:
    presses = make()
    play(presses, ("deal", True, 1.0), until=60.0)
    assert play(presses, *tap("play", 61.0), until=62.0) == [Pressed("play", 61.0)]


def test_a_button_that_is_down_at_the_start_is_no_press() -> None:
    presses = make()
    presses.begin("deal", 0.0)
    assert play(presses, ("deal", False, 1.0), until=2.0) == []
    presses = make()
    presses.begin("deal", 0.0)
    assert play(presses, until=20.0) == [Stuck("deal")]


@pytest.mark.parametrize("seed", range(10))
def test_whatever_the_contacts_do_no_press_is_made_up(seed: int) -> None:
    """There are never more presses than closings of the contact, and none before the first."""
    rng = random.Random(seed)
    presses, t, touched = make(), 0.0, dict.fromkeys(("deal", "play", "undo"), 0)
    events: list[object] = []
    for _ in range(300):
        t += rng.choice([0.001, 0.01, 0.05, 0.4, 1.0])
        button, is_down = rng.choice(list(touched)), rng.random() < 0.5
        touched[button] += is_down
        events += presses.poll(t)
        presses.edge(button, is_down, t)
    events += presses.poll(t + 1)
    for button, count in touched.items():
        pressed = [what for what in events if isinstance(what, Pressed) and what.button == button]
        assert len(pressed) <= count
        assert all(what.since <= t for what in pressed)


def test_the_times_come_from_the_configuration() -> None:
    timing = timing_of(PanelConfig(debounce_ms=7, together_ms=15, hold_undo_ms=500, hold_guard_ms=900))
    assert (timing.debounce_s, timing.together_s) == (0.007, 0.015)
    assert timing.held == {"undo": 0.5, "hold": 0.9}
