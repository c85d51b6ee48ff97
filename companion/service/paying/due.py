"""The current pay sheet of a table, which of its steps are ticked, and what has to wait for the others."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from typing_extensions import TypedDict

from companion.journal.hash_chain import Entry
from companion.journal.store import JournalReader
from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.commands import TABLE_VERBS
from companion.kernel.errors import WrongPhase
from companion.kernel.events import Decided
from companion.kernel.game import Game
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, Words, joined, message, plural
from companion.kernel.table import Step as Played
from companion.kernel.table import Table
from companion.service.paying.sheet import TICKED, PaySheet, PayStepJson, Step, pay_sheet
from companion.service.paying.ticks import PAID, Tick, Ticks, fewest_counted, place_of, tick_in, tick_of

STAYS_OPEN: Final = frozenset(TABLE_VERBS)
"""Verbs allowed while the table waits for payments: undo, hold, and those of the cashier."""


class PaySheetJson(TypedDict):
    """The dealer's steps for the coins that the latest decision moved, in order."""

    id: str
    steps: list[PayStepJson]
    house: int | None
    "The bank's gain, negative for a loss; null if it has no part."
    paid: list[str]
    "Keys of the ticked steps."
    left: int
    "Number of steps still to be ticked."
    waits: bool
    "Whether the table refuses other commands until all steps are ticked."
    is_past: bool
    "Whether play has moved on; such a sheet is shown only while partly ticked."


@dataclass(frozen=True, slots=True)
class Due:
    """A pay sheet and its ticks."""

    id: str
    sheet: PaySheet
    name: Callable[[Account], Words]
    must_be_paid: bool
    "Whether a table that waits for payments waits for these: those of a decision, or paid by the house."
    is_past: bool
    "Whether play has moved on."
    smallest_chip: int = 1
    "Value of the smallest chip in play."
    paid: frozenset[str] = field(default_factory=frozenset)
    "Keys of the ticked steps."

    @property
    def open(self) -> tuple[Step, ...]:
        """The steps still to be ticked."""
        return tuple(step for step in self.sheet.steps if step.kind in TICKED and step.key not in self.paid)

    @property
    def is_shown(self) -> bool:
        """Whether the pages show it: until play moves on, or as long as it is partly ticked."""
        return not self.is_past or bool(self.paid and self.open)

    def steps(self, keys: Collection[str]) -> tuple[Step, ...]:
        """Return the steps with these keys, except those that cannot be ticked."""
        return tuple(step for step in self.sheet.steps if step.kind in TICKED and step.key in keys)

    def ticked(self, ticks: Ticks) -> Self:
        """Return the sheet with these ticks."""
        return replace(self, paid=ticks.of(self.id, (step.key for step in self.sheet.steps)))

    def undone(self, count: int) -> Mapping[Tick, Step]:
        """Return the ticked steps of commands that are no longer in effect.

        Args:
            count: the number of effective commands.
        """
        ticked = {tick_in(self.id, step.key): step for step in self.steps(self.paid)}
        return {tick: step for tick, step in ticked.items() if tick[0] >= count}

    def waits(self, is_on: bool) -> bool:
        """Whether the table waits for this sheet.

        Args:
            is_on: whether the table is set to wait for payments.
        """
        return is_on and self.must_be_paid and bool(self.open)

    @property
    def why(self) -> Message:
        """The reason to give for a command that has to wait."""
        left = self.open
        return plural(
            "{n} payment is not ticked yet: {steps}. Tick it on the pay sheet, or undo.",
            "{n} payments are not ticked yet: {steps}. Tick them on the pay sheet, or undo.",
            len(left),
            steps=joined([step.says(self.name) for step in left], "; "),
        )

    def check(self, verb: object, is_on: bool) -> None:
        """Raise if a command has to wait for a payment.

        Args:
            verb: the command's verb.
            is_on: whether the table is set to wait for payments.

        Raises:
            WrongPhase: a payment step is not ticked yet.
        """
        if verb not in STAYS_OPEN and self.waits(is_on):
            raise WrongPhase(self.why)

    def to_json(self, chips: tuple[int, ...], is_on: bool) -> PaySheetJson:
        """Return the sheet for a page, with amounts in chips of these values."""
        return {
            "id": self.id,
            "steps": [step.to_json(chips, self.smallest_chip, self.name) for step in self.sheet.steps],
            "house": self.sheet.house,
            "paid": [step.key for step in self.sheet.steps if step.key in self.paid],
            "left": len(self.open),
            "waits": self.waits(is_on),
            "is_past": self.is_past,
        }


def due_at(table: Table, ticks: Ticks) -> Due | None:
    """Return the sheet of the latest command that settled coins, or None.

    Purchases after a decision are added to its sheet: players make them in quick succession, while the dealer is still
    paying. The purchases of the round that it ended are included too, since the decision itself pays for none of them;
    but if nothing was ever ticked, the decision's payments replace them, as they replace those of the previous
    decision. Bets, stakes taken back and the cashier's coins are never paid out. Once play has moved on, a sheet
    without a tick is dropped.
    """
    purchases, since = table.game.purchases, list[Played]()
    found: list[tuple[int, Played]] = []
    is_decided = is_past = False
    for count, played in table.played():
        settles = _settles(played)
        if played.record["do"] in purchases:
            if settles and (is_decided or not _has_gone_on(table, played, since[::-1])):
                found.append((count, played))
        elif settles or (purchases and _ends_round(table, played)):
            has_gone_on = _has_gone_on(table, played, since[::-1])
            if found and (is_decided or has_gone_on):
                break
            is_decided, is_past = True, has_gone_on
            if settles:
                found.append((count, played))
                if not (purchases and ticks.are_before(count)):
                    break
        since.append(played)
    due = _due(table, found[::-1], ticks, is_past) if found else None
    return None if due is None or (is_past and not due.paid) else due


