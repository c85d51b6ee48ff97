"""Trains, exports and measures the box refiner on the finder's first-pass detections in rendered pictures."""

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
from tools.training.traced.cuts import denoised

Report = Callable[[str, int, int], None]
Boxes = NDArray[np.float32]

_WIDTHS: Final = (20, 40, 80, 112)
_SIZES: Final = (22.0, 76.0)  # of the painted dice, px
_PRINT_SHARE: Final = 0.5  # of the painted scenes
_STRAIGHT_SHARE: Final = 0.15  # of the painted dice: d6 from straight above
_PICTURES_PER_FILE: Final = 250
_BATCH_SIZE: Final = 48
_PEAK_LEARNING_RATE: Final = 3e-3
_CONTINUED_PEAK_LEARNING_RATE: Final = 1e-3
_WARM_UP_SHARE: Final = 0.02
_EMA_DECAY: Final = 0.998
_SAVE_INTERVAL_S: Final = 45.0
_POSITIVE_IOU, _NEGATIVE_IOU = 0.4, 0.2
_MIN_CUT_OFF_IOU: Final = 0.05  # with a die cut off by the picture's edge, for a crop to be ignored
_MAX_SIZE_RATIO: Final = 2.0
_TRUE_BOX_SHARE: Final = 0.35  # of the crops: a displaced true box instead of a detection
_CENTER_JITTER: Final = 0.22  # of a true box, standard deviation, in sizes of the die
_BOX_WEIGHT: Final = 3.0
_MIN_SIZE_PX: Final = 18.0
_NEAR_EDGE_SHARE: Final = 0.2  # of the crops
_NEAR_SIDE_SHARE: Final = 0.6  # of their four sides
_TRACED_WEIGHT: Final = 6  # crops of a path-traced picture to one of a painted one
_HELD_OUT_PICTURES: Final = 500
HELD_SEED: Final = 2_000_011


