"""The blackjack mat without pixels at a table with a journal, through the camera thread and `CardSight`."""

from types import SimpleNamespace

import numpy as np
from blackjack_film import STEP_S, Film

from companion.service.table_service import TableService
from companion.testing import INSTALLED
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.zones import Zones
from companion.tracking.watch import TableWatch
from companion.vision.frame import Frame
from companion.vision.sightings import FrameReading


class JournaledFilm(Film):
    """The same mat at a table with a journal. It also acts as the watch's camera and reader."""

    name, may_repeat_frames = "mat", True

    def sit(self, service: TableService, *, is_secret: bool = False) -> None:
        self.service = service
        self.sight = CardSight(self, self.eyes, zones=Placed(self), tracker=Tracker(), is_secret=is_secret)
        self.watch = TableWatch(self, self.sight, service, clock=lambda: self.t)
        self.table = SimpleNamespace(situation=lambda: service.situation, do=self.submit)
        self.wait(4)

    def submit(self, record) -> None:
        self.service.submit(record, source="dealer")

    def read(self, asked):
        """As a camera return the next frame, as a reader an empty reading of the given frame."""
        picture = np.full((54, 96, 3), 90, np.uint8)
        return FrameReading((96, 54)) if isinstance(asked, Frame) else Frame(picture, self.t, int(self.t / STEP_S))

    def close(self) -> None: ...

    def follow(self) -> None:
        if hasattr(self, "watch"):
            self.watch.turn(0)

    def kinds(self) -> list[str]:
        return sorted(question["kind"] for question in self.service.view("dealer")["questions"])


class Placed(Zones):
    """Fake zones with the true positions of all objects on the mat."""

    def __init__(self, film: Film) -> None:
        super().__init__(INSTALLED.mats)
        self.film = film

    def place(self, tracked):
        return self.film.tracked
