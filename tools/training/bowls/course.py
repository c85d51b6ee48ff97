"""Trains the three networks for bowls side by side, on bowls that are rendered meanwhile; a stop loses little."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from math import cos, pi
from pathlib import Path
from typing import Final, Literal

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import get_ema_multi_avg_fn

from tools.training.bowls.casting.develop import spoilt
from tools.training.bowls.casting.scenes import Chance, Kind
from tools.training.bowls.cuts import CloseUps, closeups, joined, patterned, pieces
from tools.training.bowls.losses import Parts, dice_loss, die_loss, view_loss
from tools.training.bowls.net import export_bowl, export_die, export_view
from tools.training.bowls.stock import Stock
from tools.training.bowls.supply import Supply
from tools.training.network import fewer_bits

Name = Literal["die", "dice", "view"]
Tell = Callable[[str], None]
_PEAKS: Final[Mapping[Name, float]] = {"die": 1.2e-3, "dice": 1e-3, "view": 2e-3}
_EVERY: Final[Mapping[Name, int]] = {"die": 1, "dice": 4, "view": 8}
_WARM_UP: Final = 0.04
_LAST: Final = 1e-6
_FROM: Final[Mapping[Kind, float]] = {"close": 0.75, "bowl": 0.25}
"""Shares of close-ups and of pieces that are cut from each kind of picture."""
_RENDERING: Final = 0.3
"""Of the time, once there are enough pictures to begin with."""
_STOCKING: Final = 0.1
"""Of the time, at most, for those."""
_HARDEST: Final = 0.3
"""Of the close-ups, without a die: of twice as many those that look most like one."""
_SAVE_EVERY_S: Final = 120.0
_EXPORTS: Final = {"die": export_die, "dice": export_bowl, "view": export_view}


@dataclass(frozen=True, slots=True)
class Load:
    """How much at once: of pictures kept, scenes rendered, close-ups, pieces and whole pictures of one step.

    ``rate`` is the share of the usual steps' length: what is learnt from few pictures at once is less sure.
    """

    stock: int = 30_000
    first: int = 1000
    scenes: int = 64
    closeups: int = 2048
    pieces: int = 256
    views: int = 256
    rate: float = 1.0


SMALL: Final = Load(2000, 150, 6, 128, 24, 24, 0.5)
"""For a processor."""


@dataclass(slots=True)
class Pupil:
    """A network in training: ``mean`` are the weights that remain, ``smooth`` what to tell of it."""

    name: Name
    model: nn.Module
    optimizer: torch.optim.Optimizer
    mean: dict[str, Tensor]
    steps: int = 0
    smooth: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, name: Name, model: nn.Module) -> Pupil:
        optimizer = torch.optim.AdamW(model.parameters(), lr=_PEAKS[name], weight_decay=0.01)
        mean = {key: value.detach().clone() for key, value in model.state_dict().items()}
        return cls(name, model, optimizer, mean)

    def learn(self, loss: Tensor, done: float, rate: float) -> None:
        """Take a step; ``done`` is the share of the whole course that is over."""
        share = min(1.0, done / _WARM_UP + 0.02) * (0.5 + 0.5 * cos(pi * done))
        for group in self.optimizer.param_groups:
            group["lr"] = rate * _PEAKS[self.name] * share + _LAST
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        for parameter in self.model.parameters():
            if parameter.grad is not None:
                parameter.grad.nan_to_num_(0.0, 0.0, 0.0)
        nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        self.optimizer.step()
        self.steps += 1
        keep = min(0.998, (1 + self.steps) / (10 + self.steps))
        weights = self.model.state_dict()
        get_ema_multi_avg_fn(keep)(list(self.mean.values()), [weights[key] for key in self.mean], self.steps)

    def tell(self, parts: Parts) -> None:
        for name, part in parts.items():
            value = float(part)
            self.smooth[name] = value if name not in self.smooth else 0.8 * self.smooth[name] + 0.2 * value

    def words(self) -> str:
        return f"{self.name} {self.steps}: " + " ".join(f"{name} {value:.4f}" for name, value in self.smooth.items())


@dataclass(slots=True)
class Course:
    """The training: its networks, its pictures, and how far it is."""

    pupils: Mapping[Name, Pupil]
    supply: Supply
    chance: Chance
    load: Load
    stocks: dict[Kind, Stock]
    rendering_s: float = 0.0
    rendered: int = 0

    def run(self, seconds: float, done_s: float, save: Callable[[float], None], tell: Tell) -> None:
        """Train until the course's seconds are over, of which ``done_s`` were before."""
        begun, told, saved, step = time.monotonic() - done_s, 0.0, done_s, 0
        self._stock_up(begun + done_s + _STOCKING * seconds, tell)
        started = time.monotonic()
        while (now := time.monotonic()) - begun < seconds:
            done = (now - begun) / seconds
            if self.rendering_s < _RENDERING * (now - started):
                kinds = list(self.stocks)
                self._render(kinds[self.rendered % len(kinds)])
            for name, pupil in self.pupils.items():
                if step % _EVERY[name] == 0:
                    self._teach(pupil, done, with_words=step % (32 * _EVERY[name]) == 0)
            step += 1
            if now - told > 10:
                told = now
                rendered = ", ".join(f"{stock.count} {kind}" for kind, stock in self.stocks.items())
                tell(f"{done:.1%} {rendered}; " + "; ".join(pupil.words() for pupil in self.pupils.values()))
            if now - begun - saved > _SAVE_EVERY_S:
                saved = now - begun
                save(saved)
        save(seconds)

    def graduate(self, name: Name) -> nn.Module:
        """Return a network with the weights that remain."""
        pupil = self.pupils[name]
        pupil.model.load_state_dict(pupil.mean)
        return pupil.model.eval()

    def _stock_up(self, until: float, tell: Tell) -> None:
        """Render what it takes to begin with, or what can be until some time."""
        self.supply.wait(tell)
        for kind in self.stocks:
            self._render(kind)
        while time.monotonic() < until and (few := [k for k, s in self.stocks.items() if len(s) < self.load.first]):
            for kind in few:
                self._render(kind)
        rendered = ", ".join(f"{len(stock)} {kind}" for kind, stock in self.stocks.items())
        tell(f"{rendered} pictures after {self.rendering_s:.0f} s")
        self.rendering_s = 0.0

    def _render(self, kind: Kind) -> None:
        self._finish()  # what was asked for before counts as training
        begun = time.monotonic()
        self.supply.renew()
        self.stocks[kind].add(self.supply.bank, self.chance, self.load.scenes)
        self._finish()
        self.rendering_s += time.monotonic() - begun
        self.rendered += 1

    def _finish(self) -> None:
        if self.chance.device.type == "cuda":
            torch.cuda.synchronize()

    def _teach(self, pupil: Pupil, done: float, *, with_words: bool) -> None:
        lesson = {"die": self._die, "dice": self._dice, "view": self._view}[pupil.name]
        loss, parts = lesson(pupil.model)
        pupil.learn(loss, done, self.load.rate)
        if with_words:
            pupil.tell(parts)

    def _said(self, model: nn.Module, inputs: Tensor) -> Tensor:
        with fewer_bits(inputs.device):
            said: Tensor = model(inputs.contiguous(memory_format=torch.channels_last))
        return said.float()

    def _die(self, model: nn.Module) -> tuple[Tensor, Parts]:
        with torch.no_grad():
            parts = [self._closeups(model, kind, round(share * self.load.closeups)) for kind, share in _FROM.items()]
            ups = joined(parts)
        return die_loss(self._said(model, ups.inputs), ups, self.chance.generator)

    def _closeups(self, model: nn.Module, kind: Kind, count: int) -> CloseUps:
        """Return close-ups, most of them of dice, the others the harder half of some without one."""
        stock = self.stocks[kind]
        assert stock.shots is not None
        shown = closeups(stock.shots, len(stock), self.chance, count - round(_HARDEST * count), 0.9)
        others = closeups(stock.shots, len(stock), self.chance, 2 * round(_HARDEST * count), 0.0)
        others = patterned(others, self.supply.bank, self.chance)
        looks = self._said(model, others.inputs)[:, 0].masked_fill(others.is_die != 0, -torch.inf)
        hardest = looks.topk(round(_HARDEST * count)).indices
        return joined([shown, others[hardest]])

    def _dice(self, model: nn.Module) -> tuple[Tensor, Parts]:
        with torch.no_grad():
            cut = [pieces(stock.shots, len(stock), self.chance, self.load.pieces // 2)
                   for kind in _FROM if (stock := self.stocks[kind]).shots is not None]  # fmt: skip
            wanted = type(cut[0])(*(torch.cat([getattr(part, name) for part in cut]) for name in cut[0].__slots__))
        return dice_loss(self._said(model, wanted.inputs), wanted)

    def _view(self, model: nn.Module) -> tuple[Tensor, Parts]:
        stock = self.stocks["view"]
        assert stock.shots is not None
        with torch.no_grad():
            which = self.chance.integers(len(stock), self.load.views)
            picture, inside = stock.shots.rows(which, "picture", "inside")
            picture = spoilt(picture.flip(1).float() / 255, self.chance)
            for axis in (-1, -2):
                if bool(self.chance.often(0.5)):
                    picture, inside = picture.flip(axis), inside.flip(axis)
            if bool(self.chance.often(0.5)):
                picture, inside = picture.mT, inside.mT
        return view_loss(self._said(model, picture), inside)


def stocks_of(load: Load, learn: Collection[Name]) -> dict[Kind, Stock]:
    """Return the empty stocks that some networks learn from."""
    sizes: dict[Kind, int] = {}
    if "die" in learn or "dice" in learn:
        sizes |= {"close": load.stock, "bowl": load.stock * 2 // 3}
    if "view" in learn:
        sizes["view"] = load.stock * 4 if len(learn) == 1 else load.stock // 2  # small pictures
    return {kind: Stock(kind, size) for kind, size in sizes.items()}


def exported(pupil: Pupil, folder: Path) -> None:
    """Write a network's mean weights as the file that the table reads."""
    from copy import deepcopy

    model = deepcopy(pupil.model).cpu().float()
    model.load_state_dict({key: value.cpu() for key, value in pupil.mean.items()})
    path = folder / f"bowl_{pupil.name}.onnx"
    _EXPORTS[pupil.name](model, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)
