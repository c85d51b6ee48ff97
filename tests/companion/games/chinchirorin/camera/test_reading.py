"""Uncertain dice are read again in other colors, and only agreeing results count."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Final

import numpy as np
import pytest
from drawn_bowl import EMPTY, ONE, FakeTable
from test_decision import AT, RIM, die, three

from companion.games.chinchirorin.camera.decision import BowlResult, decide
from companion.games.chinchirorin.camera.detection import Candidate, Detection, Pass, Region, View
from companion.games.chinchirorin.camera.reading import (
    check_with_tray_networks,
    is_worth_recoloring,
    read_bowl,
    read_in_other_colors,
    run,
)
from companion.games.chinchirorin.camera.recoloring import BodyColors, body_colors, with_clear_ink
from companion.games.chinchirorin.camera.rim import Rim
from companion.vision.dice.boxes import DieBox

Dice = tuple[Detection, ...]
COLORS: Final = {"full": 10, "half": 20, "quarter": 30}
"""Gray levels of the pictures that represent the other colors."""
PLAIN: Final = 200
DOUBTFUL: Final = (*three(4, 5), die(6, AT[2], p=0.5))
COCKED: Final = (*three(4, 5), die(6, AT[2], flat=0.1))
PICTURE: Final = np.full((120, 120, 3), PLAIN, np.uint8)


def marked(picture: np.ndarray, body: BodyColors, *, kept: int) -> np.ndarray:
    return np.full_like(picture, kept)


class FakeNetworks:
    """Detects dice that depend on a picture's colors."""

    def __init__(self, **seen: Dice) -> None:
        self.seen = {COLORS.get(name, PLAIN): dice for name, dice in seen.items()}

    def rim(self, picture: np.ndarray) -> Rim:
        return RIM

    def candidates(self, picture: np.ndarray, rim: Rim, region: Region) -> tuple[Candidate, ...]:
        return tuple(Candidate(*each.box.center, 60, 0.9) for each in self._dice(picture))

    def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
        return Pass(rim, self._dice(picture))

    def d6_probabilities(self, picture: np.ndarray, boxes: Sequence[DieBox]) -> np.ndarray:
        return np.ones(len(boxes), np.float32)

    def tray_values(self, picture: np.ndarray, die: DieBox, upper: object, around: float) -> np.ndarray:
        return np.zeros(6, np.float32)

    def _dice(self, picture: np.ndarray) -> Dice:
        return self.seen.get(int(picture[0, 0, 0]), DOUBTFUL)


def recolor_by(monkeypatch: pytest.MonkeyPatch, recolor: Callable[..., np.ndarray]) -> None:
    monkeypatch.setattr("companion.games.chinchirorin.camera.reading.with_clear_ink", recolor)


@pytest.fixture(autouse=True)
def _marked_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.games.chinchirorin.camera.reading.KEPT", tuple(COLORS.values()))
    recolor_by(monkeypatch, marked)


def read(**seen: Dice) -> BowlResult:
    networks = FakeNetworks(**seen)
    plain = run(read_bowl(networks, RIM, repeat(PICTURE)))
    assert is_worth_recoloring(plain)
    return run(read_in_other_colors(networks, PICTURE, RIM, plain))


def test_of_two_looks_of_a_second_opinion_the_lesser_chances_count():
    class Hesitant(FakeNetworks):
        looks = iter(np.array([[0.9, 0.02, 0.02, 0.02, 0.02, 0.02], [0.02, 0.02, 0.02, 0.02, 0.02, 0.9]], np.float32))

        def tray_values(self, picture: np.ndarray, die: DieBox, upper: object, around: float) -> np.ndarray:
            return next(self.looks)

    found = decide([Pass(RIM, (*three(4, 5), die(6, AT[2], p=0.8)))])
    assert run(check_with_tray_networks(Hesitant(), repeat(PICTURE), found)).reason == "unsure"


@pytest.mark.parametrize("pair", [("full", "half"), ("half", "quarter"), ("full", "quarter")])
def test_two_colors_that_agree_make_a_throw(pair: tuple[str, str]):
    assert read(**dict.fromkeys(pair, three(4, 5, 6))).values == (4, 5, 6)


@pytest.mark.parametrize("colors", [("full",), ("quarter",), ()])
def test_one_color_alone_makes_none(colors: tuple[str, ...]):
    assert read(**dict.fromkeys(colors, three(4, 5, 6))).reason == "unsure"


def test_each_die_may_be_read_in_two_other_colors():
    unsure = die(6, AT[2], p=0.5)
    assert read(plain=(*three(4, 5), unsure), full=three(4, 5, 6), half=(*three(4, 5), unsure),
                quarter=(die(4, AT[0], p=0.5), die(5, AT[1]), die(6, AT[2]))).values == (4, 5, 6)  # fmt: skip


def test_what_two_colors_read_differently_is_none():
    assert read(full=three(4, 5, 6), half=three(4, 5, 3)).reason == "unsure"


