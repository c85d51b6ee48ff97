"""Restores the table from the journal by replaying the latest session's commands through the current rules.

A session begins with a ``start`` entry that has its header. The journal stores each command's effects too, so that a
later version of the rules cannot silently settle an old round differently.
"""

from __future__ import annotations

import gc
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from companion.journal.checkpoints import Checkpoint, unpack
from companion.journal.evening import TABLE, Evening, GameConfig, SessionStart, StartJson, after, carried_commands
from companion.journal.hash_chain import Draft, Entry, HashChain, events_of, genesis, parsed
from companion.journal.seals import SEALED, BrokenSeal, Seals, SecretMissing
from companion.journal.session_transfer import carried
from companion.journal.store import JournalError, JournalReader
from companion.journal.trust.guard import Trouble, replay_differs, secrets_missing
from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.events import SessionBegan, to_json
from companion.kernel.game import Effect, Game, Rulebook, Seat
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, joined, message, packed
from companion.kernel.table import SECRET, Header, Table, opening_ledger
from companion.kernel.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Session:
    """A restored session: its number and its table."""

    number: int
    table: Table
    trouble: Message | None = None
    "A warning for the dealer if the table could not be fully restored."
    held: Trouble | None = None
    "Why no command may be accepted: the replay differs although the rules are the same."
    is_short: bool = False
    "Whether it was restored from a checkpoint."
    evening: Evening = ()
    "The evening's sessions up to this one."


class ReplayDiffers(Exception):
    """An entry whose replay differs from the journal."""

    def __init__(self, seq: int, what: Message) -> None:
        self.message = message("entry {seq} {what}", seq=seq, what=what)
        super().__init__(self.message)
        self.seq = seq
        self.what = what


def rules_fingerprint(rules: Game[Any]) -> str:
    """Return a hash of the source of a game's rules, by which a change of the rules is detected.

    It covers the kernel, the objects and the game's folders from that of its rules up to its top-level package.
    """
    return _fingerprint(type(rules).__module__)


@cache
def _fingerprint(home: str) -> str:
    digest = hashlib.sha256()
    for package in ("companion.kernel", "companion.kernel.shared", "companion.objects"):
        _hash_folder(digest, resources.files(package))
    package, _, module = home.rpartition(".")
    if not package:  # a game in a single file
        digest.update(Path(sys.modules[module].__file__ or "").read_bytes())
    while package and package != "companion.games":
        _hash_folder(digest, resources.files(package))
        package = package.rpartition(".")[0]
    return digest.hexdigest()[:16]


def _hash_folder(digest: hashlib._Hash, folder: Traversable) -> None:
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith((".py", ".toml")):
            digest.update(file.read_bytes())


@contextmanager
def without_gc() -> Iterator[None]:
    """Suspend garbage collection: it would find nothing among a hundred thousand restored commands."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def start_draft(
    header: Header,
    session: int,
    source: str = TABLE,
    *,
    continues: int | None = None,
    wanted: GameConfig | None = None,
    key: str | None = None,
) -> Draft:
    """Return the entry that begins a session.

    Args:
        continues: the session whose players and coins it takes over.
        wanted: the configured game and options, if the dealer chose this game at the table.
        key: idempotency key of the request.
    """
    record = cast(StartJson, {**header.to_json(), "rules": rules_fingerprint(header.rules)})
    if continues is not None:
        record["continues"] = continues
    if wanted is not None:
        record["wanted"] = wanted
    began = to_json(SessionBegan(header.rules.title))
    return Draft("start", session, source, dumps(record), dumps([began]), key)


def dumps(value: Any) -> str:
    """Return the journal's JSON form of a value: ASCII, no spaces, no NaN, messages with their parameters."""
    return json.dumps(packed(value), separators=(",", ":"), allow_nan=False)


def checked(reader: JournalReader) -> Iterator[Entry]:
    """Yield all entries, verifying the hash chain.

    Raises:
        JournalError: the chain is broken; the message names the entry and the difference.
    """
    hashes = HashChain(genesis(reader.id))
    for entry in reader.entries():
        broken = hashes.check(entry)
        if broken is not None:
            raise JournalError(
                f"The journal {reader.path} is not as it was written: {broken}. Copy the file away, then "
                "`companion restore` a backup, or move it out of the data directory to begin a new one."
            )
        yield entry


def latest_session(
    reader: JournalReader, games: Rulebook, checkpoint: Checkpoint | None = None, seals: Seals | None = None
) -> Session | None:
    """Restore the latest session; None for an empty journal.

    Args:
        seals: open its sealed commands; None: those beside the journal.

    Raises:
        JournalError: the chain is broken.
    """
    entries: list[Entry] = []
    evening: Evening = ()
    for entry in checked(reader):
        if entry.kind == "start":
            entries, evening = [], after(evening, SessionStart.of(entry))
        entries.append(entry)
    if not entries:
        return None
    try:
        seals = seals or Seals.beside(reader.path)
        return replace(_played(entries, games, checkpoint, seals), evening=evening)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise JournalError(
            f"The latest session in the journal {reader.path} cannot be understood ({type(error).__name__}: {error}). "
            "Copy the file away, then `companion restore` a backup."
        ) from error


