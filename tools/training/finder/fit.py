"""From nothing to finder.onnx: render scenes, train, export, measure, and write the page about it."""

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
from tools.training.traced.cuts import part_of

Report = Callable[[str, int, int], None]
_BATCHES: Final = {"cpu": 32, "cuda": 256}
_KEPT_S: Final = 45.0
_PART: Final = 250
"""Scenes that one process puts together at a time."""
_AT_EDGE: Final = 0.25
_EARLIER: Final = 0.2
_PEAK: Final = 3e-3
_PEAK_WITHOUT_NORMS: Final = 1e-3
_WARM_UP: Final = 0.03
_EMA: Final = 0.995
_BOX_WEIGHT: Final = 4.0
_FOUND: Final = 0.5  # of a die's size between where it is and where it is said to be
_ODDS: Final = 0.0
HELD_SEED: Final = 2_000_003


@dataclass(frozen=True, slots=True)
class FinderPlan:
    """What to train.

    Attributes:
        tiles: dice to render.
        scenes: pictures to put together from them.
        held: scenes to measure on; their dice have their own fonts and appearances.
        minutes: of training proper.
        start: weights to continue from: a ``.pt`` of an earlier run, or the ``.onnx`` of a finished network, which
            then learns without batch norms.
        before: a finished network near which the new one is to stay: of the mean of both it counts a fifth, so that
            what the new scenes do not show is not forgotten (Wortsman et al. 2022, arXiv 2109.01903).
        traced: path-traced pictures to cut scenes from as well, so many of each; see `tools.training.traced`.
        device: where to train. processes: that render.
        data: where scenes are kept, and taken up again after a stop; not kept if None.
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
    """How well dice of held-out scenes are found.

    Attributes:
        dice: how many there are that the network should find.
        found: how many it did.
        ghosts: what it took for a die and is none.
        off: how far their middles are off on average, in sizes of the die.
    """

    dice: int
    found: int
    ghosts: int
    off: float


def train_finder(plan: FinderPlan, fonts: Fonts, report: Report) -> FinderScores:
    """Carry out the plan: finder.onnx, finder.pt and FINDER_CARD.md in its folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    scenes = _scenes(plan, plan.seed, plan.tiles, plan.scenes, fonts, "train", report)
    rng = np.random.default_rng([plan.seed, 8])
    scenes += [part_of(shot, rng) for shot in load_parts(plan.traced) for _ in range(plan.cuts)]
    scenes = [near_picture_edge(scene, rng) if rng.random() < _AT_EDGE else scene for scene in scenes]
    model = fit_finder(scenes, plan, report)
    if plan.before is not None:
        average_weights(fuse_batch_norms(model), _initial_model(plan.before), _EARLIER)
    torch.save(model.state_dict(), plan.out / "finder.pt")
    export_finder(model, plan.out / "finder.onnx")
    held = _scenes(plan, HELD_SEED, max(60, plan.held), plan.held, fonts, "held", report)
    found = measure(HeatNet((plan.out / "finder.onnx").read_bytes()), held)
    (plan.out / "FINDER_CARD.md").write_text(finder_card(plan, found))
    return found


