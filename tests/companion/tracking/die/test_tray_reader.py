"""The frame judge's reading becomes the tray reader's verdict."""

from types import SimpleNamespace

import numpy as np
import pytest

from companion.tracking.dice.questions import about_leaning, about_unsure
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.tray import Spot
from companion.vision.dice.decision_policy import PERHAPS_OFF_AXIS, DieReading

BOX = (10, 10, 90, 90)


def verdict_of(reading: DieReading):
    judge = SimpleNamespace(observe=lambda image, die: reading)
    reader = TrayReader(judge=judge, finder=SimpleNamespace())
    return reader.observe(np.zeros((120, 120, 3), np.uint8), Spot(BOX))


@pytest.mark.parametrize(
    ("reason", "trouble", "likely"),
    [("not sure", "unsure", ("17",)), ("leaning", "leaning", ("17",)), (PERHAPS_OFF_AXIS, "aside", ())],
)
def test_a_reading_without_a_value_says_why_and_names_no_face_that_may_not_be_upper(reason, trouble, likely):
    verdict = verdict_of(DieReading("d20", None, None, 0.9, BOX, reason, ("17",)))
    assert (verdict.value, verdict.trouble, verdict.likely) == (None, trouble, likely)


def test_a_die_that_may_be_seen_from_aside_is_asked_about_with_what_to_do():
    question = about_unsure(1, verdict_of(DieReading("d20", None, None, 0.9, BOX, PERHAPS_OFF_AXIS, ("17",))), None)
    assert "Put the camera straight above the tray, or tell the table how it looks." in str(question.text)
    assert [choice.id for choice in question.choices] == ["again"]
    assert question.to_json()["link"] == {"href": "/setup/axis", "label": "Tell how the camera looks"}


def test_only_what_the_camera_may_be_to_blame_for_leads_to_where_it_is_told_how_it_looks():
    assert "link" not in about_leaning(1, in_a_row=1).to_json()
    asked = about_leaning(2, in_a_row=2)
    assert asked.to_json()["link"]["href"] == "/setup/axis"
    assert "put it straight above, or tell the table how it looks." in str(asked.text)
    unsure = verdict_of(DieReading("d20", None, None, 0.9, BOX, "not sure", ("17",)))
    assert "link" not in about_unsure(1, unsure, None).to_json()
