"""Stored decks: ``decks/K7QX.json`` in the data directory holds a deck's id, kind, name and key.

The key never leaves this folder: anyone who has it can print genuine cards, so the files are readable by their owner
only.
"""

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError, os_reason
from companion.kernel.messages import message
from companion.objects.codes import Code, make_code
from companion.objects.designs import DeckDesign, Designs

# Without 0, 1, 8, 9, B, I and O, which are easily misheard or misread when an id is read out at the table.
_ID_ALPHABET: Final = "ACDEFGHJKLMNPQRSTUVWXYZ234567"
_LONGEST_ID: Final = 40
_KEY_BYTES: Final = 32
LONGEST_NAME: Final = 60


class DeckError(CompanionError):
    """A deck does not exist or its file is unusable, or a deck's name or the folder is."""


@dataclass(frozen=True, slots=True)
class Deck:
    """A printed deck.

    Attributes:
        created: time of creation, ISO 8601, UTC.
        tag_set: index into its design's `DeckDesign.tag_sets`.
    """

    id: str
    design: DeckDesign
    name: str
    key: bytes
    created: str
    tag_set: int = 0

    @property
    def kind(self) -> str:
        return self.design.kind

    @property
    def cards(self) -> tuple[str, ...]:
        return self.design.cards

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.design.tokens

    def code(self, piece: str) -> Code:
        """Return the signed code to print on one of the deck's cards or tokens.

        Raises:
            ValueError: the deck has no such piece.
        """
        if piece not in self.design.tag_of:
            raise ValueError(f"a {self.kind} deck has no {piece!r}")
        return make_code(piece, self.id, self.key)

    def tag(self, piece: str) -> int:
        """Return the number of the tag to print on one of the deck's cards or tokens."""
        return self.design.tag_sets[self.tag_set][piece]


class DeckStore:
    """The decks in a data directory.

    Args:
        data_dir: the data directory.
        designs: the known deck designs.
    """

    def __init__(self, data_dir: Path, designs: Designs) -> None:
        self.folder = data_dir / "decks"
        self.designs = designs

    def new(self, kind: str, name: str = "", *, token: Callable[[int], bytes] = secrets.token_bytes) -> Deck:
        """Create a deck with a new id and key, and store it.

        Args:
            kind: the kind of deck.
            name: its name; empty: derived from its id.
            token: source of random bytes; tests pass their own.

        Raises:
            DeckError: the name is invalid, or the deck cannot be written.
            UnknownKind: there is no such kind of deck.
        """
        design = self.designs.named(kind)
        if not name.isprintable() or len(name) > LONGEST_NAME:
            raise DeckError.saying(
                "A deck's name is one line of at most {most} printable letters, not {name}. Change it.",
                most=LONGEST_NAME,
                name=repr(name[:40]),
            )
        deck_id = self._free_id()
        tag_set = self._tag_set(design)
        deck = Deck(deck_id, design, name or f"Deck {deck_id}", token(_KEY_BYTES), _now(), tag_set)
        self._write(deck)
        return deck

    def get(self, deck_id: str) -> Deck:
        """Return a deck by id.

        Raises:
            DeckError: there is no such deck, or its file is damaged.
        """
        path = self.folder / f"{deck_id[:_LONGEST_ID]}.json"
        if not deck_id.isalnum() or len(deck_id) > _LONGEST_ID or not path.exists():
            known = ", ".join(d.id for d in self.all()) or message("none yet")
            raise DeckError.saying(
                "There is no deck {deck_id} here (known: {known}). Make one with `companion deck new`.",
                deck_id=repr(deck_id[:40]),
                known=known,
            )
        return self._read(path)

    def latest(self, kind: str | None = None) -> Deck:
        """Return the deck created last, of any kind or the given one.

        Raises:
            DeckError: there is none, or a deck cannot be read.
        """
        decks = [d for d in self.all() if kind in (None, d.kind)]
        if not decks:
            raise DeckError(
                message("There is no deck yet. Make one with `companion deck new`.")
                if kind is None
                else message("There is no {kind} deck yet. Make one with `companion deck new`.", kind=kind)
            )
        return decks[-1]

    def all(self) -> tuple[Deck, ...]:
        """Return all decks, oldest first.

        Raises:
            DeckError: a deck or the folder cannot be read. Ignoring it would make the deck's cards foreign.
        """
        return tuple(sorted(map(self._read, self._files()), key=lambda d: (d.created, d.id)))

    def keys(self) -> dict[str, bytes]:
        """Return deck id -> key, for `companion.objects.codes.check_code`."""
        return {deck.id: deck.key for deck in self.all()}

    def _files(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if path.suffix == ".json"]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise DeckError.saying(
                "The deck folder {folder} cannot be read ({reason}). Make it readable for the user who runs "
                "this, or name another data directory with --data.",
                folder=str(self.folder),
                reason=os_reason(error),
            ) from error

    def _free_id(self) -> str:
        while True:
            deck_id = "".join(secrets.choice(_ID_ALPHABET) for _ in range(4))
            if not (self.folder / f"{deck_id}.json").exists():
                return deck_id

    def _tag_set(self, design: DeckDesign) -> int:
        """Return the index of the least used tag set, so that decks created in a row differ."""
        if not design.more_tags:
            return 0
        used = [deck.tag_set for deck in self.all() if deck.kind == design.kind]
        return min(range(len(design.tag_sets)), key=used.count)

    def _write(self, deck: Deck) -> None:
        record = {
            "id": deck.id,
            "kind": deck.kind,
            "name": deck.name,
            "key": deck.key.hex(),
            "created": deck.created,
            "tag_set": deck.tag_set,
        }
        try:
            for folder in (self.folder.parent, self.folder):  # the data directory may be new as well
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write_durably(self.folder / f"{deck.id}.json", json.dumps(record, indent=1))
        except OSError as error:
            reason = os_reason(error)
            raise DeckError.saying(
                "The deck folder {folder} cannot be written ({reason}). Name another data directory with --data.",
                folder=str(self.folder),
                reason=reason,
            ) from error

    def _read(self, path: Path) -> Deck:
        try:
            record = json.loads(path.read_text())
            if record["kind"] not in self.designs:
                raise ValueError(f"unknown kind {record['kind']!r}")
            design, key = self.designs[record["kind"]], bytes.fromhex(record["key"])
            tag_set = record.get("tag_set", 0)  # decks older than tag sets have the first one
            if tag_set not in range(len(design.tag_sets)):
                raise ValueError(f"unknown tag_set {tag_set!r}")
            return Deck(record["id"], design, record["name"], key, record["created"], tag_set)
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise DeckError.saying(
                "The deck file {path} cannot be used ({error}). Restore it from a backup.",
                path=str(path),
                error=str(error),
            ) from error


def _write_durably(path: Path, text: str) -> None:
    draft = path.with_suffix(".draft")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")  # precise enough to keep the order of creation
