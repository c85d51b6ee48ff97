"""Checks printed decks before the running table's camera, look by look: which cards are missing, double or strange."""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Final

from companion.app.setup.shapes import CheckLook, CheckState, DeckJson
from companion.kernel.errors import CompanionError
from companion.objects.decks import DeckStore
from companion.tracking.cards.deck_check import DeckCheck
from companion.vision.sightings import FrameReading

SURE_LOOKS: Final = 2
"""So many looks must show a stranger, or a card twice."""


class NotChecking(CompanionError):
    """Nothing is being checked, or nothing can be."""

    code = "no-enrollment"


class DeckTrial:
    """Checks one deck, or the decks of a shoe, at a time. Thread-safe.

    Args:
        look: returns a picture, as a data: address, and what it shows of these decks.
        printed: lists the house's printed decks.
    """

    def __init__(
        self,
        store: DeckStore,
        look: Callable[[Collection[str]], tuple[str, FrameReading]],
        printed: Callable[[], Sequence[DeckJson]],
    ) -> None:
        self._store, self._look, self._printed = store, look, printed
        self._lock = threading.Lock()
        self._checks: tuple[DeckCheck, ...] = ()

    def state(self) -> CheckState:
        """Return the decks that can be checked, and how far a check has come."""
        with self._lock:
            return self._state()

    def _state(self) -> CheckState:
        reports = [check.to_json() for check in self._checks]
        return {"decks": list(self._printed()), "enrollment": {"decks": reports} if reports else None}

    def begin(self, deck_ids: Sequence[str]) -> CheckState:
        """Begin to check some decks; what was being checked is given up.

        Raises:
            CompanionError: none is named, or there is no such deck.
        """
        ids = tuple(dict.fromkeys(deck_ids))
        if not ids:
            raise NotChecking.saying("Choose the deck to check.")
        decks = [self._store.get(deck_id) for deck_id in ids]
        with self._lock:
            self._checks = tuple(DeckCheck(deck, SURE_LOOKS, ids if len(ids) > 1 else ()) for deck in decks)
            return self._state()

    def look(self) -> CheckLook:
        """Look at the table once, and count what lies there.

        Raises:
            CompanionError: nothing is being checked, or the camera gives no picture.
        """
        checks = self._checks
        if not checks:
            raise NotChecking.saying("No deck is being checked. Choose one first.")
        picture, reading = self._look([check.deck.id for check in checks])
        with self._lock:
            new = [card for check in checks for card in check.see(reading)]
            return {"picture": picture, "new": new, "decks": [check.to_json() for check in checks]}

    def end(self) -> CheckState:
        """Stop checking."""
        with self._lock:
            self._checks = ()
            return self._state()
