"""Trains the network that says whether the most frontal face is the upper one; taken up again where it stopped."""

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

_BATCH: Final = 64
_PEAK: Final = 3e-3
_SAVE_S: Final = 60.0
_ABOVE_DEG, _ASIDE_DEG = 12.0, 20.0
_SLACK_PX: Final = 3.0
"""How far a crop is moved, as if the die's box were not quite right."""
_ERROR_DEG: Final = 5.0
_OTHER_CORNER: Final = 0.25


@dataclass(frozen=True, slots=True)
class Shards:
    """Pictures uint8 (n, 112, 112, 3) BGR, their labels float32 (n, 8), and which way their numbers seem to stand."""

    images: NDArray[np.uint8]
    labels: NDArray[np.float32]
    up_deg: NDArray[np.float32]

    @classmethod
    def of(cls, paths: Sequence[Path]) -> Shards:
        loaded = [np.load(path) for path in paths]
        images, labels = (np.concatenate([each[name] for each in loaded]) for name in ("images", "labels"))
        return cls(images, labels, np.concatenate([_ups(path) for path in paths]))


def _ups(path: Path) -> NDArray[np.float32]:
    """Return where the reader takes the heads of a shard's numbers to point; kept beside it."""
    kept = path.with_suffix(".up.npy")
    if not kept.exists():
        networks = shared_classifier()
        np.save(kept, np.array([up_of(image, networks) for image in np.load(path)["images"]], np.float32))
    return np.asarray(np.load(kept))


def up_of(image: NDArray[np.uint8], networks: Classifier) -> float:
    """Return where the reader takes the head of the number to point, from a stored sample."""
    side = round(CONTEXT_PX * CROP_SIDE / CONTEXT_SIDE)
    low = (CONTEXT_PX - side) // 2
    die = cv2.resize(image[low : low + side, low : low + side], (CROP_PX, CROP_PX), interpolation=cv2.INTER_LINEAR)
    return candidate_orientations(softmax(networks.whole.run([np.asarray(die, np.uint8)])["up"])[0])[0][0]


def fit(train: Shards, held: Shards, weights: Path, seconds: float, seed: int, tell: Callable[[str], None]) -> TiltNet:
    """Train for some seconds of a processor; the weights are kept in a file again and again."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = TiltNet()
    if weights.exists():
        model.load_state_dict(torch.load(weights, map_location="cpu"))
    learnt = [each for each in model.parameters() if each.requires_grad]
    steps = torch.optim.AdamW(learnt, lr=_PEAK, weight_decay=2e-3)
    begun, saved = time.process_time(), time.monotonic()
    step, mean = 0, 0.0
    while (gone := (time.process_time() - begun) / seconds) < 1:
        for group in steps.param_groups:
            group["lr"] = _PEAK * max(0.004, min(1.0, gone / 0.03) * 0.5 * (1 + np.cos(np.pi * gone)))
        model.train()
        crops, labels = batch(train, _BATCH, rng)
        loss = cost(model(crops), labels)
        steps.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, 5.0)
        steps.step()
        step += 1
        mean = 0.98 * mean + 0.02 * float(loss.detach()) if mean else float(loss.detach())
        if time.monotonic() - saved > _SAVE_S:
            saved = time.monotonic()
            save(model, weights)
            tell(f"{gone:.0%} step {step} cost {mean:.4f} {scores(model, held)}")
    save(model, weights)
    tell(f"step {step} cost {mean:.4f} {scores(model, held)}")
    model.eval()
    return model


def save(model: TiltNet, path: Path) -> None:
    """Keep the weights."""
    part = path.with_suffix(".part")
    torch.save(model.state_dict(), part)
    part.replace(path)


def cost(outputs: tuple[Tensor, ...], labels: Tensor) -> Tensor:
    """Return the loss: the verdict's, and how far the directions are off."""
    hazard, aside, tilt, face = outputs
    verdict = functional.binary_cross_entropy_with_logits(hazard[:, 0], labels[:, 0] * 0.98 + 0.01)
    stands = ((labels[:, 5] - _ABOVE_DEG) / (_ASIDE_DEG - _ABOVE_DEG)).clamp(0.01, 0.99)
    verdict = verdict + 0.5 * functional.binary_cross_entropy_with_logits(aside[:, 0], stands)
    off = functional.smooth_l1_loss(tilt, labels[:, 1:3], beta=0.05)
    return verdict + 2 * off + 6 * functional.smooth_l1_loss(face, labels[:, 3:5], beta=0.05)


def batch(shards: Shards, size: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Return some crops (size, 3, 96, 96) RGB, set upright not quite rightly, moved, mirrored and tinted by chance."""
    rows = rng.integers(0, len(shards.labels), size)
    labels, crops = shards.labels[rows].copy(), np.empty((size, UPRIGHT_PX, UPRIGHT_PX, 3), np.uint8)
    for k, row in enumerate(rows.tolist()):
        up = float(shards.up_deg[row]) + rng.normal(0, _ERROR_DEG)
        if rng.random() < _OTHER_CORNER:
            up += float(rng.choice([60.0, 120.0, 180.0, 240.0, 300.0]))
        is_mirrored, (x, y) = bool(rng.random() < 0.5), rng.uniform(-_SLACK_PX, _SLACK_PX, 2)
        crops[k] = rotate_upright(shards.images[row], up, shift_px=(float(x), float(y)), is_mirrored=is_mirrored)
        labels[k, 1:5] = directions_turned(labels[k, 1:5], up, is_mirrored=is_mirrored)
    return _tinted(torch.from_numpy(crops).permute(0, 3, 1, 2).flip(1).float() / 255), torch.from_numpy(labels)


def directions_turned(xyxy: NDArray[np.float32], up_deg: float, *, is_mirrored: bool) -> NDArray[np.float32]:
    """Return two directions (4,), x right and y down the picture, in a crop that was turned upright and mirrored."""
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
    """Return the crops (n, 3, 96, 96) RGB as the reader takes them."""
    turned = [rotate_upright(image, float(up)) for image, up in zip(shards.images, shards.up_deg, strict=True)]
    return torch.from_numpy(np.stack(turned)).permute(0, 3, 1, 2).flip(1).float() / 255


def hazards(model: TiltNet, crops: Tensor) -> tuple[Tensor, ...]:
    """Return the network's outputs for many crops."""
    model.eval()
    with torch.no_grad():
        parts = [model(part) for part in crops.split(128)]
    return tuple(torch.cat([part[k] for part in parts]) for k in range(len(parts[0])))


def scores(model: TiltNet, held: Shards) -> str:
    """Return how many hazards pass limits that some of the dice seen from above (up to 10 degrees) do not pass."""
    hazard, _, _, face = hazards(model, upright(held))
    labels = torch.from_numpy(held.labels)
    wrong, above = (labels[:, 0] > 0.5) & (labels[:, 6] < 20), labels[:, 5] <= 10
    ranked = hazard[above, 0].sort(descending=True).values
    text = []
    for share in (0.01, 0.02, 0.05, 0.1):
        limit = float(ranked[int(share * len(ranked))])
        text.append(f"{float((hazard[wrong, 0] <= limit).float().mean()):.3f}@{share:.0%}")
    told = [directions_turned(row[1:5], float(up), is_mirrored=False)[2:]
            for row, up in zip(held.labels, held.up_deg, strict=True)]  # fmt: skip
    off = torch.rad2deg((face - torch.from_numpy(np.stack(told))).norm(dim=1)).median()
    return f"hazards missed {' '.join(text)}; faces {off:.1f} deg off"
