"""Chooses the session to run: the journal's latest, or a new one with the same players and coins.

A new session begins at startup if the configuration has changed, or at runtime if the dealer changes the game. It is
written in one commit, so that after any interruption exactly one of the two sessions is current.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.journal.checkpoints import Checkpoint
from companion.journal.evening import TABLE, GameConfig, SessionStart, after, game_config, is_same_config
from companion.journal.hash_chain import Draft, Entry
from companion.journal.replay import Session, dumps, is_undecided, latest_session, start_draft
from companion.journal.seals import Seals
from companion.journal.session_transfer import Transferred, carried, seated, with_all_in_front, without_antes
from companion.journal.store import Journal, JournalReader
from companion.kernel.accounts import Kind
from companion.kernel.errors import CompanionError, NotEnoughCoins, NotOffered, TableError, WrongPhase
from companion.kernel.events import to_json
from companion.kernel.game import Draw, Game, Rulebook, Seat
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Message, Value, joined, linked, message, plural
from companion.kernel.table import Header, Table, on_hold

log = logging.getLogger(__name__)


class CannotSwitch(CompanionError):
    """Another game was requested, but the current one cannot be left in its present state.

    Args:
        seen: the reason.
        first: what to do before, as in "First cash out, then change the game."
        start: how to do that from the command line.
    """

    def __init__(self, seen: Message, first: str, start: str) -> None:
        super().__init__(f"{seen} {start}")
        self.on_page = message("{seen} First {first}, then change the game.", seen=seen, first=first)
        "The message for pages, without command-line options."


def open_session(
    journal: Journal,
    reader: JournalReader,
    header: Header,
    checkpoint: Checkpoint | None,
    games: Rulebook,
    draw: Draw | None = None,
    seals: Seals | None = None,
) -> Session:
    """Return the session to continue.

    A new one begins if there is none, if other settings are configured, or if the latest could not be fully restored.
    While the journal has trouble nothing is written: the session can only be shown.

    Args:
        games: the rules of all games that may have been played before.
        draw: random source for the first leader, if the game leaves that to chance; None: seat 1 leads.
        seals: open the journal's sealed commands; None: those beside the journal.

    Raises:
        CannotSwitch: another game is configured while coins are undecided, or it cannot seat all players.
    """
    old = latest_session(reader, games, checkpoint, seals)
    if old is not None and old.held is not None:
        journal.hold(old.held)
    if journal.is_held:
        return old or _display_only(header)
    if old is None:
        return _begin_first(journal, _drawn(header, draw))
    header, wanted = _chosen_at_table(old, header, games)
    if _is_wanted(old.table.header, header) and old.trouble is None:
        return old
    undecided = undecided_words(old.table.game, old.table.position.state, old.table.position.ledger)
    if undecided and old.table.header.game != header.game:
        raise _finish_first(old, header, undecided)
    if old.trouble is not None:
        return _begin(journal, old, _drawn(header, draw), old.trouble, wanted)
    if not undecided:
        why = message("The settings have changed: a new session with the same players and coins.")
        return _begin(journal, old, _drawn(header, draw), why, wanted)
    text = message(
        "The settings have changed, but {undecided}: the old ones hold until a start when all is decided.",
        undecided=undecided,
    )
    log.warning(text)
    journal.append([Draft("notice", old.number, TABLE, dumps({"text": text}))])
    return old


def _chosen_at_table(old: Session, header: Header, games: Rulebook) -> tuple[Header, GameConfig | None]:
    """Return the header of the dealer's own choice of game, if it still holds, with the configuration at that time.

    The choice holds until another game is configured; if it is the configured game itself, until the configured
    options change.
    """
    start = old.evening[-1]
    if start.wanted is None or start.wanted["game"] != header.game:
        return header, None
    if start.game == header.game and not is_same_config(start.wanted, game_config(header)):
        return header, None
    rules = old.table.header.rules
    try:
        rules.start((), start.options)
    except TableError:  # the rules no longer accept the options
        return header, None
    return Header(rules, (), start.options), start.wanted


def _drawn(header: Header, draw: Draw | None) -> Header:
    return header if draw is None else replace(header, options=header.rules.drawn(header.options, draw))


def _is_wanted(have: Header, header: Header) -> bool:
    """Whether two headers have the same game and options, apart from options drawn at random."""
    if have.game != header.game:
        return False
    kept = {key: value for key, value in have.options.items() if key in header.options}
    drawn = have.rules.drawn(header.options, lambda _: 0).keys() - header.options.keys()
    return have.options.keys() - drawn == header.options.keys() and dumps(kept) == dumps(dict(header.options))


def undecided_words(rules: Game[Any], state: Any, ledger: Ledger) -> Value:
    """Describe what has to be settled before the game can be left: pots, stakes, debts or unfinished play; else empty.

    Args:
        rules, state: of the current game.
        ledger: the coins with which it would be left.
    """
    if not is_undecided(ledger):
        return rules.unfinished(state) or ""
    pots = sum(coins for account, coins in ledger.accounts.items() if account.kind is Kind.POT)
    owing = [name for name, coins in ledger.players.items() if coins < 0]
    parts = [plural("{n} coin lies in the pots", "{n} coins lie in the pots", pots)] if pots else []
    parts += [plural("{n} coin is staked", "{n} coins are staked", ledger.staked)] if ledger.staked else []
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


def _display_only(header: Header) -> Session:
    table, joins = seated(header, header.seats, dict(header.players))
    table.base = len(joins)
    return Session(1, table)


def _begin_first(journal: Journal, header: Header) -> Session:
    """Begin the journal's first session; with too few players for the game they join by command, and wait."""
    table, joins = seated(header, header.seats, dict(header.players))
    table.base = len(joins)
    drafts = [start_draft(table.header, 1)]
    drafts += [_draft(1, record, [to_json(event) for event in happened]) for record, happened in joins]
    entries = journal.append(drafts)
    return Session(1, table, evening=(SessionStart.of(entries[0]),))


