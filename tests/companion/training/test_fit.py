"""Training goes through: what is exported says what was trained, and OpenCV reads it as PyTorch does."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from click.testing import CliRunner

from companion.cli.train import command
from companion.training.augment import batch_input, plain
from companion.training.calibrate import Network, checksums, look_at, temperatures
from companion.training.shards import Samples, load_shards, make_shard, shard_path

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "onnx"))
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="the extra `train` (PyTorch) is not installed")


@needs_torch
def test_a_few_seconds_of_training_lower_the_loss_and_are_kept(few, tmp_path):
    from companion.training.fit import fit

    told = []
    fit((few,), minutes=0.12, seed=1, keep=tmp_path / "kept.pt", tell=told.append)
    assert (tmp_path / "kept.pt").exists()
    assert told[-1].loss < told[0].loss
    assert told[-1].seen > 96


@needs_torch
def test_the_exported_file_says_the_same_as_the_model(few, tmp_path):
    import torch

    from companion.training.export import export
    from companion.training.network import OUTPUTS, DiceNet, parameters_of

    torch.manual_seed(3)
    model = DiceNet().eval()
    export(model, tmp_path / "dice.onnx")
    assert (tmp_path / "dice.onnx").stat().st_size <= 2 * 1024 * 1024
    assert parameters_of(model) < 500_000
    crops = [plain(image) for image in few.images[:5]]
    by_opencv = Network(tmp_path / "dice.onnx").run(crops)
    with torch.no_grad():
        by_torch = model(torch.from_numpy(batch_input(crops)))
    for name, wanted in zip(OUTPUTS, by_torch, strict=True):
        assert np.allclose(by_opencv[name], wanted.numpy(), atol=1e-3), name
    assert np.allclose(np.linalg.norm(by_opencv["embedding"], axis=1), 1.0, atol=1e-4)
    assert set(checksums(Network(tmp_path / "dice.onnx"))) == set(OUTPUTS)
    looks, labels = look_at(Network(tmp_path / "dice.onnx"), [Samples(few.images[:40], few.labels[:40])])
    assert len(looks) == 4
    assert len(looks[0]["d20"]) == len(labels) == 40
    assert set(temperatures(looks, labels)) == {"kind", "d20", "d6", "rugen"}


@needs_torch
def test_an_unmarked_6_may_be_a_9_and_a_leaning_die_anything():
    import torch

    from companion.training.fit import targets
    from companion.training.scenes import SIX_OR_NINE, SURE, UNREADABLE

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
