"""Printed parts of hold'em: a mat with room for all cards, and a dealer button."""

import itertools

from companion.cli import run_command_line
from companion.games.holdem.printed.mat import HOLDEM_MAT, SEATS
from companion.games.holdem.printed.mat_art import button_pieces
from companion.games.holdem.printed.measures import BOARD_CARDS, BOARD_STEP_MM
from companion.games.holdem.state import MAX_PLAYERS
from companion.objects.geometry import POKER, TOKEN_MM
from companion.testing import MATS


def test_the_mat_has_a_place_for_every_player_and_for_the_board():
    zones = MATS["holdem"].zones
    assert len(SEATS) == MAX_PLAYERS
    assert {f"{what}/{seat}" for what in ("seat", "button") for seat in SEATS} <= set(zones)
    assert {"board", "deck", "burn", "muck", "pot/main", "pot/side-1"} <= set(zones)
    assert zones["board"].width >= (BOARD_CARDS - 1) * BOARD_STEP_MM + POKER.width
    for seat in SEATS:
        assert zones[f"seat/{seat}"].width >= BOARD_STEP_MM + POKER.width
        assert zones[f"seat/{seat}"].height >= POKER.height


def test_seats_go_clockwise_from_the_dealers_left():
    """The dealer sits at the top, facing down in the picture."""
    x, y = HOLDEM_MAT.width_mm / 2, HOLDEM_MAT.height_mm / 2
    middles = [HOLDEM_MAT.zones[f"seat/{seat}"] for seat in SEATS]
    points = [(box.x + box.width / 2 - x, box.y + box.height / 2 - y) for box in middles]
    turns = [a[0] * b[1] - a[1] * b[0] for a, b in itertools.pairwise(points)]
    assert all(turn > 0 for turn in turns)
    assert points[0][0] > 0 > points[0][1]


def test_mat_and_button_are_printed(tmp_path):
    assert {(piece.width, piece.height) for piece in button_pieces()} == {(TOKEN_MM, TOKEN_MM)}
    for what, name in (("mat", "mat.pdf"), ("slips", "button.pdf")):
        printed = run_command_line(
            ["print", what, "--game", "holdem", "--out", str(tmp_path / name), "--data", str(tmp_path)]
        )
        assert printed == 0
        assert (tmp_path / name).read_bytes().startswith(b"%PDF")
