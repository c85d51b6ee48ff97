"""Camera wiring for ``companion run``: chooses the source, then starts the camera thread and the demo agent."""

import logging
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from companion.app.die_axis import die_axis
from companion.cli.calibrate import stored_calibration
from companion.config.tables import Config, DieConfig
from companion.journal.evidence import EvidenceRing
from companion.journal.hash_chain import EntryJson
from companion.objects.decks import Deck, DeckError, DeckStore
from companion.objects.designs import Designs
from companion.objects.mat import Mats
from companion.plugins.demo import Demo, DemoControl, DemoSetting, DemoWorld
from companion.plugins.perception import CardPerception, CardSettings, DiePerception, WatchPerception
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games
from companion.service.one_session import OneSession
from companion.tracking.cards.enrollment import OwnDeckEnrollment
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.zones import Zones
from companion.tracking.chips import ChipsOnMat
from companion.tracking.dice.axis_session import AxisSession
from companion.tracking.dice.enrollment import DieEnrollment
from companion.tracking.dice.fairness_watch import DieFairness
from companion.tracking.dice.reader import TrayReader
from companion.tracking.dice.sight import WHOLE, DieSight, Zone
from companion.tracking.dice.throws import ANY_THROW, ThrowRules
from companion.tracking.house_decks import HouseDecks
from companion.tracking.several import SeveralSights
from companion.tracking.sight import NoSight, Sight
from companion.tracking.watch import Source, TableWatch
from companion.tracking.watched import WatchSight
from companion.vision.dice.axis import ORTHOGRAPHIC, Axis, Lens
from companion.vision.dice.enrolled import EnrolledDice
from companion.vision.dice.faces.classifier import has_network
from companion.vision.live.reader import Reader
from companion.vision.own_deck.live import FrameReader, OwnDeckReader
from companion.vision.own_deck.reader import DeckReader
from companion.vision.own_deck.store import KIND as OWN_KIND
from companion.vision.own_deck.store import OwnDecks
from hardware.cameras import CameraChoice, CameraError, ReconnectingCamera, choose_camera, open_camera, open_choice
from hardware.cameras.absent import NoCamera
from hardware.demo.camera import DemoCamera

log = logging.getLogger("companion.run")

_MAY_COME_BACK: Final = re.compile(r"\d+|/dev/video\d+")
"Sources that may appear later: local devices. Other invalid sources never become valid."


