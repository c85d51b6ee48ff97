"""Restores the table from the journal: replays the latest session's commands through the live table's rules.

A session begins with a ``start`` entry that holds the header. Their effects are stored beside the commands, so that a
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
from companion.journal.evening import TABLE, Evening, SessionStart, StartJson, Wanted, after, carrying
from companion.journal.hash_chain import Draft, Entry, HashChain, genesis, happenings, parsed
from companion.journal.seals import SEALED, BrokenSeal, Seals, SecretMissing
from companion.journal.session_transfer import carried
from companion.journal.store import JournalError, JournalReader
from companion.journal.trust.guard import Trouble, replay_differs, secrets_missing
from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.commands import Record
from companion.kernel.errors import TableError
from companion.kernel.events import SessionBegan, to_json
from companion.kernel.game import Game, Happening, Rulebook, Seat
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, joined, message, packed
from companion.kernel.table import SECRET, Header, Table, opening_ledger
from companion.kernel.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Session:
    """A table and the number of the session that was replayed into it."""

    number: int
    table: Table
    trouble: Message | None = None
    "A warning for the dealer if the table could not be fully restored."
    held: Trouble | None = None
    "Why nothing may be played: the same rules say something else than what they are said to have written."
    is_short: bool = False
    "Whether it was restored from a checkpoint."
    evening: Evening = ()
    "The evening's sessions up to this one."


class Differs(Exception):
    """An entry whose replay differs from the journal."""

    def __init__(self, seq: int, what: Message) -> None:
        self.message = message("entry {seq} {what}", seq=seq, what=what)
        super().__init__(self.message)
        self.seq = seq
        self.what = what


def rules_fingerprint(rules: Game[Any]) -> str:
    """Return a hash over the source of a game's rules: other rules may settle an old round in another way.

    It covers the kernel and, of the game's own package, the folder of its rules and those above it, up to the package
    of all games or the third party's own.
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
def uncollected() -> Iterator[None]:
    """Suspend garbage collection: none of the hundred thousand restored commands is garbage."""
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
    wanted: Wanted | None = None,
    key: str | None = None,
) -> Draft:
    """Return the entry that begins a session.

    Args:
        continues: the session whose players and coins go on.
        wanted: what the configuration wants, where the dealer chose this game at the table.
        key: names the request that it answers.
    """
    record = cast(StartJson, {**header.to_json(), "rules": rules_fingerprint(header.rules)})
    if continues is not None:
        record["continues"] = continues
    if wanted is not None:
        record["wanted"] = wanted
    began = to_json(SessionBegan(header.rules.title))
    return Draft("start", session, source, dumps(record), dumps([began]), key)


def dumps(value: Any) -> str:
    """Return the JSON text that the journal keeps: ASCII, no spaces, no NaN, messages with their values beside them."""
    return json.dumps(packed(value), separators=(",", ":"), allow_nan=False)


def checked(reader: JournalReader) -> Iterator[Entry]:
    """Yield all entries while following the chain.

    Raises:
        JournalError: the chain is broken; the message names the entry and what differs.
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
    """Return the table of the latest session; None for an empty journal.

    Args:
        seals: open its sealed commands; None: those beside it.

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
    except Differs as difference:
        held = None
        if _is_by_these_rules(entries[0], games):
            seq = difference.seq
            held = replay_differs(seq, difference.what) if is_open else secrets_missing(seq, seals.names)
        return replace(_saved_coins(entries, games, difference, is_open=is_open), held=held)
    return Session(entries[0].session, table, is_short=is_short)


def _is_by_these_rules(entry: Entry, games: Rulebook) -> bool:
    """Say whether a session was written by the very rules that are installed now."""
    start = json.loads(entry.record)
    return bool(start.get("rules") == rules_fingerprint(games.rules(start["game"])))


def can_open(session: Sequence[Entry], unsealed: Open) -> bool:
    """Say whether the secrets are here that open the session's sealed commands."""
    for entry in session:
        if SEALED in entry.record:
            try:
                unsealed(json.loads(entry.record))
            except SecretMissing:
                return False
            except BrokenSeal:
                continue  # which the rules find
    return True


@dataclass(frozen=True, slots=True)
class EffectiveCommands:
    """A session's commands in effect at its end, and those that could be redone, with their entries."""

    done: list[tuple[Entry, Record]]
    undone: list[tuple[Entry, Record]]
    fits: bool
    "Whether the checkpoint's commands are still the first ones in effect."


Open = Callable[[Record], Record]
"""Returns a sealed command as it was given, any other as it is."""


def as_it_is(record: Record) -> Record:
    """Leave sealed commands closed."""
    return record