class RefinerNet(nn.Module):
    """Maps crops (n, 3, 96, 96), RGB / 255, to (n, 5), see `BoxRefiner`; 199,000 parameters.

    The output is the log-odds of a die, the offset of its center (x, y) and the logarithms of its box sides, all in
    sizes of the crop's box.
    """

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = _WIDTHS
        self.stages = nn.Sequential(
            step(3, a, stride=2), Separable(a, b, 2), Separable(b, b), Separable(b, b), Separable(b, c, 2),
            Separable(c, c), Separable(c, c), Separable(c, c), Separable(c, d, 2), Separable(d, d), Separable(d, d),
            Separable(d, d), nn.Conv2d(d, 32, 1), nn.ReLU(inplace=True), nn.Flatten(),
        )  # fmt: skip
        self.last = nn.Sequential(nn.Linear(32 * (REFINER_PX // 16) ** 2, 96), nn.ReLU(inplace=True), nn.Linear(96, 5))

    def forward(self, crops: Tensor) -> Tensor:
        outputs: Tensor = self.last(self.stages(crops - 0.5))
        return outputs


# ---- training pictures


@dataclass(frozen=True, slots=True, eq=False)
class LabeledPicture:
    """A picture with its dice and the finder's detections.

    Attributes:
        picture: uint8 (h, w, 3) BGR.
        dice: float32 (n, 4), true boxes: left, top, right, bottom.
        seen: float32 (m, 4), boxes of the finder's first-pass detections, right or wrong.
    """

    picture: NDArray[np.uint8]
    dice: Boxes
    seen: Boxes


def with_detections(picture: NDArray[np.uint8], dice: Boxes) -> LabeledPicture:
    """Return a picture with the finder's first-pass detections."""
    boxes = [die.box for die in shared_finder().candidates(picture)]
    seen = np.array([(x, y, x + w, y + h) for x, y, w, h in boxes], np.float32).reshape(-1, 4)
    return LabeledPicture(picture, dice[:, :4].astype(np.float32), seen)


def labeled_pictures(
    seed: int, count: int, fonts: Fonts, split: Split, folder: Path, processes: int, traced: Sequence[Path],
    report: Report,
) -> list[LabeledPicture]:  # fmt: skip
    """Return painted and path-traced pictures, cached in a folder.

    Args:
        count: number of painted pictures.
        traced: files of path-traced pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done: list[LabeledPicture] = []
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        jobs = [
            pool.submit(_painted, (seed, part), fonts, split, folder) for part in range(-(-count // _PICTURES_PER_FILE))
        ]
        jobs += [pool.submit(_traced, path, folder) for path in traced]
        for number, job in enumerate(jobs, start=1):
            done += _load(job.result())
            report(f"Looking at pictures ({split})", number, len(jobs))
    return done


def _painted(seed: tuple[int, int], fonts: Fonts, split: Split, folder: Path) -> Path:
    path = folder / f"sights1-{split}-{seed[0]}-{seed[1]:04d}.npz"
    if not path.exists():
        cv2.setNumThreads(1)
        rng = np.random.default_rng(seed)
        bank = [random_tile(rng, fonts, split, straight=_STRAIGHT_SHARE) for _ in range(_PICTURES_PER_FILE // 4)]
        scenes = [
            random_scene(rng, bank, fonts, sizes=_SIZES, prints=_PRINT_SHARE, pairs=False)
            for _ in range(_PICTURES_PER_FILE)
        ]
        _save(path, [with_detections(scene.picture, scene.boxes) for scene in scenes])
    return path


def _traced(source: Path, folder: Path) -> Path:
    path = folder / f"sights1-{source.name}"
    if not path.exists():
        cv2.setNumThreads(1)
        rng = np.random.default_rng(int(source.stem[-4:]))
        _save(path, [with_detections(denoised(shot.picture, rng), shot.boxes) for shot in load_parts([source])])
    return path


def _save(path: Path, made: Sequence[LabeledPicture]) -> None:
    part = path.with_suffix(".part.npz")
    np.savez(part, pictures=np.stack([each.picture for each in made]),
             dice=np.concatenate([each.dice for each in made]), n_dice=[len(each.dice) for each in made],
             seen=np.concatenate([each.seen for each in made]), n_seen=[len(each.seen) for each in made])  # fmt: skip
    os.replace(part, path)


def _load(path: Path) -> list[LabeledPicture]:
    with np.load(path) as arrays:
        dice = np.split(arrays["dice"], np.cumsum(arrays["n_dice"])[:-1])
        seen = np.split(arrays["seen"], np.cumsum(arrays["n_seen"])[:-1])
        return [LabeledPicture(*each) for each in zip(arrays["pictures"], dice, seen, strict=True)]


# ---- crops and labels


def random_crop(labeled: LabeledPicture, rng: np.random.Generator) -> tuple[NDArray[np.uint8], Boxes] | None:
    """Return a random crop and its label, float32 (7,), see `label_of`; None if the chosen box is too small."""
    if len(labeled.dice) and (not len(labeled.seen) or rng.random() < _TRUE_BOX_SHARE):
        left, top, right, bottom = labeled.dice[int(rng.integers(len(labeled.dice)))]
        size = max(right - left, bottom - top)
        x, y = (
            (left + right) / 2 + rng.normal(0, _CENTER_JITTER * size),
            (top + bottom) / 2 + rng.normal(0, _CENTER_JITTER * size),
        )
        size *= float(np.exp(rng.normal(0, 0.25)))
    elif len(labeled.seen) and rng.random() < 0.95:
        left, top, right, bottom = labeled.seen[int(rng.integers(len(labeled.seen)))]
        size = max(right - left, bottom - top) * float(np.exp(rng.normal(0, 0.08)))
        x, y = (left + right) / 2 + rng.normal(0, 0.04 * size), (top + bottom) / 2 + rng.normal(0, 0.04 * size)
    else:
        size = float(np.exp(rng.uniform(*np.log(_SIZES))))
        x, y = rng.uniform(0, 1, 2) * labeled.picture.shape[1::-1]
    if size < _MIN_SIZE_PX:
        return None
    die = DieBox(_box(x, y, size), 0.5)
    if rng.random() < _NEAR_EDGE_SHARE:
        labeled, die = near_an_edge(labeled, die, rng)
    return refiner_crop(labeled.picture, die), label_of(die, labeled.dice, labeled.picture.shape)


def near_an_edge(labeled: LabeledPicture, die: DieBox, rng: np.random.Generator) -> tuple[LabeledPicture, DieBox]:
    """Cut a picture close to a box on some sides, as if the die nearly filled the picture."""
    x, y, w, h = die.box
    far = np.where(rng.random(4) < _NEAR_SIDE_SHARE, rng.uniform(-0.1, 0.6, 4), 9.0) * die.size_px
    high, wide = labeled.picture.shape[:2]
    left, top = (int(max(0, at - off)) for at, off in ((x, far[0]), (y, far[1])))
    right, bottom = int(min(wide, x + w + far[2])), int(min(high, y + h + far[3]))
    if right - left < _MIN_SIZE_PX or bottom - top < _MIN_SIZE_PX:
        return labeled, die
    off = np.array([left, top, left, top], np.float32)
    part = LabeledPicture(
        np.ascontiguousarray(labeled.picture[top:bottom, left:right]), labeled.dice - off, labeled.seen - off
    )
    return part, DieBox((x - left, y - top, w, h), die.score)


def _box(x: float, y: float, size: float) -> Box:
    side = max(4, round(size))
    return round(x - size / 2), round(y - size / 2), side, side


def label_of(die: DieBox, dice: Boxes, shape: tuple[int, ...]) -> Boxes:
    """Return the label of a box: whether it is a die, that loss' weight, the box (4 values), that loss' weight.

    A die that is cut off by the picture's edge has no weight: crops repeat the picture beyond its edge, and the network
    would learn that repetition as a feature of dice, which wood grain has as well.

    Args:
        dice: true boxes, see `LabeledPicture`.
        shape: of the picture.
    """
    if not len(dice):
        return np.array([0, 1, 0, 0, 0, 0, 0], np.float32)
    ious = _ious(die, dice)
    order = np.argsort(-ious)
    iou = ious[order]
    left, top, right, bottom = dice[order[0]]
    size = float(die.size_px)
    off = ((left + right) / 2 - die.center[0]) / size, ((top + bottom) / 2 - die.center[1]) / size
    sides = np.log((right - left) / size), np.log((bottom - top) / size)
    of_size = abs(max(sides)) < np.log(_MAX_SIZE_RATIO)
    is_die = bool(iou[0] >= _POSITIVE_IOU and of_size)
    is_between = len(iou) > 1 and iou[1] > 0.6 * iou[0]
    if iou[0] > _MIN_CUT_OFF_IOU and min(left, top, shape[1] - right, shape[0] - bottom) < 1:
        return np.zeros(7, np.float32)
    counts = 0.0 if (_NEGATIVE_IOU < iou[0] < _POSITIVE_IOU and of_size) or (is_die and is_between) else 1.0
    has_box = iou[0] > _NEGATIVE_IOU and of_size and not is_between
    return np.array([is_die, counts, *off, *sides, has_box], np.float32)


# ---- training


@dataclass(frozen=True, slots=True)
class RefinerPlan:
    """Settings of one training run.

    Attributes:
        minutes: training time without rendering.
        pictures: number of pictures to render.
        data: cache of the pictures.
        traced: files of path-traced pictures to train on as well.
        start: initial weights: a checkpoint (``.pt``) or an exported network (``.onnx``).
        processes: number of rendering processes.
        device: PyTorch device.
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
    """Results on held-out pictures.

    Attributes:
        dice: number of detections that are dice.
        kept: number of those with a probability of 0.5 or more.
        others: number of other detections.
        taken: number of those with a probability of 0.5 or more.
        overlap: mean IoU of the kept dice's refined boxes with the true ones.
        before: the same of the finder's boxes.
    """

    dice: int
    kept: int
    others: int
    taken: int
    overlap: float
    before: float


def train_refiner(plan: RefinerPlan, fonts: Fonts, report: Report) -> RefinerScores:
    """Train, and write refiner.onnx, refiner.pt and REFINER_CARD.md to the plan's folder."""
    plan.out.mkdir(parents=True, exist_ok=True)
    made = labeled_pictures(plan.seed, plan.pictures, fonts, "train", plan.data, plan.processes, (), report)
    made += _TRACED_WEIGHT * labeled_pictures(
        plan.seed, 0, fonts, "train", plan.data, plan.processes, plan.traced, report
    )
    model = fit_refiner(made, plan, report)
    torch.save(model.state_dict(), plan.out / "refiner.pt")
    export_refiner(model, plan.out / "refiner.onnx")
    held = labeled_pictures(HELD_SEED, _HELD_OUT_PICTURES, fonts, "held", plan.data, plan.processes, (), report)
    found = measure(BoxRefiner(plan.out / "refiner.onnx"), held)
    (plan.out / "REFINER_CARD.md").write_text(refiner_card(plan, found))
    return found


def fit_refiner(
    made: Sequence[LabeledPicture], plan: RefinerPlan, report: Report = lambda step, done, total: None
) -> RefinerNet:
    """Train for the plan's minutes and return the network with averaged weights."""
    torch.manual_seed(plan.seed)
    torch.set_num_threads(plan.threads)
    cv2.setNumThreads(1)
    rng = np.random.default_rng([plan.seed, 3])
    model = RefinerNet()
    load_weights(model, plan.start, REFINER_PX)
    model = model.to(torch.device(plan.device), memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(model, avg_fn=ema(_EMA_DECAY), use_buffers=True)
    peak = _PEAK_LEARNING_RATE if plan.start is None else _CONTINUED_PEAK_LEARNING_RATE
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=1e-3)
    started, done, smoothed = time.monotonic(), 0.0, 2.0
    saved = started
    while done < 1:
        done = min(1.0, (time.monotonic() - started) / (60 * plan.minutes))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(peak, done, _WARM_UP_SHARE)
        smoothed = 0.99 * smoothed + 0.01 * _train_step(
            model, optimizer, *(part.to(plan.device) for part in _batch(made, rng))
        )
        average.update_parameters(model)
        if time.monotonic() - saved > _SAVE_INTERVAL_S:
            saved = time.monotonic()
            torch.save(average.module.state_dict(), plan.out / "refiner.pt")
        report(f"Training, loss {smoothed:.3f}", round(1000 * done), 1000)
    trained: RefinerNet = average.module.eval().cpu()
    return trained


def _batch(made: Sequence[LabeledPicture], rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    crops: list[NDArray[np.uint8]] = []
    labels: list[Boxes] = []
    while len(crops) < _BATCH_SIZE:
        crop = random_crop(made[int(rng.integers(len(made)))], rng)
        if crop is not None:
            crops.append(crop[0])
            labels.append(crop[1])
    targets = torch.from_numpy(np.stack(labels))
    inputs = _augmented(np.stack(crops), rng)
    return _flipped(inputs, targets, rng)


def _augmented(crops: NDArray[np.uint8], rng: np.random.Generator) -> Tensor:
    """Return crops as network input with random brightness, contrast and noise, some gray or with permuted channels."""
    n = len(crops)
    floats = crops[..., ::-1].astype(np.float32) / 255
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


def _flipped(inputs: Tensor, labels: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Flip a batch horizontally and vertically and transpose it, each with probability 0.5."""
    for axis, offset in ((-1, 2), (-2, 3)):
        if rng.random() < 0.5:
            inputs, labels = inputs.flip(axis), labels.clone()
            labels[:, offset] *= -1
    if rng.random() < 0.5:
        inputs, labels = inputs.transpose(-1, -2), labels[:, [0, 1, 3, 2, 5, 4, 6]]
    return inputs, labels


def _train_step(model: RefinerNet, optimizer: torch.optim.Optimizer, crops: Tensor, labels: Tensor) -> float:
    model.train()
    out = model(crops.contiguous(memory_format=torch.channels_last))
    is_die, counts, has_box = labels[:, 0], labels[:, 1], labels[:, 6]
    odds = functional.binary_cross_entropy_with_logits(out[:, 0], is_die, reduction="none")
    off = functional.smooth_l1_loss(out[:, 1:], labels[:, 2:6], reduction="none", beta=0.03).mean(dim=1)
    loss = (odds * counts).sum() / counts.sum().clamp(min=1)
    loss = loss + _BOX_WEIGHT * (off * has_box).sum() / has_box.sum().clamp(min=1)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    return float(loss.detach())


def export_refiner(model: RefinerNet, path: Path) -> None:
    """Write the network as ONNX for any batch size; batch norms are folded into the convolutions."""
    import onnx

    torch.onnx.export(model.eval().to(memory_format=torch.contiguous_format),
                      (torch.zeros(1, 3, REFINER_PX, REFINER_PX),), str(path),
                      input_names=["looks"], output_names=["said"],
                      dynamic_axes={"looks": {0: "n"}, "said": {0: "n"}}, opset_version=13, dynamo=False)  # fmt: skip
    onnx.save(with_float16_weights(onnx.load(str(path))), str(path))


# ---- evaluation and model card


def measure(refiner: BoxRefiner, held: Sequence[LabeledPicture]) -> RefinerScores:
    """Evaluate an exported network on the finder's detections in held-out pictures."""
    dice = kept = others = taken = 0
    after: list[float] = []
    before: list[float] = []
    for labeled in held:
        first = [DieBox((round(x0), round(y0), round(x1 - x0), round(y1 - y0)), 0.5) for x0, y0, x1, y1 in labeled.seen]
        for die, refined in zip(first, refiner.refined(labeled.picture, first), strict=True):
            label = label_of(die, labeled.dice, labeled.picture.shape)
            if not label[1]:
                continue
            if label[0]:
                dice, kept = dice + 1, kept + (refined.score >= 0.5)
                if refined.score >= 0.5:
                    before.append(float(_ious(die, labeled.dice).max()))
                    after.append(float(_ious(refined, labeled.dice).max()))
            else:
                others, taken = others + 1, taken + (refined.score >= 0.5)
    mean = (float(np.mean(each)) if each else 0.0 for each in (after, before))
    return RefinerScores(dice, kept, others, taken, *mean)


def _ious(die: DieBox, dice: Boxes) -> NDArray[np.float32]:
    """Return the IoU of a box with each die's box."""
    x, y, w, h = die.box
    wide = np.minimum(dice[:, 2], x + w) - np.maximum(dice[:, 0], x)
    high = np.minimum(dice[:, 3], y + h) - np.maximum(dice[:, 1], y)
    both = np.clip(wide, 0, None) * np.clip(high, 0, None)
    areas = (dice[:, 2] - dice[:, 0]) * (dice[:, 3] - dice[:, 1])
    return np.asarray(both / (areas + w * h - both), np.float32)


def refiner_card(plan: RefinerPlan, found: RefinerScores) -> str:
    """Return the model card of the refiner as Markdown."""
    traced = f", and {PART * len(plan.traced):,} path-traced ones (`tools/training/traced`)" if plan.traced else ""
    return f"""# The box refiner

`refiner.onnx` takes a crop around one detection of the finder. It outputs the probability that a die of about that size
is there, and the die's box. The network and this card were written by `python -m tools.training refiner`.

## Data
Rendered dice only, no photographs: {plan.pictures:,} painted scenes of 160 x 160 pixels{traced}. The training crops are
the finder's first-pass detections in these pictures, and randomly displaced boxes around true dice.

## Training
Separable convolutions with 199,000 parameters, seed {plan.seed}, {plan.minutes:g} minutes on {plan.threads}
core{"s" if plan.threads != 1 else ""} of a CPU{", from earlier weights" if plan.start else ""}.

## Held-out scenes
{_HELD_OUT_PICTURES} painted scenes with fonts and appearances that were not in the training data; one pass over each
detection of the finder:

- dice: {found.dice}; kept: {found.kept} ({found.kept / max(1, found.dice):.1%}); mean IoU of their boxes with the true
  ones {found.overlap:.1%} (of the finder's first-pass boxes {found.before:.1%})
- other objects: {found.others}; accepted as a die: {found.taken}

## Limits
Trained and measured on renders, not on photographs.
"""
