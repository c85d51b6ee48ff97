"""Simulates a camera on batches of ray-cast light: exposure, focus, resolution, noise, JPEG."""

import torch
from torch import Tensor
from torch.nn import functional


def photographed(light: Tensor, size_px: float, stored: int, around: float, generator: torch.Generator) -> Tensor:
    """Return camera pictures, uint8 (n, 3, stored, stored) BGR, of linear light (n, 3, h, w) RGB.

    Args:
        size_px: width of the dice in the camera picture.
        around: ratio of the picture's side to the die's.
    """
    n, device = len(light), light.device

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(n, *(shape or (1, 1, 1)), generator=generator, device=device)

    side = int(min(max(size_px * around, 40), light.shape[-1]))
    seen = functional.interpolate(light.flip(1), size=(side, side), mode="area")
    seen = seen * uniform(0.6, 1.35) * uniform(0.9, 1.1, 3, 1, 1)
    seen = 255 * seen.clamp(1e-5, 1) ** (1 / uniform(1.8, 2.5)) + uniform(-6, 14)
    sigma = float(uniform(0.3, 1.4)[0]) * side / (size_px * around) * (size_px / 80) ** 0.5
    soft = blurred(seen, sigma)
    draw = uniform(0, 1)
    seen = torch.where(draw < 0.42, soft, torch.where(draw < 0.6, seen + (seen - soft) * uniform(0.3, 1.5), seen))
    noise = torch.randn(seen.shape, generator=generator, device=device)
    noise = torch.where(uniform(0, 1) < 0.6, noise[:, :1], noise) * uniform(0, 9) * uniform(0, 1)
    seen = (seen + noise).clamp(0, 255)
    seen = torch.where(uniform(0, 1) < 0.5, jpeg_compressed(seen, uniform(0.3, 3.0)), seen)
    mode = "area" if side > stored else "bilinear"
    seen = functional.interpolate(
        seen, size=(stored, stored), mode=mode, **({} if mode == "area" else {"align_corners": False})
    )
    return seen.round().clamp(0, 255).to(torch.uint8)


def blurred(pictures: Tensor, sigma: float) -> Tensor:
    """Return pictures (n, 3, h, w) with a Gaussian blur; unchanged below a sigma of 0.2 pixels."""
    if sigma < 0.2:
        return pictures
    reach = max(1, int(3 * sigma + 0.5))
    x = torch.arange(-reach, reach + 1, device=pictures.device, dtype=pictures.dtype)
    kernel = torch.exp(-(x**2) / (2 * sigma**2))
    kernel = (kernel / kernel.sum()).view(1, 1, -1).expand(3, 1, -1)
    padded = functional.pad(pictures, (reach, reach, reach, reach), mode="replicate")
    rows = functional.conv2d(padded, kernel[:, :, None, :], groups=3)
    return functional.conv2d(rows, kernel[:, :, :, None], groups=3)


_QUANTIZATION_TABLE = (
    (16, 11, 10, 16, 24, 40, 51, 61), (12, 12, 14, 19, 26, 58, 60, 55), (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62), (18, 22, 37, 56, 68, 109, 103, 77), (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101), (72, 92, 95, 98, 112, 100, 103, 99),
)  # fmt: skip


def jpeg_compressed(pictures: Tensor, strength: Tensor) -> Tensor:
    """Return pictures (n, 3, h, w), 0 to 255, with JPEG artifacts: quantized DCT coefficients of 8 x 8 blocks.

    Args:
        strength: (n, 1, 1, 1), factor on the quantization steps.
    """
    n, _, h, w = pictures.shape
    device = pictures.device
    k = torch.arange(8, device=device, dtype=pictures.dtype)
    basis = torch.cos((2 * k[None] + 1) * k[:, None] * torch.pi / 16) * 0.5
    basis[0] *= 0.5**0.5
    padded = functional.pad(pictures - 128, (0, -w % 8, 0, -h % 8), mode="replicate")
    blocks = padded.unfold(2, 8, 8).unfold(3, 8, 8)
    step = (
        torch.tensor(_QUANTIZATION_TABLE, device=device, dtype=pictures.dtype) * strength.view(n, 1, 1, 1, 1, 1) * 0.5
    )
    coefficients = ((basis @ blocks @ basis.T) / step).round() * step
    back = (basis.T @ coefficients @ basis).permute(0, 1, 2, 4, 3, 5).reshape(padded.shape)
    return back[:, :, :h, :w] + 128
