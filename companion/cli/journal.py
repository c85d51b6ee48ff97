"""``companion journal``: verify the hash chain, export the entries, follow them."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, json_option, with_games
from companion.journal.hash_chain import Entry, sentences
from companion.journal.store import FILE_NAME, JournalError, JournalReader
from companion.journal.verify import verify
from companion.plugins.registry import Games

_POLL_S: Final = 0.2
_COLUMNS: Final = ("seq", "at", "session", "kind", "source", "key", "do", "text", "record", "events", "prev", "hash")
_RISKY: Final = tuple("=+-@\t\r")  # a spreadsheet would run what begins so


@click.group(name="journal")
def command() -> None:
    """Check, export and follow the table's journal."""


@command.command(name="verify")
@data_option
@json_option
@with_games
def verify_command(games: Games, data_dir: Path, as_json: bool) -> int:
    """Follow the whole chain and play every command again; name the first thing that is wrong.

    Exit code 1 if something is wrong.
    """
    with _reader(data_dir) as reader:
        found = verify(reader, games)
    if as_json:
        click.echo(json.dumps(found.to_json()))
    elif found.wrong is None:
        click.echo(
            f"The journal is whole: {found.entries} entries in {found.sessions} sessions, "
            f"each follows the one before, and the coins add up. Head: {found.head}"
        )
        if found.unplayed:
            click.echo(
                f"Not played again, as other rules wrote them or what opens their secrets is not here: session "
                f"{', '.join(map(str, found.unplayed))}."
            )
    if found.wrong is None:
        return 0
    where = f"entry {found.seq}: " if found.seq is not None else ""
    raise JobFailed(
        f"The journal is not as it was written: {where}{found.wrong} Restore a backup, or ask who did this."
    )


@command.command(name="export")
@click.option("--format", "kind", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. [default: standard output]"
)
@data_option
def export_command(kind: str, out: Path | None, data_dir: Path) -> int:
    """Write all entries as CSV, or as JSON Lines."""
    with _reader(data_dir) as reader, _target(out) as file:
        write = _write_csv if kind == "csv" else _write_json
        count = write(reader.entries(), file)
    if out is not None:
        click.echo(f"{count} entries written to {out}.", err=True)
    return 0


@command.command(name="tail")
@click.option("--lines", "-n", "count", type=click.IntRange(0), default=10, show_default=True, help="How many to show.")
@click.option("--follow", "-f", is_flag=True, help="Go on with what comes, until Ctrl-C.")
@data_option
@json_option
def tail_command(count: int, follow: bool, data_dir: Path, as_json: bool) -> int:
    """Show the latest entries."""
    with _reader(data_dir) as reader:
        shown = reader.latest(count)
        after = shown[-1].seq if shown else max((e.seq for e in reader.latest(1)), default=0)
        for entry in shown:
            _show(entry, as_json)
        while follow:
            time.sleep(_POLL_S)
            for entry in reader.entries(after):
                _show(entry, as_json)
                after = entry.seq
    return 0


@contextmanager
def _reader(data_dir: Path) -> Iterator[JournalReader]:
    try:
        with JournalReader.open(data_dir / FILE_NAME) as reader:
            yield reader
    except JournalError as error:
        raise JobFailed(str(error)) from error


@contextmanager
def _target(out: Path | None) -> Iterator[TextIO]:
    """Yield where to write: a file that appears whole or not at all, or standard output."""
    if out is None:
        yield sys.stdout
        return
    draft = out.with_name(f".{out.name}.draft")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            yield file
        draft.replace(out)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise JobFailed(f"{out} cannot be written: {error.strerror}. Choose another --out.") from error


def _write_json(entries: Iterator[Entry], file: TextIO) -> int:
    count = 0
    for count, entry in enumerate(entries, start=1):  # noqa: B007 (the count is the answer)
        file.write(json.dumps(_full(entry), ensure_ascii=False) + "\n")
    return count


def _write_csv(entries: Iterator[Entry], file: TextIO) -> int:
    writer = csv.DictWriter(file, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    count = 0
    for count, entry in enumerate(entries, start=1):  # noqa: B007
        shown = entry.to_json()
        row = _full(entry) | {
            "text": " · ".join(sentences(shown)),
            "record": _brief(shown["record"]),
            "events": _brief(shown["events"]),
        }
        writer.writerow({name: _harmless(value) for name, value in row.items()})
    return count


def _brief(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _full(entry: Entry) -> dict[str, object]:
    return {**entry.to_json(), "key": entry.key, "prev": entry.prev, "hash": entry.hash}


def _harmless(value: object) -> object:
    """A player may be called ``=cmd()``: no spreadsheet shall run that."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_RISKY) else value


def _show(entry: Entry, as_json: bool) -> None:
    if as_json:
        line = io.StringIO()
        _write_json(iter((entry,)), line)
        click.echo(line.getvalue(), nl=False)
    else:
        text = "; ".join(sentences(entry.to_json())) or entry.record
        click.echo(f"{entry.seq:>6}  {entry.at}  {entry.source:<10}  {text}")
    sys.stdout.flush()
