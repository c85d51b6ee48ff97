"""The pit's pages for purses and player cards."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pypdfium2
import pytest
import segno
from flask.testing import FlaskClient
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import ServedHouse

from companion.floor.check import find_problems
from companion.floor.cluster import APP, OWNER, Cluster

FLOOR = "https://floor"
EVERYBODY = {"Olga": "owner", "Pia": "pit", "Dan": "dealer", "Aud": "auditor"}


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        for name, role in EVERYBODY.items():
            house.house.set_person(name, role, "1234", "test")  # type: ignore[arg-type]
        yield house


class Browser:
    """Somebody who is logged in."""

    def __init__(self, served: ServedHouse, name: str) -> None:
        self.client: FlaskClient = served.app.test_client()
        assert self.post("/login", name=name, pin="1234").status_code == 302

    def read(self, path: str) -> str:
        return self.client.get(path, base_url=FLOOR).get_data(as_text=True)

    def post(self, path: str, **form: object):
        token = re.search(r'name="token" value="([0-9a-f]+)"', self.read("/login"))[1]
        return self.client.post(path, data={"token": token, **form}, base_url=FLOOR)

    def key(self, path: str) -> str:
        return re.search(r'name="key" value="([0-9a-f]+)"', self.read(path))[1]


@pytest.fixture
def pia(served: ServedHouse) -> Browser:
    return Browser(served, "Pia")


def is_right(served: ServedHouse) -> bool:
    with psycopg.connect(served.cluster.dsn(APP, served.database), autocommit=True) as connection:
        return list(find_problems(connection)) == []


FULL = """CREATE FUNCTION floor.is_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_ BEFORE INSERT ON floor.posting EXECUTE FUNCTION floor.is_full()"""


def test_a_full_disk_is_called_so_at_the_desk_and_moves_no_coins(served: ServedHouse, pia: Browser):
    """No table sends a payment of the desk again: it was told that one does."""
    where = pia.post("/purses/new", player="Ann").headers["Location"]
    key = pia.key(where)
    with psycopg.connect(served.cluster.dsn(OWNER, served.database), autocommit=True) as owner:
        owner.execute(FULL)
        refused = pia.post(f"{where}/coins", way="in", coins="1500", key=key)
        assert refused.status_code == 503
        said = "The floor&#39;s disk is full, so nothing was changed. Make room on it, then try again."
        assert said in refused.get_data(as_text=True)
        owner.execute("DROP TRIGGER full_ ON floor.posting")
    assert "<strong>0 coins</strong>" in pia.read(where)
    assert pia.post(f"{where}/coins", way="in", coins="1500", key=key).status_code == 302
    assert "<strong>1,500 coins</strong>" in pia.read(where)
    assert is_right(served)


def test_the_pit_opens_a_purse_sells_coins_into_it_and_pays_out(served: ServedHouse, pia: Browser):
    where = pia.post("/purses/new", player="Ann").headers["Location"]
    assert pia.post("/purses/new", player=" Ann ").headers["Location"] == where
    assert "Nothing has moved yet." in pia.read(where)
    key = pia.key(where)
    for _ in range(2):  # the button pressed twice
        assert pia.post(f"{where}/coins", way="in", coins="1500", key=key).status_code == 302
    assert pia.post(f"{where}/coins", way="out", coins="200", key=pia.key(where)).status_code == 302
    page = pia.read(where)
    assert "<strong>1,300 coins</strong>" in page
    assert re.findall(
        r"<td class=\"num\">([+−][\d,]+)</td><td>House bank</td><td>At the desk</td><td>Pia</td>", page
    ) == [
        "−200",
        "+1,500",
    ]
    assert "1,300" in pia.read("/purses")
    audit = Browser(served, "Aud").read("/audit")
    for did in ("opened a purse", "sold coins", "paid coins out"):
        assert did in audit
    assert is_right(served)


def test_no_more_is_paid_out_than_there_is(served: ServedHouse, pia: Browser):
    where = pia.post("/purses/new", player="Ann").headers["Location"]
    answer = pia.post(f"{where}/coins", way="out", coins="1", key=pia.key(where))
    assert answer.status_code == 400
    assert "There are not 1 coins in that purse." in answer.get_data(as_text=True)
    assert is_right(served)


@pytest.mark.parametrize(
    "form",
    [
        {"coins": "-5"},
        {"coins": "1.5"},
        {"coins": ""},
        {"coins": "٣"},
        {"coins": "0"},
        {"coins": "99999999999999"},
        {"way": "x"},
        {"key": ""},
    ],
)
def test_what_is_no_payment_moves_nothing(served: ServedHouse, pia: Browser, form: dict[str, str]):
    number = served.house.cashier.open_purse("Ann", "Pia")
    told = {"way": "in", "coins": "5", "key": "a" * 24, **form}
    assert pia.post(f"/purses/{number}/coins", **told).status_code == 400
    assert served.house.cashier.purse(number).coins == 0


def test_owner_and_pit_move_coins_and_everybody_looks(served: ServedHouse):
    number = served.house.cashier.open_purse("Ann", "Pia")
    card = served.house.cashier.add_card(number, "Pia").number
    changes = {
        "/purses/new": {"player": "Bo"},
        f"/purses/{number}/coins": {"way": "in", "coins": "5", "key": "b" * 24},
        f"/purses/{number}/cards": {},
        f"/purses/cards/{card}/revoke": {},
    }
    for name, role in EVERYBODY.items():
        browser = Browser(served, name)
        assert "Ann" in browser.read("/purses")
        assert ("Print a card" in browser.read(f"/purses/{number}")) == (role in ("owner", "pit"))
        for path, form in changes.items():
            assert (browser.post(path, **form).status_code == 403) == (role not in ("owner", "pit")), (name, path)
    assert served.app.test_client().get(f"/purses/{number}", base_url=FLOOR).headers["Location"] == "/login"


def test_a_card_is_printed_read_and_revoked(served: ServedHouse, pia: Browser):
    number = served.house.cashier.open_purse("Ann", "Pia")
    answer = pia.post(f"/purses/{number}/cards")
    assert answer.mimetype == "application/pdf"
    text = pypdfium2.PdfDocument(answer.data)[0].get_textpage().get_text_bounded()
    assert "Ann" in text
    assert "Revoke card 1" in pia.read(f"/purses/{number}")
    pia.post("/purses/cards/1/revoke")
    page = pia.read(f"/purses/{number}")
    assert "revoked" in page
    assert "Revoke card 1" not in page
    audit = Browser(served, "Aud").read("/audit")
    assert "printed a player card" in audit
    assert "revoked a player card" in audit


@pytest.mark.parametrize(
    ("language", "number", "head"),
    [("en", "No. 1", "Page 1 of 1"), ("de", "Nr. 1", "Seite 1 von 1"), ("es", "N.º 1", "Página 1 de 1")],
)
def test_a_card_speaks_the_language_of_the_page(
    served: ServedHouse, pia: Browser, language: str, number: str, head: str
):
    purse = served.house.cashier.open_purse("Ann", "Pia")
    pia.client.set_cookie("language", language, domain="floor")
    answer = pia.post(f"/purses/{purse}/cards")
    text = pypdfium2.PdfDocument(answer.data)[0].get_textpage().get_text_bounded()
    assert number in text
    assert head in text


def test_what_there_is_not_is_said(served: ServedHouse, pia: Browser):
    assert "The house has no purse 9999." in pia.read("/purses/9999")
    assert "The house has no purse" in pia.read(f"/purses/{2**70}")
    assert "There is no player card 77." in pia.post("/purses/cards/77/revoke").get_data(as_text=True)


def test_the_code_to_join_with_is_a_qr_code_too(pia: Browser):
    page = pia.post("/invite", table="Table 7").get_data(as_text=True)
    address = re.search(r"companion join (?:'|&#39;)(https://.+?)(?:'|&#39;)", page)[1]
    shown = html.unescape(re.search(r'<img src="(data:image/svg[^"]+)"', page)[1])
    assert shown == segno.make(address, micro=False, error="m").svg_data_uri(border=4, dark="#000", light="#fff")
