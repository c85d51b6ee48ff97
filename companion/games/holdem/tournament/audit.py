"""Independent audit of a tournament: hands, rebuys, chip races and prizes, computed without the rules' code.

A place is the number of players who lasted longer; a chip race is the difference of its players' coins before and
after.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from companion.games.holdem import audit as hand
from companion.kernel.accounts import CAGE, Account, Kind
from companion.kernel.commands import Command
from companion.kernel.game import Effect
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message
from companion.kernel.shared.audit import wrong_sums

Changes = defaultdict[Account, int]


def differences(before: Any, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[Message, ...]:
    """Compare a command's transfers with the audit's own result; see `companion.games.holdem.audit`."""
    if command.verb in ("join", "leave"):
        return ()
    moved = [event for event in happened if isinstance(event, Transfer)]
    if command.verb in _DUE:
        due: Changes = defaultdict(int)
        _DUE[command.verb](before, command, ledger, due)
    else:
        due = hand.changes(before, command, moved, ledger)
    _prizes(before, command, ledger, due)
    return wrong_sums({account: coins for account, coins in due.items() if coins}, moved)


def _rebuy(before: Any, command: Any, ledger: Ledger, due: Changes) -> None:
    _bought(command.player, before.tour.stack, ledger, due)


def _add_on(before: Any, command: Any, ledger: Ledger, due: Changes) -> None:
    _bought(command.player, before.tour.add_on, ledger, due)


def _bought(player: str, coins: int, ledger: Ledger, due: Changes) -> None:
    """Add a purchase: coins set aside are used up before any from outside."""
    outside = max(0, coins - ledger.aside(player))
    due[CAGE] -= outside
    due[Account.aside(player)] -= coins - outside
    due[Account.player(player)] += coins


def _race(before: Any, command: Any, ledger: Ledger, due: Changes) -> None:
    """Round each racer down to whole chips, add a chip per winner; the rest goes to the first left of the button."""
    chip = before.tour.levels[before.tour.at].chip
    racing = [
        seat for seat in before.seats if ledger.balance(seat.player) > chip and ledger.balance(seat.player) % chip
    ]
    left = sum(ledger.balance(seat.player) for seat in racing)
    for seat in racing:
        has = ledger.balance(seat.player)
        keeps = has // chip * chip + (chip if seat.player in command.winners else 0)
        due[Account.player(seat.player)] += keeps - has
        left -= keeps
    behind = min(racing, key=lambda seat: (seat.number <= before.button, seat.number))
    due[Account.player(behind.player)] += left


def _nothing(before: Any, command: Any, ledger: Ledger, due: Changes) -> None:
    """No-op: no coins move."""


_DUE = {
    "rebuy": _rebuy,
    "add-on": _add_on,
    "chip-race": _race,
    **dict.fromkeys(("start-clock", "pause-clock", "next-level", "close-rebuys", "call-off"), _nothing),
}


def _prizes(before: Any, command: Command, ledger: Ledger, due: Changes) -> None:
    """Add the prizes once one player has all coins; they are paid from that player's stack."""
    tour = before.tour
    if command.verb not in ("next-level", "close-rebuys") and not _ends_hand(before, due):
        return
    has = {name: ledger.balance(name) + due[Account.player(name)] for name in tour.entrants}
    rich = [name for name, coins in has.items() if coins > 0]
    if len(rich) != 1 or _is_open(before, command):
        return
    lasted = _lasted(before, has)
    pool, seats = has[rich[0]], {seat.player: seat.number for seat in before.seats}
    for name, coins in _paid(tour.prizes, pool, lasted, seats).items():
        due[Account.player(rich[0])] -= coins
        due[Account.player(name)] += coins


def _ends_hand(before: Any, due: Mapping[Account, int]) -> bool:
    """Whether the changes empty all pots and stakes."""
    left = sum(pot.coins for pot in before.filled) + sum(player.stake for player in before.players)
    change = sum(coins for account, coins in due.items() if account.kind in (Kind.POT, Kind.STAKE))
    return bool(before.players) and left + change == 0


def _is_open(before: Any, command: Command) -> bool:
    """Whether rebuys are still open after the command."""
    tour = before.tour
    numbers = [level.number for level in tour.levels]
    number = numbers[tour.at + 1] if command.verb == "next-level" else numbers[tour.at]
    return command.verb != "close-rebuys" and not tour.is_closed and number <= tour.rebuy_until


def _lasted(before: Any, has: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return player -> (last hand, coins at its start); the player with all coins lasted longest."""
    lasted = {out.player: (out.hand, out.stack) for out in before.tour.out}
    for player in before.players:
        if not has.get(player.name):
            lasted[player.name] = (before.hand, player.coins + player.total + player.dead)
    return lasted | {name: (before.hand + 1, 0) for name, coins in has.items() if coins}


def _paid(
    shares: Sequence[int], pool: int, lasted: Mapping[str, tuple[int, int]], seats: Mapping[str, int]
) -> dict[str, int]:
    """Return the prizes of all places but the first."""
    prize = {place: pool * share // 100 for place, share in enumerate(shares)}
    paid: dict[str, int] = {}
    for name, how_long in lasted.items():
        better = sum(other > how_long for other in lasted.values())
        same = sorted((one for one, other in lasted.items() if other == how_long), key=lambda one: seats.get(one, 99))
        coins = sum(prize.get(place, 0) for place in range(better, better + len(same)))
        if better:
            paid[name] = coins // len(same) + (same.index(name) < coins % len(same))
    return paid
