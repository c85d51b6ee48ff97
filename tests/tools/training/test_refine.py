"""The refiner's training: labels of crops, and that a few seconds of training lower the loss."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from companion.vision.dice.boxes import DieBox
from tools.training.finder.bank import random_tile
from tools.training.finder.scenes import random_scene
from tools.training.samples.fonts import Fonts
from tools.training.samples.prints import busy_print

if not all(importlib.util.find_spec(name) for name in ("torch", "onnx")):
    pytest.skip("the extra `train` (PyTorch) is not installed", allow_module_level=True)

from tools.training.finder import refine
from tools.training.finder.refine import LabeledPicture, label_of, random_crop, with_detections

SHAPE = (480, 640, 3)
DICE = np.array([[100, 100, 140, 144], [300, 100, 340, 140], [345, 100, 385, 140]], np.float32)


@pytest.fixture(scope="module")
def made(fonts: Fonts) -> list[LabeledPicture]:
    rng = np.random.default_rng(5)
    tiles = [random_tile(rng, fonts) for _ in range(12)]
    scenes = [random_scene(rng, tiles, fonts, sizes=(24.0, 70.0), prints=0.5, pairs=False) for _ in range(40)]
    return [with_detections(scene.picture, scene.boxes) for scene in scenes]


def test_a_look_near_a_die_tells_the_dies_box() -> None:
    label = label_of(DieBox((104, 96, 44, 44), 0.5), DICE, SHAPE)
    assert label[:2].tolist() == [1, 1]
    assert label[2:4] * 44 == pytest.approx([-6, 4])
    assert 44 * np.exp(label[4:6]) == pytest.approx([40, 44])
    assert label[6] == 1


@pytest.mark.parametrize(
    ("box", "why"),
    [((200, 200, 40, 40), "nothing lies there"), ((114, 116, 12, 12), "a pip on a die"),
     ((60, 60, 160, 160), "a tray with a die in it")],
)  # fmt: skip
def test_what_is_no_die_is_to_be_called_none(box: tuple[int, int, int, int], why: str) -> None:
    assert label_of(DieBox(box, 0.5), DICE, SHAPE)[[0, 1, 6]].tolist() == [0, 1, 0], why


@pytest.mark.parametrize(
    ("box", "why"),
    [((116, 112, 40, 44), "a third of a die"), ((322, 100, 40, 40), "two dice, half of each")],
)
def test_what_cannot_be_told_teaches_nothing(box: tuple[int, int, int, int], why: str) -> None:
    assert label_of(DieBox(box, 0.5), DICE, SHAPE)[1] == 0, why


def test_a_die_cut_off_by_the_pictures_edge_teaches_nothing() -> None:
    box = DieBox((100, 100, 40, 44), 0.5)
    assert label_of(box, DICE, SHAPE)[1] == 1
    assert label_of(box, DICE, (144, 640, 3)).tolist() == [0] * 7


def test_looks_are_at_dice_and_at_what_the_finder_takes_for_some(made: list[LabeledPicture]) -> None:
    rng = np.random.default_rng(1)
    crops = [crop for labeled in made for _ in range(5) if (crop := random_crop(labeled, rng)) is not None]
    assert all(crop.shape == (96, 96, 3) for crop, _ in crops)
    share = np.mean([label[0] for _, label in crops])
    assert 0.15 < share < 0.75


def test_prints_are_lively_and_the_same_for_the_same_chance(fonts: Fonts) -> None:
    one, again = (busy_print(np.random.default_rng(9), 160, fonts) for _ in range(2))
    assert np.array_equal(one, again)
    spreads = [busy_print(np.random.default_rng(k), 160, fonts).std() for k in range(12)]
    assert np.median(spreads) > 15


def test_pictures_are_kept_and_taken_up_again(fonts: Fonts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine, "_PICTURES_PER_FILE", 8)
    path = refine._painted((3, 0), fonts, "train", tmp_path)
    monkeypatch.setattr(refine, "random_scene", lambda *_, **__: pytest.fail("made again"))
    assert refine._painted((3, 0), fonts, "train", tmp_path) == path
    kept = refine._load(path)
    assert len(kept) == 8
    assert all(labeled.dice.shape[1] == labeled.seen.shape[1] == 4 for labeled in kept)


def test_a_few_seconds_lower_the_loss_and_the_file_says_what_the_model_says(
    made: list[LabeledPicture], tmp_path: Path
) -> None:
    import torch

    from companion.vision.dice.finding.refiner import BoxRefiner

    losses: list[float] = []
    plan = refine.RefinerPlan(tmp_path, 0.1, 2, 0, tmp_path)
    model = refine.fit_refiner(made, plan, lambda step, *_: losses.append(float(step.rsplit(" ", 1)[1])))
    assert losses[-1] < losses[0]
    refine.export_refiner(model, tmp_path / "refiner.onnx")
    assert (tmp_path / "refiner.onnx").stat().st_size < 500_000
    rng = np.random.default_rng(3)
    crops = np.stack([crop[0] for labeled in made if (crop := random_crop(labeled, rng)) is not None][:8])
    inputs = torch.from_numpy(np.ascontiguousarray(crops[..., ::-1].transpose(0, 3, 1, 2)).astype(np.float32) / 255)
    with torch.no_grad():
        outputs = model(inputs).numpy()
    assert np.allclose(BoxRefiner(tmp_path / "refiner.onnx").outputs(crops), outputs, atol=0.05)
    found = refine.measure(BoxRefiner(tmp_path / "refiner.onnx"), made)
    assert found.dice > 0
    assert found.kept <= found.dice
    assert "python -m tools.training refiner" in refine.refiner_card(plan, found)
