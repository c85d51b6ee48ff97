"""The camera side of ``companion run``: chooses the source, and starts the watch and the demo house with it."""

from __future__ import annotations

import logging
import re
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.cards import DeckKind
from companion.config import Config
from companion.decks import Deck, DeckError, DeckStore
from companion.evidence import EvidenceRing
from companion.service import TableService
from companion.tracking.card_sight import CardSight
from companion.tracking.roche import RocheInterpreter
from companion.tracking.watch import TableWatch
from companion.vision.reader import Reader
from hardware.cameras import CameraChoice, CameraError, SteadyCamera, choose_camera, open_camera, open_choice
from hardware.demo import DemoCamera, DemoHouse, new_table

log = logging.getLogger("companion.run")

FOLLOWED: Final = ("roche",)
"""The games that the camera can follow; the others are run from the dealer's page and the panel."""

_MAY_COME_BACK: Final = re.compile(r"\d+|/dev/video\d+|\w+://.*")


@dataclass(frozen=True, slots=True)
class Eyes:
    """Where the pictures come from; None as choice: a device that is not there yet."""

    data_dir: Path
    config: Config
    choice: CameraChoice | None

    @property
    def is_demo(self) -> bool:
        return self.choice is not None and self.choice.kind == "demo"

    def start(self, stack: ExitStack, service: TableService) -> tuple[TableWatch, DemoHouse | None]:
        """Start watching; the stack ends it.

        Raises:
            DeckError: the configured deck does not exist.
        """
        decks = DeckStore(self.data_dir)
        house, camera = self._demo(decks, service) if self.is_demo else (None, self._camera())
        keys = decks.keys()
        if not keys:
            log.warning("No deck yet: cards cannot be read. `companion deck new` makes one; then start again.")
        table = self.config.table
        if table.game not in FOLLOWED:
            log.warning("The camera does not follow %s yet: say what happens on the dealer's page.", table.game)
        watch = TableWatch(
            camera,
            CardSight(
                Reader(keys),
                RocheInterpreter(deck=table.deck_id, verify=table.verify),
                evidence=EvidenceRing(self.data_dir / "evidence", self.config.evidence.limit_mb),
            ),
            service,
        )
        stack.enter_context(watch).start()
        if house is not None:
            stack.enter_context(house)
        return watch, house

    def _camera(self) -> SteadyCamera:
        asked = self.config.camera
        size = (asked.width, asked.height)
        choice = self.choice
        if choice is None:
            return SteadyCamera(lambda: open_camera(asked.source, size=size, fps=asked.fps), name=asked.source)
        return SteadyCamera(lambda: open_choice(choice, size=size, fps=asked.fps), name=choice.target)

    def _demo(self, decks: DeckStore, service: TableService) -> tuple[DemoHouse | None, SteadyCamera]:
        asked = self.config.camera
        table = new_table(demo_deck(decks, self.config), size=(asked.width, asked.height))
        house = None
        if self.config.table.game in FOLLOWED:
            house = DemoHouse(service, table) if not self.config.players else DemoHouse(service, table, names=())
        return house, SteadyCamera(lambda: DemoCamera(table, asked.fps), name=DemoCamera.name)


def choose_eyes(data_dir: Path, config: Config) -> Eyes:
    """Decide where pictures come from. A device or address that is not there now may come later.

    Raises:
        CameraError: the name means nothing, or names a file that does not exist.
    """
    source = config.camera.source
    try:
        return Eyes(data_dir, config, choose_camera(source))
    except CameraError as error:
        if not _MAY_COME_BACK.fullmatch(source):
            raise
        log.warning("%s The table opens all the same; the camera is tried again and again.", error)
        return Eyes(data_dir, config, None)


def demo_deck(decks: DeckStore, config: Config) -> Deck:
    """Return the deck that the demo table deals: the configured one, else the latest of its kind, else a new one."""
    if config.table.deck_id is not None:
        return decks.get(config.table.deck_id)
    kind: DeckKind = "red" if config.table.deck == "red" else "roche"
    try:
        return decks.latest(kind)
    except DeckError:
        log.info("The demo table gets a new deck.")
        return decks.new(kind, "Demo deck")
