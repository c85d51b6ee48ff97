"""The camera thread survives any failure, and reports what it cannot see."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.journal.evidence import EvidenceRing
from companion.kernel.errors import CompanionError, MayStillCount, NoAnswer, TableError
from companion.kernel.situation import Situation
from companion.kernel.table import Table
from companion.locale import Translator
from companion.service.questions import Choice, Question
from companion.testing import INSTALLED, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.tracking.sight import NO_PROPOSAL, NoSight, SightProposal
from companion.tracking.watch import TableWatch, said_of
from companion.vision.frame import Frame
from companion.vision.picture_faults import Fault
from companion.vision.sightings import FrameReading

from .conftest import sighting


@dataclass
class FakeCamera:
    """Delivers a grey picture thirty times a second, or the ones in `next`."""

    name: str = "a camera"
    next: deque = field(default_factory=deque)
    number: int = 0
    closed: int = 0
    skip_s: float = 0.0
    told: list = field(default_factory=list)

    def read(self, timeout_s: float) -> Frame | None:
        if self.next:
            item = self.next.popleft()
            if isinstance(item, Exception):
                raise item
            return item
        self.number += 1
        return Frame(np.full((540, 960, 3), 90, np.uint8), self.number / 30 + self.skip_s, self.number)

    def close(self) -> None:
        self.closed += 1

    def set_idle(self, is_idle: bool) -> None:
        self.told.append((self.number, is_idle))


@dataclass
class FakeReader:
    """A fake pipeline that returns what the test sets, or fails."""

    cards: tuple = ()
    failing: bool = False
    moving: bool = False

    def read(self, frame: Frame) -> FrameReading:
        if self.failing:
            raise ValueError("a decoder's bad day")
        return FrameReading((960, 540), self.cards, moving=self.moving)


class FakeService:
    """A fake table without a journal; records its calls."""

    def __init__(self) -> None:
        self.table = Table(new_header("roche", ()))
        self.table.do({"do": "no-more-bets"})
        self.questions: list[Question] = []
        self.asked = 0
        self.answers: list[tuple[Question, Choice]] = []
        self.notices: list[str] = []
        self.camera: list[tuple[str, str]] = []
        self.keys: list[str | None] = []
        self.trouble: TableError | None = None
        self.is_deciding = False
        self.intentions: list[tuple[str, str]] = []
        self.sight: list[dict[str, Any]] = []

    @property
    def situation(self) -> Situation:
        return self.table.situation()

    def submit(self, record, *, source, key=None, timeout_s=5.0, after=None):
        self.keys.append(key)
        if self.trouble is not None:
            raise self.trouble
        return self.table.do(record)

    def set_questions(self, source, questions, *, after=None):
        assert source == "camera"
        self.questions, self.asked = list(questions), self.asked + 1

    def take_answers(self):
        answers, self.answers = tuple(self.answers), []
        return answers

    def take_intentions(self):
        intentions, self.intentions = tuple(self.intentions), []
        return intentions

    def set_sight(self, report):
        self.sight.append(dict(report))

    def notice(self, text, *, source, data=None):
        self.notices.append(text)

    def set_camera(self, status, text, name=""):
        self.camera.append((status, name))


@pytest.fixture
def parts(tmp_path):
    camera, reader, service = FakeCamera(), FakeReader(), FakeService()
    sight = CardSight(reader, RocheInterpreter(), zones=Zones(INSTALLED.mats), evidence=EvidenceRing(tmp_path))
    watch = TableWatch(camera, sight, service, clock=lambda: camera.number / 30)
    for _ in range(60):
        watch.turn(0)
    return camera, reader, service, watch


def turns(watch, n=20):
    for _ in range(n):
        watch.turn(0)


def test_the_camera_hears_when_nothing_moves_any_more_and_at_once_when_something_does(parts):
    camera, reader, _, watch = parts
    turns(watch, 200)
    (told,) = camera.told
    assert told[1] is True
    assert 5.0 <= told[0] / 30 < 5.2
    turns(watch, 300)
    reader.moving = True
    turns(watch, 3)
    assert camera.told[1:] == [(camera.number - 2, False)]
    reader.moving = False
    turns(watch, 140)
    assert camera.told[2:] == []
    turns(watch, 20)
    assert [is_idle for _, is_idle in camera.told] == [True, False, True]


def test_a_card_becomes_a_command_with_its_evidence(parts, tmp_path):
    _, reader, service, watch = parts
    reader.cards = (sighting("6D3", 100, 100),)
    turns(watch)
    (record,) = [r for r in service.table.records if r["do"] == "deal"]
    assert record["card"] == "6D3"
    assert EvidenceRing(tmp_path).get(record["evidence"]).facts["votes"] >= 3
    assert watch.stats()["deals"] == 1
    assert 99 < watch.stats()["latency_ms_p99"] < 250


def test_frames_that_cannot_be_read_change_nothing(parts):
    _, reader, service, watch = parts
    reader.cards = (sighting("6D3", 100, 100),)
    turns(watch)
    reader.failing = True
    turns(watch, 5)
    reader.failing = False
    turns(watch)
    assert service.table.view()["dealt"] == ["6D3"]
    assert service.questions == []
    assert watch.stats()["frames_failed"] == 5


def test_a_reader_that_fails_for_good_is_told_to_the_dealer(parts):
    _, reader, service, watch = parts
    reader.failing = True
    watch._stop.set()  # do not wait between failures
    turns(watch, 15)
    assert service.camera[-1] == ("lost", "a camera")
    reader.failing = False
    turns(watch, 2)
    assert service.camera[-1] == ("ok", "a camera")


def test_a_lost_camera_is_told_once_and_its_return_too(parts):
    camera, _, service, watch = parts
    watch._stop.set()
    camera.next.extend(CompanionError("The cable is out. Plug it in.") for _ in range(5))
    turns(watch, 8)
    assert [status for status, _ in service.camera] == ["ok", "lost", "ok"]
    assert service.notices == ["The cable is out. Plug it in.", "a camera sends pictures."]
    assert Translator([])(service.notices[1], "de") == "a camera sendet Bilder."


def test_no_picture_in_time_is_no_fault(parts):
    camera, _, service, watch = parts
    camera.next.extend([None] * 3)
    assert [watch.turn(0) for _ in range(4)] == [False, False, False, True]
    assert service.notices == []


def test_pictures_that_nobody_unpacks_are_no_silence_but_may_be_too_few(parts):
    """While nothing moves, not every picture is decoded. At one a second the camera is reported as poor, once."""
    camera, _, service, watch = parts
    turns(watch, 120)
    camera.arrived = watch._arrived
    for half_second in range(6):
        camera.next.append(None)
        camera.number += 15
        camera.arrived += half_second % 2
        watch.turn(0)
    assert [status for status, _ in service.camera] == ["ok", "poor"]
    assert "Only one in" in service.notices[-1]
    camera.next.extend([None] * 4)
    for _ in range(4):
        camera.number += 15
        watch.turn(0)
    assert "sends no pictures any more" in service.notices[-1]


def test_a_refused_deal_is_tried_again_later_and_never_twice(parts):
    _, reader, service, watch = parts
    service.trouble = NoAnswer("The table did not answer. Look before trying again.")
    reader.cards = (sighting("6D3", 100, 100),)
    turns(watch)
    assert (len(service.keys), watch.stats()["refused"]) == (1, 1)
    service.trouble = None
    turns(watch, 60)
    assert service.table.view()["dealt"] == ["6D3"]
    assert len(service.keys) == 2
    assert service.keys[0] == service.keys[1]


def test_nothing_is_proposed_while_an_answer_is_under_way(parts):
    """The answer's command may already be effective before the sight is notified of the answer."""
    _, reader, service, watch = parts
    service.is_deciding = True
    reader.cards = (sighting("6D3", 100, 100),)
    turns(watch)
    assert service.keys == []
    service.is_deciding = False
    turns(watch)
    assert service.table.view()["dealt"] == ["6D3"]


