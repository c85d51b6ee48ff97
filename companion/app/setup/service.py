"""Back end of the set-up page: settings, house edges, decks, printable sheets and restart."""

from __future__ import annotations

import logging
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from companion.app.floor.desk.prices import TablePrices
from companion.app.setup.camera import SetupCameras
from companion.app.setup.deck_trial import DeckTrial
from companion.app.setup.progress import read_progress, write_progress
from companion.app.setup.shapes import (
    CameraSource,
    CardShown,
    DeckJson,
    DeckKind,
    EdgeOfChoice,
    EdgesJson,
    LimitsFound,
    LookJson,
    MatFound,
    PanelState,
    SettingsJson,
    StepWorth,
)
from companion.app.setup.sheets import PrintShop, SheetWish
from companion.app.setup.steps import STEPS, Verdict, card_verdict, mat_verdict, outdated, skipped
from companion.app.setup.verification import Chosen, UnderTest, drawn, verify, with_people
from companion.config.edit import Changes, configured_keys, preview_changes, save_changes
from companion.config.file import ConfigError, load_config
from companion.config.games import games_part, options_of
from companion.config.price_list import GamePrices
from companion.config.setup_keys import AT_ONCE, GameForm, flat, game_forms, settable
from companion.config.tables import Config
from companion.journal.replay import is_undecided
from companion.journal.seals import Seals
from companion.journal.sessions import CannotSwitch, open_session, undecided_words
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import Journal, JournalReader
from companion.kernel.errors import CompanionError
from companion.kernel.game import Options
from companion.kernel.messages import Message, message
from companion.objects.decks import Deck, DeckStore
from companion.objects.keeping import not_kept
from companion.odds.exposure import limits_of, richest
from companion.odds.house_edges import EdgeRange
from companion.plugins.demo import DemoControl
from companion.plugins.options import choices
from companion.plugins.plugin import GamePlugin
from companion.service.table_service import TableService
from companion.vision.own_deck.store import OwnDecks
from companion.vision.sightings import FrameReading

if TYPE_CHECKING:
    from hardware.panel.self_test import SelfTest

log = logging.getLogger("companion.run")

OPTION_OF: Final = {"table.game": "--game", "camera.source": "--camera"}
"""Keys that the command line can also set: a later choice on the page must win at the next start."""
OWN_DECK: Final = "own"
"""Deck kind of the owner's enrolled decks, which are not printed."""
MAX_UNDONE: Final = 5000
CONFIRMED: Final = ("table.game", "table.deck_id", "camera.source", "web.language", "voice.on")
"""Keys written to the file when the set-up is finished, even if they equal the defaults."""


class Refused(CompanionError):
    """A request of the set-up page that is refused; the message says why and what to do."""


def set_by_floor(key: str, priced: GamePrices) -> Message:
    """Return the message that the floor controls a setting."""
    return message(
        "{key} is set by the floor: version {version} of the price list, by {who}. Ask the pit to change it.",
        key=key, version=priced.version, who=priced.who,
    )  # fmt: skip


