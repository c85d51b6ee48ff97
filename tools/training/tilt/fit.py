"""Trains the off-axis network, whether a die's most frontal face is another than the upper one; resumes checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from companion.vision.dice.boxes import CROP_PX, CROP_SIDE
from companion.vision.dice.faces.classifier import Classifier, shared_classifier
from companion.vision.dice.faces.nets import softmax
from companion.vision.dice.faces.off_axis import CONTEXT_PX, CONTEXT_SIDE, UPRIGHT_PX, rotate_upright
from companion.vision.dice.faces.predictions import candidate_orientations
from tools.training.tilt.net import TiltNet

_BATCH_SIZE: Final = 64
_PEAK_LEARNING_RATE: Final = 3e-3
_SAVE_INTERVAL_S: Final = 60.0
_ABOVE_DEG, _ASIDE_DEG = 12.0, 20.0
"""Tilts between which the label "camera is off-axis" rises from 0.01 to 0.99."""
_MAX_SHIFT_PX: Final = 3.0
"""Maximum displacement of a crop, for errors of the die's box."""
_ORIENTATION_ERROR_DEG: Final = 5.0
_OTHER_CORNER_SHARE: Final = 0.25


@dataclass(frozen=True, slots=True)
class Shards:
    """Pictures uint8 (n, 112, 112, 3) BGR, labels float32 (n, 8), and the numbers' directions as read, degrees (n,)."""

    images: NDArray[np.uint8]
    labels: NDArray[np.float32]
    up_deg: NDArray[np.float32]

    @classmethod
    def load(cls, paths: Sequence[Path]) -> Shards:
        loaded = [np.load(path) for path in paths]
        images, labels = (np.concatenate([each[name] for each in loaded]) for name in ("images", "labels"))
        return cls(images, labels, np.concatenate([_number_directions(path) for path in paths]))


def _number_directions(path: Path) -> NDArray[np.float32]:
    """Return the directions of a shard's numbers as the program reads them; cached beside the shard."""
    cache = path.with_suffix(".up.npy")
    if not cache.exists():
        networks = shared_classifier()
        np.save(cache, np.array([number_direction(image, networks) for image in np.load(path)["images"]], np.float32))
    return np.asarray(np.load(cache))


