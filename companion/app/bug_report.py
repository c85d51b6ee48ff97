"""Bug report: journal, settings and versions in a zip, without names, addresses or secrets."""

import getpass
import io
import json
import logging
import platform
import re
import sqlite3
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any, Final

from companion.config.file import ConfigError, load_config
from companion.journal.hash_chain import EntryJson
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.store import JournalError, JournalReader
from companion.kernel.accounts import escaped
from companion.kernel.messages import Message
from companion.kernel.shared.names import same_name
from companion.objects.decks import DeckError, DeckStore
from companion.plugins.registry import Games

README: Final = """What this file holds
====================
versions.json   programs and libraries
settings.toml   the configuration
state.json      the table as it stood
journal.jsonl   the latest entries of the journal, oldest first
log.txt         the latest lines of the log

Players are called Player 1, Player 2 and so on. PIN, log-in codes, the decks' keys, network addresses and the
names of this machine and its user are left out or replaced. Look through it before you send it.
"""
_PASSWORD: Final = re.compile(r"://[^/\s@\"']+@")
_WEBHOOK: Final = re.compile(r"^\s*url\s*=\s*[\"']\w+://[^/\s\"']+(/[^\s\"']+)", re.MULTILINE)
_QUERY: Final = re.compile(r"(://[^\s?\"']+)\?[^\s\"']*")
_IPV4: Final = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_IPV6: Final = re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
LOG_LINES: Final = 600
_MASKED: Final = "removed"
_KEPT_ADDRESSES: Final = frozenset({"127.0.0.1", "0.0.0.0"})


class Scrubber:
    """Removes names and secrets from texts and JSON values.

    Args:
        names: players' names, replaced by "Player 1", "Player 2", … in this order.
        secrets: texts to remove.
        places: text -> replacement, such as for a home directory.

    >>> Scrubber(["Ann"], ["s3cret"], {"/home/ann": "~"}).text("Ann pays 10.0.0.7 s3cret in /home/ann, Anna not")
    'Player 1 pays ADDRESS removed in ~, Anna not'
    """

    def __init__(
        self, names: Iterable[str], secrets: Iterable[str] = (), places: Mapping[str, str] | None = None
    ) -> None:
        known = [name for name in dict.fromkeys(names) if name]
        aliases = {name: f"Player {number}" for number, name in enumerate(known, start=1)}
        written = {escaped(name): alias for name, alias in aliases.items()} | aliases
        self._aliases = {name.casefold(): alias for name, alias in written.items()}
        self._names = _any_of(list(written), whole_words=True)
        self._secrets = _any_of([secret for secret in secrets if len(secret) >= 4], whole_words=False)
        self._places = {place: short for place, short in (places or {}).items() if len(place) > 2}
        self._place = _any_of(list(self._places), whole_words=False)

    def text(self, text: str) -> str:
        """Return a text without names and secrets."""
        text = self._secrets.sub(_MASKED, text) if self._secrets else text
        text = self._place.sub(lambda found: self._places[found[0]], text) if self._place else text
        text = _QUERY.sub(r"\1", _PASSWORD.sub("://", text))
        text = _IPV4.sub(lambda found: found[0] if found[0] in _KEPT_ADDRESSES else "ADDRESS", text)
        text = _IPV6.sub("ADDRESS", text)
        return self._names.sub(lambda found: self._alias(found[0]), text) if self._names else text

    def _alias(self, found: str) -> str:
        """Return a name's alias. The regex also matches case variants that `casefold` tells apart, such as ALİ/Ali."""
        return self._aliases.get(found.casefold(), _MASKED)

    def value(self, value: Any) -> Any:
        """Return a JSON value with all texts in it scrubbed, including object keys."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        return value


def _any_of(texts: Sequence[str], *, whole_words: bool) -> re.Pattern[str] | None:
    """Return a pattern that matches any of these texts, longest first; None for no texts."""
    if not texts:
        return None
    listed = sorted(texts, key=len, reverse=True)
    return re.compile(
        "|".join(map(_word, listed) if whole_words else map(re.escape, listed)), re.IGNORECASE if whole_words else 0
    )


def _word(name: str) -> str:
    before = r"(?<!\w)" if re.match(r"\w", name[0]) else ""
    after = r"(?!\w)" if re.match(r"\w", name[-1]) else ""
    return f"{before}{re.escape(name)}{after}"


def names_in(entries: Iterable[EntryJson]) -> list[str]:
    """Return people's names in journal entries (as from `Entry.to_json`), in order of appearance.

    >>> names_in([{"kind": "command", "record": {"do": "join", "player": " Ann"}, "events": []}])
    ['Ann', ' Ann']
    """
    found = (name for entry in entries for name in _named(entry["record"]))
    return list(dict.fromkeys(one for name in found for one in (same_name(name), name)))


def _named(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in a record: players, and dealers signing on."""
    yield from (str(player["name"]) for player in record.get("players", ()) if "name" in player)
    data = record.get("data")
    details = data if isinstance(data, Mapping) else {}
    for part, key in (
        (record, "player"),
        (details, "joined"),
        (details.get("duty"), "dealer"),
        (details.get("refused"), "player"),
    ):
        if isinstance(part, Mapping) and isinstance(name := part.get(key), str):
            yield name


