"""A bug report: what happened and in which circumstances, without names, addresses or secrets. Pure but for the zip."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from companion.kernel.accounts import escaped

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
_QUERY: Final = re.compile(r"(://[^\s?\"']+)\?[^\s\"']*")
_IPV4: Final = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_IPV6: Final = re.compile(r"(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}(?![\w:])", re.IGNORECASE)
_MASKED: Final = "removed"
_KEPT_ADDRESSES: Final = frozenset({"127.0.0.1", "0.0.0.0"})


class Scrubber:
    """Takes names and secrets out of texts and of JSON values.

    Args:
        names: of players; each becomes "Player 1", "Player 2", … in this order.
        secrets: whole texts that must not be in the report.
        places: text -> what stands for it, such as a home directory.

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
        return self._names.sub(lambda found: self._aliases[found[0].casefold()], text) if self._names else text

    def value(self, value: Any) -> Any:
        """Return a JSON value with every text in it scrubbed, keys of objects too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        return value


def _any_of(texts: Sequence[str], *, whole_words: bool) -> re.Pattern[str] | None:
    """Return what finds any of these texts, the longest first; None for none."""
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


def names_in(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return every player's name that journal entries (as `Entry.to_json` tells them) speak of, the first ones first.

    >>> names_in([{"kind": "command", "record": {"do": "join", "player": "Ann"}, "events": []}])
    ['Ann']
    """
    found: dict[str, None] = {}
    for entry in entries:
        record = entry["record"]
        found |= dict.fromkeys(str(player["name"]) for player in record.get("players", ()) if "name" in player)
        if isinstance(record.get("player"), str):
            found[record["player"]] = None
    return list(found)


def entry_lines(entries: Iterable[Mapping[str, Any]], scrub: Scrubber) -> str:
    """Return journal entries as JSON Lines; of private notices only that they are there."""
    lines = []
    for entry in entries:
        record = {"private": True} if entry["record"].get("private") else entry["record"]
        lines.append(json.dumps(scrub.value({**entry, "record": record}), ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def zipped(files: Mapping[str, str]) -> bytes:
    """Return a zip of these texts, and of what they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {"README.txt": README, **files}.items():
            archive.writestr(f"companion-bug-report/{name}", text)
    return buffer.getvalue()
