"""Connects the finder and the frame judge to `DieSight`: reads the die in the tray frame by frame."""

from collections.abc import Collection, Sequence
from typing import Final

from companion.objects.dice import TWENTY_FACES, DieKind
from companion.tracking.dice.tray import Spot
from companion.tracking.dice.verdict import Trouble, Verdict
from companion.vision.dice.axis import Axis
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.decision_policy import LEANING, PERHAPS_OFF_AXIS, DieReading
from companion.vision.dice.enrolled import EnrolledDie
from companion.vision.dice.finding.finder import Finder, shared_finder
from companion.vision.dice.watch import FrameJudge
from companion.vision.frame import Image

MIN_PX: Final = 48
"""Minimum die size to search for: a smaller die cannot be read, and searching for it takes longer."""
_MIN_RELATIVE_SIZE: Final = 0.6  # minimum size of a die, as a share of the one read last
_MAX_DISTANCE: Final = 0.3  # in die sizes


class TrayReader:
    """Detects and reads dice over several frames; see `companion.tracking.dice.verdict.DieReader`.

    Args:
        kinds: the dice whose throws count.
        finder: the shared one if not given.
        judge: a new one if not given.
    """

    def __init__(
        self,
        kinds: Collection[DieKind] = TWENTY_FACES,
        *,
        finder: Finder | None = None,
        judge: FrameJudge | None = None,
    ) -> None:
        self._finder = finder or shared_finder()
        self._judge = judge or FrameJudge(kinds)
        self._found: tuple[DieBox, ...] = ()
        self._size_px = 0

    def find(self, image: Image) -> Sequence[Spot]:
        least = max(MIN_PX, round(_MIN_RELATIVE_SIZE * self._size_px))
        self._found = self._finder.find(image, least_px=least)
        return [Spot(die.box) for die in self._found]

    def start(self) -> None:
        self._judge.reset()

    def set_known_dice(self, dice: Sequence[EnrolledDie]) -> None:
        self._judge.set_enrolled(dice)

    def set_axis(self, axis: Axis | None) -> None:
        self._judge.set_axis(axis)

    def observe(self, image: Image, spot: Spot) -> Verdict | None:
        near = [die for die in self._found if spot.apart(Spot(die.box)) < _MAX_DISTANCE]
        die = near[0] if near else DieBox(spot.box, 1.0)
        self._size_px = die.size_px
        reading = self._judge.observe(image, die)
        return None if reading is None else _verdict(reading)


def _verdict(reading: DieReading) -> Verdict:
    if reading.value is not None:
        return Verdict(reading.kind, reading.value, reading.face, reading.confidence)
    trouble: Trouble = "unsure"
    if reading.reason == LEANING:
        trouble = "leaning"
    elif reading.reason == PERHAPS_OFF_AXIS:
        return Verdict(reading.kind, None, None, reading.confidence, "aside")  # the likely face may be a side face
    elif not reading.is_known_kind or reading.reason in ("not expected", "another kind of die"):
        trouble = "wrong-kind"
    kind = reading.kind if reading.is_known_kind else None
    likely = () if kind is None or kind == "d6" else reading.likely
    return Verdict(kind, None, None, reading.confidence, trouble, likely)