class Trying(Protocol):
    """An activity, such as enrollment, during which cards and dice in view are not played."""

    @property
    def is_open(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Perception:
    """The camera source of a game and factories for what depends on it; ``choice`` is None for a missing device."""

    data_dir: Path
    config: Config
    plugin: GamePlugin
    designs: Designs
    mats: Mats
    choice: CameraChoice | None
    house_decks: HouseDecks | None = None
    "The decks of the floor's other tables; None at a standalone table."

    @property
    def is_demo(self) -> bool:
        return self.choice is not None and self.choice.kind == "demo"

    def start(
        self, stack: ExitStack, service: OneSession, *, may_seat: bool = True
    ) -> tuple[TableWatch, DemoControl | None]:
        """Start watching; the stack closes it.

        Args:
            may_seat: whether simulated players may sit down.

        Raises:
            DeckError: the configured deck does not exist.
        """
        world = self._world(self.plugin.demo, service, may_seat) if self.is_demo and self.plugin.demo else None
        watch = TableWatch(self._camera(world), self._sight(service, world), service)
        stack.enter_context(watch).start()
        if world is not None:
            stack.enter_context(world.control)
        return watch, None if world is None else world.control

    def enrollment(self, watch: TableWatch) -> DieEnrollment | None:
        """Return the dice enrollment; None if this installation cannot read dice."""
        return die_enrollment(watch, self.config.die, self.data_dir, self.die_axis()) if has_network() else None

    def axis_session(self, watch: TableWatch) -> AxisSession | None:
        """Return the session that determines the camera's axis; None in games without a dice tray."""
        sight = watch.sight
        return AxisSession(watch, zone=sight.zone, lens=self.lens()) if isinstance(sight, DieSight) else None

    def deck_enrollment(self, watch: TableWatch, *others: Trying | None) -> OwnDeckEnrollment:
        """Return the enrollment of the owner's own deck; nothing is played while it or one of the others is open."""
        sight, table, decks = watch.sight, self.config.table, OwnDecks(self.data_dir)

        def learnt() -> None:
            if isinstance(sight, CardSight):
                sight.set_reader(self._card_reader())

        enrollment = OwnDeckEnrollment(watch, decks, in_play=(table.deck_id, *table.shoe), on_change=learnt)
        if isinstance(sight, CardSight | DieSight):
            sight.suspend_while(lambda: enrollment.is_open or any(other and other.is_open for other in others))
        return enrollment

    def _card_reader(self) -> FrameReader:
        return self._with_own_deck(Reader(DeckStore(self.data_dir, self.designs).keys(), self.designs))

    def _sight(self, service: OneSession, world: DemoWorld | None) -> Sight:
        seen, kept = self.plugin.perception, self.config.evidence
        evidence = EvidenceRing(self.data_dir / "evidence", kept.limit_mb, kept.days)
        evidence.tidy()
        if isinstance(seen, CardPerception):
            table = self.config.table
            if not DeckStore(self.data_dir, self.designs).keys():
                log.warning(
                    "No deck yet: cards cannot be read. Make one with `companion deck new`, then restart the table."
                )
            settings = CardSettings(table.deck_id, table.verify, table.shoe)
            interpreter = seen.interpreter(settings)
            return CardSight(
                self._card_reader(),
                interpreter,
                tracker=Tracker(several=self.designs.twice),
                shoe=table.shoe,
                zones=Zones(self.mats, stored_calibration(self.data_dir, self.mats)),
                chips=ChipsOnMat() if seen.has_chips else None,
                evidence=None if seen.is_secret else evidence,
                is_secret=seen.is_secret,
                house=self.house_decks,
            )
        if isinstance(seen, DiePerception) and has_network():
            zone = None if world is None else world.zone
            return die_sight(
                self.config.die, seen.rules, evidence, service, zone, data_dir=self.data_dir, axis=self.die_axis()
            )
        if isinstance(seen, WatchPerception):
            watch = WatchSight(seen, evidence)
            if seen.second_pipeline is None:
                return watch
            return SeveralSights(seen.second_pipeline(stored_calibration(self.data_dir, self.mats)), watch)
        if seen is not None:
            log.warning("This installation cannot read dice: enter throws on the dealer's page.")
        return NoSight()

    def die_axis(self) -> Axis | None:
        """Return the camera's axis over the tray, straight down in a demo; None if unknown."""
        if self.is_demo:
            return Axis(0.0, lens=ORTHOGRAPHIC)
        return die_axis(self.config, stored_calibration(self.data_dir, self.mats))

    def lens(self) -> Lens:
        """Return the lens of the tray's camera; the demo draws dice without perspective."""
        return ORTHOGRAPHIC if self.is_demo else Lens.of_view(self.config.die.view)

    def _with_own_deck(self, reader: Reader) -> FrameReader:
        """Extend a reader with the configured enrolled deck, if there is one.

        Raises:
            OwnDeckError: the enrolled deck is damaged.
        """
        table, decks = self.config.table, OwnDecks(self.data_dir)
        wanted = dict.fromkeys((table.deck_id, *table.shoe))
        named = [decks.get(deck_id) for deck_id in wanted if deck_id is not None and decks.has(deck_id)]
        if not named or self.plugin.deck_for({"deck": OWN_KIND}) is None:
            return reader
        if len(named) > 1:
            log.warning("Only one enrolled deck can be read at a time: using %s, ignoring the others.", named[0].name)
        return OwnDeckReader(reader, DeckReader(decks.load(named[0])), named[0].id)

    def _camera(self, world: DemoWorld | None) -> Source:
        asked, choice = self.config.camera, self.choice
        size = (asked.width, asked.height)
        if world is not None:
            return ReconnectingCamera(lambda: DemoCamera(world.table, asked.fps), name=DemoCamera.name)
        if choice is None:
            return ReconnectingCamera(lambda: open_camera(asked.source, size=size, fps=asked.fps), name=asked.source)
        if choice.kind == "demo":
            return NoCamera()
        return ReconnectingCamera(lambda: open_choice(choice, size=size, fps=asked.fps), name=choice.name)

    def _world(self, demo: Demo, service: OneSession, may_seat: bool) -> DemoWorld:
        config = self.config
        decks = DeckStore(self.data_dir, self.designs)
        return demo.world(
            DemoSetting(
                service,
                (config.camera.width, config.camera.height),
                lambda: demo_deck(decks, config, self.plugin),
                may_seat=may_seat,
                die=config.die.kind,
            )
        )


def choose_perception(
    data_dir: Path, config: Config, games: Games, house_decks: HouseDecks | None = None
) -> Perception:
    """Choose the picture source. A device or address that is missing now may appear later.

    Args:
        house_decks: the decks of the floor's other tables.

    Raises:
        CameraError: an invalid source, a missing file, or the demo of a game that has none.
    """
    plugin = games.named(config.table.game)
    if isinstance(plugin.perception, DiePerception) and has_network():
        config = config.model_copy(update={"camera": config.camera.model_copy(update={"source": die_camera(config)})})
    source = config.camera.source
    if source == "demo" and plugin.demo is None:
        raise CameraError(f"There is no demo table for {plugin.title}. Start with a camera, or leave --camera away.")
    try:
        choice = choose_camera(source)
    except CameraError as error:
        if not _MAY_COME_BACK.fullmatch(source):
            raise
        log.warning("%s The table opens without it; the camera is retried.", error)
        return Perception(data_dir, config, plugin, games.decks, games.mats, None, house_decks)
    return Perception(data_dir, config, plugin, games.decks, games.mats, choice, house_decks)


def die_camera(config: Config) -> str:
    """Return the tray's camera source: its own, else the table's; the demo has only one."""
    source = config.camera.source
    return source if source == "demo" else config.die.camera or source


def demo_deck(decks: DeckStore, config: Config, plugin: GamePlugin) -> Deck:
    """Return the deck that the demo table deals: the configured one, else the latest of its kind, else a new one."""
    if config.table.deck_id is not None and not OwnDecks(decks.folder.parent).has(config.table.deck_id):
        return decks.get(config.table.deck_id)
    design = plugin.deck_for({"deck": config.table.shared("deck")}) or next(iter(decks.designs.values()))
    try:
        return decks.latest(design.kind)
    except DeckError:
        log.info("Making a deck for the demo table.")
        return decks.new(design.kind, "Demo deck")


_AT_ONCE: Final = 500


def die_sight(
    die: DieConfig,
    rules: Callable[[], ThrowRules] | None,
    evidence: EvidenceRing,
    service: OneSession,
    zone: Zone | None = None,
    *,
    data_dir: Path | None = None,
    axis: Axis | None = None,
) -> DieSight:
    """Return the `Sight` of a table played with one die.

    Args:
        data_dir: the store of enrolled dice; None to use none.
        zone: the demo's tray; by default the configured one, else the whole picture.
        axis: the camera's axis over the tray, if known.
    """

    def entries(after: int) -> Sequence[EntryJson]:
        return service.events(after, _AT_ONCE, viewer="dealer")

    fairness = DieFairness(entries)
    where = zone or die.zone or WHOLE
    throws = ANY_THROW if rules is None else rules()
    sight = DieSight(TrayReader(die.kinds), throws, zone=where, axis=axis, evidence=evidence, fairness=fairness.report)
    if data_dir is not None:
        sight.set_known_dice(EnrolledDice(data_dir).load(die.kinds))
    return sight


def die_enrollment(watch: TableWatch, die: DieConfig, data_dir: Path, axis: Axis | None = None) -> DieEnrollment:
    """Return the enrollment for the running table; an enrolled die is recognized from the next throw on."""
    sight, dice = watch.sight, EnrolledDice(data_dir)
    if not isinstance(sight, DieSight):
        return DieEnrollment(watch, dice)
    enrollment = DieEnrollment(
        watch, dice, zone=sight.zone, axis=axis, on_change=lambda: sight.set_known_dice(dice.load(die.kinds))
    )
    sight.suspend_while(lambda: enrollment.is_open)
    return enrollment
