"""What the judge of a die says becomes what the tray says of a throw."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from companion.tracking.dice.questions import about_unsure
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.tray import Spot
from companion.vision.dice.decision_policy import PERHAPS_ASIDE, DieReading

BOX = (10, 10, 90, 90)


def verdict_of(reading: DieReading):
    judge = SimpleNamespace(observe=lambda image, die: reading)
    reader = TrayReader(judge=judge, finder=SimpleNamespace())
    return reader.observe(np.zeros((120, 120, 3), np.uint8), Spot(BOX))


@pytest.mark.parametrize(
    ("reason", "trouble", "likely"),
    [("not sure", "unsure", ("17",)), ("leaning", "leaning", ("17",)), (PERHAPS_ASIDE, "aside", ())],
)
def test_a_reading_without_a_value_says_why_and_names_no_face_that_may_not_be_upper(reason, trouble, likely):
    verdict = verdict_of(DieReading("d20", None, None, 0.9, BOX, reason, ("17",)))
    assert (verdict.value, verdict.trouble, verdict.likely) == (None, trouble, likely)


def test_a_die_that_may_be_seen_from_aside_is_asked_about_with_what_to_do():
    question = about_unsure(1, verdict_of(DieReading("d20", None, None, 0.9, BOX, PERHAPS_ASIDE, ("17",))), None)
    assert "Put the camera straight above the tray, or set axis under [die]." in str(question.text)
    assert [choice.id for choice in question.choices] == ["again"]
