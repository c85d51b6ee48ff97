"""Trains the three networks for bowls, each for some minutes on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from companion.games.chinchirorin.camera.turns import turn_of
from companion.rendering.bowls.rays import Picture
from tools.training.bowls.closeups import Told, closeups
from tools.training.bowls.ghosts import Ghosts
from tools.training.bowls.looks import Shot
from tools.training.bowls.net import BowlNet, DieNet
from tools.training.bowls.paint import paint
from tools.training.bowls.pieces import Wanted, piece
from tools.training.finder.fit import _inputs, _turned
from tools.training.finder.net import FinderNet
from tools.training.finder.net import Wanted as Found

Tell = Callable[[str], None]
State = dict[str, Tensor]
Save = Callable[[State], None]
_BATCH: Final = 24
_WARM_UP: Final = 0.04
_SHOTS, _EACH = 24, 4
_DICE_PEAK, _VIEW_PEAK, _DIE_PEAK = 7e-4, 2e-3, 1e-3
_TURNS_PEAK: Final = 2e-3
_TURNS_BATCH: Final = 192
_LEAST_KEPT, _MOST_KEPT = 2000, 30_000
_OFTEN: Final = 4  # steps by round of new close-ups
_TELL_EVERY: Final = 50


def fit_dice(
    model: BowlNet, shots: Sequence[Shot], minutes: float, seed: int, tell: Tell, save: Save = lambda state: None
) -> BowlNet:
    """Train the network that finds the dice of a bowl; ``save`` gets its weights again and again."""
    rng = np.random.default_rng(seed)

    def cost(step: int) -> tuple[Tensor, str]:
        inputs, wanted = zip(*(piece(shots[int(i)], rng) for i in rng.integers(0, len(shots), _BATCH)), strict=True)
        canvas = torch.from_numpy(np.stack(inputs)).contiguous(memory_format=torch.channels_last)
        return _dice_loss(model(canvas), wanted)

    _fit(model, cost, minutes, _DICE_PEAK, seed, tell, save)
    return model


def _dice_loss(maps: Tensor, wanted: Sequence[Wanted]) -> tuple[Tensor, str]:
    heat, seen, off, near = (
        torch.from_numpy(np.stack([getattr(each, name) for each in wanted])) for name in Wanted.__slots__
    )
    found = functional.pixel_shuffle(maps[:, :4], 2)[:, 0]
    chance = torch.sigmoid(found)
    at = (heat == 1).float()
    hit = -functional.logsigmoid(found) * (1 - chance) ** 2 * at
    miss = -functional.logsigmoid(-found) * chance**2 * (1 - heat) ** 4 * (1 - at)
    heat_loss = ((hit + miss) * seen).sum() / at.sum().clamp(min=1)
    said, is_near = maps.permute(0, 2, 3, 1), near > 0
    place = functional.smooth_l1_loss(said[..., 4:7][is_near], off.permute(0, 2, 3, 1)[is_near], beta=0.2)
    loss = heat_loss + 2 * place
    return loss, f"{float(heat_loss.detach()):.3f} {float(place.detach()):.3f}"


def fit_die(
    model: DieNet, shots: Sequence[Shot], minutes: float, seed: int, tell: Tell, save: Save = lambda state: None,
    ghosts: Sequence[Ghosts] = (),
) -> DieNet:  # fmt: skip
    """Train the network that reads one die from close by; ``ghosts`` are what the other one took for dice, by shot."""
    rng = np.random.default_rng(seed)

    def cost(step: int) -> tuple[Tensor, str]:
        chosen = rng.integers(0, len(shots), _SHOTS)
        seen = [each for i in chosen for each in closeups(shots[i], rng, _EACH, ghosts[i] if ghosts else ())]
        inputs, told = zip(*seen, strict=True)
        canvas = torch.from_numpy(np.stack(inputs)).contiguous(memory_format=torch.channels_last)
        return _die_loss(model(canvas), told)

    _fit(model, cost, minutes, _DIE_PEAK, seed, tell, save)
    return model


def fit_turns(
    model: DieNet, shots: Sequence[Shot], minutes: float, seed: int, tell: Tell, save: Save = lambda state: None
) -> DieNet:
    """Train the branch that tells how a die is turned, and nothing else; see `new_turns`.

    What the rest sees of a close-up does not change meanwhile, so it is computed once and learnt from again and again.
    """
    rng = np.random.default_rng(seed)
    kept = _Kept(0, [], [], [], [])
    for parameter in model.parameters():
        parameter.requires_grad = False
    for parameter in model.turns.parameters():
        parameter.requires_grad = True

    def cost(step: int) -> tuple[Tensor, str]:
        while len(kept.near) < _LEAST_KEPT or kept.shown < step // _OFTEN:
            _keep(model, shots, rng, kept)
        rows = rng.integers(0, len(kept.near), _TURNS_BATCH)
        near, far = (torch.stack([each[i] for i in rows]).float() for each in (kept.near, kept.far))
        faces, lies = (torch.from_numpy(np.stack([each[i] for i in rows])) for each in (kept.faces, kept.lies))
        return _turns_loss(model.turns(near, far), faces, lies)

    _fit(model, cost, minutes, _TURNS_PEAK, seed, tell, save)
    for parameter in model.parameters():
        parameter.requires_grad = True
    return model


@dataclass(slots=True)
class _Kept:
    """What the body sees of close-ups; ``shown`` counts how often some were added."""

    shown: int
    near: list[Tensor]
    far: list[Tensor]
    faces: list[NDArray[np.float32]]
    lies: list[int]


def _keep(model: DieNet, shots: Sequence[Shot], rng: np.random.Generator, kept: _Kept) -> None:
    chosen = rng.integers(0, len(shots), _SHOTS)
    seen = [each for i in chosen for each in closeups(shots[i], rng, _EACH) if np.isfinite(each[1].faces[0][0])]
    with torch.no_grad():
        near, far = model.features(torch.from_numpy(np.stack([inputs for inputs, _ in seen])))
    kept.shown += 1
    for i, (_, told) in enumerate(seen):
        if len(kept.near) < _MOST_KEPT:
            kept.near.append(near[i].half())
            kept.far.append(far[i].half())
            kept.faces.append(np.array(told.faces, np.float32))
            kept.lies.append(told.lies)
        else:
            k = int(rng.integers(_MOST_KEPT))
            kept.near[k], kept.far[k] = near[i].half(), far[i].half()
            kept.faces[k], kept.lies[k] = np.array(told.faces, np.float32), told.lies


def _turns_loss(said: Tensor, faces: Tensor, lies: Tensor) -> tuple[Tensor, str]:
    smooth = functional.smooth_l1_loss
    normals = smooth(said[:, :9], faces.reshape(-1, 9), beta=0.3)
    turns = smooth(said[:, 9:24], torch.from_numpy(turn_of(faces.numpy())), beta=0.1)
    known = lies >= 0
    flat = functional.binary_cross_entropy_with_logits(said[known, 24], lies[known].float())
    loss = 4 * normals + 10 * turns + 0.5 * flat
    return loss, " ".join(f"{float(part.detach()):.3f}" for part in (normals, turns, flat))


def _die_loss(said: Tensor, told: Sequence[Told]) -> tuple[Tensor, str]:
    is_die, flat, value = (torch.tensor([getattr(each, name) for each in told]) for name in ("is_die", "flat", "value"))
    off, up = (torch.tensor([getattr(each, name) for each in told], dtype=torch.float32) for name in ("off", "up"))
    binary, smooth = functional.binary_cross_entropy_with_logits, functional.smooth_l1_loss
    is_told, is_off, is_up = is_die >= 0, torch.isfinite(off[:, 0]), torch.isfinite(up[:, 0])
    knows, has = flat >= 0, value >= 0
    there = binary(said[is_told, 0], is_die[is_told].float())
    place = smooth(said[is_off, 1:4], off[is_off], beta=0.1)
    stands = flat[knows].float()
    lies = binary(said[knows, 4], stands, weight=2 - stands)
    reads = functional.cross_entropy(said[has, 5:11], value[has])
    normal = smooth(said[is_up, 11:13], up[is_up], beta=0.1)
    right = float((said[has, 5:11].argmax(dim=1) == value[has]).float().mean())
    loss = there + 2 * place + 2 * normal + lies + 1.5 * reads
    parts = there, place, normal, lies, reads
    return loss, " ".join(f"{float(part.detach()):.3f}" for part in parts) + f" {right:.3f}"


def fit_view(model: FinderNet, shots: Sequence[Shot], minutes: float, seed: int, tell: Tell) -> FinderNet:
    """Train the network that finds the bowl: which places are within its rim."""
    rng = np.random.default_rng(seed)
    pictures = np.stack([shot.picture for shot in shots])
    inside = torch.from_numpy(np.stack([_mask(shot) for shot in shots]))
    nothing = torch.zeros(len(shots), 5, *inside.shape[1:])  # no boxes: only the way to mirror a batch is the finder's

    def cost(step: int) -> tuple[Tensor, str]:
        which = rng.integers(0, len(pictures), 24)
        rows = torch.from_numpy(which)
        want = Found(inside[rows], nothing[rows], inside[rows], inside[rows])
        chosen = np.stack([_elsewhere(pictures[i], shots[i], rng) for i in which])
        inputs, want = _turned(_inputs(chosen, rng), want, rng)
        maps = model(inputs.contiguous(memory_format=torch.channels_last))
        loss = functional.binary_cross_entropy_with_logits(maps[:, 0], want.heat)
        return loss, f"{float(loss.detach()):.4f}"

    _fit(model, cost, minutes, _VIEW_PEAK, seed, tell)
    return model


def _elsewhere(picture: Picture, shot: Shot, rng: np.random.Generator) -> Picture:
    """Return the picture with something painted on its table, sometimes on the bowl as well."""
    if rng.random() < 0.4:
        return picture
    painted, outside = picture.copy(), np.full(picture.shape[:2], 255, np.uint8)
    paint(painted, rng)
    if rng.random() < 0.8:
        middle = shot.rim.mean(axis=0)
        around = middle + (shot.rim - middle) * float(rng.uniform(1.02, 1.25))
        cv2.fillPoly(outside, [np.round(around * 16).astype(np.int32)], 0, cv2.LINE_AA, 4)
    share = outside[..., None].astype(np.float32) * np.float32(rng.uniform(0.3, 1) / 255)
    return (picture + share * (painted.astype(np.float32) - picture)).astype(np.uint8)


def _mask(shot: Shot) -> NDArray[np.float32]:
    side = shot.picture.shape[0]
    mask = np.zeros((side, side), np.float32)
    cv2.fillPoly(mask, [np.round(shot.rim * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
    return np.asarray(cv2.resize(mask, (side // 4, side // 4), interpolation=cv2.INTER_AREA), np.float32)


def _fit(
    model: nn.Module, cost: Callable[[int], tuple[Tensor, str]], minutes: float, peak: float, seed: int, tell: Tell,
    save: Save = lambda state: None,
) -> None:  # fmt: skip
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
        keep = min(0.998, (1 + step) / (10 + step))
        with torch.no_grad():
            for name, value in model.state_dict().items():
                mean[name] = keep * mean[name] + (1 - keep) * value if value.is_floating_point() else value
        smooth = float(loss.detach()) if not step else 0.98 * smooth + 0.02 * float(loss.detach())
        step += 1
        if step % _TELL_EVERY == 0 or done >= 1:
            tell(f"step {step}, {done:.0%}, loss {smooth:.3f}; {words}")
            save(mean)
    model.load_state_dict(mean)
    model.eval()
