"""``python -m tools.training dice|finder|refiner|daynight|bowl|wheel|tilt``: trains the networks for dice and wheels.

``traced`` makes path-traced pictures for `dice`, `finder`, `refiner` and `daynight` with the same --data-dir. ``fonts``
downloads fonts for the numbers on dice.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

_LOG_INTERVAL_S = 15.0
_TRACED = "traced"

_Option = Callable[[Callable[..., Any]], Callable[..., Any]]
_FOLDER = click.Path(path_type=Path, file_okay=False)
_out: _Option = click.option("--out", type=_FOLDER, default=Path("trained"), show_default=True,
                             help="Folder for the networks and their model card.")  # fmt: skip
_data_dir: _Option = click.option("--data-dir", type=_FOLDER, default=Path("training-data"), show_default=True,
                                  help="Folder for rendered training data; later runs use it again.")  # fmt: skip
_minutes: _Option = click.option("--minutes", type=click.FloatRange(min=0.1), default=60.0, show_default=True,
                                 help="Duration of the training itself, without rendering and measuring.")  # fmt: skip
_seed: _Option = click.option("--seed", type=int, default=1, show_default=True)
_threads: _Option = click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
_processes: _Option = click.option("--processes", type=click.IntRange(min=1), default=2, show_default=True,
                                   help="Number of rendering processes.")  # fmt: skip
_device: _Option = click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True)
_log: _Option = click.option("--log", type=click.Path(path_type=Path, dir_okay=False),
                             help=f"Log file: the progress every {_LOG_INTERVAL_S:.0f} seconds.")  # fmt: skip


def _common_options(command_function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that all commands for dice networks share."""
    for option in (_log, _device, _processes, _threads, _seed, _minutes, _data_dir, _out):  # last is listed first
        command_function = option(command_function)
    return command_function


def _start(what: str) -> _Option:
    return click.option("--start", type=click.Path(path_type=Path, exists=True), help=f"Weights to start from: {what}.")


def _thousands(default: int, what: str) -> _Option:
    return click.option("--thousands", type=click.IntRange(min=1), default=default, show_default=True, help=what)


@click.group()
def command() -> None:
    """Render dice and wheels, train the networks that find and read them, and measure these on held-out pictures.

    Needs the extra `train` (PyTorch, ONNX, Mitsuba, MuJoCo) and a machine with many fonts. Rendered data survives an
    interrupted run.
    """


@command.command()
@_common_options
@_start("a folder of .onnx, or of dice-SEED.pt and number-SEED.pt")
@_thousands(70, "Thousands of dice to render for training, 130 MB per thousand.")
@click.option("--held-out", type=click.IntRange(min=1), default=5, show_default=True,
              help="Thousands of held-out dice to calibrate on, and as many again to measure on.")  # fmt: skip
@click.option("--step", type=click.Choice(["all", "train", "finish", "calibrate"]), default="all", show_default=True,
              help="train: only train; finish: export the weights in --data-dir, calibrate and measure them; "
              "calibrate: only calibrate and measure the exported networks.")  # fmt: skip
@click.option("--room", type=click.IntRange(min=1000), default=30_000, show_default=True,
              help="Dice in the training device's memory at a time, 130 kB each.")  # fmt: skip
@click.option("--bank", type=click.IntRange(min=0), default=0, show_default=True,
              help="Dice for the second renderer, a ray caster; 0 for none, 2000 or more on a GPU.")  # fmt: skip
@click.option("--rays", type=click.FloatRange(0, 0.95), default=0.35, show_default=True,
              help="Share of the time for the second renderer.")  # fmt: skip
@click.option("--first", type=click.IntRange(min=1), default=1024, show_default=True,
              help="Dice to render before the first training step.")  # fmt: skip
@click.option("--batch", type=click.IntRange(min=0), default=0, help="Batch size; 0 for the device's default.")
@click.option(
    "--learn", type=click.Choice(["dice", "number"]), multiple=True, help="A network to train. [default: both]"
)
@click.option("--earlier-share", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="Share of the --start weights in the final average of old and new weights.")  # fmt: skip
def dice(
    out: Path, data_dir: Path, minutes: float, seed: int, threads: int, processes: int, device: str, log: Path | None,
    start: Path | None, thousands: int, held_out: int, step: str, room: int, bank: int, rays: float, first: int,
    batch: int, learn: tuple[str, ...], earlier_share: float,
) -> None:  # fmt: skip
    """Train the two networks that read a die."""
    if earlier_share and not start:
        raise click.UsageError("--earlier-share is for a training that starts from earlier weights: add --start.")
    from tools.training.pipeline import NETWORKS, Plan, calibrated, finish, train

    plan = Plan(out, data_dir, minutes, seed, thousands, held_out, threads, start, device, processes, room, bank, rays,
                first, batch, _traced_in(data_dir), learn or NETWORKS, earlier_share)  # fmt: skip
    with _steps(log) as report:
        if step in ("all", "train"):
            train(plan, report)
        if step == "train":
            return
        card = (calibrated if step == "calibrate" else finish)(plan, report)
    for name, count in card["held_out"].items():
        answered = count["right"] + count["wrong"]
        click.echo(f"{name}: {count['samples']} dice, {answered} answered, {count['wrong']} wrong")
    click.echo(f"{out} holds the networks; {data_dir / 'wrong.png'} shows every wrong answer.")