def entry_lines(entries: Iterable[EntryJson], scrub: Scrubber) -> str:
    """Return journal entries as JSON Lines, without the content of private notices."""
    lines = []
    for entry in entries:
        record = {"private": True} if entry["record"].get("private") else entry["record"]
        lines.append(json.dumps(scrub.value({**entry, "record": record}), ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def zipped(files: Mapping[str, str]) -> bytes:
    """Return a zip of these texts and a README."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"README.txt": README, **files}.items():
            archive.writestr(f"companion-bug-report/{name}", text)
    return buffer.getvalue()


# ---- contents

ENTRIES: Final = 500
NAMED: Final = frozenset({"player", "dealer"})
"""Message slots that hold a person's name."""
_AT_ONCE: Final = 2000
_CODE: Final = 8
_LOGIN: Final = re.compile(r"://([^/\s\"']+)@")
_VALUE: Final = re.compile(r"[?&][^=\s\"'&]+=([^&\s\"']+)")


def bundle(
    games: Games, data_dir: Path, config_file: Path, *, log: str = "", state: Mapping[str, object] | None = None
) -> bytes:
    """Return the zip.

    Args:
        log: the latest lines of the log.
        state: further state of the table, such as the dealer's view.
    """
    settings = _settings(config_file)
    entries, names = _journal(data_dir)
    secrets = [*_secrets(data_dir, games), *secrets_in_urls(settings)]
    people = [*names, *_configured(config_file, games), *_shown(state or {})]
    scrub = Scrubber(people, secrets, _places(data_dir))
    return zipped(
        {
            "versions.json": json.dumps(_versions(), indent=1),
            "settings.toml": scrub.text(settings),
            "state.json": json.dumps(scrub.value(state or {}), indent=1, ensure_ascii=False),
            "journal.jsonl": entry_lines(entries, scrub),
            "log.txt": scrub.text(log),
        }
    )


def _shown(state: Mapping[str, Any]) -> Iterator[str]:
    """Yield names that may be missing from this table's journal: the dealer on duty, and people named in questions."""
    floor = state.get("view", {}).get("floor", {})
    if (dealer := floor.get("dealer")) is not None:
        yield str(dealer)
    for text in _texts(state):
        if isinstance(text, Message):
            yield from (
                name for slot in sorted(NAMED & text.values.keys()) if isinstance(name := text.values[slot], str)
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


def _journal(data_dir: Path) -> tuple[list[EntryJson], list[str]]:
    """Return the latest entries, and all names in the whole journal."""
    try:
        with JournalReader.open(data_dir / JOURNAL_NAME) as reader:
            names: dict[str, None] = {}
            latest: list[EntryJson] = []
            for page in _pages(reader):
                names |= dict.fromkeys(names_in(page))
                latest = [*latest, *page][-ENTRIES:]
    except JournalError:
        return [], []
    return latest, list(names)


def _pages(reader: JournalReader) -> Iterator[list[EntryJson]]:
    after = 0
    while page := [entry.to_json() for entry in reader.entries(after, _AT_ONCE)]:
        yield page
        after = page[-1]["seq"]


def _secrets(data_dir: Path, games: Games) -> list[str]:
    """Return every secret text in the data directory."""
    found: list[str] = []
    with suppress(OSError, ValueError):
        kept = list(_texts(json.loads((data_dir / "access.json").read_text(encoding="utf-8"))))
        found += [*kept, *(f"{text[:4]}-{text[4:]}" for text in kept if len(text) == _CODE)]  # as displayed
    with suppress(DeckError):
        found += [key.hex() for key in DeckStore(data_dir, games.decks).keys().values()]
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def secrets_in_urls(text: str) -> list[str]:
    """Return passwords and query values in URLs, and webhook paths: secrets that may appear in the log.

    >>> secrets_in_urls('source = "rtsp://admin:hunter2@10.0.0.7/live?token=abc123"')
    ['hunter2', 'abc123']
    >>> secrets_in_urls('source = "rtsp://admin:hunt@er2@10.0.0.7/live"')
    ['hunt@er2']
    >>> secrets_in_urls('[[webhooks]]\\nurl = "https://ha.lan/api/webhook/s3cret"')
    ['/api/webhook/s3cret']
    """
    logins = [login.partition(":")[2] for login in _LOGIN.findall(text)]
    return [secret for secret in (*logins, *_VALUE.findall(text), *_WEBHOOK.findall(text)) if secret]


def _places(data_dir: Path) -> dict[str, str]:
    places = {str(data_dir.absolute()): "DATA", str(Path.home()): "~", platform.node(): "HOST"}
    with suppress(OSError, KeyError, ImportError):
        user = getpass.getuser()
        places |= {f"/home/{user}": "~"} if user != "root" else {}
    return places


def _versions() -> dict[str, object]:
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {d.name: d.version for d in sorted(distributions(), key=lambda d: d.name.lower())},
    }


class LogTail(logging.Handler):
    """A logging handler that keeps the latest lines in memory."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self._lines: deque[str] = deque(maxlen=LOG_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        """Store a line."""
        self._lines.append(self.format(record))

    @property
    def text(self) -> str:
        """All stored lines, oldest first."""
        return "".join(f"{line}\n" for line in tuple(self._lines))
