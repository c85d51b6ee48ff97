"""All pages for each role, log-in and set-up, static files, headers."""

import gzip
import json
import posixpath
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, url_for
from flask.testing import FlaskClient
from webclient import PIN, FakeDemo, command, csrf_of, log_in
from werkzeug.routing import Rule

import web_ui
from companion.games.roche_deck.design import EMBLEMS
from companion.journal.trust.guard import Trouble
from companion.kernel.messages import message
from companion.objects.cards import RANKS
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, say
from web_ui import AccessStore, create_app
from web_ui.access.lockout import Guesser
from web_ui.access.store import spaced
from web_ui.assets import Assets
from web_ui.strings import LANGUAGES, catalogue, game_catalogue, text

WEB = Path(web_ui.__file__).parent
FAMILIES = {plugin.web.family: plugin.web for plugin in INSTALLED.values() if plugin.web is not None}
FILES = Assets(FAMILIES.values()).files
FIRST_PAINT_BYTES = 83_000


def text_of(client: FlaskClient, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, path
    return response.get_data(as_text=True)


@pytest.mark.parametrize("path", ["/", "/odds", "/history", "/history/log", "/setup", "/dealer", "/seat/1", "/seat/9"])
def test_every_page_has_its_headers_and_no_inline_script(room: FlaskClient, path: str) -> None:
    response = room.get(path)
    assert response.status_code == 200
    csp = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in csp
    assert "unsafe" not in csp
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-store"
    page = response.get_data(as_text=True)
    for tag in re.findall(r"<script[^>]*>", page):
        assert "src=" in tag or 'type="application/json"' in tag
    assert not re.search(r"<[^>]+\s(style|on\w+)=", page)
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page


def test_the_table_page_carries_the_first_view(room: FlaskClient) -> None:
    page = text_of(room, "/")
    found = re.search(r'<script type="application/json" id="page-data">(.*?)</script>', page, re.S)
    assert found
    data = json.loads(found[1])
    assert data["view"]["phase"] == "betting"
    assert data["strings"]["suit_6"] == "Kin"


def test_the_page_that_changes_the_pin_says_all_in_its_language(service: TableService, dealer: FlaskClient) -> None:
    """Regression: the camera's status was in English."""
    service.set_camera("ok", message("{camera} sends pictures.", camera=message("The demo table")))
    page = dealer.get("/setup/pin", headers={"Accept-Language": "de"}).get_data(as_text=True)
    assert "sends pictures" not in page
    assert "Der Demo-Tisch" in page
    assert text("setup_entries", "de", count=1) == "1 Eintrag"


def test_the_page_that_changes_the_pin_calls_decks_what_people_call_them(
    service: TableService, access: AccessStore, tmp_path: Path
) -> None:
    decks = DeckStore(tmp_path, DECKS)
    deck = decks.new("red", "Rot")
    app = create_app(service, access=access, deck_store=decks, test_config={"TESTING": True})
    client = app.test_client()
    log_in(client)
    page = client.get("/setup/pin", headers={"Accept-Language": "de"}).get_data(as_text=True)
    assert f"{deck.id} · Rotes Spiel<" in page


def test_a_players_name_cannot_break_out_of_the_page(service: TableService, room: FlaskClient) -> None:
    name = "</script><script>alert(1)</script>"
    service.submit({"do": "join", "player": name, "coins": 5}, source="test")
    assert name not in text_of(room, "/")
    assert name not in text_of(room, "/history/log")
    seat = service.view()["players"][-1]["seat"]
    assert name not in text_of(room, f"/seat/{seat}")


def test_first_paint_is_small(room: FlaskClient) -> None:
    page = text_of(room, "/")
    names = set(re.findall(r'"(/static/[^"]+)"', page))
    prefix = next(iter(names)).rsplit("/static/", 1)[1].split("/")[0]
    modules = set(re.findall(r'type="module" src="/static/\w+/([\w/]+\.js)"', page))
    while more := {m for name in modules for m in imports_of(name)} - modules:
        modules |= more
    names |= {f"/static/{prefix}/{name}" for name in modules}
    names = {name for name in names if "apple-touch" not in name}  # loaded when the page is put on a phone's screen
    total = 0
    for name in ("/", *names):
        response = room.get(name, headers={"Accept-Encoding": "gzip"})
        assert response.status_code == 200, name
        total += len(response.data) + len(f"HTTP/1.1 200 OK\r\n{response.headers}")
    assert total <= FIRST_PAINT_BYTES, f"{total} bytes"


def test_only_what_a_browser_shows_by_itself_says_what_it_may_do(room: FlaskClient) -> None:
    """A page loads thirty files: half a kilobyte of page headers on each would be a fifth of the total."""
    names = set(re.findall(r'"(/static/[^"]+)"', text_of(room, "/")))
    for name in names:
        headers = room.get(name).headers
        assert headers["X-Content-Type-Options"] == "nosniff", name
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin", name
        is_inert = name.endswith((".js", ".css", ".woff2"))
        assert ("Content-Security-Policy" in headers) is not is_inert, name
    assert any(name.endswith(".svg") for name in names)
    assert "Content-Security-Policy" in room.get("/sw.js").headers


def imports_of(name: str) -> list[str]:
    source = FILES[name].decode()
    named = re.findall(r'from "([\w./]+)"', source)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), one)) for one in named]


