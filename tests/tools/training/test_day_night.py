"""The day/night network's training data, and that training lowers its loss."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from companion.vision.dice.faces.day_night import DAY_NIGHT_OUTPUTS, night_logit, views_of
from companion.vision.dice.faces.nets import Net
from tools.training.samples.dataset import Samples
from tools.training.samples.fonts import Fonts
from tools.training.samples.scenes import KINDS, SURE

if not all(importlib.util.find_spec(name) for name in ("torch", "onnx")):
    pytest.skip("the extra `train` (PyTorch) is not installed", allow_module_level=True)

import torch

import tools.training.day_night as training
from tools.training.augment import BatchRng
from tools.training.day_night import DayNightNet, DayNightPlan, DayNightTask, NoSamples, pool_of, train_day_night
from tools.training.fit import load_weights
from tools.training.pool import KIND, NOTE, VALUE

needs_mitsuba = pytest.mark.skipif(not importlib.util.find_spec("mitsuba"), reason="Mitsuba is not installed")


def dice() -> Samples:
    """Discs that are dark by night, among samples that are excluded from training."""
    rng = np.random.default_rng(3)
    labels = np.zeros((160, 9), np.int16)
    labels[:, KIND] = np.where(np.arange(160) % 5, KINDS.index("rugen"), 0)
    labels[:, VALUE] = rng.integers(0, 8, 160)
    labels[:, NOTE] = np.where(np.arange(160) % 7, SURE, SURE + 2)
    labels[:, 4] = -1
    gray = np.where(labels[:, VALUE] % 2 == 1, 60, 190)
    images = rng.integers(-20, 20, (160, 208, 208, 3)) + gray[:, None, None, None]
    return Samples(images.astype(np.uint8), labels)


def test_it_learns_from_legible_day_and_night_dice_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "load_shards", lambda paths: [dice()])
    pool = pool_of([Path("a"), Path("b")], [], 1)
    assert pool.count == 2 * sum(k % 5 > 0 and k % 7 > 0 for k in range(160))
    assert set(pool.labels[:, KIND].tolist()) == {KINDS.index("rugen")}
    with pytest.raises(NoSamples, match="traced --day-night"):
        pool_of([], [], 1)


def test_some_steps_tell_dark_from_light(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "load_shards", lambda paths: [dice()])
    torch.manual_seed(1)
    pool, task, rng = pool_of([Path("a")], [], 1), DayNightTask(), BatchRng(1, torch.device("cpu"))
    model = task.network()
    steps, costs = torch.optim.Adam(model.parameters(), lr=3e-3), []
    for _ in range(60):
        inputs, labels = task.batch(pool, 32, rng)
        cost, _ = task.loss(model, model(inputs), labels)
        steps.zero_grad()
        cost.backward()
        steps.step()
        costs.append(float(cost.detach()))
    assert np.mean(costs[-15:]) < 0.6 * np.mean(costs[:5])


def test_what_is_trained_is_what_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "load_shards", lambda paths: [dice()])
    monkeypatch.setattr(training, "load_parts", lambda paths: paths)
    monkeypatch.setattr(training, "close_crops", lambda shots, rng, each: dice())
    right, told = train_day_night(
        DayNightPlan(tmp_path, 0.02, 1, [Path("a")], [Path("b"), Path("c")]), lambda step, done, total: None
    )
    assert 0 <= right <= told > 0
    assert load_weights(DayNightNet(), tmp_path / "daynight.onnx") == (), "the next go begins with it"
    views = views_of(np.full((208, 208, 3), 90, np.uint8))
    assert np.isfinite(night_logit(Net(tmp_path / "daynight.onnx", DAY_NIGHT_OUTPUTS).run(views)))


@needs_mitsuba
def test_path_traced_day_and_night_dice_are_nothing_else(fonts: Fonts) -> None:
    from tools.training.traced.scene import random_shot

    shots = [random_shot(np.random.default_rng(seed), fonts, "train", day_night=True) for seed in range(3)]
    labels = np.concatenate([shot.labels for shot in shots])
    assert set(labels[:, KIND].tolist()) == {KINDS.index("rugen")}
