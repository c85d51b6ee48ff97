"""Telling the table how its camera looks through the API, with a drawn die before a camera that stands aside."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from test_enroll import Ticking
from tilted_tray import ASIDE, FakeRig, Tray, drawn
from webclient import bearer
from webhouse import NoCameras

from companion.app.setup.service import TableSetup
from companion.app.setup.tray_axis import TrayAxis
from companion.config.file import FILE_NAME
from companion.config.tables import Config
from companion.service.table_service import TableService
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.enrollment import SESSION_TIMEOUT_S
from companion.vision.dice.axis import ORTHOGRAPHIC, Axis, Lens
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.dice.faces.classifier import has_network
from web_ui import AccessStore, create_app

pytestmark = pytest.mark.skipif(not has_network(), reason="the networks are not trained yet")
TOML = '# ours\n[die]\nkind = "d20"  # the blue one\n'


@pytest.fixture
def tray() -> Tray:
    return Tray(drawn("d6", "3"))


@pytest.fixture
def axis_clock() -> Ticking:
    return Ticking()


@pytest.fixture
def rig(tray: Tray, tmp_path: Path, axis_clock: Ticking) -> FakeRig:
    session = AxisSession(tray, lens=ORTHOGRAPHIC, clock=axis_clock, sleep=axis_clock.sleep)
    teaching = DieEnrollment(tray, EnrolledDice(tmp_path), clock=axis_clock, sleep=axis_clock.sleep)
    return FakeRig(session, teaching)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / FILE_NAME
    path.write_text(TOML)
    return path


@pytest.fixture
def dealer_of(service: TableService, access: AccessStore, rig: FakeRig, file: Path, tmp_path: Path) -> FlaskClient:
    setup = TableSetup(tmp_path, file, Config(), service, NoCameras())
    told = TrayAxis(rig, setup.save_unlisted, EnrolledDice(tmp_path).names)
    client = create_app(service, access=access, tray_axis=told, test_config={"TESTING": True}).test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = bearer()["Authorization"]
    return client


def ask(client: FlaskClient, path: str = "", **body: Any) -> Any:
    return client.post(f"/api/v1/setup/axis{path}", json=body)


def tell(client: FlaskClient, tray: Tray, *faces: str) -> Any:
    """Show these faces of the d6 one after the other, each told as it is; return what the last one led to."""
    for face in faces:
        tray.show("d6", face)
        answer = ask(client, "/take", face=face)
        assert answer.status_code == 200, answer.get_json()["message"]
    return answer.get_json()["enrollment"]


def notices(service: TableService) -> list[Any]:
    """The notices in the journal, once the next command is there, too."""
    service.submit({"do": "join", "player": "Zoe", "coins": 5}, source="test")
    return [entry for entry in service.events(0, 100, "dealer") if entry["kind"] == "notice"]


def test_only_the_dealer_tells(room: FlaskClient, app: Flask) -> None:
    assert room.get("/api/v1/setup/axis").status_code == 401
    for path in ("", "/take", "/keep", "/straight", "/clear", "/view"):
        assert ask(room, path, kind="d6", face="3").get_json()["code"] == "not-logged-in"
    assert "Log in" in room.get("/setup/axis").get_data(as_text=True)


def test_a_table_that_cannot_read_dice_says_so(dealer: FlaskClient) -> None:
    assert dealer.get("/api/v1/setup/axis").get_json()["code"] == "cannot-enroll"
    assert dealer.get("/setup/axis").status_code == 200


@pytest.mark.thorough
def test_five_told_faces_are_written_into_the_configuration_and_count_at_once(
    dealer_of: FlaskClient, tray: Tray, rig: FakeRig, file: Path, service: TableService
) -> None:
    assert dealer_of.get("/api/v1/setup/axis").get_json() == {
        "now": {"source": "none", "axis": None, "text": "The camera looks straight down.", "view": None,
                "view_text": "The camera's angle of view is not set: 55 degrees are assumed."},
        "views": [20, 130], "can_tell": True, "enrolled": [], "enrollment": None,
    }  # fmt: skip
    begun = ask(dealer_of, kind="d6").get_json()["enrollment"]
    assert (begun["faces"], begun["asked"], begun["told"]) == ([str(n) for n in range(1, 7)], 5, [])
    assert ask(dealer_of, kind="d20").get_json()["code"] == "enrollment-open"
    four = tell(dealer_of, tray, "2", "5", "3", "6")
    assert ([one["face"] for one in four["told"]], four["setting"], four["found"]) == (["2", "5", "3", "6"], None, "")
    assert ask(dealer_of, "/keep").get_json()["message"] == "Show 5 faces first."
    assert file.read_text() == TOML
    five = tell(dealer_of, tray, "1")
    assert five["trouble"] == ""
    assert five["found"].endswith("degrees aside, from the lower edge of the picture.")
    assert all(one["fits"] and one["picture"].startswith("data:image/jpeg;base64,") for one in five["told"])
    assert file.read_text() == TOML, "nothing is written before somebody says so"

    kept = ask(dealer_of, "/keep").get_json()
    assert (kept["enrollment"], kept["now"]["source"], kept["now"]["text"]) == (None, "told", five["found"])
    written = tomllib.loads(file.read_text())["die"]
    assert written == {"kind": "d20", "axis": five["setting"]}
    assert five["setting"] == [pytest.approx(ASIDE.tilt_deg, abs=6), pytest.approx(ASIDE.towards_deg, abs=15)]
    assert "# the blue one" in file.read_text()
    assert rig.told == [tuple(five["setting"])]
    assert ask(dealer_of, "/keep").get_json()["code"] == "no-enrollment"
    told = [(entry["record"]["text"], entry["record"]["private"]) for entry in notices(service)]
    assert told == [(five["found"], True)]

    cleared = ask(dealer_of, "/clear").get_json()
    assert cleared["now"]["source"] == "none"
    assert file.read_text() == TOML
    assert rig.told[1:] == [None]


def test_a_camera_straight_above_is_told_without_a_die(
    dealer_of: FlaskClient, rig: FakeRig, file: Path, service: TableService
) -> None:
    told = ask(dealer_of, "/straight").get_json()["now"]
    assert (told["source"], told["axis"], told["text"]) == ("told", [0, 0], "The camera looks straight down.")
    assert tomllib.loads(file.read_text())["die"] == {"kind": "d20", "axis": [0, 0]}
    assert rig.told == [(0, 0)]
    assert [entry["record"]["text"] for entry in notices(service)] == ["The camera looks straight down."]
    assert ask(dealer_of, "/clear").get_json()["now"]["source"] == "none"
    assert file.read_text() == TOML


SET_TO_66 = "The camera's angle of view is set to 66 degrees."


def test_the_cameras_angle_of_view_is_kept_beside_the_axis(
    dealer_of: FlaskClient, rig: FakeRig, file: Path, service: TableService
) -> None:
    ask(dealer_of, "/straight")
    now = ask(dealer_of, "/view", view=66).get_json()["now"]
    assert (now["view"], now["view_text"], now["axis"]) == (66, SET_TO_66, [0, 0])
    assert tomllib.loads(file.read_text())["die"] == {"kind": "d20", "axis": [0, 0], "view": 66}
    assert rig.axis_now == ("told", Axis(0, 0, Lens.of_view(66)))
    assert [(entry["record"]["text"], entry["record"]["private"]) for entry in notices(service)][1:] == [
        (SET_TO_66, True)
    ]
    ask(dealer_of, "/clear")
    assert tomllib.loads(file.read_text())["die"] == {"kind": "d20", "view": 66}, "the lens stays the camera's"
    assert ask(dealer_of, "/view", view=None).get_json()["now"]["view"] is None
    assert file.read_text() == TOML


def test_the_calibrated_mat_tells_the_angle_of_view_until_it_is_set(dealer_of: FlaskClient, rig: FakeRig) -> None:
    rig.axis_now = ("mat", Axis(20.0, 90.0, Lens.of_view(61.2)))
    told = dealer_of.get("/api/v1/setup/axis").get_json()["now"]
    assert told["view_text"] == "By the calibrated mat the camera's angle of view is about 61 degrees."
    rig.view_deg = 66
    assert dealer_of.get("/api/v1/setup/axis").get_json()["now"]["view_text"] == SET_TO_66


@pytest.mark.parametrize("view", [19, 131, 0, -66, 10**400, 66.5, True, "66", "", [66], {"is": 66}])
def test_no_other_angle_of_view_is_kept(dealer_of: FlaskClient, rig: FakeRig, file: Path, view: Any) -> None:
    ask(dealer_of, "/view", view=66)
    before = file.read_text()
    refused = ask(dealer_of, "/view", view=view)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "bad-view")
    assert refused.get_json()["message"] == (
        "The angle of view is a whole number of degrees from 20 to 130, such as 66."
    )
    assert (file.read_text(), rig.view_deg) == (before, 66)


def test_an_angle_of_view_that_is_left_out_takes_none_away(dealer_of: FlaskClient, rig: FakeRig) -> None:
    ask(dealer_of, "/view", view=66)
    assert ask(dealer_of, "/view").status_code == 400
    assert rig.view_deg == 66


def test_while_faces_are_told_by_the_angle_of_view_no_other_one_is_set(
    dealer_of: FlaskClient, rig: FakeRig, file: Path
) -> None:
    ask(dealer_of, kind="d6")
    refused = ask(dealer_of, "/view", view=66)
    assert refused.get_json()["message"] == "Faces are being told already. Go on with that, or cancel it first."
    assert (file.read_text(), rig.view_deg) == (TOML, None)
    ask(dealer_of, "/cancel")
    assert ask(dealer_of, "/view", view=66).status_code == 200


@pytest.mark.thorough
def test_a_picture_that_will_not_do_is_shown_with_the_reason(dealer_of: FlaskClient, tray: Tray) -> None:
    ask(dealer_of, kind="d6")
    cases = [((), "no die is to be seen"), (("2", "5"), "2 dice are to be seen: leave only one")]
    for faces, why in cases:
        tray.show("d6", *faces)
        assert ask(dealer_of, "/look").get_json()["trouble"] == why
        refused = ask(dealer_of, "/take", face="2").get_json()
        assert (refused["code"], refused["message"]) == ("bad-picture", f"Not this picture: {why}.")
        assert refused["picture"].startswith("data:image/jpeg")
    tray.show("d6", "3")
    assert "is not seen on the die from any side" in ask(dealer_of, "/take", face="4").get_json()["message"]
    assert ask(dealer_of, "/take", face="7").get_json()["code"] == "no-enrollment"
    assert dealer_of.get("/api/v1/setup/axis").get_json()["enrollment"]["told"] == []


def test_a_hand_or_a_die_that_rolls_tells_nothing(dealer_of: FlaskClient, tray: Tray) -> None:
    ask(dealer_of, kind="d6")
    tray.show("d6", "3", hand=True)
    assert "a hand is in the picture" in ask(dealer_of, "/take", face="3").get_json()["message"]
    tray.show("d6", "3")
    tray.later = np.roll(tray.image, 40, axis=1)
    assert "the die still moves" in ask(dealer_of, "/take", face="3").get_json()["message"]


@pytest.mark.thorough
def test_a_die_that_was_not_turned_is_not_told_again(dealer_of: FlaskClient, tray: Tray) -> None:
    """A second tap, or another face by mistake: neither is taken for a second picture."""
    ask(dealer_of, kind="d6")
    tell(dealer_of, tray, "3")
    looked = ask(dealer_of, "/look").get_json()
    assert (looked["told"], "nothing has changed" in looked["trouble"]) == ("3", True)
    for face in ("3", "1"):
        refused = ask(dealer_of, "/take", face=face).get_json()["message"]
        assert refused == "Not this picture: nothing has changed since the picture of 3: turn another face up."
    tray.show("d6", "1")
    assert ask(dealer_of, "/look").get_json() == {**looked, "picture": ask(dealer_of, "/look").get_json()["picture"],
                                                  "trouble": "", "told": ""}  # fmt: skip


@pytest.mark.thorough
def test_a_picture_that_does_not_fit_is_named_and_can_be_taken_back(
    dealer_of: FlaskClient, tray: Tray, file: Path
) -> None:
    ask(dealer_of, kind="d6")
    tell(dealer_of, tray, "2", "5", "3")
    tray.axis = Axis(28.0, 70.0)  # somebody pushed the camera, and back again
    tell(dealer_of, tray, "1")
    tray.axis = ASIDE
    found = tell(dealer_of, tray, "6")
    assert (found["setting"], found["found"]) == (None, "")
    assert found["trouble"] == "The pictures of 1 do not fit the others. Was another face up, or the camera moved?"
    assert [one["fits"] for one in found["told"]] == [True, True, True, False, True]
    assert ask(dealer_of, "/keep").get_json()["message"] == found["trouble"]
    assert file.read_text() == TOML
    left = ask(dealer_of, "/undo", number=found["told"][3]["number"]).get_json()["enrollment"]
    assert [one["face"] for one in left["told"]] == ["2", "5", "3", "6"]
    assert tell(dealer_of, tray, "1")["setting"] is not None
    assert ask(dealer_of, "/undo", number=99).status_code == 409
    for number in ("2", 1.5, True):
        assert ask(dealer_of, "/undo", number=number).status_code == 400
    assert ask(dealer_of, "/undo", place=0).status_code == 400, "a page from before, which means another picture by now"
    assert [one["face"] for one in ask(dealer_of, "/undo").get_json()["enrollment"]["told"]] == ["2", "5", "3", "6"]


@pytest.mark.thorough
def test_two_who_take_the_same_picture_back_take_back_only_that_one(dealer_of: FlaskClient, tray: Tray) -> None:
    """Places move up when a picture goes: the second of the two would have taken back another one."""
    ask(dealer_of, kind="d6")
    told = tell(dealer_of, tray, "2", "5", "3")["told"]
    assert ask(dealer_of, "/undo", number=told[0]["number"]).status_code == 200
    late = ask(dealer_of, "/undo", number=told[0]["number"])
    assert (late.status_code, late.get_json()["message"]) == (
        409, "That picture is no longer in the list, so none was taken back.",
    )  # fmt: skip
    left = dealer_of.get("/api/v1/setup/axis").get_json()["enrollment"]["told"]
    assert [one["face"] for one in left] == ["5", "3"]


@pytest.mark.thorough
def test_what_was_seen_of_a_search_that_is_over_takes_nothing_of_the_next_one_back(
    dealer_of: FlaskClient, tray: Tray
) -> None:
    ask(dealer_of, kind="d6")
    before = tell(dealer_of, tray, "2")["told"]
    ask(dealer_of, "/cancel")
    ask(dealer_of, kind="d6")
    now = tell(dealer_of, tray, "5")["told"]
    assert ask(dealer_of, "/undo", number=before[0]["number"]).status_code == 409
    assert dealer_of.get("/api/v1/setup/axis").get_json()["enrollment"]["told"] == now


@pytest.mark.thorough
def test_a_camera_too_far_aside_is_told_to_be_moved(dealer_of: FlaskClient, tray: Tray) -> None:
    ask(dealer_of, kind="d6")
    tray.axis = Axis(46.0, 250.0)
    found = tell(dealer_of, tray, "2", "5", "3", "6", "1")
    assert "more than 35 degrees aside. Put it more nearly above the tray." in found["trouble"]
    assert (found["setting"], all(one["fits"] for one in found["told"])) == (None, True)


def test_the_faces_of_a_day_and_night_die_are_told(dealer_of: FlaskClient, tray: Tray) -> None:
    begun = ask(dealer_of, kind="rugen").get_json()["enrollment"]
    assert begun["faces"] == [f"{number}{half}" for number in range(1, 5) for half in "dn"]
    tray.show("rugen", "3n")
    assert ask(dealer_of, "/take", face="3n").get_json()["enrollment"]["told"][0]["face"] == "3n"
    assert "since the picture of night 3:" in ask(dealer_of, "/take", face="4d").get_json()["message"]


@pytest.mark.thorough
def test_the_demos_camera_says_nothing_about_the_tables(dealer_of: FlaskClient, tray: Tray, rig: FakeRig) -> None:
    """What was tried out before a drawn tray would make for wrong values before the real one."""
    rig.axis_now = ("demo", Axis(0.0))
    ask(dealer_of, kind="d6")
    assert tell(dealer_of, tray, "2", "5", "3", "6", "1")["setting"] is not None
    for path in ("/keep", "/straight", "/clear", "/view"):
        refused = ask(dealer_of, path, view=66)
        assert (refused.status_code, refused.get_json()["code"]) == (409, "axis-not-kept")
        assert "nothing was written" in refused.get_json()["message"]
    assert rig.told == []
    assert dealer_of.get("/api/v1/setup/axis").get_json()["now"]["view_text"] == ""


def test_while_a_die_is_taught_by_the_axis_as_it_is_no_other_one_is_set(
    dealer_of: FlaskClient, rig: FakeRig, file: Path
) -> None:
    assert rig.enrollment is not None
    rig.enrollment.begin("blue", "d6")
    for path in ("/straight", "/clear", "/view"):
        refused = ask(dealer_of, path, view=66).get_json()["message"]
        assert refused == "blue is being taught. Finish or cancel that first."
    assert (file.read_text(), rig.told) == (TOML, [])


@pytest.mark.thorough
def test_a_configuration_that_cannot_be_written_changes_nothing(
    dealer_of: FlaskClient, tray: Tray, rig: FakeRig, file: Path
) -> None:
    ask(dealer_of, kind="d6")
    tell(dealer_of, tray, "2", "5", "3", "6", "1")
    file.write_text("[die]\nkind = 5\n")
    refused = ask(dealer_of, "/keep")
    assert (refused.status_code, "die.kind" in refused.get_json()["message"]) == (409, True)
    assert (file.read_text(), rig.told) == ("[die]\nkind = 5\n", [])
    file.write_text(TOML)
    assert ask(dealer_of, "/keep").status_code == 200, "what was told is still there"


def test_without_a_tray_nothing_can_be_told(dealer_of: FlaskClient, rig: FakeRig) -> None:
    rig.axis_session = None
    assert dealer_of.get("/api/v1/setup/axis").get_json()["can_tell"] is False
    for path in ("", "/look", "/take", "/undo", "/cancel", "/keep"):
        assert "No camera looks at a die now." in ask(dealer_of, path, kind="d6", face="3").get_json()["message"]


def test_until_it_is_begun_nothing_is_told(dealer_of: FlaskClient) -> None:
    assert ask(dealer_of, kind="d8").get_json()["message"].startswith("There is no kind of die 'd8' here.")
    assert ask(dealer_of).status_code == 400
    for path in ("/look", "/take", "/undo", "/cancel", "/keep"):
        assert ask(dealer_of, path, face="3").get_json()["code"] == "no-enrollment"


def test_what_nobody_looks_at_keeps_the_table_from_nothing_and_can_be_given_up(
    dealer_of: FlaskClient, rig: FakeRig, axis_clock: Ticking
) -> None:
    assert rig.axis_session is not None
    ask(dealer_of, kind="d6")
    assert rig.axis_session.is_open
    axis_clock.now += SESSION_TIMEOUT_S
    assert not rig.axis_session.is_open
    assert ask(dealer_of, "/cancel").get_json()["enrollment"] is None
    assert not rig.axis_session.is_open


def test_the_dice_that_have_to_be_taught_anew_are_named(dealer_of: FlaskClient, tmp_path: Path) -> None:
    blank = [np.zeros((208, 208, 3), np.uint8)]
    for name in ("red", "blue"):
        EnrolledDice(tmp_path).store(name, "d6", {str(face): blank for face in range(1, 7)})
    assert dealer_of.get("/api/v1/setup/axis").get_json()["enrolled"] == ["blue", "red"]
