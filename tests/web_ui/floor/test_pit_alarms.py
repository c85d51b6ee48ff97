"""The pit's pages of alarms, broker and orders: who may do what, and that a phone gets in only as itself."""

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from flask.testing import FlaskClient
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_pictures import PICTURE
from floor_wire import JournalTable, ServedHouse, until
from mosquitto import Client

from companion.app.floor.orders import Orders
from companion.app.pit.house_publisher import HousePublisher, house_config
from companion.floor.alarms import store
from companion.floor.alarms.monitor import AlarmMonitor
from companion.floor.alarms.rules import Changes, Key
from companion.floor.broker.mosquitto import Mosquitto
from companion.floor.broker.service import OWN_PASSWORD
from companion.floor.cluster import Cluster
from companion.floor.overview.board import Reason
from companion.floor.tables import Fault, report
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui.languages import COOKIE
from web_ui.push.encryption import CURVE, public_point, to_base64url
from web_ui.push.subscriptions import Subscriptions

PINS = {"Olga": ("owner", "1111"), "Pia": ("pit", "2222"), "Dan": ("dealer", "3333"), "Aud": ("auditor", "4444")}
ORIGIN = "https://floor"


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        house.app.extensions["phones"] = Subscriptions(house.folder)
        for name, (role, pin) in PINS.items():
            house.house.set_person(name, role, pin, "test")  # type: ignore[arg-type]
        yield house


@pytest.fixture
def as_(served: ServedHouse) -> Callable[[str], FlaskClient]:
    def log_in(name: str) -> FlaskClient:
        client = served.app.test_client()
        assert post(client, "/login", name=name, pin=PINS[name][1]).status_code == 302
        return client

    return log_in


def get(client: FlaskClient, path: str) -> str:
    return client.get(path, base_url=ORIGIN).get_data(as_text=True)


def post(client: FlaskClient, path: str, **form: object):
    token = re.search(r'name="token" value="([0-9a-f]+)"', get(client, "/login"))[1]
    return client.post(path, data={"token": token, **form}, base_url=ORIGIN)


def subscription(name: str, endpoint: str = "") -> str:
    key = to_base64url(public_point(ec.generate_private_key(CURVE)))
    where = endpoint or f"https://web.push.apple.com/{name}"
    return json.dumps({"endpoint": where, "keys": {"p256dh": key, "auth": to_base64url(b"s" * 16)}})


@pytest.mark.parametrize(
    ("path", "form", "allowed"),
    [
        ("/alarms/who", {"person": "Dan", "kind": "hold"}, {"Olga", "Pia"}),
        ("/alarms/phone", {"subscription": subscription("x")}, set(PINS)),
        ("/broker/readers", {"login": "watcher"}, {"Olga"}),
        ("/broker/revoke", {"login": "table-1"}, {"Olga", "Pia"}),
        ("/tables/1/order", {"command": "hold"}, {"Olga", "Pia"}),
    ],
)
def test_a_role_does_what_it_may_and_nothing_else(
    as_: Callable[[str], FlaskClient], path: str, form: dict[str, str], allowed: set[str]
):
    for name in PINS:
        status = post(as_(name), path, **form).status_code
        assert (status == 403) == (name not in allowed), (name, status)


def test_nobody_asks_anything_without_logging_in(served: ServedHouse):
    client = served.app.test_client()
    for path in ("/alarms", "/broker", "/orders/1.json"):
        assert client.get(path, base_url=ORIGIN).headers["Location"] == "/login"
    for path in ("/tables/1/order", "/alarms/phone", "/broker/revoke"):
        assert post(client, path).headers["Location"] == "/login"


