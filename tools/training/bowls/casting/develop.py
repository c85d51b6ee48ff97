"""Simulates a camera (focus, colors, noise, JPEG) and augments the networks' inputs."""

from functools import cache
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tools.training.bowls.casting.scenes import TensorRng, constant

_LUMA: Final = (0.114, 0.587, 0.299)
_TO_YUV: Final = ((0.114, 0.587, 0.299), (0.5, -0.331, -0.169), (-0.081, -0.419, 0.5))
_FROM_YUV: Final = tuple(map(tuple, np.linalg.inv(np.array(_TO_YUV)).astype(np.float32).tolist()))
_BLURRED_SHARE: Final = 0.35
_QUANTIZATION_TABLE: Final = (
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99)  # fmt: skip
"""JPEG's standard luminance quantization table at quality 50, used for chrominance too (its own is similar)."""


def developed(picture: Tensor, rng: TensorRng) -> Tensor:
    """Return renders, float (b, 3, h, w) BGR 0 to 1, as a camera would record them: uint8."""
    b = len(picture)
    soft = blurred(picture, rng.uniform(0.3, 1.1, b))
    sharp = picture + (picture - soft) * rng.uniform(0.3, 1.2, b, 1, 1, 1)
    kind = rng.uniform(0, 1, b, 1, 1, 1)
    seen = torch.where(kind < 0.5, soft, torch.where(kind < 0.7, sharp, picture))
    seen = seen * rng.uniform(0.85, 1.12, b, 1, 1, 1) * rng.uniform(0.9, 1.1, b, 3, 1, 1)
    seen = with_random_contrast(seen, rng) + rng.uniform(-0.03, 0.06, b, 1, 1, 1)
    strength = rng.uniform(0, 0.028, b, 1, 1, 1) * rng.uniform(0, 1, b, 1, 1, 1)
    noise = rng.normal(1, *seen.shape)
    gray = rng.bernoulli(0.3, b, 1, 1, 1)
    seen = (seen + strength * torch.where(gray, noise[:, :1], noise)).clamp(0, 1)
    packed = jpeg(seen, rng.uniform(45, 96, b))
    seen = torch.where(rng.bernoulli(0.6, b, 1, 1, 1), packed, seen)
    return (255 * seen).round().clamp(0, 255).to(torch.uint8)


def with_random_contrast(picture: Tensor, rng: TensorRng) -> Tensor:
    """Return pictures with random contrast and saturation, as cameras differ."""
    b = len(picture)
    gray = (picture * constant(_LUMA, picture.device)[:, None, None]).sum(dim=1, keepdim=True)
    seen = gray + (picture - gray) * rng.uniform(0.5, 1.35, b, 1, 1, 1)
    curve = rng.uniform(-0.25, 0.35, b, 1, 1, 1)
    seen = seen.clamp(0, 1)
    return seen + curve * (seen * seen * (3 - 2 * seen) - seen)


