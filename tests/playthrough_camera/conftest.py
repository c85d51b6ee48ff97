"""A Roche table from pixels to the journal: drawn frames, the real reader, tracker, interpreter and table service."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.games.roche.demo.felt import felt_of
from companion.games.roche_deck.design import FULL_DECK
from companion.journal.evidence import EvidenceRing
from companion.objects.decks import Deck
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame
from companion.vision.live.reader import Reader
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import CardTable
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter

DECK = Deck("K7QX", DECKS["roche"], "Test", b"a key for tests, 32 bytes long..", "2026-01-01T00:00:00.000+00:00")
SMALL, FULL_HD = (1280, 720), (1920, 1080)
"""Pictures of a smaller camera, at half the time, and of the usual one: for whole rounds."""
Spoil = Callable[[np.ndarray], np.ndarray]


class SpoiledCamera(DemoCamera):
    """The demo camera with something before its lens."""

    spoil: Spoil | None = None

    def read(self, timeout_s: float) -> Frame | None:
        frame = super().read(timeout_s)
        if frame is None or self.spoil is None:
            return frame
        return Frame(self.spoil(frame.image), frame.t, frame.number)


class LiveTable:
    """Everything between the felt and the journal, driven frame by frame, in the scene's own time."""

    def __init__(self, faces: Faces, folder: Path, *, seed: int = 1, fps: float = 10, pace: float = 1.0,
                 options: dict[str, Any] | None = None, size: tuple[int, int] = SMALL) -> None:  # fmt: skip
        header = new_header("roche", (("Ann", 1000), ("Bo", 1000)), options or {"layout": "grand"})
        self.demo = CardTable(
            faces, FULL_DECK, felt_of(FULL_DECK), size=size, seed=seed, pace=pace, clock=lambda: self.demo.now
        )
        self.camera = SpoiledCamera(self.demo, fps, paced=False)
        self.service = TableService.open(folder / "journal.sqlite", header, INSTALLED)
        self.evidence = EvidenceRing(folder / "evidence")
        self.watch = self._new_watch()
        self.kinds_seen: list[str] = []

    def _new_watch(self) -> TableWatch:
        keys = {DECK.id: DECK.key}
        self.reader = Reader(keys, DECKS)
        sight = CardSight(self.reader, RocheInterpreter(), zones=Zones(INSTALLED.mats), evidence=self.evidence)
        return TableWatch(self.camera, sight, self.service, clock=lambda: self.demo.now)

    def restart_watch(self) -> None:
        """The program starts again; the table is as it was."""
        self.watch = self._new_watch()

    def close(self) -> None:
        self.watch.close()
        self.service.close()

    # ---- time passes

    def frame(self) -> None:
        self.watch.turn(0.0)
        assert self.watch._stats.failed_in_a_row == 0, "a frame could not be worked through"
        self.kinds_seen += [kind for kind in self.kinds if kind not in self.kinds_seen]

    def run(self, seconds: float) -> None:
        ends = self.demo.now + seconds
        while self.demo.now < ends:
            self.frame()

    def rest(self, after: float = 0.4) -> None:
        """Go on until the hand is out of the picture, and a little longer."""
        self.frame()
        ends = self.demo.now + 15
        while self.demo.busy and self.demo.now < ends:
            self.frame()
        self.run(after)

    def until_calm(self, seconds: float) -> bool:
        """Go on until nothing is asked any more; False if that takes longer."""
        ends = self.demo.now + seconds
        self.frame()
        while self.kinds and self.demo.now < ends:
            self.frame()
        return not self.kinds

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """Hands move twice as fast on the way to what a test is about: half of the pictures."""
        self.demo._time.pace *= 2
        yield
        self.demo._time.pace /= 2

    # ---- what people do

    def bring_deck(self) -> None:
        self.demo.shuffle()
        self.rest()

    def open_deal(self) -> None:
        """A deck on the table, bets closed."""
        self.bring_deck()
        self.do("no-more-bets")

    def deal(self, card: str | None = None, **more: Any) -> None:
        self.demo.deal(card, **more)
        self.rest()

    def do(self, verb: str, **more: Any) -> None:
        self.service.submit({"do": verb, **more}, source="dealer")

    def answer(self, kind: str, choice: str) -> None:
        question = next(q for q in self.questions if q["kind"] == kind)
        self.service.answer(question["id"], choice, source="dealer")
        self.run(0.3)

    # ---- what is known

    @property
    def view(self) -> dict[str, Any]:
        return self.service.view("dealer")

    @property
    def questions(self) -> list[dict[str, Any]]:
        return self.view["questions"]

    @property
    def kinds(self) -> list[str]:
        return [q["kind"] for q in self.questions]

    @property
    def dealt(self) -> list[str]:
        return self.view["dealt"]

    @property
    def lying(self) -> list[str]:
        """What really lies there, in the order it was laid."""
        return [card.id for card in self.demo.lying]


def glare(x: int, y: int, radius: int) -> Spoil:
    """A lamp's reflection on the cards at a place of the picture."""

    def spoil(image: np.ndarray) -> np.ndarray:
        shine = np.zeros(image.shape[:2], np.float32)
        cv2.circle(shine, (x, y), radius, 1.0, -1)
        shine = cv2.GaussianBlur(shine, (0, 0), radius / 5)[..., None]
        return np.clip(image + shine * (250.0 - image), 0, 255).astype(np.uint8)

    return spoil


@pytest.fixture(scope="session")
def faces() -> Faces:
    """The printed cards as the demo table shows them; each is drawn when it is first dealt."""
    return Faces(DeckPrinter(DECK))


@pytest.fixture
def make_table(faces: Faces, tmp_path: Path) -> Iterator[Callable[..., LiveTable]]:
    made: list[LiveTable] = []

    def make(**more: Any) -> LiveTable:
        made.append(LiveTable(faces, tmp_path / str(len(made)), **more))
        return made[-1]

    yield make
    for table in made:
        table.close()


@pytest.fixture
def table(make_table: Callable[..., LiveTable]) -> LiveTable:
    return make_table()
