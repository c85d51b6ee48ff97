"""A hold'em table from pixels to the journal: rendered mat, real reader, tracker, interpreter and table."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from companion.games.holdem.camera.interpreter import HoldemInterpreter
from companion.games.holdem.demo.table import HoldemPrinter, HoldemTable, print_holdem_mat
from companion.journal.store import FILE_NAME
from companion.objects.decks import Deck
from companion.plugins.perception import CardSettings
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, MATS, new_header
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.zones import Zones
from companion.tracking.chips import ChipsOnMat
from companion.tracking.watch import TableWatch
from companion.vision.live.reader import Reader
from hardware.demo.camera import DemoCamera
from hardware.demo.faces import BACK, Faces
from hardware.demo.layers import Texture

DECK = Deck("K7QX", DECKS["standard"], "Test", b"a key for tests, 32 bytes long..", "2026-01-01T00:00:00.000+00:00")
SMALL, FULL_HD = (1280, 720), (1920, 1080)
NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo")


@cache
def faces() -> Faces:
    return Faces(HoldemPrinter(DECK))


@cache
def mat() -> Texture:
    return print_holdem_mat()


def plain_side(side: str, make: str) -> np.ndarray:
    """Return an unreadable card side, for tests without a camera."""
    return np.full((1039, 744, 3), 60 if side == BACK else 220, np.uint8)


class LiveHoldem:
    """All components between mat and journal, run frame by frame in scene time."""

    def __init__(
        self,
        folder: Path,
        players: int = 2,
        *,
        coins: Sequence[int] = (),
        size: tuple[int, int] = SMALL,
        fps: float = 8,
        pace: float = 4.0,
        seed: int = 1,
    ) -> None:
        self.folder = folder
        purses = coins or (1000,) * players
        header = new_header("holdem", tuple(zip(NAMES[:players], purses, strict=True)), {})
        self.demo = HoldemTable(
            faces(), DECK.cards, size=size, seed=seed, pace=pace, mat=mat(), real_clock=lambda: self.demo.now
        )
        self.service = TableService.open(folder / FILE_NAME, header, INSTALLED)
        self.sight = CardSight(
            Reader({DECK.id: DECK.key}, DECKS, work_ms=30.0), HoldemInterpreter(CardSettings()), zones=Zones(MATS),
            tracker=Tracker(several=DECKS.twice), chips=ChipsOnMat(), is_secret=True,
        )  # fmt: skip
        camera = DemoCamera(self.demo, fps, paced=False)
        self.watch = TableWatch(camera, self.sight, self.service, clock=lambda: self.demo.now)
        self.asked: list[dict[str, Any]] = []
        "All questions asked, in order."
        self.run(1.5)

    def close(self) -> None:
        self.watch.close()
        self.service.close()

    # ---- time

    def run(self, seconds: float) -> None:
        ends = self.demo.now + seconds
        while self.demo.now < ends or self.demo.busy:
            self.watch.turn(0.0)
            assert self.watch._stats.failed_in_a_row == 0, "a frame could not be worked through"
            known = [one["id"] for one in self.asked]
            self.asked += [one for one in self.view["questions"] if one["id"] not in known]

    def until(self, phase: str, seconds: float = 8.0) -> None:
        """Let time pass until the table is in a phase."""
        ends = self.demo.now + seconds
        while self.view["phase"] != phase:
            assert self.demo.now < ends, f"{self.view['phase']} with {self.kinds}, not {phase}"
            self.run(0.1)

    def until_asked(self, kind: str, seconds: float = 8.0) -> dict[str, Any]:
        ends = self.demo.now + seconds
        while kind not in self.kinds:
            assert self.demo.now < ends, f"{self.view['phase']} with {self.kinds}, no {kind}"
            self.run(0.1)
        return next(one for one in self.view["questions"] if one["kind"] == kind)

    # ---- actions

    def do(self, verb: str, **more: Any) -> None:
        self.service.submit({"do": verb, **more}, source="dealer")

    def happen(self, *what: str, rest: float = 1.0) -> None:
        for each in what:
            self.demo.happen(each)
        self.run(rest)

    def answer(self, kind: str, choice: str) -> None:
        question = self.until_asked(kind)
        self.service.answer(question["id"], choice, source="dealer")
        self.run(0.3)

    def holes(self) -> None:
        """Enter by hand that everybody has two cards."""
        while self.view["phase"] == "hole":
            self.do("hole", player=self.view["turn"])

    def checks(self) -> None:
        """Let everybody call and check until the betting round is over."""
        phase = self.view["phase"]
        while self.view["phase"] == phase:
            self.do("call" if self.view["to_call"] else "check")

    # ---- results

    @property
    def view(self) -> dict[str, Any]:
        return self.service.view("dealer")

    @property
    def kinds(self) -> list[str]:
        return [one["kind"] for one in self.view["questions"]]

    def said(self, verb: str) -> list[dict[str, Any]]:
        """Return the camera's commands in effect with this verb."""
        entries = self.service.events(0, 500, viewer="dealer")
        return [e["record"] for e in entries if e["do"] == verb and e["source"] == "camera"]