def _played(entries: Sequence[Entry], games: Rulebook, checkpoint: Checkpoint | None, seals: Seals) -> Session:
    is_open = can_open(entries, seals.open)
    try:
        table, is_short = play_back(entries, games, checkpoint, compare=is_open, unsealed=seals.open)
    except ReplayDiffers as difference:
        held = None
        if _is_by_these_rules(entries[0], games):
            seq = difference.seq
            held = replay_differs(seq, difference.what) if is_open else secrets_missing(seq, seals.names)
        return replace(_with_recorded_coins(entries, games, difference, is_open=is_open), held=held)
    return Session(entries[0].session, table, is_short=is_short)


def _is_by_these_rules(entry: Entry, games: Rulebook) -> bool:
    """Whether a session was written by the same version of the rules that is installed."""
    start = json.loads(entry.record)
    return bool(start.get("rules") == rules_fingerprint(games.rules(start["game"])))


def can_open(session: Sequence[Entry], unsealed: Open) -> bool:
    """Whether no secret is missing for the session's sealed commands."""
    for entry in session:
        if SEALED in entry.record:
            try:
                unsealed(json.loads(entry.record))
            except SecretMissing:
                return False
            except BrokenSeal:
                continue  # found by the replay
    return True


@dataclass(frozen=True, slots=True)
class EffectiveCommands:
    """A session's effective commands at its end, and those that could be redone, with their entries."""

    done: list[tuple[Entry, Record]]
    undone: list[tuple[Entry, Record]]
    fits: bool
    "Whether the checkpoint's commands are still the first effective ones."


Open = Callable[[Record], Record]
"""Returns a sealed command's content, any other record unchanged."""


def keep_sealed(record: Record) -> Record:
    """Leave sealed commands closed."""
    return record


def count(entries: Iterable[Entry], checkpoint: Checkpoint | None = None) -> EffectiveCommands:
    """Determine the effective commands by following undo and redo, without the rules.

    Args:
        entries: one session's, from its start.
    """
    line: Timeline[tuple[Entry, Record]] = Timeline()
    fits = False
    for entry in entries:
        if entry.kind == "command":
            record = parsed(entry.record)
            line.follow(record["do"], (entry, record))
        if checkpoint is not None:
            is_reached = fits or (entry.seq, entry.hash) == (checkpoint.seq, checkpoint.head)
            fits = is_reached and len(line.done) >= checkpoint.count
    return EffectiveCommands(line.done, line.undone, fits)


def play_back(
    entries: Sequence[Entry],
    games: Rulebook,
    checkpoint: Checkpoint | None = None,
    *,
    compare: bool = False,
    unsealed: Open = keep_sealed,
) -> tuple[Table, bool]:
    """Replay one session; return the table and whether the checkpoint was used.

    Args:
        entries: the session's, from its start.
        compare: compare the coins that each command moves with the journal.
        unsealed: opens sealed commands.

    Raises:
        ReplayDiffers: the rules refuse an accepted command, or move other coins than the journal has.
    """
    start = json.loads(entries[0].record)
    counted = count(entries, checkpoint)
    table = _started(entries[0], start, games)
    rules = rules_fingerprint(table.game)
    position = None
    if checkpoint is not None and counted.fits and checkpoint.rules == rules:
        position = unpack(checkpoint.position, type(table.position.state))
    if checkpoint is not None and position is not None:
        records = [unsealed(record) for _, record in counted.done[: checkpoint.count]]
        table = Table.resumed(table.header, records, position, checkpoint.results)
    for entry, record in (*counted.done[len(table.records) :], *reversed(counted.undone)):
        _play(table, entry, record, compare, unsealed)
    for _ in counted.undone:
        table.do({"do": "undo"})
    table.base = carried_over_count(entries, counted.done)
    return table, position is not None


def carried_over_count(entries: Sequence[Entry], done: Sequence[tuple[Entry, Record]]) -> int:
    """Return the number of leading commands that brought the session's players and coins, and so cannot be undone.

    Args:
        done: the effective commands.
    """
    carried_over = {entry.seq for entry in carried_commands(entries)}
    return next((place for place, (entry, _) in enumerate(done) if entry.seq not in carried_over), len(done))


def _started(entry: Entry, start: Record, games: Rulebook) -> Table:
    try:
        return Table(Header.parse(start, games))
    except TableError as error:
        raise ReplayDiffers(entry.seq, message("cannot be started any more ({error})", error=error.message)) from error


def _play(table: Table, entry: Entry, record: Record, compare: bool, unsealed: Open) -> None:
    try:
        happened = replay_command(table, record, unsealed)
    except TableError as error:
        is_secret = record["do"] == SEALED and not isinstance(error, BrokenSeal)
        why = error.code if is_secret else error.message  # a message might reveal the sealed command
        raise ReplayDiffers(entry.seq, message("is refused now ({error})", error=why)) from error
    if compare and (what := difference(entry, happened)):
        raise ReplayDiffers(entry.seq, what)


