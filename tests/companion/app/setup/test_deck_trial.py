"""Checking printed decks on the set-up page: picture by picture, several decks at once; a deck must be chosen."""

from pathlib import Path

import pytest

from companion.app.setup.deck_trial import DeckTrial
from companion.kernel.errors import CompanionError
from companion.objects.decks import Deck, DeckStore
from companion.testing import DECKS
from companion.vision.sightings import CardSighting, FrameReading

CODE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))


class Table:
    """What lies before the camera."""

    def __init__(self, folder: Path) -> None:
        self.store = DeckStore(folder, DECKS)
        self.lying: list[CardSighting] = []
        self.trial = DeckTrial(self.store, lambda played: ("data:,", FrameReading((64, 48), tuple(self.lying))), list)

    def lay(self, deck: Deck | None, *cards: str, status: str = "ok") -> None:
        deck_id = deck.id if deck is not None else "ZZZZ"
        self.lying = [CardSighting(card, deck_id, status, CODE) for card in cards]  # type: ignore[arg-type]


def test_a_deck_is_complete_once_every_card_was_seen(tmp_path: Path) -> None:
    table = Table(tmp_path)
    deck = table.store.new("roche")
    assert table.trial.state()["enrollment"] is None
    assert table.trial.begin([deck.id])["enrollment"] is not None
    table.lay(deck, *deck.cards[:20])
    assert table.trial.look()["new"] == list(deck.cards[:20])
    assert table.trial.look()["new"] == []
    table.lay(deck, *deck.cards[20:-1])
    assert table.trial.look()["decks"][0]["missing"] == [deck.cards[-1]]
    table.lay(deck, deck.cards[-1])
    assert table.trial.look()["decks"][0]["complete"]
    assert table.trial.end()["enrollment"] is None


def test_one_look_accuses_nobody_and_two_do(tmp_path: Path) -> None:
    table = Table(tmp_path)
    deck, other = table.store.new("roche"), table.store.new("roche")
    table.trial.begin([deck.id])
    table.lay(other, "6D3")
    assert table.trial.look()["decks"][0]["other_deck"] == []
    assert table.trial.look()["decks"][0]["other_deck"] == [f"6D3 of deck {other.id}"]
    table.trial.begin([deck.id, other.id, deck.id])
    first, second = table.trial.look()["decks"]
    assert (first["seen"], second["seen"]) == ([], ["6D3"])
    assert table.trial.look()["decks"][0]["other_deck"] == [], "they are one shoe"


def test_without_a_deck_nothing_is_checked(tmp_path: Path) -> None:
    table = Table(tmp_path)
    with pytest.raises(CompanionError, match="Choose the deck"):
        table.trial.begin([])
    with pytest.raises(CompanionError, match="no deck 'NONE'"):
        table.trial.begin(["NONE"])
    with pytest.raises(CompanionError, match="Choose one first"):
        table.trial.look()
