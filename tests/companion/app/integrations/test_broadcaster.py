"""What is shown of a table and told of what happens there, with the time set by hand."""

import logging
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from integration_rig import ASKED, ROCHE, Ears, IntegrationRig

from companion.app.integrations import broadcaster as broadcaster_module
from companion.app.integrations.broadcaster import Broadcaster, Sensors
from companion.app.integrations.public_snapshot import PublicSnapshot
from companion.config.integrations import AlarmsConfig
from companion.kernel.messages import message
from companion.testing import new_header

# ---- the snapshot


def test_coins_stay_as_many_wherever_they_lie(rig: IntegrationRig) -> None:
    before = rig.look().state
    rig.do(do="bet", player="Ann", on="cut/6", amount=7)
    after = rig.look().state
    assert (before["on_table"], before["in_play"]) == (200, 0)
    assert (after["on_table"], after["in_play"], after["staked"]) == (200, 7, 7)
    assert after["players"][0] == {"seat": 1, "name": "Ann", "coins": 93, "staked": 7}


def test_what_is_put_aside_is_on_the_table(tmp_path: Path) -> None:
    """A house that watches from outside must not miss coins because its players are at garnets."""
    with IntegrationRig(tmp_path, new_header("king-of-roulette")) as table:
        table.do(do="join", player="Ann", coins=6, aside=94)
        state = table.look().state
    assert (state["on_table"], state["players"][0]["coins"]) == (100, 100)


def test_pots_are_in_play(tmp_path: Path) -> None:
    header = new_header("rochi", tuple((name, 100) for name in ("Ann", "Bo", "Cy")))
    with IntegrationRig(tmp_path, header) as table:
        for card in ("2D1", "3D1", "4D1", "5D1", "6D1", "7D1"):
            table.do(do="seed", card=card)
        table.do(do="play", card="6N2")
        state = table.look().state
    assert sum(state["pots"].values()) == state["in_play"] > 0
    assert state["on_table"] == 300


def test_bets_are_open_until_they_are_closed(rig: IntegrationRig) -> None:
    assert rig.look().bets["open"] is True
    rig.do(do="no-more-bets")
    bets = rig.look(5.0).bets
    assert bets == {"open": False, "since": "2026-05-01T12:00:05.000Z"}
    assert rig.look(5.0).bets == bets


@pytest.mark.parametrize(("game", "is_open"), [("roulette", True), ("rugen-house", True), ("blackjack", True),
                                               ("rochi", None), ("captains", None), ("holdem", None)])  # fmt: skip
def test_which_games_have_bets_to_close(tmp_path: Path, game: str, is_open: bool | None) -> None:
    names = ("Ann", "Bo") if game == "captains" else ("Ann", "Bo", "Cy")
    header = new_header(game, tuple((name, 1000) for name in names))
    with IntegrationRig(tmp_path, header) as table:
        assert table.look().bets["open"] is is_open


def test_bets_on_a_table_on_hold_are_not_taken(rig: IntegrationRig) -> None:
    rig.do(do="hold")
    snapshot = rig.look()
    assert (snapshot.bets["open"], snapshot.state["hold"]) == (False, "the dealer asked for it")


def test_a_question_is_told_without_what_it_says(rig: IntegrationRig) -> None:
    rig.service.set_questions("camera", [ASKED])
    snapshot = rig.look(3.0)
    since = "2026-05-01T12:00:03.000Z"
    assert snapshot.question == {"waiting": True, "count": 1, "kind": "duplicate", "blocks": True, "since": since}
    rig.service.answer("q1", "ok", source="dealer")
    assert rig.look(2.0).question == {"waiting": False, "count": 0, "kind": None, "blocks": False, "since": None}
    assert rig.ears.kinds() == ["question.asked", "question.answered"]


def test_the_machines_health(rig: IntegrationRig) -> None:
    assert rig.look().health == {
        "camera": "none", "panel": "ok", "disk": "ok", "disk_free_mb": 50_000, "journal": "ok", "behind_s": 0,
    }  # fmt: skip
    rig.free_bytes, rig.panel.troubles = 512_345_678, ("Pin 5 is taken.",)
    rig.service.set_camera("poor", "It is dark.")
    health = rig.look().health
    assert (health["camera"], health["panel"], health["disk"], health["disk_free_mb"]) == (
        "poor",
        "trouble",
        "low",
        500,
    )
    rig.free_bytes = 50_000_000
    assert rig.look().health["disk"] == "full"


# ---- what happens


def test_what_happens_is_told_in_order_with_the_journals_time(rig: IntegrationRig) -> None:
    rig.do(do="bet", player="Ann", on="cut/6", amount=5)
    rig.now += 1
    rig.do(do="undo")
    rig.look(9.0)
    assert [(one["type"], one["timestamp"][11:19], one["data"]["seq"]) for one in rig.ears.told] == [
        ("announcement", "12:00:00", 2), ("announcement", "12:00:01", 3), ("command.undone", "12:00:01", 3),
    ]  # fmt: skip
    assert rig.ears.told[0]["data"] == {
        "table": "table-1", "game": "roche", "seq": 2, "text": "Ann bets 5 on Kin to cut", "kind": "command",
        "source": "dealer",
    }  # fmt: skip


