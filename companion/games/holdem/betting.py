"""Betting rounds: legal actions, turn order and the end of a round."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from companion.games.holdem.commands import AllIn, BetTo, Call, Check, Fold, RaiseTo
from companion.games.holdem.events import Acted
from companion.games.holdem.pots import STAKED, collect, stake_of
from companion.games.holdem.showdown import finish, open_showdown
from companion.games.holdem.state import AFTER, Phase, Player, State
from companion.kernel.accounts import Account
from companion.kernel.commands import Command
from companion.kernel.errors import BadAmount, NotEnoughCoins, NotOffered, NotYourTurn
from companion.kernel.game import Effect, seat_of
from companion.kernel.ledger import Transfer, checked_coins
from companion.kernel.messages import message
from companion.kernel.values import changed

Outcome = tuple[State, tuple[Effect, ...]]


# ---- legal actions


def missing(state: State, player: Player) -> int:
    """Return the amount to call, capped at the player's stack."""
    return min(state.bet - player.stake, player.coins)


def least_raise(state: State) -> int:
    """Return the minimum bet or raise (total stake), rounded up to whole chips. All-ins may be smaller."""
    least = state.bet + state.step
    return least + -least % state.min_chip


def may_raise(state: State, player: Player) -> bool:
    """Whether a player may bet or raise.

    A player who has already acted may raise only after a full raise since; and at least one opponent must be able to
    put in more than the current bet.
    """
    if player.acted_at is not None and state.bet - player.acted_at < state.step:
        return False
    others = (other for other in state.players if other is not player and other.is_live)
    return any(other.stake + other.coins > state.bet for other in others)


def may_go_all_in(state: State, player: Player) -> bool:
    """Whether a player may go all-in, as a call, bet or raise."""
    return player.stake + player.coins <= state.bet or may_raise(state, player)


# ---- acting


def act(state: State, command: Any) -> Outcome:
    """Apply a betting action of the player to act.

    Raises:
        UnknownPlayer, NotYourTurn, NotOffered, BadAmount, NotEnoughCoins: the action is illegal.
    """
    if command.player is not None:
        check_turn(state, command.player)
    return _ACTIONS[type(command)](state, command)


def check_turn(state: State, player: str) -> None:
    """Raise unless it is this player's turn.

    Raises:
        UnknownPlayer, NotYourTurn: it is not.
    """
    if player != state.turn:
        seat_of(state.seats, player)
        raise NotYourTurn.saying("It is {turn}'s turn, not {player}'s.", turn=str(state.turn), player=player)


def _check(state: State, command: Check) -> Outcome:
    player = state.actor
    if missing(state, player):
        raise NotOffered.saying("{player} faces a bet and cannot check. Call, raise or fold.", player=player.name)
    return _after(state, player, "check", 0)


def _call(state: State, command: Call) -> Outcome:
    player = state.actor
    coins = missing(state, player)
    if not coins:
        raise NotOffered.saying("There is nothing for {player} to call. Check instead.", player=player.name)
    return _after(state, player, "call", coins)


def _fold(state: State, command: Fold) -> Outcome:
    return _after(state, state.actor, "fold", 0)


def _bet(state: State, command: BetTo) -> Outcome:
    if state.bet:
        raise NotOffered.saying("A bet of {bet} lies already. Raise instead.", bet=state.bet)
    return _bet_to(state, "bet", command.to)


def _raise(state: State, command: RaiseTo) -> Outcome:
    if not state.bet:
        raise NotOffered.saying("No bet lies that could be raised. Bet instead.")
    return _bet_to(state, "raise", command.to)


def _all_in(state: State, command: AllIn) -> Outcome:
    player = state.actor
    everything = player.stake + player.coins
    if everything <= state.bet:
        return _after(state, player, "call", player.coins)
    _check_may_raise(state, player)
    return _after(state, player, "raise" if state.bet else "bet", player.coins)


def _bet_to(state: State, what: str, to: object) -> Outcome:
    player = state.actor
    _check_may_raise(state, player)
    return _after(state, player, what, _checked(state, player, to) - player.stake)


def _check_may_raise(state: State, player: Player) -> None:
    if may_raise(state, player):
        return
    if player.acted_at is not None and state.bet - player.acted_at < state.step:
        raise NotOffered.saying(
            "{player} has acted, and nobody has made a full raise since. Call or fold.", player=player.name
        )
    raise NotOffered.saying("Nobody else could put in more than that. Call or fold.")


