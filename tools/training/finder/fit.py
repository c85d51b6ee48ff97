"""Renders scenes, trains, exports and measures the finder, and writes its model card."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final, cast

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from companion.vision.dice.finding.heat import DETECTABLE_PX, HeatNet, Peak, peaks
from tools.training.export import fuse_batch_norms, load_onnx_weights
from tools.training.finder.bank import random_tile
from tools.training.finder.net import FinderNet, TargetMaps, export_finder, loss_of, target_maps
from tools.training.finder.scenes import SIDE, Scene, near_picture_edge, random_scene
from tools.training.fit import average_weights
from tools.training.network import mixed_precision
from tools.training.samples.fonts import Fonts, Split
from tools.training.traced.bank import PART, load_parts
from tools.training.traced.cuts import scene_from

Report = Callable[[str, int, int], None]
_BATCH_SIZES: Final = {"cpu": 32, "cuda": 256}
_SAVE_INTERVAL_S: Final = 45.0
_SCENES_PER_FILE: Final = 250
_EDGE_SHARE: Final = 0.25  # of the scenes, as at the edge of the camera's picture
_EARLIER_WEIGHT: Final = 0.2
_PEAK_LEARNING_RATE: Final = 3e-3
_FUSED_PEAK_LEARNING_RATE: Final = 1e-3
_WARM_UP_SHARE: Final = 0.03
_EMA_DECAY: Final = 0.995
_BOX_WEIGHT: Final = 4.0
_MAX_DISTANCE: Final = 0.5  # between a die's center and its detection, in sizes of the die
_MIN_LOG_ODDS: Final = 0.0
HELD_SEED: Final = 2_000_003


@dataclass(frozen=True, slots=True)
class FinderPlan:
    """Settings of one training run.

    Attributes:
        tiles: number of dice to render.
        scenes: number of scenes to composite from them.
        held: number of scenes to measure on; their dice have held-out fonts and appearances.
        minutes: training time without rendering.
        start: initial weights: a checkpoint (``.pt``), or an exported network (``.onnx``), which is then trained
            without batch norms.
        device: PyTorch device.
        processes: number of rendering processes.
        data: cache of the scenes; none if None.
        before: an exported network that the new weights are averaged with, with a weight of a fifth, so that what the
            new scenes do not show is not forgotten (Wortsman et al. 2022, arXiv 2109.01903).
        traced: files of path-traced pictures to cut scenes from; see `tools.training.traced`.
        cuts: number of scenes cut from each path-traced picture.
    """

    out: Path
    minutes: float = 20.0
    seed: int = 1
    tiles: int = 2000
    scenes: int = 6000
    held: int = 400
    threads: int = 1
    start: Path | None = None
    device: str = "cpu"
    processes: int = 2
    data: Path | None = None
    before: Path | None = None
    traced: tuple[Path, ...] = ()
    cuts: int = 3


@dataclass(frozen=True, slots=True)
class FinderScores:
    """Results on held-out scenes.

    Attributes:
        dice: number of dice that should be found.
        found: number of those that were.
        ghosts: number of false positives.
        off: mean distance of the found centers from the true ones, in sizes of the die.
    """

    dice: int
    found: int
    ghosts: int
    off: float


def train_finder(plan: FinderPlan, fonts: Fonts, report: Report) -> FinderScores:
    """Train, and write finder.onnx, finder.pt and FINDER_CARD.md to the plan's folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    scenes = _scenes(plan, plan.seed, plan.tiles, plan.scenes, fonts, "train", report)
    rng = np.random.default_rng([plan.seed, 8])
    scenes += [scene_from(shot, rng) for shot in load_parts(plan.traced) for _ in range(plan.cuts)]
    scenes = [near_picture_edge(scene, rng) if rng.random() < _EDGE_SHARE else scene for scene in scenes]
    model = fit_finder(scenes, plan, report)
    if plan.before is not None:
        average_weights(fuse_batch_norms(model), _initial_model(plan.before), _EARLIER_WEIGHT)
    torch.save(model.state_dict(), plan.out / "finder.pt")
    export_finder(model, plan.out / "finder.onnx")
    held = _scenes(plan, HELD_SEED, max(60, plan.held), plan.held, fonts, "held", report)
    found = measure(HeatNet((plan.out / "finder.onnx").read_bytes()), held)
    (plan.out / "FINDER_CARD.md").write_text(finder_card(plan, found))
    return found


