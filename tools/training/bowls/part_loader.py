"""Loads the parts that bowls are assembled from into device memory while worker processes make more of them."""

import multiprocessing
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor

from tools.training.bowls.parts import PARTS, Part, run_worker

FILE_COUNTS: Final[Mapping[Part, int]] = {"dice": 100, "surfaces": 100, "lights": 60, "throws": 2400}
"""Number of files to make of each part."""
_POLL_INTERVAL_S: Final = 12.0


@dataclass(slots=True)
class PartLoader:
    """Makes parts in worker processes and loads the finished files.

    Attributes:
        folder: the part files, ``PART-NUMBER.npz``.
        bank: the parts loaded so far, see `casting.scenes.Bank`.
    """

    folder: Path
    device: torch.device
    bank: dict[str, dict[str, Tensor]] = field(default_factory=dict)
    processes: list[multiprocessing.process.BaseProcess] = field(default_factory=list)
    _loaded: set[Path] = field(default_factory=set)
    _checked_at: float = float("-inf")

    def start(self, workers: int, fonts: tuple[Path, ...], counts: Mapping[Part, int] = FILE_COUNTS) -> None:
        """Start worker processes that make parts until each has the given number of files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("spawn")
        for number in range(workers):
            process = context.Process(
                target=run_worker, args=(self.folder, fonts, number, workers, dict(counts)), daemon=True
            )
            process.start()
            self.processes.append(process)

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()

    def wait(self, log: Callable[[str], None]) -> None:
        """Wait until at least one file of each part is loaded.

        Raises:
            RuntimeError: the workers have ended without making some part.
        """
        started = time.monotonic()
        while not all(name in self.bank for name in PARTS):
            self._checked_at = float("-inf")
            self.refresh()
            if self.processes and not any(process.is_alive() for process in self.processes):
                self.refresh()
                missing = [name for name in PARTS if name not in self.bank]
                if missing:
                    raise RuntimeError(f"No {', '.join(missing)} were made to put bowls together from.")
            time.sleep(0.2)
        log(f"first parts after {time.monotonic() - started:.0f} s")

    def refresh(self) -> None:
        """Load new files; does nothing within 12 seconds of the last check."""
        if time.monotonic() - self._checked_at < _POLL_INTERVAL_S:
            return
        self._checked_at = time.monotonic()
        for name in PARTS:
            new = sorted(set(self.folder.glob(f"{name}-*.npz")) - self._loaded)
            if new:
                self._loaded.update(new)
                self._load(name, new)

    def _load(self, name: Part, files: list[Path]) -> None:
        loaded = []
        for path in files:
            with np.load(path) as arrays:
                loaded.append({key: torch.from_numpy(arrays[key]).to(self.device) for key in arrays.files})
        parts = [self.bank[name], *loaded] if name in self.bank else loaded
        self.bank[name] = {key: torch.cat([part[key] for part in parts]) for key in parts[0]}
