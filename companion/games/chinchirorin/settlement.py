"""Settlement of a round: who pays whom, and partial payment by a short payer."""

from collections.abc import Sequence
from typing import Final

from companion.games.chinchirorin.events import Payment, RoundDecided
from companion.games.chinchirorin.shapes import OutcomeId
from companion.games.chinchirorin.state import Phase, Stake, State
from companion.games.chinchirorin.throws import BANKERS, PLAYERS, Kind, Throw, reading
from companion.kernel.accounts import Account
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.values import quick

BACK: Final = message("bet returned")
OUT: Final = message("out")
STORM: Final = message("storm")
SCORE: Final = message("score")


@quick
class Verdict:
    """Outcome of a round: collecting side, multiple of the bets (0 for a wash), and reason."""

    outcome: OutcomeId
    times: int
    why: Message
    player_score: int | None = None


WASH: Final = Verdict("wash", 0, message("wash"))


def verdict(state: State, throw: Throw, score: int | None) -> Verdict:
    """Return the outcome by the thrower's last throw.

    Args:
        score: its score; 0 after three throws without one, None for a storm or a die out of the bowl.
    """
    if not state.stakes:
        return WASH
    is_banker = state.phase is Phase.BANKER
    if score is None:
        kind = reading(throw).kind
        collected = BANKERS[kind] if is_banker else -PLAYERS[kind]
        return _decided(collected, OUT if kind is Kind.OUT else STORM)
    assert state.banker_score is not None, "the player throws against a score"
    by = state.banker_score - score
    return _decided((by > 0) - (by < 0), SCORE, score)


def _decided(collected: int, why: Message, player_score: int | None = None) -> Verdict:
    """Return the verdict for the banker's gain per coin bet, negative for a loss."""
    if collected == 0:
        return Verdict("wash", 0, WASH.why, player_score)
    return Verdict("banker" if collected > 0 else "bettors", abs(collected), why, player_score)


def settle(state: State, found: Verdict, throw: Throw, ledger: Ledger) -> tuple[RoundDecided, tuple[Transfer, ...]]:
    """Return the round's event and transfers."""
    banker = state.banker or ""
    paid = _due(state, found, ledger)
    payments = [_payment(banker, stake.player, coins, found) for stake, coins in paid if coins]
    event = RoundDecided(
        banker, state.player, state.banker_score, found.player_score, found.outcome, found.times, tuple(payments),
        throw, tuple([(stake.player, stake.amount * found.times) for stake in state.stakes]),
    )  # fmt: skip
    return event, tuple([move for stake, coins in paid for move in _moves(banker, stake, coins, found)])


def _due(state: State, found: Verdict, ledger: Ledger) -> list[tuple[Stake, int]]:
    """Return each bettor's payment or gain; bettors pay at most bet plus balance, the banker at most their balance."""
    stakes, times = state.stakes, found.times
    if found.outcome == "wash":
        return [(stake, 0) for stake in stakes]
    if found.outcome == "banker":
        return [(s, min(s.amount * times, s.amount + ledger.balance(s.player))) for s in stakes]
    numbers = {seat.player: seat.number for seat in state.seats}
    in_order = sorted(stakes, key=lambda stake: numbers[stake.player])
    given = shares([stake.amount * times for stake in in_order], ledger.balance(state.banker or ""))
    by_player = {stake.player: coins for stake, coins in zip(in_order, given, strict=True)}
    return [(stake, by_player[stake.player]) for stake in stakes]


def shares(owed: Sequence[int], funds: int) -> list[int]:
    """Divide a payer's funds: equal shares, at most the amount owed, odd coins from the first payee on.

    >>> shares([10, 2, 10], 20), shares([3, 3, 3], 8), shares([5, 5], 10)
    ([9, 2, 9], [3, 3, 2], [5, 5])
    """
    if sum(owed) <= funds:
        return list(owed)
    left, level = funds, 0
    for paid, due in enumerate(sorted(owed)):
        level = left // (len(owed) - paid)
        if due > level:
            break
        left -= due
    odd = funds - sum(min(due, level) for due in owed)
    given = []
    for due in owed:
        extra = due > level and odd > 0
        odd -= extra
        given.append(min(due, level) + extra)
    return given


def _payment(banker: str, bettor: str, coins: int, found: Verdict) -> Payment:
    payer, payee = (bettor, banker) if found.outcome == "banker" else (banker, bettor)
    return Payment(payer, payee, coins, found.why)


def _moves(banker: str, stake: Stake, coins: int, found: Verdict) -> tuple[Transfer, ...]:
    """Return a bettor's transfers: a lost bet covers the first part of the debt; otherwise the bet is returned."""
    bank, purse = Account.player(banker), Account.player(stake.player)
    if found.outcome == "banker":
        lost = Transfer(stake.account, bank, stake.amount, found.why)
        return (lost, Transfer(purse, bank, coins - stake.amount, found.why)) if coins > stake.amount else (lost,)
    back = Transfer(stake.account, purse, stake.amount, BACK)
    return (back, Transfer(bank, purse, coins, found.why)) if coins else (back,)