@dataclass
class TableSetup:
    """Back end of the set-up page. Thread-safe.

    Args:
        path: the configuration file; it need not exist yet.
        running: the configuration that this process was started with.
        request_restart: requests a restart without the command-line options that newer settings replace.
    """

    data_dir: Path
    path: Path
    running: Config
    service: TableService
    setup_cameras: SetupCameras
    panel: SelfTest | None = None
    demo: DemoControl | None = None
    request_restart: Callable[[Sequence[str]], None] = lambda overridden: None
    on_save: Callable[[Config], None] = lambda config: None
    voice: Callable[[str, str], None] | None = None
    floor_prices: TablePrices | None = None
    "The floor's price list; None at a standalone table."
    log_tail: Callable[[], str] = lambda: ""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _overridden: set[str] = field(default_factory=set)
    _tried: dict[str, tuple[UnderTest, Verdict]] = field(default_factory=dict)
    "Verdicts of steps tested in this process, with the camera, game and decks that they apply to."

    @cached_property
    def prices(self) -> TablePrices:
        """The floor's price list; an empty one at a standalone table."""
        return self.floor_prices or TablePrices(self.path, self.service.games)

    # ---- settings

    def settings(self) -> SettingsJson:
        """Return the settings in effect or in the file, and which ones await a restart."""
        now = self.config()
        in_force = {key: value for key, value in self._values(self.running).items() if key in self._given}
        values = self._values(now) | in_force
        return {
            "values": values,
            "file": str(self.path),
            "waiting": self._waiting(now),
            "written": {key: value for key, value in configured_keys(self.path).items() if key in self._settable},
            "floor": {
                game: {
                    key: {"value": one.keys[key], "version": one.version, "who": one.who}
                    for key, one in self.prices.set_for(game).items()
                }
                for game in self.service.games
            },
            "usual_buy_in": self._usual_buy_in(str(values["table.game"])),
        }

    def _usual_buy_in(self, game: str) -> int:
        """Return the coins with which a player usually comes to a game; where it cannot be played so, to that at the
        table."""
        try:
            return self.prices.header(game).usual_buy_in
        except CompanionError:
            return self.service.header.usual_buy_in

    @property
    def _given(self) -> set[str]:
        """The keys set on the command line, until they are changed on the page."""
        return {key for key, option in OPTION_OF.items() if option not in self._overridden and _is_given(option)}

    def save(self, changes: Changes) -> SettingsJson:
        """Save settings, and apply those that need no restart.

        Raises:
            CompanionError: a value is invalid, or the table could not start with it; nothing is written.
        """
        self._check_settable(changes)
        values = self.settings()["values"]
        self._check_prices(changes, values)
        with self._lock:
            self._check(changes)
            self._try_out(changes)
            config = save_changes(self.path, changes, self.service.games)
            self._forget(outdated(key for key in changes if self._values(config)[key] != values[key]))
            self._overridden |= {OPTION_OF[key] for key in changes if key in OPTION_OF}
        self.service.set_settings(config.settings)
        self.on_save(config)
        return self.settings()

    @property
    def _settable(self) -> tuple[str, ...]:
        return settable(self.service.games)

    def _check_settable(self, changes: Changes) -> None:
        unknown = sorted(set(changes) - set(self._settable))
        if unknown:
            raise Refused.saying(
                "{key} cannot be set on this page. Edit {file} by hand.", key=repr(unknown[0]), file=self.path.name
            )

    def _check_prices(self, changes: Changes, values: Mapping[str, object]) -> None:
        """Raise for changes of settings that the floor controls: they would have no effect."""
        game = str(changes.get("table.game") or values["table.game"])
        fixed_keys = self.prices.set_for(game)
        fixed = next((key for key in changes if key in fixed_keys and changes[key] != values[key]), None)
        if fixed is not None:
            raise Refused(set_by_floor(fixed, fixed_keys[fixed]))

    def _check(self, changes: Changes) -> None:
        source = changes.get("camera.source")
        if source is not None and source != self.running.camera.source:  # the table's own may be unplugged now
            self.setup_cameras.check(str(source))
        deck_id, shoe = changes.get("table.deck_id"), changes.get("table.shoe")
        own, printed = OwnDecks(self.data_dir), DeckStore(self.data_dir, self.service.games.decks)
        for named in (deck_id, *(shoe if isinstance(shoe, list) else ())):
            if named is not None and not own.has(str(named)):
                printed.get(str(named))

    def _try_out(self, changes: Changes) -> None:
        """Check that the table could start with these settings, before the file is written.

        Raises:
            CompanionError: a value is invalid, or the table could not start.
        """
        preview_changes(self.path, changes, self.service.games)
        try:
            self._rehearse(changes)
        except CannotSwitch as error:
            if self.demo is None or not _is_undecided(self.service):
                raise Refused.saying("{error} Nothing was saved.", error=error.on_page) from error
        except CompanionError as error:
            raise Refused.saying("{error} Nothing was saved.", error=error.message) from error

    def _rehearse(self, changes: Changes = MappingProxyType({})) -> None:
        """Try a start on a copy of the journal: a failure here would occur at the next start.

        Args:
            changes: unsaved changes to the file.

        Raises:
            CompanionError: the table could not start, or there is no space for the copy.
        """
        try:
            self._try_a_start(changes)
        except OSError as error:
            raise not_kept(Path(error.filename or tempfile.gettempdir()), error) from error

    def _try_a_start(self, changes: Changes) -> None:
        is_given = "table.game" in self._given and "table.game" not in changes
        given = self.running.table.game if is_given else None  # the command line overrides the file
        game = preview_changes(self.path, changes, self.service.games, given)[0].table.game
        header = self.prices.header(game, {key: one for key, one in changes.items() if key != "table.game"})
        with tempfile.TemporaryDirectory(prefix="companion-setup-") as folder:
            copy = Path(folder) / JOURNAL_NAME
            with JournalReader.open(self.data_dir / JOURNAL_NAME) as reader:
                reader.copy_to(copy)
            journal = Journal.open(copy, is_copy=True)
            try:
                with JournalReader.open(copy) as reader:
                    seals = Seals.beside(self.data_dir / JOURNAL_NAME)  # the copy has none beside it
                    open_session(journal, reader, header, None, self.service.games, seals=seals)
            finally:
                journal.close()

    def save_unlisted(self, changes: Changes) -> Config:
        """Save keys that are not in the page's form, such as lists, and return the configuration.

        Raises:
            CompanionError: the configuration would be invalid; nothing is written.
        """
        with self._lock:
            return save_changes(self.path, changes, self.service.games)

    def config(self) -> Config:
        """Return the file's current configuration.

        Raises:
            Refused: the file is invalid.
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
        """Return the installed games with their form fields."""
        return game_forms(self.service.games)

    def edges(self, game: str, options: Options) -> EdgesJson:
        """Return the house edges for these options, and how each choice would change them.

        Raises:
            CompanionError: an unknown game, option or value.
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
            raise Refused.saying(
                "There is no game {game} here. Choose one of {games}.", game=repr(game[:40]), games=", ".join(games)
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
        """Return the limits that unsaved changes to the settings would lead to.

        Raises:
            CompanionError: the settings would be invalid.
        """
        self._check_settable(changes)
        game = changes.get("table.game") or self.settings()["values"]["table.game"]
        header = self.prices.header(str(game), {key: one for key, one in changes.items() if key != "table.game"})
        house = self.service.games[header.rules.name].house_state(header.rules.start((), header.options))
        return {"limits": limits_of(house, richest(self.service.ledger)) if house is not None else None}

    # ---- decks

    def decks(self) -> list[DeckJson]:
        """Return the printed decks, latest first, then the enrolled ones, latest first."""
        found = reversed(DeckStore(self.data_dir, self.service.games.decks).all())
        own: list[DeckJson] = [
            {"id": deck.id, "kind": OWN_DECK, "name": deck.name, "created": deck.created}
            for deck in reversed(OwnDecks(self.data_dir).all())
        ]
        return [*(_deck_json(deck) for deck in found), *own]

    def deck_kinds(self) -> list[DeckKind]:
        """Return the kinds of decks that can be created, those of the installed games first."""
        designs = self.service.games.decks.values()
        return [{"kind": d.kind, "title": d.title, "cards": len(d.cards)} for d in designs]

    def new_deck(self, kind: str, name: str) -> DeckJson:
        """Create a deck.

        Raises:
            Refused: the name is too long or not printable.
            UnknownKind: there is no such kind.
        """
        self.service.games.decks.named(kind)
        if len(name) > 40 or (name and not name.isprintable()):
            raise Refused.saying("A deck's name has at most 40 letters. Choose a shorter one.")
        deck = DeckStore(self.data_dir, self.service.games.decks).new(kind, name.strip())
        return _deck_json(deck)

    def sheet(self, wish: SheetWish) -> bytes:
        """Return sheets to print, as PDF, with the running session's options, or for other games the configured ones.

        Raises:
            CompanionError: an unknown sheet, deck, mat or game, or one that cannot be printed as requested.
        """
        shop = PrintShop(self.service.games, self.data_dir, self._options_of, self._coins)
        return shop.sheet(wish)

    def _options_of(self, game: str) -> Options:
        header = self.service.header
        if header.game != game:
            header = self.prices.header(game)
        return header.options

    def _coins(self) -> tuple[int, ...]:
        config, _ = load_config(self.path if self.path.exists() else None, self.service.games)
        return tuple(config.coins.chips)

    @cached_property
    def deck_trial(self) -> DeckTrial:
        """The check of printed decks with the chosen camera."""
        store = DeckStore(self.data_dir, self.service.games.decks)

        def look(played: Collection[str]) -> tuple[str, FrameReading]:
            return self.setup_cameras.look(str(self.settings()["values"]["camera.source"]), played)

        return DeckTrial(store, look, lambda: [deck for deck in self.decks() if deck["kind"] != OWN_DECK])

    # ---- cameras, mat, panel, voice

    def cameras(self) -> list[CameraSource]:
        """Return the available camera sources."""
        return self.setup_cameras.sources()

    def view_camera(self, source: str) -> LookJson:
        """Return a picture with its measurements; raises `CameraError` if the camera cannot be opened."""
        return self.setup_cameras.view(source)

    def calibrate(self, mat: str | None) -> MatFound:
        """Calibrate the mat, and store the calibration if it is good."""
        found = self.setup_cameras.calibrate(mat)
        chosen = self._chosen()
        self._keep("mat", chosen, mat_verdict(found, [mat.name for mat in chosen.plugin.mats]))
        return found

    def show_card(self) -> CardShown:
        """Wait for a card in view of the chosen camera and return how it was read; raises like `view_camera`."""
        chosen = self._chosen()
        shown = self.setup_cameras.show_card(chosen.source, chosen.deck_ids)
        self._keep("card", chosen, card_verdict(shown))
        return shown

    def panel_state(self) -> PanelState | None:
        """Return the panel's state; None without one."""
        return None if self.panel is None else self.panel.state()

    def panel_test(self, line: str | None) -> PanelState:
        """Start or continue the self-test: blink a line; buttons are only reported."""
        return self._bench().blink(line)

    def panel_end(self) -> PanelState:
        """End the self-test: lights and buttons belong to the table again."""
        return self._bench().end()

    def _bench(self) -> SelfTest:
        if self.panel is None:
            raise Refused.saying(
                "There is no panel here. Start with --panel gpio where one is wired, or go on without."
            )
        return self.panel

    def speak(self, text: str, language: str) -> None:
        """Speak a text, even if the voice is off.

        Raises:
            Refused: no speech program is installed.
        """
        if self.voice is None:
            raise Refused.saying("This machine cannot speak. Install it with: sudo apt install espeak-ng.")
        self.voice(text, language)

    # ---- progress

    def steps(self) -> list[StepWorth]:
        """Return the verified or skipped steps."""
        return [verdict.to_json(step) for step, verdict in read_progress(self.data_dir).items()]

    def mark(self, step: str, results: Mapping[str, bool], *, skip: bool = False) -> list[StepWorth]:
        """Verify or skip a step, and return `steps`. The last step writes the settings to the file.

        Args:
            results: the owner's answers in the panel test: line or ``button/name`` → whether it works.

        Raises:
            CompanionError: an unknown step, or the file cannot be written.
        """
        if step not in STEPS:
            raise Refused(f"There is no step {step[:40]!r}.")
        if step == STEPS[-1]:
            self._confirm()
        found = skipped() if skip else self._verified(step, results)
        with self._lock:
            write_progress(self.data_dir, {**read_progress(self.data_dir), step: found})
        return self.steps()

    def _verified(self, step: str, results: Mapping[str, bool]) -> Verdict:
        chosen = self._chosen()
        tried = self._tried.get(step)
        if tried is not None and tried[0] == chosen.under_test and tried[1].status == "passed":
            return tried[1]
        return verify(step, chosen, self.setup_cameras, results)

    def _forget(self, steps: Collection[str]) -> None:
        """Drop the verdicts of these steps after a change of settings."""
        known = read_progress(self.data_dir)
        if not known.keys().isdisjoint(steps):
            write_progress(self.data_dir, {step: one for step, one in known.items() if step not in steps})

    def _keep(self, step: str, chosen: Chosen, verdict: Verdict) -> None:
        """Remember a test's verdict for `mark`, as the card may be gone by then. Tests of a demo do not count."""
        if drawn(chosen) is None:
            self._tried[step] = chosen.under_test, verdict

    def _confirm(self) -> None:
        """Write the `CONFIRMED` settings to the file, including those that equal the defaults."""
        values, standing = self.settings()["values"], configured_keys(self.path)
        missing = {
            key: values[key] for key in CONFIRMED if values[key] is not None and standing.get(key) != values[key]
        }
        if missing:
            self.save(missing)

    def _chosen(self) -> Chosen:
        values = self.settings()["values"]
        header = self.prices.header(str(values["table.game"]))
        shoe, deck_id, source = values["table.shoe"], values["table.deck_id"], str(values["camera.source"])
        named = shoe if isinstance(shoe, list) and shoe else [deck_id] if deck_id is not None else []
        people = [(player["name"], player["coins"]) for player in self.service.view("dealer")["players"]]
        return Chosen(
            plugin=self.service.games[header.game],
            header=with_people(header, people),
            source=source,
            is_running=source == self.running.camera.source,
            is_demo=self.demo is not None,
            deck_ids=tuple(map(str, named)),
            decks=tuple(self.decks()),
            panel=self.panel_state(),
            can_speak=self.voice is not None,
            is_voice_on=values["voice.on"] is True,
        )

    # ---- a bug report

    def bug_report(self) -> bytes:
        """Return a zip with the data for analyzing a bug, without names and secrets."""
        from companion.app.bug_report import bundle

        view = self.service.view("dealer")
        return bundle(
            self.service.games,
            self.data_dir,
            self.path,
            log=self.log_tail(),
            state={"view": view, "settings": self.settings()},
        )

    # ---- restart

    def _rehearse_cleared(self) -> None:
        """Rehearse a start; if the demo's unfinished business prevents it, undo that and try again."""
        try:
            self._rehearse()
        except CannotSwitch:
            if self.demo is None:
                raise
            clear_demo(self.service, self.demo, for_another=True)
            self._rehearse()

    def restart(self) -> None:
        """Close the table cleanly and restart it with the file's settings."""
        with self._lock:
            if self.demo is not None:
                clear_demo(self.service, self.demo)
            try:
                self._rehearse_cleared()
            except CannotSwitch as error:
                raise Refused(error.on_page) from error
        log.info("Restarting, as requested on the set-up page")
        self.request_restart(sorted(self._overridden))


def clear_demo(service: TableService, demo: DemoControl, *, for_another: bool = False) -> None:
    """Undo the simulated players' unfinished business.

    Args:
        for_another: undo until another game could follow; otherwise only until no coins are on bets or in pots.
    """
    demo.pause()
    for _ in range(MAX_UNDONE):
        is_left = _is_undecided(service) if for_another else is_undecided(service.ledger)
        if not is_left or "undo" not in service.situation.expected:
            return
        service.submit({"do": "undo"}, source="demo")


def _is_undecided(service: TableService) -> bool:
    now = service.situation
    return bool(undecided_words(now.rules, now.state, now.ledger))


def _deck_json(deck: Deck) -> DeckJson:
    return {"id": deck.id, "kind": deck.kind, "name": deck.name, "created": deck.created}


def _is_given(option: str) -> bool:
    return any(arg == option or arg.startswith(f"{option}=") for arg in sys.argv[1:])