def replay_command(table: Table, record: Record, unsealed: Open) -> tuple[Effect, ...]:
    """Replay a command of the journal.

    A sealed command whose secret is missing, as in a backup made during a round, is counted but has no effect.

    Raises:
        TableError: the table refuses it.
    """
    try:
        return table.do(unsealed(record))
    except SecretMissing:
        table.skip({"do": SECRET})
        return ()


def difference(entry: Entry, happened: Iterable[Effect]) -> Message | None:
    """Return how a command's transfers differ from those in its entry, or None."""
    moved = [(t.payer, t.payee, t.coins) for t in happened if isinstance(t, Transfer)]
    if [(payer.text, payee.text, coins) for payer, payee, coins in moved] == _moves_written(entry):
        return None
    written = [(t.payer, t.payee, t.coins) for t in transfers(entry)]
    return message(
        "moves other coins now: {moved}, the journal has {written}", moved=_words(moved), written=_words(written)
    )


def _moves_written(entry: Entry) -> list[tuple[str, str, int]]:
    """Return payers, payees and coins from an entry, without building `Transfer` objects: startup compares 100,000."""
    if '"Transfer"' not in entry.events:
        return []
    events = [event for event in parsed(entry.events) if event["event"] == "Transfer"]
    return [(event["payer"], event["payee"], event["coins"]) for event in events]


def _words(moves: Iterable[tuple[Account, Account, int]]) -> Message:
    parts = [
        message("{payer} to {payee}: {coins}", payer=payer.text, payee=payee.text, coins=coins)
        for payer, payee, coins in moves
    ]
    return joined(parts) if parts else message("none")


def transfers(entry: Entry) -> tuple[Transfer, ...]:
    """Return the transfers recorded in an entry."""
    if '"Transfer"' not in entry.events:
        return ()
    events = (e for e in events_of(entry) if e["event"] == "Transfer")
    return tuple(map(Transfer.from_json, events))


def coins_written(entries: Sequence[Entry], games: Rulebook) -> Ledger:
    """Return the ledger of one session from its recorded transfers, without the rules."""
    ledger = _opening(Header.parse(json.loads(entries[0].record), games))
    for entry, _ in count(entries).done:
        ledger = ledger.post(transfers(entry))
    return ledger


def _opening(header: Header) -> Ledger:
    try:
        return opening_ledger(header)
    except TableError:  # the rules no longer accept the options, but the players' coins do not depend on them
        return opening_ledger(replace(header, options={}))


def is_undecided(ledger: Ledger) -> bool:
    """Whether coins are staked or in pots, or a player owes coins, so that the players cannot be paid off."""
    return any(
        coins < 0 if account.kind is Kind.PLAYER else coins != 0
        for account, coins in ledger.accounts.items()
        if account not in (HOUSE, CAGE) and account.kind is not Kind.ASIDE
    )


def _with_recorded_coins(entries: Sequence[Entry], games: Rulebook, why: ReplayDiffers, *, is_open: bool) -> Session:
    """Return a session with a fresh table that has the recorded coins, stakes returned.

    For a session whose rules have changed since, or whose sealed commands cannot be opened.
    """
    header = Header.parse(json.loads(entries[0].record) | {"options": {}, "players": []}, games)
    coins = without_stakes(coins_written(entries, games))
    carried_over = carried(header, seats_written(entries, games), coins, header.gains, goes_on=True)
    if is_open:
        trouble = message(
            "The rules have changed since this session was played ({why}). A new session begins with the coins as they "
            "were written down: pots stay where they are, stakes that were not decided went back to their players.",
            why=why.message,
        )
    else:
        trouble = message(
            "What opens the sealed commands of this session is not here ({why}). A new session begins with the coins "
            "as they were written down: pots stay where they are, stakes that were not decided went back to their "
            "players.",
            why=why.message,
        )
    return Session(entries[0].session, carried_over.table, joined([trouble, *carried_over.left_behind], " "))


def without_stakes(ledger: Ledger) -> Ledger:
    """Return the ledger with all undecided stakes returned to their owners."""
    stakes = [(account, coins) for account, coins in ledger.accounts.items() if account.kind is Kind.STAKE and coins]
    return ledger.post(Transfer(account, account.owner, coins, "stake returned") for account, coins in stakes)


def seats_written(entries: Sequence[Entry], games: Rulebook) -> tuple[Seat, ...]:
    """Return the seats at the end of a session from its recorded events, without the rules."""
    header = Header.parse(json.loads(entries[0].record), games)
    seats = {name: number for number, (name, _) in enumerate(header.players, start=1)}
    for entry, _ in count(entries).done:
        for event in events_of(entry):
            if event["event"] == "PlayerJoined":
                seats[event["player"]] = event["seat"]
            elif event["event"] == "PlayerLeft":
                del seats[event["player"]]
    return tuple(Seat(number, name) for name, number in seats.items())
