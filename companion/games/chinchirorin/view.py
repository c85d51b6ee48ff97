"""Public table view, and the ``state`` object of the API."""

from collections.abc import Mapping

from companion.games.chinchirorin.shapes import ChinchirorinView, ThrowJson
from companion.games.chinchirorin.state import Phase, State, clockwise
from companion.games.chinchirorin.throws import TRIES, Throw, reading
from companion.games.chinchirorin.words import throw_words
from companion.kernel.messages import Message, listed, message

ON = "bank"
"""Bet name of all bets, for pages that list bets by name."""


def facts(state: State) -> Mapping[str, object]:
    """Return the API's ``state`` object. Bets are by seat here, clockwise from the banker in `view`."""
    stakes = [stake for seat in state.seats if (stake := state.stake_of(seat.player))]
    return {
        "banker": state.banker,
        "bank": state.bank,
        "bets": {stake.player: stake.amount for stake in stakes},
        "turn": state.turn,
        "throws": [throw if isinstance(throw, str) else list(throw) for throw in state.throws],
        "banker_score": state.banker_score,
        "asked": list(state.asked),
    }


def view(state: State) -> ChinchirorinView:
    """Return chinchirorin's part of the table view."""
    decided = state.decided
    return {
        "prompt": prompt(state),
        "turn": state.turn,
        "banker": state.banker,
        "player": state.player,
        "bank": state.bank,
        "left": None if state.bank is None else max(state.bank - state.staked, 0),
        "bets": [{"player": stake.player, "on": ON, "amount": stake.amount} for stake in state.stakes],
        "may_bet": may_bet(state),
        "asked": list(state.asked),
        "drawn": [{"player": player, "die": die} for player, die in state.drawn],
        "throws": [throw_json(throw) for throw in state.throws],
        "banker_throws": [throw_json(throw) for throw in state.banker_throws],
        "banker_score": state.banker_score,
        "last": throw_json(decided.throw) if decided else None,
        "result": decided.result if decided else None,
        "summary": decided.sentence if decided else None,
    }


def throw_json(throw: Throw) -> ThrowJson:
    """Return the JSON form of a throw."""
    read = reading(throw)
    dice = [] if isinstance(throw, str) else list(throw)
    return {"dice": dice, "kind": read.kind.value, "score": read.score, "text": throw_words(throw)}


def may_bet(state: State) -> list[str]:
    """Return the players who may still bet: clockwise from the banker, starting with the last bettor."""
    if state.phase is not Phase.BETTING or state.bank_at is None:
        return []
    order = [seat.player for seat in clockwise(state.seats, state.bank_at + 1) if seat.number != state.bank_at]
    return order[order.index(state.stakes[-1].player) :] if state.stakes else order


def prompt(state: State) -> Message:
    """Return what the table is waiting for, worded for dealer, players and spectators alike."""
    banker, left = state.banker or "", TRIES - len(state.throws)
    if state.phase is Phase.DRAW:
        return _draw_prompt(state)
    if state.phase is Phase.BANK:
        return message("{banker} has the bank: how much is it?", banker=banker)
    if state.phase is Phase.BETTING:
        return message("Bets against {banker}, clockwise", banker=banker)
    if state.phase is Phase.BANKER:
        return message("{banker} throws for the bank; throws left: {left}", banker=banker, left=left)
    if state.phase is Phase.PLAYER:
        return message(
            "{player} throws against {score}; throws left: {left}",
            player=state.player or "",
            score=state.banker_score or 0,
            left=left,
        )
    if state.phase is Phase.WASH:
        return message("A wash: {banker} keeps the bank or passes it", banker=banker)
    return message("The game is over")


def _draw_prompt(state: State) -> Message:
    if not state.asked:
        return message("Waiting for players")
    if state.tied_at is not None:
        return message(
            "A tie at {die}. Another die for the first bank: {players}",
            die=state.tied_at,
            players=listed(state.asked),
        )
    return message("One die for the first bank: {players}", players=listed(state.asked))
