"""The game's equipment follows the table: camera, perception and demo are replaced when the game changes."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.app.game_rig import GameRig
from companion.app.pipeline import choose_perception
from companion.cli.calibrate import FILE_NAME as FILE_NAME_OF_MAT
from companion.config.file import parse_config
from companion.config.tables import Config
from companion.journal.store import FILE_NAME
from companion.plugins.demo import DemoControl
from companion.plugins.registry import Games
from companion.service.table_service import TableService
from companion.testing import INSTALLED, MATS, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.dice.sight import DieSight
from companion.tracking.several import SeveralSights
from companion.vision.dice.axis import ORTHOGRAPHIC, Axis, Lens
from companion.vision.dice.faces.classifier import has_network
from companion.vision.mat import MatCalibration

PATIENCE_S = 30.0
TOML = """
[table]
game = "{game}"
[camera]
source = "{camera}"
width = 640
height = 480
fps = 5
[[night]]
game = "roche"
at = "20:00"
[[night]]
game = "roulette"
at = "21:30"
"""
NIGHT = datetime(2026, 5, 1, 21, 0)


def eventually(holds: Callable[[], bool]) -> bool:
    """Wait until a condition holds, as another thread brings it about."""
    ends = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < ends:
        time.sleep(0.02)
    return holds()


Open = Callable[..., tuple[TableService, GameRig]]


@pytest.fixture
def open_rig(tmp_path: Path) -> Iterator[Open]:
    closing: list[Any] = []

    def make(
        camera: str, game: str = "roche", is_on: str | None = None, games: Games = INSTALLED
    ) -> tuple[TableService, GameRig]:
        config: Config = parse_config(Path("x.toml"), TOML.format(camera=camera, game=game), games)[0]
        players = (("Aubrey", 200), ("Benedict", 200), ("Celia", 200))
        service = TableService.open(tmp_path / FILE_NAME, new_header(game, players), games)
        if is_on:
            service.change_game(new_header(is_on), source="dealer")
        rig = GameRig(tmp_path, config, service, clock=lambda: NIGHT)
        closing.extend((rig, service))
        return service, rig.start(choose_perception(tmp_path, config, games))

    yield make
    for one in closing:
        one.close()


def test_the_camera_looks_for_what_the_game_is_played_with(open_rig: Open) -> None:
    """Cards, a die, chips and a wheel, cards again; a camera that is not there changes nothing about it."""
    service, rig = open_rig("97")
    assert isinstance(rig.watch.sight, CardSight)
    for game, sight in (("rugen-house", DieSight), ("roulette", SeveralSights), ("captains", CardSight)):
        if game == "captains":
            service.submit({"do": "cash-out", "player": "Celia"}, source="dealer")
            service.submit({"do": "leave", "player": "Celia"}, source="dealer")
        before = rig.watch
        service.change_game(new_header(game), source="dealer")
        assert eventually(lambda before=before: rig.watch is not before and rig.watch.is_alive)
        assert isinstance(rig.watch.sight, sight), game
        assert not before.is_alive
    assert rig.demo is None


@pytest.mark.thorough
def test_the_demo_goes_on_with_the_same_people(open_rig: Open) -> None:
    """The seated players continue in another game's demo."""
    service, rig = open_rig("demo")
    heard: list[DemoControl | None] = []
    rig.follow(lambda: heard.append(rig.demo))
    first = rig.demo
    assert first is not None
    first.auto(False)
    seats = service.view()["players"]
    first.pause()
    service.change_game(new_header("rugen-house"), source="dealer")
    assert rig.demo is None
    assert eventually(lambda: rig.demo is not None and heard[-1] is rig.demo)
    assert rig.demo is not None
    assert rig.demo.state()["auto"] is False
    assert [player["name"] for player in service.view()["players"]] == [player["name"] for player in seats]
    assert eventually(lambda: service.view()["camera"]["status"] == "ok")
    while service.view()["staked"]:
        service.submit({"do": "undo"}, source="dealer")
    service.change_game(new_header("roulette"), source="dealer")
    assert eventually(lambda: rig.demo is not None and service.view()["camera"]["status"] == "ok")


def test_a_game_without_a_demo_says_so_and_is_entered_by_hand(open_rig: Open) -> None:
    plain = replace(INSTALLED["roulette"], demo=None)
    others = [plugin for plugin in INSTALLED.values() if plugin.name != "roulette"]
    service, rig = open_rig("demo", "rugen-house", games=Games([*others, plain]))
    service.change_game(new_header("roulette"), source="dealer")
    assert eventually(lambda: rig.demo is None and service.view()["camera"]["status"] == "none")
    assert eventually(
        lambda: any("There is no demo of Roulette" in line["text"] for line in service.view("dealer")["notices"])
    )


