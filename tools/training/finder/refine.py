"""From nothing to refiner.onnx: what the finder takes for dice, at first sight, in painted and path-traced pictures."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from companion.vision.dice.boxes import Box, DieBox
from companion.vision.dice.finding.finder import shared_finder
from companion.vision.dice.finding.refiner import REFINER_PX, BoxRefiner, refiner_crop
from tools.training.export import with_float16_weights
from tools.training.finder.bank import random_tile
from tools.training.finder.fit import ema, learning_rate, load_weights
from tools.training.finder.net import Separable, step
from tools.training.finder.scenes import random_scene
from tools.training.samples.fonts import Fonts, Split
from tools.training.traced.bank import PART, load_parts
from tools.training.traced.cuts import smooth

Report = Callable[[str, int, int], None]
Boxes = NDArray[np.float32]

_WIDTHS: Final = (20, 40, 80, 112)
_SIZES: Final = (22.0, 76.0)  # of the painted dice, px
_PRINTS: Final = 0.5
_STRAIGHT: Final = 0.15  # of the painted dice
_PART: Final = 250
_BATCH: Final = 48
_PEAK: Final = 3e-3
_PEAK_AGAIN: Final = 1e-3
_WARM_UP: Final = 0.02
_EMA: Final = 0.998
_KEPT_S: Final = 45.0
_IS_DIE, _IS_NONE = 0.4, 0.2  # of a box's overlap with a die's
_NEAR: Final = 0.05
_SAME_SIZE: Final = 2.0
_FROM_TRUTH: Final = 0.35
_OFF: Final = 0.22  # of a die's size, standard deviation
_BOX_WEIGHT: Final = 3.0
_LEAST_PX: Final = 18.0
_NEAR_EDGE: Final = 0.2  # of the looks
_SIDES_NEAR: Final = 0.6
_TRACED_LOOKS: Final = 6  # at each path-traced picture, to one at a painted one
_HELD: Final = 500
HELD_SEED: Final = 2_000_011


class RefinerNet(nn.Module):
    """Close looks (n, 3, 96, 96), RGB / 255, to (n, 5), see `BoxRefiner.say`; 199,000 numbers."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = _WIDTHS
        self.stages = nn.Sequential(
            step(3, a, stride=2), Separable(a, b, 2), Separable(b, b), Separable(b, b), Separable(b, c, 2),
            Separable(c, c), Separable(c, c), Separable(c, c), Separable(c, d, 2), Separable(d, d), Separable(d, d),
            Separable(d, d), nn.Conv2d(d, 32, 1), nn.ReLU(inplace=True), nn.Flatten(),
        )  # fmt: skip
        self.last = nn.Sequential(nn.Linear(32 * (REFINER_PX // 16) ** 2, 96), nn.ReLU(inplace=True), nn.Linear(96, 5))

    def forward(self, looks: Tensor) -> Tensor:
        said: Tensor = self.last(self.stages(looks - 0.5))
        return said


# ---- what it learns from


@dataclass(frozen=True, slots=True, eq=False)
class LabeledPicture:
    """A picture, its dice, and what may be dice at first sight.

    Attributes:
        picture: uint8 (h, w, 3) BGR.
        dice: float32 (n, 4), left, top, right, bottom.
        seen: float32 (m, 4), the same of what the finder sees there, dice and others.
    """

    picture: NDArray[np.uint8]
    dice: Boxes
    seen: Boxes


def with_detections(picture: NDArray[np.uint8], dice: Boxes) -> LabeledPicture:
    """Return a picture with what the finder takes for dice at its first look."""
    boxes = [die.box for die in shared_finder().candidates(picture)]
    seen = np.array([(x, y, x + w, y + h) for x, y, w, h in boxes], np.float32).reshape(-1, 4)
    return LabeledPicture(picture, dice[:, :4].astype(np.float32), seen)


def labeled_pictures(
    seed: int, count: int, fonts: Fonts, split: Split, folder: Path, processes: int, traced: Sequence[Path], report: Report
) -> list[LabeledPicture]:  # fmt: skip
    """Return painted and path-traced pictures, made once and kept in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    done: list[LabeledPicture] = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_painted, (seed, part), fonts, split, folder) for part in range(-(-count // _PART))]
        jobs += [pool.submit(_traced, path, folder) for path in traced]
        for number, job in enumerate(jobs, start=1):
            done += _kept(job.result())
            report(f"Looking at pictures ({split})", number, len(jobs))
    return done


def _painted(seed: tuple[int, int], fonts: Fonts, split: Split, folder: Path) -> Path:
    path = folder / f"sights1-{split}-{seed[0]}-{seed[1]:04d}.npz"
    if not path.exists():
        cv2.setNumThreads(1)
        rng = np.random.default_rng(seed)
        bank = [random_tile(rng, fonts, split, straight=_STRAIGHT) for _ in range(_PART // 4)]
        scenes = [random_scene(rng, bank, fonts, sizes=_SIZES, prints=_PRINTS, pairs=False) for _ in range(_PART)]
        _keep(path, [with_detections(scene.picture, scene.boxes) for scene in scenes])
    return path


def _traced(source: Path, folder: Path) -> Path:
    path = folder / f"sights1-{source.name}"
    if not path.exists():
        cv2.setNumThreads(1)
        rng = np.random.default_rng(int(source.stem[-4:]))
        _keep(path, [with_detections(smooth(shot.picture, rng), shot.boxes) for shot in load_parts([source])])
    return path


def _keep(path: Path, made: Sequence[LabeledPicture]) -> None:
    part = path.with_suffix(".part.npz")
    np.savez(part, pictures=np.stack([each.picture for each in made]),
             dice=np.concatenate([each.dice for each in made]), n_dice=[len(each.dice) for each in made],
             seen=np.concatenate([each.seen for each in made]), n_seen=[len(each.seen) for each in made])  # fmt: skip
    os.replace(part, path)


def _kept(path: Path) -> list[LabeledPicture]:
    with np.load(path) as kept:
        dice = np.split(kept["dice"], np.cumsum(kept["n_dice"])[:-1])
        seen = np.split(kept["seen"], np.cumsum(kept["n_seen"])[:-1])
        return [LabeledPicture(*each) for each in zip(kept["pictures"], dice, seen, strict=True)]


# ---- close looks and what shall be said of them


def random_crop(sight: LabeledPicture, rng: np.random.Generator) -> tuple[NDArray[np.uint8], Boxes] | None:
    """Return a close look and what to say of it, float32 (7,): see `wanted`; None if nothing is to be learnt."""
    if len(sight.dice) and (not len(sight.seen) or rng.random() < _FROM_TRUTH):
        left, top, right, bottom = sight.dice[int(rng.integers(len(sight.dice)))]
        size = max(right - left, bottom - top)
        x, y = (left + right) / 2 + rng.normal(0, _OFF * size), (top + bottom) / 2 + rng.normal(0, _OFF * size)
        size *= float(np.exp(rng.normal(0, 0.25)))
    elif len(sight.seen) and rng.random() < 0.95:
        left, top, right, bottom = sight.seen[int(rng.integers(len(sight.seen)))]
        size = max(right - left, bottom - top) * float(np.exp(rng.normal(0, 0.08)))
        x, y = (left + right) / 2 + rng.normal(0, 0.04 * size), (top + bottom) / 2 + rng.normal(0, 0.04 * size)
    else:
        size = float(np.exp(rng.uniform(*np.log(_SIZES))))
        x, y = rng.uniform(0, 1, 2) * sight.picture.shape[1::-1]
    if size < _LEAST_PX:
        return None
    die = DieBox(_box(x, y, size), 0.5)
    if rng.random() < _NEAR_EDGE:
        sight, die = near_an_edge(sight, die, rng)
    return refiner_crop(sight.picture, die), wanted(die, sight.dice, sight.picture.shape)


def near_an_edge(sight: LabeledPicture, die: DieBox, rng: np.random.Generator) -> tuple[LabeledPicture, DieBox]:
    """Return a part of a picture that ends close to a box on some sides, as of a die that nearly fills a picture."""
    x, y, w, h = die.box
    far = np.where(rng.random(4) < _SIDES_NEAR, rng.uniform(-0.1, 0.6, 4), 9.0) * die.size_px
    high, wide = sight.picture.shape[:2]
    left, top = (int(max(0, at - off)) for at, off in ((x, far[0]), (y, far[1])))
    right, bottom = int(min(wide, x + w + far[2])), int(min(high, y + h + far[3]))
    if right - left < _LEAST_PX or bottom - top < _LEAST_PX:
        return sight, die
    off = np.array([left, top, left, top], np.float32)
    part = LabeledPicture(
        np.ascontiguousarray(sight.picture[top:bottom, left:right]), sight.dice - off, sight.seen - off
    )
    return part, DieBox((x - left, y - top, w, h), die.score)


def _box(x: float, y: float, size: float) -> Box:
    side = max(4, round(size))
    return round(x - size / 2), round(y - size / 2), side, side


def wanted(die: DieBox, dice: Boxes, shape: tuple[int, ...]) -> Boxes:
    """Return what is to be said: is it a die, how much that counts, the box (4 numbers), how much that counts.

    Of a die that the edge of a picture of this shape cuts off nothing is to be said: what a close look repeats beyond
    the edge would be learnt as a die's mark, and wood has such streaks.
    """
    if not len(dice):
        return np.array([0, 1, 0, 0, 0, 0, 0], np.float32)
    shares = _overlaps(die, dice)
    order = np.argsort(-shares)
    share = shares[order]
    left, top, right, bottom = dice[order[0]]
    size = float(die.size_px)
    off = ((left + right) / 2 - die.center[0]) / size, ((top + bottom) / 2 - die.center[1]) / size
    sides = np.log((right - left) / size), np.log((bottom - top) / size)
    of_size = abs(max(sides)) < np.log(_SAME_SIZE)
    is_die = bool(share[0] >= _IS_DIE and of_size)
    is_between = len(share) > 1 and share[1] > 0.6 * share[0]
    if share[0] > _NEAR and min(left, top, shape[1] - right, shape[0] - bottom) < 1:
        return np.zeros(7, np.float32)
    counts = 0.0 if (_IS_NONE < share[0] < _IS_DIE and of_size) or (is_die and is_between) else 1.0
    has_box = share[0] > _IS_NONE and of_size and not is_between
    return np.array([is_die, counts, *off, *sides, has_box], np.float32)


# ---- training


@dataclass(frozen=True, slots=True)
class RefinerPlan:
    """What to train.

    Attributes:
        minutes: of training proper.
        pictures: to paint. traced: files of path-traced ones to look at as well.
        data: where pictures are kept, and taken up again after a stop.
        start: weights (.pt), or a finished network (.onnx), to continue from.
        device: where to train. processes: that paint.
    """

    out: Path
    minutes: float
    seed: int
    pictures: int
    data: Path
    traced: tuple[Path, ...] = ()
    start: Path | None = None
    threads: int = 1
    processes: int = 2
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class RefinerScores:
    """How held-out dice are refined: of so many ``dice`` so many are ``kept``, of ``others`` so many are ``taken``.

    ``overlap`` is the mean overlap of the kept ones' boxes with the true ones, ``before`` that of the finder's.
    """

    dice: int
    kept: int
    others: int
    taken: int
    overlap: float
    before: float


def train_refiner(plan: RefinerPlan, fonts: Fonts, report: Report) -> RefinerScores:
    """Carry out the plan: refiner.onnx, refiner.pt and REFINER_CARD.md in its folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    made = labeled_pictures(plan.seed, plan.pictures, fonts, "train", plan.data, plan.processes, (), report)
    made += _TRACED_LOOKS * labeled_pictures(
        plan.seed, 0, fonts, "train", plan.data, plan.processes, plan.traced, report
    )
    model = fit_refiner(made, plan, report)
    torch.save(model.state_dict(), plan.out / "refiner.pt")
    export_refiner(model, plan.out / "refiner.onnx")
    held = labeled_pictures(HELD_SEED, _HELD, fonts, "held", plan.data, plan.processes, (), report)
    found = measure(BoxRefiner(plan.out / "refiner.onnx"), held)
    (plan.out / "REFINER_CARD.md").write_text(refiner_card(plan, found))
    return found


def fit_refiner(
    made: Sequence[LabeledPicture], plan: RefinerPlan, report: Report = lambda step, done, total: None
) -> RefinerNet:
    """Train for some minutes and return the mean of the last weights."""
    torch.manual_seed(plan.seed)
    torch.set_num_threads(plan.threads)
    cv2.setNumThreads(1)
    rng = np.random.default_rng([plan.seed, 3])
    model = RefinerNet()
    load_weights(model, plan.start, REFINER_PX)
    model = model.to(torch.device(plan.device), memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=ema(_EMA), use_buffers=True)
    peak = _PEAK if plan.start is None else _PEAK_AGAIN
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=1e-3)
    begun, done, smoothed = time.monotonic(), 0.0, 2.0
    kept = begun
    while done < 1:
        done = min(1.0, (time.monotonic() - begun) / (60 * plan.minutes))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(peak, done, _WARM_UP)
        smoothed = 0.99 * smoothed + 0.01 * _learn(
            model, optimizer, *(part.to(plan.device) for part in _batch(made, rng))
        )
        average.update_parameters(model)
        if time.monotonic() - kept > _KEPT_S:
            kept = time.monotonic()
            torch.save(average.module.state_dict(), plan.out / "refiner.pt")
        report(f"Training, loss {smoothed:.3f}", round(1000 * done), 1000)
    trained: RefinerNet = average.module.eval().cpu()
    return trained


def _batch(made: Sequence[LabeledPicture], rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    looks: list[NDArray[np.uint8]] = []
    labels: list[Boxes] = []
    while len(looks) < _BATCH:
        look = random_crop(made[int(rng.integers(len(made)))], rng)
        if look is not None:
            looks.append(look[0])
            labels.append(look[1])
    said = torch.from_numpy(np.stack(labels))
    inputs = _in_chance_light(np.stack(looks), rng)
    return _turned(inputs, said, rng)


def _in_chance_light(looks: NDArray[np.uint8], rng: np.random.Generator) -> Tensor:
    """The network's input in chance light, contrast and noise, now and then with its colours exchanged or taken."""
    n = len(looks)
    floats = looks[..., ::-1].astype(np.float32) / 255
    for k in np.nonzero(rng.random(n) < 0.3)[0]:
        floats[k] = floats[k][..., rng.permutation(3)]
    for k in np.nonzero(rng.random(n) < 0.08)[0]:
        floats[k] = floats[k].mean(axis=2, keepdims=True)
    gain = 1 + 0.2 * rng.standard_normal((n, 1, 1, 1)).astype(np.float32)
    shift = 0.06 * rng.standard_normal((n, 1, 1, 3)).astype(np.float32)
    gamma = np.exp(0.3 * rng.standard_normal((n, 1, 1, 1))).astype(np.float32)
    floats = np.clip(floats, 1e-4, 1) ** gamma * gain + shift
    noise = (rng.uniform(0, 0.03, (n, 1, 1, 1)) * (rng.random((n, 1, 1, 1)) < 0.4)).astype(np.float32)
    floats += noise * rng.standard_normal(floats.shape, np.float32)
    return torch.from_numpy(np.clip(floats, 0, 1).transpose(0, 3, 1, 2))


def _turned(inputs: Tensor, said: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Mirror a batch in either direction, and exchange rows and columns, each half of the time."""
    for axis, offset in ((-1, 2), (-2, 3)):
        if rng.random() < 0.5:
            inputs, said = inputs.flip(axis), said.clone()
            said[:, offset] *= -1
    if rng.random() < 0.5:
        inputs, said = inputs.transpose(-1, -2), said[:, [0, 1, 3, 2, 5, 4, 6]]
    return inputs, said


def _learn(model: RefinerNet, optimizer: torch.optim.Optimizer, looks: Tensor, said: Tensor) -> float:
    model.train()
    out = model(looks.contiguous(memory_format=torch.channels_last))
    is_die, counts, has_box = said[:, 0], said[:, 1], said[:, 6]
    odds = functional.binary_cross_entropy_with_logits(out[:, 0], is_die, reduction="none")
    off = functional.smooth_l1_loss(out[:, 1:], said[:, 2:6], reduction="none", beta=0.03).mean(dim=1)
    loss = (odds * counts).sum() / counts.sum().clamp(min=1)
    loss = loss + _BOX_WEIGHT * (off * has_box).sum() / has_box.sum().clamp(min=1)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return float(loss.detach())


def export_refiner(model: RefinerNet, path: Path) -> None:
    """Write the network as ONNX for any number of looks; batch norms are folded into the convolutions."""
    import onnx

    torch.onnx.export(model.eval().to(memory_format=torch.contiguous_format),
                      (torch.zeros(1, 3, REFINER_PX, REFINER_PX),), str(path),
                      input_names=["looks"], output_names=["said"],
                      dynamic_axes={"looks": {0: "n"}, "said": {0: "n"}}, opset_version=13, dynamo=False)  # fmt: skip
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))


# ---- how well it does


def measure(refiner: BoxRefiner, held: Sequence[LabeledPicture]) -> RefinerScores:
    """Return how an exported network judges what the finder sees in held-out pictures."""
    dice = kept = others = taken = 0
    after: list[float] = []
    before: list[float] = []
    for sight in held:
        first = [DieBox((round(x0), round(y0), round(x1 - x0), round(y1 - y0)), 0.5) for x0, y0, x1, y1 in sight.seen]
        for die, refined in zip(first, refiner.refined(sight.picture, first), strict=True):
            label = wanted(die, sight.dice, sight.picture.shape)
            if not label[1]:
                continue
            if label[0]:
                dice, kept = dice + 1, kept + (refined.score >= 0.5)
                if refined.score >= 0.5:
                    before.append(float(_overlaps(die, sight.dice).max()))
                    after.append(float(_overlaps(refined, sight.dice).max()))
            else:
                others, taken = others + 1, taken + (refined.score >= 0.5)
    mean = (float(np.mean(each)) if each else 0.0 for each in (after, before))
    return RefinerScores(dice, kept, others, taken, *mean)


def _overlaps(die: DieBox, dice: Boxes) -> NDArray[np.float32]:
    """Return how much a box overlaps each die, as a share of what either covers."""
    x, y, w, h = die.box
    wide = np.minimum(dice[:, 2], x + w) - np.maximum(dice[:, 0], x)
    high = np.minimum(dice[:, 3], y + h) - np.maximum(dice[:, 1], y)
    both = np.clip(wide, 0, None) * np.clip(high, 0, None)
    areas = (dice[:, 2] - dice[:, 0]) * (dice[:, 3] - dice[:, 1])
    return np.asarray(both / (areas + w * h - both), np.float32)


def refiner_card(plan: RefinerPlan, found: RefinerScores) -> str:
    """Return the model card of the refiner as Markdown."""
    traced = f", and {PART * len(plan.traced):,} path-traced ones (`tools/training/traced`)" if plan.traced else ""
    return f"""# The network that refines the boxes of dice

Looks closely at one place of a picture that the finder points to, and says how likely a die of about that size lies
there and what its box is. Written by `python -m tools.training refiner`; this page too.

## Data
Rendered dice only, no photographs: {plan.pictures:,} painted scenes of 160 x 160 pixels{traced}. It learns from what
the finder takes for dice in them at its first look, and from boxes around true dice, set off by chance.

## Training
Separable convolutions, 199,000 numbers, seed {plan.seed}, {plan.minutes:g} minutes on {plan.threads}
core{"s" if plan.threads != 1 else ""} of a CPU{", from earlier weights" if plan.start else ""}.

## Held-out scenes
{_HELD} painted ones, with fonts and looks that were never trained on; one look at each place:

- dice: {found.dice}; kept: {found.kept} ({found.kept / max(1, found.dice):.1%}), whose boxes overlap the true ones by
  {found.overlap:.1%} (the finder's at its first look: {found.before:.1%})
- others: {found.others}; taken for a die: {found.taken}

## Limits
Rendered is not photographed.
"""
