"""Back end of the set-up page: settings, house edges, decks, printable sheets and restart."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from companion.app.setup.shapes import (
    CameraSource,
    DeckJson,
    DeckKind,
    EdgeOfChoice,
    EdgesJson,
    LimitsFound,
    LookJson,
    MatFound,
    PanelState,
    SettingsJson,
)
from companion.app.setup.sheets import PrintShop, SheetWish
from companion.config.edit import Changes, save_changes, tried
from companion.config.file import ConfigError, load_config
from companion.config.games import games_part, options_of
from companion.config.setup_keys import AT_ONCE, GameForm, flat, game_forms, settable
from companion.config.tables import Config
from companion.journal.replay import is_undecided
from companion.journal.sessions import CannotSwitch, open_session
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import Journal, JournalReader
from companion.kernel.errors import CompanionError
from companion.kernel.game import Options
from companion.kernel.messages import message
from companion.objects.decks import Deck, DeckStore
from companion.odds.exposure import limits_of, richest
from companion.odds.house_edges import EdgeRange
from companion.plugins.options import choices
from companion.plugins.plugin import GamePlugin
from companion.printing.files import write_atomically
from companion.service.table_service import TableService
from companion.vision.own_deck.store import OwnDecks

log = logging.getLogger("companion.run")

OPTION_OF: Final = {"table.game": "--game", "camera.source": "--camera"}
"""Keys that the command line can also set: a later choice on the page must win at the next start."""
OWN_DECK: Final = "own"
"""Among the kinds of decks: a house's own ordinary one, which is not printed."""
MOST_UNDONE: Final = 5000
PROGRESS: Final = "setup.json"
STEPS: Final[tuple[str, ...]] = ("game", "deck", "camera", "mat", "panel", "room", "players", "finish")


class Refused(CompanionError):
    """A request of the set-up page that cannot be met; the message says why and what to do."""


class PanelBench(Protocol):
    """The panel under test; `hardware.panel.self_test.SelfTest` implements it."""

    def state(self) -> PanelState: ...
    def blink(self, line: str | None) -> PanelState: ...
    def end(self) -> PanelState: ...


class Demo(Protocol):
    """The demo agent, which can be stopped."""

    def auto(self, on: bool) -> object: ...


class Cameras(Protocol):
    """The cameras to preview; `companion.app.setup.camera.SetupCameras` implements it."""

    def sources(self) -> list[CameraSource]: ...
    def view(self, source: str) -> LookJson: ...
    def calibrate(self, mat: str | None) -> MatFound: ...
    def check(self, source: str) -> None: ...