@pytest.mark.skipif(not has_network(), reason="the network is not trained yet")
def test_a_die_that_is_being_taught_is_not_forgotten_when_another_game_begins(open_rig: Open) -> None:
    """Not even across a game without a camera."""
    plain = replace(INSTALLED["roulette"], demo=None)
    others = [plugin for plugin in INSTALLED.values() if plugin.name != "roulette"]
    service, rig = open_rig("demo", "chinchirorin", games=Games([*others, plain]))
    assert rig.enrollment is not None
    lesson = rig.enrollment.begin("house die", "d6")["enrollment"]
    service.change_game(new_header("roulette"), source="dealer")
    assert eventually(lambda: rig.enrollment is None)
    service.change_game(new_header("rugen-house"), source="dealer")
    assert eventually(lambda: rig.enrollment is not None)
    assert rig.enrollment.state()["enrollment"] == lesson is not None
    assert rig.enrollment.is_open


def seen_from(tilt_deg: float) -> MatCalibration:
    """The calibration of a camera that stands off towards the picture's lower side."""
    t, far, f = np.radians(tilt_deg), 900.0, 1400.0
    eye = np.array([300.0, 300.0 + far * np.sin(t), -far * np.cos(t)])
    turned = np.array([[1, 0, 0], [0, np.cos(t), np.sin(t)], [0, -np.sin(t), np.cos(t)]])
    lens = np.array([[f, 0, 640], [0, f, 480], [0, 0, 1]]) @ np.hstack([turned, (-turned @ eye)[:, None]])
    to_px = lens[:, [0, 1, 3]].tolist()
    return MatCalibration(MATS["rochi"], (1280, 960), tuple(map(tuple, to_px)), 1.5, 1.3, 0.2, 0.1)


def by_axis(rig: GameRig) -> Axis | None:
    """Return the axis for the next throw."""
    sight = rig.watch.sight
    assert isinstance(sight, DieSight)
    sight._reader.start()
    return sight._reader._judge.axis  # type: ignore[attr-defined]


@pytest.mark.skipif(not has_network(), reason="the network is not trained yet")
def test_what_is_told_of_the_camera_counts_at_once_and_in_the_games_that_follow(open_rig: Open, tmp_path: Path) -> None:
    """A new start is not needed; where no die is looked at nothing can be told, but what was told stays."""
    cv2.imwrite(str(tmp_path / "tray.png"), np.zeros((480, 640, 3), np.uint8))
    service, rig = open_rig(str(tmp_path / "tray.png"), "rugen-house")
    assert rig.axis_session is not None
    assert (rig.axis_now, by_axis(rig)) == (("none", None), None)
    rig.axis_session.begin("d6")
    assert rig.watch.sight.report()["state"] == "enrollment", "meanwhile nothing counts as a throw"
    rig.set_axis((25.0, 270.0), None)
    assert (rig.axis_now, by_axis(rig)) == (("told", Axis(25.0, 270.0)), Axis(25.0, 270.0))
    assert rig.enrollment is not None
    assert rig.enrollment.axis == Axis(25.0, 270.0)
    service.change_game(new_header("roche"), source="dealer")
    assert eventually(lambda: isinstance(rig.watch.sight, CardSight))
    assert rig.axis_session is None
    service.change_game(new_header("rugen-street"), source="dealer")
    assert eventually(lambda: rig.axis_session is not None)
    assert (by_axis(rig), rig.enrollment.axis) == (Axis(25.0, 270.0), Axis(25.0, 270.0))
    assert rig.axis_session.state() is None, "the camera may be another one: faces are told anew"
    rig.set_axis(None, None)
    assert (rig.axis_now, by_axis(rig), rig.enrollment.axis) == (("none", None), None, None)


@pytest.mark.skipif(not has_network(), reason="the network is not trained yet")
def test_a_calibrated_mat_says_how_the_camera_looks_once_nothing_else_is_told(open_rig: Open, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME_OF_MAT).write_text(json.dumps(seen_from(25.0).to_json()))
    cv2.imwrite(str(tmp_path / "tray.png"), np.zeros((480, 640, 3), np.uint8))
    _, rig = open_rig(str(tmp_path / "tray.png"), "rugen-house")
    source, axis = rig.axis_now
    assert (source, axis) == ("mat", by_axis(rig))
    assert axis is not None
    assert axis.tilt_deg == pytest.approx(25.0, abs=0.1)
    rig.set_axis((10.0, 90.0), None)
    assert (rig.axis_now[0], by_axis(rig)) == ("told", Axis(10.0, 90.0))
    rig.set_axis(None, None)
    assert (rig.axis_now, by_axis(rig)) == (("mat", axis), axis)


@pytest.mark.skipif(not has_network(), reason="the network is not trained yet")
def test_the_angle_of_view_counts_at_once_and_in_the_games_that_follow(open_rig: Open, tmp_path: Path) -> None:
    """For throws, for the enrollment of dice, and for determining the axis."""
    cv2.imwrite(str(tmp_path / "tray.png"), np.zeros((480, 640, 3), np.uint8))
    service, rig = open_rig(str(tmp_path / "tray.png"), "rugen-house")
    wide = Lens.of_view(102)
    rig.set_axis((0.0, 0.0), None)
    assert by_axis(rig) == Axis(0.0, 0.0, Lens.of_view(None))
    rig.set_axis((0.0, 0.0), 102.0)
    for _ in range(2):
        assert rig.enrollment is not None
        assert rig.axis_session is not None
        assert (rig.view_deg, rig.axis_now, by_axis(rig)) == (102, ("told", Axis(0, 0, wide)), Axis(0, 0, wide))
        assert rig.enrollment.axis == Axis(0, 0, wide)
        rig.axis_session.begin("d6")
        assert rig.axis_session._session._lens == wide  # type: ignore[union-attr]
        service.change_game(new_header("roche"), source="dealer")
        assert eventually(lambda: rig.axis_session is None)
        service.change_game(new_header("rugen-street"), source="dealer")
        assert eventually(lambda: rig.axis_session is not None)


