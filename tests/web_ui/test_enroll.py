"""Teaching the table a die through the API, with a rendered die before the camera, and who may do that."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from webclient import bearer

from companion.service.table_service import TableService
from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.enrollment import SESSION_TIMEOUT_S
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.dice.faces.classifier import has_network
from companion.vision.frame import Frame
from web_ui import AccessStore, create_app

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "dice"))

import plain_dice

pytestmark = pytest.mark.skipif(not has_network(), reason="the networks are not trained yet")
LOOK = plain_dice.Look(body=(120, 50, 30), glare=0.1)
FACES = tuple(str(value) for value in range(1, 7))


def shown(kind: str, *values: int, seed: int = 1) -> np.ndarray:
    """Dice on paper with these values up."""
    rng = np.random.default_rng(seed * 100 + sum(values))
    scene = plain_dice.Scene(plain_dice.ground("paper", (max(1, len(values)) * 260, 260), rng))
    for k, value in enumerate(values):
        plain_dice.put(scene, kind, value, (130 + 260 * k, 130), 120, LOOK, rng, order=5)  # type: ignore[arg-type]
    return plain_dice.finish(scene.image, rng)


@dataclass
class Tray:
    """A camera above whatever a test lays there; each look is a new frame."""

    image: np.ndarray
    number: int = 0
    later: np.ndarray | None = None
    "What lies there from the next frame on."

    def frame(self) -> Frame:
        self.number += 1
        image, self.later = self.image, self.later
        if self.later is not None:
            self.image, self.later = self.later, None
        return Frame(image, self.number / 10, self.number)


@dataclass
class Ticking:
    """A clock that goes on by itself while somebody waits."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def tray() -> Tray:
    return Tray(shown("d6", 3))


@pytest.fixture
def enrollment_clock() -> Ticking:
    return Ticking()


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def enrollment(tray: Tray, tmp_path: Path, enrollment_clock: Ticking, told: list[str]) -> DieEnrollment:
    return DieEnrollment(
        tray, EnrolledDice(tmp_path), on_change=lambda: told.append("changed"), clock=enrollment_clock,
        sleep=enrollment_clock.sleep,
    )  # fmt: skip


@pytest.fixture
def dealer_of(service: TableService, access: AccessStore, enrollment: DieEnrollment) -> FlaskClient:
    app = create_app(service, access=access, enrollment=enrollment, test_config={"TESTING": True})
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = bearer()["Authorization"]
    return client


def ask(client: FlaskClient, path: str = "", **body: Any) -> Any:
    return client.post(f"/api/v1/enroll{path}", json=body)


def test_only_the_dealer_teaches(room: FlaskClient, app: Flask) -> None:
    assert room.get("/api/v1/enroll").status_code == 401
    assert ask(room, "/take", face="3").get_json()["code"] == "not-logged-in"
    assert "Log in" in room.get("/setup/dice").get_data(as_text=True)


def test_a_table_that_cannot_read_dice_says_so(dealer: FlaskClient) -> None:
    assert dealer.get("/api/v1/enroll").get_json()["code"] == "cannot-enroll"
    assert dealer.get("/setup/dice").status_code == 200


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"name": "  ", "kind": "d6"}, "a word or two"),
        ({"name": "x" * 41, "kind": "d6"}, "at most 40 letters"),
        ({"name": "???", "kind": "d6"}, "a word or two"),
        ({"name": "house", "kind": "d8"}, "Choose one of"),
        ({"name": "house"}, "'kind' is text"),
    ],
)
def test_a_lesson_begins_with_a_name_and_a_kind(dealer_of: FlaskClient, body: dict[str, str], says: str) -> None:
    answer = ask(dealer_of, **body)
    assert answer.mimetype == "application/problem+json"
    assert says in answer.get_json()["message"]
    assert dealer_of.get("/api/v1/enroll").get_json() == {"dice": [], "enrollment": None}


def test_a_known_die_is_taught_anew_only_when_that_is_said(dealer_of: FlaskClient, tmp_path: Path) -> None:
    """A second die under the same name would take the first one's place, face by face, without a word."""
    blank = [np.zeros((208, 208, 3), np.uint8)]
    EnrolledDice(tmp_path).store("red", "d6", dict.fromkeys(FACES, blank))
    refused = ask(dealer_of, name="Red", kind="d20").get_json()
    assert (refused["code"], "choose another name" in refused["message"]) == ("die-known", True)
    assert ask(dealer_of, name="Red", kind="d6", replace="yes").status_code == 400
    assert dealer_of.get("/api/v1/enroll").get_json()["enrollment"] is None
    assert ask(dealer_of, name="red", kind="d6", replace=True).get_json()["enrollment"]["name"] == "red"


