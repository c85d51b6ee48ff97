"""Practice mode has something to say at every step of every game, and says what the rules do."""

import pytest
from evenings import GAMES, random_evening
from rochi_tables import captains, do, rochi

from companion.kernel.table import Table
from companion.service.view_extensions import practice_text
from companion.testing import INSTALLED


def said_at(table: Table) -> str:
    return practice_text(table.view(), INSTALLED[table.game.name])


@pytest.mark.parametrize("game", GAMES)
def test_every_step_is_explained_in_a_few_sentences(game):
    evening = random_evening(13, (game,))
    table = Table(evening.table.header)
    seen = {table.phase}
    for record in evening.table.records:
        table.do(record)
        seen.add(table.phase)
        text = said_at(table)
        assert text, table.phase
        assert text.endswith(".")
        assert len(text) < 900
        assert "None" not in text
    assert len(seen) > 1


def test_a_turn_tells_what_can_be_done():
    said = said_at(rochi())
    assert "It is Ann's turn" in said
    assert "fold" in said
    assert "pass, for a new hand" in said_at(captains())


def test_a_deal_that_is_not_allowed_yet_is_not_offered():
    """Captain's Rochi: the first player may not deal on the first turn of the game."""
    assert "turn over the deck's top card" not in said_at(captains())
    assert "turn over the deck's top card" in said_at(do(captains(), "pass"))


def test_a_turn_under_way_tells_what_is_left_of_it():
    assert said_at(do(captains(), "play 7D3")).endswith("owns it until somebody buys it. They end the turn.")
    assert "also turn over the deck's top card" in said_at(do(rochi(), "play 7D3"))
    assert "also play a card" in said_at(do(rochi(), "deal 7D3"))


def test_a_ripe_suit_says_what_its_next_card_would_do():
    table = rochi(seeds="3D1 3D2")
    assert "with the next Realm card from the deck it is locked" in said_at(table)
    said = said_at(do(table, "play 3D3", "end"))
    assert "with the next Realm card from the deck Ann wins" in said


def test_a_table_on_hold_says_so():
    table = rochi()
    table.do({"do": "hold"})
    assert said_at(table) == "The table is on hold: nothing counts until it is released."
