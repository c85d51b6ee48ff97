"""Checks of a job before it is applied to the table, beyond the rules of the game."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from companion.journal.hash_chain import Draft, Entry
from companion.journal.replay import Open
from companion.journal.seals import PROOF, SEALED
from companion.kernel.commands import Record, Undo
from companion.kernel.errors import BadScript, KeyReused, NothingDone, Outdated, OverLimit, WrongPhase
from companion.kernel.ledger import Ledger
from companion.kernel.messages import Words
from companion.kernel.table import Table, is_disputed
from companion.service.committing.jobs import TIME, Job
from companion.service.paying.due import Due

FLOOR: Final = "floor"
"""Source of the commands that move coins between the table and a purse of the house."""
TRANSFER: Final = "transfer"
"""Field with the transfer's id in those commands, and the prefix of their keys."""
MAX_COINS_COUNTED: Final = 2**53 - 1
"""Largest integer up to which every integer is exact in JavaScript; beyond, pages would show wrong sums."""


def check_same(known: Draft | Entry, job: Job, unsealed: Open) -> None:
    """Check that a repeated key comes with the same command as before.

    A sealed command must also come from the same source, so that nobody can find out a secret by trying.

    Args:
        known: the entry or draft with this key.
        unsealed: opens sealed commands.

    Raises:
        KeyReused: the key belongs to another command.
    """
    given = unsealed(record := json.loads(known.record))
    is_mine = given is record or known.source == job.source
    if not is_mine or _as_given(given) != _as_given(json.loads(job.text)):
        what = known.record if given is record else SEALED
        raise KeyReused(f"The key {job.key!r} belongs to another command ({what}). Give each command its own key.")


def _as_given(record: Record) -> str:
    """Return a command without the fields that the table adds."""
    return json.dumps({name: value for name, value in record.items() if name not in (PROOF, TIME)}, sort_keys=True)


def check_kind(entry: Entry, job: Job) -> None:
    """Check that a repeated key comes with the same kind of request as before.

    Raises:
        KeyReused: the key belongs to another kind.
    """
    if entry.kind != job.kind:
        raise KeyReused(f"The key {job.key!r} belongs to another request ({entry.kind}). Give each its own key.")


def check_session(job: Job, session: int) -> None:
    """Check that a job is meant for the current session: a command for one game must not count in another.

    Raises:
        WrongPhase: it is meant for another session.
    """
    if job.session is not None and job.session != session:
        raise WrongPhase.saying("Another game has begun meanwhile, so this was not played. Look at the table.")


@dataclass(frozen=True, slots=True)
class LastChange:
    """The last entries that changed the table.

    Attributes:
        seq: of the last one; notices change nothing.
        visible: seq of the last one whose effect is visible. The giver of a secret command cannot know of commands
            that others have sealed.
    """

    seq: int
    visible: int

    def after(self, seq: int, entry: Draft | Entry) -> Self:
        """Return the last changes after another entry."""
        if entry.kind == "notice":
            return self
        return replace(self, seq=seq, visible=self.visible if _is_only_sealed(entry) else seq)

    def check(self, job: Job, head: int, *, is_secret: bool) -> None:
        """Check that the table has not changed since the job's giver saw it.

        So two people who react to the same state act only once.

        Args:
            head: seq of the journal's last entry. A later one was seen in another journal, before a backup was
                restored.

        Raises:
            Outdated: the table has changed; for a secret command: changed visibly.
        """
        latest = self.visible if is_secret else self.seq
        if job.after is not None and not latest <= job.after <= head:
            raise Outdated.saying("Something came in between, so this was not played. Look at the table.")


def _is_only_sealed(entry: Draft | Entry) -> bool:
    """Whether an entry is a secret command without a visible effect.

    Its first event only says that it was given; further ones are its visible effects. The last vote of a ballot, say,
    ends the ballot: commands meant for that ballot must not count in the next.
    """
    is_sealed = entry.kind == "command" and json.loads(entry.record).get("do") == SEALED
    return is_sealed and len(json.loads(entry.events)) <= 1


def check_transfer(job: Job, table: Table) -> None:
    """Check that only the floor's link transfers coins from or to the house, and that no transfer is undone.

    Raises:
        BadScript: a command names a transfer, but is not the floor's under that transfer's key.
        WrongPhase: an undo would revert a transfer at this table, but not in the house's books.
    """
    if job.kind != "command" or not (TRANSFER in job.text or Undo.verb in job.text):
        return
    record = json.loads(job.text)
    named = record.get(TRANSFER)
    if named is not None and (job.source != FLOOR or job.key != f"{TRANSFER}/{named}"):
        raise BadScript(f"Only the house's floor moves coins with a {TRANSFER!r}. Leave it out.")
    if record.get("do") != Undo.verb:
        return
    count = table.misdeal_length() if job.is_misdeal else 1
    if any(TRANSFER in record for record in table.records[-count:]):
        raise WrongPhase.saying(
            "Coins came from or went to the house's purse since, and the house has booked that. Buy in or "
            "cash out instead of undoing it."
        )


def check_disputed(job: Job, hold: Words | None) -> None:
    """Refuse a job with ``spares_disputed`` while a payout is disputed: the dispute may be newer than the request.

    Args:
        hold: why the table is on hold, or None.

    Raises:
        WrongPhase: a payout is disputed.
    """
    if job.spares_disputed and is_disputed(hold):
        raise WrongPhase.saying("A payout is disputed. Look at it, and release it on the dealer's page.")


def checked_sheet(sheet: str, due: Due | None, steps: Sequence[str] | None = None) -> Due:
    """Return the current pay sheet if it has this id, and any of these steps.

    Args:
        sheet: the id of the sheet to tick.
        due: the current sheet.
        steps: keys of steps; None: no check.

    Raises:
        NothingDone: another sheet is current, or it has none of these steps that can be ticked.
    """
    if due is None or due.id != sheet or (steps is not None and not due.steps(steps)):
        raise NothingDone.saying("The pay sheet is another one now, so nothing was ticked. Look at it again.")
    return due


def check_counted(ledger: Ledger) -> None:
    """Check that pages can show every sum of the table's coins exactly.

    Raises:
        OverLimit: the coins exceed `MAX_COINS_COUNTED`.
    """
    if sum(map(abs, ledger.accounts.values())) > MAX_COINS_COUNTED:
        raise OverLimit.saying(
            "More than {most} coins would be counted at this table, and pages could not show them exactly. Take "
            "smaller amounts, or undo the largest bet.",
            most=MAX_COINS_COUNTED,
        )