def test_static_files_are_kept_for_good_and_revalidated(room: FlaskClient) -> None:
    name = re.findall(r'"(/static/[^"]+base\.css)"', text_of(room, "/"))[0]
    plain, packed = room.get(name), room.get(name, headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.data) == plain.data
    assert "immutable" in plain.headers["Cache-Control"]
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["ETag"] != packed.headers["ETag"]
    for kept, takes in ((plain, {}), (packed, {"Accept-Encoding": "gzip"})):
        again = room.get(name, headers={"If-None-Match": kept.headers["ETag"], **takes})
        assert (again.status_code, again.data) == (304, b"")
    old = re.sub(r"/static/\w+/", "/static/0000/", name)
    assert room.get(old).headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("name", ["../app.py", "x.css", "js/../../app.py", "%2e%2e/app.py", ""])
def test_nothing_else_is_served(room: FlaskClient, name: str) -> None:
    assert room.get(f"/static/0000/{name}").status_code in (404, 308)


# ---- the dealer


def test_the_dealers_page_asks_for_the_pin(room: FlaskClient) -> None:
    assert 'name="pin"' in text_of(room, "/dealer")
    assert log_in(room, "9999").status_code == 401
    assert "That PIN is wrong" in log_in(room, "9999").get_data(as_text=True)
    assert log_in(room).status_code == 302
    assert 'id="page-data"' in text_of(room, "/dealer")


def test_the_cookie_is_guarded(room: FlaskClient) -> None:
    cookie = log_in(room).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_logging_out(dealer: FlaskClient) -> None:
    token = csrf_of(dealer, "/dealer")
    assert dealer.post("/dealer/logout", headers={"X-CSRFToken": token}).status_code == 302
    assert 'name="pin"' in text_of(dealer, "/dealer")


def test_lockout_is_told_on_the_page(room: FlaskClient, app: Flask) -> None:
    for _ in range(5):
        page = log_in(room, "9999")
    assert page.status_code == 429
    assert "Wait 30 seconds" in page.get_data(as_text=True)


@pytest.mark.parametrize("path", ["/dealer/camera.jpg", "/dealer/seats/1", "/dealer/demo"])
def test_the_dealers_things_are_the_dealers(room: FlaskClient, phone: FlaskClient, path: str) -> None:
    assert room.get(path).status_code == 401
    assert phone.get(path).status_code == 401


