"""Extensions of a game's table view: the pay sheet, payments in chips, chances, settling up, timer, practice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NotRequired, cast

from typing_extensions import TypedDict

from companion.kernel.accounts import HOUSE, Account
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, Words, message
from companion.kernel.table import TableView
from companion.odds.exposure import HouseState
from companion.plugins.odds import OddsPart
from companion.plugins.plugin import GamePlugin
from companion.service.chips import broken_down, chip_words
from companion.service.clocks.tonight import Tonight, TonightJson, brought_ever
from companion.service.clocks.turn_clock import TurnClock
from companion.service.paying.due import Due, PaySheetJson
from companion.service.paying.ticks import Ticks
from companion.service.settings import DEFAULTS, TableSettings
from companion.service.settle import SettlePaymentJson, nets, settle

PaymentJson = TypedDict(
    "PaymentJson",
    {"from": str, "to": str, "coins": int, "chips": list[int], "in_chips": str, "why": Words, "reason": str},
)
"""A payment, with the chips to count out."""


class TimerJson(TypedDict):
    """The turn timer: the time limit, and the start of the current turn."""

    seconds: int
    since: str


class PausedJson(TypedDict):
    """The reason and the start of the current hold."""

    why: Words
    since: str | None


class ViewExtensions(TypedDict):
    """The keys of the table's view beyond the game's own."""

    chips: list[int]
    "The chip values in use."
    payments: list[PaymentJson]
    "The payments of the last command that moved coins."
    pay_sheet: PaySheetJson | None
    "The dealer's steps for the coins of the latest decision; null once play has moved on and it is not partly ticked."
    chances: list[Mapping[str, object]]
    "Probabilities of the outcomes of the next card or throw, in the game's own format."
    settle_up: list[SettlePaymentJson]
    "Payments after which everybody is even."
    timer: TimerJson | None
    paused: PausedJson | None
    practice: Words | None
    "Two or three sentences about the current step, in practice mode."
    clock_set: NotRequired[int]
    """By how many seconds the machine's clock was set ahead since the session began (negative: back); left out if it
    was not. Times in the game's own view are by the clock as it was at the beginning."""


class IfCut(TypedDict):
    """What a player owes if a suit is cut, and the odd coin that then goes into a pot."""

    player: str
    coins: int
    odd_coin: NotRequired[int]


class Stack(TypedDict):
    """A suit for whose cut players pay; the game's view has further keys."""

    if_cut: list[IfCut]


@dataclass(frozen=True, slots=True)
class ViewContext:
    """Inputs of the view extensions besides the game's view and state."""

    ledger: Ledger = field(default_factory=Ledger)
    gains: Mapping[Account, int] = field(default_factory=dict)
    "Each party's net result at the beginning of the session."
    latest_transfers: tuple[Transfer, ...] = ()
    "Transfers of the last command that moved coins."
    due: Due | None = None
    "The pay sheet of the latest decision, with its ticks."
    ticks: Ticks = Ticks()  # noqa: RUF009 (a frozen value)
    clock: TurnClock = TurnClock()  # noqa: RUF009 (a frozen value)
    clock_set: int = 0
    "Seconds by which the machine's clock was set ahead since the session began."
    tonight: Tonight = field(default_factory=Tonight)
    settings: TableSettings = DEFAULTS
    plugin: GamePlugin | None = None
    "The current game's plugin; None if only its rules are known."

    @property
    def house_before(self) -> int:
        """The bank's net gain this evening before this session, negative for a loss."""
        return self.gains.get(HOUSE, 0)

    def tonight_of(self, players: Iterable[str]) -> dict[str, TonightJson]:
        """Return the evening's totals of these players, by name."""
        ever = brought_ever(self.ledger, self.gains)
        return {player: self.tonight.to_json(player, ever) for player in players}

    @property
    def waits_for(self) -> Due | None:
        """The pay sheet that the table waits for, or None."""
        return self.due if self.due is not None and self.due.waits(self.settings.wait_for_payments) else None

    @property
    def odds(self) -> OddsPart:
        """The game's exact odds; an empty part if it has none."""
        return self.plugin.odds if self.plugin is not None else OddsPart()

    def smallest_chip(self, state: Any) -> int:
        """Return the value of the smallest chip in play."""
        return self.plugin.rules.smallest_chip(state) if self.plugin is not None else 1

    def house_state(self, state: Any) -> HouseState | None:
        """Return a game's state as that of a game against the house, or None."""
        return self.plugin.house_state(state) if self.plugin is not None else None


