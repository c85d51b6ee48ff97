"""Data augmentation, a batch at a time on the training device.

Each sample is rotated, shifted and scaled, rectified as the program does if the camera's axis is known (with the axis'
error), recolored, blurred and occluded. Positions in the labels are transformed with it.
"""

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from companion.rendering.painter import Image
from companion.vision.dice.axis import UPPER_FACE_HEIGHT
from companion.vision.dice.boxes import CROP_PX, CROP_SIDE
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX, NUMBER_PX, NUMBER_SIDE
from tools.training.pool import NOTE, TILT, TOWARDS, UP, X, Y
from tools.training.rays.lens import blurred
from tools.training.samples.scenes import UNREADABLE, UPRIGHT_DEG

UNKNOWN: Final = 3
"""Note of a sample of which only the kind is trained."""
_MIN_ASKEW_DEG: Final = 45.0  # rotated by more, a number does not count as upright
_HALF_TURN_DEG: Final = 150.0  # rotated by more, an 8, 1, 0 or 11 looks upright again
_OFF_AXIS_DEG: Final = 18.0  # with an unknown axis, dice seen farther off the vertical are labeled unreadable
_AMBIGUOUS_DEG: Final = 23.0  # and beyond this, one of twenty faces has no label: another face may seem the upper one
_AXIS_ERROR_DEG: Final = (2.0, 5.0)  # standard deviations of a known axis' tilt and direction
_COARSE_PX: Final = round(CLOSE_CROP_PX * CROP_PX / (DIE_PX * CROP_SIDE))