@dataclass
class TableSetup:
    """Back end of the set-up page. Thread-safe.

    Args:
        path: the configuration file; it need not be there yet.
        running: the configuration that this process was started with.
        request_restart: asks the process to restart without the command-line options that settings now override.
    """

    data_dir: Path
    path: Path
    running: Config
    service: TableService
    setup_cameras: Cameras
    panel: PanelBench | None = None
    demo: Demo | None = None
    request_restart: Callable[[Sequence[str]], None] = lambda overridden: None
    on_save: Callable[[Config], None] = lambda config: None
    voice: Callable[[str, str], None] | None = None
    log_tail: Callable[[], str] = lambda: ""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _overridden: set[str] = field(default_factory=set)

    # ---- settings

    def settings(self) -> SettingsJson:
        """Return the settings in the file, and those that take effect at the next start."""
        now = self.config()
        in_force = {key: value for key, value in self._values(self.running).items() if key in self._given}
        return {"values": self._values(now) | in_force, "file": str(self.path), "waiting": self._waiting(now)}

    @property
    def _given(self) -> set[str]:
        """The keys set on the command line; valid until changed on the page."""
        return {key for key, option in OPTION_OF.items() if option not in self._overridden and _is_given(option)}

    def save(self, changes: Changes) -> SettingsJson:
        """Save settings; apply those that can take effect at once.

        Raises:
            CompanionError: a value cannot be used, or the table could not start with it; nothing is written.
        """
        unknown = sorted(set(changes) - set(self._settable))
        if unknown:
            raise Refused(
                message(
                    "{key} cannot be set on this page. Edit {file} by hand.", key=repr(unknown[0]), file=self.path.name
                )
            )
        with self._lock:
            self._check(changes)
            before = self.path.read_bytes() if self.path.exists() else None
            config = save_changes(self.path, changes, self.service.games)
            try:
                self._rehearse()
            except CannotSwitch as error:
                if self.demo is None or not is_undecided(self.service.ledger):
                    self._put_back(before)
                    raise Refused(message("{error} Nothing was saved.", error=error.on_page)) from error
            except CompanionError as error:
                self._put_back(before)
                raise Refused(message("{error} Nothing was saved.", error=error.message)) from error
            self._overridden |= {OPTION_OF[key] for key in changes if key in OPTION_OF}
        self.service.set_settings(config.settings)
        self.on_save(config)
        return self.settings()

    @property
    def _settable(self) -> tuple[str, ...]:
        return settable(self.service.games)

    def _check(self, changes: Changes) -> None:
        source = changes.get("camera.source")
        if source is not None:
            self.setup_cameras.check(str(source))
        deck_id, shoe = changes.get("table.deck_id"), changes.get("table.shoe")
        own, printed = OwnDecks(self.data_dir), DeckStore(self.data_dir, self.service.games.decks)
        for named in (deck_id, *(shoe if isinstance(shoe, list) else ())):
            if named is not None and not own.has(str(named)):
                printed.get(str(named))

    def _put_back(self, before: bytes | None) -> None:
        if before is None:
            self.path.unlink(missing_ok=True)
            return
        draft = self.path.with_name(f".{self.path.name}.back")
        draft.write_bytes(before)
        draft.replace(self.path)

    def _rehearse(self) -> None:
        """Trial start with the file, on a copy of the journal: a failure here would occur at the next start."""
        _, header = load_config(self.path, self.service.games)
        with tempfile.TemporaryDirectory(prefix="companion-setup-") as folder:
            copy = Path(folder) / JOURNAL_NAME
            with JournalReader.open(self.data_dir / JOURNAL_NAME) as reader:
                reader.copy_to(copy)
            journal = Journal.open(copy, is_copy=True)
            try:
                with JournalReader.open(copy) as reader:
                    open_session(journal, reader, header, None, self.service.games)
            finally:
                journal.close()

    def save_unlisted(self, changes: Changes) -> Config:
        """Write keys that the page's form does not have, such as lists, and return the configuration.

        Raises:
            CompanionError: the configuration cannot be used so; nothing is written.
        """
        with self._lock:
            return save_changes(self.path, changes, self.service.games)

    def config(self) -> Config:
        """Return the configuration as the file has it now.

        Raises:
            Refused: it cannot be used.
        """
        try:
            return load_config(self.path if self.path.exists() else None, self.service.games)[0]
        except ConfigError as error:
            raise Refused(error.message) from error

    def _values(self, config: Config) -> dict[str, object]:
        every = flat(config.model_dump(by_alias=True, mode="json"))
        return {key: every.get(key) for key in self._settable}

    def _waiting(self, now: Config) -> list[str]:
        """Return the keys whose new value takes effect at the next start."""
        running, wanted = self._values(self.running), self._values(now)
        held = AT_ONCE | self._given
        return [key for key in self._settable if key not in held and wanted[key] != running[key]]

    # ---- games and house edges

    def games(self) -> list[GameForm]:
        """Return the installed games, each with the fields of its settings."""
        return game_forms(self.service.games)

    def edges(self, game: str, options: Options) -> EdgesJson:
        """Return the house edges for these options, and how each choice would change them.

        Raises:
            BadScript: an option is not one of the game's.
        """
        plugin = self._game(game)
        offered = choices(options_of(plugin)) if plugin.house is not None else {}
        given = {key: value for key, value in options.items() if value is not None}
        for key, value in given.items():
            if value not in offered.get(key, ()):
                raise Refused(f"{key[:40]!r} cannot be {str(value)[:40]!r} in {game}. Choose what the page offers.")
        under = {key: [self._edge(plugin, {**given, key: value}, value) for value in values]
                 for key, values in offered.items()}  # fmt: skip
        return {"now": [part.to_json() for part in self._edges(plugin, given)], "choices": under}

    def _game(self, game: str) -> GamePlugin:
        games = self.service.games
        if game not in games:
            raise Refused(
                message(
                    "There is no game {game} here. Choose one of {games}.", game=repr(game[:40]), games=", ".join(games)
                )
            )
        return games[game]

    def _edge(self, plugin: GamePlugin, options: Options, value: str) -> EdgeOfChoice:
        found = self._edges(plugin, options)
        span = (float(min(p.least for p in found)), float(max(p.most for p in found))) if found else (None, None)
        return {"value": value, "least": span[0], "most": span[1]}

    def _edges(self, plugin: GamePlugin, options: Options) -> tuple[EdgeRange, ...]:
        return plugin.house_edges(games_part(self.config(), plugin).for_edges(options))

    # ---- the bank's risk

    def limits(self, changes: Changes) -> LimitsFound:
        """Return the limits that would hold with these changes to the settings; nothing is saved.

        Raises:
            CompanionError: the table could not be played with them.
        """
        unknown = sorted(set(changes) - set(self._settable))
        if unknown:
            raise Refused(
                message(
                    "{key} cannot be set on this page. Edit {file} by hand.", key=repr(unknown[0]), file=self.path.name
                )
            )
        game = self.settings()["values"]["table.game"]
        _, header = tried(self.path, {"table.game": game, **changes}, self.service.games)
        house = self.service.games[header.rules.name].house_state(header.rules.start((), header.options))
        return {"limits": limits_of(house, richest(self.service.ledger)) if house is not None else None}

    # ---- decks

    def decks(self) -> list[DeckJson]:
        """Return every deck, the latest first, and then the house's own ordinary ones."""
        found = reversed(DeckStore(self.data_dir, self.service.games.decks).all())
        own: list[DeckJson] = [
            {"id": deck.id, "kind": OWN_DECK, "name": deck.name, "created": deck.created}
            for deck in reversed(OwnDecks(self.data_dir).all())
        ]
        return [*(_deck_json(deck) for deck in found), *own]

    def deck_kinds(self) -> list[DeckKind]:
        """Return the kinds of decks that can be made, those of the installed games first."""
        designs = self.service.games.decks.values()
        return [{"kind": d.kind, "title": d.title, "cards": len(d.cards)} for d in designs]

    def new_deck(self, kind: str, name: str) -> DeckJson:
        """Make a deck.

        Raises:
            Refused: the name is no short text.
            UnknownKind: there is no such kind.
        """
        self.service.games.decks.named(kind)
        if len(name) > 40 or (name and not name.isprintable()):
            raise Refused(message("A deck's name has at most 40 letters. Choose a shorter one."))
        deck = DeckStore(self.data_dir, self.service.games.decks).new(kind, name.strip())
        return _deck_json(deck)

    def sheet(self, wish: SheetWish) -> bytes:
        """Return sheets to print, as PDF, with the rules in force: those of the game's session, else as configured.

        Raises:
            CompanionError: there is no such sheet, deck, mat or game, or it cannot be printed so.
        """
        shop = PrintShop(self.service.games, self.data_dir, self._options_of, self._coins)
        return shop.sheet(wish)

    def _options_of(self, game: str) -> Options:
        header = self.service.header
        if header.game != game:
            header = load_config(self.path if self.path.exists() else None, self.service.games, game)[1]
        return header.options

    def _coins(self) -> tuple[int, ...]:
        config, _ = load_config(self.path if self.path.exists() else None, self.service.games)
        return tuple(config.coins.chips)

    # ---- cameras, mat, panel, voice

    def cameras(self) -> list[CameraSource]:
        """Return the cameras that can be chosen."""
        return self.setup_cameras.sources()

    def view_camera(self, source: str) -> LookJson:
        """Return a picture and its meters; raises if the camera cannot be opened."""
        return self.setup_cameras.view(source)

    def calibrate(self, mat: str | None) -> MatFound:
        """Find the mat and store where it lies, if all is well."""
        return self.setup_cameras.calibrate(mat)

    def panel_state(self) -> PanelState | None:
        """Return the panel's state; None without one."""
        return None if self.panel is None else self.panel.state()

    def panel_test(self, line: str | None) -> PanelState:
        """Blink a line, and only report what the buttons do."""
        return self._bench().blink(line)

    def panel_end(self) -> PanelState:
        """Return lights and buttons to the table."""
        return self._bench().end()

    def _bench(self) -> PanelBench:
        if self.panel is None:
            raise Refused(
                message("There is no panel here. Start with --panel gpio where one is wired, or go on without.")
            )
        return self.panel

    def speak(self, text: str, language: str) -> None:
        """Say something aloud, whether the voice is on or not.

        Raises:
            Refused: there is no speech on this machine.
        """
        if self.voice is None:
            raise Refused(message("This machine cannot speak. Install it with: sudo apt install espeak-ng."))
        self.voice(text, language)

    # ---- how far the owner got

    def done(self) -> list[str]:
        """Return the finished steps, to continue with the next."""
        try:
            steps = json.loads((self.data_dir / PROGRESS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return [str(step) for step in STEPS if step in steps] if isinstance(steps, list) else []

    def mark(self, step: str) -> list[str]:
        """Mark a step as finished, and return all finished steps."""
        if step not in STEPS:
            raise Refused(f"There is no step {step[:40]!r}.")
        with self._lock:
            steps: list[str] = [one for one in STEPS if one == step or one in self.done()]
            write_atomically(self.data_dir / PROGRESS, json.dumps(steps).encode())
        return steps

    # ---- a bug report

    def bug_report(self) -> bytes:
        """Return a zip with what is needed to analyse a bug, and no names or secrets."""
        from companion.app.bug_report import bundle

        view = self.service.view("dealer")
        return bundle(
            self.service.games,
            self.data_dir,
            self.path,
            log=self.log_tail(),
            state={"view": view, "settings": self.settings()},
        )

    # ---- starting again

    def restart(self) -> None:
        """Close the table properly and start it again with the file's settings."""
        with self._lock:
            if self.demo is not None:
                clear_demo(self.service, self.demo)
            try:
                self._rehearse()
            except CannotSwitch as error:
                raise Refused(error.on_page) from error
        log.info("Starting anew, as the set-up page asks")
        self.request_restart(sorted(self._overridden))


def clear_demo(service: TableService, demo: Demo) -> None:
    """Undo the demo players' unfinished business: nobody minds."""
    demo.auto(False)
    for _ in range(MOST_UNDONE):
        if not is_undecided(service.ledger) or "undo" not in service.situation.expected:
            return
        service.submit({"do": "undo"}, source="demo")


def _deck_json(deck: Deck) -> DeckJson:
    return {"id": deck.id, "kind": deck.kind, "name": deck.name, "created": deck.created}


def _is_given(option: str) -> bool:
    return any(arg == option or arg.startswith(f"{option}=") for arg in sys.argv[1:])
