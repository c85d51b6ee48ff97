"""Doubtful dice are read again in other colors, and only what these agree on counts."""

from collections.abc import Sequence
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
    RECOLORINGS,
    Color,
    check_with_tray_networks,
    is_worth_recoloring,
    median_color,
    read_bowl,
    read_in_other_colors,
    recolored,
    run,
)
from companion.games.chinchirorin.camera.rim import Rim
from companion.vision.dice.boxes import DieBox

Dice = tuple[Detection, ...]
PLAIN: Final[Color] = (1.0, 1.0)
VIVID, LIVELY, GRAY, HARD = (color for pair in RECOLORINGS for color in pair)
DOUBTFUL: Final = (*three(4, 5), die(6, AT[2], p=0.5))
RED = np.full((120, 120, 3), (90, 100, 130), np.uint8)
RED[80:100, 80:100] = 60, 60, 160


class FakeNetworks:
    """Sees dice that depend on a picture's colors."""

    def __init__(self, **seen: Dice) -> None:
        names = {"plain": PLAIN, "vivid": VIVID, "lively": LIVELY, "gray": GRAY, "hard": HARD}
        self.seen = {names[name]: dice for name, dice in seen.items()}

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
        color = next(
            (
                color
                for color in (VIVID, LIVELY, GRAY, HARD)
                if (recolored(RED, median_color(RED), color) == picture).all()
            ),
            PLAIN,
        )
        return self.seen.get(color, DOUBTFUL)


def read(**seen: Dice) -> BowlResult:
    networks = FakeNetworks(**seen)
    plain = run(read_bowl(networks, RIM, repeat(RED)))
    assert is_worth_recoloring(plain)
    return run(read_in_other_colors(networks, RED, RIM, plain))


def test_of_two_looks_of_a_second_opinion_the_lesser_chances_count():
    class Hesitant(FakeNetworks):
        looks = iter(np.array([[0.9, 0.02, 0.02, 0.02, 0.02, 0.02], [0.02, 0.02, 0.02, 0.02, 0.02, 0.9]], np.float32))

        def tray_values(self, picture: np.ndarray, die: DieBox, upper: object, around: float) -> np.ndarray:
            return next(self.looks)

    found = decide([Pass(RIM, (*three(4, 5), die(6, AT[2], p=0.8)))])
    assert run(check_with_tray_networks(Hesitant(), repeat(RED), found)).reason == "unsure"


@pytest.mark.parametrize("pair", [("vivid", "lively"), ("gray", "hard")])
def test_two_colors_that_agree_make_a_throw(pair: tuple[str, str]):
    assert read(**dict.fromkeys(pair, three(4, 5, 6))).values == (4, 5, 6)


@pytest.mark.parametrize("colors", [("vivid",), ("hard",), ("lively", "gray"), ()])
def test_one_of_two_colors_makes_none(colors: tuple[str, ...]):
    assert read(**dict.fromkeys(colors, three(4, 5, 6))).reason == "unsure"


def test_what_two_colors_read_differently_is_none():
    assert read(vivid=three(4, 5, 6), lively=three(4, 5, 3)).reason == "unsure"


@pytest.mark.parametrize(
    "other",
    [
        three(1, 5),  # a die that shows something else
        (*three(4, 5), die(2, AT[3])),  # one where the throw has none
        (*three(4, 5, 6), die(2, AT[3])),
    ],
)
@pytest.mark.parametrize("name", ["plain", "gray"])
def test_any_reading_that_is_sure_of_something_else_forbids_the_throw(name: str, other: Dice):
    doubtful = (*other, die(1, (150, 290), p=0.5))
    assert read(**{"vivid": three(4, 5, 6), "lively": three(4, 5, 6), name: doubtful}).values is None


def test_print_that_is_a_die_without_value_in_its_own_colors_alone_is_none():
    print_too = (*three(4, 5, 6), die(2, AT[3], p=0.4))
    assert read(plain=print_too, gray=three(4, 5, 6), hard=three(4, 5, 6)).values == (4, 5, 6)


@pytest.mark.parametrize("dice", [three(4, 5), (*three(4, 5), die(6, AT[2], flat=0.1)), three(4, 5, 6), ()])
def test_no_colors_help_where_dice_are_missing_cocked_or_read(dice: Dice):
    assert not is_worth_recoloring(run(read_bowl(FakeNetworks(plain=dice), RIM, repeat(RED))))


def test_grain_fades_and_hues_stand_out_or_the_reverse():
    wood = np.tile(np.array([[[60, 90, 130]], [[75, 110, 160]]], np.uint8), (30, 60, 1))
    wood[20:40, 20:40] = 40, 40, 190  # a red pip
    usual = median_color(wood)

    def contrasts(picture: np.ndarray) -> tuple[float, float]:
        """Of the grain, and of the pip to the wood."""
        one, other, pip = (picture[row, column].astype(float) for row, column in ((0, 0), (1, 0), (30, 30)))
        return float(np.linalg.norm(one - other)), float(np.linalg.norm((one + other) / 2 - pip))

    grain, pip = contrasts(wood)
    vivid_grain, vivid_pip = contrasts(recolored(wood, usual, LIVELY))
    gray_grain, gray_pip = contrasts(recolored(wood, usual, HARD))
    assert vivid_pip / vivid_grain > 2 * pip / grain
    assert gray_grain / gray_pip > 2 * grain / pip


class Wooden(FakeTable):
    """A table whose dice are doubtful but in vivid colors."""

    def classify(self, picture: np.ndarray, rim: Rim, candidates: Sequence[Candidate], view: View) -> Pass:
        seen_pass = super().classify(picture, rim, candidates, view)
        if self.is_vivid:
            return seen_pass
        return Pass(rim, tuple(replace(each, values=np.full(6, 1 / 6, np.float32)) for each in seen_pass.dice))

    is_vivid = False


def test_the_dealer_is_asked_while_other_colors_are_tried(monkeypatch: pytest.MonkeyPatch):
    table = Wooden()

    def told(picture: np.ndarray, usual: np.ndarray, color: Color) -> np.ndarray:
        table.is_vivid = color in RECOLORINGS[0]
        return picture

    monkeypatch.setattr("companion.games.chinchirorin.camera.reading.recolored", told)
    table.show(EMPTY)
    readings = table.show(ONE, seconds=12)
    asked = next(k for k, each in enumerate(readings) if each.question is not None)
    answered = next(k for k, each in enumerate(readings) if each.answer is not None)
    assert asked < answered
    assert readings[-1].answer == {"dice": [4, 5, 6]}
    assert readings[asked].key == readings[-1].key


def test_dice_that_are_moved_meanwhile_are_read_anew(monkeypatch: pytest.MonkeyPatch):
    tried: list[Color] = []

    def told(picture: np.ndarray, usual: np.ndarray, color: Color) -> np.ndarray:
        tried.append(color)
        return picture

    monkeypatch.setattr("companion.games.chinchirorin.camera.reading.recolored", told)
    table = Wooden()
    table.show(EMPTY)
    table.show(ONE, seconds=4)
    assert tried
    tried.clear()
    table.is_vivid = True
    assert table.show(tuple((value, (y, x)) for value, (x, y) in ONE))[-1].answer is not None
    assert tried == []
