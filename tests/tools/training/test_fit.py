"""Training of the face networks: exported networks give the same outputs in OpenCV as in PyTorch."""

import importlib.util
import itertools
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

import companion.vision.dice
from companion.vision.dice.axis import Axis, seen_from_above
from companion.vision.dice.faces.classifier import NO_AUGMENTATION, Classifier
from companion.vision.dice.faces.nets import Net
from companion.vision.dice.faces.upright import number_crop, whole_crop
from tools.training.__main__ import command
from tools.training.calibrate import checksums, fit_temperatures, predict_all
from tools.training.samples.dataset import Samples, load_shards, make_shard, shard_path

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "onnx"))
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="the extra `train` (PyTorch) is not installed")


@needs_torch
@pytest.mark.parametrize("name", ["DiceTask", "NumberTask"])
def test_a_little_training_lowers_the_loss_and_is_kept(few, tmp_path, name, monkeypatch):
    from tools.training import tasks
    from tools.training.fit import fit
    from tools.training.pool import Pool

    ticks = itertools.count()
    monkeypatch.setattr("tools.training.fit.time.monotonic", lambda: float(next(ticks)))
    told = []
    learnt = {name: getattr(tasks, name)()}
    fit(learnt, Pool.of((few, few, few)), minutes=1.0, seed=1, keep={name: tmp_path / "kept.pt"},
        report=lambda _, progress: told.append(progress))  # fmt: skip
    assert (tmp_path / "kept.pt").exists()
    assert told[-1].loss < told[0].loss
    assert told[-1].seen > 96


@needs_torch
def test_d6_with_numerals_are_learnt_from_more_often(few):
    import torch

    from tools.training.augment import BatchRng
    from tools.training.pool import KIND, NOTE, TILT, UP, Pool
    from tools.training.tasks import DiceTask

    pool, rng = Pool.of((few,)), BatchRng(1, torch.device("cpu"))
    pool.labels[:, [NOTE, TILT]] = 0
    pool.labels[:, KIND] = torch.arange(pool.count) % 2  # half are d6
    pool.labels[:, UP] = torch.where(torch.arange(pool.count) % 4 == 1, 90, -1)  # half of them with numerals
    learnt = torch.cat([DiceTask().batch(pool, 64, rng)[1] for _ in range(30)])
    with_numerals, with_pips = ((learnt[:, 0] == 1) & has for has in (learnt[:, 3] >= 0, learnt[:, 3] < 0))
    assert 1.3 < float(with_numerals.sum() / with_pips.sum()) < 2


@needs_torch
def test_the_exported_files_say_the_same_as_the_models(few, tmp_path):
    import torch

    from tools.training.augment import batch_input
    from tools.training.export import export
    from tools.training.network import NUMBER_OUTPUTS, OUTPUTS, DiceNet, NumberNet

    torch.manual_seed(3)
    cases = ((DiceNet(), OUTPUTS, whole_crop), (NumberNet(), NUMBER_OUTPUTS, lambda near: number_crop(near, 20.0)))
    for model, outputs, cut in cases:
        path = tmp_path / "net.onnx"
        export(model.eval(), path)
        assert path.stat().st_size <= 3 * 1024 * 1024
        exported = (p.numel() for name, p in model.named_parameters() if not name.startswith("known"))
        assert sum(exported) < 1_300_000
        crops = [cut(image) for image in few.images[:5]]
        by_runtime = Net(path.read_bytes(), outputs).run(crops)
        with torch.no_grad():
            by_torch = model(torch.from_numpy(batch_input(crops, crops[0].shape[0])))
        for name, wanted in zip(outputs, by_torch, strict=True):
            assert np.allclose(by_runtime[name], wanted.numpy(), atol=5e-3), name
        assert np.allclose(np.linalg.norm(by_runtime["embedding"], axis=1), 1.0, atol=1e-3)


@needs_torch
@pytest.mark.parametrize("name", ["dice", "number", "finder"])
def test_training_can_go_on_from_the_program_s_networks(name, tmp_path):
    """Loaded weights give the same outputs, and every weight is trainable; also after an interrupted training."""
    import torch

    from tools.training.fit import load_weights
    from tools.training.network import DiceNet, NumberNet

    file = Path(companion.vision.dice.__file__).parent / "models" / f"{name}.onnx"
    seen = np.random.default_rng(1).random((3, 3, 64 if name == "number" else 96, 64 if name == "number" else 96))
    given = torch.tensor(seen, dtype=torch.float32)
    if name == "finder":
        from tools.training.finder.fit import _initial_model

        models = [_initial_model(file)]
        torch.save(models[0].state_dict(), tmp_path / "kept.pt")
        models.append(_initial_model(tmp_path / "kept.pt"))
    else:
        models = [DiceNet(), DiceNet()] if name == "dice" else [NumberNet(), NumberNet()]
        load_weights(models[0], file)
        torch.save(models[0].state_dict(), tmp_path / "kept.pt")
        load_weights(models[1], tmp_path / "kept.pt")
    wanted = cv2.dnn.readNetFromONNX(str(file))
    wanted.setInput(given.numpy())
    by_file = wanted.forward(wanted.getUnconnectedOutLayersNames()[0])
    for model in models:
        assert all(weights.requires_grad for weights in model.parameters())
        with torch.no_grad():
            said = model.eval()(given)
        first = said if name == "finder" else said[0]
        assert np.allclose(first.numpy(), by_file, atol=1e-3)


