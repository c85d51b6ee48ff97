"""Edits the configuration file: keeps comments and order, and never writes an invalid configuration."""

import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from companion.config.file import ConfigError, load_config, parse_config
from companion.config.setup_keys import flat
from companion.config.tables import Config
from companion.journal.durable import small_text
from companion.kernel.errors import os_reason
from companion.kernel.header import Header
from companion.kernel.messages import Message
from companion.plugins.registry import Games

HEAD: Final = "# The table companion's settings. The set-up page writes here; your own comments stay.\n\n"
Changes = Mapping[str, object]
"""Dotted key -> value, ``{"table.min": 5}``; None removes the key, restoring its default."""


def edited(text: str, changes: Changes) -> str:
    """Return a TOML text with some keys changed.

    >>> print(edited('[table]\\nmin = 1  # the least\\n', {"table.min": 5, "table.max": 50, "table.cap": None}), end="")
    [table]
    min = 5  # the least
    max = 50

    Raises:
        ConfigError: the text is not TOML, or a key that should hold a table holds something else.
    """
    try:
        document = tomlkit.parse(text)
        for key, value in changes.items():
            _change(document, key.split("."), value)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigError.saying(
            "The configuration cannot be changed: {error}. Correct it by hand, then try again.", error=str(error)
        ) from error


def _change(document: tomlkit.TOMLDocument, path: list[str], value: Any) -> None:
    place: Any = document
    for part in path[:-1]:
        if part not in place:
            if value is None:
                return
            place[part] = tomlkit.table()
        place = place[part]
    if value is None:
        place.pop(path[-1], None)
    else:
        place[path[-1]] = value


def save_changes(path: Path, changes: Changes, games: Games) -> Config:
    """Change a configuration file atomically and return the new configuration.

    Raises:
        ConfigError: the file is invalid, or would become so; nothing is written. The message names the key.
    """
    text = edited(file_text(path), changes)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        _write(draft, text, path)
        config, _ = load_config(draft, games)
        draft.replace(path)
    except ConfigError as error:
        raise ConfigError(_named(error.message, path.name)) from error
    except OSError as error:
        raise ConfigError.saying(
            "{file} cannot be written: {error}. Give this user the right to, or edit it by hand.",
            file=str(path),
            error=os_reason(error),
        ) from error
    finally:
        draft.unlink(missing_ok=True)
    return config


def configured_keys(path: Path) -> dict[str, object]:
    """Return the keys set in a configuration file, dotted; empty if it is missing or unreadable."""
    try:
        document = tomlkit.parse(small_text(path, "utf-8-sig")).unwrap()
    except (OSError, UnicodeDecodeError, TOMLKitError):
        return {}
    return flat(document)


def preview_changes(path: Path, changes: Changes, games: Games, game: str | None = None) -> tuple[Config, Header]:
    """Return a configuration file's configuration and header after some changes, without writing it.

    Args:
        game: the game from the command line, overriding the file's.

    Raises:
        ConfigError: the file is invalid, or would become so.
    """
    return parse_config(path, edited(file_text(path), changes), games, game)


def file_text(path: Path) -> str:
    """Return a configuration file's text; `HEAD` if there is no file yet.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        return small_text(path, "utf-8-sig")
    except FileNotFoundError:
        return HEAD
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError.saying(
            "{file} cannot be read ({error}). Correct that, then try again.", file=str(path), error=str(error)
        ) from error


def _named(text: str, file: str) -> str:
    """Return an error message about a draft with the real file's name in it."""
    if not isinstance(text, Message):
        return text
    return Message(text.key, {slot: file if slot == "file" else value for slot, value in text.values.items()})


def _write(draft: Path, text: str, like: Path) -> None:
    """Write a draft and sync it to disk, with the permissions of the file that it will replace."""
    draft.parent.mkdir(parents=True, exist_ok=True)
    mode = like.stat().st_mode & 0o777 if like.exists() else 0o600
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
