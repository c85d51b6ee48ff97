"""``companion hil``: runs hardware-in-the-loop scenarios on a rig, and replays their traces."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from companion.cli.access.pin import hide_argument
from companion.cli.options import data_option, json_option, with_games
from companion.plugins.registry import Games
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from companion.plugins.perception import WatchPerception
    from companion.plugins.plugin import GamePlugin
    from companion.tracking.sight import Sight
    from hardware.harness.rig import Rig
    from hardware.harness.runner import Result
    from hardware.harness.scenario import Scenario
    from hardware.harness.trace import Recorder

RIGS = ("mock", "gpiosim", "loopback")


@click.group(name="hil")
def command() -> None:
    """Test the whole table in scenarios with buttons, cards, lights and faults (hardware in the loop)."""


@command.command()
@click.argument("scenarios", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--rig", "rig_name", type=click.Choice(RIGS), default="mock", help="Test rig to run them on. [default: mock]"
)
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write a JUnit report.")
@click.option(
    "--trace",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for recorded inputs and outputs; those of the mock rig can be replayed.",
)
@click.option("--url", help="loopback: the table's address.")
@click.option("--pin", envvar="COMPANION_PIN", help="loopback: the dealer's PIN.")
@click.option(
    "--wires",
    type=click.Path(path_type=Path, dir_okay=False),
    help="loopback: connections between the pins of the two machines (TOML).",
)
@click.option(
    "--screen", type=click.IntRange(1, 65535), help="loopback: port of the page with the picture that the camera films."
)
@click.option(
    "--reset", help="loopback: command that restarts the table with empty data and the configuration in $HIL_CONFIG."
)
@click.option("--verbose", "-v", is_flag=True, help="Print every step.")
@data_option
@json_option
@with_games
def run(
    games: Games,
    scenarios: Sequence[Path],
    rig_name: str,
    junit: Path | None,
    trace: Path | None,
    url: str | None,
    pin: str | None,
    wires: Path | None,
    screen: int | None,
    reset: str | None,
    verbose: bool,
    data_dir: Path,
    as_json: bool,
) -> int:
    """Run SCENARIO files or folders of them; without any, the scenarios of the installed games.

    Exit code 1 if one fails, 2 if one cannot be read.
    """
    from hardware.harness.report import write_junit
    from hardware.harness.rigs import RigOptions, check_rig
    from hardware.harness.scenario import find_scenarios, load_scenario

    hide_argument(pin)
    logging.basicConfig(level=logging.DEBUG if verbose else logging.CRITICAL, format="%(message)s")
    loaded = [load_scenario(path, games) for path in find_scenarios(scenarios, games)]
    if rig_name == "gpiosim":
        results = _in_machine(loaded, trace, lambda result: _tell(result, as_json))
    else:
        way = check_rig(rig_name, RigOptions(url, pin, wires, screen, reset, data_dir))
        results = _here(loaded, way.make, rig_name, trace, lambda result: _tell(result, as_json))
    if junit is not None:
        write_junit(junit, results)
    if not as_json:
        _summary(results)
    return 1 if any(result.failure for result in results) else 0


def _here(
    loaded: Sequence[Scenario],
    make: Callable[..., Rig],
    rig_name: str,
    trace: Path | None,
    tell: Callable[[Result], None],
) -> list[Result]:
    results = []
    for scenario in loaded:
        is_traced = trace is not None and not scenario.process and rig_name == "mock"
        folder = trace / _file_name(scenario.path.stem) if trace is not None and is_traced else None
        results.append(_run_one(scenario, make, rig_name, folder))
        tell(results[-1])
    return results


def _in_machine(loaded: Sequence[Scenario], trace: Path | None, tell: Callable[[Result], None]) -> list[Result]:
    """Run the scenarios in the virtual machine, which is built if necessary."""
    from hardware.harness.gpiosim.host import run_machine
    from hardware.harness.gpiosim.image import build, cache_folder, check_programs

    def say(text: str) -> None:
        click.echo(f"hil: {text}", err=True)

    check_programs()
    image = build(cache_folder(), say)
    results = run_machine(image, loaded, tell, say)
    traces = image.folder / "job" / "trace"
    if trace is not None and traces.is_dir():
        shutil.copytree(traces, trace, dirs_exist_ok=True)
    return results


def _run_one(scenario: Scenario, make: Callable[..., Rig], rig_name: str, trace: Path | None) -> Result:
    from hardware.harness.runner import Result, run_scenario
    from hardware.harness.trace import Recorder

    if rig_name not in scenario.rigs:
        return Result(scenario, rig_name, 0.0, skipped=f"Only for the rigs {', '.join(scenario.rigs)}.")
    recorder: Recorder | None = None if trace is None else Recorder(trace)
    return run_scenario(make(scenario, make_sight, make_pages, recorder), scenario)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "-", name)


@command.command()
@click.argument("traces", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def replay(traces: Sequence[Path], as_json: bool) -> int:
    """Replay recorded TRACE folders. Exit code 1 if any output differs."""
    from hardware.harness.replay import replay as again

    logging.basicConfig(level=logging.CRITICAL)
    is_same = True
    for trace in traces:
        found = again(trace, make_sight)
        is_same = is_same and found.difference is None
        if as_json:
            data = {"trace": str(trace), "entries": found.entries, "changes": found.changes, "pictures": found.pictures}
            click.echo(json.dumps(data | {"difference": found.difference}, ensure_ascii=False))
        else:
            what = f"{found.pictures} pictures, {found.entries} entries, {found.changes} changes of lines"
            click.echo(f"{'same  ' if found.difference is None else 'DIFFERS'}  {trace}: {what}")
            if found.difference is not None:
                click.echo(f"         {found.difference}")
    return 0 if is_same else 1


@command.command(name="list")
@with_games
def list_(games: Games) -> int:
    """List the scenarios of the installed games."""
    from hardware.harness.scenario import find_scenarios, load_scenario

    for path in find_scenarios((), games):
        click.echo(f"{path.stem:<32} {load_scenario(path, games).name}")
    return 0


# ---- wiring


def make_sight(plugin: GamePlugin, keys: Mapping[str, bytes]) -> Sight | None:
    """Return a game's `Sight` for the mock rig; None if the rig has no pictures of the game."""
    from companion.plugins.perception import CardPerception, CardSettings, WatchPerception
    from companion.plugins.registry import installed_games
    from companion.tracking.cards.sight import CardSight
    from companion.tracking.cards.tracker import Tracker
    from companion.tracking.cards.zones import Zones
    from companion.tracking.chips import ChipsOnMat
    from companion.vision.live.reader import Reader

    seen, has_scripted_table = plugin.perception, plugin.demo is not None and plugin.demo.scripted_table is not None
    if isinstance(seen, WatchPerception) and has_scripted_table:
        return _watch_sight(seen)
    if not isinstance(seen, CardPerception) or not (has_scripted_table or plugin.felt is not None):
        return None
    games = installed_games()
    reader, interpreter = Reader(keys, games.decks), seen.interpreter(CardSettings())
    chips, tracker = ChipsOnMat() if seen.has_chips else None, Tracker(several=games.decks.twice)
    return CardSight(
        reader, interpreter, zones=Zones(games.mats), tracker=tracker, chips=chips, is_secret=seen.is_secret
    )