def test_a_command_that_may_still_count_is_asked_about_before_anything_else(parts, monkeypatch):
    """The command was effective: the next proposal is made for the situation that includes it."""
    _, reader, service, watch = parts
    answer, heard = service.submit, []

    def submit(record, *, source, key=None, timeout_s=5.0, after=None):
        heard.append((record["card"], key))
        if len(heard) == 3:
            return answer(record, source=source, key=key)
        raise MayStillCount("The table did not answer. Look before trying again.")

    monkeypatch.setattr(service, "submit", submit)
    reader.cards = (sighting("6D3", 100, 100),)
    turns(watch)
    assert (len(heard), len(set(heard)), service.table.view()["dealt"]) == (3, 1, ["6D3"])
    assert (watch.stats()["refused"], watch.stats()["deals"]) == (0, 1)


def test_a_watch_that_is_closed_waits_for_no_answer(parts):
    _, reader, service, watch = parts
    service.trouble = MayStillCount("The table did not answer. Look before trying again.")
    reader.cards = (sighting("6D3", 100, 100),)
    watch.start()
    ends = time.monotonic() + 5
    while len(service.keys) < 2 and time.monotonic() < ends:
        time.sleep(0.01)
    watch.close()
    assert not watch.is_alive
    assert set(service.keys) == {service.keys[0]}


