"""A lamp reflection makes a night face look light: a dedicated network decides between day and night."""

from dataclasses import replace

import numpy as np
import plain_dice
import pytest

from companion.objects.dice import DAY_NIGHT, DIE_KINDS
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import gather, judge
from companion.vision.dice.faces.classifier import Classifier, has_network
from companion.vision.dice.faces.day_night import night_logit, views_of, with_night_odds
from companion.vision.dice.faces.predictions import FACE_ORDER
from companion.vision.dice.faces.upright import close_crop

pytestmark = pytest.mark.skipif(not has_network(), reason="the networks are not trained yet")


def test_confident_face_networks_still_need_its_agreement():
    """A night face with a lamp reflection was day with 0.9999."""
    sure = np.full(8, 1e-5)
    sure[FACE_ORDER.index("4d")] = 1 - sure[1:].sum()
    assert with_night_odds(sure, 1.0)[FACE_ORDER.index("4d")] < 0.9
    assert with_night_odds(sure, -4.0)[FACE_ORDER.index("4d")] > 0.99
    assert with_night_odds(sure, 6.0).argmax() == FACE_ORDER.index("4n")


def test_it_does_not_change_the_number():
    rng = np.random.default_rng(2)
    for _ in range(20):
        faces = rng.dirichlet(np.ones(8)).astype(np.float32)
        told = with_night_odds(faces, float(rng.normal(0, 4)))
        assert told.sum() == pytest.approx(1.0, abs=1e-5)
        assert told.reshape(4, 2).sum(axis=1) == pytest.approx(faces.reshape(4, 2).sum(axis=1), abs=1e-5)


def drawn(value, rng):
    scene = plain_dice.Scene(plain_dice.ground("felt", (330, 300), rng))
    die = plain_dice.put(scene, "rugen", value, (165, 150), 115, plain_dice.random_look(rng), rng, order=5)
    return plain_dice.finish(scene.image, rng), DieBox(die.box, 1.0), die.face


@pytest.mark.thorough
def test_both_halves_are_recognized_on_unseen_dice():
    rng, networks = np.random.default_rng(8), Classifier()
    right = 0
    for value in range(1, 21):
        picture, box, face = drawn(value, rng)
        night = night_logit(networks.day_night_net.run(views_of(close_crop(picture, box))))
        right += (night > 0) == face.endswith("n")
    assert right >= 18


def test_a_die_that_it_contradicts_has_no_value(monkeypatch: pytest.MonkeyPatch):
    networks, rng = Classifier(), np.random.default_rng(4)
    picture, box, face = drawn(7, rng)
    seen = gather(picture, box, networks)
    assert judge([replace(seen, off_axis=None)], DIE_KINDS, networks.calibration).face == face
    other = -2.0 if face.endswith("n") else 2.0
    monkeypatch.setattr("companion.vision.dice.faces.classifier.night_logit", lambda outputs: other)
    doubted = judge([replace(gather(picture, box, networks), off_axis=None)], DIE_KINDS, networks.calibration)
    assert (doubted.kind, doubted.value, doubted.reason) == (DAY_NIGHT, None, "not sure")
