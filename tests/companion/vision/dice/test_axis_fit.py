"""The axis of a camera, found by a die whose upper faces are told."""

from __future__ import annotations

import numpy as np
import plain_dice
import pytest

from companion.objects.dice import DieKind
from companion.vision.dice.axis import Axis
from companion.vision.dice.axis_fit import AxisFit, AxisFound
from companion.vision.dice.enrolled import BadEnrolment
from companion.vision.dice.faces.classifier import has_network

pytestmark = pytest.mark.skipif(not has_network(), reason="the network is not trained yet")

LOOK = plain_dice.Look(body=(120, 50, 30), glare=0.1)


def picture(kind: DieKind, value: int, axis: Axis, seed: int) -> tuple[np.ndarray, str]:
    """One and the same blue die under a camera, and what it shows."""
    rng = np.random.default_rng(seed)
    scene = plain_dice.Scene(plain_dice.ground("felt", (340, 300), rng))
    drawn = plain_dice.put(
        scene, kind, value, (170, 150), 115, LOOK, rng, tilt_deg=axis.tilt_deg, towards_deg=axis.towards_deg, order=5
    )
    return plain_dice.finish(scene.image, rng), drawn.face or str(drawn.value)


def fitted(kind: DieKind, values: tuple[int, ...], *axes: Axis) -> AxisFound:
    """The axis by pictures that were taken with these axes in turn."""
    fit = AxisFit(kind)
    for at, value in enumerate(values):
        image, shown = picture(kind, value, axes[at % len(axes)], 40 + at)
        assert fit.take(image, shown) == ""
    return fit.found()


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("d6", (2, 5, 3, 6)),
        pytest.param("d20", (3, 17, 8, 14), marks=pytest.mark.thorough),
        pytest.param("rugen", (2, 19, 11, 7), marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize("axis", [Axis(0.0), Axis(22.0, 250.0)])
def test_the_axis_is_found_to_a_few_degrees(kind: DieKind, values: tuple[int, ...], axis: Axis) -> None:
    found = fitted(kind, values, axis)
    assert found.axis is not None
    assert plain_dice.apart_deg(found.axis, axis) < 7


def test_a_face_told_wrong_gives_no_axis() -> None:
    fit = AxisFit("d6")
    for at, value in enumerate((2, 5, 3)):
        assert fit.take(*picture("d6", value, Axis(20.0, 90.0), at)) == ""
    image, _ = picture("d6", 4, Axis(20.0, 90.0), 9)
    assert fit.take(image, "3") == "3 is not seen on the die from any side: lay it with that face up"
    assert fit.shown == ("2", "5", "3")


def test_a_camera_that_was_moved_meanwhile_gives_none_and_says_which_pictures_do_not_fit() -> None:
    found = fitted("d6", (2, 5, 3, 6), *[Axis(30.0, 0.0)] * 3, Axis(30.0, 180.0))
    assert found == AxisFound(None, ("6",))


def test_two_pictures_are_too_few_and_a_face_that_is_none_is_refused() -> None:
    assert fitted("d6", (2, 5), Axis(0.0)) == AxisFound(None)
    with pytest.raises(BadEnrolment, match="does not show '7'"):
        AxisFit("d6").take(picture("d6", 2, Axis(0.0), 1)[0], "7")
    assert AxisFit("d6").take(np.zeros((300, 300, 3), np.uint8), "2") == "no die is to be seen"
