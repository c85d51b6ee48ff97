"""Decks of the house's other tables as known to this one, stored on disk for when the floor is unreachable.

This table does not have the other tables' keys, so only the owning table can verify a card. To that end its code is
read again from the frame, and the floor forwards it.
"""

import json
import logging
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from companion.app.floor.client import FloorClient
from companion.journal.durable import DAMAGED, write_private
from companion.objects.codes import CodeStatus, check_code, parse_code
from companion.objects.decks import Deck
from companion.vision.decoders.qr import read_codes
from companion.vision.frame import Image, to_gray
from companion.vision.sightings import Quad

log = logging.getLogger(__name__)

_FILE: Final = "decks.json"
_MAX_WAITING: Final = 20
_MARGIN: Final = 0.6
"""Margin around a code that it takes to read it again, relative to the code's size."""

Owned = dict[str, tuple[str, str]]


class KnownHouseDecks:
    """The house's decks except this table's own. Thread-safe: used by the camera thread and the floor's.

    Args:
        folder: stores the list.
        me: the floor's name for this table.
        own: returns this table's decks.
    """

    def __init__(self, folder: Path, me: str, own: Callable[[], tuple[Deck, ...]]) -> None:
        self._folder, self._me, self._own = folder, me, own
        self._owned: Owned = self._read()
        self._met: queue.Queue[tuple[str, Image]] = queue.Queue(_MAX_WAITING)
        self._registered: tuple[tuple[str, str, str], ...] | None = None
        self._version = -1

    # ---- camera thread

    def owner(self, deck: str) -> tuple[str, str] | None:
        return self._owned.get(deck)

    def met(self, image: Image, corners: Quad, deck: str) -> None:
        if deck in self._owned and not self._met.full():
            self._met.put_nowait((deck, _around(image, corners)))

    # ---- the floor's thread

    def register(self, client: FloorClient, version: int) -> None:
        """Exchange deck lists with the floor if either side has a new one.

        Args:
            version: of the floor's register.

        Raises:
            FloorUnreachable, FloorRefused: retried later.
        """
        mine = tuple((deck.id, deck.kind, deck.name) for deck in self._own())
        if mine == self._registered and version == self._version:
            return
        decks = [{"deck": deck, "kind": kind, "name": name} for deck, kind, name in mine]
        told = client.post("/floor/v1/decks", {"decks": decks})
        self._take(told["decks"])
        self._registered, self._version = mine, int(told["version"])

    def tell_met(self, client: FloorClient) -> None:
        """Report other tables' cards seen here to the floor; raises like `register`."""
        while not self._met.empty():
            deck, image = self._met.queue[0]
            codes = (parse_code(found.text) for found in read_codes(to_gray(image)).read)
            code = next((one for one in codes if one is not None and one.deck == deck), None)
            if code is not None:
                client.post("/floor/v1/strangers", {"code": code.text})
            self._met.get_nowait()  # removed only after success, so that failures are retried

    def hold(self, client: FloorClient, codes: dict[str, str]) -> None:
        """Verify codes read at other tables against our decks and report the result; raises like `register`."""
        if not codes:
            return
        decks = {deck.id: deck for deck in self._own()}
        client.post("/floor/v1/cards-held", {"cards": {name: _is_ours(text, decks) for name, text in codes.items()}})

    def _take(self, told: Any) -> None:
        try:
            mine = {deck.id for deck in self._own()}
            owned = {str(one["deck"]): (str(one["table"]), str(one["name"])) for one in told
                     if one["table"] != self._me and one["deck"] not in mine}  # fmt: skip
            write_private(self._folder / _FILE, json.dumps(owned).encode())
        except (*DAMAGED, OSError) as error:
            log.warning("The house's list of decks could not be saved: %s", error)
        else:
            self._owned = owned

    def _read(self) -> Owned:
        try:
            told = json.loads((self._folder / _FILE).read_text(encoding="utf-8"))
            return {str(deck): (str(table), str(name)) for deck, (table, name) in told.items()}
        except (*DAMAGED, OSError):
            return {}


def _is_ours(text: str, decks: dict[str, Deck]) -> bool:
    code = parse_code(text)
    deck = None if code is None else decks.get(code.deck)
    if code is None or deck is None:
        return False
    pieces = {*deck.cards, *deck.tokens}
    return check_code(code, {deck.id: deck.key}, pieces) is CodeStatus.OK


def _around(image: Image, corners: Quad) -> Image:
    """Return a copy of the image region with a code and its quiet zone."""
    points = np.array(corners)
    low, high = points.min(axis=0), points.max(axis=0)
    margin = (high - low).max() * _MARGIN
    left, top = (int(max(0, value)) for value in low - margin)
    right, bottom = (int(value) + 1 for value in high + margin)
    return np.ascontiguousarray(image[top:bottom, left:right])