def _scenes(
    plan: FinderPlan, seed: int, tiles: int, count: int, fonts: Fonts, split: Split, report: Report
) -> list[Scene]:
    """Render dice and composite scenes in parallel; equal seeds give equal scenes."""
    if plan.data is not None:
        plan.data.mkdir(parents=True, exist_ok=True)
    parts = -(-count // _SCENES_PER_FILE)
    sizes = [min(_SCENES_PER_FILE, count - _SCENES_PER_FILE * part) for part in range(parts)]
    scenes: list[Scene] = []
    with ProcessPoolExecutor(plan.processes, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_make_scenes, (seed, part), max(2, tiles // parts), size, fonts, split, plan.data)
                for part, size in enumerate(sizes)]  # fmt: skip
        for done, job in enumerate(jobs, start=1):
            scenes += job.result()
            report(f"Putting scenes together ({split})", done, parts)
    return scenes


def _make_scenes(
    seed: tuple[int, int], tiles: int, count: int, fonts: Fonts, split: Split, folder: Path | None
) -> list[Scene]:
    path = folder / f"scenes-{split}-{seed[0]}-{tiles}-{count}-{seed[1]:04d}.npz" if folder is not None else None
    if path is not None and path.exists():
        return _load_scenes(path)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    bank = [random_tile(rng, fonts, split) for _ in range(tiles)]
    scenes = [random_scene(rng, bank, fonts) for _ in range(count)]
    if path is not None:
        part = path.with_suffix(".part.npz")
        np.savez(part, pictures=np.stack([scene.picture for scene in scenes]),
                 boxes=np.concatenate([scene.boxes for scene in scenes]),
                 counts=[len(scene.boxes) for scene in scenes])  # fmt: skip
        os.replace(part, path)
    return scenes


def _load_scenes(path: Path) -> list[Scene]:
    with np.load(path) as arrays:
        each = np.split(arrays["boxes"], np.cumsum(arrays["counts"])[:-1])
        return [Scene(picture, boxes) for picture, boxes in zip(arrays["pictures"], each, strict=True)]


def fit_finder(scenes: Sequence[Scene], plan: FinderPlan, report: Report = lambda step, done, total: None) -> FinderNet:
    """Train for the plan's minutes and return the network with averaged weights.

    Equal seeds and numbers of steps give equal networks up to rounding; the number of steps depends on the machine.
    """
    torch.manual_seed(plan.seed)
    torch.set_num_threads(plan.threads)
    rng = np.random.default_rng(plan.seed)
    device = torch.device(plan.device)
    pictures = torch.from_numpy(np.stack([scene.picture for scene in scenes])).to(device)
    targets = target_maps([scene.boxes for scene in scenes]).to(device)
    model = _initial_model(plan.start).to(device, memory_format=torch.channels_last)
    peak = _PEAK_LEARNING_RATE if _has_batch_norms(model) else _FUSED_PEAK_LEARNING_RATE
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=ema(_EMA_DECAY), use_buffers=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=1e-3)
    started, done, smoothed_loss = time.monotonic(), 0.0, 2.0
    saved = started
    while done < 1:
        done = min(1.0, (time.monotonic() - started) / (60 * plan.minutes))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(peak, done, _WARM_UP_SHARE)
        rows = rng.integers(0, len(pictures), _BATCH_SIZES[plan.device])
        batch = pictures[torch.from_numpy(rows).to(device)]
        smoothed_loss = 0.98 * smoothed_loss + 0.02 * _train_step(model, optimizer, batch, targets.of(rows), rng)
        average.update_parameters(model)
        if time.monotonic() - saved > _SAVE_INTERVAL_S:
            saved = time.monotonic()
            torch.save(
                {name: value.cpu() for name, value in average.module.state_dict().items()}, plan.out / "finder.pt"
            )
        report(f"Training, loss {smoothed_loss:.2f}", round(1000 * done), 1000)
    return cast(FinderNet, average.module.eval().cpu())


def _initial_model(start: Path | None) -> FinderNet:
    model = FinderNet()
    load_weights(model, start, SIDE)
    return model


def load_weights(model: torch.nn.Module, start: Path | None, side: int) -> None:
    """Load weights from a checkpoint (``.pt``) or an exported network (``.onnx``); does nothing if None.

    Exported weights have no batch norms: those of the model are folded into its convolutions first.

    Args:
        side: of the model's input pictures, pixels.
    """
    if start is None:
        return
    if start.suffix == ".onnx":
        fuse_batch_norms(model)
        load_onnx_weights(model, start, torch.zeros(1, 3, side, side))
        return
    weights = torch.load(start, weights_only=True)
    if not any("running_mean" in name for name in weights):
        fuse_batch_norms(model)
    model.load_state_dict(weights)


def _has_batch_norms(model: torch.nn.Module) -> bool:
    return any(isinstance(module, torch.nn.BatchNorm2d) for module in model.modules())


def learning_rate(peak: float, done: float, warm_up: float) -> float:
    """Return the learning rate at the elapsed share ``done``: a linear warm-up to the peak, then a cosine decay."""
    return peak * min(1.0, done / warm_up + 0.05) * (0.5 + 0.5 * float(np.cos(np.pi * done))) + 1e-6


def ema(max_decay: float) -> Callable[[Tensor, Tensor, Tensor | int], Tensor]:
    """Return an exponential moving average, with a smaller decay at first, so that the initial weights fade quickly.

    Args:
        most: maximum decay.
    """

    def mean(average: Tensor, latest: Tensor, count: Tensor | int) -> Tensor:
        decay = min(max_decay, (1 + int(count)) / (10 + int(count)))
        return decay * average + (1 - decay) * latest

    return mean


def _train_step(
    model: FinderNet, optimizer: torch.optim.Optimizer, pictures: Tensor, targets: TargetMaps,
    rng: np.random.Generator,
) -> float:  # fmt: skip
    model.train()
    inputs, targets = _flipped(_inputs(pictures, rng), targets, rng)
    with mixed_precision(pictures.device):
        maps = model(inputs.contiguous(memory_format=torch.channels_last))
    heat, box = loss_of(maps.float(), targets)
    loss = heat + _BOX_WEIGHT * box
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return float(loss.detach())


def _inputs(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """Return pictures as network input, with random brightness and contrast, some with permuted color channels."""
    n = len(pictures)
    swapped = rng.random((n, 1)) < 0.3
    order = np.where(swapped, np.argsort(rng.random((n, 3)), axis=1), np.arange(2, -1, -1))
    gain = 1 + 0.15 * rng.standard_normal((n, 1, 1, 1))
    shift = 0.05 * rng.standard_normal((n, 3, 1, 1))
    gamma = np.exp(0.25 * rng.standard_normal((n, 1, 1, 1)))
    gain, shift, gamma = (torch.tensor(x, dtype=torch.float32, device=pictures.device) for x in (gain, shift, gamma))
    floats = pictures.permute(0, 3, 1, 2).float() / 255
    rows = torch.from_numpy(order).to(pictures.device)[:, :, None, None].expand_as(floats)
    return (floats.gather(1, rows).clamp(min=1e-4) ** gamma * gain + shift).clamp(0, 1)


def _flipped(inputs: Tensor, targets: TargetMaps, rng: np.random.Generator) -> tuple[Tensor, TargetMaps]:
    """Flip a batch horizontally and vertically and transpose it, each with probability 0.5."""
    heat, box, weight, seen = targets.heat, targets.box, targets.weight, targets.seen
    for axis, offset in ((-1, 0), (-2, 1)):
        if rng.random() < 0.5:
            inputs, heat, box, weight, seen = (x.flip(axis) for x in (inputs, heat, box, weight, seen))
            box = box.clone()
            box[:, offset] *= -1
    if rng.random() < 0.5:
        inputs, heat, box, weight, seen = (x.transpose(-1, -2) for x in (inputs, heat, box, weight, seen))
        box = box[:, [1, 0, 3, 2, 4]]
    return inputs, TargetMaps(heat, box, weight, seen)


# ---- evaluation and model card


def measure(net: HeatNet, scenes: Sequence[Scene]) -> FinderScores:
    """Evaluate an exported network on scenes, with OpenCV as the program does."""
    dice = found = ghosts = 0
    off: list[float] = []
    for scene in scenes:
        seen = peaks(net.maps(np.ascontiguousarray(scene.picture[None]))[0], _MIN_LOG_ODDS)
        detectable, others = _split_by_detectability(scene)
        near = [_nearest_distance(box, seen) for box in detectable]
        dice, found = dice + len(detectable), found + sum(far < _MAX_DISTANCE for far in near)
        off += [far for far in near if far < _MAX_DISTANCE]
        ghosts += sum(all(_distance(box, spot) >= _MAX_DISTANCE for box in (*detectable, *others)) for spot in seen)
    return FinderScores(dice, found, ghosts, float(np.mean(off)) if off else 0.0)


def _split_by_detectability(scene: Scene) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """Return the dice that should be found, and those that are cut off or outside the detectable sizes."""
    sizes = np.maximum(scene.boxes[:, 2] - scene.boxes[:, 0], scene.boxes[:, 3] - scene.boxes[:, 1])
    inside = (scene.boxes[:, :2] > 0).all(axis=1) & (scene.boxes[:, 2:4] < SIDE).all(axis=1)
    fit = inside & (sizes >= DETECTABLE_PX[0]) & (sizes <= DETECTABLE_PX[1])
    return list(scene.boxes[fit]), list(scene.boxes[~fit])


def _nearest_distance(box: NDArray[np.float32], seen: Sequence[Peak]) -> float:
    return min((_distance(box, spot) for spot in seen), default=9.0)


def _distance(box: NDArray[np.float32], spot: Peak) -> float:
    """Return the distance of a detection from a die's center, in sizes of the die."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return float(np.hypot(spot.x - x, spot.y - y)) / max(1.0, float(max(box[2] - box[0], box[3] - box[1])))


def finder_card(plan: FinderPlan, found: FinderScores) -> str:
    """Return the model card of the finder as Markdown."""
    pictures = PART * len(plan.traced)
    traced = (
        f"\nAnd {plan.cuts * pictures} crops of {pictures:,} path-traced pictures (`tools/training/traced`)."
        if pictures
        else ""
    )
    from_earlier = ", from earlier weights" if plan.start else ""
    averaged = (
        ". The weights are averaged with an earlier network's, which have a weight of a fifth" if plan.before else ""
    )
    smallest, largest = DETECTABLE_PX
    return f"""# The dice finder

`finder.onnx` detects dice of any kind in a small picture: a heat map of their centers, their box sizes and how far they
lean. It finds dice of {smallest:.0f} to {largest:.0f} pixels; the program runs it on the table picture at several
scales. The network and this card were written by `python -m tools.training finder`. It does not read values; that is
the task of the face networks.

## Data
Rendered dice only, no photographs: {plan.tiles} random dice of every kind in {plan.scenes} random scenes of
{SIDE} x {SIDE} pixels, among cards, coins, tokens and fingers, with shadows, lamps, blur, noise and JPEG artifacts. The
held-out scenes have dice with fonts and appearances that were not in the training data.{traced}

## Training
A U-Net of separable convolutions with about 78,000 parameters, seed {plan.seed}, {plan.minutes:g} minutes on
{plan.threads} core{"s" if plan.threads != 1 else ""} of a CPU{from_earlier}{averaged}.

## Held-out scenes
One pass at one scale, without the program's further steps:

- dice: {found.dice}; found: {found.found} ({found.found / max(1, found.dice):.1%}), mean center error
  {found.off:.1%} of a die's size
- false positives: {found.ghosts} in {plan.held} scenes

## Limits
- Trained and measured on renders, not on photographs. Dice of nearly the background's color, and dice in deep shadow,
  are missed.
- Round objects with a number on them are sometimes detected as dice; the face networks reject them.
"""