def test_a_form_of_another_page_does_nothing(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    served.house.invite("Table 1", "Olga")
    answer = as_("Pia").post("/tables/1/order", data={"command": "hold", "token": "guessed"}, base_url=ORIGIN)
    assert answer.status_code == 400
    assert served.house.orders.pending(1) == []


@pytest.mark.parametrize(
    ("spoken", "why"),
    [
        ("en", "The table is not on hold. There is nothing to release."),
        ("de", "Der Tisch ist nicht angehalten. Es gibt nichts freizugeben."),
        ("es", "La mesa no está en pausa. No hay nada que reanudar."),
    ],
)
def test_an_order_that_was_refused_says_why_in_its_readers_language(
    served: ServedHouse, as_: Callable[[str], FlaskClient], tmp_path: Path, spoken: str, why: str
):
    served.house.invite("Table 1", "Olga")
    pia, auditor = as_("Pia"), as_("Aud")
    for reader in (pia, auditor):
        reader.set_cookie(COOKIE, spoken, domain="floor")
    number = post(pia, "/tables/1/order", command="release").get_json()["order"]
    with TableService.open(tmp_path / "journal", new_header("roulette", (("Ann", 50),)), INSTALLED) as table:
        orders = Orders(table)
        orders.take(json.loads(json.dumps(served.house.orders.pending(1))))
    served.house.orders.acknowledge(1, json.loads(json.dumps(orders.done())))
    told = until(lambda: (found := json.loads(get(pia, f"/orders/{number}.json")))["answered"] and found)
    assert told["refused"] == why
    assert why in get(auditor, "/audit")


def test_what_a_table_says_of_an_order_is_written_down_though_no_database_could_hold_it(
    served: ServedHouse, as_: Callable[[str], FlaskClient]
):
    served.house.invite("Table 1", "Olga")
    number = served.house.orders.queue(1, "hold", "Pia")
    said = {"say": "Undone: {what}", "with": {"what": "a\0b"}}
    served.house.orders.acknowledge(1, [{"id": number, "refused": "no\0thing", "said": said}])
    told = until(lambda: (found := served.house.orders.outcome(number))["answered"] and found)
    assert told["refused"] == "nothing"


def test_a_phone_is_its_persons_own(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    phones: Subscriptions = served.app.extensions["phones"]
    pia = as_("Pia")
    assert post(pia, "/alarms/phone", subscription=subscription("pia")).get_json() == {"told": True}
    assert [(one.player, one.language) for one in phones.of("Pia")] == [("Pia", "en")]
    pia.set_cookie(COOKIE, "de", domain="floor")
    post(pia, "/alarms/phone", subscription=subscription("pia"))
    assert [one.language for one in phones.of("Pia")] == ["de"]
    pia.delete_cookie(COOKIE, domain="floor")
    assert "Pia (1 phone)" in get(pia, "/alarms")
    post(as_("Dan"), "/alarms/phone/end", endpoint="https://web.push.apple.com/pia")
    assert len(phones.of("Pia")) == 1
    post(pia, "/alarms/phone/end", endpoint="https://web.push.apple.com/pia")
    assert phones.of("Pia") == ()


@pytest.mark.parametrize(
    "told",
    ["", "null", "[]", '{"endpoint": 1}', "{" * 2000, subscription("x", "https://evil.example.org/push"),
     subscription("x", "https://web.push.apple.com:8443/x"), subscription("x", "http://web.push.apple.com/x")],
)  # fmt: skip
def test_what_is_no_subscription_is_refused(served: ServedHouse, as_: Callable[[str], FlaskClient], told: str):
    assert post(as_("Pia"), "/alarms/phone", subscription=told).status_code == 400
    assert served.app.extensions["phones"].of("Pia") == ()


def test_the_pit_chooses_who_is_told_and_that_is_written_down(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    post(as_("Pia"), "/alarms/who", person="Dan", kind=["hold", "dispute"])
    page = get(as_("Dan"), "/alarms")
    dan = page[page.index("Dan (0 phones)") :].partition("</fieldset>")[0]
    assert re.findall(r'value="(\w+)" checked', dan) == ["dispute", "hold"]
    assert ("Pia", "chose who is told of alarms") in [(one.who, one.did) for one in served.house.audit_lines()]
    assert post(as_("Pia"), "/alarms/who", person="Eve", kind="hold").status_code == 400


def test_the_worker_and_the_authority_are_there_for_a_phone(as_: Callable[[str], FlaskClient]):
    client = as_("Pia")
    assert client.get("/sw.js", base_url=ORIGIN).mimetype == "text/javascript"
    assert client.get("/authority.crt", base_url=ORIGIN).data[:2] == b"\x30\x82"


@pytest.mark.parametrize(
    ("spoken", "said"), [("en", "Camera: sees badly"), ("de", "Kamera: sieht schlecht"), ("es", "Cámara: ve mal")]
)
def test_the_pits_page_says_an_alarm_in_its_own_language(
    served: ServedHouse, as_: Callable[[str], FlaskClient], spoken: str, said: str
):
    """And one of an earlier version, which has no codes, in the words that it was written down with."""
    served.house.invite("Table 1", "Olga")
    camera = {Key(1, "machine"): (Reason("camera", {"state": "poor"}),)}
    with served.house.connection() as connection:
        store.write(connection, Changes(camera, frozenset()))
        connection.execute("INSERT INTO floor.alarm (table_id, kind, text) VALUES (1, 'hold', 'On hold: the dealer')")
    pia = as_("Pia")
    pia.set_cookie(COOKIE, spoken, domain="floor")
    page = get(pia, "/alarms")
    assert page.count(said) == page.count("On hold: the dealer") == 2


@pytest.mark.parametrize(("spoken", "said"), [("en", "the dealer asked for it"), ("de", "der Geber bittet darum")])
def test_the_board_says_why_a_table_is_held_in_the_pages_language(
    served: ServedHouse, as_: Callable[[str], FlaskClient], spoken: str, said: str
):
    served.house.invite("Table 1", "Olga")
    told = {"hold": "lo pide el crupier", "hold_said": {"say": "the dealer asked for it", "with": {}}}
    served.house.live.take(1, {**PICTURE, **told})
    pia = as_("Pia")
    pia.set_cookie(COOKIE, spoken, domain="floor")
    (line,) = pia.get("/board.json", base_url=ORIGIN).get_json()["tables"]
    assert line["picture"]["hold"] == said
    assert "hold_said" not in line["picture"]


# ---- orders


def test_an_order_reaches_its_table_once_and_what_came_of_it_is_written_down(
    served: ServedHouse, as_: Callable[[str], FlaskClient]
):
    for name in ("Table 1", "Table 2"):
        served.house.invite(name, "Olga")
    orders, pia = served.house.orders, as_("Pia")
    number = post(pia, "/tables/2/order", command="hold").get_json()["order"]
    (told,) = orders.pending(2)
    assert (orders.pending(1), told["id"], told["do"]) == ([], number, "hold")
    orders.acknowledge(1, [{"id": number, "refused": ""}])
    assert orders.pending(2), "another table answers for nobody"
    for nonsense in (None, "x", 7, [7], [{"id": "1", "refused": ""}], [{"id": number}], {"id": number}):
        orders.acknowledge(2, nonsense)
    assert orders.pending(2)
    orders.acknowledge(2, [{"id": number, "refused": ""}])
    assert orders.pending(2) == []
    until(lambda: json.loads(get(pia, f"/orders/{number}.json")) == {"answered": True, "refused": None})
    refused = post(pia, "/tables/2/order", command="release").get_json()["order"]
    orders.acknowledge(2, [{"id": refused, "refused": "A payout is disputed."}])
    until(lambda: json.loads(get(pia, f"/orders/{refused}.json"))["refused"] == "A payout is disputed.")
    did = [one.did for one in served.house.audit_lines() if one.who == "Pia"]
    assert did[:4] == [
        "was told: the table did not release", "asked a table to release", "was told: the table did hold",
        "asked a table to hold",
    ]  # fmt: skip


@pytest.mark.parametrize(("path", "command"), [("/tables/1/order", "undo"), ("/tables/9/order", "hold")])
def test_what_is_no_order_is_refused(served: ServedHouse, as_: Callable[[str], FlaskClient], path: str, command: str):
    served.house.invite("Table 1", "Olga")
    assert post(as_("Pia"), path, command=command).status_code == 400
    assert served.house.orders.pending(1) == []


# ---- over a real broker


@pytest.fixture
def place() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="broker-", dir="/tmp"))  # not pytest's: mosquitto's user must get there
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.thorough
def test_the_house_tells_its_broker_of_an_alarm_and_of_its_end(
    served: ServedHouse, tmp_path: Path, place: Path, as_: Callable[[str], FlaskClient]
):
    house = served.house
    house.broker.open(Mosquitto(place / "broker", served.folder / "https" / "table.pem", "127.0.0.1", 0))
    login, authority = house.broker.own, served.authority.path
    assert login is not None
    page = post(as_("Olga"), "/broker/readers", login="homeassistant").get_data(as_text=True)
    password = re.search(r'id="broker-password">([^<]+)<', page)[1]
    table = JournalTable(tmp_path / "table")
    table.play(3)
    member = served.join(table.data_dir)
    config = house_config(login, "127.0.0.1", place / "broker" / OWN_PASSWORD, authority)
    with (
        HousePublisher(config) as publisher,
        AlarmMonitor(house.connection, house.board.lines, [publisher]).start(),
        Client(login.port, ("homeassistant", password), authority) as home,
        table.follow(member),
    ):
        home.wait(lambda: home.field("companion/house/alarm", "count") == 0)
        home.wait(lambda: home.last("companion/house/status") == "online")
        until(table.is_ok)
        with house.connection() as connection:
            report(connection, 1, 1, Fault("transfer", "Coins moved that the house did not give.", 1, 1))
        home.wait(lambda: home.field("companion/house/alarm", "count") == 1)
        told = home.last("companion/house/alarm")
        assert (told["last"]["table"], told["last"]["name"], told["last"]["alarm"]) == (
            "table-1",
            "Table 1",
            "incident",
        )
        assert told["last"]["needs"] == [{"need": "incident", "count": 1}]
        post(as_("Pia"), "/incidents/1/close")
        home.wait(lambda: home.field("companion/house/alarm", "count") == 0)
        home.wait(lambda: len(home.of("companion/house/event")) == 2)
        events = home.of("companion/house/event")
        assert [one["type"] for one in events] == ["alarm.raised", "alarm.cleared"]
        found = home.last("homeassistant/device/companion/house/config")
        assert set(found["components"]) == {"alarm", "alarms", "last"}
        everything = b"".join(message.topic.encode() + message.payload for _, message in home.received)
    for secret in (password, login.password, (member.folder / "table.pem").read_text()[30:60]):
        assert secret.encode() not in everything
    table.close()
