"""``companion journal``: verify the journal, export or follow its entries, keys, witnesses and accepted losses."""

import csv
import io
import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TextIO

import click

from companion.cli import JobFailed
from companion.cli.options import data_option, json_option, with_games
from companion.config.file import FILE_NAME as CONFIG_NAME
from companion.config.file import load_config
from companion.journal.datalock import DataDirBusy, hold_data_dir
from companion.journal.durable import DAMAGED
from companion.journal.hash_chain import Entry, EntryJson, iso, sentences
from companion.journal.history.export import harmless
from companion.journal.history.hand_history import HandHistory
from companion.journal.receipt import receipt
from companion.journal.seals import Seals
from companion.journal.store import FILE_NAME, JournalError, JournalReader, utc_now
from companion.journal.trust.mark import mark_path
from companion.journal.trust.proof import MIN_DIGITS, Proof, ReceiptCode
from companion.journal.trust.signing import KeyBook, brief
from companion.journal.trust.witness import add_to_witness, countersign, read_witness
from companion.journal.verify import Verdict, verify
from companion.kernel.errors import BadScript, TableError
from companion.kernel.header import Header
from companion.plugins.registry import Games
from companion.printing.files import CannotWrite, check_place
from companion.service.committing.jobs import ACCEPT_LOSS
from companion.service.table_service import TableService
from companion.statistics.files import figures, written
from companion.statistics.league import Season

_POLL_S: Final = 0.2
_COLUMNS: Final = ("seq", "at", "session", "kind", "source", "key", "do", "text", "record", "events", "prev", "hash")


@click.group(name="journal")
def command() -> None:
    """Check, export and follow the table's journal."""


@command.command(name="verify")
@click.option(
    "--head", metavar="HASH", help="Hash of an entry that must be in the journal; its first 12 digits suffice."
)
@click.option(
    "--receipt",
    "receipts",
    metavar="CODE",
    multiple=True,
    help="A receipt to check: the contents of its QR code, or the line under it.",
)
@click.option(
    "--witness",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Witness file with earlier heads of this journal.",
)
@click.option(
    "--key", "keys", metavar="HEX", multiple=True, help="The table's public key, if its key file is not here."
)
@data_option
@json_option
@with_games
def verify_command(
    games: Games,
    head: str | None,
    receipts: tuple[str, ...],
    witness: Path | None,
    keys: tuple[str, ...],
    data_dir: Path,
    as_json: bool,
) -> int:
    """Check the whole hash chain and its signatures, and replay every command; report the first fault.

    Exit code 1 if something is wrong.
    """
    codes = [_receipt_code(text) for text in receipts]
    with _reader(data_dir) as reader:
        beside = Proof.beside(reader.path).trusting(map(_public_key, keys))
        given = () if witness is None else read_witness(witness)
        proof = replace(
            beside,
            head=None if head is None else _hash(head),
            witness=beside.witness if witness is None else (*given, *(beside.witness or ())),
        )
        found = verify(reader, games, proof)
        if found.wrong is None and codes:
            history = HandHistory(reader.entries, games, Seals.beside(reader.path).open)
            wrong = (code.wrong_with(receipt(history, code.session, code.number)) for code in codes)
            found = replace(found, wrong=next(filter(None, wrong), None))
    if as_json:
        click.echo(json.dumps(found.to_json()))
    elif found.wrong is None:
        for line in _told(found, proof):
            click.echo(line)
    if found.wrong is None:
        return 0
    where = f"entry {found.seq}: " if found.seq is not None else ""
    raise JobFailed(
        f"The journal was altered or damaged: {where}{found.wrong} Restore a backup, and find out who changed the file."
    )


def _told(found: Verdict, proof: Proof) -> Iterator[str]:
    """Yield the report lines for an intact journal."""
    yield (
        f"The journal is intact: {found.entries} entries in {found.sessions} sessions, an unbroken hash chain, "
        f"and the coins add up. Head: {found.head}"
    )
    keys = ", ".join(map(brief, found.keys))
    if not found.keys:
        yield (
            "It is unsigned, from a version without signatures: anyone with access to the file could have rewritten it."
        )
    elif found.is_trusted:
        yield f"Signed with this table's key {keys}, up to entry {found.signed}."
    else:
        yield f"Signed with the key {keys}, up to entry {found.signed}. Use --key to check that it is the table's."
    if proof.missing_key is not None:
        yield proof.missing_key
    for session, why in found.why_unplayed.items():
        yield f"Session {session} was not replayed: {why}."
    for loss in found.losses:
        yield f"The owner accepted a loss: {loss.words}."


