"""Phones that are told: who, when, and that the table sends nowhere else."""

import json
import os
import stat
import tarfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from flask.testing import FlaskClient
from push_reader import opened
from webclient import csrf_of

from companion.journal.backups.backup import make_backup
from companion.kernel.errors import BadScript
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app
from web_ui.push.encryption import CURVE, public_point, to_base64url
from web_ui.push.notifications import PlayerNotification, turn_notifications
from web_ui.push.sender import Notifier, post_by_https
from web_ui.push.subscriptions import FILE, MAX_PER_PLAYER, Subscriptions, checked

MOZILLA = "https://updates.push.services.mozilla.com/wpush/v2/"


@dataclass
class FakePhone:
    """A browser that wants to be told, and reads what it gets."""

    name: str = "a"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(CURVE))
    secret: bytes = field(default_factory=lambda: os.urandom(16))

    @property
    def body(self) -> dict[str, str]:
        endpoint = MOZILLA + self.name
        return {
            "endpoint": endpoint,
            "public": to_base64url(public_point(self.key)),
            "secret": to_base64url(self.secret),
        }

    def read(self, body: bytes) -> Any:
        return json.loads(opened(body, self.key, self.secret))


@dataclass
class FakeService:
    """A push service that remembers what it was asked to bring."""

    status: int = 201
    asked: list[tuple[str, bytes, Mapping[str, str]]] = field(default_factory=list)

    def post(self, endpoint: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.asked.append((endpoint, body, headers))
        return self.status


@pytest.fixture
def rochi(tmp_path: Path) -> Iterator[TableService]:
    """A game in which it is somebody's turn."""
    header = new_header("rochi", (("Aubrey", 100), ("Benedict", 100)))
    with TableService.open(tmp_path / "journal.db", header, INSTALLED) as table:
        yield table


def notifier_of(service: TableService, folder: Path, phone: FakePhone, player: str, language: str = "en") -> Any:
    push = FakeService()
    subscriptions = Subscriptions(folder)
    subscriptions.add(checked(**phone.body, player=player, language=language))
    return Notifier(service, subscriptions, push.post, lambda: 1_800_000_000.0), push


def a_round(service: TableService) -> None:
    for record in (
        {"do": "bet", "player": "Aubrey", "on": "cut/2", "amount": 3},
        {"do": "no-more-bets"},
        {"do": "deal", "card": "2D1"},
        {"do": "deal", "card": "2N1"},
    ):
        service.submit(record, source="test")


def test_a_winner_is_told_once_what_he_has_won(service: TableService, tmp_path: Path) -> None:
    phone = FakePhone()
    notifier, push = notifier_of(service, tmp_path, phone, "Aubrey", "de")
    a_round(service)
    notifier.look()
    notifier.look()
    ((endpoint, body, headers),) = push.asked
    won = service.ledger.balance("Aubrey") - 100
    assert phone.read(body) == {"title": f"Sie haben {won} gewonnen", "body": "", "url": "/seat/1", "tag": "won"}
    assert endpoint == MOZILLA + "a"
    assert headers["Authorization"].startswith("vapid t=")
    assert (headers["Content-Encoding"], headers["TTL"], headers["Topic"]) == ("aes128gcm", "3600", "won")


def test_a_loser_and_a_win_that_was_undone_are_not_told(service: TableService, tmp_path: Path) -> None:
    notifier, push = notifier_of(service, tmp_path, FakePhone(), "Benedict")
    a_round(service)
    notifier.look()
    other, pushed = notifier_of(service, tmp_path, FakePhone("b"), "Aubrey")
    service.submit({"do": "new-round"}, source="test")
    a_round(service)
    service.submit({"do": "undo"}, source="test")
    other.look()
    assert push.asked == pushed.asked == []


def test_the_next_player_is_told_that_it_is_his_turn(rochi: TableService, tmp_path: Path) -> None:
    view = rochi.view("room")
    assert turn_notifications(None, view) == ()
    assert turn_notifications(view, {**view, "turn": "Aubrey"}) == (
        () if view.get("turn") == "Aubrey" else (PlayerNotification("Aubrey", "turn"),)
    )
    assert turn_notifications({**view, "turn": "Aubrey"}, {**view, "turn": "Benedict"}) == (
        PlayerNotification("Benedict", "turn"),
    )
    assert turn_notifications({**view, "turn": "Aubrey"}, {**view, "turn": "Benedict", "hold": "why"}) == ()
    assert turn_notifications({**view, "turn": "Aubrey"}, {**view, "turn": None}) == ()
    phone = FakePhone()
    notifier, push = notifier_of(rochi, tmp_path, phone, "Benedict")
    notifier.tell(PlayerNotification("Benedict", "turn"))
    notifier.tell(PlayerNotification("Aubrey", "turn"))
    ((_, body, headers),) = push.asked
    told = phone.read(body)
    assert (told["title"], told["url"], headers["Urgency"]) == ("It is your turn", "/seat/2", "high")
    assert told["body"] == rochi.view("room")["prompt"]


def test_a_phone_that_is_gone_is_forgotten_and_one_that_fails_is_not(service: TableService, tmp_path: Path) -> None:
    notifier, push = notifier_of(service, tmp_path, FakePhone(), "Aubrey")
    push.status = 500
    notifier.tell(PlayerNotification("Aubrey", "won", 5))
    assert len(notifier.subscriptions.of("Aubrey")) == 1
    push.status = 410
    notifier.tell(PlayerNotification("Aubrey", "won", 5))
    assert Subscriptions(tmp_path).of("Aubrey") == ()


def test_no_internet_does_not_stop_the_thread(service: TableService, tmp_path: Path) -> None:
    def away(endpoint: str, body: bytes, headers: Mapping[str, str]) -> int:
        raise OSError("no route")

    subscriptions = Subscriptions(tmp_path)
    subscriptions.add(checked(**FakePhone().body, player="Aubrey", language="en"))
    notifier = Notifier(service, subscriptions, away)
    notifier.start()
    a_round(service)
    until = time.monotonic() + 5
    while notifier._seq < service.view("room")["seq"] and time.monotonic() < until:
        time.sleep(0.02)
    assert notifier._thread.is_alive()
    notifier.close()
    notifier.close()
    assert not notifier._thread.is_alive()


def test_an_address_that_is_none_ends_no_other_phones_news(service: TableService, tmp_path: Path) -> None:
    """It was kept by an older program, or a push service's name is odd: the thread that tells goes on."""
    phone = FakePhone()
    notifier, push = notifier_of(service, tmp_path, phone, "Aubrey")
    sent = push.post

    def post(endpoint: str, body: bytes, headers: Mapping[str, str]) -> int:
        if endpoint.endswith("odd"):
            return post_by_https("https://a..push.apple.com/x", body, headers)
        return sent(endpoint, body, headers)

    notifier._post = post
    others, odd = notifier.subscriptions.of("Aubrey"), checked(**FakePhone("odd").body, player="Aubrey", language="en")
    notifier.subscriptions._all = [odd, *others]
    a_round(service)
    notifier.look()
    assert [endpoint for endpoint, _, _ in push.asked] == [MOZILLA + "a"]


# ---- what is kept


def test_the_file_is_private_comes_back_and_is_in_no_backup(service: TableService, tmp_path: Path) -> None:
    made = Subscriptions(tmp_path)
    made.add(checked(**FakePhone().body, player="Aubrey", language="en"))
    again = Subscriptions(tmp_path)
    assert (again.public, again.of("Aubrey")) == (made.public, made.of("Aubrey"))
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    archive = tmp_path.parent / "backup.tar.gz"
    make_backup(tmp_path, archive, INSTALLED)
    with tarfile.open(archive) as kept:
        names = kept.getnames()
    assert "companion/journal.db" in names
    assert [name for name in names if "push" in name] == []
    (tmp_path / FILE).write_text("{")
    assert Subscriptions(tmp_path).of("Aubrey") == ()


def test_a_phone_tells_one_players_news_and_a_player_has_not_too_many(tmp_path: Path) -> None:
    kept = Subscriptions(tmp_path)
    for number in range(MAX_PER_PLAYER + 3):
        kept.add(checked(**FakePhone(str(number)).body, player="Aubrey", language="en"))
    assert [one.endpoint[-1] for one in kept.of("Aubrey")] == ["3", "4", "5", "6"]
    kept.add(checked(**FakePhone("6").body, player="Benedict", language="en"))
    assert [one.endpoint[-1] for one in kept.of("Aubrey")] == ["3", "4", "5"]
    assert len(kept.of("Benedict")) == 1


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://updates.push.services.mozilla.com/x",
        "https://192.168.1.1/admin",
        "https://localhost:8080/api/v1/commands",
        "https://updates.push.services.mozilla.com.example.org/x",
        "https://updates.push.services.mozilla.com:22/x",
        "https://user@updates.push.services.mozilla.com/x",
        "https://fcm.googleapis.com/\nx",
        "https://fcm.googleapis.com/a b",
        "https://fcm.googleapis.com/\u00e9",
        "https://a..push.apple.com/x",
        f"https://{'a' * 64}.push.apple.com/x",
        "https://a%00.push.apple.com/x",
        "https://fcm.googleapis.com/" + "x" * 1000,
        "https://[::1",
        7,
    ],
)
def test_the_table_sends_to_browsers_push_services_alone(endpoint: Any) -> None:
    with pytest.raises(BadScript):
        checked(endpoint, FakePhone().body["public"], FakePhone().body["secret"], "Ann", "en")