def number_direction(image: NDArray[np.uint8], networks: Classifier) -> float:
    """Return the direction of the number in a stored sample as the program reads it, degrees."""
    side = round(CONTEXT_PX * CROP_SIDE / CONTEXT_SIDE)
    low = (CONTEXT_PX - side) // 2
    die = cv2.resize(image[low : low + side, low : low + side], (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR)
    return candidate_orientations(softmax(networks.whole.run([np.asarray(die, np.uint8)])["up"])[0])[0][0]


def fit(train: Shards, held: Shards, weights: Path, seconds: float, seed: int, log: Callable[[str], None]) -> TiltNet:
    """Train for some seconds of CPU time, with regular checkpoints.

    Args:
        weights: checkpoint file; training continues from it if it exists.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = TiltNet()
    if weights.exists():
        model.load_state_dict(torch.load(weights, map_location="cpu"))
    trainable = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=_PEAK_LEARNING_RATE, weight_decay=2e-3)
    started, saved = time.process_time(), time.monotonic()
    step, mean = 0, 0.0
    while (progress := (time.process_time() - started) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = _PEAK_LEARNING_RATE * max(
                0.004, min(1.0, progress / 0.03) * 0.5 * (1 + np.cos(np.pi * progress))
            )
        model.train()
        crops, labels = batch(train, _BATCH_SIZE, rng)
        loss = loss_of(model(crops), labels)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trainable, 5.0)
        optimizer.step()
        step += 1
        mean = 0.98 * mean + 0.02 * float(loss.detach()) if mean else float(loss.detach())
        if time.monotonic() - saved > _SAVE_INTERVAL_S:
            saved = time.monotonic()
            save(model, weights)
            log(f"{progress:.0%} step {step} cost {mean:.4f} {scores(model, held)}")
    save(model, weights)
    log(f"step {step} cost {mean:.4f} {scores(model, held)}")
    model.eval()
    return model


def save(model: TiltNet, path: Path) -> None:
    """Save the weights atomically."""
    part = path.with_suffix(".part")
    torch.save(model.state_dict(), part)
    part.replace(path)


def loss_of(outputs: tuple[Tensor, ...], labels: Tensor) -> Tensor:
    """Return the loss: cross-entropy of both verdicts, and errors of tilt and face direction."""
    hazard, aside, tilt, face = outputs
    verdict = functional.binary_cross_entropy_with_logits(hazard[:, 0], labels[:, 0] * 0.98 + 0.01)
    off_axis = ((labels[:, 5] - _ABOVE_DEG) / (_ASIDE_DEG - _ABOVE_DEG)).clamp(0.01, 0.99)
    verdict = verdict + 0.5 * functional.binary_cross_entropy_with_logits(aside[:, 0], off_axis)
    off = functional.smooth_l1_loss(tilt, labels[:, 1:3], beta=0.05)
    return verdict + 2 * off + 6 * functional.smooth_l1_loss(face, labels[:, 3:5], beta=0.05)


def batch(shards: Shards, size: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Return random crops (size, 3, 96, 96) RGB, upright with an error, shifted, mirrored and tinted, with labels."""
    rows = rng.integers(0, len(shards.labels), size)
    labels, crops = shards.labels[rows].copy(), np.empty((size, UPRIGHT_PX, UPRIGHT_PX, 3), np.uint8)
    for k, row in enumerate(rows.tolist()):
        up = float(shards.up_deg[row]) + rng.normal(0, _ORIENTATION_ERROR_DEG)
        if rng.random() < _OTHER_CORNER_SHARE:
            up += float(rng.choice([60.0, 120.0, 180.0, 240.0, 300.0]))
        is_mirrored, (x, y) = bool(rng.random() < 0.5), rng.uniform(-_MAX_SHIFT_PX, _MAX_SHIFT_PX, 2)
        crops[k] = rotate_upright(shards.images[row], up, shift_px=(float(x), float(y)), is_mirrored=is_mirrored)
        labels[k, 1:5] = rotated_directions(labels[k, 1:5], up, is_mirrored=is_mirrored)
    return _tinted(torch.from_numpy(crops).permute(0, 3, 1, 2).flip(1).float() / 255), torch.from_numpy(labels)


def rotated_directions(xyxy: NDArray[np.float32], up_deg: float, *, is_mirrored: bool) -> NDArray[np.float32]:
    """Transform two directions (4,), x right and y down the picture, to a crop rotated upright and mirrored."""
    w = np.radians(up_deg)
    turn = np.array([[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]])
    turned = xyxy.reshape(2, 2) @ turn.T
    return np.asarray((turned * ([-1, 1] if is_mirrored else [1, 1])).ravel(), np.float32)


def _tinted(crops: Tensor) -> Tensor:
    size = len(crops)
    gain = 1 + 0.25 * (torch.rand(size, 3, 1, 1) - 0.5) + 0.3 * (torch.rand(size, 1, 1, 1) - 0.5)
    share = (torch.rand(size, 1, 1, 1) < 0.15).float()
    crops = (crops * (1 - share) + crops.mean(1, keepdim=True) * share) * gain + 0.1 * (torch.rand(size, 1, 1, 1) - 0.5)
    if torch.rand(()) < 0.3:
        crops = crops + 0.03 * torch.rand(size, 1, 1, 1) * torch.randn_like(crops)
    return crops.clamp(0, 1)


def upright(shards: Shards) -> Tensor:
    """Return the crops (n, 3, 96, 96) RGB as the program cuts them."""
    turned = [rotate_upright(image, float(up)) for image, up in zip(shards.images, shards.up_deg, strict=True)]
    return torch.from_numpy(np.stack(turned)).permute(0, 3, 1, 2).flip(1).float() / 255


def outputs_of(model: TiltNet, crops: Tensor) -> tuple[Tensor, ...]:
    """Return the network's outputs for many crops."""
    model.eval()
    with torch.no_grad():
        parts = [model(part) for part in crops.split(128)]
    return tuple(torch.cat([part[k] for part in parts]) for k in range(len(parts[0])))


def scores(model: TiltNet, held: Shards) -> str:
    """Return the shares of missed hazards at thresholds with 1, 2, 5 and 10 % false alarms, as text for the log.

    Hazards are faces that are not the upper one; false alarms are on dice seen from within 10 degrees.
    """
    hazard, _, _, face = outputs_of(model, upright(held))
    labels = torch.from_numpy(held.labels)
    wrong, above = (labels[:, 0] > 0.5) & (labels[:, 6] < 20), labels[:, 5] <= 10
    ranked = hazard[above, 0].sort(descending=True).values
    text = []
    for share in (0.01, 0.02, 0.05, 0.1):
        limit = float(ranked[int(share * len(ranked))])
        text.append(f"{float((hazard[wrong, 0] <= limit).float().mean()):.3f}@{share:.0%}")
    truth = [rotated_directions(row[1:5], float(up), is_mirrored=False)[2:]
            for row, up in zip(held.labels, held.up_deg, strict=True)]  # fmt: skip
    off = torch.rad2deg((face - torch.from_numpy(np.stack(truth))).norm(dim=1)).median()
    return f"hazards missed {' '.join(text)}; faces {off:.1f} deg off"
