"""The pit's phones: what they are told, whose, and what happens when a push service is away."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from floor_wire import until
from push_reader import opened

from companion.app.pit.phones import PhoneNotifier
from companion.floor.alarms.rules import KINDS
from companion.floor.alarms.store import Alarm
from companion.kernel.messages import message
from companion.locale import Translator
from web_ui.push.encryption import CURVE, public_point, to_base64url
from web_ui.push.subscriptions import Subscriptions, checked

HOLD = [{"need": "hold", "why": "the dealer asked for it"}]
HELD = Alarm(7, 3, "Table 3", "hold", "On hold: the dealer asked for it", "2026-05-01T20:15:00.000Z", None, HOLD)
SECRET = b"s" * 16


@dataclass
class Phone:
    """A browser that reads what it is sent."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def of(cls, subscriptions: Subscriptions, person: str, language: str = "en") -> Phone:
        phone = cls(f"https://web.push.apple.com/{person}", ec.generate_private_key(CURVE))
        public = to_base64url(public_point(phone.key))
        subscriptions.add(checked(phone.endpoint, public, to_base64url(SECRET), person, language))
        return phone


class Service:
    """A push service."""

    def __init__(self, *answers: int | Exception) -> None:
        self.answers = list(answers)
        self.taken: list[tuple[str, bytes, Mapping[str, str]]] = []

    def __call__(self, endpoint: str, body: bytes, headers: Mapping[str, str]) -> int:
        self.taken.append((endpoint, body, headers))
        answer = self.answers.pop(0) if self.answers else 201
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_phone_is_told_what_its_person_has_chosen(tmp_path: Path):
    subscriptions, service = Subscriptions(tmp_path), Service()
    pia, _ = Phone.of(subscriptions, "Pia"), Phone.of(subscriptions, "Dan")
    with PhoneNotifier(
        subscriptions, lambda: {"Pia": frozenset(KINDS), "Dan": frozenset({"dispute"})}, service
    ) as phones:
        phones.tell(HELD, is_over=False)
        phones.tell(HELD, is_over=True)
        until(lambda: len(service.taken) == 2)
    read = [json.loads(opened(body, pia.key, SECRET)) for _, body, _ in service.taken]
    assert [endpoint for endpoint, _, _ in service.taken] == [pia.endpoint] * 2
    assert [(one["title"], one["body"], one["tag"]) for one in read] == [
        ("Table 3: on hold", "On hold: the dealer asked for it", "alarm-7"),
        ("Over: Table 3: on hold", "On hold: the dealer asked for it", "alarm-7"),
    ]
    assert {headers["Topic"] for _, _, headers in service.taken} == {"alarm-7"}


def test_a_phone_is_told_in_its_own_language(tmp_path: Path):
    subscriptions, service = Subscriptions(tmp_path), Service()
    pia = Phone.of(subscriptions, "Pia", "de")
    camera = replace(HELD, id=8, kind="machine", needs=[{"need": "camera", "state": "lost"}, {"need": "disk"}])
    disputed = replace(HELD, id=9, kind="incident", needs=[{"need": "incident", "count": 2}])
    own = replace(HELD, id=15, needs=[{"need": "hold", "why": message("the dealer asked for it").to_json()}])
    old = replace(HELD, id=14, needs=None)
    away = [replace(HELD, id=number, kind="offline", needs=[{"need": "offline"}]) for number in range(10, 14)]
    told = [(HELD, False), (camera, False), (camera, True), (disputed, False), (old, True), (own, False)]
    told += ((alarm, False) for alarm in away)
    with PhoneNotifier(subscriptions, lambda: {"Pia": frozenset(KINDS)}, service) as phones:
        for alarm, is_over in told:
            phones.tell(alarm, is_over=is_over)
        until(lambda: len(service.taken) == 7)
    read = [json.loads(opened(body, pia.key, SECRET)) for _, body, _ in service.taken]
    assert [(one["title"], one["body"]) for one in read] == [
        ("Table 3: Angehalten", "Angehalten: the dealer asked for it"),
        ("Table 3: Angehalten", "Angehalten: " + Translator([])(message("the dealer asked for it"), "de")),
        ("Table 3: Kamera, Pult oder Platte", "Kamera: kein Bild, Datenträger fast voll"),
        ("Vorbei: Table 3: Kamera, Pult oder Platte", "Kamera: kein Bild, Datenträger fast voll"),
        ("Table 3: Vorfall", "2 offene Vorfälle"),
        ("Vorbei: Table 3: Angehalten", "On hold: the dealer asked for it"),
        ("4 Tische: Nicht verbunden", "Table 3"),
    ]


