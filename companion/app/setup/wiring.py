"""Set-up wiring for ``companion run``: the page's back end, and the voice that it controls."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Collection, MutableMapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from companion.app.game_rig import GameRig
from companion.app.restart import Restart
from companion.app.setup.camera import SetupCameras
from companion.app.setup.service import TableSetup
from companion.config.tables import Config
from companion.objects.decks import DeckStore
from companion.objects.designs import Designs
from companion.plugins.demo import DemoControl
from companion.service.announcer import Announcer
from companion.service.table_service import TableService
from companion.vision import FrameReading, read_image
from companion.vision.frame import Image
from companion.vision.own_cards import OwnCards
from companion.vision.own_deck.store import OwnDecks
from hardware.voice.espeak import PROGRAM, Espeak

if TYPE_CHECKING:
    from hardware.panel.self_test import SelfTest

log = logging.getLogger("companion.run")

ROOM_LANGUAGE: Final = "ROOM_LANGUAGE"


@dataclass
class SettingUp:
    """The set-up back end, and the listeners for new settings."""

    table_setup: TableSetup
    announcer: Announcer

    def follow(self, app_config: MutableMapping[str, Any]) -> None:
        """Apply saved settings to pages and voice."""

        def saved(config: Config) -> None:
            app_config[ROOM_LANGUAGE] = config.web.language
            self.announcer.set(config.voice.on, voice_language(config))

        self.table_setup.on_save = saved


def start_setting_up(
    stack: ExitStack,
    config: Config,
    data_dir: Path,
    config_file: Path,
    service: TableService,
    watch: GameRig,
    bench: SelfTest | None,
    demo: DemoControl | None,
    restart: Restart,
    log_tail: Callable[[], str],
) -> SettingUp:
    """Return the set-up page's back end; the stack closes it."""
    camera = config.camera
    cameras = SetupCameras(
        watch,
        data_dir,
        service.games.mats,
        size=(camera.width, camera.height),
        fps=camera.fps,
        read_cards=_card_reader(data_dir, service.games.decks),
        pause=watch.pause,
    )
    stack.callback(cameras.close)
    voice = Espeak(config.voice.speed, config.voice.volume)
    announcer = stack.enter_context(Announcer(service, voice.say, service.translator)).start()
    announcer.set(config.voice.on, voice_language(config))
    if config.voice.on and not _can_speak():
        log.warning("The voice is on, but espeak-ng is not installed. Install it: sudo apt install espeak-ng.")
    table_setup = TableSetup(data_dir, config_file, config, service, cameras, bench, demo, restart.request)
    table_setup.log_tail = log_tail
    table_setup.voice = voice.say if _can_speak() else None
    return SettingUp(table_setup, announcer)


def _card_reader(data_dir: Path, designs: Designs) -> Callable[[Image, Collection[str]], FrameReading]:
    """Return a function that reads the owner's cards in a picture, including enrolled decks in play."""

    def read(image: Image, played: Collection[str]) -> FrameReading:
        reading = read_image(image, DeckStore(data_dir, designs).keys(), designs)
        own = [deck_id for deck_id in played if OwnDecks(data_dir).has(deck_id)]
        return OwnCards.of(data_dir, own).in_picture(image, reading) if own else reading

    return read


def voice_language(config: Config) -> str:
    """Return the voice's language: its own setting, else the room's, else English."""
    return next((one for one in (config.voice.language, config.web.language) if one != "auto"), "en")


def _can_speak() -> bool:
    return shutil.which(PROGRAM) is not None
