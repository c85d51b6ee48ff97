"""The camera's axis, fitted to pictures of a die with given upper faces."""

import numpy as np
import plain_dice
import pytest

from companion.objects.dice import DieKind
from companion.vision.dice.axis import Axis
from companion.vision.dice.axis_fit import AxisEstimate, AxisFit, axis_words
from companion.vision.dice.enrolled import BadEnrollment
from companion.vision.dice.faces.classifier import has_network

pytestmark = pytest.mark.skipif(not has_network(), reason="the network is not trained yet")

LOOK = plain_dice.Look(body=(120, 50, 30), glare=0.1)


def picture(kind: DieKind, value: int, axis: Axis, seed: int) -> tuple[np.ndarray, str]:
    """Always the same blue die under a camera, and its face."""
    rng = np.random.default_rng(seed)
    scene = plain_dice.Scene(plain_dice.ground("felt", (340, 300), rng))
    drawn = plain_dice.put(
        scene, kind, value, (170, 150), 115, LOOK, rng, tilt_deg=axis.tilt_deg, towards_deg=axis.towards_deg, order=5
    )
    return plain_dice.finish(scene.image, rng), drawn.face or str(drawn.value)


def fitted(kind: DieKind, values: tuple[int, ...], *axes: Axis) -> AxisEstimate:
    """The estimate from pictures rendered with these axes in turn."""
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


@pytest.mark.thorough
def test_a_wrong_label_gives_no_axis() -> None:
    fit = AxisFit("d6")
    for at, value in enumerate((2, 5, 3)):
        assert fit.take(*picture("d6", value, Axis(20.0, 90.0), at)) == ""
    image, _ = picture("d6", 4, Axis(20.0, 90.0), 9)
    assert fit.take(image, "3") == "3 is not seen on the die from any side: lay it with that face up"
    assert fit.shown == ("2", "5", "3")


@pytest.mark.thorough
def test_a_moved_camera_gives_no_axis_and_the_inconsistent_pictures() -> None:
    found = fitted("d6", (2, 5, 3, 6), *[Axis(30.0, 0.0)] * 3, Axis(30.0, 180.0))
    assert found == AxisEstimate(None, ("6",))
    assert found.fits == (True, True, True, False)


def test_a_die_that_was_not_turned_is_refused() -> None:
    """Far off-axis a neighboring face could be taken for the upper one, and the axis would be wrong."""
    fit, axis = AxisFit("d6"), Axis(20.0, 90.0)
    image, shown = picture("d6", 2, axis, 1)
    assert fit.take(image, shown) == ""
    noisy = np.clip(image + np.random.default_rng(5).normal(0, 2, image.shape), 0, 255).astype(np.uint8)
    for again in (image, noisy, np.asarray(image * 0.9, np.uint8)):
        for label in ("2", "3"):
            assert fit.take(again, label) == "nothing has changed since the picture of 2: turn another face up"
    assert fit.take(picture("d6", 2, axis, 2)[0], "2") == "", "it was turned, and shows the same face"
    assert fit.shown == ("2", "2")


@pytest.mark.thorough
def test_a_picture_can_be_removed() -> None:
    fit = AxisFit("d6")
    for at, value in enumerate((2, 5, 3)):
        fit.take(*picture("d6", value, Axis(0.0), at))
    assert (fit.undo(4), fit.undo(1), fit.undo(1), fit.undo(), fit.shown) == (None, "2", None, "3", ("5",))
    assert fit.take(*picture("d6", 2, Axis(0.0), 0)) == "", "what was taken back is compared with no more"
    assert [(told.label, told.crop.shape) for told in fit.pictures] == [("5", (208, 208, 3)), ("2", (208, 208, 3))]


@pytest.mark.thorough
def test_the_reason_for_no_axis_is_given() -> None:
    fit = AxisFit("d6")
    assert fit.problem(fit.found()) == "At least 3 good pictures are needed."
    for at, value in enumerate((2, 5, 3)):
        fit.take(*picture("d6", value, Axis(44.0, 250.0), at))
    assert fit.problem(fit.found()).startswith("The camera looks from more than 35 degrees aside. Put it more nearly")
    assert fit.problem(AxisEstimate(None, ("2", "5", "3"))).startswith("None of the pictures fit each other.")
    assert fit.problem(AxisEstimate(None, ("5",))).startswith("The pictures of 5 do not fit the others.")
    assert fit.problem(AxisEstimate(None, ("3n", "5"))).startswith("The pictures of night 3 and 5 do not")


@pytest.mark.parametrize(
    ("axis", "setting", "says"),
    [
        (Axis(23.4, 359.7), (23, 0), "from about 23 degrees aside, from the right edge of the picture."),
        (Axis(23.6, 44.0), (24, 44), "from about 24 degrees aside, from the upper right corner of the picture."),
        (Axis(23.0, 112.0), (23, 112), "from about 23 degrees aside, from the upper edge of the picture."),
        (Axis(23.0, 270.0), (23, 270), "from about 23 degrees aside, from the lower edge of the picture."),
        (Axis(3.9, 270.0), (4, 270), "straight down."),
    ],
)
def test_an_axis_is_described_and_configured_in_whole_degrees(axis: Axis, setting: tuple[int, int], says: str) -> None:
    assert AxisEstimate(axis).setting == setting
    assert axis_words(axis).endswith(f"The camera looks {says}")


def test_two_pictures_are_too_few_and_an_unknown_face_is_refused() -> None:
    assert fitted("d6", (2, 5), Axis(0.0)) == AxisEstimate(None)
    with pytest.raises(BadEnrollment, match="does not show '7'"):
        AxisFit("d6").take(picture("d6", 2, Axis(0.0), 1)[0], "7")
    assert AxisFit("d6").take(np.zeros((300, 300, 3), np.uint8), "2") == "no die is to be seen"
