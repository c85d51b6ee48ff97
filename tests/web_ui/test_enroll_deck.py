"""``/api/v1/enroll/deck``: a house's own deck, card by card, before a camera that a test fills."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from webclient import bearer

from companion.kernel.situation import Situation
from companion.objects.cards import STANDARD_CARDS
from companion.service.table_service import TableService
from companion.tracking.cards.enrollment import OwnDeckEnrollment
from companion.tracking.cards.sight import CardSight
from companion.tracking.enrollment import SESSION_TIMEOUT_S
from companion.tracking.sight import NO_PROPOSAL
from companion.vision.frame import Frame, Image
from companion.vision.own_deck.store import OwnDecks
from web_ui import AccessStore, create_app

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision" / "own_deck"))

from ordinary_deck import drawn, face_of, look
from table_scene import Face, Placed, photograph


def printed(card: str) -> Face:
    """A drawn card; the courts of each suit have a frame of their own, as they have in any real deck."""
    face = drawn(card)
    if card[0] not in "JQK":
        return face
    image, x = face.image.copy(), 150 + 40 * "SHDC".index(card[1])
    image[200:500, x : x + 60] = 120
    return replace(face, image=image)


def lying(*cards: str, turn: float = 8.0) -> Image:
    placed = [
        Placed(card, printed(card), 90.0 * k - 45.0 * (len(cards) - 1), 0.0, turn) for k, card in enumerate(cards)
    ]
    return photograph(placed, look(), np.random.default_rng(1))[0]


@dataclass
class Table:
    """A camera above whatever a test lays there; the clock goes on while somebody waits."""

    image: Image
    later: Image | None = None
    "What lies there from the next frame on."
    number: int = 0
    now: float = 0.0

    def frame(self) -> Frame:
        image = self.image
        self.image, self.later, self.number = self.later if self.later is not None else image, None, self.number + 1
        return Frame(image, self.number / 10, self.number)

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def table() -> Table:
    return Table(lying("AS"))


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def enrollment(table: Table, tmp_path: Path, told: list[str]) -> OwnDeckEnrollment:
    return over(table, tmp_path, told)


def over(table: Table, folder: Path, told: list[str], *in_play: str) -> OwnDeckEnrollment:
    return OwnDeckEnrollment(
        table, OwnDecks(folder), in_play=in_play, on_change=lambda: told.append("changed"), clock=table.clock,
        sleep=table.sleep,
    )  # fmt: skip


@pytest.fixture
def client(service: TableService, access: AccessStore, enrollment: OwnDeckEnrollment) -> FlaskClient:
    return dealers(service, access, enrollment)


def dealers(service: TableService, access: AccessStore, enrollment: OwnDeckEnrollment) -> FlaskClient:
    app = create_app(service, access=access, deck_enrollment=enrollment, test_config={"TESTING": True})
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = bearer()["Authorization"]
    return client


def ask(client: FlaskClient, path: str = "", **body: Any) -> Any:
    return client.post(f"/api/v1/enroll/deck{path}", json=body)


def test_only_the_dealer_teaches(room: FlaskClient, dealer: FlaskClient) -> None:
    assert room.get("/api/v1/enroll/deck").status_code == 401
    assert ask(room, "/take", card="AS").get_json()["code"] == "not-logged-in"
    assert "Log in" in room.get("/setup/deck").get_data(as_text=True)
    assert dealer.get("/api/v1/enroll/deck").get_json()["code"] == "cannot-enroll"
    assert dealer.get("/setup/deck").status_code == 200


def test_without_a_session_nothing_is_taken(client: FlaskClient) -> None:
    calls = [("/look", {}), ("/take", {"card": "AS"}), ("/undo", {}), ("/pause", {}), ("/discard", {}), ("/finish", {})]
    for path, body in calls:
        answer = ask(client, path, **body)
        assert (answer.status_code, answer.get_json()["code"]) == (409, "no-enrollment"), path
    assert ask(client, name="??").status_code == 409
    assert ask(client, name="red", replace="yes").status_code == 400
    assert client.get("/api/v1/enroll/deck").get_json() == {"decks": [], "enrollment": None, "unfinished": None}


def test_a_bad_picture_is_refused_with_the_reason_and_changes_nothing(client: FlaskClient, table: Table) -> None:
    before = ask(client, name=" red   deck ").get_json()["enrollment"]
    assert (before["name"], before["wanted"], before["last"]) == ("red deck", list(STANDARD_CARDS), None)
    table.image = lying("AS", "5H")
    assert "2 cards are to be seen" in ask(client, "/look").get_json()["trouble"]
    refused = ask(client, "/take", card="AS").get_json()
    assert (refused["status"], refused["code"]) == (409, "bad-picture")
    assert "leave only one" in refused["message"]
    assert refused["picture"].startswith("data:image/jpeg")
    table.image, table.later = lying("AS"), lying("AS", turn=12.0)
    assert "still moves" in ask(client, "/take", card="AS").get_json()["message"]
    assert "no card" in ask(client, "/take", card="ZZ").get_json()["message"]
    assert "Show 2S, 3S" in ask(client, "/finish").get_json()["message"]
    assert client.get("/api/v1/enroll/deck").get_json()["enrollment"] == before
    assert client.get("/api/v1/enroll/deck/cards/AS.jpg").status_code == 409


@pytest.mark.thorough
def test_what_was_taken_outlives_a_new_start(
    client: FlaskClient, table: Table, tmp_path: Path, service: TableService, access: AccessStore, told: list[str]
) -> None:
    """Two cards, one taken back, a third; then the program starts anew, and goes on with the same two pictures."""
    ask(client, name="red deck")
    for card in ("AS", "5H"):
        table.image = lying(card)
        assert not ask(client, "/look").get_json()["is_last"]
        assert ask(client, "/take", card=card).get_json()["enrollment"]["last"] == card
        assert ask(client, "/look").get_json()["is_last"]
    assert "shown as 5H" in ask(client, "/take", card="6H").get_json()["message"]
    assert ask(client, "/undo").get_json()["enrollment"]["last"] == "AS"
    table.image = lying("KD")
    ask(client, "/take", card="KD")
    kept = client.get("/api/v1/enroll/deck/cards/KD.jpg").data

    anew = dealers(service, access, over(table, tmp_path, told))
    found = anew.get("/api/v1/enroll/deck").get_json()
    assert (found["enrollment"], found["unfinished"]) == (None, {"name": "red deck", "shown": 2})
    assert ask(anew, name="another").get_json()["code"] == "enrollment-open"
    went_on = ask(anew, name="Red Deck").get_json()
    assert (len(went_on["enrollment"]["wanted"]), went_on["enrollment"]["last"]) == (50, "KD")
    assert anew.get("/api/v1/enroll/deck/cards/KD.jpg").data == kept
    assert ask(anew, "/pause").get_json()["unfinished"] == {"name": "red deck", "shown": 2}
    assert ask(anew, "/discard").get_json() == {"decks": [], "enrollment": None, "unfinished": None}
    assert told == []


def test_a_full_disk_is_named_and_the_card_may_be_shown_again(
    client: FlaskClient, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(client, name="red deck")
    table.image = lying("AS")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("companion.objects.keeping.os.fsync", full)
        refused = ask(client, "/take", card="AS")
    assert (refused.status_code, "Make room on the disk" in refused.get_json()["message"]) == (409, True)
    assert ask(client, "/take", card="AS").get_json()["enrollment"]["last"] == "AS"


def test_a_known_deck_is_replaced_only_when_that_is_said(client: FlaskClient, tmp_path: Path) -> None:
    deck = OwnDecks(tmp_path).store("red deck", {card: face_of(card) for card in STANDARD_CARDS})
    assert ask(client, name="Red deck").get_json()["code"] == "deck-known"
    assert client.get("/api/v1/enroll/deck").get_json()["unfinished"] is None
    assert ask(client, name="Red deck", replace=True).get_json()["enrollment"]["name"] == "Red deck"
    assert ask(client, "/discard").get_json()["decks"] == [{"id": deck.id, "name": "red deck", "in_play": False}]


def test_a_deck_in_play_is_not_forgotten(
    service: TableService, access: AccessStore, table: Table, tmp_path: Path, told: list[str]
) -> None:
    deck = OwnDecks(tmp_path).store("red deck", {card: face_of(card) for card in STANDARD_CARDS})
    plays = dealers(service, access, over(table, tmp_path, told, deck.id))
    assert "is in play" in ask(plays, "/forget", name="red deck").get_json()["message"]
    idle = dealers(service, access, over(table, tmp_path, told))
    assert ask(idle, "/forget", name="red deck").get_json()["decks"] == []
    assert told == ["changed"]


@pytest.mark.thorough
def test_a_whole_deck_is_kept_and_the_running_table_hears_of_it(
    client: FlaskClient, table: Table, tmp_path: Path, told: list[str]
) -> None:
    ask(client, name="red deck")
    for card in STANDARD_CARDS:
        table.image = lying(card)
        assert card not in ask(client, "/take", card=card).get_json()["enrollment"]["wanted"]
    assert [deck["name"] for deck in ask(client, "/finish").get_json()["decks"]] == ["red deck"]
    assert told == ["changed"]
    assert len(OwnDecks(tmp_path).load(OwnDecks(tmp_path).named("red deck")).cards) == 52


class Blind:
    """A reader and an interpreter that must not be asked."""

    games = ("roche",)
    asks_about_unread_objects = True

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name}: asked while a deck is taught")


def test_no_card_counts_while_a_deck_is_taught(
    service: TableService, client: FlaskClient, enrollment: OwnDeckEnrollment, table: Table
) -> None:
    blind: Any = Blind()
    sight = CardSight(blind, blind, zones=blind)
    sight.suspend_while(lambda: enrollment.is_open)
    ask(client, name="red deck")
    now: Situation = service.situation
    assert sight.see(table.frame(), 1.0) == ()
    assert sight.propose(now) == NO_PROPOSAL
    table.now += SESSION_TIMEOUT_S
    assert not enrollment.is_open
    with pytest.raises(AssertionError, match="asked while"):
        sight.see(table.frame(), 2.0)