def _begin(journal: Journal, old: Session, header: Header, why: Message, wanted: GameConfig | None) -> Session:
    """Begin a new session with everybody in the same seat, with the same coins.

    Raises:
        CannotSwitch: the game cannot seat all of them.
    """
    before = old.table
    try:
        new = _carried(before, header, before.position.ledger)
    except TableError as error:
        first = message("let some cash out and leave")
        raise CannotSwitch(
            _no_place(header.game, error),
            first,
            f"Start with --game {before.header.game}, {first}, then start again.",
        ) from error
    text = joined([why, *new.left_behind], " ")
    log.warning(text)
    entries = journal.append(_drafts(old, new, text, wanted))
    return _session(old, new, entries)


def _no_place(game: str, error: TableError) -> Message:
    return message("The players cannot all go on to {game}: {error}", game=game, error=error.message)


def _drafts(
    old: Session,
    new: Transferred,
    why: Message,
    wanted: GameConfig | None,
    source: str = TABLE,
    key: str | None = None,
) -> list[Draft]:
    """Return the entries with which a session continues another."""
    number = old.number + 1
    start = start_draft(new.table.header, number, source, continues=old.number, wanted=wanted, key=key)
    commands = [_draft(number, record, [to_json(event) for event in happened]) for record, happened in new.commands]
    return [start, *commands, Draft("notice", number, TABLE, dumps({"text": why}))]


def _session(old: Session, new: Transferred, entries: Sequence[Entry]) -> Session:
    return Session(old.number + 1, new.table, evening=after(old.evening, SessionStart.of(entries[0])))


def _draft(session: int, record: object, events: list[object]) -> Draft:
    return Draft("command", session, TABLE, dumps(record), dumps(events))


# ---- change of game at runtime


@dataclass(frozen=True, slots=True)
class GameChange:
    """A checked change of game, ready to be written.

    Attributes:
        old: the session that it continues.
        header: the game and its options.
        new: the new session.
    """

    old: Session
    header: Header
    new: Transferred

    def write(
        self, journal: Journal, wanted: GameConfig, source: str, key: str | None
    ) -> tuple[Session, Sequence[Entry]]:
        """Write the change in one commit; return the new session with its entries.

        Raises:
            JournalError: it could not be written; the old session remains current.
        """
        entries = journal.append(_drafts(self.old, self.new, self._said, wanted, source, key))
        return _session(self.old, self.new, entries), entries

    @property
    def _said(self) -> Message:
        before, version = self.old.table.header, self.header.prices
        if version is not None and version != before.prices and self.header.game == before.game:
            return message("The floor's prices of version {version} hold from now on.", version=version)
        names = {"game": self.header.rules.title, "before": before.rules.title}
        if _has_aside(self.new.table):
            return message(
                "{game} follows {before}: everybody keeps their seat, and plays with {coins} of their coins. The rest "
                "is put aside until another game follows.",
                **names,
                coins=self.header.usual_buy_in,
            )
        if _has_aside(self.old.table):
            return message(
                "{game} follows {before}: everybody keeps seat and coins, and has back what was put aside.", **names
            )
        return message("{game} follows {before}: everybody keeps seat and coins.", **names)


