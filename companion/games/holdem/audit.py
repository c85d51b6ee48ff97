"""Independent audit of hold'em: the balance change due to each account, computed without the rules' code.

Side pots are peeled off from the smallest stake up and hands are ranked by counting. The table compares this result
with the rules' transfers before any coins move.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from companion.kernel.accounts import Account, Kind
from companion.kernel.commands import Command
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message
from companion.kernel.shared.audit import wrong_sums

_STAKE: Final = Kind.STAKE
_BETTING: Final = frozenset({"preflop", "flop", "turn", "river"})
_ORDER: Final = "--23456789TJQKA"

Changes = defaultdict[Account, int]
"""Account -> change in coins."""


def differences(before: Any, command: Command, happened: Iterable[object], ledger: Ledger) -> tuple[Message, ...]:
    """Compare a command's transfers with the audit's own result.

    Args:
        before: the table's state before the command.

    Returns:
        One sentence per account whose change differs; empty if all agree.
    """
    moved = [event for event in happened if isinstance(event, Transfer)]
    if command.verb in ("join", "leave") or (not moved and command.verb == "hole"):
        return ()
    due = changes(before, command, moved, ledger)
    return wrong_sums(due, moved) if due or moved else ()


def changes(before: Any, command: Command, moved: Sequence[Transfer], ledger: Ledger) -> Changes:
    """Return each account's change due to a command within a hand.

    Args:
        before: the table's state before the command.
        moved: the rules' transfers, used only to detect the end of a betting round.
    """
    due: Changes = defaultdict(int)
    stakes = {player.name: player.stake for player in before.players}
    is_over = command.verb != "post" and any(move.payer.kind is _STAKE for move in moved)
    if command.verb == "post":
        _forced(before, {seat.player: ledger.balance(seat.player) for seat in before.seats}, due)
    elif before.phase.value in _BETTING:
        put = _put_in(before, command, ledger.balance(before.turn), stakes, due)
        is_over = is_over or _is_round_over(before, command, stakes, put)
    if is_over:
        _gather(before, command, stakes, due)
    if _is_hand_over(before, command):
        _pay(before, command, stakes, due)
    return due


def _forced(before: Any, purses: dict[str, int], due: Changes) -> None:
    """Add antes and blinds; the new button is the next seat with coins, the blinds are left of it."""
    able = {seat.number: seat.player for seat in before.seats if purses[seat.player] > 0}
    by_big_blind = before.tour is not None and before.tour.big_blind_ante
    if before.ante and not by_big_blind:
        _antes({name: purses[name] for name in able.values()}, before.ante, purses, due)
    at = before.button
    at = _next(at, able) if before.hand or at not in able else at
    at = at if len(able) == 2 else _next(at, able)
    for coins in before.blinds:
        put = min(coins, purses[able[at]])
        due[Account.player(able[at])] -= put
        due[Account.stake(able[at], "bet")] += put
        last, left = able[at], purses[able[at]] - put
        at = _next(at, able)
    if before.ante and by_big_blind:
        due[Account.player(last)] -= min(before.ante, left)
        due[Account.pot("main")] += min(before.ante, left)


def _antes(had: Mapping[str, int], ante: int, purses: dict[str, int], due: Changes) -> None:
    """Add the antes, capped by the stack and the second-largest stack. Reduces ``purses`` in place."""
    most = min(ante, sorted(had.values())[-2])
    put = {name: min(coins, most) for name, coins in had.items()}
    for name, coins in put.items():
        due[Account.player(name)] -= coins
        purses[name] -= coins
    for pot, coins, _ in _peeled(put, set()):
        due[Account.pot(pot)] += coins


def _next(at: int, able: Mapping[int, str]) -> int:
    return min((seat for seat in able if seat > at), default=min(able))


def _put_in(before: Any, command: Any, purse: int, stakes: dict[str, int], due: Changes) -> int:
    """Move the actor's chips from stack to stake; return the number of coins. Updates ``stakes`` in place."""
    player, verb = before.turn, command.verb
    if verb in ("check", "fold"):
        return 0
    lacking = command.to - stakes[player] if verb in ("bet", "raise") else purse
    if verb == "call":
        lacking = before.bet - stakes[player]
    put = min(lacking, purse)
    stakes[player] += put
    due[Account.player(player)] -= put
    due[Account.stake(player, "bet")] += put
    return put


def _is_round_over(before: Any, command: Command, stakes: Mapping[str, int], put: int) -> bool:
    """Whether nobody with chips behind still has to act."""
    most, turn = max(stakes.values()), before.turn
    inside = [p for p in before.players if not p.folded and (p.name != turn or command.verb != "fold")]
    able = [p for p in inside if p.coins > (put if p.name == turn else 0)]
    if len(inside) == 1 or (len(able) == 1 and stakes[able[0].name] == most):
        return True
    bet = max(most, before.bet)
    return all(stakes[p.name] == bet and (p.acted_at is not None or p.name == turn) for p in able)


def _is_hand_over(before: Any, command: Command) -> bool:
    """Whether the command ends the hand: a fold leaves one player, all have shown or mucked, or no pot is contested."""
    if command.verb not in ("fold", "show", "muck", "board"):
        return False
    out = _folded(before, command)
    inside = [player for player in before.players if player.name not in out]
    if command.verb == "board":
        return before.phase.value == "deal-river" and all(player.cards for player in inside)
    if command.verb == "fold":
        return len(inside) == 1
    waiting = [p for p in inside if not p.cards and not p.mucked and p.name != before.turn]
    gone = {p.name for p in inside if p.mucked} | ({before.turn} if command.verb == "muck" else set())
    return not waiting or all(len(set(pot.claims) - gone) < 2 for pot in before.filled)


