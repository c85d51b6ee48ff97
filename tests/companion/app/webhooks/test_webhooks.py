"""Webhooks to a real receiver: signed, in order, with retries, without redirects, never blocking the table."""

import base64
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mosquitto import free_port
from mqtt_words import running
from receiver import SECRET, Receiver

from companion.app.integrations.public_events import PublicEventJson
from companion.app.webhooks.check import check_webhook
from companion.app.webhooks.delivery import Undelivered, deliver
from companion.app.webhooks.sender import LASTS_S, MAX_WAITING, Webhook
from companion.app.webhooks.signing import SecretUnusable, read_secret
from companion.config.integrations import WebhookConfig

KEY = base64.b64decode(SECRET)


def event(number: int, kind: Any = "announcement") -> PublicEventJson:
    return {"type": kind, "timestamp": "2026-05-01T12:00:00.000Z", "id": f"msg_{number}", "data": {"seq": number}}


@contextmanager
def hooked(url: str, secret_file: str, **more: Any) -> Iterator[Webhook]:
    events = {"events": more.pop("events")} if "events" in more else {}
    config = WebhookConfig(url=url, secret_file=secret_file, **events)
    settings = {"first_wait_s": 0.02, "jitter": lambda: 1.0, **more}
    with Webhook(config, read_secret(secret_file), **settings).start() as webhook:
        yield webhook


def until(is_so: Any) -> None:
    ends = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_what_happens_at_the_table_is_posted_and_signed(tmp_path: Path, secret_file: str) -> None:
    with Receiver() as receiver:
        hook = WebhookConfig(url=receiver.url, secret_file=secret_file)
        with running(tmp_path / "data", webhooks=(hook,)) as table:
            table.bet(5)
            table.do(do="hold")
            came = receiver.wait(3)
            until(lambda: table.link.state == "up")
        assert [one.event["type"] for one in came] == ["announcement", "announcement", "table.held"]
        assert all(one.is_genuine() for one in came)
        assert {one.path for one in came} == {"/hook/s3cret?to=pit"}
        assert came[0].headers["content-type"] == "application/json"
        assert [one.headers["webhook-id"] for one in came] == [one.event["id"] for one in came]
        assert came[0].event["data"]["text"] == "Ann bets 5 on Kin to cut"
        assert table.link.name == f"127.0.0.1:{receiver.port}"


def test_only_the_events_that_were_asked_for(secret_file: str) -> None:
    with Receiver() as receiver, hooked(receiver.url, secret_file, events=("table.held",)) as webhook:
        webhook.on_event(event(1))
        webhook.on_event(event(2, "table.held"))
        assert [one.event["id"] for one in receiver.wait(1)] == ["msg_2"]


def test_a_receiver_that_stumbles_gets_the_same_again_and_the_rest_after_it(secret_file: str) -> None:
    def stumbling(number: int) -> tuple[int, dict[str, str]]:
        return (500 if number <= 3 else 200), {}

    with Receiver(stumbling) as receiver, hooked(receiver.url, secret_file) as webhook:
        for number in (1, 2):
            webhook.on_event(event(number))
        came = receiver.wait(5)
        until(lambda: webhook.link.state == "up")
    assert [one.headers["webhook-id"] for one in came] == ["msg_1"] * 4 + ["msg_2"]
    assert all(one.is_genuine() for one in came)
    assert webhook.link.lost == 0


def test_a_receiver_that_is_away_is_told_when_it_comes_back(secret_file: str) -> None:
    port = free_port()
    with hooked(f"http://127.0.0.1:{port}/", secret_file) as webhook:
        webhook.on_event(event(1))
        until(lambda: webhook.link.state == "down")
        assert webhook.link.trouble == (
            f"The webhook at 127.0.0.1:{port} cannot be reached: Connection refused. Check url in [[webhooks]], and "
            "whether the table may reach that network."
        )


def test_a_receiver_says_how_long_it_wants_to_be_left_alone(secret_file: str) -> None:
    def busy(number: int) -> tuple[int, dict[str, str]]:
        return (503, {"Retry-After": "1"}) if number == 1 else (200, {})

    with Receiver(busy) as receiver, hooked(receiver.url, secret_file) as webhook:
        began = time.monotonic()
        webhook.on_event(event(1))
        receiver.wait(2)
        assert time.monotonic() - began >= 1.0


@pytest.mark.parametrize("host", ["pit.invalid", "a..b"])
def test_a_host_that_is_none(host: str) -> None:
    with pytest.raises(Undelivered, match="cannot be reached: there is no such host"):
        deliver(f"http://{host}/", KEY, event(1))


def test_a_redirect_is_not_followed(secret_file: str) -> None:
    with Receiver() as elsewhere, Receiver(lambda number: (307, {"Location": elsewhere.url})) as receiver:
        with pytest.raises(Undelivered, match="answers 307, which leads elsewhere and is not followed"):
            deliver(receiver.url, KEY, event(1))
        assert elsewhere.got == []


