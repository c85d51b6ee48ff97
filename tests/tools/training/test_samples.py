"""Samples match their labels, are reproducible, and never mix training with held-out appearances."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.printing.fonts import __file__ as fonts_home
from companion.rendering.poses import resting, top_face
from companion.rendering.solids import solid
from companion.vision.dice.faces.upright import number_crop
from tools.training.samples import random_dice
from tools.training.samples.appearance import HELD_PATTERNS, random_appearance
from tools.training.samples.fonts import Font, TooFewFonts, bucket_of, find_fonts
from tools.training.samples.scenes import KINDS, OFF_DEG, STORED, UNREADABLE, leant, sample

OURS = Path(str(fonts_home)).parent


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_has_its_kind_and_a_value_within_its_output(fonts, kind):
    rng = np.random.default_rng(5)
    top = {"d20": 19, "d6": 5, "rugen": 7, "none": -1}[kind]
    for _ in range(6):
        each = sample(rng, fonts, "train", kind)
        assert each.image.shape == (STORED, STORED, 3)
        assert KINDS[each.kind] == kind
        assert (each.value == -1) if kind == "none" else (0 <= each.value <= top)
        assert 40 <= each.size_px <= 400


def test_the_same_seed_makes_the_same_sample(fonts):
    first, second = (sample(np.random.default_rng(8), fonts, "held", "d20") for _ in range(2))
    assert np.array_equal(first.image, second.image)
    assert (first.value, first.note) == (second.value, second.note)


@pytest.mark.thorough
def test_some_dice_lean_and_have_no_value(fonts):
    rng = np.random.default_rng(2)
    notes = [sample(rng, fonts, "train", "d6").note for _ in range(60)]
    assert 0 < notes.count(UNREADABLE) < 20


def test_wear_takes_no_stroke_away(fonts, monkeypatch):
    """A 4 made of hairlines and a stem must not wear to a 1; a plain 4 becomes thinner."""
    hairlines, plain = np.zeros((2, 47, 34), np.uint8)
    hairlines[:, 20:28], hairlines[30, 2:32] = 255, 255
    plain[:, 20:28], plain[27:33, 2:32] = 255, 255
    writing = random_dice.Lettering(np.random.default_rng(1), fonts, "train")
    writing.weight, writing.width = -1, 1.0
    for mask, is_worn in ((hairlines, False), (plain, True)):
        monkeypatch.setattr(random_dice, "numeral", lambda *_, mask=mask, **__: mask)
        drawn = np.count_nonzero(writing.drawn("4"))
        assert bool(drawn < np.count_nonzero(mask)) is is_worn
        assert drawn > 0


def test_a_leaning_die_has_no_face_that_could_be_called_its_top():
    """A d20 tipped by 35 degrees towards a neighboring face lies almost flat on another face: it is not leaning."""
    rng, die = np.random.default_rng(6), solid("d20")
    poses = [leant(rng, die, resting(die, 4, 11.0 * i), (18.0, 37.0)) for i in range(300)]
    assert min(top_face(die, pose)[1] for pose in poses) >= OFF_DEG


def test_held_out_patterns_are_never_trained_on():
    rng = np.random.default_rng(4)
    trained = {random_appearance(rng, "train")[0].pattern for _ in range(200)}
    held = {random_appearance(rng, "held")[0].pattern for _ in range(200)}
    assert not trained & set(HELD_PATTERNS)
    assert set(HELD_PATTERNS) <= held


def test_a_font_family_belongs_to_one_half_whole():
    assert Font("Lato", "a.ttf").split == Font("Lato", "b.ttf").split
    held = sum(Font(f"family {number}", "x").split == "held" for number in range(1000))
    assert 150 < held < 250
    assert bucket_of("Lato", 5) == bucket_of("Lato", 5)


def test_too_few_fonts_say_what_to_install():
    with pytest.raises(TooFewFonts, match=r"^Only 2 font families .* Install more, for example with `apt install"):
        find_fonts([OURS])


def test_a_number_is_set_upright_by_its_labels(fonts):
    """The same die in any rotation gives the same number crop."""
    rng = np.random.default_rng(3)
    each = next(made for made in (sample(rng, fonts, "train", "d20") for _ in range(20)) if made.size_px > 150)
    number = each.number
    upright = number_crop(each.image, number.up_deg, (number.x, number.y))
    turned = np.ascontiguousarray(np.rot90(each.image))  # counter-clockwise
    again = number_crop(turned, number.up_deg - 90, (number.y, -number.x))
    assert upright.shape == (64, 64, 3)
    assert np.abs(upright.astype(int) - again).mean() < 2
    assert np.abs(upright.astype(int) - number_crop(each.image, number.up_deg + 90)).mean() > 5


@pytest.mark.thorough
def test_pips_things_and_leaning_dice_have_no_number(fonts):
    rng = np.random.default_rng(9)
    assert all(sample(rng, fonts, "train", "none").number is None for _ in range(10))
    notes = [(made.note, made.number) for made in (sample(rng, fonts, "train", "d20") for _ in range(40))]
    assert all((number is None) == (note == UNREADABLE) for note, number in notes)
    dice = [sample(rng, fonts, "train", "d6").number for _ in range(30)]
    assert 0 < sum(number is not None for number in dice) < 15


def test_some_dice_have_pips_that_are_no_discs(fonts):
    faces = [random_dice.random_d6(np.random.default_rng(seed), fonts, "train")[0].art[0].mask for seed in range(60)]
    hollow = 0
    for mask in faces:
        _, tree = cv2.findContours((mask > 127).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        hollow += tree is not None and bool((tree[0, :, 3] >= 0).any())
    assert 2 < hollow < 30
