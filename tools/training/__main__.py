"""``python -m tools.training dice|finder|bowl|wheel|tilt``: makes the networks that read dice and wheels.

``traced`` makes path-traced pictures that the trainings of `dice` and `finder` take up from the same --data-dir.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

_LOG_S = 15.0
_TRACED = "traced"


@click.command()
@click.argument("what", type=click.Choice(["dice", "finder", "bowl", "wheel", "tilt", "traced"]))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("trained"), show_default=True,
              help="Folder for the networks and their model card.")  # fmt: skip
@click.option("--minutes", type=click.FloatRange(min=0.1), default=60.0, show_default=True, help="Of training proper.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--data-dir", type=click.Path(path_type=Path, file_okay=False), default=Path("training-data"),
              show_default=True, help="Rendered dice, 130 MB a thousand; kept for the next time.")  # fmt: skip
@click.option("--thousands", type=click.IntRange(min=1), default=70, show_default=True, help="Dice to render.")
@click.option("--scenes", type=click.IntRange(min=1), default=6, show_default=True,
              help="Thousands of pictures for the finder, 80 MB a thousand; or to path trace, 310 MB.")  # fmt: skip
@click.option("--held-out", type=click.IntRange(min=1), default=5, show_default=True,
              help="Thousands of held-out dice to calibrate on, and as many again to measure on.")  # fmt: skip
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--start", type=click.Path(path_type=Path, exists=True),
              help="Earlier weights: folder of .onnx, or of dice- and number-SEED.pt; finder's file.")  # fmt: skip
@click.option("--step", type=click.Choice(["all", "train", "finish", "calibrate"]), default="all", show_default=True,
              help="Of dice: learn; make the program's files of the weights in --data-dir; or fit them.")  # fmt: skip
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
@click.option("--processes", type=click.IntRange(min=1), default=2, show_default=True, help="That render.")
@click.option("--fonts", type=click.Path(path_type=Path, exists=True, file_okay=False), multiple=True,
              help="Of bowl: folders of fonts for numerals; the machine's if none.")  # fmt: skip
@click.option("--learn", type=click.Choice(["die", "dice", "view"]), multiple=True,
              help="Of bowl: a network to train; all if none.")  # fmt: skip
@click.option("--survey", type=click.FloatRange(min=0), default=0.0, show_default=True,
              help="Of bowl: seconds afterwards for what the network says of fresh bowls.")  # fmt: skip
@click.option("--room", type=click.IntRange(min=1000), default=30_000, show_default=True,
              help="Dice at hand while learning, 130 kB each on the device.")  # fmt: skip
@click.option("--bank", type=click.IntRange(min=0), default=0, show_default=True,
              help="Dice for the second painter, which casts rays; 0 for none, 2000 or more on a GPU.")  # fmt: skip
@click.option("--rays", type=click.FloatRange(0, 0.95), default=0.35, show_default=True,
              help="Share of the time for the second painter.")  # fmt: skip
@click.option("--first", type=click.IntRange(min=1), default=1024, show_default=True, help="Dice to begin with.")
@click.option("--batch", type=click.IntRange(min=0), default=0, help="Of dice; as suits the device if not given.")
@click.option("--log", type=click.Path(path_type=Path, dir_okay=False), help="File for one line a minute or so.")
def command(
    what: str, out: Path, minutes: float, seed: int, data_dir: Path, thousands: int, scenes: int, held_out: int,
    threads: int, start: Path | None, step: str, device: str, processes: int, fonts: tuple[Path, ...],
    learn: tuple[Literal["die", "dice", "view"], ...], survey: float, room: int, bank: int, rays: float, first: int,
    batch: int, log: Path | None,
) -> None:  # fmt: skip
    """Render dice, train the network that reads (or finds) them, and measure it on dice it never saw.

    Needs the extra `train` (PyTorch) and a machine with many fonts. A stop loses no rendered dice.
    """
    if what == "traced":
        _traced(data_dir / _TRACED, seed, scenes, log)
        return
    traced = tuple(sorted((data_dir / _TRACED).glob("traced*-train-*-*[0-9].npz")))
    if what == "finder":
        _finder(out, data_dir / "finder", minutes, seed, scenes, threads, start, device, processes, log, traced)
        return
    if what == "bowl":
        _bowl(out, data_dir, minutes, seed, processes, start, fonts, device, learn, survey)
        return
    if what == "wheel":
        _wheel(out, minutes, seed, threads)
        return
    if what == "tilt":
        _tilt(out, data_dir, minutes, seed, thousands, threads)
        return
    from tools.training.pipeline import Plan, calibrated, finish, train

    plan = Plan(out, data_dir, minutes, seed, thousands, held_out, threads, start, device, processes, room, bank, rays,
                first, batch, traced)  # fmt: skip
    with _steps(log) as tell:
        if step in ("all", "train"):
            train(plan, tell)
        if step == "train":
            return
        card = (calibrated if step == "calibrate" else finish)(plan, tell)
    for name, count in card["held_out"].items():
        answered = count["right"] + count["wrong"]
        click.echo(f"{name}: {count['samples']} dice, {answered} answered, {count['wrong']} wrong")
    click.echo(f"{out} holds the networks; {data_dir / 'wrong.png'} shows every wrong answer.")


def _traced(folder: Path, seed: int, thousands: int, log: Path | None) -> None:
    if importlib.util.find_spec("mitsuba") is None:
        raise click.UsageError('Path tracing needs Mitsuba. Install it with `pip install "table-companion[train]"`.')
    from tools.training.samples.fonts import find_fonts
    from tools.training.traced.bank import PART, make_part, part_path

    fonts, parts = find_fonts(), 1000 * thousands // PART
    folder.mkdir(parents=True, exist_ok=True)
    with _steps(log) as tell:
        for number in range(parts):
            make_part(part_path(folder, "train", seed, number), "train", seed, number, fonts)
            tell("Path tracing", number + 1, parts)
    click.echo(f"{folder} holds {parts * PART} pictures; train `finder` and `dice` with the same --data-dir.")


def _bowl(
    out: Path,
    data_dir: Path,
    minutes: float,
    seed: int,
    processes: int,
    start: Path | None,
    fonts: tuple[Path, ...],
    device: str,
    learn: tuple[Literal["die", "dice", "view"], ...],
    survey: float,
) -> None:
    from tools.training.pipeline import need_torch

    need_torch()
    from tools.training.bowls.pipeline import ALL, MODELS, BowlPlan, train_bowl

    learn = learn or ALL
    if survey and "die" not in learn:
        raise click.UsageError("--survey says what the network `die` has learnt: add --learn die.")
    plan = BowlPlan(out, data_dir / "bowls", minutes, seed, processes, start or MODELS, learn, fonts, device,
                    survey_s=survey)  # fmt: skip
    train_bowl(plan, lambda step: click.echo(f"{time.strftime('%H:%M:%S')} {step}"))
    click.echo(f"{out} holds the networks; measure them with tests/bench/accuracy_bowl.py.")


def _wheel(out: Path, minutes: float, seed: int, painters: int) -> None:
    from tools.training.pipeline import need_torch

    need_torch()
    from tools.training.wheels.pipeline import WheelPlan, export_wheel, train_wheel

    train_wheel(WheelPlan(out, minutes, seed, painters), click.echo)
    export_wheel(out)
    click.echo(f"{out} holds the networks; measure them with tests/bench/accuracy_wheel.py.")


def _tilt(out: Path, data_dir: Path, minutes: float, seed: int, thousands: int, threads: int) -> None:
    from tools.training.pipeline import need_torch

    need_torch()
    from tools.training.tilt.pipeline import TiltPlan, train_tilt

    train_tilt(TiltPlan(out, data_dir / "tilt", minutes, seed, thousands, threads), click.echo)
    click.echo(f"{out} holds the network; measure it with tests/bench/tilted_dice.py.")


def _finder(
    out: Path,
    data_dir: Path,
    minutes: float,
    seed: int,
    thousands: int,
    threads: int,
    start: Path | None,
    device: str,
    processes: int,
    log: Path | None,
    traced: tuple[Path, ...],
) -> None:
    from tools.training.pipeline import need_torch
    from tools.training.samples.fonts import find_fonts

    need_torch()
    from tools.training.finder.fit import FinderPlan, train_finder

    count = 1000 * thousands
    plan = FinderPlan(out, minutes, seed, count // 4, count, threads=threads, start=start, device=device,
                      processes=processes, data=data_dir, traced=traced)  # fmt: skip
    with _steps(log) as tell:
        found = train_finder(plan, find_fonts(), tell)
    click.echo(f"held-out scenes: {found.found} of {found.dice} dice found, {found.ghosts} seen where none is")
    click.echo(f"{out / 'finder.onnx'} is written, and FINDER_CARD.md beside it.")


class _steps:  # noqa: N801 - a context manager, read like a function
    """One bar for each step of the work; silent unless somebody watches."""

    def __init__(self, log: Path | None = None) -> None:
        self._log, self._logged = log, dict[str, float]()
        console = Console(stderr=True)
        columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
        self._bars = Progress(*columns, console=console, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> _steps:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, step: str, done: int, total: int) -> None:
        name = step.partition(",")[0]
        if self._log and (done >= total or time.monotonic() - self._logged.get(name, -_LOG_S) >= _LOG_S):
            self._logged[name] = time.monotonic()
            with self._log.open("a") as file:
                file.write(f"{time.strftime('%H:%M:%S')} {step}: {done} of {total}\n")
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(step, total=total)
        self._bars.update(self._tasks[name], description=step, completed=done, total=total)


if __name__ == "__main__":
    command(prog_name="python -m tools.training")
