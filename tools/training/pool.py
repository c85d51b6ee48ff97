"""A ring buffer of training samples on the training device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from companion.vision.dice.faces.upright import CLOSE_CROP_PX
from tools.training.samples.dataset import Samples

LABELS: Final = 9
KIND, VALUE, NOTE, SIZE, UP, X, Y, TILT, TOWARDS = range(LABELS)


class Pool:
    """Pictures uint8 (capacity, 3, CLOSE_CROP_PX, CLOSE_CROP_PX) BGR and labels int16 (capacity, 9).

    See `dataset.Samples` for the labels. ``count`` is the number of samples held, ``added`` the number ever added.
    """

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.images = torch.empty((capacity, 3, CLOSE_CROP_PX, CLOSE_CROP_PX), dtype=torch.uint8, device=device)
        self.labels = torch.zeros((capacity, LABELS), dtype=torch.int16, device=device)
        self.device, self.count, self.added = device, 0, 0

    @classmethod
    def of(cls, shards: Sequence[Samples], device: torch.device | None = None) -> Pool:
        """Return a pool that holds exactly the samples of some shards."""
        pool = cls(sum(len(samples) for samples in shards), device or torch.device("cpu"))
        for samples in shards:
            pool.add_samples(samples)
        return pool

    def add_samples(self, samples: Samples) -> None:
        images = torch.from_numpy(np.ascontiguousarray(samples.images)).to(self.device).permute(0, 3, 1, 2)
        self.add(images, np.asarray(samples.labels))

    def add(self, images: Tensor, labels: NDArray[np.int16]) -> None:
        """Add pictures (n, 3, CLOSE_CROP_PX, CLOSE_CROP_PX) with labels, overwriting the oldest if full."""
        capacity = len(self.images)
        rows = (torch.arange(len(labels), device=self.device) + self.added) % capacity
        self.images[rows] = images.to(self.device)
        self.labels[rows] = torch.from_numpy(np.ascontiguousarray(labels)).to(self.device)
        self.added += len(labels)
        self.count = min(capacity, self.added)

    def save_some(self, path: Path, count: int) -> None:
        """Save the last ``count`` samples as ``.npz``, for inspection."""
        some = slice(max(0, self.count - count), self.count)
        np.savez_compressed(path, images=self.images[some].cpu().numpy(), labels=self.labels[some].cpu().numpy())