def _watch_sight(seen: WatchPerception) -> Sight:
    from companion.tracking.several import SeveralSights
    from companion.tracking.watched import WatchSight

    return (
        WatchSight(seen)
        if seen.second_pipeline is None
        else SeveralSights(seen.second_pipeline(None), WatchSight(seen))
    )


def make_pages(service: TableService, folder: Path) -> Callable[[str], str]:
    """Return a function that fetches a page as the dealer from the real application; ``folder`` stores its access."""
    from web_ui import create_app
    from web_ui.access.store import AccessStore

    access = AccessStore(folder)
    access.set_pin("2468")
    client = create_app(service, access=access).test_client()
    return lambda path: client.get(path, headers={"Authorization": "Bearer 2468"}).get_data(as_text=True)


# ---- output


def _tell(result: Result, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_as_json(result), ensure_ascii=False))
        return
    word = "skip" if result.skipped else "ok  " if result.failure is None else "FAIL"
    click.echo(f"{word}  {result.scenario.name}  ({result.seconds:.1f} s)")
    if result.failure is not None:
        where = f"{result.scenario.path}, line {result.failure.line}"
        click.echo(f"      {where}: step {result.failure.step}: {result.failure.text}")


def _as_json(result: Result) -> dict[str, object]:
    failure = result.failure
    return {
        "scenario": result.scenario.name,
        "file": str(result.scenario.path),
        "rig": result.rig,
        "ok": failure is None,
        "skipped": result.skipped,
        "seconds": round(result.seconds, 3),
        "failure": None if failure is None else {"step": failure.step, "line": failure.line, "text": failure.text},
        "times": [{"cause": m.cause, "line": m.line, "ms": round(m.ms, 1)} for m in result.measured],
    }


def _summary(results: Sequence[Result]) -> None:
    """Print the timing table and the totals."""
    from hardware.harness.report import timing_rows

    rows = timing_rows(results)
    if rows:
        table = Table("from", "to", "n", "median", "slowest", title="Times (ms)", title_justify="left")
        for row in rows:
            table.add_row(row.cause, row.line, str(row.count), f"{row.median:.1f}", f"{row.slowest:.1f}")
        Console(highlight=False).print(table)
    failed = sum(result.failure is not None for result in results)
    skipped = sum(result.skipped is not None for result in results)
    summary = f"{len(results) - failed - skipped} passed, {failed} failed"
    click.echo(summary + (f", {skipped} not for this rig" if skipped else ""))
