"""The enrolled decks of a data directory: ``own-decks/K7QX/`` contains a picture of each card and their checksums."""

import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.objects.cards import STANDARD_CARDS
from companion.objects.keeping import keep_folder, kept_folders
from companion.vision.frame import Image
from companion.vision.own_deck.faces import FACE_PX, HEIGHT_MM, DeckFaces

FOLDER: Final = "own-decks"
KIND: Final = "standard"
MAX_NAME_LENGTH: Final = 40
_LIST: Final = "deck.json"
_ALPHABET: Final = "ACDEFGHJKLMNPQRSTUVWXYZ234567"
_WIDTHS: Final = (round(50 * FACE_PX), round(75 * FACE_PX))


class OwnDeckError(CompanionError):
    """An enrolled deck that does not exist, or cannot be stored or used."""


@dataclass(frozen=True, slots=True)
class OwnDeck:
    """An enrolled deck. Its cards have no marks: two decks of one design look the same.

    Attributes:
        created: an ISO 8601 time, UTC.
    """

    id: str
    name: str
    created: str


class OwnDecks:
    """The enrolled decks of a data directory."""

    def __init__(self, data_dir: Path) -> None:
        self.folder = data_dir / FOLDER
        self._printed = data_dir / "decks"

    def all(self) -> tuple[OwnDeck, ...]:
        """Return the stored decks, the oldest first, without damaged ones."""
        found = [deck for deck in map(self._known, self._ids()) if isinstance(deck, OwnDeck)]
        return tuple(sorted(found, key=lambda deck: (deck.created, deck.id)))

    def damaged(self) -> tuple[OwnDeckError, ...]:
        """Return an error for each deck whose list cannot be read."""
        return tuple(error for error in map(self._known, self._ids()) if isinstance(error, OwnDeckError))

    def get(self, deck_id: str) -> OwnDeck:
        """Return the deck with an id.

        Raises:
            OwnDeckError: its list cannot be read.
        """
        return self._listed(deck_id)[0]

    def _known(self, deck_id: str) -> OwnDeck | OwnDeckError:
        try:
            return self.get(deck_id)
        except OwnDeckError as error:
            return error

    def _ids(self) -> list[str]:
        """Return the ids of all decks, damaged ones included."""
        return [folder.name for folder in kept_folders(self.folder) if (folder / _LIST).is_file()]

    def has(self, deck_id: str) -> bool:
        """Whether there is a deck with this id."""
        return (self.folder / deck_id / _LIST).is_file()

    def named(self, text: str) -> OwnDeck:
        """Return the deck with an id or a name, in any case.

        Raises:
            OwnDeckError: there is none.
        """
        found = [deck for deck in self.all() if text.upper() == deck.id or text.lower() == deck.name.lower()]
        if not found:
            known = ", ".join(f"{deck.name} ({deck.id})" for deck in self.all()) or message("none yet")
            raise OwnDeckError.saying(
                "No enrolled deck is called {name} (known: {known}).", name=repr(text[:40]), known=known
            )
        return found[-1]

    def load(self, deck: OwnDeck) -> DeckFaces:
        """Return the faces of a deck.

        Raises:
            OwnDeckError: a picture is missing or has changed since it was stored.
        """
        _, sums = self._listed(deck.id)
        pictures = {card: self._picture(deck, card, sums) for card in STANDARD_CARDS}
        if len({picture.shape for picture in pictures.values()}) != 1:
            raise self._damaged(deck, "pictures of several sizes")
        return DeckFaces.of(pictures)

    def store(self, name: str, pictures: Mapping[str, Image]) -> OwnDeck:
        """Store a deck. Once complete it replaces a deck of the same name and keeps its id.

        Raises:
            CompanionError: the name is invalid, cards are missing, or the disk is full.
        """
        name = checked_name(name)
        missing = [card for card in STANDARD_CARDS if card not in pictures]
        if missing:
            raise OwnDeckError.saying("{deck} is not complete. Show {cards}, too.", deck=name, cards=", ".join(missing))
        old = next((deck for deck in self.all() if deck.name.lower() == name.lower()), None)
        deck = OwnDeck(old.id if old else self._free_id(), name, datetime.now(UTC).isoformat(timespec="seconds"))
        files = {f"{card}.png": cv2.imencode(".png", pictures[card])[1].tobytes() for card in STANDARD_CARDS}
        sums = {card: hashlib.sha256(files[f"{card}.png"]).hexdigest() for card in STANDARD_CARDS}
        record = {"id": deck.id, "kind": KIND, "name": name, "created": deck.created, "cards": sums}
        files[_LIST] = (json.dumps(record, indent=1) + "\n").encode()
        keep_folder(self.folder / deck.id, files)
        return deck

    def forget(self, text: str) -> OwnDeck:
        """Remove a stored deck, by id or name; a damaged one only by id.

        Raises:
            OwnDeckError: there is no such deck.
        """
        deck_id = text.upper()
        is_damaged = deck_id in self._ids() and isinstance(self._known(deck_id), OwnDeckError)
        deck = OwnDeck(deck_id, deck_id, "") if is_damaged else self.named(text)
        shutil.rmtree(self.folder / deck.id)
        return deck

    def _listed(self, deck_id: str) -> tuple[OwnDeck, dict[str, str]]:
        try:
            record: dict[str, Any] = json.loads((self.folder / deck_id / _LIST).read_text())
            deck = OwnDeck(str(record["id"]), str(record["name"]), str(record["created"]))
            if deck.id != deck_id or record["kind"] != KIND:
                raise ValueError("the list of another deck")
            return deck, {str(card): str(total) for card, total in record["cards"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._damaged(OwnDeck(deck_id, deck_id, ""), str(error)) from error

    def _picture(self, deck: OwnDeck, card: str, sums: Mapping[str, str]) -> Image:
        try:
            data = (self.folder / deck.id / f"{card}.png").read_bytes()
        except OSError as error:
            raise self._damaged(deck, f"no picture of {card}") from error
        if hashlib.sha256(data).hexdigest() != sums.get(card):
            raise self._damaged(deck, f"another picture of {card} than was stored")
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        height = round(HEIGHT_MM * FACE_PX)
        if picture is None or picture.shape[0] != height or not _WIDTHS[0] <= picture.shape[1] <= _WIDTHS[1]:
            raise self._damaged(deck, f"no usable picture of {card}")
        return np.asarray(picture, np.uint8)

    def _damaged(self, deck: OwnDeck, why: str) -> OwnDeckError:
        return OwnDeckError.saying(
            "The enrolled deck {deck} cannot be used ({error}). Restore it from a backup, or enroll it again.",
            deck=deck.name,
            error=why,
        )

    def _free_id(self) -> str:
        while True:
            deck_id = "".join(secrets.choice(_ALPHABET) for _ in range(4))
            if not (self.folder / deck_id).exists() and not (self._printed / f"{deck_id}.json").exists():
                return deck_id


def checked_name(name: str) -> str:
    """Return a deck's name with normalized whitespace.

    Raises:
        OwnDeckError: it is invalid.
    """
    name = " ".join(name.split())
    if not name.isprintable() or len(name) > MAX_NAME_LENGTH or not re.search(r"\w", name):
        raise OwnDeckError.saying(
            "A deck's name is a word or two, at most {most} letters. Write one, such as 'house'.", most=MAX_NAME_LENGTH
        )
    return name