def _hash(text: str) -> str:
    digits = text.strip().lower()
    if not MIN_DIGITS <= len(digits) <= 64 or not set(digits) <= set("0123456789abcdef"):
        raise click.BadParameter(f"a hash has {MIN_DIGITS} to 64 hexadecimal digits", param_hint="--head")
    return digits


def _receipt_code(text: str) -> ReceiptCode:
    found = ReceiptCode.parse(text)
    if found is None:
        raise click.BadParameter(
            "a receipt's code is an address such as http://…/history/1/7#head=…, or the line under the QR code",
            param_hint="--receipt",
        )
    return found


def _public_key(text: str) -> str:
    digits = "".join(text.split()).lower()
    if len(digits) != 64 or not set(digits) <= set("0123456789abcdef"):
        raise click.BadParameter(
            "a public key has 64 hexadecimal digits: see `companion journal key`", param_hint="--key"
        )
    return digits


# ---- keys, witnesses, accepted losses


@command.command(name="key")
@data_option
@json_option
def key_command(data_dir: Path, as_json: bool) -> int:
    """Show the public key of this table's journal signatures, needed to verify a copy of the journal elsewhere."""
    signer = KeyBook.beside(data_dir / FILE_NAME).signer()
    if signer is None:
        raise JobFailed(f"There is no signing key in {data_dir}. `companion run` makes one with the journal.")
    click.echo(json.dumps({"public": signer.public}) if as_json else signer.public)
    return 0


@command.command(name="witness")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@data_option
def witness_command(file: Path, data_dir: Path) -> int:
    """Add the journal's latest signed head to the witness FILE, kept on a USB stick, another machine or a phone."""
    with _reader(data_dir) as reader:
        statement = reader.statement()
    if statement is None:
        raise JobFailed("Nothing in this journal is signed yet. Start the table once, then try again.")
    try:
        add_to_witness(file, statement)
    except OSError as error:
        raise JobFailed(f"{file} cannot be written: {error.strerror}. Choose another file.") from error
    click.echo(f"{file} now holds the head at entry {statement.seq}, {statement.hash}.")
    return 0