class BatchRng:
    """Random tensors from one seeded generator, on one device."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self.generator = torch.Generator(device=device).manual_seed(seed)
        self.device = device

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(*shape, generator=self.generator, device=self.device)

    def normal(self, spread: float, *shape: int) -> Tensor:
        return spread * torch.randn(*shape, generator=self.generator, device=self.device)

    def rows(self, below: int, count: int) -> Tensor:
        return torch.randint(0, below, (count,), generator=self.generator, device=self.device)


def rectifying(tilt_deg: Tensor, towards_deg: Tensor) -> tuple[Tensor, Tensor]:
    """Return the maps that rectify off-axis pictures to a view from above: matrices (n, 2, 2) and shifts (n, 2).

    As in `companion.vision.dice.axis`: from pixels of the rectified close crop, relative to its center, to those of the
    original one.
    """
    t, w = torch.deg2rad(tilt_deg), torch.deg2rad(towards_deg)
    up = torch.stack([-w.cos(), w.sin()], 1)
    flat = torch.eye(2, device=up.device) - (1 - t.cos())[:, None, None] * up[:, :, None] * up[:, None, :]
    return flat, UPPER_FACE_HEIGHT * DIE_PX * t.sin()[:, None] * up


def set_upright(labels: Tensor, rng: BatchRng) -> tuple[Tensor, Tensor, Tensor]:
    """Rectify a random part of the samples, as if the camera's axis were known.

    Returns:
        Float labels (n, 9) with the notes and positions after that; matrices and shifts as from `rectifying`.
    """
    float_labels = labels.float()
    n = len(float_labels)
    tilt = float_labels[:, TILT] / 10
    known = rng.uniform(0, 1, n) < torch.where(tilt < 12, 0.45, 0.8)
    estimated = (tilt + rng.normal(_AXIS_ERROR_DEG[0], n)).clamp(0, 42) * known
    towards = float_labels[:, TOWARDS] + rng.normal(_AXIS_ERROR_DEG[1], n)
    flat, shift = rectifying(estimated, towards)
    is_die, has_twenty = float_labels[:, NOTE] != UNKNOWN, (float_labels[:, 0] == 0) | (float_labels[:, 0] == 2)
    is_off_axis = is_die & ~known & (tilt > _OFF_AXIS_DEG) & (float_labels[:, 0] < 3)
    float_labels[:, NOTE] = torch.where(
        is_off_axis, torch.where(has_twenty & (tilt > _AMBIGUOUS_DEG), UNKNOWN, UNREADABLE), float_labels[:, NOTE]
    )
    back = torch.linalg.inv(flat)
    at = torch.einsum("nij,nj->ni", back, float_labels[:, [X, Y]] / 1000 * DIE_PX - shift) / DIE_PX
    radians = torch.deg2rad(float_labels[:, UP])
    head = torch.einsum("nij,nj->ni", back, torch.stack([radians.sin(), -radians.cos()], 1))
    up = torch.rad2deg(torch.atan2(head[:, 0], -head[:, 1])) % 360
    float_labels[:, UP] = torch.where(float_labels[:, UP] >= 0, up, float_labels[:, UP])
    float_labels[:, [X, Y]] = torch.where(float_labels[:, UP, None] >= 0, at, float_labels[:, [X, Y]])
    return float_labels, flat, shift


def _rotation(turn_deg: Tensor, scale: Tensor) -> Tensor:
    """Return matrices (n, 2, 2) from a rotated and scaled picture's pixels to the original's, as OpenCV rotates."""
    t = torch.deg2rad(turn_deg)
    c, s = t.cos() / scale, t.sin() / scale
    return torch.stack([c, -s, s, c], 1).view(-1, 2, 2)


def _sampled(pictures: Tensor, matrix: Tensor, shift: Tensor, side: int) -> Tensor:
    """Return crops (n, 3, side, side): pixel o shows the picture at ``matrix @ o + shift``, both from the centers."""
    half = pictures.shape[-1] / 2
    theta = torch.cat([matrix * (side / 2), shift[:, :, None]], 2) / half
    grid = functional.affine_grid(theta, [len(pictures), 3, side, side], align_corners=False).to(pictures.dtype)
    return functional.grid_sample(pictures, grid, mode="bilinear", padding_mode="reflection", align_corners=False)


def whole_batch(images: Tensor, labels: Tensor, rng: BatchRng) -> tuple[Tensor, Tensor]:
    """Return crops (n, 3, 96, 96), RGB, 0 to 1, and labels float (n, 6): kind, value, note, up (-1 without), x, y.

    Args:
        images, labels: samples, as a `Pool` holds them.
    """
    n = len(images)
    float_labels, flat, shift = set_upright(labels, rng)
    turn, scale = rng.uniform(0, 360, n), rng.uniform(0.88, 1.12, n)
    jitter = rng.uniform(-0.06, 0.06, n, 2) * CROP_PX
    coarse = functional.interpolate(images.float() / 255, size=(_COARSE_PX, _COARSE_PX), mode="area")
    ratio = _COARSE_PX / CLOSE_CROP_PX
    matrix = flat @ _rotation(turn, scale)
    where = torch.einsum("nij,nj->ni", matrix, -jitter) + ratio * shift
    crops = _augmented(_sampled(coarse, matrix, where, CROP_PX), rng)
    is_occluded = rng.uniform(0, 1, n) < 0.15
    crops = torch.where(is_occluded[:, None, None, None], _occluded(crops, rng), crops)
    angle = torch.deg2rad(turn)
    x, y = float_labels[:, X], float_labels[:, Y]
    at = torch.stack([x * angle.cos() + y * angle.sin(), y * angle.cos() - x * angle.sin()], 1)
    has_number = (float_labels[:, UP] >= 0) & (float_labels[:, NOTE] < UNREADABLE)
    up = torch.where(has_number, (float_labels[:, UP] - turn) % 360, -1.0)
    return crops.flip(1), torch.cat([float_labels[:, :3], up[:, None], at], 1)


def number_batch(images: Tensor, labels: Tensor, rng: BatchRng) -> tuple[Tensor, Tensor, Tensor]:
    """Return crops (n, 3, 64, 64) of upper faces, their labels as from `set_upright`, and whether each is upright."""
    n = len(images)
    float_labels, flat, shift = set_upright(labels, rng)
    has_number = labels[:, UP] >= 0
    upright = has_number & (rng.uniform(0, 1, n) < 0.78)
    off = torch.where(upright, rng.uniform(-UPRIGHT_DEG, UPRIGHT_DEG, n), _askew(n, rng))
    half_turn = (labels[:, NOTE] == 1) & (rng.uniform(0, 1, n) < 0.5)  # an unmarked 6 or 9
    turn = torch.where(has_number, float_labels[:, UP] + 180 * half_turn, torch.zeros_like(off)) + off
    at = torch.where(has_number[:, None], float_labels[:, [X, Y]], torch.zeros_like(float_labels[:, :2])) + rng.normal(
        0.022, n, 2
    )
    scale = rng.uniform(0.85, 1.18, n) * NUMBER_PX / (NUMBER_SIDE * DIE_PX)
    turned = _rotation(turn, scale)
    bent = torch.eye(2, device=images.device) + rng.normal(0.06, n, 2, 2) * (rng.uniform(0, 1, n, 1, 1) < 0.2)
    matrix = flat @ turned @ bent
    where = torch.einsum("nij,nj->ni", flat, at * DIE_PX) + shift
    crops = _augmented(_sampled(images.float() / 255, matrix, where, NUMBER_PX), rng)
    return crops.flip(1), float_labels, upright


def _askew(n: int, rng: BatchRng) -> Tensor:
    """Return rotations under which no number is upright; often towards another corner of the face."""
    sign = torch.where(rng.uniform(0, 1, n) < 0.5, -1.0, 1.0)
    corner = 120.0 + rng.uniform(-25, 25, n)
    return sign * torch.where(rng.uniform(0, 1, n) < 0.6, corner, rng.uniform(_MIN_ASKEW_DEG, _HALF_TURN_DEG, n))


def _augmented(crops: Tensor, rng: BatchRng) -> Tensor:
    """Apply random blur, uneven light, color changes, gamma and noise, each to a part of the crops."""
    n = len(crops)

    def chosen(share: float) -> Tensor:
        return rng.uniform(0, 1, n, 1, 1, 1) < share

    soft = rng.uniform(0, 1, n) < 0.25
    crops = crops.clone()
    crops[soft] = blurred(crops[soft], float(rng.uniform(0.3, 1.2, 1)))
    crops = _with_uneven_light(crops, rng)
    order = torch.argsort(rng.uniform(0, 1, n, 3), dim=1)[:, :, None, None].expand_as(crops)
    crops = torch.where(chosen(0.3), crops.gather(1, order), crops)
    gray = (crops * crops.new_tensor([0.114, 0.587, 0.299])[:, None, None]).sum(1, keepdim=True).expand_as(crops)
    crops = torch.where(chosen(0.08), gray, crops)
    gain = rng.uniform(0.7, 1.25, n, 1, 1, 1) * rng.uniform(0.9, 1.1, n, 3, 1, 1)
    crops = crops.clamp(1e-4, 1) ** rng.uniform(0.75, 1.3, n, 1, 1, 1) * gain + rng.uniform(-0.07, 0.07, n, 1, 1, 1)
    noise = torch.randn(crops.shape, generator=rng.generator, device=crops.device)
    return (crops + noise * rng.uniform(0.004, 0.03, n, 1, 1, 1) * chosen(0.3)).clamp(0, 1)


def _with_uneven_light(crops: Tensor, rng: BatchRng) -> Tensor:
    """Add a shadow or a lamp's reflection to one crop in three."""
    n, side = len(crops), crops.shape[-1]
    line = torch.linspace(-1, 1, side, device=crops.device)
    y, x = line[None, :, None], line[None, None, :]
    angle = rng.uniform(0, 2 * torch.pi, n, 1, 1)
    across = x * angle.cos() + y * angle.sin() - rng.uniform(-0.7, 0.7, n, 1, 1)
    step = torch.sigmoid(across * torch.exp(rng.uniform(0.3, 4.0, n, 1, 1)))  # from a gradient to a sharp shadow edge
    shaded = crops * (1 - rng.uniform(0, 0.6, n, 1, 1) * step)[:, None]
    off_x, off_y = rng.uniform(-0.8, 0.8, n, 1, 1), rng.uniform(-0.8, 0.8, n, 1, 1)
    wide = torch.exp(rng.uniform(-3.2, -1.0, n, 1, 1))
    glare = torch.exp(-(((x - off_x) ** 2 + (y - off_y) ** 2) / (2 * wide**2)).clamp(max=20))
    mirrored = crops + (rng.uniform(0.15, 0.9, n, 1, 1) * glare)[:, None]
    kind = rng.uniform(0, 1, n, 1, 1, 1)
    return torch.where(kind < 0.2, shaded, torch.where(kind < 0.33, mirrored, crops))


