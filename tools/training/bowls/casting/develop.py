"""What a camera makes of pictures: focus, colours, noise, JPEG; and what else spoils what a network sees."""

from functools import cache
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.scenes import Chance, constant

_LUMA: Final = (0.114, 0.587, 0.299)
_TO_YUV: Final = ((0.114, 0.587, 0.299), (0.5, -0.331, -0.169), (-0.081, -0.419, 0.5))
_FROM_YUV: Final = tuple(map(tuple, np.linalg.inv(np.array(_TO_YUV)).astype(np.float32).tolist()))
_SOFT: Final = 0.35
"""Of the canvases, those that are blurred."""
_TABLE: Final = (16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17,
                 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78,
                 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99)  # fmt: skip
"""JPEG's usual steps of brightness at quality 50; those of colour are about these, too."""


def developed(picture: Tensor, chance: Chance) -> Tensor:
    """Return what a camera makes of pictures, float (b, 3, h, w) BGR, 0 to 1: uint8."""
    b = len(picture)
    soft = blurred(picture, chance.uniform(0.3, 1.1, b))
    sharp = picture + (picture - soft) * chance.uniform(0.3, 1.2, b, 1, 1, 1)
    kind = chance.uniform(0, 1, b, 1, 1, 1)
    seen = torch.where(kind < 0.5, soft, torch.where(kind < 0.7, sharp, picture))
    seen = seen * chance.uniform(0.85, 1.12, b, 1, 1, 1) * chance.uniform(0.9, 1.1, b, 3, 1, 1)
    seen = toned(seen, chance) + chance.uniform(-0.03, 0.06, b, 1, 1, 1)
    strength = chance.uniform(0, 0.028, b, 1, 1, 1) * chance.uniform(0, 1, b, 1, 1, 1)
    noise = chance.normal(1, *seen.shape)
    gray = chance.often(0.3, b, 1, 1, 1)
    seen = (seen + strength * torch.where(gray, noise[:, :1], noise)).clamp(0, 1)
    packed = jpeg(seen, chance.uniform(45, 96, b))
    seen = torch.where(chance.often(0.6, b, 1, 1, 1), packed, seen)
    return (255 * seen).round().clamp(0, 255).to(torch.uint8)


def toned(picture: Tensor, chance: Chance) -> Tensor:
    """Return pictures with another contrast and other strong colours, as cameras differ."""
    b = len(picture)
    gray = (picture * constant(_LUMA, picture.device)[:, None, None]).sum(dim=1, keepdim=True)
    seen = gray + (picture - gray) * chance.uniform(0.5, 1.35, b, 1, 1, 1)
    curve = chance.uniform(-0.25, 0.35, b, 1, 1, 1)
    seen = seen.clamp(0, 1)
    return seen + curve * (seen * seen * (3 - 2 * seen) - seen)


def blurred(picture: Tensor, sigma: Tensor) -> Tensor:
    """Return pictures, float (b, c, h, w), each blurred by its own sigma (b,), pixels."""
    h, w = picture.shape[2:]
    reach = 3
    off = torch.arange(-reach, reach + 1, device=picture.device)
    weight = torch.exp(-(off**2) / (2 * sigma[:, None] ** 2))
    weight = (weight / weight.sum(dim=1, keepdim=True)).to(picture.dtype)[..., None, None, None]
    # sums of shifted pictures: a convolution of its own for each picture is slow where many are blurred at once
    wide = functional.pad(picture, (reach, reach, 0, 0), mode="replicate")
    once = weight[:, 0] * wide[..., :w]
    for k in range(1, 2 * reach + 1):
        once.addcmul_(weight[:, k], wide[..., k : k + w])
    tall = functional.pad(once, (0, 0, reach, reach), mode="replicate")
    twice = weight[:, 0] * tall[:, :, :h]
    for k in range(1, 2 * reach + 1):
        twice.addcmul_(weight[:, k], tall[:, :, k : k + h])
    return twice


