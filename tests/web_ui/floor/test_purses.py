"""``/api/v1/purses``, around a cashier that writes down what it was asked."""

import pytest
from webclient import PIN

from companion.kernel.errors import NotOffered
from companion.service.committing.jobs import Accepted
from companion.service.snapshot import FloorLink
from web_ui import create_app

DEALER = {"Authorization": f"Bearer {PIN}"}


class WrittenDown:
    """A cashier that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, ...]] = []

    @property
    def cards(self):
        return self

    def typed(self, text):
        self.asked.append((text,))
        return {"player": "Ann", "purse": 7, "question": "seat-card-7-1"}

    def purses(self):
        return {"purses": [{"purse": 7, "player": "Ann"}]}

    def purse(self, number):
        if number != 7:
            raise NotOffered(f"The house has no purse {number}.")
        return {"purse": 7, "player": "Ann", "coins": 90, "open": []}

    def transfer_of(self, key):
        return f"transfer{key}"

    def buy_in(self, player, purse, coins, transfer=None):
        self.asked.append((player, purse, coins, transfer))
        if coins > 100:
            raise NotOffered("There are not so many coins.")
        return Accepted(5, ())

    def cash_out(self, player, purse, transfer=None):
        self.asked.append((player, purse, None, transfer))
        return Accepted(6, ())


@pytest.fixture
def cashier() -> WrittenDown:
    return WrittenDown()


@pytest.fixture
def client(service, access, cashier: WrittenDown):
    return create_app(service, access=access, cashier=cashier, test_config={"TESTING": True}).test_client()


def test_the_dealer_buys_in_and_cashes_out(client, cashier: WrittenDown):
    assert client.get("/api/v1/purses", headers=DEALER).get_json() == {"purses": [{"purse": 7, "player": "Ann"}]}
    told = {"do": "buy-in", "player": "Ann", "purse": 7, "coins": 50}
    assert client.post("/api/v1/purses", json=told, headers=DEALER).get_json() == {"seq": 5, "events": []}
    told = {"do": "cash-out", "player": "Ann", "purse": 7}
    assert client.post("/api/v1/purses", json=told, headers=DEALER).get_json()["seq"] == 6
    assert cashier.asked == [("Ann", 7, 50, None), ("Ann", 7, None, None)]


def test_the_dealer_sees_what_a_purse_holds(client):
    held = client.get("/api/v1/purses/7", headers=DEALER)
    assert held.get_json() == {"purse": 7, "player": "Ann", "coins": 90, "open": []}
    assert client.get("/api/v1/purses/8", headers=DEALER).status_code == 409
    described = client.get("/api/v1/openapi.json").get_json()["paths"]["/api/v1/purses/{number}"]["get"]
    assert {"401", "403", "404", "409"} <= described["responses"].keys()
    assert client.get("/api/v1/purses/7").status_code in (401, 403)


def test_a_players_card_is_asked_about_by_its_code(client, cashier: WrittenDown):
    answer = client.post("/api/v1/purses/cards", json={"code": "AAAAA HABCD EFGHI"}, headers=DEALER)
    assert answer.get_json() == {"player": "Ann", "purse": 7, "question": "seat-card-7-1"}
    assert client.post("/api/v1/purses/cards", json={"code": 7}, headers=DEALER).status_code == 400
    assert client.post("/api/v1/purses/cards", json={"code": "AAAAA"}).status_code in (401, 403)
    assert cashier.asked == [("AAAAA HABCD EFGHI",)]


def test_one_key_is_one_transfer(client, cashier: WrittenDown):
    told = {"do": "buy-in", "player": "Ann", "purse": 7, "coins": 50}
    for key in ("a", "a", "b"):
        client.post("/api/v1/purses", json=told, headers={**DEALER, "Idempotency-Key": key})
    assert [asked[3] for asked in cashier.asked] == ["transfera", "transfera", "transferb"]


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"do": "buy-in", "player": "Ann", "purse": 7},
        {"do": "buy-in", "player": "Ann", "purse": "7", "coins": 5},
        {"do": "buy-in", "player": "Ann", "purse": 7, "coins": True},
        {"do": "cash-out", "player": "Ann", "purse": 7, "coins": 5},
        {"do": "bet", "player": "Ann", "purse": 7, "coins": 5},
    ],
)
def test_what_is_no_transfer_asks_nobody(client, cashier: WrittenDown, told):
    assert client.post("/api/v1/purses", json=told, headers=DEALER).status_code == 400
    assert cashier.asked == []


def test_a_refusal_says_why_and_only_the_dealer_asks(client, cashier: WrittenDown):
    told = {"do": "buy-in", "player": "Ann", "purse": 7, "coins": 500}
    answer = client.post("/api/v1/purses", json=told, headers=DEALER)
    assert answer.status_code == 409
    assert answer.get_json()["message"] == "There are not so many coins."
    assert client.get("/api/v1/purses").status_code in (401, 403)


def test_a_table_without_a_floor_says_so(app):
    answer = app.test_client().get("/api/v1/purses", headers=DEALER)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "no-floor")


def test_monitors_and_the_dealer_see_how_far_the_floor_is_behind(app, service):
    client = app.test_client()
    assert client.get("/readyz").get_json()["floor"] is None
    service.set_floor(FloorLink("behind", "The floor is 7 entries behind this table.", 7, "Table 1"))
    assert client.get("/readyz").get_json()["floor"] == {"status": "behind", "behind": 7}
    assert service.view("dealer")["floor"]["text"] == "The floor is 7 entries behind this table."
    assert "floor" not in service.view("room")