@pytest.mark.parametrize(
    "other",
    [
        three(1, 5),  # a die that shows something else
        (*three(4, 5), die(2, AT[3])),  # one where the throw has none
        (*three(4, 5, 6), die(2, AT[3])),
    ],
)
@pytest.mark.parametrize("name", ["plain", "quarter"])
def test_any_reading_that_is_sure_of_something_else_forbids_the_throw(name: str, other: Dice):
    doubtful = (*other, die(1, (150, 290), p=0.5))
    assert read(**{"full": three(4, 5, 6), "half": three(4, 5, 6), name: doubtful}).values is None


def test_two_colors_that_show_a_fourth_die_without_value_make_none():
    fourth = (*three(4, 5, 6), die(2, AT[3], p=0.4))
    assert read(plain=fourth, full=fourth, half=fourth, quarter=three(4, 5, 6)).values is None


@pytest.mark.parametrize("missing", [three(4, 5), three(4), ()])
def test_a_die_that_most_colors_miss_makes_none(missing: Dice):
    unsure = (*three(4, 5), die(6, AT[2], p=0.5))
    assert read(plain=unsure, full=unsure, half=missing, quarter=missing).values is None
    assert read(plain=unsure, full=missing, half=missing, quarter=missing).values is None


def test_print_that_is_a_die_without_value_in_its_own_colors_alone_is_none():
    print_too = (*three(4, 5, 6), die(2, AT[3], p=0.4))
    assert read(plain=print_too, half=three(4, 5, 6), quarter=three(4, 5, 6)).values == (4, 5, 6)


def test_a_die_that_is_cocked_in_too_many_colors_makes_none():
    assert read(full=three(4, 5, 6), half=three(4, 5, 6), quarter=COCKED).values == (4, 5, 6)
    assert read(full=three(4, 5, 6), half=COCKED, quarter=COCKED).values is None


@pytest.mark.parametrize("dice", [three(4, 5), COCKED, three(4, 5, 6), ()])
def test_no_colors_help_where_dice_are_missing_cocked_or_read(dice: Dice):
    assert not is_worth_recoloring(run(read_bowl(FakeNetworks(plain=dice), RIM, repeat(PICTURE))))


@pytest.mark.parametrize(("ink", "times"), [((40, 40, 190), 3), ((150, 60, 40), 3), ((250, 250, 250), 1.5)])
@pytest.mark.parametrize("dark", [(60, 90, 130), (20, 40, 70)])
def test_ink_stands_out_from_grain_and_shade(ink: tuple[int, int, int], times: float, dark: tuple[int, int, int]):
    wood = np.full((40, 60, 3), (75, 110, 160), np.uint8)
    wood[:, ::6] = wood[:, 1::6] = dark
    wood[:, 40:] = wood[:, 40:] * 0.7  # a face in the shade
    wood[12:28, 12:28] = ink

    def contrasts(picture: np.ndarray) -> tuple[float, float]:
        """Return the contrasts of the grain, and between ink and wood."""
        one, other, pip = (picture[row, column].astype(float) for row, column in ((5, 3), (5, 6), (20, 20)))
        return float(np.linalg.norm(one - other)), float(np.linalg.norm((one + other) / 2 - pip))

    grain, pip = contrasts(wood)
    body = body_colors(wood, [DieBox((0, 0, 50, 40), 1.0)])
    clear_grain, clear_pip = contrasts(with_clear_ink(wood, body, kept=0.25))
    assert clear_pip / clear_grain > times * pip / grain


class Wooden(FakeTable):
    """A table whose dice are uncertain except in enhanced colors."""

    def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
        seen_pass = super().classify(picture, rim, candidates, view)
        if self.is_vivid:
            return seen_pass
        return Pass(rim, tuple(replace(each, values=np.full(6, 1 / 6, np.float32)) for each in seen_pass.dice))

    is_vivid = False


def test_the_dealer_is_asked_while_other_colors_are_tried(monkeypatch: pytest.MonkeyPatch):
    table = Wooden()

    def vivid(picture: np.ndarray, body: BodyColors, *, kept: float) -> np.ndarray:
        table.is_vivid = True
        return picture

    recolor_by(monkeypatch, vivid)
    table.show(EMPTY)
    readings = table.show(ONE, seconds=12)
    asked = next(k for k, each in enumerate(readings) if each.question is not None)
    answered = next(k for k, each in enumerate(readings) if each.answer is not None)
    assert asked < answered
    assert readings[-1].answer == {"dice": [4, 5, 6]}
    assert readings[asked].key == readings[-1].key


def test_dice_that_are_moved_meanwhile_are_read_anew(monkeypatch: pytest.MonkeyPatch):
    tried: list[BodyColors] = []

    def recolored(picture: np.ndarray, body: BodyColors, *, kept: float) -> np.ndarray:
        tried.append(body)
        return picture

    recolor_by(monkeypatch, recolored)
    table = Wooden()
    table.show(EMPTY)
    table.show(ONE, seconds=4)
    assert tried
    tried.clear()
    table.is_vivid = True
    assert table.show(tuple((value, (y, x)) for value, (x, y) in ONE))[-1].answer is not None
    assert tried == []