def count(entries: Iterable[Entry], checkpoint: Checkpoint | None = None) -> EffectiveCommands:
    """Follow undo and redo through a session, without asking the rules."""
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
    unsealed: Open = as_it_is,
) -> tuple[Table, bool]:
    """Fold one session, its start entry first; return the table and whether the checkpoint was of use.

    Args:
        compare: check the coins that each command moves against the journal.
        unsealed: opens sealed commands.

    Raises:
        Differs: these rules refuse a command that was accepted, or move coins in another way than the journal says.
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
    table.base = base_of(entries, counted.done)
    return table, position is not None


def base_of(entries: Sequence[Entry], done: Sequence[tuple[Entry, Record]]) -> int:
    """Return how many first commands of a session brought its players and coins, and so are not undone.

    Args:
        done: the commands in effect.
    """
    carried_over = {entry.seq for entry in carrying(entries)}
    return next((place for place, (entry, _) in enumerate(done) if entry.seq not in carried_over), len(done))


def _started(entry: Entry, start: Record, games: Rulebook) -> Table:
    try:
        return Table(Header.parse(start, games))
    except TableError as error:
        raise Differs(entry.seq, message("cannot be started any more ({error})", error=error.message)) from error


def _play(table: Table, entry: Entry, record: Record, compare: bool, unsealed: Open) -> None:
    try:
        happened = do_again(table, record, unsealed)
    except TableError as error:
        is_secret = record["do"] == SEALED and not isinstance(error, BrokenSeal)
        why = error.code if is_secret else error.message  # a message might say what was sealed
        raise Differs(entry.seq, message("is refused now ({error})", error=why)) from error
    if compare and (what := difference(entry, happened)):
        raise Differs(entry.seq, what)


def do_again(table: Table, record: Record, unsealed: Open) -> tuple[Happening, ...]:
    """Do a command of the journal; one without its secret, as in a backup amid a round, counts and does nothing.

    Raises:
        TableError: the table does not take it.
    """
    try:
        return table.do(unsealed(record))
    except SecretMissing:
        table.skip({"do": SECRET})
        return ()


def difference(entry: Entry, happened: Iterable[Happening]) -> Message | None:
    """Return in what way the coins that a command moves differ from those in its entry; None if they do not."""
    moved = [(t.payer, t.payee, t.coins) for t in happened if isinstance(t, Transfer)]
    if [(payer.text, payee.text, coins) for payer, payee, coins in moved] == _moves_written(entry):
        return None
    written = [(t.payer, t.payee, t.coins) for t in transfers(entry)]
    return message(
        "moves other coins now: {moved}, the journal has {written}", moved=_words(moved), written=_words(written)
    )


def _moves_written(entry: Entry) -> list[tuple[str, str, int]]:
    """Return payers, payees and coins as an entry has them: a start compares a hundred thousand."""
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
    """Return the coins that an entry says were moved."""
    if '"Transfer"' not in entry.events:
        return ()
    events = (e for e in happenings(entry) if e["event"] == "Transfer")
    return tuple(map(Transfer.from_json, events))


def coins_written(entries: Sequence[Entry], games: Rulebook) -> Ledger:
    """Return the ledger of one session from what its entries say was moved, without asking the rules."""
    ledger = _opening(Header.parse(json.loads(entries[0].record), games))
    for entry, _ in count(entries).done:
        ledger = ledger.post(transfers(entry))
    return ledger


def _opening(header: Header) -> Ledger:
    try:
        return opening_ledger(header)
    except TableError:  # options that these rules no longer accept: the players' coins are known nevertheless
        return opening_ledger(replace(header, options={}))


def is_undecided(ledger: Ledger) -> bool:
    """Say whether coins lie on bets or in pots, or somebody owes: then nobody can be paid off."""
    return any(
        coins < 0 if account.kind is Kind.PLAYER else coins != 0
        for account, coins in ledger.accounts.items()
        if account not in (HOUSE, CAGE) and account.kind is not Kind.ASIDE
    )


def _saved_coins(entries: Sequence[Entry], games: Rulebook, differs: Differs, *, is_open: bool) -> Session:
    """The rules have changed under a session, or nobody can open what it needs: everybody keeps the coins that the
    journal says, stakes returned."""
    header = Header.parse(json.loads(entries[0].record) | {"options": {}, "players": []}, games)
    coins = without_stakes(coins_written(entries, games))
    carried_over = carried(header, seats_written(entries, games), coins, header.gains, goes_on=True)
    if is_open:
        trouble = message(
            "The rules have changed since this session was played ({why}). A new session begins with the coins as they "
            "were written down: pots stay where they are, stakes that were not decided went back to their players.",
            why=differs.message,
        )
    else:
        trouble = message(
            "What opens the sealed commands of this session is not here ({why}). A new session begins with the coins "
            "as they were written down: pots stay where they are, stakes that were not decided went back to their "
            "players.",
            why=differs.message,
        )
    return Session(entries[0].session, carried_over.table, joined([trouble, *carried_over.left_behind], " "))


def without_stakes(ledger: Ledger) -> Ledger:
    """Return the ledger with all undecided stakes back where they came from."""
    stakes = [(account, coins) for account, coins in ledger.accounts.items() if account.kind is Kind.STAKE and coins]
    return ledger.post(Transfer(account, account.owner, coins, "stake returned") for account, coins in stakes)


def seats_written(entries: Sequence[Entry], games: Rulebook) -> tuple[Seat, ...]:
    """Return who sits where at the end of a session, from what its entries say, without asking the rules."""
    header = Header.parse(json.loads(entries[0].record), games)
    seats = {name: number for number, (name, _) in enumerate(header.players, start=1)}
    for entry, _ in count(entries).done:
        for event in happenings(entry):
            if event["event"] == "PlayerJoined":
                seats[event["player"]] = event["seat"]
            elif event["event"] == "PlayerLeft":
                del seats[event["player"]]
    return tuple(Seat(number, name) for name, number in seats.items())
