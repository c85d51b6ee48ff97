"""Feeds the sample pool during training: rendering processes, and the ray caster on the training device."""

import time
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from pathlib import Path
from typing import Final

import numpy as np
import torch

from tools.training import painting
from tools.training.pool import Pool
from tools.training.rays.arts import EACH, FAMILIES, FAMILY_WEIGHTS, Arts, Family
from tools.training.rays.scenes import cast_dice
from tools.training.samples.dataset import load_shards
from tools.training.traced.bank import load_parts
from tools.training.traced.cuts import close_crops

_TABLE_FILES: Final = 24  # of eight textures each
_CAST_BATCH_SIZES: Final = {"cpu": 4, "cuda": 96}
_MIN_BANK_DICE: Final = 3 * EACH  # of each family


class Sources:
    """Fills a pool with path-traced dice at the start, then with rendered shards as they finish and ray-cast dice.

    Attributes:
        painted, cast, traced: number of samples added from each source.

    Args:
        folder: cache of shards and of the ray caster's bank.
        shards: maximum number of shards to render.
        bank: number of dice in the ray caster's bank; 0 to do without the ray caster.
        rays: share of the time that is spent on ray casting.
        traced: files of path-traced pictures.
    """

    def __init__(
        self,
        pool: Pool,
        folder: Path,
        *,
        seed: int,
        shards: int,
        bank: int,
        rays: float,
        processes: int = 2,
        traced: Sequence[Path] = (),
    ) -> None:
        self.pool, self.folder, self.rays = pool, folder, rays if bank else 0.0
        self.painted = self.cast = 0
        folder.mkdir(parents=True, exist_ok=True)
        self._rng = np.random.default_rng([seed, 4711])
        self._generator = torch.Generator(device=pool.device).manual_seed(seed)
        self._tables: list[torch.Tensor] = []
        self._arts: dict[Family, list[Arts]] = {family: [] for family in FAMILIES}
        self._casting_s, self._started_at = 0.0, time.monotonic()
        self.traced = 0
        if traced:
            crops = close_crops(load_parts(traced), np.random.default_rng([seed, 4712]))
            pool.add_samples(crops)
            self.traced = len(crops)
        self._workers = get_context("spawn").Pool(processes)
        self._jobs: list[tuple[Callable[[Path], None], AsyncResult[Path]]] = []
        if bank:
            for number in range(_TABLE_FILES):
                self._submit(self._take_tables, painting.tables, folder, number)
            counts = {
                family: -(-max(_MIN_BANK_DICE, round(bank * p)) // EACH)
                for family, p in zip(FAMILIES, FAMILY_WEIGHTS, strict=True)
            }
            for number in range(max(counts.values())):
                for family in (family for family in FAMILIES if number < counts[family]):
                    self._submit(self._take_arts(family), painting.arts, folder, family, number)
        for number in range(shards):
            self._submit(self._take_shard, painting.shard, folder, seed, number)

    def _submit(self, take: Callable[[Path], None], job: Callable[..., Path], *arguments: object) -> None:
        self._jobs.append((take, self._workers.apply_async(job, arguments)))

    def _take_tables(self, path: Path) -> None:
        pictures = torch.from_numpy(np.ascontiguousarray(np.load(path)[..., ::-1].transpose(0, 3, 1, 2)))
        self._tables.append(pictures.to(self.pool.device))

    def _take_arts(self, family: Family) -> Callable[[Path], None]:
        return lambda path: self._arts[family].append(Arts.load(path))

    def _take_shard(self, path: Path) -> None:
        (samples,) = load_shards((path,))
        self.pool.add_samples(samples)
        self.painted += len(samples)

    def wait(self, least: int, report: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Block until the pool has enough samples for the first step, or nothing is left to make them from."""
        while self.pool.count < min(least, len(self.pool.images)) and (self._jobs or self._can_cast):
            self._take_ready()
            if self._can_cast:
                self._cast_batch()
            else:
                time.sleep(0.05)
            report(min(least, self.pool.count), least)
        self._casting_s, self._started_at = 0.0, time.monotonic()

    def feed(self, done: float) -> None:
        """Add finished shards, and ray-cast dice while their share of the time is not used up."""
        del done
        self._take_ready()
        if self._can_cast and self._casting_s < self.rays * (time.monotonic() - self._started_at):
            self._cast_batch()

    @property
    def _can_cast(self) -> bool:
        return self.rays > 0 and bool(self._tables) and all(self._arts.values())

    def _take_ready(self) -> None:
        """Take finished jobs, at most one shard of samples per call: copying one to the device takes a while."""
        left: list[tuple[Callable[[Path], None], AsyncResult[Path]]] = []
        taken = False
        for take, job in self._jobs:
            if job.ready() and not (taken and take == self._take_shard):
                taken = taken or take == self._take_shard
                take(job.get())
            else:
                left.append((take, job))
        self._jobs = left

    def _cast_batch(self) -> None:
        started = time.monotonic()
        family = FAMILIES[int(self._rng.choice(len(FAMILIES), p=np.array(FAMILY_WEIGHTS) / sum(FAMILY_WEIGHTS)))]
        arts = self._arts[family][int(self._rng.integers(len(self._arts[family])))]
        tables = self._tables[int(self._rng.integers(len(self._tables)))]
        with torch.no_grad():
            made = cast_dice(arts, family, tables, self._rng, self._generator, _CAST_BATCH_SIZES[self.pool.device.type])
        self.pool.add(made.images, made.labels)
        if self.pool.device.type == "cuda":
            torch.cuda.synchronize()
        self.cast += len(made.labels)
        self._casting_s += time.monotonic() - started

    def close(self) -> None:
        """Stop the processes at once; unfinished shards are lost."""
        self._workers.terminate()