def _occluded(crops: Tensor, rng: BatchRng) -> Tensor:
    """Occlude something off the center, as a neighboring die, a glare or a tray's label does."""
    n, side = len(crops), crops.shape[-1]
    angle, far = rng.uniform(0, 2 * torch.pi, n), rng.uniform(0.42, 0.6, n) * side
    middle = side / 2 + far[:, None] * torch.stack([angle.cos(), angle.sin()], 1)
    size = rng.uniform(4, 15, n, 2)
    steps = torch.arange(side, device=crops.device) + 0.5
    x = (steps[None, None, :] - middle[:, 0, None, None]) / size[:, 0, None, None]
    y = (steps[None, :, None] - middle[:, 1, None, None]) / size[:, 1, None, None]
    inside = (x**2 + y**2 < 1)[:, None]
    return torch.where(inside, rng.uniform(0, 1, n, 3, 1, 1), crops)


def batch_input(crops: list[Image], side: int = CROP_PX) -> NDArray[np.float32]:
    """Return square crops as network input: float32 (N, 3, side, side), RGB, 0 to 1."""
    if not crops:
        return np.zeros((0, 3, side, side), np.float32)
    return np.ascontiguousarray(np.stack(crops)[..., ::-1].transpose(0, 3, 1, 2), np.float32) / np.float32(255)


def number_input(crops: list[Image]) -> NDArray[np.float32]:
    """Return number crops as network input: float32 (N, 3, 64, 64), RGB, 0 to 1."""
    return batch_input(crops, NUMBER_PX)