def test_a_seats_code_is_shown_as_text_and_picture(dealer: FlaskClient, access: AccessStore) -> None:
    link = dealer.get("/dealer/seats/1").get_json()
    assert link["code"].replace("-", "") == access.seat_code(1)
    assert link["qr"].startswith("data:image/svg+xml")
    assert link["address"].endswith("/seat/1")
    token = csrf_of(dealer, "/dealer")
    fresh = dealer.post("/dealer/seats/1/new-code", json={}, headers={"X-CSRFToken": token}).get_json()
    assert fresh["code"] != link["code"]
    assert dealer.get("/dealer/seats/7").status_code == 404


def test_the_link_for_phones_never_says_localhost(dealer: FlaskClient, app: Flask) -> None:
    app.config["PUBLIC_URL"] = "http://table.lan:8080/"
    assert dealer.get("/dealer/seats/1").get_json()["address"] == "http://table.lan:8080/seat/1"


def test_no_camera_no_demo(dealer: FlaskClient) -> None:
    assert dealer.get("/dealer/camera.jpg").status_code == 404
    token = {"X-CSRFToken": csrf_of(dealer, "/dealer")}
    assert dealer.post("/dealer/demo", json={"do": "deal"}, headers=token).status_code == 404


def test_the_demo_is_told_what_to_do(service: TableService, access: AccessStore) -> None:
    demo = FakeDemo()
    client = create_app(service, access=access, demo=demo).test_client()
    log_in(client)
    token = {"X-CSRFToken": csrf_of(client, "/dealer")}
    bodies: list[dict[str, Any]] = [{"do": "auto", "on": False}, {"do": "deal"}, {"do": "gather"}]
    for body in [*bodies, {"do": "mischief", "kind": "lost"}]:
        assert client.post("/dealer/demo", json=body, headers=token).get_json()["text"] == "You deal."
    assert demo.asked == [("auto", False), ("deal",), ("gather",), ("mischief", "lost")]
    assert client.post("/dealer/demo", json={"do": "cheat"}, headers=token).status_code == 400


# ---- seats


def test_a_code_for_an_empty_seat_is_refused_with_one_sentence(room: FlaskClient) -> None:
    answer = room.post("/seat/9/join", data={"code": "AAAA-BBBB", "csrf_token": csrf_of(room, "/seat/9")})
    page = answer.get_data(as_text=True)
    assert page.count('class="error"') == 1
    assert "Nobody sits in seat 9. Ask the dealer" in page


def test_a_phone_joins_with_its_code_once(app: Flask, access: AccessStore) -> None:
    code = access.seat_code(2)
    first, second = app.test_client(), app.test_client()
    form = {"code": code, "csrf_token": csrf_of(first, "/seat/2")}
    assert first.post("/seat/2/join", data=form).status_code == 302
    assert "Benedict" in text_of(first, "/seat/2")
    form = {"code": code, "csrf_token": csrf_of(second, "/seat/2")}
    response = second.post("/seat/2/join", data=form)
    assert response.status_code == 401
    told = "That code is wrong, or a phone has used it already. Type the one that the dealer&#39;s screen shows now."
    assert told in response.get_data(as_text=True)


def test_nobody_joins_an_empty_seat(room: FlaskClient) -> None:
    assert "Nobody sits in seat 9" in text_of(room, "/seat/9")
    response = room.post("/seat/9/join", data={"code": "ABCD", "csrf_token": csrf_of(room, "/seat/9")})
    assert response.status_code == 403


def test_leaving_a_phone(phone: FlaskClient) -> None:
    token = {"X-CSRFToken": csrf_of(phone, "/seat/1")}
    assert phone.post("/seat/1/leave", headers=token).status_code == 302
    assert 'name="code"' in text_of(phone, "/seat/1")


# ---- set-up


