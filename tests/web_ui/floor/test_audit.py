"""Whatever somebody of the pit does is written down: every form of every page, so that a new one has to say so here."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_house import Chain
from floor_wire import ServedHouse

from companion.floor import tables
from companion.floor.cluster import Cluster
from companion.floor.tables import Fault
from companion.locale import Translator
from web_ui.floor.app import create_floor_app
from web_ui.push.subscriptions import Subscriptions

FLOOR = "https://floor"
PHONE = {"endpoint": "https://fcm.googleapis.com/fcm/send/abc", "keys": {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg"}}  # fmt: skip
KEY = "k" * 24

# By form: its address, what is filled in, and what the audit says then. In an order in which each can be done.
FORMS: dict[str, tuple[str, dict[str, Any], str]] = {
    "people.log_in": ("/login", {"name": "Olga", "pin": "1234"}, "logged in"),
    "people.invite": ("/invite", {"table": "Table 2"}, "invited a table"),
    "people.set_person": ("/people", {"name": "Nora", "role": "dealer", "pin": "4321"}, "set a person"),
    "people.close": ("/incidents/1/close", {}, "closed an incident"),
    "pit_purses.open_purse": ("/purses/new", {"player": "Ann"}, "opened a purse"),
    "pit_purses.pay": ("/purses/{purse}/coins", {"way": "in", "coins": "50", "key": KEY}, "sold coins"),
    "pit_purses.print_card": ("/purses/{purse}/cards", {}, "printed a player card"),
    "pit_purses.revoke": ("/purses/cards/1/revoke", {}, "revoked a player card"),
    "prices.save": (
        "/prices/edit",
        {"scope": "house", "game": "roulette", "base": "0", "k-table.min": "5"},
        "changed the prices",
    ),
    "prices.set_group": ("/prices/groups", {"group": "High", "table": "Table 1", "base": "1"}, "changed the prices"),
    "prices.bring_back": ("/prices/versions/1/bring-back", {"base": "2"}, "changed the prices"),
    "table_pages.sign": ("/duty", {"table": "Table 1", "dealer": "Nora"}, "signed a dealer on"),
    "orders.ask": ("/tables/1/order", {"command": "hold"}, "asked a table to hold"),
    "broker.let_in": ("/broker/readers", {"login": "homeassistant"}, "gave access to the broker"),
    "broker.revoke": ("/broker/revoke", {"login": "homeassistant"}, "took access to the broker away"),
    "alarms.choose": ("/alarms/who", {"person": "Olga", "kind": "offline"}, "chose who is told of alarms"),
    "alarms.begin": ("/alarms/phone", {"subscription": json.dumps(PHONE)}, "has a phone that is told of alarms"),
    "alarms.end": ("/alarms/phone/end", {"endpoint": PHONE["endpoint"]}, "told of alarms no more"),
    "day_closes.close": ("/closes", {}, "closed the day"),
    "people.log_out": ("/logout", {}, "logged out"),
}

UNKNOWN = "{who} {did}"
"""The sentence of a line that nobody wrote one for."""
translated = Translator(())


@pytest.fixture
def app(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[Flask]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as served:
        served.house.set_person("Olga", "owner", "1234", "test")
        with served.house.connection() as connection:
            who = tables.join(connection, tables.invite(connection, "Table 1"), lambda _: "print")
            chain = Chain()
            tables.begin_epoch(connection, who, chain.journal, chain.head_at(0), chain.signer.public)
            tables.report(connection, 1, 1, Fault("cloned", "Two machines say that they are this table."))
        yield create_floor_app(served.house, served.authority, lambda code: code, Subscriptions(tmp_path))


def forms_of(app: Flask) -> set[str]:
    """Return every form that people send; what tables ask is in their chains, or moves coins that are."""
    rules = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    return {rule.endpoint for rule in rules if not rule.rule.startswith("/floor/v1/")}


def test_every_form_is_written_down(app: Flask):
    assert forms_of(app) == set(FORMS), "each form of the pit is tried here"
    house, client = app.extensions["house"], app.test_client()
    purse = 0
    for form, (path, told, said) in FORMS.items():
        before = len(house.audit_lines(10_000))
        token = re.search(r'name="token" value="([0-9a-f]+)"', client.get("/login", base_url=FLOOR).text)[1]
        answer = client.post(path.format(purse=purse), data={"token": token, **told}, base_url=FLOOR)
        assert answer.status_code in (200, 302), f"{form}: {answer.text}"
        if form == "pit_purses.open_purse":
            purse = int(answer.headers["Location"].rpartition("/")[2])
        now = house.audit_lines(10_000)
        new = now[: len(now) - before]
        for line in new:
            assert line.sentence.key != UNKNOWN, f"{form} has no sentence: {line}"
            assert translated(line.sentence, "de") != line.sentence, line.sentence
        assert any(line.who == "Olga" and said in line.did for line in new), f"{form}: {new}"


def test_a_payment_that_is_sent_twice_is_written_down_once(app: Flask):
    """Whoever adds the audit up comes to what the books say."""
    house = app.extensions["house"]
    purse = house.cashier.open_purse("Ann", "Pia")
    assert [house.cashier.pay(purse, 50, "Pia", KEY) for _ in range(2)] == [50, 50]
    assert [line.did for line in house.audit_lines()].count("sold coins") == 1


def test_a_wrong_pin_is_written_down_and_where_it_came_from(app: Flask):
    house, client = app.extensions["house"], app.test_client()
    token = re.search(r'name="token" value="([0-9a-f]+)"', client.get("/login", base_url=FLOOR).text)[1]
    for name in ("Olga", "Nobody"):
        client.post("/login", data={"token": token, "name": name, "pin": "9999"}, base_url=FLOOR)
    refused = [(line.who, line.about) for line in house.audit_lines() if "wrong PIN" in line.did]
    assert refused == [("Olga", '{"from": "127.0.0.1"}')]


def logged_in(app: Flask) -> Any:
    client = app.test_client()
    token = re.search(r'name="token" value="([0-9a-f]+)"', client.get("/login", base_url=FLOOR).text)[1]
    client.post("/login", data={"token": token, "name": "Olga", "pin": "1234"}, base_url=FLOOR)
    return client


def test_the_audit_is_read_as_sentences_and_kept_as_it_was_written(app: Flask):
    """In the reader's language, with names for numbers; the line itself can be opened, and saved as a file."""
    house, client = app.extensions["house"], logged_in(app)
    purse = house.cashier.open_purse("Ann", "Pia")
    house.cashier.pay(purse, 12_345, "Pia", KEY)
    house.orders.queue(1, "hold", "Olga")
    house.note("Olga", "rang a bell", {"how": "twice"})
    for language, sentences in {
        "en": ("Pia sold Ann 12,345 coins; the purse held 12,345 then", "Olga asked Table 1 to hold"),
        "de": ("Pia hat Ann 12.345 Münzen verkauft; im Geldbeutel waren danach 12.345", "Olga hat Table 1 gebeten"),
        "es": (
            "Pia vendió 12.345 monedas a Ann; el monedero tenía después 12.345",
            "Olga pidió a Table 1 que se detuviera",
        ),
    }.items():
        shown = html.unescape(client.get("/audit", base_url=FLOOR, headers={"Accept-Language": language}).text)
        for sentence in (*sentences, "Olga rang a bell"):
            assert re.search(rf"<summary>{re.escape(sentence)}", shown), sentence
        assert f'"coins": 12345, "holds": 12345, "purse": {purse}' in shown
        assert f'href="/purses/{purse}"' in shown
    saved = client.get("/audit.csv", base_url=FLOOR)
    assert saved.mimetype == "text/csv"
    heading, first, *_ = saved.text.splitlines()
    assert heading == "at,who,did,about"
    assert first.endswith(',Olga,rang a bell,"{""how"": ""twice""}"')


def test_a_dealer_cannot_save_the_audit(app: Flask):
    app.extensions["house"].set_person("Dan", "dealer", "1234", "test")
    client = app.test_client()
    token = re.search(r'name="token" value="([0-9a-f]+)"', client.get("/login", base_url=FLOOR).text)[1]
    client.post("/login", data={"token": token, "name": "Dan", "pin": "1234"}, base_url=FLOOR)
    assert client.get("/audit.csv", base_url=FLOOR).status_code == 403
