"""The floor's pages: who may do what, and that it is written down."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from flask.testing import FlaskClient
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import ServedHouse

from companion.floor.cluster import OWNER, Cluster
from companion.floor.errors import FloorError
from web_ui.floor.people import LASTS_S, MAX_LOGINS, Logins

PINS = {"Olga": ("owner", "1111"), "Pia": ("pit", "2222"), "Dan": ("dealer", "3333"), "Aud": ("auditor", "4444")}


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        for name, (role, pin) in PINS.items():
            house.house.set_person(name, role, pin, "test")  # type: ignore[arg-type]
        yield house


@pytest.fixture
def as_(served: ServedHouse) -> Callable[[str], FlaskClient]:
    def log_in(name: str) -> FlaskClient:
        client = served.app.test_client()
        answer = post(client, "/login", name=name, pin=PINS[name][1])
        assert answer.status_code == 302
        return client

    return log_in


def post(client: FlaskClient, path: str, **form: object):
    page = client.get("/login", base_url="https://floor").get_data(as_text=True)
    token = re.search(r'name="token" value="([0-9a-f]+)"', page)[1]
    return client.post(path, data={"token": token, **form}, base_url="https://floor")


def test_nobody_sees_anything_before_logging_in(served: ServedHouse):
    client = served.app.test_client()
    for path in ("/", "/audit"):
        assert client.get(path, base_url="https://floor").headers["Location"] == "/login"
    assert post(client, "/invite", table="T").headers["Location"] == "/login"


def test_a_wrong_pin_is_refused_and_guessing_has_to_wait(served: ServedHouse):
    client = served.app.test_client()
    for _ in range(5):
        assert "Name or PIN is wrong" in post(client, "/login", name="Olga", pin="9999").get_data(as_text=True)
    assert "Too many wrong guesses" in post(client, "/login", name="Olga", pin="1111").get_data(as_text=True)
    assert "Name or PIN is wrong" not in client.get("/login", base_url="https://floor").get_data(as_text=True)


@pytest.mark.parametrize(("made", "is_taken"), [("-59 minutes", True), ("-61 minutes", False), ("1 hour", False)])
def test_a_code_joins_for_an_hour_and_not_until_a_wrong_clocks_hour(served: ServedHouse, made: str, is_taken: bool):
    """Made by a clock that was ahead and set right since, it would be good for all that time."""
    code = served.house.invite("Table 1", "Olga")
    with psycopg.connect(served.cluster.dsn(OWNER, served.database), autocommit=True) as owner:
        owner.execute("UPDATE floor.invitation SET ends = ends + %s::interval", (made,))
    if is_taken:
        assert served.house.join(code, lambda name: f"certificate of {name}").name == "Table 1"
    else:
        with pytest.raises(FloorError, match="wrong, used up or too old"):
            served.house.join(code, lambda name: f"certificate of {name}")


def test_a_copy_of_a_cookie_does_nothing_any_more_once_its_owner_has_logged_out(
    served: ServedHouse, as_: Callable[[str], FlaskClient]
):
    """Somebody has copied it from an open browser, or sends a request of before again, token and all."""
    pia, thief = as_("Pia"), served.app.test_client()
    page = pia.get("/", base_url="https://floor").get_data(as_text=True)
    token = re.search(r'name="token" value="([0-9a-f]+)"', page)[1]
    thief.set_cookie("floor", pia.get_cookie("floor", domain="floor").value, domain="floor", secure=True)
    assert thief.get("/", base_url="https://floor").status_code == 200
    other = as_("Pia")
    pia.post("/logout", data={"token": token}, base_url="https://floor")
    assert thief.get("/", base_url="https://floor").headers.get("Location") == "/login"
    thief.post("/invite", data={"token": token, "table": "Thief"}, base_url="https://floor")
    thief.post("/logout", data={"token": token}, base_url="https://floor")
    told = [(one.who, one.did) for one in served.house.audit_lines()]
    assert ("Pia", "invited a table") not in told
    assert told.count(("Pia", "logged out")) == 1
    assert other.get("/", base_url="https://floor").status_code == 200, "another browser of hers is still hers"


def test_logging_in_anew_ends_what_this_browser_was(as_: Callable[[str], FlaskClient], served: ServedHouse):
    pia, thief = as_("Pia"), served.app.test_client()
    thief.set_cookie("floor", pia.get_cookie("floor", domain="floor").value, domain="floor", secure=True)
    assert post(pia, "/login", name="Dan", pin="3333").status_code == 302
    assert thief.get("/", base_url="https://floor").headers.get("Location") == "/login"


def test_logins_end_after_half_a_day_and_the_oldest_of_too_many():
    now = 0.0
    logins = Logins(lambda: now)
    first, second = logins.begin(), logins.begin()
    now = LASTS_S - 1
    later = [logins.begin() for _ in range(MAX_LOGINS - 1)]
    assert (logins.counts(first), logins.counts(second)) == (False, True)
    now = LASTS_S + 1
    assert (logins.counts(second), logins.counts(later[0])) == (False, True)
    logins.end(later[0])
    assert [logins.counts(name) for name in (later[0], None, 5, "")] == [False] * 4


def guess(client: FlaskClient, name: str, pin: str, address: str = "192.168.1.7") -> str:
    """Try a PIN from an address in the network; return the page, empty where it was right."""
    page = client.get("/login", base_url="https://floor").get_data(as_text=True)
    form = {"token": re.search(r'name="token" value="([0-9a-f]+)"', page)[1], "name": name, "pin": pin}
    answer = client.post("/login", data=form, base_url="https://floor", environ_base={"REMOTE_ADDR": address})
    return "" if answer.status_code == 302 else answer.get_data(as_text=True)


def test_ones_own_pin_wipes_out_no_guesses_of_anothers(served: ServedHouse):
    """A dealer tries the owner's PIN, and logs in as themselves before each wait."""
    client = served.app.test_client()
    for number in range(8):
        page = guess(client, "Olga", f"90{number:02d}")
        assert guess(client, "Dan", "3333") == ""
    assert "Too many wrong guesses" in page


