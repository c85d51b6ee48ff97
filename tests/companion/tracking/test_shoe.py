"""Decks of one shoe: a card of another deck is reported as soon as it has settled."""

from dataclasses import dataclass

import numpy as np
import pytest

from companion.config.file import load_config
from companion.games.roche.camera.interpreter import RocheInterpreter
from companion.kernel.messages import message
from companion.testing import DECKS, INSTALLED, say
from companion.tracking.cards.sight import CardSight
from companion.tracking.cards.tracker import Tracker
from companion.tracking.cards.zones import Zones
from companion.vision.frame import Frame
from companion.vision.sightings import FrameReading

from .conftest import sighting


@dataclass
class Lies:
    """A fake reader that always reports the same cards."""

    cards: tuple

    def read(self, frame: Frame) -> FrameReading:
        return FrameReading((1920, 1080), self.cards)


def noted(*cards, shoe=("K7QX", "AC4D")):
    """Return the texts and decks of the notes about cards that lie there for a second."""
    sight = CardSight(
        Lies(cards),
        RocheInterpreter(),
        zones=Zones(INSTALLED.mats),
        tracker=Tracker(several=DECKS.twice),
        shoe=shoe,
    )
    notes = []
    for i in range(30):
        notes += sight.see(Frame(np.zeros((1080, 1920, 3), np.uint8), i / 30, i), i / 30)
    return [(str(note.text), note.data.get("deck")) for note in notes]


HERE, THERE = sighting("AS", 0, 0), sighting("AS", 400, 0, deck="AC4D")


def test_the_cards_of_a_shoe_are_not_remarked_on():
    assert noted(HERE, THERE) == []


def test_a_card_of_another_deck_of_the_house_is_not_of_this_shoe():
    stray = sighting("7C", 800, 0, deck="QX4K")
    assert noted(HERE, stray) == [("7C of deck QX4K is not of this shoe. Take it off.", "QX4K")]
    assert noted(HERE, stray, shoe=()) == []


@pytest.mark.parametrize("language", ["de", "es"])
def test_it_is_said_in_the_room_s_language(language):
    english = message("{card} of deck {deck} is not of this shoe. Take it off.", card="AS", deck="QX4K")
    assert say(english, language) != str(english)


def test_the_shoe_is_configured_by_the_decks_ids(tmp_path):
    path = tmp_path / "companion.toml"
    path.write_text('[table]\nshoe = ["K7QX", "AC4D"]\n')
    config, _ = load_config(path, INSTALLED)
    assert config.table.shoe == ("K7QX", "AC4D")