def test_a_decided_round_is_told_with_what_it_brought(tmp_path: Path) -> None:
    with IntegrationRig(tmp_path, new_header("roulette", (("Ann", 100), ("Bo", 100)))) as table:
        table.do(do="bet", player="Ann", on="red", amount=5)
        table.do(do="bet", player="Bo", on="straight/17", amount=1)
        table.do(do="no-more-bets")
        table.do(do="spin", pocket="3", source="camera")
        table.look()
        decided = next(one for one in table.ears.told if one["type"] == "round.decided")
    assert decided["data"]["gains"] == {"Ann": 5, "Bo": -1}
    assert table.ears.shown[-1].state["rounds"] == 1


def test_a_hold_and_its_release_between_two_looks_are_both_told(rig: IntegrationRig) -> None:
    rig.do(do="hold", source="panel")
    rig.do(do="release")
    rig.look()
    assert [(one["type"], one["data"]["source"]) for one in rig.ears.told if one["type"] != "announcement"] == [
        ("table.held", "panel"), ("table.released", "dealer"),
    ]  # fmt: skip


def test_another_game_is_told(rig: IntegrationRig) -> None:
    rig.do(do="hold")
    rig.do(do="release")
    rig.service.change_game(new_header("roulette"), source="dealer")
    assert rig.look().state["game"] == "roulette"
    changed = [one["data"] for one in rig.ears.told if one["type"] == "game.changed"]
    assert [(data["from"], data["game"]) for data in changed] == [("roche", "roulette")]
    held = next(one["data"] for one in rig.ears.told if one["type"] == "table.held")
    assert held["game"] == "roche"


def test_ticks_of_the_pay_sheet_are_not_announced(tmp_path: Path) -> None:
    with IntegrationRig(tmp_path, new_header("roulette", (("Ann", 100),))) as table:
        table.do(do="bet", player="Ann", on="red", amount=5)
        table.do(do="no-more-bets")
        table.do(do="spin", pocket="3")
        table.look()
        sheet = table.service.view("dealer")["pay_sheet"]
        assert sheet is not None
        before = len(table.ears.told)
        table.service.tick(sheet["id"], [sheet["steps"][0]["key"]], is_paid=True, source="dealer")
        table.look()
        assert len(table.ears.told) == before


def test_more_than_fits_into_one_look_is_told_in_several(rig: IntegrationRig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcaster_module, "MAX_ENTRIES", 4)
    for _ in range(10):
        rig.do(do="bet", player="Ann", on="cut/6", amount=1)
    assert [rig.broadcaster.poll() for _ in range(4)] == [True, True, False, False]
    assert [one["data"]["seq"] for one in rig.ears.told] == list(range(2, 12))


def test_sentences_are_in_the_houses_language(tmp_path: Path) -> None:
    with IntegrationRig(tmp_path, language="de") as table:
        table.do(do="hold")
        assert table.look().state["hold"] == table.service.translator(message("the dealer asked for it"), "de")
        assert "Tisch" in str(table.ears.told[0]["data"]["text"])


def test_a_restarted_table_does_not_tell_its_past_again(tmp_path: Path) -> None:
    with IntegrationRig(tmp_path) as table:
        table.do(do="hold")
        table.look()
    with IntegrationRig(tmp_path) as table:
        table.look()
        assert (table.ears.told, table.ears.shown[0].state["seq"]) == ([], 2)


# ---- the thread


class Deaf(Ears):
    def show(self, snapshot: PublicSnapshot) -> None:
        raise RuntimeError("our own mistake")


def test_a_mistake_of_a_listener_does_not_end_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcaster_module, "TICK_S", 0.05)
    with IntegrationRig(tmp_path) as table:
        broadcaster = Broadcaster(table.service, "table-1", AlarmsConfig(), Sensors(None, tmp_path))
        ears = Ears()
        broadcaster.add(ears)
        with broadcaster.start(), caplog.at_level(logging.CRITICAL):
            deaf = Deaf()
            broadcaster.add(deaf)
            table.do(do="hold")
            _until(lambda: ears.shown and ears.shown[-1].state["hold"])
            broadcaster._listeners.remove(deaf)
            table.do(do="release")
            _until(lambda: not ears.shown[-1].state["hold"])
        _until(lambda: not [thread for thread in threading.enumerate() if thread.name == "outside"])


def _until(is_so: Any) -> None:
    ends = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_the_tables_own_view_is_what_is_shown(rig: IntegrationRig) -> None:
    """Shown are the room's numbers, though they are read from the dealer's cheaper view."""
    rig.do(do="bet", player="Bo", on="day/3", amount=2)
    state, room = rig.look().state, rig.service.view("room")
    for key in ("game", "session", "seq", "rounds", "phase", "players", "pots", "staked", "house"):
        assert state[key] == room[key], key  # type: ignore[literal-required]
    assert ROCHE.game == state["game"]


def test_a_mistake_of_ours_does_not_keep_the_table_from_opening(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with IntegrationRig(tmp_path) as table:
        broadcaster = Broadcaster(table.service, "table-1", AlarmsConfig(), Sensors(None, tmp_path))
        broadcaster.add(Deaf())
        with broadcaster.start():
            assert "Internal error" in caplog.text