def _has_aside(table: Table) -> bool:
    ledger = table.position.ledger
    return any(ledger.aside(seat.player) for seat in table.seats)


def checked_change(old: Session, header: Header, draw: Draw | None = None) -> GameChange:
    """Prepare a change to another game, or to other options of the same game. Changes nothing yet.

    Args:
        header: the game and its options; its players are ignored, those at the table stay.

    Raises:
        WrongPhase: coins are undecided, or the table is on hold.
        NotOffered: the players or their seats do not suit the game.
        TableError: the game does not accept these options, or these coins.
    """
    header.rules.start((), header.options)
    seats, ledger = old.table.seats, closing_ledger(old.table)
    check_decided(old.table.game, old.table.position.state, ledger, old.table.position.hold)
    check_seats(header, seats, ledger)
    new = _carried(old.table, _drawn(header, draw), ledger)
    if new.left_behind:
        raise NotOffered(joined(new.left_behind, " "))
    return GameChange(old, header, new)


def _carried(before: Table, header: Header, ledger: Ledger) -> Transferred:
    """Return the session that continues a table's, with these coins.

    Raises:
        TableError: the game has no place for all of them.
    """
    goes_on = header.game == before.header.game and header.usual_buy_in == before.header.usual_buy_in
    return carried(header, before.seats, ledger, before.header.gains, goes_on=goes_on)


def closing_ledger(table: Table) -> Ledger:
    """Return the ledger with which another game would begin: antes are returned if nothing has been played."""
    ledger = table.position.ledger
    return ledger if table.has_undo else without_antes(ledger)


def check_decided(rules: Game[Any], state: Any, ledger: Ledger, hold: str | None) -> None:
    """Check that the table is between rounds: no stakes, empty pots, no debts, no hold.

    Args:
        rules, state: of the current game.
        ledger: the coins with which the game would be left.
        hold: why the table is on hold, or None.

    Raises:
        WrongPhase: it is not; the message says what to do first.
    """
    undecided = undecided_words(rules, state, ledger)
    if undecided:
        seen = message("The table is still playing {game}: {undecided}.", game=rules.title, undecided=undecided)
        raise WrongPhase.saying("{seen} First {first}, then change the game.", seen=seen, first=rules.to_finish)
    if hold is not None:
        raise WrongPhase(on_hold(hold))


def check_seats(header: Header, seats: Sequence[Seat], ledger: Ledger) -> None:
    """Check that a game can seat all players at the table in their present seats. An empty table suits any game.

    Raises:
        NotOffered: it cannot; the message says why.
    """
    order, ledger = sorted(seats, key=lambda seat: seat.number), with_all_in_front(ledger)
    players = tuple((seat.player, max(0, ledger.balance(seat.player))) for seat in order)
    rules = header.rules
    if not players:
        return
    if len(players) < rules.min_players:
        raise NotOffered(_too_few(rules, len(players)))
    try:
        Table(replace(header, players=players))
        kept = seated(replace(header, gains={}), order, dict(players))[0].seats
    except NotEnoughCoins as error:
        raise NotOffered(_no_place(rules.title, error)) from error
    except TableError as error:
        raise NotOffered(error.message) from error
    for seat in order:
        if seat not in kept:
            raise NotOffered.saying(
                "{game} has no seat {seat}. Let {player} take a lower one first (Players, Name or seat).",
                game=rules.title,
                seat=seat.number,
                player=seat.player,
            )


def _too_few(rules: Game[Any], count: int) -> Message:
    return message(
        "{game} is for {fewest} players or more, and {count} sit here. Let somebody join first.",
        game=rules.title,
        fewest=rules.min_players,
        count=count,
    )