def test_first_start_chooses_the_pin(tmp_path: Path, service: TableService) -> None:
    access = AccessStore(tmp_path)
    client = create_app(service, access=access).test_client()
    assert client.get("/dealer").headers["Location"] == "/setup"
    token = csrf_of(client, "/setup")
    form = {"pin": "2468", "again": "2468", "code": "WRONGWRO", "csrf_token": token}
    assert client.post("/setup", data=form).status_code == 401
    assert not access.has_pin
    differs = client.post("/setup", data=form | {"code": access.setup_code, "again": "1357"})
    assert differs.status_code == 400
    assert f'value="{access.setup_code}"' in differs.get_data(as_text=True), "a slip must not cost the code"
    assert client.post("/setup", data=form | {"code": access.setup_code}).status_code == 302
    assert 'id="page-data"' in text_of(client, "/dealer")
    access.check_pin("2468", Guesser("test"))


def test_the_dealer_changes_the_pin(dealer: FlaskClient, access: AccessStore) -> None:
    form = {"pin": "2468", "again": "2468", "code": PIN, "csrf_token": csrf_of(dealer, "/setup")}
    assert dealer.post("/setup", data=form | {"code": "0000"}).status_code == 401
    assert dealer.post("/setup", data=form).status_code == 302
    assert dealer.get("/api/v1/state?as=dealer").status_code == 200
    access.check_pin("2468", Guesser("test"))


def test_nobody_else_changes_the_pin(room: FlaskClient, access: AccessStore) -> None:
    form = {"pin": "2468", "again": "2468", "code": PIN, "csrf_token": csrf_of(room, "/setup") if False else ""}
    form["csrf_token"] = csrf_of(room, "/dealer")
    assert room.post("/setup", data=form).status_code == 401
    access.check_pin(PIN, Guesser("test"))


def test_setup_shows_what_is_configured(service: TableService, access: AccessStore, tmp_path: Path) -> None:
    decks = DeckStore(tmp_path, DECKS)
    deck = decks.new("roche")
    client = create_app(service, access=access, deck_store=decks).test_client()
    assert deck.id not in text_of(client, "/setup")
    log_in(client)
    assert deck.id in text_of(client, "/setup")


# ---- history


def test_the_log_says_cards_and_bets_in_words(service: TableService, room: FlaskClient) -> None:
    for record in ({"do": "bet", "player": "Aubrey", "on": "night/6", "amount": 2}, {"do": "undo"}):
        service.submit(record, source="test")
    page = text_of(room, "/history/log")
    assert "Aubrey bets 2 on Kin by night" in page
    assert "Undone: Aubrey&#39;s bet of 2 on Kin by night" in page
    assert "night/6" not in page


def test_the_log_pages_back_and_forth(service: TableService, room: FlaskClient) -> None:
    for _ in range(70):
        service.submit({"do": "buy-in", "player": "Aubrey", "coins": 1}, source="test")
    page = text_of(room, "/history/log")
    assert 'value="71"' in page
    assert 'value="21"' not in page
    older = text_of(room, "/history/log?before=22")
    assert 'value="21"' in older
    assert 'value="1"' in older
    assert "?before=72" in older


def test_who_logs_in_where_is_for_the_dealer_only(
    room: FlaskClient, dealer: FlaskClient, phone: FlaskClient, service: TableService
) -> None:
    """No page, view, stream or journal page shows the room the address of a log-in attempt."""
    form = {"pin": "0000", "csrf_token": csrf_of(room, "/dealer")}
    assert room.post("/dealer/login", data=form, environ_base={"REMOTE_ADDR": "192.0.2.77"}).status_code == 401
    service.submit({"do": "buy-in", "player": "Aubrey", "coins": 3}, source="test")  # the notice is written by now
    for path in ("/history/log", "/api/v1/events", "/api/v1/state", "/api/v1/events?after=1&limit=1", "/"):
        assert "192.0.2.77" not in text_of(room, path)
        assert "192.0.2.77" not in text_of(phone, path)
    for path in ("/history/log", "/api/v1/events", "/api/v1/state"):
        assert "192.0.2.77" in text_of(dealer, path)


# ---- machines


