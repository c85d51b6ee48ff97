"""The off-axis network's training data."""

import numpy as np
import pytest

from companion.vision.dice.faces import off_axis
from companion.vision.dice.faces.off_axis import CONTEXT_PX
from tools.training.samples.fonts import Fonts
from tools.training.tilt.samples import LABELS, LabeledPicture, random_parts, samples

FACE, TILT = LABELS.index("face_deg"), LABELS.index("tilt_deg")


@pytest.fixture(scope="module")
def seen(fonts: Fonts) -> list[LabeledPicture]:
    rng = np.random.default_rng(5)
    parts = random_parts(rng, fonts, "train")
    return [each for _ in range(60) for each in samples(rng, parts)]


def test_the_wrong_face_is_most_frontal_only_far_enough_off_axis(seen: list[LabeledPicture]) -> None:
    labels = np.array([each.labels for each in seen])
    hazard, tilt, face = labels[:, 0] > 0, labels[:, TILT], labels[:, FACE]
    assert 0.15 < hazard.mean() < 0.6
    assert tilt[hazard].min() > 20.8  # half the angle between neighboring faces
    assert face[~hazard] == pytest.approx(tilt[~hazard], abs=0.1)
    assert (face[hazard] < tilt[hazard]).all()
    assert np.hypot(labels[:, 1], labels[:, 2]) == pytest.approx(np.sin(np.radians(tilt)), abs=1e-4)


def test_the_upper_face_tilts_away_from_the_camera(seen: list[LabeledPicture]) -> None:
    above = np.array([each.labels for each in seen if each.labels[0] == 0 and each.labels[TILT] > 5])
    assert (np.sum(above[:, 1:3] * above[:, 3:5], axis=1) < 0).all()


def test_pictures_are_as_large_as_said_and_the_same_seed_paints_the_same(
    fonts: Fonts, seen: list[LabeledPicture]
) -> None:
    assert {each.image.shape for each in seen} == {(CONTEXT_PX, CONTEXT_PX, 3)}
    rng = np.random.default_rng(5)
    again = samples(rng, random_parts(rng, fonts, "train"))
    assert np.array_equal(again[0].image, seen[0].image)


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_directions_turn_as_pictures_do(is_mirrored: bool) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from tools.training.tilt.fit import rotated_directions

    image = np.zeros((CONTEXT_PX, CONTEXT_PX, 3), np.uint8)
    image[CONTEXT_PX // 2 - 6 : CONTEXT_PX // 2 + 6, -35:-25] = 255  # a spot to the right
    for up in (0.0, 37.0, 90.0, 200.0):
        crop = off_axis.rotate_upright(image, up, is_mirrored=is_mirrored)
        ys, xs = np.nonzero(crop[..., 0] > 127)
        rotated = rotated_directions(np.array([0.4, 0, -0.2, 0], np.float32), up, is_mirrored=is_mirrored)
        spot = np.array([xs.mean(), ys.mean()]) - (off_axis.UPRIGHT_PX - 1) / 2
        assert spot @ rotated[:2] == pytest.approx(np.linalg.norm(spot) * 0.4, rel=0.01)
        assert rotated[2:] == pytest.approx(-rotated[:2] / 2)
