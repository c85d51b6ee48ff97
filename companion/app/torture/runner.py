"""Runs the torture test on a copy of an installation: simulation, kills, load, camera faults and forged cards.

The owner's data directory and configuration are only read.
"""

import json
import os
import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from companion.app.floor.membership import FOLDER as FLOOR
from companion.app.torture.certificate import Certificate, versions
from companion.app.torture.command_fuzzer import new_header
from companion.app.torture.companion_process import CompanionProcess
from companion.app.torture.crash_test import CrashTest
from companion.app.torture.disk import scratch
from companion.app.torture.model import InvariantViolation, expect
from companion.app.torture.simulation import quiet, simulate
from companion.config.edit import edited
from companion.config.file import load_config
from companion.journal.backups.backup import make_backup
from companion.journal.backups.restore import restore
from companion.journal.datalock import is_held
from companion.journal.hash_chain import iso
from companion.journal.replay import rules_fingerprint
from companion.journal.seals import ENDING as SEAL_ENDING
from companion.journal.store import FILE_NAME, JournalReader, utc_now
from companion.journal.trust.mark import mark_path
from companion.journal.trust.signing import KeyBook, SeedSigner
from companion.journal.verify import verify
from companion.kernel.header import Header
from companion.objects.decks import Deck, DeckStore
from companion.plugins.registry import Games
from companion.vision.still import read_image
from hardware.demo.printer import DeckPrinter

Progress = Callable[[str, float], None]
"""Receives the current activity and the fraction of time elapsed."""

_EVENINGS: Final = 4
_KILLS: Final = 6
_STORM_S: Final = 2.0
_CARDS: Final = 3
"""Cards of each deck and kind per round."""
_ELSEWHERE: Final[Mapping[str, object]] = {
    "journal.witness": None, "voice.on": False, "backup.folder": None, "mqtt": None, "webhooks": None,
}  # fmt: skip
"""Settings disabled in the copy: it must not write to the owner's witness, speak aloud, delete backups, or publish."""