def test_health_and_metrics(room: FlaskClient, service: TableService) -> None:
    assert room.get("/healthz").get_json() == {"status": "ok"}
    assert room.get("/readyz").get_json()["seq"] == service.view()["seq"]
    numbers = text_of(room, "/metrics")
    assert "companion_table_players 2.0" in numbers
    assert 'companion_http_requests_total{endpoint="health.alive",status="200"} 1.0' in numbers


def test_a_table_that_fails_is_not_ready(access: AccessStore) -> None:
    class Broken:
        games = INSTALLED
        translator = say

        @property
        def history(self) -> "Broken":
            return self

        def entries(self, after: int, limit: int) -> list[object]:
            return []

        def view(self, viewer: str = "room") -> dict[str, Any]:
            raise RuntimeError("no table")

        def events(self, after: int, limit: int, viewer: str = "room") -> list[dict[str, Any]]:
            return []

    client = create_app(Broken(), access=access).test_client()  # type: ignore[arg-type]
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200


def test_a_table_that_cannot_save_is_not_ready(room: FlaskClient, dealer: FlaskClient, service: TableService) -> None:
    """The state is the problem's code; nobody but the dealer accepts a loss, and it is ready again afterwards."""
    loss = Trouble("tail-lost", "Entries 3 to 5 are missing.", 3, 5, "ab" * 32)
    service._files.journal.hold(loss)
    assert command(dealer, {"do": "hold"}).status_code == 503
    answer = room.get("/readyz")
    assert (answer.status_code, answer.get_json()["code"]) == (503, "tail-lost")
    assert answer.get_json()["message"] == "Entries 3 to 5 are missing."
    told = room.get("/api/v1/state").get_json()["journal"]
    assert told == {"state": "tail-lost", "text": loss.text, "can_accept": True, "first": 3, "last": 5}
    assert command(room, {"do": "accept-loss"}).status_code == 401
    assert command(dealer, {"do": "accept-loss"}).status_code == 200
    assert room.get("/readyz").status_code == 200


# ---- what the pages are made of


def test_a_page_has_the_emblems_that_are_printed(room: FlaskClient) -> None:
    sheet = EMBLEMS.read_text(encoding="utf-8")
    assert sheet.rstrip() in text_of(room, "/")
    halves = {"half-day", "half-night"}
    assert set(re.findall(r'<symbol id="([\w-]+)"', sheet)) == halves | {f"suit-{rank}" for rank in RANKS}


@pytest.mark.thorough
def test_every_text_is_there_and_used() -> None:
    shared = sources_of(WEB)
    own = {family: sources_of(Path(str(resources.files(web.package)))) for family, web in FAMILIES.items()}
    parts = sorted(file.stem.removeprefix("en.") for file in (WEB / "strings").glob("en.*.json"))
    for language in LANGUAGES:
        texts = catalogue(language, *parts)
        for rank in RANKS:
            assert f"suit_{rank}" in texts
        assert asked_in(shared) <= set(texts), asked_in(shared) - set(texts)
        everything = "\n".join((shared, *own.values()))
        kept = (
            "nav_",
            "title_",
            "layout_",
            "deck_",
            "die_",
            "limit_",
            "hand_word_",
            "phase_",
            "field_",
            "fam_",
            "game_",
            "about_",
            "key_",
            "you_did_",
            "val_",
        )
        assert not {key for key in stale(texts, everything) if not key.startswith(kept)}
        for family, web in FAMILIES.items():
            mine = game_catalogue(web, language, "setup")
            assert asked_in(own[family]) <= {*texts, *mine}, asked_in(own[family]) - {*texts, *mine}
            kept = ("game_", "layout_", "phase_", "about_", "key_", "val_", "fam_", "deck_kind_", "die_", "you_did_",
                    "settle_pots_", "ended_")  # fmt: skip
            assert not {key for key in stale(mine, shared + own[family]) if not key.startswith(kept)}
            # a game says what it shows, its own verbs, what stays staked, and what stands for a house and its layout
            said_anew = {"shows_chances", "you_did_bet", "you_did_fold", "staked_before", "stays_staked",
                         "edge", "party_stake"}  # fmt: skip
            assert set(mine) & set(texts) <= said_anew, "a text of the game and of the program"


