"""Light patterns and their changes; the buzzer's cues."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from scripts import actions_of, part_of, seen

from companion.config.panel import Cues, PanelConfig, Patterns
from companion.kernel.ledger import Ledger
from companion.kernel.table import Table
from companion.plugins.panel import Moment, OpenQuestion, PanelPart, Player
from companion.testing import INSTALLED, new_header
from hardware.panel.board import Pins
from hardware.panel.led_driver import LedDriver
from hardware.panel.lights import cue_between, is_on, next_change, status_light
from hardware.panel.mock import MockPins


def shape(rhythm: tuple[int, ...], length_s: float = 6.0) -> tuple[bool, ...]:
    return tuple(is_on(rhythm, step / 50) for step in range(int(length_s * 50)))


def test_each_pattern_is_told_apart_without_its_colour() -> None:
    """Off, on, slow, fast and double all differ over six seconds."""
    patterns = Patterns()
    shapes = {name: shape(getattr(patterns, name)) for name in type(patterns).model_fields}
    for one, other in combinations(shapes, 2):
        differ = sum(a != b for a, b in zip(shapes[one], shapes[other], strict=True))
        assert differ > 0.15 * len(shapes[one]), (one, other)


def test_cues_are_short_and_differ() -> None:
    cues = Cues()
    told = {name: getattr(cues, name) for name in type(cues).model_fields}
    assert all(sum(rhythm) < 700 for rhythm in told.values())
    assert len(set(told.values())) == len(told)


@pytest.mark.parametrize("rhythm", [(600, 600), (120, 180, 120, 980), (10, 10), (900, 100)])
def test_the_next_change_is_when_the_light_changes(rhythm: tuple[int, ...]) -> None:
    for step in range(200):
        t = step * 0.0137
        change = next_change(rhythm, t)
        assert change is not None
        assert is_on(rhythm, t + change) != is_on(rhythm, t)
        assert is_on(rhythm, t + change * 0.5) == is_on(rhythm, t)


def rochi(*commands: str) -> Moment:
    table = Table(new_header("rochi", (("Ann", 100), ("Bo", 100), ("Cy", 100))))
    for command in commands:
        verb, _, card = command.partition(" ")
        table.do({"do": verb, "card": card} if card else {"do": verb})
    return seen(table)


def suit_moods(moment: Moment) -> dict[int, str]:
    return dict(part_of(moment).lights(moment))


SEEDS = ("seed 2D1", "seed 2N1", "seed 6N1", "seed 5D1", "seed 7D1", "seed 7D2")


def test_a_suit_is_free_owned_ripe_cut_or_locked() -> None:
    begun = suit_moods(rochi(*SEEDS))
    assert (begun[2], begun[6], begun[3]) == ("locked", "free", "free")
    owned = rochi(*SEEDS, "play 6D1", "deal 3D1", "play 3D2", "deal 4D1")
    assert suit_moods(owned)[6] == "owned"
    ripe = rochi(*SEEDS, "play 6D1", "deal 3D1", "play 3D2", "deal 4D1")
    assert suit_moods(ripe)[3] == "ripe"
    cut = rochi(*SEEDS, "play 6D1", "deal 3D1", "play 3D2", "deal 3D3")
    assert suit_moods(cut)[3] == "cut"


def test_the_numbers_of_a_rugen_chain_have_lights_too() -> None:
    table = Table(new_header("rugen-house", (("Ann", 100),)))
    table.do({"do": "bet", "player": "Ann", "on": "chain/3", "amount": 2})
    for face in ("3d", "4n", "3n"):
        table.do({"do": "throw", "face": face})
    assert suit_moods(seen(table)) == {2: "free", 3: "free", 4: "ripe", 5: "owned"}
    table.do({"do": "throw", "face": "3n"})
    assert suit_moods(seen(table))[4] == "cut"


class Cards(PanelPart):
    """A panel part for a game whose state is the number of cards on the table."""

    def on_table(self, moment: Moment) -> int:
        return int(moment.state)


CALM: dict[str, Any] = {"rules": INSTALLED.rules("roche"), "state": 0, "ledger": Ledger(), "phase": "", "latest": {}}
MOMENT = Moment(**CALM, camera="ok")


@pytest.mark.parametrize(
    ("more", "colours", "is_steady"),
    [
        ({}, {"green"}, True),
        ({"turn": "Ann"}, {"blue"}, True),
        ({"players": (Player("Ann", 10, 2),)}, {"blue"}, True),
        ({"camera": "lost"}, {"red"}, False),
        ({"questions": (OpenQuestion("q", "?", ()),)}, {"red", "green"}, False),
        ({"hold": "why"}, {"red"}, True),
        ({"trouble": "no disk", "hold": "why"}, {"red"}, False),
    ],
)
def test_the_status_light_shows_the_most_urgent_thing(more: dict[str, Any], colours: set[str], is_steady: bool) -> None:
    shown, rhythm = status_light(Cards(), replace(MOMENT, **more))
    assert shown == colours
    assert (len(rhythm) == 1) == is_steady


@pytest.mark.parametrize(
    ("after", "cue"),
    [
        ({}, None),
        ({"state": 1}, "card"),
        ({"rounds": 1, "state": 1}, "decided"),
        ({"questions": (OpenQuestion("new", "?", ()),)}, "question"),
        ({"camera": "lost"}, "lost"),
        ({"hold": "why", "rounds": 1}, "held"),
    ],
)
def test_a_cue_tells_the_most_urgent_change(after: dict[str, Any], cue: str | None) -> None:
    assert cue_between(Cards(), MOMENT, replace(MOMENT, **after)) == cue


# ---- switching lines


def driver(config: PanelConfig) -> tuple[LedDriver, Pins]:
    board = Pins(config, MockPins())
    return LedDriver(config, board, 0.0), board


def test_a_lamp_is_lit_for_each_button_that_does_something() -> None:
    leds, board = driver(PanelConfig())
    view = rochi(*SEEDS)
    leds.lamps(actions_of(view), 0.0)
    leds.update(0.0)
    assert {line for line, on in board.shown.items() if on and line.startswith("lamp/")} == {
        f"lamp/{button}" for button in actions_of(view)
    }
    board.close()


def test_the_lamp_test_lights_everything_and_then_all_is_as_before() -> None:
    leds, board = driver(PanelConfig(lamp_test_s=0.5))
    view = rochi(*SEEDS)
    leds.show(part_of(view), view, None, 0.0)
    leds.update(0.0)
    before = dict(board.shown)
    leds.test(1.0)
    leds.update(1.0)
    assert all(on for line, on in board.shown.items() if line != "buzzer")
    assert not board.shown["buzzer"]
    leds.update(1.6)
    assert {k: v for k, v in board.shown.items() if k != "suit/2"} == {k: v for k, v in before.items() if k != "suit/2"}
    board.close()


def test_a_cue_is_only_cut_short_by_a_more_urgent_one() -> None:
    leds, board = driver(PanelConfig())
    leds.cue("decided", 0.0)
    leds.cue("accepted", 0.05)
    assert sounds(leds, board, 0.0, 0.6) == [60, 60, 320]
    leds.cue("accepted", 2.0)
    leds.cue("refused", 2.02)
    assert sounds(leds, board, 2.0, 3.0)[-3:] == [60, 60, 220]
    board.close()


def sounds(leds: LedDriver, board: Pins, start: float, end: float) -> list[int]:
    """Return the durations of the buzzer's sounds, milliseconds."""
    found, since = [], None
    for ms in range(int(start * 1000), int(end * 1000) + 400):
        leds.update(ms / 1000)
        on = board.shown["buzzer"]
        if on and since is None:
            since = ms
        elif not on and since is not None:
            found.append(ms - since)
            since = None
    return found


def test_lights_that_are_on_when_low_are_switched_the_other_way_round() -> None:
    pins = MockPins()
    config = PanelConfig(active_high=False)
    board = Pins(config, pins)
    assert pins.is_high(config.lamps.deal or 0)
    board.switch("lamp/deal", True)
    assert not pins.is_high(config.lamps.deal or 0)
    assert not pins.is_high(config.buzzer.pin or 0)  # its transistor inverts it already
    board.close()