def test_a_receiver_that_wants_no_more_gets_no_more(secret_file: str) -> None:
    with Receiver(lambda number: (410, {})) as receiver, hooked(receiver.url, secret_file) as webhook:
        webhook.on_event(event(1))
        until(lambda: webhook.link.state == "down")
        for number in range(2, 5):
            webhook.on_event(event(number))
        time.sleep(0.2)
        assert len(receiver.got) == 1
        assert "Take it out of [[webhooks]]" in webhook.link.trouble
        assert webhook.link.lost == 3


def test_the_oldest_of_too_many_are_dropped_and_counted(secret_file: str) -> None:
    sent: list[str] = []
    is_open = False

    def gate(url: str, secret: bytes, happened: PublicEventJson) -> None:
        if not is_open:
            raise Undelivered("closed")
        sent.append(happened["id"])

    with hooked("http://127.0.0.1/", secret_file, deliver=gate) as webhook:
        for number in range(MAX_WAITING + 40):
            webhook.on_event(event(number))
        assert webhook.link.lost == 40
        is_open = True
        until(lambda: len(sent) >= MAX_WAITING)
    assert sent == [f"msg_{number}" for number in range(40, MAX_WAITING + 40)]


def test_what_is_too_old_is_dropped(secret_file: str) -> None:
    now = [0.0]
    sent: list[str] = []

    def gate(url: str, secret: bytes, happened: PublicEventJson) -> None:
        if now[0] == 0.0:
            raise Undelivered("closed")
        sent.append(happened["id"])

    with hooked("http://127.0.0.1/", secret_file, deliver=gate, clock=lambda: now[0]) as webhook:
        webhook.on_event(event(1))
        until(lambda: webhook.link.state == "down")
        now[0] = LASTS_S + 1.0
        webhook.on_event(event(2))
        until(lambda: sent)
    assert (sent, webhook.link.lost) == (["msg_2"], 1)


def test_a_receiver_that_never_answers_delays_nobody(tmp_path: Path, secret_file: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        hook = WebhookConfig(url=f"http://127.0.0.1:{mute.getsockname()[1]}/", secret_file=secret_file)
        with running(tmp_path / "data", webhooks=(hook,)) as table:
            began = time.monotonic()
            for _ in range(20):
                table.bet()
            assert time.monotonic() - began < 5.0
        assert time.monotonic() - began < 8.0  # an answer is waited for longer


def test_waits_get_longer_up_to_a_bound(secret_file: str) -> None:
    waits: list[float] = []

    class Patient(Webhook):
        def _rest(self, seconds: float) -> None:
            waits.append(seconds)
            if len(waits) == 12:
                self.close()

    def closed(url: str, secret: bytes, happened: PublicEventJson) -> None:
        raise Undelivered("closed")

    config = WebhookConfig(url="http://127.0.0.1/", secret_file=secret_file)
    with Patient(config, KEY, deliver=closed, jitter=lambda: 1.0).start() as webhook:
        webhook.on_event(event(1))
        until(lambda: len(waits) == 12)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]


# ---- the secret


def test_the_published_signature_comes_out(tmp_path: Path) -> None:
    """The specification's own example has a secret of 24 bytes."""
    file = tmp_path / "secret"
    file.write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    assert len(read_secret(str(file))) == 24


@pytest.mark.parametrize("text", ["", "hunter2", "whsec_", "whsec_aHVudGVyMg==", "whsec_!!!!", SECRET])
def test_what_is_no_secret_is_refused_with_the_way_to_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "secret"
    file.write_text(text)
    with pytest.raises(SecretUnusable, match=r"holds no secret for a webhook\. Make one: .*openssl rand") as found:
        read_secret(str(file))
    assert "hunter2" not in found.value.message


def test_a_webhook_without_its_secret_leaves_the_table_open(tmp_path: Path) -> None:
    hook = WebhookConfig(url="https://pit.lan/hook/s3cret", secret_file=str(tmp_path / "none"))
    with running(tmp_path / "data", webhooks=(hook,)) as table:
        table.bet()
        assert (table.link.name, table.link.state) == ("pit.lan", "down")
        assert "cannot be read: No such file or directory" in table.link.trouble


# ---- the doctor


def test_the_doctor_sends_a_test(secret_file: str) -> None:
    with Receiver() as receiver:
        config = WebhookConfig(url=receiver.url, secret_file=secret_file)
        assert check_webhook(config, "table-1") == f"127.0.0.1:{receiver.port} accepts events"
        [came] = receiver.got
    assert came.is_genuine()
    assert (came.event["type"], came.event["data"]) == ("test", {"table": "table-1"})


def test_the_doctor_tells_what_the_receiver_answers(secret_file: str) -> None:
    with Receiver(lambda number: (401, {})) as receiver:
        config = WebhookConfig(url=receiver.url, secret_file=secret_file)
        with pytest.raises(Undelivered) as found:
            check_webhook(config, "table-1")
    assert found.value.message == (
        f"The webhook at 127.0.0.1:{receiver.port} answers 401. Check url and secret_file in [[webhooks]], and the "
        "receiver's log."
    )
