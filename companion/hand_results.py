"""A hand's result from the journal: the entry of ``results`` in the public contract, read from what was written."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from companion.chain import Entry
from companion.games.rochi_events import transfer_json
from companion.games.rugen_events import transfers_json
from companion.ledger import Transfer


def result_in(entry: Entry) -> dict[str, Any] | None:
    """Return the result of the entry that decided a hand, as the public contract has it; None if it decided none."""
    for event in json.loads(entry.events):
        make = _RESULTS.get(event["event"])
        if make is not None:
            return make(event)
    return None


def _of_hand(event: Mapping[str, Any]) -> dict[str, Any]:
    moves = [transfer_json(Transfer(t["payer"], t["payee"], t["coins"], t["why"])) for t in event["transfers"]]
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