def test_a_deal_after_an_undo_has_a_key_of_its_own(parts):
    _, reader, service, watch = parts
    for _ in range(2):
        reader.cards = (sighting("6D3", 100, 100),)
        turns(watch)
        service.table.do({"do": "undo"})
        turns(watch, 5)
        reader.cards = ()
        turns(watch, 600)
    assert len(set(service.keys)) == 2


class Repeater(NoSight):
    """A fake pipeline that uses one key for two commands."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def propose(self, now: Situation) -> SightProposal:
        is_over = len(self.heard) >= 2
        return (
            NO_PROPOSAL if is_over else SightProposal({"do": "deal", "card": ("6D3", "5N1")[len(self.heard)]}, "card")
        )

    def played(self, advice: SightProposal, before: Situation) -> None:
        self.heard.append("played")

    def refused(self, advice: SightProposal) -> None:
        self.heard.append("refused")


def test_a_key_that_comes_back_is_told_to_the_sight_as_refused():
    """The table would repeat its earlier response without playing; that must not count as played."""
    sight, service = Repeater(), FakeService()
    watch = TableWatch(FakeCamera(), sight, service)
    turns(watch, 3)
    assert sight.heard == ["played", "refused"]
    assert (service.table.view()["dealt"], len(service.keys)) == (["6D3"], 1)


def test_answers_reach_the_interpreter(parts):
    _, reader, service, watch = parts
    reader.cards = (sighting("6D3", 100, 100, status="forged"), sighting("5N1", 500, 100))
    turns(watch, 30)
    (question,) = service.questions
    assert (question.kind, service.table.view()["dealt"]) == ("forged", [])
    assert service.notices[-1] == "A forged Kin day 3 lies on the table."
    assert Translator([])(service.notices[-1], "de") == "Auf dem Tisch liegt eine gefälschte Karte: Sippe Tag 3."
    service.answers.append((question, question.choices[0]))
    turns(watch, 2)
    assert (service.questions, service.table.view()["dealt"]) == ([], ["5N1"])


def test_unchanged_questions_are_not_asked_again(parts):
    _, reader, service, watch = parts
    reader.cards = (sighting("6D3", 100, 100, status="foreign"),)
    turns(watch, 200)
    assert service.asked == 1


def test_a_camera_whose_clock_hides_the_gap(parts):
    """A reopened camera's times continue without a gap; the order of what came meanwhile is unknown."""
    camera, reader, service, watch = parts
    camera.number += 300
    camera.skip_s -= 10
    reader.cards = (sighting("6D3", 100, 100), sighting("5N1", 500, 100))
    turns(watch)
    assert [q.kind for q in service.questions] == ["order"]


def test_the_picture_shows_the_newest_frame(parts):
    _, reader, _, watch = parts
    empty = watch.picture()
    reader.cards = (sighting("6D3", 100, 100),)
    turns(watch)
    marked = watch.picture()
    assert empty is not None
    assert marked is not None
    assert len(marked) > len(empty) + 1000
    assert watch.picture() is marked


def test_the_thread_stops_and_closes_its_camera():
    camera = FakeCamera()
    with TableWatch(
        camera, CardSight(FakeReader(), RocheInterpreter(), zones=Zones(INSTALLED.mats)), FakeService()
    ).start() as watch:
        ends = time.monotonic() + 5
        while watch.stats()["frames"] < 5 and time.monotonic() < ends:
            time.sleep(0.01)
        assert watch.is_alive
        assert watch.stats()["frames"] >= 5
    assert not watch.is_alive
    assert camera.closed
    watch.close()


@pytest.mark.parametrize(
    ("language", "needless"),
    [("en", ("restart", "calibrate")), ("de", ("starten", "kalibr")), ("es", ("reinici", "calíbr"))],
)
def test_a_new_picture_size_is_said_to_count_by_itself(language: str, needless: tuple[str, ...]):
    """It is accepted after 20 s, and the mat found anew: nobody has to restart or calibrate anything."""
    text = Translator([])(said_of(Fault("size", sizes=(1280, 720, 640, 480)), "the tray camera"), language)
    assert all(part in text for part in ("1280 × 720", "640 × 480", "20 s")), text
    assert not any(word in text.casefold() for word in needless), text