# ---- asking for it


def ask(client: FlaskClient, path: str, body: object) -> Any:
    return client.post(path, json=body, headers={"X-CSRFToken": csrf_of(client, "/seat/1")})


def test_only_the_seats_own_phone_may_ask(service: TableService, access: AccessStore, tmp_path: Path) -> None:
    notifier = Notifier(service, Subscriptions(tmp_path), FakeService().post)
    app = create_app(service, access=access, notifier=notifier, test_config={"TESTING": True})
    phone, stranger = app.test_client(), app.test_client()
    form = {"code": access.seat_code(1), "csrf_token": csrf_of(phone, "/seat/1")}
    phone.post("/seat/1/join", data=form)
    assert f'"push":"{notifier.subscriptions.public}"' in phone.get("/seat/1").get_data(as_text=True)
    wanted = FakePhone().body
    assert ask(stranger, "/seat/1/push", wanted).status_code == 401
    assert ask(phone, "/seat/2/push", wanted).status_code == 401
    assert phone.post("/seat/1/push", json=wanted).status_code == 403
    assert ask(phone, "/seat/1/push", {**wanted, "endpoint": "https://10.0.0.1/"}).status_code == 400
    assert ask(phone, "/seat/1/push", {**wanted, "secret": "x"}).status_code == 400
    assert notifier.subscriptions.of("Aubrey") == ()
    assert ask(phone, "/seat/1/push", wanted).status_code == 200
    assert [one.player for one in notifier.subscriptions.of("Aubrey")] == ["Aubrey"]
    assert ask(phone, "/seat/1/push/end", {}).status_code == 400
    assert ask(phone, "/seat/1/push/end", {"endpoint": wanted["endpoint"]}).status_code == 200
    assert notifier.subscriptions.of("Aubrey") == ()


def test_where_it_is_off_no_phone_is_offered_it(phone: FlaskClient) -> None:
    assert '"push"' not in phone.get("/seat/1").get_data(as_text=True).replace('"push_', "")
    assert ask(phone, "/seat/1/push", FakePhone().body).status_code == 404