@command.command(name="countersign")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--by", default=socket.gethostname, help="Name of the countersigner. [default: this machine's name]")
@data_option
def countersign_command(file: Path, by: str, data_dir: Path) -> int:
    """Countersign the heads of another table in its witness FILE with this table's key."""
    signer = KeyBook.beside(data_dir / FILE_NAME).signer()
    if signer is None:
        raise JobFailed(f"There is no signing key in {data_dir}. `companion run` makes one with the journal.")
    try:
        count = countersign(file, by, iso(utc_now()), signer)
    except OSError as error:
        raise JobFailed(f"{file} cannot be written: {error.strerror}. Choose another.") from error
    click.echo(f"{count} heads countersigned with the key {brief(signer.public)}.")
    return 0


@command.command(name="accept")
@data_option
@with_games
def accept_command(games: Games, data_dir: Path) -> int:
    """Accept a fault of the journal, so that the table can continue with it. The journal records the acceptance.

    The table must not be running; there the dealer's page does the same.
    """
    path = data_dir / FILE_NAME
    if not path.exists() and not mark_path(path).exists() and KeyBook.beside(path).is_empty:
        raise JobFailed(f"{data_dir} has never had a journal, so there is nothing to accept. Check --data.")
    header = _latest_header(data_dir, games)
    try:
        with hold_data_dir(data_dir), TableService.open(path, header, games) as service:
            trouble = service.view("room").get("journal")
            if trouble is None:
                raise JobFailed("Nothing is wrong with the journal, so there is nothing to accept.")
            service.submit({"do": ACCEPT_LOSS}, source="machine")
    except (DataDirBusy, JournalError, TableError) as error:
        raise JobFailed(str(error)) from error
    click.echo(f"Accepted: {trouble['text']}")
    return 0


def _latest_header(data_dir: Path, games: Games) -> Header:
    """Return the latest session's header, ignoring newer settings; the configured one if there is no session."""
    config_file = data_dir / CONFIG_NAME
    _, header = load_config(config_file if config_file.exists() else None, games)
    if not (data_dir / FILE_NAME).exists() or not (data_dir / FILE_NAME).stat().st_size:
        return header
    with _reader(data_dir) as reader:
        start = reader.latest_start()
    return header if start is None else Header.parse(json.loads(start.record), games)


@command.command(name="export")
@click.option("--format", "kind", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="File to write. [default: standard output]"
)
@click.option(
    "--what", type=click.Choice(["entries", "league", "evenings", "bets", "bgstats"]), default="entries",
    show_default=True, help="All entries, or figures drawn from them.",
)  # fmt: skip
@click.option("--season", default="", metavar="YEAR[-Qn]", help="Only this year or quarter, such as 2026-Q2.")
@data_option
@with_games
def export_command(games: Games, kind: str, out: Path | None, what: str, season: str, data_dir: Path) -> int:
    """Export all entries as CSV or JSON Lines; or the league, the evenings, or every bet with its expected value.

    `bgstats` has plays for BG Stats, as JSON whatever the format.
    """
    if what != "entries":
        return _export_figures(games, data_dir, what, "json" if what == "bgstats" else kind, _season(season), out)
    with _reader(data_dir) as reader, _target(out) as file:
        write = _write_csv if kind == "csv" else _write_json
        count = write(reader.entries(), file)
    if out is not None:
        click.echo(f"{count} entries written to {out}.", err=True)
    return 0


def _season(name: str) -> Season:
    try:
        return Season.named(name)
    except BadScript as error:
        raise click.BadParameter(str(error.message), param_hint="--season") from error


@dataclass(frozen=True)
class _Journal:
    """A journal's history, with the installed games."""

    games: Games
    history: HandHistory


def _export_figures(games: Games, data_dir: Path, what: str, kind: str, season: Season, out: Path | None) -> int:
    with _reader(data_dir) as reader, _target(out) as file:
        history = HandHistory(reader.entries, games, Seals.beside(reader.path).open)
        file.writelines(written(figures(_Journal(games, history)).of(season), what, kind))
    return 0


@command.command(name="tail")
@click.option(
    "--lines", "-n", "count", type=click.IntRange(0, 10**9), default=10, show_default=True, help="How many to show."
)
@click.option("--follow", "-f", is_flag=True, help="Keep printing new entries, until Ctrl-C.")
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
    """Yield the output: a file that is written atomically, or standard output."""
    if out is None:
        yield sys.stdout
        return
    try:
        check_place(out)
    except CannotWrite as error:
        raise JobFailed(str(error)) from error
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
    for count, entry in enumerate(entries, start=1):  # noqa: B007 (the count is returned)
        file.write(json.dumps(_full(entry), ensure_ascii=False) + "\n")
    return count


def _write_csv(entries: Iterator[Entry], file: TextIO) -> int:
    writer = csv.DictWriter(file, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    count = 0
    for count, entry in enumerate(entries, start=1):  # noqa: B007
        shown = _contents(entry)
        row = _full(entry) | {
            "text": " · ".join(sentences(shown)),
            "record": _brief(shown["record"]),
            "events": _brief(shown["events"]),
        }
        writer.writerow({name: harmless(value) for name, value in row.items()})
    return count


def _brief(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _full(entry: Entry) -> dict[str, object]:
    return {**_contents(entry), "key": entry.key, "prev": entry.prev, "hash": entry.hash}


def _contents(entry: Entry) -> EntryJson:
    try:
        return entry.to_json()
    except DAMAGED as error:
        raise JobFailed(
            f"Entry {entry.seq} cannot be read: its contents were altered. Run: companion journal verify"
        ) from error


def _show(entry: Entry, as_json: bool) -> None:
    if as_json:
        line = io.StringIO()
        _write_json(iter((entry,)), line)
        click.echo(line.getvalue(), nl=False)
    else:
        text = "; ".join(sentences(_contents(entry))) or entry.record
        click.echo(f"{entry.seq:>6}  {entry.at}  {entry.source:<10}  {text}")
    sys.stdout.flush()