def _scenes(
    plan: FinderPlan, seed: int, tiles: int, count: int, fonts: Fonts, split: Split, report: Report
) -> list[Scene]:
    """Render dice and put scenes together from them, in parts: the same seeds make the same scenes."""
    if plan.data is not None:
        plan.data.mkdir(parents=True, exist_ok=True)
    parts = -(-count // _PART)
    sizes = [min(_PART, count - _PART * part) for part in range(parts)]
    scenes: list[Scene] = []
    with ProcessPoolExecutor(plan.processes, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_part, (seed, part), max(2, tiles // parts), size, fonts, split, plan.data)
                for part, size in enumerate(sizes)]  # fmt: skip
        for done, job in enumerate(jobs, start=1):
            scenes += job.result()
            report(f"Putting scenes together ({split})", done, parts)
    return scenes


def _part(
    seed: tuple[int, int], tiles: int, count: int, fonts: Fonts, split: Split, folder: Path | None
) -> list[Scene]:
    path = folder / f"scenes-{split}-{seed[0]}-{tiles}-{count}-{seed[1]:04d}.npz" if folder is not None else None
    if path is not None and path.exists():
        return _kept(path)
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


def _kept(path: Path) -> list[Scene]:
    with np.load(path) as kept:
        each = np.split(kept["boxes"], np.cumsum(kept["counts"])[:-1])
        return [Scene(picture, boxes) for picture, boxes in zip(kept["pictures"], each, strict=True)]


def fit_finder(scenes: Sequence[Scene], plan: FinderPlan, report: Report = lambda step, done, total: None) -> FinderNet:
    """Train for some minutes and return the mean of the last weights.

    The same seed and number of steps give the same network up to the order of additions; how many steps fit into the
    minutes depends on the machine.
    """
    torch.manual_seed(plan.seed)
    torch.set_num_threads(plan.threads)
    rng = np.random.default_rng(plan.seed)
    device = torch.device(plan.device)
    pictures = torch.from_numpy(np.stack([scene.picture for scene in scenes])).to(device)
    wanted = target_maps([scene.boxes for scene in scenes]).to(device)
    model = _initial_model(plan.start).to(device, memory_format=torch.channels_last)
    peak = _PEAK if _has_norms(model) else _PEAK_WITHOUT_NORMS
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=ema(_EMA), use_buffers=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=1e-3)
    begun, done, smooth = time.monotonic(), 0.0, 2.0
    kept = begun
    while done < 1:
        done = min(1.0, (time.monotonic() - begun) / (60 * plan.minutes))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(peak, done, _WARM_UP)
        which = rng.integers(0, len(pictures), _BATCHES[plan.device])
        some = pictures[torch.from_numpy(which).to(device)]
        smooth = 0.98 * smooth + 0.02 * _learn(model, optimizer, some, wanted.of(which), rng)
        average.update_parameters(model)
        if time.monotonic() - kept > _KEPT_S:
            kept = time.monotonic()
            torch.save(
                {name: value.cpu() for name, value in average.module.state_dict().items()}, plan.out / "finder.pt"
            )
        report(f"Training, loss {smooth:.2f}", round(1000 * done), 1000)
    return cast(FinderNet, average.module.eval().cpu())


def _initial_model(start: Path | None) -> FinderNet:
    model = FinderNet()
    load_weights(model, start, SIDE)
    return model


def load_weights(model: torch.nn.Module, start: Path | None, side: int) -> None:
    """Give a network the weights of a file, .pt or .onnx; of a finished one it then has no batch norms.

    Args:
        side: of the pictures that it takes, px.
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


def _has_norms(model: torch.nn.Module) -> bool:
    return any(isinstance(module, torch.nn.BatchNorm2d) for module in model.modules())


def learning_rate(peak: float, done: float, warm_up: float) -> float:
    """Return how large a step of training is when so much of the whole is done: up to a peak, and down as a cosine."""
    return peak * min(1.0, done / warm_up + 0.05) * (0.5 + 0.5 * float(np.cos(np.pi * done))) + 1e-6


def ema(most: float) -> Callable[[Tensor, Tensor, Tensor | int], Tensor]:
    """Return the running mean of weights; at first over few steps, so that the untrained ones soon go.

    Args:
        most: what the mean so far counts at most.
    """

    def mean(average: Tensor, latest: Tensor, count: Tensor | int) -> Tensor:
        keep = min(most, (1 + int(count)) / (10 + int(count)))
        return keep * average + (1 - keep) * latest

    return mean


def _learn(
    model: FinderNet, optimizer: torch.optim.Optimizer, pictures: Tensor, wanted: TargetMaps,
    rng: np.random.Generator,
) -> float:  # fmt: skip
    model.train()
    inputs, wanted = _turned(_inputs(pictures, rng), wanted, rng)
    with mixed_precision(pictures.device):
        maps = model(inputs.contiguous(memory_format=torch.channels_last))
    heat, box = loss_of(maps.float(), wanted)
    loss = heat + _BOX_WEIGHT * box
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return float(loss.detach())


def _inputs(pictures: Tensor, rng: np.random.Generator) -> Tensor:
    """The network's input, each picture in chance light and contrast, and now and then with its colours exchanged."""
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


def _turned(inputs: Tensor, wanted: TargetMaps, rng: np.random.Generator) -> tuple[Tensor, TargetMaps]:
    """Mirror a batch in either direction, and exchange rows and columns, each half of the time."""
    heat, box, weight, seen = wanted.heat, wanted.box, wanted.weight, wanted.seen
    for axis, offset in ((-1, 0), (-2, 1)):
        if rng.random() < 0.5:
            inputs, heat, box, weight, seen = (x.flip(axis) for x in (inputs, heat, box, weight, seen))
            box = box.clone()
            box[:, offset] *= -1
    if rng.random() < 0.5:
        inputs, heat, box, weight, seen = (x.transpose(-1, -2) for x in (inputs, heat, box, weight, seen))
        box = box[:, [1, 0, 3, 2, 4]]
    return inputs, TargetMaps(heat, box, weight, seen)


# ---- how well it finds


def measure(net: HeatNet, scenes: Sequence[Scene]) -> FinderScores:
    """Return how well an exported network finds the dice of scenes, through OpenCV as the table does."""
    dice = found = ghosts = 0
    off: list[float] = []
    for scene in scenes:
        seen = peaks(net.maps(np.ascontiguousarray(scene.picture[None]))[0], _ODDS)
        whole, others = _parted(scene)
        near = [_nearest(box, seen) for box in whole]
        dice, found = dice + len(whole), found + sum(far < _FOUND for far in near)
        off += [far for far in near if far < _FOUND]
        ghosts += sum(all(_apart(box, spot) >= _FOUND for box in (*whole, *others)) for spot in seen)
    return FinderScores(dice, found, ghosts, float(np.mean(off)) if off else 0.0)


def _parted(scene: Scene) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """The dice that should be found, and those that are cut off or of another size."""
    sizes = np.maximum(scene.boxes[:, 2] - scene.boxes[:, 0], scene.boxes[:, 3] - scene.boxes[:, 1])
    inside = (scene.boxes[:, :2] > 0).all(axis=1) & (scene.boxes[:, 2:4] < SIDE).all(axis=1)
    fit = inside & (sizes >= DETECTABLE_PX[0]) & (sizes <= DETECTABLE_PX[1])
    return list(scene.boxes[fit]), list(scene.boxes[~fit])


def _nearest(box: NDArray[np.float32], seen: Sequence[Peak]) -> float:
    return min((_apart(box, spot) for spot in seen), default=9.0)


def _apart(box: NDArray[np.float32], spot: Peak) -> float:
    """Return the distance of a spot from a die's middle, in sizes of the die."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return float(np.hypot(spot.x - x, spot.y - y)) / max(1.0, float(max(box[2] - box[0], box[3] - box[1])))


def finder_card(plan: FinderPlan, found: FinderScores) -> str:
    """Return the model card of the finder as Markdown."""
    pictures = PART * len(plan.traced)
    traced = (
        f"\nAnd {plan.cuts * pictures} parts of {pictures:,} path-traced pictures (`tools/training/traced`)."
        if pictures
        else ""
    )
    kept = ". A fifth of the weights' mean are those of an earlier finder" if plan.before else ""
    smallest, largest = DETECTABLE_PX
    return f"""# The network that finds dice

Says where dice of any kind lie in a small picture ({smallest:.0f} to {largest:.0f} px each; the program shows it
the table in several sizes), how large they are, and how far they lean. Written by
`python -m tools.training finder`; this page too. It does not say what a die shows: the network that reads dice does.

## Data
Rendered dice only, no photographs: {plan.tiles} chance dice of every kind, put into {plan.scenes} chance scenes of
{SIDE} x {SIDE} pixels among cards, coins, tokens and fingers, with shadows, lamps, blur, noise and JPEG. The
held-out scenes have dice of fonts and looks that were never trained on.{traced}

## Training
A U of separable convolutions of about 78,000 numbers, seed {plan.seed}, {plan.minutes:g} minutes on {plan.threads}
core{"s" if plan.threads != 1 else ""} of a CPU{", from earlier weights" if plan.start else ""}{kept}.

## Held-out scenes
One look at one size, before what the program does with several:

- dice to be found: {found.dice}; found: {found.found} ({found.found / max(1, found.dice):.1%}), their middles off by
  {found.off:.1%} of their size on average
- taken for a die and none: {found.ghosts} in {plan.held} scenes

## Limits
- Rendered is not photographed. Dice of nearly the ground's colour, and dice in deep shadow, are missed.
- Round things with a number on them are sometimes taken for dice; the network that reads dice refuses them.
"""