def jpeg(picture: Tensor, quality: Tensor) -> Tensor:
    """Return pictures, float (b, 3, h, w) of multiples of 8 pixels, as JPEG of a quality (b,) keeps them."""
    b, _, h, w = picture.shape
    turn = constant(_TO_YUV, picture.device)
    middle = constant((128.0, 0.0, 0.0), picture.device)[:, None, None]
    yuv = torch.einsum("ij,bjhw->bihw", turn, picture * 255) - middle
    small = functional.interpolate(functional.avg_pool2d(yuv[:, 1:], 2), scale_factor=2.0, mode="bilinear")
    yuv = torch.cat([yuv[:, :1], small], dim=1)
    scale = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
    steps = (constant(_TABLE, turn.device).view(8, 8) * scale[:, None, None]).clamp(min=1)
    blocks = yuv.reshape(b, 3, h // 8, 8, w // 8, 8)
    wave = _waves(picture.device)
    found = torch.einsum("ik,bcrksl,jl->bcrisj", wave, blocks, wave)
    each = steps[:, None, None, :, None, :]
    found = (found / each).round() * each
    back = torch.einsum("ki,bcrksl,lj->bcrisj", wave, found, wave).reshape(b, 3, h, w)
    return (torch.einsum("ij,bjhw->bihw", constant(_FROM_YUV, turn.device), back + middle) / 255).clamp(0, 1)


@cache
def _waves(device: torch.device) -> Tensor:
    k = torch.arange(8, dtype=torch.float32)
    wave = torch.cos((2 * k[None] + 1) * k[:, None] * torch.pi / 16) * 0.5
    wave[0] = 8**-0.5
    return wave.to(device)


def spoilt(canvas: Tensor, chance: Chance) -> Tensor:
    """Return canvases, float (n, 3, s, s) RGB 0 to 1, in chance focus, light and colours: each counts many times.

    They are in no order: the first of them are blurred.
    """
    n, _, s, _ = canvas.shape
    few = round(_SOFT * n)
    canvas = torch.cat([blurred(canvas[:few], chance.uniform(0.3, 1.2, few)), canvas[few:]])
    canvas = _lit(canvas, chance)
    order = torch.argsort(chance.uniform(0, 1, n, 3), dim=1)
    order = torch.where(chance.often(0.3, n, 1), order, torch.arange(3, device=canvas.device))
    canvas = canvas.gather(1, order[:, :, None, None].expand(-1, -1, s, s))
    gray = canvas.mean(dim=1, keepdim=True).expand_as(canvas)
    canvas = torch.where(chance.often(0.08, n, 1, 1, 1), gray, canvas)
    ramp = canvas.clamp(1e-4, 1) ** chance.uniform(0.75, 1.3, n, 1, 1, 1)
    gain = chance.uniform(0.72, 1.28, n, 1, 1, 1) * chance.uniform(0.92, 1.08, n, 3, 1, 1)
    canvas = ramp * gain + chance.uniform(-0.06, 0.06, n, 1, 1, 1)
    strong = chance.uniform(0, 0.028, n, 1, 1, 1) * chance.often(0.35, n, 1, 1, 1)
    return (canvas + strong * chance.normal(1, *canvas.shape)).clamp(0, 1)


def _lit(canvas: Tensor, chance: Chance) -> Tensor:
    """Add light that falls on a part only: a ramp, or a lamp's reflection."""
    n, _, s, _ = canvas.shape
    line = torch.linspace(-1, 1, s, device=canvas.device)
    y, x = line[None, :, None], line[None, None, :]
    a, b = chance.uniform(-0.4, 0.4, 2, n, 1, 1)
    ramp = (1 + a * x + b * y)[:, None]
    cx, cy = chance.uniform(-1, 1, 2, n, 1, 1)
    rx, ry = chance.uniform(0.03, 0.3, 2, n, 1, 1)
    power = torch.where(chance.often(0.5, n, 1, 1), 1.0, 3.0)
    glare = torch.exp(-((((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2).clamp(max=20) ** power))[:, None]
    glare = glare * chance.uniform(0.15, 0.85, n, 1, 1, 1)
    kind = chance.uniform(0, 1, n, 1, 1, 1)
    return torch.where(kind < 0.15, canvas * ramp, torch.where(kind < 0.3, canvas + glare, canvas))
