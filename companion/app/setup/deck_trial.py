"""Checks printed decks with the camera, picture by picture, for missing, duplicate and foreign cards."""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Final

from companion.app.setup.shapes import CheckLook, CheckState, DeckJson
from companion.kernel.errors import CompanionError
from companion.objects.decks import DeckStore
from companion.tracking.cards.deck_check import DeckCheck
from companion.vision.sightings import FrameReading

SURE_LOOKS: Final = 2
"""Number of pictures that must show a foreign or duplicate card before it is reported."""


class NotChecking(CompanionError):
    """No check is in progress, or no deck was chosen."""

    code = "no-enrollment"


class DeckTrial:
    """Checks one deck, or the decks of a shoe, at a time. Thread-safe.

    Args:
        look: returns a picture as a data URI, and the cards of these decks in it.
        printed: lists the owner's printed decks.
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
        """Return the decks that can be checked, and the progress of the current check."""
        with self._lock:
            return self._state()

    def _state(self) -> CheckState:
        reports = [check.to_json() for check in self._checks]
        return {"decks": list(self._printed()), "enrollment": {"decks": reports} if reports else None}

    def begin(self, deck_ids: Sequence[str]) -> CheckState:
        """Start a check of some decks; a check in progress is abandoned.

        Raises:
            CompanionError: no deck, or an unknown one, is named.
        """
        ids = tuple(dict.fromkeys(deck_ids))
        if not ids:
            raise NotChecking.saying("Choose the deck to check.")
        decks = [self._store.get(deck_id) for deck_id in ids]
        with self._lock:
            self._checks = tuple(DeckCheck(deck, SURE_LOOKS, ids if len(ids) > 1 else ()) for deck in decks)
            return self._state()

    def look(self) -> CheckLook:
        """Take one picture and record the cards in it.

        Raises:
            CompanionError: no check is in progress, or the camera gives no picture.
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
