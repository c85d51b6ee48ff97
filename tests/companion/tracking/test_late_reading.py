"""Cards are ordered by when they came to rest, however late one of them is decoded."""

import functools
from collections import deque
from collections.abc import Mapping

import numpy as np
import pytest

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.games.roche.demo.felt import felt_of
from companion.kernel.table import Table
from companion.objects.codes import parse_code
from companion.objects.decks import Deck
from companion.testing import DECKS, INSTALLED, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.vision.boxes import bounds, do_overlap
from companion.vision.decoders.qr import read_codes
from companion.vision.frame import Frame, Gray
from companion.vision.live.change import Box
from companion.vision.live.decode_scheduler import Task
from companion.vision.live.pending_regions import PendingRegions
from companion.vision.live.reader import Reader
from companion.vision.sightings import CodeSeen
from hardware.demo.card_table import CardTable
from hardware.demo.faces import Faces
from hardware.demo.layout import slot
from hardware.demo.printer import DeckPrinter

DECK = Deck("K7QX", DECKS["roche"], "Late", b"a key for tests, it is 32 bytes.", "2026-01-01T00:00:00.000+00:00")
FPS = 10.0
HERE, THERE = {"x": 100, "y": 60}, {"x": 760, "y": 60}


# ---- what the tracker and the interpreter make of it


def test_two_cards_of_one_picture_are_asked_about_when_one_is_read_half_a_second_late(dealing):
    came = dealing.t
    dealing.unread_since = came
    dealing.lay("6D3", **HERE, rest_since=came)
    dealing.run(0.5)
    assert dealing.dealt == []
    dealing.unread_since = None
    dealing.lay("5N1", **THERE, rest_since=came)
    dealing.run(0.5)
    assert (dealing.dealt, dealing.kinds) == ([], ["order"])


def test_the_first_card_read_last_is_dealt_first(dealing):
    came = dealing.t
    dealing.unread_since = came
    dealing.run(0.5)
    dealing.lay("5N1", **THERE, rest_since=came + 0.5)
    dealing.run(0.5)
    assert dealing.dealt == []
    dealing.unread_since = None
    dealing.lay("6D3", **HERE, rest_since=came)
    dealing.run(0.3)
    assert (dealing.dealt, dealing.kinds) == (["6D3", "5N1"], [])


def test_what_came_later_and_is_unread_keeps_no_card_waiting(dealing):
    dealing.lay("6D3", **HERE, rest_since=dealing.t)
    dealing.unread_since = dealing.t + 0.5
    dealing.run(0.2)
    assert dealing.dealt == ["6D3"]


def test_what_is_never_looked_at_keeps_a_card_for_three_seconds_only(dealing):
    dealing.unread_since = dealing.t - 1
    dealing.lay("6D3", **HERE)
    dealing.run(2.8)
    assert dealing.dealt == []
    dealing.run(0.6)
    assert dealing.dealt == ["6D3"]


def test_a_card_that_lay_there_at_the_start_is_found_however_late_it_is_read(film):
    film.run(4)
    film.lay("6D3", rest_since=0.0)
    film.run(0.5)
    assert film.tracker.tracked().lying[0].found == "start"


# ---- cells


def test_a_place_waits_until_it_was_looked_at_and_nothing_moved_over_it():
    cells, none = np.zeros((6, 6), bool), np.zeros((6, 6), bool)
    cells[1:3, 1:4] = True
    pending, box = PendingRegions(cells.shape), (32, 32, 128, 96)
    pending.add(cells, np.full(cells.shape, 7.0))
    assert pending.first_settled(cells, none) == 7.0
    pending.clear_scanned([box])  # an arm covers it before its turn
    assert pending.first_settled(cells, cells) == 7.0
    pending.mark_scanned(box, cells)
    pending.clear_scanned([])
    assert pending.first_settled(cells, cells) is None, "it may be the arm itself that is on its way"
    assert (pending.first_settled(cells, none), pending.unplanned(~none).sum()) == (7.0, 6)
    pending.mark_scanned(box, none)
    pending.clear_scanned([box])  # its tags have not been searched yet
    assert pending.first_settled(cells, none) == 7.0
    pending.clear_scanned([])
    assert pending.first_settled(cells, none) is None
    assert not pending


