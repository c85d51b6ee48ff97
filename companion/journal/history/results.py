"""A hand's result from the journal: the entry of ``results`` in the public contract, read from what was written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.games.rochi.events import transfer_json
from companion.games.rugen.events import transfers_json
from companion.journal.hash_chain import Entry
from companion.kernel.accounts import Kind
from companion.kernel.ledger import Transfer


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a list of hands is filtered by: the suit or number that decided, and who was better or worse off by it."""

    decided_by: int | None
    won: frozenset[str]
    lost: frozenset[str]


def outcome_in(entry: Entry) -> Outcome | None:
    """Return the outcome of the entry that decided a hand; None if it decided none."""
    for event in json.loads(entry.events):
        if event["event"] in _RESULTS:
            gains = _gains(event)
            won = {name for name, coins in gains.items() if coins > 0} | {event.get("winner")}
            lost = {name for name, coins in gains.items() if coins < 0}
            by = event.get("suit", event.get("cut", event.get("number")))
            return Outcome(by, frozenset(name for name in won if name), frozenset(lost))
    return None


def _gains(event: Mapping[str, Any]) -> dict[str, int]:
    """Return what the decision alone brought each player, coins that he staked and lost counted."""
    gains: dict[str, int] = {}
    for name, coins in _moved(event):
        gains[name] = gains.get(name, 0) + coins
    return gains


def _moved(event: Mapping[str, Any]) -> list[tuple[str, int]]:
    if "paid" in event:
        return [(bet["player"], bet["won"] if bet["is_won"] else -bet["amount"]) for bet in event["paid"]]
    if "losses" in event:
        lost = [(loser, -coins) for loser, coins, _ in event["losses"] if loser]
        return [*lost, *((event["winner"], -coins) for _, coins in lost if event["winner"])]
    moves = map(Transfer.from_json, event["transfers"])
    sides = [side for move in moves for side in ((move.payer, -move.coins), (move.payee, move.coins))]
    return [(account.name, coins) for account, coins in sides if account.kind is Kind.PLAYER]


def result_in(entry: Entry) -> dict[str, Any] | None:
    """Return the result of the entry that decided a hand, as the public contract has it; None if it decided none."""
    for event in json.loads(entry.events):
        make = _RESULTS.get(event["event"])
        if make is not None:
            return make(event)
    return None


def told_in(entry: Entry) -> str | None:
    """Return the sentence about how the hand ended; None if the entry decided none."""
    events = json.loads(entry.events)
    return next((str(event["text"]) for event in events if event["event"] in _RESULTS), None)


def _of_hand(event: Mapping[str, Any]) -> dict[str, Any]:
    moves = [transfer_json(Transfer.from_json(transfer)) for transfer in event["transfers"]]
    named = {key: event[key] for key in ("winner", "suit", "locked")}
    return {**named, "transfers": moves, "short": event["short"]}


def _of_bets(*keys: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    def make(event: Mapping[str, Any]) -> dict[str, Any]:
        paid = [{key: bet[key] for key in ("player", "on", "amount", "won")} for bet in event["paid"]]
        return {**{key: event[key] for key in keys}, "paid": paid}

    return make


def _of_wager(event: Mapping[str, Any]) -> dict[str, Any]:
    named = {key: event[key] for key in ("number", "face", "chain", "winner")}
    return {**named, "transfers": transfers_json(event["winner"], event["losses"])}


_RESULTS: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "HandDecided": _of_hand,
    "SuitCut": _of_bets("cut", "last", "half", "included"),
    "HouseChainBroken": _of_bets("number", "face", "chain"),
    "ChainBroken": _of_wager,
}
