"""The finder's training: boxes match the dice in the scenes, and training on them works."""

import importlib.util

import numpy as np
import pytest

from tools.training.finder.bank import Tile, random_tile
from tools.training.finder.scenes import SIDE, Scene, near_picture_edge, random_scene
from tools.training.samples.fonts import Fonts

HAS_TORCH = all(importlib.util.find_spec(name) for name in ("torch", "onnx"))
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="the extra `train` (PyTorch) is not installed")


@pytest.fixture(scope="module")
def tiles(fonts: Fonts) -> list[Tile]:
    rng = np.random.default_rng(5)
    return [random_tile(rng, fonts) for _ in range(12)]


@pytest.fixture(scope="module")
def scenes(tiles: list[Tile], fonts: Fonts) -> list[Scene]:
    rng = np.random.default_rng(6)
    return [random_scene(rng, tiles, fonts) for _ in range(40)]


def test_a_tile_is_a_die_cut_out_closely(tiles: list[Tile]) -> None:
    for tile in tiles:
        assert tile.image.shape[:2] == tile.alpha.shape
        inked = tile.alpha > 0.5
        assert 0.5 < inked.mean() < 1, "a die fills most of its box, and not its corners"
        assert inked.any(axis=0).mean() > 0.9 < inked.any(axis=1).mean()
    assert {tile.lean_deg > 0 for tile in tiles} == {True, False}


def test_the_same_seed_gives_the_same_scenes(tiles: list[Tile], fonts: Fonts, scenes: list[Scene]) -> None:
    again = random_scene(np.random.default_rng(6), tiles, fonts)
    assert np.array_equal(again.picture, scenes[0].picture)
    assert np.array_equal(again.boxes, scenes[0].boxes)


def test_a_scene_at_an_edge_loses_none_of_its_dice(scenes: list[Scene]) -> None:
    rng = np.random.default_rng(8)
    changed = 0
    for scene in scenes:
        there = near_picture_edge(scene, rng)
        assert there.boxes is scene.boxes
        changed += not np.array_equal(there.picture, scene.picture)
        for box in scene.boxes:
            left, top, right, bottom = (int(v) for v in np.clip(np.rint(box[:4]), 0, SIDE))
            assert np.array_equal(there.picture[top:bottom, left:right], scene.picture[top:bottom, left:right])
    assert changed > len(scenes) / 2


@needs_torch
def test_scenes_are_kept_and_taken_up_again(fonts: Fonts, tmp_path, monkeypatch) -> None:
    from tools.training.finder import fit

    made = fit._make_scenes((3, 0), 2, 6, fonts, "train", tmp_path)
    monkeypatch.setattr(fit, "random_scene", lambda *_: pytest.fail("made again"))
    for scene, again in zip(made, fit._make_scenes((3, 0), 2, 6, fonts, "train", tmp_path), strict=True):
        assert np.array_equal(scene.picture, again.picture)
        assert np.array_equal(scene.boxes, again.boxes)


def test_boxes_lie_in_the_picture_and_some_pictures_have_none(scenes: list[Scene]) -> None:
    counts = {len(scene.boxes) for scene in scenes}
    assert 0 in counts
    assert max(counts) > 2
    for scene in scenes:
        assert scene.picture.shape == (SIDE, SIDE, 3)
        assert (scene.boxes[:, 2:4] > scene.boxes[:, :2]).all()
        assert (scene.boxes[:, :4] >= 0).all()
        assert (scene.boxes[:, :4] <= SIDE).all()


def test_a_die_stands_where_its_box_is(tiles: list[Tile], fonts: Fonts) -> None:
    """The same table with and without a die differs inside the die's box."""
    rng = np.random.default_rng(31)
    scene = next(s for _ in range(200) if len((s := random_scene(rng, tiles, fonts)).boxes) == 1 and _is_plain(s))
    left, top, right, bottom = (int(v) for v in scene.boxes[0, :4])
    inside = scene.picture[top:bottom, left:right].reshape(-1, 3).astype(float)
    around = scene.picture[max(0, top - 6) : bottom + 6, max(0, left - 6) : right + 6].reshape(-1, 3).astype(float)
    assert inside.std(axis=0).max() > 0.8 * around.std(axis=0).max()


def _is_plain(scene: Scene) -> bool:
    left, top, right, bottom = scene.boxes[0, :4]
    return bool(min(left, top) > 8 and max(right, bottom) < SIDE - 8 and 25 < right - left < 60)


@needs_torch
def test_what_the_network_shall_say_is_what_the_program_reads_off() -> None:
    """Reading the target maps of two dice with `heat.peaks` returns their boxes."""
    from companion.vision.dice.finding.heat import peaks
    from tools.training.finder.net import target_maps

    boxes = np.array([[20, 30, 60, 66, 0], [90, 100, 118, 126, 10]], np.float32)
    wanted = target_maps([boxes, np.zeros((0, 5), np.float32)])
    maps = np.concatenate([(wanted.heat * 8 - 4)[:, None].numpy(), wanted.box.numpy()], axis=1).astype(np.float32)
    found = sorted(peaks(maps[0], 3.9), key=lambda spot: spot.x)
    assert [(spot.x, spot.y) for spot in found] == [pytest.approx((40, 48)), pytest.approx((104, 113))]
    assert [(spot.width, spot.height) for spot in found] == [pytest.approx((40, 36)), pytest.approx((28, 26))]
    assert [spot.lean_deg for spot in found] == [pytest.approx(0), pytest.approx(10)]
    assert peaks(maps[1], 3.9) == []


@needs_torch
def test_a_die_that_is_cut_off_or_too_small_is_neither_wanted_nor_forbidden() -> None:
    from tools.training.finder.net import target_maps

    cut_off, small = [0, 50, 30, 80, 0], [100, 100, 108, 108, 0]
    wanted = target_maps([np.array([cut_off, small], np.float32)])
    assert float(wanted.heat.max()) == 0
    assert float(wanted.seen[0, 15, 3]) == float(wanted.seen[0, 26, 26]) == 0
    assert float(wanted.seen[0, 2, 30]) == 1


@needs_torch
def test_a_few_seconds_lower_the_loss_and_the_file_says_what_the_model_says(scenes: list[Scene], tmp_path) -> None:
    import torch

    from companion.vision.dice.finding.heat import HeatNet
    from tools.training.finder.fit import FinderPlan, finder_card, fit_finder, measure
    from tools.training.finder.net import export_finder, loss_of, target_maps

    plan = FinderPlan(tmp_path, minutes=0.1, seed=2)
    model = fit_finder(scenes, plan)
    pictures = np.stack([scene.picture for scene in scenes])[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
    wanted = target_maps([scene.boxes for scene in scenes])
    with torch.no_grad():
        maps = model(torch.from_numpy(np.ascontiguousarray(pictures)))
        assert float(loss_of(maps, wanted)[0]) < 6
    export_finder(model, tmp_path / "finder.onnx")
    assert (tmp_path / "finder.onnx").stat().st_size < 500_000
    net = HeatNet((tmp_path / "finder.onnx").read_bytes())
    assert np.allclose(net.maps(np.stack([scene.picture for scene in scenes[:2]])), maps[:2].numpy(), atol=1e-2)
    assert "python -m tools.training finder" in finder_card(plan, measure(net, scenes))