def test_a_few_cells_or_a_bare_place_are_no_card():
    cells, none = np.zeros((6, 6), bool), np.zeros((6, 6), bool)
    cells[1, 1:4] = True
    pending = PendingRegions(cells.shape)
    pending.add(cells, np.zeros(cells.shape))
    assert pending.first_settled(cells, none) is None
    assert pending.first_settled(~cells, none) is None
    pending.discard(cells)
    assert not pending


# ---- real pictures


class LateReader(Reader):
    """Delays decoding of certain cards until a given time, as a busy machine may."""

    def __init__(self, until: Mapping[str, float]) -> None:
        super().__init__({DECK.id: DECK.key}, DECKS)
        self.until = dict(until)

    def _run_task(self, task: Task, gray: Gray, small: Gray, t: float, queue: deque[Task]) -> bool:
        late = {card for card, until in self.until.items() if t < until}
        if late and any(do_overlap(task.box, place) for place in _places(gray, late)):
            self._scheduler.urgent.append(task)
            return False
        return super()._run_task(task, gray, small, t, queue)


def _places(gray: Gray, cards: set[str]) -> list[Box]:
    return [bounds(code.corners) for code in read_codes(gray).read if _id(code) in cards]


def _id(code: CodeSeen) -> str | None:
    parts = parse_code(code.text)
    return None if parts is None else parts.id


@functools.cache
def faces() -> Faces:
    return Faces(DeckPrinter(DECK))


class Felt:
    """A rendered table with the real reader and rules."""

    def __init__(self, until: Mapping[str, float]) -> None:
        self.demo = CardTable(faces(), DECK.cards, felt_of(DECK.cards), size=(1280, 720))
        self.sight = CardSight(LateReader(until), RocheInterpreter(), zones=Zones(INSTALLED.mats))
        self.table = Table(new_header("roche", (("Ann", 100),)))
        self.number = 0
        self.kinds: list[str] = []
        self.run(1.5)
        self.table.do({"do": "no-more-bets"})

    @property
    def t(self) -> float:
        return self.number / FPS

    @property
    def dealt(self) -> list[str]:
        return list(self.table.view()["dealt"])

    def put(self, *cards: str) -> None:
        for card in cards:
            pose = slot(felt_of(DECK.cards), card, ())
            self.demo.put(card, pose.x, pose.y)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * FPS)):
            self.number += 1
            self.sight.see(Frame(self.demo.picture(self.t), self.t, self.number), self.t)
            now = self.table.situation()
            advice = self.sight.propose(now)
            while advice.command is not None:
                self.table.do(advice.command)
                self.sight.played(advice, now)
                now = self.table.situation()
                advice = self.sight.propose(now)
            self.kinds = [question.kind for question in advice.questions]


@pytest.mark.parametrize("late_s", [0.0, 0.6, 1.2])
@pytest.mark.parametrize("late", ["6D3", "2N1"])
def test_two_cards_of_one_picture_are_asked_about(late: str, late_s: float) -> None:
    felt = Felt({late: 1.6 + late_s})
    felt.put("6D3", "2N1")
    for _ in range(30):
        felt.run(0.1)
        assert felt.dealt == []
    assert felt.kinds == ["order"]


@pytest.mark.parametrize("apart_s", [0.3, 0.4, 0.6, 1.0])
def test_a_card_dealt_later_and_read_first_is_never_dealt_first(apart_s: float) -> None:
    felt = Felt({"6D3": 1.6 + apart_s + 0.8})
    felt.put("6D3")
    felt.run(apart_s)
    felt.put("2N1")
    for _ in range(30):
        felt.run(0.1)
        assert felt.dealt in ([], ["6D3"], ["6D3", "2N1"])
    assert felt.dealt == ["6D3", "2N1"] or felt.kinds == ["order"]


def test_a_card_dealt_first_and_read_first_does_not_wait_for_the_next_one() -> None:
    felt = Felt({"2N1": 4.0})
    felt.put("6D3")
    felt.run(0.5)
    felt.put("2N1")
    felt.run(0.5)
    assert felt.dealt == ["6D3"]
    felt.run(2.5)
    assert felt.dealt == ["6D3", "2N1"]