def test_a_push_service_that_is_away_is_tried_again(tmp_path: Path):
    subscriptions, service = Subscriptions(tmp_path), Service(OSError("no route"), 503, 201)
    Phone.of(subscriptions, "Pia")
    with PhoneNotifier(subscriptions, lambda: {"Pia": frozenset(KINDS)}, service, again_after_s=(0.01, 0.01)) as phones:
        phones.tell(HELD, is_over=False)
        until(lambda: len(service.taken) == 3)
        phones.tell(HELD, is_over=True)
        until(lambda: len(service.taken) == 4)


def test_an_alarm_that_could_not_be_brought_does_not_come_after_the_word_that_it_is_over(tmp_path: Path):
    subscriptions, service = Subscriptions(tmp_path), Service(503)
    pia = Phone.of(subscriptions, "Pia")
    chosen = {"Pia": frozenset(KINDS)}
    with PhoneNotifier(subscriptions, lambda: chosen, service, again_after_s=(0.5,), gather_s=0) as phones:
        phones.tell(HELD, is_over=False)
        until(lambda: len(service.taken) == 1)
        phones.tell(HELD, is_over=True)
        until(lambda: len(service.taken) == 2)
        time.sleep(0.7)
    last = json.loads(opened(service.taken[-1][1], pia.key, SECRET))
    assert last["title"] == "Over: Table 3: on hold"


def test_a_disk_that_is_full_ends_no_telling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    subscriptions, service = Subscriptions(tmp_path), Service(503, 410)
    Phone.of(subscriptions, "Pia")

    def full(endpoint: str) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(subscriptions, "drop", full)
    with PhoneNotifier(subscriptions, lambda: {"Pia": frozenset(KINDS)}, service, again_after_s=(0.01,)) as phones:
        phones.tell(HELD, is_over=False)
        until(lambda: len(service.taken) == 2)
        phones.tell(replace(HELD, id=8), is_over=False)
        until(lambda: len(service.taken) == 3)


def test_a_phone_that_is_gone_is_forgotten_and_others_are_told(tmp_path: Path):
    subscriptions, service = Subscriptions(tmp_path), Service(410)
    Phone.of(subscriptions, "Olga")
    pia = Phone.of(subscriptions, "Pia")
    chosen = {"Olga": frozenset(KINDS), "Pia": frozenset(KINDS)}
    with PhoneNotifier(subscriptions, lambda: chosen, service) as phones:
        phones.tell(HELD, is_over=False)
        until(lambda: len(service.taken) == 2)
    assert service.taken[1][0] == pia.endpoint
    assert subscriptions.of("Olga") == ()


def test_what_takes_many_tables_at_once_is_one_letter(tmp_path: Path):
    subscriptions, service = Subscriptions(tmp_path), Service()
    pia = Phone.of(subscriptions, "Pia")
    away = [replace(HELD, id=number, table=f"Table {number}", kind="offline") for number in range(1, 13)]
    with PhoneNotifier(subscriptions, lambda: {"Pia": frozenset(KINDS)}, service) as phones:
        for alarm in away:
            phones.tell(alarm, is_over=False)
        phones.tell(HELD, is_over=False)
        until(lambda: len(service.taken) == 2)
        for alarm in away:
            phones.tell(alarm, is_over=True)
        until(lambda: len(service.taken) == 3)
    read = [json.loads(opened(body, pia.key, SECRET)) for _, body, _ in service.taken]
    assert [one["title"] for one in read] == ["12 tables: offline", "Table 3: on hold", "Over: 12 tables: offline"]
    assert "Table 12" in read[0]["body"]
