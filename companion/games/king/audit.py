"""Independent audit of King of Roulette, computed without the rules' code.

It scores the secrets in the state before the reveal; the table compares both results before any garnets move.
"""

from collections.abc import Sequence

from companion.games.king.commands import BuyBonus, Reveal
from companion.games.king.events import RoundRevealed
from companion.games.king.state import State
from companion.kernel.accounts import HOUSE, Account
from companion.kernel.commands import Command, Join, Leave
from companion.kernel.game import Effect
from companion.kernel.messages import Message, message
from companion.kernel.shared.audit import wrong_sums

Moves = dict[Account, int]


def differences(before: State, command: Command, happened: Sequence[Effect]) -> tuple[Message, ...]:
    """Return one sentence per difference in garnets or points; empty if all agree."""
    if isinstance(command, BuyBonus):
        cost = sum(1 for one in before.players if one.name == command.player for _ in range(one.bought + 2))
        return wrong_sums({Account.player(command.player): -cost, HOUSE: cost}, happened)
    if not isinstance(command, Reveal):
        return () if isinstance(command, (Join, Leave)) else wrong_sums({}, happened)
    points = counted(before)
    told = next(event for event in happened if isinstance(event, RoundRevealed))
    return wrong_sums(due(before, points), happened) + _points_differ(dict(told.points), points)


def counted(before: State) -> dict[str, int]:
    """Return each player's points for the round."""
    rule = before.rule
    assert rule is not None
    table: dict[object, int] = {**dict.fromkeys(rule.one, 1), rule.two: 2}
    points = {one.name: table.get(one.space, 0) for one in before.players if one.name != before.king}
    earners = len([name for name in points if points[name]])
    points[str(before.king)] = _kings_points(str(before.guess), earners)
    doubled = {one.name for one in before.players if one.uses_bonus}
    return {name: won + won if name in doubled else won for name, won in points.items()}


def _kings_points(guess: str, earners: int) -> int:
    """Return the king's points; the range's index follows from its first number."""
    numbers = [int(number) for number in guess.split("-")]
    if earners not in numbers:
        return 0
    return (4, 3, 2, 1, 1, 1)[numbers[0] // 2]


def due(before: State, points: dict[str, int]) -> Moves:
    """Return the garnets due: one per multiple of 5 passed between the old and new points."""
    moves: Moves = {}
    for one in before.players:
        fives = sum(total % 5 == 0 for total in range(one.points + 1, one.points + points[one.name] + 1))
        moves[Account.player(one.name)] = fives
    return {**moves, HOUSE: -sum(moves.values())}


def _points_differ(told: dict[str, int], counted_: dict[str, int]) -> tuple[Message, ...]:
    return tuple(
        message("{player} would get {would} points, the rules say {should}", player=name, would=told[name], should=won)
        for name, won in counted_.items()
        if told[name] != won
    )
