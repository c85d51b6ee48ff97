"""Chooses the session to run: the journal's latest, or a new one with the same players and coins."""

from __future__ import annotations

import logging
from dataclasses import replace

from companion.journal.checkpoints import Checkpoint
from companion.journal.hash_chain import Draft
from companion.journal.replay import Session, dumps, is_undecided, latest_session, start_draft
from companion.journal.session_transfer import carried, seated
from companion.journal.store import Journal, JournalReader
from companion.kernel.accounts import Kind
from companion.kernel.errors import CompanionError, TableError
from companion.kernel.events import to_json
from companion.kernel.game import Draw, Rulebook
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Message, Value, joined, linked, message
from companion.kernel.table import Header

log = logging.getLogger(__name__)


class CannotSwitch(CompanionError):
    """Another game was requested, and the current one cannot be left in its present state.

    Args:
        seen: why not.
        first: what has to be done before, as in "First cash out, then change the game."
        start: how that is done from the command line.
    """

    def __init__(self, seen: Message, first: str, start: str) -> None:
        super().__init__(f"{seen} {start}")
        self.on_page = message("{seen} First {first}, then change the game.", seen=seen, first=first)
        "The same where nobody starts anything with an option."


def open_session(
    journal: Journal,
    reader: JournalReader,
    header: Header,
    checkpoint: Checkpoint | None,
    games: Rulebook,
    draw: Draw | None = None,
) -> Session:
    """Return the session to continue; begins one if there is none or another game is wanted.

    Args:
        games: the rules of whatever was played before.
        draw: decides who leads first, where the game leaves that to chance; None: seat 1 does.

    Raises:
        CannotSwitch: another game is wanted while coins are undecided, or it has no place for all players.
    """
    old = latest_session(reader, games, checkpoint)
    if old is None:
        return _first(journal, _drawn(header, draw))
    if _is_wanted(old.table.header, header) and old.trouble is None:
        return old
    undecided = undecided_words(old.table.position.ledger)
    if undecided and old.table.header.game != header.game:
        raise _finish_first(old, header, undecided)
    if old.trouble is not None:
        return _begin(journal, old, _drawn(header, draw), old.trouble)
    if not undecided:
        why = message("The settings have changed: a new session with the same players and coins.")
        return _begin(journal, old, _drawn(header, draw), why)
    text = message(
        "The settings have changed, but {undecided}: the old ones hold until a start when all is decided.",
        undecided=undecided,
    )
    log.warning(text)
    journal.append([Draft("notice", old.number, "table", dumps({"text": text}))])
    return old


def _drawn(header: Header, draw: Draw | None) -> Header:
    return header if draw is None else replace(header, options=header.rules.drawn(header.options, draw))


def _is_wanted(have: Header, header: Header) -> bool:
    """Is it the same game with the same options? What was drawn by lot was not asked for, and stays."""
    if have.game != header.game:
        return False
    kept = {key: value for key, value in have.options.items() if key in header.options}
    drawn = have.rules.drawn(header.options, lambda _: 0).keys() - header.options.keys()
    return have.options.keys() - drawn == header.options.keys() and dumps(kept) == dumps(dict(header.options))


def undecided_words(ledger: Ledger) -> Value:
    """Say what cannot be left as it is: coins in pots or on bets, or debts; empty if nothing."""
    if not is_undecided(ledger):
        return ""
    pots = sum(coins for account, coins in ledger.accounts.items() if account.kind is Kind.POT)
    owing = [name for name, coins in ledger.players.items() if coins < 0]
    parts = [message("{coins} coins lie in the pots", coins=pots)] if pots else []
    parts += [message("{coins} coins are staked", coins=ledger.staked)] if ledger.staked else []
    parts += [message("{player} owes coins", player=owing[0])] if len(owing) == 1 else []
    parts += [message("{players} owe coins", players=", ".join(owing))] if len(owing) > 1 else []
    return linked(parts)


def _finish_first(old: Session, header: Header, undecided: Value) -> CannotSwitch:
    rules = old.table.header.rules
    return CannotSwitch(
        message("The table is still playing {game}: {undecided}.", game=rules.name, undecided=undecided),
        rules.to_finish,
        f"Start with --game {rules.name}, {rules.to_finish}, then start with --game {header.game}.",
    )


def _first(journal: Journal, header: Header) -> Session:
    """Begin the journal's first session; players too few for a hand join, and wait for others."""
    table, joins = seated(header, header.seats, dict(header.players))
    drafts = [start_draft(table.header, 1)]
    drafts += [_draft(1, record, [to_json(event) for event in happened]) for record, happened in joins]
    journal.append(drafts)
    return Session(1, table)


def _begin(journal: Journal, old: Session, header: Header, why: Message) -> Session:
    """Begin a new session with everybody in the same seat, with the same coins.

    Raises:
        CannotSwitch: the game has no place for all of them.
    """
    before = old.table
    try:
        new = carried(header, before.seats, before.position.ledger, before.header.gains)
    except TableError as error:
        first = message("let some cash out and leave")
        raise CannotSwitch(
            message("The players cannot all go on to {game}: {error}", game=header.game, error=error.message),
            first,
            f"Start with --game {before.header.game}, {first}, then start again.",
        ) from error
    number = old.number + 1
    drafts = [start_draft(new.table.header, number)]
    drafts += [_draft(number, record, [to_json(event) for event in happened]) for record, happened in new.commands]
    text = joined([why, *new.left_behind], " ")
    log.warning(text)
    drafts.append(Draft("notice", number, "table", dumps({"text": text})))
    journal.append(drafts)
    return Session(number, new.table)


def _draft(session: int, record: object, events: list[object]) -> Draft:
    return Draft("command", session, "table", dumps(record), dumps(events))