def test_without_a_lesson_nothing_is_taken(dealer_of: FlaskClient) -> None:
    for path, body in (("/look", {}), ("/take", {"face": "3"}), ("/undo", {}), ("/cancel", {}), ("/finish", {})):
        answer = ask(dealer_of, path, **body)
        assert (answer.status_code, answer.get_json()["code"]) == (409, "no-enrollment")


def test_a_die_is_taught_face_by_face_and_the_running_table_hears_of_it(
    dealer_of: FlaskClient, tray: Tray, told: list[str], tmp_path: Path
) -> None:
    started = ask(dealer_of, name=" house   die ", kind="d6").get_json()["enrollment"]
    assert (started["name"], started["wanted"], started["last"]) == ("house die", list(FACES), None)
    assert ask(dealer_of, name="other", kind="d6").get_json()["code"] == "enrollment-open"
    looked = ask(dealer_of, "/look").get_json()
    assert looked["trouble"] == ""
    assert looked["picture"].startswith("data:image/jpeg;base64,")
    for face in FACES:
        tray.image = shown("d6", int(face))
        left = ask(dealer_of, "/take", face=face).get_json()["enrollment"]
        assert left["last"]["face"] == face
        assert face not in left["wanted"]
    assert told == []
    done = ask(dealer_of, "/finish").get_json()
    assert done == {"dice": [{"name": "house die", "kind": "d6"}], "enrollment": None}
    assert told == ["changed"]
    assert sorted(EnrolledDice(tmp_path).pictures("house die")) == list(FACES)
    assert ask(dealer_of, "/forget", name="house die").get_json()["dice"] == []
    assert told == ["changed", "changed"]
    assert ask(dealer_of, "/forget", name="house die").status_code == 409


def test_a_picture_that_will_not_do_is_shown_with_the_reason(dealer_of: FlaskClient, tray: Tray) -> None:
    ask(dealer_of, name="house", kind="d6")
    for image, why in ((shown("d6"), "no die is to be seen"), (shown("d6", 2, 5), "2 dice are to be seen")):
        tray.image = image
        assert why in ask(dealer_of, "/look").get_json()["trouble"]
        refused = ask(dealer_of, "/take", face="2").get_json()
        assert (refused["status"], refused["code"]) == (409, "bad-picture")
        assert why in refused["message"]
        assert refused["picture"].startswith("data:image/jpeg")
    assert ask(dealer_of, "/take", face="7").get_json()["code"] == "no-enrollment"
    assert dealer_of.get("/api/v1/enroll").get_json()["enrollment"]["wanted"] == list(FACES)


def test_a_die_that_still_rolls_is_not_learnt(dealer_of: FlaskClient, tray: Tray) -> None:
    ask(dealer_of, name="house", kind="d6")
    tray.image, tray.later = shown("d6", 3), np.roll(shown("d6", 3), 40, axis=1)
    assert "still moves" in ask(dealer_of, "/take", face="3").get_json()["message"]


def test_what_was_taken_last_or_of_a_face_can_be_taken_back(dealer_of: FlaskClient, tray: Tray) -> None:
    ask(dealer_of, name="house", kind="d6")
    for face in ("1", "4"):
        tray.image = shown("d6", int(face))
        ask(dealer_of, "/take", face=face)
    assert "1" in ask(dealer_of, "/undo", face="1").get_json()["enrollment"]["wanted"]
    assert ask(dealer_of, "/undo").get_json()["enrollment"]["wanted"] == list(FACES)
    assert ask(dealer_of, "/undo").status_code == 409
    assert ask(dealer_of, "/undo", face=4).status_code == 400


def test_a_lesson_that_is_cancelled_or_not_complete_changes_no_die(
    dealer_of: FlaskClient, tmp_path: Path, told: list[str]
) -> None:
    EnrolledDice(tmp_path).store("house", "d6", {face: [np.full((208, 208, 3), 9, np.uint8)] for face in FACES})
    ask(dealer_of, name="house", kind="d6", replace=True)
    ask(dealer_of, "/take", face="3")
    assert "Show 1, 2, 4, 5, 6, too" in ask(dealer_of, "/finish").get_json()["message"]
    assert ask(dealer_of, "/cancel").get_json()["enrollment"] is None
    assert np.all(EnrolledDice(tmp_path).pictures("house")["3"][0] == 9)
    assert told == []


def test_a_lesson_that_nobody_looks_at_keeps_the_table_from_nothing(
    dealer_of: FlaskClient, enrollment: DieEnrollment, enrollment_clock: Ticking
) -> None:
    ask(dealer_of, name="house", kind="d6")
    assert enrollment.is_open
    enrollment_clock.now += SESSION_TIMEOUT_S
    assert not enrollment.is_open
    ask(dealer_of, "/look")
    assert enrollment.is_open
