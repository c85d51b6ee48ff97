"""Settlement of a cut in Captain's Rochi, in the order of ruling 3, and the end of the game.

Token back to the centre; penalty, with the odd coin first into a pot of the loser's choice; the winner takes the pot
but for one coin, the loser adds one; the suit's cards are discarded; both hands are filled to seven.
"""

from typing import Final

from companion.games.rochi.board import Stack, locked_suits, stack_of, with_stack
from companion.games.rochi.captains.state import ANTE, Cut, Phase, State, filled, next_turn
from companion.games.rochi.commands import Drop, OddCoin, Stop
from companion.games.rochi.ending import penalty_words, pot_words, shared_out
from companion.games.rochi.events import GameStopped, HandDecided, OddCoinOwed, Shortfall, SuitCleared, TurnStarted
from companion.kernel.accounts import Account
from companion.kernel.errors import NotOffered
from companion.kernel.game import Effect, seat_of
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.kernel.values import changed
from companion.kernel.words import SUITS

Outcome = tuple[State, tuple[Effect, ...]]

SHIELDS_FOR_NOTHING: Final = 2


def penalty(suit: int, shields: int) -> tuple[int, int]:
    """Return what the loser pays the winner, and the odd coins for a pot.

    >>> [penalty(5, shields) for shields in (0, 1, 2)], penalty(6, 1)
    ([(5, 0), (2, 1), (0, 0)], (3, 0))
    """
    if shields >= SHIELDS_FOR_NOTHING:
        return 0, 0
    return divmod(suit, 2) if shields else (suit, 0)


def cut(state: State, stack: Stack, ledger: Ledger) -> Outcome:
    """Settle a cut at once, unless the loser has an odd coin to place first."""
    assert stack.owner is not None
    winner, loser = stack.owner, state.other(stack.owner)
    due, odd = penalty(stack.suit, stack.shields_of(loser))
    has = ledger.balance(loser)
    paid, short = _paid(loser, Account.player(winner), due, has, penalty_words(stack.suit))
    settled = Cut(stack.suit, winner, loser, locked_suits(state.stacks), paid, short)
    state = changed(state, stacks=with_stack(state.stacks, changed(stack, owner=None)))
    if not odd:
        return _settled(state, settled, ledger, paid)
    if has <= due:  # nothing left, so there is no coin to place
        short += (Shortfall(loser, message("odd coin"), odd, 0),)
        return _settled(state, changed(settled, short=short), ledger, paid)
    return changed(state, phase=Phase.ODD_COIN, cut=settled), (*paid, OddCoinOwed(loser))


def odd_coin(state: State, command: OddCoin, ledger: Ledger) -> Outcome:
    """Put the odd coin into the pot of the loser's choice, then settle the cut."""
    settled = state.cut
    assert settled is not None
    if type(command.pot) is not int or command.pot not in state.pots:
        raise NotOffered.saying(
            "There is no pot {pot}. Choose one of {pots}.", pot=repr(command.pot), pots=", ".join(map(str, state.pots))
        )
    has = ledger.balance(settled.loser)  # the loser may have cashed out meanwhile
    placed, short = _paid(settled.loser, Account.pot(command.pot), 1, has, message("odd coin"))
    settled = changed(settled, paid=settled.paid + placed, short=settled.short + short)
    return _settled(changed(state, phase=Phase.TURNS, cut=None), settled, ledger, placed)


def _paid(
    payer: str, payee: Account, due: int, has: int, why: Message
) -> tuple[tuple[Transfer, ...], tuple[Shortfall, ...]]:
    """Return the payment, and the shortfall if the payer has less."""
    coins = min(due, max(0, has))
    moved = (Transfer(Account.player(payer), payee, coins, why),) if coins else ()
    return moved, (Shortfall(payer, why, due, coins),) if coins < due else ()


def _settled(state: State, settled: Cut, ledger: Ledger, now: tuple[Transfer, ...]) -> Outcome:
    """Finish a cut after penalty and odd coin: pot, ante, discards, hands, next turn.

    Args:
        ledger: the ledger before this command.
        now: transfers of this command so far: the penalty, or the odd coin.
    """
    suit, winner, loser = settled.suit, settled.winner, settled.loser
    after = ledger.post(now)
    pot = Account.pot(suit)
    coins = after.coins(pot) - ANTE
    taken = (Transfer(pot, Account.player(winner), coins, pot_words(suit)),) if coins > 0 else ()
    ante, short = _paid(loser, pot, ANTE, after.balance(loser), message("ante for {suit}", suit=SUITS[suit]))
    decided = HandDecided(winner, suit, settled.locked, (*settled.paid, *taken, *ante), (*settled.short, *short))
    stack = stack_of(state.stacks, suit)
    state = changed(
        state,
        stacks=with_stack(state.stacks, Stack(suit)),
        discards=state.discards + stack.open_cards,
        cuts=state.cuts + 1,
        latest_winner=winner,
    )
    state, drawn = filled(state, state.turn)
    state = next_turn(state)
    cleared = SuitCleared(suit, "is settled")
    return state, (decided, *now, *taken, *ante, cleared, *drawn, TurnStarted(state.actor))


# ---- the end of the game


def stop(state: State, command: Stop, ledger: Ledger) -> Outcome:
    """End the game by agreement: divide the pots evenly, an odd coin to the winner of the last cut, else to seat 1."""
    pots = _pots(state, ledger)
    half, odd = divmod(sum(pots.values()), 2)
    lucky = state.latest_winner or state.names[0]
    shares = [(name, half + (odd if name == lucky else 0)) for name in state.names]
    moves = shared_out(pots, shares, message("agreed stop, half of the pots"))
    return changed(state, phase=Phase.FINISHED), (GameStopped(message("both agree, the pots are divided")), *moves)


def drop(state: State, command: Drop, ledger: Ledger) -> Outcome:
    """End the game as a player drops out; the other takes all pots."""
    seat_of(state.seats, command.player)
    stays = state.other(command.player)
    pots = _pots(state, ledger)
    why = message("{player} drops out", player=command.player)
    moves = shared_out(pots, [(stays, sum(pots.values()))], why)
    return changed(state, phase=Phase.FINISHED), (GameStopped(why), *moves)


def _pots(state: State, ledger: Ledger) -> dict[int, int]:
    return {suit: ledger.coins(Account.pot(suit)) for suit in state.pots}
