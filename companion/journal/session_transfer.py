"""Transfer between sessions: players keep their seats and coins; pots and debts are kept where possible.

When the rules or settings change, a new session replaces the old one, and nothing on the table may be lost. What the
new session's header cannot express follows as commands: players join, and recounts set the balances.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.commands import Record
from companion.kernel.errors import BadScript, NotEnoughCoins, NotOffered, TableError
from companion.kernel.game import Effect, Game, Seat
from companion.kernel.header import Header
from companion.kernel.ledger import ASIDE, Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.table import Table
from companion.kernel.words import coins_words
from companion.service.settle import nets

REASON: Final = "carried over from the session before"
NONE_ASIDE: Final[Mapping[str, int]] = {}

Seated = tuple[Record, tuple[Effect, ...]]
"""A command that seats a player or carries coins over, with its events."""


@dataclass(frozen=True, slots=True)
class Transferred:
    """A new session: its table, the commands after its header, and messages on what could not be transferred."""

    table: Table
    commands: tuple[Seated, ...]
    left_behind: tuple[Message, ...] = ()


def seated(
    header: Header, seats: Iterable[Seat], coins: Mapping[str, int], aside: Mapping[str, int] = NONE_ASIDE
) -> tuple[Table, tuple[Seated, ...]]:
    """Return a new table with these players in these seats, and the commands that seated them.

    Without gaps between seats the players are listed in the header. They join by command instead if there are gaps,
    too few players to begin, or a player has too few coins to begin with or has put some aside.

    Args:
        coins: the coins in front of each player.
        aside: the coins that some have put aside besides.

    Raises:
        TableError: the game cannot seat all of them.
    """
    order = sorted(seats, key=lambda seat: seat.number)
    if not any(aside.values()) and [seat.number for seat in order] == list(range(1, len(order) + 1)):
        players = tuple((seat.player, max(0, coins[seat.player])) for seat in order)
        with suppress(BadScript, NotEnoughCoins):
            return Table(replace(header, players=players)), ()
    table = Table(replace(header, players=()))
    return table, tuple(_join(table, seat, max(0, coins[seat.player]), aside.get(seat.player, 0)) for seat in order)


def _join(table: Table, seat: Seat, coins: int, aside: int) -> Seated:
    """Seat a player, in another seat if the game does not have this one."""
    record: dict[str, Any] = {"do": "join", "player": seat.player, "coins": coins, "seat": seat.number}
    if aside:
        record["aside"] = aside
    try:
        return record, table.do(record)
    except NotOffered:
        del record["seat"]
        return record, table.do(record)


def carried(
    header: Header, seats: Sequence[Seat], old: Ledger, gains: Mapping[Account, int], *, goes_on: bool = False
) -> Transferred:
    """Return a new session in which everybody has the coins that they had.

    A game with coins of its own begins with a usual buy-in for everybody, or all that somebody has; the rest is put
    aside. What was put aside for the game before is in front of everybody again.

    Args:
        header: the new game and its options; its players are ignored.
        seats: the players to seat.
        old: the ledger at the end of the previous session, without stakes.
        gains: each party's net result at the beginning of the previous session.
        goes_on: the previous game was the same, with the same buy-in: coins put aside for it stay there.

    Raises:
        TableError: the game cannot seat all of them.
    """
    aside = {seat.player: old.aside(seat.player) for seat in seats} if goes_on else {}
    old = with_all_in_front(old)
    coins = {seat.player: old.balance(seat.player) for seat in seats}
    if header.rules.has_own_coins and not goes_on:
        buy_in = header.usual_buy_in
        aside = {name: max(0, held - buy_in) for name, held in coins.items()}
    known = nets(old, gains)
    front = {name: held - aside.get(name, 0) for name, held in coins.items()}
    table, commands = seated(replace(header, gains=dict.fromkeys(known, 0)), seats, front, aside)
    before = nets(table.position.ledger, {})  # antes count as losses
    more: list[Seated] = []
    behind: list[Message] = []
    has_pots = any(held for account, held in old.accounts.items() if account.kind is Kind.POT)
    mine = {Account.player(name) for name, held in coins.items() if held >= 0}
    for account, total in sorted(old.accounts.items()):
        held = total - aside.get(account.name, 0) if account.kind is Kind.PLAYER else total
        is_new = not has_pots and (account in mine or account.kind is Kind.POT)  # antes are the new game's own
        if account not in (HOUSE, CAGE) and not is_new and held != table.position.ledger.coins(account):
            record = _recount(account, held)
            try:
                more.append((record, table.do(record)))
            except TableError:
                behind.append(_words(account, held, header.rules))
    start = nets(table.position.ledger, {})
    brought = {party: start.get(party, 0) - before.get(party, 0) for party in (*known, *start)}
    gains = {party: known.get(party, 0) - won for party, won in brought.items()}
    table.header = replace(table.header, gains={party: won for party, won in gains.items() if won or party in known})
    table.base = len(commands) + len(more)
    return Transferred(table, (*commands, *more), tuple(behind))


def with_all_in_front(ledger: Ledger) -> Ledger:
    """Return the ledger with all coins that were put aside in front of their players again."""
    aside = [(account, held) for account, held in ledger.accounts.items() if account.kind is Kind.ASIDE]
    posted = ledger.post(Transfer(account, account.owner, held, ASIDE) for account, held in aside if held)
    left = {account: held for account, held in posted.accounts.items() if account.kind is not Kind.ASIDE}
    return replace(posted, accounts=left) if aside else ledger


def without_antes(ledger: Ledger) -> Ledger:
    """Return the ledger of a session in which nothing has been played, with its antes returned.

    Returned unchanged if the players' coins and the pots together are not what the players brought.
    """
    players = {Account.player(name): coins for name, coins in ledger.brought.items()}
    pots = {account: coins for account, coins in ledger.accounts.items() if account.kind is Kind.POT}
    back = {account: coins - ledger.coins(account) for account, coins in players.items()}
    others = ledger.accounts.keys() - players.keys() - pots.keys() - {CAGE}
    if min(back.values(), default=0) < 0 or sum(back.values()) != sum(pots.values()) or any(map(ledger.coins, others)):
        return ledger
    return replace(ledger, accounts={**ledger.accounts, **players, **dict.fromkeys(pots, 0)})


def _recount(account: Account, coins: int) -> Record:
    """Return the command that sets the balance of a player or a pot."""
    whose = {"pot": int(account.name)} if account.kind is Kind.POT else {"player": account.name}
    return {"do": "recount", **whose, "coins": coins, "reason": REASON}


def _words(account: Account, coins: int, rules: Game[Any]) -> Message:
    name = account.name
    if account.kind is Kind.POT:
        return message("{coins} of {pot}: divide them.", coins=coins_words(coins), pot=rules.pot_name(int(name)))
    if coins < 0:
        return message("{player} owes {coins}.", player=name, coins=coins_words(-coins))
    return message("{player} is owed {coins}.", player=name, coins=coins_words(coins))
