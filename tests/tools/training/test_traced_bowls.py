"""The bowls that the path tracer shows are those that the caster knows."""

# ruff: noqa: E402

from __future__ import annotations

import importlib.util
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")  # the extra `train`

from tools.training.bowls import parts, traced
from tools.training.bowls.casting.hits import met, rays_of
from tools.training.bowls.casting.scenes import Bank, Chance, chance_scenes
from tools.training.bowls.course import SMALL, Course
from tools.training.bowls.stock import Shots, Stock
from tools.training.bowls.supply import Supply
from tools.training.samples.fonts import Fonts

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("mitsuba"), reason="Mitsuba is not installed")
FEW: dict[parts.Part, int] = {"dice": 3, "surfaces": 3, "lights": 2, "throws": 8}


@pytest.fixture(scope="module")
def bank(fonts: Fonts, tmp_path_factory: pytest.TempPathFactory) -> Bank:
    made = tmp_path_factory.mktemp("parts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PARTS", FEW)
        for part in FEW:
            parts.make(part, made / f"{part}-00000.npz", 5, fonts)
    supply = Supply(made, torch.device("cpu"))
    supply.renew()
    return supply.bank


@pytest.fixture(scope="module")
def files(bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("traced")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traced, "PART", 3)
        return [traced.make_traced(folder / f"bowls-1-{number:04d}.npz", bank, 1, number) for number in range(2)]


def test_a_die_is_where_the_caster_meets_it(bank: Bank) -> None:
    """What changes in the picture when the dice are taken away is what the caster says shows dice, and their shadow."""
    chance = Chance(torch.Generator().manual_seed(3))
    scenes = chance_scenes(bank, chance, 6, "close", 96, few=3)
    row = int(scenes.there.sum(dim=1).argmax())
    bare = replace(scenes, there=torch.zeros_like(scenes.there))
    with_dice, without = (traced.picture_of(each, bank, row, np.random.default_rng(4)) for each in (scenes, bare))
    dice = (met(scenes, bank, rays_of(scenes)).what[row].view(96, 96) > 0).numpy()
    assert dice.sum() > 300
    ratio = (with_dice.mean(axis=2) + 0.02) / (without.mean(axis=2) + 0.02)
    changed = np.abs(np.log(ratio / np.median(ratio[~dice]))) > 0.2  # the exposure differs
    assert changed[dice].mean() > 0.8
    assert changed[dice].mean() > 2 * changed[~dice].mean()


def test_files_are_made_once_and_hold_what_the_training_needs(bank: Bank, files: list[Path]) -> None:
    shots = traced.load_traced(files, parts.MOST, torch.device("cpu"))
    assert len(shots) == 6
    assert shots.picture.shape == (6, 3, 192, 192)
    assert shots.seen.shape == (6, parts.MOST)
    kept = files[0].stat().st_mtime_ns
    assert traced.make_traced(files[0], bank, 1, 0).stat().st_mtime_ns == kept


def test_the_same_numbers_make_the_same_bowls(bank: Bank, files: list[Path], tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traced, "PART", 3)
        again = traced.make_traced(tmp_path / "again.npz", bank, 1, 1)
    with np.load(files[1]) as one, np.load(again) as other:
        for each in fields(Shots):
            if each.name != "picture":  # the tracer's threads add in any order
                assert np.array_equal(one[each.name], other[each.name]), each.name
        assert np.abs(one["picture"].astype(int) - other["picture"]).mean() < 2


def test_close_ups_come_from_both_painters(bank: Bank, files: list[Path]) -> None:
    stock = Stock("close", 12)
    chance = Chance(torch.Generator().manual_seed(1))
    stock.add(bank, chance, 6)
    shots = traced.load_traced(files, parts.MOST, torch.device("cpu"))
    supply = Supply(Path(), torch.device("cpu"), dict(bank))  # type: ignore[arg-type]
    course = Course({}, supply, chance, SMALL, {"close": stock}, shots)
    assert [(len(each), among, round(share, 2)) for each, among, share in course._sources()] == [
        (12, 6, 0.45),
        (6, 6, 0.4),
    ]
    assert [share for _, _, share in Course({}, supply, chance, SMALL, {"close": stock})._sources()] == [0.75]