@dataclass
class TortureTest:
    """A torture test of a copy of an installation.

    Args:
        data_dir, config_file: the owner's; None for no configuration.
        folder: empty working directory.
    """

    data_dir: Path
    config_file: Path | None
    folder: Path
    games: Games
    seed: int
    figures: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        backup, self._copy = self.folder / "backup.tar.gz", self.folder / "copy"
        make_backup(self._whole(), backup, self.games)
        restore(backup, self._copy, self.games)
        backup.unlink()
        shutil.rmtree(self._copy / FLOOR, ignore_errors=True)  # the floor would mistake the copy for the table
        for sealed in self.data_dir.glob(f"*{SEAL_ENDING}"):
            shutil.copy(sealed, self._copy)
        text = "" if self.config_file is None else self.config_file.read_text(encoding="utf-8")
        self._config = self.folder / "companion.toml"
        self._config.write_text(edited(text, _ELSEWHERE), encoding="utf-8")
        self._header = self._with_players(load_config(self._config, self.games)[1])

    def _whole(self) -> Path:
        """Return the data directory if its table is running, else a copy: reading a SQLite file may write beside it."""
        if is_held(self.data_dir) or not self.data_dir.is_dir():
            return self.data_dir
        return Path(shutil.copytree(self.data_dir, self.folder / "whole", ignore=shutil.ignore_patterns("evidence")))

    def _with_players(self, header: Header) -> Header:
        drawn = new_header(self.games[header.game], random.Random(self.seed))
        return header if header.players else replace(header, players=drawn.players)

    @property
    def _journal_files(self) -> list[Path]:
        path = self._copy / FILE_NAME
        book = KeyBook.beside(path).path
        return [one for one in (path, mark_path(path), book, *self._copy.glob("*.seal*")) if one.exists()]

    # ---- driver

    def run(self, seconds: float, progress: Progress) -> Certificate:
        """Run for this long, but at least one full round; return the signed report."""
        began, started = iso(utc_now()), time.monotonic()
        number = 0
        house = CompanionProcess(self._fresh("house"), self._config)
        crash_test = CrashTest(self._fresh("killed") / FILE_NAME, self._header, self.games, self.seed)
        rounds: tuple[tuple[str, Callable[[int], None]], ...] = (
            ("evenings on a disk that fails", self._simulate),
            ("kills before every write", lambda number: self._kill(crash_test, number)),
            ("forged cards", self._forge),
            ("a bet storm, camera faults and kills of the whole companion", lambda number: self._storm(house, number)),
        )
        try:
            while number == 0 or time.monotonic() - started < seconds:
                for what, act in rounds:
                    progress(what, min(1.0, (time.monotonic() - started) / seconds))
                    try:
                        act(number)
                    except InvariantViolation as fault:
                        self.faults.append(f"{what}: {fault}")
                number += 1
        finally:
            house.close()
        del house.counts["answered twice differently"]
        self.slowest |= house.slowest | {"start of the table alone": crash_test.result.slowest_start_s}
        self.figures.update(house.counts)
        self.figures["seconds"] = round(time.monotonic() - started)
        return self._certificate(began)

    def _fresh(self, name: str) -> Path:
        return Path(shutil.copytree(self._copy, self.folder / name))

    def _certificate(self, began: str) -> Certificate:
        path = self._copy / FILE_NAME
        journal, head, entries = "", "", 0
        if path.exists():
            with JournalReader.open(path) as reader:
                latest = reader.latest(1)
                journal, head, entries = reader.id, *((latest[0].hash, latest[0].seq) if latest else ("", 0))
        signer = KeyBook.beside(path).signer()
        rounded = {f"slowest {what}, s": round(seconds, 2) for what, seconds in self.slowest.items()}
        made = Certificate(
            began, iso(utc_now()), self.seed, journal, head, entries, versions(),
            {game: rules_fingerprint(plugin.rules) for game, plugin in sorted(self.games.items())},
            {**dict(sorted(self.figures.items())), **rounded}, tuple(self.faults), signer is not None,
        )  # fmt: skip
        return made.signed(signer or SeedSigner(os.urandom(32)))

    # ---- tests

    def _simulate(self, number: int) -> None:
        for seed in range(_EVENINGS * number, _EVENINGS * (number + 1)):
            told = simulate(self.seed + seed, self.games, header=self._header, begun=self._journal_files)
            self.figures["simulated evenings"] += 1
            self.figures.update({f"simulated: {what}": count for what, count in told.counts.items()})
            expect(told.fault is None, f"evening {told.seed}: {told.fault}")

    def _kill(self, crash_test: CrashTest, number: int) -> None:
        for kill in range(_KILLS * number, _KILLS * (number + 1)):
            crash_test.kill(kill)
        self.figures["kills of the table alone"] = crash_test.result.kills
        self.figures["acknowledged and there after kills"] = crash_test.result.acknowledged

    def _forge(self, number: int) -> None:
        decks = DeckStore(self._copy, self.games.decks).all()
        keys = {deck.id: deck.key for deck in decks}
        rng = random.Random(f"{self.seed}/{number}")
        for deck in decks:
            printer = DeckPrinter(deck)
            for make in ("genuine", "forged", "foreign"):
                for card in rng.sample(deck.cards, min(_CARDS, len(deck.cards))):
                    is_ok = self._is_genuine(printer(card, make), deck, card, keys)
                    self.figures[f"{make} cards shown"] += 1
                    self.figures[f"{make} cards taken for genuine"] += is_ok
                    expect(make == "genuine" or not is_ok, f"a {make} {card} of deck {deck.id} was taken for genuine")

    def _is_genuine(self, face: np.ndarray, deck: Deck, card: str, keys: Mapping[str, bytes]) -> bool:
        """Return whether a card, rendered on gray cloth as a camera sees it, is verified as the deck's."""
        small = face[::2, ::2]
        picture = np.full((small.shape[0] + 200, small.shape[1] + 200, 3), 70, np.uint8)
        picture[100:-100, 100:-100] = small
        seen = read_image(picture, keys, self.games.decks)
        return any((one.status, one.deck) == ("ok", deck.id) for one in seen.cards)

    def _storm(self, house: CompanionProcess, number: int) -> None:
        with house.running():
            house.wait_for_camera()
            house.storm(_STORM_S, 2 * number)
            house.lose_camera()
            last = threading.Thread(target=self._storm_into_the_end, args=(house, 2 * number + 1))
            last.start()
            time.sleep(random.Random(number).uniform(0.2, _STORM_S))
        last.join(60)
        self._check(house)

    def _storm_into_the_end(self, house: CompanionProcess, seed: int) -> None:
        with suppress(InvariantViolation, Exception):  # the table is killed meanwhile
            house.storm(_STORM_S, seed)

    def _check(self, house: CompanionProcess) -> None:
        """After a kill: every acknowledged command exists once and unchanged, and the journal verifies."""
        with JournalReader.open(house.data_dir / FILE_NAME) as reader:
            found = verify(reader, self.games)
            by_key = {entry.key: entry for entry in reader.entries() if entry.key is not None}
        expect(found.wrong is None, f"verify says: {found.wrong}")
        for key, (seq, body) in house.acknowledged.items():
            entry = by_key.get(key)
            expect(entry is not None and entry.seq == seq, f"{body} was acknowledged as entry {seq} and is not there")
            expect(entry is None or json.loads(entry.record) == json.loads(body), f"entry {seq} is not {body}")
        expect(not house.counts["answered twice differently"], "a command sent twice was answered in two ways")
        self.figures["acknowledged over HTTP and there"] = len(house.acknowledged)


def torture(
    data_dir: Path, config_file: Path | None, games: Games, seconds: float, seed: int, progress: Progress
) -> Certificate:
    """Run the torture test on a copy of an installation and return the signed report.

    Raises:
        ArchiveError: nothing to copy, or it is damaged; the message says what.
        CompanionError: the copy is unusable.
    """
    with quiet(), scratch("torture") as folder:
        return TortureTest(data_dir, config_file, Path(folder), games, seed).run(seconds, progress)
