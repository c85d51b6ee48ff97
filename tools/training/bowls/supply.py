"""The parts that bowls are put together from, in the device's memory: more and more of them, as processes make them."""

import multiprocessing
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor

from tools.training.bowls.parts import PARTS, Part, work

MOST: Final[Mapping[Part, int]] = {"dice": 100, "surfaces": 100, "lights": 60, "throws": 2400}
"""Files of each sort."""
_LOOK_EVERY_S: Final = 12.0


@dataclass(slots=True)
class Supply:
    """What there is of each part."""

    folder: Path
    device: torch.device
    bank: dict[str, dict[str, Tensor]] = field(default_factory=dict)
    processes: list[multiprocessing.process.BaseProcess] = field(default_factory=list)
    _taken: set[Path] = field(default_factory=set)
    _looked_at: float = float("-inf")

    def start(self, workers: int, fonts: tuple[Path, ...], most: Mapping[Part, int] = MOST) -> None:
        """Let processes make parts until there are enough."""
        self.folder.mkdir(parents=True, exist_ok=True)
        context = multiprocessing.get_context("spawn")
        for number in range(workers):
            process = context.Process(target=work, args=(self.folder, fonts, number, workers, dict(most)), daemon=True)
            process.start()
            self.processes.append(process)

    def stop(self) -> None:
        for process in self.processes:
            process.terminate()

    def wait(self, tell: Callable[[str], None]) -> None:
        """Wait for the first file of each sort."""
        begun = time.monotonic()
        while not all(name in self.bank for name in PARTS):
            self._looked_at = float("-inf")
            self.renew()
            if self.processes and not any(process.is_alive() for process in self.processes):
                self.renew()
                missing = [name for name in PARTS if name not in self.bank]
                if missing:
                    raise RuntimeError(f"No {', '.join(missing)} were made to put bowls together from.")
            time.sleep(0.2)
        tell(f"first parts after {time.monotonic() - begun:.0f} s")

    def renew(self) -> None:
        """Take up files that are new."""
        if time.monotonic() - self._looked_at < _LOOK_EVERY_S:
            return
        self._looked_at = time.monotonic()
        for name in PARTS:
            new = sorted(set(self.folder.glob(f"{name}-*.npz")) - self._taken)
            if new:
                self._taken.update(new)
                self._take(name, new)

    def _take(self, name: Part, files: list[Path]) -> None:
        loaded = []
        for path in files:
            with np.load(path) as arrays:
                loaded.append({key: torch.from_numpy(arrays[key]).to(self.device) for key in arrays.files})
        parts = [self.bank[name], *loaded] if name in self.bank else loaded
        self.bank[name] = {key: torch.cat([part[key] for part in parts]) for key in parts[0]}