def _ends_round(table: Table, played: Played) -> bool:
    """Whether a command is a decision, with payments or without, rather than a follow-up that completes one."""
    return _is_decision(played) and played.record["do"] not in table.game.follow_ups


def ticks_of(table: Table, reader: JournalReader, session: int, latest: Sequence[Entry]) -> Ticks:
    """Restore the ticks of the current sheet from the journal, however long ago they were made.

    Args:
        latest: the journal's latest entries, which usually include all ticks; further ones are read only if needed.
    """
    given = ((entry, tick_of(entry)) for entry in reader.notices(f'"{PAID}"') if entry.session == session)
    least = _latest_place(table)
    first = next((entry.seq for entry, tick in given if tick and place_of(tick["sheet"]) >= least), None)
    if first is not None and latest and first < latest[0].seq:
        latest = tuple(reader.entries(first - 1))
    return Ticks().after(latest, len(table.records))


def _latest_place(table: Table) -> int:
    """Return a lower bound for the current sheet's place: the effective commands before its first command."""
    if table.game.purchases:
        return 0
    return next((count for count, played in table.played() if _settles(played)), 0)


def _has_gone_on(table: Table, decided: Played, since: Sequence[Played]) -> bool:
    """Whether play has moved on since a decision: the phase has changed, or the deciding verb was given again.

    Commands that only complete the decision (`follow_ups`) belong to it, and must not take its sheet away.

    Args:
        since: the commands after the decision, in order.
    """
    last = decided
    for played in since:
        verb = played.record["do"]
        if verb in table.game.follow_ups:
            last = played
        elif verb not in STAYS_OPEN:
            break
    verb = decided.record["do"]
    is_again = verb not in table.game.purchases and any(played.record["do"] == verb for played in since)
    return is_again or str(last.after.state.phase.value) != table.phase


def undone_ticks(
    table: Table, due: Due | None, before: Ticks, after: Ticks, entries: Sequence[Entry]
) -> Mapping[Tick, tuple[str, Message]]:
    """Return the ticked steps of commands that the table's latest entries have undone: their coins have to move back.

    Args:
        due: the sheet before these entries.
        before, after: the ticks before and after them.
        entries: consecutive entries of one session.

    Returns:
        Key and sentence of each step.
    """
    count, given = fewest_counted(entries, len(table.records)), before.and_given(entries)
    sheets = [_due(table, [one], given, is_past=True) for one in table.undone() if given.are_of(one[0])]
    sheets += [] if due is None else [due.ticked(given)]
    undone = ((sheet, *one) for sheet in sheets for one in sheet.undone(count).items())
    return {tick: (step.key, step.says(sheet.name)) for sheet, tick, step in undone if tick not in after.done}


def _settles(played: Played) -> bool:
    if played.after.hold is not None:  # the payments are withheld
        return False
    is_decision = _is_decision(played)
    return any(
        CAGE not in (move.payer, move.payee) and (is_decision or move.payer.owner != move.payee.owner)
        for move in _moves(played)
    )


def _is_decision(played: Played) -> bool:
    return any(isinstance(event, Decided) for event in played.happened)


def _moves(played: Played) -> Iterator[Transfer]:
    return (event for event in played.happened if isinstance(event, Transfer))


def _due(table: Table, decided: Sequence[tuple[int, Played]], ticks: Ticks, is_past: bool) -> Due:
    """Return the combined sheet of commands, each with its place (the effective commands before it).

    The sheet is named after the first command.
    """
    sheets = [(count, played, _sheet(played)) for count, played in decided]
    count, _, first = sheets[0]
    # A purchase may be on two successive sheets, so its keys always include its place.
    steps = [
        replace(step, place=place) if place != count or played.record["do"] in table.game.purchases else step
        for place, played, sheet in sheets
        for step in sheet.steps
    ]
    whole = PaySheet(tuple(steps))
    must_be_paid = whole.pays_from_house or any(_is_decision(played) for _, played in decided)
    name = f"{count}-{first.digest}"
    smallest = table.game.smallest_chip(decided[-1][1].after.state)
    return Due(name, whole, _names(table.game), must_be_paid, is_past, smallest).ticked(ticks)


def _sheet(played: Played) -> PaySheet:
    decided = [event for event in played.happened if isinstance(event, Decided)]
    return pay_sheet(_moves(played), [bet for event in decided for bet in event.paid_now])


def _names(game: Game[Any]) -> Callable[[Account], Words]:
    """Return the function that names an account within a sentence."""

    def name(account: Account) -> Words:
        if account.kind is Kind.POT:
            return game.pot_name(int(account.name) if account.name.isdecimal() else account.name)
        if account == HOUSE:
            return message("the house")
        return message("the cashier") if account == CAGE else account.name

    return name