def test_guesses_at_once_are_no_more_than_one_after_the_other(served: ServedHouse):
    clients = [served.app.test_client() for _ in range(20)]
    with ThreadPoolExecutor(len(clients)) as together:
        pages = list(together.map(lambda client: guess(client, "Olga", "9999"), clients))
    assert sum("Name or PIN is wrong" in page for page in pages) == 5


def test_strangers_who_guess_keep_nobody_out_who_was_in_before(served: ServedHouse):
    pit = served.app.test_client()
    assert guess(pit, "Pia", "2222", "192.168.1.50") == ""
    for number in range(41):
        guess(served.app.test_client(), "Pia", "9999", f"192.168.1.{number + 100}")
    assert "Too many wrong guesses" in guess(served.app.test_client(), "Dan", "3333", "192.168.1.99")
    assert guess(served.app.test_client(), "Pia", "2222", "192.168.1.50") == ""


def test_another_pin_ends_what_the_old_one_opened(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    stolen, owner = as_("Pia"), as_("Olga")
    post(owner, "/people", name="Pia", role="pit", pin="2468")
    for path in ("/", "/purses"):
        assert stolen.get(path, base_url="https://floor").headers["Location"] == "/login"
    post(owner, "/people", name="Olga", role="owner", pin="1357")
    assert owner.get("/audit", base_url="https://floor").status_code == 200


def test_what_is_no_name_is_refused_as_a_wrong_one(served: ServedHouse):
    for name in ("Ol\0ga", "x" * 5000, "\u202eOlga"):
        assert "Name or PIN is wrong" in guess(served.app.test_client(), name, "1111")


@pytest.mark.parametrize(
    ("path", "form"), [("/duty", {"table": "a\0b", "dealer": "Dan"}), ("/broker/revoke", {"login": "\0"})]
)
def test_what_no_database_holds_is_refused_in_words(as_: Callable[[str], FlaskClient], path: str, form: dict[str, str]):
    answer = post(as_("Olga"), path, **form)
    assert answer.status_code == 400
    assert "That is no name or number" in answer.get_data(as_text=True)


@pytest.mark.parametrize(
    ("path", "form", "allowed"),
    [
        ("/invite", {"table": "Table 1"}, {"Olga", "Pia"}),
        ("/purses/new", {"player": "Ann"}, {"Olga", "Pia"}),
        ("/people", {"name": "Eve", "role": "owner", "pin": "5555"}, {"Olga"}),
        ("/incidents/1/close", {}, {"Olga", "Pia"}),
    ],
)
def test_a_role_does_what_it_may_and_nothing_else(
    served: ServedHouse, as_: Callable[[str], FlaskClient], path: str, form: dict[str, str], allowed: set[str]
):
    for name in PINS:
        status = post(as_(name), path, **form).status_code
        assert (status == 403) == (name not in allowed), name


def test_auditor_and_owner_read_who_did_what(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    post(as_("Pia"), "/purses/new", player="Ann")
    for name, status in (("Aud", 200), ("Olga", 200), ("Pia", 403), ("Dan", 403)):
        assert as_(name).get("/audit", base_url="https://floor").status_code == status
    page = as_("Aud").get("/audit", base_url="https://floor").get_data(as_text=True)
    assert "opened a purse" in page
    assert "Pia" in page


def test_a_form_of_another_site_does_nothing(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    client = as_("Olga")
    answer = client.post("/purses/new", data={"player": "Eve", "token": "x"}, base_url="https://floor")
    assert answer.status_code == 400
    assert served.house.purses() == []


def test_the_page_shows_tables_and_a_code_that_joins(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    client = as_("Pia")
    page = post(client, "/invite", table="Table 7").get_data(as_text=True)
    assert re.search(r"companion join 'https://127.0.0.1:\d+#[A-Z0-9]{10}\.[0-9a-f]{64}'", page)
    (line,) = client.get("/board.json", base_url="https://floor").get_json()["tables"]
    assert (line["name"], line["online"], line["needs"]) == ("Table 7", False, [])


def test_the_board_tells_those_who_are_logged_in_what_has_changed(
    served: ServedHouse, as_: Callable[[str], FlaskClient]
):
    assert served.app.test_client().get("/board.json", base_url="https://floor").status_code == 401
    client = as_("Dan")
    served.house.invite("Table 1", "test")
    first = client.get("/board.json", base_url="https://floor").get_json()
    assert [one["name"] for one in first["tables"]] == ["Table 1"]
    again = client.get(f"/board.json?since={first['version']}", base_url="https://floor").get_json()
    assert (again["tables"], again["order"]) == ([], first["order"])
    ahead = client.get(f"/board.json?since={first['version'] + 10**9}", base_url="https://floor").get_json()
    assert ahead["tables"] == first["tables"]


@pytest.mark.parametrize("odd", [10**30, "\ud800x"], ids=["a number", "half a letter"])
def test_what_no_table_of_ours_writes_takes_nobodys_board_away(
    odd: object, served: ServedHouse, as_: Callable[[str], FlaskClient], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(served.house.board, "since", lambda version: {"version": 1, "tables": [{"name": odd}]})
    assert as_("Dan").get("/board.json", base_url="https://floor").get_json()["tables"] == [{"name": odd}]


def test_a_player_is_found_at_tables_and_with_a_purse(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    client = as_("Dan")
    served.purse_of("José", 1500, "Pia")
    served.house.invite("Table 1", "test")
    told = {
        "game": "roulette", "title": "Roulette", "seq": 1, "rounds": 0, "phase": "betting",
        "players": [{"name": "José", "coins": 40, "staked": 5}, {"name": "<b>Bo", "coins": 7, "staked": 0}],
        "in_play": 5, "on_table": 52, "house": 0, "hold": None, "disputed": False, "asked_since": None,
        "camera": "ok", "panel": "none", "disk": "ok", "journal": "ok", "behind_s": 0,
    }  # fmt: skip
    served.house.live.take(1, told)

    def page(name: str) -> str:
        answer = client.get("/players", query_string={"name": name}, base_url="https://floor")
        assert answer.status_code == 200
        return answer.get_data(as_text=True)

    found = page("jose")
    assert "Table 1: 40, 5 on bets (offline, as it was)" in found
    assert "1,500 (No. " in found
    assert "1,545" in found
    assert "&lt;b&gt;Bo" not in found
    assert "&lt;b&gt;Bo" in page("bo")
    assert "no purse" in page("bo")
    assert "Nobody has" in page("zz\0")
    stranger = served.app.test_client().get("/players?name=jose", base_url="https://floor")
    assert stranger.headers["Location"] == "/login"


def test_the_day_is_closed_by_the_pit_and_read_by_the_auditor(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    for name, allowed in (("Dan", False), ("Aud", False), ("Pia", True)):
        assert post(as_(name), "/closes").status_code == (302 if allowed else 403)
    served.purse_of("=Ann", 1500, "Pia")
    assert post(as_("Olga"), "/closes").headers["Location"] == "/closes/2"
    auditor = as_("Aud")
    page = auditor.get("/closes/2", base_url="https://floor").get_data(as_text=True)
    assert "Signed with this floor&#39;s key" in page or "Signed with this floor's key" in page
    assert "1,500" in page
    assert "closed by Olga" in page
    rows = auditor.get("/closes/2/movements.csv", base_url="https://floor").get_data(as_text=True).splitlines()
    assert rows[0].startswith("id,at,from_kind")
    assert len(rows) == 2
    assert ",purse,'=Ann,1500,desk," in rows[1]
    assert auditor.get("/closes/1/totals.csv", base_url="https://floor").mimetype == "text/csv"
    assert auditor.get("/closes/9", base_url="https://floor").status_code == 400
    for path in ("/closes", "/closes/1", "/closes/1/movements.csv"):
        assert as_("Dan").get(path, base_url="https://floor").status_code == 403
    assert "closed the day" in auditor.get("/audit", base_url="https://floor").get_data(as_text=True)


def test_a_day_that_is_closed_by_two_presses_is_closed_once(served: ServedHouse, as_: Callable[[str], FlaskClient]):
    page = as_("Olga").get("/closes", base_url="https://floor").get_data(as_text=True)
    seen = re.search(r'name="after" value="([0-9]+)"', page)[1]
    for name in ("Olga", "Pia"):
        assert post(as_(name), "/closes", after=seen).headers["Location"] == "/closes/1"
    assert len(served.house.closes()) == 1
