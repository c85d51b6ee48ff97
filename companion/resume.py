"""From the journal back to the table: folds the latest session's commands through the same rules as the live table.

A session begins with a ``start`` entry that holds the header. The commands are the truth; what they did is in the
journal too, so that a later version of the rules cannot silently settle an old round another way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Final

from companion.commands import Join
from companion.errors import TableError
from companion.games.base import Happening
from companion.journal import Chain, Draft, Entry, JournalError, JournalReader, genesis
from companion.ledger import Ledger, Transfer
from companion.table import Header, Table

_RULES: Final = ("table.py", "ledger.py", "cards.py", "commands.py", "events.py", "paytable.py")
_RULE_FOLDERS: Final = ("games", "paytables")


@dataclass(frozen=True, slots=True)
class Session:
    """A table and the number of the session that it is the fold of."""

    number: int
    table: Table
    trouble: str | None = None
    "What the dealer must be told, if the table could not be brought back as it was."


class Differs(Exception):
    """An entry plays out another way than the journal says."""

    def __init__(self, seq: int, what: str) -> None:
        super().__init__(f"entry {seq} {what}")
        self.seq = seq


@cache
def rules_fingerprint() -> str:
    """Return a hash over the source of the rules: another one may settle an old round in another way."""
    digest = hashlib.sha256()
    package = resources.files("companion")
    files = [package / name for name in _RULES]
    for folder in _RULE_FOLDERS:
        inside = (f for f in (package / folder).iterdir() if f.name.endswith((".py", ".toml")))
        files += sorted(inside, key=lambda f: f.name)
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def start_draft(header: Header, session: int, source: str = "table") -> Draft:
    """Return the entry that begins a session."""
    record = header.to_json() | {"rules": rules_fingerprint()}
    return Draft("start", session, source, dumps(record))


def dumps(value: Any) -> str:
    """Return the JSON text that the journal keeps: ASCII, no spaces, no NaN."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def checked(reader: JournalReader) -> Iterator[Entry]:
    """Yield all entries while following the chain.

    Raises:
        JournalError: the chain is broken; the message names the entry and what differs.
    """
    chain = Chain(genesis(reader.id))
    for entry in reader.entries():
        broken = chain.check(entry)
        if broken is not None:
            raise JournalError(
                f"The journal {reader.path} is not as it was written: {broken}. Copy the file away, then "
                "`companion restore` a backup, or move it out of the data directory to begin a new one."
            )
        yield entry


def latest_session(reader: JournalReader) -> Session | None:
    """Return the table of the latest session; None for an empty journal.

    Raises:
        JournalError: the chain is broken, or the session cannot be understood.
    """
    entries: list[Entry] = []
    for entry in checked(reader):
        if entry.kind == "start":
            entries = []
        entries.append(entry)
    if not entries:
        return None
    try:
        return Session(entries[0].session, play_back(entries))
    except Differs as difference:
        return _saved_coins(entries, difference)


def play_back(entries: Sequence[Entry]) -> Table:
    """Fold one session, its start entry first, and return the table.

    Raises:
        Differs: these rules refuse a command that was accepted, or move coins in another way than the journal says.
    """
    start = json.loads(entries[0].record)
    compare = start.get("rules") != rules_fingerprint()
    try:
        table = Table(Header.parse(start))
    except TableError as error:
        raise Differs(entries[0].seq, f"cannot be started any more ({error})") from error
    for entry in entries:
        if entry.kind != "command":
            continue
        try:
            happened = table.do(json.loads(entry.record))
        except TableError as error:
            raise Differs(entry.seq, f"is refused now ({error})") from error
        if compare and (what := difference(entry, happened)):
            raise Differs(entry.seq, what)
    return table


def difference(entry: Entry, happened: Iterable[Happening]) -> str | None:
    """Return in what way the coins that a command moves differ from those in its entry; None if they do not."""
    moved = [(t.payer, t.payee, t.coins) for t in happened if isinstance(t, Transfer)]
    written = [(t.payer, t.payee, t.coins) for t in transfers(entry)]
    return None if moved == written else f"moves other coins now: {moved}, the journal has {written}"


def transfers(entry: Entry) -> tuple[Transfer, ...]:
    """Return the coins that an entry says were moved."""
    events = (e for e in json.loads(entry.events) if e["event"] == "Transfer")
    return tuple(Transfer(e["payer"], e["payee"], e["coins"], e["why"]) for e in events)


def coins_written(entries: Sequence[Entry]) -> Ledger:
    """Return the ledger of one session from what its entries say was moved, without asking the rules."""
    opening = Table(Header.parse(json.loads(entries[0].record) | {"options": {}})).position.ledger
    ledgers, undone = [opening], []
    for entry in (e for e in entries if e.kind == "command"):
        verb = json.loads(entry.record)["do"]
        if verb == "undo":
            undone.append(ledgers.pop())
        elif verb == "redo":
            ledgers.append(undone.pop())
        else:
            undone.clear()
            ledgers.append(ledgers[-1].post(transfers(entry)))
    return ledgers[-1]


def _saved_coins(entries: Sequence[Entry], differs: Differs) -> Session:
    """The rules have changed under a session: start anew with the coins that the journal says, stakes returned."""
    header = Header.parse(json.loads(entries[0].record))
    ledger = coins_written(entries)
    names = [account.removeprefix("player/") for account in ledger.accounts if account.startswith("player/")]
    coins = {name: ledger.balance(name) + _staked_by(ledger, name) for name in names}
    table = Table(replace(header, players=tuple(coins.items())))
    trouble = (
        f"The rules have changed since this session was played ({differs}). A new session begins with the coins "
        "as they were written down; stakes that were not decided went back to their players."
    )
    return Session(entries[0].session, table, trouble)


def _staked_by(ledger: Ledger, name: str) -> int:
    begins = f"stake/{name}/"
    return sum(coins for account, coins in ledger.accounts.items() if account.startswith(begins))


def carried_over(old: Table, header: Header) -> tuple[Header, tuple[Mapping[str, Any], ...]]:
    """Return the header of a new session with the old one's players and coins, and the commands that seat them.

    Seats stay the same: where one is empty between two others, the players join by command.
    """
    ledger = old.position.ledger
    seats = sorted(old.seats, key=lambda seat: seat.number)
    if [seat.number for seat in seats] == list(range(1, len(seats) + 1)):
        players = tuple((seat.player, ledger.balance(seat.player)) for seat in seats)
        return Header(header.game, players, header.options), ()
    joins = tuple(
        {
            "do": Join.verb,
            "player": seat.player,
            "coins": ledger.balance(seat.player),
            "seat": seat.number,
        }
        for seat in seats
    )
    return Header(header.game, (), header.options), joins
