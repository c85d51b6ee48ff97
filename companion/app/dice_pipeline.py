"""The camera side of a dice table for ``companion run``: the die's sight, and who teaches it new dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from companion.config.tables import DieConfig
from companion.journal.evidence import EvidenceRing
from companion.journal.hash_chain import EntryJson
from companion.service.table_service import TableService
from companion.tracking.dice.enrollment import DieSchool
from companion.tracking.dice.fairness_watch import DieFairness
from companion.tracking.dice.reader import DiceEye
from companion.tracking.dice.sight import WHOLE, DieSight, Zone
from companion.tracking.dice.throws import ANY_THROW, ThrowRules
from companion.tracking.watch import TableWatch
from companion.vision.dice.enrolled import EnrolledDice

_AT_ONCE: Final = 500


def die_sight(
    die: DieConfig,
    rules: Callable[[], ThrowRules] | None,
    evidence: EvidenceRing,
    service: TableService,
    zone: Zone | None = None,
    *,
    data_dir: Path | None = None,
) -> DieSight:
    """Return the sight of a table that is played with one die.

    Args:
        data_dir: where the house's own dice are kept; None to know none.
        zone: the demo tray's own; else the configured one, else the whole picture.
    """

    def entries(after: int) -> Sequence[EntryJson]:
        return service.events(after, _AT_ONCE, viewer="dealer")

    fairness = DieFairness(entries)
    where = zone or die.zone or WHOLE
    throws = ANY_THROW if rules is None else rules()
    sight = DieSight(DiceEye(die.kinds), throws, zone=where, evidence=evidence, fairness=fairness.report)
    if data_dir is not None:
        sight.know(EnrolledDice(data_dir).load(die.kinds))
    return sight


def die_school(watch: TableWatch, die: DieConfig, data_dir: Path) -> DieSchool:
    """Return who teaches the running table the house's own dice; what is learnt counts from the next throw on."""
    sight, dice = watch.sight, EnrolledDice(data_dir)
    if not isinstance(sight, DieSight):
        return DieSchool(watch, dice)
    school = DieSchool(watch, dice, zone=sight.zone, on_change=lambda: sight.know(dice.load(die.kinds)))
    sight.attend(lambda: school.is_open)
    return school
