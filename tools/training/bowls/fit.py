"""Trains the two networks for bowls, each for some minutes on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tools.training.bowls.crops import NO_VALUE, NOT_SAID, Crop, batches
from tools.training.bowls.looks import Shot
from tools.training.bowls.net import BowlNet
from tools.training.finder.fit import _inputs, _turned
from tools.training.finder.net import FinderNet, Wanted, loss_of, wanted_maps
from tools.training.finder.scenes import Scene

Tell = Callable[[str], None]
_BATCH: Final = 64
_WARM_UP: Final = 0.04
_READER_PEAK, _FINDER_PEAK = 8e-4, 2e-3
_BOX_WEIGHT: Final = 4.0


def fit_reader(model: BowlNet, samples: Sequence[Crop], minutes: float, seed: int, tell: Tell) -> BowlNet:
    stream = batches(samples, _BATCH, np.random.default_rng(seed))

    def cost(step: int) -> tuple[Tensor, str]:
        crop, tilt, value, state, normal = (torch.from_numpy(part) for part in next(stream))
        said, stands, up = model(crop.contiguous(memory_format=torch.channels_last), tilt)
        has, knows = value != NO_VALUE, (state != NOT_SAID)
        die = state <= 1
        loss = functional.cross_entropy(said[has], value[has], label_smoothing=0.02)
        loss = loss + functional.cross_entropy(stands[knows], state[knows])
        loss = loss + 2.0 * functional.smooth_l1_loss(up[die], normal[die], beta=0.1)
        right = float((said[has].argmax(dim=1) == value[has]).float().mean())
        sure = float((stands[knows].argmax(dim=1) == state[knows]).float().mean())
        return loss, f"{right:.3f} {sure:.3f}"

    _fit(model, cost, minutes, _READER_PEAK, seed, tell)
    return model


def fit_finder(model: FinderNet, scenes: Sequence[Scene], minutes: float, seed: int, tell: Tell) -> FinderNet:
    rng = np.random.default_rng(seed)
    pictures, wanted = np.stack([scene.picture for scene in scenes]), wanted_maps([scene.boxes for scene in scenes])

    def cost(step: int) -> tuple[Tensor, str]:
        which = rng.integers(0, len(pictures), 24)
        inputs, want = _turned(_inputs(pictures[which], rng), wanted.of(which), rng)
        maps = model(inputs.contiguous(memory_format=torch.channels_last))
        heat, box = loss_of(maps, want)
        return heat + _BOX_WEIGHT * box, f"{float(heat):.2f} {float(box):.3f}"

    _fit(model, cost, minutes, _FINDER_PEAK, seed, tell)
    return model


def fit_view(model: FinderNet, shots: Sequence[Shot], minutes: float, seed: int, tell: Tell) -> FinderNet:
    """Train the network that finds the bowl: which places are within its rim."""
    rng = np.random.default_rng(seed)
    pictures = np.stack([shot.picture for shot in shots])
    inside = torch.from_numpy(np.stack([_mask(shot) for shot in shots]))
    nothing = torch.zeros(len(shots), 5, *inside.shape[1:])  # no boxes: only the way to mirror a batch is the finder's

    def cost(step: int) -> tuple[Tensor, str]:
        which = rng.integers(0, len(pictures), 24)
        rows = torch.from_numpy(which)
        want = Wanted(inside[rows], nothing[rows], inside[rows], inside[rows])
        inputs, want = _turned(_inputs(pictures[which], rng), want, rng)
        maps = model(inputs.contiguous(memory_format=torch.channels_last))
        loss = functional.binary_cross_entropy_with_logits(maps[:, 0], want.heat)
        return loss, f"{float(loss):.4f}"

    _fit(model, cost, minutes, _FINDER_PEAK, seed, tell)
    return model


def _mask(shot: Shot) -> NDArray[np.float32]:
    side = shot.picture.shape[0]
    mask = np.zeros((side, side), np.float32)
    cv2.fillPoly(mask, [np.round(shot.rim * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    return np.asarray(cv2.resize(mask, (side // 4, side // 4), interpolation=cv2.INTER_AREA), np.float32)


def _fit(
    model: nn.Module, cost: Callable[[int], tuple[Tensor, str]], minutes: float, peak: float, seed: int, tell: Tell
) -> None:
    """Train for some minutes; the mean of the last weights is what remains."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model.to(memory_format=torch.channels_last).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, weight_decay=0.01)
    mean = {name: value.detach().clone() for name, value in model.state_dict().items()}
    begun, step, smooth, done = time.monotonic(), 0, 0.0, 0.0
    while done < 1:
        done = min(1.0, (time.monotonic() - begun) / (60 * minutes))
        for group in optimizer.param_groups:
            group["lr"] = peak * min(1.0, done / _WARM_UP + 0.02) * (0.5 + 0.5 * float(np.cos(np.pi * done))) + 1e-6
        loss, words = cost(step)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        keep = min(0.995, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, value in model.state_dict().items():
                mean[name] = keep * mean[name] + (1 - keep) * value if value.is_floating_point() else value
        smooth = float(loss.detach()) if not step else 0.98 * smooth + 0.02 * float(loss.detach())
        step += 1
        if step % 50 == 0 or done >= 1:
            tell(f"step {step}, {done:.0%}, loss {smooth:.3f}; {words}")
    model.load_state_dict(mean)
    model.eval()