def _checked(state: State, player: Player, to: object) -> int:
    """Return a bet or raise (total stake) after checking its size.

    Raises:
        BadAmount: not a number, below the minimum, or not in whole chips. An all-in over the bet is always valid.
        NotEnoughCoins: more than the player has.
    """
    total, everything, least = checked_coins(to, message("a bet")), player.stake + player.coins, least_raise(state)
    is_everything = total == everything and total > state.bet
    if not is_everything and (total < least or total % state.min_chip):
        raise BadAmount.saying(
            "A bet or raise comes to {least} or more, in chips of {chip}, not to {to}; or it is everything.",
            least=least,
            chip=state.min_chip,
            to=total,
        )
    if total > everything:
        raise NotEnoughCoins.saying(
            "{player} has {coins} for this round, not {to}. Bet less, or go all-in.",
            player=player.name,
            coins=everything,
            to=total,
        )
    return total


_ACTIONS: Final[Mapping[type[Command], Callable[[State, Any], Outcome]]] = {
    Check: _check,
    Call: _call,
    Fold: _fold,
    BetTo: _bet,
    RaiseTo: _raise,
    AllIn: _all_in,
}


# ---- effects of an action


def put_in(player: Player, coins: int) -> tuple[Player, tuple[Transfer, ...]]:
    """Return the player after putting in coins, and the transfer."""
    after = changed(player, coins=player.coins - coins, stake=player.stake + coins, total=player.total + coins)
    return after, _moved(player, coins)


def _moved(player: Player, coins: int) -> tuple[Transfer, ...]:
    return (Transfer(Account.player(player.name), stake_of(player.name), coins, STAKED),) if coins else ()


def _after(state: State, player: Player, what: str, coins: int) -> Outcome:
    """Record an action and move on to the next player, or end the round."""
    assert state.at is not None, "somebody has acted"
    bet, step, aggressor, stake = state.bet, state.step, state.aggressor, player.stake + coins
    if stake > bet:  # only a full raise changes the minimum raise
        bet, step, aggressor = stake, max(step, stake - bet), state.at
    left = player.coins - coins
    acted = changed(player, coins=left, stake=stake, total=player.total + coins, acted_at=bet, folded=what == "fold")
    players = (*state.players[: state.at], acted, *state.players[state.at + 1 :])
    noted = Acted(player.name, what, coins, stake, bool(coins) and not left)
    said: tuple[Effect, ...] = (noted, *_moved(player, coins))
    at = _next_to_act(players, bet, state.at + 1)
    after = changed(state, players=players, bet=bet, step=step, aggressor=aggressor, at=at)
    return (after, said) if at is not None else _round_over(after, said)


def _round_over(state: State, happened: tuple[Effect, ...]) -> Outcome:
    """Collect the stakes, then continue with the board or the showdown; pay out if only one player is left."""
    collected, moved = collect(state)
    if len([player for player in state.players if not player.folded]) == 1:
        decided, paid = finish(collected)
        return decided, (*happened, *moved, *paid)
    after = changed(collected, phase=AFTER[state.phase])
    if after.phase is not Phase.SHOWDOWN:
        return after, (*happened, *moved)
    after = open_showdown(after)
    if after.at is not None:
        return after, (*happened, *moved)
    decided, paid = finish(after)  # all hands are already face up
    return decided, (*happened, *moved, *paid)


def ask(state: State, start: int, happened: tuple[Effect, ...]) -> Outcome:
    """Set the next player to act, from a position on; end the round if there is none."""
    at = _next_to_act(state.players, state.bet, start)
    return (changed(state, at=at), happened) if at is not None else _round_over(state, happened)


def _next_to_act(players: Sequence[Player], bet: int, start: int) -> int | None:
    """Return the position of the next player to act; None if the round is over."""
    live = [player for player in players if player.coins and not player.folded]
    if len(live) < 2 and _is_alone(live, players):
        return None
    count = len(players)
    for place in range(start, start + count):
        player = players[place % count]
        if player.coins and not player.folded and (player.acted_at is None or player.stake < bet):
            return place % count
    return None


def _is_alone(live: Sequence[Player], players: Sequence[Player]) -> bool:
    """Whether no action is left: one player in the hand, all all-in, or the only live player has the highest stake."""
    if not live or len([player for player in players if not player.folded]) == 1:
        return True
    return live[0].stake >= max([player.stake for player in players])
