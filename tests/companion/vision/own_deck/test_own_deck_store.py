"""Storage of enrolled decks: complete or not at all, and verified when loaded."""

import errno
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ordinary_deck import alone, drawn, face_of, look
from table_scene import Placed, photograph

from companion.kernel.errors import CompanionError
from companion.objects.cards import STANDARD_CARDS
from companion.vision.own_deck.enrollment import DeckEnrollment
from companion.vision.own_deck.store import OwnDeckError, OwnDecks


@pytest.fixture(scope="module")
def pictures() -> dict[str, np.ndarray]:
    return {card: face_of(card) for card in STANDARD_CARDS}


def test_a_deck_is_stored_and_read_back(tmp_path: Path, pictures: dict[str, np.ndarray]) -> None:
    store = OwnDecks(tmp_path)
    deck = store.store(" house  deck ", pictures)
    assert deck.name == "house deck"
    assert store.all() == (deck,)
    assert store.has(deck.id)
    assert (store.load(deck).pictures[0] == pictures[STANDARD_CARDS[0]]).all()
    assert store.store("House Deck", pictures).id == deck.id, "enrolled again, it keeps its id"
    assert store.forget("house deck").id == deck.id
    assert store.all() == ()


def test_an_incomplete_deck_is_not_stored(tmp_path: Path, pictures: dict[str, np.ndarray]) -> None:
    few = {card: pictures[card] for card in STANDARD_CARDS[:-1]}
    with pytest.raises(OwnDeckError, match="Show AC, too"):
        OwnDecks(tmp_path).store("house", few)
    assert OwnDecks(tmp_path).all() == ()


def test_a_changed_picture_is_named(tmp_path: Path, pictures: dict[str, np.ndarray]) -> None:
    store = OwnDecks(tmp_path)
    deck = store.store("house", pictures)
    other = (store.folder / deck.id / "7H.png").read_bytes()
    (store.folder / deck.id / "6H.png").write_bytes(other)
    with pytest.raises(OwnDeckError, match="another picture of 6H than was stored"):
        store.load(deck)


def test_a_damaged_deck_stands_in_no_other_s_way_and_is_forgotten_by_its_id(
    tmp_path: Path, pictures: dict[str, np.ndarray]
) -> None:
    store = OwnDecks(tmp_path)
    damaged, sound = store.store("house", pictures), store.store("other", pictures)
    (store.folder / damaged.id / "deck.json").write_text("")
    assert store.all() == (sound,)
    assert [f"deck {damaged.id} cannot be used" in str(error) for error in store.damaged()] == [True]
    with pytest.raises(OwnDeckError, match=damaged.id):
        store.get(damaged.id)
    assert store.store("house", pictures).id not in (damaged.id, sound.id), "the name is free"
    assert store.forget(damaged.id).id == damaged.id
    assert store.damaged() == ()


def test_a_deck_that_cannot_be_stored_leaves_the_one_before(
    tmp_path: Path, pictures: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = OwnDecks(tmp_path)
    deck = store.store("house", pictures)
    full = Full(after=20)
    monkeypatch.setattr("companion.objects.keeping.os.fsync", full.fsync)
    with pytest.raises(CompanionError, match=r"cannot be written \(No space left on device\)\. Make room"):
        store.store("house", pictures)
    assert store.all() == (deck,)
    assert [path.name for path in store.folder.iterdir()] == [deck.id]
    assert len(store.load(deck).pictures) == 52


class Full:
    """A disk that fails after a number of files."""

    def __init__(self, after: int) -> None:
        self.left = after

    def fsync(self, handle: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\nb\x00", "--"])
def test_a_name_is_a_word_or_two(name: str) -> None:
    with pytest.raises(OwnDeckError, match="A deck's name"):
        DeckEnrollment(name)


def test_a_picture_that_will_not_do_says_why() -> None:
    enrollment = DeckEnrollment("house")
    assert "no card" in enrollment.take(np.full((400, 400, 3), 60, np.uint8), "AS")
    assert "too small" in enrollment.take(alone("AS", px_per_mm=2.5), "AS")
    assert enrollment.take(alone("AS"), "AS") == ""
    assert enrollment.shown == ("AS",)
    assert enrollment.take(alone("AS", seed=3, turn_deg=185.0), "KD") == "this is the card that was shown as AS"
    assert enrollment.undo() == "AS"
    assert len(enrollment.wanted) == 52


def test_court_cards_that_differ_by_the_suit_alone_are_two() -> None:
    """In some designs the kings of both black suits differ only by a 5 mm suit in two corners."""
    enrollment = DeckEnrollment("house")
    for k, card in enumerate(("KS", "KC")):
        art = drawn(card).image.copy()
        art[130:-130, 100:-100] = (60, 70, 160)
        placed = [Placed(card, replace(drawn(card), image=art), 0, 0, 8.0 + 87 * k)]
        image, _ = photograph(placed, look(size=(640, 600), gain=0.9 - 0.2 * k), np.random.default_rng(k))
        assert enrollment.take(image, card) == ""