def sources_of(folder: Path) -> str:
    files = [path for kind in ("html", "js", "py") for path in sorted(folder.rglob(f"*.{kind}"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def asked_in(source: str) -> set[str]:
    """Texts that are asked for by a key of their own, not by the stem of a family of texts."""
    return {key for key in re.findall(r'\bt\(\s*"([\w-]+)"', source) if not key.endswith("_")}


def stale(texts: dict[str, Any], source: str) -> set[str]:
    stems = re.findall(r'\bt\((?:`([\w-]+_)\$|"([\w-]+_)" ~|f"([\w-]+_)\{)', source)
    families = {stem.split("_")[0] + "_" for found in stems for stem in found if stem}
    return {key for key in texts if f'"{key}"' not in source and key.split("_")[0] + "_" not in families}


# ---- the set-up code without a terminal


def first_start(tmp_path: Path, service: TableService, **more: Any) -> tuple[Flask, AccessStore]:
    access = AccessStore(tmp_path)
    return create_app(service, access=access, **more), access


def ask_for_code(app: Flask, address: str, **headers: str) -> tuple[int, str]:
    """Send a request like a browser at an address."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return asked_again(client, **headers)


def asked_again(client: FlaskClient, **headers: str) -> tuple[int, str]:
    answer = client.post("/setup/code", data={"csrf_token": csrf_of(client, "/setup")}, headers=headers)
    return answer.status_code, answer.get_data(as_text=True)


def test_the_attached_screen_shows_the_code_and_looking_alone_does_not(tmp_path: Path, service: TableService) -> None:
    app, access = first_start(tmp_path, service)
    assert access.setup_code is not None
    assert access.setup_code not in text_of(app.test_client(), "/setup")
    status, page = ask_for_code(app, "127.0.0.1")
    assert (status, f'value="{access.setup_code}"' in page) == (200, True)
    assert spaced(access.setup_code) in text_of(app.test_client(), "/"), "on a screen without a keyboard, too"
    access.set_pin(PIN)
    assert "first-start" not in text_of(app.test_client(), "/")


def test_the_first_browser_in_the_network_gets_the_code_and_no_other(tmp_path: Path, service: TableService) -> None:
    app, access = first_start(tmp_path, service)
    first = app.test_client()
    first.environ_base["REMOTE_ADDR"] = "192.168.1.23"
    assert "first-start" not in text_of(first, "/")
    assert f'value="{access.setup_code}"' in asked_again(first)[1]
    assert f'value="{access.setup_code}"' in asked_again(first)[1], "as often as it likes"
    for other in ("192.168.1.24", "192.168.1.23"):
        status, page = ask_for_code(app, other)
        assert status == 403
        assert "Another browser, at 192.168.1.23, asked" in page
        assert str(access.setup_code) not in page


class Panel:
    """A set-up back end whose panel has these buttons held down."""

    down: tuple[str, ...] = ()

    def panel_state(self) -> dict[str, Any]:
        return {"down": list(self.down)}


def test_whoever_holds_a_button_of_the_panel_gets_the_code_from_who_was_first(
    tmp_path: Path, service: TableService
) -> None:
    panel = Panel()
    app, access = first_start(tmp_path, service, table_setup=panel)
    assert f'value="{access.setup_code}"' in ask_for_code(app, "192.168.1.66")[1]
    assert ask_for_code(app, "192.168.1.23")[0] == 403
    panel.down = ("undo",)
    assert f'value="{access.setup_code}"' in ask_for_code(app, "192.168.1.23")[1]
    assert ask_for_code(app, "203.0.113.9")[0] == 403, "far away nobody holds it"
    panel.down = ()
    status, page = ask_for_code(app, "192.168.1.66")
    assert (status, "at 192.168.1.23, asked" in page) == (403, True)


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("203.0.113.9", {}),
        ("192.168.1.23", {"X-Forwarded-For": "203.0.113.9"}),
        ("127.0.0.1", {"Forwarded": "for=203.0.113.9"}),
    ],
)
def test_nobody_far_away_gets_the_code(
    tmp_path: Path, service: TableService, address: str, headers: dict[str, str]
) -> None:
    app, access = first_start(tmp_path, service)
    status, page = ask_for_code(app, address, **headers)
    assert status == 403
    assert "only on the table" in page
    assert str(access.setup_code) not in page
    assert f'value="{access.setup_code}"' in ask_for_code(app, "192.168.1.23")[1], "and was not the first"


# ---- taking over a demo


def joined(service: TableService) -> list[Any]:
    """Who has joined with a browser, once everything that was noted is written."""
    service.submit({"do": "buy-in", "player": "Aubrey", "coins": 1}, source="test")
    noted = [one["record"].get("data", {}) for one in service.events(0, 99)]
    return [data for data in noted if "joined" in data]


def take_over(client: FlaskClient) -> Any:
    return client.post("/dealer/take-over", data={"csrf_token": csrf_of(client, "/")})


def test_a_newcomer_takes_a_demo_over_with_one_press(tmp_path: Path, service: TableService) -> None:
    """They deal and play seat 1 without a PIN, and stay logged in when a PIN is chosen."""
    demo = FakeDemo()
    app, access = first_start(tmp_path, service, demo=demo)
    client, other = app.test_client(), app.test_client()
    client.environ_base["REMOTE_ADDR"] = other.environ_base["REMOTE_ADDR"] = "192.168.1.23"
    assert take_over(client).headers["Location"] == "/dealer"
    assert demo.asked == [("auto", False)]
    told = client.get("/dealer/demo").get_json()
    assert (told["seat"], told["pin"]) == (1, False)
    assert client.get("/api/v1/state?as=seat/1").status_code == 200
    assert joined(service) == [{"seat": 1, "joined": "Aubrey"}], "so nobody simulates them"
    assert take_over(other).status_code == 403
    assert other.get("/api/v1/state?as=dealer").status_code == 401

    form = {"pin": "2468", "again": "2468", "code": access.setup_code, "csrf_token": csrf_of(client, "/setup")}
    assert client.post("/setup", data=form).status_code == 302
    assert client.get("/api/v1/state?as=dealer").status_code == 200
    assert client.get("/api/v1/state?as=seat/1").status_code == 200


def test_with_a_pin_only_the_dealer_takes_over(service: TableService, access: AccessStore) -> None:
    demo = FakeDemo()
    client = create_app(service, access=access, demo=demo).test_client()
    assert take_over(client).headers["Location"] == "/dealer"
    assert demo.asked == []
    log_in(client)
    take_over(client)
    take_over(client)
    assert demo.asked == [("auto", False), ("auto", False)]
    assert len(joined(service)) == 1, "sits down once"


def test_who_has_joined_by_phone_keeps_the_seat(
    service: TableService, access: AccessStore, phone: FlaskClient, dealer: FlaskClient, app: Flask
) -> None:
    app.extensions["demo"] = FakeDemo()
    take_over(dealer)
    assert dealer.get("/dealer/demo").get_json()["seat"] == 2
    assert phone.get("/api/v1/state?as=seat/1").status_code == 200


def test_at_a_real_table_there_is_nothing_to_take_over(dealer: FlaskClient) -> None:
    assert take_over(dealer).status_code == 404


def test_no_address_is_compiled_before_a_page_writes_it(
    service: TableService, access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred and thirty of them were most of a start."""
    compiled: list[str] = []
    really = Rule._compile_builder
    monkeypatch.setattr(
        Rule, "_compile_builder", lambda rule, *how: compiled.append(rule.endpoint) or really(rule, *how)
    )
    app = create_app(service, access=access)
    assert compiled == []
    with app.test_request_context():
        assert (url_for("dealer.show"), url_for("dealer.show")) == ("/dealer", "/dealer")
    assert compiled == ["dealer.show"]