def blurred(picture: Tensor, sigma: Tensor) -> Tensor:
    """Return pictures, float (b, c, h, w), each with a Gaussian blur of its own sigma (b,), pixels."""
    h, w = picture.shape[2:]
    reach = 3
    off = torch.arange(-reach, reach + 1, device=picture.device)
    weight = torch.exp(-(off**2) / (2 * sigma[:, None] ** 2))
    weight = (weight / weight.sum(dim=1, keepdim=True)).to(picture.dtype)[..., None, None, None]
    # a weighted sum of shifted pictures: a convolution with a kernel per picture is slow for large batches
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
    """Return pictures, float (b, 3, h, w) with sides that are multiples of 8, compressed as JPEG of a quality (b,)."""
    b, _, h, w = picture.shape
    to_yuv = constant(_TO_YUV, picture.device)
    middle = constant((128.0, 0.0, 0.0), picture.device)[:, None, None]
    yuv = torch.einsum("ij,bjhw->bihw", to_yuv, picture * 255) - middle
    small = functional.interpolate(functional.avg_pool2d(yuv[:, 1:], 2), scale_factor=2.0, mode="bilinear")
    yuv = torch.cat([yuv[:, :1], small], dim=1)
    scale = torch.where(quality < 50, 50 / quality, 2 - quality / 50)
    steps = (constant(_QUANTIZATION_TABLE, to_yuv.device).view(8, 8) * scale[:, None, None]).clamp(min=1)
    blocks = yuv.reshape(b, 3, h // 8, 8, w // 8, 8)
    dct = _dct_matrix(picture.device)
    coefficients = torch.einsum("ik,bcrksl,jl->bcrisj", dct, blocks, dct)
    each = steps[:, None, None, :, None, :]
    coefficients = (coefficients / each).round() * each
    back = torch.einsum("ki,bcrksl,lj->bcrisj", dct, coefficients, dct).reshape(b, 3, h, w)
    return (torch.einsum("ij,bjhw->bihw", constant(_FROM_YUV, to_yuv.device), back + middle) / 255).clamp(0, 1)


@cache
def _dct_matrix(device: torch.device) -> Tensor:
    k = torch.arange(8, dtype=torch.float32)
    dct = torch.cos((2 * k[None] + 1) * k[:, None] * torch.pi / 16) * 0.5
    dct[0] = 8**-0.5
    return dct.to(device)


def augmented(canvas: Tensor, rng: TensorRng) -> Tensor:
    """Return input pictures, float (n, 3, s, s) RGB 0 to 1, with random focus, light and colors.

    The first of the batch are blurred, so the caller's order must be random.
    """
    n, _, s, _ = canvas.shape
    few = round(_BLURRED_SHARE * n)
    canvas = torch.cat([blurred(canvas[:few], rng.uniform(0.3, 1.2, few)), canvas[few:]])
    canvas = _lit(canvas, rng)
    order = torch.argsort(rng.uniform(0, 1, n, 3), dim=1)
    order = torch.where(rng.bernoulli(0.3, n, 1), order, torch.arange(3, device=canvas.device))
    canvas = canvas.gather(1, order[:, :, None, None].expand(-1, -1, s, s))
    gray = canvas.mean(dim=1, keepdim=True).expand_as(canvas)
    canvas = torch.where(rng.bernoulli(0.08, n, 1, 1, 1), gray, canvas)
    ramp = canvas.clamp(1e-4, 1) ** rng.uniform(0.75, 1.3, n, 1, 1, 1)
    gain = rng.uniform(0.72, 1.28, n, 1, 1, 1) * rng.uniform(0.92, 1.08, n, 3, 1, 1)
    canvas = ramp * gain + rng.uniform(-0.06, 0.06, n, 1, 1, 1)
    strong = rng.uniform(0, 0.028, n, 1, 1, 1) * rng.bernoulli(0.35, n, 1, 1, 1)
    return (canvas + strong * rng.normal(1, *canvas.shape)).clamp(0, 1)


def _lit(canvas: Tensor, rng: TensorRng) -> Tensor:
    """Add uneven light: a brightness gradient or a lamp's reflection."""
    n, _, s, _ = canvas.shape
    line = torch.linspace(-1, 1, s, device=canvas.device)
    y, x = line[None, :, None], line[None, None, :]
    a, b = rng.uniform(-0.4, 0.4, 2, n, 1, 1)
    ramp = (1 + a * x + b * y)[:, None]
    cx, cy = rng.uniform(-1, 1, 2, n, 1, 1)
    rx, ry = rng.uniform(0.03, 0.3, 2, n, 1, 1)
    power = torch.where(rng.bernoulli(0.5, n, 1, 1), 1.0, 3.0)
    glare = torch.exp(-((((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2).clamp(max=20) ** power))[:, None]
    glare = glare * rng.uniform(0.15, 0.85, n, 1, 1, 1)
    kind = rng.uniform(0, 1, n, 1, 1, 1)
    return torch.where(kind < 0.15, canvas * ramp, torch.where(kind < 0.3, canvas + glare, canvas))
