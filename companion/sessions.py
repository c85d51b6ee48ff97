"""Which session the table goes on with: the journal's latest, or a new one with the same players and coins."""

from __future__ import annotations

import logging

from companion.chain import Draft
from companion.events import to_json
from companion.journal import Journal, JournalReader
from companion.resume import Session, dumps, is_undecided, latest_session, seated, start_draft
from companion.shortcut import Shortcut
from companion.table import Header, Table

log = logging.getLogger(__name__)


def open_session(journal: Journal, reader: JournalReader, header: Header, shortcut: Shortcut | None) -> Session:
    """Return the session to go on with; begins one if there is none or another game is wanted."""
    old = latest_session(reader, shortcut)
    if old is None:
        journal.append([start_draft(header, 1)])
        return Session(1, Table(header))
    if old.trouble is not None:
        return _begin(journal, old, header, old.trouble)
    have = old.table.header
    if (have.game, dumps(dict(have.options))) == (header.game, dumps(dict(header.options))):
        return old
    if not is_undecided(old.table.position.ledger):
        return _begin(journal, old, header, "The settings have changed: a new session with the same players and coins.")
    text = "The settings have changed, but stakes are undecided: the old ones hold until a start without stakes."
    log.warning(text)
    journal.append([Draft("notice", old.number, "table", dumps({"text": text}))])
    return old


def _begin(journal: Journal, old: Session, header: Header, why: str) -> Session:
    """Begin a new session with everybody in the same seat, with the same coins."""
    ledger = old.table.position.ledger
    coins = {seat.player: ledger.balance(seat.player) for seat in old.table.seats}
    table, joins = seated(header, old.table.seats, coins)
    number = old.number + 1
    drafts = [start_draft(table.header, number)]
    for record, happened in joins:
        events = dumps([to_json(event) for event in happened])
        drafts.append(Draft("command", number, "table", dumps(record), events))
    log.warning(why)
    drafts.append(Draft("notice", number, "table", dumps({"text": why})))
    journal.append(drafts)
    return Session(number, table)