def view_extensions(view: TableView, state: Any, context: ViewContext) -> ViewExtensions:
    """Return the further keys of the room's view; in games with pots also ``stacks``, limited to what players have."""
    settings = context.settings
    shown: ViewExtensions = {
        "chips": list(settings.chips),
        "payments": payments(context.latest_transfers, settings.chips, context.smallest_chip(state)),
        "pay_sheet": _pay_sheet(context),
        "chances": context.odds.chances(state) if settings.chances else [],
        "settle_up": [payment.to_json() for payment in settle(nets(context.ledger, context.gains))],
        "timer": _timer(view, context),
        "paused": _paused(view, context),
        "practice": practice_text(view, context.plugin) if settings.practice else None,
    }
    if context.clock_set:
        shown["clock_set"] = context.clock_set
    if not view.get("pots") or "stacks" not in view:
        return shown
    stacks = payable(cast("Sequence[Stack]", view["stacks"]), context.ledger)
    return cast(ViewExtensions, {**shown, "stacks": stacks})


def practice_text(view: TableView, plugin: GamePlugin | None) -> str | None:
    """Return two or three sentences about the current step, or None."""
    if view.get("hold"):
        return message("The table is on hold: nothing counts until it is released.")
    return plugin.practice(view) if plugin is not None and plugin.practice is not None else None


def _pay_sheet(context: ViewContext) -> PaySheetJson | None:
    settings, due = context.settings, context.due
    return due.to_json(settings.chips, settings.wait_for_payments) if due is not None and due.is_shown else None


def _paused(view: TableView, context: ViewContext) -> PausedJson | None:
    why = view.get("hold")
    return {"why": why, "since": context.clock.at(context.clock_set).held_since} if why else None


def _timer(view: TableView, context: ViewContext) -> TimerJson | None:
    """Return the turn timer; None if nobody's turn is running or the table is on hold."""
    seconds, since = context.settings.turn_seconds, context.clock.at(context.clock_set).turn_since
    if seconds is None or view.get("hold") or not view.get("turn") or since is None:
        return None
    return {"seconds": seconds, "since": since}


def payable(stacks: Sequence[Stack], ledger: Ledger) -> list[Stack]:
    """Return stacks with each player's payment, if the suit were cut now, limited to the coins they have.

    ``odd_coin`` is limited to what is left after that. With credit nothing is limited.
    """
    if ledger.credit:
        return list(stacks)
    return [{**stack, "if_cut": [_within_means(line, ledger) for line in stack["if_cut"]]} for stack in stacks]


def _within_means(line: IfCut, ledger: Ledger) -> IfCut:
    has = max(ledger.balance(line["player"]), 0)
    paid: IfCut = {**line, "coins": min(line["coins"], has)}
    if "odd_coin" in line:
        paid["odd_coin"] = min(line["odd_coin"], has - paid["coins"])
    return paid


def payments(moved: Sequence[Transfer], chips: Sequence[int], smallest: int = 1) -> list[PaymentJson]:
    """Return the payments with the chips to count out, without transfers between accounts of the same owner.

    ``why`` is translated for pages; ``reason`` is its message key, for scripts.

    >>> payments([Transfer(Account.player("Ann"), Account.pot(6), 7, "buys Kin")], (1, 5, 10))[0]["chips"]
    [5, 1, 1]
    """
    found: list[PaymentJson] = []
    for transfer in moved:
        payer, payee = transfer.payer.owner, transfer.payee.owner
        if payer != payee:
            counted = broken_down(transfer.coins, chips, smallest)
            reason = transfer.why.key if isinstance(transfer.why, Message) else transfer.why
            found.append({"from": payer.label, "to": payee.label, "coins": transfer.coins, "chips": list(counted),
                          "in_chips": chip_words(counted), "why": transfer.why, "reason": reason})  # fmt: skip
    return found
