"""Every Rugen table counts its throws, by which the camera distinguishes its own from others' and undone ones."""

import pytest

from companion.kernel.table import Table
from companion.testing import new_header

BEFORE_A_CHAIN = {
    "rugen-house": (),
    "rugen-street": ({"do": "stake", "units": 1}, {"do": "take", "player": "Bo", "number": 4}, {"do": "close"}),
    "rugen-capital": ({"do": "take", "player": "Ann", "number": 4, "units": 1}, {"do": "close"}),
}


@pytest.mark.parametrize("game", list(BEFORE_A_CHAIN))
def test_throws_count_up_over_the_ends_of_chains_and_an_undo_takes_one_off(game):
    table = Table(new_header(game, (("Ann", 500), ("Bo", 500)), {}))
    thrown = 0
    for _ in range(2):
        if game == "rugen-street":
            table.do({"do": "throw", "face": "1n"})
            thrown += 1
        for record in BEFORE_A_CHAIN[game]:
            is_shooters = record.get("player") == table.view().get("shooter")
            table.do(record | {"player": "Ann"} if is_shooters else record)
        for face in ("4d", "4n", "3d", "4d", "4d"):  # the fourth 4 breaks
            table.do({"do": "throw", "face": face})
            thrown += 1
            assert table.view()["throws"] == thrown
    table.do({"do": "undo"})
    assert table.view()["throws"] == thrown - 1
    table.do({"do": "redo"})
    assert table.view()["throws"] == thrown


@pytest.mark.parametrize("game", ["rugen-house", "rugen-capital"])
def test_a_space_shows_its_markers_and_how_many_more_break_the_chain(game):
    table = Table(new_header(game, (("Ann", 500), ("Bo", 500)), {}))
    for record in BEFORE_A_CHAIN[game]:
        table.do(record)
    for face in ("4d", "3n", "4n", "2d"):
        table.do({"do": "throw", "face": face})
    spaces = table.view()["spaces"]
    assert [(space["markers"], space["count"], space["to_break"]) for space in spaces] == [
        ([], 0, 1),
        (["2d"], 1, 1),
        (["3n"], 1, 2),
        (["4d", "4n"], 2, 2),
    ]
