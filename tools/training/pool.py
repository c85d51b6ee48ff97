"""Samples to learn from, all in one place on the device that learns: new ones push out the oldest."""

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
    """Pictures uint8 (room, 3, CLOSE_CROP_PX, CLOSE_CROP_PX) BGR and labels int16 (room, 9), see `dataset.Samples`.

    Args:
        room: how many samples it holds.
    """

    def __init__(self, room: int, device: torch.device) -> None:
        self.images = torch.empty((room, 3, CLOSE_CROP_PX, CLOSE_CROP_PX), dtype=torch.uint8, device=device)
        self.labels = torch.zeros((room, LABELS), dtype=torch.int16, device=device)
        self.device, self.count, self.added = device, 0, 0

    @classmethod
    def of(cls, shards: Sequence[Samples], device: torch.device | None = None) -> Pool:
        """Return a pool of all samples of some shards."""
        pool = cls(sum(len(samples) for samples in shards), device or torch.device("cpu"))
        for samples in shards:
            pool.add_samples(samples)
        return pool

    def add_samples(self, samples: Samples) -> None:
        images = torch.from_numpy(np.ascontiguousarray(samples.images)).to(self.device).permute(0, 3, 1, 2)
        self.add(images, np.asarray(samples.labels))

    def add(self, images: Tensor, labels: NDArray[np.int16]) -> None:
        """Add pictures (n, 3, CLOSE_CROP_PX, CLOSE_CROP_PX) and their labels; the oldest make room."""
        room = len(self.images)
        rows = (torch.arange(len(labels), device=self.device) + self.added) % room
        self.images[rows] = images.to(self.device)
        self.labels[rows] = torch.from_numpy(np.ascontiguousarray(labels)).to(self.device)
        self.added += len(labels)
        self.count = min(room, self.added)

    def save_some(self, path: Path, count: int) -> None:
        """Keep some samples as an archive, to look at."""
        some = slice(max(0, self.count - count), self.count)
        np.savez_compressed(path, images=self.images[some].cpu().numpy(), labels=self.labels[some].cpu().numpy())
