"""The camera side of ``companion run``: chooses the source, and starts the watch and the demo house with it."""

from __future__ import annotations

import logging
import re
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.app.dice_pipeline import DIE_GAMES, die_camera, die_demo, die_school, die_sight
from companion.cli.calibrate import stored_calibration
from companion.config.file import Config
from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.games.roche.demo.dealer import DemoHouse
from companion.games.roche.demo.table import new_table
from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.games.rochi.demo.house import DemoRochi
from companion.games.rochi.demo.table import new_rochi_table
from companion.journal.evidence import EvidenceRing
from companion.objects.cards import DeckKind
from companion.objects.decks import Deck, DeckError, DeckStore
from companion.service.table_service import TableService
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.zones import Zones
from companion.tracking.dice.enrollment import DieSchool
from companion.tracking.sight import Sight
from companion.tracking.watch import TableWatch
from companion.vision.dice.classifier import has_network
from companion.vision.live.reader import Reader
from hardware.cameras import CameraChoice, CameraError, SteadyCamera, choose_camera, open_camera, open_choice
from hardware.demo.camera import DemoCamera
from hardware.demo.felt_table import FeltTable
from hardware.demo.house import House

log = logging.getLogger("companion.run")

_MAY_COME_BACK: Final = re.compile(r"\d+|/dev/video\d+")
"A device that is not plugged in yet. An address is taken as it is; one of no camera's kind never becomes one."


@dataclass(frozen=True, slots=True)
class Eyes:
    """Where the pictures come from; None as choice: a device that is not there yet."""

    data_dir: Path
    config: Config
    choice: CameraChoice | None

    @property
    def is_demo(self) -> bool:
        return self.choice is not None and self.choice.kind == "demo"

    @property
    def is_die(self) -> bool:
        """Whether a die is watched, not cards."""
        return self.config.table.game in DIE_GAMES and has_network()

    def start(self, stack: ExitStack, service: TableService) -> tuple[TableWatch, House | None]:
        """Start watching; the stack ends it.

        Raises:
            DeckError: the configured deck does not exist.
        """
        camera, sight, house = self._of_die(service) if self.is_die else self._of_cards(service)
        watch = TableWatch(camera, sight, service)
        stack.enter_context(watch).start()
        if house is not None:
            stack.enter_context(house)
        return watch, house

    def school(self, watch: TableWatch) -> DieSchool | None:
        """Return who teaches this table the house's dice; None where dice cannot be read."""
        return die_school(watch, self.config.die, self.data_dir) if has_network() else None

    def _of_cards(self, service: TableService) -> tuple[SteadyCamera, Sight, House | None]:
        decks, table = DeckStore(self.data_dir), self.config.table
        if table.game in DIE_GAMES:
            log.warning("This installation cannot read dice: say what is thrown on the dealer's page.")
        house, camera = self._demo(decks, service) if self.is_demo else (None, self._camera())
        keys = decks.keys()
        if not keys:
            log.warning("No deck yet: cards cannot be read. `companion deck new` makes one; then start again.")
        follows = RocheInterpreter if table.game in RocheInterpreter.games else RochiInterpreter
        interpreter = follows(deck=table.deck_id, verify=table.verify)
        zones = Zones(stored_calibration(self.data_dir))
        return camera, CardSight(Reader(keys), interpreter, zones=zones, evidence=self._evidence), house

    def _of_die(self, service: TableService) -> tuple[SteadyCamera, Sight, House | None]:
        die, asked = self.config.die, self.config.camera
        if not self.is_demo:
            return self._camera(), die_sight(die, self._evidence, service, data_dir=self.data_dir), None
        house, tray = die_demo(self.config, die, service)
        camera = SteadyCamera(lambda: DemoCamera(tray, asked.fps), name=DemoCamera.name)
        return camera, die_sight(die, self._evidence, service, tray.zone, data_dir=self.data_dir), house

    @property
    def _evidence(self) -> EvidenceRing:
        return EvidenceRing(self.data_dir / "evidence", self.config.evidence.limit_mb)

    def _camera(self) -> SteadyCamera:
        asked = self.config.camera
        size = (asked.width, asked.height)
        choice = self.choice
        if choice is None:
            return SteadyCamera(lambda: open_camera(asked.source, size=size, fps=asked.fps), name=asked.source)
        return SteadyCamera(lambda: open_choice(choice, size=size, fps=asked.fps), name=choice.target)

    def _demo(self, decks: DeckStore, service: TableService) -> tuple[House | None, SteadyCamera]:
        asked, deck = self.config.camera, demo_deck(decks, self.config)
        size = (asked.width, asked.height)
        felt: FeltTable
        house: House | None
        if self.config.table.game in RochiInterpreter.games:
            felt = rochi = new_rochi_table(deck, size=size)
            house = DemoRochi(service, rochi)
        else:
            felt = roche = new_table(deck, size=size)
            house = DemoHouse(service, roche) if not self.config.players else DemoHouse(service, roche, names=())
            if self.config.table.game in DIE_GAMES:
                house = None
        return house, SteadyCamera(lambda: DemoCamera(felt, asked.fps), name=DemoCamera.name)


def choose_eyes(data_dir: Path, config: Config) -> Eyes:
    """Decide where pictures come from. A device or address that is not there now may come later.

    Raises:
        CameraError: the name means nothing, or names a file that does not exist.
    """
    if config.table.game in DIE_GAMES and has_network():
        config = config.model_copy(
            update={"camera": config.camera.model_copy(update={"source": die_camera(config, config.die)})}
        )
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
