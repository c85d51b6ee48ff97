"""``companion bug-report``: one file with what is needed to look into a bug, without names or secrets."""

from __future__ import annotations

import getpass
import json
import platform
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

import click

from companion.app.bug_report import Scrubber, entry_lines, names_in, zipped
from companion.cli.options import data_option, with_games
from companion.config.file import FILE_NAME as CONFIG_NAME
from companion.config.file import ConfigError, load_config
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError, JournalReader
from companion.objects.decks import DeckError, DeckStore
from companion.plugins.registry import Games
from companion.printing.files import write_atomically

ENTRIES: Final = 500
_AT_ONCE: Final = 2000
FILE: Final = "companion-bug-report.zip"
_CODE: Final = 8
_LOGIN: Final = re.compile(r"://([^/\s@\"']+)@")
_VALUE: Final = re.compile(r"[?&][^=\s\"'&]+=([^&\s\"']+)")


@click.command(name="bug-report")
@click.option("--out", type=click.Path(path_type=Path), default=Path(FILE), show_default=True, help="The zip to write.")
@click.option("--config", "config_file", type=click.Path(path_type=Path, dir_okay=False), help="Configuration (TOML).")
@data_option
@with_games
def command(games: Games, out: Path, config_file: Path | None, data_dir: Path) -> None:
    """Write journal, settings and versions into a zip: no names, no PIN, no keys. Also while the table runs."""
    from companion.cli.doctor import examine

    found = [asdict(finding) for finding in examine(data_dir, config_file, games)]
    write_atomically(out, bundle(games, data_dir, config_file or data_dir / CONFIG_NAME, state={"doctor": found}))
    click.echo(f"{out} is written. Look through it, then send it along.")


def bundle(
    games: Games, data_dir: Path, config_file: Path, *, log: str = "", state: Mapping[str, Any] | None = None
) -> bytes:
    """Return the zip.

    Args:
        log: the latest lines of the log.
        state: what else is known of the table, such as the dealer's view.
    """
    settings = _settings(config_file)
    entries, names = _journal(data_dir)
    secrets = [*_secrets(data_dir, games), *secrets_in_urls(settings)]
    scrub = Scrubber([*names, *_configured(config_file, games)], secrets, _places(data_dir))
    return zipped(
        {
            "versions.json": json.dumps(_versions(), indent=1),
            "settings.toml": scrub.text(settings),
            "state.json": json.dumps(scrub.value(state or {}), indent=1, ensure_ascii=False),
            "journal.jsonl": entry_lines(entries, scrub),
            "log.txt": scrub.text(log),
        }
    )


def _settings(config_file: Path) -> str:
    try:
        return config_file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return f"# not readable: {type(error).__name__}\n"


def _configured(config_file: Path, games: Games) -> list[str]:
    try:
        return [player.name for player in load_config(config_file, games)[0].players]
    except ConfigError:
        return []


def _journal(data_dir: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the latest entries, and everybody's name in all of the journal."""
    try:
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            names: dict[str, None] = {}
            latest: list[dict[str, Any]] = []
            for page in _pages(reader):
                names |= dict.fromkeys(names_in(page))
                latest = [*latest, *page][-ENTRIES:]
    except JournalError:
        return [], []
    return latest, list(names)


def _pages(reader: JournalReader) -> Iterator[list[dict[str, Any]]]:
    after = 0
    while page := [entry.to_json() for entry in reader.entries(after, _AT_ONCE)]:
        yield page
        after = page[-1]["seq"]


def _secrets(data_dir: Path, games: Games) -> list[str]:
    """Return every text of the data directory that opens something."""
    found: list[str] = []
    with suppress(OSError, ValueError):
        kept = list(_texts(json.loads((data_dir / "access.json").read_text(encoding="utf-8"))))
        found += [*kept, *(f"{text[:4]}-{text[4:]}" for text in kept if len(text) == _CODE)]  # as people read codes
    with suppress(DeckError):
        found += [key.hex() for key in DeckStore(data_dir, games.decks).keys().values()]
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)


def secrets_in_urls(text: str) -> list[str]:
    """Return what opens a camera, as it may stand in the log again.

    >>> secrets_in_urls('source = "rtsp://admin:hunter2@10.0.0.7/live?token=abc123"')
    ['hunter2', 'abc123']
    """
    logins = [login.partition(":")[2] for login in _LOGIN.findall(text)]
    return [secret for secret in (*logins, *_VALUE.findall(text)) if secret]


def _places(data_dir: Path) -> dict[str, str]:
    places = {str(data_dir.absolute()): "DATA", str(Path.home()): "~", platform.node(): "HOST"}
    with suppress(OSError, KeyError, ImportError):
        user = getpass.getuser()
        places |= {f"/home/{user}": "~"} if user != "root" else {}
    return places


def _versions() -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {d.name: d.version for d in sorted(distributions(), key=lambda d: d.name.lower())},
    }
