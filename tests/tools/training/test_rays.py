"""The ray caster: its labels match its pictures."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from companion.vision.dice.axis import Axis, seen_from_above  # noqa: E402
from companion.vision.dice.faces.classifier import shared_classifier  # noqa: E402
from companion.vision.dice.faces.predictions import predicted  # noqa: E402
from tools.training.rays import arts as bank  # noqa: E402
from tools.training.rays.arts import Arts, kind_of, make_arts, make_tables  # noqa: E402
from tools.training.rays.scenes import cast_dice  # noqa: E402
from tools.training.samples.scenes import SURE  # noqa: E402


@pytest.fixture(scope="module")
def made(fonts, tmp_path_factory):
    """A few dice of some families, and table textures."""
    folder = tmp_path_factory.mktemp("bank")
    patch = pytest.MonkeyPatch()
    patch.setattr(bank, "EACH", 6)
    dice = {family: Arts.load(make_arts(folder, "held", family, 0, fonts)) for family in ("d20", "d6", "d12")}
    tables = np.load(make_tables(folder, 0, fonts))
    patch.undo()
    return dice, torch.from_numpy(np.ascontiguousarray(tables[..., ::-1].transpose(0, 3, 1, 2)))


def cast(made, family, count, seed=3):
    dice, tables = made
    generator = torch.Generator().manual_seed(seed)
    return cast_dice(dice[family], family, tables, np.random.default_rng(seed), generator, count)


@pytest.mark.parametrize("family", ["d20", "d6"])
def test_the_program_reads_in_the_pictures_what_the_labels_say(made, family):
    seen, networks = cast(made, family, 40), shared_classifier()
    images, right, asked = seen.images.permute(0, 2, 3, 1).numpy(), 0, 0
    for image, label in zip(images, seen.labels, strict=True):
        if label[2] != SURE or label[3] < 60:
            continue
        near = seen_from_above(np.ascontiguousarray(image), Axis(label[7] / 10, float(label[8])).along())
        chances = predicted(networks.raw(near), networks.calibration).faces(family)
        asked, right = asked + 1, right + (int(chances.argmax()) == label[1])
    assert asked > 15
    assert right > (0.5 if family == "d20" else 0.7) * asked  # by chance a twentieth, a sixth


def test_the_same_seeds_cast_the_same_dice(made):
    first, second = (cast(made, "d20", 3) for _ in range(2))
    assert torch.equal(first.images, second.images)
    assert np.array_equal(first.labels, second.labels)
    assert not torch.equal(first.images, cast(made, "d20", 3, seed=4).images)


def test_other_dice_have_no_value(made):
    seen = cast(made, "d12", 6)
    assert set(seen.labels[:, 0].tolist()) == {kind_of("d12")}
    assert set(seen.labels[:, 1].tolist()) == {-1}
    assert seen.images.shape == (6, 3, 208, 208)
