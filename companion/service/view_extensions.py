"""What the table's view has beyond the game's own: payments in chips, chances, settling up, timer, practice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.kernel.accounts import Account
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, message
from companion.plugins.odds import OddsPart
from companion.plugins.plugin import GamePlugin
from companion.service.chips import broken_down, chip_words
from companion.service.settings import DEFAULTS, TableSettings
from companion.service.settle import nets, settle
from companion.service.turn_clock import TurnClock


@dataclass(frozen=True, slots=True)
class Around:
    """What the extras are made from, beside the game's view and state."""

    ledger: Ledger = field(default_factory=Ledger)
    gains: Mapping[Account, int] = field(default_factory=dict)
    moved: tuple[Transfer, ...] = ()
    "Coins that the last command that moved any has moved."
    clock: TurnClock = TurnClock()  # noqa: RUF009 (a frozen value)
    settings: TableSettings = DEFAULTS
    plugin: GamePlugin | None = None
    "The game that is played; None where only its rules are at hand."

    @property
    def odds(self) -> OddsPart:
        """What the game can work out exactly."""
        return self.plugin.odds if self.plugin is not None else OddsPart()


def extras(view: Mapping[str, Any], state: Any, around: Around) -> dict[str, Any]:
    """Return the further keys of the room's view."""
    settings = around.settings
    return {
        "chips": list(settings.chips),
        "payments": payments(around.moved, settings.chips),
        "chances": around.odds.chances(state) if settings.chances else [],
        "settle_up": [payment.to_json() for payment in settle(nets(around.ledger, around.gains))],
        "timer": _timer(view, around),
        "paused": {"why": view["hold"], "since": around.clock.held_since} if view.get("hold") else None,
        "practice": practice_text(view, around.plugin) if settings.practice else None,
        **({"stacks": payable(view["stacks"], around.ledger)} if view.get("pots") else {}),
    }


def practice_text(view: Mapping[str, Any], plugin: GamePlugin | None) -> str | None:
    """Return two or three sentences about this step; None where there is nothing to explain."""
    if view.get("hold"):
        return message("The table is on hold: nothing counts until it is released.")
    return plugin.practice(view) if plugin is not None and plugin.practice is not None else None


def _timer(view: Mapping[str, Any], around: Around) -> dict[str, Any] | None:
    """The turn timer, while somebody's turn runs; a table on hold has none."""
    seconds = around.settings.turn_seconds
    if seconds is None or view.get("hold") or not view.get("turn") or around.clock.turn_since is None:
        return None
    return {"seconds": seconds, "since": around.clock.turn_since}


def payable(stacks: Sequence[Mapping[str, Any]], ledger: Ledger) -> list[dict[str, Any]]:
    """Return stacks with what each player could pay if the suit were cut now: nobody pays what they lack.

    An ``odd_coin`` is what is left to put into a pot after that. With credit everybody pays all he owes.
    """
    if ledger.credit:
        return [dict(stack) for stack in stacks]
    return [{**stack, "if_cut": [_within_means(line, ledger) for line in stack["if_cut"]]} for stack in stacks]


def _within_means(line: Mapping[str, Any], ledger: Ledger) -> dict[str, Any]:
    has = max(ledger.balance(line["player"]), 0)
    coins = min(line["coins"], has)
    odd = {"odd_coin": min(line["odd_coin"], has - coins)} if "odd_coin" in line else {}
    return {**line, "coins": coins, **odd}


def payments(moved: Sequence[Transfer], chips: Sequence[int]) -> list[dict[str, Any]]:
    """Return who pays whom, with the chips to count out; coins that stay their owner's are left out.

    ``why`` is said in the language of the page; ``reason`` is its key, for scripts.

    >>> payments([Transfer(Account.player("Ann"), Account.pot(6), 7, "buys Kin")], (1, 5, 10))[0]["chips"]
    [5, 1, 1]
    """
    found = []
    for transfer in moved:
        payer, payee = transfer.payer.owner, transfer.payee.owner
        if payer != payee:
            counted = broken_down(transfer.coins, chips)
            reason = transfer.why.key if isinstance(transfer.why, Message) else transfer.why
            words = {"chips": list(counted), "in_chips": chip_words(counted), "why": transfer.why, "reason": reason}
            found.append({"from": payer.label, "to": payee.label, "coins": transfer.coins, **words})
    return found