@command.command()
@_common_options
@_start("a finder's .pt or .onnx")
@click.option("--scenes", type=click.IntRange(min=1), default=6, show_default=True,
              help="Thousands of pictures, 80 MB per thousand.")  # fmt: skip
@click.option("--before", type=click.Path(path_type=Path, exists=True, dir_okay=False),
              help="With --start: an earlier finder's .onnx, averaged into the final weights with a share of a "
              "fifth, so that less is forgotten.")  # fmt: skip
def finder(
    out: Path, data_dir: Path, minutes: float, seed: int, threads: int, processes: int, device: str, log: Path | None,
    start: Path | None, scenes: int, before: Path | None,
) -> None:  # fmt: skip
    """Train the network that finds dice."""
    if before and not start:
        raise click.UsageError("--before is for a training that starts from earlier weights: add --start.")
    from tools.training.pipeline import need_torch
    from tools.training.samples.fonts import find_fonts

    need_torch()
    from tools.training.finder.fit import FinderPlan, train_finder

    count = 1000 * scenes
    plan = FinderPlan(out, minutes, seed, count // 4, count, threads=threads, start=start, device=device,
                      processes=processes, data=data_dir / "finder", before=before,
                      traced=_traced_in(data_dir))  # fmt: skip
    with _steps(log) as report:
        found = train_finder(plan, find_fonts(), report)
    click.echo(f"held-out scenes: {found.found} of {found.dice} dice found, {found.ghosts} false detections")
    click.echo(f"Wrote {out / 'finder.onnx'} and its model card, FINDER_CARD.md.")


@command.command()
@_common_options
@_start("a refiner's .pt or .onnx")
@_thousands(7, "Thousands of pictures to render, 80 MB per thousand.")
def refiner(
    out: Path, data_dir: Path, minutes: float, seed: int, threads: int, processes: int, device: str, log: Path | None,
    start: Path | None, thousands: int,
) -> None:  # fmt: skip
    """Train the network that checks and refines the finder's detections."""
    from tools.training.pipeline import need_torch
    from tools.training.samples.fonts import find_fonts

    need_torch()
    from tools.training.finder.refine import RefinerPlan, train_refiner

    plan = RefinerPlan(out, minutes, seed, 1000 * thousands, threads=threads, processes=processes, device=device,
                       data=data_dir / "refiner", traced=_traced_in(data_dir), start=start)  # fmt: skip
    with _steps(log) as report:
        found = train_refiner(plan, find_fonts(), report)
    click.echo(
        f"held-out pictures: {found.kept} of {found.dice} dice kept, {found.taken} of {found.others} other objects kept"
    )
    click.echo(f"Wrote {out / 'refiner.onnx'} and its model card, REFINER_CARD.md.")


@command.command()
@_out
@_data_dir
@_minutes
@_seed
@_threads
@_log
@_start("a daynight.pt or daynight.onnx")
def daynight(
    out: Path, data_dir: Path, minutes: float, seed: int, threads: int, log: Path | None, start: Path | None
) -> None:  # fmt: skip
    """Train the network that tells a Rugen die's day faces from its night faces, on data of `dice` and `traced`."""
    from tools.training.pipeline import need_torch

    need_torch()
    from tools.training.day_night import DayNightPlan, train_day_night

    painted = tuple(sorted(data_dir.glob("dice*-train-*[0-9].npy")))
    plan = DayNightPlan(out, minutes, seed, painted, _traced_in(data_dir), threads, start)
    with _steps(log) as report:
        right, dice = train_day_night(plan, report)
    click.echo(f"held-out pictures: {right} of {dice} right. Wrote {out / 'daynight.onnx'}.")


@command.command()
@_data_dir
@_seed
@_log
@_thousands(1, "Thousands of pictures, 310 MB and a quarter of an hour on two cores per thousand.")
@click.option("--prints", type=click.FloatRange(0, 1), default=0.0, show_default=True,
              help="Share of tables with a busy print.")  # fmt: skip
@click.option(
    "--day-night",
    is_flag=True,
    help="Only Rugen dice, most with a lamp's reflection in their upper faces: for `daynight`. Use a separate "
    "--data-dir.",
)
def traced(data_dir: Path, seed: int, log: Path | None, thousands: int, prints: float, day_night: bool) -> None:
    """Render path-traced pictures of dice on tables, for `finder`, `refiner`, `daynight` and `dice`."""
    if importlib.util.find_spec("mitsuba") is None:
        raise click.UsageError('Path tracing needs Mitsuba. Install it with `pip install "table-companion[train]"`.')
    from tools.training.samples.fonts import find_fonts
    from tools.training.traced.bank import PART, make_part, part_path

    folder, fonts, parts = data_dir / _TRACED, find_fonts(), 1000 * thousands // PART
    folder.mkdir(parents=True, exist_ok=True)
    with _steps(log) as report:
        for number in range(parts):
            path = part_path(folder, "train", seed, number, prints, day_night=day_night)
            make_part(path, "train", seed, number, fonts, prints, day_night=day_night)
            report("Path tracing", number + 1, parts)
    click.echo(f"{folder} holds {parts * PART} pictures; the training commands use them with the same --data-dir.")