@pytest.mark.skipif(not has_network(), reason="the network is not trained yet")
def test_the_demos_camera_looks_straight_down_whatever_is_told(open_rig: Open) -> None:
    _, rig = open_rig("demo", "rugen-house")
    rig.set_axis((25.0, 270.0), None)
    assert (rig.axis_now, by_axis(rig)) == (("demo", Axis(0.0, lens=ORTHOGRAPHIC)), Axis(0.0, lens=ORTHOGRAPHIC))


def test_a_start_takes_the_equipment_of_the_game_that_is_on(open_rig: Open) -> None:
    """The configuration has one game; the dealer chose another before a power cut."""
    _, rig = open_rig("97", is_on="rugen-house")
    assert isinstance(rig.watch.sight, DieSight)


def test_the_plan_is_shown_and_followed(open_rig: Open) -> None:
    """The plan shows the next game and is updated immediately; the game never changes automatically."""
    service, rig = open_rig("97")
    night = service.view()["night"]
    assert night is not None
    assert night["next"] == {"place": 1, "game": "roulette", "at": "21:30"}
    rig.replan(
        parse_config(Path("x.toml"), TOML.format(camera="97", game="roche").replace("21:30", "20:30"), INSTALLED)[0]
    )
    night = service.view()["night"]
    assert night is not None
    assert (night["next"], service.header.game) == (None, "roche")


def test_the_watchdog_waits_while_the_camera_is_exchanged(open_rig: Open) -> None:
    """The heartbeat continues during a change: the table does not count as hung."""
    service, rig = open_rig("97")
    begun = time.monotonic()
    service.change_game(new_header("roulette"), source="dealer")
    assert eventually(lambda: isinstance(rig.watch.sight, SeveralSights))
    assert eventually(lambda: rig.beat >= begun)


def test_the_camera_in_use_is_the_tray_s_own_where_dice_are_thrown(tmp_path: Path) -> None:
    """The set-up page must not show the tray camera's pictures as those of the table's camera."""
    tray = tmp_path / "tray.png"
    cv2.imwrite(str(tray), np.full((48, 64, 3), 90, np.uint8))
    text = TOML.format(camera="/dev/video97", game="rugen-house") + f'[die]\ncamera = "{tray}"\n'
    config: Config = parse_config(Path("x.toml"), text, INSTALLED)[0]
    with TableService.open(tmp_path / FILE_NAME, new_header("rugen-house", (("Aubrey", 200),)), INSTALLED) as service:
        rig = GameRig(tmp_path, config, service, clock=lambda: NIGHT)
        with rig.start(choose_perception(tmp_path, config, INSTALLED)):
            assert rig.camera_source == rig.camera_name == str(tray)


def test_a_network_camera_s_password_is_shown_to_nobody_while_it_cannot_be_opened(open_rig: Open) -> None:
    """Until it is open a camera has no other name than its address, and everybody at the table sees that name."""
    service, _ = open_rig("http://eye:secret@127.0.0.1:9/video")
    assert eventually(lambda: "127.0.0.1" in service.view()["camera"]["name"])
    assert "secret" not in str(service.view())
    assert "secret" not in str(service.events(0, 100))


@pytest.mark.parametrize("hours", [1, -1])
@pytest.mark.parametrize("is_due", [True, False])
def test_a_clock_that_is_set_makes_no_planned_game_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hours: int, is_due: bool
) -> None:
    """What is played began before or after the planned time, whatever the clock said then."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    now = [datetime(2026, 5, 1, 21, 15 if is_due else 45) - timedelta(hours=hours)]
    passed_s = [1000.0]
    config: Config = parse_config(Path("x.toml"), TOML.format(camera="97", game="roche"), INSTALLED)[0]
    service = TableService.open(
        tmp_path / FILE_NAME,
        new_header("roche", (("Aubrey", 200),)),
        INSTALLED,
        clock=lambda: now[0].replace(tzinfo=UTC),
        passed=lambda: passed_s[0],
    )
    with service:
        rig = GameRig(tmp_path, config, service, clock=lambda: now[0])
        with rig.start(choose_perception(tmp_path, config, INSTALLED)):
            now[0] += timedelta(hours=hours, minutes=20)
            passed_s[0] += 20 * 60
            rig.replan(config)
            night = service.view()["night"]
            assert night is not None
            assert (night["due"] is not None) == is_due
    monkeypatch.undo()
    time.tzset()
