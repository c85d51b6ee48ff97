"""`companion read`: what the camera would see in pictures, folders of pictures, and videos."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from companion.cli.options import data_option, json_option
from companion.decks import DeckStore
from companion.vision import EXPECTABLE, FrameReading, Reader, ZbarRescue, read_image

_LEAST_VISIBLE = 0.2  # a card in a video that a hand covers by more than the rest is not listed


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, readable=False))
@click.option(
    "--expect",
    metavar="NAMES",
    help=f"What may lie on the table, of {','.join(EXPECTABLE)}. [default: all]",
)
@data_option
@json_option
def command(files: tuple[Path, ...], expect: str | None, data_dir: Path, as_json: bool) -> int:
    """Read the cards and tokens in pictures and videos (or folders of pictures)."""
    names = _expected(expect)
    wheel = expect is not None and "roulette" in names
    keys = DeckStore(data_dir).keys()
    bad = 0
    with ZbarRescue() as rescue:
        for path, reading, t in _progress(_readings(files, keys, names, rescue)):
            bad += isinstance(reading, str)
            _show(path, reading, t, as_json, wheel)
    if bad:
        click.echo(f"companion: {bad} file{'s' * (bad > 1)} could not be read. The reasons stand above.", err=True)
    return 2 if bad else 0


Result = tuple[Path, FrameReading | str, float | None]
"""A file, what it shows or why it cannot be read, and the time in a video (s)."""


def _expected(text: str | None) -> frozenset[str]:
    if text is None:
        return frozenset(EXPECTABLE)
    names = frozenset(name.strip().lower() for name in text.split(",") if name.strip())
    unknown = sorted(names - set(EXPECTABLE))
    if unknown or not names:
        what = f"{unknown[0]!r} is unknown" if unknown else "nothing is named"
        raise click.BadParameter(f"{what}. Choose from {', '.join(EXPECTABLE)}.", param_hint="--expect")
    return names


def _readings(
    files: Sequence[Path], keys: Mapping[str, bytes], names: Collection[str], rescue: ZbarRescue
) -> Iterator[Result]:
    from companion.cli.pictures import UnreadableFile, files_of

    for given in files:
        try:
            paths = files_of(given)
        except (UnreadableFile, OSError) as error:
            yield given, str(error), None
            continue
        for path in paths:
            yield from _one_file(path, keys, names, rescue)


def _one_file(path: Path, keys: Mapping[str, bytes], names: Collection[str], rescue: ZbarRescue) -> Iterator[Result]:
    from companion.cli.pictures import UnreadableFile, Video, open_file

    try:
        opened = open_file(path)
        if not isinstance(opened, Video):
            yield path, read_image(opened, keys, expect=names, rescue=rescue), None
            return
        reader = Reader(keys, expect=names, thorough=True)
        for frame in opened:
            yield path, reader.read(frame), frame.t
    except UnreadableFile as error:
        yield path, str(error), None


def _show(path: Path, reading: FrameReading | str, t: float | None, as_json: bool, wheel: bool) -> None:
    if as_json:
        line = {"file": str(path), "error": reading} if isinstance(reading, str) else _document(path, reading, t, wheel)
        click.echo(json.dumps(line))  # ASCII: also for a file name that is not UTF-8
    elif isinstance(reading, str):
        click.echo(f"{path}: {reading}", err=True)
    else:
        click.echo(_text(path, reading, t))


def _document(path: Path, reading: FrameReading, t: float | None, wheel: bool) -> dict[str, Any]:
    """Return the contract's object for one picture or frame."""
    line: dict[str, Any] = {"file": str(path)}
    if t is not None:
        line["t"] = t
    line["size"] = list(reading.size)
    line["cards"] = [
        {"id": c.id, "deck": c.deck, "status": c.status, "corners": [list(p) for p in c.corners]}
        for c in reading.cards
        if c.visible >= _LEAST_VISIBLE
    ]
    line["tokens"] = [
        {"id": k.id, "corners": [list(p) for p in k.corners]} for k in reading.tokens if k.visible >= _LEAST_VISIBLE
    ]
    line["dice"] = []
    if wheel:
        line["roulette"] = {"pocket": None, "confidence": 0.0}
    line["warnings"] = list(reading.warnings)
    return line


def _text(path: Path, reading: FrameReading, t: float | None) -> str:
    when = "" if t is None else f" at {t:.2f} s"
    rows = [f"{path}{when}: {reading.size[0]} × {reading.size[1]} pixels, {_counted(reading)}"]
    for card in reading.cards:
        x, y = card.center
        rows.append(f"  {card.id or '?':4} {card.status:10} {card.deck or '-':5} at {x:.0f}, {y:.0f}")
    for token in reading.tokens:
        x, y = token.center
        rows.append(f"  {token.id:4} {'token':10} {token.deck or '-':5} at {x:.0f}, {y:.0f}")
    return "\n".join([*rows, *(f"  ! {warning}" for warning in reading.warnings)])


def _counted(reading: FrameReading) -> str:
    cards, tokens = len(reading.cards), len(reading.tokens)
    return f"{cards} card{'s' * (cards != 1)}" + (f", {tokens} token{'s' * (tokens != 1)}" if tokens else "")


def _progress(results: Iterator[Result]) -> Iterator[Result]:
    """Show how far it is, on stderr, while somebody watches it and stdout goes elsewhere."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:.0f} read"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)
        for path, reading, t in results:
            bar.update(task, advance=1, description=path.name if t is None else f"{path.name} {t:.1f} s")
            yield path, reading, t
