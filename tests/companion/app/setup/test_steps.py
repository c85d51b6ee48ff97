"""Verdicts of the set-up steps: passed only if something was verified."""

from pathlib import Path

import pytest

from companion.app.setup.progress import PROGRESS, read_progress, write_progress
from companion.app.setup.shapes import CardShown, Meters, PanelState
from companion.app.setup.steps import (
    Verdict,
    camera_verdict,
    card_verdict,
    mat_verdict,
    panel_verdict,
    players_verdict,
    skipped,
)
from companion.kernel.messages import Message, message
from companion.objects.keeping import NotKept

GOOD: Meters = {
    "size": [1920, 1080], "glare_percent": 0.5, "flicker_percent": 0.4, "edge_px": 1.6, "px_per_mm": 2.0, "tags": 4,
}  # fmt: skip


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        ({"edge_px": 3.4}, "blurred"),
        ({"glare_percent": 9.0}, "burnt out"),
        ({"flicker_percent": 11.0}, "flickers"),
        ({"px_per_mm": 1.0}, "Mount the camera lower"),
        ({"px_per_mm": None, "edge_px": None, "tags": 0}, "Lay one down"),
        ({"flicker_percent": None}, "light was not measured"),
    ],
)
def test_a_picture_that_is_not_good_enough_is_no_pass(seen: dict[str, float | None], says: str) -> None:
    found = camera_verdict({**GOOD, **seen}, reads_cards=True)  # type: ignore[typeddict-item]
    assert found.status == "not-good"
    assert len(found.why) == 1
    assert says in found.why[0]


def test_a_good_picture_passes_and_a_game_without_cards_needs_nothing_printed_in_it() -> None:
    assert camera_verdict(GOOD, reads_cards=True).status == "passed"
    bare: Meters = {**GOOD, "px_per_mm": None, "edge_px": None, "tags": 0}
    assert camera_verdict(bare, reads_cards=False).status == "passed"


def shown(status: str, deck: str | None = "K7QX", *, is_own: bool = False) -> CardShown:
    return {"status": status, "card": "6D3", "deck": deck, "is_own": is_own, "text": "…", "picture": None}  # type: ignore[typeddict-item]


@pytest.mark.parametrize("status", ["none", "tag", "forged", "foreign", "unreadable"])
def test_only_a_card_whose_code_was_read_passes(status: str) -> None:
    assert card_verdict(shown(status)).status == "not-good"
    assert card_verdict(shown("ok")) == Verdict("passed", ("Kin day 3 of deck K7QX was read.",))
    assert card_verdict(shown("tag", is_own=True)).status == "passed", "an enrolled face has no code"


def test_no_mat_or_the_mat_of_another_game_is_not_good() -> None:
    assert mat_verdict({"ok": False, "troubles": ["No mat was seen."]}, ["roche"]).why == ("No mat was seen.",)
    assert (
        "Lay the mat of this game: roche" in mat_verdict({"ok": True, "troubles": [], "mat": "rochi"}, ["roche"]).why[0]
    )
    assert mat_verdict({"ok": True, "troubles": [], "mat": "roche"}, ["roche"]).status == "passed"


def panel(*troubles: str) -> PanelState:
    return {"lines": ["lamp/deal", "buzzer"], "buttons": ["undo"], "troubles": list(troubles), "testing": False,
            "line": None, "pressed": [], "down": []}  # fmt: skip


def test_a_panel_passes_once_every_part_was_tried_and_works() -> None:
    works = {"lamp/deal": True, "buzzer": True, "button/undo": True}
    assert panel_verdict(panel(), works).status == "passed"
    assert "3 of 3 parts were not tried" in panel_verdict(panel(), {}).why[0]
    assert "do not work: buzzer" in panel_verdict(panel(), works | {"buzzer": False}).why[0]
    assert panel_verdict(panel("No power."), works).why == ("No power.",)
    assert panel_verdict(None, {}).status == "skipped", "no panel is no pass"


def test_simulated_players_are_nobody() -> None:
    assert players_verdict([], (), None).status == "not-good"
    assert players_verdict(["Ann", "Bob"], ("Ann", "Bob"), None).status == "skipped"
    assert players_verdict(["Ann", "Bob"], ("Ann",), None) == Verdict("passed", ("Bob sits at the table.",))
    assert players_verdict(["Ann"], (), "Two at least.").why == ("Two at least.",)


def test_verdicts_are_kept_in_any_language_and_ticks_of_an_earlier_version_are_not(tmp_path: Path) -> None:
    write_progress(
        tmp_path, {"mat": skipped(), "camera": Verdict("not-good", (message("It is {what}.", what="dark"),))}
    )
    found = read_progress(tmp_path)
    assert list(found) == ["camera", "mat"], "in the steps' order"
    assert found["camera"].why == ("It is dark.",)
    assert isinstance(found["camera"].why[0], Message)
    for broken in ('["game", "camera"]', "nonsense", '{"camera": {"status": "fine"}, "coffee": {"status": "passed"}}'):
        (tmp_path / PROGRESS).write_text(broken)
        assert read_progress(tmp_path) == {}


def test_where_nothing_can_be_written_that_is_said_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    with pytest.raises(NotKept, match=r"setup\.json cannot be written .*\. Make room on the disk, or give this user"):
        write_progress(tmp_path / "data", {"camera": skipped()})