@needs_torch
def test_a_network_stays_near_the_earlier_one():
    import torch

    from tools.training.finder.fit import _initial_model
    from tools.training.fit import average_weights

    file = Path(companion.vision.dice.__file__).parent / "models" / "finder.onnx"
    earlier, later = _initial_model(file), _initial_model(file)
    with torch.no_grad():
        for weights in later.parameters():
            weights += 1.0
    average_weights(later, _initial_model(file), 0.2)
    for before, after in zip(earlier.parameters(), later.parameters(), strict=True):
        assert torch.allclose(after, before + 0.8, atol=1e-5)


@needs_torch
def test_weights_of_another_shape_are_left_out(tmp_path):
    import torch

    from tools.training.fit import load_weights
    from tools.training.network import DiceNet

    earlier = DiceNet()
    saved = earlier.state_dict()
    saved["embed.weight"] = torch.zeros(3, 3)
    torch.save(saved, tmp_path / "dice.pt")
    model = DiceNet()
    assert load_weights(model, tmp_path / "dice.pt") == ("embed.weight",)
    assert torch.equal(model.state_dict()["turn.0.weight"], saved["turn.0.weight"])


@needs_torch
def test_a_direction_is_likeliest_where_the_head_points():
    import torch

    from tools.training.tasks import directions

    chances = directions(torch.tensor([0.0, 355.0, 91.0]))
    assert chances.argmax(dim=1).tolist()[0] == 0
    assert chances[1, 0] == pytest.approx(float(chances[1, 35]), abs=1e-4)
    assert torch.allclose(chances.sum(dim=1), torch.ones(3))


@pytest.mark.thorough
def test_held_out_samples_are_looked_at_and_calibrated(few):
    classifier = Classifier()
    looks, labels = predict_all(classifier, [few])
    assert len(looks) == len(labels) == (few.labels[:, 7] <= 350).sum()
    plain = looks[0][0]
    assert plain.whole["d20"].shape == (2, 20)
    assert 1 <= len(plain.numbers) <= 4
    assert plain.numbers.shape[1] == 21
    assert {"kind", "d20", "d6", "rugen", "number", "face"} <= set(fit_temperatures(looks, labels))
    assert {name.split()[0] for name in checksums(classifier)} == {"dice", "number"}


def test_dice_seen_aslant_are_calibrated_as_the_program_sees_them(few):
    """Rectified with a known axis; with an unknown axis only dice that must not be answered are counted."""

    class RecordingClassifier:
        """A classifier that records the pictures it gets and returns empty predictions."""

        def __init__(self):
            self.nears, self.seen = [], Classifier().raw(np.zeros((208, 208, 3), np.uint8))

        def raw(self, near, augmentation):
            if augmentation == NO_AUGMENTATION:
                self.nears.append(near.copy())
            return self.seen

        def neighbor_faces(self, near, raw):
            return Classifier().neighbor_faces(near, raw)

    images, labels = few.images[:4], few.labels[:4].copy()
    labels[:, 7:] = [(0, 0), (200, 90), (300, 180), (360, 0)]
    known, unknown = RecordingClassifier(), RecordingClassifier()
    some = Samples(images, labels)
    assert predict_all(known, [some])[1][:, 7].tolist() == [0, 200, 300]
    assert predict_all(unknown, [some], knows_axis=False)[1][:, 7].tolist() == [200, 300]
    assert np.array_equal(known.nears[0], images[0])
    assert np.array_equal(known.nears[2], seen_from_above(np.ascontiguousarray(images[2]), Axis(30.0, 180.0).along()))
    assert np.array_equal(unknown.nears[0], images[1])


@needs_torch
def test_an_unmarked_6_may_be_a_9_and_a_leaning_die_anything():
    import torch

    from tools.training.samples.scenes import SIX_OR_NINE, SURE, UNREADABLE
    from tools.training.tasks import targets

    wanted = targets(torch.tensor([16, 5, 3]), torch.tensor([SURE, SIX_OR_NINE, UNREADABLE]), 20)
    assert wanted[0].argmax() == 16
    assert wanted[1, 5] == wanted[1, 8] == 0.5
    assert torch.allclose(wanted[2], torch.full((20,), 0.05))
    assert torch.allclose(wanted.sum(dim=1), torch.ones(3))


@pytest.mark.skipif(HAS_TORCH, reason="PyTorch is installed")
def test_without_pytorch_the_command_says_what_to_install(tmp_path):
    result = CliRunner().invoke(command, ["dice", "--out", str(tmp_path / "out")])
    assert result.exit_code != 0
    assert "torch" in str(result.exception)
    assert 'pip install "table-companion[train]"' in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_shard_that_is_there_is_not_rendered_again(few, tmp_path):
    path = shard_path(tmp_path, "train", 7, 0)
    np.save(path, few.images)
    np.save(path.with_suffix(".labels.npy"), few.labels)
    assert make_shard(path, "train", 7, 0) == path
    (loaded,) = load_shards((path,))
    assert np.array_equal(loaded.images[3], few.images[3])
    assert len(loaded) == 60
