"""The pit's pages of prices, duty, decks, disputes and reports: what each role sees and may do."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import JournalTable, ServedHouse, until

from companion.floor.cluster import Cluster
from companion.floor.people import ROLES, Role

FLOOR = "https://floor"
EVERYBODY: dict[Role, str] = {"owner": "Olga", "pit": "Pia", "dealer": "Dan", "auditor": "Aud"}


@pytest.fixture
def served(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as house:
        for role, name in EVERYBODY.items():
            house.house.set_person(name, role, "1234", "test")
        house.house.invite("Table 1", "test")
        yield house


class Browser:
    """Somebody who is logged in."""

    def __init__(self, served: ServedHouse, name: str | None) -> None:
        self.client: FlaskClient = served.app.test_client()
        if name is not None:
            assert self.post("/login", name=name, pin="1234").status_code == 302

    def get(self, path: str):
        return self.client.get(path, base_url=FLOOR)

    def read(self, path: str) -> str:
        return self.get(path).get_data(as_text=True)

    def post(self, path: str, **form: object):
        token = re.search(r'name="token" value="([0-9a-f]+)"', self.read("/login"))[1]
        return self.client.post(path, data={"token": token, **form}, base_url=FLOOR)


@pytest.fixture
def pia(served: ServedHouse) -> Browser:
    return Browser(served, "Pia")


def prices(scope: str = "house", game: str = "roulette", base: int = 0, **keys: str) -> dict[str, object]:
    return {
        "scope": scope,
        "game": game,
        "base": base,
        **{f"k-{key.replace('__', '.')}": text for key, text in keys.items()},
    }


# ---- prices


def test_the_pit_sets_prices_and_everybody_sees_them(served: ServedHouse, pia: Browser):
    assert "The floor sets no prices" in pia.read("/prices")
    assert pia.post("/prices/edit", **prices(table__min="5", roulette__zero_rule="none")).status_code == 302
    page = Browser(served, "Dan").read("/prices")
    assert "The house · Roulette · Minimum bet: nothing → <strong>5</strong>" in page
    assert "Pia" in page
    assert "changed the prices" in Browser(served, "Aud").read("/audit")
    assert served.house.prices.list_for("Table 1")["roulette"].keys == {"table.min": 5, "roulette.zero_rule": "none"}
    changed = Browser(served, "Dan").read("/prices/versions/1")
    assert "The house · Roulette · Minimum bet: nothing → <strong>5</strong>" in changed


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (prices(table__min="9", table__max="3"), "the minimum 9 is above the maximum 3"),
        (prices(table__min="nine"), "is a whole number"),
        (prices(roulette__wheel="round"), "roulette.wheel"),
        (prices(game="roche", table__paytable="cut/6 = 99:1"), "leaves the players an edge"),
        (prices(game="roche", table__paytable="cut/6"), "is no price"),
        (prices(game="roche", table__paytable="cut/9 = 2:1"), "names suit"),
        (prices(game="roche", table__paytable="cut/6 = 8:1\ncut/6 = 7:1"), "cut/6 has two prices: 8:1 and 7:1"),
        (prices(game="nothing"), "There is no game"),
        (prices(scope="table/Nowhere", table__min="5"), "There is no table"),
        (prices(scope="group/None", table__min="5"), "There is no group"),
        (prices(scope="somebody", table__min="5"), "is neither the house, a group nor a table"),
        (prices(base=7, table__min="5"), "Somebody has saved another version"),
    ],
)
def test_a_bad_list_is_refused_with_its_reason_and_changes_nothing(
    served: ServedHouse, pia: Browser, form: dict[str, object], said: str
):
    assert said in pia.post("/prices/edit", **form).get_data(as_text=True)
    assert served.house.prices.latest() is None
    assert "changed the prices" not in str(served.house.audit_lines())


def test_a_refused_form_comes_back_as_it_was_written(pia: Browser):
    page = pia.post("/prices/edit", **prices(game="roche", table__paytable="cut/6 = 99:1", table__min="7"))
    assert "cut/6 = 99:1</textarea>" in page.get_data(as_text=True)
    assert 'value="7"' in page.get_data(as_text=True)


@pytest.mark.thorough
def test_tables_and_groups_have_prices_of_their_own_and_versions_come_back(served: ServedHouse, pia: Browser):
    served.house.invite("Table 2", "test")
    pia.post("/prices/edit", **prices(table__min="5"))
    pia.post("/prices/groups", group="High", table="Table 2", base=1)
    pia.post("/prices/edit", **prices(scope="group/High", base=2, table__min="50", table__max="500"))
    pia.post("/prices/edit", **prices(scope="table/Table 2", base=3, table__max="400"))
    book = served.house.prices
    assert book.list_for("Table 1")["roulette"].keys == {"table.min": 5}
    assert book.list_for("Table 2")["roulette"].keys == {"table.min": 50, "table.max": 400}
    assert (book.newest_for("Table 1"), book.newest_for("Table 2")) == (1, 4)
    assert pia.post("/prices/versions/1/bring-back", base=4).status_code == 302
    assert book.list_for("Table 2")["roulette"].keys == {"table.min": 5}
    assert (book.newest_for("Table 1"), book.newest_for("Table 2")) == (1, 5)
    assert "Group High · Roulette · Minimum bet: 50 → <strong>nothing</strong>" in pia.read("/prices")
    page = pia.read("/prices/versions/4")
    assert "Table 2 · Roulette · Maximum per spot" in page
    assert "as version 6" in page


# ---- duty, decks, disputes


def test_the_pit_signs_anybody_on_and_a_dealer_only_themselves(served: ServedHouse, pia: Browser):
    served.house.set_person("Eve", "dealer", "1234", "test")
    dan = Browser(served, "Dan")
    assert dan.post("/duty", table="Table 1", dealer="Eve").status_code == 403
    assert dan.post("/duty", table="Table 1", dealer="Dan").status_code == 302
    assert served.house.duty.now() == {1: "Dan"}
    assert pia.post("/duty", table="Table 1", dealer="Eve").status_code == 302
    assert dan.post("/duty", table="Table 1", dealer="").status_code == 403
    assert pia.post("/duty", table="Table 1", dealer="").status_code == 302
    assert served.house.duty.now() == {}
    page = pia.read("/duty")
    assert page.index("<td>Eve</td>") < page.index("<td>Dan</td>")


def test_a_card_of_another_table_is_named_and_its_own_table_says_whether_it_is_genuine(
    served: ServedHouse, pia: Browser
):
    served.house.invite("Table 2", "test")
    register = served.house.decks
    register.register(1, [{"deck": "K7QX", "kind": "roche", "name": "Blue deck"}])
    assert register.report(2, "6D3K7QXABCDEFGHI") is None
    assert register.report(2, "6D3K7QXABCDEFGHI") is None
    assert register.questions_for(2) == {}
    ((name, code),) = register.questions_for(1).items()
    assert code == "6D3K7QXABCDEFGHI"
    register.answer(2, name, is_genuine=True)  # only its own table's word counts
    register.answer(1, name, is_genuine=False)
    assert register.report(2, "7N4ZZZZABCDEFGHI") == "unknown"
    assert [(one.table, one.owner, one.deck_name, one.worth) for one in register.strangers()] == [
        ("Table 2", None, None, "unknown"),
        ("Table 2", "Table 1", "Blue deck", "forged"),
    ]
    page = pia.read("/decks")
    assert "Table 1&#39;s deck “Blue deck”" in page
    assert "forged" in page
    assert "6D3, which says it is of Table 1&#39;s deck “Blue deck”, lies on Table 2." in pia.read("/")


DOSSIER = {
    "seq": 7, "round": "roulette 2", "hold": "two settlements differ", "disputed": True, "questions": [],
    "settlements": [{"seq": 6, "text": "spin", "differences": ["Ann 5, not 6"],
                     "lines": [{"account": "player/Ann", "first": 5, "second": 6}]}],
    "pictures": [{"seq": 5, "text": "Kin day 3", "is_undone": False, "facts": {"votes": "9"}, "jpeg": "/9j/4AAQ"}],
}  # fmt: skip


def test_a_table_is_asked_for_evidence_only_while_somebody_looks(served: ServedHouse, pia: Browser):
    disputes = served.house.disputes
    assert disputes.wanted_of(1) is None
    assert pia.get("/tables/1/disputes.json").json == {"online": False, "told": None}
    name = disputes.wanted_of(1)
    assert name is not None
    disputes.take(1, name, DOSSIER)
    told = pia.get("/tables/1/disputes.json").json["told"]
    assert (told["hold"], told["settlements"][0]["lines"][0]["second"]) == ("two settlements differ", 6)
    assert told["pictures"][0]["jpeg"] is True
    assert pia.get("/tables/1/pictures/5.jpg").data.startswith(b"\xff\xd8\xff")
    assert pia.get("/tables/1/pictures/6.jpg").status_code == 400
    assert disputes.wanted_of(1) is None, "not again at once"


@pytest.mark.parametrize(
    "changed",
    [{"pictures": [{**DOSSIER["pictures"][0], "jpeg": "PHNjcmlwdD4="}]}, {"pictures": [DOSSIER["pictures"][0]] * 13},
     {"seq": "7"}, {"questions": [{"kind": "x", "text": "y" * 601, "choices": []}]}],
)  # fmt: skip
def test_what_is_no_dossier_is_not_kept(served: ServedHouse, pia: Browser, changed: dict[str, object]):
    from companion.floor.errors import FloorError

    pia.get("/tables/1/disputes.json")
    name = served.house.disputes.wanted_of(1)
    with pytest.raises(FloorError):
        served.house.disputes.take(1, str(name), {**DOSSIER, **changed})
    with pytest.raises(FloorError):
        served.house.disputes.take(1, "another", DOSSIER)
    assert pia.get("/tables/1/disputes.json").json["told"] is None


# ---- reports


def test_reports_are_csv_of_the_days_asked_for(served: ServedHouse, pia: Browser, tmp_path: Path):
    number = served.purse_of("Ann", 70)
    table = JournalTable(tmp_path / "table")
    table.play(2)
    with table.follow(served.join(tmp_path / "table", "Table 1")):
        until(table.is_ok)
    (movement,) = csv.DictReader(io.StringIO(pia.read("/reports/movements.csv")))
    assert (movement["coins"], movement["who"], movement["to_name"]) == ("70", "Pit", "Ann")
    assert list(csv.DictReader(io.StringIO(pia.read("/reports/movements.csv?to=2020-01-01")))) == []
    for name in ("takings", "incidents", "shifts", "strangers", "prices"):
        answer = pia.get(f"/reports/{name}.csv")
        assert answer.status_code == 200
        assert answer.mimetype == "text/csv"
        assert answer.get_data(as_text=True).count("\n") >= 1
    assert pia.get("/reports/movements.csv?from=yesterday").status_code == 400
    assert pia.get("/reports/nothing.csv").status_code == 404
    assert pia.get("/reports/audit.csv").status_code == 403
    assert "opened a purse" in Browser(served, "Aud").read("/reports/audit.csv")
    assert number


# ---- every role against every route

LOOK, PIT, REPORT = frozenset(ROLES), frozenset({"owner", "pit"}), frozenset({"owner", "pit", "auditor"})
OPEN = {
    "/healthz",
    "/login",
    "/logout",
    "/floor/v1/authority.json",
    "/static/<digest>/<path:name>",
    "/sw.js",
    "/authority.crt",
    "/floor/v1/join",
}
"""What needs nobody logged in; a table joins with a one-time code."""
RIGHTS: dict[tuple[str, str], frozenset[str]] = {
    ("GET", "/"): LOOK, ("GET", "/board.json"): LOOK, ("GET", "/players"): LOOK,
    ("GET", "/audit"): frozenset({"owner", "auditor"}),
    ("GET", "/audit.csv"): frozenset({"owner", "auditor"}),
    ("POST", "/invite"): PIT, ("POST", "/incidents/<int:number>/close"): PIT, ("POST", "/people"): frozenset({"owner"}),
    ("GET", "/closes"): REPORT, ("POST", "/closes"): PIT, ("GET", "/closes/<int:number>"): REPORT,
    ("GET", "/closes/<int:number>/totals.csv"): REPORT, ("GET", "/closes/<int:number>/movements.csv"): REPORT,
    ("GET", "/purses"): LOOK, ("POST", "/purses/new"): PIT, ("GET", "/purses/<int:number>"): LOOK,
    ("POST", "/purses/<int:number>/coins"): PIT, ("POST", "/purses/<int:number>/cards"): PIT,
    ("POST", "/purses/cards/<int:card>/revoke"): PIT,
    ("GET", "/prices"): LOOK, ("GET", "/prices/versions/<int:number>"): LOOK,
    ("POST", "/prices/versions/<int:number>/bring-back"): PIT, ("GET", "/prices/edit"): PIT,
    ("POST", "/prices/edit"): PIT,
    ("POST", "/prices/groups"): PIT,
    ("GET", "/tables/<int:number>"): LOOK, ("GET", "/tables/<int:number>/disputes.json"): REPORT,
    ("GET", "/tables/<int:number>/pictures/<int:seq>.jpg"): REPORT,
    ("GET", "/duty"): LOOK, ("POST", "/duty"): frozenset({"owner", "pit", "dealer"}), ("GET", "/decks"): LOOK,
    ("GET", "/reports"): REPORT, ("GET", "/reports/<name>.csv"): REPORT,
    ("GET", "/alarms"): LOOK, ("POST", "/alarms/who"): PIT, ("POST", "/alarms/phone"): LOOK,
    ("POST", "/alarms/phone/end"): LOOK,
    ("GET", "/broker"): PIT, ("POST", "/broker/readers"): frozenset({"owner"}), ("POST", "/broker/revoke"): PIT,
    ("POST", "/tables/<int:table>/order"): PIT, ("GET", "/orders/<int:number>.json"): PIT,
}  # fmt: skip


def routes(served: ServedHouse) -> list[tuple[str, str]]:
    rules = [rule for rule in served.app.url_map.iter_rules() if str(rule) not in OPEN]
    return [(method, str(rule)) for rule in rules for method in sorted((rule.methods or set()) & {"GET", "POST"})]


@pytest.mark.thorough
def test_every_route_lets_in_whom_it_should_and_nobody_else(served: ServedHouse):
    who = {role: Browser(served, name) for role, name in EVERYBODY.items()}
    nobody = Browser(served, None)
    wrong = []
    for method, rule in routes(served):
        path = re.sub(r"<int:\w+>", "1", rule).replace("<name>", "takings").replace("<journal>", "a" * 32)
        if rule.startswith("/floor/"):  # only tables, by their certificate
            answers = [
                (browser.get(path) if method == "GET" else browser.post(path)).status_code for browser in who.values()
            ]
            wrong += [(method, rule, answers)] if answers != [401] * 4 else []
            continue
        stranger = nobody.get(path) if method == "GET" else nobody.post(path)
        is_out = stranger.status_code == 401 or stranger.headers.get("Location") == "/login"
        wrong += [] if is_out else [(method, rule, "nobody", stranger.status_code)]
        allowed = RIGHTS.get((method, rule))
        for role, browser in who.items():
            form = {"table": "Table 1", "dealer": EVERYBODY[role]}
            answer = browser.get(path) if method == "GET" else browser.post(path, **form)
            is_let_in = answer.status_code != 403
            if allowed is None or is_let_in != (role in allowed) or answer.status_code >= 500:
                wrong.append((method, rule, role, answer.status_code))
    assert wrong == [], "\n".join(map(str, wrong))


def test_an_auditor_changes_nothing(served: ServedHouse):
    auditor = Browser(served, "Aud")
    for method, rule in routes(served):
        if method == "POST" and not rule.startswith(("/floor/", "/alarms/phone")):
            path = re.sub(r"<int:\w+>", "1", rule)
            assert auditor.post(path, table="Table 1", dealer="Dan", base=0, group="G").status_code == 403, rule
    assert [one.did for one in served.house.audit_lines() if one.who == "Aud" and one.did != "logged in"] == []