def _folded(before: Any, command: Command) -> set[str]:
    out = {player.name for player in before.players if player.folded}
    return out | {before.turn} if command.verb == "fold" else out


def _totals(before: Any, stakes: dict[str, int]) -> dict[str, int]:
    """Return each player's total without the uncalled bet, which is removed from ``stakes`` in place."""
    most = max(stakes, key=lambda name: stakes[name])
    stakes[most] = max([coins for name, coins in stakes.items() if name != most])
    return {player.name: player.total - player.stake + stakes[player.name] for player in before.players}


def _gather(before: Any, command: Command, stakes: dict[str, int], due: Changes) -> None:
    """Clear all stakes at the end of a round: return the uncalled bet, move the rest into the pots."""
    lying = dict(stakes)
    totals = _totals(before, stakes)
    for name, coins in lying.items():
        due[Account.stake(name, "bet")] -= coins
        due[Account.player(name)] += coins - stakes[name]
    had = {pot.name: pot.coins - _dead(before, pot.name) for pot in before.filled}
    for name, coins, _ in _peeled(totals, _folded(before, command)):
        due[Account.pot(name)] += coins - had.get(name, 0)


def _dead(before: Any, pot: str) -> int:
    """Return the dead money in a pot: the big blind ante, all in the main pot."""
    return sum(player.dead for player in before.players) if pot == "main" else 0


def _peeled(totals: Mapping[str, int], out: set[str]) -> list[tuple[str, int, list[str]]]:
    """Return each pot's name, coins and eligible players, peeling off the smallest remaining total each time."""
    left = dict(totals)
    pots: list[tuple[str, int, list[str]]] = []
    while inside := [name for name, coins in left.items() if coins > 0 and name not in out]:
        smallest = min(left[name] for name in inside)
        coins = sum(min(smallest, had) for had in left.values())
        pots.append((f"side-{len(pots)}" if pots else "main", coins, inside))
        left = {name: had - min(smallest, had) for name, had in left.items()}
    return pots


def _pay(before: Any, command: Any, stakes: dict[str, int], due: Changes) -> None:
    """Pay each pot to the best hand that was not folded or mucked."""
    out = _folded(before, command)
    totals = _totals(before, stakes)
    cards = {player.name: player.cards for player in before.players if player.cards}
    gone = [player.name for player in before.players if player.mucked]
    if command.verb == "show":
        cards[command.player] = tuple(command.cards)
    elif command.verb == "muck":
        gone.append(command.player)
    board = [*before.board, *(command.cards if command.verb == "board" else ())]
    for name, stakes_in_it, claims in _peeled(totals, out):
        coins = stakes_in_it + _dead(before, name)
        due[Account.pot(name)] -= coins
        for winner, share in _shares(before, coins, _best(before, claims, gone, cards, board)).items():
            due[Account.player(winner)] += share


def _best(
    before: Any, claims: list[str], gone: list[str], cards: Mapping[str, Sequence[str]], board: Sequence[str]
) -> list[str]:
    """Return a pot's winners. Mucked hands lose; if all eligible players mucked, the last one to muck wins."""
    still = [name for name in claims if name not in gone]
    if not still:
        return [next(name for name in reversed(_in_order_of_muck(before, gone)) if name in claims)]
    if len(still) == 1:
        return still
    ranked = {name: _ranked([*cards[name], *board]) for name in still}
    return [name for name in still if ranked[name] == max(ranked.values())]


def _in_order_of_muck(before: Any, gone: list[str]) -> list[str]:
    """Return the players who mucked, in showdown order."""
    names = [player.name for player in before.players]
    start = before.aggressor or 0
    return sorted(gone, key=lambda name: (names.index(name) - start) % len(names))


def _shares(before: Any, coins: int, winners: list[str]) -> dict[str, int]:
    """Split a pot equally in whole chips; the remainder goes to the first winner left of the button."""
    order = [player.name for player in before.players if player.name in winners]
    chips = coins // before.min_chip // len(order)
    shares = dict.fromkeys(order, chips * before.min_chip)
    shares[order[0]] += coins - sum(shares.values())
    return shares


def _ranked(cards: Sequence[str]) -> tuple[int, list[int]]:
    """Rank the best five of seven cards: category (8: straight flush), then ranks in tie-break order."""
    values = sorted((_ORDER.index(card[0]) for card in cards), reverse=True)
    suit, most = Counter(card[1] for card in cards).most_common(1)[0]
    flush = sorted((_ORDER.index(card[0]) for card in cards if card[1] == suit), reverse=True) if most >= 5 else []
    if flush and _run(flush):
        return 8, [_run(flush)]
    (first, a), (second, b), *_ = times = sorted(
        Counter(values).items(), key=lambda one: (one[1], one[0]), reverse=True
    )
    rest = sorted((value for value, _ in times if value != first), reverse=True)
    if a == 4:
        return 7, [first, rest[0]]
    if a == 3 and b >= 2:
        return 6, [first, second]
    if flush:
        return 5, flush[:5]
    if _run(values):
        return 4, [_run(values)]
    if a == 2 and b == 2:
        return 2, [first, second, max(value for value in rest if value != second)]
    return {3: (3, [first, *rest[:2]]), 2: (1, [first, *rest[:3]]), 1: (0, [first, *rest[:4]])}[a]


def _run(values: Sequence[int]) -> int:
    """Return the highest card of a straight, or 0; an ace also counts as 1."""
    there = {*values, 1} if 14 in values else set(values)
    return next((top for top in range(14, 4, -1) if {*range(top - 4, top + 1)} <= there), 0)