@command.command()
@click.option("--out", type=_FOLDER, default=Path.home() / ".local/share/fonts/fontsource", show_default=True,
              help="Folder for the fonts; the training commands search the default one.")  # fmt: skip
def fonts(out: Path) -> None:
    """Download some 1,500 families of free fonts (100 MB) with npm, for the numerals on dice."""
    from tools.training.samples.web_fonts import fetch_fonts

    with _steps() as report:
        fetched = fetch_fonts(out, lambda done, total: report("Fetching fonts", done, total))
    click.echo(
        f"{out} holds {fetched.families} families; {fetched.left_out} are left out: held-out fonts under other names."
    )
    if fetched.failed:
        click.echo(f"Could not be downloaded: {', '.join(fetched.failed)}. Try again, or continue without them.")


def _traced_in(data_dir: Path) -> tuple[Path, ...]:
    return tuple(sorted((data_dir / _TRACED).glob("traced*-train-*[0-9].npz")))


@command.command()
@_out
@_data_dir
@_minutes
@_seed
@_processes
@_device
@_start("a folder of bowl_*.onnx")
@click.option("--fonts", type=click.Path(path_type=Path, exists=True, file_okay=False), multiple=True,
              help="A folder of fonts for the numerals. [default: the machine's fonts]")  # fmt: skip
@click.option("--learn", type=click.Choice(["die", "dice", "view"]), multiple=True,
              help="A network to train. [default: all]")  # fmt: skip
@click.option("--survey", type=click.FloatRange(min=0), default=0.0, show_default=True,
              help="Seconds to spend after the training on measuring the network `die` on new bowls.")  # fmt: skip
def bowl(
    out: Path, data_dir: Path, minutes: float, seed: int, processes: int, device: str, start: Path | None,
    fonts: tuple[Path, ...], learn: tuple[Literal["die", "dice", "view"], ...], survey: float,
) -> None:  # fmt: skip
    """Train the three networks that read a bowl of dice."""
    from tools.training.pipeline import need_torch

    need_torch()
    from tools.training.bowls.pipeline import ALL, MODELS, BowlPlan, train_bowl

    learn = learn or ALL
    if survey and "die" not in learn:
        raise click.UsageError("--survey measures the network `die`: add --learn die.")
    plan = BowlPlan(out, data_dir / "bowls", minutes, seed, processes, start or MODELS, learn, fonts, device,
                    survey_s=survey)  # fmt: skip
    train_bowl(plan, lambda step: click.echo(f"{time.strftime('%H:%M:%S')} {step}"))
    click.echo(f"{out} holds the networks; measure them with tests/bench/accuracy_bowl.py.")


@command.command()
@_out
@_minutes
@_seed
@_processes
@_threads
@_start("a folder of ball_*.onnx")
@click.option(
    "--learn", type=click.Choice(["rest", "still"]), multiple=True, help="A network to train. [default: both]"
)
def wheel(
    out: Path, minutes: float, seed: int, processes: int, threads: int, start: Path | None,
    learn: tuple[Literal["rest", "still"], ...],
) -> None:  # fmt: skip
    """Train the networks that read a roulette wheel."""
    from tools.training.pipeline import need_torch

    need_torch()
    import torch

    from tools.training.wheels.pipeline import KINDS, WheelPlan, train_wheel

    torch.set_num_threads(threads)
    train_wheel(WheelPlan(out, minutes, seed, processes, start, learn or KINDS), click.echo)
    click.echo(f"{out} holds the networks; measure them with tests/bench/accuracy_wheel.py.")


@command.command()
@_out
@_data_dir
@_minutes
@_seed
@_threads
@_thousands(70, "Thousands of dice to render.")
def tilt(out: Path, data_dir: Path, minutes: float, seed: int, threads: int, thousands: int) -> None:
    """Train the network that recognizes a die seen from the side."""
    from tools.training.pipeline import need_torch

    need_torch()
    from tools.training.tilt.pipeline import TiltPlan, train_tilt

    train_tilt(TiltPlan(out, data_dir / "tilt", minutes, seed, thousands, threads), click.echo)
    click.echo(f"{out} holds the network; measure it with tests/bench/tilted_dice.py.")


class _steps:  # noqa: N801 - a context manager, read like a function
    """Shows one progress bar per step, on a terminal only; also writes a log file if given."""

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
        if self._log and (
            done >= total or time.monotonic() - self._logged.get(name, -_LOG_INTERVAL_S) >= _LOG_INTERVAL_S
        ):
            self._logged[name] = time.monotonic()
            with self._log.open("a") as file:
                file.write(f"{time.strftime('%H:%M:%S')} {step}: {done} of {total}\n")
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(step, total=total)
        self._bars.update(self._tasks[name], description=step, completed=done, total=total)


if __name__ == "__main__":
    command(prog_name="python -m tools.training")
